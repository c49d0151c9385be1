/** Changes: as text, as data, what they do to a map; every single failure in turn. */
import { describe, expect, test } from 'vitest';
import { applyChanges, type MapChange } from '../src/analysis/what-if.ts';
import { compareMaps } from '../src/analysis/compare.ts';
import { failEach } from '../src/analysis/what-if/failures.ts';
import { unreached } from '../src/analysis/what-if/reach.ts';
import { parseChanges } from '../src/analysis/what-if/text.ts';
import { findItem, itemWeight, parentOf } from '../src/crush/names.ts';
import { CrushError } from '../src/errors.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { writeOsdMapBinary } from '../src/formats/osdmap-encode.ts';
import { OSD_STATE, type OsdMap } from '../src/osdmap/model.ts';
import { PgMapper, view } from '../src/osdmap/pg-mapper.ts';
import { fixture } from './fixtures.ts';
import { randomChange } from './random-changes.ts';
import { Random } from './random.ts';

const SEED = Number(process.env.CRUSH_PROPERTY_SEED ?? 20263);
const MAP = readOsdMapBinary(fixture('cluster-10osd/a.osdmap'));
const POOL_TYPE_ERASURE = 3;

/** The map after changes in text. */
function after(text: string, map: OsdMap = MAP): OsdMap {
  return applyChanges(
    map,
    parseChanges(text).map((change) => {
      if (change.kind === 'crushmap-file') throw new Error('not in these tests');
      return change;
    }),
  );
}

describe('text', () => {
  test('each form, words and lines', () => {
    const text = `
      out osd.3,host1; in 3-5        # comments end a line
      reweight osd.2 0.35
      crush-weight host2 4.5 move host1,osd.3 rack=rack1 root=default
      add-host h9 osds=10,12-13 weight=3.6 class=ssd rack=rack0
      class osd.0 - ; pool rep crush_rule racks pool rep pg_num 256
      rule ec failure-domain osd
      tunables jewel; crushmap FILE
      upmap 4.1f 3,osd.7 upmap-items 4.1F 3:7,osd.2:osd.9 rm-upmap 4.0`;
    expect(parseChanges(text)).toEqual([
      { kind: 'out', targets: ['osd.3', 'host1'] },
      { kind: 'in', targets: ['3-5'] },
      { kind: 'reweight', targets: ['osd.2'], weight: 0.35 },
      { kind: 'crush-weight', name: 'host2', weight: 4.5 },
      { kind: 'move', names: ['host1', 'osd.3'], location: { rack: 'rack1', root: 'default' } },
      {
        kind: 'add-osds',
        osds: [10, 12, 13],
        weight: 3.6,
        deviceClass: 'ssd',
        location: { host: 'h9', rack: 'rack0' },
      },
      { kind: 'device-class', targets: ['osd.0'], deviceClass: undefined },
      { kind: 'pool', pool: 'rep', field: 'rule', value: 'racks' },
      { kind: 'pool', pool: 'rep', field: 'pg_num', value: '256' },
      { kind: 'failure-domain', rule: 'ec', type: 'osd' },
      { kind: 'tunables', profile: 'jewel' },
      { kind: 'crushmap-file', file: 'FILE' },
      { kind: 'upmap', pg: { pool: 4, ps: 31 }, osds: [3, 7] },
      {
        kind: 'upmap-items',
        pg: { pool: 4, ps: 31 },
        pairs: [
          [3, 7],
          [2, 9],
        ],
      },
      { kind: 'rm-upmap', pg: { pool: 4, ps: 0 } },
    ]);
  });

  test.each([
    [
      'frob osd.3',
      "'frob' is no change; there are out, in, up, down, reweight, primary-affinity, crush-weight",
    ],
    ['frob osd.3', 'upmap-items, rm-upmap, rm-upmap-items'],
    ['rule ec', 'rule: it ends too early; write: rule RULE failure-domain TYPE'],
    ['pool rep', 'write: pool POOL rule|size|min_size|pg_num|pgp_num VALUE'],
    ['rm-upmap-items', 'write: rm-upmap|rm-upmap-items PG'],
    ['add-osds 10 weight=1', 'TYPE=BUCKET says where they go'],
    ['out', 'out: it ends too early; write: out|in|up|down TARGETS'],
    ['out osd.3,,osd.4', "'osd.3,,osd.4' has an empty place between commas"],
    ['reweight osd.3 many', "'many' is no number such as 0.85"],
    ['reweight osd.3; 0.5', 'it ends too early'],
    ['move host1', 'TYPE=BUCKET says where to'],
    ['move host1 rack=', "'rack=' is not TYPE=BUCKET"],
    ['move host1 rack=a rack=b', "'rack=' is there twice"],
    ['add-host h rack=rack0 weight=1', 'osds= says which OSDs it gets'],
    ['add-osds 10 host=host1', 'weight= is a number such as 3.6'],
    ['add-osds 10,10 weight=1 host=host1', "'10,10' has an OSD twice"],
    ['add-osds 12-10 weight=1 host=host1', "'12-10' is no run of OSDs"],
    ['add-bucket b root=default', 'type= says what it is'],
    ['pool rep colour red', "'colour' is no field of a pool"],
    ['rule ec colour red', 'only the failure domain can be changed'],
    ['tunables kraken', "'kraken' is no profile"],
    ['upmap 4 3', "'4' is no PG such as 4.1f"],
    ['upmap-items 4.1 3', "'3' is not FROM:TO"],
  ])('%s', (text, message) => {
    expect(() => parseChanges(`\n${text}`)).toThrow(message);
    try {
      parseChanges(`\n${text}`);
    } catch (error) {
      expect(error).toBeInstanceOf(CrushError);
      expect((error as CrushError).place.line).toBe(2);
    }
  });
});

