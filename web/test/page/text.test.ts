import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { readMap } from '../../../src/formats/detect.ts';
import { writeCrushText } from '../../../src/formats/crush-text-write.ts';
import { writeCrushBinary } from '../../../src/formats/crushmap-encode.ts';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

const LARGE = process.env.CRUSH_WEB_LARGE !== '0';
const file = readMap(readFileSync('examples/cluster-8osd/osdmap'));
if (file.kind !== 'osdmap') throw new Error('the example is an OSDMap');
const { crush } = file.map;

const field = (page: Page) => page.getByRole('textbox', { name: 'CRUSH map text' });
const lines = (page: Page) => page.locator('.code-lines');
const activeLine = (page: Page) => page.locator('.code-active-line');
const effect = (page: Page) => page.locator('.apply-effect');

/** Replaces the first find by search and replace, as a user would: by the keyboard. */
async function replace(page: Page, find: string, by: string): Promise<void> {
  await field(page).press('Control+f');
  await page.locator('input[name=search]').fill(find);
  await page.locator('input[name=replace]').fill(by);
  await page.locator('button[name=replaceAll]').click();
  await page.locator('input[name=search]').press('Escape');
}

describe.skipIf(CHROMIUM === undefined)('the CRUSH map as text in the page', () => {
  afterAll(closeBrowser);

  it('edits, tells what moves, and applies', async () => {
    const { page, faults, requests, close } = await openPage({ link: '#/text?example=cluster-8osd' });
    await lines(page).getByText('choose_total_tries').waitFor();
    // Styles that the policy forbids would be missing, and a fault.
    expect(
      await page
        .locator('.crush-keyword')
        .first()
        .evaluate((it) => getComputedStyle(it).fontWeight),
    ).toBe('600');
    await page.locator('.text-problems summary').waitFor();
    await screenshot(page, 'text');
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);

    await replace(page, 'step chooseleaf firstn 0 type host', 'step chooseleaf firstn 0 type osd');
    await effect(page)
      .getByText(/moves .* % of shards/)
      .waitFor();
    await screenshot(page, 'text-edited');
    expect(await seriousFindings(page)).toEqual([]);

    // Unsaved text stays while another view is shown.
    await page.getByRole('link', { name: 'Pools and rules' }).click();
    await page.getByRole('link', { name: 'CRUSH text' }).click();
    await page.getByText('Edited, not applied').waitFor();

    await page.getByRole('button', { name: 'Apply' }).click();
    await page.locator('.text-state').getByText('As in the open map').waitFor();
    await page.locator('.badge').getByText('changed').waitFor();
    await page.getByRole('button', { name: 'Compare it with what was read' }).click();
    await page.getByRole('button', { name: 'rule', exact: true }).waitFor();
    expect([faults, requests]).toEqual([[], []]);
    await close();
  });

  it('shows an error at its line, and leads there', async () => {
    const { page, faults, close } = await openPage({
      link: '#/text?example=cluster-8osd',
      width: 400,
      scheme: 'dark',
    });
    await lines(page).getByText('choose_total_tries').waitFor();
    await replace(page, 'alg straw2', 'alg straw3');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/^Line \d+, column \d+: .*straw2/);
    await alert.getByRole('button', { name: 'Show' }).click();
    await activeLine(page).getByText('straw3').waitFor();
    await page.locator('.code-mark-error').first().waitFor();
    await field(page).press('Control+Home');
    await activeLine(page).getByText('begin crush map').waitFor();
    await field(page).press('F8');
    await activeLine(page).getByText('straw3').waitFor();
    await screenshot(page, 'text-400-dark');
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Revert' }).click();
    await page.locator('.text-state').getByText('As in the open map').waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('leads from the picture to the line, and from the line to the picture', async () => {
    const { page, faults, close } = await openPage({ link: '#/text?example=cluster-8osd' });
    await lines(page).getByText('choose_total_tries').waitFor();
    await page.locator('.text-problems summary').waitFor();
    const picture = page.getByRole('application');
    await picture.press('ArrowDown');
    await picture.press(' ');
    await activeLine(page).getByText('root default {').waitFor();
    await picture.press('ArrowRight');
    await picture.press(' ');
    await activeLine(page).getByText('rack rack0 {').waitFor();
    await lines(page).getByText('item osd.3 weight').click({ force: true });
    await picture.focus();
    await page.locator('.text-picture [aria-live]').getByText('osd.3').waitFor({ state: 'attached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('saves text and binary', async () => {
    const { page, faults, close } = await openPage({ link: '#/text?example=cluster-8osd' });
    await lines(page).getByText('choose_total_tries').waitFor();
    const save = async (name: string): Promise<Buffer> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ]);
      return readFileSync(await download.path());
    };
    expect((await save('Save text')).toString()).toMatch(/^# begin crush map\n/);
    const saved = readMap(await save('Save binary'));
    expect(saved.kind === 'crushmap' && saved.map.itemNames.get(-1)).toBe(crush.itemNames.get(-1));
    expect(faults).toEqual([]);
    await close();
  });

  it('repairs a CRUSH map from which nothing can be mapped', async () => {
    // The root holds itself.
    const buckets = crush.buckets.map((bucket) =>
      bucket?.id === -1 ? { ...bucket, items: Int32Array.of(-1, ...bucket.items.slice(1)) } : bucket,
    );
    const { page, faults, close } = await openPage();
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'broken',
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(writeCrushBinary({ ...crush, buckets })),
      });
    await page.getByRole('link', { name: 'CRUSH text' }).click();
    await page.getByText('This map has no complete text form').waitFor();
    await page.getByText('Nothing can be mapped from this map').waitFor();
    await screenshot(page, 'text-broken');
    await field(page).press('Control+a');
    await page.keyboard.insertText(writeCrushText(crush));
    await page.getByText('Edited, not applied').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.locator('.text-state').getByText('As in the open map').waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await page.getByRole('link', { name: 'Distribution' }).click();
    await page.getByRole('heading', { level: 3 }).first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it.runIf(LARGE)(
    'takes in what is typed into the text of ten thousand OSDs, and prints how long that takes',
    async () => {
      const { page, faults, close } = await openPage({ link: '#/text?example=large', scheme: 'dark' });
      await lines(page).getByText('choose_total_tries').waitFor();
      await page.locator('.text-problems summary, .editor-keys').first().waitFor();
      await field(page).press('Control+Home');
      // Keys to what is painted after them, while the worker checks what was typed before.
      const times: number[] = [];
      for (const letter of '# a comment typed at the top') {
        times.push(
          await page.evaluate(async (key) => {
            document.querySelector('textarea')?.focus();
            const start = performance.now();
            // There is no other way to type from within, where the time can be taken.
            // eslint-disable-next-line @typescript-eslint/no-deprecated
            document.execCommand('insertText', false, key);
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            return performance.now() - start;
          }, letter),
        );
        await page.waitForTimeout(60);
      }
      const sorted = times.sort((a, b) => a - b);
      console.log(
        `a key takes ${sorted[14]?.toFixed(0)} ms at the median, ${sorted.at(-1)?.toFixed(0)} ms at most`,
      );
      expect(await field(page).inputValue()).toContain('# a comment typed at the top');
      await effect(page).getByText('Applying this changes nothing').waitFor({ timeout: 30_000 });
      await page.setViewportSize({ width: 3840, height: 2160 });
      await screenshot(page, 'text-4k-dark');
      expect(faults).toEqual([]);
      await close();
    },
  );
});
