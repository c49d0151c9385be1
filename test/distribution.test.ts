/**
 * Distributions: counts against crushtool's and a naive count, expectations and statistics against known values.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { measureDistribution, type Distribution } from '../src/analysis/distribution.ts';
import { chiSquaredTail, normalTail, spreadStatistics } from '../src/analysis/statistics.ts';
import { ITEM_NONE, type CrushMap } from '../src/crush/model.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readCrushText } from '../src/formats/crushmap-text.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { crushtool, HAS_PACIFIC_CRUSHTOOL, testerChooseArgs, testerReweights } from './crushtool.ts';
import { FIXTURES, fixture } from './fixtures.ts';
import { HOST, healthyMap, step, withClasses, withSteps } from './healthy-map.ts';
import { Random } from './random.ts';
import { randomMap } from './random-map.ts';

const CRUSHMAP = 'crushmaps/cluster-8osd.crushmap';

function measure(map: CrushMap, rule: number, size: number, count: number): Distribution {
  const chooseArgs = testerChooseArgs(map);
  return measureDistribution(map, { rule, size, first: 0, count, chooseArgs });
}

/** Counts of a level by id. */
function countsOf(distribution: Distribution, kind: string, type = 0): Map<number, number> {
  const level = distribution.levels.find((each) => each.kind === kind && each.type === type)!;
  return new Map(level.rows.map(({ id, count }) => [id, count]));
}

describe('counts', () => {
  test.skipIf(!HAS_PACIFIC_CRUSHTOOL)('of OSDs, sizes and retries are those of crushtool --test', () => {
    const map = readCrushBinary(fixture(CRUSHMAP));
    for (const [rule, size] of [
      [0, 3],
      [1, 4],
      [3, 3],
      [4, 4],
      [5, 8],
    ] as const) {
      const distribution = measure(map, rule, size, 2000);
      const common = [
        '-i',
        join(FIXTURES, CRUSHMAP),
        '--test',
        '--rule',
        String(rule),
        '--num-rep',
        String(size),
      ];
      const range = ['--min-x', '0', '--max-x', '1999'];
      const text = crushtool(...common, ...range, '--show-utilization', '--show-statistics');
      const stored = new Map(
        [...text.matchAll(/device (\d+):\s+stored : (\d+)/g)].map(([, id, count]) => [
          Number(id),
          Number(count),
        ]),
      );
      const counted = [...countsOf(distribution, 'device')].filter(([, count]) => count > 0);
      expect(new Map(counted)).toEqual(stored);
      const tries = [
        ...crushtool(...common, ...range, '--show-choose-tries').matchAll(/^\s*\d+:\s+(\d+)$/gm),
      ];
      expect([...distribution.tries].slice(0, 50)).toEqual(
        tries.map(([, count]) => Number(count)).slice(0, Math.min(50, distribution.tries.length)),
      );
    }
  });

  const seed = Number(process.env.CRUSH_PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31));
  test(`are those of a naive count on random maps (seed ${seed})`, () => {
    let rules = 0;
    for (let run = 0; run < 60; run++) {
      const map = randomMap(seed + run, { limits: 'any' });
      const random = new Random(seed + run);
      for (const rule of map.rules) {
        if (rule === undefined) continue;
        rules++;
        const size = random.between(1, 8);
        const request = { rule: rule.id, size, first: 0, count: 300, reweights: testerReweights(map) };
        const { items, lengths } = new CrushMapper(map).mapRange(request);
        const osds = new Map<number, number>();
        let placed = 0;
        const bad = { mappings: 0, short: 0, holes: 0, duplicates: 0, buckets: 0 };
        for (let x = 0; x < 300; x++) {
          const row = [...items.subarray(x * size, x * size + lengths[x]!)];
          const devices = row.filter((item) => item >= 0 && item < map.maxDevices);
          for (const device of devices) osds.set(device, (osds.get(device) ?? 0) + 1);
          placed += devices.length;
          const holes = row.includes(ITEM_NONE);
          const duplicates = new Set(devices).size < devices.length;
          const buckets = row.some((item) => item !== ITEM_NONE && (item < 0 || item >= map.maxDevices));
          if (row.length < size) bad.short++;
          if (holes) bad.holes++;
          if (duplicates) bad.duplicates++;
          if (buckets) bad.buckets++;
          if (row.length < size || holes || duplicates || buckets) bad.mappings++;
        }
        const found = measureDistribution(map, request);
        const where = `seed ${seed + run}, rule ${rule.id}`;
        expect(found.bad, where).toEqual(bad);
        expect(found.placed, where).toBe(placed);
        expect(new Map([...countsOf(found, 'device')].filter(([, count]) => count > 0)), where).toEqual(
          new Map([...osds].sort(([a], [b]) => a - b)),
        );
      }
    }
    expect(rules).toBeGreaterThan(50);
  });

  test('of hosts, roots and classes are the sums of their OSDs', () => {
    const map = withClasses(healthyMap(6, 4));
    const found = measure(map, 0, 3, 5000);
    const osds = countsOf(found, 'device');
    const hosts = countsOf(found, 'bucket', HOST);
    expect(hosts.size).toBe(6);
    for (const [id, count] of hosts) {
      const own = [...map.buckets[-1 - id]!.items].reduce((sum, osd) => sum + osds.get(osd)!, 0);
      expect(count).toBe(own);
    }
    expect([...countsOf(found, 'bucket', 10)]).toEqual([[-1, 15_000]]);
    const classes = countsOf(found, 'class');
    expect(classes.get(0)! + classes.get(1)!).toBe(15_000);
    expect(found.levels.map(({ kind, crowded }) => [kind, crowded])).toEqual([
      ['device', 0],
      ['bucket', 0],
      ['bucket', 5000],
      ['class', 5000],
    ]);
  });
});

