/** A workload that goes on as a live cluster's counters say: what its metadata servers print, taken as a steady state. */
import { CrushError } from '../../errors.ts';
import { beatScale, type RankReport } from '../decide.ts';
import { fragmentKey } from '../export-tree.ts';
import { noteBeats } from '../known-ranks.ts';
import { addLoads, metaLoad, NO_LOAD, scaleLoad, type LoadVector, type MdsLoad } from '../load.ts';
import { DEFAULT_MDS_OPTIONS, type MdsOptions } from '../options.ts';
import { isInFragment, type FileSystemReport, type FragmentReport, type LoadsReport } from '../reports.ts';
import { hashName } from './name-hash.ts';
import { ReportedTree, reportedPins, reportedSubtrees, type ReportedRoot } from './reported-tree.ts';
import {
  USUAL_CPU_TICKS,
  USUAL_MIGRATION_TIMES,
  type RankBackground,
  type Workload,
  type WorkloadLoad,
} from './workload.ts';

/** How to read reports. */
export interface ReportSettings {
  /** `ceph fs dump`, for `bal_rank_mask`. */
  readonly fileSystem?: FileSystemReport | undefined;
  /** For `mds_decay_halflife`; Ceph's defaults where left out. */
  readonly options?: MdsOptions;
  /** Whether counters are scaled so that their sum is that of the last heartbeat (true). */
  readonly scaleToBeat?: boolean;
}

/**
 * Takes what a cluster's metadata servers print for a steady state: each directory keeps getting what holds its counters
 * where they are, and the first beat of the simulation is the one that the reports are from.
 *
 * Load that no directory is known for stays with its rank. How many files there are is not reported, so that exports take
 * next to no time.
 *
 * @param reports - by rank; ranks may be missing
 * @throws CrushError `not-found` when there are no heartbeats at all
 */
export function workloadFromReports(
  reports: ReadonlyMap<number, RankReport>,
  settings: ReportSettings = {},
): Workload {
  const notes: string[] = [];
  const heartbeats = heartbeatsOf(reports);
  noteBeats(reports, notes);
  const tree = new ReportedTree(reports);
  const subtrees = reportedSubtrees(reports, notes);
  const roots = new Set(subtrees.map(fragmentKey));
  const steady = (settings.options ?? DEFAULT_MDS_OPTIONS).mds_decay_halflife / Math.LN2;
  const anyReport = [...reports.values()].find(({ loads }) => loads !== undefined)?.loads;
  const holderOf = holderFinder(subtrees);
  const moved = new Set<string>();
  const loads: WorkloadLoad[] = [];
  const background: RankBackground[] = [];
  for (const [rank, heartbeat] of heartbeats) {
    const report = reports.get(rank)?.loads;
    if (report === undefined || report.fragments.length === 0) {
      notes.push(`there are no counters of mds.${rank}: its load stays with it, whatever it exports`);
    }
    const scale = report === undefined || settings.scaleToBeat === false ? 1 : beatScale(rank, report);
    const own = report === undefined ? [] : ownLoads(report, roots, scale);
    const hits = own.reduce((sum, { load }) => sum + total(load), 0) / steady;
    const perHit = hits > 0 ? heartbeat.requestRate / hits : 0;
    for (const { fragment, load } of own) {
      const rates = scaleLoad(load, 1 / steady);
      const directory = tree.number(fragment.path);
      if (directory === undefined) continue;
      if ((holderOf(fragment.path) ?? rank) !== rank && metaLoad(load) >= WORTH_A_WORD)
        moved.add(fragment.path);
      loads.push({
        directories: [directory],
        ...(fragment.fragment === 0 ? {} : { fragment: fragment.fragment }),
        from: 0,
        to: Infinity,
        requests: total(rates) * perHit,
        hits: rates,
        growth: 0,
      });
    }
    const known = own.reduce((sum, { load }) => addLoads(sum, load), NO_LOAD);
    const imports = (report ?? anyReport)?.importMaps.get(rank);
    background.push({
      rank,
      auth: difference(heartbeat.auth, known),
      foreign: difference(heartbeat.all, heartbeat.auth),
      requests: hits > 0 ? 0 : heartbeat.requestRate,
      firstQueueLength: heartbeat.queueLength,
      ...(imports === undefined ? {} : { firstImports: imports }),
    });
  }
  noteMoved([...moved], notes);
  return {
    name: 'reports of a cluster',
    tree: tree.workloadTree(),
    loads,
    pins: reportedPins(reports),
    subtrees: subtrees.map(({ path, fragment, authority }) => ({ path, fragment, rank: authority })),
    background,
    isSettled: true,
    migration: USUAL_MIGRATION_TIMES,
    cpuTicksPerRequest: ticksPerRequest([...heartbeats.values()]),
    rankMask: settings.fileSystem?.rankMask ?? '',
    notes,
  };
}

