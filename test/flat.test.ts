/**
 * The flat map: laid out, opened again, and refused when the kernel could not be trusted with it.
 */
import { describe, expect, it } from 'vitest';
import * as L from '../assembly/layout.ts';
import { flatChecksum } from '../src/crush/flat-check.ts';
import { FlatMap } from '../src/crush/flat.ts';
import { type CrushBucket, type CrushMap, type CrushRuleStep, LEGACY_TUNABLES } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { fixture } from './fixtures.ts';

const real = readOsdMapBinary(fixture('cluster-10osd/a.osdmap')).crush;

function straw2(id: number, type: number, items: number[]): CrushBucket {
  const weights = Uint32Array.from(items, () => 0x10000);
  return {
    id,
    type,
    alg: 5,
    hash: 0,
    weight: items.length << 16,
    items: Int32Array.from(items),
    itemWeights: weights,
  };
}

function map(buckets: (CrushBucket | undefined)[], steps: CrushRuleStep[] = [], type = 1): CrushMap {
  return {
    maxDevices: 8,
    buckets,
    rules: [{ id: 0, type, ruleset: 0, minSize: 1, maxSize: 10, steps }],
    tunables: LEGACY_TUNABLES,
    typeNames: new Map(),
    itemNames: new Map([[-1, 'default']]),
    ruleNames: new Map(),
    classNames: new Map(),
    itemClasses: new Map(),
    classBuckets: new Map(),
    chooseArgs: new Map(),
    encodedThrough: 9,
  };
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof CrushError) return `${error.code}: ${error.describe()}`;
    throw error;
  }
  return 'accepted';
}

describe('a flat map', () => {
  it('opened from its words maps as the model does', () => {
    const flat = FlatMap.fromModel(real);
    const opened = FlatMap.from(Int32Array.from(flat.words));
    const request = { rule: 0, size: 3, first: 0, count: 500, chooseArgs: 3 };
    expect(new CrushMapper(opened).mapRange(request)).toEqual(new CrushMapper(real).mapRange(request));
    expect(opened.hasRule(0)).toBe(true);
    expect(opened.hasRule(-1)).toBe(false);
    expect(opened.hasRule(1000)).toBe(false);
  });

  it('finds choose_args sets by index, negative ones too', () => {
    const flat = FlatMap.fromModel(real);
    for (const index of real.chooseArgs.keys()) expect(flat.chooseArgsOffset(index)).toBeGreaterThan(0);
    expect([...real.chooseArgs.keys()]).toContain(-1);
    expect(flat.chooseArgsOffset(4711)).toBe(0);
  });

  it('is refused when any word has changed', () => {
    const { words } = FlatMap.fromModel(real);
    for (let i = 0; i < words.length; i++) {
      const changed = Int32Array.from(words);
      changed[i] = (changed[i] ?? 0) ^ 0x40;
      expect(refusal(() => FlatMap.from(changed))).toMatch(/^(malformed|unsupported): flat map/);
    }
    expect(refusal(() => FlatMap.from(words.slice(0, -1)))).toContain('cut or changed');
    expect(refusal(() => FlatMap.from(new Int32Array(3)))).toContain('no flat map');
  });

  it('is refused, or stays within bounds, when a word has changed and the checksum was mended', () => {
    const { words } = FlatMap.fromModel(real);
    let accepted = 0;
    // Every word of the header, and some of the rest.
    for (let i = 0; i < words.length; i += i < L.HEADER_WORDS ? 1 : 7) {
      for (const value of [-1, 0x7fffffff, words.length, 1]) {
        const changed = Int32Array.from(words);
        changed[i] = value;
        changed[L.H_CHECKSUM] = flatChecksum(changed);
        try {
          const mapper = new CrushMapper(FlatMap.from(changed), { workLimit: 20_000 });
          mapper.mapRange({ rule: 0, size: 3, first: 0, count: 3, chooseArgs: 3 });
          accepted++;
        } catch (error) {
          expect(error).toBeInstanceOf(CrushError);
        }
      }
    }
    // Weights, ids and step arguments may be anything.
    expect(accepted).toBeGreaterThan(100);
  });
});

