/**
 * Gzip, with what every runtime has: `DecompressionStream`.
 */
import { CrushError } from '../errors.ts';

/** Most bytes that a file may unpack to. The largest maps of the largest clusters have some tens of MiB. */
export const MAX_UNPACKED_BYTES = 512 * 1024 * 1024;

/** Whether bytes begin as gzip does. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Unpacks gzip; bytes that are not gzip are given back as they are.
 *
 * @param maxBytes - Refuse to unpack to more.
 * @throws CrushError `malformed` when the gzip is damaged, ends early or unpacks to too much.
 */
export async function gunzip(bytes: Uint8Array, maxBytes = MAX_UNPACKED_BYTES): Promise<Uint8Array> {
  if (!isGzip(bytes)) return bytes;
  const packed = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  const reader = packed.pipeThrough(new DecompressionStream('gzip')).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > maxBytes) break;
      chunks.push(value);
    }
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? `: ${error.message}` : '';
    throw new CrushError('malformed', `damaged gzip${reason}`);
  }
  if (length > maxBytes) {
    reader.cancel().catch(() => {
      // The stream was given up; how it ends is of no interest.
    });
    throw new CrushError('malformed', `the gzip unpacks to more than ${maxBytes} bytes`);
  }
  const out = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    out.set(chunk, offset);
    offset += chunk.length;
  }
  return out;
}
