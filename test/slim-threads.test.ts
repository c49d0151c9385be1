/**
 * The library without kernels in its code, on several threads: the kernel that init was given is what the workers run.
 * From dist/, as where the package is installed.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type * as Package from '../src/index.ts';
import { fixture } from './fixtures.ts';

const SLIM = fileURLToPath(new URL('../dist/slim/index.js', import.meta.url));
const kernel = (file: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`../dist/${file}`, import.meta.url)));
const closing: { close(): Promise<void> }[] = [];

/** The package anew, so that no kernel was brought. */
async function fresh(): Promise<typeof Package> {
  vi.resetModules();
  return (await import(/* @vite-ignore */ SLIM)) as typeof Package;
}

function opened<T extends { close(): Promise<void> }>(mapper: T): T {
  closing.push(mapper);
  return mapper;
}

function clusterMap({ readMap }: typeof Package): Package.OsdMap {
  const file = readMap(fixture('cluster-10osd/d.osdmap'));
  if (file.kind !== 'osdmap') throw new Error('no OSDMap');
  return file.map;
}

afterEach(async () => {
  await Promise.all(closing.splice(0).map((mapper) => mapper.close()));
});

test('workers have none before init was given one, and say so', async () => {
  const slim = await fresh();
  const map = clusterMap(slim);
  const [pool] = [...map.pools.values()];
  await expect(
    opened(new slim.ParallelPgMapper(map, { threads: 1 })).mapPool(pool!.id),
  ).rejects.toMatchObject({
    code: 'bad-argument',
    message: expect.stringMatching(/^this entry of the package carries no kernel/) as string,
  });
});

describe.each([
  ['bytes with SIMD', () => kernel('crush-simd.wasm')],
  ['a module with SIMD', () => new WebAssembly.Module(kernel('crush-simd.wasm'))],
  ['a module without', () => new WebAssembly.Module(kernel('crush.wasm'))],
])('with %s', (_, source) => {
  test.each([true, false])(
    'PGs and inputs are mapped as by one thread, shareMemory: %s',
    async (shareMemory) => {
      const slim = await fresh();
      await slim.init(source());
      const map = clusterMap(slim);
      const options = { threads: 2, shareMemory };
      const pgs = opened(new slim.ParallelPgMapper(map, options));
      for (const { id } of map.pools.values()) {
        const { acting } = await pgs.mapPool(id);
        const expected = slim.createMapper(map).mapPool(id).acting;
        expect(Array.from(acting.osds)).toEqual(Array.from(expected.osds));
        expect(Array.from(acting.primaries)).toEqual(Array.from(expected.primaries));
      }
      const request = { rule: 0, size: 3, first: 0, count: 20_000 };
      const { items } = await opened(new slim.ParallelCrushMapper(map.crush, options)).mapRange(request);
      expect(Array.from(items)).toEqual(Array.from(new slim.CrushMapper(map.crush).mapRange(request).items));
    },
  );
});

test('a mapper keeps the kernel that was there when it was made', async () => {
  const slim = await fresh();
  slim.initSync(kernel('crush.wasm'));
  const map = clusterMap(slim);
  // With lanes alone; the kernel without refuses it where it runs, in the worker.
  const before = opened(new slim.ParallelCrushMapper(map.crush, { threads: 1, kernel: 'task-lanes' }));
  slim.initSync(kernel('crush-simd.wasm'));
  const after = opened(new slim.ParallelCrushMapper(map.crush, { threads: 1, kernel: 'task-lanes' }));
  const request = { rule: 0, size: 3, first: 0, count: 100 };
  await expect(before.mapRange(request)).rejects.toMatchObject({ code: 'bad-argument' });
  expect((await after.mapRange(request)).items).toEqual(
    new slim.CrushMapper(map.crush).mapRange(request).items,
  );
});
