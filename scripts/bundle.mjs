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
  // In one file with all readers, there is nothing to load later.
  checks: { ineffectiveDynamicImport: false },
};
const workers = {
  'crush-worker': 'src/kernel/crush-worker.ts',
  'pg-worker': 'src/osdmap/pg-worker.ts',
};
/**
 * The library that carries no kernel, for those who bring it as a file: module by module, so that a bundler takes no
 * more of it than is used and can load the readers of text and JSON when they are needed. Its workers get the kernel
 * from the thread that starts them.
 */
const slim = {
  index: 'src/index.ts',
  'kernel/crush-worker': workers['crush-worker'],
  'osdmap/pg-worker': workers['pg-worker'],
};
const withoutKernel = {
  name: 'without-kernel',
  resolveId: (source) =>
    source.endsWith('/kernel-inline.ts')
      ? fileURLToPath(new URL('src/kernel/kernel-absent.ts', root))
      : undefined,
};
/**
 * Of some modules nothing but constants is used, which stand where they are used; what is left is an import for side
 * effects, which no module has, and of which bundlers warn.
 */
const withoutBareImports = {
  name: 'without-bare-imports',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = chunk.code.replace(/^import "\.{1,2}\/[^"]+";\n/gm, '');
    }
  },
};
const entries = { index: 'src/index.ts', mds: 'src/mds.ts', cli: 'src/cli/main.ts', ...workers };

/** Bundles some modules, and does something with the bundle. */
async function bundling(input, use, more = {}) {
  const bundle = await rolldown({ ...options, ...more, input });
  try {
    return await use(bundle);
  } finally {
    await bundle.close();
  }
}

/** All modules that some entries import, used or not, but for what they load when it is needed. */
async function modulesOf(input) {
  const { output } = await bundling(input, (bundle) => bundle.generate({ format: 'esm' }), {
    treeshake: false,
  });
  const found = new Set();
  const visit = ({ moduleIds, imports }) => {
    for (const id of moduleIds) found.add(id);
    for (const chunk of output) if (imports.includes(chunk.fileName)) visit(chunk);
  };
  for (const chunk of output) if (chunk.isEntry) visit(chunk);
  return found;
}

const workerModules = new Set([...(await modulesOf(workers))].filter((id) => !id.endsWith('-worker.ts')));
const balancerModules = await modulesOf({ mds: entries.mds });
/** What maps a binary map, and what readers of text and JSON have beside that. */
const coreModules = await modulesOf({ read: 'src/formats/map-file.ts', map: 'src/osdmap/pg-mapper.ts' });
const readerModules = await modulesOf({ read: 'src/formats/detect.ts' });
const isTextReader = (id) => readerModules.has(id) && !coreModules.has(id);
const isCommand = (id) => id.includes('/src/cli/');
/** The balancer's own; what it takes of the rest is apart, so that it comes without the kernels. */
const isBalancer = (id) => id.includes('/src/mds/') || id.includes('/src/formats/mds-');
const isShared = (id) => balancerModules.has(id) && !isBalancer(id) && !id.endsWith('/src/mds.ts');
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
        // In layers: each file needs only those before it. Bundlers leave out files of which nothing is used, so what
        // is for JSON and text stands apart.
        { name: 'base', test: (id) => isShared(id) && !isTextReader(id) },
        { name: 'json', test: isShared },
        { name: 'balancer', test: isBalancer, minShareCount: 2 },
        { name: 'kernel', test: (id) => workerModules.has(id) },
        { name: 'core', test: (id) => coreModules.has(id) },
        { name: 'text-readers', test: isTextReader },
        { name: 'library', test: (id) => !isCommand(id), minShareCount: 2 },
        { name: 'commands-shared', test: isCommand, minShareCount: 2 },
      ],
    },
  }),
);

await bundling(
  slim,
  (bundle) =>
    bundle.write({
      dir: 'dist/slim',
      format: 'esm',
      preserveModules: true,
      preserveModulesRoot: 'src',
      // npm packs no folder of the name node_modules.
      entryFileNames: ({ name }) => `${name.replace(/^node_modules\/(\w+)\/.*/, '$1')}.js`,
    }),
  { plugins: [withoutKernel, withoutBareImports] },
);
// Edge runtimes compile no bytes, and import a .wasm file as a WebAssembly.Module; each in its own way.
for (const [name, kernel] of [
  ['workerd', './crush-simd.wasm'],
  ['edge-light', './crush-simd.wasm?module'],
]) {
  writeFileSync(
    new URL(`dist/${name}.js`, root),
    `import kernel from '${kernel}';
import { initSync } from './slim/index.js';
export * from './slim/index.js';
initSync(kernel);
`,
  );
}

// The type of the kernels' files as imports; what they are is for the runtime or the bundler to say.
writeFileSync(
  new URL('dist/types/kernel-file.d.ts', root),
  `/** A kernel, for initSync: a WebAssembly.Module where the runtime imports .wasm files as such. */
declare const kernel: object;
export default kernel;
`,
);

/** What came along, and the licence that is to go with it. */
const LICENCES = {
  valibot: 'valibot/LICENSE.md',
};
const texts = Object.entries(LICENCES).map(
  ([name, file]) =>
    `Parts of ${name} are in these files, under this licence:\n\n` +
    readFileSync(new URL(`node_modules/${file}`, root), 'utf8'),
);
writeFileSync(new URL('dist/THIRD-PARTY-LICENSES.txt', root), texts.join('\n\n'));
