/** Binary OSDMaps of our own: what is read, and what damage does. */
import { describe, expect, it } from 'vitest';
import { CrushError } from '../src/errors.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { POOL_TYPE } from '../src/osdmap/model.ts';
import { fixture } from './fixtures.ts';
import { encodeClassic, encodeOsdMap, NEWEST, withCrc } from './osdmap-encode.ts';
import { randomOsdMap } from './random-osdmap.ts';
import { Random } from './random.ts';

/** A real cluster of 8 OSDs (Ceph 16.2.15, `ceph osd getmap`). */
const CLUSTER = fixture('cluster-8osd/osdmap');

/** `osdmaptool --createsimple 3 simple3.osdmap --with-default-pool` (16.2.15), and its `--export-crush`. */
const SIMPLE = fixture('simple3.osdmap');
const CRUSH_BYTES = fixture('simple3.crushmap');
const RANDOM_MAP = randomOsdMap(new Random(8), readCrushBinary(CRUSH_BYTES));

describe('a real map', () => {
  const map = readOsdMapBinary(CLUSTER);

  it('has the cluster in it', () => {
    expect(map.epoch).toBe(97);
    expect(map.maxOsd).toBe(8);
    expect([...map.pools.values()].map((pool) => pool.name)).toContain('fsmeta');
    expect(map.pools.get(1)).toMatchObject({
      name: 'fsmeta',
      type: POOL_TYPE.replicated,
      size: 3,
      minSize: 2,
      pgNum: 8,
      flags: 1n,
    });
    expect([...map.osdWeight]).toEqual([0x10000, 52428, 22937, 0x10000, 0x10000, 0x10000, 0x10000, 0]);
    expect(map.osdPrimaryAffinity?.[0]).toBe(0x8000);
    expect(map.pgUpmap.get(3)?.get(7)).toEqual([1, 3, 5]);
    expect(map.primaryTemp.get(3)?.get(9)).toBe(4);
    expect(map.details.requireOsdRelease).toBe(16);
    expect(map.details.clientAddrs[0]?.map(({ type, port }) => [type, port])).toEqual([
      [2, 6800],
      [1, 6801],
    ]);
    expect(map.crush.rules.length).toBeGreaterThan(0);
  });

  it('ignores what follows the map', () => {
    const longer = new Uint8Array(CLUSTER.length + 9);
    longer.set(CLUSTER);
    expect(readOsdMapBinary(longer).details.crc).toBe(map.details.crc);
  });

  it('reads from a view into a larger buffer', () => {
    const buffer = new Uint8Array(CLUSTER.length + 5);
    buffer.set(CLUSTER, 5);
    expect(readOsdMapBinary(buffer.subarray(5)).epoch).toBe(97);
  });
});

describe('a checksum that does not match', () => {
  const damaged = SIMPLE.slice();
  damaged[30] = (damaged[30] ?? 0) ^ 1;

  it('is refused with both values and the way round', () => {
    const error = errorOf(() => readOsdMapBinary(damaged));
    expect(error.code).toBe('bad-crc');
    expect(error.message).toMatch(/0x[0-9a-f]{8} is stored.*give 0x[0-9a-f]{8}.*--ignore-crc/);
    expect(error.place).toMatchObject({ path: 'osdmap', offset: SIMPLE.length - 4 });
  });

  it('is read on demand', () => {
    expect(readOsdMapBinary(damaged, { ignoreCrc: true }).maxOsd).toBe(3);
  });

  it('covers what a newer writer put behind it', () => {
    const tail = Uint8Array.from([1, 2, 3]);
    const longer = new Uint8Array([...SIMPLE, ...tail]);
    new DataView(longer.buffer).setUint32(2, longer.length - 6, true);
    expect(errorOf(() => readOsdMapBinary(longer)).code).toBe('bad-crc');
  });
});

describe('a newer map', () => {
  it('is read when it says that this reader may', () => {
    const versions = { client: 11, osd: 13, pool: 33 };
    const read = readOsdMapBinary(encodeOsdMap(RANDOM_MAP, CRUSH_BYTES, versions));
    expect(read.details.clientVersion).toBe(11);
    expect([...read.pools.keys()]).toEqual([...RANDOM_MAP.pools.keys()]);
  });

  it.each([
    ['the wrapper', 1, 9, 'osdmap'],
    ['the client section', 7, 11, 'osdmap.client'],
  ])('is refused when %s says that it may not', (_, offset, compat, path) => {
    const bytes = SIMPLE.slice();
    bytes[offset] = compat;
    const error = errorOf(() => readOsdMapBinary(withCrc(bytes)));
    expect(error.code).toBe('unsupported');
    expect(error.place.path).toBe(path);
  });
});

