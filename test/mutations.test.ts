/**
 * Damaged maps, read and mapped: each ends in a result or in a typed error, soon, and in little memory.
 *
 * CRUSH_MUTATIONS says how many (default 1000), CRUSH_FUZZ_SEED repeats a run.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CrushError } from '../src/errors.ts';
import { readMap } from '../src/formats/detect.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { createMapper } from '../src/osdmap/pg-mapper.ts';
import { CORPUS, FIXTURES } from './fixtures.ts';
import { Random } from './random.ts';

const MUTATIONS = Number(process.env.CRUSH_MUTATIONS ?? 1000);
const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);
const MEBIBYTE = 1 << 20;

/** Every map file below a folder, told by its content. */
function mapFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(txt|t|md|template.*|golden|sh)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      try {
        readMap(new Uint8Array(readFileSync(file)));
        return true;
      } catch {
        return false;
      }
    });
}

/** Some bytes changed, cut out, put in twice, or the end cut off. */
function mutate(original: Uint8Array, random: Random): Uint8Array {
  const bytes = [...original];
  const changes = random.between(1, 4);
  for (let i = 0; i < changes && bytes.length > 0; i++) {
    const at = random.below(bytes.length);
    const kind = random.below(10);
    if (kind < 4) bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)]);
    else if (kind < 7) bytes[at]! ^= 1 << random.below(8);
    else if (kind === 7) bytes.splice(at, random.between(1, 8));
    else if (kind === 8) bytes.splice(at, 0, ...bytes.slice(at, at + random.between(1, 8)));
    else bytes.length = at;
  }
  return Uint8Array.from(bytes);
}

/** Reads the bytes and maps a part of what is in them. */
function readAndMap(bytes: Uint8Array): void {
  const file = readMap(bytes, { ignoreCrc: true });
  const workLimit = 200_000;
  if (file.kind === 'crushmap') {
    const mapper = new CrushMapper(file.map, { workLimit });
    file.map.rules.forEach((_, rule) => {
      for (const size of [1, 3, 11]) mapper.mapRange({ rule, size, first: 0, count: 16 });
    });
    return;
  }
  const mapper = createMapper(file.map, { workLimit });
  for (const { id, pgNum } of file.map.pools.values()) mapper.mapPool(id, { count: Math.min(pgNum, 16) });
}

describe.each([
  ['the fixtures', FIXTURES],
  ['the corpus (needs CRUSH_CORPUS)', CORPUS],
] as const)('%s, damaged', (_, folder) => {
  it.skipIf(folder === undefined)(`${MUTATIONS} times, CRUSH_FUZZ_SEED=${SEED}`, () => {
    const files = mapFiles(folder!).map((file) => ({ file, bytes: new Uint8Array(readFileSync(file)) }));
    expect(files.length).toBeGreaterThan(10);
    const before = process.memoryUsage().rss;
    let results = 0;
    let errors = 0;
    let slowest = 0;
    let most = 0;
    for (let i = 0; i < MUTATIONS; i++) {
      const random = new Random(SEED + i);
      const { file, bytes } = random.pick(files);
      const damaged = mutate(bytes, random);
      const started = performance.now();
      try {
        readAndMap(damaged);
        results++;
      } catch (error) {
        if (!(error instanceof CrushError))
          throw new Error(`${file}, CRUSH_FUZZ_SEED=${SEED + i}`, { cause: error });
        expect(error.describe()).not.toContain('\n');
        errors++;
      }
      slowest = Math.max(slowest, performance.now() - started);
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    console.log(
      `${results} mapped, ${errors} refused, slowest ${slowest.toFixed()} ms, ` +
        `memory grew by ${(most / MEBIBYTE).toFixed()} MiB, CRUSH_FUZZ_SEED=${SEED}`,
    );
    expect(results).toBeGreaterThan(MUTATIONS / 20);
    expect(errors).toBeGreaterThan(MUTATIONS / 20);
    expect(most).toBeLessThan(512 * MEBIBYTE);
  });
});
