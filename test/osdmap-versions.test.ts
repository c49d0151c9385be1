/**
 * Random OSDMaps with every field in use, encoded in every version of every struct: read back, and where osdmaptool
 * is installed, held against what it reads from the same bytes.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { readOsdMapJson } from '../src/formats/osdmap-json.ts';
import type { OsdMap, Pool } from '../src/osdmap/model.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { fixture } from './fixtures.ts';
import { detailsOf, placementOf } from './osdmap-compare.ts';
import { encodeClassic, encodeOsdMap, NEWEST, type Versions } from './osdmap-encode.ts';
import { HAS_PACIFIC_OSDMAPTOOL } from './osdmaptool.ts';
import { randomOsdMap } from './random-osdmap.ts';
import { Random } from './random.ts';

const PACIFIC = 16;
const CRUSH_BYTES = fixture('simple3.crushmap');
const CRUSH = readCrushBinary(CRUSH_BYTES);
const SEED = 20260;

/** Versions as they went together, and every version of one struct with the newest of the others. */
const COMBINATIONS: readonly Versions[] = [
  ...upTo(10).map((client) => ({ ...NEWEST, client })),
  ...upTo(12).map((osd) => ({ ...NEWEST, osd })),
  ...upTo(32)
    .filter((pool) => pool >= 2)
    .map((pool) => ({ ...NEWEST, pool })),
  { client: 3, osd: 1, pool: 14 },
  { client: 3, osd: 1, pool: 21 },
  { client: 6, osd: 5, pool: 26 },
  { client: 7, osd: 6, pool: 27 },
  { client: 9, osd: 9, pool: 29 },
];

/** Classic version, that of its second part, and of its pools. */
const CLASSIC = [
  [2, 0, 2],
  [3, 0, 2],
  [4, 0, 2],
  [5, 5, 3],
  [5, 6, 4],
  [5, 7, 5],
  [6, 8, 6],
  [6, 9, 6],
  [6, 10, 7],
] as const;

describe('encoded versions', () => {
  it('reads back the newest encoding whole', () => {
    for (let seed = SEED; seed < SEED + 50; seed++) {
      const map = randomOsdMap(new Random(seed), CRUSH);
      const bytes = encodeOsdMap(map, CRUSH_BYTES, NEWEST);
      const read = readOsdMapBinary(bytes);
      expect(placementOf(read), `seed ${seed}`).toEqual(placementOf(expectedOf(map, NEWEST)));
      expect(detailsOf(read, PACIFIC), `seed ${seed}`).toEqual(detailsOf(map, PACIFIC));
    }
  });

  it.each(COMBINATIONS)('reads client $client, osd $osd, pool $pool', (versions) => {
    const map = randomOsdMap(new Random(SEED), CRUSH);
    const read = readOsdMapBinary(encodeOsdMap(map, CRUSH_BYTES, versions));
    expect(read.details.clientVersion).toBe(versions.client);
    expect(read.details.osdVersion).toBe(versions.osd);
    expect(placementOf(read)).toEqual(placementOf(expectedOf(map, versions)));
  });

  it.each(CLASSIC)('reads classic version %i, extended %i, pool %i', (version, extended, pool) => {
    const map = randomOsdMap(new Random(SEED), CRUSH);
    const read = readOsdMapBinary(encodeClassic(map, CRUSH_BYTES, version, extended, pool));
    expect(read.details.encoding).toBe('classic');
    expect(placementOf(read)).toEqual(placementOf(expectedOfClassic(map, pool)));
    expect(read.details.osdUuid).toHaveLength(map.maxOsd);
  });

  it('reads wrapper version 7, which has no checksum', () => {
    const map = randomOsdMap(new Random(SEED), CRUSH);
    const read = readOsdMapBinary(encodeOsdMap(map, CRUSH_BYTES, { client: 3, osd: 1, pool: 14 }, 7));
    expect(read.details.crc).toBeUndefined();
  });

  it('sorts PG tables', () => {
    const map = randomOsdMap(new Random(SEED), CRUSH);
    const pgUpmap = new Map([
      [7, new Map([[9, [1]]])],
      [
        3,
        new Map([
          [5, [2]],
          [1, [0]],
        ]),
      ],
    ]);
    const read = readOsdMapBinary(encodeOsdMap({ ...map, pgUpmap }, CRUSH_BYTES, NEWEST));
    expect([...read.pgUpmap]).toEqual([
      [
        3,
        new Map([
          [1, [0]],
          [5, [2]],
        ]),
      ],
      [7, new Map([[9, [1]]])],
    ]);
    expect([...(read.pgUpmap.get(3)?.keys() ?? [])]).toEqual([1, 5]);
  });
});

