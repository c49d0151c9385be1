/** The binary CRUSH map reader: every encoding, and what it refuses. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUCKET_ALGORITHM, LEGACY_TUNABLES, type CrushMap } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { MAX_DEVICE_ID, readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readCrushDump } from '../src/formats/crushmap-json.ts';
import { crushBytes } from './crush-encode.ts';
import { comparable } from './crushmap-forms.ts';
import { HAS_CRUSHTOOL, crushtool } from './crushtool.ts';
import { CORPUS, FIXTURES, corpus, fixture, fixtureText } from './fixtures.ts';
import { randomMap } from './random-map.ts';

/** Changes some bytes of a copy. */
function patched(bytes: Uint8Array, offset: number, ...values: number[]): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy.set(values, offset);
  return copy;
}

function failure(bytes: Uint8Array): CrushError {
  try {
    readCrushBinary(bytes);
  } catch (error) {
    if (error instanceof CrushError) return error;
    throw error;
  }
  throw new Error('was read without an error');
}

/** 32-bit little-endian words. */
function words(...values: number[]): number[] {
  return [...new Uint8Array(Uint32Array.from(values).buffer)];
}

const EMPTY = { ...base(), buckets: [], rules: [], itemNames: new Map(), ruleNames: new Map() };

function base(): CrushMap {
  return {
    maxDevices: 2,
    buckets: [
      {
        id: -1,
        alg: BUCKET_ALGORITHM.straw2,
        type: 10,
        hash: 0,
        weight: 0x30000,
        items: Int32Array.of(0, 1),
        itemWeights: Uint32Array.of(0x10000, 0x20000),
      },
    ],
    rules: [{ id: 0, type: 1, ruleset: 0, minSize: 1, maxSize: 10, steps: [{ op: 1, arg1: -1, arg2: 0 }] }],
    tunables: { ...LEGACY_TUNABLES, chooseTotalTries: 50, chooseleafStable: 1, strawCalcVersion: 1 },
    typeNames: new Map([[0, 'osd']]),
    itemNames: new Map([[-1, 'default']]),
    ruleNames: new Map([[0, 'first']]),
    classNames: new Map(),
    itemClasses: new Map(),
    classBuckets: new Map(),
    chooseArgs: new Map(),
    encodedThrough: 8,
  };
}

/** Offset of the first bucket's fields in {@link base}'s encoding. */
const BUCKET = 16;

