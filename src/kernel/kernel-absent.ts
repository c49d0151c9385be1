/**
 * In the place of kernel-inline.ts in the build that carries no kernel: for runtimes that are given the kernel as a
 * file (`crush-wasm/slim`, and the entries for edge runtimes).
 */

/** There is none; see kernel-inline.ts. */
export function inlineKernel(): undefined {
  return undefined;
}
