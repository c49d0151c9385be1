/**
 * A session is always where a mapper of the same map is, whatever changes came before.
 *
 * CRUSH_SESSION_SEQUENCES says how many random sequences of changes are made (default 25), CRUSH_PROPERTY_SEED repeats
 * a run.
 */
import { describe, expect, it } from 'vitest';
import { type PlacedSets, Session } from '../src/analysis/session.ts';
import { CrushMapEditor } from '../src/crush/editor.ts';
import { type CrushMap, RULE_OP, RULE_TYPE } from '../src/crush/model.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import type { OsdMap, PgTable, Pool } from '../src/osdmap/model.ts';
import { createMapper, type PgColumns, type PgSets, view } from '../src/osdmap/pg-mapper.ts';
import { fixture } from './fixtures.ts';
import { Random } from './random.ts';

const SEQUENCES = Number(process.env.CRUSH_SESSION_SEQUENCES ?? 25);
const SEED = Number(process.env.CRUSH_PROPERTY_SEED ?? Date.now() % 1_000_000);
const CHANGES = 12;

const captured = readOsdMapBinary(fixture('cluster-10osd/a.osdmap'));

/** 4 racks of 3 hosts of 4 OSDs, two classes, and rules of every shape. */
function clusterCrush(random: Random): CrushMap {
  const editor = CrushMapEditor.empty();
  editor.setTunables(random.pick(['jewel', 'jewel', 'hammer', 'firefly', 'bobtail', 'legacy'] as const));
  for (let osd = 0; osd < 48; osd++) {
    editor.addDevice({
      weight: random.pick([1, 1, 1, 2, 0.5]),
      deviceClass: osd % 3 === 0 ? 'ssd' : 'hdd',
      location: { root: 'default', rack: `rack${Math.floor(osd / 12)}`, host: `host${Math.floor(osd / 4)}` },
    });
  }
  editor.addRule({ name: 'replicated', root: 'default' });
  editor.addRule({ name: 'hdd', root: 'default', deviceClass: 'hdd' });
  editor.addRule({ name: 'ec', root: 'default', kind: 'erasure', failureDomain: 'osd' });
  editor.addRule({ name: 'racks', root: 'default', kind: 'erasure', failureDomain: 'rack' });
  const { map } = editor;
  const root = [...map.itemNames].find(([, name]) => name === 'default')![0];
  const rack = [...map.itemNames].find(([, name]) => name === 'rack1')![0];
  const step = (op: number, arg1 = 0, arg2 = 0) => ({ op, arg1, arg2 });
  const rule = (type: number, steps: ReturnType<typeof step>[], id: number) => ({
    id,
    type,
    ruleset: id,
    minSize: 1,
    maxSize: 100,
    steps,
  });
  const { take, emit, chooseFirstn, chooseleafFirstn, chooseMsr } = RULE_OP;
  const rules = [
    ...map.rules,
    // Two takes, of which the second may not fit; two steps; MSR.
    rule(
      1,
      [
        step(take, rack),
        step(chooseleafFirstn, 2, 1),
        step(emit),
        step(take, root),
        step(chooseleafFirstn, 3, 3),
        step(emit),
      ],
      4,
    ),
    rule(1, [step(take, root), step(chooseFirstn, 2, 3), step(chooseleafFirstn, 2, 1), step(emit)], 5),
    rule(RULE_TYPE.msrIndep, [step(take, root), step(chooseMsr, 3, 3), step(chooseMsr, 2, 0), step(emit)], 6),
  ];
  return { ...map, rules };
}

function start(random: Random): OsdMap {
  const crush = clusterCrush(random);
  const [template] = captured.pools.values();
  const sizes = [3, 2, 6, 4, 3, 4, 6];
  const pools = sizes.map((size, id): Pool => {
    const type = id === 2 || id === 3 || id === 6 ? 3 : 1;
    return { ...template!, id, name: `p${id}`, size, type, crushRule: id, pgNum: 48 + id, pgpNum: 48 };
  });
  return {
    ...captured,
    crush,
    maxOsd: 48,
    osdState: new Uint32Array(48).fill(3),
    osdWeight: new Uint32Array(48).fill(0x10000),
    osdPrimaryAffinity: undefined,
    pools: new Map(pools.map((pool) => [pool.id, pool])),
    pgTemp: new Map(),
    primaryTemp: new Map(),
    pgUpmap: new Map(),
    pgUpmapItems: new Map(),
    pgUpmapPrimaries: new Map(),
  };
}

