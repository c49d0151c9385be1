/**
 * validate: a map made for every code, maps in which nothing is wrong, and maps damaged at random.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { validateOsdMap } from '../src/analysis/health.ts';
import { BUCKET_ALGORITHM, RULE_OP, type CrushBucket, type CrushMap } from '../src/crush/model.ts';
import { FlatMap } from '../src/crush/flat.ts';
import { validate, type CrushProblem, type RulePool } from '../src/crush/validate.ts';
import { PROBLEM_SEVERITY } from '../src/crush/validate/problems.ts';
import { CrushError } from '../src/errors.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { corpus, CORPUS, fixture } from './fixtures.ts';
import {
  HOST,
  OSD,
  RACK,
  ROOT,
  healthyMap,
  step,
  withBucket,
  withClasses,
  withRule,
  withSteps,
} from './healthy-map.ts';
import { makeBucket } from './make-bucket.ts';
import { Random } from './random.ts';
import { randomMap } from './random-map.ts';

const ONE = 0x10000;
const { set, take, leafFirstn, leafIndep, chooseFirstn, emit } = step;

function codes(map: CrushMap, pools?: readonly RulePool[]): string[] {
  return [...new Set(validate(map, { pools }).map(({ code }) => code))];
}

function find(map: CrushMap, code: string, pools?: readonly RulePool[]): CrushProblem[] {
  return validate(map, { pools }).filter((problem) => problem.code === code);
}

/** A bucket of the healthy map. */
function bucketOf(map: CrushMap, id: number): CrushBucket {
  return map.buckets[-1 - id]!;
}

function straw2(id: number, type: number, items: readonly number[], weights: readonly number[]): CrushBucket {
  return makeBucket(id, type, BUCKET_ALGORITHM.straw2, items, weights, new Random(1));
}

/** The healthy map with another root `other` (-20) over some items. */
function withRoot(
  map: CrushMap,
  items: readonly number[],
  weights: readonly number[],
  type = ROOT,
): CrushMap {
  const more = withBucket(map, -20, { ...straw2(-20, type, items, weights) });
  return { ...more, itemNames: new Map([...map.itemNames, [-20, 'other']]) };
}

