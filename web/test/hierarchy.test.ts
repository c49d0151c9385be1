import { describe, expect, it } from 'vitest';
import { type CrushBucket, WEIGHT_ONE } from '../../src/crush/model.ts';
import { readCrushText } from '../../src/formats/crushmap-text.ts';
import { OSD_STATE } from '../../src/osdmap/model.ts';
import { layoutPicture, rowAt } from '../src/picture/layout.ts';
import { keyTarget } from '../src/picture/picture-keys.ts';
import { childrenOf, countOsds, factsOf, pathTo, rowOfItem, stateOf } from '../src/picture/rows.ts';
import { deviation, deviationText, fillStep } from '../src/picture/fill-scale.ts';
import { search } from '../src/views/hierarchy/search.ts';
import { openedTo, openTo, readableDepth, typesByDepth, visibleRows } from '../src/picture/tree-rows.ts';
import { readExample } from '../src/worker/examples.ts';
import { OpenDocument } from '../src/worker/open-document.ts';
import { osdLoads } from '../src/worker/osd-loads.ts';
import { hierarchyLoads } from '../src/worker/topics/hierarchy-loads.ts';
import { hierarchy, type HierarchyRows } from '../src/worker/topics/hierarchy.ts';

const open = (id: string) => new OpenDocument({ ...readExample(id), notes: [] });
const small = open('cluster-8osd');
const rows = hierarchy(small);
const named = (all: HierarchyRows, list: Iterable<number>) => [...list].map((row) => all.names[row]);
const rowNamed = (name: string) => rows.names.indexOf(name);

/** A CRUSH map alone: `shared` hangs in both roots, osd.1 twice below `left`. */
const TWO_ROOTS = new OpenDocument({
  name: 'two roots',
  notes: [],
  file: {
    kind: 'crushmap',
    encoding: 'text',
    map: readCrushText(
      [
        'device 0 osd.0\ndevice 1 osd.1\ndevice 2 osd.2',
        'type 0 osd\ntype 1 host\ntype 11 root',
        'host shared {\n id -1\n alg straw2\n hash 0\n item osd.0 weight 1.000\n item osd.1 weight 1.000\n}',
        'root left {\n id -2\n alg straw2\n hash 0\n item shared weight 2.000\n item osd.1 weight 1.000\n}',
        'root right {\n id -3\n alg straw2\n hash 0\n item shared weight 2.000\n item osd.2 weight 3.000\n}',
        'rule all {\n id 0\n type replicated\n step take right\n step choose firstn 0 type osd\n step emit\n}',
      ].join('\n'),
    ),
  },
});

