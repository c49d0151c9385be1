/**
 * The OSDMap's pipeline where the captured maps do not reach: exceptions of newer releases than the tools at hand
 * read, and the traps that such maps set.
 */
import { describe, expect, it } from 'vitest';
import { type CrushMap, ITEM_NONE } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { type OsdMap, type Pool, POOL_FLAG, type PgTable } from '../src/osdmap/model.ts';
import { createMapper, view } from '../src/osdmap/pg-mapper.ts';
import { fixture } from './fixtures.ts';

const original = readOsdMapBinary(fixture('cluster-10osd/a.osdmap'));
/** Every OSD up and in, no exceptions at all. */
const calm: OsdMap = {
  ...original,
  osdState: new Uint32Array(original.maxOsd).fill(3),
  osdWeight: new Uint32Array(original.maxOsd).fill(0x10000),
  osdPrimaryAffinity: undefined,
  pgTemp: new Map(),
  primaryTemp: new Map(),
  pgUpmap: new Map(),
  pgUpmapItems: new Map(),
};
const rep = createMapper(calm).pool('rep');
const ec = createMapper(calm).pool('ec');
const base = createMapper(calm).mapPg(rep.id, 3);
const baseEc = createMapper(calm).mapPg(ec.id, 3);
const spare = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter((osd) => !base.raw.includes(osd));

function table<T>(pool: Pool, ps: number, value: T): PgTable<T> {
  return new Map([[pool.id, new Map([[ps, value]])]]);
}

function withOsd(map: OsdMap, osd: number, change: { state?: number; weight?: number }): OsdMap {
  const osdState = map.osdState.slice();
  const osdWeight = map.osdWeight.slice();
  if (change.state !== undefined) osdState[osd] = change.state;
  if (change.weight !== undefined) osdWeight[osd] = change.weight;
  return { ...map, osdState, osdWeight };
}

function withPool(map: OsdMap, pool: Pool): OsdMap {
  return { ...map, pools: new Map([...map.pools, [pool.id, pool]]) };
}

describe('pg_upmap', () => {
  it('replaces the whole set, even one longer than the pool is wide', () => {
    const target = [...base.raw.slice(0, 2), ...spare.slice(0, 3)];
    const mapper = createMapper({ ...calm, pgUpmap: table(rep, 3, target) });
    expect(mapper.mapPg(rep.id, 3).up).toEqual(target);
    const columns = mapper.mapPool(rep.id);
    expect(columns.width).toBe(5);
    expect(view(columns, 3).up).toEqual(target);
    expect(view(columns, 2).up).toEqual(createMapper(calm).mapPg(rep.id, 2).up);
  });

  it('is ignored with all that follows it when one of its OSDs is out', () => {
    const target = spare.slice(0, 3);
    const map = {
      ...withOsd(calm, target[1]!, { weight: 0 }),
      pgUpmap: table(rep, 3, target),
      pgUpmapItems: table(rep, 3, [[base.raw[0]!, spare[4]!]] as const),
    };
    const mapped = createMapper(map).mapPg(rep.id, 3);
    expect(mapped.up).toEqual(mapped.raw);
  });
});

describe('pg_upmap_items', () => {
  it('skips pairs whose target is there already, or out, and pairs that find no source', () => {
    const [a, b, c] = base.raw as [number, number, number];
    const [p, q, r] = spare as [number, number, number];
    const map = {
      ...withOsd(calm, q, { weight: 0 }),
      pgUpmapItems: table(rep, 3, [
        [a, b],
        [b, q],
        [r, p],
        [c, p],
      ] as const),
    };
    expect(createMapper(map).mapPg(rep.id, 3).up).toEqual([a, b, p]);
  });

  it('may name an OSD beyond max_osd, which is dropped as nonexistent', () => {
    const map = { ...calm, pgUpmapItems: table(rep, 3, [[base.raw[1]!, 4711]] as const) };
    expect(createMapper(map).mapPg(rep.id, 3).up).toEqual([base.raw[0], base.raw[2]]);
  });
});

describe('pg_upmap_primary', () => {
  it('swaps the new primary to the front', () => {
    const [a, b, c] = base.raw as [number, number, number];
    const map = { ...calm, pgUpmapPrimaries: table(rep, 3, c) };
    const mapped = createMapper(map).mapPg(rep.id, 3);
    expect(mapped.raw).toEqual([a, b, c]);
    expect(mapped.up).toEqual([c, b, a]);
    expect(mapped.upPrimary).toBe(c);
  });

  it('is ignored for an OSD that is out, or not in the set', () => {
    const c = base.raw[2]!;
    const gone = { ...withOsd(calm, c, { weight: 0 }), pgUpmapPrimaries: table(rep, 3, c) };
    const stays = createMapper(gone).mapPg(rep.id, 3);
    expect(stays.up).toEqual(stays.raw);
    const elsewhere = { ...calm, pgUpmapPrimaries: table(rep, 3, spare[0]!) };
    expect(createMapper(elsewhere).mapPg(rep.id, 3).up).toEqual(base.raw);
  });
});

