/**
 * What moves between two states of a map whose PGs are mapped already: the counts of `compareMaps`, by one pass over
 * the columns, without its floor and causes.
 */
import { dataShards } from '../../../../src/analysis/compare.ts';
import { filledPlaces, NOWHERE, shardMoves } from '../../../../src/analysis/compare/movement.ts';
import { isOrdered, pgOfUnit, unitCount } from '../../../../src/analysis/compare/units.ts';
import { ITEM_NONE } from '../../../../src/crush/model.ts';
import { OSD_STATE, type OsdMap, type Pool } from '../../../../src/osdmap/model.ts';
import type { PgSets } from '../../../../src/osdmap/pg-mapper.ts';

/** Where a pool's PGs lie. */
export interface PlacedPool {
  /** OSDs that a set has room for. */
  readonly width: number;
  readonly up: PgSets;
}

/** A state of a map, with where its pools lie; pools that cannot be mapped are not in it. */
export interface PlacedMap {
  readonly map: OsdMap;
  readonly pools: ReadonlyMap<number, PlacedPool>;
}

/** PGs left with less than they should have. */
export interface ShortCounts {
  /** PGs with fewer OSDs than the pool's size: undersized. */
  readonly undersized: number;
  /** PGs with fewer OSDs than min_size, which serve nothing. */
  readonly belowMinSize: number;
}

/** What moves, and what is left short. */
export interface MoveCounts {
  /** PGs compared; of a pool that is split or merged, those of the finer division. */
  readonly pgs: number;
  /** PGs of which a shard comes to another OSD. */
  readonly movedPgs: number;
  /** Shards that have an OSD afterwards. */
  readonly shards: number;
  /** Shards that come to an OSD that did not hold them: what is copied. */
  readonly movedShards: number;
  /** Of those, the ones whose former OSD is up no more, so that they are rebuilt from others. */
  readonly rebuiltShards: number;
  /** Of those, the ones that no OSD held. */
  readonly newShards: number;
  /** PGs that are led by another OSD. */
  readonly changedPrimaries: number;
  readonly before: ShortCounts;
  readonly after: ShortCounts;
  /** PGs of whose former OSDs too few are up to read their data from. */
  readonly lostPgs: number;
}

/** A pool's counts. */
export interface PoolMoves extends MoveCounts {
  readonly pool: number;
  readonly name: string;
}

/** Everything that moves. */
export interface Moves {
  readonly total: MoveCounts;
  /** Pools that both states have and that can be mapped in both, in order. */
  readonly pools: readonly PoolMoves[];
  /** Shards that move or are dropped, by `source + 1` times {@link FLOW_BASE} plus `target + 1`; 0 is no OSD. */
  readonly flows: ReadonlyMap<number, number>;
}

/** See {@link Moves}; ids of OSDs stay far below. */
export const FLOW_BASE = 2 ** 26;

/** Compares two states. */
export function tallyMoves(before: PlacedMap, after: PlacedMap): Moves {
  const flows = new Map<number, number>();
  const pools: PoolMoves[] = [];
  for (const [id, placed] of after.pools) {
    const pool = after.map.pools.get(id);
    const former = before.map.pools.get(id);
    const formerPlaced = before.pools.get(id);
    if (pool === undefined || former === undefined || formerPlaced === undefined) continue;
    const ends = [
      { ...formerPlaced, map: before.map, pool: former },
      { ...placed, map: after.map, pool },
    ] as const;
    pools.push({ pool: id, name: pool.name, ...tallyPool(...ends, flows) });
  }
  return { total: sumUp(pools), pools, flows };
}

interface Side extends PlacedPool {
  readonly map: OsdMap;
  readonly pool: Pool;
}

type OpenCounts = { -readonly [K in keyof MoveCounts]: MoveCounts[K] };

