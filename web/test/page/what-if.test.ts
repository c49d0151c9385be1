import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { applyChanges, type MapChange, parseChanges } from '../../../src/analysis/what-if.ts';
import { compareMaps } from '../../../src/analysis/compare.ts';
import { writeCrushBinary } from '../../../src/formats/crushmap-encode.ts';
import { readCrushBinary } from '../../../src/formats/crushmap-binary.ts';
import { writeCrushText } from '../../../src/formats/crush-text-write.ts';
import { writeOsdMapBinary } from '../../../src/formats/osdmap-encode.ts';
import { readOsdMapBinary } from '../../../src/formats/osdmap-binary.ts';
import { CHROMIUM, closeBrowser, openPage, screenshot, seriousFindings } from './page.ts';

const SMALL = '#/what-if?example=cluster-8osd';
const original = readOsdMapBinary(readFileSync('examples/cluster-8osd/osdmap'));
const after = (text: string) => applyChanges(original, parseChanges(text) as MapChange[]);
const movedShards = (text: string) => compareMaps(original, after(text), { causes: false }).total.movedShards;

/** Waits until the page shows so many shards that move. */
async function expectMoved(page: Page, shards: number): Promise<void> {
  const text = new Intl.NumberFormat('en-US').format(shards);
  await page
    .locator('.moved-shards')
    .filter({ hasText: new RegExp(`^${text}$`) })
    .waitFor();
}

async function pick(page: Page, name: string): Promise<void> {
  const field = page.getByRole('searchbox', { name: 'Find an OSD or bucket' });
  await field.fill(`name:${name}`);
  await field.press('Enter');
  await page.locator('.item-title strong').filter({ hasText: name }).waitFor();
}

async function download(page: Page, button: string): Promise<Uint8Array> {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  return Uint8Array.from(readFileSync(await saved.path()));
}