describe('maps that are refused', () => {
  it.each([
    [
      'a cycle',
      map([straw2(-1, 2, [-2]), straw2(-2, 1, [-1])]),
      'invalid-map: bucket -1 (default): the bucket contains itself (-1 > -2 > -1)',
    ],
    [
      'a bucket in itself',
      map([straw2(-1, 2, [0, -1])]),
      'invalid-map: bucket -1 (default): the bucket contains itself (-1 > -1)',
    ],
    [
      'a dangling item',
      map([straw2(-1, 2, [-2])]),
      'invalid-map: bucket -1 (default): item -2 is no bucket of this map',
    ],
    [
      'a bucket of the device type',
      map([straw2(-1, 0, [1])]),
      'invalid-map: bucket -1 (default): type 0 is not one a bucket can have (0 is for devices)',
    ],
    [
      'a bucket in the wrong place',
      map([undefined, straw2(-1, 1, [1])]),
      'invalid-map: bucket -1: stands in the place of bucket -2',
    ],
    [
      'an unknown hash',
      map([{ ...straw2(-1, 1, [1]), hash: 1 }]),
      'unsupported: bucket -1: hash function 1 is unknown (0 is rjenkins1)',
    ],
    [
      'an unknown algorithm',
      map([{ ...straw2(-1, 1, [1]), alg: 6 } as unknown as CrushBucket]),
      'unsupported: bucket -1 (default): bucket algorithm 6 is unknown',
    ],
    [
      'an unknown rule step',
      map([straw2(-1, 1, [1])], [{ op: 17, arg1: 0, arg2: 0 }]),
      'unsupported: rule 0, step 0: operation 17 is unknown',
    ],
    ['an unknown rule type', map([straw2(-1, 1, [1])], [], 6), 'unsupported: rule 0: rule type 6 is unknown'],
    [
      'weights that do not fit',
      map([{ ...straw2(-1, 1, [1, 2]), itemWeights: new Uint32Array(1) } as CrushBucket]),
      'invalid-map: bucket -1: has 1 item weights, should have 2',
    ],
    [
      'too many devices',
      { ...map([]), maxDevices: 1 << 25 },
      'unsupported: crush map: max_devices is 33554432, at most 16777216 are supported',
    ],
    [
      'too many buckets',
      map(new Array<CrushBucket | undefined>((1 << 20) + 1).fill(undefined)),
      'unsupported: crush map: the map has 1048577 buckets, at most 1048576 are supported',
    ],
    [
      'too many rules',
      { ...map([]), rules: new Array<undefined>((1 << 16) + 1).fill(undefined) },
      'unsupported: crush map: the map has 65537 rules, at most 65536 are supported',
    ],
    [
      'a tunable of more than 8 bits',
      { ...map([]), tunables: { ...LEGACY_TUNABLES, chooseleafStable: 256 } },
      'invalid-map: tunables: chooseleaf_stable is 256, a number of 8 bits is needed',
    ],
    [
      'a negative tunable of 8 bits',
      { ...map([]), tunables: { ...LEGACY_TUNABLES, chooseleafVaryR: -1 } },
      'invalid-map: tunables: chooseleaf_vary_r is -1, a number of 8 bits is needed',
    ],
    [
      'a tree of no power of two',
      map([
        {
          id: -1,
          type: 1,
          alg: 3,
          hash: 0,
          weight: 0,
          items: Int32Array.of(1, 2),
          nodeWeights: new Uint32Array(3),
        },
      ]),
      'invalid-map: bucket -1 (default): a tree of 3 nodes for 2 items: it must be a power of two',
    ],
    [
      'choose_args for no bucket',
      {
        ...map([straw2(-1, 1, [1])]),
        chooseArgs: new Map([[0, new Map([[-5, { ids: Int32Array.of(1) }]])]]),
      },
      'invalid-map: choose_args 0: bucket -5: there is no such bucket',
    ],
    [
      'choose_args of another size',
      {
        ...map([straw2(-1, 1, [1])]),
        chooseArgs: new Map([[0, new Map([[-1, { weightSet: [new Uint32Array(2)] }]])]]),
      },
      'invalid-map: choose_args 0: bucket -1: 2 weights for 1 items',
    ],
  ] as const)('%s', (_, broken, message) => {
    expect(refusal(() => FlatMap.fromModel(broken))).toBe(message);
  });

  it('choose_args beyond all measure', () => {
    const buckets = new Array<CrushBucket | undefined>(1 << 20).fill(undefined);
    const chooseArgs = new Map(Array.from({ length: 100 }, (_, pool) => [pool, new Map()]));
    expect(refusal(() => FlatMap.fromModel({ ...map(buckets), chooseArgs }))).toMatch(
      /^unsupported: crush map: the map has \d+ words, at most 33554432 are supported$/,
    );
  });

  it('but a bucket under two parents and one that is empty are fine', () => {
    const shared = map([
      straw2(-1, 3, [-2, -3]),
      straw2(-2, 2, [-4]),
      straw2(-3, 2, [-4, -5]),
      straw2(-4, 1, [0, 1]),
      straw2(-5, 1, []),
    ]);
    expect(refusal(() => FlatMap.fromModel(shared))).toBe('accepted');
  });
});
