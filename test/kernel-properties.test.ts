/**
 * The kernel and the reference give the same mappings for random maps, rules and inputs.
 *
 * CRUSH_PROPERTY_SEED repeats a run, CRUSH_PROPERTY_RUNS makes it longer.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUCKET_ALGORITHM, ITEM_NONE } from '../src/crush/model.ts';
import type { CrushBucket, CrushMap } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import type { SeedSource } from '../src/kernel/crush-mapper.ts';
import { Random } from './random.ts';
import { randomMap } from './random-map.ts';
import { hash32 } from './reference/hash.ts';
import { referenceMap } from './reference/mapper.ts';
import { hostMap } from './small-maps.ts';

const SEED = Number(process.env.CRUSH_PROPERTY_SEED ?? Date.now() % 1_000_000_000);
const RUNS = Number(process.env.CRUSH_PROPERTY_RUNS ?? 400);
console.log(`kernel properties: CRUSH_PROPERTY_SEED=${SEED} CRUSH_PROPERTY_RUNS=${RUNS}`);

/** Inputs mapped at once. */
const COUNT = 8;

/** Where a run of inputs begins: around the ends of both 32-bit ranges, and anywhere. */
const firsts = fc.oneof(
  fc.constantFrom(0, -4, 0x7fff_fffc, 0x8000_0000, -0x8000_0000, 0xffff_fffb, 0xffff_ffff),
  fc.integer({ min: -0x8000_0000, max: 0xffff_ffff }),
);

const cases = fc.record({
  mapSeed: fc.noShrink(fc.nat({ max: 0x7fff_ffff })),
  size: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 7, max: 20 })),
  first: firsts,
});

interface Case {
  readonly mapSeed: number;
  readonly size: number;
  readonly first: number;
}

function check(predicate: (value: Case) => void): void {
  fc.assert(fc.property(cases, predicate), { seed: SEED, numRuns: RUNS });
}

describe('the kernel maps as the reference does', () => {
  test('classic rules', () => {
    check(({ mapSeed, size, first }) => compare(randomMap(mapSeed, { limits: 'any' }), mapSeed, size, first));
  });

  test('MSR rules', () => {
    check(({ mapSeed, size, first }) =>
      compare(randomMap(mapSeed, { limits: 'any', msr: true }), mapSeed, size, first),
    );
  });
});

test.each(Object.entries(BUCKET_ALGORITHM))('weights from 32768.0 on in a %s bucket', (_, algorithm) => {
  const weights = [0x9000_0000, 0x10000, 0x3fff_ffff];
  const { buckets, rules, ...rest } = hostMap(algorithm, weights);
  // Straws are the weights, not random.
  const host = { ...buckets[0]!, straws: Uint32Array.from(weights) } as CrushBucket;
  for (let first = 0; first < 400; first += COUNT) compare({ ...rest, rules, buckets: [host] }, 1, 3, first);
});

/** Compares all rules of a map, under one random set of reweights and choose_args. */
function compare(map: CrushMap, mapSeed: number, size: number, first: number): void {
  const random = new Random(~mapSeed);
  const mapper = new CrushMapper(map);
  const reweights = randomReweights(random, map);
  const chooseArgs = random.pick([undefined, 12345, ...map.chooseArgs.keys()]);
  for (let rule = 0; rule <= map.rules.length; rule++) {
    const request = { rule, size, reweights, chooseArgs };
    const expected = outcome(() =>
      Array.from({ length: COUNT }, (_, i) => referenceMap(map, { ...request, x: (first + i) | 0 })),
    );
    const mapped = outcome(() => {
      const { items, lengths } = mapper.mapRange({ ...request, first, count: COUNT });
      return Array.from(lengths, (length, i) => {
        const row = items.subarray(i * size, (i + 1) * size);
        expect(row.subarray(length).every((item) => item === ITEM_NONE)).toBe(true);
        return [...row.subarray(0, length)];
      });
    });
    expect(mapped, `rule ${rule}`).toEqual(expected);
  }
}

/** What a mapper gives, or the code of its error. */
function outcome<T>(map: () => T): T | string {
  try {
    return map();
  } catch (error) {
    if (error instanceof CrushError) return error.code;
    throw error;
  }
}

/** Devices in, half in, hardly in and out; at times fewer or more reweights than devices, or none given. */
function randomReweights(random: Random, map: CrushMap): Uint32Array | undefined {
  if (random.chance(0.3)) return undefined;
  const length = random.chance(0.2) ? random.below(map.maxDevices + 3) : map.maxDevices;
  const share = random.pick([0.1, 0.5, 1]);
  return Uint32Array.from({ length }, () => {
    if (!random.chance(share)) return 0x10000;
    return random.pick([0, 0, 1, 0x8000, 0xffff, 0x10001, random.word(), random.below(0x10000)]);
  });
}

describe('the input of a mapping', () => {
  /** The PG number that a placement group's number stands for (`ceph_stable_mod`). */
  function stableMod(number: number, pgpNum: number): number {
    let mask = 1;
    while (mask < pgpNum) mask *= 2;
    const full = number & (mask - 1);
    return full < pgpNum ? full : number & (mask / 2 - 1);
  }

  /** What x should be, by mode. */
  const inputs: Record<SeedSource['mode'], (number: number, pool: number, pgpNum: number) => number> = {
    plain: (number) => number,
    hashed: (number, pool) => hash32(number, pool),
    pool: (number, pool, pgpNum) => stableMod(number, pgpNum) + pool,
    'pool-hashed': (number, pool, pgpNum) => hash32(stableMod(number, pgpNum), pool),
  };

  test.each(Object.keys(inputs) as SeedSource['mode'][])('%s', (mode) => {
    const mapper = new CrushMapper(randomMap(1, { limits: 'any' }));
    const pools = fc.oneof(fc.nat({ max: 0x7fff_ffff }), fc.constantFrom(0, 1, 2 ** 32 + 5));
    const pgpNums = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 65536 }));
    fc.assert(
      fc.property(firsts, pools, pgpNums, (first, pool, pgpNum) => {
        const seed: SeedSource = { mode, pool, pgpNum };
        const { seeds } = mapper.mapRange({ rule: 0, size: 0, first, count: COUNT, seed });
        const expected = Int32Array.from(
          { length: COUNT },
          (_, i) => inputs[mode]((first + i) | 0, pool | 0, pgpNum) | 0,
        );
        expect(seeds).toEqual(expected);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test('is what the rule maps', () => {
    const map = randomMap(7, { limits: 'any' });
    const mapper = new CrushMapper(map);
    const seed = { mode: 'pool-hashed', pool: 3, pgpNum: 12 } as const;
    const { items, lengths, seeds } = mapper.mapRange({ rule: 0, size: 3, first: 0, count: 64, seed });
    seeds.forEach((x, i) => {
      const mapped = [...items.subarray(i * 3, i * 3 + lengths[i]!)];
      expect(mapped).toEqual(referenceMap(map, { rule: 0, x, size: 3 }));
    });
  });
});