/** Codes that each map must have; others come along where one fault makes several. */
const CASES: Readonly<Record<string, () => CrushMap | readonly [CrushMap, readonly RulePool[]]>> = {
  'bucket-index': () => withBucket(healthyMap(), -3, { id: -4 }),
  'bucket-type': () => withBucket(healthyMap(), -3, { type: 0 }),
  'unknown-algorithm': () => withBucket(healthyMap(), -3, { alg: 9 }),
  'unknown-hash': () => withBucket(healthyMap(), -3, { hash: 1 }),
  'bucket-arrays': () => withBucket(healthyMap(), -3, { itemWeights: new Uint32Array(2) }),
  'dangling-item': () => withBucket(healthyMap(), -3, { items: Int32Array.of(3, 4, -30) }),
  cycle: () => withBucket(healthyMap(), -3, { items: Int32Array.of(3, 4, -1) }),
  'too-large': () => ({ ...healthyMap(), maxDevices: 2 ** 25 }),
  'device-beyond-max': () => ({ ...healthyMap(), maxDevices: 17 }),
  'duplicate-item': () => withBucket(healthyMap(), -3, { items: Int32Array.of(3, 4, 4) }),
  'several-parents': () => withRoot(healthyMap(), [-2], [3 * ONE]),
  'orphan-bucket': orphan,
  'unused-root': () => withRoot({ ...healthyMap(), maxDevices: 19 }, [18], [ONE]),
  'empty-bucket': () => withRoot(healthyMap(), [], []),
  'stray-device': () => {
    const map = healthyMap();
    return { ...map, itemNames: new Map([...map.itemNames, [18, 'osd.18']]) };
  },
  'type-order': () => withBucket(healthyMap(), -3, { type: ROOT }),
  'bucket-weight': () => withBucket(healthyMap(), -3, { weight: 4 * ONE }),
  'item-weight': () =>
    withBucket(healthyMap(), -3, { weight: 6 * ONE, itemWeights: Uint32Array.of(2 * ONE, 2 * ONE, 2 * ONE) }),
  'weight-overflow': () =>
    withBucket(healthyMap(), -3, { itemWeights: new Uint32Array(3).fill(0x7fff_ffff) }),
  'negative-weight': () => withBucket(healthyMap(), -3, { itemWeights: Uint32Array.of(ONE, ONE, 2 ** 31) }),
  'zero-weight': () => withBucket(healthyMap(), -3, { itemWeights: Uint32Array.of(ONE, ONE, 0) }),
  'zero-bucket': () => withBucket(healthyMap(), -3, { itemWeights: new Uint32Array(3) }),
  'uneven-weights': () => withBucket(healthyMap(), -3, { itemWeights: Uint32Array.of(ONE, ONE, 16 * ONE) }),
  'list-sums': () => {
    const list = makeBucket(-3, HOST, BUCKET_ALGORITHM.list, [3, 4, 5], [ONE, ONE, ONE], new Random(1));
    return withBucket(healthyMap(), -3, { ...list, sumWeights: Uint32Array.of(ONE, ONE, 3 * ONE) });
  },
  'tree-nodes': () => {
    const tree = makeBucket(-3, HOST, BUCKET_ALGORITHM.tree, [3, 4, 5], [ONE, ONE, ONE], new Random(1));
    const nodeWeights = Uint32Array.from((tree as { nodeWeights: Uint32Array }).nodeWeights);
    nodeWeights[2] = ONE;
    return withBucket(healthyMap(), -3, { ...tree, nodeWeights });
  },
  'straw-lengths': () =>
    withBucket(healthyMap(), -3, {
      ...makeBucket(-3, HOST, BUCKET_ALGORITHM.straw, [3, 4, 5], [ONE, ONE, ONE], new Random(1)),
    }),
  'unnamed-bucket': () => withoutName(-3),
  'unnamed-device': () => withoutName(3),
  'unnamed-type': () => ({ ...healthyMap(), typeNames: new Map([[ROOT, 'root']]) }),
  'unnamed-rule': () => ({ ...healthyMap(), ruleNames: new Map() }),
  'invalid-name': () => named(-3, 'host 1'),
  'duplicate-name': () => named(-3, 'host0'),
  'name-of-nothing': () => named(-40, 'gone'),
  'no-rules': () => ({ ...healthyMap(), rules: [] }),
  'rule-index': () => withRule(healthyMap(), 1, { id: 0 }),
  'rule-type': () => withRule(healthyMap(), 1, { type: 7 }),
  'rule-mask': () => withRule(healthyMap(), 1, { ruleset: 4 }),
  'unknown-step': () => withSteps(healthyMap(), 0, [set(99, 0), take(-1), leafFirstn(0, HOST), emit]),
  'take-missing': () => withSteps(healthyMap(), 0, [take(-50), leafFirstn(0, HOST), emit]),
  'empty-take': () => withSteps(withRoot(healthyMap(), [], []), 0, [take(-20), leafFirstn(0, HOST), emit]),
  'empty-class-tree': () => {
    const map = withClasses(healthyMap());
    const empty = { items: new Int32Array(0), itemWeights: new Uint32Array(0), weight: 0 };
    return withSteps(withBucket(map, -201, empty), 0, [take(-201), leafFirstn(0, HOST), emit]);
  },
  'unused-take': () => withSteps(healthyMap(), 0, [take(-2), take(-1), leafFirstn(0, HOST), emit]),
  'choose-without-take': () =>
    withSteps(healthyMap(), 0, [leafFirstn(0, HOST), take(-1), leafFirstn(0, HOST), emit]),
  'emit-without-take': () => withSteps(healthyMap(), 0, [take(-1), leafFirstn(0, HOST), emit, emit]),
  'no-emit': () => withSteps(healthyMap(), 0, [take(-1), leafFirstn(0, HOST)]),
  'lost-choice': () =>
    withSteps(healthyMap(), 0, [take(-1), leafFirstn(0, HOST), emit, take(-1), leafFirstn(0, HOST)]),
  'emits-buckets': () => withSteps(healthyMap(), 0, [take(-1), chooseFirstn(0, HOST), emit]),
  'choose-below-device': () =>
    withSteps(healthyMap(), 0, [take(-1), leafFirstn(0, HOST), chooseFirstn(1, OSD), emit]),
  'no-such-domain': () => withSteps(healthyMap(), 0, [take(-1), leafFirstn(0, RACK), emit]),
  'idle-step': () =>
    withSteps(healthyMap(), 0, [take(-1), leafFirstn(0, HOST), emit, set(RULE_OP.setChooseTries, 9)]),
  'wrong-mode-step': () =>
    withSteps(healthyMap(), 0, [take(-1), { op: RULE_OP.chooseMsr, arg1: 0, arg2: OSD }, emit]),
  'msr-without-choose': () => withRule(healthyMap(), 0, { type: 4, steps: [take(-1), emit] }),
  'device-above-domain': () => {
    const map = { ...healthyMap(), maxDevices: 19 };
    const root = bucketOf(map, -1);
    return withBucket(map, -1, {
      ...straw2(-1, ROOT, [...root.items, 18], new Array<number>(7).fill(3 * ONE)),
    });
  },
  'mode-mismatch': () => withSteps(healthyMap(), 0, [take(-1), leafIndep(0, HOST), emit]),
  'overlapping-roots': () => withSteps(withClasses(healthyMap()), 1, [take(-201), leafIndep(0, HOST), emit]),
  'blocks-share-osds': () =>
    withSteps(healthyMap(), 0, [take(-1), leafFirstn(1, HOST), emit, take(-1), leafFirstn(-1, HOST), emit]),
  'blocks-share-domains': () =>
    withSteps(withClasses(healthyMap()), 0, [
      ...[take(-201), leafFirstn(1, HOST), emit],
      ...[take(-202), leafFirstn(-1, HOST), emit],
    ]),
  'too-few-osds': () => healthyMap(1, 3),
  'too-few-osds-at-times': () => [
    withSteps(unequalRacks(), 0, [take(-1), chooseFirstn(2, RACK), leafFirstn(2, HOST), emit]),
    [pool({ size: 4 })],
  ],
  'two-osds-only': () => healthyMap(2, 3),
  'no-spare-domain': () => [healthyMap(3, 3), [pool({ size: 3 })]],
  'heavy-domain': () => heavyHost(),
  'few-tries': () =>
    withSteps(healthyMap(), 1, [set(RULE_OP.setChooseTries, 10), take(-1), leafIndep(0, HOST), emit]),
  'default-tries': () => withSteps(healthyMap(20, 1), 1, [take(-1), leafIndep(0, HOST), emit]),
  'below-min-size': () => [healthyMap(2, 3), [pool({ size: 5, minSize: 3 })]],
  'pool-without-rule': () => [healthyMap(), [pool({ rule: 7 })]],
  'pool-rule-type': () => [healthyMap(), [pool({ rule: 1, type: 1 })]],
  'legacy-tunables': () => tuned({ chooseTotalTries: 19 }),
  'older-tunables': () => tuned({ chooseleafStable: 0 }),
  'tunable-range': () => tuned({ chooseleafVaryR: 256 }),
  'straw-calc-version': () => {
    const straws = withBucket(healthyMap(), -3, {
      ...makeBucket(-3, HOST, BUCKET_ALGORITHM.straw, [3, 4, 5], [ONE, ONE, ONE], new Random(1)),
      straws: new Uint32Array(3).fill(ONE),
    });
    return { ...straws, tunables: { ...straws.tunables, strawCalcVersion: 0 } };
  },
  'straw2-not-allowed': () => tuned({ allowedBucketAlgs: 22 }),
  'straw-buckets': () => ofAlgorithm(BUCKET_ALGORITHM.straw),
  'uniform-buckets': () => ofAlgorithm(BUCKET_ALGORITHM.uniform),
  'list-buckets': () => ofAlgorithm(BUCKET_ALGORITHM.list),
  'tree-buckets': () => ofAlgorithm(BUCKET_ALGORITHM.tree),
  'unknown-class': () => ({ ...withClasses(healthyMap()), classNames: new Map([[0, 'hdd']]) }),
  'device-without-class': () => {
    const map = withClasses(healthyMap());
    return { ...map, itemClasses: new Map([...map.itemClasses].filter(([item]) => item !== 3)) };
  },
  'shadow-missing': () => {
    const map = withClasses(healthyMap());
    return { ...map, classBuckets: new Map([...map.classBuckets].filter(([id]) => id !== -3)) };
  },
  'shadow-dangling': () => {
    const map = withClasses(healthyMap());
    return { ...map, classBuckets: new Map([...map.classBuckets, [-3, new Map([[0, -90]])]]) };
  },
  'shadow-stale': () => {
    const map = withClasses(healthyMap());
    return { ...map, itemClasses: new Map([...map.itemClasses, [3, 0]]) };
  },
  'shadow-weights': () =>
    withBucket(withClasses(healthyMap()), -103, { itemWeights: Uint32Array.of(2 * ONE) }),
  'shadow-form': () => withBucket(withClasses(healthyMap()), -103, { type: RACK }),
  'shadow-name': () => {
    const map = withClasses(healthyMap());
    return { ...map, itemNames: new Map([...map.itemNames, [-103, 'host1~nvme']]) };
  },
  'shadow-without-original': () => ({ ...withClasses(healthyMap()), classBuckets: new Map() }),
  'choose-args-bucket': () => withArgs(-50, [[ONE]]),
  'choose-args-size': () => withArgs(-3, [[ONE]]),
  'choose-args-idle': () => {
    const list = makeBucket(-3, HOST, BUCKET_ALGORITHM.list, [3, 4, 5], [ONE, ONE, ONE], new Random(1));
    return withBucket(withArgs(-3, [[ONE, ONE, ONE]]), -3, { ...list });
  },
  'choose-args-weight': () => withArgs(-3, [[ONE, ONE, 0]]),
  'choose-args-negative': () => withArgs(-3, [[ONE, ONE, 2 ** 31]]),
  'choose-args-sum': () => {
    const map = withArgs(-3, [[ONE, ONE, 2 * ONE]]);
    const root = { weightSet: [new Uint32Array(6).fill(3 * ONE)] };
    return { ...map, chooseArgs: new Map([[-1, new Map([...map.chooseArgs.get(-1)!, [-1, root]])]]) };
  },
  'choose-args-positions': () => {
    const map = withArgs(-3, [[ONE, ONE, ONE]]);
    const two = { weightSet: [new Uint32Array(3).fill(ONE), new Uint32Array(3).fill(ONE)] };
    return { ...map, chooseArgs: new Map([[-1, new Map([...map.chooseArgs.get(-1)!, [-4, two]])]]) };
  },
  'choose-args-few-positions': () => [
    withArgs(-3, [
      [ONE, ONE, ONE],
      [ONE, ONE, ONE],
    ]),
    [pool({ size: 3 })],
  ],
  'choose-args-ids': () => {
    const map = healthyMap();
    return { ...map, chooseArgs: new Map([[-1, new Map([[-3, { ids: Int32Array.of(3, 3, 5) }]])]]) };
  },
  'choose-args-pool': () => {
    const map = withArgs(-3, [[ONE, ONE, ONE]]);
    return [{ ...map, chooseArgs: new Map([[9, map.chooseArgs.get(-1)!]]) }, [pool({})]];
  },
};

