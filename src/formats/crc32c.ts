/**
 * CRC-32C (Castagnoli), the checksum at the end of an OSDMap, in Ceph's convention: the caller gives the running
 * value (-1 to begin) and nothing is inverted at the end. Eight bytes a step by eight tables ("slicing by 8").
 */

/** The Castagnoli polynomial, bits reversed. */
const POLYNOMIAL = 0x82f63b78;

/** Table k, entry b: the CRC of byte b followed by k zero bytes. */
const TABLES = buildTables();

/**
 * CRC-32C of `bytes`, going on from `seed`. Follows `ceph_crc32c`.
 *
 * @param seed - the value so far; Ceph starts with -1.
 * @returns the new value, unsigned.
 * @example
 * ```ts
 * crc32c(crc32c(-1, head), tail) === crc32c(-1, headAndTail);
 * ```
 */
export function crc32c(seed: number, bytes: Uint8Array): number {
  const tables = TABLES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stepped = bytes.length & ~7;
  let crc = seed | 0;
  for (let at = 0; at < stepped; at += 8) {
    const low = crc ^ view.getInt32(at, true);
    const high = view.getInt32(at + 4, true);
    crc =
      entry(tables, 7, low & 255) ^
      entry(tables, 6, (low >>> 8) & 255) ^
      entry(tables, 5, (low >>> 16) & 255) ^
      entry(tables, 4, low >>> 24) ^
      entry(tables, 3, high & 255) ^
      entry(tables, 2, (high >>> 8) & 255) ^
      entry(tables, 1, (high >>> 16) & 255) ^
      entry(tables, 0, high >>> 24);
  }
  for (let at = stepped; at < bytes.length; at++) {
    crc = entry(tables, 0, (crc ^ view.getUint8(at)) & 255) ^ (crc >>> 8);
  }
  return crc >>> 0;
}

function entry(tables: Int32Array, table: number, byte: number): number {
  return tables[table * 256 + byte] ?? 0;
}

function buildTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[byte] = crc;
  }
  for (let i = 256; i < tables.length; i++) {
    const shorter = tables[i - 256] ?? 0;
    tables[i] = entry(tables, 0, shorter & 255) ^ (shorter >>> 8);
  }
  return tables;
}