describe('readCrushBinary', () => {
  it('reads a map whole', () => {
    const map = readCrushBinary(fixture('crushmaps/classes.crushmap'));
    expect(map.maxDevices).toBe(14);
    expect(map.typeNames).toEqual(new Map([[0, 'osd'], [1, 'host'], [2, 'rack'], [11, 'root']])); // prettier-ignore
    expect(map.rules.map((rule) => rule?.steps.length)).toEqual([3, 3, 3]);
    expect([...map.classNames.values()].sort()).toEqual(['hdd', 'nvme', 'ssd']);
    expect(map.classBuckets.get(-1)?.size).toBe(3);
    expect([...map.chooseArgs.keys()]).toEqual([0, 7]);
    expect(map.chooseArgs.get(0)?.get(-3)).toEqual({
      weightSet: [Uint32Array.of(0x10000, 0, 0x34000, 13115290), Uint32Array.of(0x28000, 0x10000, 1, 509723)],
      ids: Int32Array.of(-10, 1, 20, -30),
    });
    expect(map.chooseArgs.get(0)?.get(-4)).toEqual({ ids: Int32Array.of(7, 8, 9) });
    expect(map.encodedThrough).toBe(8);
  });

  it('reads the MSR tail, and gives its defaults where it is not there', () => {
    expect(readCrushBinary(fixture('crushmaps/msr_s.crushmap'))).toMatchObject({
      encodedThrough: 9,
      tunables: { msrDescents: 100, msrCollisionTries: 100 },
    });
    const without = fixture('crushmaps/s.crushmap');
    const tail = new Uint8Array([...without, ...words(7, 9)]);
    expect(readCrushBinary(tail).tunables).toMatchObject({ msrDescents: 7, msrCollisionTries: 9 });
    expect(readCrushBinary(without).tunables).toMatchObject({ msrDescents: 100, msrCollisionTries: 100 });
  });

  it('reads maps that end after any part, the rest as the releases of that day had it', () => {
    const bytes = crushBytes(base());
    // From the end: choose_args, classes (three tables), stable, algs, straw version, vary_r, descend_once, tries.
    const partLengths = [4, 12, 1, 4, 1, 1, 4, 12];
    let end = bytes.length;
    for (const [i, length] of partLengths.entries()) {
      expect(readCrushBinary(bytes.subarray(0, end)).encodedThrough).toBe(8 - i);
      end -= length;
    }
    const oldest = readCrushBinary(bytes.subarray(0, end));
    expect(oldest.encodedThrough).toBe(0);
    expect(oldest.tunables).toEqual(LEGACY_TUNABLES);
  });

  it('reads names with 64-bit keys', () => {
    const bytes = crushBytes(EMPTY);
    // magic, three table sizes, then type_map: one entry, key 0.
    const at = 4 * 4 + 4 + 4;
    const long = new Uint8Array([...bytes.subarray(0, at), ...words(0), ...bytes.subarray(at)]);
    expect(readCrushBinary(long).typeNames).toEqual(new Map([[0, 'osd']]));
  });

  it('keeps a ruleset that differs from the rule number, as releases before Quincy do', () => {
    const rule = { ...base().rules[0]!, ruleset: 7 };
    expect(readCrushBinary(crushBytes({ ...base(), rules: [rule] })).rules[0]).toEqual(rule);
  });

  it('raises maxDevices by items and by names, and ignores what is stored', () => {
    const map = { ...base(), maxDevices: 99 };
    expect(readCrushBinary(crushBytes(map)).maxDevices).toBe(2);
    const named = { ...map, itemNames: new Map([[5, 'osd.5']]) };
    expect(readCrushBinary(crushBytes(named)).maxDevices).toBe(6);
  });

  describe('mends choose_args as Ceph does', () => {
    const args = (map: CrushMap, set: CrushMap['chooseArgs']) =>
      readCrushBinary(crushBytes({ ...map, chooseArgs: set })).chooseArgs;

    it('drops those of buckets that are not straw2 or not there, and empty ones', () => {
      const weightSet = [Uint32Array.of(1, 2)];
      const straw2 = base().buckets[0]!;
      const uniform = { ...straw2, id: -2, alg: BUCKET_ALGORITHM.uniform, itemWeight: 1 } as const;
      const map = { ...base(), buckets: [straw2, uniform, undefined] };
      const set = new Map([[-1, { weightSet }], [-2, { weightSet }], [-3, { weightSet }]]); // prettier-ignore
      expect(args(map, new Map([[4, set]]))).toEqual(new Map([[4, new Map([[-1, { weightSet }]])]]));
      expect(args(map, new Map([[4, new Map([[-1, {}]])]]))).toEqual(new Map([[4, new Map()]]));
    });

    it('resizes weight sets', () => {
      const weightSet = [Uint32Array.of(1, 2, 3), Uint32Array.of(4)];
      expect(args(base(), new Map([[0, new Map([[-1, { weightSet }]])]]))).toEqual(
        new Map([[0, new Map([[-1, { weightSet: [Uint32Array.of(1, 2), Uint32Array.of(4, 0)] }]])]]),
      );
    });

    it('leaves a bucket alone whose positions are not those of the first', () => {
      const first = base().buckets[0]!;
      const map = { ...base(), buckets: [first, { ...first, id: -2 }] };
      const two = [Uint32Array.of(1, 2), Uint32Array.of(3, 4)];
      const odd = [Uint32Array.of(9)];
      const set = new Map([[-1, { weightSet: two }], [-2, { weightSet: odd }]]); // prettier-ignore
      expect(args(map, new Map([[0, set]]))).toEqual(new Map([[0, set]]));
    });
  });

  describe('refuses', () => {
    const bytes = crushBytes(base());

    it('what is no CRUSH map', () => {
      expect(failure(new Uint8Array(0))).toMatchObject({ code: 'truncated' });
      expect(failure(patched(bytes, 0, 1))).toMatchObject({ code: 'malformed', place: { offset: 0 } });
    });

    it('tables beyond any use', () => {
      const map = (buckets: number, rules: number, bytes: number): Uint8Array =>
        patched(new Uint8Array(bytes), 0, ...words(0x10000, buckets, rules, 0));
      expect(failure(map((1 << 20) + 1, 0, 5 << 20))).toMatchObject({
        code: 'unsupported',
        message: 'max_buckets is 1048577, at most 1048576 are supported',
        place: { offset: 4 },
      });
      expect(failure(map(0, (1 << 16) + 1, 1 << 20))).toMatchObject({
        code: 'unsupported',
        message: 'max_rules is 65537, at most 65536 are supported',
        place: { offset: 8 },
      });
      const steps = patched(map(0, 1, 13 << 20), 16, ...words(1, (1 << 20) + 1));
      expect(failure(steps)).toMatchObject({ code: 'unsupported', place: { offset: 20 } });
      const types = patched(map(0, 0, 40 << 20), 16, ...words((1 << 22) + 1));
      expect(failure(types)).toMatchObject({
        code: 'unsupported',
        message: 'has 4194305 entries, at most 4194304 are supported',
        place: { offset: 16 },
      });
    });

    it('an unknown bucket algorithm, naming bucket and offset', () => {
      const error = failure(patched(bytes, BUCKET, 6));
      expect(error).toMatchObject({
        code: 'unsupported',
        place: { offset: BUCKET, path: 'crushmap.buckets[0]' },
      });
      expect(error.message).toContain('bucket -1');
    });

    it('a bucket that is not at its place', () => {
      expect(failure(patched(bytes, BUCKET + 4, ...words(-2)))).toMatchObject({
        code: 'malformed',
        place: { offset: BUCKET + 4 },
      });
    });

    it('two algorithms for one bucket', () => {
      expect(failure(patched(bytes, BUCKET + 10, 4)).code).toBe('malformed');
    });

    it('device ids beyond the limit, in items and in names', () => {
      const error = failure(patched(bytes, BUCKET + 20, ...words(MAX_DEVICE_ID + 1)));
      expect(error).toMatchObject({ code: 'unsupported', place: { offset: BUCKET + 20 } });
      expect(error.message).toContain('16777216');
      const named = { ...base(), itemNames: new Map([[0x7ffffffe, 'x']]) };
      expect(failure(crushBytes(named)).code).toBe('unsupported');
      expect(readCrushBinary(patched(bytes, BUCKET + 20, ...words(MAX_DEVICE_ID))).maxDevices).toBe(
        MAX_DEVICE_ID + 1,
      );
    });

    it('tables, buckets and rules that cannot fit, before making room for them', () => {
      for (const offset of [4, 8, BUCKET + 16]) {
        expect(failure(patched(bytes, offset, 0xff, 0xff, 0xff, 0xff))).toMatchObject({
          code: 'truncated',
          place: { offset },
        });
      }
    });

    it('choose_args of buckets beyond the table, of the wrong number of ids, or twice', () => {
      const weightSet = [Uint32Array.of(1, 2)];
      for (const set of [new Map([[-2, { weightSet }]]), new Map([[-1, { ids: Int32Array.of(1) }]])]) {
        expect(failure(crushBytes({ ...base(), chooseArgs: new Map([[0, set]]) })).code).toBe('malformed');
      }
      const once = words(0, 0, 0);
      const twice = new Uint8Array([...bytes.subarray(0, -4), ...words(1, 0, 0, 2), ...once, ...once]);
      expect(failure(twice).message).toContain('twice');
    });

    it('bytes after the last part that is known', () => {
      const msr = fixture('crushmaps/msr_s.crushmap');
      expect(failure(new Uint8Array([...msr, 0]))).toMatchObject({
        code: 'unsupported',
        place: { offset: msr.length },
      });
    });
  });

  it('reads back 200 random maps', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const map = randomMap(seed, { limits: 'binary' });
      const read = readCrushBinary(crushBytes(map));
      // Not written: MSR tunables. Not read back: choose_args that Ceph drops.
      const tunables = { ...map.tunables, msrDescents: 100, msrCollisionTries: 100 };
      const expected = { ...map, tunables, chooseArgs: read.chooseArgs };
      expect(comparable(read), `seed ${seed}`).toEqual(comparable(expected));
    }
  });
});

