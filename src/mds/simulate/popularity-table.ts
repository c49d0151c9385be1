/**
 * Popularity of all fragments, as columns of numbers.
 *
 * What is done to a directory is a flow, so many hits a second, and single hits. A counter with a steady flow settles;
 * how far it is from there decays. So a counter is two numbers, the flow and the distance at the clock's base, and both
 * only change when what is done changes. All of Ceph's vectors are sums of these:
 *
 * - `pop_me` is what a fragment gets itself (`own`);
 * - `pop_auth_subtree` is the sum over all fragments in it that are in the same subtree (`region`);
 * - `pop_nested` and `pop_auth_subtree_nested` of a rank are sums of `region` over the rank's subtrees in it
 *   ({@link SubtreeMap.nested}).
 *
 * Values below 0.01 are read as 0, as in Ceph, though here they stay part of the sums. When a fragment is split, Ceph
 * spreads the popularity of what lies in it evenly until hits mend that; here it goes where the directories go.
 */
import { LEAST_COUNT } from '../decay-counter.ts';
import type { LoadVector } from '../load.ts';
import type { DecayClock } from './decay-clock.ts';
import type { FragmentTree } from './fragment-tree.ts';
import { NO_NODE } from './workload.ts';

/** Numbers of a fragment: five flows in hits a second, five distances, and these. */
export const STRIDE = 13;
/** Requests a second. */
export const REQUESTS = 10;
/** Entries there would be at second 0. */
export const ENTRIES = 11;
/** Entries that are added a second. */
export const GROWTH = 12;

/** One of the two tables of numbers. */
export type PopularityKind = 'own' | 'region';

/** What one fragment gets. */
export interface Flow {
  readonly requests: number;
  readonly hits: LoadVector;
  readonly growth: number;
}

/** The counters of all fragments. */
export class PopularityTable {
  own: Float64Array;
  region: Float64Array;
  readonly #tree: FragmentTree;
  readonly #clock: DecayClock;
  readonly #change = new Float64Array(STRIDE);

  constructor(tree: FragmentTree, clock: DecayClock, entries: Float64Array) {
    this.#tree = tree;
    this.#clock = clock;
    this.own = new Float64Array(tree.capacity * STRIDE);
    this.region = new Float64Array(tree.capacity * STRIDE);
    entries.forEach((count, fragment) => (this.own[fragment * STRIDE + ENTRIES] = count));
  }

  /** Makes room for fragments that the tree got. */
  grow(): void {
    const length = this.#tree.capacity * STRIDE;
    if (length <= this.own.length) return;
    const [own, region] = [new Float64Array(length), new Float64Array(length)];
    own.set(this.own);
    region.set(this.region);
    this.own = own;
    this.region = region;
  }

  /** Counts hits now. Follows `MDBalancer::hit_dir`. */
  hit(fragment: number, kind: number, amount: number): void {
    this.#change.fill(0);
    this.#change[5 + kind] = amount / this.#clock.weight;
    this.#apply(fragment);
  }

  /**
   * Begins or ends a flow.
   *
   * @param part - how much of it: negative to end it
   * @param isSettled - whether counters are at once where the flow holds them
   * @returns the root of the subtree
   */
  flow(fragment: number, { requests, hits, growth }: Flow, part: number, isSettled = false): number {
    const { steady, weight, now } = this.#clock;
    const change = this.#change;
    for (let kind = 0; kind < 5; kind++) {
      const rate = (hits[kind] ?? 0) * part;
      change[kind] = rate;
      change[5 + kind] = isSettled ? 0 : (-rate * steady) / weight;
    }
    change[REQUESTS] = requests * part;
    change[ENTRIES] = -growth * part * now;
    change[GROWTH] = growth * part;
    return this.#apply(fragment);
  }

