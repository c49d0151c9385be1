/**
 * What is claimed of CRUSH, shown: the same input gives the same output, shares follow weights, reweights are
 * probabilities, firstn closes gaps where indep keeps places, and straw2 moves only what it must.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUCKET_ALGORITHM, ITEM_NONE, RULE_OP, WEIGHT_ONE } from '../src/crush/model.ts';
import type { CrushMap } from '../src/crush/model.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { fixture } from './fixtures.ts';
import { randomMap } from './random-map.ts';
import { hash32 } from './reference/hash.ts';
import { chooseRule, clusterMap, hostMap } from './small-maps.ts';

const SEED = Number(process.env.CRUSH_PROPERTY_SEED ?? Date.now() % 1_000_000_000);
console.log(`claims: CRUSH_PROPERTY_SEED=${SEED}`);

const MILLION = 1_000_000;
const FIRSTN = 0;
const INDEP = 1;

/** Rows of `size` items for inputs 0 to `count` - 1. */
function rows(map: CrushMap, rule: number, size: number, count: number, reweights?: Uint32Array): number[][] {
  const { items, lengths } = new CrushMapper(map).mapRange({ rule, size, first: 0, count, reweights });
  return Array.from(lengths, (length, i) => [...items.subarray(i * size, i * size + length)]);
}

/** The first item for inputs 0 to `count` - 1. */
function firstItems(map: CrushMap, rule: number, count: number): Int32Array {
  return new CrushMapper(map).mapRange({ rule, size: 1, first: 0, count }).items;
}

test('the same input gives the same output, in whatever order and company', () => {
  fc.assert(
    fc.property(fc.noShrink(fc.nat()), fc.nat({ max: 0x7fff_0000 }), (mapSeed, first) => {
      const map = randomMap(mapSeed, { limits: 'any' });
      const mapper = new CrushMapper(map);
      const range = { rule: map.rules.length - 1, size: 4, count: 16 };
      const whole = mapper.mapRange({ ...range, first });
      expect(mapper.mapRange({ ...range, first })).toEqual(whole);
      expect(new CrushMapper(map).mapRange({ ...range, first })).toEqual(whole);
      for (let i = range.count - 1; i >= 0; i--) {
        const one = mapper.mapRange({ ...range, first: first + i, count: 1 });
        expect(one.items).toEqual(whole.items.subarray(4 * i, 4 * i + 4));
        expect(one.lengths[0]).toBe(whole.lengths[i]);
      }
    }),
    { seed: SEED, numRuns: 100 },
  );
});

/** Chi-square values that one fair draw in a thousand exceeds, by degrees of freedom. */
const CRITICAL: Readonly<Record<number, number>> = { 4: 18.47, 5: 20.52, 7: 24.32, 15: 37.7 };

/** How far counts lie from what the weights promise: Pearson's chi-square over its critical value. */
function distance(items: Int32Array, weights: readonly number[]): number {
  const counts = weights.map(() => 0);
  for (const item of items) counts[item]!++;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let chiSquare = 0;
  let freedom = -1;
  weights.forEach((weight, device) => {
    if (weight === 0) {
      expect(counts[device], `device ${device} has no weight`).toBe(0);
      return;
    }
    const expected = (items.length * weight) / total;
    chiSquare += (counts[device]! - expected) ** 2 / expected;
    freedom++;
  });
  return chiSquare / CRITICAL[freedom]!;
}

describe('shares follow weights over a million draws', () => {
  const equal = [1, 1, 1, 1, 1, 1, 1, 1].map((weight) => weight * WEIGHT_ONE);
  const uneven = [1, 2, 0.5, 4, 1, 8, 3.25, 1.75].map((weight) => weight * WEIGHT_ONE);
  const withZero = [1, 0, 2, 2, 5, 0.25].map((weight) => weight * WEIGHT_ONE);
  const many = Array.from({ length: 16 }, (_, i) => (1 + (i % 5)) * WEIGHT_ONE);

  test.each([
    ['uniform', 'equal', equal],
    ['list', 'equal', equal],
    ['list', 'uneven', uneven],
    ['list', 'with a zero', withZero],
    ['list', 'many', many],
    ['tree', 'equal', equal],
    ['tree', 'uneven', uneven],
    ['tree', 'with a zero', withZero],
    ['tree', 'many', many],
    ['straw2', 'equal', equal],
    ['straw2', 'uneven', uneven],
    ['straw2', 'with a zero', withZero],
    ['straw2', 'many', many],
  ] as const)('%s, weights %s', (algorithm, _, weights) => {
    const map = hostMap(BUCKET_ALGORITHM[algorithm], weights);
    expect(distance(firstItems(map, FIRSTN, MILLION), weights)).toBeLessThan(1);
  });

  // Host names and weights of fixtures/straws; rule n takes host n.
  const STRAW_HOSTS: readonly (readonly [string, readonly number[], exactWith: readonly number[]])[] = [
    ['ascending', [1, 2, 3, 4, 5, 6], [0, 1]],
    ['first-raised', [1.5, 2, 3, 4, 5, 6], [0, 1]],
    ['equal', [1, 1, 1, 1, 1, 1], [0, 1]],
    ['last-doubled', [1, 1, 1, 1, 1, 2], [1]],
    ['one-zero', [0, 1, 1, 2, 2, 4], [1]],
  ];

  describe.each([0, 1])('straw, by straw_calc_version %i', (version) => {
    const map = strawMap(version);

    test.each(STRAW_HOSTS)('%s', (name, weights, exactWith) => {
      const rule = STRAW_HOSTS.findIndex(([each]) => each === name);
      const far = distance(firstItems(map, rule, MILLION), weights);
      // Version 0 loses its way where weights repeat or are 0.
      if (exactWith.includes(version)) expect(far).toBeLessThan(1);
      else expect(far).toBeGreaterThan(100);
    });
  });
});