describe('rows of the hierarchy', () => {
  it('are those of the tree, without shadow buckets', () => {
    expect(named(rows, rows.ids.keys())).toEqual([
      'default',
      ...['rack0', 'host0', 'osd.0', 'osd.1', 'host1', 'osd.2', 'osd.3'],
      ...['rack1', 'host2', 'osd.4', 'osd.5', 'host3', 'osd.6', 'osd.7'],
    ]);
    expect([...rows.parents]).toEqual([-1, 0, 1, 2, 2, 1, 5, 5, 0, 8, 9, 9, 8, 12, 12]);
    expect([...rows.depths]).toEqual([0, 1, 2, 3, 3, 2, 3, 3, 1, 2, 3, 3, 2, 3, 3]);
    expect([...rows.ends]).toEqual([15, 8, 5, 4, 5, 8, 7, 8, 15, 12, 11, 12, 15, 14, 15]);
    expect(named(rows, childrenOf(rows, rowNamed('rack1')))).toEqual(['host2', 'host3']);
    expect(named(rows, pathTo(rows, rowNamed('osd.6')))).toEqual(['default', 'rack1', 'host3', 'osd.6']);
    expect(countOsds(rows, 0)).toBe(8);
    expect(factsOf(rows, rowNamed('osd.2'))).toEqual([
      ['type', 'osd'],
      ['class', 'hdd'],
      ['weight', '7.277'],
      ['reweight', '0.350'],
      ['state', 'up'],
    ]);
    expect(stateOf(rows, rowNamed('osd.7'))).toBe('up, out');
  });

  it('repeat what hangs in several places, and count it once in each', () => {
    const all = hierarchy(TWO_ROOTS);
    expect(named(all, all.ids.keys())).toEqual([
      ...['right', 'shared', 'osd.0', 'osd.1', 'osd.2'],
      ...['left', 'shared', 'osd.0', 'osd.1', 'osd.1'],
    ]);
    const { shards, primaries } = hierarchyLoads(TWO_ROOTS);
    const byOsd = osdLoads(TWO_ROOTS, 'current');
    const [first = 0, second = 0, third = 0] = byOsd.shards;
    // 1024 PGs, and as many OSDs as replicas: most OSDs have one of every PG.
    expect(Math.min(first, second, third)).toBeGreaterThan(1000);
    const shared = [first + second, first, second];
    expect([...shards]).toEqual([
      first + second + third,
      ...shared,
      third,
      first + second,
      ...shared,
      second,
    ]);
    expect(primaries[0]).toBe(1024);
  });

  it('end with OSDs that no bucket holds, as ceph osd tree does', () => {
    const { original } = small;
    const document = open('cluster-8osd');
    document.change({
      ...original,
      maxOsd: 10,
      osdState: Uint32Array.from([...original.osdState, 0, OSD_STATE.exists]),
      osdWeight: Uint32Array.from([...original.osdWeight, 0, WEIGHT_ONE]),
    });
    const all = hierarchy(document);
    expect(all.names.at(-1)).toBe('osd.9');
    expect(all.count).toBe(16);
    expect(all.parents.at(-1)).toBe(-1);
    expect(stateOf(all, 15)).toBe('down');
  });

  it('are cut where buckets hold each other in too many ways', () => {
    const { original } = small;
    // Thirty buckets, each of which holds the next one twice.
    const buckets = Array.from({ length: 30 }, (_, i): CrushBucket => {
      const item = i === 29 ? 0 : -2 - i;
      const [items, itemWeights] = [Int32Array.of(item, item), Uint32Array.of(WEIGHT_ONE, WEIGHT_ONE)];
      return { id: -1 - i, type: 1, hash: 0, alg: 5, weight: 2 * WEIGHT_ONE, items, itemWeights };
    });
    const document = new OpenDocument({
      name: 'doubling',
      notes: [],
      file: {
        kind: 'osdmap',
        encoding: 'binary',
        map: { ...original, crush: { ...original.crush, buckets } },
      },
    });
    const all = hierarchy(document);
    expect(all.isCut).toBe(true);
    expect(all.count).toBe(150_000);
    expect(hierarchyLoads(document).shards).toHaveLength(all.count);
    expect(layoutPicture(all, -1, 'treemap', { width: 400, height: 300, font: 16 }).shown[0]).toBe(0);
  });

  it('stop at a bucket that holds one above it', () => {
    const { original } = small;
    const buckets = original.crush.buckets.map((bucket) => {
      // host1, at -9, gets the root, at -1, in the place of its first OSD.
      if (bucket?.id !== -9) return bucket;
      const items = bucket.items.slice();
      items[0] = -1;
      return { ...bucket, items };
    });
    const document = new OpenDocument({
      name: 'ring',
      notes: [],
      file: {
        kind: 'osdmap',
        encoding: 'binary',
        map: { ...original, crush: { ...original.crush, buckets } },
      },
    });
    expect(document.obstacle?.code).toBe('invalid-map');
    const all = hierarchy(document);
    // One OSD less in the tree, which then stands at the end, and the root in its place.
    expect(all.count).toBe(16);
    expect(named(all, childrenOf(all, all.names.indexOf('host1')))).toEqual(['default', 'osd.3']);
    expect(hierarchyLoads(document).failures).toHaveLength(original.pools.size);
  });
});

