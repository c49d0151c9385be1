// `npm run bench -- kernels`: mappings a second of every bench map, rule and kernel, in one thread's CPU time.
import { CrushMapper } from '../dist/index.js';
import { measureHash, printHash } from './hash.mjs';
import { benchMaps, benchRules } from './support/bench-maps.mjs';
import { hashesPerMapping } from './support/hash-count.mjs';
import { digits, printTable, times, writeResult } from './support/report.mjs';
import { alternate, cpuTime, geometricMean, median, summary } from './support/rounds.mjs';
import { FIRST_INPUT, QUICK, ROUNDS } from './support/settings.mjs';

export const KERNELS = ['scalar', 'item-lanes', 'task-lanes'];
const KERNEL_NAMES = { scalar: 'scalar', 'item-lanes': 'item lanes', 'task-lanes': 'task lanes' };

/** CPU milliseconds that the scalar kernel is to take a round. */
const ROUND_MS = QUICK ? 2 : 50;
/** Rounds of mappers that are made anew. */
const COLD_ROUNDS = QUICK ? 1 : 3;
const WARM_UP_CALLS = QUICK ? 1 : 5;
/** Mappings whose hashes are counted. */
const SAMPLE = QUICK ? 16 : 256;

/** Rows that go into each geometric mean. */
const GROUPS = {
  'straw2, rules 0 and 1': (id) => ['s', 'm', 'l', 'flat', 'mixed', 'mixed_cs'].includes(id),
  'straw, old tunables': (id) => id === 'oldtun',
  'MSR rules': (id) => id.startsWith('msr'),
  all: () => true,
};

/** Prints and writes the benchmark. */
export async function run() {
  const hash = await measureHash();
  if (hash !== undefined) printHash(hash);
  const rows = [];
  for (const entry of benchMaps()) {
    for (const rule of benchRules(entry)) rows.push(...(await measureRule(entry, rule)));
  }
  const hashAlone = hash?.at(-1).median;
  for (const row of rows) row.overHashAlone = row.nanosecondsPerHash.median / hashAlone;
  printRows(rows);
  const means = groupMeans(rows);
  printTable(
    'Over the scalar kernel',
    [
      ['rows', ({ group }) => group],
      ['kernel', ({ kernel }) => KERNEL_NAMES[kernel]],
      ['geometric mean', ({ mean }) => times(mean)],
      ['least', ({ least, leastRow }) => `${times(least)}  (${leastRow})`],
    ],
    means,
  );
  writeResult('kernels', {
    clock: 'CPU time of the process',
    hashes: 'item hashes a mapping, counted by the reference mapper',
    hash,
    rows,
    geometricMeans: means,
  });
}

/** One row a kernel for a map and rule. Throws where the kernels do not agree. */
async function measureRule({ id, name, map, chooseArgs }, { rule, size, label }) {
  const request = { rule, size, first: FIRST_INPUT, chooseArgs };
  const hashes = await hashesPerMapping(map, request, SAMPLE);
  const count = inputsFor(map, request);
  const mapAll = (mapper, out) => mapper.mapRange({ ...request, count, out });
  const perKernel = (measure) => Object.fromEntries(KERNELS.map((kernel) => [kernel, measure(kernel)]));

  // Cold: the map is encoded, the kernel made, and its memory touched for the first time.
  const cold = alternate(
    perKernel((kernel) => () => cpuTime(() => mapAll(new CrushMapper(map, { kernel })))),
    COLD_ROUNDS,
  );

  const mappers = perKernel((kernel) => new CrushMapper(map, { kernel }));
  const outs = perKernel((kernel) => mapAll(mappers[kernel]));
  for (const kernel of KERNELS) {
    if (!sameItems(outs[kernel], outs.scalar)) throw new Error(`${kernel} differs: ${name}, ${label}`);
    for (let i = 0; i < WARM_UP_CALLS; i++) mapAll(mappers[kernel], outs[kernel]);
  }
  const warm = alternate(
    perKernel((kernel) => () => cpuTime(() => mapAll(mappers[kernel], outs[kernel]))),
    ROUNDS,
  );

  const perSecond = (milliseconds) => (count / milliseconds) * 1000;
  return KERNELS.map((kernel) => {
    const { median: usual, min: least } = summary(warm[kernel]);
    return {
      map: id,
      name,
      rule,
      size,
      label,
      kernel,
      inputs: count,
      hashesPerMapping: hashes,
      mappingsPerSecond: {
        median: perSecond(usual),
        best: perSecond(least),
        cold: perSecond(median(cold[kernel])),
      },
      nanosecondsPerHash: { median: (usual * 1e6) / count / hashes, min: (least * 1e6) / count / hashes },
      overScalar: median(warm.scalar) / usual,
    };
  });
}

/** So many inputs that the scalar kernel is busy for a round. */
function inputsFor(map, request) {
  const mapper = new CrushMapper(map, { kernel: 'scalar' });
  let count = 64;
  for (;;) {
    const milliseconds = cpuTime(() => mapper.mapRange({ ...request, count }));
    if (milliseconds >= ROUND_MS / 4) return Math.max(64, Math.round((count * ROUND_MS) / milliseconds));
    count *= 2;
  }
}

function sameItems(one, other) {
  return one.items.every((item, i) => item === other.items[i]);
}

function groupMeans(rows) {
  return Object.entries(GROUPS).flatMap(([group, has]) =>
    KERNELS.filter((kernel) => kernel !== 'scalar').map((kernel) => {
      const members = rows.filter((row) => row.kernel === kernel && has(row.map));
      const least = members.reduce((a, b) => (b.overScalar < a.overScalar ? b : a));
      return {
        group,
        kernel,
        mean: geometricMean(members.map(({ overScalar }) => overScalar)),
        least: least.overScalar,
        leastRow: `${least.name}, ${least.label}`,
      };
    }),
  );
}

function printRows(rows) {
  const onFirst = (text) => (row) => (row.kernel === KERNELS[0] ? text(row) : '');
  printTable(
    'Mappings a second, CPU time of one thread (cold: a new mapper, its map encoded; ' +
      'hash alone: how many times a hash of four chains alone)',
    [
      ['map', onFirst(({ name }) => name)],
      ['rule', onFirst(({ label }) => label)],
      ['hashes', onFirst(({ hashesPerMapping: hashes }) => digits(hashes))],
      ['kernel', ({ kernel }) => KERNEL_NAMES[kernel]],
      ['median', ({ mappingsPerSecond }) => digits(mappingsPerSecond.median)],
      ['best', ({ mappingsPerSecond }) => digits(mappingsPerSecond.best)],
      ['cold', ({ mappingsPerSecond }) => digits(mappingsPerSecond.cold)],
      ['ns/hash', ({ nanosecondsPerHash }) => digits(nanosecondsPerHash.median)],
      ['hash alone', ({ overHashAlone }) => times(overHashAlone)],
      ['over scalar', ({ overScalar }) => times(overScalar)],
    ],
    rows,
  );
}