describe.skipIf(CHROMIUM === undefined)('what if in the page', () => {
  afterAll(closeBrowser);

  it('marks, undoes, redoes and removes by click and by keyboard', async () => {
    const { page, faults, requests, close } = await openPage({ link: SMALL });
    await expectMoved(page, 0);
    await pick(page, 'osd.3');
    await page.getByRole('button', { name: 'Mark out' }).click();
    await expectMoved(page, movedShards('out osd.3'));
    await pick(page, 'host0');
    await page.getByRole('button', { name: 'Mark down' }).click();
    await expectMoved(page, movedShards('out osd.3; down host0'));
    await page.getByText(/PGs short of OSDs: /).waitFor();
    await screenshot(page, 'what-if-small');
    expect(await seriousFindings(page)).toEqual([]);
    await page.locator('body').press('Control+z');
    await expectMoved(page, movedShards('out osd.3'));
    await page.locator('body').press('Control+Shift+z');
    await expectMoved(page, movedShards('out osd.3; down host0'));
    await page.getByRole('button', { name: 'Remove out osd.3' }).click();
    await expectMoved(page, movedShards('down host0'));
    await page.getByRole('button', { name: 'Clear' }).click();
    await expectMoved(page, 0);
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('drags a weight as one change, and takes a weight by number', async () => {
    const { page, faults, close } = await openPage({ link: SMALL });
    await expectMoved(page, 0);
    await pick(page, 'osd.4');
    const slider = page.getByRole('slider', { name: 'Reweight, slider' });
    await slider.scrollIntoViewIfNeeded();
    const box = await slider.boundingBox();
    if (box === null) throw new Error('the slider is not to be seen');
    await page.mouse.move(box.x + box.width - 3, box.y + box.height / 2);
    await page.mouse.down();
    for (let i = 1; i <= 10; i++) {
      await page.mouse.move(box.x + box.width * (1 - i / 20), box.y + box.height / 2);
    }
    await page.mouse.up();
    const words = page.locator('.changes code');
    await words.first().waitFor();
    expect(await words.count()).toBe(1);
    const text = await words.first().innerText();
    expect(text).toMatch(/^reweight osd\.4 0\.[45]/);
    await expectMoved(page, movedShards(text));
    await page.getByRole('spinbutton', { name: 'CRUSH weight' }).fill('0.25');
    await expectMoved(page, movedShards(`${text}; crush-weight osd.4 0.25`));
    expect(await words.count()).toBe(2);
    expect(faults).toEqual([]);
    await close();
  });

  it('changes pools, rules and the hierarchy, copies the commands and saves the map', async () => {
    const { page, faults, requests, close } = await openPage({ link: SMALL });
    await expectMoved(page, 0);
    const pool = [...original.pools.values()][0];
    if (pool === undefined) throw new Error('no pool');
    const changes = [`pool ${pool.name} pg_num ${pool.pgNum * 2}`];
    await page.getByRole('button', { name: 'pg_num × 2', exact: true }).click();
    await expectMoved(page, movedShards(changes.join(';')));
    await page.getByText('Rules and tunables').click();
    const rule = original.crush.ruleNames.get(0) ?? '';
    await page.getByLabel(`${rule}: failure domain`).selectOption('osd');
    changes.push(`rule ${rule} failure-domain osd`);
    await expectMoved(page, movedShards(changes.join(';')));
    await page.getByText('Add OSDs or a host').click();
    await page.getByLabel('host', { exact: true }).fill('newhost');
    await page.getByLabel('in', { exact: true }).fill('default');
    await page.getByLabel('new OSDs').fill('2');
    await page.getByLabel('device class').fill('hdd');
    await page.getByRole('button', { name: /^Add from osd\./ }).click();
    changes.push(`add-osds 8-9 weight=1 class=hdd host=newhost root=default`);
    await expectMoved(page, movedShards(changes.join(';')));
    await pick(page, 'osd.9');
    await page.getByLabel('Move into').fill('host0');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    changes.push('move osd.9 host=host0');
    await expectMoved(page, movedShards(changes.join(';')));
    await page.getByText('Changes in words').click();
    await page.getByLabel('Changes in words').fill('out osd.1; tunables jewel');
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    changes.push('out osd.1', 'tunables jewel');
    await expectMoved(page, movedShards(changes.join(';')));
    expect(await page.locator('.changes code').allInnerTexts()).toEqual(changes);

    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('ceph osd crush add osd.8 1 host=newhost root=default\n');
    expect(copied).toBe(await page.getByRole('textbox', { name: 'Commands' }).inputValue());

    const changed = after(changes.join(';'));
    const saved = await download(page, 'OSDMap');
    expect(saved).toEqual(writeOsdMapBinary(changed));
    const { epoch, crush, pools, osdWeight, osdState } = readOsdMapBinary(saved);
    expect({ epoch, crush, osdWeight, osdState }).toEqual({
      epoch: original.epoch + 1,
      crush: changed.crush,
      osdWeight: changed.osdWeight,
      osdState: changed.osdState,
    });
    expect([...pools.values()].map(({ pgNum }) => pgNum)).toEqual(
      [...changed.pools.values()].map(({ pgNum }) => pgNum),
    );
    expect(readCrushBinary(await download(page, 'CRUSH map'))).toEqual(changed.crush);
    const text = new TextDecoder().decode(await download(page, 'CRUSH map as text'));
    expect(text).toBe(writeCrushText(changed.crush));

    await page.getByRole('button', { name: 'Full comparison' }).click();
    const full = compareMaps(original, changed);
    await page
      .getByText(`would have to move ${new Intl.NumberFormat('en-US').format(full.total.floor.shards)} `)
      .waitFor();
    await page.getByLabel('difference: more or fewer shards').check();
    await screenshot(page, 'what-if-many-changes');
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await screenshot(page, 'what-if-many-changes-end');
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    expect(requests).toEqual([]);
    await close();
  });

  it('says why something cannot be done, and goes on', async () => {
    const { page, faults, close } = await openPage({ link: SMALL });
    await expectMoved(page, 0);
    await page.getByLabel('size', { exact: true }).fill('99');
    await page.getByRole('button', { name: 'Set size' }).click();
    await page.getByRole('alert').filter({ hasText: 'size is from 1 to 10 here, not 99' }).waitFor();
    await pick(page, 'osd.3');
    await page.getByRole('button', { name: 'Mark out' }).click();
    await expectMoved(page, movedShards('out osd.3'));
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('takes a CRUSH map alone, and leaves the change to the other views', async () => {
    const { page, faults, close } = await openPage();
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'crushmap',
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(writeCrushBinary(original.crush)),
      });
    await page.getByRole('link', { name: 'What if' }).click();
    await expectMoved(page, 0);
    await pick(page, 'osd.3');
    await page.getByRole('button', { name: 'Mark out' }).click();
    await page.locator('.changes code').waitFor();
    expect(await page.getByRole('button', { name: 'OSDMap', exact: true }).count()).toBe(0);
    expect(await page.locator('.head-document .badge').innerText()).toContain('changed');
    await page.getByRole('link', { name: 'Hierarchy' }).click();
    await page.getByRole('link', { name: 'What if' }).click();
    expect(await page.locator('.changes code').innerText()).toBe('out osd.3');
    expect(faults).toEqual([]);
    await close();
  });

  it.each([
    { name: 'phone', width: 400, height: 900, scheme: 'light' },
    { name: 'dark', width: 1280, height: 900, scheme: 'dark' },
    { name: '4k', width: 3840, height: 2160, scheme: 'dark' },
  ] as const)('can be read on a $name screen', async ({ name, width, height, scheme }) => {
    const { page, faults, close } = await openPage({ link: SMALL, width, height, scheme });
    await expectMoved(page, 0);
    await pick(page, 'host1');
    await page.getByRole('button', { name: 'Mark out' }).click();
    await expectMoved(page, movedShards('out host1'));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await screenshot(page, `what-if-${name}`);
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('answers on ten thousand OSDs', async () => {
    const { page, faults, close } = await openPage({ link: '#/what-if?example=large' });
    await expectMoved(page, 0);
    await pick(page, 'rack03');
    await page.getByRole('button', { name: 'Mark out' }).click();
    await page.getByText(/^out rack03$/).waitFor();
    await screenshot(page, 'what-if-large');
    await pick(page, 'node100');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText(/^remove node100$/).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
