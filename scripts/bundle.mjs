// Bundles the sources into dist/: one file for the library, one for the commands, one for each kind of worker, and what
// several of them need in files that they share. A process then opens a few files instead of some eighty. What the
// library needs of its dependencies comes along, so that it runs where nothing resolves their names: the workers of a
// web page have no import map.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = new URL('../', import.meta.url);
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const options = {
  cwd: fileURLToPath(root),
  external: [/^node:/, ...Object.keys(dependencies)],
  platform: 'neutral',
};
const workers = {
  'crush-worker': 'src/kernel/crush-worker.ts',
  'pg-worker': 'src/osdmap/pg-worker.ts',
};
/** Of the library alone, in one file that carries no kernel: for those who bring it as a file. */
const slim = { slim: 'src/index.ts' };
const withoutKernel = {
  name: 'without-kernel',
  resolveId: (source) =>
    source.endsWith('/kernel-inline.ts')
      ? fileURLToPath(new URL('src/kernel/kernel-absent.ts', root))
      : undefined,
};
const entries = { index: 'src/index.ts', cli: 'src/cli/main.ts', ...workers };

/** Bundles some modules, and does something with the bundle. */
async function bundling(input, use, plugins = []) {
  const bundle = await rolldown({ ...options, input, plugins });
  try {
    return await use(bundle);
  } finally {
    await bundle.close();
  }
}

const workerModules = await bundling(workers, async (bundle) => {
  const { output } = await bundle.generate({ format: 'esm' });
  return new Set(output.flatMap(({ moduleIds }) => moduleIds).filter((id) => !id.endsWith('-worker.ts')));
});
const isCommand = (id) => id.includes('/src/cli/');
await bundling(entries, (bundle) =>
  bundle.write({
    // All in one folder: a worker's module stands beside the file that starts it, whichever that is.
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    // The drop-ins' main modules are named after their folders.
    chunkFileNames: ({ name, facadeModuleId }) =>
      name === 'main' ? `${basename(dirname(facadeModuleId))}.js` : '[name].js',
    codeSplitting: {
      groups: [
        { name: 'kernel', test: (id) => workerModules.has(id) },
        { name: 'library', test: (id) => !isCommand(id), minShareCount: 2 },
        { name: 'commands-shared', test: isCommand, minShareCount: 2 },
      ],
    },
  }),
);

await bundling(slim, (bundle) => bundle.write({ dir: 'dist', format: 'esm', entryFileNames: '[name].js' }), [
  withoutKernel,
]);
// Edge runtimes compile no bytes, and import a .wasm file as a WebAssembly.Module; each in its own way.
for (const [name, kernel] of [
  ['workerd', './crush-simd.wasm'],
  ['edge-light', './crush-simd.wasm?module'],
]) {
  writeFileSync(
    new URL(`dist/${name}.js`, root),
    `import kernel from '${kernel}';
import { initSync } from './slim.js';
export * from './slim.js';
initSync(kernel);
`,
  );
}

/** What came along, and the licence that is to go with it. */
const LICENCES = {
  '@assemblyscript/loader': 'assemblyscript/LICENSE',
  valibot: 'valibot/LICENSE.md',
};
const texts = Object.entries(LICENCES).map(
  ([name, file]) =>
    `Parts of ${name} are in these files, under this licence:\n\n` +
    readFileSync(new URL(`node_modules/${file}`, root), 'utf8'),
);
writeFileSync(new URL('dist/THIRD-PARTY-LICENSES.txt', root), texts.join('\n\n'));
