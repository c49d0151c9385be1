/** Where the kernel comes from: every form that init takes gives the same kernel, and nothing else is taken for one. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { bytesOf } from '../src/formats/bytes.ts';
import type { KernelSource } from '../src/kernel/kernel-module.ts';
import { hash32 as referenceHash } from './reference/hash.ts';

const FILE = new URL('../dist/crush-simd.wasm', import.meta.url);
const SIMD = new Uint8Array(readFileSync(FILE));
const SCALAR = new Uint8Array(readFileSync(new URL('../dist/crush.wasm', import.meta.url)));
/** The least WebAssembly module. */
const EMPTY = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);

/** The modules anew, so that no kernel was brought; `carried` counts how often the kernel in the code is taken. */
async function fresh({ carries = true } = {}) {
  vi.resetModules();
  const { inlineKernel } = await vi.importActual<typeof import('../src/kernel/kernel-inline.ts')>(
    '../src/kernel/kernel-inline.ts',
  );
  const carried = vi.fn(
    carries ? inlineKernel : (await import('../src/kernel/kernel-absent.ts')).inlineKernel,
  );
  vi.doMock('../src/kernel/kernel-inline.ts', () => ({ inlineKernel: carried }));
  const { init, initSync, hasSimd } = await import('../src/kernel/kernel-module.ts');
  const { hash32 } = await import('../src/kernel/kernel.ts');
  return { init, initSync, hasSimd, hash32, carried };
}

const HASH = referenceHash(1, 2) >>> 0;

afterEach(() => {
  vi.restoreAllMocks();
});

test('the default takes the carried kernel at the first use, and only then', async () => {
  const { hash32, carried } = await fresh();
  expect(carried).not.toHaveBeenCalled();
  expect(hash32(1, 2)).toBe(HASH);
  expect(hash32(1, 2)).toBe(HASH);
  expect(carried).toHaveBeenCalledOnce();
});

test('init() compiles the carried kernel in the background', async () => {
  const compile = vi.spyOn(WebAssembly, 'compile');
  const { init, hash32, carried } = await fresh();
  await init();
  expect(compile).toHaveBeenCalledOnce();
  expect(hash32(1, 2)).toBe(HASH);
  expect(carried).toHaveBeenCalledOnce();
});

describe('without a carried kernel', () => {
  const forms: readonly (readonly [string, () => KernelSource | PromiseLike<KernelSource>])[] = [
    ['a Uint8Array', () => SIMD],
    ['an ArrayBuffer', () => SIMD.slice().buffer],
    ['a file: URL', () => FILE],
    ['the address in text', () => `data:application/wasm;base64,${Buffer.from(SIMD).toString('base64')}`],
    ['a Response', () => new Response(SIMD)],
    ['a promise of a Response', () => Promise.resolve(new Response(SIMD))],
    ['a WebAssembly.Module', () => new WebAssembly.Module(SIMD)],
    [
      'a module of another realm',
      () => runInNewContext('new WebAssembly.Module(bytes)', { bytes: SIMD }) as object,
    ],
  ];

  test.each(forms)('init takes %s', async (_, form) => {
    const { init, hash32, hasSimd } = await fresh({ carries: false });
    await init(form());
    expect(hash32(1, 2)).toBe(HASH);
    expect(hasSimd()).toBe(true);
  });

  test('init takes an http: URL', async () => {
    const server = createServer((request, response) =>
      request.url === '/crush-simd.wasm' ? response.end(SIMD) : response.writeHead(404).end(),
    ).listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => server.once('listening', resolve));
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { init, hash32 } = await fresh({ carries: false });
      await expect(init(new URL('/nothing', base))).rejects.toMatchObject({
        code: 'io',
        message: 'the kernel cannot be fetched: status 404',
        place: { file: `${base}/nothing` },
      });
      await init(new URL('/crush-simd.wasm', base));
      expect(hash32(1, 2)).toBe(HASH);
    } finally {
      server.close();
    }
  });

  test('initSync takes bytes and a module', async () => {
    for (const form of [SIMD, new WebAssembly.Module(SIMD)]) {
      const { initSync, hash32 } = await fresh({ carries: false });
      initSync(form);
      expect(hash32(1, 2)).toBe(HASH);
    }
  });

  test('the first use says what is missing, and so does init()', async () => {
    const { init, hash32 } = await fresh({ carries: false });
    const error = {
      code: 'bad-argument',
      message:
        "this entry of the package carries no kernel: give 'crush-wasm/crush-simd.wasm' to init or initSync first",
    };
    expect(() => hash32(1)).toThrow(expect.objectContaining(error));
    await expect(init()).rejects.toMatchObject(error);
  });
});

