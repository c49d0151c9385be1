/**
 * How time is taken: contestants take turns (A B C A B C ...), so that a machine that slows down slows all of them,
 * and what counts is the median of the rounds; the minimum stands beside it.
 */

/** CPU milliseconds of this process so far: what other processes do does not count. */
export function cpuNow() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU milliseconds that `work` takes. */
export function cpuTime(work) {
  const started = cpuNow();
  work();
  return cpuNow() - started;
}

/**
 * Runs every contestant once a round.
 *
 * @param contestants - by name, functions that measure themselves and return a figure, or an object of figures
 * @returns the figures of each contestant, a round after the other
 */
export function alternate(contestants, rounds) {
  const figures = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(contestants)) figures[name].push(measure());
  }
  return figures;
}

/** The middle one, or the mean of the two in the middle. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median and minimum of figures of which less is better. */
export function summary(numbers) {
  return { median: median(numbers), min: Math.min(...numbers) };
}

export function geometricMean(numbers) {
  return Math.exp(numbers.reduce((sum, each) => sum + Math.log(each), 0) / numbers.length);
}
