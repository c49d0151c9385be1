// Runtimes without a page: processes, and the edge's, which compile no bytes and import the kernel as a module.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EdgeVM } from '@edge-runtime/vm';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { HERE } from './project.mjs';

const run = promisify(execFile);
const installed = (file) => join(HERE, 'node_modules', file);
const LIMITS = { timeout: 60_000, maxBuffer: 2 ** 24 };

/** A runtime that runs a script. */
function processRuntime(name, program, { args = [], version }) {
  return {
    name,
    threads: 'shared',
    async run({ folder, osdmap }) {
      const { stdout } = await run(program, [...args, 'main.js', osdmap], { cwd: folder, ...LIMITS });
      const { stdout: told } = await run(program, ['--version'], LIMITS);
      return { version: version(told), ...JSON.parse(stdout) };
    },
  };
}

const nodeVersion = (text) => text.trim().replace(/^v/, '');
const nodes = ['node-22', 'node-24', 'node-26']
  .map((name) => installed(`${name}/bin/node`))
  .filter((program) => existsSync(program));

export const PROCESSES = [
  ...[process.execPath, ...nodes].map((program) => processRuntime('Node', program, { version: nodeVersion })),
  processRuntime('Deno', installed('.bin/deno'), {
    args: ['run', '--allow-read', '--node-modules-dir=manual'],
    version: (text) => text.split(' ')[1],
  }),
  processRuntime('Bun', installed('.bin/bun'), { version: (text) => text.trim() }),
];

/** The worker in one file; the kernel stays an import of `kernelPath`, which the runtime gives it. */
async function bundleWorker(folder, conditions, kernelPath, format) {
  const kernels = [];
  const wasmModules = {
    name: 'wasm-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.wasm(\?module)?$/ }, ({ path, resolveDir }) => {
        kernels.push(join(resolveDir, path.replace('?module', '')));
        return format === 'esm'
          ? { path: kernelPath, external: true }
          : { path: kernelPath, namespace: 'global' };
      });
      onLoad({ filter: /.*/, namespace: 'global' }, () => ({ contents: `export default ${kernelPath};` }));
    },
  };
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'worker.js')],
    bundle: true,
    write: false,
    format,
    globalName: 'worker',
    platform: 'neutral',
    conditions,
    plugins: [wasmModules],
  });
  if (kernels.length !== 1) throw new Error(`the worker imports ${kernels.length} kernels`);
  return { script: outputFiles[0].text, kernel: await readFile(kernels[0]) };
}

const workerd = {
  name: 'workerd (miniflare)',
  threads: 'worker-failed',
  async run({ folder, osdmap }) {
    const { script, kernel } = await bundleWorker(folder, ['workerd', 'worker'], './crush-simd.wasm', 'esm');
    const miniflare = new Miniflare({
      modulesRoot: '/',
      modules: [
        { type: 'ESModule', path: '/worker.mjs', contents: script },
        { type: 'CompiledWasm', path: '/crush-simd.wasm', contents: kernel },
      ],
      compatibilityDate: '2026-01-01',
    });
    try {
      const response = await miniflare.dispatchFetch('http://localhost/', {
        method: 'POST',
        body: await readFile(osdmap),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return { version: await versionOf('workerd'), ...JSON.parse(text) };
    } finally {
      await miniflare.dispose();
    }
  },
};

const edgeLight = {
  name: 'Edge Runtime (edge-light)',
  threads: 'worker-failed',
  async run({ folder, osdmap }) {
    const { script, kernel } = await bundleWorker(folder, ['edge-light'], 'CRUSH_KERNEL', 'iife');
    const vm = new EdgeVM({
      extend: (context) => Object.assign(context, { CRUSH_KERNEL: new WebAssembly.Module(kernel) }),
    });
    vm.evaluate(script);
    vm.context.input = await readFile(osdmap);
    const text = await vm.evaluate(
      `worker.default.fetch(new Request('http://localhost/', { method: 'POST', body: new Uint8Array(input) }))` +
        '.then((response) => response.text())',
    );
    return { version: await versionOf('@edge-runtime/vm'), ...JSON.parse(text) };
  },
};

export const EDGES = [workerd, edgeLight];

export async function versionOf(name) {
  return JSON.parse(await readFile(installed(`${name}/package.json`), 'utf8')).version;
}
