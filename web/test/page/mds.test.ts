import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

const EXAMPLE = '#/mds?capture=example';
const FOLDER = 'test/fixtures/mds/cluster-8osd';
const FILES = ['mds.0.dump-loads', 'mds.0.subtrees', 'mds.1.dump-loads', 'mds.1.subtrees'].map(
  (name) => `${FOLDER}/${name}.json.gz`,
);

const input = (page: Page) => page.locator('input[aria-label="Files of metadata servers"]');
const ranks = (page: Page) => page.locator('.mds-ranks tbody tr');
const rows = (page: Page) => page.locator('.virtual-rows > .virtual-row');
const comparison = (page: Page) => page.getByRole('region', { name: 'Against the balancer' });

const json = (name: string, text: string) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(text),
});

describe.skipIf(CHROMIUM === undefined)('metadata servers in the page', () => {
  afterAll(closeBrowser);

  it('are looked at without a map, from the start page to the commands', async () => {
    const { page, faults, requests, close } = await openPage();
    await page.getByRole('button', { name: 'Look at metadata servers' }).click();
    await page.getByRole('heading', { name: 'Open what the metadata servers print' }).waitFor();
    await screenshot(page, 'mds-start');
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take the example' }).click();

    // The same as the command prints.
    await ranks(page).first().waitFor();
    expect(await ranks(page).count()).toBe(2);
    expect(await ranks(page).first().innerText()).toMatch(/mds\.0[\s\S]*9,707\.4[\s\S]*12\.94 % above/);
    const decision = page.getByRole('region', { name: 'Decision of mds.0' });
    await decision.getByText('wants to send 1058.5 to mds.1').waitFor();
    await decision.getByText('To mds.1: 1026.2 of 1058.5').waitFor();
    await decision.getByText('Why these').click();
    await decision.getByText('takes sub2 (1026.2): it alone is close to what is needed').waitFor();
    await page.getByLabel('Tolerance in %').fill('2');
    await page.getByText(/\d pins?: the highest load goes from/).waitFor();
    await comparison(page).getByText('the balancer alone').waitFor();
    await comparison(page).getByText('these pins and the balancer').waitFor();
    await screenshot(page, 'mds');
    expect(await seriousFindings(page)).toEqual([]);

    // From the decision to the directory.
    await decision.getByRole('button', { name: /^takes sub2/ }).click();
    const chosen = page.getByRole('region', { name: 'Chosen directory' });
    await chosen.getByRole('heading', { name: '/dir2/sub2' }).waitFor();
    await page.locator('.virtual-row.chosen', { hasText: 'sub2' }).waitFor();
    expect(page.url()).not.toContain('dir2');
    await page.getByLabel('Colour of directories').selectOption('decision');
    await screenshot(page, 'mds-decision');
    await page.getByLabel('Colour of directories').selectOption('heat');
    await screenshot(page, 'mds-heat');

    await page.getByRole('textbox', { name: 'Commands of the plan' }).scrollIntoViewIfNeeded();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^setfattr -n ceph\.dir\.pin -v 1 \/mnt\/cephfs\/dir\d\/sub\d$/m,
    );
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('are reckoned anew with other options, and planned for other ranks', async () => {
    const { page, faults, close } = await openPage({ link: EXAMPLE });
    await ranks(page).first().waitFor();
    await page.getByText('Thresholds').click();
    const rebalance = page.getByLabel('mds_bal_min_rebalance');
    await rebalance.fill('0.5');
    await page
      .getByRole('region', { name: 'Decision of mds.0' })
      .getByText('it is not above its target by 50 %')
      .waitFor();
    await rebalance.fill('much');
    await page.getByText("is a number, not 'much'").waitFor();
    await rebalance.fill('');
    await page
      .getByRole('region', { name: 'Decision of mds.0' })
      .getByText('wants to send')
      .first()
      .waitFor();
    await page.getByLabel('mds_bal_mode').selectOption('1');
    await page.getByText('mds_bal_mode 1 decides, by requests').waitFor();
    await page.getByLabel('mds_bal_mode').selectOption('0');
    await page.getByLabel('overloaded for').fill('1');
    await page
      .getByRole('region', { name: 'Decision of mds.0' })
      .getByText('waits, it has not been overloaded for 2 beats')
      .waitFor();

    await page.getByLabel('Ranks', { exact: true }).fill('3');
    await page.getByText(/^3 ranks \(2 now\)/).waitFor();
    await page.getByLabel('Most pins').fill('1');
    await page.getByText(/^3 ranks \(2 now\).*1 pin:/).waitFor();
    await page.getByLabel('Mounted at').fill('cephfs');
    await page.getByText('an absolute path').waitFor();
    await page.getByLabel('Mounted at').fill('/srv/fs');
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Commands of the plan' }).inputValue())
      .toMatch(/setfattr -n ceph\.dir\.pin -v 2 \/srv\/fs\/dir/);
    await comparison(page).getByText('beat 5').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are searched, ordered and opened by the keyboard', async () => {
    const { page, faults, close } = await openPage({ link: EXAMPLE });
    await rows(page).first().waitFor();
    await page.getByLabel('Find').fill('dir4/');
    await page.getByText('3 directories').waitFor();
    expect(await rows(page).count()).toBe(5);
    await page.getByLabel('Find').fill('');
    await page.getByRole('button', { name: 'IWR', exact: true }).click();
    const tree = page.getByRole('treegrid', { name: 'Directories' });
    await tree.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Chosen directory' })
      .getByText('and a subtree begins here')
      .waitFor();
    const all = await rows(page).count();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => rows(page).count()).toBe(all);
    await page.getByLabel('Counters of').selectOption('own');
    expect(faults).toEqual([]);
    await close();
  });

  it('are read from files: broken ones are told, missing ranks said', async () => {
    const { page, faults, requests, close } = await openPage({ link: '#/mds' });
    await input(page).setInputFiles([json('loads.json', '{"dirfrags": [')]);
    const alert = page.getByRole('alert').first();
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/^loads\.json/);
    await page.getByRole('button', { name: 'Choose files…' }).waitFor();
    await input(page).setInputFiles([json('other.json', '{"a": 1}'), json('x.json', 'no JSON at all')]);
    await expect.poll(() => page.getByRole('alert').count()).toBe(2);
    await screenshot(page, 'mds-broken');

    await input(page).setInputFiles(FILES.slice(1, 2));
    await page.getByText('There is no dump loads among these files').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.locator('.mds-files > summary').click();
    await input(page).setInputFiles(FILES.slice(0, 1));
    await ranks(page).first().waitFor();
    await page
      .getByText(/There is no 'dump loads' of mds\.1/)
      .first()
      .waitFor();
    await page.getByText('without mds.1, whose counters are not known').waitFor();
    await input(page).setInputFiles(FILES.slice(2));
    await expect.poll(() => page.getByText(/There is no 'dump loads' of mds\.1/).count()).toBe(0);
    const bare = { dirfrags: [], mds_load: {}, mds_meta_load: {}, mds_import_map: {} };
    await input(page).setInputFiles([json('bare.json', JSON.stringify(bare))]);
    await page.getByText('1 file is not used').waitFor();
    await page.getByLabel('Rank of bare.json').fill('7');
    await page.keyboard.press('Tab');
    await page.getByText('mds.7 is no rank of the file system').waitFor();
    await screenshot(page, 'mds-files');
    await page.getByRole('button', { name: 'Put all away' }).click();
    await page.getByRole('heading', { name: 'Open what the metadata servers print' }).waitFor();
    expect(page.url()).toMatch(/#\/mds$/);
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('take files that are dropped, and leave the open map alone', async () => {
    const { page, faults, close } = await openPage({ link: '#/summary?example=cluster-8osd' });
    await page.getByRole('link', { name: 'Metadata servers' }).click();
    await page.getByRole('heading', { name: 'Open what the metadata servers print' }).waitFor();
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['{"a": 1}'], 'dropped.json'));
      return transfer;
    });
    await page.dispatchEvent('header.head', 'drop', { dataTransfer: dropped });
    const alert = page.getByRole('alert').first();
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/^dropped\.json/);
    await page.getByRole('link', { name: 'Summary' }).click();
    await page.getByText('epoch 97').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('are shown on a small screen, on a large one, and dark', async () => {
    const phone = await openPage({ link: EXAMPLE, width: 400, height: 800 });
    await comparison(phone.page).getByText('the balancer alone').waitFor();
    await screenshot(phone.page, 'mds-400');
    expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    await phone.page.locator('#plan-title').scrollIntoViewIfNeeded();
    await screenshot(phone.page, 'mds-400-plan');
    await phone.close();
    const wall = await openPage({ link: EXAMPLE, width: 3840, height: 2160, scheme: 'dark' });
    await comparison(wall.page).getByText('the balancer alone').waitFor();
    await wall.page.getByText('Why these').click();
    await screenshot(wall.page, 'mds-4k-dark');
    expect(await seriousFindings(wall.page)).toEqual([]);
    await wall.close();
  });
});
