/** What the balancer would make of the same load in the same time, and what becomes of a plan: both simulated. */
import type { RankReport } from '../decide.ts';
import type { PinPlan } from '../plan.ts';
import type { FileSystemReport } from '../reports.ts';
import { simulate, workloadFromReports } from '../simulate.ts';
import type { MdsOptions } from '../options.ts';
import type { SimulationResult } from '../simulate/result.ts';

/** What to compare. */
export interface ComparisonSettings {
  readonly options: MdsOptions;
  /** Beats to simulate. */
  readonly beats: number;
  /** `bal_rank_mask` where it is to be another than that of the file system. */
  readonly rankMask?: string;
  readonly scaleToBeat: boolean;
  /** Of what is left to chance. */
  readonly seed?: number;
}

/** How loads went on. */
export interface SimulatedCourse {
  /** The highest `mds_load` of a rank in each beat, from the one on that the reports are of, and after the last. */
  readonly peaks: readonly number[];
  /** `mds_load` by rank, after the last beat. */
  readonly end: readonly number[];
  /** Subtrees that went from one rank to another. */
  readonly migrations: number;
  /** Subtrees that came back shortly after they had left. */
  readonly returns: number;
}

/** The same load, with the balancer alone and with the plan's pins. */
export interface PlanComparison {
  readonly beats: number;
  readonly balancer: SimulatedCourse;
  /** With pins, and the balancer held. */
  readonly pinned: SimulatedCourse;
  /** With pins, while the balancer goes on: it does not know that they are about to help. */
  readonly both: SimulatedCourse;
}

/**
 * Simulates some beats of the balancer, without and with a plan's pins. Both begin with the measured load and go on with
 * it, and both have the number of ranks that the plan is for.
 *
 * @throws CrushError `not-found` when there are no heartbeats
 */
export function comparePlan(
  reports: ReadonlyMap<number, RankReport>,
  fileSystem: FileSystemReport | undefined,
  plan: PinPlan,
  settings: ComparisonSettings,
): PlanComparison {
  const { options, beats, rankMask, scaleToBeat, seed = 1 } = settings;
  const measured = workloadFromReports(reports, { fileSystem, options, scaleToBeat });
  const workload = rankMask === undefined ? measured : { ...measured, rankMask };
  const input = { workload, ranks: plan.ranks, beats, options, seed };
  const pins = plan.pins.map(({ path, rank }) => ({ path, rank }));
  return {
    beats,
    balancer: courseOf(simulate(input)),
    pinned: courseOf(simulate({ ...input, pins, isBalanced: false })),
    both: courseOf(simulate({ ...input, pins })),
  };
}

function courseOf({ beats, end, migrations, pingPongs }: SimulationResult): SimulatedCourse {
  const peak = (ranks: readonly { readonly mdsLoad: number }[]): number =>
    Math.max(...ranks.map(({ mdsLoad }) => mdsLoad));
  return {
    peaks: [...beats.map(({ ranks }) => peak(ranks)), peak(end.ranks)],
    end: end.ranks.map(({ mdsLoad }) => mdsLoad),
    migrations: migrations.length,
    returns: pingPongs.reduce((sum, { returns }) => sum + returns, 0),
  };
}
