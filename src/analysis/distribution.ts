/**
 * Where a rule's mappings go, against what weights ask for: counts of OSDs, buckets and classes over a range of
 * inputs, bad mappings, retries.
 */
import { ITEM_NONE, type CrushMap } from '../crush/model.ts';
import { findRule, itemClassName } from '../crush/names.ts';
import { MapIndex } from '../crush/validate/index-of-map.ts';
import { ruleBlocks } from '../crush/validate/rule-blocks.ts';
import { CrushMapper, type MapColumns, type MapRequest } from '../kernel/crush-mapper.ts';
import { levelsOf, type Level } from './levels.ts';
import { spreadStatistics, type CountedShare, type SpreadStatistics } from './statistics.ts';
import { placedDevices, targetsOf, type Targets } from './targets.ts';

/** What is to be measured; see `MapRequest`. */
export type DistributionRequest = Pick<
  MapRequest,
  'rule' | 'size' | 'first' | 'count' | 'reweights' | 'chooseArgs' | 'seed'
>;

/** What one OSD, bucket or class got. */
export interface Share extends CountedShare {
  /** OSD id, bucket id or class number. */
  readonly id: number;
  /** CRUSH weight of the devices below the rule's takes, 16.16. */
  readonly weight: number;
  /** How often it was chosen. */
  readonly count: number;
  /** How often it should be, by weight and reweight, of what was placed. */
  readonly expected: number;
  /**
   * Standard deviation of the count where it is chance alone that it differs. Mappings are independent draws; where
   * none has two OSDs in the same bucket, the count is binomial, one draw a mapping (OSDs of a mapping are drawn
   * without replacement); else every placed OSD is a draw.
   */
  readonly sigma: number;
}

/** Shares of one kind: OSDs, the buckets of a type, or device classes. */
export interface ShareLevel {
  /** What the rows are. */
  readonly kind: 'device' | 'bucket' | 'class';
  /** Bucket type; 0 for devices and classes. */
  readonly type: number;
  /** In order of id from 0 away; those that the rule can give, or gave. */
  readonly rows: readonly Share[];
  /** How far they lie from what was expected. */
  readonly statistics: SpreadStatistics;
  /** Mappings that have two OSDs in one of them. */
  readonly crowded: number;
}

/** What the mappings of a rule come to. */
export interface Distribution {
  /** Number of the rule. */
  readonly rule: number;
  /** Items asked for. */
  readonly size: number;
  /** How many inputs were mapped. */
  readonly mappings: number;
  /** OSDs in all mappings together. */
  readonly placed: number;
  /** Mappings with something wrong; one may be of several kinds. */
  readonly bad: {
    readonly mappings: number;
    /** With fewer items than asked for. */
    readonly short: number;
    /** With positions that no OSD was found for. */
    readonly holes: number;
    /** With an OSD twice. */
    readonly duplicates: number;
    /** With buckets instead of OSDs. */
    readonly buckets: number;
  };
  /** Mappings by how many OSDs they have. */
  readonly sizes: ReadonlyMap<number, number>;
  /** At index n, choices that took n retries (`crushtool --show-choose-tries`); without zeros at the end. */
  readonly tries: Uint32Array;
  /** OSDs, then buckets from the lowest type up, then classes where the map has any. */
  readonly levels: readonly ShareLevel[];
}

/** Inputs mapped at a time. */
const RANGE = 1 << 14;
/** Most retries that are counted one by one. */
const MAX_TRIES = 1 << 12;

/**
 * Maps a range of inputs through a rule and measures where they go.
 *
 * @throws CrushError as {@link CrushMapper} does, and `not-found` for a rule that is not there
 * @example
 * ```ts
 * const { bad, levels } = measureDistribution(map, { rule: 0, size: 3, first: 0, count: 100_000 });
 * const osds = levels[0];
 * console.log(bad.mappings, osds?.statistics.spread, osds?.statistics.chance);
 * ```
 */
export function measureDistribution(map: CrushMap, request: DistributionRequest): Distribution {
  const mapper = new CrushMapper(map);
  const counter = new DistributionCounter(map, request);
  const { first, count, ...rest } = request;
  const tries = counter.tries;
  for (let done = 0; done < count; done += RANGE) {
    const range = { first: first + done, count: Math.min(RANGE, count - done) };
    counter.add(mapper.mapRange({ ...rest, reweights: counter.reweights, tries, ...range }), range.count);
  }
  return counter.finish();
}

/** Counts mappings as they come; {@link measureDistribution} does so for mappings made here. */
export class DistributionCounter {
  /** For the mapper to count retries in. */
  readonly tries: Uint32Array;
  /** The reweights to map with: those given, else those of `crushtool --test`. */
  readonly reweights: Uint32Array;
  readonly #map: CrushMap;
  readonly #rule: number;
  readonly #size: number;
  readonly #targets: Targets;
  readonly #levels: readonly Level[];
  readonly #counts: Uint32Array;
  readonly #crowded: Uint32Array;
  readonly #sizes = new Map<number, number>();
  readonly #bad = { mappings: 0, short: 0, holes: 0, duplicates: 0, buckets: 0 };
  #mappings = 0;
  #placed = 0;

  constructor(map: CrushMap, { rule, size, reweights }: Pick<MapRequest, 'rule' | 'size' | 'reweights'>) {
    const found = findRule(map, rule);
    const index = new MapIndex(map, reweights);
    this.#map = map;
    this.#rule = rule;
    this.#size = size;
    this.reweights = reweights ?? placedDevices(map);
    this.#targets = targetsOf(index, found, size, reweights);
    this.#levels = levelsOf(index);
    this.#counts = new Uint32Array(map.maxDevices);
    this.#crowded = new Uint32Array(this.#levels.length);
    const choices = ruleBlocks(found, map.tunables).flatMap((block) => block.choices);
    const most = Math.max(map.tunables.chooseTotalTries, ...choices.map((choice) => choice.tries));
    this.tries = new Uint32Array(Math.min(MAX_TRIES, most + 1));
  }

