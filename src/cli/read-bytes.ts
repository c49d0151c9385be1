/** Reads files and streams whole, up to a limit: either may go on for ever. */
import { open, type FileHandle } from 'node:fs/promises';
import { CrushError } from '../errors.ts';
import { MAX_FILE_BYTES } from '../formats/map-file.ts';
import { ByteGatherer, MIB } from '../formats/gather-bytes.ts';

/** Bytes that are read at a time where the size is not known. */
const PIECE_BYTES = MIB;

/**
 * Reads a file.
 *
 * @throws CrushError `unsupported` when it is too large, and what Node throws
 */
export async function readFileBytes(path: string): Promise<Uint8Array> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    if (size > MAX_FILE_BYTES) throw tooLarge();
    // Devices and pipes have no size; those of other files may be wrong.
    const known = new Uint8Array(size);
    const length = await readInto(handle, known);
    return length < size ? known.subarray(0, length) : await readOn(handle, known);
  } finally {
    await handle.close();
  }
}

/**
 * Gathers a stream.
 *
 * @throws CrushError `unsupported` when it is too large, and what the stream throws
 */
export async function gatherStream(stream: AsyncIterable<unknown>): Promise<Uint8Array> {
  const gatherer = new ByteGatherer(MAX_FILE_BYTES);
  for await (const piece of stream) {
    if (!gatherer.add(piece as Uint8Array)) throw tooLarge();
  }
  return gatherer.bytes();
}

/** Reads what follows bytes that were read, if anything does. */
async function readOn(handle: FileHandle, bytes: Uint8Array): Promise<Uint8Array> {
  let gatherer: ByteGatherer | undefined;
  for (;;) {
    const piece = new Uint8Array(PIECE_BYTES);
    const length = await readInto(handle, piece);
    if (length === 0) return gatherer?.bytes() ?? bytes;
    if (gatherer === undefined) {
      gatherer = new ByteGatherer(MAX_FILE_BYTES);
      gatherer.add(bytes);
    }
    if (!gatherer.add(piece.subarray(0, length))) throw tooLarge();
  }
}

/** Fills as much of `out` as there is; gives back how much. */
async function readInto(handle: FileHandle, out: Uint8Array): Promise<number> {
  let length = 0;
  while (length < out.length) {
    const { bytesRead } = await handle.read(out, length, out.length - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

function tooLarge(): CrushError {
  return new CrushError(
    'unsupported',
    `has more than ${MAX_FILE_BYTES} bytes (${MAX_FILE_BYTES / MIB} MiB), the most that is read`,
  );
}
