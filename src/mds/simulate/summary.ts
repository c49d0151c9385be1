/** A simulation in a few numbers, to compare one with another. */
import type { RankLoad, SimulationResult } from './result.ts';

/** What a simulation comes to. */
export interface SimulationSummary {
  /** Load of the busiest rank, as a multiple of the mean of all ranks: on average over beats from the second on. */
  readonly meanImbalance: number;
  /** The same in the beat in which it is most, from the second on. */
  readonly worstImbalance: number;
  /** The same at the end. */
  readonly endImbalance: number;
  readonly exports: number;
  /** How often a subtree came back shortly after it had left. */
  readonly returns: number;
}

/** Sums a simulation up. */
export function summarize({ beats, end, migrations, pingPongs }: SimulationResult): SimulationSummary {
  const later = [...beats.slice(1).map(({ ranks }) => imbalance(ranks)), imbalance(end.ranks)];
  return {
    meanImbalance: later.reduce((sum, each) => sum + each, 0) / later.length,
    worstImbalance: Math.max(...later),
    endImbalance: imbalance(end.ranks),
    exports: migrations.length,
    returns: pingPongs.reduce((sum, { returns }) => sum + returns, 0),
  };
}

/** Load of the busiest rank by the mean of all; 1 where there is no load at all. */
function imbalance(ranks: readonly RankLoad[]): number {
  const loads = ranks.map(({ mdsLoad }) => mdsLoad);
  const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  return mean > 0 ? Math.max(...loads) / mean : 1;
}
