/**
 * Gives the page's worker its kernel packed with gzip, which in base64 is a third of what the library carries: the
 * kernel for engines with SIMD alone, which all browsers have that the page's style sheets work in.
 */
import { Buffer } from 'node:buffer';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { SIMD_KERNEL_BASE64 } from '../src/kernel/kernel-bytes.ts';

const NAME = 'virtual:packed-kernel';

/** The plugin: offers `virtual:packed-kernel`, and takes the library's own kernels out. */
export function packedKernel(): Plugin {
  return {
    name: 'packed-kernel',
    enforce: 'pre',
    resolveId(source) {
      if (source === NAME) return NAME;
      if (!source.endsWith('/kernel-inline.ts')) return undefined;
      return fileURLToPath(new URL('../src/kernel/kernel-absent.ts', import.meta.url));
    },
    load(id) {
      if (id !== NAME) return undefined;
      const packed = gzipSync(Buffer.from(SIMD_KERNEL_BASE64, 'base64'), { level: 9 });
      return `export const PACKED_KERNEL = 'data:application/gzip;base64,${packed.toString('base64')}';`;
    },
  };
}
