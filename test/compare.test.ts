/**
 * Comparisons of OSDMaps: counts by another road, from what osdmaptool prints of both maps; one cause for every PG;
 * a floor that nothing comes below.
 */
import { describe, expect, test } from 'vitest';
import { type ChangedPg, compareMaps, type Comparison, MOVE_CAUSES } from '../src/analysis/compare.ts';
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
