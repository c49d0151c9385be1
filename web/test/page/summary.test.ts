import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { readMap } from '../../../src/formats/detect.ts';
import { writeCrushBinary } from '../../../src/formats/crushmap-encode.ts';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

const LINK = '#/summary?example=cluster-8osd';
const EXAMPLE = 'examples/cluster-8osd/osdmap';

const panel = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });
const allIsIn = (page: Page) => page.getByRole('heading', { name: /^Problems: / }).waitFor();

describe.skipIf(CHROMIUM === undefined)('the summary', () => {
  afterAll(closeBrowser);

  it('tells what the map is', async () => {
    const { page, faults, requests, close } = await openPage({ link: LINK });
    await allIsIn(page);
    await screenshot(page, 'summary');
    expect(await seriousFindings(page)).toEqual([]);
    const cluster = await panel(page, 'Cluster').innerText();
    expect(cluster).toMatch(/epoch\s+97/);
    expect(cluster).toMatch(/OSDs required\s+pacific or newer/);
    expect(await panel(page, 'File').innerText()).toMatch(/checksum\s+fits the content/);
    expect(await panel(page, 'OSDs').innerText()).toMatch(/up\s+8\s+down\s+0\s+in\s+7\s+out\s+1/);
    expect(await panel(page, 'Tunables').innerText()).toMatch(/profile\s+jewel/);
    expect(await page.getByRole('heading', { name: /^Problems/ }).innerText()).toBe(
      'Problems: 8 warnings, 3 notes',
    );
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('leads to what it tells of', async () => {
    const { page, faults, close } = await openPage({ link: LINK });
    await allIsIn(page);
    await page.getByRole('button', { name: 'item host1~hdd' }).click();
    await page.locator('.virtual-row[aria-selected=true]', { hasText: 'host1' }).waitFor();
    await page.getByRole('link', { name: 'Summary' }).click();
    // The one OSD that is out.
    await panel(page, 'OSDs').getByRole('button', { name: '1', exact: true }).click();
    await page.getByText('1 match').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('state:out');
    await page.goBack();
    await panel(page, 'Pools').getByRole('button', { name: '8', exact: true }).click();
    await page.locator('.view-pools').waitFor();
    await page.goBack();
    // Of a rule, the panel of the rule; of its pool, the row.
    await page.getByRole('button', { name: 'pool 7, rule 4 (ec), step 3, type 1 (host)' }).click();
    const row = page.locator('tr[aria-current]');
    await row.waitFor();
    expect(await row.innerText()).toMatch(/^7\s/);
    expect(faults).toEqual([]);
    await close();
  });

  it('opens what has a wrong checksum only when told to, and says so', async () => {
    const { page, faults, close } = await openPage();
    const buffer = readFileSync(EXAMPLE);
    buffer[30] = (buffer[30] ?? 0) ^ 1;
    const input = page.locator('input[type=file]').first();
    await input.setInputFiles({ name: 'osdmap.97', mimeType: 'application/octet-stream', buffer });
    expect(await page.getByRole('alert').innerText()).toMatch(/^osdmap\.97: .*checksum/);
    await page.getByRole('button', { name: 'Open it all the same' }).click();
    await allIsIn(page);
    expect(await panel(page, 'File').innerText()).toMatch(/checksum\s+does not fit the content/);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('tells why nothing can be mapped, and all the rest', async () => {
    const file = readMap(new Uint8Array(readFileSync(EXAMPLE)));
    if (file.kind !== 'osdmap') throw new Error('the example is no OSDMap');
    const { crush } = file.map;
    // host1, at -9, holds the root.
    const buckets = crush.buckets.map((bucket) =>
      bucket?.id === -9 ? { ...bucket, items: Int32Array.of(-1, ...bucket.items.slice(1)) } : bucket,
    );
    const bytes = writeCrushBinary({ ...crush, buckets });
    const { page, faults, close } = await openPage({ width: 400, height: 900 });
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'ring',
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(bytes),
      });
    await allIsIn(page);
    expect(await page.getByRole('alert').innerText()).toMatch(/^Nothing can be mapped from this map: /);
    expect(await panel(page, 'CRUSH map').innerText()).toMatch(/devices\s+8 in buckets/);
    await page.getByText('cycle', { exact: true }).waitFor();
    await screenshot(page, 'summary-narrow');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
    await page.getByRole('link', { name: 'Hierarchy' }).click();
    await page.getByRole('treegrid').getByText('osd.3').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('is read in the dark and from far away', async () => {
    const { page, close } = await openPage({ link: LINK, width: 3840, height: 2160, scheme: 'dark' });
    await allIsIn(page);
    await screenshot(page, 'summary-wide');
    expect(await seriousFindings(page)).toEqual([]);
    await close();
  });
});
