/** The reader of JSON dumps: equal to the binary, and what it refuses or notes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ChooseArg, CrushMap } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readCrushDump } from '../src/formats/crushmap-json.ts';
import { crushText } from './crush-text.ts';
import { comparable } from './crushmap-forms.ts';
import { HAS_CRUSHTOOL, crushtool } from './crushtool.ts';
import { fixture, fixtureText } from './fixtures.ts';
import { randomMap } from './random-map.ts';

/** A dump, loose enough to be bent out of shape. */
interface Dump {
  devices: Record<string, unknown>[];
  types: unknown[];
  buckets: { [field: string]: unknown; items: Record<string, unknown>[] }[];
  rules: Record<string, unknown>[];
  tunables?: Record<string, unknown>;
  choose_args?: Record<string, unknown>;
}

/** A small dump to bend. */
function dump(): Dump {
  return {
    devices: [
      { id: 0, name: 'osd.0', class: 'ssd' },
      { id: 1, name: 'osd.1' },
    ],
    types: [
      { type_id: 0, name: 'osd' },
      { type_id: 10, name: 'root' },
    ],
    buckets: [
      {
        id: -1,
        name: 'default',
        type_id: 10,
        type_name: 'root',
        weight: 196608,
        alg: 'straw2',
        hash: 'rjenkins1',
        items: [
          { id: 0, weight: 65536, pos: 0 },
          { id: 1, weight: 131072, pos: 1 },
        ],
      },
    ],
    rules: [
      { rule_id: 0, rule_name: 'first', type: 1, steps: [{ op: 'take', item: -1, item_name: 'default' }] },
    ],
    tunables: {
      choose_local_tries: 0,
      choose_local_fallback_tries: 0,
      choose_total_tries: 50,
      chooseleaf_descend_once: 1,
    },
  };
}

function bent(change: (dump: Dump) => void): Dump {
  const copy = dump();
  change(copy);
  return copy;
}

/** The map without the choose_args that JSON rounds. */
function withoutBigWeights(map: CrushMap): CrushMap {
  const isExact = ({ weightSet = [] }: ChooseArg): boolean =>
    weightSet.every((weights) => weights.every((weight) => weight < 0x1000000));
  const chooseArgs = [...map.chooseArgs].map(
    ([index, args]) => [index, new Map([...args].filter(([, arg]) => isExact(arg)))] as const,
  );
  return { ...map, chooseArgs: new Map(chooseArgs) };
}

function failure(change: (dump: Dump) => void): CrushError {
  try {
    readCrushDump(bent(change));
  } catch (error) {
    if (error instanceof CrushError) return error;
    throw error;
  }
  throw new Error('was read without an error');
}

describe('a dump equals the binary', () => {
  it.each([
    ['crushmaps/algorithms-v0.crushmap', 'crushmaps/algorithms-v0.dump.json'],
    ['crushmaps/algorithms-v1.crushmap', 'crushmaps/algorithms-v1.dump.json'],
    ['crushmaps/classes.crushmap', 'crushmaps/classes.dump.json'],
    ['crushmaps/cluster-8osd.crushmap', 'cluster-8osd/crush-dump.json'],
  ])('%s', (binaryFile, dumpFile) => {
    const binary = readCrushBinary(fixture(binaryFile));
    const json = readCrushDump(JSON.parse(fixtureText(dumpFile)));
    expect(comparable(json)).toEqual(comparable(binary));
  });

  it.skipIf(!HAS_CRUSHTOOL)('of 60 random maps that crushtool compiles', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dump-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const [source, compiled] = [join(folder, 'map.txt'), join(folder, 'map')];
    for (let seed = 1; seed <= 60; seed++) {
      writeFileSync(source, crushText(withoutBigWeights(randomMap(seed, { limits: 'text' }))));
      crushtool('-c', source, '-o', compiled);
      const json = readCrushDump(JSON.parse(crushtool('-i', compiled, '--dump')));
      expect(comparable(json), `seed ${seed}`).toEqual(comparable(readCrushBinary(readFileSync(compiled))));
    }
  });
});

