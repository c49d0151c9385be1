/**
 * Incrementals of a real cluster, applied one after the other, give its full maps byte for byte; and what its
 * commands do not reach is tried with made ones.
 */
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CrushError } from '../src/errors.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { writeOsdMapBinary } from '../src/formats/osdmap-encode.ts';
import { checkFullCrc } from '../src/formats/osdmap-full-crc.ts';
import { readIncremental } from '../src/formats/osdmap-incremental.ts';
import type { OsdMapIncremental } from '../src/osdmap/incremental-model.ts';
import { applyIncremental } from '../src/osdmap/incremental.ts';
import { OSD_STATE, type EntityAddr, type OsdMap } from '../src/osdmap/model.ts';
import { createMapper, view } from '../src/osdmap/pg-mapper.ts';
import { subtractIntervals, unionOfIntervals } from '../src/osdmap/snap-intervals.ts';
import { fixture } from './fixtures.ts';
import { HAS_PACIFIC_OSDMAPTOOL, osdmaptool } from './osdmaptool.ts';
import { Random } from './random.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();

/** By epoch; there is none of epoch 0, nor an incremental of epoch 1. */
const FULL = [undefined, ...pieces('incrementals/full-maps.bin.gz')];
const INCREMENTALS = [undefined, undefined, ...pieces('incrementals/incrementals.bin.gz')];
const LAST = FULL.length - 1;

function pieces(name: string): Uint8Array[] {
  const bytes = new Uint8Array(gunzipSync(fixture(name)));
  const view = new DataView(bytes.buffer);
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + view.getUint32(at, true);
    out.push(bytes.slice(at + 4, end));
    at = end;
  }
  return out;
}

function fullMap(epoch: number): OsdMap {
  return readOsdMapBinary(FULL[epoch]!);
}

function incremental(epoch: number): OsdMapIncremental {
  return readIncremental(INCREMENTALS[epoch]!);
}

test('113 epochs of a cluster are followed, byte for byte', () => {
  expect([LAST, INCREMENTALS.length]).toEqual([113, 114]);
  let map = fullMap(1);
  for (let epoch = 2; epoch <= LAST; epoch++) {
    const next = incremental(epoch);
    map = applyIncremental(map, next);
    expect(checkFullCrc(map, next), `epoch ${epoch}`).toBe('equal');
    expect(writeOsdMapBinary(map), `epoch ${epoch}`).toEqual(FULL[epoch]);
    expect(map.details.crc, `epoch ${epoch}`).toBe(fullMap(epoch).details.crc);
  }
});

test('each epoch maps as the full map of the monitor', () => {
  let map = fullMap(1);
  let pgs = 0;
  for (let epoch = 2; epoch <= LAST; epoch++) {
    map = applyIncremental(map, incremental(epoch));
    if (epoch % 7 !== 0) continue;
    const rowsOf = (each: OsdMap) =>
      [...createMapper(each).mapAll()].flatMap((columns) =>
        Array.from({ length: columns.count }, (_, i) => view(columns, i)),
      );
    const rows = rowsOf(map);
    expect(rows, `epoch ${epoch}`).toEqual(rowsOf(fullMap(epoch)));
    pgs += rows.length;
  }
  expect(pgs).toBeGreaterThan(1000);
});

test.skipIf(!HAS_PACIFIC_OSDMAPTOOL)('osdmaptool 16.2 prints what was followed as the full map', () => {
  let map = fullMap(1);
  for (let epoch = 2; epoch <= LAST; epoch++) {
    map = applyIncremental(map, incremental(epoch));
    if (epoch % 16 !== 1) continue;
    const ours = file('ours', writeOsdMapBinary(map));
    const real = file('real', FULL[epoch]!);
    for (const action of ['--print', '--test-map-pgs-dump-all']) {
      expect(osdmaptool(ours, action), `epoch ${epoch}`).toBe(osdmaptool(real, action));
    }
  }
});

test('a map that is not what the monitors had is noticed', () => {
  const next = incremental(60);
  const map = fullMap(59);
  expect(checkFullCrc(applyIncremental(map, next), next)).toBe('equal');
  const other = applyIncremental({ ...map, osdWeight: map.osdWeight.map(() => 0x8000) }, next);
  expect(checkFullCrc(other, next)).toBe('different');
  expect(checkFullCrc(other, { ...next, fullCrc: undefined })).toBe('unknown');
  expect(checkFullCrc(other, { ...next, encodeFeatures: 0n })).toBe('unknown');
});