/** Compares a map with what crushtool says it holds; some things crushtool's JSON cannot say. */
function judge(path: string, binary: CrushMap, options: { chooseArgs: boolean }): void {
  const dump = JSON.parse(crushtool('-i', path, '--dump')) as { choose_args?: unknown };
  if (!options.chooseArgs) delete dump.choose_args;
  const said = readCrushDump(dump);
  const { typeNames, tunables } = binary;
  const expected = {
    ...binary,
    // crushtool makes up a name for type 0.
    typeNames: typeNames.size > 0 && !typeNames.has(0) ? new Map([...typeNames, [0, 'device']]) : typeNames,
    // crushtool 16 knows no MSR tunables.
    tunables: { ...tunables, msrDescents: 100, msrCollisionTries: 100 },
    ...(!options.chooseArgs && { chooseArgs: new Map() }),
  };
  expect(comparable(said)).toEqual(comparable(expected));
}

describe.skipIf(!HAS_CRUSHTOOL)('agrees with crushtool --dump', () => {
  const names = ['algorithms-v0', 'algorithms-v1', 'classes', 's', 'msr_s', 'cluster-8osd'];
  it.each(names)('on %s', (name) => {
    const file = `crushmaps/${name}.crushmap`;
    judge(join(FIXTURES, file), readCrushBinary(fixture(file)), { chooseArgs: true });
  });
});

