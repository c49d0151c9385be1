/**
 * One instance of the WebAssembly kernel, and its memory.
 */
import { CrushError } from '../errors.ts';
import { hasSimd, type KernelBuild, kernelModule } from './kernel-module.ts';

/**
 * What the compiled kernel exports; addresses are bytes in its memory. See assembly/index.ts.
 *
 * @internal
 */
interface KernelExports extends Record<string, unknown> {
  readonly memory: WebAssembly.Memory;
  /** Runs a batch request; gives back a STATUS_*. */
  mapBatch(request: number): number;
  /** Words of workspace that a map and result size need. */
  workspaceWords(map: number, resultMax: number): number;
  /** Makes a workspace ready for its first batch. */
  initWorkspace(map: number, workspace: number): void;
  /** rjenkins1 of the first `count` arguments. */
  hash32(count: number, a: number, b: number, c: number, d: number, e: number): number;
  /** Writes crush_ln of 0 .. 65535 as 64-bit words. */
  lnTable(out: number): void;
  /** First free address. */
  heapStart(): number;
  /** Whether this kernel draws in lanes. */
  hasLanes(): number;
  /** Words of workspace for the task lanes; 0 in a kernel without lanes. */
  taskLaneWords(map: number, resultMax: number): number;
  /** Finds the draws that a change of one item may have changed: how many. */
  recheck(request: number): number;
}

const PAGE_BYTES = 65536;
/** WebAssembly's 32-bit memories end here. */
const MAX_PAGES = 65536;

/**
 * One instance of the kernel with memory of its own. Internal, so that the package's types need no types of
 * WebAssembly, which a consumer's `lib` may not have.
 *
 * @internal
 */
export class Kernel {
  readonly exports: KernelExports;
  #words: Int32Array;
  #end: number;

  constructor(build: KernelBuild = hasSimd() ? 'simd' : 'scalar') {
    // The kernel imports nothing and has no managed objects, so there is nothing for AssemblyScript's loader to do.
    const { exports } = new WebAssembly.Instance(kernelModule(build), {});
    this.exports = exports as unknown as KernelExports;
    this.#words = new Int32Array(this.exports.memory.buffer);
    this.#end = (this.exports.heapStart() + 15) & ~15;
  }

  /** The memory as 32-bit words; fetch it again after {@link Kernel.allocate}, which may move it. */
  get words(): Int32Array {
    return this.#words;
  }

  /**
   * Sets aside bytes for the life of the kernel, at an address that is a multiple of 16.
   *
   * @throws {@link CrushError} `bad-argument` when the memory cannot grow that far
   */
  allocate(bytes: number): number {
    const at = this.#end;
    const end = at + ((bytes + 15) & ~15);
    const missing = Math.ceil(end / PAGE_BYTES) - this.exports.memory.buffer.byteLength / PAGE_BYTES;
    if (missing > 0) {
      try {
        if (end > MAX_PAGES * PAGE_BYTES) throw new RangeError('beyond 4 GiB');
        this.exports.memory.grow(missing);
      } catch {
        throw new CrushError('bad-argument', `the kernel's memory cannot grow by ${bytes} bytes`);
      }
      this.#words = new Int32Array(this.exports.memory.buffer);
    }
    this.#end = end;
    return at;
  }

  /** The end of what is set aside; {@link Kernel.release} goes back to it. */
  get mark(): number {
    return this.#end;
  }

  /** Gives back everything set aside since `mark` was read. */
  release(mark: number): void {
    this.#end = mark;
  }
}

let shared: Kernel | undefined;

/**
 * CRUSH's 32-bit hash (rjenkins1) of one to five 32-bit numbers, as the kernel computes it.
 *
 * Follows `crush_hash32` to `crush_hash32_5` (Ceph's src/crush/hash.c).
 *
 * @returns the hash, 0 .. 4294967295
 * @throws {@link CrushError} `bad-argument` without an argument or with more than five
 * @example
 * ```ts
 * hash32(1, 2); // the hash behind reweights, placement seeds and primary affinity
 * ```
 */
export function hash32(...values: number[]): number {
  if (values.length < 1 || values.length > 5) {
    throw new CrushError('bad-argument', `hash32 takes 1 to 5 numbers, not ${values.length}`);
  }
  shared ??= new Kernel();
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = values;
  return shared.exports.hash32(values.length, a | 0, b | 0, c | 0, d | 0, e | 0) >>> 0;
}

/**
 * The fixed-point logarithm of straw2 for every input: 2^44 * log2(u + 1), u = 0 .. 65535 (`crush_ln`).
 */
export function lnTable(): BigUint64Array {
  const kernel = new Kernel();
  const at = kernel.allocate(65536 * 8);
  kernel.exports.lnTable(at);
  return new BigUint64Array(kernel.exports.memory.buffer.slice(at, at + 65536 * 8));
}
