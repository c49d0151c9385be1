import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { largeCluster } from '../../src/worker/large-cluster.ts';
import { writeCrushText } from '../../../src/formats/crush-text-write.ts';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

const LARGE = process.env.CRUSH_WEB_LARGE !== '0';
/** Lines of the large example's text; its field holds a window of them. */
const large = writeCrushText(largeCluster().crush);
const largeLines = large.split('\n');

const field = (page: Page) => page.getByRole('textbox', { name: 'CRUSH map text' });
const activeLine = (page: Page) => page.locator('.code-active-line');
const foot = (page: Page) => page.locator('.code-foot');

async function open(example: string, more: Parameters<typeof openPage>[0] = {}) {
  const opened = await openPage({ link: `#/text?example=${example}`, ...more });
  await opened.page.locator('.code-lines').getByText('choose_total_tries').waitFor();
  return opened;
}

/** The whole text, as it is saved. */
async function savedText(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save text' }).click(),
  ]);
  const stream = await download.createReadStream();
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

/** How far the field's lines are from those that are seen, in pixels: at its first line, and at its last in sight. */
async function misplaced(page: Page): Promise<number> {
  return page.evaluate(() => {
    const area = document.querySelector('textarea');
    const line = document.querySelector('.code-active-line');
    if (area === null || line === null) return NaN;
    const before = area.value.slice(0, area.selectionStart).split('\n').length - 1;
    const probe = document.querySelector('.code-probe')?.getBoundingClientRect().height ?? NaN;
    return line.getBoundingClientRect().top - (area.getBoundingClientRect().top + (before * probe) / 100);
  });
}

