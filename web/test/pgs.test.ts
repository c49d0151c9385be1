import { describe, expect, it } from 'vitest';
import { createMapper } from '../../src/osdmap/pg-mapper.ts';
import type { OsdMap } from '../../src/osdmap/model.ts';
import { readExample } from '../src/worker/examples.ts';
import { searchWord } from '../src/parts/search-word.ts';
import { OpenDocument } from '../src/worker/open-document.ts';
import { flagWords, PG_CHOICES, PG_FLAG } from '../src/worker/topics/pgs/flags.ts';
import { unescapeName } from '../src/worker/topics/pgs/object-bytes.ts';
import {
  locateObject,
  pgCsv,
  pgDetail,
  pgList,
  pgPosition,
  type PgQuery,
  pgRows,
} from '../src/worker/topics/pgs.ts';

const open = (id: string) => new OpenDocument({ ...readExample(id), notes: [] });
const ask = (query: Partial<PgQuery> = {}): PgQuery => ({
  pool: undefined,
  search: '',
  only: undefined,
  order: 'pg',
  isDescending: false,
  ...query,
});
const rowsOf = (document: OpenDocument, query: Partial<PgQuery> = {}) => pgRows(document, ask(query), 0, 1e9);

/** A PG as a plain mapper has it, with its name. */
function* allPgs(map: OsdMap) {
  const mapper = createMapper(map);
  for (const { id, pgNum } of map.pools.values()) {
    for (let ps = 0; ps < pgNum; ps++) yield { name: `${id}.${ps.toString(16)}`, ...mapper.mapPg(id, ps) };
  }
}

const small = open('cluster-8osd');
const names = (rows: readonly { pool: number; ps: number }[]) =>
  rows.map(({ pool, ps }) => `${pool}.${ps.toString(16)}`);

