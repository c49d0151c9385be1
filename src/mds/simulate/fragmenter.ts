/**
 * Fragments that grow too big or too hot are split, small ones are merged. Follows `MDBalancer::maybe_fragment`,
 * `queue_split` and `queue_merge` (Ceph's src/mds/MDBalancer.cc).
 *
 * Ceph looks at a fragment whenever it is hit. Here, what is done to a fragment is known ahead, and so is when it will
 * cross a threshold: only then it is looked at.
 */
import { CrushError } from '../../errors.ts';
import type { MdsOptions } from '../options.ts';
import type { EventQueue } from './event-queue.ts';
import { MAX_FRAGMENT_BITS, type MetadataState } from './metadata-state.ts';
import { GROWTH, STRIDE } from './popularity-table.ts';
import { titleOf } from './rank-view.ts';
import type { Fragmentation } from './result.ts';
import { NO_NODE } from './workload.ts';

/** Seconds behind a crossing at which it is looked for, so that it has happened. */
const LATER = 0.001;
/** Most fragments of all directories, and most bits of one: merges look at all of a directory. */
const MAX_FRAGMENTS = 4_000_000;
const MAX_BITS = 16;
const READS = 0;
const WRITES = 1;

/** What {@link Fragmenter} works with. */
export interface FragmenterSettings {
  readonly state: MetadataState;
  readonly events: EventQueue;
  readonly options: MdsOptions;
  /** Fewest bits of a directory's fragments, where a distributed pin demands some. */
  readonly leastBits: (directory: number) => number;
}

interface Watch {
  /** Number of the event that counts; earlier ones are void. */
  order: number;
  /** Whether the fragment waits for its split or merge, and nothing changes that. */
  isPending: boolean;
}

/** Splits and merges of all fragments. */
export class Fragmenter {
  readonly fragmentations: Fragmentation[] = [];
  readonly #settings: FragmenterSettings;
  readonly #watches = new Map<number, Watch>();

  constructor(settings: FragmenterSettings) {
    this.#settings = settings;
  }

  /** Looks at a fragment since what is done to it has changed, and announces when to look again. */
  watch(fragment: number): void {
    const { state, events, options } = this.#settings;
    const { tree, clock } = state;
    if (!options.mds_bal_fragment_dirs || options.mds_bal_fragment_interval <= 0) return;
    if (tree.directory[fragment] === 0 || tree.directory[fragment] === NO_NODE) return;
    const known = this.#watches.get(fragment);
    if (known?.isPending === true) return;
    const time = this.#nextCrossing(fragment);
    if (time === Infinity) {
      this.#watches.delete(fragment);
      return;
    }
    const order = (known?.order ?? 0) + 1;
    const watch = { order, isPending: false };
    this.#watches.set(fragment, watch);
    if (time <= clock.now) this.#queue(fragment, watch);
    else {
      events.add(Math.max(time, clock.now) + LATER, () => {
        if (this.#watches.get(fragment) !== watch) return;
        if (this.#isDue(fragment)) this.#queue(fragment, watch);
        else this.watch(fragment);
      });
    }
  }

  /** Splits a fragment at once until it has so many bits: a distributed pin demands it. */
  splitForPin(fragment: number, bits: number): void {
    const { state, options } = this.#settings;
    const before = (state.tree.code[fragment] ?? 0) >>> MAX_FRAGMENT_BITS;
    this.#split(fragment, Math.max(options.mds_bal_split_bits, bits - before), 'pinned');
  }

  /** When the fragment is to be split or merged, as things are; now or before where it is already. */
  #nextCrossing(fragment: number): number {
    const { state, options } = this.#settings;
    const { popularity, clock, tree } = state;
    const row = fragment * STRIDE;
    const { own } = popularity;
    if (popularity.own.subarray(row, row + 5).every((rate) => rate <= 0)) return Infinity;
    const entries = popularity.entries('own', fragment);
    const growth = own[row + GROWTH] ?? 0;
    const crossing = (threshold: number): number => clock.now + (threshold - entries) / growth;
    let next = Infinity;
    if (options.mds_bal_split_size > 0) {
      if (entries > options.mds_bal_split_size) return clock.now;
      if (growth > 0) next = Math.min(next, crossing(options.mds_bal_split_size));
    }
    if (tree.code[fragment] !== 0 && this.#mayMerge(fragment)) {
      if (entries < options.mds_bal_merge_size) return clock.now;
      if (growth < 0) next = Math.min(next, crossing(options.mds_bal_merge_size));
    }
    for (const [kind, threshold] of [
      [READS, options.mds_bal_split_rd],
      [WRITES, options.mds_bal_split_wr],
    ] as const) {
      const settled = (own[row + kind] ?? 0) * clock.steady;
      const value = popularity.value('own', fragment, kind);
      if (settled <= 0) continue;
      if (value > threshold) return clock.now;
      if (settled <= threshold) continue;
      const halflives = Math.log2((settled - value) / (settled - threshold));
      next = Math.min(next, clock.now + clock.halflife * halflives);
    }
    return next;
  }

  #splitCause(fragment: number): 'size' | 'reads' | 'writes' | undefined {
    const { state, options } = this.#settings;
    const { popularity } = state;
    if (options.mds_bal_split_size > 0 && popularity.entries('own', fragment) > options.mds_bal_split_size)
      return 'size';
    if (popularity.value('own', fragment, READS) > options.mds_bal_split_rd) return 'reads';
    return popularity.value('own', fragment, WRITES) > options.mds_bal_split_wr ? 'writes' : undefined;
  }

