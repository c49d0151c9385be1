/**
 * Reads binary OSDMaps of every release: the versioned encoding (Dumpling to Tentacle: a wrapper with a client
 * section, an OSD section and a CRC-32C), and through osdmap-classic.ts the flat one before it. Follows
 * `OSDMap::decode` (Ceph's src/osd/OSDMap.cc).
 */
import { CrushError } from '../errors.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { BinaryReader } from './binary-reader.ts';
import { bytesOf, type Bytes } from './bytes.ts';
import { crc32c } from './crc32c.ts';
import { assembleOsdMap } from './osdmap-assemble.ts';
import { readClassicOsdMap } from './osdmap-classic.ts';
import { readClientSection, readOsdSection } from './osdmap-sections.ts';

/** The newest wrapper that this reader knows. */
const WRAPPER_VERSION = 8;

/** Wrapper versions below this one are the classic encoding's own version. */
const FIRST_WRAPPER = 7;

/** What incrementals have after their checksum: that of the whole map they lead to. */
const FULL_CRC_BYTES = 4;

/** How to read an OSDMap. */
export interface ReadOsdMapOptions {
  /** Read the map although its checksum does not match. */
  readonly ignoreCrc?: boolean;
}

/**
 * Reads a binary OSDMap (`ceph osd getmap`, `osdmaptool --createsimple`).
 *
 * @throws CrushError `bad-crc` when the checksum does not match, `unsupported` when a struct needs a newer reader,
 * `truncated` or `malformed` when the bytes are not an OSDMap.
 * @example
 * ```ts
 * const map = readOsdMapBinary(await readFile('osdmap.bin'));
 * console.log(map.epoch, [...map.pools.values()].map((pool) => pool.name));
 * ```
 */
export function readOsdMapBinary(bytes: Bytes, options: ReadOsdMapOptions = {}): OsdMap {
  const reader = new BinaryReader(bytesOf(bytes, 'readOsdMapBinary'), 'osdmap');
  const first = reader.u8();
  reader.offset = 0;
  if (first < FIRST_WRAPPER) return readClassicOsdMap(reader);

  const wrapper = reader.start(WRAPPER_VERSION);
  const end = wrapper.end ?? reader.limit;
  reader.limit = end;
  const hasCrc = wrapper.version >= WRAPPER_VERSION;
  // The checksum is settled before anything is read by it, so that a damaged map is called damaged.
  const checked = hasCrc ? checkCrc(reader, options.ignoreCrc === true) : undefined;
  if (checked !== undefined && reader.limit - checked.end === FULL_CRC_BYTES) {
    throw reader.error(
      'malformed',
      'this is an incremental, the difference between two epochs, not a whole map; apply it to the map before it',
    );
  }
  const client = reader.within('client', () => readClientSection(reader));
  const osd = reader.within('osd', () => readOsdSection(reader, client.flags));
  return assembleOsdMap('binary', checked?.crc, client, osd, (field, reason) =>
    reader.within(field, () => reader.error('malformed', reason)),
  );
}

/**
 * Compares the stored checksum with one over the wrapper's bytes before and after it. The reader stands at the
 * client section and is left there.
 *
 * @returns the checksum, and where it ends
 */
export function checkCrc(reader: BinaryReader, ignore: boolean): { crc: number; end: number } {
  const { bytes, offset: sections, limit } = reader;
  skipSection(reader, 'client');
  skipSection(reader, 'osd');
  const at = reader.offset;
  const stored = reader.within('crc', () => reader.u32());
  const computed = crc32c(crc32c(-1, bytes.subarray(0, at)), bytes.subarray(at + 4, limit));
  if (stored !== computed && !ignore) {
    throw new CrushError(
      'bad-crc',
      `checksum ${hex32(stored)} is stored, but the map's bytes give ${hex32(computed)}: the map is damaged ` +
        '(to read it anyway, ignore its checksum: ignoreCrc, --ignore-crc)',
      { path: reader.path, offset: at },
    );
  }
  reader.offset = sections;
  return { crc: stored, end: at + 4 };
}

function skipSection(reader: BinaryReader, name: string): void {
  reader.within(name, () => {
    reader.raw(2); // version and compat version, which the section's own reader judges
    reader.buffer();
  });
}

function hex32(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}