/** Least popularity whose change of hands is told. */
const WORTH_A_WORD = 0.1;

/** Finds the rank that holds a directory; undefined where fragments of it or above it have several. */
function holderFinder(subtrees: readonly ReportedRoot[]): (path: string) => number | undefined {
  const byPath = new Map<string, Set<number>>();
  for (const { path, authority } of subtrees) {
    const ranks = byPath.get(path);
    if (ranks === undefined) byPath.set(path, new Set([authority]));
    else ranks.add(authority);
  }
  return (path) => {
    for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
      const ranks = byPath.get(at);
      if (ranks !== undefined) return ranks.size === 1 ? [...ranks][0] : undefined;
      if (at === '') return undefined;
    }
  };
}

/** Tells of load that one rank counts in directories which another holds: it moved while the reports were taken. */
function noteMoved([first, ...others]: readonly string[], notes: string[]): void {
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  notes.push(
    `${first === '' ? '/' : first}${more} went to another rank while the reports were taken, and what the first one counts ` +
      'begins there: loads of the first beat are not those of the heartbeats; better ask when nothing moves',
  );
}

/** What each rank said of itself, in its own report or, where there is none, to another. */
function heartbeatsOf(reports: ReadonlyMap<number, RankReport>): Map<number, MdsLoad> {
  const heartbeats = new Map<number, MdsLoad>();
  for (const { loads } of reports.values()) {
    for (const [rank, load] of loads?.loads ?? []) if (!heartbeats.has(rank)) heartbeats.set(rank, load);
  }
  for (const [rank, { loads }] of reports) {
    const own = loads?.loads.get(rank);
    if (own !== undefined) heartbeats.set(rank, own);
  }
  if (heartbeats.size === 0) {
    throw new CrushError(
      'not-found',
      "there are no heartbeats in any 'dump loads'; has rank 0 seen no beat yet?",
    );
  }
  return new Map([...heartbeats].sort(([a], [b]) => a - b));
}

/** What each fragment of a rank has itself: its popularity in the subtree, less that of what lies in it. */
function ownLoads(
  { fragments }: LoadsReport,
  roots: ReadonlySet<string>,
  scale: number,
): { readonly fragment: FragmentReport; readonly load: LoadVector }[] {
  const children = new Map<string, FragmentReport[]>();
  for (const fragment of fragments) {
    if (fragment.path === '' || roots.has(fragmentKey(fragment))) continue;
    const parent = fragment.path.slice(0, fragment.path.lastIndexOf('/'));
    const others = children.get(parent);
    if (others === undefined) children.set(parent, [fragment]);
    else others.push(fragment);
  }
  return fragments
    .filter(({ path }) => path === '' || path.startsWith('/'))
    .map((fragment) => {
      const held = (children.get(fragment.path) ?? []).filter(
        ({ path }) =>
          fragment.fragment === 0 ||
          isInFragment(hashName(path.slice(path.lastIndexOf('/') + 1)), fragment.fragment),
      );
      const below = held.reduce((sum, { popAuthSubtree }) => addLoads(sum, popAuthSubtree), NO_LOAD);
      return { fragment, load: scaleLoad(difference(fragment.popAuthSubtree, below), scale) };
    })
    .filter(({ load }) => load.some((value) => value !== 0));
}

function difference(a: LoadVector, b: LoadVector): LoadVector {
  return addLoads(a, scaleLoad(b, -1));
}

function total(load: LoadVector): number {
  return load.reduce((sum, value) => sum + value, 0);
}

function ticksPerRequest(heartbeats: readonly MdsLoad[]): number {
  const requests = heartbeats.reduce((sum, { requestRate }) => sum + requestRate, 0);
  const ticks = heartbeats.reduce((sum, { cpuLoad }) => sum + cpuLoad, 0);
  return requests > 0 && ticks > 0 ? ticks / requests : USUAL_CPU_TICKS;
}
