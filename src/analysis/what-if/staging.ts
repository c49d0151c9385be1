/**
 * A gentle way to a change that moves more than it has to: with the change upmaps are set that hold PGs where they
 * are, as far as the new rule allows, so that no more moves than the floor; then they are taken away batch by batch.
 */
import { ITEM_NONE } from '../../crush/model.ts';
import type { OsdMap, PgId, Pool } from '../../osdmap/model.ts';
import { PgMapper, type PgMapperOptions } from '../../osdmap/pg-mapper.ts';
import { changePgTable } from '../../osdmap/pg-tables.ts';
import { RuleRoom } from '../../osdmap/rule-room.ts';
import { cleanUpmaps } from '../../osdmap/upmap-cleanup.ts';
import { type ChangedPg, compareMaps, type Comparison } from '../compare.ts';
import { movedShards, shardMoves } from '../compare/movement.ts';
import { isOrdered } from '../compare/units.ts';
import { type HoldUpmap, heldSet, upmapTo } from './hold.ts';

/** A PG that is held by an upmap for a while. */
export interface Hold extends HoldUpmap {
  /** The PG. */
  readonly pg: PgId;
  /** Where it is held, and where it goes once it is let go. */
  readonly set: readonly number[];
  /** Where it goes once it is let go. */
  readonly target: readonly number[];
  /** Upmaps that the PG has after the change, which come back when it is let go. */
  readonly former: HoldUpmap;
}

/** Options of {@link planStaging}. */
export interface StagingOptions extends PgMapperOptions {
  /** Most shards that one OSD takes or gives in a batch. Default: so many that there are about 20 batches. */
  readonly shardsPerOsd?: number | undefined;
}

/** How a change is made gently. */
export interface StagingPlan {
  /** The upmaps to set with the change, in order of PGs. */
  readonly holds: readonly Hold[];
  /** The same, in the order in which to let PGs go: those that even out the OSDs come first. */
  readonly batches: readonly (readonly Hold[])[];
  /** The map after the change with the upmaps. */
  readonly map: OsdMap;
  /** What moves with the change itself, upmaps set. */
  readonly staged: Comparison;
  /** What would move without them. */
  readonly unstaged: Comparison;
}

/**
 * Plans the upmaps. Pools that move no more than their floor are left alone, and those that are merged.
 *
 * @param before - the map as it is
 * @param after - the map as it is to be, such as {@link applyChanges} makes it
 * @throws CrushError as {@link PgMapper} does
 */
export function planStaging(before: OsdMap, after: OsdMap, options: StagingOptions = {}): StagingPlan {
  const { shardsPerOsd, ...mapperOptions } = options;
  const changed = new Map<number, ChangedPg[]>();
  const release = options.release === undefined ? {} : { release: options.release };
  const unstaged = compareMaps(before, after, {
    ...release,
    causes: false,
    onChanged: (pg) => {
      const list = changed.get(pg.pool);
      if (list === undefined) changed.set(pg.pool, [pg]);
      else list.push(pg);
    },
  });
  const mapper = new PgMapper(after, mapperOptions);
  let holds: Hold[] = [];
  for (const { pool: id, movedShards: moved, floor } of unstaged.pools) {
    const pool = after.pools.get(id);
    if (pool === undefined || moved <= floor.shards || pool.pgNum < (before.pools.get(id)?.pgNum ?? 0))
      continue;
    const stager = new PoolStager(after, pool, mapper, options.release);
    holds.push(...stager.plan(changed.get(id) ?? [], floor.shards));
  }
  let map = withHolds(after, holds);
  // What the monitor would not leave as it is does not hold.
  const cleaned = cleanUpmaps(map, mapperOptions);
  if (cleaned !== map) {
    holds = holds.filter(({ pg: { pool, ps }, pairs, whole }) =>
      pairs === undefined
        ? cleaned.pgUpmap.get(pool)?.get(ps) === whole
        : cleaned.pgUpmapItems.get(pool)?.get(ps) === pairs,
    );
    map = withHolds(after, holds);
  }
  const staged = compareMaps(before, map, { ...release, causes: false });
  return { holds, batches: batchesOf(holds, after, staged, unstaged, shardsPerOsd), map, staged, unstaged };
}

