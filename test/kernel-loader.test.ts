/**
 * The kernel is an AssemblyScript module like others: its loader runs it too, from bytes and from a module, and it asks
 * for nothing. The library does without the loader, since there are no managed objects to reach.
 */
import { readFileSync } from 'node:fs';
import { instantiateSync } from '@assemblyscript/loader';
import { describe, expect, test } from 'vitest';
import { Kernel } from '../src/kernel/kernel.ts';
import { Random } from './random.ts';
import { hash32 } from './reference/hash.ts';

const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);

describe.each(['crush.wasm', 'crush-simd.wasm'])('%s', (file) => {
  const bytes = new Uint8Array(readFileSync(new URL(`../dist/${file}`, import.meta.url)));
  const module = new WebAssembly.Module(bytes);

  test('imports nothing', () => {
    expect(WebAssembly.Module.imports(module)).toEqual([]);
  });

  test.each([
    ['bytes', bytes],
    ['a module', module],
  ])('runs by the loader from %s', (_, source) => {
    const { exports } = instantiateSync(source, {});
    const kernel = exports as unknown as Kernel['exports'];
    const random = new Random(SEED);
    for (let i = 0; i < 1000; i++) {
      const values = Array.from({ length: 1 + random.below(5) }, () => random.below(2 ** 32) | 0);
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = values;
      expect(kernel.hash32(values.length, a, b, c, d, e) >>> 0, `${values.join()} (seed ${SEED})`).toBe(
        hash32(...values) >>> 0,
      );
    }
    expect(Object.keys(exports)).toEqual(expect.arrayContaining(Object.keys(new Kernel('scalar').exports)));
  });
});
