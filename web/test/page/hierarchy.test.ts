import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

const SMALL = '#/hierarchy?example=cluster-8osd';
const LARGE = '#/hierarchy?example=large';

const picture = (page: Page) => page.getByRole('application');
const tree = (page: Page) => page.getByRole('treegrid');
const names = (page: Page) => page.locator('.virtual-rows .tree-name').allInnerTexts();
const chosen = (page: Page) => page.locator('.virtual-row[aria-selected=true] .tree-name');
const shownPart = (page: Page) => page.locator('.breadcrumb').innerText();
const loadsAreIn = (page: Page) => page.locator('.virtual-rows').getByText('%').first().waitFor();
/** The line that screen readers are told of the picture's active item. */
const told = (page: Page) => page.locator('.picture [aria-live]').innerText();

/** Clicks at a place of the picture, in parts of its width and height. */
async function clickAt(page: Page, across: number, down: number): Promise<void> {
  const box = await picture(page).boundingBox();
  if (box === null) throw new Error('the picture is not shown');
  await page.mouse.click(box.x + across * box.width, box.y + down * box.height);
}

/** The colour of the picture at a place, as red, green and blue. */
async function colourAt(page: Page, across: number, down: number): Promise<number[]> {
  return page.evaluate(
    ([x, y]) => {
      const canvas = document.querySelector('canvas');
      // Read from a copy of one pixel: Chromium warns of canvases that are read several times.
      const copy = document.createElement('canvas');
      copy.width = copy.height = 1;
      const context = copy.getContext('2d');
      if (canvas === null || context === null) return [];
      context.drawImage(canvas, -Math.round(x * canvas.width), -Math.round(y * canvas.height));
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    },
    [across, down] as const,
  );
}

