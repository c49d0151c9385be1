/**
 * What a rule allows: which OSDs it can choose, and which of them may serve a PG together. Read from its steps, not
 * from mappings, so that it can be asked of sets that the rule itself would never give.
 */
import { ITEM_NONE } from '../crush/model.ts';
import { OSD_STATE, type OsdMap, type Pool } from './model.ts';
import { type RoomBlock, roomBlocks } from './room-blocks.ts';

/** The room that a pool's rule leaves in a map. */
export class RuleRoom {
  readonly pool: Pool;
  readonly #map: OsdMap;
  readonly #blocks: readonly RoomBlock[];

  constructor(map: OsdMap, pool: Pool, release = Number.POSITIVE_INFINITY) {
    this.pool = pool;
    this.#map = map;
    this.#blocks = roomBlocks(map, pool, release);
  }

  /** Whether the rule can choose an OSD at all, and the map lets it hold anything: it exists and is in. */
  allows(osd: number): boolean {
    const { osdState, osdWeight } = this.#map;
    if (osd === ITEM_NONE || ((osdState[osd] ?? 0) & OSD_STATE.exists) === 0) return false;
    return (osdWeight[osd] ?? 0) > 0 && this.#blocks.some(({ paths }) => paths.has(osd));
  }

  /**
   * Most of a set's OSDs that the rule allows together: no more OSDs, or buckets, of each level than it chooses. Never
   * less than what a placement by the rule can keep of the set.
   *
   * @param ordered - whether each OSD must keep its position
   */
  mostKept(set: readonly number[], ordered: boolean): number {
    const usable = set.filter((osd) => this.allows(osd));
    if (usable.length === 0) return 0;
    let kept = 0;
    let from = 0;
    for (const block of this.#blocks) {
      const end = from + block.wanted;
      const own = ordered && this.#blocks.length > 1 ? set.slice(from, end) : set;
      const places = placesOf(block, own, (osd) => this.allows(osd));
      const free = bestWithin(block, 0, places);
      kept += Math.min(block.wanted, free, ordered ? bestInSlots(block, places, own.length) : free);
      from = end;
    }
    return Math.min(kept, new Set(usable).size);
  }