test('the map before stays as it is', () => {
  const map = fullMap(99);
  const before = writeOsdMapBinary(map);
  applyIncremental(map, incremental(100));
  expect(writeOsdMapBinary(map)).toEqual(before);
});

describe('what does not fit', () => {
  const map = fullMap(50);

  test('another epoch', () => {
    expect(() => applyIncremental(map, incremental(50))).toThrow(
      new CrushError(
        'bad-argument',
        'the incremental makes epoch 50, and the map is of epoch 50: apply the one of epoch 51',
      ),
    );
  });

  test('another cluster', () => {
    const next = { ...incremental(51), fsid: new Uint8Array(16) };
    expect(() => applyIncremental(map, next)).toThrow("its fsid is not the map's");
  });

  test('room for more OSDs than any cluster has', () => {
    for (const newMaxOsd of [-1, 2 ** 20 + 1, 2 ** 24, NaN]) {
      expect(() => applyIncremental(map, { ...incremental(51), newMaxOsd })).toThrow(
        `the incremental sets max_osd to ${newMaxOsd}, which is not within 0..1048576`,
      );
    }
  });

  test('OSDs beyond max_osd', () => {
    for (const change of [
      { newWeight: new Map([[6, 0x10000]]) },
      { newState: new Map([[-1, 1]]) },
      { newUpThru: new Map([[99, 5]]) },
    ]) {
      expect(() => applyIncremental(map, { ...incremental(51), ...change })).toThrow(
        /^the incremental changes osd\.(6|-1|99), and max_osd is 6$/,
      );
    }
  });
});

describe('damaged incrementals', () => {
  const bytes = INCREMENTALS[56]!;

  test('have a wrong checksum', () => {
    for (let at = 6; at < bytes.length; at += 13) {
      const damaged = bytes.slice();
      damaged[at]! ^= 0x10;
      expect(() => readIncremental(damaged)).toThrow(CrushError);
    }
  });

  test('are refused in whatever they say, without the checksum', () => {
    const random = new Random(20263);
    let read = 0;
    for (let i = 0; i < 2000; i++) {
      const damaged = bytes.slice();
      for (let k = random.between(1, 4); k > 0; k--) {
        damaged[random.below(bytes.length)] = random.pick([0, 1, 127, 128, 255, random.below(256)]);
      }
      try {
        readIncremental(damaged, { ignoreCrc: true });
        read++;
      } catch (error) {
        expect(error).toBeInstanceOf(CrushError);
      }
    }
    expect(read).toBeGreaterThan(100);
  });

  test('end early', () => {
    for (let length = 0; length < bytes.length; length += 7) {
      expect(() => readIncremental(bytes.subarray(0, length), { ignoreCrc: true })).toThrow(CrushError);
    }
  });

  test('are of before Dumpling', () => {
    expect(() => readIncremental(Uint8Array.of(6, 0, 0, 0))).toThrow('of before Dumpling');
  });

  test('are called what they are where a full map is read', () => {
    expect(() => readOsdMapBinary(bytes)).toThrow('this is an incremental');
  });

  test('are full maps', () => {
    expect(() => readIncremental(FULL[56]!)).toThrow(CrushError);
  });
});