describe('steps', () => {
  const step = (shown: object) =>
    readCrushDump(bent((d) => (d.rules[0]!.steps = [shown]))).rules[0]?.steps[0];

  it('by the names that releases give them', () => {
    expect(step({ op: 'noop' })).toEqual({ op: 0, arg1: 0, arg2: 0 });
    expect(step({ op: 'choose_firstn', num: 0, type: 'root' })).toEqual({ op: 2, arg1: 0, arg2: 10 });
    expect(step({ op: 'choose_indep', num: -1, type: 'osd' })).toEqual({ op: 3, arg1: -1, arg2: 0 });
    expect(step({ op: 'emit' })).toEqual({ op: 4, arg1: 0, arg2: 0 });
    expect(step({ op: 'chooseleaf_firstn', num: 2, type: 'root' })).toEqual({ op: 6, arg1: 2, arg2: 10 });
    expect(step({ op: 'chooseleaf_indep', num: 2, type: 'root' })).toEqual({ op: 7, arg1: 2, arg2: 10 });
    expect(step({ op: 'set_choose_tries', num: 9 })).toEqual({ op: 8, arg1: 9, arg2: 0 });
    expect(step({ op: 'set_chooseleaf_tries', num: 9 })).toEqual({ op: 9, arg1: 9, arg2: 0 });
    expect(step({ op: 'set_msr_descents', num: 9 })).toEqual({ op: 14, arg1: 9, arg2: 0 });
    expect(step({ op: 'set_msr_collision_tries', num: 9 })).toEqual({ op: 15, arg1: 9, arg2: 0 });
    expect(step({ op: 'choosemsr', num: 3, type: 'root' })).toEqual({ op: 16, arg1: 3, arg2: 10 });
  });

  it('by number where the release has no name', () => {
    expect(step({ opcode: 12, arg1: 1, arg2: 0 })).toEqual({ op: 12, arg1: 1, arg2: 0 });
  });

  it('that are not understood', () => {
    const refuse = (shown: object) => failure((d) => (d.rules[0]!.steps = [{ op: 'emit' }, shown]));
    expect(refuse({ op: 'juggle' })).toMatchObject({
      code: 'unsupported',
      place: { path: 'crush dump.rules[0].steps[1].op' },
    });
    expect(refuse({ op: 'take' }).message).toContain('lacks item');
    expect(refuse({}).code).toBe('malformed');
    expect(refuse({ op: 'choose_firstn', num: 1, type: 'planet' }).message).toContain("'planet'");
  });

  it('with a type name that two types have', () => {
    const error = failure((d) => {
      d.types.push({ type_id: 11, name: 'root' });
      d.rules[0]!.steps = [{ op: 'choose_firstn', num: 1, type: 'root' }];
    });
    expect(error.message).toContain('more than one type');
  });
});

describe('what a release does not print', () => {
  it('has the value of that release', () => {
    const map = readCrushDump(dump());
    expect(map.tunables).toMatchObject({
      chooseleafVaryR: 0,
      chooseleafStable: 0,
      strawCalcVersion: 0,
      msrDescents: 100,
      msrCollisionTries: 100,
    });
    expect(map.rules[0]).toMatchObject({ ruleset: 0, minSize: 1, maxSize: 100 });
    expect(map.chooseArgs.size).toBe(0);
  });

  it('reads weights that were printed through a signed integer', () => {
    const map = readCrushDump(bent((d) => (d.buckets[0]!.weight = -2147418112)));
    expect(map.buckets[0]?.weight).toBe(0x80010000);
  });

  it('takes devices without class and bucket for gaps', () => {
    const map = readCrushDump(
      bent((d) => {
        d.devices.push({ id: 2, name: 'device2' }, { id: 3, name: 'device3', class: 'ssd' });
        d.devices[1]!.name = 'device1';
      }),
    );
    expect([...map.itemNames.keys()].sort()).toEqual([-1, 0, 1, 3]);
    expect(map.maxDevices).toBe(4);
  });
});

describe('weight-sets', () => {
  const weights = (...values: number[]) =>
    readCrushDump(bent((d) => (d.choose_args = { '-1': [{ bucket_id: -1, weight_set: [values] }] })))
      .chooseArgs.get(-1)
      ?.get(-1)?.weightSet?.[0];

  it('come back exactly below 256.0, printed as floats or with six decimals', () => {
    const sixteens = [0, 1, 65535, 0x10001, 123_457, 0xffffff];
    for (const exact of sixteens) {
      expect(weights(exact / 65536, Number((exact / 65536).toFixed(6)))).toEqual(
        Uint32Array.of(exact, exact),
      );
    }
  });

  it('are refused where they are no 16.16 weight, or lost bits', () => {
    expect(() => weights(0, 0.00001)).toThrow('not a 16.16');
    expect(() => weights(0, -1)).toThrow('not a 16.16');
    expect(() => weights(0, NaN)).toThrow(CrushError);
    expect(() => weights(0, 300)).toThrow('rounded');
  });

  it('above are the sums of what is below, if those print alike', () => {
    const notes: string[] = [];
    const big = (printed: number) => {
      notes.length = 0;
      const json = bent((d) => {
        const bucket = d.buckets[0]!;
        const items = [{ id: -1, weight: 196608, pos: 0 }];
        d.buckets.push({ ...bucket, id: -2, name: 'above', items });
        d.choose_args = {
          3: [
            { bucket_id: -2, weight_set: [[printed]] },
            { bucket_id: -1, weight_set: [[200 + 1 / 65536, 200]] },
          ],
        };
      });
      return readCrushDump(json, { onNote: (note) => notes.push(note) })
        .chooseArgs.get(3)
        ?.get(-2)?.weightSet;
    };
    expect(big(Math.fround(400 + 1 / 65536))).toEqual([Uint32Array.of(400 * 65536 + 1)]);
    expect(notes).toEqual([expect.stringContaining('choose_args 3: 1 weights')]);
    expect(() => big(401)).toThrow('rounded');
  });

  it('do not chase their own tails', () => {
    const json = bent((d) => {
      d.buckets[0]!.items[0] = { id: -1, weight: 1, pos: 0 };
      d.choose_args = { 0: [{ bucket_id: -1, weight_set: [[300, 300]] }] };
    });
    expect(() => readCrushDump(json)).toThrow('rounded');
  });

  it.each([
    ['of a bucket that is not there', [{ bucket_id: -9, ids: [1, 2] }]],
    ['of the wrong size', [{ bucket_id: -1, weight_set: [[1]] }]],
    ['with too many ids', [{ bucket_id: -1, ids: [1, 2, 3] }]],
    ['twice', [{ bucket_id: -1, ids: [1, 2] }, { bucket_id: -1, ids: [1, 2] }]], // prettier-ignore
  ])('%s are refused', (_, set) => {
    expect(failure((d) => (d.choose_args = { 0: set })).code).toBe('malformed');
  });

  it('need the number of a set', () => {
    for (const key of ['x', '01', '1e3', '99999999999999999999']) {
      expect(failure((d) => (d.choose_args = { [key]: [] })).message).toContain('not the number');
    }
  });
});

