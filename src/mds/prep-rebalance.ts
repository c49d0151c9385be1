/**
 * What a rank decides from the heartbeats of one beat: whether it is overloaded, and to whom it would send how much.
 * Follows `MDBalancer::prep_rebalance` and `try_match` (Ceph's src/mds/MDBalancer.cc).
 */
import { CrushError } from '../errors.ts';
import { mdsLoad, metaLoad, type MdsLoad } from './load.ts';
import type { MdsOptions } from './options.ts';
import type { RankMask } from './rank-mask.ts';

/** Amounts below this are not matched. */
const LEAST_MATCH = 0.001;

/** What a rank knows when it decides. */
export interface BeatView {
  /** The rank that decides. */
  readonly whoami: number;
  /** Number of the beat; odd and even ones match differently. */
  readonly beat: number;
  /** Heartbeats of all ranks: rank 0 first, none left out. */
  readonly loads: readonly MdsLoad[];
  /** By rank: what it imported, by the rank that it came from. */
  readonly importMaps: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** By rank: the last beat in which this rank saw it underloaded; 0 for none. */
  readonly lastUnder: ReadonlyMap<number, number>;
  /** Ranks that take part. */
  readonly mask: RankMask;
}

/** Why a rank sends nothing, or `exporting` where it may. */
export type BeatVerdict =
  /** No rank takes part in balancing. */
  | 'balancer-off'
  /** The rank's load is below the target or close to it. */
  | 'underloaded'
  /** The rank's load is above the target, but has not been for long enough. */
  | 'overloaded-not-long-enough'
  /** The rank would send load, if there is one to take it. */
  | 'exporting';

/** A match of two ranks. */
export interface LoadMatch {
  /** The rank that sends. */
  readonly from: number;
  /** The rank that gets it. */
  readonly to: number;
  /** How much, in units of the deciding rank's popularity. */
  readonly amount: number;
  /** Whether it gives back to a rank that load was imported from. */
  readonly isReturn: boolean;
}

/** What came out of a beat for one rank. */
export interface BeatDecision {
  /** What is done, or why nothing. */
  readonly verdict: BeatVerdict;
  /** What turns the loads of all ranks into units of the deciding rank's popularity. */
  readonly loadFactor: number;
  /** Load of each rank in those units. */
  readonly loads: readonly number[];
  /** Load of all ranks in those units. */
  readonly totalLoad: number;
  /** What each rank should have. */
  readonly targetLoad: number;
  /** Ranks by load that could take some; empty unless the verdict is `exporting`. */
  readonly importers: readonly number[];
  /** Ranks by load that have been overloaded for long enough; empty unless the verdict is `exporting`. */
  readonly exporters: readonly number[];
  /** All matches of exporters to importers, as this rank sees them. */
  readonly matches: readonly LoadMatch[];
  /** What this rank sends, by the rank that gets it, lowest rank first. */
  readonly targets: ReadonlyMap<number, number>;
  /** {@link BeatView.lastUnder} for the next beat. */
  readonly lastUnder: ReadonlyMap<number, number>;
}

/**
 * Decides whether and to whom a rank sends load.
 *
 * Each rank scales all loads by its own ratio of popularity to load, so that ranks may disagree.
 *
 * @throws CrushError `bad-argument` when the deciding rank's own load is missing
 */
