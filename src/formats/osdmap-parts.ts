/**
 * The small structs that an encoded OSDMap is made of: times, endpoints, PG ids, snapshot intervals. Follows
 * Ceph's src/include/utime.h, src/msg/msg_types.h, src/include/interval_set.h and `pg_t` of osd_types.h.
 */
import type { EntityAddr, EntityAddrVec, Interval, PgId, UTime } from '../osdmap/model.ts';
import type { BinaryReader } from './binary-reader.ts';

/** `AF_INET` as encoded, whatever the machine's own number. */
export const FAMILY_IPV4 = 2;

/** `AF_INET6` as encoded. */
export const FAMILY_IPV6 = 10;

/** Types of an endpoint (`entity_addr_t::type_t`). */
export const ADDR_TYPE = { none: 0, legacy: 1, msgr2: 2, any: 3, cidr: 4 } as const;

/** The blank endpoint. */
export const NO_ADDR: EntityAddr = {
  type: ADDR_TYPE.none,
  nonce: 0,
  family: 0,
  port: 0,
  address: new Uint8Array(0),
};

/** Bytes of an encoded `pg_t`. */
export const PG_BYTES = 17;

/** Least bytes of an encoded `entity_addr_t`. */
export const ADDR_BYTES = 19;

/** Reads a `utime_t`. */
export function readUTime(reader: BinaryReader): UTime {
  const sec = reader.u32();
  return { sec, nsec: reader.u32() };
}

/** Reads a `uuid_d`: 16 bytes. */
export function readUuid(reader: BinaryReader): Uint8Array {
  return reader.raw(16).slice();
}

/** Reads a `pg_t`. */
export function readPgId(reader: BinaryReader): PgId {
  reader.u8(); // a version that never rose above 1
  const pool = reader.id64();
  const ps = reader.u32();
  reader.s32(); // "preferred", of use before 2013
  return { pool, ps };
}

/** Reads the 16-bit form of `pg_t` that the first releases wrote (`ceph_pg`). */
export function readOldPgId(reader: BinaryReader): PgId {
  reader.u16(); // "preferred"
  const ps = reader.u16();
  return { pool: reader.u32(), ps };
}

/** Reads a counted interval_set of snapshot ids. */
export function readIntervals(reader: BinaryReader): Interval[] {
  return readIntervalsOf(reader, reader.count(16));
}

/** Reads `n` intervals whose count stood elsewhere. */
export function readIntervalsOf(reader: BinaryReader, n: number): Interval[] {
  const out: Interval[] = [];
  for (let i = 0; i < n; i++) {
    const start = reader.u64();
    out.push({ start, length: reader.u64() });
  }
  return out;
}

/** Reads one endpoint in either form (`entity_addr_t`). */
export function readAddr(reader: BinaryReader): EntityAddr {
  const at = reader.offset;
  const marker = reader.u8();
  if (marker === 0) return readLegacyAddr(reader);
  if (marker === 1) return readModernAddr(reader);
  throw reader.error('malformed', `address of unknown form ${marker}`, at);
}

/** Reads the endpoints of one daemon: a list, or one endpoint in either form (`entity_addrvec_t`). */
export function readAddrVec(reader: BinaryReader): EntityAddrVec {
  const at = reader.offset;
  const marker = reader.u8();
  if (marker === 0) return [readLegacyAddr(reader)];
  if (marker === 1) return [readModernAddr(reader)];
  if (marker === 2) return reader.list(ADDR_BYTES, () => readAddr(reader));
  throw reader.error('malformed', `address list of unknown form ${marker}`, at);
}

/** The form before Kraken, less its first byte: a whole sockaddr_storage, its family in network order. */
function readLegacyAddr(reader: BinaryReader): EntityAddr {
  reader.raw(3); // the rest of a "type" of 32 bits that was always 0
  const nonce = reader.u32();
  const storage = reader.raw(128);
  const family = bigEndian16(storage, 0);
  const { port, address } = readSocketAddress(family, storage.subarray(2));
  // An unknown family leaves the address blank in Ceph.
  if (address.length === 0) return { ...NO_ADDR, nonce };
  return { type: ADDR_TYPE.legacy, nonce, family, port, address };
}

/** The versioned form, less its first byte: the family in little-endian order, then what the family has. */
function readModernAddr(reader: BinaryReader): EntityAddr {
  const header = reader.start(1);
  const type = reader.u32();
  const nonce = reader.u32();
  const lengthAt = reader.offset;
  const length = reader.count(1);
  if (length === 0) {
    reader.finish(header);
    return { ...NO_ADDR, type, nonce };
  }
  if (length < 2) throw reader.error('malformed', 'address too short for its family', lengthAt);
  const family = reader.u16();
  if (length > socketAddressBytes(family)) {
    throw reader.error('malformed', `address of ${length} bytes is too long for family ${family}`, lengthAt);
  }
  const { port, address } = readSocketAddress(family, reader.raw(length - 2));
  reader.finish(header);
  return { type, nonce, family, port, address };
}

/** Size of the sockaddr that an address of `family` must fit. */
function socketAddressBytes(family: number): number {
  return family === FAMILY_IPV4 ? 16 : 28;
}

/** Port and address from the bytes after the family; what a short encoding lacks is 0. */
function readSocketAddress(family: number, data: Uint8Array): { port: number; address: Uint8Array } {
  const [offset, length] = family === FAMILY_IPV4 ? [2, 4] : family === FAMILY_IPV6 ? [6, 16] : [0, 0];
  if (length === 0) return { port: 0, address: new Uint8Array(0) };
  const address = new Uint8Array(length);
  address.set(data.subarray(offset, offset + length));
  return { port: bigEndian16(data, 0), address };
}

function bigEndian16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}
