/** What the metadata servers of a live cluster tell of themselves, as plain data. */
import type { LoadVector, MdsLoad } from './load.ts';

/** Popularity of one directory fragment, as a rank sees it. */
export interface FragmentReport {
  /** Path of the directory; empty for the root of the file system. */
  readonly path: string;
  /** Number of the directory's inode. */
  readonly ino: bigint;
  /** The fragment as Ceph encodes it ({@link encodeFragment}); 0 where the directory has only one. */
  readonly fragment: number;
  /** Hits on the fragment itself. */
  readonly popMe: LoadVector;
  /** Hits on all that lies in it. */
  readonly popNested: LoadVector;
  /** Hits on what lies in it and in the same subtree. */
  readonly popAuthSubtree: LoadVector;
  /** Hits on what lies in it and is under the rank's authority. */
  readonly popAuthSubtreeNested: LoadVector;
}

/** `dump loads` of a rank. */
export interface LoadsReport {
  /** Fragments from the root down; those without hits are left out, others may be. */
  readonly fragments: readonly FragmentReport[];
  /** Heartbeats of the last beat, by rank. */
  readonly loads: ReadonlyMap<number, MdsLoad>;
  /** Loads of all ranks in units of this rank, as it reckoned them when it decided last. */
  readonly metaLoads: ReadonlyMap<number, number>;
  /** By rank: what it imported, by the rank that it came from. */
  readonly importMaps: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** Half-life of the counters in seconds, or undefined where there are none. */
  readonly halflife: number | undefined;
}

/** What is known of a directory fragment besides its popularity. */
export interface FragmentState {
  /** Path of the directory; empty for the root of the file system. */
  readonly path: string;
  /** Number of the directory's inode. */
  readonly ino: bigint;
  /** The fragment as Ceph encodes it; 0 where the directory has only one. */
  readonly fragment: number;
  /** Whether the rank that reports has authority over it. */
  readonly isAuth: boolean;
  /** Whether other ranks have copies of it. */
  readonly isReplicated: boolean;
  /** Whether it is frozen or freezing. */
  readonly isFrozen: boolean;
}

/** A subtree of `get subtrees`. */
export interface SubtreeReport extends FragmentState {
  /** The rank with authority over it. */
  readonly authority: number;
  /** Whether the authority is on its way from one rank to another. */
  readonly isMoving: boolean;
  /** `ceph.dir.pin` of the directory itself, or -1. */
  readonly pin: number;
  /** `ceph.dir.pin.distributed` of the directory itself. */
  readonly isDistributed: boolean;
  /** Whether chance has pinned the directory. */
  readonly isRandomlyPinned: boolean;
  /** The rank that pins of any kind on the directory itself bind it to, or -1. */
  readonly pinTarget: number;
}

/** A directory of `dump tree`. */
export interface DirectoryReport {
  /** Number of its inode. */
  readonly ino: bigint;
  /** `ceph.dir.pin`, or -1. */
  readonly pin: number;
  /** `ceph.dir.pin.distributed` */
  readonly isDistributed: boolean;
  /** Probability of random pins in it. */
  readonly random: number;
  /** Its fragments that the rank has in its cache. */
  readonly fragments: readonly FragmentState[];
}

/** A file system of `ceph fs dump`. */
export interface FileSystemReport {
  /** Number of the file system. */
  readonly id: number;
  /** Its name. */
  readonly name: string;
  /** Ranks that it is to have. */
  readonly maxMds: number;
  /** Ranks that are in the file system. */
  readonly ranks: readonly number[];
  /** Name of the daemon that holds a rank. */
  readonly names: ReadonlyMap<number, string>;
  /** `bal_rank_mask`, or undefined in releases that have none. */
  readonly rankMask: string | undefined;
  /** `balance_automate`, or undefined in releases where the balancer is always on. */
  readonly isBalanced: boolean | undefined;
  /** Name of a Mantle balancer, or empty. */
  readonly balancer: string;
}

/** Inode number of the root of a file system. */
export const ROOT_INO = 1n;
/** Inode number of rank 0's own directory; those of other ranks follow. */
const MDSDIR_INO = 0x100n;

/** The rank whose own directory (`~mdsN`) has this inode number, or undefined. */
export function rankOfMdsdir(ino: bigint): number | undefined {
  return ino >= MDSDIR_INO && ino < MDSDIR_INO * 2n ? Number(ino - MDSDIR_INO) : undefined;
}

/** Bits of the longest fragment. */
const MAX_FRAGMENT_BITS = 24;

/**
 * Reads the name of a fragment, which is its leading bits and a star. Follows `frag_t::parse` (Ceph's src/include/frag.h).
 *
 * @returns the number of bits in the top byte, and the bits, from bit 23 down; undefined if it is no such name
 *
 * @example
 * ```ts
 * encodeFragment('01*'); // 0x02400000
 * ```
 */
export function encodeFragment(name: string): number | undefined {
  if (!/^[01]{0,24}\*$/.test(name)) return undefined;
  const bits = name.slice(0, -1);
  return bits.length * 0x1000000 + Number.parseInt(`0${bits.padEnd(MAX_FRAGMENT_BITS, '0')}`, 2);
}

/** The name of a fragment: {@link encodeFragment} the other way. */
export function fragmentName(fragment: number): string {
  const bits = fragment >>> MAX_FRAGMENT_BITS;
  return `${(fragment & 0xffffff).toString(2).padStart(MAX_FRAGMENT_BITS, '0').slice(0, bits)}*`;
}

/** What people call a fragment: its path, and its bits where the directory has several. */
export function fragmentTitle(path: string, fragment: number): string {
  const name = path === '' ? '/' : path;
  return fragment === 0 ? name : `${name}.${fragmentName(fragment)}`;
}

/** Whether an entry is in a fragment of its directory, by the hash of its name. Follows `frag_t::contains`. */
export function isInFragment(nameHash: number, fragment: number): boolean {
  const bits = fragment >>> MAX_FRAGMENT_BITS;
  const mask = (0xffffff << (MAX_FRAGMENT_BITS - bits)) & 0xffffff;
  return (nameHash & mask) === (fragment & 0xffffff);
}
