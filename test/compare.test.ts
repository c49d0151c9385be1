/**
 * Comparisons of OSDMaps: counts by another road, from what osdmaptool prints of both maps; one cause for every PG;
 * a floor that nothing comes below.
 */
import { describe, expect, test } from 'vitest';
import {
  type ChangedPg,
  compareMaps,
  type Comparison,
  MOVE_CAUSES,
  type MoveCause,
} from '../src/analysis/compare.ts';
import { applyChanges, type MapChange } from '../src/analysis/what-if.ts';
import { ITEM_NONE } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { writeOsdMapBinary } from '../src/formats/osdmap-encode.ts';
import { type OsdMap, POOL_TYPE } from '../src/osdmap/model.ts';
import { stableMod } from '../src/osdmap/object-hash.ts';
import { fixture } from './fixtures.ts';
import { HAS_PACIFIC_OSDMAPTOOL, osdmaptool } from './osdmaptool.ts';
import { randomChange } from './random-changes.ts';
import { Random } from './random.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();
const SEED = Number(process.env.CRUSH_PROPERTY_SEED ?? 20262);
/** Random changes to each of five maps; 20 is a hundred in all. */
const ROUNDS = Number(process.env.CRUSH_COMPARE_ROUNDS ?? 20);

const MAPS = ['cluster-8osd/osdmap', ...['a', 'b', 'c', 'd'].map((name) => `cluster-10osd/${name}.osdmap`)];

describe.each(MAPS)('%s', (name) => {
  const map = readOsdMapBinary(fixture(name));

  test(`random changes move what osdmaptool says, seed ${SEED}`, async () => {
    const random = new Random(SEED ^ name.length ^ map.epoch);
    const before = await mappings(map);
    for (let round = 0; round < ROUNDS; round++) {
      const { changes, after } = changed(random, map, random.between(1, 3));
      const what = JSON.stringify(changes);
      const list: ChangedPg[] = [];
      const result = compareMaps(map, after, { release: 16, onChanged: (pg) => list.push(pg) });
      expect({ what, ...plainCounts(result) }).toEqual({
        what,
        ...bruteDiff(map, after, before, await mappings(after)),
      });
      checkCauses(result, list, what);
      checkFloor(result, what);
    }
  });
});

describe('a single change is the cause of what it moves', () => {
  const cluster = readOsdMapBinary(fixture('cluster-10osd/a.osdmap'));
  const weightSets = cluster.crush.chooseArgs;
  const map = applyChanges({ ...cluster, crush: { ...cluster.crush, chooseArgs: new Map() } }, [
    { kind: 'in', targets: ['osd.9'] },
    { kind: 'up', targets: ['osd.0-9'] },
    { kind: 'primary-affinity', targets: ['osd.0-9'], weight: 1 },
    { kind: 'rm-upmap', pg: { pool: 1, ps: 7 } },
  ]);
  const held = { kind: 'upmap-items', pg: { pool: 1, ps: 0 }, pairs: [[7, 6]] } as const;

  test.each<[cause: MoveCause, changes: MapChange[], before?: MapChange[]]>([
    ['osd-out', [{ kind: 'out', targets: ['osd.3'] }]],
    ['osd-in', [{ kind: 'in', targets: ['osd.3'] }], [{ kind: 'out', targets: ['osd.3'] }]],
    ['osd-down', [{ kind: 'down', targets: ['osd.3'] }]],
    ['osd-up', [{ kind: 'up', targets: ['osd.3'] }], [{ kind: 'down', targets: ['osd.3'] }]],
    ['reweight', [{ kind: 'reweight', targets: ['osd.3'], weight: 0.5 }]],
    ['crush-weight', [{ kind: 'crush-weight', name: 'osd.4', weight: 1 }]],
    ['bucket-moved', [{ kind: 'move', names: ['host1'], location: { rack: 'rack1' } }]],
    ['bucket-moved', [{ kind: 'move', names: ['osd.3'], location: { host: 'host0' } }]],
    [
      'osd-added',
      [{ kind: 'add-osds', osds: [10, 11], weight: 5, location: { host: 'host5', root: 'default' } }],
    ],
    ['osd-removed', [{ kind: 'remove', targets: ['osd.3'] }]],
    ['osd-removed', [{ kind: 'remove', targets: ['host1'] }]],
    ['device-class', [{ kind: 'device-class', targets: ['osd.3'], deviceClass: 'hdd' }]],
    ['rule', [{ kind: 'failure-domain', rule: 'replicated_rule', type: 'rack' }]],
    ['rule', [{ kind: 'pool', pool: 'rep', field: 'rule', value: 'racks' }]],
    ['tunables', [{ kind: 'tunables', profile: 'argonaut' }]],
    ['size', [{ kind: 'pool', pool: 'two', field: 'size', value: '3' }]],
    ['pg-num', [{ kind: 'pool', pool: 'rep', field: 'pg_num', value: '128' }]],
    ['pg-num', [{ kind: 'pool', pool: 'odd', field: 'pgp_num', value: '50' }]],
    ['upmap-added', [held]],
    ['upmap-dropped', [{ kind: 'rm-upmap-items', pg: { pool: 1, ps: 0 } }], [held]],
    ['affinity', [{ kind: 'primary-affinity', targets: ['osd.3'], weight: 0 }]],
    ['choose-args', [{ kind: 'crushmap', crush: { ...map.crush, chooseArgs: weightSets } }]],
  ])('%s, %j', (cause, changes, first = []) => {
    const before = applyChanges(map, first);
    const { causes, total } = compareMaps(before, applyChanges(before, changes));
    expect(total.changedPgs).toBeGreaterThan(0);
    expect([...causes.keys()]).toEqual([cause]);
  });

  test('an upmap that no more applies', () => {
    const before = applyChanges(map, [held]);
    // The rule gives PG 1.0 osd.8 in the place of osd.7, which the upmap knows nothing of.
    const after = applyChanges(before, [{ kind: 'crush-weight', name: 'osd.7', weight: 0 }], {
      keepUpmaps: true,
    });
    const list: ChangedPg[] = [];
    compareMaps(before, after, { onChanged: (pg) => list.push(pg) });
    const pg = list.find(({ pool, ps }) => pool === 1 && ps === 0);
    expect(pg?.before).toContain(6);
    expect(pg?.after).not.toContain(6);
    expect(pg?.cause).toBe('upmap-useless');
  });

  test('temps, where acting sets are compared', () => {
    const temps = readOsdMapBinary(fixture('cluster-8osd/osdmap'));
    const { causes, total } = compareMaps(
      temps,
      { ...temps, pgTemp: new Map(), primaryTemp: new Map() },
      { set: 'acting' },
    );
    expect(total.changedPgs).toBeGreaterThan(0);
    expect([...causes.keys()]).toEqual(['temp']);
  });

  test('several changes share what moves', () => {
    const after = applyChanges(map, [
      { kind: 'out', targets: ['osd.3'] },
      { kind: 'crush-weight', name: 'osd.4', weight: 1 },
    ]);
    const { causes, total } = compareMaps(map, after);
    expect([...causes.keys()].sort()).toEqual(['crush-weight', 'osd-out']);
    expect([...causes.values()].reduce((sum, { pgs }) => sum + pgs, 0)).toBe(total.changedPgs);
  });
});