describe('vectors and max_osd', () => {
  it.each([
    ['osd_state', { osdState: new Uint32Array(9) }],
    ['osd_weight', { osdWeight: new Uint32Array(9) }],
    ['osd_primary_affinity', { osdPrimaryAffinity: new Uint32Array(9) }],
    ['max_osd', { maxOsd: -1 }],
    ['max_osd', { maxOsd: (1 << 24) + 1 }],
  ])('refuses %s of the wrong size', (field, change) => {
    const error = errorOf(() =>
      readOsdMapBinary(encodeOsdMap({ ...RANDOM_MAP, ...change }, CRUSH_BYTES, NEWEST)),
    );
    expect(error.code).toBe('malformed');
    expect(error.place.path).toBe(`osdmap.${field}`);
  });

  it('fills up vectors that placement does not read', () => {
    const details = { ...RANDOM_MAP.details, osdInfo: [], osdUuid: [], clientAddrs: [] };
    const read = readOsdMapBinary(encodeOsdMap({ ...RANDOM_MAP, details }, CRUSH_BYTES, NEWEST));
    expect(read.details.osdInfo).toHaveLength(RANDOM_MAP.maxOsd);
    expect(read.details.clientAddrs).toHaveLength(RANDOM_MAP.maxOsd);
  });
});

describe('damage', () => {
  const maps: [string, Uint8Array][] = [
    ['simple', SIMPLE],
    ['every field', encodeOsdMap(RANDOM_MAP, CRUSH_BYTES, NEWEST)],
    ['before Luminous', encodeOsdMap(RANDOM_MAP, CRUSH_BYTES, { client: 3, osd: 1, pool: 14 })],
    ['classic', encodeClassic(RANDOM_MAP, CRUSH_BYTES, 6, 10, 6)],
    ['earliest', encodeClassic(RANDOM_MAP, CRUSH_BYTES, 3, 0, 2)],
  ];

  it.each(maps)('ends in an error wherever the file ends: %s', (_, bytes) => {
    const beyond: number[] = [];
    for (let length = 0; length < bytes.length; length++) {
      for (const ignoreCrc of [false, true]) {
        const error = errorOf(() => readOsdMapBinary(bytes.subarray(0, length), { ignoreCrc }));
        if ((error.place.offset ?? Infinity) > length) beyond.push(length);
      }
    }
    expect(beyond).toEqual([]);
  });

  it.each(maps)('ends soon in an error or a map, whichever bit flips: %s', (_, bytes) => {
    const hasCrc = (bytes[0] ?? 0) >= 8;
    const damaged = bytes.slice();
    const unseen: number[] = [];
    let slowest = 0;
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const at = bit >> 3;
      damaged[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
      if (hasCrc && attempt(damaged, false) !== 'error') unseen.push(bit);
      const start = performance.now();
      attempt(damaged, true);
      slowest = Math.max(slowest, performance.now() - start);
      damaged[at] = bytes[at] ?? 0;
    }
    expect(unseen).toEqual([]);
    expect(slowest).toBeLessThan(2000);
  });

  it('ends in an error for other files', () => {
    for (const bytes of [new Uint8Array(0), new Uint8Array(100), new TextEncoder().encode('{"epoch": 1}')]) {
      expect(attempt(bytes, true)).toBe('error');
    }
  });
});

/** The CrushError that `action` throws; anything else fails the test. */
function errorOf(action: () => unknown): CrushError {
  try {
    action();
  } catch (error) {
    if (error instanceof CrushError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}

/** What comes of bytes; an exception that is no CrushError passes through and fails the test. */
function attempt(bytes: Uint8Array, ignoreCrc: boolean): 'map' | 'error' {
  try {
    readOsdMapBinary(bytes, { ignoreCrc });
    return 'map';
  } catch (error) {
    if (error instanceof CrushError) return 'error';
    throw error;
  }
}
