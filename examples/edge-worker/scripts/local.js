// The worker in workerd on this machine, as Cloudflare runs it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';

const HERE = fileURLToPath(new URL('../', import.meta.url));

/** Bundles the worker as wrangler does; what it imports as a file stays one beside it. Gives esbuild's warnings. */
export async function bundle() {
  const { warnings } = await build({
    absWorkingDir: HERE,
    entryPoints: ['src/worker.js'],
    outdir: 'dist',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker'],
    loader: { '.wasm': 'copy', '': 'copy' },
    assetNames: '[name]',
    logLevel: 'warning',
  });
  return warnings;
}

/**
 * Starts what was bundled.
 *
 * @param {object} options - of Miniflare, such as bindings, kvNamespaces, r2Buckets and port
 * @returns {Miniflare} to be disposed of
 */
export function start(options = {}) {
  return new Miniflare({
    rootPath: HERE,
    modulesRoot: 'dist',
    modules: [
      { type: 'ESModule', path: 'dist/worker.js' },
      { type: 'CompiledWasm', path: 'dist/crush-simd.wasm' },
      { type: 'Data', path: 'dist/osdmap' },
    ],
    compatibilityDate: '2026-01-01',
    ...options,
  });
}

/** Starts it with a map of one's own in a local R2 bucket, or with the bundled one. */
export async function startWith(file, options = {}) {
  if (file === undefined) return start(options);
  const bytes = await readFile(file);
  const miniflare = start({ ...options, r2Buckets: ['MAP_BUCKET'] });
  try {
    await (await miniflare.getR2Bucket('MAP_BUCKET')).put('osdmap', new Uint8Array(bytes));
    return miniflare;
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}