describe('PGs of the small example', () => {
  it('are those of the mapper, pool by pool', () => {
    const rows = rowsOf(small);
    const expected = [...allPgs(small.original)];
    expect(rows).toHaveLength(321);
    expect(pgList(small, ask())).toMatchObject({ count: 321, total: 321, problems: [], failures: [] });
    expect(
      rows.map(({ pool, ps, up, acting, upPrimary, actingPrimary }) => [
        pool,
        ps,
        up,
        acting,
        upPrimary,
        actingPrimary,
      ]),
    ).toEqual(
      expected.map(({ pgid, up, acting, upPrimary, actingPrimary }) => [
        pgid.pool,
        pgid.ps,
        up,
        acting,
        upPrimary,
        actingPrimary,
      ]),
    );
  });

  it.each([
    ['osd.3', (osds: number[]) => osds.includes(3)],
    ['3', (osds: number[]) => osds.includes(3)],
    ['osd.3 osd.5', (osds: number[]) => osds.includes(3) && osds.includes(5)],
    ['osd.3,osd.5', (osds: number[]) => osds.includes(3) || osds.includes(5)],
  ])('searched for %s', (search, holds) => {
    const expected = [...allPgs(small.original)].filter(({ up, acting }) => holds([...up, ...acting]));
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(321);
    expect(names(rowsOf(small, { search }))).toEqual(expected.map(({ name }) => name));
  });

  it('searched for a host, a class, a primary, an id', () => {
    const { crush } = small.original;
    const host = crush.buckets.find(
      (bucket) => bucket?.type === 1 && !crush.itemNames.get(bucket.id)?.includes('~'),
    )!;
    const all = [...allPgs(small.original)];
    const inHost = (osds: readonly number[]) => osds.some((osd) => host.items.includes(osd));
    expect(names(rowsOf(small, { search: crush.itemNames.get(host.id)! }))).toEqual(
      all.filter(({ up, acting }) => inHost(up) || inHost(acting)).map(({ name }) => name),
    );
    expect(names(rowsOf(small, { search: 'primary:osd.2' }))).toEqual(
      all.filter(({ actingPrimary }) => actingPrimary === 2).map(({ name }) => name),
    );
    expect(names(rowsOf(small, { search: 'up-primary:osd.2 acting:osd.1' }))).toEqual(
      all.filter(({ upPrimary, acting }) => upPrimary === 2 && acting.includes(1)).map(({ name }) => name),
    );
    const [, className] = [...crush.classNames][0]!;
    const ofClass = [...crush.itemClasses]
      .filter(([, id]) => crush.classNames.get(id) === className)
      .map(([id]) => id);
    expect(names(rowsOf(small, { search: `class:${className}` }))).toEqual(
      all
        .filter(({ up, acting }) => [...up, ...acting].some((osd) => ofClass.includes(osd)))
        .map(({ name }) => name),
    );
    const last = all.at(-1)!.name;
    const prefix = last.slice(0, -1);
    expect(names(rowsOf(small, { search: prefix }))).toEqual(
      all.map(({ name }) => name).filter((name) => name.startsWith(prefix)),
    );
    expect(names(rowsOf(small, { search: `${last}s1` }))).toEqual([last]);
  });

  it('takes every name as a word, also such as look like something else', () => {
    expect(searchWord('osd.3')).toBe('osd.3');
    expect(searchWord('default~hdd')).toBe('default~hdd');
    for (const name of ['4.1f', 'is:short', 'two words', 'a,b', '7']) {
      const { original } = small;
      const host = original.crush.buckets.find((bucket) => bucket?.type === 1)!;
      const itemNames = new Map(original.crush.itemNames).set(host.id, name);
      const map = { ...original, crush: { ...original.crush, itemNames } };
      const file = { kind: 'osdmap', encoding: 'binary', map } as const;
      const renamed = new OpenDocument({ name: 'renamed', file, notes: [] });
      expect(pgList(renamed, ask({ search: searchWord(name) })).problems).toEqual([]);
      expect(names(rowsOf(renamed, { search: searchWord(name) }))).toEqual(
        names(rowsOf(small, { search: original.crush.itemNames.get(host.id)! })),
      );
    }
  });

  it('says which words of a search mean nothing', () => {
    const list = pgList(small, ask({ search: 'osd.99 nohost 77.1 is:odd class:tape primary:' }));
    expect(list.count).toBe(0);
    expect(list.problems.map((problem) => problem.slice(0, 24))).toEqual([
      'this map has no OSD or b',
      'this map has no OSD or b',
      'there is no pool 77',
      'is: takes exception, upm',
      'there is no device class',
      'primary: takes a name, s',
    ]);
  });

  it('have the exceptions of the map', () => {
    const { pgUpmap, pgUpmapItems, pgTemp, primaryTemp, pgUpmapPrimaries } = small.original;
    const named = new Set<string>();
    for (const table of [pgUpmap, pgUpmapItems, pgTemp, primaryTemp, pgUpmapPrimaries]) {
      for (const [pool, entries] of table)
        for (const ps of entries.keys()) named.add(`${pool}.${ps.toString(16)}`);
    }
    expect(named.size).toBeGreaterThan(0);
    const found = rowsOf(small, { only: 'exception' });
    expect(new Set(names(found))).toEqual(named);
    for (const { up, acting, flags } of rowsOf(small)) {
      expect((flags & PG_FLAG.remapped) !== 0).toBe(up.join() !== acting.join());
    }
    expect(names(rowsOf(small, { search: 'is:exception' }))).toEqual(names(found));
  });

  it('are ordered by primary, then by PG', () => {
    const rows = rowsOf(small, { order: 'acting-primary' });
    const sorted = [...allPgs(small.original)]
      .map((pg, i) => ({ ...pg, i }))
      .sort((a, b) => a.actingPrimary - b.actingPrimary || a.i - b.i);
    expect(names(rows)).toEqual(sorted.map(({ name }) => name));
    const down = ask({ order: 'acting-primary', isDescending: true });
    expect(names(pgRows(small, down, 0, 1e9))).toEqual(sorted.map(({ name }) => name).reverse());
    const { pgid, name } = sorted[100]!;
    const row = pgPosition(small, down, pgid.pool, pgid.ps);
    expect(names(pgRows(small, down, row, 1))).toEqual([name]);
    expect(pgPosition(small, ask({ search: 'osd.99' }), pgid.pool, pgid.ps)).toBe(-1);
  });

  it('as CSV: a line each, with holes as -', async () => {
    const text = await pgCsv(small, ask()).text();
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toBe('pgid,raw,raw_primary,up,up_primary,acting,acting_primary,notes');
    expect(lines).toHaveLength(322);
    const set = (osds: readonly number[]) => osds.map((osd) => (osd === 0x7fffffff ? '-' : osd)).join(' ');
    const rows = rowsOf(small);
    for (const [i, pg] of [...allPgs(small.original)].entries()) {
      expect(lines[i + 1]).toBe(
        `${pg.name},${set(pg.raw)},${pg.rawPrimary},${set(pg.up)},${pg.upPrimary},${set(pg.acting)},${pg.actingPrimary},${flagWords(rows[i]!.flags).join(' ')}`,
      );
    }
  });

  it('in detail: where its OSDs are, and what names it', () => {
    const [first] = rowsOf(small, { only: 'exception' });
    const detail = pgDetail(small, first!.pool, first!.ps);
    expect(detail.osds.map(({ osd }) => osd)).toEqual(expect.arrayContaining([...detail.up]));
    for (const { path } of detail.osds) expect(path[0]?.type).toBe('root');
    expect(() => pgDetail(small, first!.pool, 99_999)).toThrow('there is no PG');
  });

  it('of an object are those of the mapper', () => {
    const mapper = createMapper(small.original);
    const pool = [...small.original.pools.keys()][0]!;
    for (const name of ['foo', 'rbd_header.1234', 'größe']) {
      const { hash, pgid, up } = mapper.mapObject(pool, { name, namespace: 'ns', key: '' });
      const found = locateObject(small, pool, { name, namespace: 'ns', key: '', hasEscapes: false });
      expect([found.hash, found.pg.ps, found.pg.up]).toEqual([hash, pgid.ps, up]);
    }
    const bytes = new Uint8Array([0x61, 0xff, 0x5c]);
    const asked = { name: '\\x61\\xff\\\\', namespace: '', key: '', hasEscapes: true };
    expect(locateObject(small, pool, asked).hash).toBe(mapper.mapObject(pool, bytes).hash);
    expect(() => unescapeName('a\\q')).toThrow('is no escape');
  });
});