  /** Adds a fragment's region to those above it in the same subtree, or takes it off. Follows `MDCache::adjust_subtree_auth`. */
  addAbove(fragment: number, sign: 1 | -1): void {
    const tree = this.#tree;
    const region = this.region;
    const from = fragment * STRIDE;
    for (let at = tree.parent(fragment); at !== NO_NODE; at = tree.parent(at)) {
      const to = at * STRIDE;
      for (let column = 0; column < STRIDE; column++) {
        region[to + column] = (region[to + column] ?? 0) + sign * (region[from + column] ?? 0);
      }
      if (tree.subtreeRank[at] !== NO_NODE) return;
    }
  }

  /** The value of a counter now. */
  value(kind: PopularityKind, fragment: number, counter: number): number {
    const table = this[kind];
    const at = fragment * STRIDE + counter;
    const value = (table[at] ?? 0) * this.#clock.steady + (table[at + 5] ?? 0) * this.#clock.weight;
    return value < LEAST_COUNT ? 0 : value;
  }

  /** The values of all five counters now. */
  vector(kind: PopularityKind, fragment: number): LoadVector {
    const value = (counter: number): number => this.value(kind, fragment, counter);
    return [value(0), value(1), value(2), value(3), value(4)];
  }

  /** `meta_load` of the region now. */
  load(fragment: number): number {
    const value = (counter: number): number => this.value('region', fragment, counter);
    return value(0) + 2 * value(1) + value(2) + 2 * value(3) + 4 * value(4);
  }

  /** Hits a second of all kinds in the region. */
  hitRate(fragment: number): number {
    const at = fragment * STRIDE;
    let sum = 0;
    for (let kind = 0; kind < 5; kind++) sum += this.region[at + kind] ?? 0;
    return sum;
  }

  /** Files and directories now: in a fragment, or in all of its region. */
  entries(kind: PopularityKind, fragment: number): number {
    const table = this[kind];
    const at = fragment * STRIDE;
    return Math.max(0, (table[at + ENTRIES] ?? 0) + (table[at + GROWTH] ?? 0) * this.#clock.now);
  }

  /** Requests a second now: to a fragment, or to all of its region. */
  requests(kind: PopularityKind, fragment: number): number {
    return this[kind][fragment * STRIDE + REQUESTS] ?? 0;
  }

  /** Moves what is held for an old base of the clock to its present one, if that is long ago. */
  rebase(): void {
    if (!this.#clock.isStale) return;
    const factor = this.#clock.rebase();
    for (const table of [this.own, this.region]) {
      for (let at = 0; at < table.length; at += STRIDE) {
        for (let column = 5; column < 10; column++) table[at + column] = (table[at + column] ?? 0) * factor;
      }
    }
  }

  /** Sums all regions anew from what fragments get themselves. */
  recompute(): void {
    const tree = this.#tree;
    this.region.set(this.own);
    const order = [...tree.fragmentsOf(0)];
    // The list grows while it is read, level by level.
    for (const fragment of order) {
      for (const directory of tree.directoriesIn(fragment)) order.push(...tree.fragmentsOf(directory));
    }
    const region = this.region;
    for (const fragment of order.reverse()) {
      const parent = tree.parent(fragment);
      if (parent === NO_NODE || tree.subtreeRank[fragment] !== NO_NODE) continue;
      for (let column = 0; column < STRIDE; column++) {
        const to = parent * STRIDE + column;
        region[to] = (region[to] ?? 0) + (region[fragment * STRIDE + column] ?? 0);
      }
    }
  }

  /** Adds the change to a fragment and to the regions that it is in. */
  #apply(fragment: number): number {
    const tree = this.#tree;
    const { own, region } = this;
    const change = this.#change;
    for (let column = 0; column < STRIDE; column++) {
      own[fragment * STRIDE + column] = (own[fragment * STRIDE + column] ?? 0) + (change[column] ?? 0);
    }
    for (let at = fragment; ; at = tree.parent(at)) {
      const to = at * STRIDE;
      for (let column = 0; column < STRIDE; column++) {
        region[to + column] = (region[to + column] ?? 0) + (change[column] ?? 0);
      }
      if (tree.subtreeRank[at] !== NO_NODE || tree.parent(at) === NO_NODE) return at;
    }
  }
}
