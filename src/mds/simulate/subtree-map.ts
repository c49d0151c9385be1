/** Who has authority over what. Follows the subtree map of `MDCache` (Ceph's src/mds/MDCache.cc). */
import { CrushError } from '../../errors.ts';
import type { FragmentTree } from './fragment-tree.ts';
import type { PopularityTable } from './popularity-table.ts';
import { NO_NODE } from './workload.ts';

const NONE: ReadonlySet<Subtree> = new Set();

/** A part of the tree that one rank has authority over, from its root down to where others begin. */
export interface Subtree {
  /** Its root. */
  fragment: number;
  rank: number;
  /** Whether a pin keeps it apart from what lies above it, though the rank is the same; Ceph's `STATE_AUXSUBTREE`. */
  isKeptApart: boolean;
  /** Whether it is on its way to another rank. */
  isMoving: boolean;
}

/** The subtrees, and how popularity follows them. */
export class SubtreeMap {
  readonly #tree: FragmentTree;
  readonly #popularity: PopularityTable;
  readonly #byRoot = new Map<number, Subtree>();
  readonly #byRank = new Map<number, Set<Subtree>>();
  /** By fragment: subtrees that begin below it, at any depth; most have none, and need not look for them. */
  #rootsBelow: Int32Array;
  /** What is told of authority that changes: the root, from, and to. */
  readonly #onMove: (fragment: number, from: number, to: number) => void;

  /** The root of the file system is rank 0's. */
  constructor(
    tree: FragmentTree,
    popularity: PopularityTable,
    onMove: (fragment: number, from: number, to: number) => void = () => undefined,
  ) {
    this.#tree = tree;
    this.#popularity = popularity;
    this.#onMove = onMove;
    this.#rootsBelow = new Int32Array(tree.capacity);
    for (const fragment of tree.fragmentsOf(0)) this.#add(fragment, 0);
  }

  /** All subtrees, in the order in which they came to be. */
  get all(): IterableIterator<Subtree> {
    return this.#byRoot.values();
  }

  get size(): number {
    return this.#byRoot.size;
  }

  /** The subtrees of a rank, in the order in which it got them. */
  ofRank(rank: number): ReadonlySet<Subtree> {
    return this.#byRank.get(rank) ?? NONE;
  }

  /** The subtree with this root, if there is one. */
  at(fragment: number): Subtree | undefined {
    return this.#byRoot.get(fragment);
  }

