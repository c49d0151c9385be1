// Pages in headless Chromium, by each bundler and by none, each served twice: isolated from other origins, where threads
// share memory, and as most pages are. All are under a policy that allows no eval, no blob and no other address; what is
// against it, or asks another address, fails. That it would is shown by controls, which must fail.
import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { build as esbuild } from 'esbuild';
import { chromium } from 'playwright-core';
import { createLogger, build as vite } from 'vite';
import webpack from 'webpack';
import { demandRight } from './outcome.mjs';
import { versionOf } from './servers.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const IMPORT_MAP = JSON.stringify({ imports: { 'crush-wasm': './node_modules/crush-wasm/dist/index.js' } });
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
  if (warnings.length > 0) throw new Error(warnings.join('\n'));
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

export const PAGES = Object.keys(builds).map((bundler) => ({
  name: `Chromium, ${bundler}`,
  threads: 'shared',
  async run(project) {
    const site = await buildSite(bundler, project);
    const packageName = bundler.toLowerCase().split(',')[0];
    const tool = bundler === 'import map' ? '' : `, ${packageName} ${await versionOf(packageName)}`;
    const plain = await visit(site, { isolated: false });
    demandRight(plain.outcome, 'copied');
    const { version, outcome } = await visit(site, { isolated: true });
    if (plain.outcome.isolated || !outcome.isolated)
      throw new Error('the pages are not isolated as they should');
    return { version: `${version}${tool}`, ...outcome };
  },
}));

/** What must fail, so that passing says something; each gives the words by which it does. */
export const CONTROLS = [
  {
    name: "a policy without 'wasm-unsafe-eval'",
    async run(project) {
      const site = await buildSite('import map', project);
      const { outcome } = await visit(site, { policy: (text) => text.replace("'wasm-unsafe-eval'", '') });
      if (!/CrushError: .*the policy of the page has to allow it/s.test(outcome.mapped))
        throw new Error(`it gave ${outcome.mapped}`);
      return failureOf(outcome);
    },
  },
  {
    name: 'a policy that allows no workers',
    async run(project) {
      const site = await buildSite('import map', project);
      const { outcome } = await visit(site, {
        policy: (text) => text.replace("worker-src 'self'", "worker-src 'none'"),
      });
      return failureOf(outcome);
    },
  },
  {
    name: 'requests to another address',
    async run(project) {
      const site = await buildSite('import map', project);
      const asked = [];
      const other = createServer((request, response) => {
        asked.push(request.url);
        response.end();
      });
      const elsewhere = await listening(other);
      try {
        const { outcome } = await visit(site, { path: `leaking-page.html?elsewhere=${elsewhere}` });
        if (asked.length > 0) throw new Error(`the policy let through ${asked.join(', ')}`);
        const reported = outcome.violations.filter((each) => each.includes('-src'));
        const seen = reported.map((each) => each.split(' ')[0]).sort();
        const expected = [...Array(5).fill('connect-src'), 'img-src', 'script-src-elem', 'style-src-elem'];
        if (seen.join() !== expected.join()) throw new Error(`seen were ${outcome.violations.join(', ')}`);
        return failureOf(outcome);
      } finally {
        other.close();
      }
    },
  },
  {
    name: 'the same where nothing forbids them',
    async run(project) {
      const site = await buildSite('import map', project);
      const other = createServer((_, response) => response.end());
      const elsewhere = await listening(other);
      try {
        const { outcome } = await visit(site, {
          path: `leaking-page.html?elsewhere=${elsewhere}`,
          policy: () => undefined,
        });
        return failureOf(outcome);
      } finally {
        other.closeAllConnections();
        other.close();
      }
    },
  },
];

/** By which words an outcome fails; throws if it does not. */
function failureOf(outcome) {
  try {
    demandRight(outcome, 'copied');
  } catch (error) {
    return error.message;
  }
  throw new Error('it passed');
}

async function buildSite(bundler, { folder, osdmap }) {
  const site = join(folder, `site-${bundler.replace(/\W+/g, '-')}`);
  await mkdir(site, { recursive: true });
  await builds[bundler]({ folder, site });
  await copyFile(osdmap, join(site, 'osdmap'));
  return site;
}

/** Starts a server on a free port; gives its origin. */
async function listening(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

/**
 * Opens a page of a site.
 *
 * @param options.isolated - whether it is served with the headers that isolate it from other origins
 * @param options.policy - what becomes of the policy
 */
async function visit(site, { path = 'index.html', isolated = false, policy = (text) => text } = {}) {
  const headers = headersOf(isolated, policy);
  const server = createServer((request, response) => void serve(site, headers, request, response));
  const origin = await listening(server);
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
    await tab.goto(`${origin}/${path}`);
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

function headersOf(isolated, policy) {
  // Import maps stand in the page, so the policy names this one by its hash.
  const map = createHash('sha256').update(IMPORT_MAP).digest('base64');
  const text = policy(
    `default-src 'none'; connect-src 'self'; worker-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'sha256-${map}'`,
  );
  return {
    ...(text === undefined ? {} : { 'Content-Security-Policy': text }),
    ...(isolated
      ? { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }
      : {}),
  };
}

async function serve(site, headers, request, response) {
  const path = normalize(new URL(request.url, 'http://localhost').pathname);
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  try {
    const content = await readFile(join(site, path));
    response.writeHead(200, { ...headers, 'Content-Type': type }).end(content);
  } catch {
    response.writeHead(404).end();
  }
}
