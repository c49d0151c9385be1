/** What a simulation starts from, as plain data: a tree of directories, and what is done in it, and when. */
import type { LoadVector } from '../load.ts';

/** No directory, no fragment, no rank. */
export const NO_NODE = -1;

/** A tree of directories, by number; the root is directory 0. */
export interface WorkloadTree {
  /** Name of each directory in its parent; empty for the root. */
  readonly names: readonly string[];
  /** Number of each directory's parent, which comes before it; -1 for the root. */
  readonly parents: Int32Array;
  /** Files and directories in each directory at the start. */
  readonly entries: Float64Array;
  /** Inode numbers; without them, directories get some in their order. */
  readonly inos?: BigUint64Array;
  /** Directories that are fragmented at the start, with all of their fragments as Ceph encodes them. */
  readonly fragments?: ReadonlyMap<number, readonly number[]>;
}

/** What is done to each of some directories in a span of time. */
export interface WorkloadLoad {
  /** Numbers of the directories. */
  readonly directories: readonly number[] | Int32Array;
  /** Only this fragment of them, as Ceph encodes it; without it, all of them by their part of the entries. */
  readonly fragment?: number;
  /** Seconds since the start of the simulation. */
  readonly from: number;
  /** The load ends before this second; Infinity for never. */
  readonly to: number;
  /** Requests of clients a second, for each directory. */
  readonly requests: number;
  /** Hits of its counters a second, for each directory. */
  readonly hits: LoadVector;
  /** Entries a second that are added to each directory, or taken from it. */
  readonly growth: number;
}

/** Pins of a directory. */
export interface WorkloadPin {
  readonly path: string;
  /** `ceph.dir.pin`: a rank, or -1 for none. */
  readonly rank?: number;
  /** `ceph.dir.pin.distributed` */
  readonly isDistributed?: boolean;
  /** `ceph.dir.pin.random`: probability that a directory in it is pinned. */
  readonly random?: number;
  /** Whether chance has chosen this directory. */
  readonly isRandomlyPinned?: boolean;
}

/** A subtree that a rank holds at the start; the root is rank 0's unless said otherwise. */
export interface WorkloadSubtree {
  readonly path: string;
  /** As Ceph encodes it; 0 where the directory has only one. */
  readonly fragment: number;
  readonly rank: number;
}

/** What a rank has to do besides the tree, all the time. */
export interface RankBackground {
  readonly rank: number;
  /** Popularity that stays with the rank: its own share of heartbeats that no directory is known for. */
  readonly auth: LoadVector;
  /** Popularity of what it has no authority over, besides `auth`. */
  readonly foreign: LoadVector;
  /** Requests a second. */
  readonly requests: number;
  /** Messages that wait in the first beat; later there are none. */
  readonly firstQueueLength: number;
  /** In the first beat: load that it imported, by the rank that it came from. Left out, that is reckoned, as later on. */
  readonly firstImports?: ReadonlyMap<number, number>;
}

/** How long an export takes. */
export interface MigrationTimes {
  /** Seconds until the importer knows of the directory; requests go on. */
  readonly discover: number;
  /** Seconds of freezing, of preparing and of the journals' commits; requests wait. */
  readonly freeze: number;
  /** Seconds for an inode that is sent; requests wait. */
  readonly inode: number;
}

/** Times of a cluster without much to do: estimates, not measured. */
export const USUAL_MIGRATION_TIMES: MigrationTimes = { discover: 0.02, freeze: 0.1, inode: 0.00005 };

/** All that a simulation is about. */
export interface Workload {
  readonly name: string;
  readonly tree: WorkloadTree;
  readonly loads: readonly WorkloadLoad[];
  readonly pins: readonly WorkloadPin[];
  readonly subtrees: readonly WorkloadSubtree[];
  readonly background: readonly RankBackground[];
  /**
   * Whether what is done at the start has been going on for long: counters begin where they settle, and the first beat
   * is at once. Otherwise counters begin at nothing.
   */
  readonly isSettled: boolean;
  readonly migration: MigrationTimes;
  /** Clock ticks of CPU time for a request, which `mds_bal_mode` 2 goes by. */
  readonly cpuTicksPerRequest: number;
  /** `bal_rank_mask` of the file system; empty for all ranks. */
  readonly rankMask: string;
  /** What the reader should know of it, as sentences. */
  readonly notes: readonly string[];
}

/** About 10,000 requests a second keep one core busy. */
export const USUAL_CPU_TICKS = 0.01;