/** Straw hosts with the real crushtool's straw lengths; rule n chooses a device of bucket -1 - n. */
function strawMap(version: number): CrushMap {
  const map = readCrushBinary(fixture(`straws/calc${version}.map`));
  return { ...map, rules: map.buckets.map((_, i) => chooseRule(i, -1 - i, RULE_OP.chooseFirstn, 0)) };
}

describe('a reweight is the probability to stay in', () => {
  // One device and one try: the device is mapped where it is not out.
  const map: CrushMap = (() => {
    const host = hostMap(BUCKET_ALGORITHM.straw2, [WEIGHT_ONE]);
    return { ...host, tunables: { ...host.tunables, chooseTotalTries: 0 } };
  })();
  const isIn = (reweight: number): Int32Array => {
    const request = { rule: FIRSTN, size: 1, first: 0, count: MILLION, reweights: Uint32Array.of(reweight) };
    return new CrushMapper(map).mapRange(request).lengths;
  };

  test.each([0, 1, 0x1000, 0x8000, 0xc000, 0xffff, 0x10000, 0x20000])('reweight %i', (reweight) => {
    const mapped = isIn(reweight);
    const count = mapped.reduce((sum, each) => sum + each, 0);
    const probability = Math.min(1, reweight / WEIGHT_ONE);
    const deviation = Math.sqrt(MILLION * probability * (1 - probability));
    expect(Math.abs(count - MILLION * probability)).toBeLessThanOrEqual(4 * deviation);
    for (let x = 0; x < 1000; x++) expect(mapped[x]).toBe((hash32(x, 0) & 0xffff) < reweight ? 1 : 0);
  });

  test('a higher reweight takes nothing away', () => {
    const low = isIn(0x3000);
    const high = isIn(0x9000);
    expect(low.every((mapped, x) => mapped <= high[x]!)).toBe(true);
  });
});

describe('firstn keeps order and closes gaps, indep keeps places', () => {
  const maps = [
    [
      'one host',
      hostMap(
        BUCKET_ALGORITHM.straw2,
        Array.from({ length: 10 }, () => WEIGHT_ONE),
      ),
    ],
    ['ten hosts', clusterMap(10, 4)],
  ] as const;
  const COUNT = 20_000;
  const SIZE = 5;
  const OUT = 7;

  function withOneOut(map: CrushMap, rule: number): { before: number[]; after: number[] }[] {
    const reweights = new Uint32Array(map.maxDevices).fill(WEIGHT_ONE);
    reweights[OUT] = 0;
    const before = rows(map, rule, SIZE, COUNT);
    const after = rows(map, rule, SIZE, COUNT, reweights);
    return before.map((row, x) => ({ before: row, after: after[x]! }));
  }

  test.each(maps)('%s: a firstn mapping begins with the smaller ones', (_, map) => {
    const largest = rows(map, FIRSTN, SIZE, 2000);
    for (let size = 1; size < SIZE; size++) {
      expect(rows(map, FIRSTN, size, 2000)).toEqual(largest.map((row) => row.slice(0, size)));
    }
  });

  test.each(maps)(
    '%s: a device out leaves a firstn mapping, the others stay in order, one joins',
    (_, map) => {
      for (const { before, after } of withOneOut(map, FIRSTN)) {
        const kept = before.filter((device) => device !== OUT);
        expect(after.filter((device) => kept.includes(device))).toEqual(kept);
        expect(after).toHaveLength(SIZE);
        const gone = before.indexOf(OUT);
        if (gone >= 0) expect(after.slice(0, gone)).toEqual(before.slice(0, gone));
        else expect(after).toEqual(before);
      }
    },
  );

  test.each(maps)('%s: a device out is replaced at its place of an indep mapping', (_, map) => {
    let places = 0;
    let kept = 0;
    for (const { before, after } of withOneOut(map, INDEP)) {
      const gone = before.indexOf(OUT);
      if (gone < 0) {
        expect(after).toEqual(before);
        continue;
      }
      expect(after[gone]).not.toBe(OUT);
      before.forEach((device, place) => {
        if (place === gone) return;
        places++;
        if (after[place] === device) kept++;
      });
    }
    // Another place may change too, if it was filled in a later round.
    expect(kept / places).toBeGreaterThan(0.93);
  });

  test.each(maps)('%s: with a single try, an indep mapping has a hole where the device was', (_, map) => {
    const once = { ...map, tunables: { ...map.tunables, chooseTotalTries: 0 } };
    for (const { before, after } of withOneOut(once, INDEP)) {
      // A place that was a hole before may find something in what the device has left.
      const comparable = after.map((device, place) => (before[place] === ITEM_NONE ? ITEM_NONE : device));
      expect(comparable).toEqual(before.map((device) => (device === OUT ? ITEM_NONE : device)));
    }
  });

  test('where there is too little to choose from, firstn is shorter and indep has holes', () => {
    const map = clusterMap(3, 2);
    for (const row of rows(map, FIRSTN, 5, 1000)) {
      expect(row).toHaveLength(3);
      expect(row).not.toContain(ITEM_NONE);
    }
    for (const row of rows(map, INDEP, 5, 1000)) {
      expect(row).toHaveLength(5);
      expect(row.filter((device) => device === ITEM_NONE)).toHaveLength(2);
    }
  });
});