describe('expectations', () => {
  test('are shares by weight and reweight below the take', () => {
    const map = readCrushBinary(fixture(CRUSHMAP));
    const reweights = new Uint32Array(8).fill(0x10000);
    reweights[2] = 0x8000;
    reweights[4] = 0;
    const found = measureDistribution(map, { rule: 1, size: 2, first: 0, count: 1000, reweights });
    const weights = { 0: 1.819, 2: 7.277 / 2, 4: 0, 6: 3.638 } as const;
    const total = 1.819 + 7.277 / 2 + 3.638;
    const { rows } = found.levels[0]!;
    expect(rows.map(({ id }) => id)).toEqual([0, 2, 4, 6]);
    for (const { id, expected } of rows) {
      expect(expected).toBeCloseTo((found.placed * weights[id as 0]) / total, 0);
    }
    expect(rows.reduce((sum, { expected }) => sum + expected, 0)).toBeCloseTo(found.placed, 6);
  });

  test('of several takes follow how many each gives', () => {
    const map = withSteps(withClasses(healthyMap(6, 4)), 0, [
      ...[step.take(-201), step.leafFirstn(1, HOST), step.emit],
      ...[step.take(-202), step.leafFirstn(-1, HOST), step.emit],
    ]);
    const found = measure(map, 0, 3, 9000);
    const classes = found.levels.at(-1)!.rows.map(({ count, expected }) => [count, Math.round(expected)]);
    expect(classes).toEqual([
      [9000, 9000],
      [18_000, 18_000],
    ]);
    expect(found.levels.find(({ type }) => type === HOST)!.crowded).toBeGreaterThan(1000);
  });

  test('sampling alone explains an even map', () => {
    const [osds] = measure(healthyMap(10, 4), 0, 3, 40_000).levels;
    const { spread, chance, beyondChance, degrees, probability, fullest } = osds!.statistics;
    expect(degrees).toBe(39);
    // 3,000 an OSD, binomial with p = 0.075: sigma 52.7.
    expect(osds!.rows[0]!.sigma).toBeCloseTo(Math.sqrt(3000 * (1 - 0.075)), 6);
    expect(chance).toBeCloseTo(0.01756, 4);
    expect(spread).toBeLessThan(1.3 * chance);
    expect(beyondChance).toBeLessThan(0.015);
    expect(probability).toBeGreaterThan(0.001);
    expect(osds!.rows[fullest]!.count).toBe(Math.max(...osds!.rows.map(({ count }) => count)));
  });

  test('rules that are not there are refused', () => {
    expect(() => measure(healthyMap(), 9, 3, 10)).toThrow(/there is no rule 9/);
  });
});

describe('statistics', () => {
  test('tails of the normal and the chi-squared distribution', () => {
    expect(normalTail(0)).toBeCloseTo(0.5, 6);
    expect(normalTail(1.959964)).toBeCloseTo(0.025, 6);
    expect(normalTail(-1.959964)).toBeCloseTo(0.975, 6);
    // 95 % points of the tables.
    expect(chiSquaredTail(18.307, 10)).toBeCloseTo(0.05, 3);
    expect(chiSquaredTail(124.342, 100)).toBeCloseTo(0.05, 3);
    expect(chiSquaredTail(5, 0)).toBe(1);
  });

  test('of rows', () => {
    const found = spreadStatistics([
      { count: 110, expected: 100, sigma: 10 },
      { count: 90, expected: 100, sigma: 10 },
      { count: 5, expected: 0, sigma: 0 },
    ]);
    expect(found).toMatchObject({ degrees: 1, chiSquared: 1, fullest: 0, emptiest: 1 });
    expect(found.beyondChance).toBeCloseTo(0, 6);
    expect(found.spread).toBeCloseTo(0.1, 12);
    expect(found.probability).toBeCloseTo(0.317, 1);
    expect(spreadStatistics([])).toMatchObject({ spread: 0, degrees: 0, fullest: -1, emptiest: -1 });
  });
});

test('shares that add up to a little more than 1 have a standard deviation', () => {
  for (let count = 2; count <= 40; count++) {
    const ids = Array.from({ length: count }, (_, id) => id);
    const weightOf = (id: number): string => (1 + id / 7).toFixed(3);
    const map = readCrushText(
      [
        ...ids.map((id) => `device ${id} osd.${id}`),
        'type 0 osd',
        'type 1 root',
        'root default {',
        'id -1',
        'alg straw2',
        'hash 0',
        ...ids.map((id) => `item osd.${id} weight ${weightOf(id)}`),
        '}',
        'rule any {',
        'id 0',
        'type replicated',
        'step take default',
        'step choose firstn 0 type osd',
        'step emit',
        '}',
      ].join('\n'),
    );
    for (const { rows, statistics } of measure(map, 0, 2, 50).levels) {
      expect(rows.map(({ sigma }) => Number.isFinite(sigma))).not.toContain(false);
      expect(statistics.chance).toBeGreaterThanOrEqual(0);
    }
  }
});