describe('changes', () => {
  test('OSDs are marked', () => {
    const map = after('out host0 down 4 reweight 5 0.35 primary-affinity osd.6-7 0.5');
    expect([...map.osdWeight.slice(0, 6)]).toEqual([
      0,
      0,
      MAP.osdWeight[2],
      MAP.osdWeight[3],
      MAP.osdWeight[4],
      22937,
    ]);
    expect((map.osdState[4] ?? 0) & OSD_STATE.up).toBe(0);
    expect([...map.osdPrimaryAffinity!.slice(6, 8)]).toEqual([0x8000, 0x8000]);
    expect(map.epoch).toBe(MAP.epoch + 1);
    expect(after('in 0', map).osdWeight[0]).toBe(0x10000);
  });

  test('a bucket weighs so much in all, or each OSD below it', () => {
    const host = findItem(MAP.crush, 'host1')!;
    expect(itemWeight(after('crush-weight host1 4').crush, host)).toBe(4 * 0x10000);
    const each = after('reweight-subtree host1 4').crush;
    expect([itemWeight(each, 2), itemWeight(each, 3)]).toEqual([4 * 0x10000, 4 * 0x10000]);
  });

  test('OSDs come and go', () => {
    const more = after('add-host h9 osds=10,12 weight=2 rack=rack0');
    expect(more.maxOsd).toBe(13);
    expect([10, 11, 12].map((osd) => more.osdState[osd])).toEqual([3, 0, 3]);
    expect(parentOf(more.crush, 12)).toBe(findItem(more.crush, 'h9'));
    expect(readOsdMapBinary(writeOsdMapBinary(more)).osdWeight[12]).toBe(0x10000);
    const fewer = after('remove h9', more);
    expect(findItem(fewer.crush, 'h9')).toBeUndefined();
    expect([10, 12].map((osd) => fewer.osdState[osd])).toEqual([0, 0]);
    expect(compareMaps(MAP, fewer).total.changedPgs).toBe(0);
  });

  test('what was added where no data comes is told', () => {
    const told = (text: string): string[] => unreached(MAP, after(text), parseChanges(text) as MapChange[]);
    expect(told('add-host h9 osds=10,12 weight=2 rack=rack0')).toEqual([]);
    expect(told('add-host h9 osds=10,12 weight=2')).toEqual([
      "host 'h9' is new and below no root; its location is to name one, such as root=default",
      "no pool's rule reaches osd.10, osd.12 in host 'h9'",
    ]);
    expect(told('add-osds 10-19 weight=2 host=h9 root=other')).toEqual([
      "no pool's rule reaches osd.10, osd.11, osd.12, osd.13, osd.14, osd.15, osd.16, osd.17 and 2 more in host 'h9'",
    ]);
    expect(told('add-bucket r9 type=rack')).toEqual([
      expect.stringContaining("rack 'r9' is new and below no root"),
    ]);
    expect(told('add-bucket r9 type=rack move r9 root=default')).toEqual([]);
    expect(told('move host1 rack=r9')).toEqual([
      expect.stringContaining("rack 'r9' is new and below no root"),
    ]);
  });

  test('a pool that has as many PGPs as PGs keeps it so', () => {
    expect(after('pool rep pg_num 256').pools.get(1)).toMatchObject({ pgNum: 256, pgpNum: 256 });
    const apart = after('pool rep pgp_num 32 pool rep pg_num 128');
    expect(apart.pools.get(1)).toMatchObject({ pgNum: 128, pgpNum: 32 });
    expect(after('pool 1 size 4').pools.get(1)).toMatchObject({ size: 4, minSize: 2 });
  });

  test('upmaps go that the monitor takes away', () => {
    const held = after('upmap-items 1.0 7:6');
    expect(held.pgUpmapItems.get(1)?.get(0)).toEqual([[7, 6]]);
    expect(after('out osd.6', held).pgUpmapItems.get(1)?.get(0)).toBeUndefined();
    const kept = applyChanges(held, [{ kind: 'out', targets: ['osd.6'] }], { keepUpmaps: true });
    expect(kept.pgUpmapItems.get(1)?.get(0)).toEqual([[7, 6]]);
  });

  test.each([
    ['out osd.99', 'there is no osd.99'],
    ['out nowhere', "there is no OSD or bucket 'nowhere'"],
    ['out 5-3', "'5-3' ends before it starts"],
    ['reweight osd.3 1.5', 'a reweight is from 0 to 1, not 1.5'],
    ['crush-weight nowhere 2', "there is no device or bucket 'nowhere'"],
    ['crush-weight osd.3 40000', 'a weight of 40000 is out of range'],
    ['pool none size 3', "there is no pool 'none'"],
    ['pool rep size 11', 'size is from 1 to 10 here, not 11'],
    ['pool rep size x', "size is a whole number, not 'x'"],
    ['pool ec size 3', 'the size of an erasure pool'],
    ['pool rep rule ec', "rule 'ec' is for pools of the other type"],
    ['pool rep rule nothing', "there is no rule 'nothing'"],
    ['pool rep pgp_num 65', 'pgp_num is from 1 to 64 here'],
    ['rule replicated_rule failure-domain planet', "there is no type of bucket 'planet'"],
    ['move host1 planet=earth', "there is no type of bucket 'planet'"],
    ['add-osds 3 weight=1 host=host1', 'there is a device 3 already'],
    [
      'add-host host1 osds=10 weight=1 rack=rack1',
      "host 'host1' stands in rack 'rack0' of root 'default', not in rack 'rack1'; move it first",
    ],
    ['upmap 1.40 1,2,3', 'there is no PG 1.40'],
    ['upmap 1.0 1,2,33', 'there is no osd.33'],
  ])('%s', (text, message) => {
    expect(() => after(text)).toThrow(message);
  });

  test('the one of several that fails is named', () => {
    try {
      after('out osd.3 out osd.99');
      expect.unreachable();
    } catch (error) {
      expect((error as CrushError).describe()).toBe(
        'change 2 (out): there is no osd.99; the map has ids below 10',
      );
    }
  });
});

