/** Buckets built and changed, against what Ceph's builder gives. */
import { describe, expect, test } from 'vitest';
import {
  addBucketItem,
  adjustBucketItemWeight,
  bucketItemWeights,
  makeBucket,
  removeBucketItem,
  reweighBucket,
} from '../src/crush/bucket.ts';
import { BUCKET_ALGORITHM, type CrushBucket } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { Random } from './random.ts';

const words = (...values: number[]): Uint32Array => Uint32Array.from(values);

const make = (alg: number, items: number[], weights: number[]): CrushBucket =>
  makeBucket({ id: -1, alg, type: 1, items, weights }, 1);

describe('made', () => {
  test('uniform', () => {
    expect(make(1, [4, 5, 6], [7, 8, 9])).toEqual({
      id: -1,
      alg: 1,
      hash: 0,
      type: 1,
      items: Int32Array.of(4, 5, 6),
      itemWeight: 7,
      weight: 21,
    });
  });

  test('list', () => {
    expect(make(2, [4, 5, 6], [7, 8, 9])).toMatchObject({ sumWeights: words(7, 15, 24), weight: 24 });
  });

  test('tree', () => {
    expect(make(3, [4, 5, 6], [7, 8, 9])).toMatchObject({ nodeWeights: words(0, 7, 15, 8, 24, 9, 9, 0) });
  });

  test('straw', () => {
    // Lengths that crushtool 16.2.15 gives for these weights.
    expect(make(4, [0, 1], [0x10000, 0x20000])).toMatchObject({ straws: words(0x10000, 0x18000) });
  });

  test('straw2', () => {
    expect(make(5, [4, -2], [7, 8])).toMatchObject({ itemWeights: words(7, 8), weight: 15 });
  });

  test.each(Object.entries(BUCKET_ALGORITHM))('%s of nothing', (_, alg) => {
    expect(make(alg, [], [])).toMatchObject({ weight: 0, items: new Int32Array(0) });
  });

  test.each<[string, () => unknown, string]>([
    ['no such algorithm', () => make(6, [], []), 'no bucket algorithm 6'],
    ['a uniform bucket of nothing', () => make(1, [1], [0]), 'weigh 0'],
    ['too heavy a list', () => make(2, [1, 2], [0xffff_ffff, 1]), '65536.0 or more'],
    ['too heavy a tree', () => make(3, [1, 2], [0xffff_ffff, 1]), '65536.0 or more'],
    ['too heavy a uniform bucket', () => make(1, [1, 2], [0x8000_0000]), '65536.0 or more'],
    [
      'too full a tree',
      () =>
        make(
          3,
          Array.from({ length: 65 }, (_, i) => i),
          [],
        ),
      'at most 64',
    ],
  ])('%s is refused', (_, build, text) => {
    expect(build).toThrow(CrushError);
    expect(build).toThrow(text);
  });
});

/** Each algorithm, the items' weights all the same where they must be. */
const algorithms = Object.entries(BUCKET_ALGORITHM);
const weigh = (alg: number, i: number): number => (alg === 1 ? 0x10000 : 0x10000 * (1 + (i % 3)));

