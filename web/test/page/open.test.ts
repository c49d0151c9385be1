import { afterAll, describe, expect, it } from 'vitest';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

describe.skipIf(CHROMIUM === undefined)('opening maps in the page', () => {
  afterAll(closeBrowser);

  it('opens the example, with no fault and no request', async () => {
    const { page, faults, requests, close } = await openPage();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'a small real cluster' }).click();
    await page.getByText('epoch 97').waitFor();
    await screenshot(page, 'summary');
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('says what is wrong with a file, and opens the next', async () => {
    const { page, faults, close } = await openPage();
    const input = page.locator('input[type=file]').first();
    await input.setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('not a map'),
    });
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/^notes\.txt: /);
    await input.setInputFiles('examples/cluster-8osd/osdmap');
    await page.getByText('epoch 97').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});
