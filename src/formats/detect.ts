/**
 * Reads any map that the project knows, told apart by its content: OSDMap or CRUSH map, binary, JSON or text. File
 * names play no part; map-file.ts unpacks gzip before.
 */
import type { CrushMap } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { bytesOf, type Bytes } from './bytes.ts';
import { readCrushBinary } from './crushmap-binary.ts';
import { readCrushDump } from './crushmap-json.ts';
import { readCrushText } from './crushmap-text.ts';
import { demandKind, describeStart, readBinaryMap, unknownKind } from './file-kind.ts';
import { MIB } from './gather-bytes.ts';
import { findJsonObject, parseJsonObject } from './json-input.ts';
import { MAX_JSON_BYTES, demandParsable } from './json-limits.ts';
import { readOsdMapJson, readReportJson } from './osdmap-json.ts';

/** What a file turned out to be. */
export type MapFile =
  | { readonly kind: 'osdmap'; readonly encoding: 'binary' | 'json' | 'report'; readonly map: OsdMap }
  | { readonly kind: 'crushmap'; readonly encoding: 'binary' | 'json' | 'text'; readonly map: CrushMap };

/** Options of {@link readMap} and `readMapFile`. */
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
 * Reads a map from bytes that are not packed; else as `readMapFile`, without a promise.
 *
 * @throws {@link CrushError} `unknown-kind` when nothing recognises the bytes, and what the reader of the kind throws
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
  switch (input.content) {
    case 'osdmap':
    case 'crushmap':
      return readBinaryMap(input.content, input.bytes, options);
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
