/** What package.json promises: each entry is there, has types, and brings nothing that the embedder does not need. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const text = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');
const manifest = JSON.parse(text('package.json')) as {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly sideEffects: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
};

/** Runtimes that test/runtimes runs, by the condition that stands for them. */
const CONDITIONS = ['types', 'workerd', 'edge-light', 'node', 'browser', 'default'];
const ENTRIES = ['.', './inline', './slim', './mds'];
/** What esbuild is given beside an entry, since it does not find workers. */
const WORKERS = ['./crush-worker.js', './pg-worker.js'];

test('the entries are these', () => {
  expect(Object.keys(manifest.exports)).toEqual([
    ...ENTRIES,
    ...WORKERS,
    './crush.wasm',
    './crush-simd.wasm',
    './package.json',
  ]);
});

describe.each(Object.entries(manifest.exports))('%s', (name, target) => {
  const targets = typeof target === 'string' ? [target] : Object.values(target);

  test('is there', () => {
    for (const file of targets) expect(existsSync(new URL(file, ROOT)), file).toBe(true);
  });

  test.runIf(typeof target === 'object')('has types first, a default last, and tried conditions only', () => {
    const conditions = Object.keys(target);
    expect([conditions[0], conditions.at(-1)]).toEqual(['types', 'default']);
    expect(CONDITIONS.filter((condition) => conditions.includes(condition))).toEqual(conditions);
  });

  test.runIf([...ENTRIES, ...WORKERS].includes(name))('imports its own files alone', () => {
    for (const file of targets.filter((each) => each.endsWith('.js'))) {
      for (const [from, specifiers] of importsFrom(file)) {
        for (const specifier of specifiers)
          expect(specifier, from).toMatch(/^\.{1,2}\/[\w./-]+\.(js|wasm(\?module)?)$/);
      }
    }
  });
});

test('the entries export the same names', async () => {
  const [index, slim] = await Promise.all(
    ['dist/index.js', 'dist/slim/index.js'].map(
      (file) => import(fileURLToPath(new URL(file, ROOT))) as Promise<object>,
    ),
  );
  expect(Object.keys(slim!)).toEqual(Object.keys(index!));
  expect(Object.keys(slim!)).toContain('initSync');
});

test('installing the package asks for no leave to run scripts, and yet npm ci builds', () => {
  // npm runs preprepare after it has installed a checkout, and asks about none of these but prepare.
  const asked = ['preinstall', 'install', 'postinstall', 'prepare'];
  expect(Object.keys(manifest.scripts).filter((name) => asked.includes(name))).toEqual([]);
  expect(manifest.scripts).toMatchObject({ preprepare: 'npm run -s build', prepack: 'npm run -s build' });
});

test('the balancer brings no kernel and no mapper', async () => {
  expect([...importsFrom('dist/mds.js').keys()].sort()).toEqual([
    'dist/balancer.js',
    'dist/base.js',
    'dist/json.js',
    'dist/mds.js',
  ]);
  const mds = (await import(fileURLToPath(new URL('dist/mds.js', ROOT)))) as object;
  expect(Object.keys(mds)).toEqual(expect.arrayContaining(['CrushError', 'decideCluster', 'readMdsJson']));
  expect(Object.keys(mds)).not.toContain('createMapper');
});

test('each kernel is below 25 KB, packed as servers do', () => {
  for (const file of ['dist/crush.wasm', 'dist/crush-simd.wasm']) {
    expect(gzipSync(readFileSync(new URL(file, ROOT)), { level: 9 }).length, file).toBeLessThan(25_000);
  }
});

test('the slim entry carries no kernel', () => {
  // The beginning of every WebAssembly module, in base64.
  expect(text('dist/kernel.js')).toContain('AGFzbQEAAAAB');
  for (const file of ['index.js', 'kernel/crush-worker.js', 'osdmap/pg-worker.js']) {
    for (const from of importsFrom(`dist/slim/${file}`).keys()) {
      expect(text(from), from).not.toContain('AGFzbQEAAAAB');
    }
  }
});

test('side effects are declared of files that are there: commands, workers and the edge entries', () => {
  expect([...manifest.sideEffects].sort()).toEqual([
    './dist/cli.js',
    './dist/crush-worker.js',
    './dist/edge-light.js',
    './dist/pg-worker.js',
    './dist/slim/kernel/crush-worker.js',
    './dist/slim/osdmap/pg-worker.js',
    './dist/workerd.js',
  ]);
  for (const file of manifest.sideEffects) expect(existsSync(new URL(file, ROOT)), file).toBe(true);
});

test('the package has its files and nothing else', () => {
  const { status, stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: fileURLToPath(ROOT),
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  // npm 11 and earlier print a list; later ones an object by name.
  const [pack] = Object.values(JSON.parse(stdout) as Record<string, { files: { path: string }[] }>);
  const files = pack!.files.map(({ path }) => path);
  for (const file of Object.values(manifest.bin)) expect(files).toContain(file);
  const expected =
    /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/[\w-]+\.(js|wasm)|dist\/slim\/[\w/-]+\.js|dist\/THIRD-PARTY-LICENSES\.txt|dist\/types\/kernel-file\.d\.ts|dist\/types\/(src|assembly)\/[\w/-]+\.d\.ts)$/;
  expect(files.filter((file) => !expected.test(file))).toEqual([]);
});

/** The files that a file of dist/ imports, itself first, with what each asks for, dynamic imports included. */
function importsFrom(entry: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    const source = text(file);
    const specifiers = [
      ...source.matchAll(/^(?:import|export)\b[^'"]*?(?:from )?['"]([^'"]+)['"];?$/gm),
      ...source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g),
    ].map(([, specifier]) => specifier!);
    found.set(file, specifiers);
    for (const specifier of specifiers) {
      if (specifier.endsWith('.js')) visit(posix.join(posix.dirname(posix.normalize(file)), specifier));
    }
  };
  visit(entry);
  return found;
}
