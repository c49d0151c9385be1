/** What the plots of a level show, as columns. */
import type { DistributionLevel } from '../../worker/topics/distribution.ts';

/** By what the rows of a plot stand in order. */
export type PlotOrder = 'id' | 'deviation' | 'weight';

/** The rows of the plot and of the table, in an order. */
export function orderedRows(level: DistributionLevel, order: PlotOrder): Uint32Array {
  const rows = Uint32Array.from({ length: level.ids.length }, (_, i) => i);
  if (order === 'id') return rows;
  const key =
    order === 'weight' ? (row: number) => level.weights[row] ?? 0 : (row: number) => deviationOf(level, row);
  return rows.sort((a, b) => key(a) - key(b) || a - b);
}

/** Count over expected, less 1; rows that expect nothing: 0 without a count, infinite with one. */
export function deviationOf({ counts, expected }: DistributionLevel, row: number): number {
  const wanted = expected[row] ?? 0;
  const count = counts[row] ?? 0;
  if (wanted > 0) return count / wanted - 1;
  return count > 0 ? Number.POSITIVE_INFINITY : 0;
}

/** How many standard deviations a count is off; 0 where there is no chance in it. */
export function scoreOf(level: DistributionLevel, row: number): number {
  const sigma = level.sigmas[row] ?? 0;
  return sigma > 0 ? ((level.counts[row] ?? 0) - (level.expected[row] ?? 0)) / sigma : 0;
}

/** Position, the band in percent within which chance alone leaves 95 of 100, and the deviation in percent. */
export function deviationPlot(
  level: DistributionLevel,
  rows: Uint32Array,
): [Float64Array, (number | null)[], (number | null)[], (number | null)[]] {
  const at: number[] = [];
  const off: (number | null)[] = [];
  const high: (number | null)[] = [];
  const low: (number | null)[] = [];
  for (const row of rows) {
    const wanted = level.expected[row] ?? 0;
    at.push(at.length);
    const isKnown = wanted > 0;
    const spread = isKnown ? (196 * (level.sigmas[row] ?? 0)) / wanted : 0;
    off.push(isKnown ? 100 * deviationOf(level, row) : null);
    high.push(isKnown ? spread : null);
    // Nothing has less than no shards.
    low.push(isKnown ? Math.max(-100, -spread) : null);
  }
  return [Float64Array.from(at), high, low, off];
}

/** Rows by how many standard deviations they are off, in bins of a half, and what chance alone makes of it. */
export function scoreHistogram(level: DistributionLevel): [number[], number[], number[]] {
  const scores: number[] = [];
  for (let row = 0; row < level.ids.length; row++) {
    if ((level.sigmas[row] ?? 0) > 0) scores.push(scoreOf(level, row));
  }
  const reach = Math.min(20, Math.max(4, Math.ceil(Math.max(0, ...scores.map(Math.abs)))));
  const bins = 4 * reach + 1;
  const centre = (bin: number): number => bin / 2 - reach;
  const found = new Array<number>(bins).fill(0);
  for (const score of scores) {
    const bin = Math.max(0, Math.min(bins - 1, Math.round((score + reach) * 2)));
    found[bin] = (found[bin] ?? 0) + 1;
  }
  const centres = found.map((_, bin) => centre(bin));
  const chance = centres.map((x) => (scores.length * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI) / 2);
  return [centres, found, chance];
}
