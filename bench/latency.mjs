// `npm run bench -- latency`: how long one mapping takes through the public API when it is asked for alone, and how long
// it takes from the start of a process to its first mapping.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Bench } from 'tinybench';
import { createMapper, CrushMapper } from '../dist/index.js';
import { benchMaps, benchRules, mapFileBytes } from './support/bench-maps.mjs';
import { crushtoolPerMapping, inputsForCrushtool } from './support/crushtool.mjs';
import { EXAMPLE_OSDMAP, osdMapOver } from './support/osd-maps.mjs';
import { inTemporaryFolder, whyNot, writeInto } from './support/processes.mjs';
import { digits, printTable, skip, times, writeResult } from './support/report.mjs';
import { alternate, cpuNow, summary } from './support/rounds.mjs';
import { FIRST_INPUT, QUICK, ROOT } from './support/settings.mjs';

const MAPS = ['s', 'l'];
/** Calls a sample: one alone is too short for the clock. */
const CALLS = QUICK ? 100 : 2000;
const STARTS = QUICK ? 3 : 11;
const CRUSHTOOL_MS = QUICK ? 30 : 500;
const CRUSHTOOL_ROUNDS = QUICK ? 1 : 5;
const PG_NUM = 1 << 20;

/** Prints and writes the benchmark. */
export async function run() {
  const skipped = [];
  const missing = whyNot('crushtool');
  if (missing !== undefined) skipped.push(skip("latency, crushtool's figures", missing));
  const native = missing === undefined ? crushtoolFigures() : undefined;
  const calls = MAPS.flatMap((id) => measureCalls(id, native));
  printTable(
    'One mapping at a time, CPU microseconds',
    [
      ['call', ({ call }) => call],
      ['on', ({ name }) => name],
      ['median', ({ microseconds }) => digits(microseconds.median)],
      ['least', ({ microseconds }) => digits(microseconds.min)],
      ['crushtool, in a long run', ({ crushtool }) => digits(crushtool)],
      ['times less', ({ crushtool, microseconds }) => times(crushtool / microseconds.median)],
    ],
    calls,
  );
  const start = measureStart();
  printTable(
    `From process start to the first mapping of examples/, milliseconds of wall time, ${STARTS} starts`,
    [
      ['part', ({ part }) => part],
      ['median', ({ milliseconds }) => digits(milliseconds.median)],
      ['least', ({ milliseconds }) => digits(milliseconds.min)],
    ],
    start,
  );
  writeResult('latency', { calls, start, skipped });
}

/** CPU microseconds of crushtool by map and rule. */
function crushtoolFigures() {
  return inTemporaryFolder((folder) => {
    const figures = new Map();
    for (const entry of benchMaps(MAPS)) {
      const file = writeInto(folder, entry.id, mapFileBytes(entry));
      for (const rule of benchRules(entry)) {
        const inputs = inputsForCrushtool(file, rule, CRUSHTOOL_MS);
        const { crushtool } = alternate(
          { crushtool: () => crushtoolPerMapping(file, rule, inputs) },
          CRUSHTOOL_ROUNDS,
        );
        figures.set(`${entry.id} ${rule.label}`, summary(crushtool).median);
      }
    }
    return figures;
  });
}

function measureCalls(id, native) {
  const [entry] = benchMaps([id]);
  const { map, name, chooseArgs } = entry;
  const bench = new Bench({
    now: cpuNow,
    time: QUICK ? 5 : 300,
    iterations: QUICK ? 3 : 20,
    warmupTime: QUICK ? 5 : 200,
  });
  const crushtool = [];
  const add = (call, label, map1) => {
    let next = FIRST_INPUT;
    bench.add(call, () => {
      for (let i = 0; i < CALLS; i++) map1(next++);
    });
    crushtool.push(native?.get(`${id} ${label}`));
  };

  const mapper = new CrushMapper(map);
  for (const { rule, size, label } of benchRules(entry)) {
    const out = { items: new Int32Array(size), lengths: new Int32Array(1), seeds: new Int32Array(1) };
    add(`mapRange, ${label}`, label, (first) => mapper.mapRange({ rule, size, first, count: 1, chooseArgs }));
    const reused = { rule, size, first: 0, count: 1, chooseArgs, out };
    add(`mapRange into out, ${label}`, label, (first) => {
      reused.first = first;
      mapper.mapRange(reused);
    });
  }
  const pgs = createMapper(osdMapOver(map, PG_NUM));
  add('mapPg, firstn 3', 'firstn 3', (ps) => pgs.mapPg(1, ps % PG_NUM));
  add('mapObject, firstn 3', 'firstn 3', (number) => pgs.mapObject(1, `rbd_data.${number}`));

  bench.runSync();
  return bench.tasks.map(({ name: call, result }, i) => {
    const microseconds = (milliseconds) => (milliseconds * 1000) / CALLS;
    const { p50, min } = result.latency;
    return {
      call,
      map: id,
      name,
      microseconds: { median: microseconds(p50), min: microseconds(min) },
      crushtool: crushtool[i],
    };
  });
}

/** Processes that map one PG of the example and end, beside processes that do nothing. */
function measureStart() {
  const timed = (...args) => {
    const started = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${args.join(' ')}: exit ${status}\n${stderr}`);
    return { wall: performance.now() - started, stdout };
  };
  const child = join(ROOT, 'bench/first-mapping.child.mjs');
  const runs = alternate(
    {
      nothing: () => timed('--input-type=module', '-e', '').wall,
      mapping: () => {
        const { wall, stdout } = timed(child, EXAMPLE_OSDMAP);
        const { sinceStart, milliseconds } = JSON.parse(stdout);
        const own = Object.values(milliseconds).reduce((sum, each) => sum + each, 0);
        return {
          'process start to first mapping': sinceStart,
          'whole process': wall,
          'our own code': own,
          ...milliseconds,
        };
      },
    },
    STARTS,
  );
  const parts = Object.keys(runs.mapping[0]);
  return [
    ...parts.map((part) => ({ part, milliseconds: summary(runs.mapping.map((run) => run[part])) })),
    { part: 'whole process of Node that does nothing', milliseconds: summary(runs.nothing) },
  ];
}
