/**
 * What the balancer of each rank would do, from what the ranks' commands print.
 */
import { CrushError } from '../errors.ts';
import { stringHashRjenkins } from '../osdmap/object-hash.ts';
import { exportSubtrees, type ReportedSubtree } from './export-tree.ts';
import { noteBeats, rankCount, reportsOfRanks } from './known-ranks.ts';
import { addLoads, mdsLoad, metaLoad, NO_LOAD, type MdsLoad } from './load.ts';
import type { MdsOptions } from './options.ts';
import { prepRebalance, type BeatDecision } from './prep-rebalance.ts';
import { readRankMask } from './rank-mask.ts';
import {
  ROOT_INO,
  type DirectoryReport,
  type FileSystemReport,
  type LoadsReport,
  type SubtreeReport,
} from './reports.ts';
import { tryRebalance, type Rebalance } from './try-rebalance.ts';

/** What is known of a rank. */
export interface RankReport {
  /** What `dump loads` prints. */
  readonly loads?: LoadsReport;
  /** What `get subtrees` prints. */
  readonly subtrees?: readonly SubtreeReport[];
  /** What `dump tree` prints. */
  readonly directories?: readonly DirectoryReport[];
}

/** How to decide. */
export interface DecideSettings {
  /** The balancer's options. */
  readonly options: MdsOptions;
  /** Number of the beat; only whether it is odd matters, and how long ranks have been overloaded. */
  readonly beat: number;
  /** Beats for which ranks have been overloaded; by default as long as it takes. */
  readonly overloadedFor?: number;
  /**
   * Whether counters are scaled so that their sum is that of the last heartbeat. They decay, and are hit, between the
   * beat and the report of them.
   */
  readonly scaleToBeat: boolean;
  /**
   * Hash of an entry's name, which says in which fragment of its directory it is; default: rjenkins of its UTF-8, which
   * is that of every file system unless its layout says otherwise.
   */
  readonly hashName?: (name: string) => number;
}

/** What one rank would do. */
export interface RankDecision {
  /** The rank. */
  readonly rank: number;
  /** To whom it would send how much. */
  readonly decision: BeatDecision;
  /** What its counters were multiplied with; undefined without counters. */
  readonly scale: number | undefined;
  /** What it would export; undefined where it would send nothing, or where its counters are not known. */
  readonly rebalance: Rebalance | undefined;
  /** Its subtrees. */
  readonly subtrees: readonly ReportedSubtree[];
  /** Matches in a beat of the other kind, odd or even, where they differ. */
  readonly otherBeat: BeatDecision | undefined;
}

/** What all ranks would do. */
export interface ClusterDecision {
  /** `max_mds`, or as many as there are heartbeats. */
  readonly maxMds: number;
  /** Loads of the last heartbeats as they are, by rank. */
  readonly mdsLoads: readonly number[];
  /** What each rank would do, by rank. */
  readonly ranks: readonly RankDecision[];
  /** What is missing or does not fit, as sentences. */
  readonly notes: readonly string[];
}

/**
 * Decides for each rank.
 *
 * @param reports - what is known, by rank; ranks may be missing
 * @param fileSystem - `ceph fs dump`, for `max_mds`, ranks and mask; without it ranks are those of the heartbeats
 * @throws CrushError `not-found` when there are no heartbeats at all
 */
export function decideCluster(
  reports: ReadonlyMap<number, RankReport>,
  fileSystem: FileSystemReport | undefined,
  settings: DecideSettings,
): ClusterDecision {
  const notes: string[] = [];
  const best = [...reports.values()]
    .flatMap(({ loads }) => (loads === undefined ? [] : [loads]))
    .sort((a, b) => b.loads.size - a.loads.size)[0];
  if (best === undefined || best.loads.size === 0) {
    throw new CrushError(
      'not-found',
      "there are no heartbeats in any 'dump loads'; has rank 0 seen no beat yet?",
    );
  }
  const size = rankCount(reports, fileSystem);
  const maxMds = fileSystem?.maxMds ?? size;
  noteFileSystem(fileSystem, notes);

  const known = reportsOfRanks(reports, size, notes);
  noteBeats(known, notes);
  const ranks: RankDecision[] = [];
  for (let rank = 0; rank < size; rank++) {
    const report = known.get(rank) ?? {};
    if (report.loads === undefined) {
      notes.push(
        `there is no 'dump loads' of mds.${rank}: what it would send is reckoned, which directories is not`,
      );
    }
    ranks.push(decideRank(rank, size, report, best, known, fileSystem, settings, notes));
  }
  const mode = settings.options.mds_bal_mode;
  const mdsLoads = loadsOf(best, size, undefined).map((load) => mdsLoad(load, mode));
  return { maxMds, mdsLoads, ranks, notes };
}