describe('notes', () => {
  const notes = (alg: string, version: number): string[] => {
    const found: string[] = [];
    const json = bent((d) => {
      d.buckets[0]!.alg = alg;
      d.buckets[0]!.items.push({ id: 2, weight: 131072, pos: 2 }, { id: 3, weight: 196608, pos: 3 });
      d.tunables!.straw_calc_version = version;
    });
    readCrushDump(json, { onNote: (note) => found.push(note) });
    return found;
  };

  it('tell of straws that depend on the version, and of tree nodes', () => {
    expect(notes('straw', 1)).toEqual([expect.stringContaining('straw bucket default')]);
    expect(notes('straw', 0)).toEqual([expect.stringContaining('straw_calc_version 0')]);
    expect(notes('tree', 1)).toEqual([expect.stringContaining('tree bucket default')]);
    expect(notes('list', 1)).toEqual([]);
    expect(notes('straw2', 1)).toEqual([]);
  });
});

describe('refuses', () => {
  it.each<[string, (dump: Dump) => void, string, string]>([
    ['a missing part', (d) => delete d.tunables, 'malformed', 'crush dump.tunables'],
    [
      'a value of the wrong type',
      (d) => (d.buckets[0]!.items[1]!.weight = '1'),
      'malformed',
      'crush dump.buckets[0].items[1].weight',
    ],
    ['a fraction', (d) => (d.buckets[0]!.weight = 1.5), 'malformed', 'crush dump.buckets[0].weight'],
    ['a bucket id of 0', (d) => (d.buckets[0]!.id = 0), 'malformed', 'crush dump.buckets[0].id'],
    ['a bucket id far below', (d) => (d.buckets[0]!.id = -2e9), 'malformed', 'crush dump.buckets[0].id'],
    ['a bucket twice', (d) => d.buckets.push(d.buckets[0]!), 'malformed', 'crush dump.buckets[1]'],
    ['a rule twice', (d) => d.rules.push(d.rules[0]!), 'malformed', 'crush dump.rules[1]'],
    ['an unknown hash', (d) => (d.buckets[0]!.hash = 'md5'), 'unsupported', 'crush dump.buckets[0].hash'],
    ['an unknown algorithm', (d) => (d.buckets[0]!.alg = 'hay'), 'unsupported', 'crush dump.buckets[0].alg'],
    [
      'items out of order',
      (d) => (d.buckets[0]!.items[1]!.pos = 0),
      'malformed',
      'crush dump.buckets[0].items[1].pos',
    ],
    ['uneven uniform items', (d) => (d.buckets[0]!.alg = 'uniform'), 'malformed', 'crush dump.buckets[0]'],
    ['a device id far above', (d) => (d.devices[1]!.id = 2e9), 'unsupported', 'crush dump.devices[1].id'],
    [
      'an item id far above',
      (d) => (d.buckets[0]!.items[1]!.id = 2e9),
      'unsupported',
      'crush dump.buckets[0].items[1].id',
    ],
    ['a rule id far above', (d) => (d.rules[0]!.rule_id = 256), 'malformed', 'crush dump.rules[0].rule_id'],
  ])('%s', (_, change, code, path) => {
    expect(failure(change)).toMatchObject({ code, place: { path } });
  });

  it('tree buckets that Ceph cannot hold', () => {
    const error = failure((d) => {
      d.buckets[0]!.alg = 'tree';
      d.buckets[0]!.items = Array.from({ length: 65 }, (_, pos) => ({ id: pos, weight: 1, pos }));
    });
    expect(error).toMatchObject({ code: 'unsupported' });
  });

  it.each([null, 1, 'text', [], {}])('%j', (json) => {
    expect(() => readCrushDump(json)).toThrow(CrushError);
  });
});