  /**
   * Positions of a set that can stay under the rule, as many as a greedy choice finds. Where one of several must go,
   * those come first that `prefers` says true of.
   */
  keptPositions(set: readonly number[], ordered: boolean, prefers: (position: number) => boolean): number[] {
    const kept: number[] = [];
    const used = new Set<number>();
    let from = 0;
    for (const block of this.#blocks) {
      const end = from + block.wanted;
      const places = placesOf(block, set, (osd) => this.allows(osd)).filter(
        ({ position, osd }) =>
          !used.has(osd) && (!ordered || this.#blocks.length === 1 || (position >= from && position < end)),
      );
      places.sort(
        (a, b) => Number(prefers(b.position)) - Number(prefers(a.position)) || a.position - b.position,
      );
      const chosen = ordered
        ? choosePositions(block, 0, places, from, end)
        : chooseAny(block, 0, places, block.wanted);
      for (const { position, osd } of chosen.slice(0, block.wanted)) {
        kept.push(position);
        used.add(osd);
      }
      from = end;
    }
    return kept;
  }

  /** Whether all OSDs of a set may serve a PG together; holes count as what the rule may leave. */
  fits(set: readonly number[], ordered: boolean): boolean {
    const filled = set.filter((osd) => osd !== ITEM_NONE).length;
    return this.keptPositions(set, ordered, () => false).length === filled;
  }

  /** Shards of one PG that each OSD should hold by weight: together what the rule can place. */
  expectedShards(): Map<number, number> {
    const expected = new Map<number, number>();
    for (const { wanted, shares } of this.#blocks) {
      for (const [osd, share] of shares) expected.set(osd, (expected.get(osd) ?? 0) + share * wanted);
    }
    return expected;
  }

  /**
   * Whether Ceph's monitor would leave an upmap to this set in place: `OSDMap::check_pg_upmaps`, first part, with
   * `CrushWrapper::verify_upmap`. It looks at each choice for itself.
   */
  passesMonitor(set: readonly number[]): boolean {
    let from = 0;
    for (const block of this.#blocks) {
      for (const { type, count, toLeaf } of block.levels) {
        if (type === 0) continue;
        // An OSD that is there twice counts once.
        const holders = [...new Set(set)].flatMap((osd) => this.#holderAt(osd, type) ?? []);
        const distinct = new Set(holders).size;
        if (toLeaf ? distinct < holders.length : distinct > count) return false;
      }
      const end = from + block.levels.reduce((product, { count }) => product * count, 1);
      if (block.take < 0 && set.slice(from, end).some((osd) => !block.paths.has(osd))) return false;
      from = Math.min(set.length, end);
    }
    return set.every((osd) => this.allows(osd));
  }

  /** The bucket of a type that an OSD is in, below any of the rule's takes. */
  #holderAt(osd: number, type: number): number | undefined {
    for (const { levels, paths } of this.#blocks) {
      const level = levels.findIndex((each) => each.type === type);
      const holder = level < 0 ? undefined : paths.get(osd)?.[level];
      if (holder !== undefined) return holder;
    }
    return undefined;
  }
}

/** An OSD of a set that a block can choose. */
interface Place {
  readonly osd: number;
  readonly position: number;
  readonly path: Int32Array;
}

function placesOf(block: RoomBlock, set: readonly number[], allows: (osd: number) => boolean): Place[] {
  const places: Place[] = [];
  for (const [position, osd] of set.entries()) {
    const path = block.paths.get(osd);
    if (path !== undefined && allows(osd) && set.indexOf(osd) === position)
      places.push({ osd, position, path });
  }
  return places;
}

function byHolder(places: readonly Place[], level: number): Map<number, Place[]> {
  const groups = new Map<number, Place[]>();
  for (const place of places) {
    const holder = place.path[level] ?? place.osd;
    const group = groups.get(holder);
    if (group === undefined) groups.set(holder, [place]);
    else group.push(place);
  }
  return groups;
}

/** Most places that a level and those below it allow, positions left aside. */
function bestWithin(block: RoomBlock, level: number, places: readonly Place[]): number {
  const here = block.levels[level];
  if (here === undefined) return Math.min(1, places.length);
  if (level === block.levels.length - 1) return Math.min(here.count, places.length);
  const counts = [...byHolder(places, level).values()].map((group) => bestWithin(block, level + 1, group));
  counts.sort((a, b) => b - a);
  return counts.slice(0, here.count).reduce((sum, count) => sum + count, 0);
}

/** Most places when the positions of each bucket of the first level are fixed: every slot takes its best bucket. */
function bestInSlots(block: RoomBlock, places: readonly Place[], length: number): number {
  const width = slotWidth(block, 0);
  if (block.levels.length < 2 || width === 1) return places.length;
  let sum = 0;
  for (let start = 0; start < length; start += width) {
    const slot = places.filter(({ position }) => position >= start && position < start + width);
    const counts = [...byHolder(slot, 0).values()].map((group) => bestWithin(block, 1, group));
    sum += Math.max(0, ...counts);
  }
  return sum;
}

/** Positions that each bucket of a level gets, one after the other. */
function slotWidth(block: RoomBlock, level: number): number {
  const below = block.levels.slice(level + 1);
  return Math.max(
    1,
    below.reduce((product, { count }) => product * count, 1),
  );
}

/** Places that can stay together, positions left aside. */
function chooseAny(block: RoomBlock, level: number, places: readonly Place[], most: number): Place[] {
  const here = block.levels[level];
  if (here === undefined) return places.slice(0, 1);
  if (level === block.levels.length - 1) return places.slice(0, Math.min(here.count, most));
  const groups = [...byHolder(places, level).values()].map((group) =>
    chooseAny(block, level + 1, group, most),
  );
  groups.sort((a, b) => b.length - a.length);
  return groups.slice(0, here.count).flat().slice(0, most);
}

/** Places that can stay together at their positions: each slot of positions is one bucket's. */
function choosePositions(
  block: RoomBlock,
  level: number,
  places: readonly Place[],
  from: number,
  end: number,
): Place[] {
  const here = block.levels[level];
  if (here === undefined) return places.slice(0, 1);
  if (level === block.levels.length - 1) return places.slice(0, here.count);
  const width = slotWidth(block, level);
  const offers: { slot: number; holder: number; chosen: Place[] }[] = [];
  for (const [holder, group] of byHolder(places, level)) {
    for (let slot = from; slot < end; slot += width) {
      const inSlot = group.filter(({ position }) => position >= slot && position < slot + width);
      if (inSlot.length === 0) continue;
      offers.push({ slot, holder, chosen: choosePositions(block, level + 1, inSlot, slot, slot + width) });
    }
  }
  offers.sort((a, b) => b.chosen.length - a.chosen.length);
  const slots = new Set<number>();
  const holders = new Set<number>();
  return offers.flatMap(({ slot, holder, chosen }) => {
    if (slots.has(slot) || holders.has(holder)) return [];
    slots.add(slot);
    holders.add(holder);
    return chosen;
  });
}
