/** Compares one pool between two maps, PG by PG. */
import { ITEM_NONE } from '../../crush/model.ts';
import { OSD_STATE, type OsdMap, type Pool } from '../../osdmap/model.ts';
import type { PgColumns } from '../../osdmap/pg-mapper.ts';
import type { PgUsage } from '../../osdmap/pg-usage.ts';
import type { RuleRoom } from '../../osdmap/rule-room.ts';
import type { MoveCause, PoolCauses } from './causes.ts';
import { type Floor, PoolFloor } from './floor.ts';
import { filledPlaces, NOWHERE, type ShardMove, shardMoves } from './movement.ts';
import { emptyCounts, type FlowTable, type OpenCounts } from './tally.ts';
import { pgOfUnit, RowReader, type SetChoice, unitCount, unitShares } from './units.ts';

/** A PG that is elsewhere, or led by another OSD, in the map after. */
export interface ChangedPg {
  /** Id of the pool. */
  readonly pool: number;
  /** Placement seed; of a pool that is merged, that of the map before. */
  readonly ps: number;
  /** The set in the map before. */
  readonly before: readonly number[];
  /** Who leads it there, or -1. */
  readonly beforePrimary: number;
  /** The set in the map after. */
  readonly after: readonly number[];
  /** Who leads it there, or -1. */
  readonly afterPrimary: number;
  /** The shards that move. */
  readonly moves: readonly ShardMove[];
  /** Undefined where causes are not looked for. */
  readonly cause: MoveCause | undefined;
  /** What it holds, where a PG dump tells: of a PG that is split, its part. */
  readonly usage: PgUsage | undefined;
}

/** One side of a comparison. */
export interface PoolSide {
  readonly map: OsdMap;
  readonly pool: Pool;
  readonly columns: PgColumns;
}

/** What a pool is compared with, and where the results go. */
export interface PoolJob {
  readonly before: PoolSide;
  readonly after: PoolSide;
  readonly set: SetChoice;
  readonly ordered: boolean;
  readonly usage: ReadonlyMap<number, PgUsage> | undefined;
  /** Shards of a PG that hold its data once. */
  readonly dataShards: { readonly before: number; readonly after: number };
  readonly room: RuleRoom;
  /** Called where a PG has changed; undefined where causes are not looked for. */
  readonly findCauses: () => PoolCauses | undefined;
  readonly flows: FlowTable;
  readonly causes: Map<MoveCause, { pgs: number; shards: number }>;
  /** Counts of each OSD, to add to. */
  readonly osds: OsdTallies;
  readonly onChanged: ((pg: ChangedPg) => void) | undefined;
}

/** Counts of each OSD. */
interface OsdTallies {
  readonly shardsBefore: Uint32Array;
  readonly shardsAfter: Uint32Array;
  readonly primariesBefore: Uint32Array;
  readonly primariesAfter: Uint32Array;
  readonly bytesBefore: Float64Array;
  readonly bytesAfter: Float64Array;
}

/** Compares one pool. */
export class PoolComparer {
  readonly #job: PoolJob;
  readonly #counts: OpenCounts = emptyCounts();
  readonly #floor: PoolFloor;
  readonly #own: { readonly before: Uint32Array; readonly after: Uint32Array };
  #causes: PoolCauses | undefined;

  constructor(job: PoolJob) {
    this.#job = job;
    this.#floor = new PoolFloor(job.room, job.ordered);
    const { length } = job.osds.shardsBefore;
    this.#own = { before: new Uint32Array(length), after: new Uint32Array(length) };
  }

