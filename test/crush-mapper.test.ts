/**
 * The mapper over the kernel: requests, columns, limits, and rules that Ceph's own mapper could not run.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type CrushBucket,
  type CrushMap,
  type CrushRuleStep,
  LEGACY_TUNABLES,
  RULE_OP,
} from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { pgMask } from '../src/kernel/batch-request.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { hash32, lnTable } from '../src/kernel/kernel.ts';
import { fixture } from './fixtures.ts';

const real = readOsdMapBinary(fixture('cluster-10osd/a.osdmap')).crush;

const { take, chooseMsr, emit, chooseFirstn, setMsrDescents } = RULE_OP;

function step(op: number, arg1 = 0, arg2 = 0): CrushRuleStep {
  return { op, arg1, arg2 };
}

function straw2(id: number, type: number, items: number[]): CrushBucket {
  const itemWeights = Uint32Array.from(items, () => 0x10000);
  return {
    id,
    type,
    alg: 5,
    hash: 0,
    weight: items.length << 16,
    items: Int32Array.from(items),
    itemWeights,
  };
}

/** A root of three hosts, the third empty, and one device beside them; and the given rule. */
function withRule(type: number, steps: CrushRuleStep[], buckets: CrushBucket[] = []): CrushMap {
  return {
    ...real,
    maxDevices: 6,
    buckets: [
      straw2(-1, 2, [-2, -3]),
      straw2(-2, 1, [0, 1]),
      straw2(-3, 1, [2, 3]),
      straw2(-4, 1, []),
      ...buckets,
    ],
    rules: [{ id: 0, type, ruleset: 0, minSize: 1, maxSize: 10, steps }],
    tunables: { ...LEGACY_TUNABLES, chooseTotalTries: 50 },
    chooseArgs: new Map(),
    itemNames: new Map(),
  };
}

function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof CrushError) return `${error.code}: ${error.describe()}`;
    throw error;
  }
  return 'none';
}

describe('crush_ln', () => {
  it('has all 65,536 values of Ceph', () => {
    const table = lnTable();
    expect(createHash('md5').update(new Uint8Array(table.buffer)).digest('hex')).toBe(
      'c640e62bc12405b748d60163f5ddd5b3',
    );
    expect(table[65535]).toBe(0xfffff0000000n);
    expect(table[65534]).toBe(0xfffffd61ad10n);
  });
});

describe('hash32', () => {
  it('refuses other numbers of arguments', () => {
    expect(failure(() => hash32())).toBe('bad-argument: hash32 takes 1 to 5 numbers, not 0');
    expect(failure(() => hash32(1, 2, 3, 4, 5, 6))).toBe('bad-argument: hash32 takes 1 to 5 numbers, not 6');
  });

  it('takes its arguments as 32-bit numbers', () => {
    expect(hash32(-1)).toBe(hash32(0xffffffff));
    expect(hash32(2 ** 31, -5)).toBe(hash32(-(2 ** 31), 0xfffffffb));
  });
});

