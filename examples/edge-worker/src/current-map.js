import { createMapper, CrushError, readMapFile } from 'crush-wasm';
import { asProblem, Problem } from './problem.js';
import { MAX_MAP_BYTES, sourceOf } from './map-source.js';

/**
 * The mapper that this isolate answers from. It is made once, and anew when the source has another map; while a new
 * map is read, and where it cannot be used, the old one answers on.
 *
 * @typedef {object} CurrentMap
 * @property {import('crush-wasm').PgMapper} mapper
 * @property {string} digest - of the map's bytes, for ETags
 * @property {string | undefined} version - as the source names it
 */

/** @type {CurrentMap | undefined} */
let current;
/** When the source was last asked (milliseconds), and what came of it if nothing did. */
let checkedAt = -Infinity;
let failure;

/**
 * @param environment - the worker's bindings
 * @param context - the worker's context, which a renewal in the background is left to
 * @returns {Promise<CurrentMap>}
 * @throws {Problem} 503 where there is no map that can be used
 */
export async function currentMap(environment, context) {
  const source = sourceOf(environment);
  const seconds = checkSeconds(environment);
  const due = Date.now() - checkedAt >= seconds * 1000;
  if (current !== undefined) {
    if (source.changes && due) context.waitUntil(renew(source));
    return current;
  }
  // What has just failed is not tried again for each request.
  if (due) failure = undefined;
  // Each request loads for itself as long as there is none: a promise of another request ends with that one.
  if (failure === undefined) await renew(source);
  if (current !== undefined) return current;
  throw new Problem(503, failure.code, failure.message, { 'Retry-After': String(seconds) });
}

/** What there is to say of the map: for monitoring. */
export function mapState(environment) {
  return {
    epoch: current?.mapper.map.epoch ?? null,
    source: sourceOf(environment).name,
    checked: new Date(checkedAt).toISOString(),
    problem: failure?.message ?? null,
  };
}

/** How long a map is used before the source is asked again; answers may be as old. */
export function checkSeconds({ MAP_CHECK_SECONDS = '10' }) {
  const seconds = Number(MAP_CHECK_SECONDS);
  if (MAP_CHECK_SECONDS === '' || !Number.isInteger(seconds) || seconds < 0 || seconds > 86_400) {
    throw new Problem(503, 'bad-setting', `MAP_CHECK_SECONDS is '${MAP_CHECK_SECONDS}', not 0 to 86400`);
  }
  return seconds;
}

/** Asks the source, and takes what it has if that can be mapped from. */
async function renew(source) {
  // Before it is asked, so that the requests that come meanwhile leave it to this one.
  checkedAt = Date.now();
  try {
    const loaded = await source.load(current?.version);
    if (loaded !== undefined) current = await open(loaded, source);
    failure = undefined;
  } catch (error) {
    failure = asProblem(error instanceof CrushError ? error.at({ file: source.name }) : error);
    console.error(`${current === undefined ? 'no map' : 'the map stays'}: ${failure.message}`);
  }
}

/** @returns {Promise<CurrentMap>} the map that is there if its bytes are the same */
async function open({ version, bytes }, source) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const digest = [...hash.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (current?.digest === digest) return { ...current, version };
  const file = await readMapFile(bytes, { maxUnpackedBytes: MAX_MAP_BYTES });
  if (file.kind !== 'osdmap') {
    throw new Problem(
      503,
      'no-map',
      `the ${source.name} is a CRUSH map, which has no pools; take 'ceph osd getmap'`,
    );
  }
  return { mapper: createMapper(file.map), digest, version };
}
