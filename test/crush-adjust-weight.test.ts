/**
 * Weights changed here against weights changed by crushtool and osdmaptool.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adjustItemWeight } from '../src/crush/adjust-weight.ts';
import type { CrushMap } from '../src/crush/model.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { crushtool, HAS_CRUSHTOOL } from './crushtool.ts';
import { FIXTURES } from './fixtures.ts';
import { HAS_PACIFIC_OSDMAPTOOL, osdmaptool } from './osdmaptool.ts';
import { expectSame } from './run-cli.ts';

const NAMES = ['algorithms-v0', 'algorithms-v1', 'classes', 's', 'cluster-8osd'];
const path = (name: string): string => join(FIXTURES, 'crushmaps', `${name}.crushmap`);
const read = (file: string): CrushMap => readCrushBinary(new Uint8Array(readFileSync(file)));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crush-wasm-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Buckets and weight-sets, whatever the order of the tables. */
function weightsOf(map: CrushMap): unknown {
  return [
    map.buckets,
    [...map.chooseArgs].map(([index, args]) => [index, [...args].sort(([a], [b]) => b - a)]),
  ];
}

test('the map given stays as it is', () => {
  for (const name of NAMES) {
    const map = read(path(name));
    const before = structuredClone(map);
    const device = map.buckets.flatMap((bucket) => [...(bucket?.items ?? [])]).find((item) => item >= 0)!;
    expect(adjustItemWeight(map, device, 0x30000)).not.toBe(map);
    expect(map).toEqual(before);
  }
});

test('an item that is nowhere changes nothing', () => {
  const map = read(path('s'));
  expect(adjustItemWeight(map, 9999, 0x10000)).toBe(map);
});

describe.skipIf(!HAS_CRUSHTOOL)('as crushtool --reweight-item', () => {
  test.each(NAMES)('%s', (name) => {
    const map = read(path(name));
    const held = new Set(map.buckets.flatMap((bucket) => [...(bucket?.items ?? [])]));
    const ids = [...map.itemNames.keys()].filter((id) => held.has(id));
    const step = Math.max(1, Math.floor(ids.length / 24));
    let compared = 0;
    for (let k = 0; k < ids.length; k += step) {
      const id = ids[k]!;
      const weight = [1, 0, 0.37, 2.5][compared % 4]!;
      const out = join(folder, 'out');
      crushtool('-i', path(name), '--reweight-item', map.itemNames.get(id)!, String(weight), '-o', out);
      const ours = adjustItemWeight(map, id, Math.trunc(Math.fround(weight) * 0x10000));
      expect(weightsOf(ours)).toEqual(weightsOf(read(out)));
      compared++;
    }
    expect(compared).toBeGreaterThan(5);
  });
});

describe.skipIf(!HAS_PACIFIC_OSDMAPTOOL || !HAS_CRUSHTOOL)(
  'as osdmaptool 16.2 --mark-up-in, with weights of 0',
  () => {
    test.each(['algorithms-v1', 'classes', 's'])('%s', async (name) => {
      const map = read(path(name));
      const osdmap = join(folder, `${name}.osdmap`);
      let crush = path(name);
      const devices = [...map.itemNames].filter(([id]) => id >= 0).slice(0, 6);
      for (const [k, [, device]] of devices.entries()) {
        const out = join(folder, `${name}.${k}`);
        crushtool('-i', crush, '--reweight-item', device, '0', '-o', out);
        crush = out;
      }
      osdmaptool(
        '--createsimple',
        String(map.maxDevices),
        osdmap,
        '--with-default-pool',
        '--pg-bits',
        '3',
        '--clobber',
      );
      osdmaptool('--import-crush', crush, osdmap);
      for (const args of [
        ['--test-map-pgs'],
        ['--mark-up-in', '--test-map-pgs-dump-all'],
        ['--mark-up-in', '--print'],
      ]) {
        await expectSame('osdmaptool', [osdmap, ...args]);
      }
    });
  },
);
