import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { CHROMIUM, closeBrowser, openPage } from './page.ts';

/**
 * From the click to the new numbers in the page, on 10,080 OSDs and 100,352 PGs. Run on a machine that does nothing
 * else: `CRUSH_MEASURE=1 npx vitest run --config web/vitest.config.ts web/test/page/what-if-speed.test.ts`.
 */
const MEASURE = process.env.CRUSH_MEASURE === '1' && CHROMIUM !== undefined;

/** Rounds of each kind, of which the median is printed. */
const TIMES = 7;

/** What is done to an element that is found by its label: a click, or a value given to it. */
interface Step {
  readonly selector: string;
  readonly value?: string;
}

/** Does a step in the page, and gives the milliseconds until the effect is another. */
async function timed(page: Page, step: Step): Promise<number> {
  return page.evaluate(async ({ selector, value }) => {
    const element = document.querySelector<HTMLElement>(selector);
    const effect = document.querySelector('.effect');
    if (element === null || effect === null) throw new Error(`${selector} is not there`);
    return new Promise<number>((done) => {
      const start = performance.now();
      new MutationObserver((_, observer) => {
        observer.disconnect();
        done(performance.now() - start);
      }).observe(effect, { attributes: true, attributeFilter: ['data-version'] });
      if (value === undefined) element.click();
      else {
        (element as HTMLInputElement | HTMLSelectElement).value = value;
        element.dispatchEvent(
          new Event(element instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }),
        );
      }
    });
  }, step);
}

async function pick(page: Page, name: string): Promise<void> {
  const field = page.getByRole('searchbox', { name: 'Find an OSD or bucket' });
  await field.fill(`name:${name}`);
  await field.press('Enter');
  await page.locator('.item-title strong').filter({ hasText: name }).waitFor();
}

async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(300);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const UNDO: Step = { selector: '.effect-bar button' };
const button = (at: number): Step => ({ selector: `.item-editor .toolbar button:nth-of-type(${at})` });
const OUT = button(1);
const DOWN = button(3);
const REMOVE = button(5);
const weight = (value: number): Step => ({
  selector: '.weight-field:last-of-type input[type=range]',
  value: String(value),
});

describe.skipIf(!MEASURE)('the speed of what if on ten thousand OSDs', () => {
  afterAll(closeBrowser);

  it.each<[string, readonly string[], (i: number) => Step]>([
    ['an OSD out', ['osd.5', 'osd.1005', 'osd.7777'], () => OUT],
    ['an OSD down', ['osd.6', 'osd.1006', 'osd.7778'], () => DOWN],
    ['the CRUSH weight of an OSD', ['osd.7', 'osd.1007'], (i) => weight(1 + i / 10)],
    ['a host out', ['node003', 'node103', 'node403'], () => OUT],
    ['the CRUSH weight of a host', ['node004', 'node204'], (i) => weight(20 + i)],
    ['an OSD removed', ['osd.8', 'osd.1008', 'osd.8008'], () => REMOVE],
    ['a host removed', ['node005', 'node205', 'node305'], () => REMOVE],
    ['a rack down', ['rack01', 'rack11', 'rack21'], () => DOWN],
    ['a rack out', ['rack02', 'rack12', 'rack22'], () => OUT],
    ['the CRUSH weight of a rack', ['rack03', 'rack13'], (i) => weight(500 + i * 10)],
  ])('%s', async (kind, names, stepOf) => {
    const { page, faults, close } = await openPage({ link: '#/what-if?example=large' });
    await page.locator('.effect').waitFor();
    const times: number[] = [];
    const undos: number[] = [];
    for (let i = 0; i < TIMES; i++) {
      await pick(page, names[i % names.length] ?? '');
      await settle(page);
      times.push(await timed(page, stepOf(i)));
      await settle(page);
      undos.push(await timed(page, UNDO));
      await settle(page);
    }
    report(kind, times, undos);
    expect(times).toHaveLength(TIMES);
    expect(faults).toEqual([]);
    await close();
  });

  it('pools and rules, which are mapped anew', async () => {
    const { page, faults, close } = await openPage({ link: '#/what-if?example=large' });
    await page.locator('.effect').waitFor();
    const folded = page.locator('details:not([open]) > summary');
    while ((await folded.count()) > 0) await folded.first().click();
    const steps: [string, Step][] = [
      ['failure domain to host', { selector: '.editors details:nth-of-type(2) select', value: 'host' }],
      [
        'tunables to hammer',
        { selector: '.editors details:nth-of-type(2) label:last-of-type select', value: 'hammer' },
      ],
      ['pg_num doubled', { selector: '[aria-label="pg_num × 2"]' }],
    ];
    for (const [kind, step] of steps) {
      const times: number[] = [];
      const undos: number[] = [];
      for (let i = 0; i < 3; i++) {
        await settle(page);
        times.push(await timed(page, step));
        await settle(page);
        undos.push(await timed(page, UNDO));
      }
      report(kind, times, undos);
      expect(median(times)).toBeGreaterThan(0);
    }
    expect(faults).toEqual([]);
    await close();
  });
});

function report(kind: string, times: readonly number[], undos: readonly number[]): void {
  const least = Math.min(...times);
  console.log(
    `${kind}: median ${median(times).toFixed(0)} ms, best ${least.toFixed(0)}; undo median ${median(undos).toFixed(0)} ms`,
  );
}
