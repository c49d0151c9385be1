/** The built page, served as static files under a path of its own, in Debian's Chromium. */
import { createServer, type Server } from 'node:http';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';

/** Debian's Chromium, or undefined where it is not installed. */
export const CHROMIUM = [process.env.CHROMIUM, '/usr/bin/chromium'].find(
  (file) => file !== undefined && existsSync(file),
);

/** Where screenshots go that a test takes; people look at them. */
export const SCREENSHOTS = join(import.meta.dirname, '../../../build/screenshots');

/** Where the built page is: `CRUSH_WEB_BUILD` if it was built elsewhere. */
export const BUILT = process.env.CRUSH_WEB_BUILD ?? join(import.meta.dirname, '../../../build/web');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** The page as a test has it. */
export interface OpenPage {
  readonly page: Page;
  readonly url: string;
  /** Everything that went wrong in it: uncaught errors, console errors, breaches of the policy. */
  readonly faults: string[];
  /** Requests that the page made, after those of its own files. */
  readonly requests: string[];
  readonly close: () => Promise<void>;
}

/** What {@link openPage} takes. */
export interface OpenPageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  /** Link into the page, such as `#/summary?example=cluster-8osd`. */
  readonly link?: string;
  /** Runs in the page before the page's own code. */
  readonly before?: () => void;
}

let server: Server | undefined;
let browser: Browser | undefined;

/** Opens the built page. */
export async function openPage(options: OpenPageOptions = {}): Promise<OpenPage> {
  server ??= await serve();
  browser ??= await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/some/path/`;
  const { width = 1280, height = 900, scheme = 'light' } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    acceptDownloads: true,
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  if (options.before !== undefined) await page.addInitScript(options.before);
  const faults: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('blob:')) requests.push(request.url());
  });
  await page.goto(url + (options.link ?? ''));
  return { page, url, faults, requests, close: () => context.close() };
}

/** To be called after the last test. */
export async function closeBrowser(): Promise<void> {
  await browser?.close();
  server?.close();
  browser = undefined;
  server = undefined;
}

/** Takes a screenshot for people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

/** What axe finds in the page that is serious or worse, as one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // By the browser's debugger: the page's own policy lets no foreign script in.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
}

async function serve(): Promise<Server> {
  const made = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    const file = normalize(path.replace(/^\/some\/path\//, '')) || '.';
    readFile(join(BUILT, file === '.' ? 'index.html' : file)).then(
      (bytes) => {
        response.writeHead(200, {
          'content-type': TYPES[extname(file === '.' ? 'index.html' : file)] ?? 'text/plain',
        });
        response.end(bytes);
      },
      () => {
        response.writeHead(404);
        response.end();
      },
    );
  });
  await new Promise<void>((done) => made.listen(0, '127.0.0.1', done));
  return made;
}