describe.each(algorithms)('%s', (_, alg) => {
  const items = Array.from({ length: 11 }, (_, i) => i + 20);
  const weights = items.map((_, i) => weigh(alg, i));

  test('grown item by item it is as made at once', () => {
    let bucket = make(alg, items.slice(0, 1), weights.slice(0, 1));
    for (let i = 1; i < items.length; i++) bucket = addBucketItem(bucket, items[i]!, weights[i]!, 1);
    expect(bucket).toEqual(make(alg, items, weights));
  });

  test('with a weight changed it is as made with it', () => {
    const changed = adjustBucketItemWeight(make(alg, items, weights), 23, 0x50000, 1);
    const wanted = weights.map((weight, i) => (i === 3 || alg === 1 ? 0x50000 : weight));
    expect(changed).toEqual(make(alg, items, wanted));
    expect(bucketItemWeights(changed)).toEqual(Uint32Array.from(wanted));
  });

  test('without an item it is as made without, but a tree keeps the place', () => {
    const removed = removeBucketItem(make(alg, items, weights), 23, 1);
    const rest = <T>(list: readonly T[]): T[] => list.filter((_, i) => i !== 3);
    const hole = <T>(list: readonly T[]): (T | 0)[] => list.map((each, i) => (i === 3 ? 0 : each));
    expect(removed).toEqual(
      alg === 3 ? make(alg, hole(items), hole(weights)) : make(alg, rest(items), rest(weights)),
    );
  });

  test('what is not there is not removed', () => {
    expect(() => removeBucketItem(make(alg, items, weights), 99, 1)).toThrow('has no item 99');
  });

  test('any order of edits keeps the sums', () => {
    const random = new Random(alg);
    let bucket = make(alg, [0], [0x10000]);
    for (let step = 0; step < 200; step++) {
      // A tree fills up with holes.
      const item = random.between(1, bucket.items.length < 60 ? 40 : 1);
      const has = bucket.items.includes(item);
      if (!has) bucket = addBucketItem(bucket, item, alg === 1 ? bucketItemWeights(bucket)[0]! : step, 1);
      else if (random.chance(0.6)) bucket = removeBucketItem(bucket, item, 1);
      else bucket = adjustBucketItemWeight(bucket, item, random.below(0x100000), 1);
      const total = bucketItemWeights(bucket).reduce((sum, weight) => sum + weight, 0);
      expect(bucket.weight).toBe(total);
      if (bucket.alg === 2) expect(bucket.sumWeights.at(-1)).toBe(total);
      if (bucket.alg === 3) expect(bucket.nodeWeights[bucket.nodeWeights.length / 2]).toBe(total);
    }
  });
});

test('a uniform bucket takes only its own weight', () => {
  expect(() => addBucketItem(make(1, [1], [0x10000]), 2, 0x20000, 1)).toThrow('its items weigh 1 each');
});

test('a tree drops items at the end that weigh nothing', () => {
  const bucket = removeBucketItem(make(3, [1, 2, 3, 4], [5, 6, 0, 7]), 4, 1);
  expect(bucket).toMatchObject({ items: Int32Array.of(1, 2), nodeWeights: words(0, 5, 11, 6), weight: 11 });
});

test('a full tree takes no more', () => {
  const full = make(
    3,
    Array.from({ length: 64 }, (_, i) => i),
    [],
  );
  expect(() => addBucketItem(full, 64, 1, 1)).toThrow('at most 64');
});

describe('reweighed', () => {
  const weightOf = (id: number): number => -id * 0x1000;

  test('buckets take what is below them', () => {
    const { bucket, overflow } = reweighBucket(make(5, [-2, 7, -3], [1, 2, 3]), weightOf, 1);
    expect(overflow).toBe(false);
    expect(bucket).toMatchObject({ itemWeights: words(0x2000, 2, 0x3000), weight: 0x5002 });
  });

  test('a uniform bucket takes the average if it holds more buckets than devices', () => {
    expect(reweighBucket(make(1, [-2, 7, -3], [1]), weightOf, 1).bucket).toMatchObject({
      itemWeight: 0x2800,
    });
    expect(reweighBucket(make(1, [-2, 7], [1]), weightOf, 1).bucket).toMatchObject({
      itemWeight: 1,
      weight: 2,
    });
  });

  test('list sums and inner nodes stay', () => {
    expect(reweighBucket(make(2, [-2], [1]), weightOf, 1).bucket).toMatchObject({
      sumWeights: words(1),
      weight: 0x2000,
    });
    expect(reweighBucket(make(3, [-2, 3], [1, 1]), weightOf, 1).bucket).toMatchObject({
      nodeWeights: words(0, 0x2000, 2, 1),
      weight: 0x2001,
    });
  });

  test('too much is told', () => {
    const { overflow, bucket } = reweighBucket(make(5, [-2, -3], [1, 1]), () => 0x8000_0000, 1);
    expect(overflow).toBe(true);
    expect(bucket.weight).toBe(0x8000_0000);
  });
});
