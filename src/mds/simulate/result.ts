/** What comes out of a simulation, as plain data. */
import type { LoadVector } from '../load.ts';
import type { BeatVerdict } from '../prep-rebalance.ts';

/** Load of a rank at one time. */
export interface RankLoad {
  readonly rank: number;
  /** `mds_load`: what ranks are compared by, in units of `mds_bal_mode`. */
  readonly mdsLoad: number;
  /** `meta_load` of all that the rank has authority over. */
  readonly metaLoad: number;
  /** Counters of all that the rank has authority over. */
  readonly auth: LoadVector;
  /** Requests a second since the last beat. */
  readonly requestRate: number;
  /** Subtrees that the rank has authority over. */
  readonly subtrees: number;
}

/** Why a rank exports something. */
export type MigrationCause =
  /** It goes back to the rank that it came from, which is to get load. */
  | 'returned'
  /** A whole subtree, imported before or cut off otherwise, goes on to a rank that is to get load. */
  | 'sent-on'
  /** A directory is chosen for its load out of a subtree. */
  | 'exported'
  /** It has hardly any load (`mds_bal_idle_threshold`), and goes back. */
  | 'idle'
  /** A pin wants it. */
  | 'pinned';

/** A directory that a rank chose to send. */
export interface ChosenExport {
  readonly path: string;
  readonly load: number;
  readonly to: number;
  readonly cause: MigrationCause;
}

/** What a rank did in a beat. */
export interface RankBeat extends RankLoad {
  /** What it decided; `undefined` where there was no beat to decide in. */
  readonly verdict: BeatVerdict | undefined;
  /** What each rank should have, in units of this rank. */
  readonly targetLoad: number;
  /** Amounts it wanted to send. */
  readonly wants: readonly { readonly to: number; readonly amount: number }[];
  readonly chosen: readonly ChosenExport[];
}

/** One beat. Loads are those that ranks decide by, from before what they then do. */
export interface BeatRecord {
  /** Its number. */
  readonly beat: number;
  /** Seconds since the start. */
  readonly time: number;
  /** By rank. */
  readonly ranks: readonly RankBeat[];
}

/** A subtree that went from one rank to another. */
export interface Migration {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly cause: MigrationCause;
  /** Number of the beat in which, or after which, it began; 0 before the first. */
  readonly beat: number;
  /** Second in which it began, and how long it took. */
  readonly time: number;
  readonly seconds: number;
  /** `meta_load` when it began. */
  readonly load: number;
  /** Files and directories that went. */
  readonly entries: number;
  /** Requests that waited, and how long each of them at most. */
  readonly blockedRequests: number;
  readonly blockedSeconds: number;
}

/** An export that was decided and did not happen. */
export interface DroppedExport {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly time: number;
  /** A pin of a directory above forbids it; the next beat came first; or it was not there any more, or frozen. */
  readonly why: 'pinned' | 'next-beat' | 'gone' | 'frozen';
}

/** A fragment that was split, or fragments that were merged. */
export interface Fragmentation {
  readonly kind: 'split' | 'merge';
  /** What was split, or what came of the merge. */
  readonly path: string;
  readonly time: number;
  /** Fragments that it became, or was made of. */
  readonly fragments: number;
  /** Too many entries, reads or writes; too few entries; a distributed pin. */
  readonly cause: 'size' | 'reads' | 'writes' | 'small' | 'pinned';
}

/** A subtree that came back to a rank shortly after it had left it. */
export interface PingPong {
  readonly path: string;
  /** Ranks it went between. */
  readonly ranks: readonly number[];
  /** How often it came back. */
  readonly returns: number;
  /** Beats in which it came back. */
  readonly beats: readonly number[];
}

/** All that happened. */
export interface SimulationResult {
  readonly workload: string;
  readonly ranks: number;
  readonly beats: readonly BeatRecord[];
  /** Loads an interval after the last beat, so that what was decided in it shows. */
  readonly end: { readonly time: number; readonly ranks: readonly RankLoad[] };
  readonly migrations: readonly Migration[];
  readonly dropped: readonly DroppedExport[];
  readonly fragmentations: readonly Fragmentation[];
  readonly pingPongs: readonly PingPong[];
  /** Requests in all, and those that had to wait for an export to end. */
  readonly requests: number;
  readonly blockedRequests: number;
  readonly directories: number;
  /** Fragments and subtrees at the end. */
  readonly fragments: number;
  readonly subtrees: number;
  /** What the reader should know, as sentences. */
  readonly notes: readonly string[];
}
