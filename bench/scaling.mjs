// `npm run bench -- scaling`: the same job with one thread and with several, by wall time: through the API, with workers
// that are there and with workers that must be started; and as a command, from the start of the process to its end.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
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
import { QUICK, ROOT, ROUNDS } from './support/settings.mjs';

/** The first are few, to see what threads cost to start. */
const COMMAND_PGS = QUICK ? [1000, 20_000] : [1000, 1_000_000, 10_000_000];
const API_PGS = QUICK ? [20_000] : [1_000_000, 10_000_000];

/** Prints and writes the benchmark. */
export async function run() {
  if (!hasThreads()) return void skip('scaling', 'the commands take no --threads');
  if (!isInstalled('bash')) return void skip('scaling', 'bash, which takes the time, is not installed');
  const counts = [1, 2, 4, 8, 16].filter((threads) => threads <= Math.max(2, machine().cores));
  const [entry] = benchMaps(['l']);
  const figures = inTemporaryFolder((folder) => {
    const crushFile = writeInto(folder, 'crushmap', mapFileBytes(entry));
    return {
      api: API_PGS.flatMap((pgs) => measureApi(crushFile, pgs, counts.slice(1))),
      commands: measureCommands(osdMap(folder, entry, crushFile), counts),
    };
  });
  printTable(
    `Through the API, mapPool on ${entry.name}, the main thread not idle, milliseconds of wall time, median`,
    [
      ['PGs', ({ pgs }) => digits(pgs)],
      ['threads', ({ threads }) => threads],
      ['one thread', ({ one }) => digits(one.median)],
      ['workers there', ({ several }) => digits(several.median)],
      ['speed-up', ({ speedUp }) => times(speedUp)],
      ['workers to start', ({ started }) => digits(started.median)],
      ['speed-up', ({ startedSpeedUp }) => times(startedSpeedUp)],
      ['results', ({ same }) => (same ? 'the same' : 'DIFFER')],
    ],
    figures.api,
  );
  printTable(
    `osdmaptool --test-map-pgs on ${figures.commands[0].name}, the whole process, milliseconds, median`,
    [
      ['PGs', ({ pgs }) => digits(pgs)],
      ['threads', ({ threads }) => threads],
      ['wall', ({ wall }) => digits(wall.median)],
      ['least', ({ wall }) => digits(wall.min)],
      ['CPU', ({ cpu }) => digits(cpu.median)],
      ['speed-up', ({ speedUp }) => times(speedUp)],
      ['output', ({ sameBytes }) => (sameBytes ? 'same bytes' : 'DIFFERS')],
    ],
    figures.commands,
  );
  writeResult('scaling', { unit: 'milliseconds', name: entry.name, ...figures });
}

/** One process for each number of threads; its rounds take turns. */
function measureApi(crushFile, pgs, counts) {
  return counts.map((threads) => {
    const child = join(ROOT, 'bench/scaling-api.child.mjs');
    const args = [child, crushFile, pgs, threads, ROUNDS].map(String);
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${args.join(' ')}: exit ${status}\n${stderr}`);
    const { one, several, started, same } = JSON.parse(stdout);
    const speedUp = median(one) / median(several);
    const startedSpeedUp = median(one) / median(started);
    return {
      pgs,
      threads,
      one: summary(one),
      several: summary(several),
      speedUp,
      started: summary(started),
      startedSpeedUp,
      same,
    };
  });
}

function measureCommands({ name, file }, counts) {
  return COMMAND_PGS.flatMap((pgs) => {
    const args = [
      'osdmaptool',
      file,
      '--mark-up-in',
      '--test-map-pgs',
      '--pool',
      '1',
      '--pg_num',
      String(pgs),
    ];
    const contestants = counts.map((threads) => [
      threads,
      () => runTimed(crushWasm(...args, '--threads', String(threads))),
    ]);
    const runs = alternate(Object.fromEntries(contestants), ROUNDS);
    const [single] = Object.values(runs);
    return Object.entries(runs).map(([threads, each]) => ({
      name,
      pgs,
      threads: Number(threads),
      wall: summary(each.map(({ wall }) => wall)),
      cpu: summary(each.map(({ user, system }) => user + system)),
      speedUp: median(single.map(({ wall }) => wall)) / median(each.map(({ wall }) => wall)),
      sameBytes: each.every(({ stdout }, round) => stdout.equals(single[round].stdout)),
    }));
  });
}

/** An OSDMap over a CRUSH map's file where osdmaptool can make one, else the example. */
function osdMap(folder, entry, crushFile) {
  if (whyNot('osdmaptool') !== undefined) return { name: 'examples/cluster-8osd', file: EXAMPLE_OSDMAP };
  return { name: entry.name, file: makeOsdMap(folder, entry.map.maxDevices, crushFile) };
}
