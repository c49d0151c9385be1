/**
 * What a pool asks of the rule: which PGs, by which rule, to how many OSDs, from which seeds.
 */
import { mapKind } from '../crush/kind.ts';
import { DEFAULT_CHOOSE_ARGS } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import type { MapRequest } from '../kernel/crush-mapper.ts';
import { type OsdMap, type Pool, POOL_FLAG, POOL_TYPE } from './model.ts';
import { findPoolRule } from './pool-rule.ts';

/** A part of a pool. */
export interface PgRange {
  /** First placement seed; default 0. */
  readonly first?: number;
  /** How many PGs; default all that follow. */
  readonly count?: number;
}

/** PGs a pool may have: a thousand times what Ceph itself allows, and less than a damaged count is likely to be. */
const MAX_PGS = 1 << 28;
/** Most seeds a pool's PGs may be spread over. */
const MAX_PGP_NUM = 0x7fffffff;

/**
 * A pool by id or name. Text that is no pool's name may be an id, as it comes with requests and commands.
 *
 * @throws {@link CrushError} `not-found`
 */
export function findPool(map: OsdMap, idOrName: number | string): Pool {
  if (typeof idOrName === 'number') {
    const pool = map.pools.get(idOrName);
    if (pool !== undefined) return pool;
  } else {
    for (const pool of map.pools.values()) if (pool.name === idOrName) return pool;
    const pool = /^\d+$/.test(idOrName) ? map.pools.get(Number(idOrName)) : undefined;
    if (pool !== undefined) return pool;
  }
  const known = [...map.pools.values()].map(({ id, name }) => `${id} '${name}'`).join(', ');
  const wanted = typeof idOrName === 'string' ? `'${idOrName}'` : String(idOrName);
  throw new CrushError('not-found', `there is no pool ${wanted}; the map has ${known || 'none'}`);
}

/**
 * The PGs that a range selects.
 *
 * @throws {@link CrushError} `bad-argument` for what is outside the pool
 */
export function rangeOf(pool: Pool, range: PgRange): Required<PgRange> {
  const first = range.first ?? 0;
  const count = range.count ?? Math.max(0, pool.pgNum - first);
  if (
    !Number.isInteger(first) ||
    !Number.isInteger(count) ||
    first < 0 ||
    count < 0 ||
    first + count > pool.pgNum
  ) {
    throw new CrushError(
      'bad-argument',
      `pool ${pool.id} has ${pool.pgNum} PGs, not ${count} from ${first} on`,
    );
  }
  return { first, count };
}

/**
 * The mapper's request for a pool, but for the range of PGs.
 *
 * @param release - the release whose way of finding the rule is followed
 * @throws {@link CrushError} `unsupported` for a pool of unknown type or of absurdly many PGs
 */
export function poolRequest(map: OsdMap, pool: Pool, release: number): Omit<MapRequest, 'first' | 'count'> {
  if (pool.pgNum > MAX_PGS) {
    throw new CrushError('unsupported', `pg_num is ${pool.pgNum}, at most ${MAX_PGS} are supported`, {
      path: `pool ${pool.id}`,
    });
  }
  if (pool.type !== POOL_TYPE.replicated && pool.type !== POOL_TYPE.erasure) {
    throw new CrushError('unsupported', `pool type ${pool.type} is unknown`, { path: `pool ${pool.id}` });
  }
  return {
    rule: findPoolRule(map.crush, pool, release),
    size: pool.size,
    reweights: map.osdWeight,
    chooseArgs: map.crush.chooseArgs.has(pool.id) ? pool.id : DEFAULT_CHOOSE_ARGS,
    seed: {
      mode: (pool.flags & POOL_FLAG.hashpspool) === 0n ? 'pool' : 'pool-hashed',
      pool: pool.id,
      pgpNum: seedCount(pool),
    },
  };
}

/**
 * How many different seeds a pool's PGs have: pgp_num, but for numbers that Ceph's mask has no bits for. There it
 * shifts 1 by 32, which on x86 leaves 1, so that the mask is 0 and so is every seed (`pg_pool_t::calc_pg_masks`).
 */
function seedCount({ id, pgpNum }: Pool): number {
  if (pgpNum === 0 || pgpNum > 0x80000000) return 1;
  if (pgpNum <= MAX_PGP_NUM) return pgpNum;
  throw new CrushError('unsupported', `pgp_num is ${pgpNum}, at most ${MAX_PGP_NUM} are supported`, {
    path: `pool ${id}`,
  });
}

/** Callers without types pass other maps. */
export function demandOsdMap(map: unknown): void {
  const kind = mapKind(map);
  if (kind === 'OSDMap') return;
  const given = {
    'CRUSH map': 'a CRUSH map, which has no pools: take new CrushMapper(map)',
    'map file': 'what readMap returns: give the map inside (file.map)',
    promise: 'a promise of one: await it first',
    other: 'another value',
  }[kind];
  throw new CrushError('bad-argument', `the PGs of an OSDMap can be mapped, not ${given}`);
}
