/** OSDMaps as JSON: the same model as the binary of the same map, old and new shapes, and errors that say where. */
import { describe, expect, it } from 'vitest';
import { CrushError } from '../src/errors.ts';
import { readCrushDump } from '../src/formats/crushmap-json.ts';
import { checkShape } from '../src/formats/json-input.ts';
import { fixed16 } from '../src/formats/osdmap-json-shapes.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { readOsdMapJson, readReportJson } from '../src/formats/osdmap-json.ts';
import { parseAddr, parseIntervals, parsePgId, parseShardSet, parseTime } from '../src/formats/ceph-text.ts';
import { fixture, fixtureText } from './fixtures.ts';
import { detailsOf, placementOf } from './osdmap-compare.ts';

type Json = Record<string, unknown>;

/** The binary map, epoch 97, and `osdmaptool osdmap --dump json` (16.2.15) of it. */
const BINARY = readOsdMapBinary(fixture('cluster-8osd/osdmap'));
const DUMP = json('cluster-8osd/osdmap-dump.json');

/** `ceph osd dump -f json-pretty` and `ceph osd crush dump` (16.2.15) of the cluster's next epoch. */
const OSD_DUMP = json('cluster-8osd/osd-dump.json');
const CRUSH_DUMP = json('cluster-8osd/crush-dump.json');

const PACIFIC = 16;

describe('a real cluster', () => {
  it('is the same from the dump as from the binary map', () => {
    const map = readOsdMapJson(DUMP, BINARY.crush);
    expect(placementOf(map)).toEqual(placementOf(BINARY));
    expect(detailsOf(map, PACIFIC)).toEqual(detailsOf(BINARY, PACIFIC));
  });

  it('is read from osd dump and crush dump', () => {
    const map = readOsdMapJson(OSD_DUMP, readCrushDump(CRUSH_DUMP));
    expect(map.epoch).toBe(98);
    expect(map.osdWeight).toEqual(BINARY.osdWeight);
    expect(map.osdState).toEqual(BINARY.osdState);
    expect(map.osdPrimaryAffinity).toEqual(BINARY.osdPrimaryAffinity);
    expect(placementOf({ ...map, epoch: 97, pgTemp: BINARY.pgTemp })).toEqual(placementOf(BINARY));
    expect(map.pgTemp.get(4)?.get(0x5a)).toBeDefined();
    expect(map.primaryTemp).toEqual(new Map([[3, new Map([[9, 4]])]]));
  });

  it('is read from a report', () => {
    const map = readReportJson({ health: {}, osdmap: DUMP, crushmap: CRUSH_DUMP });
    expect(placementOf(map)).toEqual(placementOf(BINARY));
  });
});

describe('dumps of other releases', () => {
  it('reads what Reef and later add', () => {
    const map = read((dump) => {
      dump.pg_upmap_primaries = [{ pgid: '3.1f', primary_osd: 5 }];
      dump.allow_crimson = true;
      pool(dump, 0).nonprimary_shards = '{1,3}';
      pool(dump, 0).flags = 1 + (1 << 19);
      pool(dump, 0).read_balance = { score_acting: 1.5 };
    });
    expect(map.pgUpmapPrimaries).toEqual(new Map([[3, new Map([[0x1f, 5]])]]));
    expect(map.details.allowCrimson).toBe(true);
    expect(map.pools.get(1)?.details.nonprimaryShards).toBe(10n);
    expect(map.pools.get(1)?.flags).toBe(1n | (1n << 19n));
  });

  it('reads what Jewel and before print', () => {
    const map = read((dump) => {
      for (const key of ['pg_upmap', 'pg_upmap_items', 'flags_num', 'crush_version', 'stretch_mode'])
        dump[key] = undefined;
      for (const key of ['full_ratio', 'require_osd_release', 'range_blocklist', 'last_up_change'])
        dump[key] = undefined;
      dump.flags = 'noout,sortbitwise';
      dump.created = '2015-08-12 01:48:10.869065';
      dump.blacklist = { '10.0.0.1:0/42': '2015-08-12 02:48:10.869065' };
      delete dump.blocklist;
      const first = pool(dump, 0);
      first.crush_ruleset = first.crush_rule;
      delete first.crush_rule;
      first.last_change = '37';
      const osd = item(dump, 'osds', 0);
      for (const key of Object.keys(osd).filter((name) => name.endsWith('_addrs'))) osd[key] = undefined;
      osd.public_addr = '10.0.0.1:6800/7';
      osd.cluster_addr = ':/0';
    });
    expect(map.flags).toBe((1 << 7) | (1 << 15));
    expect(map.created).toEqual({ sec: Date.UTC(2015, 7, 12, 1, 48, 10) / 1000, nsec: 869065000 });
    expect(map.details.blocklist).toHaveLength(1);
    expect(map.pools.get(1)?.crushRule).toBe(BINARY.pools.get(1)?.crushRule);
    expect(map.pools.get(1)?.details.lastChange).toBe(37);
    expect(map.pgUpmap.size).toBe(0);
    expect(map.details.clientAddrs[0]).toEqual([
      { type: 1, nonce: 7, family: 2, port: 6800, address: Uint8Array.of(10, 0, 0, 1) },
    ]);
    expect(map.details.clusterAddrs[0]?.[0]).toMatchObject({ type: 0, family: 0 });
  });

  it('leaves OSDs that the dump leaves out nonexistent, with weight 0', () => {
    const map = read((dump) => {
      (dump.osds as unknown[]).splice(2, 1);
    });
    expect([map.osdState[2], map.osdWeight[2], map.osdState[3]]).toEqual([0, 0, 3]);
  });

  it('has no affinities where all are 1', () => {
    const map = read((dump) => {
      for (const osd of dump.osds as Json[]) osd.primary_affinity = 1;
    });
    expect(map.osdPrimaryAffinity).toBeUndefined();
  });
});

