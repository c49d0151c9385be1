import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

describe.skipIf(CHROMIUM === undefined)('opening maps in the page', () => {
  afterAll(closeBrowser);

  it('opens the example, with no fault and no request', async () => {
    const { page, faults, requests, close } = await openPage();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'a small real cluster' }).click();
    await page.getByText('epoch 97').waitFor();
    await screenshot(page, 'summary');
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('says what is wrong with a file, and opens the next', async () => {
    const { page, faults, close } = await openPage();
    const input = page.locator('input[type=file]').first();
    await input.setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('not a map'),
    });
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/^notes\.txt: /);
    await input.setInputFiles('examples/cluster-8osd/osdmap');
    await page.getByText('epoch 97').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows the last of two files that are given at once, not the one that took longer', async () => {
    const { page, faults, close } = await openPage({ link: '#/pgs' });
    const input = page.locator('input[type=file]').first();
    const packed = await readFile('examples/cluster-8osd/osdmap');
    await input.setInputFiles({ name: 'packed', mimeType: '', buffer: gzipSync(packed) });
    await input.setInputFiles({ name: 'flat.txt', mimeType: 'text/plain', buffer: Buffer.from(FLAT) });
    await page.getByText('flat.txt · CRUSH map').waitFor();
    await page.locator('.pg-count').getByText('1,024 PGs').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('keeps what is looked at in a map of the user out of addresses of examples', async () => {
    const { page, faults, close } = await openPage({ link: '#/summary?example=cluster-8osd' });
    await page.getByText('a small real cluster · epoch 97').waitFor();
    await page.getByRole('link', { name: 'Hierarchy' }).click();
    await page.locator('input[type=file]').first().setInputFiles('examples/cluster-8osd/osdmap');
    await page.getByText('osdmap · epoch 97').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Summary' }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('#/summary');
    await page.getByRole('link', { name: 'PGs and objects' }).click();
    await page.locator('.virtual-rows .virtual-row').first().click();
    await page.getByRole('heading', { name: 'PG 1.0' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/pgs');
    expect(faults).toEqual([]);
    await close();
  });

  it('goes back to an example that was closed, and from one example to the other', async () => {
    const { page, faults, close } = await openPage({ link: '#/pools?example=cluster-8osd' });
    await page.getByText('8 pools').waitFor();
    await page.getByRole('link', { name: 'crush-wasm' }).click();
    await page.getByRole('heading', { name: 'Open a map' }).waitFor();
    await page.goBack();
    await page.getByText('8 pools').waitFor();
    await page.evaluate(() => (location.hash = '#/pools?example=large'));
    await page.getByText('3 pools').waitFor();
    await page.goBack();
    await page.getByText('8 pools').waitFor();
    await page.evaluate(() => (location.hash = '#/pools?example=nothing'));
    await page.getByRole('alert').getByText("there is no example 'nothing'").waitFor();
    await expect.poll(() => page.url()).toMatch(/#\/pools\?example=cluster-8osd$/);
    expect(faults).toEqual([]);
    await close();
  });

  it('says that of several files only two go together, and how a wrong checksum is ignored', async () => {
    const { page, faults, close } = await openPage();
    const input = page.locator('input[type=file]').first();
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: '', buffer });
    const bytes = await readFile('examples/cluster-8osd/osdmap');
    await input.setInputFiles(['a', 'b', 'c'].map((name) => file(name, bytes)));
    await page.getByRole('alert').getByText('3 files were given').waitFor();
    bytes[30] = (bytes[30] ?? 0) ^ 1;
    await input.setInputFiles(file('damaged', bytes));
    await page.getByRole('alert').getByText('damaged: ').waitFor();
    expect(await page.getByRole('alert').innerText()).not.toMatch(/ignore/);
    await page.getByRole('button', { name: 'Open it all the same' }).click();
    await page.getByText('damaged · epoch').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('says that the code of a view could not be loaded, and loads it later', async () => {
    const { page, close } = await openPage({ link: '#/summary?example=cluster-8osd' });
    await page.getByText('epoch 97').waitFor();
    await page.route(/pools-view/, (route) => route.abort());
    await page.getByRole('link', { name: 'Pools and rules' }).click();
    await page.getByText('The code of this view could not be loaded').waitFor();
    expect(await page.getByText('Loading …').count()).toBe(0);
    await page.unroute(/pools-view/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('8 pools').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await close();
  });

  it('scrolls what gets the focus clear of bars that stay in sight', async () => {
    const { page, faults, close } = await openPage({ link: '#/what-if?example=cluster-8osd&s.item=-7' });
    await page.getByText('of all shards move').first().waitFor();
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let i = 0; i < 45; i++) {
        await page.keyboard.press(key);
        const cover = await page.evaluate(() => {
          const focused = document.activeElement;
          if (focused === null || focused === document.body) return '';
          const { left, top, width, height } = focused.getBoundingClientRect();
          const above = document.elementFromPoint(
            left + Math.min(width, 20) / 2,
            top + Math.min(height, 20) / 2,
          );
          const bar = above?.closest('.effect-bar, .head');
          return bar && !bar.contains(focused) ? `${focused.outerHTML} under ${bar.className}` : '';
        });
        expect(cover).toBe('');
      }
    }
    expect(faults).toEqual([]);
    await close();
  });

  it('can be closed while something is being opened', async () => {
    const { page, faults, close } = await openPage({ link: '#/pools?example=large' });
    await page.getByRole('link', { name: 'crush-wasm' }).click();
    await page.getByRole('heading', { name: 'Open a map' }).waitFor();
    await page.getByRole('button', { name: 'a small real cluster' }).click();
    await page.getByText('epoch 97').waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

/** Four devices in one bucket. */
const FLAT = `
device 0 osd.0
device 1 osd.1
device 2 osd.2
device 3 osd.3
type 0 osd
type 1 root
root default {
  id -1
  alg straw2
  hash 0
  item osd.0 weight 1.0
  item osd.1 weight 1.0
  item osd.2 weight 1.0
  item osd.3 weight 1.0
}
rule any {
  id 0
  type replicated
  step take default
  step choose firstn 0 type osd
  step emit
}
`;