export function prepRebalance(view: BeatView, options: MdsOptions): BeatDecision {
  const { whoami, beat, mask } = view;
  const own = view.loads[whoami];
  if (own === undefined) throw new CrushError('bad-argument', `there is no load of rank ${whoami}`);
  const ownLoad = mdsLoad(own, options.mds_bal_mode);
  const loadFactor = ownLoad > 0 ? metaLoad(own.auth) / ownLoad : 1;
  const loads = view.loads.map((load) => mdsLoad(load, options.mds_bal_mode) * loadFactor);
  const totalLoad = loads.reduce((sum, load) => sum + load, 0);
  const targetLoad = mask.count === 0 ? 0 : totalLoad / mask.count;
  const idle = {
    loadFactor,
    loads,
    totalLoad,
    targetLoad,
    importers: [],
    exporters: [],
    matches: [],
    targets: new Map(),
  };
  if (mask.count === 0) return { ...idle, verdict: 'balancer-off', lastUnder: view.lastUnder };

  const lastUnder = new Map(view.lastUnder);
  loads.forEach((load, rank) => {
    if (mask.has(rank) && load < targetLoad * (1 + options.mds_bal_min_rebalance)) lastUnder.set(rank, beat);
  });
  if (lastUnder.get(whoami) === beat) return { ...idle, verdict: 'underloaded', lastUnder };
  const overLongEnough = (rank: number): boolean => {
    const under = lastUnder.get(rank) ?? 0;
    return under === 0 || beat - under >= options.mds_bal_overload_epochs;
  };
  if (!overLongEnough(whoami)) return { ...idle, verdict: 'overloaded-not-long-enough', lastUnder };

  const byLoad = loads.map((_, rank) => rank).sort((a, b) => (loads[a] ?? 0) - (loads[b] ?? 0));
  const takes = (rank: number): boolean => mask.has(rank) && (loads[rank] ?? 0) < targetLoad;
  const importers = byLoad.filter(takes);
  const exporters = byLoad.filter((rank) => !takes(rank) && overLongEnough(rank));
  const matches = matchRanks(view, loads, targetLoad, importers, exporters);
  const targets = new Map<number, number>();
  for (const { from, to, amount } of matches) {
    if (from === whoami) targets.set(to, (targets.get(to) ?? 0) + amount);
  }
  return {
    verdict: 'exporting',
    loadFactor,
    loads,
    totalLoad,
    targetLoad,
    importers,
    exporters,
    matches,
    targets: new Map([...targets].sort(([a], [b]) => a - b)),
    lastUnder,
  };
}

/** Matches exporters to importers: first those that load came from, then by load. */
function matchRanks(
  view: BeatView,
  loads: readonly number[],
  targetLoad: number,
  importers: readonly number[],
  exporters: readonly number[],
): LoadMatch[] {
  const matches: LoadMatch[] = [];
  const exported = new Map<number, number>();
  const imported = new Map<number, number>();
  // A rank outside the mask has no business with any load.
  const spare = (rank: number): number =>
    (loads[rank] ?? 0) - (view.mask.has(rank) ? targetLoad : 0) - (exported.get(rank) ?? 0);
  const room = (rank: number): number => targetLoad - (loads[rank] ?? 0) - (imported.get(rank) ?? 0);
  /** Follows `MDBalancer::try_match`; gives what is left on both sides. */
  const match = (from: number, to: number, isReturn: boolean): { left: number; leftRoom: number } => {
    const most = spare(from);
    const mostRoom = room(to);
    if (most <= 0 || mostRoom <= 0) return { left: most, leftRoom: mostRoom };
    const amount = Math.min(most, mostRoom);
    matches.push({ from, to, amount, isReturn });
    exported.set(from, (exported.get(from) ?? 0) + amount);
    imported.set(to, (imported.get(to) ?? 0) + amount);
    return { left: most - amount, leftRoom: mostRoom - amount };
  };

  const bigFirst = [...exporters].reverse();
  for (const from of bigFirst) {
    if (spare(from) <= LEAST_MATCH) continue;
    const sources = [...(view.importMaps.get(from)?.keys() ?? [])].sort((a, b) => a - b);
    for (const to of sources) {
      if (room(to) <= LEAST_MATCH) continue;
      if (match(from, to, true).left <= LEAST_MATCH) break;
    }
  }

  const order = view.beat % 2 === 1 ? bigFirst : exporters;
  for (let ex = 0, im = 0; ex < order.length && im < importers.length;) {
    const from = order[ex] ?? 0;
    const to = importers[im] ?? 0;
    if (spare(from) < LEAST_MATCH || room(to) < LEAST_MATCH) break;
    const { left, leftRoom } = match(from, to, false);
    if (left <= LEAST_MATCH) ex++;
    if (leftRoom <= LEAST_MATCH) im++;
  }
  return matches;
}
