/** A workload as people write it: few words for many directories. {@link buildWorkload} makes a {@link Workload} of it. */
import type { HitKind } from '../load.ts';
import type { OperationName } from './operations.ts';
import type { MigrationTimes, WorkloadPin } from './workload.ts';

/** Directories. */
export interface DirectoryDescription {
  /** A path, in which `{1..20}` stands for each number; those above come to be as well. */
  readonly path: string;
  /** Files in each of them at the start (0). */
  readonly files?: number;
}

/** What is done in some directories. */
export interface LoadDescription {
  /** Paths of directories: `*` stands for any part of a name, a name that is `**` for any directories in between, or none. */
  readonly in: string;
  /** An operation; instead of it, `hits` tells what a request hits. */
  readonly op?: OperationName;
  readonly hits?: Partial<Readonly<Record<HitKind, number>>>;
  /** Requests a second in each directory. */
  readonly rate?: number;
  /** Requests a second in all of them together; instead of `rate`. */
  readonly totalRate?: number;
  /** Seconds since the start (0). */
  readonly from?: number;
  /** It ends before this second (never). */
  readonly to?: number;
  /** Only so many of the directories have it at once, drawn by chance. */
  readonly spots?: number;
  /** Seconds after which others are drawn (never). */
  readonly movesEvery?: number;
}

/** All of a workload. */
export interface WorkloadDescription {
  readonly name?: string;
  readonly directories: readonly DirectoryDescription[];
  readonly loads: readonly LoadDescription[];
  readonly pins?: readonly WorkloadPin[];
  /** What a rank holds at the start; the rest is rank 0's. */
  readonly subtrees?: readonly { readonly path: string; readonly rank: number }[];
  readonly migration?: Partial<MigrationTimes>;
  readonly cpuTicksPerRequest?: number;
  readonly rankMask?: string;
  /** Whether it has been going on for long (false). */
  readonly isSettled?: boolean;
}
