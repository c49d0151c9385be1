/**
 * The README's code runs as printed, and gives what its comments say.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import type * as library from '../src/index.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
/** JavaScript that only bundlers understand. */
const BUNDLED = [...README.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
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

    it('answers from an edge worker', async () => {
      expect(BUNDLED).toHaveLength(2);
      const worker = (await bundled(BUNDLED[0] ?? '')) as {
        default: { fetch: (request: Request) => Response };
      };
      const answer = worker.default.fetch(new Request('https://edge/?pool=rep&object=rbd_header.1234'));
      expect(await answer.json()).toMatchObject({ pgid: { pool: 3 }, actingPrimary: 6 });
    });

    it('starts the slim library with a kernel from a file', async () => {
      const more = "export { CrushMapper, readCrushBinary } from 'crush-wasm/slim';";
      const slim = (await bundled(`${BUNDLED[1] ?? ''}\n${more}`)) as Pick<
        typeof library,
        'CrushMapper' | 'readCrushBinary'
      >;
      const crush = slim.readCrushBinary(
        readFileSync(new URL('fixtures/crushmaps/s.crushmap', import.meta.url)),
      );
      const { items } = new slim.CrushMapper(crush).mapRange({ rule: 0, size: 3, first: 0, count: 1 });
      expect([...items]).toEqual([45, 28, 109]);
    });
  },
);

/** Bundles code as a page's or a worker's, and runs it. */
async function bundled(code: string): Promise<unknown> {
  const osdmap = readFileSync(new URL('../examples/cluster-8osd/osdmap', import.meta.url));
  const modules: Readonly<Record<string, string>> = {
    entry: code,
    './osdmap.bin': `export default Uint8Array.from(atob('${osdmap.toString('base64')}'), (c) => c.charCodeAt(0));`,
    'crush-wasm/crush-simd.wasm?url': `export default ${JSON.stringify(new URL('../dist/crush-simd.wasm', import.meta.url).href)};`,
  };
  const files: Readonly<Record<string, string>> = {
    'crush-wasm': `${ROOT}dist/index.js`,
    'crush-wasm/slim': `${ROOT}dist/slim/index.js`,
  };
  const bundle = await rolldown({
    input: 'entry',
    platform: 'node',
    checks: { bundlerTimings: false },
    plugins: [
      {
        name: 'readme',
        resolveId: (source) => files[source] ?? (modules[source] === undefined ? undefined : `\0${source}`),
        load: (id) => modules[id.replace('\0', '')],
      },
    ],
  });
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  try {
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'entry.mjs' });
    return await import(pathToFileURL(join(folder, 'entry.mjs')).href);
  } finally {
    await bundle.close();
    rmSync(folder, { recursive: true });
  }
}
