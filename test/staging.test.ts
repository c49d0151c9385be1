/** Changes in two stages: what is held moves no more than the floor, the monitor leaves it, and it can be let go. */
import { describe, expect, test } from 'vitest';
import { compareMaps } from '../src/analysis/compare.ts';
import { applyChanges, type MapChange } from '../src/analysis/what-if.ts';
import { planStaging, type StagingPlan } from '../src/analysis/what-if/staging.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { type OsdMap, POOL_TYPE } from '../src/osdmap/model.ts';
import { PgMapper } from '../src/osdmap/pg-mapper.ts';
import { cleanUpmaps } from '../src/osdmap/upmap-cleanup.ts';
import { fixture } from './fixtures.ts';
import { HAS_PACIFIC_OSDMAPTOOL, osdmaptool } from './osdmaptool.ts';
import { writeOsdMapBinary } from '../src/formats/osdmap-encode.ts';
import { Random } from './random.ts';
import { LARGE, rackName, rowCluster, withBalancerUpmaps } from './row-cluster.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();
/** Every PG that the scenario is about, or a part of them. */
const PG_NUM = process.env.CRUSH_STAGING_LARGE === undefined ? 1024 : LARGE.pgNum;
const ROWS: readonly MapChange[] = Array.from({ length: LARGE.rows }, (_, row): MapChange[] => [
  { kind: 'add-bucket', name: `row${row}`, type: 'row', location: { root: 'default' } },
  { kind: 'move', names: [rackName(2 * row), rackName(2 * row + 1)], location: { row: `row${row}` } },
]).flat();
const FROM_RACK_TO_ROW: MapChange = { kind: 'failure-domain', rule: 'ec', type: 'row' };

describe('1,600 OSDs, 6 + 2, failure domain from rack to row', () => {
  test.each([
    ['rows there already', true, [FROM_RACK_TO_ROW]],
    ['racks moved into rows with it', false, [...ROWS, FROM_RACK_TO_ROW]],
  ])('%s', (_, hasRows, changes) => {
    const cluster = rowCluster({ ...LARGE, hasRows, pgNum: PG_NUM });
    const before = withBalancerUpmaps(cluster, Math.floor(PG_NUM / 3), new Random(1));
    const after = applyChanges(before, changes);
    const plan = planStaging(before, after);
    const { floor, movedShards, shards } = plan.unstaged.total;
    expect(movedShards / shards).toBeGreaterThan(0.5);
    // Eight of 20 racks in ten rows: 1.474 of eight shards share a row with another, on the average.
    expect(floor.byRule / shards).toBeCloseTo(1.474 / 8, 1);
    checkPlan(before, after, plan);
    expect(plan.staged.total.movedShards).toBe(floor.shards);
    if (HAS_PACIFIC_OSDMAPTOOL) checkByTool(plan);
  });
});

test.each([
  ['crush-weight of a host', [{ kind: 'crush-weight', name: 'host1', weight: 20 }]],
  ['a rack moved', [{ kind: 'move', names: ['host0'], location: { rack: 'rack1' } }]],
  ['other tunables', [{ kind: 'tunables', profile: 'argonaut' }]],
  ['another rule', [{ kind: 'pool', pool: 'rep', field: 'rule', value: 'replicated_rule' }]],
] as const satisfies [string, MapChange[]][])('small cluster: %s', (_, changes) => {
  const before = readOsdMapBinary(fixture('changes/start.osdmap'));
  const after = applyChanges(before, changes);
  const plan = planStaging(before, after, { shardsPerOsd: 4 });
  checkPlan(before, after, plan);
  expect(plan.staged.total.movedShards).toBeLessThan(plan.unstaged.total.movedShards);
  expect(plan.staged.total.movedShards).toBeLessThanOrEqual(1.1 * plan.unstaged.total.floor.shards);
});

test('what moves no more than it has to is left alone', () => {
  const before = rowCluster({ ...LARGE, pgNum: 64 });
  const plan = planStaging(before, before);
  expect([plan.holds, plan.batches]).toEqual([[], []]);
});

/** PGs are held where the plan says, the monitor leaves the upmaps, and without them all is as it is to be. */
function checkPlan(before: OsdMap, after: OsdMap, { holds, batches, map, staged }: StagingPlan): void {
  const mapper = new PgMapper(map);
  for (const { pg, set } of holds) {
    // Primary affinity may bring another OSD of a replicated pool to the front.
    const isOrdered = map.pools.get(pg.pool)?.type === POOL_TYPE.erasure;
    const text = (osds: readonly number[]): string => String(isOrdered ? osds : [...osds].sort());
    expect(text(mapper.mapPg(pg.pool, pg.ps).up)).toBe(text(set));
  }
  expect(cleanUpmaps(map)).toBe(map);
  expect(compareMaps(before, map).total.movedShards).toBe(staged.total.movedShards);
  const released = batches.flat();
  expect(released.length).toBe(holds.length);
  expect(new Set(released)).toEqual(new Set(holds));
  let open = map;
  for (const { pg, former } of released) {
    const changes: MapChange[] = [
      former.pairs === undefined
        ? { kind: 'rm-upmap-items', pg }
        : { kind: 'upmap-items', pg, pairs: former.pairs },
      former.whole === undefined ? { kind: 'rm-upmap', pg } : { kind: 'upmap', pg, osds: former.whole },
    ];
    if (holds.length < 500) open = applyChanges(open, changes, { keepUpmaps: true });
  }
  if (holds.length < 500) expect(compareMaps(open, after).total.changedPgs).toBe(0);
}

/** The real tool finds nothing to clean, and maps held PGs as the plan says. */
function checkByTool({ map, holds }: StagingPlan): void {
  const path = file('staged', writeOsdMapBinary(map, { release: 16 }));
  const text = osdmaptool(path, '--test-map-pgs-dump-all');
  const ups = new Map<string, string>();
  for (const [, pg = '', up = ''] of text.matchAll(/^(\d+\.[0-9a-f]+) raw .* up \(\[(.*?)\]/gm))
    ups.set(pg, up);
  for (const { pg, set } of holds) expect(ups.get(`${pg.pool}.${pg.ps.toString(16)}`)).toBe(set.join());
  expect(osdmaptool(path, '--upmap-cleanup', '-')).toBe('checking for upmap cleanups\n');
}
