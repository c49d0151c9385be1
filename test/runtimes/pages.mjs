// Pages by each bundler and by none, each served twice: isolated from other origins, where threads share memory, and as
// most pages are. What is against their policy, or asks another address, fails.
import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as esbuild } from 'esbuild';
import { createLogger, createServer as createViteServer, build as vite } from 'vite';
import webpack from 'webpack';
import { IMPORT_MAP, ISOLATION, openPage, visit } from './browser.mjs';
import { demandRight } from './outcome.mjs';
import { versionOf } from './servers.mjs';

const page = (script, head = '') =>
  `<!doctype html><meta charset="utf-8">${head}<script type="module" src="${script}"></script>`;

/** Builds a page with Vite. */
async function buildVite({ folder, site }, script, alias = {}) {
  await writeFile(join(folder, 'index.html'), page(script));
  const warnings = [];
  const customLogger = { ...createLogger('silent'), warn: (message) => warnings.push(message) };
  await vite({
    root: folder,
    base: './',
    logLevel: 'silent',
    customLogger,
    resolve: { alias },
    build: { outDir: site, emptyOutDir: true },
  });
  // How long plugins take is the machine's affair.
  const real = warnings.filter((message) => !message.includes('PLUGIN_TIMINGS'));
  if (real.length > 0) throw new Error(real.join('\n'));
}

/** Makes a folder that can be served as it is. */
const builds = {
  Vite: (project) => buildVite(project, './page.js'),
  'Vite, slim': (project) =>
    buildVite(project, './slim-page.js', [{ find: /^crush-wasm$/, replacement: 'crush-wasm/slim' }]),
  async esbuild({ folder, site }) {
    // esbuild leaves `new URL('./pg-worker.js', import.meta.url)` as it is: the workers are entries beside the page's.
    await esbuild({
      absWorkingDir: folder,
      entryPoints: {
        page: './page.js',
        'pg-worker': 'crush-wasm/pg-worker.js',
        'crush-worker': 'crush-wasm/crush-worker.js',
      },
      bundle: true,
      minify: true,
      format: 'esm',
      outdir: site,
    });
    await writeFile(join(site, 'index.html'), page('./page.js'));
  },
  async webpack({ folder, site }) {
    const stats = await promisify(webpack)({
      mode: 'production',
      context: folder,
      entry: './page.js',
      output: { path: site, filename: 'page.js' },
      performance: { hints: false },
    });
    if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString('errors-warnings'));
    await writeFile(join(site, 'index.html'), page('./page.js'));
  },
  async 'import map'({ folder, site }) {
    const dist = 'node_modules/crush-wasm/dist';
    await cp(join(folder, dist), join(site, dist), { recursive: true });
    for (const file of ['page.js', 'leaking-page.js', 'scenario.js']) {
      await copyFile(join(folder, file), join(site, file));
    }
    for (const name of ['page', 'leaking-page']) {
      const html = page(`./${name}.js`, `<script type="importmap">${IMPORT_MAP}</script>`);
      await writeFile(join(site, name === 'page' ? 'index.html' : `${name}.html`), html);
    }
  },
};

const built = Object.keys(builds).map((bundler) => ({
  name: `Chromium, ${bundler}`,
  threads: 'shared',
  async run(project) {
    const site = await buildSite(bundler, project);
    const [name] = bundler.split(',');
    const tool = bundler === 'import map' ? '' : `, ${name} ${await versionOf(name.toLowerCase())}`;
    const plain = await visit(site, { isolated: false });
    demandRight(plain.outcome, 'copied');
    const { version, outcome } = await visit(site, { isolated: true });
    if (plain.outcome.isolated || !outcome.isolated)
      throw new Error('the pages are not isolated as they should');
    return { version: `${version}${tool}`, ...outcome };
  },
}));

/** A folder with a page and the map, to be served. */
export async function buildSite(bundler, { folder, osdmap }) {
  const site = join(folder, `site-${bundler.replace(/\W+/g, '-')}`);
  await mkdir(site, { recursive: true });
  await builds[bundler]({ folder, site });
  await copyFile(osdmap, join(site, 'osdmap'));
  return site;
}

/** What `vite` serves while a page is written: its modules one by one, without a policy. */
const development = {
  name: 'Chromium, Vite as server',
  threads: 'shared',
  async run({ folder, osdmap }) {
    const root = join(folder, 'development');
    await mkdir(join(root, 'public'), { recursive: true });
    for (const file of ['page.js', 'scenario.js']) await copyFile(join(folder, file), join(root, file));
    await copyFile(osdmap, join(root, 'public/osdmap'));
    await writeFile(join(root, 'index.html'), page('./page.js'));
    const server = await createViteServer({
      root,
      cacheDir: join(root, '.vite'),
      logLevel: 'silent',
      server: { host: '127.0.0.1', port: 0, headers: ISOLATION },
    });
    try {
      await server.listen();
      const { version, outcome } = await openPage(
        `http://127.0.0.1:${server.httpServer.address().port}`,
        'index.html',
      );
      return { version: `${version}, Vite ${await versionOf('vite')}`, ...outcome };
    } finally {
      await server.close();
    }
  },
};

export const PAGES = [...built, development];
