/** Directories, subtrees and pins that the reports of a cluster tell of. */
import { CrushError } from '../../errors.ts';
import type { RankReport } from '../decide.ts';
import { fragmentKey } from '../export-tree.ts';
import { metaLoad } from '../load.ts';
import { rankOfMdsdir, type FragmentReport } from '../reports.ts';
import { MAX_FRAGMENT_BITS } from './metadata-state.ts';
import type { WorkloadPin, WorkloadTree } from './workload.ts';

/** Most characters of a path; Linux takes 4096 bytes. */
const MAX_PATH = 16_384;

type Reports = ReadonlyMap<number, RankReport>;

/** What a subtree of the file system is known by. */
export interface ReportedRoot {
  readonly path: string;
  readonly ino: bigint;
  readonly fragment: number;
  readonly authority: number;
}

/** All directories that reports name, and those above them. */
export class ReportedTree {
  readonly #numbers = new Map<string, number>([['', 0]]);
  readonly #names: string[] = [''];
  readonly #parents: number[] = [-1];
  readonly #inos: bigint[] = [1n];
  readonly #codes = new Map<number, Set<number>>();

  constructor(reports: Reports) {
    const places = [...reports.values()].flatMap(({ loads, subtrees, directories }) => [
      ...(loads?.fragments ?? []),
      ...(subtrees ?? []),
      ...(directories ?? []).flatMap(({ fragments }) => fragments),
    ]);
    for (const { path, ino, fragment } of places) if (isInTree(path)) this.#add(path, ino, fragment);
  }

  /** Number of a directory, if it is there. */
  number(path: string): number | undefined {
    return this.#numbers.get(path);
  }

  /** The tree for a simulation; a directory has as many entries as directories are known in it, and one more. */
  workloadTree(): WorkloadTree {
    const entries = new Float64Array(this.#names.length).fill(1);
    for (const parent of this.#parents) if (parent >= 0) entries[parent] = (entries[parent] ?? 0) + 1;
    const fragments = new Map<number, readonly number[]>();
    for (const [directory, codes] of this.#codes) {
      if (directory !== 0 && [...codes].some((code) => code !== 0))
        fragments.set(directory, coverOf(codes, 0));
    }
    return {
      names: this.#names,
      parents: Int32Array.from(this.#parents),
      entries,
      inos: BigUint64Array.from(this.#inos),
      fragments,
    };
  }

  #add(path: string, ino: bigint, fragment: number): void {
    const directory = this.#directory(path);
    this.#inos[directory] = ino;
    const codes = this.#codes.get(directory);
    if (codes === undefined) this.#codes.set(directory, new Set([fragment]));
    else codes.add(fragment);
  }

  #directory(path: string): number {
    if (path.length > MAX_PATH) {
      throw new CrushError('malformed', `a path has no more than ${MAX_PATH} characters, not ${path.length}`);
    }
    let at = 0;
    for (let end = path.indexOf('/', 1); at >= 0 && path !== ''; end = path.indexOf('/', end + 1)) {
      const here = end < 0 ? path : path.slice(0, end);
      const known = this.#numbers.get(here);
      if (known === undefined) {
        this.#names.push(here.slice(here.lastIndexOf('/') + 1));
        this.#parents.push(at);
        this.#inos.push(0x7fff_0000_0000_0000n + BigInt(this.#names.length));
        at = this.#names.length - 1;
        this.#numbers.set(here, at);
      } else at = known;
      if (end < 0) break;
    }
    return at;
  }
}

/** Who has authority over what: as each rank says of its own, else as others know; without reports, by what is counted. */
export function reportedSubtrees(reports: Reports, notes: string[]): ReportedRoot[] {
  const found = new Map<string, ReportedRoot>();
  for (const isOwn of [true, false]) {
    for (const [rank, { subtrees }] of reports) {
      for (const subtree of subtrees ?? []) {
        const { path, ino, fragment, authority, isMoving } = subtree;
        if ((authority === rank) !== isOwn || authority < 0 || !isInTree(path)) continue;
        if (rankOfMdsdir(ino) !== undefined || found.has(fragmentKey(subtree))) continue;
        if (isMoving) notes.push(`${path} is on its way from mds.${authority}, where it is taken to be`);
        found.set(fragmentKey(subtree), { path, ino, fragment, authority });
      }
    }
  }
  if (found.size > 0) return [...found.values()];
  notes.push("there is no 'get subtrees' of any rank: who holds what is taken from what ranks count");
  return countedSubtrees(reports);
}

/** Static and ephemeral pins. */
export function reportedPins(reports: Reports): WorkloadPin[] {
  const pins = new Map<string, WorkloadPin>();
  const add = (path: string, pin: Omit<WorkloadPin, 'path'>): void => {
    if (path !== '' && isInTree(path)) pins.set(path, { ...pins.get(path), ...pin, path });
  };
  for (const { subtrees, directories } of reports.values()) {
    for (const { path, pin, isDistributed, isRandomlyPinned } of subtrees ?? []) {
      if (pin >= 0) add(path, { rank: pin });
      if (isDistributed) add(path, { isDistributed });
      if (isRandomlyPinned) add(path, { isRandomlyPinned });
    }
    for (const { pin, isDistributed, random, fragments } of directories ?? []) {
      const path = fragments[0]?.path ?? '';
      if (pin >= 0) add(path, { rank: pin });
      if (isDistributed) add(path, { isDistributed });
      if (random > 0) add(path, { random });
    }
  }
  return [...pins.values()];
}

/** Directories of the ranks themselves, and what is unlinked, are not part of the tree. */
function isInTree(path: string): boolean {
  return path === '' || path.startsWith('/');
}

/** The topmost fragments that each rank counts as its own. */
function countedSubtrees(reports: Reports): ReportedRoot[] {
  const roots = new Map<string, ReportedRoot>();
  const counts = ({ path, popAuthSubtree }: FragmentReport): boolean =>
    isInTree(path) && metaLoad(popAuthSubtree) > 0;
  for (const [rank, { loads }] of reports) {
    const own = (loads?.fragments ?? []).filter(counts);
    const paths = new Set(own.map(({ path }) => path));
    for (const { path, ino, fragment } of own) {
      const isTop = path === '' || !paths.has(path.slice(0, path.lastIndexOf('/')));
      const key = fragmentKey({ ino, fragment });
      if (isTop && !roots.has(key)) roots.set(key, { path, ino, fragment, authority: rank });
    }
  }
  return [...roots.values()];
}

/** Fragments that make up all of a fragment, those that are known as they are. */
function coverOf(known: ReadonlySet<number>, code: number): number[] {
  const bits = code >>> MAX_FRAGMENT_BITS;
  const mask = (0xffffff << (MAX_FRAGMENT_BITS - bits)) & 0xffffff;
  const isKnownWithin = [...known].some(
    (other) => other >>> MAX_FRAGMENT_BITS > bits && (other & mask) === (code & 0xffffff),
  );
  // The empty fragment is that of directories which are not fragmented, and of stale reports.
  if ((code !== 0 && known.has(code)) || !isKnownWithin) return [code];
  const half = 1 << (MAX_FRAGMENT_BITS - bits - 1);
  const longer = (bits + 1) << MAX_FRAGMENT_BITS;
  const value = code & 0xffffff;
  return [...coverOf(known, longer | value), ...coverOf(known, longer | value | half)];
}