describe.skipIf(CHROMIUM === undefined)('the code area', () => {
  afterAll(closeBrowser);

  it('is a plain text field with lines under it', async () => {
    const { page, faults, close } = await open('cluster-8osd');
    await field(page).press('Control+Home');
    await page.keyboard.type('# one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('# two');
    expect((await field(page).inputValue()).startsWith('# one\n# two# begin crush map\n')).toBe(true);
    expect(await activeLine(page).innerText()).toBe('# two# begin crush map\n');
    expect(await foot(page).innerText()).toContain('Line 2, column 6');
    // What is typed in one go is taken back in one go.
    await page.keyboard.press('Control+z');
    expect((await field(page).inputValue()).startsWith('# one\n# begin')).toBe(true);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    expect((await field(page).inputValue()).startsWith('# begin crush map\n')).toBe(true);
    await page.keyboard.press('Control+y');
    expect((await field(page).inputValue()).startsWith('# one# begin')).toBe(true);
    await page.keyboard.press('Control+z');
    // Typing over what is selected, and deleting.
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('# x');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('y');
    expect((await field(page).inputValue()).startsWith('# y\n')).toBe(true);
    // Tab leaves the field.
    await page.keyboard.press('Tab');
    expect(await field(page).evaluate((it) => it === document.activeElement)).toBe(false);
    expect(faults).toEqual([]);
    await close();
  });

  it('keeps the indentation of the line before', async () => {
    const { page, close } = await open('cluster-8osd');
    await page.locator('.code-lines').getByText('item osd.0 weight').click({ force: true });
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('# here');
    expect(await field(page).inputValue()).toMatch(/\n\titem osd\.0 weight [\d.]+\n\t# here\n/);
    await close();
  });

  it('finds, replaces and goes to lines', async () => {
    const { page, faults, close } = await open('cluster-8osd');
    await field(page).press('Control+f');
    const bar = page.getByRole('search');
    await page.keyboard.type('ALG straw2');
    const found = (await field(page).inputValue()).split('alg straw2').length - 1;
    expect(found).toBeGreaterThan(2);
    await bar.getByText(`1 of ${found}`).waitFor();
    await page.keyboard.press('Enter');
    await bar.getByText(`2 of ${found}`).waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    await bar.getByText(`${found} of ${found}`).waitFor();
    expect((await page.locator('.code-found-now').allInnerTexts()).join('')).toBe('alg straw2');
    await screenshot(page, 'code-area-find');
    expect(await seriousFindings(page)).toEqual([]);
    await bar.getByLabel('Match case').check();
    await bar.getByText('none').waitFor();
    await bar.getByLabel('Match case').uncheck();
    await bar.getByLabel('Replace by').fill('alg straw');
    await bar.getByRole('button', { name: 'Replace', exact: true }).click();
    expect((await field(page).inputValue()).split(/alg straw$/m).length - 1).toBe(1);
    await bar.getByRole('button', { name: 'Replace all' }).click();
    await bar.getByText('replaced').waitFor();
    expect((await field(page).inputValue()).includes('straw2')).toBe(false);
    await bar.getByLabel('Line').fill('7');
    await bar.getByLabel('Line').press('Enter');
    expect(await foot(page).innerText()).toContain('Line 7, column 1');
    await page.keyboard.press('Escape');
    expect(await bar.count()).toBe(0);
    await page.keyboard.press('Control+z');
    expect((await field(page).inputValue()).split('alg straw2').length - 1).toBe(found - 1);
    await page.keyboard.press('Control+g');
    await page.keyboard.type('1000000\n');
    await bar.getByText(/there are lines 1 to/).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('keeps the cursor in sight beside the numbers of long lines', async () => {
    const { page, faults, close } = await open('cluster-8osd');
    await field(page).press('Control+Home');
    await page.keyboard.insertText(`# ${'long '.repeat(100)}`);
    const scroller = page.locator('.code-scroll');
    await expect.poll(() => scroller.evaluate((it) => it.scrollLeft)).toBeGreaterThan(1000);
    await page.keyboard.press('Home');
    await expect.poll(() => scroller.evaluate((it) => it.scrollLeft)).toBeLessThan(1);
    await page.keyboard.press('End');
    await expect.poll(() => scroller.evaluate((it) => it.scrollLeft)).toBeGreaterThan(1000);
    expect(faults).toEqual([]);
    await close();
  });

  it('takes what is composed, dragged over and pasted', async () => {
    const { page, faults, close } = await open('cluster-8osd');
    await field(page).press('Control+Home');
    const tool = await page.context().newCDPSession(page);
    await page.keyboard.type('# ');
    await tool.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
    await tool.send('Input.insertText', { text: '日本' });
    expect(await activeLine(page).innerText()).toBe('# 日本# begin crush map\n');
    await page.keyboard.press('Control+z');
    expect((await field(page).inputValue()).startsWith('# begin')).toBe(true);
    const box = await page.locator('.code-line').nth(2).boundingBox();
    if (box === null) throw new Error('the line is not shown');
    await page.mouse.move(box.x + 20, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 100, box.y + box.height * 2.5, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.press('Control+c');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^u?nable choose_local_fallback_tries 0\ntunable \w+ \d+\ntunable \w/);
    await page.keyboard.press('Control+x');
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Control+v');
    expect((await field(page).inputValue()).includes(copied + copied)).toBe(true);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.getByRole('button', { name: 'Revert' }).click();
    await page.locator('.text-state').getByText('As in the open map').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('is found as it was left', async () => {
    const { page, faults, close } = await open('cluster-8osd');
    const scroller = page.locator('.code-scroll');
    await page.locator('.code-lines').getByText('device 3 osd.3').click({ force: true });
    await page.keyboard.press('End');
    await page.keyboard.type(' # typed');
    await scroller.evaluate((it) => (it.scrollTop = 900));
    await page.getByRole('link', { name: 'Summary' }).click();
    await page.getByRole('link', { name: 'CRUSH text' }).click();
    await expect.poll(() => scroller.evaluate((it) => it.scrollTop)).toBe(900);
    await field(page).focus();
    await page.keyboard.press('Control+z');
    expect(await activeLine(page).innerText()).toMatch(/^device 3 osd\.3 class \w+\n$/);
    await page.locator('.text-state').getByText('As in the open map').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('tells what is wrong at the cursor', async () => {
    const { page, close } = await open('cluster-8osd', { width: 400, scheme: 'dark' });
    await field(page).press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.type('nonsense ');
    await page.locator('.code-mark-error').waitFor();
    expect((await page.locator('.code-wave-error').allInnerTexts()).join('')).toMatch(/choose_/);
    await page.keyboard.press('Control+Home');
    expect(await foot(page).getByRole('status').innerText()).toBe('');
    await page.keyboard.press('F8');
    const message = await foot(page).getByRole('status').innerText();
    expect(message).toMatch(/^error: /);
    expect(
      await field(page).evaluate(
        (it) => document.getElementById(it.getAttribute('aria-describedby') ?? '')?.textContent,
      ),
    ).toBe(message);
    expect(await page.locator('.code-mark-error').getAttribute('title')).toBe(message);
    await screenshot(page, 'code-area-400-dark');
    expect(await seriousFindings(page)).toEqual([]);
    // Without a keyboard, too.
    await page.getByRole('button', { name: 'Find…' }).click();
    await page.getByRole('search').getByLabel('Find', { exact: true }).fill('host1');
    await page.locator('.code-found').first().waitFor();
    await screenshot(page, 'code-area-400-find');
    expect(await seriousFindings(page)).toEqual([]);
    await close();
  });

  it.runIf(LARGE)('edits all of a long text through a window of it', async () => {
    const { page, faults, close } = await open('large');
    expect((await field(page).inputValue()).split('\n').length).toBeLessThan(3000);
    await field(page).press('Control+End');
    expect(await foot(page).innerText()).toContain(
      `Line ${largeLines.length.toLocaleString('en')}, column 1`,
    );
    expect(await misplaced(page)).toBeCloseTo(0, 0);
    await page.keyboard.type('# the end');
    // Scrolled away, the cursor stays, and keys go to where it is.
    const scroller = page.locator('.code-scroll');
    await scroller.evaluate((it) => (it.scrollTop = it.scrollHeight / 2));
    await page.waitForTimeout(300);
    await page.keyboard.type('!');
    await expect.poll(() => activeLine(page).innerText()).toBe('# the end!\n');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    // Who comes back into the field by the keyboard comes to the cursor.
    await scroller.evaluate((it) => (it.scrollTop = it.scrollHeight / 2));
    await page.waitForTimeout(300);
    await page.getByRole('button', { name: 'Save text' }).focus();
    await field(page).focus();
    await activeLine(page).waitFor();
    expect(await misplaced(page)).toBeCloseTo(0, 0);
    // In the middle, by the mouse.
    await scroller.evaluate((it) => (it.scrollTop = it.scrollHeight / 2));
    await page.waitForTimeout(300);
    const box = await scroller.boundingBox();
    if (box === null) throw new Error('the field is not shown');
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const at = /Line ([\d,]+)/.exec(await foot(page).innerText())?.[1]?.replaceAll(',', '') ?? '';
    const line = Number(at) - 1;
    expect(Math.abs(line - largeLines.length / 2)).toBeLessThan(50);
    expect(await misplaced(page)).toBeCloseTo(0, 0);
    await page.keyboard.press('End');
    await page.keyboard.type(' # here');
    expect(await activeLine(page).innerText()).toBe(`${largeLines[line]} # here\n`);
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageUp');
    expect(await foot(page).innerText()).toContain(`Line ${(line + 1).toLocaleString('en')}, column`);
    await page.keyboard.press('Control+z');
    // From a cursor that is out of the window up to where one clicks with Shift.
    await field(page).press('Control+Home');
    await scroller.evaluate((it) => (it.scrollTop = it.scrollHeight / 2));
    await page.waitForTimeout(300);
    await page.keyboard.down('Shift');
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.up('Shift');
    await page.keyboard.press('Control+c');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied.length).toBeGreaterThan(large.length / 3);
    expect(large.startsWith(copied)).toBe(true);
    // Dragged over more than a window.
    await field(page).press('Control+Home');
    await page.mouse.move(box.x + 150, box.y + 50);
    await page.mouse.down();
    for (let turn = 1; turn <= 3; turn++) {
      await page.mouse.move(box.x + 150, box.y + 100 + turn);
      await page.mouse.wheel(0, 9000);
      await expect.poll(() => scroller.evaluate((it) => it.scrollTop)).toBe(9000 * turn);
    }
    await page.mouse.move(box.x + 150, box.y + 200, { steps: 3 });
    await page.mouse.up();
    await page.keyboard.press('Control+c');
    const dragged = await page.evaluate(() => navigator.clipboard.readText());
    expect(dragged.split('\n').length).toBeGreaterThan(1300);
    expect(large.indexOf(dragged)).toBeLessThan(200);
    expect(large.includes(dragged)).toBe(true);
    // All of it, copied and typed over.
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(large);
    await page.keyboard.type('x');
    expect(await field(page).inputValue()).toBe('x');
    await page.keyboard.press('Control+z');
    expect(await savedText(page)).toBe(large);
    expect(faults).toEqual([]);
    await close();
  });
});
