// `npm run bench -- growth`: how the time grows with the cluster, and with the number of PGs; the kernel is the one that
// the library chooses itself.
import { CrushMapper } from '../dist/index.js';
import { hashesPerMapping } from './support/hash-count.mjs';
import { makeMap, weight } from './support/maps.mjs';
import { digits, printTable, writeResult } from './support/report.mjs';
import { alternate, cpuTime, median, summary } from './support/rounds.mjs';
import { FIRST_INPUT, QUICK, ROUNDS } from './support/settings.mjs';

const SHAPES = [
  { hosts: 10, osds: 10 },
  { racks: 10, hosts: 10, osds: 10 },
  { racks: 20, hosts: 20, osds: 25 },
  { racks: 50, hosts: 40, osds: 50 },
];
const INPUTS = QUICK ? 500 : 20_000;
const PG_COUNTS = QUICK ? [100, 1000] : [1000, 10_000, 100_000, 1_000_000, 10_000_000];
const SAMPLE = QUICK ? 16 : 256;
const REQUEST = { rule: 0, size: 3, first: FIRST_INPUT };

/** Prints and writes the benchmark. */
export async function run() {
  const maps = SHAPES.map((shape) => makeMap(shape, { weight: weight(7.277) }));
  const clusters = await growthWithOsds(maps);
  printTable(
    'With the cluster: firstn 3 on hosts, CPU time',
    [
      ['OSDs', ({ osds }) => digits(osds)],
      ['hashes', ({ hashesPerMapping: hashes }) => digits(hashes)],
      ['new mapper, ms', ({ newMapper }) => digits(newMapper.median)],
      ['mappings/s', ({ mappingsPerSecond }) => digits(mappingsPerSecond)],
      ['ns/hash', ({ nanosecondsPerHash }) => digits(nanosecondsPerHash)],
    ],
    clusters,
  );
  const pgs = growthWithPgs(maps[1]);
  printTable(
    'With the PGs: 1,000 OSDs, firstn 3 on hosts, all in one call that allocates, CPU time',
    [
      ['PGs', ({ count }) => digits(count)],
      ['ms', ({ milliseconds }) => digits(milliseconds.median)],
      ['mappings/s', ({ mappingsPerSecond }) => digits(mappingsPerSecond)],
    ],
    pgs,
  );
  writeResult('growth', { clusters, pgs });
}

async function growthWithOsds(maps) {
  const mappers = maps.map((map) => new CrushMapper(map));
  const outs = mappers.map((mapper) => mapper.mapRange({ ...REQUEST, count: INPUTS }));
  const perMap = (measure) =>
    alternate(Object.fromEntries(maps.map((map, i) => [`${map.maxDevices}`, () => measure(map, i)])), ROUNDS);
  const warm = perMap((_, i) =>
    cpuTime(() => mappers[i].mapRange({ ...REQUEST, count: INPUTS, out: outs[i] })),
  );
  const fresh = perMap((map) => cpuTime(() => new CrushMapper(map)));
  return Promise.all(
    maps.map(async (map) => {
      const hashes = await hashesPerMapping(map, REQUEST, SAMPLE);
      const seconds = median(warm[map.maxDevices]) / 1000 / INPUTS;
      return {
        osds: map.maxDevices,
        hashesPerMapping: hashes,
        newMapper: summary(fresh[map.maxDevices]),
        mappingsPerSecond: 1 / seconds,
        nanosecondsPerHash: (seconds * 1e9) / hashes,
      };
    }),
  );
}

function growthWithPgs(map) {
  const mapper = new CrushMapper(map);
  mapper.mapRange({ ...REQUEST, count: PG_COUNTS[0] });
  const runs = alternate(
    Object.fromEntries(
      PG_COUNTS.map((count) => [`${count}`, () => cpuTime(() => mapper.mapRange({ ...REQUEST, count }))]),
    ),
    ROUNDS,
  );
  return PG_COUNTS.map((count) => {
    const milliseconds = summary(runs[count]);
    return { count, milliseconds, mappingsPerSecond: (count / milliseconds.median) * 1000 };
  });
}
