// `npm run bench -- scaling`: the same command with one thread and with two, by wall time.
import { benchMaps, mapFileBytes } from './support/bench-maps.mjs';
import { EXAMPLE_OSDMAP } from './support/osd-maps.mjs';
import {
  crushWasm,
  hasThreads,
  inTemporaryFolder,
  isInstalled,
  makeOsdMap,
  runTimed,
  whyNot,
  writeInto,
} from './support/processes.mjs';
import { digits, machine, printTable, skip, times, writeResult } from './support/report.mjs';
import { alternate, median, summary } from './support/rounds.mjs';
import { QUICK, ROUNDS } from './support/settings.mjs';

const PGS = QUICK ? 20_000 : 1_000_000;
const FEW_PGS = 1000;

/** Prints and writes the benchmark. */
export async function run() {
  if (!hasThreads()) return void skip('scaling', 'the commands take no --threads');
  if (!isInstalled('bash')) return void skip('scaling', 'bash, which takes the time, is not installed');
  const counts = [1, 2, 4, 8, 16].filter((threads) => threads <= Math.max(2, machine().cores));
  const { name, runs, starts } = inTemporaryFolder((folder) => {
    const target = osdMap(folder);
    const measured = (pgs) =>
      alternate(
        Object.fromEntries(
          counts.map((threads) => [
            threads,
            () => {
              const args = [
                '--mark-up-in',
                '--test-map-pgs',
                '--pool',
                '1',
                '--pg_num',
                pgs,
                '--threads',
                threads,
              ];
              return runTimed(crushWasm('osdmaptool', target.file, ...args.map(String)));
            },
          ]),
        ),
        ROUNDS,
      );
    return { name: target.name, runs: measured(PGS), starts: measured(FEW_PGS) };
  });
  const [single] = Object.values(runs);
  const rows = Object.entries(runs).map(([threads, figures]) => ({
    threads: Number(threads),
    wall: summary(figures.map(({ wall }) => wall)),
    cpu: summary(figures.map(({ user, system }) => user + system)),
    fewPgsWall: summary(starts[threads].map(({ wall }) => wall)),
    speedUp: median(single.map(({ wall }) => wall)) / median(figures.map(({ wall }) => wall)),
    sameBytes: figures.every(({ stdout }, round) => stdout.equals(single[round].stdout)),
  }));
  printTable(
    `osdmaptool --test-map-pgs, ${digits(PGS)} PGs on ${name}, milliseconds, median`,
    [
      ['threads', ({ threads }) => threads],
      ['wall', ({ wall }) => digits(wall.median)],
      ['least', ({ wall }) => digits(wall.min)],
      ['CPU', ({ cpu }) => digits(cpu.median)],
      [`wall of ${digits(FEW_PGS)} PGs`, ({ fewPgsWall }) => digits(fewPgsWall.median)],
      ['speed-up', ({ speedUp }) => times(speedUp)],
      ['output', ({ sameBytes }) => (sameBytes ? 'same bytes' : 'DIFFERS')],
    ],
    rows,
  );
  writeResult('scaling', { name, pgs: PGS, rows });
}

/** The 10,080-OSD map where osdmaptool can make one, else the example. */
function osdMap(folder) {
  if (whyNot('osdmaptool') !== undefined) return { name: 'examples/cluster-8osd', file: EXAMPLE_OSDMAP };
  const [entry] = benchMaps(['l']);
  const crushFile = writeInto(folder, 'crushmap', mapFileBytes(entry));
  return { name: entry.name, file: makeOsdMap(folder, entry.map.maxDevices, crushFile) };
}
