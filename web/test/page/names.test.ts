import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { readMap } from '../../../src/formats/detect.ts';
import { writeOsdMapBinary } from '../../../src/formats/osdmap-encode.ts';
import { CHROMIUM, closeBrowser, openPage } from './page.ts';

/** What no page should take for more than a name. */
const NAMES = [
  '<img src=x onerror="document.title=1">',
  `"quoted" 'twice'`,
  '\u202eback\u202c',
  '😀',
  'long'.repeat(1000),
  'two\nlines',
  '__proto__',
  'constructor',
];

/** The example, with names of that kind for everything that has a name. */
function strangeMap(): Buffer {
  const read = readMap(new Uint8Array(readFileSync('examples/cluster-8osd/osdmap')));
  if (read.kind !== 'osdmap') throw new Error('the example is an OSDMap');
  const { map } = read;
  const strange = <Key>(names: ReadonlyMap<Key, string>): Map<Key, string> =>
    new Map([...names].map(([key, name], i) => [key, NAMES[i] ?? name]));
  const { itemNames, ruleNames, typeNames, classNames } = map.crush;
  const crush = {
    ...map.crush,
    itemNames: strange(itemNames),
    ruleNames: strange(ruleNames),
    typeNames: strange(typeNames),
    classNames: strange(classNames),
  };
  const pools = new Map(
    [...map.pools].map(([id, pool], i) => [id, { ...pool, name: NAMES[i] ?? pool.name }] as const),
  );
  return Buffer.from(writeOsdMapBinary({ ...map, crush, pools }));
}

const VIEWS = ['Hierarchy', 'Pools and rules', 'Distribution', 'PGs and objects', 'Explain', 'What if'];

async function show(page: Page, title: string): Promise<void> {
  await page.getByRole('link', { name: title, exact: true }).click();
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
  await page.waitForFunction(
    () => ![...document.querySelectorAll('[role=status]')].some((each) => each.textContent.endsWith('…')),
  );
}

describe.skipIf(CHROMIUM === undefined)('names in the page', () => {
  afterAll(closeBrowser);

  it('are text, whatever they are, and make no view wider than the window', async () => {
    const { page, faults, requests, close } = await openPage();
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: '<b>strange</b>.osdmap', mimeType: '', buffer: strangeMap() });
    await page.getByText('<b>strange</b>.osdmap · epoch 97').waitFor();
    for (const view of VIEWS) {
      await show(page, view);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([view, wider]).toEqual([view, 0]);
      expect(await page.title()).toBe(`${view} · crush-wasm`);
      expect(await page.locator('main img').count()).toBe(0);
    }
    expect(await page.evaluate(() => `${location.hash} ${localStorage.length}`)).toBe('#/what-if 0');
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });
});

describe.skipIf(CHROMIUM === undefined)('forced colours', () => {
  afterAll(closeBrowser);

  it('leave pictures and their legends their own', async () => {
    const { page, faults, close } = await openPage({ link: '#/hierarchy?example=cluster-8osd' });
    await page.emulateMedia({ forcedColors: 'active' });
    await page.reload();
    await page.getByText(/^within 10 % of its share/).waitFor();
    const boxes = await page
      .locator('.legend-box')
      .evaluateAll((all) => all.map((box) => getComputedStyle(box).backgroundColor));
    expect(new Set(boxes).size).toBeGreaterThan(4);
    const colours = await page
      .locator('canvas')
      .first()
      .evaluate((canvas) => {
        const { width, height } = canvas as HTMLCanvasElement;
        const context = (canvas as HTMLCanvasElement).getContext('2d');
        const found = new Set<string>();
        const { data } = context?.getImageData(0, 0, width, height) ?? { data: [] };
        for (let x = 10; x < width; x += 50) {
          for (let y = 10; y < height; y += 20) {
            const at = 4 * (y * width + x);
            found.add(data.slice(at, at + 4).toString());
          }
        }
        return found.size;
      });
    expect(colours).toBeGreaterThan(4);
    expect(faults).toEqual([]);
    await close();
  });
});