/** One change more, of any kind. */
function changed(map: OsdMap, random: Random): OsdMap {
  const osd = (): number => random.below(48);
  const pool = random.pick([...map.pools.values()]);
  const ps = random.below(pool.pgNum);
  const withTable = <T>(table: PgTable<T>, value: T): PgTable<T> => {
    const entries = new Map(table.get(pool.id));
    if (entries.has(ps) && random.chance(0.5)) entries.delete(ps);
    else entries.set(ps, value);
    return new Map([...table, [pool.id, entries]]);
  };
  const withNumber = (numbers: Uint32Array, value: number): Uint32Array => numbers.with(osd(), value);
  const withPool = (change: Partial<Pool>): OsdMap => ({
    ...map,
    pools: new Map([...map.pools, [pool.id, { ...pool, ...change }]]),
  });
  const withCrush = (edit: (editor: CrushMapEditor) => void): OsdMap => {
    const editor = CrushMapEditor.from(map.crush);
    edit(editor);
    return { ...map, crush: editor.map };
  };
  const named = (): string =>
    random.pick(['osd.3', 'osd.17', 'osd.40', 'host2', 'host7', 'rack1', `osd.${osd()}`]);
  switch (random.below(20)) {
    case 0:
    case 1:
      return { ...map, osdWeight: withNumber(map.osdWeight, 0) };
    case 2:
    case 3:
      return { ...map, osdWeight: withNumber(map.osdWeight, random.pick([0x10000, 0x8000, 0xe000])) };
    case 4:
    case 5:
      return { ...map, osdState: withNumber(map.osdState, random.pick([1, 3, 3, 0])) };
    case 6: {
      const affinity = map.osdPrimaryAffinity ?? new Uint32Array(48).fill(0x10000);
      return { ...map, osdPrimaryAffinity: withNumber(affinity, random.pick([0, 0x8000, 0x10000])) };
    }
    case 7:
      return { ...map, pgUpmapItems: withTable(map.pgUpmapItems, [[osd(), osd()]]) };
    case 8:
      return { ...map, pgUpmap: withTable(map.pgUpmap, Array.from({ length: random.between(1, 7) }, osd)) };
    case 9:
      return random.chance(0.5)
        ? { ...map, pgTemp: withTable(map.pgTemp, Array.from({ length: pool.size }, osd)) }
        : { ...map, primaryTemp: withTable(map.primaryTemp, osd()) };
    case 10:
      return withPool(
        random.pick([{ size: pool.size + (random.chance(0.5) ? 1 : -1) }, { pgNum: pool.pgNum + 3 }]),
      );
    case 11:
      return withPool({ pgpNum: random.between(20, pool.pgNum) });
    case 12:
      return withPool({ crushRule: random.pick([0, 1, 5]) });
    case 13:
      return withCrush((editor) => editor.move('host4', { root: 'default', rack: `rack${random.below(4)}` }));
    case 14:
      return withCrush((editor) => {
        const used = [...editor.map.itemNames].some(([, name]) => name === 'osd.47');
        if (used) editor.remove('osd.47');
        else editor.addDevice({ id: 47, weight: 1.5, deviceClass: 'hdd', location: { host: 'host11' } });
      });
    case 15:
      return withCrush((editor) => editor.setClass(`osd.${random.below(40)}`, random.pick(['hdd', 'ssd'])));
    default:
      return withCrush((editor) => {
        const name = named();
        if ([...editor.map.itemNames.values()].includes(name)) {
          editor.setWeight(name, random.pick([0, 0.5, 0.99, 1, 1.01, 2, 3]));
        }
      });
  }
}

function rows(columns: PgColumns): unknown[] {
  return Array.from({ length: columns.count }, (_, i) => view(columns, i));
}

