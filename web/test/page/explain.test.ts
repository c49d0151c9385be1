import { afterAll, describe, expect, it } from 'vitest';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';
import { explainPg } from '../../../src/analysis/explain.ts';
import { readExample } from '../../src/worker/examples.ts';

const mapOf = (id: string) => {
  const { file } = readExample(id);
  if (file.kind !== 'osdmap') throw new Error('not an OSDMap');
  return file.map;
};

describe.skipIf(CHROMIUM === undefined)('explanations in the page', () => {
  afterAll(closeBrowser);

  it('tell a PG of the small example, its neighbours, and all items of a draw', async () => {
    const { page, faults, requests, close } = await openPage({
      link: '#/explain?example=cluster-8osd&s.pg=1.3',
    });
    const trace = explainPg(mapOf('cluster-8osd'), '1.3');
    await page.getByRole('heading', { name: /^PG 1\.3 of pool 1/ }).waitFor();
    const result = page.locator('.explain-result');
    for (const osd of trace.up) expect(await result.innerText()).toContain(`osd.${osd}`);
    await page.getByText(`The rule gives [${trace.crush.result.join(',')}]`).waitFor();
    await page.locator('.picture canvas').first().waitFor();
    expect(await page.locator('.picture-steps li.up').count()).toBe(trace.up.length);
    await screenshot(page, 'explain');
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole('button', { name: 'Copy as text' }).click();
    await page.getByText('Copied.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^PG 1\.3 of pool 1 'fsmeta'[^]*\nacting {2}\[3,6,1\], primary 3\n$/);

    await page.getByRole('button', { name: 'Open all' }).click();
    const more = page.getByRole('button', { name: /^Show all \d+ draws of / }).first();
    await more.click();
    const draws = page.getByRole('grid', { name: /^Draws from / }).first();
    await draws.getByText('taken').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.locator('.draw-table').first().scrollIntoViewIfNeeded();
    await screenshot(page, 'explain-draws');
    await page.getByRole('button', { name: 'Close all' }).click();
    await expect.poll(() => page.locator('.attempt').count()).toBe(0);

    await page.getByRole('button', { name: 'Next PG' }).click();
    await page.getByRole('heading', { name: /^PG 1\.4 of pool 1/ }).waitFor();
    expect(page.url()).toContain('s.pg=1.4');
    await page.goBack();
    await page.getByRole('heading', { name: /^PG 1\.3 of pool 1/ }).waitFor();
    await page.getByLabel('PG', { exact: true }).fill('1.0');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^PG 1\.0 of pool 1/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Previous PG' }).isDisabled()).toBe(true);
    await page.getByLabel('PG', { exact: true }).fill('77.0');
    await page.keyboard.press('Enter');
    await page.getByText('there is no pool 77').waitFor();
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('tell what the OSDMap lays over the rule, and objects', async () => {
    const map = mapOf('cluster-8osd');
    const [pool, entries] = [...map.pgUpmapItems, ...map.pgTemp][0]!;
    const [ps] = entries.keys();
    const { page, faults, close } = await openPage({
      link: `#/explain?example=cluster-8osd&s.pg=${pool}.${ps!.toString(16)}`,
      scheme: 'dark',
    });
    const overlay = page.getByRole('region', { name: '3. What the OSDMap lays over it' });
    await overlay
      .getByText(/pg_upmap_items|pg_temp/)
      .first()
      .waitFor();
    await screenshot(page, 'explain-dark');
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByText('Explain an object').click();
    await page.getByLabel('Object name').fill('rbd_header.1234');
    await page.getByRole('button', { name: 'Explain this object' }).click();
    await page.getByText(/rjenkins 0x[0-9a-f]{8}, folded to pg_num/).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('tell a wide PG of the large example, on a large screen and a small one', async () => {
    const link = '#/explain?example=large&s.pg=2.7abc';
    const wall = await openPage({ link, width: 3840, height: 2160, scheme: 'dark' });
    await wall.page.getByRole('heading', { name: /^PG 2\.7abc/ }).waitFor();
    await wall.page.locator('.picture-steps li').first().waitFor();
    await screenshot(wall.page, 'explain-4k-dark');
    expect(wall.faults).toEqual([]);
    await wall.close();
    const phone = await openPage({ link, width: 400, height: 800 });
    await phone.page.getByRole('heading', { name: /^PG 2\.7abc/ }).waitFor();
    await phone.page.locator('.picture-steps li').first().waitFor();
    expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    await screenshot(phone.page, 'explain-400');
    await phone.page.locator('.place').first().scrollIntoViewIfNeeded();
    await screenshot(phone.page, 'explain-400-rule');
    await phone.close();
  });

  it('tell PGs of a CRUSH map alone, with every algorithm and with MSR rules', async () => {
    const { page, faults, close } = await openPage();
    const input = page.locator('input[type=file]').first();
    for (const file of ['algorithms-v0', 'msr_s']) {
      await input.setInputFiles(`test/fixtures/crushmaps/${file}.crushmap`);
      await page.getByText(`${file}.crushmap`).waitFor();
      await page.getByRole('link', { name: 'Explain' }).click();
      await page.getByRole('heading', { name: /^PG \d+\.0 of/ }).waitFor();
      const pools = page.getByLabel('Pool').first();
      const ids = await pools
        .locator('option')
        .evaluateAll((all) => all.map((each) => (each as HTMLOptionElement).value));
      expect(ids.length).toBeGreaterThan(0);
      for (const id of ids) {
        await pools.selectOption(id);
        await page.getByRole('heading', { name: new RegExp(`^PG ${id}\\.0 of`) }).waitFor();
        await page.getByRole('button', { name: 'Open all' }).click();
      }
      await screenshot(page, `explain-${file}`);
      expect(page.url()).not.toContain('s.pg');
    }
    expect(faults).toEqual([]);
    await close();
  });
});