describe.skipIf(!HAS_PACIFIC_OSDMAPTOOL)('encoded versions as osdmaptool 16.2 reads them', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'osdmap-versions-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  // Pacific misreads pools above version 30, whose stretch settings moved.
  const judged = COMBINATIONS.map((versions, i) => ({
    ...versions,
    pool: Math.min(versions.pool, 30),
    seed: SEED + i,
  }));

  it.each(judged)('client $client, osd $osd, pool $pool (seed $seed)', ({ seed, ...versions }) => {
    const map = randomOsdMap(new Random(seed), CRUSH);
    compare(encodeOsdMap(map, CRUSH_BYTES, versions));
  });

  it.each(CLASSIC)('classic version %i, extended %i, pool %i', (version, extended, pool) => {
    for (let seed = SEED; seed < SEED + 5; seed++) {
      const map = randomOsdMap(new Random(seed), CRUSH);
      compare(encodeClassic(map, CRUSH_BYTES, version, extended, pool));
    }
  });

  function compare(bytes: Uint8Array): void {
    const file = join(folder, 'osdmap');
    writeFileSync(file, bytes);
    const tool = spawnSync('osdmaptool', [file, '--dump', 'json'], { encoding: 'utf8', timeout: 60_000 });
    if (tool.status !== 0) throw new Error(tool.stderr.slice(0, 1000));
    const ours = withoutNews(readOsdMapBinary(bytes));
    const theirs = readOsdMapJson(JSON.parse(tool.stdout), ours.crush);
    expect(placementOf(ours)).toEqual(placementOf(theirs));
    expect(detailsOf(ours, PACIFIC)).toEqual(detailsOf(theirs, PACIFIC));
  }
});

/** The map without what the judge's release, Pacific, does not know. */
function withoutNews(map: OsdMap): OsdMap {
  return { ...map, pgUpmapPrimaries: new Map(), details: { ...map.details, allowCrimson: false } };
}

/** What is left of a map's placement after a trip through the given versions. */
function expectedOf(map: OsdMap, { client, osd, pool }: Versions): OsdMap {
  const since = <T>(version: number, value: T, otherwise: T): T => (client >= version ? value : otherwise);
  return {
    ...map,
    flags: expectedFlags(map, osd),
    pools: expectedPools(map, pool),
    osdState: since(
      5,
      map.osdState,
      map.osdState.map((state) => state & 255),
    ),
    osdPrimaryAffinity: since(2, map.osdPrimaryAffinity, undefined),
    erasureCodeProfiles: since(3, map.erasureCodeProfiles, new Map()),
    pgUpmap: since(4, map.pgUpmap, new Map()),
    pgUpmapItems: since(4, map.pgUpmapItems, new Map()),
    crushVersion: since(6, map.crushVersion, 1),
    pgUpmapPrimaries: since(10, map.pgUpmapPrimaries, new Map()),
  };
}

function expectedOfClassic(map: OsdMap, pool: number): OsdMap {
  const expected = expectedOf(map, { client: 1, osd: 1, pool });
  return { ...expected, flags: map.flags, primaryTemp: new Map() };
}

/** From OSD section 5 the release is stored; before, the flags say whether it is Luminous (bit 18). */
function expectedFlags(map: OsdMap, osd: number): number {
  const release = osd >= 5 ? map.details.requireOsdRelease : (map.flags & (1 << 18)) !== 0 ? 12 : 0;
  if (release < 12) return map.flags;
  const luminous = (map.flags & ~(7 << 16)) | (1 << 19);
  return osd >= 5 && release >= 14 ? luminous | (1 << 22) : luminous;
}

function expectedPools(map: OsdMap, version: number): Map<number, Pool> {
  const pools = [...map.pools].map(([id, pool]): [number, Pool] => {
    const snapMode = pool.flags & (3n << 13n);
    const nonprimaryShards = version >= 32 ? pool.details.nonprimaryShards : 0n;
    return [
      id,
      {
        ...pool,
        flags: version >= 4 ? pool.flags : snapMode,
        minSize: version >= 7 ? pool.minSize : pool.size - Math.floor(pool.size / 2),
        details: { ...pool.details, nonprimaryShards },
      },
    ];
  });
  return new Map(pools);
}

function upTo(version: number): number[] {
  return Array.from({ length: version }, (_, i) => i + 1);
}
