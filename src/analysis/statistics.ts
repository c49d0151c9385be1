/** The few statistics that distributions are judged by. */

/**
 * Probability that chance alone gives a chi-squared as great or greater, by Wilson and Hilferty's approximation:
 * good to a percent or so from three degrees of freedom on.
 */
export function chiSquaredTail(chiSquared: number, degrees: number): number {
  if (degrees < 1) return 1;
  const spread = 2 / (9 * degrees);
  const normal = (Math.cbrt(chiSquared / degrees) - (1 - spread)) / Math.sqrt(spread);
  return normalTail(normal);
}

/**
 * Probability that a normal variable is greater than `z` (Abramowitz and Stegun 26.2.17, good to 7.5e-8).
 */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const polynomial =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}

/** How far counts of a level lie from what was expected of them. */
export interface SpreadStatistics {
  /** Root mean square of count / expected - 1. */
  readonly spread: number;
  /** What sampling alone gives for it, see `Share.sigma`. */
  readonly chance: number;
  /** What of the spread sampling does not explain. */
  readonly beyondChance: number;
  /** Sum of the squares of (count - expected) / sigma, scaled to its degrees of freedom. */
  readonly chiSquared: number;
  /** Degrees of freedom: rows that expect something, less one. */
  readonly degrees: number;
  /** Probability that sampling alone gives as great a chi-squared. */
  readonly probability: number;
  /** Row with the greatest count / expected; -1 where no row expects anything. */
  readonly fullest: number;
  /** Row with the least count / expected; -1 where no row expects anything. */
  readonly emptiest: number;
}

/** A count with what was expected of it. */
export interface CountedShare {
  readonly count: number;
  readonly expected: number;
  readonly sigma: number;
}

/** Statistics of the rows that expect anything. */
export function spreadStatistics(rows: readonly CountedShare[]): SpreadStatistics {
  let squares = 0;
  let chances = 0;
  let scores = 0;
  let fullest = -1;
  let emptiest = -1;
  let used = 0;
  const ratio = (row: number): number => (rows[row]?.count ?? 0) / (rows[row]?.expected ?? 1);
  for (const [row, { count, expected, sigma }] of rows.entries()) {
    if (expected <= 0) continue;
    used++;
    squares += (count / expected - 1) ** 2;
    chances += (sigma / expected) ** 2;
    // Without any variance (a host in every mapping) only the very number is what was expected.
    if (sigma > 0) scores += ((count - expected) / sigma) ** 2;
    if (fullest < 0 || ratio(row) > ratio(fullest)) fullest = row;
    if (emptiest < 0 || ratio(row) < ratio(emptiest)) emptiest = row;
  }
  const degrees = Math.max(0, used - 1);
  const chiSquared = used === 0 ? 0 : (scores * degrees) / used;
  const mean = (sum: number): number => (used === 0 ? 0 : sum / used);
  return {
    spread: Math.sqrt(mean(squares)),
    chance: Math.sqrt(mean(chances)),
    beyondChance: Math.sqrt(Math.max(0, mean(squares) - mean(chances))),
    chiSquared,
    degrees,
    probability: chiSquaredTail(chiSquared, degrees),
    fullest,
    emptiest,
  };
}
