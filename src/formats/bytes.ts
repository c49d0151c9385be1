/**
 * What readers take for bytes. Callers of plain JavaScript have no compiler that stops them from passing a path or
 * a promise.
 */
import { CrushError } from '../errors.ts';

/** Bytes as files and networks give them. */
export type Bytes = Uint8Array | ArrayBuffer;

/**
 * Bytes as an array of them.
 *
 * @param caller - The function that they were given to, for the error.
 * @throws CrushError `bad-argument` for anything else, saying what it is.
 */
export function bytesOf(input: Bytes, caller: string): Uint8Array {
  // By tag, since arrays and buffers of another realm (an iframe, a vm context) are as good.
  switch (tagOf(input)) {
    case 'Uint8Array':
      return input as Uint8Array;
    case 'ArrayBuffer':
      return new Uint8Array(input);
    default:
      throw new CrushError(
        'bad-argument',
        `${caller} takes bytes, a Uint8Array or ArrayBuffer, not ${describe(input)}`,
      );
  }
}

/** Whether a value is bytes, or a view of them. */
export function isBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) || tagOf(value) === 'ArrayBuffer';
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** Names a value of the wrong kind, with the cure for the likely ones. */
function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  const tag = tagOf(value);
  if (typeof value === 'string') return 'a string: read the file first, without an encoding';
  if (tag === 'Promise') return 'a Promise: await it first';
  if (tag === 'Response' || tag === 'Blob' || tag === 'File')
    return `a ${tag}: await its arrayBuffer() first`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  return /^[AEIO]/.test(tag) ? `an ${tag}` : `a ${tag}`;
}