function pool(change: Partial<RulePool>): RulePool {
  return { id: 1, name: 'data', rule: 0, size: 3, minSize: 2, type: 1, ...change };
}

function orphan(): CrushMap {
  const map = { ...healthyMap(), maxDevices: 19 };
  return withRoot(map, [18], [ONE], HOST);
}

function withoutName(id: number): CrushMap {
  const map = healthyMap();
  return { ...map, itemNames: new Map([...map.itemNames].filter(([item]) => item !== id)) };
}

function named(id: number, name: string): CrushMap {
  const map = healthyMap();
  return { ...map, itemNames: new Map([...map.itemNames, [id, name]]) };
}

function tuned(change: Partial<CrushMap['tunables']>): CrushMap {
  const map = healthyMap();
  return { ...map, tunables: { ...map.tunables, ...change } };
}

function ofAlgorithm(algorithm: number): CrushMap {
  return withBucket(healthyMap(), -3, {
    ...makeBucket(-3, HOST, algorithm, [3, 4, 5], [ONE, ONE, ONE], new Random(1)),
    straws: new Uint32Array(3).fill(ONE),
  });
}

function withArgs(id: number, weights: readonly (readonly number[])[]): CrushMap {
  const weightSet = weights.map((each) => Uint32Array.from(each));
  return { ...healthyMap(), chooseArgs: new Map([[-1, new Map([[id, { weightSet }]])]]) };
}