describe('PGs of a changed map', () => {
  const document = open('large');
  const osdWeight = document.original.osdWeight.slice();
  osdWeight[1000] = 0;
  const osdState = document.original.osdState.slice();
  osdState[2000] = 1;
  document.change({ ...document.original, osdWeight, osdState });

  it('are marked as moved where their OSDs are others', () => {
    const before = createMapper(document.original);
    const after = createMapper(document.current);
    const moved = new Set<string>();
    for (const id of document.current.pools.keys()) {
      const isErasure = document.current.pools.get(id)!.type === 3;
      const sets = (mapper: typeof before) => {
        const { up, width, count } = mapper.mapPool(id);
        return Array.from({ length: count }, (_, row) => {
          const set = [...up.osds.subarray(row * width, row * width + up.lengths[row]!)];
          return (isErasure ? set : set.sort((a, b) => a - b)).join();
        });
      };
      const now = sets(after);
      for (const [ps, set] of sets(before).entries()) {
        if (set !== now[ps]) moved.add(`${id}.${ps.toString(16)}`);
      }
    }
    expect(moved.size).toBeGreaterThan(20);
    const rows = rowsOf(document, { only: 'moved' });
    expect(new Set(names(rows))).toEqual(moved);
    for (const { upBefore } of rows) expect(upBefore).toBeDefined();
  });

  it('are short where an OSD is down, remapped nowhere', () => {
    const short = rowsOf(document, { only: 'short', search: '1.' });
    expect(short.length).toBeGreaterThan(0);
    for (const { up, upBefore } of short) {
      expect(up).toHaveLength(2);
      expect(upBefore?.includes(2000) ?? true).toBe(true);
    }
    expect(pgList(document, ask({ only: 'remapped' })).count).toBe(0);
  });

  it('lists the pools that cannot be mapped, and the PGs of the others', () => {
    const { original } = open('cluster-8osd');
    const [first] = original.pools.keys();
    const pools = new Map(original.pools).set(first!, { ...original.pools.get(first!)!, type: 7 });
    const file = { kind: 'osdmap', encoding: 'binary', map: { ...original, pools } } as const;
    const broken = new OpenDocument({ name: 'broken', file, notes: [] });
    const { total, failures } = pgList(broken, ask());
    expect(total).toBe(321 - original.pools.get(first!)!.pgNum);
    expect(failures.map(({ pool, error }) => [pool, error.text])).toEqual([
      [first, expect.stringContaining('pool type 7 is unknown')],
    ]);
    expect(() => pgDetail(broken, first!, 0)).toThrow(
      expect.objectContaining({ code: 'unsupported' }) as Error,
    );
    expect(pgRows(broken, ask({ pool: first! }), 0, 10)).toEqual([]);
  });

  it('has no choice without a PG flag', () => {
    for (const { flags } of PG_CHOICES) expect(flagWords(flags).length).toBeGreaterThan(0);
  });
});
