/** What the crushtool drop-in shows of maps, against the original of 16.2, byte for byte. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HAS_PACIFIC_CRUSHTOOL } from './crushtool.ts';
import { CORPUS, corpus, FIXTURES } from './fixtures.ts';
import { expectSame, run, runTool } from './run-cli.ts';

const map = (name: string): string => join(FIXTURES, 'crushmaps', `${name}.crushmap`);
const S = map('s');
const CLASSES = map('classes');

const FORMATS = ['json', 'json-pretty', 'xml', 'xml-pretty', 'table', 'table-kv', 'html', 'html-pretty', '?'];

/** Displays that every map has to show as the original does. */
const DISPLAYS: readonly (readonly string[])[] = [
  ...FORMATS.map((format) => ['--dump', '-f', format]),
  ['--tree'],
  ['--bucket-tree', '-b', 'default'],
  ['--show-location', '0'],
  ['--show-location', '3'],
  ['--check'],
  ['--check', '0'],
  ['--check', '7'],
  [
    '--test',
    '--simulate',
    '--show-mappings',
    '--show-statistics',
    '--num-rep',
    '3',
    '--max-x',
    '9',
    '--min-x',
    '0',
  ],
];

/** The project's own maps that Ceph 16 can read. */
const OWN = ['algorithms-v0', 'algorithms-v1', 'classes', 's', 'cluster-8osd'];

describe.skipIf(!HAS_PACIFIC_CRUSHTOOL)('crushtool 16.2, byte for byte', () => {
  test.each(DISPLAYS.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    for (const name of OWN) await expectSame('crushtool', ['-i', map(name), ...args]);
  });
});
