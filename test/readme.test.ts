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

/** All the code as one module: each import once. */
function together(): string {
  const lines = SNIPPETS.join('\n').split('\n');
  const imports = new Map<string, Set<string>>();
  const rest = lines.filter((line) => {
    const match = /^import \{ (.*) \} from '(.*)';$/.exec(line);
    if (match === null) return true;
    const names = imports.get(match[2] ?? '') ?? new Set<string>();
    for (const name of (match[1] ?? '').split(', ')) names.add(name);
    imports.set(match[2] ?? '', names);
    return false;
  });
  const heads = [...imports].map(([from, names]) => `import { ${[...names].join(', ')} } from '${from}';`);
  return [...heads, ...rest].join('\n');
}

describe.skipIf(!existsSync(new URL('../dist/index.js', import.meta.url)))(
  "the README's code (needs dist)",
  () => {
    it('gives what it says, one snippet after the other', () => {
      expect(SNIPPETS).toHaveLength(5);
      const { code, comments } = printed(together());
      expect(comments).toHaveLength(7);
      const lines = run(code).trim().split('\n');
      expect(lines.slice(0, comments.length)).toEqual(
        comments.map((comment) => JSON.stringify(JSON.parse(comment.replaceAll("'", '"')))),
      );
      // The parallel mapper's chunk.
      expect(lines.slice(comments.length).join('\n')).toMatch(/^3 0 64 \{/);
    });
  },
);