  #isDue(fragment: number): boolean {
    return this.#splitCause(fragment) !== undefined || this.#shouldMerge(fragment);
  }

  #mayMerge(fragment: number): boolean {
    const { tree } = this.#settings.state;
    const bits = (tree.code[fragment] ?? 0) >>> MAX_FRAGMENT_BITS;
    return bits > this.#settings.leastBits(tree.directory[fragment] ?? 0);
  }

  /** Follows `CDir::should_merge`. */
  #shouldMerge(fragment: number): boolean {
    const { state, options } = this.#settings;
    if (state.tree.code[fragment] === 0 || !this.#mayMerge(fragment)) return false;
    return state.popularity.entries('own', fragment) < options.mds_bal_merge_size;
  }

  /** Lets the split or merge wait, so that bursts are over by then, unless the fragment grows fast. */
  #queue(fragment: number, watch: Watch): void {
    const { state, events, options } = this.#settings;
    const { clock, popularity } = state;
    watch.isPending = true;
    const cause = this.#splitCause(fragment);
    let time = clock.now + options.mds_bal_fragment_interval;
    const growth = popularity.own[fragment * STRIDE + GROWTH] ?? 0;
    const fast = Math.trunc(options.mds_bal_split_size * options.mds_bal_fragment_fast_factor);
    if (cause !== undefined && options.mds_bal_split_size > 0) {
      const entries = popularity.entries('own', fragment);
      if (entries > fast) time = clock.now + LATER;
      else if (growth > 0) time = Math.min(time, clock.now + (fast - entries) / growth + LATER);
    }
    events.add(time, () => {
      if (this.#watches.get(fragment) !== watch) return;
      this.#watches.delete(fragment);
      // Ceph goes on even if the cause is gone by now.
      if (cause !== undefined) this.#split(fragment, options.mds_bal_split_bits, cause);
      else this.#merge(fragment);
    });
  }

  #split(fragment: number, bits: number, cause: Fragmentation['cause']): void {
    const { state } = this.#settings;
    if (state.subtrees.of(fragment).isMoving) {
      this.#lookLater(fragment);
      return;
    }
    const path = titleOf(state, fragment);
    const code = state.tree.code[fragment] ?? 0;
    const isDeep = (code >>> MAX_FRAGMENT_BITS) + bits > MAX_BITS;
    if (isDeep || state.tree.fragmentCount + 2 ** bits > MAX_FRAGMENTS) {
      const which = isDeep ? `${2 ** MAX_BITS} of one directory` : `${MAX_FRAGMENTS} in all`;
      throw new CrushError(
        'bad-argument',
        `${path} is split into ever more fragments, more than ${which}; mds_bal_split_* are too low for it`,
      );
    }
    const parts = state.split(fragment, bits);
    if (parts.length < 2) return;
    this.#watches.delete(fragment);
    this.fragmentations.push({ kind: 'split', path, time: state.clock.now, fragments: parts.length, cause });
    for (const part of parts) this.watch(part);
  }

  /** Merges with siblings as far up as all of them are small. */
  #merge(fragment: number): void {
    const { state } = this.#settings;
    const { tree, subtrees } = state;
    const directory = tree.directory[fragment] ?? 0;
    const least = this.#settings.leastBits(directory);
    const own = tree.code[fragment] ?? 0;
    const isRoot = tree.subtreeRank[fragment];
    const holder = subtrees.of(fragment);
    let code = own;
    while (code >>> MAX_FRAGMENT_BITS > least && !holder.isMoving) {
      const bits = code >>> MAX_FRAGMENT_BITS;
      const sibling = code ^ (1 << (MAX_FRAGMENT_BITS - bits));
      const siblings = state.partsOf(directory, sibling).map((part) => part.fragment);
      const fits = (each: number): boolean =>
        tree.subtreeRank[each] === isRoot && this.#shouldMerge(each) && !subtrees.of(each).isMoving;
      if (!siblings.every(fits)) break;
      const mask = (0xffffff << (MAX_FRAGMENT_BITS - bits + 1)) & 0xffffff;
      code = ((bits - 1) << MAX_FRAGMENT_BITS) | (code & mask);
    }
    if (code === own) {
      this.#lookLater(fragment);
      return;
    }
    const parts = state.partsOf(directory, code).map((part) => part.fragment);
    const merged = state.merge(directory, code);
    for (const part of parts) this.#watches.delete(part);
    const path = titleOf(state, merged);
    this.fragmentations.push({
      kind: 'merge',
      path,
      time: state.clock.now,
      fragments: parts.length,
      cause: 'small',
    });
    this.watch(merged);
  }

  /** The next hit would look at it again. */
  #lookLater(fragment: number): void {
    const { events, state, options } = this.#settings;
    const watch = { order: 0, isPending: false };
    this.#watches.set(fragment, watch);
    events.add(state.clock.now + options.mds_bal_fragment_interval, () => {
      if (this.#watches.get(fragment) === watch) this.watch(fragment);
    });
  }
}