describe('a change of one weight', () => {
  /** How many of the first items differ, and how many of those went between devices whose weight is the same. */
  function moves(before: Int32Array, after: Int32Array, changed: number): { moved: number; strayed: number } {
    let moved = 0;
    let strayed = 0;
    before.forEach((device, x) => {
      if (device === after[x]) return;
      moved++;
      if (device !== changed && after[x] !== changed) strayed++;
    });
    return { moved, strayed };
  }

  const anyWeight = fc.oneof(
    fc.integer({ min: 0, max: 40 * WEIGHT_ONE }),
    fc.integer({ min: 0, max: 20 }).map((weight) => weight * WEIGHT_ONE),
    fc.constantFrom(0, 1, WEIGHT_ONE, 0x7fff_ffff),
  );
  const change = fc
    .array(anyWeight, { minLength: 1, maxLength: 24 })
    .chain((weights) => fc.tuple(fc.constant(weights), fc.nat({ max: weights.length - 1 }), anyWeight));

  test('in straw2 moves mappings only to or from that item', () => {
    fc.assert(
      fc.property(change, ([weights, changed, weight]) => {
        const count = 2000;
        const before = firstItems(hostMap(BUCKET_ALGORITHM.straw2, weights), FIRSTN, count);
        const after = firstItems(
          hostMap(BUCKET_ALGORITHM.straw2, weights.with(changed, weight)),
          FIRSTN,
          count,
        );
        expect(moves(before, after, changed).strayed).toBe(0);
        // And only one way: a heavier item loses nothing, a lighter one gains nothing.
        const loser = weight >= weights[changed]! ? before : after;
        const winner = weight >= weights[changed]! ? after : before;
        loser.forEach((device, x) => {
          if (device === changed && weights.some((each, i) => i !== changed && each > 0)) {
            expect(winner[x]).toBe(changed);
          }
        });
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  test.each([0, 1])('in straw moves mappings between others too, straw_calc_version %i', (version) => {
    const map = strawMap(version);
    // Device 0 of the first two hosts weighs 1.0 and 1.5; all else is the same.
    const before = firstItems(map, 0, 100_000);
    const after = firstItems(map, 1, 100_000);
    const { moved, strayed } = moves(before, after, 0);
    expect([before[311], after[311]]).toEqual([5, 3]);
    expect(strayed / moved).toBeGreaterThan(0.1);
  });

  test('the same change in straw2 moves a share of it, and none between others', () => {
    const weights = [1, 2, 3, 4, 5, 6].map((weight) => weight * WEIGHT_ONE);
    const before = firstItems(hostMap(BUCKET_ALGORITHM.straw2, weights), FIRSTN, 100_000);
    const raised = weights.with(0, 1.5 * WEIGHT_ONE);
    const after = firstItems(hostMap(BUCKET_ALGORITHM.straw2, raised), FIRSTN, 100_000);
    const { moved, strayed } = moves(before, after, 0);
    expect(strayed).toBe(0);
    // The item's share grows from 1/21 to 1.5/21.5.
    expect(moved / 100_000).toBeCloseTo(1.5 / 21.5 - 1 / 21, 2);
  });
});