describe('a request', () => {
  const mapper = new CrushMapper(real);

  it('gives the same mappings in one run, in parts, and into given columns', () => {
    const whole = mapper.mapRange({ rule: 0, size: 3, first: 0, count: 40_000 });
    const out = { items: new Int32Array(300), lengths: new Int32Array(100), seeds: new Int32Array(100) };
    for (const first of [0, 21_840, 39_900]) {
      expect(mapper.mapRange({ rule: 0, size: 3, first, count: 100, out })).toBe(out);
      expect(out.items).toEqual(whole.items.slice(first * 3, (first + 100) * 3));
      expect(out.lengths).toEqual(whole.lengths.slice(first, first + 100));
    }
    expect(whole.seeds[777]).toBe(777);
  });

  it('is not disturbed by requests of other sizes in between', () => {
    const before = mapper.mapRange({ rule: 0, size: 3, first: 5, count: 10 });
    mapper.mapRange({ rule: 0, size: 11, first: 0, count: 10, reweights: new Uint32Array(1000) });
    mapper.mapRange({ rule: 0, size: 1, first: 0, count: 10, tries: new Uint32Array(51) });
    expect(mapper.mapRange({ rule: 0, size: 3, first: 5, count: 10 })).toEqual(before);
  });

  it('takes reweights anew unless they are said to be fixed and are the same', () => {
    const request = { rule: 0, size: 3, first: 0, count: 200 };
    const all = mapper.mapRange(request);
    const some = new Uint32Array(real.maxDevices).fill(0x10000);
    const others = new Uint32Array(real.maxDevices).fill(0x8000);
    expect(mapper.mapRange({ ...request, reweights: some })).toEqual(all);
    const half = mapper.mapRange({ ...request, reweights: others });
    expect(half).not.toEqual(all);
    expect(mapper.mapRange({ ...request, reweights: some, reweightsFixed: true })).toEqual(all);
    expect(mapper.mapRange({ ...request, reweights: some, reweightsFixed: true })).toEqual(all);
    expect(mapper.mapRange({ ...request, reweights: others, reweightsFixed: true })).toEqual(half);
    expect(mapper.mapRange(request)).toEqual(all);
    expect(mapper.mapRange({ ...request, reweights: others, reweightsFixed: true })).toEqual(half);
    mapper.mapRange({ ...request, size: 4 });
    expect(mapper.mapRange({ ...request, reweights: others, reweightsFixed: true })).toEqual(half);
    some.fill(0x8000);
    expect(mapper.mapRange({ ...request, reweights: some })).toEqual(half);
  });

  it('runs over the edge of 32 bits', () => {
    const { seeds } = mapper.mapRange({ rule: 0, size: 3, first: 0x7ffffffe, count: 4 });
    expect([...seeds]).toEqual([0x7ffffffe, 0x7fffffff, -0x80000000, -0x7fffffff]);
    const signed = mapper.mapRange({ rule: 0, size: 3, first: -2, count: 2 });
    expect(mapper.mapRange({ rule: 0, size: 3, first: 0xfffffffe, count: 2 })).toEqual(signed);
  });

  it('hashes the pool in as Ceph does', () => {
    const { seeds } = mapper.mapRange({
      rule: 0,
      size: 3,
      first: 7,
      count: 2,
      seed: { mode: 'hashed', pool: 5 },
    });
    expect([...seeds].map((seed) => seed >>> 0)).toEqual([hash32(7, 5), hash32(8, 5)]);
    const seed = { mode: 'pool-hashed', pool: 5, pgpNum: 6 } as const;
    const pool = mapper.mapRange({ rule: 0, size: 3, first: 4, count: 4, seed });
    expect([...pool.seeds].map((value) => value >>> 0)).toEqual([4, 5, 2, 3].map((ps) => hash32(ps, 5)));
    const legacy = mapper.mapRange({ rule: 0, size: 3, first: 4, count: 4, seed: { ...seed, mode: 'pool' } });
    expect([...legacy.seeds]).toEqual([9, 10, 7, 8]);
  });

  it('counts retries', () => {
    const tries = new Uint32Array(51);
    const count = 1000;
    const { lengths } = mapper.mapRange({ rule: 0, size: 3, first: 0, count, tries });
    const placed = lengths.reduce((sum, length) => sum + length, 0);
    // Each placed replica counts once for its host and once for its device.
    expect(tries.reduce((sum, n) => sum + n, 0)).toBe(2 * placed);
    expect(tries[0]).toBeGreaterThan(tries[1]!);
  });

  it('of size 0, of no inputs, or for a rule that is not there, maps to nothing', () => {
    expect([...mapper.mapRange({ rule: 0, size: 0, first: 0, count: 3 }).lengths]).toEqual([0, 0, 0]);
    expect(mapper.mapRange({ rule: 0, size: 3, first: 0, count: 0 }).items).toHaveLength(0);
    for (const rule of [-1, 200]) {
      const { items, lengths } = mapper.mapRange({ rule, size: 2, first: 0, count: 1 });
      expect([[...items], [...lengths]]).toEqual([[0x7fffffff, 0x7fffffff], [0]]);
    }
  });

  it('out of range is refused', () => {
    const request = { rule: 0, size: 3, first: 0, count: 1 };
    expect(failure(() => mapper.mapRange({ ...request, size: -1 }))).toMatch(/^bad-argument: size must be/);
    expect(failure(() => mapper.mapRange({ ...request, count: 1.5 }))).toMatch(
      /^bad-argument: count must be/,
    );
    expect(failure(() => mapper.mapRange({ ...request, first: 2 ** 32 }))).toMatch(
      /^bad-argument: first must be/,
    );
    expect(
      failure(() => mapper.mapRange({ ...request, seed: { mode: 'pool', pool: 1, pgpNum: 0 } })),
    ).toMatch(/^bad-argument: seed.pgpNum must be/);
    const out = { items: new Int32Array(2), lengths: new Int32Array(1), seeds: new Int32Array(1) };
    expect(failure(() => mapper.mapRange({ ...request, out }))).toMatch(/^bad-argument: out has no room/);
  });

  it('of more items than an array holds is refused', () => {
    const request = { rule: 0, size: 1 << 16, first: 0, count: 1 << 15 };
    expect(failure(() => mapper.mapRange(request))).toBe(
      'bad-argument: 32768 mappings of 65536 items are more than 2147483647 items; ask for them in parts',
    );
    expect(mapper.mapRange({ ...request, count: 1 }).items).toHaveLength(65536);
    expect(failure(() => mapper.mapRange({ ...request, size: (1 << 16) + 1, count: 1 }))).toMatch(
      /^bad-argument: size must be an integer from 0 to 65536, not 65537/,
    );
  });

  it('of the wrong types is refused', () => {
    const request = { rule: 0, size: 3, first: 0, count: 1 };
    const refusal = (wrong: object): string => failure(() => mapper.mapRange({ ...request, ...wrong }));
    expect(refusal({ seed: { mode: 'hashed', pool: 1.5 } })).toMatch(/^bad-argument: seed.pool must be/);
    expect(refusal({ seed: { mode: 'hashed' } })).toMatch(/^bad-argument: seed.pool must be/);
    expect(refusal({ seed: { mode: 'pool', pool: 1, pgpNum: 1.5 } })).toMatch(
      /^bad-argument: seed.pgpNum must/,
    );
    expect(refusal({ seed: { mode: 'random' } })).toBe(
      'bad-argument: seed.mode is one of plain, hashed, pool, pool-hashed, not random',
    );
    for (const reweights of [[1, 2], new Int32Array(2), null]) {
      expect(refusal({ reweights })).toMatch(/^bad-argument: reweights must be a Uint32Array, not /);
    }
    expect(refusal({ tries: [0] })).toBe('bad-argument: tries must be a Uint32Array, not Array');
    const out = { items: [0, 0, 0], lengths: new Int32Array(1), seeds: new Int32Array(1) };
    expect(refusal({ out })).toBe('bad-argument: out.items must be a Int32Array, not Array');
  });
});