test('the scalar kernel maps as the others, on an engine that has SIMD', async () => {
  const { initSync, hasSimd } = await fresh({ carries: false });
  initSync(SCALAR);
  expect(hasSimd()).toBe(false);
  const { CrushMapper } = await import('../src/kernel/crush-mapper.ts');
  const { readCrushBinary } = await import('../src/formats/crushmap-binary.ts');
  const bytes = readFileSync(new URL('fixtures/simple3.crushmap', import.meta.url));
  const request = { rule: 0, size: 3, first: 0, count: 1000 };
  const map = readCrushBinary(bytesOf(bytes, 'test'));
  const scalar = new CrushMapper(map).mapRange(request);
  expect(() => new CrushMapper(map, { kernel: 'task-lanes' })).toThrow(/no SIMD here/);
  initSync(SIMD);
  expect(new CrushMapper(map).mapRange(request)).toEqual(scalar);
  expect(new CrushMapper(map, { kernel: 'scalar' }).mapRange(request)).toEqual(scalar);
});

describe('where nothing may be compiled, the error says what helps', () => {
  test.each([
    [
      "WebAssembly.Module(): Refused to compile or instantiate WebAssembly module because 'unsafe-eval' is not allowed",
      "; the policy of the page has to allow it by script-src 'wasm-unsafe-eval'",
    ],
    [
      'call to WebAssembly.Module() blocked by CSP',
      "; the policy of the page has to allow it by script-src 'wasm-unsafe-eval'",
    ],
    [
      'WebAssembly.Module(): Wasm code generation disallowed by embedder',
      '; bundle for this runtime by its export condition (esbuild: --conditions=workerd --loader:.wasm=copy), or ' +
        "import 'crush-wasm/crush-simd.wasm' as a module and give that to initSync",
    ],
  ])('%s', async (reason, cure) => {
    const { init, initSync, hash32 } = await fresh();
    // Called with new, which an arrow function cannot be.
    function refuse(): never {
      throw new WebAssembly.CompileError(reason);
    }
    vi.spyOn(WebAssembly, 'Module').mockImplementation(refuse);
    vi.spyOn(WebAssembly, 'compile').mockImplementation(refuse);
    const error = { code: 'bad-argument', message: `the kernel was not compiled: ${reason}${cure}` };
    expect(() => hash32(1)).toThrow(expect.objectContaining(error));
    expect(() => initSync(SIMD)).toThrow(expect.objectContaining(error));
    await expect(init()).rejects.toMatchObject(error);
    await expect(init(SIMD)).rejects.toMatchObject(error);
  });
});

describe('refused', () => {
  /** The kernel with another build's mark in its last section. */
  const otherBuild = SIMD.slice();
  otherBuild[otherBuild.length - 1]! ^= 1;

  test.each([
    ['another module', EMPTY, 'this WebAssembly module is no kernel of CRUSH'],
    [
      'the kernel of another build',
      otherBuild,
      'this kernel is of another build of crush-wasm; take the .wasm file of the version that is imported',
    ],
    ['what is no WebAssembly', Uint8Array.of(1, 2, 3, 4), /^the kernel was not compiled: /],
  ])('%s', async (_, bytes, message) => {
    const { init, initSync, hash32 } = await fresh();
    const error = {
      code: 'bad-argument',
      message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
    };
    expect(() => initSync(bytes)).toThrow(expect.objectContaining(error));
    await expect(init(bytes)).rejects.toMatchObject(error);
    expect(hash32(1, 2), 'the carried kernel goes on').toBe(HASH);
  });

  test('what is neither bytes nor a module', async () => {
    const { init, initSync } = await fresh();
    expect(() => initSync('kernel.wasm' as never)).toThrow(/^initSync takes bytes/);
    await expect(init(7 as never)).rejects.toMatchObject({ code: 'bad-argument' });
    await expect(init(null as never)).rejects.toMatchObject({ code: 'bad-argument' });
    await expect(init('no:address')).rejects.toMatchObject({ code: 'io', place: { file: 'no:address' } });
    await expect(init(new URL('file:///no/such.wasm'))).rejects.toMatchObject({ code: 'io' });
  });
});