describe.skipIf(CHROMIUM === undefined)('the hierarchy', () => {
  afterAll(closeBrowser);

  it('shows picture and tree of the example, and goes into buckets by click', async () => {
    const { page, faults, requests, close } = await openPage({ link: SMALL });
    await loadsAreIn(page);
    await screenshot(page, 'hierarchy');
    expect(await seriousFindings(page)).toEqual([]);
    expect(await names(page)).toHaveLength(15);
    const osd2 = page.locator('.virtual-rows .virtual-row', { hasText: 'osd.2' });
    const cells = (await osd2.locator('[role=gridcell]').allInnerTexts()).map((text) => text.trim());
    expect(cells).toEqual([
      ...['osd.2', '2', 'osd', 'hdd', '7.277', '0.350', 'up'],
      ...['53', '142.3', '−62.7 %', '26'],
    ]);
    // host1, in the third column, is far below its share; host0, above it, far above.
    expect(await colourAt(page, 0.7, 0.5)).toEqual([0x21, 0x66, 0xac]);
    expect(await colourAt(page, 0.7, 0.02)).toEqual([0xb2, 0x40, 0x1d]);
    // The second column holds the racks.
    await clickAt(page, 0.37, 0.3);
    expect(await shownPart(page)).toMatch(/everything\s+default\s+rack0/);
    expect(await chosen(page).innerText()).toContain('rack0');
    await page.getByRole('button', { name: 'everything' }).click();
    expect(await shownPart(page)).toBe('everything');
    // What is chosen is in the link of an example, and is chosen again by it.
    await clickAt(page, 0.9, 0.5);
    expect(await chosen(page).innerText()).toContain('osd.3');
    expect(page.url()).toMatch(/s\.item=3$/);
    await page.reload();
    await chosen(page).getByText('osd.3').waitFor();
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('is walked through by keys, in the picture and in the tree', async () => {
    const { page, faults, close } = await openPage({ link: SMALL });
    await loadsAreIn(page);
    await picture(page).focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
    expect(await told(page)).toMatch(
      /^rack1, type rack, weight 13\.607, OSDs 4, shards 507, expected 302\.5,/,
    );
    await page.keyboard.press('Enter');
    expect(await shownPart(page)).toMatch(/default\s+rack1$/);
    expect(await chosen(page).innerText()).toContain('rack1');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    expect(await told(page)).toMatch(
      /^osd\.7, type osd, class ssd, .*state up, out, shards 0, expected 0\.0/,
    );
    await page.keyboard.press('Space');
    expect(await chosen(page).innerText()).toContain('osd.7');
    await page.keyboard.press('Escape');
    expect(await shownPart(page)).toMatch(/everything\s+default$/);

    await tree(page).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    expect(await names(page)).toHaveLength(1);
    await page.keyboard.press('*');
    expect(await names(page)).toHaveLength(15);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    expect(await chosen(page).innerText()).toContain('host3');
    const active = await tree(page).getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${active ?? ''}"]`).innerText()).toContain('host3');
    expect(faults).toEqual([]);
    await close();
  });

  it('finds, orders and colours', async () => {
    const { page, faults, close } = await openPage({ link: SMALL });
    await loadsAreIn(page);
    await page.getByRole('searchbox').fill('class:ssd');
    await page.getByText('4 matches').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('match 1 of 4').waitFor();
    expect(await chosen(page).innerText()).toContain('osd.1');
    await page.keyboard.press('Shift+Enter');
    await page.getByText('match 4 of 4').waitFor();
    await page.getByLabel('only matches').check();
    expect((await names(page)).map((name) => name.trim().split(/\s+/).at(-1))).toEqual([
      ...['default', 'rack0', 'host0', 'osd.1', 'host1', 'osd.3'],
      ...['rack1', 'host2', 'osd.5', 'host3', 'osd.7'],
    ]);
    await page.getByRole('searchbox').fill('nothing like this');
    await page.getByText('0 matches').waitFor();
    await page.getByText('Nothing fits the search.').waitFor();
    await page.getByRole('searchbox').fill('');
    const deviation = page.getByRole('button', { name: 'Deviation' });
    await deviation.click();
    await deviation.click();
    expect((await names(page)).slice(0, 3).map((name) => name.trim().split(/\s+/).at(-1))).toEqual([
      ...['default', 'rack1', 'host2'],
    ]);
    await page.getByRole('combobox', { name: 'Colour' }).selectOption('class');
    await page.getByLabel('Colours and marks').getByText('ssd').waitFor();
    await page.getByRole('combobox', { name: 'Picture' }).selectOption('treemap');
    await screenshot(page, 'hierarchy-class');
    for (const way of ['state', 'reweight'])
      await page.getByRole('combobox', { name: 'Colour' }).selectOption(way);
    await page.getByLabel('Colours and marks').getByText('0.75 to 1').waitFor();
    await page.getByRole('combobox', { name: 'Pool' }).selectOption('3');
    await page.getByText('Counting PGs').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('shows ten thousand OSDs', async () => {
    const { page, faults, requests, close } = await openPage({ link: LARGE, scheme: 'dark' });
    await loadsAreIn(page);
    expect(await seriousFindings(page)).toEqual([]);
    await screenshot(page, 'hierarchy-large');
    await page.getByRole('searchbox').fill('osd.9999');
    await page.keyboard.press('Enter');
    await page.getByText('match 1 of 1').waitFor();
    expect(await chosen(page).innerText()).toContain('osd.9999');
    await page.getByLabel('Open down to').selectOption('3');
    expect(await tree(page).getAttribute('aria-rowcount')).toBe('10670');
    await clickAt(page, 0.5, 0.03);
    expect(await shownPart(page)).toMatch(/default$/);
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it.each([
    ['narrow', 400, 800],
    ['wide', 3840, 2160],
  ] as const)('fits pages that are %s', async (name, width, height) => {
    const { page, faults, close } = await openPage({ link: SMALL, width, height, scheme: 'dark' });
    await loadsAreIn(page);
    await screenshot(page, `hierarchy-${name}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('says where a text is wrong, and shows a CRUSH map without rules', async () => {
    const { page, faults, close } = await openPage();
    const types = 'device 0 osd.0 class hdd\ntype 0 osd\ntype 1 host\ntype 11 root\n';
    const host = 'host one {\n id -1\n alg straw2\n hash 0\n item osd.0 weight 1.000\n}\n';
    const input = page.locator('input[type=file]').first();
    const give = (name: string, text: string) =>
      input.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await give('broken.txt', `${types}host "odd {`);
    expect(await page.getByRole('alert').innerText()).toMatch(/^broken\.txt: line 5, column 6: /);
    await give('alone.txt', types + host);
    await page.getByRole('link', { name: 'Hierarchy' }).click();
    await page.getByText('CRUSH map alone').waitFor();
    await tree(page).getByText('osd.0').waitFor();
    expect(await names(page)).toHaveLength(2);
    expect(faults).toEqual([]);
    await close();
  });
});