describe.skipIf(CORPUS === undefined)('the corpus', () => {
  const files =
    CORPUS === undefined
      ? []
      : ['crushmap-corpus', 'crushtool-tests', 'bench-maps', 'cluster-8osd'].flatMap((folder) =>
          readdirSync(corpus(folder), { withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => corpus(folder, entry.name))
            .filter((path) =>
              readFileSync(path)
                .subarray(0, 4)
                .equals(Buffer.from([0, 0, 1, 0])),
            ),
        );

  it('has binary maps of old and new encodings', () => {
    const reached = new Set(files.map((path) => readCrushBinary(readFileSync(path)).encodedThrough));
    expect(files.length).toBeGreaterThanOrEqual(18);
    expect([...reached].sort()).toEqual([0, 2, 8, 9]);
  });

  it.skipIf(!HAS_CRUSHTOOL).each(files)('%s is what crushtool --dump says', (path) => {
    // That map has random weights above 256.0 in its weight-sets, which JSON rounds.
    judge(path, readCrushBinary(readFileSync(path)), { chooseArgs: !path.endsWith('mixed_cs.crushmap') });
  });
});

it.skipIf(!HAS_CRUSHTOOL)('the dumps among the fixtures are those of the binaries', () => {
  for (const name of ['algorithms-v0', 'algorithms-v1', 'classes']) {
    const path = join(FIXTURES, `crushmaps/${name}.crushmap`);
    expect(JSON.parse(crushtool('-i', path, '--dump'))).toEqual(
      JSON.parse(fixtureText(`crushmaps/${name}.dump.json`)),
    );
  }
});