describe('every failure', () => {
  test.each(['a', 'b', 'c', 'd'].map((name) => `cluster-10osd/${name}.osdmap`))(
    `of %s, and of the map after random changes, is what the whole map says, seed ${SEED}`,
    (name) => {
      const random = new Random(SEED ^ name.length ^ name.charCodeAt(13));
      let map = readOsdMapBinary(fixture(name));
      for (const type of ['osd', 'host', 'rack', 'root']) {
        for (const result of failEach(map, type)) {
          const { fullest, ...counts } = result;
          expect({ type, ...counts }).toEqual({ type, ...wholeFailure(map, result.name) });
          if (counts.osds < 8) expect(fullest).toBeDefined();
        }
        map = withRandomChange(random, map);
      }
    },
  );

  test('worst first, by name', () => {
    const results = failEach(MAP, 'host');
    const keys = results.map(({ lostPgs, belowMinSize, degradedPgs }) => [
      lostPgs,
      belowMinSize,
      degradedPgs,
    ]);
    expect(keys).toEqual([...keys].sort(([a, b, c], [x, y, z]) => x! - a! || y! - b! || z! - c!));
    expect(results.map((each) => each.name).sort()).toEqual(['host0', 'host1', 'host2', 'host3', 'host4']);
  });

  test('a type that is not there', () => {
    expect(() => failEach(MAP, 'planet')).toThrow(
      "there is no type of bucket 'planet'; the map has osd, host",
    );
  });
});

