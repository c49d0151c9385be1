import { afterAll, describe, expect, it } from 'vitest';
import { CHROMIUM, closeBrowser, openPage } from './page.ts';

/** How often each is measured: `CRUSH_MEASURE=5` prints the time until an example's first mapping is seen. */
const TIMES = Number(process.env.CRUSH_MEASURE ?? 0);

/** Notes when a view's first numbers that need a mapping, or its problems, are in the page. */
function note(): void {
  const seen = () =>
    document.querySelector('.virtual-rows')?.textContent.includes('%') === true ||
    /^(Problems: |No problems)/.test(document.querySelector('.problems h3')?.textContent ?? '');
  const look = () => {
    if (seen()) performance.mark('seen');
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

describe.skipIf(CHROMIUM === undefined || TIMES === 0)('the time from navigation', () => {
  afterAll(closeBrowser);

  it.each([
    ['summary', 'cluster-8osd'],
    ['hierarchy', 'cluster-8osd'],
    ['summary', 'large'],
    ['hierarchy', 'large'],
  ])('to the %s of the example %s is printed', async (view, example) => {
    const times: number[] = [];
    for (let i = 0; i < TIMES; i++) {
      // Each page has a browser profile of its own, and with it an empty cache.
      const { page, faults, close } = await openPage({ link: `#/${view}?example=${example}`, before: note });
      const time = await page.waitForFunction(() => performance.getEntriesByName('seen')[0]?.startTime ?? 0);
      times.push(await time.jsonValue());
      expect(faults).toEqual([]);
      await close();
    }
    times.sort((a, b) => a - b);
    const [least = 0, middle = 0] = [times[0], times[TIMES >> 1]];
    console.log(
      `${view} of ${example}: ${least.toFixed(0)} ms at best, ${middle.toFixed(0)} ms in the middle`,
    );
    expect(least).toBeGreaterThan(0);
  });
});
