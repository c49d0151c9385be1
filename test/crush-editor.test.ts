/** Maps built and edited in code. */
import { describe, expect, test } from 'vitest';
import { makeBucket } from '../src/crush/bucket.ts';
import type { CrushLocation } from '../src/crush/edit/arguments.ts';
import { CrushMapEditor } from '../src/crush/editor.ts';
import { RULE_OP, type CrushMap } from '../src/crush/model.ts';
import { findItem, itemClassName, itemWeight, parentOf } from '../src/crush/names.ts';
import { CrushError } from '../src/errors.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { writeCrushText } from '../src/formats/crush-text-write.ts';
import { writeCrushBinary } from '../src/formats/crushmap-encode.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { Random } from './random.ts';

/** Two racks of two hosts of two OSDs, the second of each an SSD. */
function example(): CrushMapEditor {
  const editor = CrushMapEditor.empty();
  editor.batch(() => {
    for (let id = 0; id < 8; id++) {
      const location = { host: `host${id >> 1}`, rack: `rack${id >> 2}`, root: 'default' };
      editor.addDevice({ weight: 1 + (id % 2), location, deviceClass: id % 2 === 0 ? 'hdd' : 'ssd' });
    }
  });
  return editor;
}

const weightOf = (map: CrushMap, name: string): number => itemWeight(map, findItem(map, name)!)! / 0x10000;

const parentName = (map: CrushMap, name: string): string | undefined =>
  map.itemNames.get(parentOf(map, findItem(map, name)!)!);

/** Weights and items of all buckets by name, whatever their ids. */
const describeMap = (map: CrushMap): unknown =>
  map.buckets
    .flatMap((bucket) => (bucket === undefined ? [] : [bucket]))
    .map((bucket) => [
      map.itemNames.get(bucket.id),
      [...bucket.items].map((item) => [map.itemNames.get(item), itemWeight(map, item)]).sort(),
    ])
    .sort();

test('a map from nothing', () => {
  const { map } = example();
  expect(map.maxDevices).toBe(8);
  expect(weightOf(map, 'default')).toBe(12);
  expect(weightOf(map, 'rack1')).toBe(6);
  expect(weightOf(map, 'rack1~ssd')).toBe(4);
  expect(parentName(map, 'osd.5')).toBe('host2');
  expect(parentName(map, 'host2')).toBe('rack1');
  expect(itemClassName(map, 5)).toBe('ssd');
  expect(readCrushBinary(writeCrushBinary(map))).toEqual(map);
});

test('a rule for a class maps to that class, over racks', () => {
  const editor = example();
  const rule = editor.addRule({ name: 'fast', root: 'default', failureDomain: 'rack', deviceClass: 'ssd' });
  const { items } = new CrushMapper(editor.map).mapRange({ rule, size: 2, first: 0, count: 50 });
  for (let x = 0; x < 50; x++) {
    const pair = [...items.subarray(2 * x, 2 * x + 2)];
    expect(pair.every((osd) => osd % 2 === 1)).toBe(true);
    expect(new Set(pair.map((osd) => osd >> 2)).size).toBe(2);
  }
});

test('a rule for erasure codes', () => {
  const editor = example();
  const rule = editor.addRule({ name: 'ec', root: 'default', kind: 'erasure' });
  const { type, steps } = editor.map.rules[rule]!;
  expect(type).toBe(3);
  expect(steps.map(({ op }) => op)).toEqual([
    RULE_OP.setChooseleafTries,
    RULE_OP.setChooseTries,
    RULE_OP.take,
    RULE_OP.chooseleafIndep,
    RULE_OP.emit,
  ]);
  editor.removeRule('ec');
  editor.addRule({ name: 'any', root: 'default', failureDomain: 'osd' });
  expect(editor.map.rules[0]?.steps[1]).toEqual({ op: RULE_OP.chooseFirstn, arg1: 0, arg2: 0 });
  editor.removeRule(0);
  expect(editor.map.rules).toEqual([undefined]);
});

