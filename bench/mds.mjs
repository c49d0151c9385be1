// `npm run bench -- mds`: beats a second of the metadata simulation, from a thousand directories to a million, under
// loads that settle and loads that never do.
import { buildWorkload, simulate } from '../dist/mds.js';
import { digits, printTable, writeResult } from './support/report.mjs';
import { cpuTime, summary } from './support/rounds.mjs';
import { QUICK, ROUNDS, SEED } from './support/settings.mjs';

const RANKS = 16;
const BEATS = QUICK ? 20 : 400;
const INTERVAL = 10;
/** Directories in each directory, at three depths: a thousand, a hundred thousand, a million. */
const WIDTHS = QUICK ? [10] : [10, 46, 100];

/** Loads on all directories, and besides on ten that others take the place of every minute or every beat. */
const LOADS = {
  steady: [],
  'hot spots, every minute': [{ totalRate: 4000, spots: 10, movesEvery: 60 }],
  'hot spots, every beat': [{ totalRate: 4000, spots: 10, movesEvery: INTERVAL }],
};

/** Prints and writes the benchmark. */
export function run() {
  const rows = WIDTHS.flatMap((width) => Object.keys(LOADS).map((name) => measure(width, name)));
  printTable(
    `Metadata servers: ${RANKS} ranks, ${BEATS} beats, CPU time on one core`,
    [
      ['directories', ({ directories }) => digits(directories)],
      ['load', ({ load }) => load],
      ['exports', ({ exports }) => digits(exports)],
      ['begin, s', ({ begin }) => digits(begin.median / 1000)],
      ['beats a second', ({ beatsPerSecond }) => digits(beatsPerSecond)],
      ['with the beginning', ({ allBeatsPerSecond }) => digits(allBeatsPerSecond)],
    ],
    rows,
  );
  writeResult('mds', { ranks: RANKS, beats: BEATS, rows });
}

/** Beats a second apart from what it takes to begin: the same simulation of one beat is measured beside it. */
function measure(width, name) {
  const all = '/d*/d*/d*';
  const description = {
    directories: [{ path: `/d{1..${width}}/d{1..${width}}/d{1..${width}}`, files: 10 }],
    loads: [
      { in: all, op: 'stat', totalRate: 5000 },
      { in: all, op: 'open-write', totalRate: 1000 },
      ...LOADS[name].map((more) => ({ in: all, op: 'stat', ...more })),
    ],
  };
  const workload = buildWorkload(description, { seed: SEED, seconds: (BEATS + 1) * INTERVAL });
  const short = [];
  const long = [];
  let result;
  for (let round = 0; round < Math.min(ROUNDS, 3); round++) {
    short.push(cpuTime(() => simulate({ workload, ranks: RANKS, beats: 1, seed: SEED })));
    long.push(cpuTime(() => (result = simulate({ workload, ranks: RANKS, beats: BEATS, seed: SEED }))));
  }
  const [begin, whole] = [summary(short), summary(long)];
  return {
    directories: result.directories,
    load: name,
    exports: result.migrations.length,
    begin,
    whole,
    beatsPerSecond: ((BEATS - 1) * 1000) / Math.max(1, whole.median - begin.median),
    allBeatsPerSecond: (BEATS * 1000) / whole.median,
  };
}
