// Pages in headless Chromium, served under a policy that allows no eval, no blob and no other address.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { chromium } from 'playwright-core';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
/** Stands in pages that no bundler made. */
export const IMPORT_MAP = JSON.stringify({
  imports: { 'crush-wasm': './node_modules/crush-wasm/dist/index.js' },
});

/** Starts a server on a free port; gives its origin. */
export async function listening(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

/**
 * Opens a page of a site.
 *
 * @param options.isolated - whether it is served with the headers that isolate it from other origins
 * @param options.policy - what becomes of the policy
 */
export async function visit(site, { path = 'index.html', isolated = false, policy = (text) => text } = {}) {
  const headers = headersOf(isolated, policy);
  const server = createServer((request, response) => void serve(site, headers, request, response));
  const origin = await listening(server);
  try {
    return await openPage(origin, path);
  } finally {
    server.close();
  }
}

/** Opens a page and waits for what it gives; requests to any other address count as violations. */
export async function openPage(origin, path) {
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
  }
}

/** The headers that isolate a page from other origins. */
export const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

function headersOf(isolated, policy) {
  // Import maps stand in the page, so the policy names this one by its hash.
  const map = createHash('sha256').update(IMPORT_MAP).digest('base64');
  const text = policy(
    `default-src 'none'; connect-src 'self'; worker-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'sha256-${map}'`,
  );
  return {
    ...(text === undefined ? {} : { 'Content-Security-Policy': text }),
    ...(isolated ? ISOLATION : {}),
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
