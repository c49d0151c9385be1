/** From an object's name to its PG, and from a PG to the input of its rule. */
import { CrushError } from '../../errors.ts';
import { hash32 } from '../../kernel/kernel.ts';
import { OBJECT_HASH, type PgId, type Pool } from '../../osdmap/model.ts';
import { objectHash, type ObjectName, stableMod } from '../../osdmap/object-hash.ts';
import { poolRequest } from '../../osdmap/pool-request.ts';
import type { ObjectTrace, SeedTrace } from './trace.ts';

/** Text of a PG id, with the shard that erasure-coded PGs are named by, or without. */
const PG_ID = /^(\d{1,15})\.([0-9a-f]{1,8})(?:s\d{1,3})?$/i;

/**
 * Reads a PG id such as `4.1f`: pool 4, placement seed 1f in hexadecimal. The shard of `4.1fs0` is left out.
 *
 * @throws {@link CrushError} `bad-argument`
 */
export function readPgId(text: string): PgId {
  const [, pool, ps] = PG_ID.exec(text) ?? [];
  if (pool !== undefined && ps !== undefined) return { pool: Number(pool), ps: parseInt(ps, 16) };
  throw new CrushError(
    'bad-argument',
    `'${text}' is not a PG; one looks like 4.1f: pool 4, placement seed 1f in hexadecimal without 0x`,
  );
}

/** Follows `pg_pool_t::hash_key` and `OSDMap::map_to_pg`. */
export function objectTrace(pool: Pool, object: ObjectName): ObjectTrace {
  const hash = objectHash(pool, object);
  const namespace = textOf(object.namespace ?? '');
  const key = textOf(object.key ?? '');
  return {
    name: textOf(object.name),
    ...(namespace === '' ? {} : { namespace }),
    ...(key === '' ? {} : { key }),
    algorithm: pool.objectHash === OBJECT_HASH.linux ? 'linux' : 'rjenkins',
    hash,
    ps: stableMod(hash, pool.pgNum),
  };
}

/** Follows `pg_pool_t::raw_pg_to_pps`. */
export function seedTrace(
  pool: Pool,
  asked: number,
  seed: ReturnType<typeof poolRequest>['seed'],
): SeedTrace {
  const pgpNum = seed !== undefined && 'pgpNum' in seed ? seed.pgpNum : 1;
  const hashpspool = seed?.mode === 'pool-hashed';
  const folded = stableMod(asked, pgpNum);
  return {
    asked,
    ps: stableMod(asked, pool.pgNum),
    pgNum: pool.pgNum,
    pgpNum,
    folded,
    hashpspool,
    x: (hashpspool ? hash32(folded, pool.id) : folded + pool.id) | 0,
  };
}

function textOf(name: string | Uint8Array): string {
  return typeof name === 'string' ? name : new TextDecoder().decode(name);
}
