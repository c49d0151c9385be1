/**
 * Reads any map that the project knows, told apart by its content: OSDMap or CRUSH map, binary, JSON or text, packed
 * with gzip or not. File names play no part.
 */
import type { CrushMap } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { bytesOf, type Bytes } from './bytes.ts';
import { CRUSH_MAGIC, readCrushBinary } from './crushmap-binary.ts';
import { readCrushDump } from './crushmap-json.ts';
import { readCrushText } from './crushmap-text.ts';
import { MIB } from './gather-bytes.ts';
import { gunzip, isGzip } from './gzip.ts';
import { findJsonObject, parseJsonObject } from './json-input.ts';
import { MAX_JSON_BYTES, demandParsable } from './json-limits.ts';
import { readOsdMapBinary } from './osdmap-binary.ts';
import { readOsdMapJson, readReportJson } from './osdmap-json.ts';

/** Most bytes of a file that are read or unpacked. The largest maps of the largest clusters have some tens of MiB. */
export const MAX_FILE_BYTES = 256 * MIB;

/** What a file turned out to be. */
export type MapFile =
  | { readonly kind: 'osdmap'; readonly encoding: 'binary' | 'json' | 'report'; readonly map: OsdMap }
  | { readonly kind: 'crushmap'; readonly encoding: 'binary' | 'json' | 'text'; readonly map: CrushMap };

/** Options of {@link readMap} and {@link readMapFile}. */
export interface ReadMapOptions {
  /**
   * The other half of a pair of files: the JSON of `ceph osd dump` has no CRUSH map, so it needs the JSON of
   * `ceph osd crush dump`, or a CRUSH map in binary or text, beside it. Either may come first.
   */
  readonly second?: Bytes;
  /** Read an OSDMap although its checksum does not match. */
  readonly ignoreCrc?: boolean;
  /** Called with a sentence for each thing that a JSON dump leaves open, see `readCrushDump`. */
  readonly onNote?: (note: string) => void;
  /** Most bytes that a packed file may unpack to (default 256 MiB; JSON at most 128 MiB). */
  readonly maxUnpackedBytes?: number;
}

/**
 * Reads a map from the bytes of a file, unpacking gzip.
 *
 * @throws CrushError `unknown-kind` when nothing recognises the bytes, and what the reader of the kind throws.
 * @example
 * ```ts
 * const file = await readMapFile(await readFile('osdmap.gz'));
 * if (file.kind === 'osdmap') console.log(file.map.epoch, file.map.pools.size);
 * ```
 */
export async function readMapFile(bytes: Bytes, options: ReadMapOptions = {}): Promise<MapFile> {
  const limit = options.maxUnpackedBytes ?? MAX_FILE_BYTES;
  // What is of no known kind, or too large for its kind, is given up at its first bytes.
  const limitOf = (start: Uint8Array): number =>
    demandKind(start) === 'text' ? Math.min(limit, MAX_JSON_BYTES) : limit;
  const unpacked = await gunzip(bytesOf(bytes, 'readMapFile'), limitOf);
  if (options.second === undefined) return readMap(unpacked, options);
  const second = await gunzip(bytesOf(options.second, "readMapFile's option second"), limitOf);
  return readMap(unpacked, { ...options, second });
}

/**
 * Reads a map from bytes that are not packed; else as {@link readMapFile}, without a promise.
 *
 * @throws CrushError, see {@link readMapFile}.
 */
export function readMap(bytes: Bytes, options: ReadMapOptions = {}): MapFile {
  const { second } = options;
  const input = recognise(bytesOf(bytes, 'readMap'));
  if (second === undefined) return readOne(input, options);

  const inputs = [input, recogniseSecond(bytesOf(second, "readMap's option second"))];
  const dump = inputs.find((each) => each.content === 'osd dump');
  const crush = inputs.find(({ content }) => CRUSH_CONTENTS.has(content));
  if (dump === undefined || crush === undefined) {
    const titles = inputs.map((each) => TITLES[each.content]).join(' and ');
    throw new CrushError(
      'bad-argument',
      `only the JSON of 'ceph osd dump' and its CRUSH map go together; these are ${titles}`,
    );
  }
  return { kind: 'osdmap', encoding: 'json', map: readOsdMapJson(dump.json, readCrush(crush, options)) };
}

type Content = 'osdmap' | 'crushmap' | 'crush text' | 'osd dump' | 'crush dump' | 'report';

/** What holds a CRUSH map and nothing else. */
const CRUSH_CONTENTS: ReadonlySet<Content> = new Set(['crushmap', 'crush dump', 'crush text']);

/** How errors name each content. */
const TITLES: Readonly<Record<Content, string>> = {
  osdmap: 'a binary OSDMap',
  crushmap: 'a binary CRUSH map',
  'crush text': 'a CRUSH map in text',
  'osd dump': "the JSON of 'ceph osd dump'",
  'crush dump': "the JSON of 'ceph osd crush dump'",
  report: "the JSON of 'ceph report'",
};