  run(): { counts: OpenCounts; floor: Floor } {
    const { before, after, set, usage } = this.#job;
    const units = unitCount(before.pool, after.pool);
    const readers = { before: new RowReader(before.columns, set), after: new RowReader(after.columns, set) };
    const shares = usage === undefined ? undefined : unitShares(units, before.pool.pgNum);
    const rows = { before: [] as number[], after: [] as number[] };
    for (let unit = 0; unit < units; unit++) {
      const beforePg = pgOfUnit(unit, before.pool.pgNum);
      const afterPg = pgOfUnit(unit, after.pool.pgNum);
      const pg = {
        ps: unit,
        before: readers.before.read(beforePg, rows.before),
        beforePrimary: readers.before.primary(beforePg),
        after: readers.after.read(afterPg, rows.after),
        afterPrimary: readers.after.primary(afterPg),
      };
      const held = usage?.get(beforePg);
      const share = shares?.[unit] ?? 0;
      const part = held && { objects: held.objects * share, bytes: held.bytes * share };
      this.#count(pg, part);
      if (!readers.before.isSame(beforePg, readers.after, afterPg)) this.#compare(pg, part);
    }
    const floor = this.#floor.finish(units, this.#own.before, this.#own.after);
    const { osds } = this.#job;
    for (let osd = 0; osd < osds.shardsBefore.length; osd++) {
      osds.shardsBefore[osd] = (osds.shardsBefore[osd] ?? 0) + (this.#own.before[osd] ?? 0);
      osds.shardsAfter[osd] = (osds.shardsAfter[osd] ?? 0) + (this.#own.after[osd] ?? 0);
    }
    return { counts: this.#counts, floor };
  }

  /** What every PG counts for, changed or not. */
  #count(pg: RowPair, usage: PgUsage | undefined): void {
    const { osds, before, after, dataShards } = this.#job;
    const counts = this.#counts;
    counts.pgs++;
    const bytes = usage?.bytes ?? 0;
    countRow(pg.before, pg.beforePrimary, this.#own.before, osds.primariesBefore);
    countRow(pg.after, pg.afterPrimary, this.#own.after, osds.primariesAfter);
    if (bytes > 0) {
      addBytes(pg.before, bytes / dataShards.before, osds.bytesBefore);
      addBytes(pg.after, bytes / dataShards.after, osds.bytesAfter);
    }
    const filledBefore = filledPlaces(pg.before);
    const filledAfter = filledPlaces(pg.after);
    counts.shards += filledAfter;
    if (filledBefore < before.pool.size) counts.before = withShort(counts.before, before.pool, filledBefore);
    if (filledAfter < after.pool.size) counts.after = withShort(counts.after, after.pool, filledAfter);
    if (filledBefore === 0) return;
    let alive = 0;
    for (const osd of pg.before) if (osd !== ITEM_NONE && isUp(after.map, osd)) alive++;
    if (alive < Math.min(filledBefore, dataShards.before)) counts.lostPgs++;
  }

  #compare(pg: RowPair, usage: PgUsage | undefined): void {
    const { ordered, dataShards, flows, causes, onChanged, before } = this.#job;
    const counts = this.#counts;
    const moves = shardMoves(pg.before, pg.after, ordered);
    const isLedAnew = pg.beforePrimary !== pg.afterPrimary;
    if (moves.length === 0 && !isLedAnew) return;
    counts.changedPgs++;
    if (isLedAnew) counts.changedPrimaries++;
    let moved = 0;
    const objects = usage?.objects ?? 0;
    const bytes = (usage?.bytes ?? 0) / dataShards.after;
    for (const move of moves) {
      flows.add(move, objects, bytes);
      if (move.target === NOWHERE) counts.droppedShards++;
      else moved++;
      if (move.source === NOWHERE) counts.newShards++;
    }
    counts.movedShards += moved;
    counts.movedObjects += moved * objects;
    counts.movedBytes += moved * bytes;
    if (moved > 0) counts.movedPgs++;
    if (
      filledPlaces(pg.before) > 0 &&
      !pg.before.some((osd) => osd !== ITEM_NONE && pg.after.includes(osd))
    ) {
      counts.replacedPgs++;
    }
    this.#floor.add(pg.before, pg.after, moved);
    this.#causes ??= this.#job.findCauses();
    const cause = this.#causes?.find({ ...pg, unit: pg.ps });
    if (cause !== undefined) {
      const tally = causes.get(cause) ?? { pgs: 0, shards: 0 };
      causes.set(cause, { pgs: tally.pgs + 1, shards: tally.shards + moved });
    }
    onChanged?.({
      ...pg,
      pool: before.pool.id,
      before: [...pg.before],
      after: [...pg.after],
      moves,
      cause,
      usage,
    });
  }
}

/** A PG's sets in both maps. */
interface RowPair {
  readonly ps: number;
  readonly before: readonly number[];
  readonly beforePrimary: number;
  readonly after: readonly number[];
  readonly afterPrimary: number;
}

function countRow(
  row: readonly number[],
  primary: number,
  shards: Uint32Array,
  primaries: Uint32Array,
): void {
  for (const osd of row) {
    if (osd !== ITEM_NONE && osd >= 0 && osd < shards.length) shards[osd] = (shards[osd] ?? 0) + 1;
  }
  if (primary >= 0 && primary < primaries.length) primaries[primary] = (primaries[primary] ?? 0) + 1;
}

function addBytes(row: readonly number[], each: number, bytes: Float64Array): void {
  for (const osd of row) {
    if (osd !== ITEM_NONE && osd >= 0 && osd < bytes.length) bytes[osd] = (bytes[osd] ?? 0) + each;
  }
}

function withShort(short: OpenCounts['before'], pool: Pool, filled: number): OpenCounts['before'] {
  return {
    degraded: short.degraded + 1,
    missingShards: short.missingShards + pool.size - filled,
    belowMinSize: short.belowMinSize + (filled < pool.minSize ? 1 : 0),
  };
}

function isUp(map: OsdMap, osd: number): boolean {
  const bits = OSD_STATE.exists | OSD_STATE.up;
  return ((map.osdState[osd] ?? 0) & bits) === bits;
}
