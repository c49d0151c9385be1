/** What web/packed-kernel.ts makes. */
declare module 'virtual:packed-kernel' {
  /** The kernel for engines with SIMD, packed with gzip, as a data URL. */
  export const PACKED_KERNEL: string;
}