/** One of six hosts weighs as much as the five others. */
function heavyHost(): CrushMap {
  const map = healthyMap();
  const host = withBucket(map, -2, { itemWeights: new Uint32Array(3).fill(5 * ONE), weight: 15 * ONE });
  const weights = Uint32Array.of(15, 3, 3, 3, 3, 3).map((weight) => weight * ONE);
  return withBucket(host, -1, { itemWeights: weights, weight: 30 * ONE });
}

/** Six hosts in three racks of three, two and one. */
function unequalRacks(): CrushMap {
  const map = healthyMap();
  const racks = [[-2, -3, -4], [-5, -6], [-7]];
  let changed: CrushMap = map;
  const names = new Map(map.itemNames);
  racks.forEach((hosts, rack) => {
    const id = -10 - rack;
    changed = withBucket(changed, id, {
      ...straw2(
        id,
        RACK,
        hosts,
        hosts.map(() => 3 * ONE),
      ),
    });
    names.set(id, `rack${rack}`);
  });
  changed = withBucket(changed, -1, { ...straw2(-1, ROOT, [-10, -11, -12], [9 * ONE, 6 * ONE, 3 * ONE]) });
  return { ...changed, itemNames: names };
}

describe('validate', () => {
  test('every code has a map of its own', () => {
    expect(Object.keys(CASES).sort()).toEqual(Object.keys(PROBLEM_SEVERITY).sort());
  });

  test.each(Object.entries(CASES))('%s', (code, make) => {
    const made = make();
    const [map, pools] = 'buckets' in made ? [made] : made;
    const found = find(map, code, pools);
    expect(codes(map, pools)).toContain(code);
    for (const { severity, where, message, cure } of found) {
      expect(severity).toBe(PROBLEM_SEVERITY[code as keyof typeof PROBLEM_SEVERITY]);
      expect(where).not.toBe('');
      expect(message).toMatch(/[^.\s]$/);
      expect(cure).toMatch(/[^.\s]$/);
      expect(`${where}${message}${cure}`).not.toMatch(/undefined|NaN|\[object/);
    }
  });

  test('the healthy map has none, with or without classes and pools', () => {
    expect(validate(healthyMap())).toEqual([]);
    expect(validate(withClasses(healthyMap()))).toEqual([]);
    const pools = [pool({}), pool({ id: 2, rule: 1, size: 5, minSize: 4, type: 3 })];
    expect(validate(healthyMap(), { pools })).toEqual([]);
  });

  test('places and words of some', () => {
    expect(validate(CASES.cycle!() as CrushMap)[0]).toEqual({
      code: 'cycle',
      severity: 'error',
      place: { bucket: -1, item: -3 },
      where: 'bucket -1 (default), item host1',
      message: 'the bucket contains itself (default > host1 > default)',
      cure:
        "take default out of host1: 'ceph osd crush unlink default host1', " +
        "or delete the item's line in the text form",
    });
    const [short] = find(healthyMap(2, 3), 'below-min-size', [pool({ size: 5, minSize: 3 })]);
    expect(short).toMatchObject({
      place: { rule: 0, pool: 1 },
      where: 'pool 1, rule 0 (replicated_rule)',
      message:
        'the rule gives 2 of 5 OSDs at most (5 of 2 hosts below default), fewer than its min_size of 3: it is inactive',
    });
    const [heavy] = find(heavyHost(), 'heavy-domain');
    expect(heavy?.message).toMatch(
      /^it has 50 % of the weight, but of 3 OSDs on different hosts it can get one, 33 %/,
    );
    expect(heavy?.where).toBe('rule 0 (replicated_rule), step 1, item host0');
  });

  test('errors come first, notes last', () => {
    const map = withBucket(tuned({ chooseleafStable: 0 }), -3, { weight: 1, hash: 3 });
    const severities = validate(map).map(({ severity }) => severity);
    expect(severities).toEqual(['error', 'warning', 'warning', 'note']);
  });

  test('devices that are out count for nothing', () => {
    const reweights = new Uint32Array(18).fill(ONE);
    reweights.fill(0, 3);
    const found = validate(healthyMap(), { pools: [pool({ minSize: 1 })], reweights });
    expect(found.map(({ code, message }) => [code, message])).toEqual([
      ['too-few-osds', 'the rule gives 1 of 3 OSDs at most (3 of 1 host below default)'],
    ]);
  });

  test('weights that differ by the decimals of the text form are no problem', () => {
    const map = withBucket(healthyMap(), -1, {
      itemWeights: new Uint32Array(6).fill(3 * ONE + 60),
      weight: 6 * (3 * ONE + 60),
    });
    expect(validate(map)).toEqual([]);
    const more = withBucket(healthyMap(), -1, {
      itemWeights: new Uint32Array(6).fill(3 * ONE + 600),
      weight: 6 * (3 * ONE + 600),
    });
    expect(codes(more)).toEqual(['item-weight']);
  });

  test('what is no CRUSH map is refused', () => {
    expect(() => validate({} as CrushMap)).toThrow(CrushError);
    expect(() => validate(undefined as unknown as CrushMap)).toThrow(/takes a CRUSH map/);
  });
});

describe('validate of maps from files', () => {
  test('the fixtures that crushtool and monitors made have no errors', () => {
    expect(codes(readCrushBinary(fixture('crushmaps/s.crushmap')))).toEqual(['default-tries']);
    expect(codes(readCrushBinary(fixture('crushmaps/cluster-8osd.crushmap')))).toEqual([
      'heavy-domain',
      'overlapping-roots',
      'two-osds-only',
    ]);
  });

  test('an OSDMap is checked with its pools and with the OSDs that are out', () => {
    const map = readOsdMapBinary(fixture('cluster-8osd/osdmap'));
    const found = validateOsdMap(map);
    expect(found.map(({ code, place }) => [code, place.pool])).toEqual([
      ['heavy-domain', 3],
      ['heavy-domain', 4],
      ['heavy-domain', 5],
      ['heavy-domain', 6],
      ['heavy-domain', 7],
      ['heavy-domain', 8],
      ['overlapping-roots', undefined],
      ['overlapping-roots', undefined],
      ['no-spare-domain', 5],
      ['no-spare-domain', 6],
      ['no-spare-domain', 7],
    ]);
    // OSD 7 is out, so that only three OSDs of class ssd are left.
    expect(found[8]?.message).toMatch(/^every PG needs all 3 osds there are/);
  });

  describe.skipIf(CORPUS === undefined)('the larger benchmark maps', () => {
    test.each([
      ['m', ['default-tries']],
      ['l', ['default-tries']],
      ['flat', ['default-tries']],
      ['mixed', ['overlapping-roots', 'blocks-share-domains']],
      ['mixed_cs', ['overlapping-roots', 'blocks-share-domains']],
      ['msr_mixed', ['overlapping-roots', 'blocks-share-domains']],
    ])('%s', (name, expected) => {
      const map = readCrushBinary(new Uint8Array(readFileSync(corpus(`bench-maps/${name}.crushmap`))));
      expect(codes(map)).toEqual(expected);
    });
  });
});

describe('validate of random maps', () => {
  const seed = Number(process.env.CRUSH_PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const runs = Number(process.env.CRUSH_VALIDATE_RUNS ?? 400);

  test(`no map makes it throw, and maps that cannot be laid out have errors (seed ${seed})`, () => {
    for (let run = 0; run < runs; run++) {
      const random = new Random(seed + run);
      const options = { limits: random.pick(['text', 'binary', 'any'] as const), msr: random.chance(0.3) };
      const map = damaged(randomMap(seed + run, options), random);
      const reweights = random.chance(0.2) ? new Uint32Array(random.below(50)).fill(ONE) : undefined;
      const pools = random.chance(0.5)
        ? Array.from({ length: random.below(4) }, (_, id) =>
            pool({ id, rule: random.between(-1, 4), size: random.between(0, 12), type: random.pick([1, 3]) }),
          )
        : undefined;
      const found = validate(map, { pools, reweights });
      const where = `seed ${seed + run}`;
      expect(
        found.filter(({ message, cure }) => /undefined|NaN/.test(message + cure)),
        where,
      ).toEqual([]);
      if (found.some(({ severity }) => severity === 'error')) continue;
      expect(() => FlatMap.fromModel(map), where).not.toThrow();
    }
  });
});

/** A map in which some fields of some parts have other values. */
function damaged(map: CrushMap, random: Random): CrushMap {
  let changed = map;
  const ids = map.buckets.flatMap((bucket) => (bucket === undefined ? [] : [bucket.id]));
  const odd = (): number =>
    random.pick([
      0,
      1,
      -1,
      2,
      5,
      9,
      0x7fffffff,
      -0x80000000,
      2 ** 32 - 1,
      random.between(-40, 60),
      random.word(),
    ]);
  for (let faults = random.below(6); faults > 0; faults--) {
    const id = random.pick(ids);
    const bucket = changed.buckets[-1 - id];
    if (bucket === undefined) continue;
    const items = Int32Array.from(bucket.items);
    if (items.length > 0) items[random.below(items.length)] = random.chance(0.5) ? random.pick(ids) : odd();
    const rule = random.below(Math.max(1, map.rules.length));
    const steps = (map.rules[rule]?.steps ?? []).map((each) =>
      random.chance(0.3) ? { ...each, [random.pick(['op', 'arg1', 'arg2'])]: odd() } : each,
    );
    const tunable = random.pick(Object.keys(map.tunables));
    changed = random.pick<() => CrushMap>([
      () => withBucket(changed, id, { items }),
      () => withBucket(changed, id, { [random.pick(['id', 'type', 'alg', 'hash', 'weight'])]: odd() }),
      () =>
        withBucket(changed, id, {
          [random.pick(['itemWeights', 'sumWeights', 'straws', 'nodeWeights'])]: new Uint32Array(
            random.below(9),
          ),
        }),
      () => withSteps(changed, rule, steps),
      () =>
        withRule(changed, rule, { [random.pick(['id', 'type', 'ruleset', 'minSize', 'maxSize'])]: odd() }),
      () => ({ ...changed, tunables: { ...changed.tunables, [tunable]: odd() } }),
      () => ({ ...changed, maxDevices: odd() }),
      () => ({ ...changed, buckets: changed.buckets.map((each) => (random.chance(0.1) ? undefined : each)) }),
      () => ({ ...changed, itemNames: new Map([...changed.itemNames].filter(() => random.chance(0.7))) }),
      () => ({ ...changed, itemClasses: new Map([...ids, 0, 1, 2].map((each) => [each, random.below(3)])) }),
      () => ({
        ...changed,
        classBuckets: new Map(ids.map((each) => [each, new Map([[random.below(3), odd()]])])),
      }),
      () => ({
        ...changed,
        chooseArgs: new Map([
          [
            odd(),
            new Map(
              ids.map((each) => [
                random.chance(0.1) ? odd() : each,
                { weightSet: [new Uint32Array(random.below(5))], ids: new Int32Array(random.below(5)) },
              ]),
            ),
          ],
        ]),
      }),
    ])();
  }
  return changed;
}