describe('loads of the hierarchy', () => {
  it('are those of the OSDs, summed up', () => {
    const loads = hierarchyLoads(small);
    const byOsd = osdLoads(small, 'current');
    const all = byOsd.shards.reduce((sum, shards) => sum + shards, 0);
    expect(loads.shards[0]).toBe(all);
    expect(loads.shards[rowNamed('host1')]).toBe((byOsd.shards[2] ?? 0) + (byOsd.shards[3] ?? 0));
    expect(loads.shards[rowNamed('osd.2')]).toBe(53);
    expect(loads.expected[0]).toBeCloseTo(all, 6);
    expect(loads.failures).toEqual([]);
  });

  it('are of one pool where one is asked for', () => {
    const pool = small.pool(3);
    const loads = hierarchyLoads(small, 3);
    const columns = small.columns(3);
    expect(loads.shards[0]).toBe(columns.up.lengths.reduce((sum, length) => sum + length, 0));
    expect(loads.primaries[0]).toBe(pool.pgNum);
  });

  it('have steps and words', () => {
    expect(deviationText(deviation(53, 142.3))).toBe('−62.8 %');
    expect(deviationText(deviation(0, 0))).toBe('–');
    expect(deviationText(deviation(3, 0))).toBe('no share');
    const steps = [0.5, 0.8, 0.95, 1.05, 1.2, 1.3].map((share) => fillStep(deviation(100 * share, 100)));
    expect(steps).toEqual([0, 1, 2, 2, 3, 4]);
    expect([fillStep(deviation(0, 0)), fillStep(deviation(1, 0))]).toEqual([-1, 4]);
  });
});

describe('the search in the hierarchy', () => {
  const found = (query: string) => named(rows, search(rows, query));
  it.each([
    ['osd.1', ['osd.1']],
    ['rack', ['rack0', 'rack1']],
    ['OST1', ['host1']],
    ['-9', ['host1']],
    ['id:7', ['osd.7']],
    ['class:ssd', ['osd.1', 'osd.3', 'osd.5', 'osd.7']],
    ['type:rack', ['rack0', 'rack1']],
    ['type:osd class:hdd osd.6', ['osd.6']],
    ['state:out', ['osd.7']],
    ['state:up', ['osd.0', 'osd.1', 'osd.2', 'osd.3', 'osd.4', 'osd.5', 'osd.6', 'osd.7']],
    ['state:in class:ssd', ['osd.1', 'osd.3', 'osd.5']],
    ['state:down', []],
    ['class:ssd type:rack', []],
    ['   ', []],
    ['(', []],
  ])('finds %j', (query, names) => {
    expect(found(query)).toEqual(names);
  });

  it('takes osd.1 for no part of osd.10', () => {
    const many = hierarchy(open('large'));
    expect(named(many, search(many, 'osd.1'))).toEqual(['osd.1']);
    expect(search(many, 'type:rack')).toHaveLength(28);
    expect(search(many, 'class:ssd')).toHaveLength(1120);
    expect(search(many, 'state:down')).toHaveLength(6);
  });
});

describe('the tree table', () => {
  it('shows what is open, in order, and what a search leaves', () => {
    const open = openedTo(rows, 2);
    expect(named(rows, visibleRows(rows, { open }))).toEqual([
      ...['default', 'rack0', 'host0', 'host1', 'rack1', 'host2', 'host3'],
    ]);
    const compare = (a: number, b: number) => (rows.weights[b] ?? 0) - (rows.weights[a] ?? 0);
    expect(named(rows, visibleRows(rows, { open, compare }))).toEqual([
      ...['default', 'rack0', 'host1', 'host0', 'rack1', 'host3', 'host2'],
    ]);
    const only = new Set(search(rows, 'osd.5'));
    expect(named(rows, visibleRows(rows, { open: new Set(), only }))).toEqual([
      ...['default', 'rack1', 'host2', 'osd.5'],
    ]);
    expect(openTo(rows, rowNamed('osd.5'))).toEqual([-1, -5, -11]);
    expect(typesByDepth(rows)).toEqual(['root', 'rack', 'host', 'osd']);
    expect([readableDepth(rows, 60), readableDepth(rows, 10), readableDepth(rows, 2)]).toEqual([3, 2, 0]);
  });
});

