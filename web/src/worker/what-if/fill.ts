/** How full OSDs and buckets are against what their weights ask for, before and after changes. */
import type { CrushMap } from '../../../../src/crush/model.ts';
import type { OpenDocument } from '../open-document.ts';
import { osdLoads, type OsdLoads } from '../osd-loads.ts';
import { bucketsAbove, NO_BUCKET, nameOfItem } from './levels.ts';

/** One OSD or bucket. */
export interface FillRow {
  readonly id: number;
  readonly name: string;
  readonly shardsBefore: number;
  readonly shardsAfter: number;
  /** Shards by weight, of those that are placed. */
  readonly expectedBefore: number;
  readonly expectedAfter: number;
}

/** One side's spread. */
export interface FillSpread {
  /** Shards against what weights ask for: 1 is just so. Undefined where nothing is to hold anything. */
  readonly least: number | undefined;
  readonly most: number | undefined;
  /** Root of the mean square of the difference from 1. */
  readonly deviation: number;
  /** Items by fill, in steps of {@link FILL_STEP} from 0; the last is open. */
  readonly histogram: readonly number[];
}

/** Fill at one level. */
export interface FillSummary {
  readonly before: FillSpread;
  readonly after: FillSpread;
  /** The fullest against their weight: before, and after. */
  readonly fullestBefore: readonly FillRow[];
  readonly fullestAfter: readonly FillRow[];
  /** Those that come to hold the most shards more, by number. */
  readonly gaining: readonly FillRow[];
}

/** Loads of every OSD, for colours. */
export interface OsdFills {
  readonly shardsBefore: Uint32Array;
  readonly shardsAfter: Uint32Array;
  readonly expectedBefore: Float32Array;
  readonly expectedAfter: Float32Array;
  /** `OSD_STATE` bits and 16.16 reweights in the current map. */
  readonly states: Uint32Array;
  readonly reweights: Uint32Array;
}

/** Width of a histogram's steps, and how many there are. */
export const FILL_STEP = 0.05;
export const FILL_STEPS = 41;

/** Rows of each list. */
const MOST_ROWS = 8;

/** Loads of every OSD in the map as it was read, and in the current one. */
export function osdFills(document: OpenDocument, pool?: number): OsdFills {
  const before = osdLoads(document, 'original', pool);
  const after = osdLoads(document, 'current', pool);
  return {
    shardsBefore: before.shards,
    shardsAfter: after.shards,
    expectedBefore: Float32Array.from(before.expected),
    expectedAfter: Float32Array.from(after.expected),
    states: document.current.osdState,
    reweights: document.current.osdWeight,
  };
}

/** Sums up at a level: OSDs (type 0), or buckets of a type. */
export function fillSummary(document: OpenDocument, type: number, pool?: number): FillSummary {
  const { original, current } = document;
  const sums = new LevelSums(type);
  const before = sums.add(osdLoads(document, 'original', pool), original.crush);
  const after = sums.add(osdLoads(document, 'current', pool), current.crush);
  const list = (valueAt: (slot: number) => number): FillRow[] =>
    greatest(sums.ids.length, valueAt).map((slot) => {
      const id = sums.ids[slot] ?? 0;
      const isLeft = (after.shards[slot] ?? 0) + (after.expected[slot] ?? 0) > 0;
      return {
        id,
        name: nameOfItem(isLeft ? current.crush : original.crush, id),
        shardsBefore: before.shards[slot] ?? 0,
        shardsAfter: after.shards[slot] ?? 0,
        expectedBefore: before.expected[slot] ?? 0,
        expectedAfter: after.expected[slot] ?? 0,
      };
    });
  const fillAt =
    ({ shards, expected }: Sums) =>
    (slot: number): number =>
      fillOf(shards[slot] ?? 0, expected[slot] ?? 0) ?? 0;
  return {
    before: spread(before),
    after: spread(after),
    fullestBefore: list(fillAt(before)),
    fullestAfter: list(fillAt(after)),
    gaining: list((slot) => (after.shards[slot] ?? 0) - (before.shards[slot] ?? 0)),
  };
}

/** Shards against what the weight asks for; infinite where it asks for none, undefined where there are none either. */
export function fillOf(shards: number, expected: number): number | undefined {
  if (expected > 0) return shards / expected;
  return shards > 0 ? Number.POSITIVE_INFINITY : undefined;
}

/** Sums by item of a level; a slot for each item, the same for all sides. */
interface Sums {
  readonly shards: number[];
  readonly expected: number[];
}

class LevelSums {
  /** Item ids by slot. */
  readonly ids: number[] = [];
  readonly #type: number;
  readonly #slots = new Map<number, number>();

  constructor(type: number) {
    this.#type = type;
  }

  /** Sums up one side. */
  add(loads: OsdLoads, crush: CrushMap): Sums {
    const { length } = loads.shards;
    const above = bucketsAbove(crush, this.#type, length);
    const shards: number[] = [];
    const expected: number[] = [];
    for (let osd = 0; osd < length; osd++) {
      const id = above === undefined ? osd : (above[osd] ?? NO_BUCKET);
      if (above !== undefined && id === NO_BUCKET) continue;
      const slot = above === undefined ? this.#osdSlot(osd) : this.#slotOf(id);
      shards[slot] = (shards[slot] ?? 0) + (loads.shards[osd] ?? 0);
      expected[slot] = (expected[slot] ?? 0) + (loads.expected[osd] ?? 0);
    }
    return { shards, expected };
  }

  #osdSlot(osd: number): number {
    while (this.ids.length <= osd) this.ids.push(this.ids.length);
    return osd;
  }

  #slotOf(id: number): number {
    let slot = this.#slots.get(id);
    if (slot === undefined) this.#slots.set(id, (slot = this.ids.push(id) - 1));
    return slot;
  }
}

/** The slots of the greatest values above 0, the greatest first; of equal ones, those that come first. */
function greatest(count: number, valueAt: (slot: number) => number): number[] {
  const slots: number[] = [];
  const values: number[] = [];
  for (let slot = 0; slot < count; slot++) {
    const value = valueAt(slot);
    if (value <= (slots.length < MOST_ROWS ? 0 : (values.at(-1) ?? 0))) continue;
    let at = slots.length;
    while (at > 0 && (values[at - 1] ?? 0) < value) at--;
    slots.splice(at, 0, slot);
    values.splice(at, 0, value);
    if (slots.length > MOST_ROWS) {
      slots.pop();
      values.pop();
    }
  }
  return slots;
}

function spread({ shards, expected }: Sums): FillSpread {
  const histogram = new Array<number>(FILL_STEPS).fill(0);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let squares = 0;
  let count = 0;
  for (let slot = 0; slot < shards.length; slot++) {
    const fill = fillOf(shards[slot] ?? 0, expected[slot] ?? 0);
    if (fill === undefined) continue;
    const step = Math.min(FILL_STEPS - 1, Math.floor(fill / FILL_STEP + 1e-9));
    histogram[step] = (histogram[step] ?? 0) + 1;
    if (fill === Number.POSITIVE_INFINITY) continue;
    least = Math.min(least, fill);
    most = Math.max(most, fill);
    squares += (fill - 1) ** 2;
    count++;
  }
  const none = count === 0;
  return {
    least: none ? undefined : least,
    most: none ? undefined : most,
    deviation: none ? 0 : Math.sqrt(squares / count),
    histogram,
  };
}
