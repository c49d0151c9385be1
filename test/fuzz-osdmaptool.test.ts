/**
 * Differential fuzz of the OSDMap's pipeline against the real osdmaptool: maps of a real cluster whose states,
 * reweights, affinities, upmaps, temps and pools are changed at random, in place, in the file.
 *
 * CRUSH_FUZZ_OSDMAPS says how many (default 100), CRUSH_FUZZ_SEED repeats a run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crc32c } from '../src/formats/crc32c.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import type { OsdMap } from '../src/osdmap/model.ts';
import { createMapper } from '../src/osdmap/pg-mapper.ts';
import { fixture } from './fixtures.ts';
import { dumpAllLines, HAS_PACIFIC_OSDMAPTOOL, osdmaptool } from './osdmaptool.ts';
import { Random } from './random.ts';

const MAPS = Number(process.env.CRUSH_FUZZ_OSDMAPS ?? 100);
const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);
const NONE = 0x7fffffff;

/** Places of the file that hold the fields, found by what the reader says they hold. */
class Patcher {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #map: OsdMap;
  readonly #random: Random;

  constructor(original: Uint8Array, map: OsdMap, random: Random) {
    this.bytes = original.slice();
    this.#view = new DataView(this.bytes.buffer);
    this.#map = map;
    this.#random = random;
  }

  /** Changes some of everything, and mends the checksum, which stands last. */
  scramble(): void {
    const random = this.#random;
    const { maxOsd } = this.#map;
    const osd = (): number =>
      random.chance(0.05) ? random.pick([NONE, maxOsd, maxOsd + 3]) : random.below(maxOsd);
    this.#words([maxOsd, ...this.#map.osdState], 1, (old) => {
      if (random.chance(0.7)) return old;
      return random.pick([0, 1, 1, 3, 3, 3, 129]);
    });
    this.#words([maxOsd, ...this.#map.osdWeight], 1, (old) =>
      random.chance(0.6) ? old : random.pick([0, 0x10000, random.below(0x10000), 0xffff, 1]),
    );
    this.#words([maxOsd, ...(this.#map.osdPrimaryAffinity ?? [])], 1, (old) =>
      random.chance(0.4) ? old : random.pick([0, 0x10000, random.below(0x10000), 0xffff, 1]),
    );
    for (const table of [this.#map.pgUpmap, this.#map.pgTemp]) {
      for (const pgs of table.values()) {
        for (const osds of pgs.values()) this.#words([osds.length, ...osds], 1, osd);
      }
    }
    for (const pgs of this.#map.pgUpmapItems.values()) {
      for (const pairs of pgs.values()) this.#words([pairs.length, ...pairs.flat()], 1, osd);
    }
    for (const [pool, pgs] of this.#map.primaryTemp) {
      // Here osdmaptool itself does not survive an OSD that is not there: it counts it beyond its tables.
      const inMap = (): number => random.below(maxOsd);
      for (const [ps, primary] of pgs) this.#words([pool, 0, ps, -1, primary], 4, inMap);
    }
    for (const pool of this.#map.pools.values()) this.#pool(pool);
    this.#view.setUint32(this.bytes.length - 4, crc32c(-1, this.bytes.subarray(0, -4)), true);
  }

  /** Type, size, rule and pgp_num stand together, before two counts that are always 0. */
  #pool(pool: {
    type: number;
    size: number;
    crushRule: number;
    objectHash: number;
    pgNum: number;
    pgpNum: number;
  }): void {
    const random = this.#random;
    const pattern = new Uint8Array(20);
    const view = new DataView(pattern.buffer);
    [pool.type, pool.size, pool.crushRule, pool.objectHash].forEach((byte, i) => view.setUint8(i, byte));
    view.setUint32(4, pool.pgNum, true);
    view.setUint32(8, pool.pgpNum, true);
    const at = find(this.bytes, pattern);
    if (random.chance(0.2)) this.#view.setUint8(at, random.pick([1, 3]));
    if (random.chance(0.3)) this.#view.setUint8(at + 1, random.between(1, 8));
    if (random.chance(0.2)) this.#view.setUint8(at + 2, random.below(this.#map.crush.rules.length + 1));
    if (random.chance(0.3)) this.#view.setUint32(at + 8, random.between(1, pool.pgNum), true);
  }

  /** Replaces the words that stand for `values` in the file, from word `from` on. */
  #words(values: readonly number[], from: number, replace: (old: number) => number): void {
    if (values.length <= from) return;
    const pattern = new Uint8Array(Int32Array.from(values).buffer);
    const at = find(this.bytes, pattern);
    for (let i = from; i < values.length; i++) this.#view.setInt32(at + i * 4, replace(values[i]!), true);
  }
}

/** Where a pattern stands in the bytes; it must be there. */
function find(bytes: Uint8Array, pattern: Uint8Array): number {
  const at = Buffer.from(bytes.buffer).indexOf(pattern);
  if (at < 0) throw new Error('the field is not where the reader saw it');
  return at;
}

describe.skipIf(!HAS_PACIFIC_OSDMAPTOOL)(
  'osdmaptool --test-map-pgs-dump-all over scrambled maps (needs osdmaptool 16.2)',
  () => {
    it(`equals ours on ${MAPS} maps, CRUSH_FUZZ_SEED=${SEED}`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'crush-wasm-'));
      const originals = ['a', 'b', 'c', 'd'].map((name) => fixture(`cluster-10osd/${name}.osdmap`));
      let lines = 0;
      try {
        for (let i = 0; i < MAPS; i++) {
          const random = new Random(SEED + i);
          const original = random.pick(originals);
          const patcher = new Patcher(original, readOsdMapBinary(original), random);
          patcher.scramble();
          const file = join(folder, 'osdmap');
          writeFileSync(file, patcher.bytes);
          const expected = osdmaptool(file, '--test-map-pgs-dump-all')
            .split('\n')
            .filter((line) => line.includes(' raw ('));
          // 16.2.15 still chooses rules by type and size.
          const mapper = createMapper(readOsdMapBinary(patcher.bytes), { release: 16 });
          const got = [...mapper.mapAll()].flatMap(dumpAllLines);
          expect(got, `CRUSH_FUZZ_SEED=${SEED + i} CRUSH_FUZZ_OSDMAPS=1`).toEqual(expected);
          lines += expected.length;
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
      console.log(`${lines} PGs equal, CRUSH_FUZZ_SEED=${SEED}`);
      expect(lines).toBeGreaterThan(MAPS * 100);
    });
  },
);
