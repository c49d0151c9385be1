import { describe, expect, it } from 'vitest';
import { measureDistribution } from '../../src/analysis/distribution.ts';
import { OSD_STATE } from '../../src/osdmap/model.ts';
import { poolRequest } from '../../src/osdmap/pool-request.ts';
import { readExample } from '../src/worker/examples.ts';
import { OpenDocument } from '../src/worker/open-document.ts';
import { osdLoads } from '../src/worker/osd-loads.ts';
import { distribution } from '../src/worker/topics/distribution.ts';
import { pgList } from '../src/worker/topics/pgs.ts';
import { pools } from '../src/worker/topics/pools.ts';
import { deviationPlot, orderedRows, scoreHistogram } from '../src/views/distribution/plot-data.ts';

const open = (id: string) => new OpenDocument({ ...readExample(id), notes: [] });

describe('distribution', () => {
  it('counts up sets as they are, and all shards once a level', () => {
    const document = open('cluster-8osd');
    const data = distribution(document);
    expect(data.pools).toHaveLength(8);
    expect(data.failures).toEqual([]);
    expect(data.pgs).toBe(321);
    const loads = osdLoads(document, 'current');
    const [osds] = data.levels;
    expect(osds?.title).toBe('osd');
    expect([...(osds?.ids ?? [])].map((id) => loads.shards[id])).toEqual([...(osds?.counts ?? [])]);
    for (const level of data.levels) {
      expect(level.counts.reduce((sum, count) => sum + count, 0)).toBe(data.placed);
      expect(level.expected.reduce((sum, count) => sum + count, 0)).toBeCloseTo(data.placed, 6);
    }
    expect(data.levels.map(({ title }) => title)).toEqual(['osd', 'host', 'rack', 'root', 'class']);
  });

  it('agrees with what a rule places where nothing is laid over it', () => {
    const document = open('large');
    const map = document.original;
    const pool = document.pool('index');
    const request = poolRequest(map, pool, Number.POSITIVE_INFINITY);
    const rule = measureDistribution(map.crush, {
      ...request,
      reweights: map.osdWeight,
      first: 0,
      count: pool.pgNum,
    });
    const [osds, hosts] = distribution(document, pool.id).levels;
    const [ruleOsds, ruleHosts] = rule.levels;
    expect([...(osds?.counts ?? [])]).toEqual(ruleOsds?.rows.map(({ count }) => count));
    expect(hosts?.statistics).toEqual(ruleHosts?.statistics);
  });

  it('adds variances of pools up', () => {
    const document = open('cluster-8osd');
    const all = distribution(document).levels[0];
    const each = [...document.original.pools.keys()].map((id) => distribution(document, id).levels[0]);
    const variance = each.reduce((sum, level) => {
      const row = level?.ids.indexOf(3) ?? -1;
      return sum + (row < 0 ? 0 : (level?.sigmas[row] ?? 0) ** 2);
    }, 0);
    expect((all?.sigmas[all.ids.indexOf(3)] ?? 0) ** 2).toBeCloseTo(variance, 6);
  });

  it('orders and bins the rows for plots', () => {
    const level = distribution(open('large'), 1).levels[0];
    expect(level).toBeDefined();
    if (level === undefined) return;
    const rows = orderedRows(level, 'deviation');
    const [, , , off] = deviationPlot(level, rows);
    const known = off.filter((value) => value !== null);
    expect(known).toEqual([...known].sort((a, b) => a - b));
    const [centres, found, chance] = scoreHistogram(level);
    const withChance = level.sigmas.filter((sigma) => sigma > 0).length;
    expect(found.reduce((sum, count) => sum + count, 0)).toBe(withChance);
    expect(centres[(centres.length - 1) / 2]).toBe(0);
    // The half-wide bins of a normal curve hold everything but its far tails.
    expect(chance.reduce((sum, count) => sum + count, 0) / withChance).toBeCloseTo(1, 3);
  });
});

