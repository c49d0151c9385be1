/**
 * Compares two OSDMaps: which PGs and shards move from the one to the other, from where to where and why, what of it
 * no placement could have avoided, and which PGs are left short of OSDs.
 */
import { type OsdMap, type Pool, POOL_TYPE } from '../osdmap/model.ts';
import { PgMapper, type PgMapperOptions } from '../osdmap/pg-mapper.ts';
import type { PgDump } from '../osdmap/pg-usage.ts';
import { RuleRoom } from '../osdmap/rule-room.ts';
import { CauseFinder, type MoveCause } from './compare/causes.ts';
import type { Floor } from './compare/floor.ts';
import { type ChangedPg, PoolComparer } from './compare/pool.ts';
import { addCounts, type ComparedCounts, emptyCounts, FlowTable, type ShardFlow } from './compare/tally.ts';
import { isOrdered, type SetChoice } from './compare/units.ts';

export { type MoveCause, MOVE_CAUSES } from './compare/causes.ts';
export type { Floor } from './compare/floor.ts';
export type { CrushCause } from './compare/crush-changes.ts';
export type { MapCause } from './compare/map-changes.ts';
export { NOWHERE, type ShardMove } from './compare/movement.ts';
export type { ChangedPg } from './compare/pool.ts';
export type { CauseCounts, ComparedCounts, ShardFlow, ShortPgs } from './compare/tally.ts';
export type { SetChoice } from './compare/units.ts';
export { type BucketFlow, flowsBetween } from './compare/flows.ts';

/** Options of {@link compareMaps}. */
export interface CompareOptions {
  /** Which sets are compared: `up` (default), where PGs belong, or `acting`, where temps have them served. */
  readonly set?: SetChoice;
  /** Erasure pools as well: a shard that only changes its position does not move. Default: positions count. */
  readonly orderFree?: boolean;
  /** What the PGs hold, for objects and bytes that move. */
  readonly pgDump?: PgDump;
  /** Whether causes are looked for (default), for which maps between the two are mapped. */
  readonly causes?: boolean;
  /** Gets every PG that changes, in order. */
  readonly onChanged?: (pg: ChangedPg) => void;
  /** The release whose way of finding rules is followed, see `PgMapperOptions`. */
  readonly release?: number;
}

/** A pool that both maps have. */
export interface PoolComparison extends ComparedCounts {
  /** Id of the pool. */
  readonly pool: number;
  /** Its name in the map after. */
  readonly name: string;
  /** The least that has to move. */
  readonly floor: Floor;
}

/** What differs between two maps. */
export interface Comparison {
  /** Pools that both maps have, in order. */
  readonly pools: readonly PoolComparison[];
  /** All of them together. */
  readonly total: ComparedCounts & { readonly floor: Floor };
  /** Pools that only one of the maps has; nothing of them is counted. */
  readonly poolsAdded: readonly number[];
  /** Pools that only the map before has. */
  readonly poolsRemoved: readonly number[];
  /** PGs and shards by cause; every changed PG counts once. Empty where causes were not asked for. */
  readonly causes: ReadonlyMap<MoveCause, { readonly pgs: number; readonly shards: number }>;
  /** Shards that move, by source and target, the most first. */
  readonly flows: readonly ShardFlow[];
  /** Shards on each OSD before and after, by OSD id. */
  readonly osds: {
    readonly shardsBefore: Uint32Array;
    readonly shardsAfter: Uint32Array;
    readonly primariesBefore: Uint32Array;
    readonly primariesAfter: Uint32Array;
    /** Bytes of their shards; all 0 without a PG dump. */
    readonly bytesBefore: Float64Array;
    readonly bytesAfter: Float64Array;
  };
}

/**
 * Compares where two maps place the PGs of the pools that both have.
 *
 * PGs of a pool that is split or merged are compared with those they come from or go into, each part for itself.
 *
 * @throws CrushError as {@link PgMapper} does, for either map
 * @example
 * ```ts
 * const { total, causes } = compareMaps(before, after);
 * console.log(total.movedShards, 'of', total.shards, 'shards move;', total.floor.shards, 'have to');
 * for (const [cause, { pgs }] of causes) console.log(cause, pgs);
 * ```
 */
export function compareMaps(before: OsdMap, after: OsdMap, options: CompareOptions = {}): Comparison {
  const { set = 'up', orderFree = false, pgDump, release } = options;
  const mapperOptions: PgMapperOptions = release === undefined ? {} : { release };
  const mappers = [new PgMapper(before, mapperOptions), new PgMapper(after, mapperOptions)] as const;
  const finder = options.causes === false ? undefined : new CauseFinder(before, after, mapperOptions);
  const flows = new FlowTable();
  const causes = new Map<MoveCause, { pgs: number; shards: number }>();
  const osds = emptyOsds(Math.max(before.maxOsd, after.maxOsd));
  const pools: PoolComparison[] = [];
  const total = { ...emptyCounts(), floor: { shards: 0, byRule: 0, byWeight: 0 } };

  for (const pool of before.pools.values()) {
    const afterPool = after.pools.get(pool.id);
    if (afterPool === undefined) continue;
    const ordered = isOrdered(afterPool, orderFree);
    const ends = { before: mappers[0].mapPool(pool.id), after: mappers[1].mapPool(pool.id) };
    const comparer = new PoolComparer({
      before: { map: before, pool, columns: ends.before },
      after: { map: after, pool: afterPool, columns: ends.after },
      set,
      ordered,
      usage: pgDump?.pgs.get(pool.id),
      dataShards: { before: dataShards(before, pool), after: dataShards(after, afterPool) },
      room: new RuleRoom(after, afterPool, release),
      findCauses: () => finder?.ofPool(pool.id, ordered, set, ends),
      flows,
      causes,
      osds,
      onChanged: options.onChanged,
    });
    const { counts, floor } = comparer.run();
    pools.push({ pool: pool.id, name: afterPool.name, ...counts, floor });
    addCounts(total, counts);
    total.floor = {
      shards: total.floor.shards + floor.shards,
      byRule: total.floor.byRule + floor.byRule,
      byWeight: total.floor.byWeight + floor.byWeight,
    };
  }
  return {
    pools,
    total,
    poolsAdded: [...after.pools.keys()].filter((id) => !before.pools.has(id)),
    poolsRemoved: [...before.pools.keys()].filter((id) => !after.pools.has(id)),
    causes,
    flows: flows.sorted(),
    osds,
  };
}

/**
 * Shards of a PG that hold its data once: 1 where OSDs hold replicas, k of an erasure code. Where the map does not
 * tell k it is what min_size leaves of it: min_size is k + 1, or k where that is all the pool has.
 */
export function dataShards(map: OsdMap, pool: Pool): number {
  if (pool.type !== POOL_TYPE.erasure) return 1;
  const profile = map.erasureCodeProfiles.get(pool.details.erasureCodeProfile);
  const k = Number(profile?.get('k') ?? '');
  if (Number.isInteger(k) && k >= 1 && k <= pool.size) return k;
  return Math.max(1, pool.minSize < pool.size ? pool.minSize - 1 : pool.minSize);
}

function emptyOsds(length: number): Comparison['osds'] {
  return {
    shardsBefore: new Uint32Array(length),
    shardsAfter: new Uint32Array(length),
    primariesBefore: new Uint32Array(length),
    primariesAfter: new Uint32Array(length),
    bytesBefore: new Float64Array(length),
    bytesAfter: new Float64Array(length),
  };
}
