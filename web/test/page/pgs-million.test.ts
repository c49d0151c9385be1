/** A pool of 1,048,576 PGs on 10,080 OSDs, with what frames of the page take meanwhile, printed. */
import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { writeOsdMapBinary } from '../../../src/formats/osdmap-encode.ts';
import { withPgNum } from '../../../src/osdmap/edit.ts';
import { largeCluster } from '../../src/worker/large-cluster.ts';
import { CHROMIUM, closeBrowser, openPage, screenshot } from './page.ts';

const PGS = 1 << 20;

/** What the page's main thread did while something was done in it. */
interface Effort {
  /** Milliseconds of the processor for a frame; unlike the others, no matter what else the machine does. */
  readonly perFrame: number;
  /** Milliseconds between frames: the median, the 95th percentile, the longest. */
  readonly frames: readonly [number, number, number];
  /** Durations of tasks of 50 ms or more. */
  readonly longTasks: readonly number[];
}

interface Watch {
  readonly tasks: number[];
  readonly frames: number[];
  isOver: boolean;
}

async function watched(page: Page, action: () => Promise<void>): Promise<Effort> {
  const debuggee = await page.context().newCDPSession(page);
  await debuggee.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async (): Promise<number> => {
    const { metrics } = await debuggee.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  await page.evaluate(() => {
    const watch: Watch = { tasks: [], frames: [], isOver: false };
    (globalThis as unknown as { watch: Watch }).watch = watch;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) watch.tasks.push(Math.round(duration));
    }).observe({ type: 'longtask' });
    let last = performance.now();
    const frame = (now: number): void => {
      watch.frames.push(now - last);
      last = now;
      if (!watch.isOver) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const before = await busy();
  await action();
  const spent = (await busy()) - before;
  const { tasks, frames } = await page.evaluate(() => {
    const { watch } = globalThis as unknown as { watch: Watch };
    watch.isOver = true;
    return watch;
  });
  await debuggee.detach();
  const sorted = frames.slice(1).sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(10 * (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)) / 10;
  return { perFrame: spent / frames.length, frames: [at(0.5), at(0.95), at(1)], longTasks: tasks };
}

describe.skipIf(CHROMIUM === undefined)('a million PGs in the page', () => {
  afterAll(closeBrowser);

  it('are scrolled, gone to, searched and ordered without jank', async () => {
    const map = withPgNum(largeCluster(), 1, PGS, PGS);
    const { page, faults, close } = await openPage({ link: '#/pgs' });
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'million.osdmap',
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(writeOsdMapBinary(map)),
      });
    await page.getByLabel('Pool').first().selectOption('1');
    const found = page.locator('.pg-count');
    await found.getByText('1,048,576 PGs').waitFor();
    const scroll = page.locator('.virtual-scroll');
    const lastName = () => page.locator('.virtual-rows > .virtual-row .pg-name').last().innerText();

    const report: Record<string, Effort> = {};
    report['scrolling for 2 s'] = await watched(page, () =>
      scroll.evaluate(
        (element) =>
          new Promise<void>((done) => {
            const until = performance.now() + 2000;
            const step = (now: number): void => {
              element.scrollTop += 90;
              if (now < until) requestAnimationFrame(step);
              else done();
            };
            requestAnimationFrame(step);
          }),
      ),
    );
    report['dragging the scroll bar for 2 s'] = await watched(page, () =>
      scroll.evaluate(
        (element) =>
          new Promise<void>((done) => {
            const start = performance.now();
            const step = (now: number): void => {
              element.scrollTop = ((now - start) / 2000) * element.scrollHeight;
              if (now - start < 2000) requestAnimationFrame(step);
              else done();
            };
            requestAnimationFrame(step);
          }),
      ),
    );
    report['to the end'] = await watched(page, async () => {
      await scroll.focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('End');
      await expect.poll(lastName).toBe('1.fffff');
    });
    report['to a PG'] = await watched(page, async () => {
      await page.getByLabel('Go to PG').fill('1.abcde');
      await page.keyboard.press('Enter');
      await page.locator('.virtual-row.chosen .pg-name').getByText('1.abcde').waitFor();
    });
    await screenshot(page, 'pgs-million');
    report['typing a search'] = await watched(page, async () => {
      await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('osd.4711', { delay: 60 });
      await found.getByText(/^\d+ of 1,048,576 PGs/).waitFor();
    });
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await found.getByText('1,048,576 PGs').waitFor();
    report['ordering by primary'] = await watched(page, async () => {
      await page.getByRole('button', { name: 'acting primary' }).click();
      await page.locator('[aria-sort=ascending]').getByText('acting primary').waitFor();
    });
    for (const [what, { perFrame, frames, longTasks }] of Object.entries(report)) {
      console.log(
        `${what}: ${perFrame.toFixed(1)} ms of the processor a frame; frames ${frames.join(' / ')} ms, ` +
          `long tasks ${longTasks.join(', ') || 'none'}`,
      );
    }
    // Rows exist only where they are in sight.
    const rows = await page.locator('.virtual-row').count();
    expect(rows).toBeGreaterThan(10);
    expect(rows).toBeLessThan(100);
    expect(faults).toEqual([]);
    await close();
  });
});