/** The map with PGs held. */
function withHolds(map: OsdMap, holds: readonly Hold[]): OsdMap {
  const wholes = new Map<number, Map<number, readonly number[]>>();
  const items = new Map<number, Map<number, readonly (readonly [number, number])[]>>();
  const ends: { wholes: PgId[]; items: PgId[] } = { wholes: [], items: [] };
  for (const { pg, pairs, whole } of holds) {
    if (whole === undefined) ends.wholes.push(pg);
    else setRow(wholes, pg, whole);
    if (pairs === undefined) ends.items.push(pg);
    else setRow(items, pg, pairs);
  }
  return {
    ...map,
    pgUpmap: changePgTable(map.pgUpmap, wholes, () => false, ends.wholes),
    pgUpmapItems: changePgTable(map.pgUpmapItems, items, () => false, ends.items),
  };
}

/** Plans the holds of one pool. */
class PoolStager {
  readonly #map: OsdMap;
  readonly #pool: Pool;
  readonly #mapper: PgMapper;
  readonly #room: RuleRoom;
  readonly #ordered: boolean;

  constructor(map: OsdMap, pool: Pool, mapper: PgMapper, release: number | undefined) {
    this.#map = map;
    this.#pool = pool;
    this.#mapper = mapper;
    this.#room = new RuleRoom(map, pool, release);
    this.#ordered = isOrdered(pool, false);
  }

