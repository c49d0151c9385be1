/**
 * PGs of a pool before and after, side by side. Where a pool is split or merged, PGs do not match one to one; what
 * is compared then is the finer of both divisions: a PG that came from a split with the PG it came from, a PG that is
 * merged with the one it goes into.
 */
import { ITEM_NONE } from '../../crush/model.ts';
import { POOL_TYPE, type Pool } from '../../osdmap/model.ts';
import { stableMod } from '../../osdmap/object-hash.ts';
import type { PgColumns, PgSets } from '../../osdmap/pg-mapper.ts';

/** Which of a PG's sets is looked at. */
export type SetChoice = 'up' | 'acting';

/** How many units a pool is compared by. */
export function unitCount(before: Pool, after: Pool): number {
  return before.pgNum === 0 || after.pgNum === 0 ? 0 : Math.max(before.pgNum, after.pgNum);
}

/** The PG that a unit is, or is part of, where the pool has so many PGs. */
export function pgOfUnit(unit: number, pgNum: number): number {
  return unit < pgNum ? unit : stableMod(unit, pgNum);
}

/**
 * The part of its PG that each unit is: of the hashes of objects that go to the PG, how many go to the unit.
 *
 * @param pgNum - PGs of the pool in the map that the PG is of
 */
export function unitShares(units: number, pgNum: number): Float64Array {
  const shares = new Float64Array(units).fill(1);
  if (units === pgNum) return shares;
  const slots = 2 ** Math.ceil(Math.log2(units));
  const half = slots / 2;
  const sums = new Float64Array(pgNum);
  for (let unit = 0; unit < units; unit++) {
    // Hashes beyond the last unit fall back to the one that has their lower bits.
    const folded = unit < half && unit + half >= units;
    shares[unit] = folded ? 2 : 1;
    const pg = pgOfUnit(unit, pgNum);
    sums[pg] = (sums[pg] ?? 0) + (shares[unit] ?? 0);
  }
  for (let unit = 0; unit < units; unit++) {
    shares[unit] = (shares[unit] ?? 0) / (sums[pgOfUnit(unit, pgNum)] ?? 1);
  }
  return shares;
}

/** Whether the positions of a PG's OSDs matter: in erasure pools each holds another shard. */
export function isOrdered(pool: Pool, orderFree: boolean): boolean {
  return pool.type === POOL_TYPE.erasure && !orderFree;
}

/** Reads rows of one pool's columns. */
export class RowReader {
  readonly sets: PgSets;
  readonly width: number;

  constructor(columns: PgColumns, choice: SetChoice | 'raw') {
    this.sets = columns[choice];
    this.width = columns.width;
  }

  /** The OSDs of a PG, holes included, into an array whose length becomes the set's. */
  read(pg: number, into: number[]): number[] {
    const { osds, lengths } = this.sets;
    const at = pg * this.width;
    const length = lengths[pg] ?? 0;
    into.length = length;
    for (let i = 0; i < length; i++) into[i] = osds[at + i] ?? ITEM_NONE;
    return into;
  }

  /** The primary of a PG, or -1. */
  primary(pg: number): number {
    return this.sets.primaries[pg] ?? -1;
  }

  /** Whether a PG of other columns has the same set, in the same order, and the same primary. */
  isSame(pg: number, other: RowReader, otherPg: number): boolean {
    const length = this.sets.lengths[pg] ?? 0;
    if (length !== other.sets.lengths[otherPg] || this.primary(pg) !== other.primary(otherPg)) return false;
    const here = this.sets.osds;
    const there = other.sets.osds;
    const at = pg * this.width;
    const otherAt = otherPg * other.width;
    for (let i = 0; i < length; i++) if (here[at + i] !== there[otherAt + i]) return false;
    return true;
  }
}
