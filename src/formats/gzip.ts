/**
 * Gzip, with what every runtime has: `DecompressionStream`.
 */
import { CrushError } from '../errors.ts';
import { ByteGatherer } from './gather-bytes.ts';

/** Bytes that tell what a file is. */
const START_BYTES = 4096;

/** Whether bytes begin as gzip does. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Unpacks gzip; bytes that are not gzip are given back as they are.
 *
 * @param limitOf - Says from the first bytes to how many the rest may unpack, or throws if they are of no use.
 * @throws CrushError `malformed` when the gzip is damaged, ends early or unpacks to too much.
 */
export async function gunzip(bytes: Uint8Array, limitOf: (start: Uint8Array) => number): Promise<Uint8Array> {
  if (!isGzip(bytes)) return bytes;
  const packed = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  const reader = packed.pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    return await readAll(reader, limitOf);
  } catch (error) {
    reader.cancel().catch(() => {
      // The stream was given up; how it ends is of no interest.
    });
    throw error;
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limitOf: (start: Uint8Array) => number,
): Promise<Uint8Array> {
  const head: Uint8Array[] = [];
  let headLength = 0;
  let gatherer: ByteGatherer | undefined;
  let limit = 0;
  const begin = (): ByteGatherer => {
    const start = new ByteGatherer(headLength);
    for (const piece of head) start.add(piece);
    limit = limitOf(start.start(START_BYTES));
    const begun = new ByteGatherer(limit);
    for (const piece of head) demandRoom(begun.add(piece), limit);
    return begun;
  };
  for (;;) {
    const piece = await nextPiece(reader);
    if (piece === undefined) break;
    if (gatherer === undefined) {
      head.push(piece);
      headLength += piece.length;
      if (headLength >= START_BYTES) gatherer = begin();
    } else {
      demandRoom(gatherer.add(piece), limit);
    }
  }
  return (gatherer ?? begin()).bytes();
}

async function nextPiece(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const { done, value } = await reader.read();
    return done ? undefined : value;
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? `: ${error.message}` : '';
    throw new CrushError('malformed', `damaged gzip${reason}`);
  }
}

function demandRoom(fits: boolean, limit: number): void {
  if (!fits) throw new CrushError('malformed', `the gzip unpacks to more than ${limit} bytes`);
}