function noteFileSystem(fileSystem: FileSystemReport | undefined, notes: string[]): void {
  if (fileSystem?.isBalanced === false) {
    notes.push(
      `balance_automate of ${fileSystem.name} is off: Ceph only does what pins say, not what follows`,
    );
  }
  if (fileSystem !== undefined && fileSystem.balancer !== '') {
    notes.push(
      `${fileSystem.name} has the Mantle balancer '${fileSystem.balancer}': what follows is for when it fails`,
    );
  }
}

function decideRank(
  rank: number,
  size: number,
  report: RankReport,
  best: LoadsReport,
  reports: ReadonlyMap<number, RankReport>,
  fileSystem: FileSystemReport | undefined,
  settings: DecideSettings,
  notes: string[],
): RankDecision {
  const { options, beat, overloadedFor } = settings;
  const own = report.loads ?? best;
  const lastUnder = new Map<number, number>();
  const count = overloadedFor === undefined ? beat : Math.max(beat, overloadedFor + 1);
  const sameParity = count + ((count ^ beat) & 1);
  if (overloadedFor !== undefined) {
    for (let other = 0; other < size; other++) lastUnder.set(other, sameParity - overloadedFor);
  }
  const view = {
    whoami: rank,
    beat: sameParity,
    loads: loadsOf(own, size, (missing) =>
      notes.push(
        `mds.${rank} has no heartbeat of mds.${missing}, which is reckoned as idle; Ceph would wait for it`,
      ),
    ),
    importMaps: own.importMaps,
    lastUnder,
    mask: readRankMask(fileSystem?.rankMask ?? '', sharingRanks(fileSystem, size)),
  };
  const decision = prepRebalance(view, options);
  const shifted = new Map([...lastUnder].map(([other, under]) => [other, under + 1]));
  const other = prepRebalance({ ...view, beat: sameParity + 1, lastUnder: shifted }, options);
  noteMetaLoads(rank, report.loads, decision, notes);

  const subtreeReports = subtreesFor(rank, report, reports, notes);
  const scale = report.loads === undefined ? undefined : scaleOf(rank, report.loads, settings, notes);
  const subtrees =
    report.loads === undefined || scale === undefined
      ? []
      : exportSubtrees({
          rank,
          fragments: report.loads.fragments,
          subtrees: subtreeReports,
          directories: report.directories ?? [],
          scale,
          hashName: settings.hashName ?? hashEntryName,
          options,
        });
  return {
    rank,
    decision,
    scale,
    subtrees,
    rebalance:
      decision.verdict === 'exporting' && report.loads !== undefined
        ? tryRebalance(rank, decision.targets, decision.targetLoad, subtrees, options)
        : undefined,
    otherBeat: sameTargets(decision, other) ? undefined : other,
  };
}

/** By how many ranks load is shared if all take part: releases without a mask count those that are in, later ones `max_mds`. */
function sharingRanks(fileSystem: FileSystemReport | undefined, size: number): number {
  if (fileSystem === undefined) return size;
  return fileSystem.rankMask === undefined ? Math.max(fileSystem.ranks.length, 1) : fileSystem.maxMds;
}

/** Loads of all ranks, with idle ones for those that are missing. */
function loadsOf(
  report: LoadsReport,
  size: number,
  onMissing: ((rank: number) => void) | undefined,
): MdsLoad[] {
  const idle: MdsLoad = {
    auth: NO_LOAD,
    all: NO_LOAD,
    requestRate: 0,
    cacheHitRate: 0,
    queueLength: 0,
    cpuLoad: 0,
  };
  return Array.from({ length: size }, (_, rank) => {
    const load = report.loads.get(rank);
    if (load === undefined) onMissing?.(rank);
    return load ?? idle;
  });
}

