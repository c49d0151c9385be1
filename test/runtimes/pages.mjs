// Pages in headless Chromium, by each bundler and by none. All are served under a policy that allows no eval, no blob
// and no other address; what is against it, or asks another address, fails.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { build as esbuild } from 'esbuild';
import { chromium } from 'playwright-core';
import { build as vite } from 'vite';
import webpack from 'webpack';
import { versionOf } from './servers.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const IMPORT_MAP = JSON.stringify({ imports: { 'crush-wasm': './node_modules/crush-wasm/dist/index.js' } });
const page = (script, head = '') =>
  `<!doctype html><meta charset="utf-8">${head}<script type="module" src="${script}"></script>`;

/** Makes a folder that can be served as it is. */
const builds = {
  async Vite({ folder, site }) {
    await writeFile(join(folder, 'index.html'), page('./page.js'));
    await vite({ root: folder, base: './', logLevel: 'silent', build: { outDir: site, emptyOutDir: true } });
  },
  async esbuild({ folder, site }) {
    const dist = join(folder, 'node_modules/crush-wasm/dist');
    await esbuild({
      entryPoints: [join(folder, 'page.js')],
      bundle: true,
      minify: true,
      format: 'esm',
      outdir: site,
    });
    // esbuild leaves `new URL('./pg-worker.js', import.meta.url)` as it is: the worker is an entry beside the bundle.
    await esbuild({
      entryPoints: [join(dist, 'pg-worker.js'), join(dist, 'crush-worker.js')],
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
    await mkdir(join(site, dist), { recursive: true });
    for (const file of ['page.js', 'scenario.js']) await copyFile(join(folder, file), join(site, file));
    for (const file of ['index', 'library', 'kernel', 'pg-worker', 'crush-worker']) {
      await copyFile(join(folder, dist, `${file}.js`), join(site, dist, `${file}.js`));
    }
    await writeFile(
      join(site, 'index.html'),
      page('./page.js', `<script type="importmap">${IMPORT_MAP}</script>`),
    );
  },
};

export const PAGES = Object.entries(builds).map(([bundler, build]) => ({
  name: `Chromium, ${bundler}`,
  threads: 'yes',
  async run({ folder, osdmap }) {
    const site = join(folder, `site-${bundler.replace(' ', '-')}`);
    await mkdir(site, { recursive: true });
    await build({ folder, site });
    await copyFile(osdmap, join(site, 'osdmap'));
    const packageName = bundler.toLowerCase();
    const tool = bundler === 'import map' ? '' : `, ${bundler} ${await versionOf(packageName)}`;
    const { version, outcome } = await visit(site);
    return { version: `${version}${tool}`, ...outcome };
  },
}));

async function visit(site) {
  const server = createServer((request, response) => void serve(site, request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    const tab = await browser.newPage();
    const elsewhere = [];
    const messages = [];
    tab.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`)) elsewhere.push(`request to ${request.url()}`);
    });
    tab.on('console', (message) => messages.push(message.text()));
    tab.on('pageerror', (error) => messages.push(String(error)));
    await tab.goto(`${origin}/index.html`);
    await tab
      .waitForFunction(() => globalThis.outcome !== undefined, undefined, { timeout: 20_000 })
      .catch(() => {
        throw new Error(`the page gave nothing: ${messages.join('; ')}`);
      });
    const outcome = await tab.evaluate(() => globalThis.outcome);
    outcome.violations.push(...elsewhere);
    return { version: browser.version(), outcome };
  } finally {
    await browser.close();
    server.close();
  }
}

async function serve(site, request, response) {
  const path = normalize(new URL(request.url, 'http://localhost').pathname);
  // Import maps stand in the page, so the policy names this one by its hash.
  const map = createHash('sha256').update(IMPORT_MAP).digest('base64');
  response.setHeader(
    'Content-Security-Policy',
    `default-src 'none'; connect-src 'self'; worker-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'sha256-${map}'`,
  );
  response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream');
  try {
    response.end(await readFile(join(site, path)));
  } catch {
    response.writeHead(404).end();
  }
}