function tallyPool(before: Side, after: Side, flows: Map<number, number>): MoveCounts {
  const counts = emptyCounts();
  const units = unitCount(before.pool, after.pool);
  const ordered = isOrdered(after.pool, false);
  const short = { before: emptyShort(), after: emptyShort() };
  const needed = dataShards(before.map, before.pool);
  const isUp = upOsds(after.map);
  counts.pgs = units;
  for (let unit = 0; unit < units; unit++) {
    const rowBefore = pgOfUnit(unit, before.pool.pgNum);
    const rowAfter = pgOfUnit(unit, after.pool.pgNum);
    const lengthBefore = before.up.lengths[rowBefore] ?? 0;
    const lengthAfter = after.up.lengths[rowAfter] ?? 0;
    const startBefore = rowBefore * before.width;
    const startAfter = rowAfter * after.width;
    let isSame = lengthBefore === lengthAfter;
    let filledBefore = 0;
    let alive = 0;
    for (let i = 0; i < lengthBefore; i++) {
      const osd = before.up.osds[startBefore + i] ?? ITEM_NONE;
      if (isSame && after.up.osds[startAfter + i] !== osd) isSame = false;
      if (osd === ITEM_NONE) continue;
      filledBefore++;
      alive += isUp[osd] ?? 0;
    }
    const filledAfter = isSame ? filledBefore : filledPlaces(setOf(after, rowAfter));
    counts.shards += filledAfter;
    if (filledBefore < before.pool.size) addShort(short.before, before.pool, filledBefore);
    if (filledAfter < after.pool.size) addShort(short.after, after.pool, filledAfter);
    if (alive < Math.min(filledBefore, needed)) counts.lostPgs++;
    if (before.up.primaries[rowBefore] !== after.up.primaries[rowAfter]) counts.changedPrimaries++;
    if (!isSame) addMoves(counts, flows, setOf(before, rowBefore), setOf(after, rowAfter), ordered, isUp);
  }
  counts.before = short.before;
  counts.after = short.after;
  return counts;
}

function addMoves(
  counts: OpenCounts,
  flows: Map<number, number>,
  before: readonly number[],
  after: readonly number[],
  ordered: boolean,
  isUp: Uint8Array,
): void {
  let moved = 0;
  for (const { source, target } of shardMoves(before, after, ordered)) {
    const key = (source + 1) * FLOW_BASE + (target + 1);
    flows.set(key, (flows.get(key) ?? 0) + 1);
    if (target === NOWHERE) continue;
    moved++;
    if (source === NOWHERE) counts.newShards++;
    else if (isUp[source] !== 1) counts.rebuiltShards++;
  }
  counts.movedShards += moved;
  if (moved > 0) counts.movedPgs++;
}

function setOf({ up, width }: Side, row: number): number[] {
  return [...up.osds.subarray(row * width, row * width + (up.lengths[row] ?? 0))];
}

/** 1 for each OSD that is up. */
function upOsds(map: OsdMap): Uint8Array {
  const bits = OSD_STATE.exists | OSD_STATE.up;
  return Uint8Array.from(map.osdState, (state) => ((state & bits) === bits ? 1 : 0));
}

function addShort(short: { undersized: number; belowMinSize: number }, pool: Pool, count: number): void {
  short.undersized++;
  if (count < pool.minSize) short.belowMinSize++;
}

function emptyShort(): { undersized: number; belowMinSize: number } {
  return { undersized: 0, belowMinSize: 0 };
}

function emptyCounts(): OpenCounts {
  return {
    pgs: 0,
    movedPgs: 0,
    shards: 0,
    movedShards: 0,
    rebuiltShards: 0,
    newShards: 0,
    changedPrimaries: 0,
    before: emptyShort(),
    after: emptyShort(),
    lostPgs: 0,
  };
}

function sumUp(pools: readonly MoveCounts[]): MoveCounts {
  const total = emptyCounts();
  for (const pool of pools) {
    for (const field of NUMBERS) total[field] += pool[field];
    for (const side of ['before', 'after'] as const) {
      total[side] = {
        undersized: total[side].undersized + pool[side].undersized,
        belowMinSize: total[side].belowMinSize + pool[side].belowMinSize,
      };
    }
  }
  return total;
}

const NUMBERS = [
  'pgs',
  'movedPgs',
  'shards',
  'movedShards',
  'rebuiltShards',
  'newShards',
  'changedPrimaries',
  'lostPgs',
] as const satisfies readonly (keyof MoveCounts)[];
