/** Lookups in a CRUSH map. */
import { describe, expect, it } from 'vitest';
import {
  bucketItemWeight,
  findBucket,
  findItem,
  findRoots,
  findRule,
  findType,
  isShadow,
  isValidName,
  itemClassName,
  itemName,
  itemPresent,
  itemWeight,
  parentOf,
  ruleName,
  typeName,
} from '../src/crush/names.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { fixture } from './fixtures.ts';

const map = readCrushBinary(fixture('crushmaps/cluster-8osd.crushmap'));

describe('names', () => {
  it('of items, types, rules and classes', () => {
    expect(itemName(map, 3)).toBe('osd.3');
    expect(itemName(map, -2)).toBe('default~hdd');
    expect(itemName(map, 99)).toBeUndefined();
    expect(typeName(map, 11)).toBe('root');
    expect(ruleName(map, 1)).toBe('hdd');
    expect(itemClassName(map, 1)).toBe('ssd');
    expect(itemClassName(map, -2)).toBe('hdd');
    expect(itemClassName(map, -1)).toBeUndefined();
  });

  it('lead back to what they name', () => {
    expect(findItem(map, 'host3~ssd')).toBe(-19);
    expect(findItem(map, 'nothing')).toBeUndefined();
    expect(findType(map, 'rack')).toBe(3);
    expect(findBucket(map, -1)?.id).toBe(-1);
    expect(findBucket(map, 0)).toBeUndefined();
  });

  it('that users may give', () => {
    expect(isValidName('host-1.example_a')).toBe(true);
    for (const name of ['', 'default~ssd', 'a b', 'é']) expect(isValidName(name)).toBe(false);
  });
});

describe('findRule', () => {
  it('takes a name, a number, and a number as text', () => {
    expect(findRule(map, 'hdd').id).toBe(1);
    expect(findRule(map, 1).id).toBe(1);
    expect(findRule(map, '1').id).toBe(1);
  });

  it('says what there is', () => {
    for (const wrong of ['nope', -1, 1.5, '99', '']) {
      expect(() => findRule(map, wrong)).toThrow(/no rule .*; the map has 0 'replicated_rule', 1 'hdd'/);
    }
  });
});

describe('the tree', () => {
  it('gives the parent, never a shadow bucket', () => {
    expect(parentOf(map, 0)).toBe(-7);
    expect(isShadow(map, -2)).toBe(true);
    expect(isShadow(map, -7)).toBe(false);
    expect(parentOf(map, -7)).toBe(-3);
    expect(parentOf(map, -1)).toBeUndefined();
  });

  it('gives all roots, ascending', () => {
    expect(findRoots(map).map((id) => itemName(map, id))).toEqual(['default~ssd', 'default~hdd', 'default']);
  });

  it('knows which items are in some bucket', () => {
    expect(itemPresent(map, 7)).toBe(true);
    expect(itemPresent(map, 8)).toBe(false);
    expect(itemPresent(map, -1)).toBe(false);
  });
});

describe('weights', () => {
  it('of an item are those in the first bucket that holds it', () => {
    const host = findBucket(map, -7)!;
    expect(itemWeight(map, 0)).toBe(bucketItemWeight(host, 0));
    expect(itemWeight(map, 8)).toBeUndefined();
  });

  it('of a bucket are its own where it comes before what holds it', () => {
    const bucket = { type: 1, hash: 0, alg: 5 } as const;
    const buckets = [
      { ...bucket, id: -1, weight: 5, items: Int32Array.of(-2), itemWeights: Uint32Array.of(6) },
      { ...bucket, id: -2, weight: 7, items: Int32Array.of(-1), itemWeights: Uint32Array.of(8) },
    ];
    expect(itemWeight({ ...map, buckets }, -1)).toBe(5);
    expect(itemWeight({ ...map, buckets }, -2)).toBe(6);
  });

  it('are found for every algorithm', () => {
    const all = readCrushBinary(fixture('crushmaps/algorithms-v0.crushmap'));
    const algorithms = new Set<number>();
    for (const bucket of all.buckets) {
      if (bucket === undefined) continue;
      algorithms.add(bucket.alg);
      const sum = bucket.items.reduce((total, _, i) => total + bucketItemWeight(bucket, i), 0);
      expect(sum).toBe(bucket.weight);
      expect(bucketItemWeight(bucket, bucket.items.length)).toBe(0);
    }
    expect([...algorithms].sort()).toEqual([1, 2, 3, 4, 5]);
  });
});