describe('what a PG dump tells', () => {
  const map = readOsdMapBinary(fixture('cluster-10osd/a.osdmap'));
  const usage = { objects: 8, bytes: 4096 };
  const pgDump = {
    pgs: new Map(
      [...map.pools.values()].map(({ id, pgNum }) => [
        id,
        new Map(Array.from({ length: pgNum }, (_, ps) => [ps, usage])),
      ]),
    ),
    osds: new Map(),
  };

  test('objects and bytes move with their shards, of an erasure code a part', () => {
    const after = applyChanges(map, [{ kind: 'out', targets: ['osd.3'] }]);
    for (const { pool, movedShards, movedObjects, movedBytes } of compareMaps(map, after, { pgDump }).pools) {
      const { type, size } = map.pools.get(pool)!;
      // k is 2 of 4 and 4 of 6.
      const k = type === POOL_TYPE.erasure ? size - 2 : 1;
      expect([movedObjects, movedBytes]).toEqual([movedShards * 8, (movedShards * 4096) / k]);
    }
  });

  test('a PG that is split moves its parts', () => {
    // 37 PGs become 48: of 64 slots, each of the first 16 has two before ...
    const after = applyChanges(map, [{ kind: 'pool', pool: 'odd2', field: 'pg_num', value: '48' }]);
    const list: ChangedPg[] = [];
    compareMaps(map, after, { pgDump, onChanged: (pg) => list.push(pg) });
    const objects = new Map(list.map(({ ps, usage: held }) => [ps, held?.objects]));
    expect(list.length).toBeGreaterThan(0);
    for (const [ps, held] of objects) {
      const parent = stableMod(ps, 37);
      const siblings = Array.from({ length: 48 }, (_, i) => i).filter((i) => stableMod(i, 37) === parent);
      expect(held, `PG ${ps}`).toBe(8 / siblings.length);
    }
  });
});

/** Some random changes that the map allows, and the map after them. */
function changed(random: Random, map: OsdMap, count: number): { changes: MapChange[]; after: OsdMap } {
  const changes: MapChange[] = [];
  let after = map;
  while (changes.length < count) {
    const change = randomChange(random, after);
    try {
      after = applyChanges(after, [change], { release: 16 });
    } catch (error) {
      if (!(error instanceof CrushError)) throw error;
      continue;
    }
    changes.push(change);
  }
  return { changes, after };
}

