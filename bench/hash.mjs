// `npm run bench -- hash`: the lanes' hash alone, one to four chains interleaved: the least that a draw can cost.
import { Bench } from 'tinybench';
import { hashChains } from './support/hash-chains.mjs';
import { digits, printTable, skip, writeResult } from './support/report.mjs';
import { cpuNow } from './support/rounds.mjs';
import { QUICK } from './support/settings.mjs';

const CALLS = QUICK ? 1000 : 100_000;

/** Nanoseconds of CPU time a hash, by chains: `[{ chains, median, min }]`. */
export async function measureHash() {
  const chains = await hashChains();
  if (chains === undefined) return undefined;
  const bench = new Bench({ now: cpuNow, time: QUICK ? 5 : 400, iterations: 9, warmupTime: QUICK ? 5 : 200 });
  for (const { chains: count, run } of chains) bench.add(String(count), () => run(CALLS));
  bench.runSync();
  return bench.tasks.map(({ name, result }) => {
    const nanoseconds = (milliseconds) => (milliseconds * 1e6) / (CALLS * Number(name) * 4);
    return {
      chains: Number(name),
      median: nanoseconds(result.latency.p50),
      min: nanoseconds(result.latency.min),
    };
  });
}

/** Prints and writes the benchmark. */
export async function run() {
  const rows = await measureHash();
  if (rows === undefined) return void skip('hash', 'this engine has no SIMD');
  printHash(rows);
  writeResult('hash', { unit: 'ns CPU time a hash', rows });
}

/** The table of {@link measureHash}. */
export function printHash(rows) {
  printTable(
    "The lanes' hash alone, ns a hash",
    [
      ['chains', ({ chains }) => chains],
      ['median', ({ median }) => digits(median)],
      ['least', ({ min }) => digits(min)],
    ],
    rows,
  );
}
