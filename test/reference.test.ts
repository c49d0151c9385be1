/**
 * The reference's own foundations. What it maps is tested against crushtool's output, see goldens.test.ts.
 */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { RULE_OP } from '../src/crush/model.ts';
import type { CrushMap, CrushRuleStep } from '../src/crush/model.ts';
import { BUCKET_ALGORITHM, ITEM_NONE, LEGACY_TUNABLES } from '../src/crush/model.ts';
import { hash32 as kernelHash32, lnTable } from '../src/kernel/kernel.ts';
import { makeBucket } from './make-bucket.ts';
import { Random } from './random.ts';
import { hash32 } from './reference/hash.ts';
import { crushLn } from './reference/ln.ts';
import { referenceMap } from './reference/mapper.ts';

/** Arguments and hash, as Ceph's C code computes it. */
const HASHES: readonly (readonly [number[], number])[] = [
  [[0x0], 0x17c4a80b],
  [[0x1], 0xd5082851],
  [[0xffffffff], 0x7f71bc2a],
  [[0x12d687], 0x76f10366],
  [[0x80000000], 0xb3cd6c74],
  [[0x0, 0x0], 0x19ad4ce9],
  [[0x1, 0x2], 0xb78dee9c],
  [[0xffffffff, 0xfffffffe], 0xe35b0b85],
  [[0x12d687, 0xfffffffa], 0x33c35e75],
  [[0x80000000, 0x0], 0xa948587e],
  [[0x0, 0x0, 0x0], 0x7a3bf3b2],
  [[0x1, 0x2, 0x3], 0x735ad42b],
  [[0xffffffff, 0xfffffffe, 0x80000000], 0x972cc955],
  [[0x12d687, 0xfffffffa, 0x10], 0x8f69cbc3],
  [[0x80000000, 0x0, 0x1], 0xccd8e773],
  [[0x0, 0x0, 0x0, 0x0], 0x3fafb04d],
  [[0x1, 0x2, 0x3, 0x4], 0x696d1f16],
  [[0xffffffff, 0xfffffffe, 0x80000000, 0x7fffffff], 0x438e47cb],
  [[0x12d687, 0xfffffffa, 0x10, 0xffffffa1], 0xa93b897d],
  [[0x80000000, 0x0, 0x1, 0xffffffff], 0x263a7f77],
  [[0x0, 0x0, 0x0, 0x0, 0x0], 0xa45e5003],
  [[0x1, 0x2, 0x3, 0x4, 0x5], 0x4b42a1a1],
  [[0xffffffff, 0xfffffffe, 0x80000000, 0x7fffffff, 0xdeadbeef], 0xf5c5dde8],
  [[0x12d687, 0xfffffffa, 0x10, 0xffffffa1, 0x4d], 0x20c2acb6],
  [[0x80000000, 0x0, 0x1, 0xffffffff, 0x10000], 0x4c7b383f],
];

const hashes = [
  ['reference', hash32],
  ['kernel', kernelHash32],
] as const;

describe.each(hashes)('the hash of the %s', (_, hash) => {
  test.each(HASHES)('of %j', (words, expected) => {
    expect(hash(...words)).toBe(expected);
  });

  test('of 100,000 tuples, folded into one number', () => {
    let fold = 0;
    const add = (value: number): void => {
      fold = (Math.imul(fold, 31) + value) >>> 0;
    };
    for (let i = 0; i < 20_000; i++) {
      add(hash(Math.imul(i, 2654435761)));
      add(hash(i, fold));
      add(hash(i, fold, -i));
      add(hash(i, fold, -i, i << 8));
      add(hash(i, fold, -i, i << 8, ~fold));
    }
    expect(fold).toBe(2923315248);
  });
});

const tables = [
  ['reference', () => BigUint64Array.from({ length: 65536 }, (_, u) => crushLn(u))],
  ['kernel', lnTable],
] as const;

describe.each(tables)('crush_ln of the %s', (_, table) => {
  const values = table();

  test('all 65,536 values', () => {
    const md5 = createHash('md5').update(new Uint8Array(values.buffer)).digest('hex');
    expect(md5).toBe('c640e62bc12405b748d60163f5ddd5b3');
  });

  test('never falls, but for the last step', () => {
    const falls = [...values.keys()].filter((u) => u > 0 && values[u]! < values[u - 1]!);
    expect(falls).toEqual([65535]);
    expect(values[65535]).toBe(0xfffff0000000n);
  });
});

describe('rules of the reference', () => {
  const step = (op: number, arg1 = 0, arg2 = 0): CrushRuleStep => ({ op, arg1, arg2 });

  /** Four devices in one straw2 host, with one rule. */
  function mapWith(steps: CrushRuleStep[]): CrushMap {
    const host = makeBucket(-1, 1, BUCKET_ALGORITHM.straw2, [0, 1, 2, 3], [1, 1, 1, 1], new Random(1));
    return {
      maxDevices: 4,
      buckets: [host],
      rules: [{ id: 0, type: 1, ruleset: 0, minSize: 1, maxSize: 10, steps }],
      tunables: { ...LEGACY_TUNABLES, chooseTotalTries: 50 },
      typeNames: new Map(),
      itemNames: new Map(),
      ruleNames: new Map(),
      classNames: new Map(),
      itemClasses: new Map(),
      classBuckets: new Map(),
      chooseArgs: new Map(),
      encodedThrough: 9,
    };
  }

  test('a device taken is emitted as it is, whether out or not', () => {
    const map = mapWith([step(RULE_OP.take, 2), step(RULE_OP.emit)]);
    expect(referenceMap(map, { rule: 0, x: 7, size: 3, reweights: new Uint32Array(4) })).toEqual([2]);
  });

  test('a take of what is not there leaves the last one standing', () => {
    const map = mapWith([step(RULE_OP.take, 2), step(RULE_OP.take, -9), step(RULE_OP.emit)]);
    expect(referenceMap(map, { rule: 0, x: 7, size: 3 })).toEqual([2]);
  });

  test('an emit empties the working set', () => {
    const map = mapWith([step(RULE_OP.take, 2), step(RULE_OP.emit), step(RULE_OP.emit)]);
    expect(referenceMap(map, { rule: 0, x: 7, size: 3 })).toEqual([2]);
  });

  test('a count below 0 leaves places empty, and none if it leaves less than one', () => {
    const rule = (count: number): CrushRuleStep[] => [
      step(RULE_OP.take, -1),
      step(RULE_OP.chooseFirstn, count),
      step(RULE_OP.emit),
    ];
    expect(referenceMap(mapWith(rule(-1)), { rule: 0, x: 7, size: 3 })).toHaveLength(2);
    expect(referenceMap(mapWith(rule(-3)), { rule: 0, x: 7, size: 3 })).toHaveLength(0);
  });

  test('chooseleaf indep over devices leaves a device it found out', () => {
    const steps = [step(RULE_OP.take, -1), step(RULE_OP.chooseleafIndep, 0, 0), step(RULE_OP.emit)];
    const reweights = new Uint32Array(4);
    const leaves = referenceMap(mapWith(steps), { rule: 0, x: 7, size: 2, reweights });
    expect(leaves).toHaveLength(2);
    expect(leaves).not.toContain(ITEM_NONE);
  });

  test('a rule that is not there maps to nothing', () => {
    expect(referenceMap(mapWith([]), { rule: 5, x: 0, size: 3 })).toEqual([]);
  });
});
