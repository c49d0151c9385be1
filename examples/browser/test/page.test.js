// The page in Chromium (CHROMIUM, or /usr/bin/chromium), by playwright-core where it can be found.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startServer } from '../scripts/server.js';

const ROOT = new URL('../../../', import.meta.url);
const CLUSTER = new URL('examples/cluster-8osd/', ROOT);
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

const playwright = await import('playwright-core').catch(() => undefined);
const lacking =
  playwright === undefined
    ? 'playwright-core is not installed'
    : existsSync(CHROMIUM)
      ? false
      : `there is no Chromium at ${CHROMIUM}`;

describe('the page in Chromium', { skip: lacking }, () => {
  let server;
  let browser;
  let page;
  /** What the page did that it should not: against the policy, to other addresses, or failed. */
  const wrongs = [];

  before(async () => {
    server = await startServer(0);
    browser = await playwright.chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.on('request', (sent) => {
      if (!sent.url().startsWith(`${server.address}/`)) wrongs.push(`request to ${sent.url()}`);
    });
    page.on('console', (message) => wrongs.push(message.text()));
    page.on('pageerror', (error) => wrongs.push(String(error)));
    await page.goto(`${server.address}/`);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const textOf = (selector) => page.locator(selector).innerText();
  const choose = (name, buffer) =>
    page.setInputFiles('#file', { name, mimeType: 'application/octet-stream', buffer });
  const osds = async () =>
    Promise.all((await page.locator('#osds tr').all()).map((row) => row.locator('td').allInnerTexts()));

  test("the example's objects live where osdmaptool says", async () => {
    await page.click('#example');
    await page.waitForSelector('#cluster:not([hidden])');
    assert.equal(await textOf('#summary'), 'osdmap: epoch 97, 8 pools');
    const lines = readFileSync(new URL('objects.txt', CLUSTER), 'utf8').trimEnd().split('\n');
    for (const line of lines) {
      const [, object, pgid, pool, acting] = /^ object '(.*)' -> ((\d+)\..*) -> \[(.*)\]$/.exec(line);
      await page.selectOption('[name=pool]', pool);
      await page.fill('[name=object]', object);
      assert.equal(await textOf('#pg'), `It is in PG ${pgid}.`, line);
      const shown = (await osds()).map(([, osd]) => /^osd\.(\d+)/.exec(osd)[1]);
      assert.equal(shown.join(), acting, line);
    }
  });

  test('primaries and hosts are shown, and namespace and key count', async () => {
    await page.selectOption('[name=pool]', '3');
    await page.fill('[name=object]', 'foo');
    // The buckets as `osdmaptool --tree` shows them.
    assert.deepEqual(await osds(), [
      ['osd.3, primary', 'osd.3, primary', 'host1, rack0, default'],
      ['osd.5', 'osd.5', 'host2, rack1, default'],
      ['osd.6', 'osd.6', 'host3, rack1, default'],
    ]);
    await page.fill('[name=namespace]', 'ns');
    // A monitor's answer: its hash is ac17f0b6.
    assert.equal(await textOf('#pg'), 'It is in PG 3.36.');
    await page.fill('[name=namespace]', '');
    await page.fill('[name=object]', 'other');
    await page.fill('[name=key]', 'foo');
    assert.equal(await textOf('#pg'), 'It is in PG 3.6.');
    await page.fill('[name=key]', '');
  });

  test('a file of another cluster takes its place', async () => {
    await choose('a.osdmap', readFileSync(new URL('test/fixtures/cluster-10osd/a.osdmap', ROOT)));
    await page.waitForFunction(() =>
      document.getElementById('summary').textContent.startsWith('a.osdmap: epoch '),
    );
    await page.waitForSelector('#cluster:not([hidden])');
    assert.equal(await textOf('#problem'), '');
  });

  test('files that cannot be used are told of', async () => {
    const damaged = readFileSync(new URL('osdmap', CLUSTER));
    damaged[5000] ^= 1;
    for (const [name, bytes, message] of [
      ['damaged', damaged, /the map is damaged/],
      ['empty', Buffer.alloc(0), /^the input is empty/],
      ['notes', Buffer.from('# Notes'), /^the input starts with "# Notes"/],
      ['crushmap', readFileSync(new URL('test/fixtures/crushmaps/s.crushmap', ROOT)), /^this is a CRUSH map/],
    ]) {
      await choose(name, bytes);
      await page.waitForFunction(() => document.getElementById('problem').textContent !== '');
      assert.match(await textOf('#problem'), message);
      assert.equal(await page.isHidden('#cluster'), true);
    }
    await page.click('#example');
    await page.waitForSelector('#cluster:not([hidden])');
    assert.equal(await textOf('#problem'), '');
  });

  test('nothing was against the policy, and no other address was asked', async () => {
    assert.deepEqual(wrongs, []);
    // The policy is in force.
    const evaluated = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.inline = true';
      document.body.append(script);
      return globalThis.inline === true;
    });
    assert.equal(evaluated, false);
    assert.equal(
      await page.evaluate(() =>
        fetch('https://example.com/').then(
          () => true,
          () => false,
        ),
      ),
      false,
    );
  });
});

test('the server serves its files and nothing else', async () => {
  const server = await startServer(0);
  const ask = (path, method = 'GET') =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(server.address);
      const sent = request({ hostname, port, path, method }, (response) => {
        response.resume();
        response.on('end', () => resolve([response.statusCode, response.headers['content-type']]));
      });
      sent.on('error', reject);
      sent.end();
    });
  try {
    assert.match(
      server.policy,
      /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-[\w+/]{43}='; style-src 'self'; connect-src 'self'; /,
    );
    assert.deepEqual(await ask('/'), [200, 'text/html; charset=utf-8']);
    assert.deepEqual(await ask('/main.js?1'), [200, 'text/javascript; charset=utf-8']);
    assert.deepEqual(await ask('/node_modules/crush-wasm/dist/index.js'), [
      200,
      'text/javascript; charset=utf-8',
    ]);
    assert.deepEqual(await ask('/osdmap', 'HEAD'), [200, 'application/octet-stream']);
    const served = fileURLToPath(new URL('../package.json', import.meta.url));
    for (const path of [
      '/package.json',
      served,
      '/../package.json',
      '/%2e%2e/package.json',
      '/constructor',
      '/node_modules/crush-wasm/dist/..%2f..%2fpackage.json',
      '/node_modules/crush-wasm/dist/nothing.js',
    ]) {
      assert.equal((await ask(path))[0], 404, path);
    }
    assert.equal((await ask('/', 'POST'))[0], 405);
  } finally {
    await server.close();
  }
});
