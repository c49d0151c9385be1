/** The metadata of a file system at one moment of a simulation: directories, popularity, and who has authority. */
import { CrushError } from '../../errors.ts';
import { isInFragment } from '../reports.ts';
import { DecayClock } from './decay-clock.ts';
import { FragmentTree } from './fragment-tree.ts';
import { ENTRIES, PopularityTable, STRIDE, type Flow } from './popularity-table.ts';
import { RequestMeter } from './request-meter.ts';
import { SubtreeMap } from './subtree-map.ts';
import { NO_NODE, type WorkloadTree } from './workload.ts';

/** Bits of the longest fragment. */
export const MAX_FRAGMENT_BITS = 24;

/** What a state begins with. */
export interface MetadataStart {
  readonly tree: WorkloadTree;
  readonly ranks: number;
  /** `mds_decay_halflife`, in seconds */
  readonly halflife: number;
  /** Hash of an entry's name, which says in which fragment of its directory it is. */
  readonly hashName: (name: string) => number;
}

/** Directories, popularity and subtrees; each change keeps all of them in step. */
export class MetadataState {
  readonly ranks: number;
  readonly clock: DecayClock;
  readonly tree: FragmentTree;
  readonly popularity: PopularityTable;
  readonly subtrees: SubtreeMap;
  readonly meter: RequestMeter;

  /** All of it is rank 0's, and nothing has been hit. */
  constructor({ tree, ranks, halflife, hashName }: MetadataStart) {
    this.ranks = ranks;
    this.clock = new DecayClock(halflife);
    this.tree = new FragmentTree(tree, hashName);
    this.popularity = new PopularityTable(this.tree, this.clock, tree.entries);
    this.meter = new RequestMeter(this.clock, ranks);
    this.subtrees = new SubtreeMap(this.tree, this.popularity, (fragment, from, to) => {
      const requests = this.popularity.requests('region', fragment);
      this.meter.change(from, -requests);
      this.meter.change(to, requests);
    });
    for (const [directory, codes] of tree.fragments ?? []) this.#fragment(directory, codes);
    this.popularity.recompute();
  }

  /** Counts hits on a fragment now. */
  hit(fragment: number, kind: number, amount: number): void {
    this.popularity.hit(fragment, kind, amount);
  }

  /** Begins a flow to a directory, or to a fragment of it, or ends it (`sign` -1). */
  flow(directory: number, code: number, flow: Flow, sign: 1 | -1, isSettled = false): void {
    const first = this.tree.firstFragment[directory] ?? 0;
    const isWhole = this.tree.code[first] === 0;
    for (const { fragment, part } of isWhole
      ? [{ fragment: first, part: 1 }]
      : this.partsOf(directory, code)) {
      const root = this.popularity.flow(fragment, flow, sign * part, isSettled);
      this.meter.change(this.tree.subtreeRank[root] ?? 0, sign * part * flow.requests);
    }
  }

  /** The fragments that hold a fragment now, or that it was split into, with the part of it that each has. */
  partsOf(directory: number, code: number): { readonly fragment: number; readonly part: number }[] {
    const parts: { fragment: number; part: number }[] = [];
    const bits = code >>> MAX_FRAGMENT_BITS;
    for (const fragment of this.tree.fragmentsOf(directory)) {
      const other = this.tree.code[fragment] ?? 0;
      const otherBits = other >>> MAX_FRAGMENT_BITS;
      if (otherBits >= bits ? isInFragment(other & 0xffffff, code) : isInFragment(code & 0xffffff, other)) {
        parts.push({ fragment, part: 2 ** -Math.max(0, otherBits - bits) });
      }
    }
    return parts;
  }

