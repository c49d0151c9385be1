/**
 * Tells files apart by their first bytes: text, a binary CRUSH map or a binary OSDMap; and reads the binary ones.
 */
import { CrushError } from '../errors.ts';
import { CRUSH_MAGIC, readCrushBinary } from './crushmap-binary.ts';
import type { MapFile, ReadMapOptions } from './detect.ts';
import { isGzip } from './gzip.ts';
import { readOsdMapBinary } from './osdmap-binary.ts';

/** What the first bytes of a file tell. */
export type FileKind = 'text' | 'crushmap' | 'osdmap';

/**
 * What kind of file bytes begin.
 *
 * @throws CrushError `unknown-kind` when it is none that is known
 */
export function demandKind(start: Uint8Array): FileKind {
  if (start.length === 0) throw unknownKind('the input is empty');
  if (isGzip(start)) throw unknownKind('the bytes are packed with gzip, which readMapFile unpacks');
  const format = PACKED_FORMATS.find(([, magic]) => magic.every((byte, i) => start[i] === byte));
  if (format !== undefined) throw unknownKind(`the input is packed with ${format[0]}; unpack it first`);
  if (isText(start)) return 'text';
  if (startsAsCrushMap(start)) return 'crushmap';
  if (startsAsOsdMap(start)) return 'osdmap';
  throw unknownKind(`the input starts with ${describeStart(start)}`);
}

/** Packers that are named, so that people know what to do. */
const PACKED_FORMATS: readonly (readonly [name: string, magic: readonly number[]])[] = [
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
];

function startsAsCrushMap(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === CRUSH_MAGIC;
}

/**
 * An OSDMap starts with version and compat version, 8 and 7 for many years now, and the length of the rest; the
 * classic one, of before 2013, with its version, at most 6, in 16 bits.
 */
function startsAsOsdMap(bytes: Uint8Array): boolean {
  const [version = 0, compat = 0] = bytes;
  const classic = version >= 1 && version <= 6 && compat === 0;
  return (
    bytes.length >= 6 && (classic || (version >= 7 && version <= 31 && compat >= 1 && compat <= version))
  );
}

/** Reads a binary map of a kind. */
export function readBinaryMap(
  kind: Exclude<FileKind, 'text'>,
  bytes: Uint8Array,
  { ignoreCrc = false }: ReadMapOptions,
): MapFile {
  return kind === 'osdmap'
    ? { kind, encoding: 'binary', map: readOsdMapBinary(bytes, { ignoreCrc }) }
    : { kind, encoding: 'binary', map: readCrushBinary(bytes) };
}

/** The error for what is of no kind that is read. */
export function unknownKind(seen: string): CrushError {
  return new CrushError(
    'unknown-kind',
    `${seen}. Accepted are binary OSDMaps and CRUSH maps, CRUSH maps in text, and the JSON of 'ceph osd dump' with ` +
      `'ceph osd crush dump', of 'ceph osd crush dump' alone and of 'ceph report', packed with gzip or not`,
  );
}

/** The first bytes, as text where they are text and else in hexadecimal. */
export function describeStart(bytes: Uint8Array): string {
  if (isText(bytes)) return JSON.stringify(new TextDecoder().decode(bytes.subarray(0, 40)));
  return [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

/** Whether the first bytes are text: no control characters but white space and escape (coloured warnings). */
function isText(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 4096).every((byte) => byte >= 32 || (byte >= 9 && byte <= 13) || byte === 27);
}
