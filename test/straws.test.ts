/** What the builder derives from item weights, against crushtool's own builder. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listSums, strawLengths, treeNodeWeights } from '../src/crush/straws.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { HAS_CRUSHTOOL, crushtool } from './crushtool.ts';
import { fixture } from './fixtures.ts';
import { Random } from './random.ts';

describe('listSums', () => {
  it('adds up', () => expect(listSums(Uint32Array.of(1, 2, 3))).toEqual(Uint32Array.of(1, 3, 6)));
  it('takes an empty bucket', () => expect(listSums(new Uint32Array(0))).toEqual(new Uint32Array(0)));
});

describe('treeNodeWeights', () => {
  it('puts items at the odd nodes and sums above them', () => {
    expect(treeNodeWeights(Uint32Array.of(1, 2, 4))).toEqual(Uint32Array.of(0, 1, 3, 2, 7, 4, 4, 0));
  });
  it('takes buckets of no item and of one', () => {
    expect(treeNodeWeights(new Uint32Array(0))).toEqual(new Uint32Array(0));
    expect(treeNodeWeights(Uint32Array.of(5))).toEqual(Uint32Array.of(0, 5));
  });
});

describe('strawLengths', () => {
  it('gives equal weights equal straws of 1.0, and no weight no straw', () => {
    for (const version of [0, 1]) {
      expect(strawLengths(Uint32Array.of(7, 0, 7), version)).toEqual(Uint32Array.of(0x10000, 0, 0x10000));
    }
  });

  it('rounds as glibc does where Math.pow does not', () => {
    // The straws that crushtool 16.2.15 compiles for weights 0.1875, 53.9375, 53.9375 and 53.9375: the factor is
    // 216 to the power of a double just below 1/3, which is not 6.
    const weights = Uint32Array.of(12288, 3534848, 3534848, 3534848);
    expect(strawLengths(weights, 1)).toEqual(Uint32Array.of(0x10000, 393215, 393215, 393215));
  });

  it.each([0, 1])('of the fixture for straw_calc_version %d are what crushtool computed', (version) => {
    const map = readCrushBinary(fixture(`crushmaps/algorithms-v${version}.crushmap`));
    const buckets = map.buckets.filter((bucket) => bucket?.alg === 4);
    expect(buckets.length).toBe(6);
    for (const bucket of buckets) expect(strawLengths(bucket.itemWeights, version)).toEqual(bucket.straws);
  });

  it('differs between the versions', () => {
    const weights = Uint32Array.of(0x10000, 0x20000, 0x20000, 0x30000);
    expect(strawLengths(weights, 0)).not.toEqual(strawLengths(weights, 1));
  });
});

describe.skipIf(!HAS_CRUSHTOOL)('random buckets that crushtool compiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'straws-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([0, 1])('straw_calc_version %d: sums, nodes and straws are the same', (version) => {
    const seed = 20260;
    const random = new Random(seed + version);
    let straws = 0;
    for (let round = 0; round < 8; round++) {
      const { text, deviceCount } = randomBuckets(random, version);
      const [source, compiled] = [join(folder, 'map.txt'), join(folder, 'map')];
      writeFileSync(source, text);
      crushtool('-c', source, '-o', compiled);
      const map = readCrushBinary(readFileSync(compiled));
      expect(map.maxDevices).toBe(deviceCount);
      for (const bucket of map.buckets) {
        const place = `seed ${seed + version}, round ${round}, bucket ${bucket?.id}`;
        if (bucket?.alg === 2) expect(listSums(bucket.itemWeights), place).toEqual(bucket.sumWeights);
        if (bucket?.alg === 3) {
          const weights = Uint32Array.from(bucket.items, (_, i) => bucket.nodeWeights[2 * i + 1]!);
          expect(treeNodeWeights(weights), place).toEqual(bucket.nodeWeights);
        }
        if (bucket?.alg === 4) {
          straws++;
          expect(strawLengths(bucket.itemWeights, version), place).toEqual(bucket.straws);
        }
      }
    }
    expect(straws).toBe(8 * 30);
  });
});

/** A map in text: 50 hosts, three of five with straws, of 1 to 60 devices whose weights are of five kinds. */
function randomBuckets(random: Random, version: number): { text: string; deviceCount: number } {
  const devices: string[] = [];
  const hosts: string[] = [];
  for (let host = 0; host < 50; host++) {
    const algorithm = ['straw', 'straw', 'straw', 'list', 'tree'][host % 5];
    const weigh = random.pick<() => number>([
      () => random.below(1_000_000) / 100_000,
      () => random.below(4),
      () => 2 ** random.below(6),
      () => (random.chance(0.3) ? 0 : random.below(9_900_000) / 100_000),
      () => 10 ** (random.below(6_000) / 1_000 - 4),
    ]);
    const items = Array.from({ length: random.between(1, host % 7 === 0 ? 60 : 9) }, () => {
      devices.push(`device ${devices.length} osd.${devices.length}`);
      return `  item osd.${devices.length - 1} weight ${weigh().toFixed(5)}`;
    });
    hosts.push(`host h${host} {`, `  id ${-1 - host}`, `  alg ${algorithm}`, '  hash 0', ...items, '}');
  }
  const text = [
    `tunable straw_calc_version ${version}`,
    ...devices,
    'type 0 osd',
    'type 1 host',
    ...hosts,
    '',
  ];
  return { text: text.join('\n'), deviceCount: devices.length };
}