describe('what does not fit', () => {
  const cases: [string, string, (dump: Json) => void][] = [
    ['a missing field', 'osd dump.epoch', (dump) => delete dump.epoch],
    ['a pool size that is text', 'osd dump.pools[0].size', (dump) => (pool(dump, 0).size = '3')],
    ['a pool size of 256', 'osd dump.pools[1].size', (dump) => (pool(dump, 1).size = 256)],
    ['a pool without a rule', 'osd dump.pools[0]', (dump) => delete pool(dump, 0).crush_rule],
    ['a PG id', 'osd dump.pg_upmap[0].pgid', (dump) => (item(dump, 'pg_upmap', 0).pgid = '3.xyz')],
    ['a PG twice', 'osd dump.pg_temp', (dump) => twice(dump, 'pg_temp')],
    ['a pool twice', 'osd dump.pools[8]', (dump) => twice(dump, 'pools')],
    ['an OSD twice', 'osd dump.osds[8]', (dump) => twice(dump, 'osds')],
    ['an OSD beyond max_osd', 'osd dump.osds[7]', (dump) => (dump.max_osd = 7)],
    ['a negative max_osd', 'osd dump.max_osd', (dump) => (dump.max_osd = -1)],
    ['a huge max_osd', 'osd dump.max_osd', (dump) => (dump.max_osd = 2 ** 30)],
    ['a negative weight', 'osd dump.osds[1].weight', (dump) => (item(dump, 'osds', 1).weight = -0.5)],
    ['a primary_temp that is cut', 'osd dump.primary_temp', (dump) => (dump.primary_temp = ['3.9'])],
    ['a time', 'osd dump.created', (dump) => (dump.created = 'yesterday')],
    [
      'a blocked address',
      'osd dump.blocklist',
      (dump) => (dump.blocklist = { '10.0.0.256:0/1': '5.000000' }),
    ],
  ];

  it.each(cases)('is named: %s', (_, path, change) => {
    const error = errorOf(() => read(change));
    expect(error.code).toBe('malformed');
    expect(error.place.path).toBe(path);
  });

  it.each([null, 1, [], {}])('is refused: %j', (value) => {
    expect(errorOf(() => readOsdMapJson(value, BINARY.crush)).code).toBe('malformed');
    expect(errorOf(() => readReportJson(value)).code).toBe('malformed');
  });

  it('is named within a report', () => {
    const dump = structuredClone(DUMP);
    pool(dump, 2).pg_num = -1.5;
    const error = errorOf(() => readReportJson({ osdmap: dump, crushmap: CRUSH_DUMP }));
    expect(error.place.path).toBe('report.osdmap.pools[2].pg_num');
  });
});