test('a rule for several OSDs in each failure domain', () => {
  const editor = example();
  const options = { failureDomain: 'rack', failureDomains: 2, osdsPerFailureDomain: 2 };
  const rule = editor.addRule({ name: 'wide', root: 'default', kind: 'erasure', ...options });
  expect(editor.map.rules[rule]).toMatchObject({
    type: 5,
    steps: [{}, { op: 16, arg1: 2, arg2: 3 }, {}, {}],
  });
  const { items } = new CrushMapper(editor.map).mapRange({ rule, size: 4, first: 0, count: 30 });
  for (let x = 0; x < 30; x++) {
    const racks = [...items.subarray(4 * x, 4 * x + 4)].map((osd) => osd >> 2);
    expect(racks.filter((rack) => rack === 0)).toHaveLength(2);
  }
});

test('moves carry weights along', () => {
  const editor = example();
  editor.move('host0', { rack: 'rack1' });
  expect(weightOf(editor.map, 'rack0')).toBe(3);
  expect(weightOf(editor.map, 'rack1')).toBe(9);
  expect(weightOf(editor.map, 'default')).toBe(12);
  expect(weightOf(editor.map, 'rack1~hdd')).toBe(3);
  editor.move('osd.0', { host: 'host3' });
  expect(weightOf(editor.map, 'host3')).toBe(4);
  expect(editor.map.itemClasses.get(0)).toBe(0);
  const before = editor.map;
  editor.move(0, { host: 'host3', rack: 'rack1' });
  expect(editor.map).toEqual(before);
});

test('weights, classes and names', () => {
  const editor = example();
  editor.setWeight('osd.3', 3.63869);
  expect(weightOf(editor.map, 'osd.3')).toBe(238465 / 0x10000);
  expect(weightOf(editor.map, 'host1~ssd')).toBe(238465 / 0x10000);
  editor.setClass(0, undefined);
  expect(weightOf(editor.map, 'host0~hdd')).toBe(0);
  editor.setSubtreeClass('rack0', 'nvme');
  expect([0, 1, 2, 3, 4].map((osd) => itemClassName(editor.map, osd))).toEqual([
    'nvme',
    'nvme',
    'nvme',
    'nvme',
    'hdd',
  ]);
  const shadow = findItem(editor.map, 'rack0~nvme');
  editor.rename('rack0', 'rack-a');
  expect(findItem(editor.map, 'rack-a~nvme')).toBe(shadow);
  expect(findItem(editor.map, 'rack0')).toBeUndefined();
});

test('what is empty can be removed', () => {
  const editor = example();
  const id = editor.addBucket({ name: 'spare', type: 'host', location: { rack: 'rack1' } });
  expect(parentName(editor.map, 'spare')).toBe('rack1');
  editor.remove('spare');
  expect(editor.map.buckets[-1 - id]).toBeUndefined();
  editor.remove('osd.7');
  expect(weightOf(editor.map, 'default')).toBe(10);
  expect(editor.map.itemNames.has(7)).toBe(false);
});

test('tunables', () => {
  const editor = CrushMapEditor.empty();
  editor.setTunables('bobtail');
  expect(editor.map.tunables).toMatchObject({
    chooseTotalTries: 50,
    chooseleafVaryR: 0,
    strawCalcVersion: 1,
  });
  editor.setTunables({ chooseTotalTries: 100 });
  expect(editor.map.tunables).toMatchObject({ chooseTotalTries: 100, chooseleafDescendOnce: 1 });
});

test('every edit can be undone and done again', () => {
  const editor = example();
  const maps = [editor.map];
  const random = new Random(1);
  for (let i = 0; i < 30; i++) {
    const host = `host${random.below(6)}`;
    if (random.chance(0.5)) editor.move(`osd.${random.below(8)}`, { host, root: 'default' });
    else editor.setWeight(random.below(8), random.below(100) / 7);
    maps.push(editor.map);
  }
  const snapshots = structuredClone(maps);
  for (let i = maps.length - 2; i >= 0; i--) {
    expect(editor.undo()).toBe(true);
    expect(editor.map).toBe(maps[i]);
  }
  expect(editor.undo()).toBe(true);
  expect(editor.map.buckets).toEqual([]);
  expect(editor.canUndo).toBe(false);
  expect(editor.undo()).toBe(false);
  for (const map of maps) {
    expect(editor.redo()).toBe(true);
    expect(editor.map).toBe(map);
  }
  expect(editor.redo()).toBe(false);
  expect(maps).toEqual(snapshots);
  editor.undo();
  editor.setWeight(0, 5);
  expect(editor.canRedo).toBe(false);
});