/** The counts of a failure from two whole maps. */
function wholeFailure(map: OsdMap, name: string): Record<string, unknown> {
  const base = applyChanges(map, [{ kind: 'reweight', targets: [], weight: 1 }]);
  const down: MapChange = { kind: 'down', targets: [name] };
  const failed = applyChanges(base, [down, { kind: 'out', targets: [name] }]);
  const osds = [...base.osdState.keys()].filter(
    (osd) => ((base.osdState[osd] ?? 0) & 1) === 1 && isBelow(base, name, osd),
  );
  const counts = { degradedPgs: 0, belowMinSize: 0, lostPgs: 0, movedShards: 0, shortPgs: 0 };
  const mappers = [base, failed].map((each) => new PgMapper(each));
  for (const pool of base.pools.values()) {
    const [before, then] = mappers.map((mapper) => mapper.mapPool(pool.id));
    const k = pool.type === POOL_TYPE_ERASURE ? pool.size - 2 : 1;
    for (let ps = 0; ps < pool.pgNum; ps++) {
      const { up } = view(before!, ps);
      const now = view(then!, ps).up;
      const filled = up.filter((osd) => osd < base.maxOsd).length;
      const left = up.filter((osd) => osd < base.maxOsd && !osds.includes(osd)).length;
      if (left < filled) {
        counts.degradedPgs++;
        if (left < pool.minSize) counts.belowMinSize++;
        if (left < k && filled >= k) counts.lostPgs++;
      }
      if (String(up) === String(now) && left === filled) continue;
      counts.movedShards +=
        pool.type === POOL_TYPE_ERASURE
          ? now.filter((osd, i) => osd < base.maxOsd && osd !== up[i]).length
          : now.filter((osd) => !up.includes(osd)).length;
    }
  }
  return { name, osds: osds.length, ...counts, shortPgs: expect.any(Number) as number };
}

function isBelow(map: OsdMap, name: string, osd: number): boolean {
  if (name === `osd.${osd}`) return true;
  for (let id = parentOf(map.crush, osd); id !== undefined; id = parentOf(map.crush, id)) {
    if (map.crush.itemNames.get(id) === name) return true;
  }
  return false;
}

function withRandomChange(random: Random, map: OsdMap): OsdMap {
  for (;;) {
    try {
      return applyChanges(map, [randomChange(random, map)]);
    } catch (error) {
      if (!(error instanceof CrushError)) throw error;
    }
  }
}
