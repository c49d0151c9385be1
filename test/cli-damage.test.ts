/**
 * The drop-ins over damaged maps whose checksum was mended: what they print is what the originals of 16.2 print,
 * where these survive, or one line that says what is wrong.
 *
 * CRUSH_FUZZ_DAMAGED says how many (default 40), CRUSH_FUZZ_SEED repeats a run.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { crc32c } from '../src/formats/crc32c.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { HAS_PACIFIC_CRUSHTOOL } from './crushtool.ts';
import { fixture } from './fixtures.ts';
import { HAS_PACIFIC_OSDMAPTOOL } from './osdmaptool.ts';
import { Random } from './random.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const MAPS = Number(process.env.CRUSH_FUZZ_DAMAGED ?? 40);
const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);
/** Ceph's tools may never end on a damaged map. */
const PATIENCE_MS = 5_000;

const file = useTempFolder();

/** Flips bits or changes bytes in a few places. */
function damage(original: Uint8Array, random: Random): Uint8Array {
  const bytes = original.slice();
  for (let changes = random.between(1, 3); changes > 0; changes--) {
    const at = random.below(bytes.length);
    if (random.chance(0.7)) bytes[at]! ^= 1 << random.below(8);
    else bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff]);
  }
  return bytes;
}

/** Mends an OSDMap's checksum, which stands last. */
function mend(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint32(bytes.length - 4, crc32c(-1, bytes.subarray(0, -4)), true);
  return bytes;
}

/** How the runs ended. */
interface Tally {
  /** Both tools printed the same. */
  same: number;
  /** Ours said what is wrong. */
  refused: number;
  /** Ours mapped, the original crashed, went on for ever or did not know what it did. */
  gone: number;
}

/** Runs both tools and holds ours to what it may say. */
async function compare(
  tool: 'crushtool' | 'osdmaptool',
  args: readonly string[],
  label: string,
  tally: Tally,
): Promise<void> {
  const ours = await run([tool, ...args, '--as-release', '16']);
  expect(ours.stderr, label).not.toContain('unexpected failure');
  if (ours.status === 0) {
    const real = spawnSync(tool, args, { encoding: 'utf8', maxBuffer: 1 << 28, timeout: PATIENCE_MS });
    const survived = real.error === undefined && real.status !== null && real.status < 128;
    if (survived && !misreadTables(args)) {
      expect({ label, stdout: ours.stdout }).toEqual({ label, stdout: real.stdout });
      tally.same++;
    } else {
      tally.gone++;
    }
    return;
  }
  expect(ours.stderr.trimEnd().split('\n').at(-1), label).toMatch(
    /^(crush-wasm: |crushtool: unable to decode|osdmaptool: error decoding|There is no pool)/,
  );
  tally.refused++;
}

/** Whether an OSDMap would print more than a test has room for. */
function hasTooManyPgs(path: string): boolean {
  try {
    return [...readOsdMapBinary(readFileSync(path)).pools.values()].some(({ pgNum }) => pgNum > 100_000);
  } catch {
    return false;
  }
}

/**
 * Whether 16.2 may find the upmaps and temps of other PGs: where pool ids are further apart than 32 bits can say,
 * which they are in no cluster, it takes one PG's for another's.
 */
function misreadTables([path = '']: readonly string[]): boolean {
  if (path === '-i') return false;
  const map = readOsdMapBinary(readFileSync(path));
  const tables = [map.pools, map.pgTemp, map.primaryTemp, map.pgUpmap, map.pgUpmapItems];
  return tables.some((table) => [...table.keys()].some((id) => id < 0 || id > 0x7fffffff));
}

describe.skipIf(!HAS_PACIFIC_CRUSHTOOL)('crushtool 16.2', () => {
  test(
    `${MAPS} damaged maps, CRUSH_FUZZ_SEED=${SEED}`,
    async () => {
      const tally = { same: 0, refused: 0, gone: 0 };
      for (let i = 0; i < MAPS; i++) {
        const random = new Random(SEED + i);
        const name = random.pick(['algorithms-v0', 'algorithms-v1', 'classes', 'cluster-8osd']);
        const path = file('map', damage(fixture(`crushmaps/${name}.crushmap`), random));
        const args = [
          '-i',
          path,
          '--test',
          '--show-mappings',
          '--num-rep',
          '3',
          '--min-x',
          '0',
          '--max-x',
          '31',
        ];
        await compare('crushtool', args, `${name}, CRUSH_FUZZ_SEED=${SEED + i}`, tally);
      }
      console.log(`crushtool over damaged maps: ${JSON.stringify(tally)}, CRUSH_FUZZ_SEED=${SEED}`);
      expect(tally.same).toBeGreaterThan(MAPS / 8);
    },
    10_000 + MAPS * PATIENCE_MS,
  );
});

describe.skipIf(!HAS_PACIFIC_OSDMAPTOOL)('osdmaptool 16.2', () => {
  test(
    `${MAPS} damaged maps, CRUSH_FUZZ_SEED=${SEED}`,
    async () => {
      const tally = { same: 0, refused: 0, gone: 0 };
      for (let i = 0; i < MAPS; i++) {
        const random = new Random(SEED + i);
        const name = random.pick(['a', 'b', 'c', 'd']);
        const path = file('map', mend(damage(fixture(join('cluster-10osd', `${name}.osdmap`)), random)));
        if (hasTooManyPgs(path)) continue;
        await compare(
          'osdmaptool',
          [path, '--test-map-pgs-dump-all'],
          `${name}, CRUSH_FUZZ_SEED=${SEED + i}`,
          tally,
        );
      }
      console.log(`osdmaptool over damaged maps: ${JSON.stringify(tally)}, CRUSH_FUZZ_SEED=${SEED}`);
      expect(tally.same).toBeGreaterThan(MAPS / 8);
    },
    10_000 + MAPS * PATIENCE_MS,
  );
});