/** What there is to read; `json` is the parsed text of the JSON kinds, `text` that of a CRUSH map in text. */
interface Input {
  readonly content: Content;
  readonly bytes: Uint8Array;
  readonly text?: string;
  readonly json?: unknown;
}

function readOne(input: Input, options: ReadMapOptions): MapFile {
  const { ignoreCrc = false } = options;
  switch (input.content) {
    case 'osdmap':
      return { kind: 'osdmap', encoding: 'binary', map: readOsdMapBinary(input.bytes, { ignoreCrc }) };
    case 'crushmap':
      return { kind: 'crushmap', encoding: 'binary', map: readCrush(input, options) };
    case 'crush dump':
      return { kind: 'crushmap', encoding: 'json', map: readCrush(input, options) };
    case 'crush text':
      return { kind: 'crushmap', encoding: 'text', map: readCrush(input, options) };
    case 'report':
      return { kind: 'osdmap', encoding: 'report', map: readReportJson(input.json, noteOptions(options)) };
    case 'osd dump':
      throw new CrushError(
        'bad-argument',
        `${TITLES[input.content]} has no CRUSH map: give the JSON of 'ceph osd crush dump' with it, or a CRUSH ` +
          `map in binary ('ceph osd getcrushmap') or text`,
      );
  }
}

/** Reads an input whose content is a CRUSH map. */
function readCrush({ content, bytes, text, json }: Input, options: ReadMapOptions): CrushMap {
  if (text !== undefined) return readCrushText(text);
  return content === 'crushmap' ? readCrushBinary(bytes) : readCrushDump(json, noteOptions(options));
}

function noteOptions({ onNote }: ReadMapOptions): Pick<ReadMapOptions, 'onNote'> {
  return onNote === undefined ? {} : { onNote };
}

function recogniseSecond(bytes: Uint8Array): Input {
  try {
    return recognise(bytes);
  } catch (error) {
    throw error instanceof CrushError ? error.at({ path: 'second input' }) : error;
  }
}

function recognise(bytes: Uint8Array): Input {
  const kind = demandKind(bytes);
  return kind === 'text' ? recogniseText(bytes) : { content: kind, bytes };
}

/** What kind of file bytes begin; throws if none that is known. */
function demandKind(start: Uint8Array): 'text' | 'crushmap' | 'osdmap' {
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

/** Whether the first bytes are text: no control characters but white space and escape (coloured warnings). */
function isText(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 4096).every((byte) => byte >= 32 || (byte >= 9 && byte <= 13) || byte === 27);
}

function recogniseText(bytes: Uint8Array): Input {
  if (bytes.length > MAX_JSON_BYTES) {
    throw new CrushError(
      'unsupported',
      `this text has ${bytes.length} bytes; JSON is read up to ${MAX_JSON_BYTES} (${MAX_JSON_BYTES / MIB} MiB), ` +
        'and so are CRUSH maps in text',
    );
  }
  const text = new TextDecoder().decode(bytes);
  if (isCrushText(text)) return { content: 'crush text', bytes, text };
  if (findJsonObject(text) === undefined) throw unknownKind(`the input starts with ${describeStart(bytes)}`);
  demandParsable(text);
  const json = parseJsonObject(text);
  const has = (...keys: readonly string[]): boolean =>
    keys.every((key) => Object.hasOwn(json as object, key));
  if (has('osdmap', 'crushmap')) return { content: 'report', bytes, json };
  if (has('buckets', 'rules', 'tunables')) return { content: 'crush dump', bytes, json };
  if (has('epoch', 'pools', 'osds')) return { content: 'osd dump', bytes, json };
  const keys = Object.keys(json as object);
  const shown = keys.slice(0, 5).join(', ') + (keys.length > 5 ? ' ...' : '');
  throw unknownKind(`the input is JSON of another kind (${shown === '' ? 'empty' : `it has ${shown}`})`);
}

/** Whether text is the source of a CRUSH map: by its title, or by the first word that is no comment. */
function isCrushText(text: string): boolean {
  const lines = text.slice(0, 4096).split('\n', 100);
  const first = lines.find((line) => line.trim() !== '' && !line.trimStart().startsWith('#')) ?? '';
  return /^\s*# begin crush map/.test(text) || /^\s*(tunable|device|type)\s/.test(first);
}

function unknownKind(seen: string): CrushError {
  return new CrushError(
    'unknown-kind',
    `${seen}. Accepted are binary OSDMaps and CRUSH maps, CRUSH maps in text, and the JSON of 'ceph osd dump' with ` +
      `'ceph osd crush dump', of 'ceph osd crush dump' alone and of 'ceph report', packed with gzip or not`,
  );
}

/** The first bytes, as text where they are text and else in hexadecimal. */
function describeStart(bytes: Uint8Array): string {
  if (isText(bytes)) return JSON.stringify(new TextDecoder().decode(bytes.subarray(0, 40)));
  return [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}
