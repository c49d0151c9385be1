/**
 * Every map of the corpus, there and back: decompiled, compiled and dumped to the bytes that crushtool gives.
 */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMap } from '../src/formats/detect.ts';
import { writeCrushBinary } from '../src/formats/crushmap-encode.ts';
import { readCrushDump } from '../src/formats/crushmap-json.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { HAS_PACIFIC_CRUSHTOOL, crushtool } from './crushtool.ts';
import { CORPUS, corpus } from './fixtures.ts';
import { run, runTool, runToolTogether, runTogether } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const FOLDERS = ['crushtool-tests', 'crushmap-corpus', 'bench-maps', 'cluster-8osd'];

/** Files of the corpus that are CRUSH maps of an encoding, by path below it. */
function mapFiles(isText: boolean): string[] {
  if (CORPUS === undefined) return ['none'];
  return FOLDERS.flatMap((folder) =>
    readdirSync(corpus(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(t|json)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(corpus().length + 1)),
  ).filter((name) => {
    const bytes = readFileSync(corpus(name));
    if (isText) return /^(# begin crush map|(device|type|tunable) )/m.test(bytes.toString('latin1', 0, 4096));
    return bytes.readUInt32LE(0) === 0x10000;
  });
}

const file = useTempFolder();

/** Runs one of both on a file, and gives what it wrote to another. */
async function outputOf(isReal: boolean, option: '-c' | '-d', path: string): Promise<Buffer | undefined> {
  // Beside none of the corpus's files, which others list meanwhile.
  const output = file('output', new Uint8Array(0));
  rmSync(output);
  if (isReal) runTool('crushtool', [option, path, '-o', output]);
  else await run(['crushtool', option, path, '-o', output, '--as-release', '16']);
  return existsSync(output) ? readFileSync(output) : undefined;
}

describe.skipIf(CORPUS === undefined || !HAS_PACIFIC_CRUSHTOOL)('the corpus', () => {
  test.each(mapFiles(false))('%s: binary, text and binary again', async (name) => {
    const path = file('map', readFileSync(corpus(name)));
    const text = await outputOf(true, '-d', path);
    expect(text).toBeDefined();
    expect(await outputOf(false, '-d', path)).toEqual(text);
    const source = file('source', text!);
    expect(await outputOf(false, '-c', source)).toEqual(await outputOf(true, '-c', source));
  });

  test.each(mapFiles(false))('%s: JSON', (name) => {
    const path = corpus(name);
    const map = readCrushBinary(readFileSync(path));
    const dump: unknown = JSON.parse(crushtool('-i', path, '--dump'));
    let read;
    try {
      read = readCrushDump(dump);
    } catch (error) {
      expect((error as Error).message).toMatch(/is rounded in the JSON/);
      return;
    }
    const release = { release: 16 };
    // crushtool's own words for a device without a name are all that the JSON has.
    const names = new Map([...read.itemNames].filter(([id]) => map.itemNames.has(id)));
    expect(Buffer.from(writeCrushBinary({ ...read, itemNames: names }, release))).toEqual(
      Buffer.from(writeCrushBinary(map, release)),
    );
  });

  test.each(mapFiles(true))('%s: text and what is said of it', async (name) => {
    const path = corpus(name);
    const real = runToolTogether('crushtool', ['-c', path, '-v']);
    expect(await runTogether(['crushtool', '-c', path, '-v', '--as-release', '16'])).toBe(real);
    expect(await outputOf(false, '-c', path)).toEqual(await outputOf(true, '-c', path));
    // One of them is there to be refused.
    if (real.includes('not defined')) expect(() => readMap(readFileSync(path))).toThrow("'root-404'");
    else expect(readMap(readFileSync(path))).toMatchObject({ kind: 'crushmap', encoding: 'text' });
  });
});
