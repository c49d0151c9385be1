/**
 * The README's code runs as printed, and gives what its comments say.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const SNIPPETS = [...README.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '');

/** Runs code as a module of this package, in which its own name leads to dist. */
function run(code: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT, encoding: 'utf8' });
}

/** The code with each expression that has a comment printed, and what the comments say. */
function printed(code: string): { code: string; comments: string[] } {
  const comments: string[] = [];
  const lines = code.split('\n').map((line) => {
    const match = /^(\w[\w.]*\(?.*\)?[^;]*); \/\/ (?:x = 0: )?(.*)$/.exec(line);
    if (match === null) return line;
    comments.push((match[2] ?? '').replace(/^Int32Array /, ''));
    return `console.log(JSON.stringify([${match[1] ?? ''}].map((v) => ArrayBuffer.isView(v) ? [...v] : v)[0]));`;
  });
  return { code: lines.join('\n'), comments };
}

describe.skipIf(!existsSync(new URL('../dist/index.js', import.meta.url)))(
  "the README's code (needs dist)",
  () => {
    it('is three snippets', () => {
      expect(SNIPPETS).toHaveLength(3);
    });

    it.each([0, 1])('snippet %i gives what it says', (index) => {
      const { code, comments } = printed(SNIPPETS[index] ?? '');
      expect(comments.length).toBeGreaterThan(0);
      const lines = run(code).trim().split('\n');
      expect(lines).toEqual(comments.map((comment) => JSON.stringify(JSON.parse(comment))));
    });

    it('the parallel mapper goes on from the first', () => {
      const output = run(`${SNIPPETS[0] ?? ''}\n${SNIPPETS[2] ?? ''}`);
      expect(output).toMatch(/^3 0 64 \{/);
    });
  },
);
