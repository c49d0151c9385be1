import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { readMap } from '../../../src/formats/detect.ts';
import { writeCrushText } from '../../../src/formats/crush-text-write.ts';
import { writeOsdMapBinary } from '../../../src/formats/osdmap-encode.ts';
import { compareMaps } from '../../../src/analysis/compare.ts';
import { readExample } from '../../src/worker/examples.ts';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

const bytes = readFileSync('examples/cluster-8osd/osdmap');
const file = readMap(bytes);
if (file.kind !== 'osdmap') throw new Error('the example is an OSDMap');
const { map } = file;

/** The example with an OSD out. */
function changed() {
  const osdWeight = map.osdWeight.slice();
  osdWeight[3] = 0;
  return { ...map, epoch: map.epoch + 1, osdWeight };
}

const upload = (name: string, buffer: Uint8Array | string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(buffer),
});

describe.skipIf(CHROMIUM === undefined)('comparing in the page', () => {
  afterAll(closeBrowser);

  it('compares with another file, and back', async () => {
    const { page, faults, requests, close } = await openPage({ link: '#/compare?example=cluster-8osd' });
    await page.getByText('Nothing to compare yet').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const after = changed();
    const expected = compareMaps(map, after);
    const input = page.getByLabel('File to compare with');
    await input.setInputFiles(upload('next.gz', gzipSync(writeOsdMapBinary(after))));
    const headline = page.locator('.compare-headline');
    await headline.waitFor();
    expect(await headline.innerText()).toContain(
      `${expected.total.movedShards} of ${expected.total.shards} shards`,
    );
    await page.getByRole('button', { name: 'osd-out' }).waitFor();
    await screenshot(page, 'compare');
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Flows' }).click();
    await page.getByRole('grid', { name: 'Flows of shards' }).getByText('host').first().waitFor();
    await page.getByLabel('Between').selectOption('osd');
    await page.getByRole('gridcell', { name: 'osd.3' }).first().waitFor();
    await screenshot(page, 'compare-flows');
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole('tab', { name: 'OSD load' }).click();
    await page.getByRole('button', { name: 'leaving' }).click();
    const top = page.getByRole('grid', { name: 'OSD load' }).getByRole('row').nth(1);
    await expect.poll(() => top.innerText()).toMatch(/^osd\.3\s/);
    await screenshot(page, 'compare-osds');
    await top.click();
    await expect.poll(() => page.getByLabel('Find').inputValue()).toBe('osd.3');

    const all = page.getByRole('status').filter({ hasText: /PGs?$/ });
    await page.getByLabel('Find').fill('');
    await expect.poll(() => all.innerText()).toBe(`${expected.total.changedPgs} PGs`);
    await screenshot(page, 'compare-pgs');
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Differences' }).click();
    await page.getByRole('gridcell', { name: '0 (out)' }).waitFor();
    await screenshot(page, 'compare-differences');
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole('button', { name: 'Swap' }).click();
    await page.getByRole('tab', { name: 'What moves' }).click();
    await page.getByRole('button', { name: 'osd-in' }).waitFor();
    // Leaving the view and coming back shows the same at once.
    await page.getByRole('link', { name: 'Summary' }).click();
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'osd-in' }).waitFor({ timeout: 2000 });
    expect([faults, requests]).toEqual([[], []]);
    await close();
  });

  it('saves what it found', async () => {
    const { page, faults, close } = await openPage({ link: '#/compare?example=cluster-8osd' });
    await page.getByLabel('File to compare with').setInputFiles(upload('next', writeOsdMapBinary(changed())));
    const save = page.getByRole('button', { name: 'Save changed PGs (CSV)' });
    const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
    expect(download.suggestedFilename()).toBe('changed-pgs.csv');
    const text = readFileSync(await download.path(), 'utf8');
    expect(text.split('\n').length - 2).toBe(compareMaps(map, changed()).total.changedPgs);
    expect(faults).toEqual([]);
    await close();
  });

  it('takes a CRUSH map as that of the open OSDMap, and says what is wrong with a file', async () => {
    const { page, faults, close } = await openPage({
      link: '#/compare?example=cluster-8osd',
      width: 400,
      scheme: 'dark',
    });
    const input = page.getByLabel('File to compare with');
    await input.setInputFiles(upload('broken', 'no map at all'));
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(/^broken: /);
    const text = writeCrushText(map.crush).replace('choose_total_tries 50', 'choose_total_tries 51');
    await input.setInputFiles(upload('crush.txt', text));
    await page.getByText('crush.txt is a CRUSH map alone').waitFor();
    await page.getByRole('tab', { name: 'Differences' }).click();
    await page.getByRole('gridcell', { name: 'choose_total_tries' }).waitFor();
    await screenshot(page, 'compare-400-dark');
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('tab', { name: 'What moves' }).click();
    await screenshot(page, 'compare-400-dark-moves');
    expect(faults).toEqual([]);
    await close();
  });

  it('compares ten thousand OSDs while the page stays usable, and can be cancelled', async () => {
    const { page, faults, close } = await openPage({
      link: '#/compare?example=large',
      width: 3840,
      height: 2160,
      scheme: 'dark',
    });
    const large = readExample('large').file;
    if (large.kind !== 'osdmap') throw new Error('the large example is an OSDMap');
    const osdWeight = large.map.osdWeight.slice();
    for (let osd = 0; osd < 360; osd++) osdWeight[osd] = 0;
    const next = { ...large.map, epoch: 2, osdWeight };
    const input = page.getByLabel('File to compare with');
    await input.setInputFiles(upload('next', writeOsdMapBinary(next)));
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').waitFor();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const headline = page.locator('.compare-headline');
    await headline.waitFor({ timeout: 50_000 });
    const expected = compareMaps(large.map, next, { causes: false });
    expect(await headline.innerText()).toContain(`${expected.total.movedShards} of`);
    await screenshot(page, 'compare-4k-dark');
    await page.getByRole('tab', { name: 'Changed PGs' }).click();
    await page.getByRole('grid', { name: 'Changed PGs' }).getByText('osd-out').first().waitFor();
    await page.locator('.virtual-scroll').press('End');
    await expect.poll(() => page.getByRole('row', { selected: false }).last().innerText()).toMatch(/osd-out/);
    await screenshot(page, 'compare-4k-pgs');
    expect(faults).toEqual([]);
    await close();
  });
});