describe('the picture', () => {
  const size = { width: 400, height: 200, font: 16 };
  const area = (boxes: Float32Array, row: number) => {
    const [left = 0, top = 0, right = 0, bottom = 0] = boxes.subarray(4 * row, 4 * row + 4);
    return (right - left) * (bottom - top);
  };

  it('gives areas by weight, levels side by side', () => {
    const { boxes, shown, hiddenLevels } = layoutPicture(rows, -1, 'icicle', size);
    expect(shown).toHaveLength(15);
    expect(hiddenLevels).toBe(0);
    expect(area(boxes, 0)).toBeCloseTo(100 * 200, 1);
    for (const row of shown) {
      const share = (rows.weights[row] ?? 0) / (rows.weights[0] ?? 1);
      expect(area(boxes, row)).toBeCloseTo(share * 100 * 200, 0);
    }
  });

  it('leaves out levels that would be too narrow, and shows them further down', () => {
    const narrow = layoutPicture(rows, -1, 'icicle', { ...size, width: 150 });
    expect(narrow.hiddenLevels).toBe(2);
    expect(named(rows, narrow.shown)).toEqual(['default', 'rack0', 'rack1']);
    const below = layoutPicture(rows, rowNamed('host1'), 'icicle', { ...size, width: 150 });
    expect(named(rows, below.shown)).toEqual(['host1', 'osd.2', 'osd.3']);
  });

  it.each(['icicle', 'treemap'] as const)('finds in the %s what is at a point', (shape) => {
    const layout = layoutPicture(rows, -1, shape, { width: 1200, height: 800, font: 16 });
    for (const row of layout.shown) {
      if (shape === 'treemap' && (rows.ids[row] ?? 0) < 0) continue;
      const [left = 0, top = 0, right = 0, bottom = 0] = layout.boxes.subarray(4 * row, 4 * row + 4);
      expect(rowAt(layout, (left + right) / 2, (top + bottom) / 2)).toBe(row);
    }
    expect(rowAt(layout, 5000, 5)).toBe(-1);
  });

  it('makes all areas the same where nothing weighs anything', () => {
    const weights = new Uint32Array(rows.count);
    const layout = layoutPicture({ ...rows, weights }, rowNamed('host1'), 'icicle', size);
    expect(layout.isWeightless).toBe(true);
    expect(area(layout.boxes, rowNamed('osd.2'))).toBeCloseTo(area(layout.boxes, rowNamed('osd.3')), 3);
  });

  it('counts what has no area', () => {
    const weights = rows.weights.slice();
    weights[rowNamed('osd.2')] = 0;
    expect(layoutPicture({ ...rows, weights }, -1, 'treemap', size).weightlessOsds).toBe(1);
    expect(layoutPicture({ ...rows, weights }, rowNamed('rack1'), 'treemap', size).weightlessOsds).toBe(0);
  });

  it('is walked through by keys, within what it shows', () => {
    const walk = (start: string, top: string | undefined, ...keys: string[]) => {
      let at = start === '' ? -1 : rowNamed(start);
      for (const key of keys) at = keyTarget(rows, at, top === undefined ? -1 : rowNamed(top), key) ?? -2;
      return at === -2 ? 'unused' : (rows.names[at] ?? 'none');
    };
    expect(walk('', undefined, 'ArrowRight', 'ArrowRight', 'ArrowDown')).toBe('rack1');
    expect(walk('rack1', undefined, 'ArrowDown')).toBe('rack1');
    expect(walk('osd.2', undefined, 'End', 'ArrowLeft', 'ArrowUp')).toBe('host0');
    expect(walk('host1', 'host1', 'ArrowLeft')).toBe('host1');
    expect(walk('host1', 'host1', 'ArrowRight', 'ArrowLeft', 'ArrowDown')).toBe('host1');
    expect(walk('rack0', undefined, 'q')).toBe('unused');
  });

  it('knows items that it does not have', () => {
    expect(rowOfItem(rows, 99)).toBe(-1);
    expect(rowOfItem(rows, undefined)).toBe(-1);
  });
});