  plan(changed: readonly ChangedPg[], floor: number): Hold[] {
    const drafts = changed.flatMap((pg) => this.#draft(pg) ?? []);
    const held = new Set(drafts.map(({ ps }) => ps));
    let moved = 0;
    for (const { ps, moves } of changed) if (!held.has(ps)) moved += movedShards(moves);
    for (const draft of drafts) moved += this.#moved(draft.before, draft.set);
    this.#letGo(drafts, floor - moved);
    return drafts.flatMap((draft) => this.#hold(draft) ?? []);
  }

  #draft(pg: ChangedPg): Draft | undefined {
    const raw = this.#mapper.mapPg(this.#pool.id, pg.ps).raw;
    const target = pg.after;
    const request = { old: pg.before, raw, target, ordered: this.#ordered, room: this.#room };
    const set = heldSet(request);
    if (set === undefined || this.#moved(pg.before, set) >= movedShards(pg.moves)) return undefined;
    return { ps: pg.ps, before: pg.before, raw, target, set };
  }

  /** Lets shards go that bring OSDs to their fair share, as long as no more moves than the floor. */
  #letGo(drafts: readonly Draft[], budget: number): void {
    if (budget <= 0) return;
    const { now, goal } = this.#loads(drafts);
    const expected = this.#room.expectedShards();
    const fair = (osd: number): number => (expected.get(osd) ?? 0) * this.#pool.pgNum;
    const at = (counts: Map<number, number>, osd: number): number => counts.get(osd) ?? 0;
    const lacks = (osd: number): boolean => at(now, osd) < Math.min(at(goal, osd), fair(osd));
    const exceeds = (osd: number): boolean => at(now, osd) > Math.max(at(goal, osd), fair(osd));
    // First what leaves OSDs that have too much for OSDs that have too little, then what does one of the two.
    for (const isGood of [
      (from: number, to: number) => exceeds(from) && lacks(to),
      (from: number, to: number) => exceeds(from) || lacks(to),
    ]) {
      for (const draft of drafts) {
        for (const [position, to] of this.#offers(draft)) {
          if (budget <= 0) return;
          const from = draft.set[position] ?? ITEM_NONE;
          if (!isGood(from, to) || !draft.before.includes(from)) continue;
          const set = [...draft.set];
          set[position] = to;
          if (!this.#room.fits(set, this.#ordered) || !this.#room.passesMonitor(set)) continue;
          draft.set = set;
          now.set(from, at(now, from) - 1);
          now.set(to, at(now, to) + 1);
          budget--;
        }
      }
    }
  }

  /** OSDs of the target that could take a position of a set at once. */
  #offers({ set, target }: Draft): [position: number, to: number][] {
    if (this.#ordered) {
      return set.flatMap((osd, position): [number, number][] => {
        const to = target[position] ?? ITEM_NONE;
        return to === ITEM_NONE || to === osd || set.includes(to) ? [] : [[position, to]];
      });
    }
    const coming = target.filter((osd) => osd !== ITEM_NONE && !set.includes(osd));
    const leaving = [...set.keys()].filter((position) => !target.includes(set[position] ?? ITEM_NONE));
    return leaving.flatMap((position) => coming.map((to): [number, number] => [position, to]));
  }

  /** Shards of the pool on each OSD with the drafts, and in the end. */
  #loads(drafts: readonly Draft[]): { now: Map<number, number>; goal: Map<number, number> } {
    const goal = new Map<number, number>();
    const add = (counts: Map<number, number>, set: readonly number[], sign: number): void => {
      for (const osd of set) if (osd !== ITEM_NONE) counts.set(osd, (counts.get(osd) ?? 0) + sign);
    };
    const { up, width } = this.#mapper.mapPool(this.#pool.id);
    for (let pg = 0; pg < up.lengths.length; pg++) {
      add(goal, [...up.osds.subarray(pg * width, pg * width + (up.lengths[pg] ?? 0))], 1);
    }
    const now = new Map(goal);
    for (const { target, set } of drafts) {
      add(now, target, -1);
      add(now, set, 1);
    }
    return { now, goal };
  }

  #hold({ ps, raw, set, target }: Draft): Hold | undefined {
    const upmap = upmapTo(this.#map, raw, set);
    if (upmap === undefined || this.#moved(set, target) === 0) return undefined;
    const { id } = this.#pool;
    const former = {
      pairs: this.#map.pgUpmapItems.get(id)?.get(ps),
      whole: this.#map.pgUpmap.get(id)?.get(ps),
    };
    return { pg: { pool: id, ps }, ...upmap, set, target, former };
  }

  #moved(from: readonly number[], to: readonly number[]): number {
    return movedShards(shardMoves(from, to, this.#ordered));
  }
}

/** A PG that is to be held. */
interface Draft {
  readonly ps: number;
  readonly before: readonly number[];
  readonly raw: readonly number[];
  readonly target: readonly number[];
  set: readonly number[];
}

/** Batches that are aimed at. */
const BATCHES = 20;

/** In the order of what evens out most, as many a batch as no OSD has too much to do with. */
function batchesOf(
  holds: readonly Hold[],
  after: OsdMap,
  staged: Comparison,
  unstaged: Comparison,
  shardsPerOsd: number | undefined,
): Hold[][] {
  const now = staged.osds.shardsAfter;
  const goal = unstaged.osds.shardsAfter;
  const excess = (osd: number): number => (osd < 0 ? 0 : (now[osd] ?? 0) - (goal[osd] ?? 0));
  const jobs = holds.map((hold) => {
    const pool = after.pools.get(hold.pg.pool);
    const moves = shardMoves(hold.set, hold.target, pool !== undefined && isOrdered(pool, false));
    const gain = moves.reduce((sum, { source, target }) => sum + excess(source) - excess(target), 0);
    return { hold, moves, gain: gain / Math.max(1, moves.length) };
  });
  jobs.sort((a, b) => b.gain - a.gain);
  const busy = new Map<number, number>();
  for (const { moves } of jobs) {
    for (const { source, target } of moves) {
      for (const osd of [source, target]) busy.set(osd, (busy.get(osd) ?? 0) + 1);
    }
  }
  const most = Math.max(1, ...[...busy].flatMap(([osd, count]) => (osd < 0 ? [] : [count])));
  const limit = shardsPerOsd ?? Math.ceil(most / BATCHES);
  const batches: Hold[][] = [];
  let left = jobs;
  while (left.length > 0) {
    const load = new Map<number, number>();
    const batch: Hold[] = [];
    const rest: typeof jobs = [];
    for (const job of left) {
      const osds = job.moves.flatMap(({ source, target }) => [source, target]).filter((osd) => osd >= 0);
      if (batch.length > 0 && osds.some((osd) => (load.get(osd) ?? 0) >= limit)) {
        rest.push(job);
        continue;
      }
      for (const osd of osds) load.set(osd, (load.get(osd) ?? 0) + 1);
      batch.push(job.hold);
    }
    batches.push(batch);
    left = rest;
  }
  return batches;
}

function setRow<T>(table: Map<number, Map<number, T>>, { pool, ps }: PgId, value: T): void {
  const rows = table.get(pool);
  if (rows === undefined) table.set(pool, new Map([[ps, value]]));
  else rows.set(ps, value);
}
