import { Problem } from './problem.js';
import { parseQuery, textOf } from './query.js';

const PARAMETERS = ['pool', 'object', 'namespace', 'key'];

/**
 * Where an object lives, in the words of `ceph osd map POOL OBJECT NAMESPACE -f json`. OSDs that an erasure-coded PG
 * lacks are 2147483647, as there; a primary that there is none of is -1.
 *
 * @param {import('crush-wasm').PgMapper} mapper
 * @param {string} search - the query of the URL: `pool` (name or id), `object`, and if need be `namespace`, `key`
 * @throws {Problem} 400, 404
 */
export function locate(mapper, search) {
  const parameters = parseQuery(search, PARAMETERS);
  for (const name of ['pool', 'object']) {
    if (!(parameters.get(name)?.length > 0)) {
      throw new Problem(
        400,
        'bad-argument',
        `the parameter ${name} is missing: /locate?pool=POOL&object=OBJECT`,
      );
    }
  }
  const pool = findPool(mapper, textOf(parameters.get('pool'), 'the name of the pool'));
  const namespace = parameters.get('namespace') ?? new Uint8Array();
  const key = parameters.get('key') ?? new Uint8Array();
  const name = parameters.get('object');
  const mapped = mapper.mapObject(pool.id, { name, namespace, key });
  const shown = (bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return {
    epoch: mapper.map.epoch,
    pool: pool.name,
    pool_id: pool.id,
    objname: namespace.length > 0 ? `${shown(namespace)}/${shown(name)}` : shown(name),
    ...(key.length > 0 ? { key: shown(key) } : {}),
    raw_pgid: `${pool.id}.${mapped.hash.toString(16)}`,
    pgid: `${pool.id}.${mapped.pgid.ps.toString(16)}`,
    up: mapped.up,
    up_primary: mapped.upPrimary,
    acting: mapped.acting,
    acting_primary: mapped.actingPrimary,
  };
}

/** A pool by its name, as Ceph has it, or else by its id. */
function findPool(mapper, text) {
  for (const pool of mapper.map.pools.values()) if (pool.name === text) return pool;
  return mapper.pool(/^\d{1,15}$/.test(text) ? Number(text) : text);
}
