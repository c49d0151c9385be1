/**
 * Reads the bytes of a file that may be packed. The readers of text and JSON weigh as much as all the rest that an
 * embedder needs, and most files are binary: they are a module of their own that is loaded when a file asks for them.
 */
import { CrushError } from '../errors.ts';
import { bytesOf, type Bytes } from './bytes.ts';
import type { MapFile, ReadMapOptions } from './detect.ts';
import { demandKind, readBinaryMap } from './file-kind.ts';
import { MIB } from './gather-bytes.ts';
import { gunzip, isGzip } from './gzip.ts';
import { MAX_JSON_BYTES } from './json-limits.ts';

/** Most bytes of a file that are read or unpacked. The largest maps of the largest clusters have some tens of MiB. */
export const MAX_FILE_BYTES = 256 * MIB;

/**
 * Reads a map from the bytes of a file, unpacking gzip. Bundlers may put the readers of text and JSON into a file of
 * their own, which is loaded when such a map comes.
 *
 * @throws {@link CrushError} `unknown-kind` when nothing recognises the bytes, what the reader of the kind throws, and
 * `io` where the readers of text and JSON cannot be loaded
 * @example
 * ```ts
 * const file = await readMapFile(await readFile('osdmap.gz'));
 * if (file.kind === 'osdmap') console.log(file.map.epoch, file.map.pools.size);
 * ```
 */
export async function readMapFile(bytes: Bytes, options: ReadMapOptions = {}): Promise<MapFile> {
  const limit = options.maxUnpackedBytes ?? MAX_FILE_BYTES;
  // What is of no known kind, or too large for its kind, is given up at its first bytes.
  const limitOf = (start: Uint8Array): number => {
    if (isGzip(start)) {
      throw new CrushError('unknown-kind', 'the bytes are packed with gzip more than once: unpack them once');
    }
    return demandKind(start) === 'text' ? Math.min(limit, MAX_JSON_BYTES) : limit;
  };
  const unpacked = await gunzip(bytesOf(bytes, 'readMapFile'), limitOf);
  if (options.second === undefined) {
    const kind = demandKind(unpacked);
    if (kind !== 'text') return readBinaryMap(kind, unpacked, options);
    const { readMap } = await loadReaders();
    return readMap(unpacked, options);
  }
  const second = await gunzip(bytesOf(options.second, "readMapFile's option second"), limitOf);
  const { readMap } = await loadReaders();
  return readMap(unpacked, { ...options, second });
}

async function loadReaders(): Promise<Pick<typeof import('./detect.ts'), 'readMap'>> {
  try {
    const { readMap } = await import('./detect.ts');
    return { readMap };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const failure = new CrushError('io', `the readers of text and JSON cannot be loaded: ${reason}`);
    failure.cause = error;
    throw failure;
  }
}
