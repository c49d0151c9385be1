import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { writeOsdMapBinary } from '../../../src/formats/osdmap-encode.ts';
import { readExample } from '../../src/worker/examples.ts';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

const SMALL = '#/pgs?example=cluster-8osd';
const LARGE = '#/pgs?example=large';

const rows = (page: Page) => page.locator('.virtual-rows > .virtual-row');
const found = (page: Page) => page.locator('.pg-count');

/** The text of a row's cells. */
const cellsOf = (page: Page, row: number) => rows(page).nth(row).locator('> div').allInnerTexts();

describe.skipIf(CHROMIUM === undefined)('PGs in the page', () => {
  afterAll(closeBrowser);

  it('are listed, searched, chosen, ordered and saved', async () => {
    const { page, faults, requests, close } = await openPage({ link: SMALL });
    await found(page).getByText('321 PGs').waitFor();
    await screenshot(page, 'pgs');
    expect(await seriousFindings(page)).toEqual([]);

    const search = page.getByRole('searchbox', { name: 'Search' });
    await search.fill('osd.3');
    await found(page)
      .getByText(/^\d+ of 321 PGs$/)
      .waitFor();
    for (let row = 0; row < 5; row++) {
      const [, up, , acting] = await cellsOf(page, row);
      expect(`${up} ${acting}`.split(/\s+/)).toContain('3');
    }
    await search.fill('primary:osd.3');
    await page.waitForFunction(() => document.querySelectorAll('.virtual-row .osd').length > 0);
    await search.fill('nothing-of-that-name');
    await page.getByText('this map has no OSD or bucket nothing-of-that-name').waitFor();
    await found(page).getByText('0 of 321 PGs').waitFor();
    await search.fill('');
    await found(page).getByText('321 PGs').waitFor();

    await page.getByRole('button', { name: 'acting primary' }).click();
    const primary = async () => (await cellsOf(page, 0))[4];
    await expect.poll(primary).toMatch(/none|^0$/);
    await page.getByRole('button', { name: 'acting primary' }).click();
    await expect.poll(primary).toBe('6');
    await page.getByRole('button', { name: 'PG ▼' }).isVisible();

    await page.getByLabel('Only').selectOption('exception');
    await found(page)
      .getByText(/^\d+ of 321 PGs$/)
      .waitFor();
    await rows(page).first().locator('.pg-name').click();
    await page.getByRole('heading', { name: /^PG \d+\.[0-9a-f]+$/ }).waitFor();
    await screenshot(page, 'pgs-exception');
    expect(await seriousFindings(page)).toEqual([]);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const file = await (await download).path();
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines[0]).toBe('pgid,raw,raw_primary,up,up_primary,acting,acting_primary,notes');
    expect((await found(page).innerText()).startsWith(`${lines.length - 1} of`)).toBe(true);

    await rows(page).first().locator('button.osd').first().click();
    await expect.poll(() => page.url()).toMatch(/#\/hierarchy\?.*s\.item=\d+/);
    await page.getByRole('button', { name: /^PGs of osd\.\d$/ }).click();
    await expect.poll(() => search.inputValue()).toMatch(/^osd\.\d$/);
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('are gone to by their ids and by the keyboard', async () => {
    const { page, faults, close } = await openPage({ link: LARGE });
    await found(page).getByText('100,352 PGs').waitFor();
    await page.getByLabel('Go to PG').fill('2.7abc');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'PG 2.7abc' }).waitFor();
    await page.locator('.virtual-row.chosen .pg-name').getByText('2.7abc').waitFor();
    await screenshot(page, 'pgs-large');
    await page.locator('.virtual-scroll').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'PG 2.7abd' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'PG 3.7ff' }).waitFor();
    // The same PG again, after the table was scrolled away from it.
    await page.locator('.virtual-scroll').evaluate((element) => (element.scrollTop = 0));
    await page.getByLabel('Go to PG').fill('3.7ff');
    await page.keyboard.press('Enter');
    await page.locator('.virtual-row.chosen .pg-name').getByText('3.7ff').waitFor();
    await page.getByLabel('Go to PG').fill('pg 3');
    await page.keyboard.press('Enter');
    await page.getByText('A PG looks like 4.1f').waitFor();
    await page.getByLabel('Go to PG').fill('9.1');
    await page.keyboard.press('Enter');
    await page
      .getByText(/there is no pool 9/)
      .first()
      .waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('rack03 class:ssd');
    await found(page)
      .getByText(/of 100,352 PGs/)
      .waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('of objects are found and explained', async () => {
    const { page, faults, requests, close } = await openPage({ link: SMALL });
    await page.getByLabel('Object name').fill('rbd_header.1234');
    const panel = page.getByRole('region', { name: 'Find an object' });
    await panel.getByText('0x').waitFor();
    const hash = await panel.locator('.mono').innerText();
    await page.getByLabel('Namespace').fill('tenant');
    await expect.poll(() => panel.locator('.mono').innerText()).not.toBe(hash);
    await page.getByLabel('Object name').fill('a\\q');
    await page.getByRole('checkbox').check();
    await panel.getByText('is no escape').waitFor();
    await page.getByLabel('Object name').fill('a\\xff');
    await panel.getByText('0x').waitFor();
    await page.getByRole('button', { name: 'Explain this object' }).click();
    await page.getByText(/rjenkins 0x/).waitFor();
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('that changes have moved are found, and explained before and after', async () => {
    const { page, faults, close } = await openPage({ link: '#/what-if?example=cluster-8osd' });
    const field = page.getByRole('searchbox', { name: 'Find an OSD or bucket' });
    await field.fill('name:osd.3');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Mark out' }).click();
    await page.locator('.head .badge').getByText('changed').waitFor();
    await page.getByRole('link', { name: 'PGs and objects' }).click();
    await page.getByLabel('Only').selectOption('moved');
    await found(page)
      .getByText(/^\d+ of 321 PGs$/)
      .waitFor();
    const head = await page.locator('.virtual-head').innerText();
    expect(head).toContain('up before changes');
    const [name = '', up = '', before = ''] = await cellsOf(page, 0);
    expect(up).not.toBe(before);
    await rows(page).first().locator('.pg-name').click();
    await page.getByRole('heading', { name: `PG ${name}` }).waitFor();
    await screenshot(page, 'pgs-moved');
    await page.getByRole('button', { name: 'Explain this PG' }).click();
    const sets = page.locator('.explain-result .set-lines');
    const shown = (set: string) => set.split(/\s+/).map((osd) => (osd === 'none' ? osd : `osd.${osd}`));
    await expect
      .poll(async () => (await sets.innerText()).split(/\s+/))
      .toEqual(expect.arrayContaining(shown(up)));
    await page.getByLabel(/^Map with the changes/).selectOption('original');
    await expect
      .poll(async () => (await sets.innerText()).split(/\s+/))
      .toEqual(expect.arrayContaining(shown(before)));
    expect(faults).toEqual([]);
    await close();
  });

  it('are shown on a small screen, on a large one, and dark', async () => {
    const phone = await openPage({ link: SMALL, width: 400, height: 800 });
    await found(phone.page).getByText('321 PGs').waitFor();
    await screenshot(phone.page, 'pgs-400');
    expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    await phone.close();
    const wall = await openPage({
      link: `${LARGE}&s.pg=2.7abc`,
      width: 3840,
      height: 2160,
      scheme: 'dark',
    });
    await wall.page.getByRole('heading', { name: 'PG 2.7abc' }).waitFor();
    await screenshot(wall.page, 'pgs-4k-dark');
    await wall.close();
    const dark = await openPage({ link: `${SMALL}&s.pg=8.2`, scheme: 'dark' });
    await dark.page.getByRole('heading', { name: 'PG 8.2' }).waitFor();
    expect(await seriousFindings(dark.page)).toEqual([]);
    await dark.close();
  });

  it('of a map without pools are none, of a CRUSH map alone those that are made up', async () => {
    const { page, faults, close } = await openPage();
    const input = page.locator('input[type=file]').first();
    await input.setInputFiles('test/fixtures/crushmaps/s.crushmap');
    await page.getByRole('link', { name: 'PGs and objects' }).click();
    await found(page).getByText(/PGs$/).waitFor();
    await page.getByText('This file is a CRUSH map alone').waitFor();
    expect(await rows(page).count()).toBeGreaterThan(5);
    expect(page.url()).not.toContain('s.');
    const { file } = readExample('cluster-8osd');
    if (file.kind !== 'osdmap') throw new Error('not an OSDMap');
    await input.setInputFiles({
      name: 'no-pools.osdmap',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(writeOsdMapBinary({ ...file.map, pools: new Map() })),
    });
    await page.getByText('no-pools.osdmap').waitFor();
    await page.getByText('There are no PGs.').waitFor();
    await page.getByRole('link', { name: 'Explain' }).click();
    await page.getByText('This map has no pools, so there are no PGs to explain.').waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
