/**
 * Writes the small structs that an encoded OSDMap and its incrementals are made of, the counterpart of
 * osdmap-parts.ts and osdmap-tables.ts. Follows Ceph's src/include/utime.h, src/msg/msg_types.h and
 * src/osd/OSDMap.cc.
 */
import type {
  EntityAddr,
  EntityAddrVec,
  Interval,
  OsdInfo,
  OsdXInfo,
  PgTable,
  UTime,
} from '../osdmap/model.ts';
import type { BinaryWriter } from './binary-writer.ts';
import { ADDR_TYPE, FAMILY_IPV4, FAMILY_IPV6, NO_ADDR } from './osdmap-parts.ts';

/** Writes a `utime_t`. */
export function writeUTime(writer: BinaryWriter, { sec, nsec }: UTime): void {
  writer.u32(sec).u32(nsec);
}

/** Writes a `pg_t`. */
export function writePgId(writer: BinaryWriter, pool: number, ps: number): void {
  // The last word is "preferred", of use before 2013.
  writer.u8(1).u64(pool).u32(ps).u32(-1);
}

/** Writes a table keyed by PG. */
export function writePgTable<T>(writer: BinaryWriter, table: PgTable<T>, write: (value: T) => void): void {
  let rows = 0;
  for (const pgs of table.values()) rows += pgs.size;
  writer.u32(rows);
  for (const [pool, pgs] of table) {
    for (const [ps, value] of pgs) {
      writePgId(writer, pool, ps);
      write(value);
    }
  }
}

/** Writes a counted list of OSDs. */
export function writeOsds(writer: BinaryWriter, osds: readonly number[]): void {
  writer.u32(osds.length).words(osds);
}

/** Writes a counted list of pairs of OSDs. */
export function writeOsdPairs(writer: BinaryWriter, pairs: readonly (readonly [number, number])[]): void {
  writer.list(pairs, ([from, to]) => writer.u32(from).u32(to));
}

/** Writes a counted interval_set of snapshot ids. */
export function writeIntervals(writer: BinaryWriter, intervals: readonly Interval[]): void {
  writer.list(intervals, ({ start, length }) => writer.u64(start).u64(length));
}

/** Writes a table of snapshot intervals keyed by pool. */
export function writeSnapTable(writer: BinaryWriter, table: ReadonlyMap<number, readonly Interval[]>): void {
  writer.list(ascending(table), ([pool, intervals]) => writeIntervals(writer.u64(pool), intervals));
}

/** Writes texts keyed by texts. */
export function writeTexts(writer: BinaryWriter, texts: ReadonlyMap<string, string>): void {
  writer.list(inByteOrder(texts), ([key, value]) => writer.string(key).string(value));
}

/** Writes tables of texts keyed by texts, as profiles are. */
export function writeTextTables(
  writer: BinaryWriter,
  tables: ReadonlyMap<string, ReadonlyMap<string, string>>,
): void {
  writer.list(inByteOrder(tables), ([key, texts]) => writeTexts(writer.string(key), texts));
}

/** Writes the endpoints of every OSD (`entity_addrvec_t`). */
export function writeAddrVecs(writer: BinaryWriter, vectors: readonly EntityAddrVec[]): void {
  writer.list(vectors, (addrs) => writer.u8(2).list(addrs, (addr) => writeAddr(writer, addr)));
}

/** Writes the legacy endpoint of every OSD, as before Nautilus, in the versioned form. */
export function writeLegacyAddrs(writer: BinaryWriter, vectors: readonly EntityAddrVec[]): void {
  writer.list(vectors, (addrs) => {
    writeAddr(writer, addrs.find(({ type }) => type === ADDR_TYPE.legacy) ?? NO_ADDR);
  });
}

/** Writes a table of blocked endpoints in the order in which Ceph keeps them: by their bytes in memory. */
export function writeBlocklist(
  writer: BinaryWriter,
  rows: readonly (readonly [EntityAddr, UTime])[],
  /** Whether endpoints of any protocol are written as legacy ones, as before Nautilus. */
  isLegacy = false,
): void {
  const keyed = rows.map((row) => ({ row, key: addrKey(row[0]) }));
  keyed.sort((a, b) => compareBytes(a.key, b.key));
  writer.list(keyed, ({ row: [addr, until] }) => {
    const isAny = isLegacy && addr.type === ADDR_TYPE.any;
    writeAddr(writer, isAny ? { ...addr, type: ADDR_TYPE.legacy } : addr);
    writeUTime(writer, until);
  });
}

/** Writes one endpoint in the versioned form (`entity_addr_t`). */
export function writeAddr(writer: BinaryWriter, addr: EntityAddr): void {
  writer.u8(1).struct(1, 1, (inner) => {
    const data = socketBytes(addr);
    inner.u32(addr.type).u32(addr.nonce);
    inner
      .u32(data.length + 2)
      .u16(addr.family)
      .raw(data);
  });
}

/** What tells two endpoints apart, and orders them as Ceph does: type, nonce and socket as they are in memory. */
export function addrKey(addr: EntityAddr): Uint8Array {
  const key = new Uint8Array(36);
  const view = new DataView(key.buffer);
  view.setUint32(0, addr.type, true);
  view.setUint32(4, addr.nonce, true);
  view.setUint16(8, addr.family, true);
  key.set(socketBytes(addr), 10);
  return key;
}

/** What follows the family in a sockaddr: of IPv4 port, address and padding, of IPv6 flow and scope (0) as well. */
function socketBytes({ family, port, address }: EntityAddr): Uint8Array {
  const data = new Uint8Array(family === FAMILY_IPV4 ? 14 : 26);
  data.set([port >> 8, port & 255]);
  if (family === FAMILY_IPV4) data.set(address.subarray(0, 4), 2);
  else if (family === FAMILY_IPV6) data.set(address.subarray(0, 16), 6);
  return data;
}

/** Writes `osd_info`. */
export function writeOsdInfos(writer: BinaryWriter, infos: readonly OsdInfo[]): void {
  writer.list(infos, (info) => {
    writer.u8(1).u32(info.lastCleanBegin).u32(info.lastCleanEnd);
    writer.u32(info.upFrom).u32(info.upThru).u32(info.downAt).u32(info.lostAt);
  });
}

/** Writes `osd_xinfo`, in its version 3 or 4. */
export function writeOsdXInfos(writer: BinaryWriter, xinfos: readonly OsdXInfo[], version: number): void {
  writer.list(xinfos, (xinfo) =>
    writer.struct(version, 1, (inner) => {
      writeUTime(inner, xinfo.downStamp);
      inner.u32(Math.min(0xffffffff, Math.trunc(xinfo.laggyProbability * 0x100000000)));
      inner.u32(xinfo.laggyInterval).u64(xinfo.features).u32(xinfo.oldWeight);
      if (version >= 4) {
        writeUTime(inner, xinfo.lastPurgedSnapsScrub);
        inner.u32(xinfo.deadEpoch);
      }
    }),
  );
}

/** Entries of a map in ascending order of its numbers, as C++ keeps them. */
export function ascending<T>(map: ReadonlyMap<number, T>): [number, T][] {
  return [...map].sort(([a], [b]) => a - b);
}

const utf8 = new TextEncoder();

/** Entries of a map in the order of its keys' bytes, as C++ keeps them. */
export function inByteOrder<T>(map: ReadonlyMap<string, T>): [string, T][] {
  const keyed = [...map].map((entry) => ({ entry, key: utf8.encode(entry[0]) }));
  keyed.sort((a, b) => compareBytes(a.key, b.key));
  return keyed.map(({ entry }) => entry);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