test('as many edits as asked for are kept', () => {
  const editor = CrushMapEditor.empty({ undoLimit: 2 });
  for (let i = 0; i < 5; i++) editor.addBucket({ name: `root${i}`, type: 'root' });
  while (editor.undo());
  expect([...editor.map.itemNames.values()]).toEqual(['root0', 'root1', 'root2']);
});

describe('a batch', () => {
  test('is one edit', () => {
    const editor = example();
    expect(editor.undo()).toBe(true);
    expect(editor.map.buckets).toEqual([]);
  });

  test('gives what its edits give one by one', () => {
    const edits = Array.from({ length: 60 }, (_, id) => (editor: CrushMapEditor) => {
      const location = { host: `host${id % 7}`, rack: `rack${(id % 7) >> 1}`, root: 'default' };
      if (id < 30)
        editor.addDevice({ id, weight: id / 3, location, deviceClass: id % 3 === 0 ? 'hdd' : 'ssd' });
      else if (id === 45) editor.addRule({ name: 'fast', root: 'default', deviceClass: 'ssd' });
      else if (id % 4 === 0) editor.move(`osd.${id - 30}`, { host: `host${id % 5}` });
      else if (id % 4 === 1) editor.setClass(id - 30, 'hdd');
      else if (id % 4 === 2) editor.setWeight(id - 30, (id * 7) % 10);
      else editor.remove(id - 30);
    });
    const [one, all] = [CrushMapEditor.empty(), CrushMapEditor.empty()];
    edits.forEach((edit) => edit(one));
    const text = describeMap(one.map);
    all.batch(() => {
      edits.forEach((edit) => edit(all));
    });
    expect(describeMap(all.map)).toEqual(text);
  });

  test('is done whole or not at all', () => {
    const editor = example();
    const { map } = editor;
    expect(() => {
      editor.batch(() => {
        editor.setWeight(0, 7);
        editor.remove('nobody');
      });
    }).toThrow("there is no device or bucket 'nobody'");
    expect(() => {
      editor.batch(() => {
        editor.setWeight(0, 7);
        expect(() => {
          editor.remove('default');
        }).toThrow();
      });
    }).toThrow("bucket 'default' holds 2 items");
    expect(editor.map).toBe(map);
    expect(() => editor.batch(() => editor.undo())).toThrow('a batch is under way');
    expect(() => {
      editor.batch(() => {
        editor.batch(() => undefined);
      });
    }).toThrow('a batch is under way');
  });
});

const wide: CrushLocation = { host: 'host0', rack: 'rack1' };

