/**
 * Damaged texts of CRUSH maps, and random maps as text, with the real crushtool as the judge: the drop-in compiles
 * and decompiles to the same bytes, and refuses what crushtool refuses with the same words.
 *
 * CRUSH_FUZZ_TEXTS sets how many texts are compared (default 60), CRUSH_FUZZ_TEXT_MAPS how many random maps (default
 * 20), CRUSH_FUZZ_SEED the first seed, which is printed.
 */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bucketItemWeights } from '../src/crush/bucket.ts';
import type { CrushMap, TreeBucket } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readCrushText } from '../src/formats/crushmap-text.ts';
import { crushBytes } from './crush-encode.ts';
import { crushText } from './crush-text.ts';
import { HAS_PACIFIC_CRUSHTOOL } from './crushtool.ts';
import { FIXTURES, fixtureText } from './fixtures.ts';
import { mutatedText } from './mutate-text.ts';
import { randomMap } from './random-map.ts';
import { Random } from './random.ts';
import { run, runTool } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const TEXTS = Number(process.env.CRUSH_FUZZ_TEXTS ?? 60);
const MAPS = Number(process.env.CRUSH_FUZZ_TEXT_MAPS ?? 20);
const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000_000);

const SOURCES = [
  ...readdirSync(join(FIXTURES, 'crushmaps'))
    .filter((name) => name.endsWith('.txt') && name !== 'msr_s.expected.txt')
    .map((name) => fixtureText(`crushmaps/${name}`)),
  ...['straw2', 'list', 'uniform', 'choose-args'].map((name) => fixtureText(`../goldens/${name}.txt`)),
];

const file = useTempFolder();

/** What a tool makes of a file, with what it wrote. */
interface Made {
  readonly status: number | null;
  readonly stderr: string;
  readonly output: string | undefined;
}

async function made(path: string, option: '-c' | '-d', isReal: boolean): Promise<Made> {
  const output = `${path}.out`;
  rmSync(output, { force: true });
  const { status, stderr } = isReal
    ? runTool('crushtool', [option, path, '-o', output])
    : await run(['crushtool', option, path, '-o', output, '--as-release', '16']);
  if (!existsSync(output)) return { status, stderr, output: undefined };
  const bytes = readFileSync(output);
  return { status, stderr, output: (option === '-c' ? comparable(bytes) : bytes).toString('latin1') };
}

/** A map without what crushtool leaves to chance: inner nodes of shadows of tree buckets are as memory was before. */
function comparable(bytes: Buffer): Buffer {
  let map: CrushMap;
  try {
    map = readCrushBinary(bytes);
  } catch (error) {
    // What is beyond the limits here crushtool may still write.
    if (error instanceof CrushError && error.code === 'unsupported') return bytes;
    throw error;
  }
  const shadows = new Set([...map.classBuckets.values()].flatMap((byClass) => [...byClass.values()]));
  const isOpen = (bucket: CrushMap['buckets'][number]): bucket is TreeBucket =>
    bucket?.alg === 3 && shadows.has(bucket.id);
  if (!map.buckets.some(isOpen)) return bytes;
  const buckets = map.buckets.map((bucket) =>
    isOpen(bucket) ? { ...bucket, nodeWeights: bucketItemWeights(bucket) } : bucket,
  );
  return Buffer.from(crushBytes({ ...map, buckets }));
}

describe('damaged texts', () => {
  test('5000 end in a map, or in an error with line and column', () => {
    console.log(`damaged texts: CRUSH_FUZZ_SEED=${SEED}`);
    let refused = 0;
    for (let seed = SEED; seed < SEED + 5000; seed++) {
      const random = new Random(seed);
      const text = mutatedText(random.pick(SOURCES), random);
      try {
        readCrushText(text);
      } catch (error) {
        if (!(error instanceof CrushError)) throw error;
        refused++;
        const { line = 0, column = 0 } = error.place;
        const lines = text.split('\n');
        const label = `seed ${seed}: ${error.describe()}`;
        expect(error.code, label).toBe('malformed');
        expect(line >= 1 && line <= lines.length, label).toBe(true);
        expect(column >= 1 && column <= lines[line - 1]!.length + 1, label).toBe(true);
      }
    }
    expect(refused).toBeGreaterThan(1000);
    expect(refused).toBeLessThan(4900);
  });

  test.skipIf(!HAS_PACIFIC_CRUSHTOOL)(
    `${TEXTS} are taken or refused as by crushtool`,
    async () => {
      const counts = { same: 0, refused: 0, aborted: 0 };
      for (let seed = SEED; seed < SEED + TEXTS; seed++) {
        const random = new Random(seed);
        const path = file('damaged.txt', mutatedText(random.pick(SOURCES), random));
        const real = await made(path, '-c', true);
        const ours = await made(path, '-c', false);
        const label = `seed ${seed}`;
        if (real.status === null) {
          // crushtool aborts on what it did not foresee; any end that is none is right.
          expect(ours.status, label).toBeTypeOf('number');
          counts.aborted++;
        } else if (real.status === 1 && real.stderr === '') {
          // It does not say why.
          expect(ours.status, label).toBe(1);
          counts.refused++;
        } else if (!/ is above the limit of | is beyond 31 bits| are supported\n/.test(ours.stderr)) {
          expect(ours, label).toEqual(real);
          counts[real.status === 0 ? 'same' : 'refused']++;
        }
      }
      console.log(`damaged texts against crushtool: ${JSON.stringify(counts)}`);
    },
    60_000 + TEXTS * 1000,
  );
});

describe.skipIf(!HAS_PACIFIC_CRUSHTOOL)('random maps', () => {
  test(
    `${MAPS} compile, decompile and compile again as with crushtool`,
    async () => {
      console.log(`random maps as text: CRUSH_FUZZ_SEED=${SEED} CRUSH_FUZZ_TEXT_MAPS=${MAPS}`);
      const expectSame = async (path: string, option: '-c' | '-d', label: string): Promise<string> => {
        const real = await made(path, option, true);
        expect(real.status, label).toBe(0);
        expect(await made(path, option, false), label).toEqual(real);
        return real.output!;
      };
      for (let seed = SEED; seed < SEED + MAPS; seed++) {
        const source = file('random.txt', crushText(randomMap(seed, { limits: 'text' })));
        const compiled = await expectSame(source, '-c', `seed ${seed}: source`);
        const map = file('random.map', Buffer.from(compiled, 'latin1'));
        const text = await expectSame(map, '-d', `seed ${seed}: map`);
        const again = file('again.txt', Buffer.from(text, 'latin1'));
        // Rounded to three decimals, a device of 100.0 may weigh no more than that, but a uniform bucket nothing.
        const real = await made(again, '-c', true);
        if (real.status !== null) expect(await made(again, '-c', false), `seed ${seed}: again`).toEqual(real);
        const binary = file('binary.map', crushBytes(randomMap(seed, { limits: 'binary' })));
        await expectSame(binary, '-d', `seed ${seed}: binary`);
      }
    },
    60_000 + MAPS * 2000,
  );
});