/** Up sets and primaries by PG, as a tool prints them. */
type Mappings = ReadonlyMap<string, { readonly up: readonly number[]; readonly primary: number }>;

async function mappings(map: OsdMap): Promise<Mappings> {
  const path = file('map', writeOsdMapBinary(map, { release: 16 }));
  const text = HAS_PACIFIC_OSDMAPTOOL
    ? osdmaptool(path, '--test-map-pgs-dump-all')
    : (await run(['osdmaptool', path, '--test-map-pgs-dump-all', '--as-release', '16'])).stdout;
  const found = new Map<string, { up: number[]; primary: number }>();
  for (const [, pg = '', up = '', primary] of text.matchAll(
    /^(\d+\.[0-9a-f]+) raw .* up \(\[(.*?)\], p(-?\d+)\)/gm,
  )) {
    found.set(pg, { up: up === '' ? [] : up.split(',').map(Number), primary: Number(primary) });
  }
  return found;
}

interface PlainCounts {
  readonly pgs: number;
  readonly changedPgs: number;
  readonly movedPgs: number;
  readonly movedShards: number;
  readonly droppedShards: number;
  readonly changedPrimaries: number;
  readonly degraded: number;
  readonly missingShards: number;
  readonly belowMinSize: number;
}

function plainCounts({ total }: Comparison): PlainCounts {
  const { pgs, changedPgs, movedPgs, movedShards, droppedShards, changedPrimaries, after } = total;
  return { pgs, changedPgs, movedPgs, movedShards, droppedShards, changedPrimaries, ...after };
}

/** The counts from two lists of mappings, PG by PG, in the plainest way. */
function bruteDiff(before: OsdMap, after: OsdMap, from: Mappings, to: Mappings): PlainCounts {
  const counts = {
    pgs: 0,
    changedPgs: 0,
    movedPgs: 0,
    movedShards: 0,
    droppedShards: 0,
    changedPrimaries: 0,
    degraded: 0,
    missingShards: 0,
    belowMinSize: 0,
  };
  for (const pool of after.pools.values()) {
    const old = before.pools.get(pool.id)!;
    for (let ps = 0; ps < Math.max(pool.pgNum, old.pgNum); ps++) {
      const pgid = (pgNum: number): string => `${pool.id}.${stableMod(ps, pgNum).toString(16)}`;
      const a = from.get(pgid(old.pgNum))!;
      const b = to.get(pgid(pool.pgNum))!;
      counts.pgs++;
      let moved = 0;
      let dropped = 0;
      if (pool.type === POOL_TYPE.erasure) {
        for (let i = 0; i < pool.size; i++) {
          // Where no rule is found for a pool, its sets are empty.
          const now = b.up[i] ?? ITEM_NONE;
          if ((a.up[i] ?? ITEM_NONE) === now) continue;
          if (now !== ITEM_NONE) moved++;
          else dropped++;
        }
      } else {
        moved = b.up.filter((osd) => !a.up.includes(osd)).length;
        dropped = Math.max(0, a.up.filter((osd) => !b.up.includes(osd)).length - moved);
      }
      counts.movedShards += moved;
      counts.droppedShards += dropped;
      if (moved > 0) counts.movedPgs++;
      if (a.primary !== b.primary) counts.changedPrimaries++;
      if (moved + dropped > 0 || a.primary !== b.primary) counts.changedPgs++;
      const filled = b.up.filter((osd) => osd !== ITEM_NONE).length;
      if (filled < pool.size) counts.degraded++;
      if (filled < pool.minSize) counts.belowMinSize++;
      counts.missingShards += Math.max(0, pool.size - filled);
    }
  }
  return counts;
}

function checkCauses({ causes, total }: Comparison, list: readonly ChangedPg[], what: string): void {
  expect(list.length, what).toBe(total.changedPgs);
  const counted = new Map<string, number>();
  for (const { cause } of list) {
    expect(MOVE_CAUSES, what).toContain(cause);
    counted.set(cause!, (counted.get(cause!) ?? 0) + 1);
  }
  expect(new Map([...causes].map(([cause, { pgs }]) => [cause, pgs])), what).toEqual(counted);
  const shards = [...causes.values()].reduce((sum, each) => sum + each.shards, 0);
  expect(shards, what).toBe(total.movedShards);
}

function checkFloor({ pools, total, flows }: Comparison, what: string): void {
  for (const { floor, movedShards } of [...pools, total]) {
    expect(floor.shards, what).toBeLessThanOrEqual(movedShards);
    expect(floor.shards, what).toBeGreaterThanOrEqual(0);
  }
  const flowing = flows.reduce((sum, { target, shards }) => sum + (target < 0 ? 0 : shards), 0);
  expect(flowing, what).toBe(total.movedShards);
}