test.each<[string, (editor: CrushMapEditor) => void, string, string]>([
  [
    'a taken id',
    (e) => e.addDevice({ id: 3, weight: 1, location: { host: 'host0' } }),
    'refused',
    'device 3 already',
  ],
  [
    'a taken name',
    (e) => e.addDevice({ weight: 1, name: 'osd.1', location: { host: 'host0' } }),
    'refused',
    "'osd.1'",
  ],
  ['a bad id', (e) => e.addDevice({ id: -4, weight: 1, location: { host: 'host0' } }), 'bad-argument', '-4'],
  ['a bad name', (e) => e.addBucket({ name: 'a b', type: 'host' }), 'bad-argument', "'a b'"],
  ['a bad class', (e) => e.setClass(0, 'a~b'), 'bad-argument', "'a~b'"],
  ['no type', (e) => e.addBucket({ name: 'a', type: 'shelf' }), 'bad-argument', "'host', 'chassis', 'rack'"],
  ['no place', (e) => e.move('osd.0', {}), 'bad-argument', 'at least one bucket'],
  ['no such type', (e) => e.move('osd.0', { shelf: 'a' }), 'bad-argument', "no type of bucket 'shelf'"],
  [
    'a place that is not',
    (e) => e.addDevice({ weight: 1, location: wide }),
    'refused',
    "host 'host0' stands in rack 'rack0' of root 'default', not in rack 'rack1'",
  ],
  ['another type', (e) => e.move('osd.0', { host: 'rack1' }), 'refused', "'rack1' is a rack, not a host"],
  ['a device', (e) => e.move('osd.0', { host: 'osd.1' }), 'refused', "'osd.1' is a device"],
  ['a rack in a host', (e) => e.move('rack0', { host: 'host2' }), 'refused', 'a rack cannot be in a host'],
  ['a loop', (e) => e.move('default', { host: 'host0' }), 'refused', 'below what would be put into it'],
  ['a great weight', (e) => e.setWeight(0, 32768), 'bad-argument', '32768'],
  ['a negative weight', (e) => e.setWeight(0, -0.1), 'bad-argument', '-0.1'],
  ['not a number', (e) => e.setWeight(0, NaN), 'bad-argument', 'NaN'],
  [
    'too much in all',
    (e) => e.batch(() => [0, 1, 2, 3].map((id) => e.setWeight(id, 20000))),
    'refused',
    '65536',
  ],
  ['a full bucket', (e) => e.remove('host0'), 'refused', "'host0' holds 2 items"],
  ['a shadow', (e) => e.move('host0~hdd', { rack: 'rack1' }), 'refused', 'the shadow of a bucket'],
  ['no item', (e) => e.setWeight('osd.99', 1), 'not-found', "'osd.99'"],
  ['no rule', (e) => e.removeRule('fast'), 'not-found', "'fast'"],
  ['no root', (e) => e.addRule({ name: 'a', root: 'nowhere' }), 'not-found', "'nowhere'"],
  [
    'no such class',
    (e) => e.addRule({ name: 'a', root: 'default', deviceClass: 'nvme' }),
    'bad-argument',
    "'nvme'",
  ],
  [
    'no count',
    (e) => e.addRule({ name: 'a', root: 'default', failureDomains: 0 }),
    'bad-argument',
    'from 1 on',
  ],
  ['no profile', (e) => e.setTunables('quincy' as 'jewel'), 'bad-argument', 'argonaut'],
  ['no tunable', (e) => e.setTunables({ tries: 1 } as object), 'bad-argument', 'chooseTotalTries'],
  ['a wide tunable', (e) => e.setTunables({ chooseleafVaryR: 256 }), 'bad-argument', '0 to 255'],
])('%s is refused', (_, edit, code, text) => {
  const editor = example();
  const { map } = editor;
  let caught: unknown;
  try {
    edit(editor);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(CrushError);
  expect((caught as CrushError).code).toBe(code);
  expect((caught as CrushError).message).toContain(text);
  expect(editor.map).toBe(map);
});

describe('maps that cannot be edited', () => {
  /** A map of straw2 buckets, the first with the id -1. */
  const mapOf = (buckets: readonly (readonly number[])[]): CrushMap => ({
    ...CrushMapEditor.empty().map,
    buckets: buckets.map((items, index) =>
      makeBucket({ id: -1 - index, alg: 5, type: 1, items, weights: items.map(() => 1) }, 1),
    ),
  });
  const chain = (length: number): number[][] => Array.from({ length }, (_, i) => (i === 0 ? [0] : [-i]));
  const twofold = Array.from({ length: 40 }, (_, i) => (i === 0 ? [0] : [-i, -i]));

  test('what is no CRUSH map', () => {
    expect(() =>
      CrushMapEditor.from({ kind: 'crushmap', map: example().map } as unknown as CrushMap),
    ).toThrow('not this map file');
  });

  test.each([
    ['a bucket below itself', mapOf([[-2], [-1]]), 'below itself'],
    ['a bucket that is not there', mapOf([[-99, 0]]), 'no bucket -99'],
    ['a deep chain', mapOf(chain(300)), 'more than 256 deep'],
    [
      'a deep chain, lowest first',
      mapOf(
        chain(300)
          .reverse()
          .map((items) => items.map((id) => (id < 0 ? -301 - id : id))),
      ),
      'more than 256 deep',
    ],
    ['buckets that share others', mapOf(twofold), 'over and over'],
  ])('%s', (_, map, text) => {
    expect(() => CrushMapEditor.from(map)).toThrow(CrushError);
    expect(() => CrushMapEditor.from(map)).toThrow(text);
  });
});

describe('what plain JavaScript may pass is refused, and changes nothing', () => {
  const refused: readonly (readonly [
    what: string,
    edit: (editor: CrushMapEditor, value: never) => unknown,
    values: readonly unknown[],
  ])[] = [
    ['a device', (editor, value) => editor.addDevice(value), [undefined, null, 3, 'osd.9']],
    [
      'a name of a device',
      (editor, name) => editor.addDevice({ name, weight: 1, location: { host: 'host0' } }),
      [5, true, '', 'a b'],
    ],
    [
      'a weight',
      (editor, weight) => editor.addDevice({ weight, location: { host: 'host0' } }),
      [undefined, null, NaN, '1', true, [], -1, Infinity],
    ],
    ['a location', (editor, location) => editor.move('host0', location), [undefined, null, {}, 'rack1']],
    [
      'a host',
      (editor, host) => editor.addDevice({ weight: 1, location: { host } }),
      [undefined, 7, NaN, {}],
    ],
    ['a bucket', (editor, value) => editor.addBucket(value), [undefined, null, 1]],
    ['a name of a bucket', (editor, name) => editor.addBucket({ name, type: 'host' }), [undefined, null, 12]],
    [
      'an algorithm',
      (editor, algorithm) => editor.addBucket({ name: 'new', type: 'host', algorithm }),
      ['oak', 'constructor', null, 5],
    ],
    ['a new name', (editor, name) => editor.rename('host0', name), [undefined, null, 12]],
    ['a class', (editor, name) => editor.setClass('osd.0', name), [null, 12, true]],
    ['a class of many', (editor, name) => editor.setSubtreeClass('host0', name), [undefined, null, 12]],
    ['a rule', (editor, value) => editor.addRule(value), [undefined, null, 'r']],
    ['a name of a rule', (editor, name) => editor.addRule({ name, root: 'default' }), [undefined, null, 12]],
    [
      'a kind of rule',
      (editor, kind) => editor.addRule({ name: 'new', root: 'default', kind }),
      ['raid5', null, 'constructor'],
    ],
    ['tunables', (editor, value) => editor.setTunables(value), [undefined, null, 5, 'constructor']],
    [
      'a tunable',
      (editor, value) => editor.setTunables(value),
      [{ constructor: 1 }, { chooseTotalTries: '9' }],
    ],
    ['a batch', (editor, value) => editor.batch(value), [undefined, {}, async () => Promise.resolve()]],
    ['a limit', (_, undoLimit) => CrushMapEditor.empty({ undoLimit }), [NaN, -1, '5', null]],
    ['a map', (_, value) => writeCrushBinary(value), [undefined, null, {}, new Uint8Array(4)]],
    ['a map to write', (_, value) => writeCrushText(value), [undefined, null, {}, '']],
  ];
  const cases = refused.flatMap(([what, edit, values]) => values.map((value) => ({ what, edit, value })));

  test.each(cases)('$what: $value', ({ edit, value }) => {
    const editor = example();
    const before = editor.map;
    let error: unknown;
    try {
      edit(editor, value as never);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(CrushError);
    expect((error as CrushError).code).toBe('bad-argument');
    expect(editor.map).toBe(before);
    expect(editor.addDevice({ weight: 1, location: { host: 'host0' } })).toBe(8);
  });
});

test('weight-sets of buckets that are not straw2 are left to no one who reads the map', () => {
  const editor = CrushMapEditor.empty();
  editor.addBucket({ name: 'a', type: 'host', algorithm: 'list' });
  editor.addDevice({ weight: 1, location: { host: 'a' } });
  editor.addDevice({ weight: 2, location: { host: 'b', root: 'default' } });
  editor.move('a', { root: 'default' });
  const root = findItem(editor.map, 'default')!;
  const weightSet = [Uint32Array.of(0x20000, 0x10000)];
  const edited = CrushMapEditor.from({
    ...editor.map,
    chooseArgs: new Map([[0, new Map([[root, { weightSet }]])]]),
  });
  edited.setWeight('osd.0', 5);
  expect([...edited.map.chooseArgs.get(0)!.keys()].map((id) => edited.map.itemNames.get(id)).sort()).toEqual([
    'b',
    'default',
  ]);
  expect(readCrushBinary(writeCrushBinary(edited.map)).chooseArgs).toEqual(edited.map.chooseArgs);
});