describe('text', () => {
  it('gives back every 16.16 weight up to 1, printed long or short', () => {
    const wrong: number[] = [];
    for (let weight = 0; weight <= 0x10000; weight++) {
      const long = Number((weight / 0x10000).toPrecision(15));
      const short = Number((weight / 0x10000).toFixed(6));
      const read = (value: number) => checkShape(fixed16, value, 'weight');
      if (read(long) !== weight || read(short) !== weight) wrong.push(weight);
    }
    expect(wrong).toEqual([]);
  });

  it('parses PG ids', () => {
    expect(parsePgId('12.7f')).toEqual({ pool: 12, ps: 0x7f });
    for (const text of ['', '1', '1.', '.1', '1.G', '1.123456789', '-1.0'])
      expect(parsePgId(text)).toBeUndefined();
  });

  it('parses times', () => {
    expect(parseTime('5.000006')).toEqual({ sec: 5, nsec: 6000 });
    expect(parseTime('2026-11-30T05:31:39.600611+0000')).toEqual(
      parseTime('2026-11-30T07:01:39.600611+0130'),
    );
    expect(parseTime('2026-11-30T05:31:39.600611Z')?.nsec).toBe(600611000);
    for (const text of ['', '5', '2026-13-30T05:31:39.600611Z', 'now'])
      expect(parseTime(text)).toBeUndefined();
  });

  it('parses intervals in hexadecimal', () => {
    expect(parseIntervals('[]')).toEqual([]);
    expect(parseIntervals('[1~f,11~2]')).toEqual([
      { start: 1n, length: 15n },
      { start: 17n, length: 2n },
    ]);
    for (const text of ['', '[1]', '[1~2,]', '[1~2', '1~2']) expect(parseIntervals(text)).toBeUndefined();
  });

  it('parses sets of shards', () => {
    expect(parseShardSet('{}')).toBe(0n);
    expect(parseShardSet('{0,127}')).toBe(1n | (1n << 127n));
    for (const text of ['', '{', '{128}', '{1,}']) expect(parseShardSet(text)).toBeUndefined();
  });

  it('parses addresses', () => {
    const socket = { type: 2, nonce: 42, family: 2, port: 6800, address: Uint8Array.of(10, 0, 0, 1) };
    expect(parseAddr('v2:10.0.0.1:6800/42')).toEqual(socket);
    expect(parseAddr('10.0.0.1:6800/42')).toEqual({ ...socket, type: 3 });
    expect(parseAddr('cidr:10.0.0.1:6800/42')).toEqual({ ...socket, type: 4 });
    expect(parseAddr('-')).toMatchObject({ type: 0, family: 0 });
    const six = (text: string) => [...(parseAddr(`v1:[${text}]:1/0`)?.address ?? [])];
    expect(six('::')).toEqual(new Array(16).fill(0));
    expect(six('::1')).toEqual([...new Array<number>(15).fill(0), 1]);
    expect(six('fe80::')).toEqual([0xfe, 0x80, ...new Array<number>(14).fill(0)]);
    expect(six('1:2:3:4:5:6:7:8')).toEqual([0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]);
    expect(six('::ffff:1.2.3.4')).toEqual([...new Array<number>(10).fill(0), 255, 255, 1, 2, 3, 4]);
    for (const text of [
      '',
      'v3:10.0.0.1:1/1',
      '10.0.0.1:1',
      '10.0.0.1:65536/1',
      '10.0.0/1',
      'v1:[1:2]:1/1',
    ]) {
      expect(parseAddr(text)).toBeUndefined();
    }
    expect(parseAddr('[1:2:3:4:5:6:7::8:9]:1/1')).toBeUndefined();
  });
});

function json(name: string): Json {
  return JSON.parse(fixtureText(name)) as Json;
}

/** The dump after a change, read. */
function read(change: (dump: Json) => unknown) {
  const dump = structuredClone(DUMP);
  change(dump);
  return readOsdMapJson(dump, BINARY.crush);
}

function item(dump: Json, list: string, index: number): Json {
  return (dump[list] as Json[])[index] ?? {};
}

function pool(dump: Json, index: number): Json {
  return item(dump, 'pools', index);
}

function twice(dump: Json, list: string): void {
  (dump[list] as Json[]).push(item(dump, list, 0));
}

function errorOf(action: () => unknown): CrushError {
  try {
    action();
  } catch (error) {
    if (error instanceof CrushError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}
