import { afterAll, describe, expect, it } from 'vitest';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

describe.skipIf(CHROMIUM === undefined)('pools and distribution in the page', () => {
  afterAll(closeBrowser);

  it.each(['light', 'dark'] as const)('shows pools and rules, %s', async (scheme) => {
    const { page, faults, close } = await openPage({ scheme, link: '#/pools?example=cluster-8osd' });
    await page.getByRole('heading', { name: '8 pools' }).waitFor();
    expect(await page.getByRole('article').count()).toBeGreaterThan(3);
    expect(await seriousFindings(page)).toEqual([]);
    await screenshot(page, `pools-${scheme}`);
    expect(faults).toEqual([]);
    await close();
  });

  it.each(['light', 'dark'] as const)('plots the spread of OSDs and of hosts, %s', async (scheme) => {
    const { page, faults, close } = await openPage({ scheme, link: '#/distribution?example=cluster-8osd' });
    await page.getByRole('img', { name: /^Deviation of each osd/ }).waitFor();
    await page.getByRole('combobox', { name: /^By/ }).selectOption('host');
    await page.getByRole('img', { name: /^Deviation of each host/ }).waitFor();
    expect(page.url()).toContain('level=host');
    expect(await seriousFindings(page)).toEqual([]);
    await screenshot(page, `distribution-${scheme}`);
    expect(faults).toEqual([]);
    await close();
  });

  it('plots ten thousand OSDs, in order of deviation, and follows the chosen pool', async () => {
    const { page, faults, close } = await openPage({ link: '#/distribution?example=large&order=deviation' });
    await page.getByText('10,080 are outside it').waitFor();
    await screenshot(page, 'distribution-large');
    await page.getByLabel('Pool').selectOption('3');
    await page.getByText('2,048 PGs').last().waitFor();
    expect(page.url()).toContain('s.pool=3');
    expect(faults).toEqual([]);
    await close();
  });

  it('is readable at 400 pixels', async () => {
    const { page, close } = await openPage({ width: 400, link: '#/distribution?example=cluster-8osd' });
    await page.getByRole('img', { name: /^Deviation/ }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    await screenshot(page, 'distribution-narrow');
    await close();
  });
});
