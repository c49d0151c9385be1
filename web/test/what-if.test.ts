import { describe, expect, it } from 'vitest';
import { compareMaps, flowsBetween } from '../../src/analysis/compare.ts';
import { applyChanges, type MapChange, parseChanges } from '../../src/analysis/what-if.ts';
import { CrushError } from '../../src/errors.ts';
import { findType } from '../../src/crush/names.ts';
import { createMapper } from '../../src/osdmap/pg-mapper.ts';
import { readExample } from '../src/worker/examples.ts';
import { OpenDocument } from '../src/worker/open-document.ts';
import { osdLoads } from '../src/worker/osd-loads.ts';
import { applyDocumentChange, whatIfDo, whatIfNow } from '../src/worker/topics/what-if.ts';
import { fillOf } from '../src/worker/what-if/fill.ts';
import { historyOf } from '../src/worker/what-if/history.ts';

const open = (id = 'cluster-8osd') => new OpenDocument({ ...readExample(id), notes: [] });
const changes = (text: string) => parseChanges(text) as MapChange[];
const HOST = { type: 1 };

/** One change of each kind that the page offers, and some on top of each other. */
const LISTS = [
  'out osd.3',
  'down osd.0,osd.1',
  'out host0; down host1',
  'reweight osd.2 0.5',
  'crush-weight osd.4 3.5',
  'crush-weight host1 1.25',
  'move osd.5 host=host0 root=default',
  'remove osd.6',
  'add-osds 8-9 weight=1 class=hdd host=new root=default',
  'pool rbd size 2',
  'pool rbd pg_num 64',
  'pool rbd pg_num 16',
  'rule replicated_rule failure-domain osd',
  'tunables firefly',
  'in osd.3; up osd.3; primary-affinity osd.1 0.25; out osd.7',
];

