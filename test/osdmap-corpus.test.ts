/** Every map of the wider corpus is read, and as osdmaptool 16.2.15 (`--dump json`) reads it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { readOsdMapJson } from '../src/formats/osdmap-json.ts';
import { corpus, CORPUS } from './fixtures.ts';
import { detailsOf, placementOf } from './osdmap-compare.ts';

/** Pacific, the release of the tool that wrote the dumps. */
const PACIFIC = 16;

describe.skipIf(CORPUS === undefined)('the osdmap corpus', () => {
  const files = CORPUS === undefined ? [] : corpusMaps();

  it('has maps', () => {
    expect(files.length).toBeGreaterThan(50);
  });

  it.each(files)('%s', (name) => {
    const file = corpus('osdmap-corpus', `${name}.osdmap`);
    const map = readOsdMapBinary(new Uint8Array(readFileSync(file)));
    expect(map.osdState).toHaveLength(map.maxOsd);
    const dumpFile = file.replace(/\.osdmap$/, '.dump.json');
    if (!existsSync(dumpFile)) return;
    const dumped = readOsdMapJson(JSON.parse(readFileSync(dumpFile, 'utf8')), map.crush);
    expect(placementOf(dumped)).toEqual(placementOf(map));
    expect(detailsOf(dumped, PACIFIC)).toEqual(detailsOf(map, PACIFIC));
  });
});

function corpusMaps(): string[] {
  return readdirSync(corpus('osdmap-corpus'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.osdmap'))
    .map((name) => name.replace(/\.osdmap$/, ''))
    .sort();
}