/** Where PGs lie, as text to compare. */
function places({ up, acting, width, count }: PlacedSets & { readonly count: number }): string[] {
  const set = ({ osds, lengths, primaries }: PgSets, row: number): string =>
    `${osds.slice(row * width, row * width + lengths[row]!).join()} p${primaries[row]}`;
  return Array.from({ length: count }, (_, row) => `${set(up, row)} ${set(acting, row)}`);
}

describe('a session', () => {
  it(
    `follows ${SEQUENCES} sequences of ${CHANGES} changes, CRUSH_PROPERTY_SEED=${SEED}`,
    { timeout: 600_000 },
    () => {
      let again = 0;
      let total = 0;
      for (let i = 0; i < SEQUENCES; i++) {
        const random = new Random(SEED + i);
        const maps = [start(random)];
        const session = new Session(maps[0]!);
        for (let change = 0; change < CHANGES; change++) {
          const last = maps.at(-1)!;
          // Now and then several changes at once, or back to an earlier map.
          let map = random.chance(0.1) ? random.pick(maps) : changed(last, random);
          if (random.chance(0.15)) map = changed(changed(map, random), random);
          maps.push(map);
          const { pools } = session.update(map);
          const mapper = createMapper(map);
          const old = createMapper(last);
          for (const { pool, remapped, seeds, before, after } of pools) {
            const what = `pool ${pool}, change ${change}, CRUSH_PROPERTY_SEED=${SEED + i} CRUSH_SESSION_SEQUENCES=1`;
            const whole = mapper.mapPool(pool);
            expect(rows(session.columns(pool)), what).toEqual(rows(whole));
            again += remapped;
            total += whole.count;
            if (before === undefined) continue;
            const wasThere = places(old.mapPool(pool));
            const is = places(whole);
            const differing = is.flatMap((place, ps) => (place === wasThere[ps] ? [] : [ps]));
            expect([...seeds], what).toEqual(differing);
            const told = (sets: PlacedSets): string[] => places({ ...sets, count: seeds.length });
            expect(told(before), what).toEqual(differing.map((ps) => wasThere[ps]));
            expect(told(after), what).toEqual(differing.map((ps) => is[ps]));
          }
        }
      }
      console.log(`${again} of ${total} PGs mapped again`);
      expect(again).toBeLessThan(total * 0.8);
    },
  );

  it('tells of pools that come and go', () => {
    const map = start(new Random(1));
    const session = new Session(map);
    const pools = new Map(map.pools);
    const first = pools.get(0)!;
    pools.delete(0);
    pools.set(9, { ...first, id: 9, name: 'new' });
    const update = session.update({ ...map, pools });
    expect(update.removed).toEqual([0]);
    const added = update.pools.find(({ pool }) => pool === 9)!;
    expect([added.remapped, added.seeds.length, added.before]).toEqual([48, 48, undefined]);
    expect(rows(session.columns('new'))).toEqual(rows(createMapper({ ...map, pools }).mapPool(9)));
    expect(() => session.columns(0)).toThrow('there is no pool 0');
  });

  it('maps only PGs that a change can concern', () => {
    const map = start(new Random(2));
    const session = new Session(map);
    const osdWeight = map.osdWeight.with(5, 0);
    const { pools } = session.update({ ...map, osdWeight });
    const mapper = createMapper(map);
    for (const { pool, remapped } of pools.filter(({ pool }) => pool < 4)) {
      const holding = (rows(mapper.mapPool(pool)) as { raw: number[] }[]).filter(({ raw }) =>
        raw.includes(5),
      );
      expect(remapped).toBe(holding.length);
    }
  });

  it('goes on after a map that cannot be mapped', () => {
    const map = start(new Random(3));
    const session = new Session(map);
    const broken = {
      ...map,
      pools: new Map([...map.pools].map(([id, pool]) => [id, id === 1 ? { ...pool, type: 9 } : pool])),
    };
    expect(() => session.update(broken)).toThrow('pool type 9 is unknown');
    session.update(map);
    for (const pool of map.pools.keys()) {
      expect(rows(session.columns(pool))).toEqual(rows(createMapper(map).mapPool(pool)));
    }
  });
});
