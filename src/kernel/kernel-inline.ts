/**
 * The compiled kernels that the package carries in its code, so that it works the same way in every runtime and
 * bundler, with no file to find at run time. The build without them has kernel-absent.ts in this module's place.
 */
import { SCALAR_KERNEL_BASE64, SIMD_KERNEL_BASE64 } from './kernel-bytes.ts';
import type { KernelBuild } from './kernel-module.ts';

/** The bytes of a kernel, or undefined where the code carries none. */
export function inlineKernel(build: KernelBuild): Uint8Array<ArrayBuffer> | undefined {
  return decodeBase64(build === 'simd' ? SIMD_KERNEL_BASE64 : SCALAR_KERNEL_BASE64);
}

/** What decodes base64 by itself: newer engines, and Node, Bun and Deno through Buffer. */
interface Decoders {
  readonly Uint8Array: { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  readonly Buffer?: { from(text: string, encoding: 'base64'): Uint8Array<ArrayBuffer> };
}

/** Base64 to bytes. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const { Uint8Array: bytesType, Buffer: buffer } = globalThis as unknown as Decoders;
  if (bytesType.fromBase64 !== undefined) return bytesType.fromBase64(text);
  return buffer?.from(text, 'base64') ?? decodeByTable(text);
}

/** Ten times faster than going through `atob` and a callback for each character. */
function decodeByTable(text: string): Uint8Array<ArrayBuffer> {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const value = new Uint8Array(128);
  for (let i = 0; i < alphabet.length; i++) value[alphabet.charCodeAt(i)] = i;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let out = 0;
  for (let i = 0; i < text.length; i += 4) {
    let group = 0;
    for (let j = 0; j < 4; j++) group = (group << 6) | (value[text.charCodeAt(i + j)] ?? 0);
    bytes[out++] = group >> 16;
    if (out < bytes.length) bytes[out++] = group >> 8;
    if (out < bytes.length) bytes[out++] = group;
  }
  return bytes;
}