describe('what if', () => {
  it.each(LISTS)('counts as a comparison of the maps does: %s', (text) => {
    const document = open();
    const names = new Set([...document.original.pools.values()].map(({ name }) => name));
    const list = changes(text).map((change) =>
      change.kind === 'pool' && !names.has(change.pool)
        ? { ...change, pool: firstReplicated(document) }
        : change,
    );
    let result = whatIfNow(document, HOST);
    expect(result.effect.total.movedShards).toBe(0);
    for (const change of list) result = whatIfDo(document, { kind: 'make', change }, HOST);
    const after = applyChanges(document.original, list);
    expect(document.current).toEqual(after);

    const compared = compareMaps(document.original, after, { causes: false });
    const { total, pools, flows } = result.effect;
    for (const [own, other] of [
      [total, compared.total] as const,
      ...pools.map((pool, i) => [pool, compared.pools[i] ?? compared.total] as const),
    ]) {
      expect({
        pgs: own.pgs,
        movedPgs: own.movedPgs,
        shards: own.shards,
        movedShards: own.movedShards,
        newShards: own.newShards,
        changedPrimaries: own.changedPrimaries,
        lostPgs: own.lostPgs,
        undersized: [own.before.undersized, own.after.undersized],
        belowMinSize: [own.before.belowMinSize, own.after.belowMinSize],
      }).toEqual({
        pgs: other.pgs,
        movedPgs: other.movedPgs,
        shards: other.shards,
        movedShards: other.movedShards,
        newShards: other.newShards,
        changedPrimaries: other.changedPrimaries,
        lostPgs: other.lostPgs,
        undersized: [other.before.degraded, other.after.degraded],
        belowMinSize: [other.before.belowMinSize, other.after.belowMinSize],
      });
    }
    const between = flowsBetween(
      compared.flows,
      findType(after.crush, 'host') ?? 0,
      document.original.crush,
      after.crush,
    );
    const key = ({ source, target, shards }: (typeof flows.top)[number]) =>
      `${source ?? '-'} ${target ?? '-'} ${shards}`;
    expect(flows.count).toBe(between.length);
    expect(flows.top.map(({ shards }) => shards)).toEqual(between.slice(0, 12).map(({ shards }) => shards));
    if (between.length <= 12) expect(flows.top.map(key).sort()).toEqual(between.map(key).sort());
  });

  it('places PGs as the library does after undo, redo and removal of a change', () => {
    const document = open();
    const list = changes('out osd.3; crush-weight osd.4 3; pool 1 pg_num 4; down osd.0');
    for (const change of list) whatIfDo(document, { kind: 'make', change }, HOST);
    const demand = (expected: readonly MapChange[]) => {
      const map = applyChanges(document.original, expected);
      expect(document.current).toEqual(map);
      const mapper = createMapper(map);
      for (const pool of map.pools.keys()) {
        expect(document.columns(pool).up.osds).toEqual(mapper.mapPool(pool).up.osds);
      }
    };
    demand(list);
    whatIfDo(document, { kind: 'undo' }, HOST);
    whatIfDo(document, { kind: 'undo' }, HOST);
    demand(list.slice(0, 2));
    let answer = whatIfDo(document, { kind: 'redo' }, HOST);
    demand(list.slice(0, 3));
    expect(answer.history.applied).toBe(3);
    expect(answer.history.items.map(({ words }) => words)).toEqual([
      'out osd.3',
      'crush-weight osd.4 3',
      'pool 1 pg_num 4',
      'down osd.0',
    ]);
    whatIfDo(document, { kind: 'remove', id: answer.history.items[1]?.id ?? 0 }, HOST);
    demand([list[0], list[2]].flatMap((change) => change ?? []));
    answer = whatIfDo(document, { kind: 'clear' }, HOST);
    expect(document.isChanged).toBe(false);
    expect(answer.history).toEqual({ items: [], applied: 0 });
    expect(answer.effect.total.movedShards).toBe(0);
  });

  it('takes the steps of one drag for one change, measured from where the drag began', () => {
    const document = open();
    const first = changes('out osd.1')[0];
    if (first === undefined) throw new Error('no change');
    whatIfDo(document, { kind: 'make', change: first }, HOST);
    let answer = whatIfNow(document, HOST);
    for (const weight of [0.9, 0.5, 0.25]) {
      const change: MapChange = { kind: 'crush-weight', name: 'osd.4', weight };
      answer = whatIfDo(document, { kind: 'make', change, gesture: 7 }, HOST);
    }
    expect(answer.history.items.map(({ words }) => words)).toEqual(['out osd.1', 'crush-weight osd.4 0.25']);
    const start = applyChanges(document.original, [first]);
    const end = applyChanges(document.original, [
      first,
      { kind: 'crush-weight', name: 'osd.4', weight: 0.25 },
    ]);
    const { total } = compareMaps(start, end, { causes: false });
    expect(total.movedShards).toBeGreaterThan(0);
    expect(answer.history.items[1]?.own.movedShards).toBe(total.movedShards);
    answer = whatIfDo(
      document,
      { kind: 'make', change: { kind: 'crush-weight', name: 'osd.4', weight: 2 }, gesture: 8 },
      HOST,
    );
    expect(answer.history.items).toHaveLength(3);
  });

  it('refuses what cannot be, and is as before then', () => {
    const document = open();
    const first = changes('add-osds 8 weight=1 host=new root=default')[0];
    if (first === undefined) throw new Error('no change');
    whatIfDo(document, { kind: 'make', change: first }, HOST);
    const second: MapChange = { kind: 'out', targets: ['new'] };
    const { history } = whatIfDo(document, { kind: 'make', change: second }, HOST);
    const { current, version } = document;
    const refused: (() => unknown)[] = [
      () => whatIfDo(document, { kind: 'make', change: { kind: 'out', targets: ['osd.99'] } }, HOST),
      () =>
        whatIfDo(
          document,
          { kind: 'make', change: { kind: 'crush-weight', name: 'osd.1', weight: NaN } },
          HOST,
        ),
      () => whatIfDo(document, { kind: 'remove', id: history.items[0]?.id ?? 0 }, HOST),
    ];
    for (const action of refused) expect(action).toThrow();
    expect(refused[2]).toThrow("'out new' needs it: there is no OSD or bucket 'new'");
    expect(document.current).toBe(current);
    expect(document.version).toBe(version);
    expect(historyOf(document).state).toEqual(history);
  });

  it('takes changes from elsewhere in the page into its list', () => {
    const document = open();
    const crush = applyChanges(document.original, changes('crush-weight osd.4 5')).crush;
    const state = applyDocumentChange(document, { kind: 'crushmap', crush });
    expect(state.isChanged).toBe(true);
    const answer = whatIfDo(document, { kind: 'undo' }, HOST);
    expect(answer.history.items.map(({ words }) => words)).toEqual(['crushmap FILE']);
    expect(answer.state.isChanged).toBe(false);
  });

  it('opens a map of which nothing can be mapped, and mends it by a change', () => {
    const { file } = readExample('cluster-8osd');
    if (file.kind !== 'osdmap') throw new Error('no OSDMap');
    const { crush } = file.map;
    const root = crush.buckets.find((bucket) => bucket?.items.some((item) => item < 0) === true);
    const buckets = crush.buckets.map((bucket) =>
      bucket !== undefined && bucket === root ? { ...bucket, items: bucket.items.map(() => -99) } : bucket,
    );
    const map = { ...file.map, crush: { ...crush, buckets } };
    const document = new OpenDocument({ name: 'broken', notes: [], file: { ...file, map } });
    const now = whatIfNow(document, HOST);
    expect(now.state.obstacle?.code).toBe('invalid-map');
    expect(now.effect.failures).toHaveLength(map.pools.size);
    const out: MapChange = { kind: 'out', targets: ['osd.1'] };
    expect(() => whatIfDo(document, { kind: 'make', change: out }, HOST)).toThrow(CrushError);
    expect(document.isChanged).toBe(false);
    const state = applyDocumentChange(document, { kind: 'crushmap', crush });
    expect(state.obstacle).toBeUndefined();
    const mended = whatIfDo(document, { kind: 'make', change: out }, HOST);
    expect(mended.effect.failures).toEqual([]);
    const mapper = createMapper(document.current);
    for (const pool of document.current.pools.keys()) {
      expect(document.columns(pool).up.osds).toEqual(mapper.mapPool(pool).up.osds);
    }
    const back = whatIfDo(document, { kind: 'clear' }, HOST);
    expect(back.state.obstacle?.code).toBe('invalid-map');
  });

  it('says how full each level is', () => {
    const document = open();
    const change: MapChange = { kind: 'reweight', targets: ['osd.2'], weight: 0.25 };
    const { effect } = whatIfDo(document, { kind: 'make', change }, { type: 0 });
    const loads = { before: osdLoads(document, 'original'), after: osdLoads(document, 'current') };
    const fills = [...loads.after.shards].map(
      (shards, osd) => fillOf(shards, loads.after.expected[osd] ?? 0) ?? 0,
    );
    expect(effect.fill.after.most).toBeCloseTo(Math.max(...fills.filter(Number.isFinite)), 12);
    expect(effect.fill.fullestAfter[0]?.id).toBe(fills.indexOf(Math.max(...fills)));
    expect(effect.fill.after.histogram.reduce((sum, count) => sum + count, 0)).toBe(
      fills.filter((fill) => fill > 0).length,
    );
    expect(effect.osds.shardsAfter).toEqual(loads.after.shards);
    const hosts = whatIfNow(document, HOST).effect.fill.fullestAfter;
    const sum = (values: { readonly shardsAfter: number }[]) =>
      values.reduce((total, { shardsAfter }) => total + shardsAfter, 0);
    expect(sum([...hosts])).toBe([...loads.after.shards].reduce((total, shards) => total + shards, 0));
  });
});

function firstReplicated(document: OpenDocument): string {
  const found = [...document.original.pools.values()].find(({ type }) => type === 1);
  return found?.name ?? '';
}
