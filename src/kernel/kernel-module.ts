/**
 * Which kernel is run, and how it gets here. Nothing is compiled at import: the first kernel that is needed compiles
 * the one that the package carries, unless {@link init} or {@link initSync} brought one before.
 */
import { bytesOf, type Bytes } from '../formats/bytes.ts';
import { CrushError } from '../errors.ts';
import { KERNEL_BUILD_ID } from './kernel-id.ts';
import { inlineKernel } from './kernel-inline.ts';

/** How a kernel is compiled: for every engine, or for those with 128-bit SIMD. */
export type KernelBuild = 'scalar' | 'simd';

/** A `WebAssembly.Module`; an opaque object here, so that the types need no types of WebAssembly. */
export type WasmModule = object;

/** What {@link init} reads of a `Response`. */
export interface KernelResponse {
  /** Whether the status is one of success. */
  readonly ok: boolean;
  /** Status of HTTP. */
  readonly status: number;
  /** Where it came from, for errors. */
  readonly url: string;
  /** Gives its bytes. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * Where a kernel comes from: the bytes of the package's `crush-simd.wasm` or `crush.wasm` (for engines without SIMD),
 * its address (a `URL`, or text that `fetch` takes), a `Response` with it, or the compiled `WebAssembly.Module`.
 */
export type KernelSource = Bytes | string | { readonly href: string } | KernelResponse | WasmModule;

/** The least module with a SIMD instruction in it: an engine that accepts it has SIMD. */
const SIMD_PROBE = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98,
  11,
];

/** The section of the package's kernels that tells them from others, and from those of other versions. */
const ID_SECTION = 'crush-wasm';

let simd: boolean | undefined;
/** The kernel that was brought, which goes before those that the package carries. */
let brought: { readonly build: KernelBuild; readonly module: WebAssembly.Module } | undefined;
const carried: Partial<Record<KernelBuild, WebAssembly.Module>> = {};

/**
 * Loads the kernel before it is needed, without blocking, or from another place than the package's own code. The
 * default needs no call: the kernel is in the package's code and is compiled when it is first used. Mappers made
 * before keep their kernel. Workers of parallel mappers that are made after get the kernel that is given here.
 *
 * @param source - where it comes from, or a promise of it, such as of `fetch`. Default: the package's own code
 * @throws {@link CrushError} `bad-argument` for what is no kernel or that of another version of the package, and
 * where the kernel is neither given nor carried, and where the page's policy or the runtime forbids to compile it;
 * `io` where it cannot be fetched
 * @example
 * ```ts
 * await init(); // compiled in the background
 * await init(new URL('/assets/crush-simd.wasm', location.href)); // from a file that the page serves
 * ```
 */
export async function init(source?: KernelSource | PromiseLike<KernelSource>): Promise<void> {
  const given = await source;
  if (given !== undefined) {
    const what = await loaded(given);
    accept(moduleOf(what) ?? (await compiledOf(what as Uint8Array)));
    return;
  }
  if (brought !== undefined) return;
  const build = hasSimd() ? 'simd' : 'scalar';
  carried[build] ??= await compiledOf(carriedBytes(build));
}

/**
 * As {@link init}, at once: from bytes where the runtime compiles them, or from a `WebAssembly.Module`, as
 * Cloudflare's Workers import one.
 *
 * @throws {@link CrushError} `bad-argument` for what is no kernel or that of another version of the package
 * @example
 * ```ts
 * import kernel from 'crush-wasm/crush-simd.wasm'; // a WebAssembly.Module in workerd
 * initSync(kernel);
 * ```
 */
export function initSync(source: Bytes | WasmModule): void {
  const given = moduleOf(source);
  if (given !== undefined) {
    accept(given);
    return;
  }
  accept(compiledNow(bytesOf(source as Bytes, 'initSync')));
}

/**
 * Whether the kernel that is run draws in lanes: the one that was brought, or that which suits this engine.
 *
 * @internal
 */
export function hasSimd(): boolean {
  if (brought !== undefined) return brought.build === 'simd';
  simd ??= WebAssembly.validate(Uint8Array.from(SIMD_PROBE));
  return simd;
}

/**
 * The kernel to run: the one that was brought, or the carried one of a build.
 *
 * @internal
 */
export function kernelModule(build: KernelBuild): WebAssembly.Module {
  // A kernel with lanes also draws without them.
  return brought?.module ?? (carried[build] ??= compiledNow(carriedBytes(build)));
}

