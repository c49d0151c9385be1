/**
 * Ceph's own command-line tests, with the drop-ins in the place of Ceph's tools: those of the corpus, and those of
 * the folder that the environment variable CRUSH_CRAM names.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleCli } from './bundle-cli.ts';
import { isAsExpected, parseCram, runCram } from './cram.ts';
import { CORPUS, corpus } from './fixtures.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();

describe('the runner', () => {
  test('reads commands and what they print', () => {
    expect(parseCram('comment\n  $ echo a \\\n  > b\n  a b\n  [1]\n\n  $ true\n')).toEqual([
      { line: 2, command: 'echo a \\\nb', expected: ['a b', '[1]'] },
      { line: 7, command: 'true', expected: [] },
    ]);
  });

  test.each([
    ['  $ echo a; echo b >&2; false\n  a\n  b\n  [1]\n', true],
    ['  $ echo a\n  b\n', false],
    ['  $ echo a\n', false],
    ['  $ false\n', false],
    ['  $ printf a\n  a (no-eol)\n', true],
    ["  $ printf 'a\\tb\\n'\n  a\\tb (esc)\n", true],
    ['  $ echo abc\n  a.c (re)\n', true],
    ['  $ echo abcd\n  a.c (re)\n', false],
    ['  $ echo a.bcd\n  a.* (glob)\n', true],
    ['  $ x=5\n  $ echo $x\n  5\n', true],
    ['  $ cd "$TESTDIR"\n  $ exit 3\n  [3]\n', false],
    ['  $ a-program\n  here\n', true],
  ])('%j', (text, isRight) => {
    const path = file('example.t', text);
    writeFileSync(join(path, '../a-program'), '#!/bin/sh\necho here\n', { mode: 0o755 });
    expect(runCram(path, join(path, '..')).every(isAsExpected)).toBe(isRight);
  });
});

/** Folders of tests of crushtool and osdmaptool. */
const FOLDERS = [
  ...(CORPUS === undefined ? [] : [corpus('crushtool-tests'), corpus('osdmaptool-tests')]),
  ...(process.env.CRUSH_CRAM === undefined ? [] : [process.env.CRUSH_CRAM]),
].filter((folder) => existsSync(folder));

describe.skipIf(FOLDERS.length === 0).each(FOLDERS)('%s', (folder) => {
  let work = '';
  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'crush-wasm-cram-'));
    // Some tests write beside their inputs.
    cpSync(folder, join(work, 'tests'), { recursive: true });
    // The tests are of late 2022, before osdmaptool balanced primaries and CRUSH maps had MSR tunables.
    await bundleCli(join(work, 'programs'), { crushtool: '', osdmaptool: '--as-release 17' });
  });
  afterAll(() => {
    rmSync(work, { recursive: true });
  });

  for (const name of readdirSync(folder).filter((each) => each.endsWith('.t'))) {
    const text = readFileSync(join(folder, name), 'utf8');
    const missing = sourcesOf(text).filter((source) => !existsSync(join(folder, source)));
    const reasons = missing.map((source) => `the folder lacks ${source}`);
    if (text.includes(' --upmap ')) reasons.push('needs a balancer');
    const title = reasons.length === 0 ? name : `${name} (${reasons.join(', ')})`;
    test.skipIf(reasons.length > 0)(title, () => runTest(name));
  }

  function runTest(name: string): void {
    const outcomes = runCram(join(work, 'tests', name), join(work, 'programs'));
    for (const outcome of outcomes.filter((each) => !isAsExpected(each))) {
      const { line, command, expected, actual } = outcome;
      expect({ line, command, output: actual }).toEqual({ line, command, output: expected });
    }
  }
});

/** Texts beside a test that it compiles or is configured by. */
function sourcesOf(text: string): string[] {
  const matches = text.matchAll(/ -c "?\$TESTDIR\/([^" ]+)/g);
  return [...matches].map(([, name = '']) => name);
}
