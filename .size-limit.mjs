/** What size-limit weighs, packed with gzip; scripts/bundle-embedder.mjs makes the files of build/embedder/. */

/** Modules, as embedders have them. */
const quiet = (config) => ({ ...config, format: 'esm', logLevel: 'error' });
/** Files that are weighed as they are, in place of what esbuild would make of them. */
const asItIs = (config) => ({ ...quiet(config), bundle: false, loader: { '.wasm': 'copy' } });
const files = (name, path, limit) => ({ name, path, limit, gzip: true, modifyEsbuildConfig: asItIs });
const bundled = (name, path, names, limit) => ({
  name,
  path,
  import: names,
  limit,
  gzip: true,
  modifyEsbuildConfig: quiet,
});

const checks = [
  files(
    'the core as a page loads it: readMapFile, createMapper, init and the kernel with SIMD',
    ['build/embedder/slim/page.js', 'dist/crush-simd.wasm'],
    '43 kB',
  ),
  files('of that, code', 'build/embedder/slim/page.js', '22.5 kB'),
  files('loaded when a map in text or JSON comes', 'build/embedder/slim/text-and-json.js', '25 kB'),
  files('the same page by the default entry, with both kernels', 'build/embedder/default/page.js', '63 kB'),
  files('the kernel with SIMD', 'dist/crush-simd.wasm', '25 kB'),
  files('the kernel without', 'dist/crush.wasm', '25 kB'),
  bundled(
    'without splitting: the readers of binary maps and the mapper',
    'dist/slim/index.js',
    '{ createMapper, init, readCrushBinary, readOsdMapBinary }',
    '23 kB',
  ),
  bundled(
    'without splitting: every reader and the mapper',
    'dist/slim/index.js',
    '{ createMapper, init, readMap }',
    '45 kB',
  ),
  bundled('the same with both kernels in the code', 'dist/index.js', '{ createMapper, readMap }', '87 kB'),
  bundled("CephFS's metadata balancer", 'dist/mds.js', '{ decideCluster, readMdsJson }', '12 kB'),
];

export default checks;
