/**
 * Directories and their fragments as columns of numbers: a million of them are a few arrays, and no objects.
 *
 * A directory is a number, and so is a fragment. A directory's entry lies in one fragment of its parent, its holder;
 * a fragment has a list of the directories that it holds, and a directory a list of its fragments.
 */
import { isInFragment } from '../reports.ts';
import { NO_NODE, type WorkloadTree } from './workload.ts';

/** A list that grows without losing what it holds. */
function grown(column: Int32Array, capacity: number): Int32Array {
  const more = new Int32Array(capacity).fill(NO_NODE);
  more.set(column);
  return more;
}

/** The tree of directories, how each is fragmented, and where authority changes. */
export class FragmentTree {
  /** By directory: its own name; empty for the root, which is directory 0. */
  readonly names: readonly string[];
  /** By directory: the fragment that holds it; {@link NO_NODE} for the root. */
  readonly holder: Int32Array;
  /** By directory: the next one in the same holder. */
  readonly nextInHolder: Int32Array;
  /** By directory: the first of its fragments. */
  readonly firstFragment: Int32Array;
  /** By fragment: its directory; {@link NO_NODE} for one that is no more. */
  directory: Int32Array;
  /** By fragment: bits and value as Ceph encodes them; 0 where the directory has only one. */
  code: Int32Array;
  /** By fragment: the next one of the same directory. */
  nextFragment: Int32Array;
  /** By fragment: the one before it in the same directory. */
  previousFragment: Int32Array;
  /** By fragment: the first directory in it. */
  firstDirectory: Int32Array;
  /** By fragment: the rank, where a subtree begins; {@link NO_NODE} elsewhere. */
  subtreeRank: Int32Array;
  readonly #inos: BigUint64Array | undefined;
  readonly #hashName: (name: string) => number;
  readonly #free: number[] = [];
  #size: number;

  /**
   * @param hashName - hash of an entry's name, which says in which fragment of its directory it is
   */
  constructor(tree: WorkloadTree, hashName: (name: string) => number) {
    const count = tree.names.length;
    this.names = tree.names;
    this.#inos = tree.inos;
    this.#hashName = hashName;
    this.#size = count;
    this.holder = Int32Array.from(tree.parents);
    this.nextInHolder = new Int32Array(count).fill(NO_NODE);
    this.firstFragment = Int32Array.from({ length: count }, (_, index) => index);
    this.directory = Int32Array.from(this.firstFragment);
    this.code = new Int32Array(count);
    this.nextFragment = new Int32Array(count).fill(NO_NODE);
    this.previousFragment = new Int32Array(count).fill(NO_NODE);
    this.firstDirectory = new Int32Array(count).fill(NO_NODE);
    this.subtreeRank = new Int32Array(count).fill(NO_NODE);
    // Backwards, so that the lists are in the order of the numbers.
    for (let directory = count - 1; directory > 0; directory--)
      this.#list(directory, this.holder[directory] ?? 0);
  }

  /** Numbers of fragments are below this. */
  get size(): number {
    return this.#size;
  }

  /** How many fragments there are. */
  get fragmentCount(): number {
    return this.#size - this.#free.length;
  }

  /** Fragments that there is room for without {@link add} having to make some. */
  get capacity(): number {
    return this.directory.length;
  }

  /** The fragment that holds a fragment's directory; {@link NO_NODE} above the root. */
  parent(fragment: number): number {
    return this.holder[this.directory[fragment] ?? 0] ?? NO_NODE;
  }

  /** Inode number of a directory. */
  ino(directory: number): bigint {
    if (directory === 0) return 1n;
    return this.#inos?.[directory] ?? 0x10000000000n + BigInt(directory);
  }

  /** Path of a directory; empty for the root. */
  path(directory: number): string {
    const parts: string[] = [];
    for (let at = directory; at > 0; at = this.directory[this.holder[at] ?? 0] ?? 0)
      parts.push(this.names[at] ?? '');
    return parts.map((_, index) => `/${parts[parts.length - 1 - index] ?? ''}`).join('');
  }

  /** The fragments of a directory. */
  *fragmentsOf(directory: number): Generator<number> {
    for (
      let at = this.firstFragment[directory] ?? NO_NODE;
      at !== NO_NODE;
      at = this.nextFragment[at] ?? NO_NODE
    ) {
      yield at;
    }
  }

  /** The directories in a fragment. */
  *directoriesIn(fragment: number): Generator<number> {
    let at = this.firstDirectory[fragment] ?? NO_NODE;
    for (; at !== NO_NODE; at = this.nextInHolder[at] ?? NO_NODE) yield at;
  }

  /** The fragment of a directory with this code, or {@link NO_NODE}. */
  find(directory: number, code: number): number {
    for (const fragment of this.fragmentsOf(directory)) if (this.code[fragment] === code) return fragment;
    return NO_NODE;
  }

  /** Adds a fragment to a directory. What it holds is up to {@link redistribute}. */
  add(directory: number, code: number): number {
    const fragment = this.#free.pop() ?? this.#size++;
    if (fragment >= this.capacity) {
      const capacity = Math.ceil(this.capacity * 1.25) + 64;
      this.directory = grown(this.directory, capacity);
      this.code = grown(this.code, capacity);
      this.nextFragment = grown(this.nextFragment, capacity);
      this.previousFragment = grown(this.previousFragment, capacity);
      this.firstDirectory = grown(this.firstDirectory, capacity);
      this.subtreeRank = grown(this.subtreeRank, capacity);
    }
    this.directory[fragment] = directory;
    this.code[fragment] = code;
    const next = this.firstFragment[directory] ?? NO_NODE;
    this.nextFragment[fragment] = next;
    this.previousFragment[fragment] = NO_NODE;
    if (next !== NO_NODE) this.previousFragment[next] = fragment;
    this.firstFragment[directory] = fragment;
    this.firstDirectory[fragment] = NO_NODE;
    this.subtreeRank[fragment] = NO_NODE;
    return fragment;
  }

  /** Takes a fragment from its directory. What it held is still to be given to others. */
  remove(fragment: number): void {
    const next = this.nextFragment[fragment] ?? NO_NODE;
    const previous = this.previousFragment[fragment] ?? NO_NODE;
    if (previous === NO_NODE) this.firstFragment[this.directory[fragment] ?? 0] = next;
    else this.nextFragment[previous] = next;
    if (next !== NO_NODE) this.previousFragment[next] = previous;
    this.directory[fragment] = NO_NODE;
    this.subtreeRank[fragment] = NO_NODE;
    this.firstDirectory[fragment] = NO_NODE;
    this.#free.push(fragment);
  }

  /** Gives what one fragment holds to others of the same directory, by the hashes of names. */
  redistribute(from: number, to: readonly number[]): void {
    const moving = [...this.directoriesIn(from)].reverse();
    this.firstDirectory[from] = NO_NODE;
    for (const directory of moving) {
      const hash = to.length === 1 ? 0 : this.#hashName(this.names[directory] ?? '');
      const target =
        to.length === 1 ? to[0] : to.find((fragment) => isInFragment(hash, this.code[fragment] ?? 0));
      this.#list(directory, target ?? from);
    }
  }

  #list(directory: number, holder: number): void {
    this.holder[directory] = holder;
    this.nextInHolder[directory] = this.firstDirectory[holder] ?? NO_NODE;
    this.firstDirectory[holder] = directory;
  }
}