describe('what the cluster did not do', () => {
  const map = fullMap(61);
  const nothing = incremental(62);
  const blank: OsdMapIncremental = {
    ...nothing,
    newPools: new Map(),
    newPoolNames: new Map(),
    crush: undefined,
    newPoolMax: undefined,
  };
  const apply = (change: Partial<OsdMapIncremental>, from = map) =>
    applyIncremental(from, { ...blank, epoch: from.epoch + 1, ...change });

  test('a full map inside', () => {
    const full = fullMap(62);
    expect(apply({ fullMap: full })).toEqual({ ...full, details: { ...full.details, crc: blank.fullCrc } });
  });

  test('stretch mode', () => {
    const stretchMode = { enabled: true, bucketCount: 2, degraded: 1, recovering: 0, bucket: -7 };
    expect(apply({ stretchMode }).details).toMatchObject({
      stretchModeEnabled: true,
      stretchBucketCount: 2,
      degradedStretchMode: 1,
      recoveringStretchMode: 0,
      stretchModeBucket: -7,
    });
  });

  test('primaries chosen by upmap, ranges blocked, crimson', () => {
    const pool = [...map.pools.keys()][0]!;
    const addr: EntityAddr = {
      type: 4,
      nonce: 24,
      family: 2,
      port: 0,
      address: Uint8Array.of(10, 0, 0, 0),
    };
    const first = apply({
      newPgUpmapPrimaries: new Map([[pool, new Map([[3, 1]])]]),
      newRangeBlocklist: [[addr, { sec: 5, nsec: 0 }]],
      allowsCrimson: true,
    });
    expect(first.pgUpmapPrimaries).toEqual(new Map([[pool, new Map([[3, 1]])]]));
    expect(first.details.rangeBlocklist).toEqual([[addr, { sec: 5, nsec: 0 }]]);
    const second = apply({ oldPgUpmapPrimaries: [{ pool, ps: 3 }], oldRangeBlocklist: [addr] }, first);
    expect(second.pgUpmapPrimaries.size).toBe(0);
    expect(second.details.rangeBlocklist).toEqual([]);
    expect(second.details.allowCrimson).toBe(true);
    expect(readOsdMapBinary(writeOsdMapBinary(first)).pgUpmapPrimaries).toEqual(first.pgUpmapPrimaries);
  });

  test('who is blocked stays so until the first time', () => {
    const addr: EntityAddr = { type: 1, nonce: 1, family: 2, port: 9, address: Uint8Array.of(1, 2, 3, 4) };
    const first = apply({ newBlocklist: [[addr, { sec: 5, nsec: 0 }]] });
    const second = apply({ newBlocklist: [[{ ...addr }, { sec: 9, nsec: 0 }]] }, first);
    expect(second.details.blocklist.filter(([each]) => each.port === 9)).toEqual([
      [addr, { sec: 5, nsec: 0 }],
    ]);
  });

  test('state 0 is up, and a snapshot lasts for an epoch', () => {
    const down = apply({ newState: new Map([[0, 0]]), clusterSnapshot: 'now' });
    expect(down.osdState[0]! & OSD_STATE.up).toBe((map.osdState[0]! & OSD_STATE.up) ^ OSD_STATE.up);
    expect(down.details.clusterSnapshot).toBe('now');
    expect(down.details.clusterSnapshotEpoch).toBe(map.epoch + 1);
    expect(apply({ clusterSnapshot: '' }, down).details.clusterSnapshot).toBe('');
  });

  test('a new CRUSH map without a class ends the flags of that class', () => {
    const flagged = apply({ newDeviceClassFlags: new Map([[0, OSD_STATE.noout]]) });
    expect(flagged.details.deviceClassFlags.size).toBe(1);
    const plain = apply({ crush: readCrushBinary(fixture('simple3.crushmap')) }, flagged);
    expect(plain.details.deviceClassFlags.size).toBe(0);
    expect(plain.crushVersion).toBe(map.crushVersion + 1);
  });
});

test('runs of snapshots are united and subtracted as sets', () => {
  const random = new Random(20264);
  const setOf = (runs: readonly { start: bigint; length: bigint }[]): number[] =>
    runs.flatMap(({ start, length }) => Array.from({ length: Number(length) }, (_, i) => Number(start) + i));
  const randomRuns = () =>
    Array.from({ length: random.below(4) }, () => ({
      start: BigInt(random.below(20)),
      length: BigInt(random.between(1, 5)),
    })).reduce<{ start: bigint; length: bigint }[]>((runs, run) => unionOfIntervals(runs, [run]), []);
  for (let i = 0; i < 500; i++) {
    const [a, b] = [randomRuns(), randomRuns()];
    const both = new Set([...setOf(a), ...setOf(b)]);
    expect(setOf(unionOfIntervals(a, b))).toEqual([...both].sort((x, y) => x - y));
    const inB = new Set(setOf(b));
    expect(setOf(subtractIntervals(a, b))).toEqual(setOf(a).filter((id) => !inB.has(id)));
  }
});
