/** The kernel's bytes come out of their text in every runtime, whatever decoder of base64 it has. */
import { afterEach, expect, it, vi } from 'vitest';
import { hash32 } from './reference/hash.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(Uint8Array, 'fromBase64');
});

/** The hash of 1, by a kernel that is compiled anew. */
async function hashOfOne(prepare: () => void): Promise<number> {
  vi.resetModules();
  const kernel = await import('../src/kernel/kernel.ts');
  prepare();
  return kernel.hash32(1);
}

it('by Buffer', async () => {
  expect(await hashOfOne(() => undefined)).toBe(hash32(1) >>> 0);
});

it('by the decoder of newer engines', async () => {
  const fromBase64 = vi.fn((text: string) => new Uint8Array(Buffer.from(text, 'base64')));
  expect(await hashOfOne(() => Object.assign(Uint8Array, { fromBase64 }))).toBe(hash32(1) >>> 0);
  expect(fromBase64).toHaveBeenCalledOnce();
});

it('by a table where there is neither', async () => {
  expect(await hashOfOne(() => vi.stubGlobal('Buffer', undefined))).toBe(hash32(1) >>> 0);
});