/**
 * The kernel that was brought, for threads that are to run it too; undefined where the carried ones are run.
 *
 * @internal
 */
export function broughtKernel(): WasmModule | undefined {
  return brought?.module;
}

function carriedBytes(build: KernelBuild): Uint8Array<ArrayBuffer> {
  const bytes = inlineKernel(build);
  if (bytes === undefined) {
    throw new CrushError(
      'bad-argument',
      "this entry of the package carries no kernel: give 'crush-wasm/crush-simd.wasm' to init or initSync first",
    );
  }
  return bytes;
}

/** Takes a module as the kernel, if it is one of this version. */
function accept(module: WebAssembly.Module): void {
  const [section] = WebAssembly.Module.customSections(module, ID_SECTION);
  if (section === undefined)
    throw new CrushError('bad-argument', 'this WebAssembly module is no kernel of CRUSH');
  const [build, id] = new TextDecoder().decode(section).split(' ');
  if (id !== KERNEL_BUILD_ID || (build !== 'scalar' && build !== 'simd')) {
    throw new CrushError(
      'bad-argument',
      'this kernel is of another build of crush-wasm; take the .wasm file of the version that is imported',
    );
  }
  brought = { build, module };
}

function compiledNow(bytes: Uint8Array): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
  } catch (error) {
    throw notCompiled(error);
  }
}

async function compiledOf(bytes: Uint8Array): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
  } catch (error) {
    throw notCompiled(error);
  }
}

/** A value that is a module: by its tag, since those of another realm are as good. */
function moduleOf(value: unknown): WebAssembly.Module | undefined {
  const isModule = Object.prototype.toString.call(value) === '[object WebAssembly.Module]';
  return isModule ? (value as WebAssembly.Module) : undefined;
}

/** What helps where a runtime compiles nothing, by its words for that. */
const CURES: readonly (readonly [words: RegExp, cure: string])[] = [
  [
    /eval|\bCSP\b|content security/i,
    "; the policy of the page has to allow it by script-src 'wasm-unsafe-eval'",
  ],
  [
    /disallowed/,
    '; bundle for this runtime by its export condition (esbuild: --conditions=workerd --loader:.wasm=copy), or import ' +
      "'crush-wasm/crush-simd.wasm' as a module and give that to initSync",
  ],
];

function notCompiled(error: unknown): CrushError {
  const reason = messageOf(error);
  const cure = CURES.find(([words]) => words.test(reason))?.[1] ?? '';
  const failure = new CrushError('bad-argument', `the kernel was not compiled: ${reason}${cure}`);
  failure.cause = error;
  return failure;
}

/** A source as a module or as bytes. */
async function loaded(source: KernelSource): Promise<WebAssembly.Module | Uint8Array> {
  const module = moduleOf(source);
  if (module !== undefined) return module;
  if (typeof source === 'string') return fetched(source);
  // Plain JavaScript has no compiler that demands an object.
  if (typeof source !== 'object' || (source as unknown) === null) return bytesOf(source as Bytes, 'init');
  if ('href' in source && typeof source.href === 'string') return fetched(source.href);
  if ('arrayBuffer' in source && typeof source.arrayBuffer === 'function') {
    return bytesOfResponse(source);
  }
  return bytesOf(source as Bytes, 'init');
}

async function fetched(address: string): Promise<Uint8Array> {
  try {
    // Node's fetch reads no files.
    if (address.startsWith('file:') && isNode()) return await readNodeFile(address);
    return await bytesOfResponse(await fetch(address));
  } catch (error) {
    if (error instanceof CrushError) throw error;
    const cure = isNode() ? '' : "; a page's policy has to allow it by connect-src";
    const failure = new CrushError('io', `the kernel cannot be read: ${messageOf(error)}${cure}`, {
      file: address,
    });
    failure.cause = error;
    throw failure;
  }
}

async function bytesOfResponse(response: KernelResponse): Promise<Uint8Array> {
  if (!response.ok) {
    throw new CrushError('io', `the kernel cannot be fetched: status ${response.status}`, {
      file: response.url,
    });
  }
  return new Uint8Array(await response.arrayBuffer());
}

function isNode(): boolean {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
  return process?.versions?.node !== undefined;
}

async function readNodeFile(address: string): Promise<Uint8Array> {
  // Not written where it is imported, so that bundlers for browsers do not look for it.
  const name = ['node', 'fs/promises'].join(':');
  const files = (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as {
    readFile(path: URL): Promise<Uint8Array>;
  };
  return files.readFile(new URL(address));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
