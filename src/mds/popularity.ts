/**
 * Popularity of directory fragments, and how a hit travels up the tree. Follows `MDBalancer::hit_dir` and its
 * neighbours, and the counters of `CDir` (Ceph's src/mds).
 */
import { hitCounter } from './decay-counter.ts';
import {
  adjustCounters,
  kindIndex,
  loadCounters,
  readCounters,
  type HitKind,
  type LoadCounters,
  type LoadVector,
} from './load.ts';

/** A directory fragment in the cache of a rank. */
export interface DirectoryFragment {
  /** Inode number of the directory. */
  readonly ino: bigint;
  /** The fragment that holds the directory's own entry; none for a root. */
  parent: DirectoryFragment | undefined;
  /** Whether this rank has authority over the fragment. */
  isAuth: boolean;
  /** Whether the authority changes here. */
  isSubtreeRoot: boolean;
  /** Whether the directory is one for unlinked files: hits on these are not counted. */
  readonly isStray: boolean;
  /** Hits on the fragment itself. */
  readonly popMe: LoadCounters;
  /** Hits on all that lies in it. */
  readonly popNested: LoadCounters;
  /** Hits on what lies in it and in the same subtree. */
  readonly popAuthSubtree: LoadCounters;
  /** Hits on what lies in it and is under this rank's authority. */
  readonly popAuthSubtreeNested: LoadCounters;
  /** Directories in it with hits in the same subtree, the one hit last at the end; Ceph's `pop_lru_subdirs`. */
  readonly recentDirectories: Set<bigint>;
}

/** How a new fragment stands in the tree. */
export interface NewFragment {
  /** Number of the directory's inode. */
  readonly ino: bigint;
  /** The fragment that holds the directory; none for the root of the file system. */
  readonly parent?: DirectoryFragment;
  /** Whether the rank has authority over it; default true. */
  readonly isAuth?: boolean;
  /** Whether it is the root of a subtree; default: where it has no parent. */
  readonly isSubtreeRoot?: boolean;
  /** Whether it is a directory of removed files; default false. */
  readonly isStray?: boolean;
}

/** A fragment without any hits; by default under this rank's authority, and no root of a subtree. */
export function directoryFragment(place: NewFragment, now: number): DirectoryFragment {
  return {
    ino: place.ino,
    parent: place.parent,
    isAuth: place.isAuth ?? true,
    isSubtreeRoot: place.isSubtreeRoot ?? place.parent === undefined,
    isStray: place.isStray ?? false,
    popMe: loadCounters(now),
    popNested: loadCounters(now),
    popAuthSubtree: loadCounters(now),
    popAuthSubtreeNested: loadCounters(now),
    recentDirectories: new Set(),
  };
}

/**
 * Counts a hit on a fragment, and on those above it. Follows `MDBalancer::hit_dir`.
 *
 * The popularity of the subtree is counted up to the subtree's root; what is nested and under this rank's
 * authority, and all that is nested, up to the top.
 *
 * @returns the new count of the fragment itself, which decides whether it is split
 */
export function hitFragment(
  fragment: DirectoryFragment,
  kind: HitKind,
  now: number,
  halflife: number,
  amount = 1,
): number {
  if (fragment.isStray) return 0;
  const index = kindIndex(kind);
  const count = hitCounter(fragment.popMe[index], now, halflife, amount);
  let inSubtree = fragment.isAuth;
  const isAuth = fragment.isAuth;
  for (let at: DirectoryFragment | undefined = fragment; at !== undefined; at = at.parent) {
    hitCounter(at.popNested[index], now, halflife, amount);
    if (inSubtree) {
      hitCounter(at.popAuthSubtree[index], now, halflife, amount);
      if (at.isSubtreeRoot) inSubtree = false;
      else if (at.parent !== undefined) moveToEnd(at.parent.recentDirectories, at.ino);
    }
    if (isAuth) hitCounter(at.popAuthSubtreeNested[index], now, halflife, amount);
  }
  return count;
}

/** Takes an exported subtree's popularity off the fragments above it. Follows `MDBalancer::subtract_export`. */
export function subtractExport(fragment: DirectoryFragment, now: number, halflife: number): void {
  adjustAncestors(fragment, now, halflife, -1);
}

/** Adds an imported subtree's popularity to the fragments above it. Follows `MDBalancer::add_import`. */
export function addImport(fragment: DirectoryFragment, now: number, halflife: number): void {
  adjustAncestors(fragment, now, halflife, 1);
}

/** Takes from an exported fragment what went with it. Follows `CDir::finish_export`. */
export function finishExport(fragment: DirectoryFragment, now: number, halflife: number): void {
  const gone = readCounters(fragment.popAuthSubtree, now, halflife);
  adjustCounters(fragment.popNested, gone, now, halflife, -1);
  adjustCounters(fragment.popAuthSubtreeNested, gone, now, halflife, -1);
  for (const counters of [fragment.popMe, fragment.popAuthSubtree]) {
    for (const counter of counters) Object.assign(counter, { value: 0, time: now });
  }
}

/** Directories of a fragment in the order in which {@link findExports} looks at them: hit last, first. */
export function recentFirst(fragment: DirectoryFragment): bigint[] {
  return [...fragment.recentDirectories].reverse();
}

function adjustAncestors(fragment: DirectoryFragment, now: number, halflife: number, sign: 1 | -1): void {
  const load: LoadVector = readCounters(fragment.popAuthSubtree, now, halflife);
  for (let at = fragment.parent; at !== undefined; at = at.parent) {
    adjustCounters(at.popNested, load, now, halflife, sign);
    adjustCounters(at.popAuthSubtreeNested, load, now, halflife, sign);
  }
}

function moveToEnd(set: Set<bigint>, value: bigint): void {
  set.delete(value);
  set.add(value);
}