describe('rules that Ceph cannot run', () => {
  const run = (map: CrushMap, size = 3): string =>
    failure(() => new CrushMapper(map).mapRange({ rule: 0, size, first: 10, count: 5 }));

  it.each([
    ['without a choose step', [step(take, -1), step(emit)], 'has no choosemsr step between take and emit'],
    [
      'that emits a device at once',
      [step(take, 0), step(emit)],
      'has no choosemsr step between take and emit',
    ],
    [
      'that takes a bucket that is not there',
      [step(take, -9), step(chooseMsr, 0, 0), step(emit)],
      'takes a bucket that is not in the map',
    ],
    ['from an empty bucket', [step(take, -4), step(chooseMsr, 0, 0), step(emit)], 'comes to an empty bucket'],
    [
      'that meets a device early',
      [step(take, -2), step(chooseMsr, 2, 2), step(chooseMsr, 1, 0), step(emit)],
      'comes to a device where it looks for a bucket',
    ],
    [
      'that asks for less than nothing',
      [step(take, -1), step(chooseMsr, -2, 0), step(emit)],
      'asks for a negative or too large number of items',
    ],
    [
      'that asks for too much',
      [step(take, -1), step(chooseMsr, 1 << 20, 1), step(chooseMsr, 1 << 20, 0), step(emit)],
      'asks for a negative or too large number of items',
    ],
  ] as const)('an MSR rule %s', (_, steps, message) => {
    for (const type of [4, 5]) {
      expect(run(withRule(type, [...steps]))).toBe(
        `invalid-rule: rule 0: this MSR rule ${message}; Ceph's own mapper aborts on it, at input 10`,
      );
    }
  });

  it('one that draws from a tree bucket without weight', () => {
    const tree: CrushBucket = {
      id: -5,
      type: 1,
      alg: 3,
      hash: 0,
      weight: 0,
      items: Int32Array.of(0, 1, 2),
      nodeWeights: new Uint32Array(8),
    };
    const map = withRule(1, [step(take, -5), step(chooseFirstn, 0, 0), step(emit)], [tree]);
    expect(run(map)).toBe(
      'invalid-rule: rule 0: this rule comes to a part of a tree bucket that has no items or no weight; ' +
        "Ceph's mapper reads out of bounds there, at input 10",
    );
  });

  it('one whose tries would take for ever', () => {
    const map = withRule(1, [step(take, -1), step(chooseFirstn, 0, 0), step(emit)]);
    const endless = { ...map, tunables: { ...map.tunables, chooseTotalTries: 0xfffffffe } };
    const mapper = new CrushMapper(endless, { workLimit: 100_000 });
    expect(failure(() => mapper.mapRange({ rule: 0, size: 5, first: 7, count: 1 }))).toBe(
      'work-limit: rule 0: input 7 drew more than 100000 bucket items; lower the tries tunables or raise workLimit',
    );
    // Tries that wrap around to none give up at once, as in Ceph.
    const none = { ...map, tunables: { ...map.tunables, chooseTotalTries: 0xffffffff } };
    expect(new CrushMapper(none).mapRange({ rule: 0, size: 5, first: 7, count: 1 }).lengths[0]).toBeLessThan(
      5,
    );
  });

  it('but MSR rules of another form map to nothing', () => {
    const forms = [
      [step(take, -1), step(chooseFirstn, 0, 0), step(emit)],
      [step(take, -1), step(chooseMsr, 0, 0)],
      [step(chooseMsr, 0, 0), step(emit)],
      [step(take, -1), step(setMsrDescents, 3), step(chooseMsr, 0, 0), step(emit)],
      [step(take, 0), step(chooseMsr, 0, 0), step(emit)],
    ];
    for (const steps of forms) {
      const { lengths } = new CrushMapper(withRule(5, steps)).mapRange({
        rule: 0,
        size: 3,
        first: 0,
        count: 2,
      });
      expect([...lengths]).toEqual([0, 0]);
    }
  });
});

describe('pgMask', () => {
  it('is the next power of two less one', () => {
    expect([1, 2, 3, 4, 5, 100, 128, 129, 2 ** 31, 2 ** 31 + 1].map(pgMask)).toEqual([
      0,
      1,
      3,
      3,
      7,
      127,
      127,
      255,
      2 ** 31 - 1,
      2 ** 32 - 1,
    ]);
  });
});