  /**
   * Splits a fragment; popularity, flows and entries go to its parts evenly, directories by the hashes of their names.
   * Follows `CDir::split`.
   *
   * @param bits - it becomes two to this power fragments
   * @returns its parts; itself where they would have more than 24 bits
   */
  split(fragment: number, bits: number): number[] {
    const { tree, popularity, subtrees } = this;
    const code = tree.code[fragment] ?? 0;
    const directory = tree.directory[fragment] ?? 0;
    const before = code >>> MAX_FRAGMENT_BITS;
    if (bits < 1 || before + bits > MAX_FRAGMENT_BITS) return [fragment];
    const shift = MAX_FRAGMENT_BITS - before - bits;
    const parts = Array.from({ length: 2 ** bits }, (_, index) => {
      const value = (code & 0xffffff) | (index << shift);
      return tree.add(directory, ((before + bits) << MAX_FRAGMENT_BITS) | value);
    });
    popularity.grow();
    tree.redistribute(fragment, parts);
    for (const part of parts) this.#share(fragment, part, 2 ** -bits);
    subtrees.replace([fragment], parts);
    this.#drop(fragment);
    for (const part of parts) this.#sumRegion(part);
    return parts;
  }

  /**
   * Merges all fragments of a directory that are in a bigger one into it. Follows `CDir::merge`.
   *
   * @returns the bigger one
   * @throws CrushError `refused` when they belong to several subtrees
   */
  merge(directory: number, code: number): number {
    const { tree, popularity, subtrees } = this;
    const parts = this.partsOf(directory, code).map(({ fragment }) => fragment);
    const roots = parts.filter((part) => tree.subtreeRank[part] !== NO_NODE);
    if (
      roots.length > 0 &&
      (roots.length < parts.length || new Set(roots.map((root) => tree.subtreeRank[root])).size > 1)
    ) {
      throw new CrushError('refused', `fragments of ${tree.path(directory)} are of several subtrees`);
    }
    const merged = tree.add(directory, code);
    popularity.grow();
    // Lists are made from their ends, so the last part goes first.
    for (const part of [...parts].reverse()) {
      tree.redistribute(part, [merged]);
      this.#share(part, merged, 1);
    }
    subtrees.replace(parts, [merged]);
    for (const part of parts) this.#drop(part);
    this.#sumRegion(merged);
    return merged;
  }

  #fragment(directory: number, codes: readonly number[]): void {
    const { tree, popularity } = this;
    const [whole] = [...tree.fragmentsOf(directory)];
    if (whole === undefined || codes.length === 0) return;
    const entries = popularity.own[whole * STRIDE + ENTRIES] ?? 0;
    const parts = codes.map((code) => tree.add(directory, code));
    popularity.grow();
    tree.redistribute(whole, parts);
    this.subtrees.replace([whole], parts);
    this.#drop(whole);
    parts.forEach((part, index) => {
      popularity.own[part * STRIDE + ENTRIES] = entries * 2 ** -((codes[index] ?? 0) >>> MAX_FRAGMENT_BITS);
    });
  }

  #share(from: number, to: number, part: number): void {
    const { own } = this.popularity;
    for (let column = 0; column < STRIDE; column++) {
      const at = to * STRIDE + column;
      own[at] = (own[at] ?? 0) + (own[from * STRIDE + column] ?? 0) * part;
    }
  }

  #drop(fragment: number): void {
    const { own, region } = this.popularity;
    own.fill(0, fragment * STRIDE, (fragment + 1) * STRIDE);
    region.fill(0, fragment * STRIDE, (fragment + 1) * STRIDE);
    this.tree.remove(fragment);
  }

  /** The region of a fragment from what it gets itself and the regions of what lies in it. */
  #sumRegion(fragment: number): void {
    const { tree } = this;
    const { own, region } = this.popularity;
    region.set(own.subarray(fragment * STRIDE, (fragment + 1) * STRIDE), fragment * STRIDE);
    for (const directory of tree.directoriesIn(fragment)) {
      for (const child of tree.fragmentsOf(directory)) {
        if (tree.subtreeRank[child] !== NO_NODE) continue;
        for (let column = 0; column < STRIDE; column++) {
          const at = fragment * STRIDE + column;
          region[at] = (region[at] ?? 0) + (region[child * STRIDE + column] ?? 0);
        }
      }
    }
  }
}