describe('OSDs that are down or gone', () => {
  it('leave a hole in erasure pools and close the gap in replicated ones', () => {
    const [a, b, c] = base.raw as [number, number, number];
    const down = createMapper(withOsd(calm, b, { state: 1 })).mapPg(rep.id, 3);
    expect([down.raw, down.up]).toEqual([
      [a, b, c],
      [a, c],
    ]);
    const gone = createMapper(withOsd(calm, b, { state: 0 })).mapPg(rep.id, 3);
    expect(gone.raw).toEqual([a, c]);
    const shard = baseEc.raw[0]!;
    const downEc = createMapper(withOsd(calm, shard, { state: 1 })).mapPg(ec.id, 3);
    expect(downEc.up).toEqual([ITEM_NONE, ...baseEc.raw.slice(1)]);
    expect(downEc.upPrimary).toBe(baseEc.raw[1]);
    const goneEc = createMapper(withOsd(calm, shard, { state: 0 })).mapPg(ec.id, 3);
    expect(goneEc.raw).toEqual([ITEM_NONE, ...baseEc.raw.slice(1)]);
    expect(goneEc.rawPrimary).toBe(baseEc.raw[1]);
  });

  it('may stand above max_osd in the CRUSH map', () => {
    const map: OsdMap = {
      ...calm,
      maxOsd: 5,
      osdState: calm.osdState.slice(0, 5),
      osdWeight: calm.osdWeight.slice(0, 5),
    };
    const { raw } = createMapper(map).mapPool(rep.id);
    expect(Math.max(...raw.osds.filter((osd) => osd !== ITEM_NONE))).toBe(4);
  });
});

describe('primary affinity', () => {
  const affinity = (entries: [number, number][]): Uint32Array => {
    const values = new Uint32Array(calm.maxOsd).fill(0x10000);
    for (const [osd, value] of entries) values[osd] = value;
    return values;
  };

  it('0 can still be primary when all the others refuse too', () => {
    const map = { ...calm, osdPrimaryAffinity: affinity(base.raw.map((osd) => [osd, 0])) };
    const mapped = createMapper(map).mapPg(rep.id, 3);
    expect(mapped.up).toEqual(base.raw);
    expect(mapped.upPrimary).toBe(base.raw[0]);
  });

  it('moves the primary to the front in replicated pools, but no shard of an erasure pool', () => {
    const [a, b, c] = base.raw as [number, number, number];
    const map = { ...calm, osdPrimaryAffinity: affinity([a, b, baseEc.raw[0]!].map((osd) => [osd, 0])) };
    const mapped = createMapper(map).mapPg(rep.id, 3);
    expect(mapped.up).toEqual([c, a, b]);
    expect(mapped.upPrimary).toBe(c);
    const mappedEc = createMapper(map).mapPg(ec.id, 3);
    expect(mappedEc.up).toEqual(baseEc.raw);
    expect(mappedEc.upPrimary).not.toBe(baseEc.raw[0]);
  });
});

describe('temps', () => {
  it('replace acting, without OSDs that are down; an empty rest means none', () => {
    const temp = [spare[0]!, spare[1]!];
    const map = { ...calm, pgTemp: table(rep, 3, temp) };
    const mapped = createMapper(map).mapPg(rep.id, 3);
    expect([mapped.up, mapped.acting, mapped.actingPrimary]).toEqual([base.raw, temp, temp[0]]);
    const down = createMapper(withOsd(map, temp[0]!, { state: 1 })).mapPg(rep.id, 3);
    expect([down.acting, down.actingPrimary]).toEqual([[temp[1]], temp[1]]);
    const all = withOsd(withOsd(map, temp[0]!, { state: 1 }), temp[1]!, { state: 1 });
    expect(createMapper(all).mapPg(rep.id, 3).acting).toEqual(base.raw);
  });

  it('primary_temp alone keeps the set and changes the primary', () => {
    const map = { ...calm, primaryTemp: table(rep, 3, base.raw[2]!) };
    const mapped = createMapper(map).mapPg(rep.id, 3);
    expect([mapped.acting, mapped.actingPrimary, mapped.upPrimary]).toEqual([
      base.raw,
      base.raw[2],
      base.raw[0],
    ]);
  });

  it('of EC-optimised pools store the shards that can be primary first', () => {
    // The example in Ceph's own description: 4+2, shards 1 to 3 cannot be primary.
    const optimized: Pool = {
      ...ec,
      size: 6,
      flags: ec.flags | POOL_FLAG.ecOptimizations,
      details: { ...ec.details, nonprimaryShards: 0b1110n },
    };
    const stored = [ITEM_NONE, 8, 9, 5, 6, 7];
    const map = withPool({ ...calm, pgTemp: table(optimized, 3, stored) }, optimized);
    const mapped = createMapper(map).mapPg(ec.id, 3);
    expect(mapped.acting).toEqual([ITEM_NONE, 5, 6, 7, 8, 9]);
    expect(mapped.actingPrimary).toBe(8);
    const short = withPool({ ...calm, pgTemp: table(optimized, 3, stored.slice(1)) }, optimized);
    expect(() => createMapper(short).mapPg(ec.id, 3)).toThrow(/pg_temp has 5 OSDs/);
  });
});

