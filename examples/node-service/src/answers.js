import { parse } from 'node:querystring';
import { CrushError, POOL_TYPE, stableMod } from 'crush-wasm';

/** A request that cannot be answered: an HTTP status and why. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const LOCATE = 'GET /locate?pool=POOL&object=OBJECT[&namespace=NAMESPACE][&key=KEY]';

/**
 * Where an object lives, as `ceph osd map -f json` says it.
 *
 * @param {import('crush-wasm').PgMapper} mapper
 * @param {string} query - of the URL; names of objects may be any bytes, percent-encoded
 * @throws {Refusal} 400, 404
 */
export function locate(mapper, query) {
  if (/%(?![0-9a-f]{2})/i.test(query))
    throw new Refusal(400, 'a % is not followed by two digits; a % itself is %25');
  const {
    pool: poolText,
    object,
    namespace = '',
    key = '',
    ...rest
  } = parse(query, '&', '=', { maxKeys: 0, decodeURIComponent: decode });
  const given = { pool: poolText, object, namespace, key };
  for (const [name, value] of Object.entries(given)) {
    if (Array.isArray(value)) throw new Refusal(400, `${name} is there more than once: ${LOCATE}`);
  }
  for (const name of ['pool', 'object']) {
    if (!given[name]) throw new Refusal(400, `${name} is missing: ${LOCATE}`);
  }
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new Refusal(400, `there is no parameter ${JSON.stringify(unknown)}: ${LOCATE}`);

  const pool = findPool(mapper, textOf(poolText));
  const name = (text) => Buffer.from(text, 'latin1');
  const named = { name: name(object), namespace: name(namespace), key: name(key) };
  const mapped = refusing(() => mapper.mapObject(pool.id, named));
  return {
    epoch: mapper.map.epoch,
    pool: pool.name,
    pool_id: pool.id,
    objname: namespace === '' ? textOf(object) : `${textOf(namespace)}/${textOf(object)}`,
    ...(key === '' ? {} : { key: textOf(key) }),
    raw_pgid: pgidOf(pool, mapped.hash),
    pgid: pgidOf(pool, mapped.pgid.ps),
    ...setsOf(mapped),
  };
}

/**
 * Where a PG lies, as `ceph pg map -f json` says it, with the primaries; of a shard (`7.1s0`) also which OSD has it.
 *
 * @throws {Refusal} 400, 404
 */
export function pgMap(mapper, text) {
  const [, id, seed, shardText] = /^(\d{1,15})\.([0-9a-f]{1,8})(?:s(\d{1,3}))?$/i.exec(text) ?? [];
  if (id === undefined)
    throw new Refusal(400, `${JSON.stringify(text)} is no PG; one is like 3.1f, or 7.1s0 for a shard`);
  const pool = refusing(() => mapper.pool(Number(id)));
  const ps = Number.parseInt(seed, 16);
  const mapped = refusing(() => mapper.mapPg(pool.id, ps));
  const answer = {
    epoch: mapper.map.epoch,
    raw_pgid: pgidOf(pool, ps),
    pgid: pgidOf(pool, stableMod(ps, pool.pgNum)),
    ...setsOf(mapped),
  };
  if (shardText === undefined) return answer;
  const shard = Number(shardText);
  if (pool.type !== POOL_TYPE.erasure || shard >= pool.size) {
    const shards = pool.type === POOL_TYPE.erasure ? `shards 0 to ${pool.size - 1}` : 'replicas, not shards';
    throw new Refusal(404, `there is no shard ${shard} in pool ${pool.id}, which has ${shards}`);
  }
  return { ...answer, shard, osd: mapped.acting[shard] };
}

function pgidOf({ id }, ps) {
  return `${id}.${ps.toString(16)}`;
}

function setsOf({ up, upPrimary, acting, actingPrimary }) {
  return { up, up_primary: upPrimary, acting, acting_primary: actingPrimary };
}

/** A pool by its name, as Ceph has it, or else by its id. */
function findPool(mapper, text) {
  for (const pool of mapper.map.pools.values()) if (pool.name === text) return pool;
  return refusing(() => mapper.pool(/^\d{1,15}$/.test(text) ? Number(text) : text));
}

/** What is percent-encoded, a character a byte. */
function decode(text) {
  return text.replace(/%(..)/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** Such characters as text, with U+FFFD for what is no UTF-8. */
function textOf(bytes) {
  return Buffer.from(bytes, 'latin1').toString();
}

/** What the library refuses, as a status: what was asked for, or what the map has. */
function refusing(ask) {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof CrushError)) throw error;
    throw new Refusal({ 'bad-argument': 400, 'not-found': 404 }[error.code] ?? 503, error.describe());
  }
}