  /** Counts the first `count` mappings of columns. */
  add({ items, lengths }: MapColumns, count: number): void {
    const size = this.#size;
    const counts = this.#counts;
    this.#mappings += count;
    const row = new Int32Array(size);
    for (let i = 0; i < count; i++) {
      const length = lengths[i] ?? 0;
      let found = 0;
      let buckets = 0;
      for (let k = 0; k < length; k++) {
        const item = items[i * size + k] ?? ITEM_NONE;
        if (item === ITEM_NONE) continue;
        if (item >= counts.length || item < 0) buckets++;
        else {
          row[found++] = item;
          counts[item] = (counts[item] ?? 0) + 1;
        }
      }
      this.#placed += found;
      this.#sizes.set(found, (this.#sizes.get(found) ?? 0) + 1);
      const isShort = length < size;
      const hasHoles = found + buckets < length;
      const hasTwice = isRepeated(row, found, undefined);
      this.#bad.short += isShort ? 1 : 0;
      this.#bad.holes += hasHoles ? 1 : 0;
      this.#bad.duplicates += hasTwice ? 1 : 0;
      this.#bad.buckets += buckets > 0 ? 1 : 0;
      this.#bad.mappings += isShort || hasHoles || hasTwice || buckets > 0 ? 1 : 0;
      for (let level = 0; level < this.#levels.length; level++) {
        if (isRepeated(row, found, this.#levels[level]?.above)) {
          this.#crowded[level] = (this.#crowded[level] ?? 0) + 1;
        }
      }
    }
  }

  /** What was counted. */
  finish(): Distribution {
    const { itemClasses, classNames } = this.#map;
    const levels: ShareLevel[] = [this.#devices()];
    for (const [at, level] of this.#levels.entries()) {
      const rows = this.#rowsOf(level.buckets, (device) => level.above[device] ?? -1);
      levels.push(this.#level('bucket', level.type, rows, this.#crowded[at] ?? 0));
    }
    if (itemClasses.size > 0) {
      const classes = [...classNames.keys()];
      const rows = this.#rowsOf(classes, (device) =>
        itemClassName(this.#map, device) === undefined ? -1 : classes.indexOf(itemClasses.get(device) ?? -1),
      );
      // Of classes nothing is known to come once only; each placed OSD is a draw.
      levels.push(this.#level('class', 0, rows, this.#mappings));
    }
    const last = this.tries.findLastIndex((count) => count > 0);
    return {
      rule: this.#rule,
      size: this.#size,
      mappings: this.#mappings,
      placed: this.#placed,
      bad: this.#bad,
      sizes: new Map([...this.#sizes].sort(([a], [b]) => a - b)),
      tries: this.tries.slice(0, last + 1),
      levels,
    };
  }

  #devices(): ShareLevel {
    const rows: Row[] = [];
    const { shares, weights, reached } = this.#targets;
    for (const [id, count] of this.#counts.entries()) {
      if (count === 0 && reached[id] !== 1) continue;
      rows.push({ id, count, weight: weights[id] ?? 0, share: shares[id] ?? 0 });
    }
    return this.#level('device', 0, rows, this.#bad.duplicates);
  }

  /** Sums devices up by the group that each is in. */
  #rowsOf(ids: readonly number[], groupOf: (device: number) => number): Row[] {
    const rows = ids.map((id) => ({ id, count: 0, weight: 0, share: 0 }));
    const { shares, weights, reached } = this.#targets;
    const isUsed = new Uint8Array(ids.length);
    for (const [device, count] of this.#counts.entries()) {
      if (count === 0 && reached[device] !== 1) continue;
      const group = groupOf(device);
      const row = rows[group];
      if (row === undefined) continue;
      isUsed[group] = 1;
      row.count += count;
      row.weight += weights[device] ?? 0;
      row.share += shares[device] ?? 0;
    }
    return rows.filter((_, group) => isUsed[group] === 1).sort((a, b) => Math.abs(a.id) - Math.abs(b.id));
  }

  #level(kind: ShareLevel['kind'], type: number, rows: readonly Row[], crowded: number): ShareLevel {
    const shares = rows.map(({ id, count, weight, share }): Share => {
      const expected = share * this.#placed;
      const once = expected / Math.max(1, this.#mappings);
      const variance = crowded === 0 ? expected * Math.max(0, 1 - once) : expected * (1 - share);
      // Shares that are 1 together may add up to a little more.
      return { id, weight, count, expected, sigma: Math.sqrt(Math.max(0, variance)) };
    });
    return { kind, type, rows: shares, statistics: spreadStatistics(shares), crowded };
  }
}

interface Row {
  readonly id: number;
  readonly count: number;
  readonly weight: number;
  readonly share: number;
}

/** Whether two of the first `count` devices are the same, or have the same bucket above. */
function isRepeated(row: Int32Array, count: number, above: Int32Array | undefined): boolean {
  for (let i = 1; i < count; i++) {
    const device = row[i] ?? 0;
    const one = above === undefined ? device : (above[device] ?? -1);
    if (one < 0) continue;
    for (let k = 0; k < i; k++) {
      const before = row[k] ?? 0;
      if ((above === undefined ? before : above[before]) === one) return true;
    }
  }
  return false;
}