/** Subtrees as the rank sees them, or, where it was not asked, as others do. */
function subtreesFor(
  rank: number,
  report: RankReport,
  reports: ReadonlyMap<number, RankReport>,
  notes: string[],
): readonly SubtreeReport[] {
  if (report.subtrees !== undefined) return report.subtrees;
  const others = [...reports.values()].flatMap(({ subtrees }) => subtrees ?? []);
  if (report.loads === undefined) return others;
  if (others.length > 0) {
    notes.push(`there is no 'get subtrees' of mds.${rank}: its subtrees are those that other ranks know of`);
    return others;
  }
  notes.push(
    `there is no 'get subtrees' of any rank: mds.${rank} is taken to hold all that it counts hits of`,
  );
  const root = report.loads.fragments[0];
  return root === undefined ? [] : [rootSubtree(rank, root.ino, root.fragment)];
}

function rootSubtree(rank: number, ino: bigint, fragment: number): SubtreeReport {
  return {
    path: '',
    ino,
    fragment,
    isAuth: true,
    isReplicated: false,
    isFrozen: false,
    authority: rank,
    isMoving: false,
    pin: -1,
    isDistributed: false,
    isRandomlyPinned: false,
    pinTarget: -1,
  };
}

/** Change of the sum of counters since the beat that is worth a word. */
const MUCH = 1.5;

/**
 * What to multiply the counters of a rank's report with, so that their sum is that of the rank's last heartbeat; 1 where
 * one of them is nothing.
 */
export function beatScale(rank: number, report: LoadsReport): number {
  const { now, atBeat } = sumsOf(rank, report);
  return now === 0 || atBeat === 0 ? 1 : atBeat / now;
}

/** `meta_load` of all that a rank has authority over, in its report and in its heartbeat. */
function sumsOf(rank: number, report: LoadsReport): { readonly now: number; readonly atBeat: number } {
  const roots = report.fragments.filter(({ ino }) => ino === ROOT_INO);
  return {
    now: metaLoad(
      roots.reduce((sum, { popAuthSubtreeNested }) => addLoads(sum, popAuthSubtreeNested), NO_LOAD),
    ),
    atBeat: metaLoad(report.loads.get(rank)?.auth ?? NO_LOAD),
  };
}

function scaleOf(rank: number, report: LoadsReport, settings: DecideSettings, notes: string[]): number {
  if (!settings.scaleToBeat) return 1;
  const scale = beatScale(rank, report);
  if (scale > MUCH || scale < 1 / MUCH) {
    const { now, atBeat } = sumsOf(rank, report);
    const change = `from ${atBeat.toFixed(1)} at the beat to ${now.toFixed(1)}`;
    notes.push(`counters of mds.${rank} have changed ${change}: which directories it chose may differ`);
  }
  return scale;
}

/** How far a load may be from the rank's own reckoning, relatively. */
const CLOSE = 1e-6;

/** A rank tells how it reckoned the loads: another result means other options. */
function noteMetaLoads(
  rank: number,
  report: LoadsReport | undefined,
  decision: BeatDecision,
  notes: string[],
): void {
  for (const [other, theirs] of report?.metaLoads ?? []) {
    const ours = decision.loads[other];
    if (ours === undefined || Math.abs(ours - theirs) <= CLOSE * Math.max(ours, theirs)) continue;
    notes.push(
      `mds.${rank} itself reckoned mds.${other} at ${theirs.toFixed(1)}, not ${ours.toFixed(1)}: ` +
        'it has another mds_bal_mode, or a heartbeat came since',
    );
    return;
  }
}

function sameTargets(a: BeatDecision, b: BeatDecision): boolean {
  const text = ({ targets }: BeatDecision): string => JSON.stringify([...targets]);
  return a.verdict === b.verdict && text(a) === text(b);
}

/** The hash of a directory's entry (`ceph_str_hash_rjenkins`). */
function hashEntryName(name: string): number {
  return stringHashRjenkins(new TextEncoder().encode(name));
}