describe('pools', () => {
  it('without hashpspool add their id to the seed instead of hashing it in', () => {
    const plain = { ...rep, flags: rep.flags & ~POOL_FLAG.hashpspool };
    const mapper = createMapper(withPool(calm, plain));
    const { items } = mapper.crush.mapRange({
      rule: rep.crushRule,
      size: 3,
      first: 3 + rep.id,
      count: 1,
      chooseArgs: rep.id,
    });
    expect(mapper.mapPg(rep.id, 3).raw).toEqual([...items]);
  });

  it('whose pgp_num Ceph has no mask for place all PGs alike', () => {
    // As osdmaptool 16.2.15 maps them on x86.
    const first = createMapper(withPool(calm, { ...rep, pgpNum: 1 })).mapPg(rep.id, 0).raw;
    for (const pgpNum of [0, 0x80000001, 0xffffffff]) {
      const mapper = createMapper(withPool(calm, { ...rep, pgpNum }));
      for (const ps of [0, 1, 7]) expect(mapper.mapPg(rep.id, ps).raw).toEqual(first);
    }
    const odd = createMapper(withPool(calm, { ...rep, pgpNum: 0x80000000 }));
    expect(() => odd.mapPool(rep.id)).toThrow('pgp_num is 2147483648, at most 2147483647 are supported');
  });

  it('of more PGs than a damaged count is likely to be are refused', () => {
    const most = createMapper(withPool(calm, { ...rep, pgNum: 1 << 28 }));
    expect(most.mapPool(rep.id, { first: (1 << 28) - 1 }).count).toBe(1);
    const more = createMapper(withPool(calm, { ...rep, pgNum: (1 << 28) + 1 }));
    expect(() => more.mapPool(rep.id, { count: 1 })).toThrow(
      'pg_num is 268435457, at most 268435456 are supported',
    );
  });

  it('whose rule is missing map to nothing', () => {
    const mapped = createMapper(withPool(calm, { ...rep, crushRule: 99 })).mapPg(rep.id, 3);
    expect([mapped.raw, mapped.up, mapped.upPrimary]).toEqual([[], [], -1]);
  });

  it('outside the sizes of their rule map as in new releases, or to nothing as up to 16', () => {
    const rules = calm.crush.rules.map((rule) => (rule === undefined ? rule : { ...rule, maxSize: 2 }));
    const map = { ...calm, crush: { ...calm.crush, rules } };
    expect(createMapper(map).mapPg(rep.id, 3).raw).toEqual(base.raw);
    expect(createMapper(map, { release: 16 }).mapPg(rep.id, 3).raw).toEqual([]);
  });

  it('of old maps find their rule by ruleset', () => {
    const [first, ...others] = calm.crush.rules;
    const rules = [undefined, ...others.slice(1), first && { ...first, id: others.length, ruleset: 0 }];
    const map = { ...calm, crush: { ...calm.crush, rules } };
    expect(createMapper(map).mapPg(rep.id, 3).raw).toEqual(base.raw);
  });
});