  /** The subtree that a fragment is in. */
  of(fragment: number): Subtree {
    let at = fragment;
    while (this.#tree.subtreeRank[at] === NO_NODE) at = this.#tree.parent(at);
    const subtree = this.#byRoot.get(at);
    if (subtree === undefined) throw new CrushError('not-found', `there is no fragment ${fragment}`);
    return subtree;
  }

  /** The subtree that holds a subtree; undefined for that of the root. */
  above({ fragment }: Subtree): Subtree | undefined {
    const parent = this.#tree.parent(fragment);
    return parent === NO_NODE ? undefined : this.of(parent);
  }

  /** The subtrees that begin right below one. */
  below(subtree: Subtree): Subtree[] {
    if ((this.#rootsBelow[subtree.fragment] ?? 0) === 0) return [];
    return [...this.#byRoot.values()].filter((each) => this.above(each) === subtree);
  }

  /**
   * What a rank counts in a fragment and all that lies in it: `pop_nested`, and `pop_auth_subtree_nested` as well, since
   * requests go to the rank with authority.
   *
   * @param read - what is summed up of a fragment's region
   */
  nested(fragment: number, rank: number, read: (fragment: number) => number): number {
    let sum = this.of(fragment).rank === rank ? read(fragment) : 0;
    for (const { fragment: root } of this.ofRank(rank)) {
      if (root !== fragment && this.#isAbove(fragment, root)) sum += read(root);
    }
    return sum;
  }

  /** Makes a fragment the root of a subtree, under the same rank as before. Follows `MDCache::adjust_subtree_auth`. */
  cut(fragment: number): Subtree {
    const there = this.#byRoot.get(fragment);
    if (there !== undefined) return there;
    const { rank } = this.of(fragment);
    this.#popularity.addAbove(fragment, -1);
    return this.#add(fragment, rank);
  }

  /** Gives a subtree to a rank, and joins it with those around it that the rank has already. */
  move(subtree: Subtree, rank: number): void {
    if (subtree.rank !== rank) {
      this.#onMove(subtree.fragment, subtree.rank, rank);
      this.#byRank.get(subtree.rank)?.delete(subtree);
      subtree.rank = rank;
      this.#enlist(subtree);
    }
    this.join(subtree);
  }

  /** Joins a subtree with that above and those below it, where the rank is the same. Follows `MDCache::try_subtree_merge`. */
  join(subtree: Subtree): void {
    const below = this.below(subtree);
    this.#joinAbove(subtree);
    for (const each of below) this.#joinAbove(each);
  }

  /** Lets the parts of a fragment that is split, or what a merge makes of some, take the place of these as roots. */
  replace(old: readonly number[], fragments: readonly number[]): void {
    const roots = old.flatMap((fragment) => this.#byRoot.get(fragment) ?? []);
    for (const fragment of fragments) this.#rootsBelow[fragment] = this.#countBelow(fragment);
    const [subtree] = roots;
    if (subtree === undefined) return;
    const [first] = fragments;
    if (first !== undefined) this.#countAbove(first, fragments.length - roots.length);
    for (const root of roots) {
      this.#byRoot.delete(root.fragment);
      this.#byRank.get(root.rank)?.delete(root);
    }
    for (const fragment of fragments) this.#enlist({ ...subtree, fragment });
  }

  #joinAbove(subtree: Subtree): void {
    // It may have been joined with another on the way.
    if (this.#byRoot.get(subtree.fragment) !== subtree) return;
    const above = this.above(subtree);
    if (above?.rank !== subtree.rank) return;
    if (subtree.isKeptApart || subtree.isMoving || above.isMoving) return;
    this.#byRoot.delete(subtree.fragment);
    this.#byRank.get(subtree.rank)?.delete(subtree);
    this.#tree.subtreeRank[subtree.fragment] = NO_NODE;
    this.#popularity.addAbove(subtree.fragment, 1);
    this.#countAbove(subtree.fragment, -1);
  }

  #add(fragment: number, rank: number): Subtree {
    const subtree = { fragment, rank, isKeptApart: false, isMoving: false };
    this.#enlist(subtree);
    this.#countAbove(fragment, 1);
    return subtree;
  }

  #enlist(subtree: Subtree): void {
    this.#byRoot.set(subtree.fragment, subtree);
    this.#tree.subtreeRank[subtree.fragment] = subtree.rank;
    const others = this.#byRank.get(subtree.rank);
    if (others === undefined) this.#byRank.set(subtree.rank, new Set([subtree]));
    else others.add(subtree);
  }

  #countAbove(fragment: number, difference: number): void {
    for (let at = this.#tree.parent(fragment); at !== NO_NODE; at = this.#tree.parent(at)) {
      this.#rootsBelow[at] = (this.#rootsBelow[at] ?? 0) + difference;
    }
  }

  /** Subtrees that begin below a fragment, from those of the fragments in it. */
  #countBelow(fragment: number): number {
    if (this.#rootsBelow.length < this.#tree.capacity) {
      const more = new Int32Array(this.#tree.capacity);
      more.set(this.#rootsBelow);
      this.#rootsBelow = more;
    }
    let sum = 0;
    for (const directory of this.#tree.directoriesIn(fragment)) {
      for (const child of this.#tree.fragmentsOf(directory)) {
        sum += (this.#rootsBelow[child] ?? 0) + (this.#byRoot.has(child) ? 1 : 0);
      }
    }
    return sum;
  }

  #isAbove(fragment: number, other: number): boolean {
    let at = other;
    while (at !== NO_NODE && at !== fragment) at = this.#tree.parent(at);
    return at === fragment;
  }
}
