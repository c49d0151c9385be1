/**
 * What a run of the benchmarks can be told, all by environment variables:
 *
 *   CRUSH_BENCH_QUICK=1     a few short rounds, to see that everything runs; the figures mean little
 *   CRUSH_BENCH_ROUNDS=N    rounds of every comparison (9)
 *   CRUSH_BENCH_SEED=N      where the inputs and the random maps come from (1)
 *   CRUSH_BENCH_OUT=FOLDER  where the JSON goes (bench/results)
 *   CRUSH_CORPUS=FOLDER     a folder with bench-maps/*.crushmap, measured too
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const QUICK = (process.env.CRUSH_BENCH_QUICK ?? '0') !== '0';

/** Rounds in which contestants take turns. */
export const ROUNDS = wholeNumber('CRUSH_BENCH_ROUNDS', QUICK ? 3 : 9, 1);

export const SEED = wholeNumber('CRUSH_BENCH_SEED', 1, 0);

/** The first input x: drawn from the seed, the same for every contestant. */
export const FIRST_INPUT = Math.imul(SEED, 0x9e3779b1) >>> 2;

export const RESULTS = process.env.CRUSH_BENCH_OUT ?? join(ROOT, 'bench/results');

export const CORPUS = process.env.CRUSH_CORPUS;

function wholeNumber(name, usual, least) {
  const value = Number(process.env[name] ?? usual);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(`${name} takes a whole number from ${least} on, not '${process.env[name]}'`);
}