describe('ranges', () => {
  it('are slices of the whole pool', () => {
    const mapper = createMapper(original);
    for (const pool of original.pools.values()) {
      const whole = mapper.mapPool(pool.id);
      const part = mapper.mapPool(pool.id, { first: 5, count: 2 });
      expect([view(part, 0), view(part, 1)]).toEqual([view(whole, 5), view(whole, 6)]);
      expect(mapper.mapPg(pool.id, 7)).toEqual(view(whole, 7));
    }
  });

  it('give the same PGs one at a time, whatever is asked in between', () => {
    for (const map of [calm, original]) {
      const mapper = createMapper(map);
      const wholes = [...mapper.mapAll()];
      for (let ps = 0; ps < 64; ps++) {
        for (const whole of wholes.filter(({ count }) => ps < count)) {
          expect(mapper.mapPg(whole.pool, ps)).toEqual(view(whole, ps));
          if (ps % 5 === 0) mapper.crush.mapRange({ rule: 0, size: 2, first: ps, count: 3 });
        }
      }
    }
  });

  it('reduce seeds beyond pg_num for upmaps and temps', () => {
    const mapper = createMapper(original);
    const { up, acting } = mapper.mapPg(rep.id, 64 * 1000 + 9);
    const reduced = mapper.mapPg(rep.id, 9);
    expect([up, acting]).toEqual([reduced.up, reduced.acting]);
  });

  it('outside the pool are refused', () => {
    const mapper = createMapper(calm);
    const code = (run: () => unknown): string => {
      try {
        run();
      } catch (error) {
        if (error instanceof CrushError) return error.code;
      }
      return 'none';
    };
    expect(code(() => mapper.mapPool(99))).toBe('not-found');
    expect(code(() => mapper.pool('nonesuch'))).toBe('not-found');
    expect(code(() => mapper.mapPool(rep.id, { first: 60, count: 5 }))).toBe('bad-argument');
    expect(code(() => mapper.mapPool(rep.id, { first: -1 }))).toBe('bad-argument');
    expect(code(() => mapper.mapPg(rep.id, 1.5))).toBe('bad-argument');
    expect(code(() => createMapper(withPool(calm, { ...rep, type: 2 })).mapPg(rep.id, 0))).toBe(
      'unsupported',
    );
    expect(code(() => createMapper(withPool(calm, { ...rep, pgNum: 0 })).mapPg(rep.id, 0))).toBe('not-found');
  });
});

describe('callers without types', () => {
  const mapper = createMapper(calm);

  it('may name a pool by id or name everywhere', () => {
    expect(mapper.mapPool('rep')).toEqual(mapper.mapPool(rep.id));
    expect(mapper.mapPg('rep', 3)).toEqual(mapper.mapPg(rep.id, 3));
    expect(mapper.mapObject('rep', 'foo')).toEqual(mapper.mapObject(rep.id, { name: 'foo' }));
    // As requests and commands have ids; a pool of such a name goes first.
    expect(mapper.mapPool(String(rep.id))).toEqual(mapper.mapPool(rep.id));
    const named = createMapper({
      ...calm,
      pools: new Map([...calm.pools, [77, { ...rep, id: 77, name: String(rep.id) }]]),
    });
    expect(named.mapPool(String(rep.id)).pool).toBe(77);
    expect(() => mapper.mapPool('nope')).toThrow(/there is no pool 'nope'; the map has .*\d 'rep'/);
  });

  it('are told which map goes where', () => {
    const create = createMapper as (map: unknown) => unknown;
    const createCrush = (map: unknown): unknown => new CrushMapper(map as CrushMap);
    const file = { kind: 'osdmap', encoding: 'binary', map: calm };
    const cases: readonly [run: () => unknown, message: RegExp][] = [
      [() => create(calm.crush), /a CRUSH map, which has no pools: take new CrushMapper/],
      [() => create(file), /give the map inside \(file\.map\)/],
      [() => create(undefined), /not another value/],
      [() => createCrush(calm), /an OSDMap: give it the CRUSH map inside \(osdMap\.crush\)/],
      [() => createCrush(file), /give it the map inside \(file\.map\)/],
      [() => createCrush(null), /not another value/],
      [() => create(Promise.resolve(calm)), /a promise of one: await it first/],
      [() => createCrush(Promise.resolve(calm.crush)), /a promise of one: await it first/],
    ];
    for (const [run, message] of cases) {
      expect(run).toThrow(CrushError);
      expect(run).toThrow(message);
    }
  });

  it('have to name an object', () => {
    for (const object of [
      ...[undefined, null, 7, {}, [], { name: 7 }, { name: null }, { name: 'a', key: 7 }],
      ...[
        { name: 'a', namespace: null },
        new Int8Array(1),
        { name: [97] },
        { name: 'a', key: new ArrayBuffer(1) },
      ],
    ]) {
      expect(() => mapper.mapObject(rep.id, object as string)).toThrow(CrushError);
      expect(() => mapper.mapObject(rep.id, object as string)).toThrow(/an object is given by its name/);
    }
  });
});