describe('pools and rules', () => {
  it('tells states of PGs and what rules reach', () => {
    const { pools: rows, rules } = pools(open('cluster-8osd'));
    expect(rows.map(({ name }) => name)).toHaveLength(8);
    const total = rows.reduce(
      (sum, { pgs }) => sum + (typeof pgs === 'string' ? Number.NaN : pgs.remapped + pgs.upmapped),
      0,
    );
    expect(total).toBeGreaterThan(0);
    for (const rule of rules) expect(rule.steps.at(-1)).toBe('step emit');
    const large = pools(open('large'));
    expect(large.rules.map(({ osds }) => osds)).toEqual([
      // Six spinning OSDs are out.
      8954, 8954, 1120,
    ]);
    expect(large.rules[0]?.failureDomains).toEqual(['rack']);
    expect(large.rules[1]?.pools).toEqual([2]);
  });

  it('counts PGs as the table of PGs notes them', () => {
    const document = open('cluster-8osd');
    const { original } = document;
    const pool = document.pool('rep');
    expect(pool.size).toBe(3);
    // An upmap that pg_num has left behind; a PG whose temp serves it in full while an OSD of its up set is down.
    const upmapped = new Map(original.pgUpmapItems.get(pool.id) ?? []).set(pool.pgNum + 5, [[0, 1]]);
    const columns = document.columns(pool.id);
    const downed = columns.up.osds[0] ?? 0;
    const others = [0, 1, 2, 3, 4, 5, 6, 7].filter((osd) => osd !== downed).slice(0, 3);
    const osdState = original.osdState.slice();
    osdState[downed] = (osdState[downed] ?? 0) & ~OSD_STATE.up;
    const before = pools(document).pools.find(({ id }) => id === pool.id)?.pgs;
    document.change({
      ...original,
      osdState,
      pgUpmapItems: new Map(original.pgUpmapItems).set(pool.id, upmapped),
      pgTemp: new Map(original.pgTemp).set(
        pool.id,
        new Map(Array.from({ length: pool.pgNum }, (_, ps) => [ps, others] as const)),
      ),
    });
    const after = pools(document).pools.find(({ id }) => id === pool.id)?.pgs;
    if (typeof before !== 'object' || typeof after !== 'object') throw new Error('the pool can be mapped');
    expect(after.upmapped).toBe(before.upmapped);
    const query = { pool: pool.id, search: '', order: 'pg', isDescending: false } as const;
    for (const state of ['undersized', 'inactive', 'remapped'] as const) {
      expect([state, after[state]]).toEqual([state, pgList(document, { ...query, only: state }).count]);
    }
    expect(pgList(document, { ...query, only: 'short' }).count).toBeGreaterThan(0);
    expect(after).toMatchObject({ undersized: 0, inactive: 0 });
  });

  it('has numbers for a pool of size 0', () => {
    const document = open('cluster-8osd');
    const pool = document.pool('rep');
    const pools = new Map([[pool.id, { ...pool, size: 0, minSize: 0 }]]);
    document.change({ ...document.original, pools, pgTemp: new Map(), pgUpmap: new Map() });
    expect([...osdLoads(document, 'current').expected]).toEqual(Array.from({ length: 8 }, () => 0));
    expect(distribution(document).levels[0]?.statistics.spread).toBe(0);
  });

  it('says why a pool cannot be mapped, and maps the others', () => {
    const document = open('cluster-8osd');
    const { original } = document;
    const [first] = original.pools.values();
    expect(first).toBeDefined();
    if (first === undefined) return;
    const broken = new Map(original.pools).set(first.id, { ...first, type: 2 });
    const other = new OpenDocument({
      name: 'broken',
      notes: [],
      file: { kind: 'osdmap', encoding: 'binary', map: { ...original, pools: broken } },
    });
    const [row, next] = pools(other).pools;
    expect(row?.pgs).toMatch(/type/);
    expect(typeof next?.pgs).toBe('object');
    expect(distribution(other).failures).toHaveLength(1);
  });
});
