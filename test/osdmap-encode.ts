/** Encodes OSDMaps in the versions of old and new releases, to hold the readers against. */
import { crc32c } from '../src/formats/crc32c.ts';
import type { EntityAddr, EntityAddrVec, Interval, OsdMap, PgTable, UTime } from '../src/osdmap/model.ts';
import { BinaryWriter } from '../src/formats/binary-writer.ts';
import { encodePg, encodePool, encodeTextTables, encodeTime } from './pool-encode.ts';

/** Versions to encode with. */
export interface Versions {
  readonly client: number;
  readonly osd: number;
  readonly pool: number;
}

/** The newest versions. */
export const NEWEST: Versions = { client: 10, osd: 12, pool: 32 };

/** Encodes a map with its wrapper and, from wrapper version 8 on, its checksum. */
export function encodeOsdMap(map: OsdMap, crush: Uint8Array, versions: Versions, wrapper = 8): Uint8Array {
  const inner = new BinaryWriter();
  inner.struct(versions.client, 1, (writer) => encodeClient(writer, map, crush, versions));
  inner.struct(versions.osd, 1, (writer) => encodeOsd(writer, map, versions.osd));
  if (wrapper < 8) return new BinaryWriter().u8(wrapper).u8(7).buffer(inner.bytes).bytes;
  return withCrc(new BinaryWriter().u8(wrapper).u8(7).buffer(inner.u32(0).bytes).bytes);
}

/** A map whose last four bytes are its checksum, with the right one. */
export function withCrc(bytes: Uint8Array): Uint8Array {
  const out = bytes.slice();
  const at = bytes.length - 4;
  new DataView(out.buffer).setUint32(at, crc32c(-1, out.subarray(0, at)), true);
  return out;
}

/** Encodes a map the flat way of before Dumpling. */
export function encodeClassic(
  map: OsdMap,
  crush: Uint8Array,
  version: number,
  extended: number,
  pool: number,
): Uint8Array {
  const writer = new BinaryWriter();
  const { details } = map;
  const id = (value: number) => (version >= 6 ? writer.u64(value) : writer.u32(value));
  const names = () =>
    writer.list(map.pools.values(), (each) => {
      if (version >= 6 || version < 5) writer.u64(each.id);
      else writer.u32(each.id);
      writer.string(each.name);
    });
  writer.u16(version).raw(map.fsid).u32(map.epoch);
  encodeTime(writer, map.created);
  encodeTime(writer, map.modified);
  if (version < 4) writer.u32(Number(map.poolMax));
  writer.list(map.pools.values(), (each) => {
    id(each.id);
    encodePool(writer, each, pool);
  });
  if (version >= 5) names();
  if (version >= 4) writer.u32(Number(map.poolMax));
  writer.u32(map.flags).u32(map.maxOsd);
  writer.list(map.osdState, (state) => writer.u8(state & 0xff));
  writer.list(map.osdWeight, (weight) => writer.u32(weight));
  encodeLegacyAddrs(writer, details.clientAddrs);
  if (version >= 6) encodeTable(writer, map.pgTemp, (osds) => encodeOsds(writer, osds));
  else {
    writer.list(rowsOf(map.pgTemp), ([poolId, ps, osds]) => {
      writer.u16(0xffff).u16(ps).u32(poolId);
      encodeOsds(writer, osds);
    });
  }
  writer.buffer(crush);
  if (version >= 5) writer.u16(extended);
  encodeLegacyAddrs(writer, details.hbBackAddrs);
  encodeOsdInfos(writer, map);
  if (version < 5) names();
  encodeBlocklist(writer, details.blocklist, encodeLegacyAddr);
  if (extended >= 6) encodeLegacyAddrs(writer, details.clusterAddrs);
  if (extended >= 7) writer.u32(details.clusterSnapshotEpoch).string(details.clusterSnapshot);
  if (extended >= 8) writer.list(details.osdUuid, (uuid) => writer.raw(uuid));
  if (extended >= 9) encodeOsdXInfos(writer, map, 1);
  if (extended >= 10) encodeLegacyAddrs(writer, details.hbFrontAddrs);
  return writer.bytes;
}

function encodeClient(writer: BinaryWriter, map: OsdMap, crush: Uint8Array, versions: Versions): void {
  const version = versions.client;
  const { details } = map;
  writer.raw(map.fsid).u32(map.epoch);
  encodeTime(writer, map.created);
  encodeTime(writer, map.modified);
  writer.list(map.pools.values(), (pool) => encodePool(writer.u64(pool.id), pool, versions.pool));
  writer.list(map.pools.values(), (pool) => writer.u64(pool.id).string(pool.name));
  writer.u32(Number(map.poolMax)).u32(map.flags).u32(map.maxOsd);
  writer.list(map.osdState, (state) => (version >= 5 ? writer.u32(state) : writer.u8(state & 0xff)));
  writer.list(map.osdWeight, (weight) => writer.u32(weight));
  if (version >= 8) encodeAddrVecs(writer, details.clientAddrs);
  else encodeLegacyAddrs(writer, details.clientAddrs);
  encodeTable(writer, map.pgTemp, (osds) => encodeOsds(writer, osds));
  encodeTable(writer, map.primaryTemp, (osd) => writer.u32(osd));
  if (version >= 2) writer.list(map.osdPrimaryAffinity ?? [], (affinity) => writer.u32(affinity));
  writer.buffer(crush);
  if (version >= 3) encodeTextTables(writer, map.erasureCodeProfiles);
  if (version >= 4) {
    encodeTable(writer, map.pgUpmap, (osds) => encodeOsds(writer, osds));
    encodeTable(writer, map.pgUpmapItems, (pairs) =>
      writer.list(pairs, ([from, to]) => writer.u32(from).u32(to)),
    );
  }
  if (version >= 6) writer.u32(map.crushVersion);
  if (version >= 7) {
    encodeSnapTable(writer, details.newRemovedSnaps);
    encodeSnapTable(writer, details.newPurgedSnaps);
  }
  if (version >= 9) {
    encodeTime(writer, details.lastUpChange);
    encodeTime(writer, details.lastInChange);
  }
  if (version >= 10) encodeTable(writer, map.pgUpmapPrimaries, (osd) => writer.u32(osd));
}

function encodeOsd(writer: BinaryWriter, map: OsdMap, version: number): void {
  const { details } = map;
  const addrs = (list: readonly EntityAddrVec[]) =>
    version >= 7 ? encodeAddrVecs(writer, list) : encodeLegacyAddrs(writer, list);
  addrs(details.hbBackAddrs);
  encodeOsdInfos(writer, map);
  encodeBlocklist(writer, details.blocklist, version >= 7 ? encodeAddr : encodeLegacyAddr);
  addrs(details.clusterAddrs);
  writer.u32(details.clusterSnapshotEpoch).string(details.clusterSnapshot);
  writer.list(details.osdUuid, (uuid) => writer.raw(uuid));
  encodeOsdXInfos(writer, map, version >= 9 ? 4 : 3);
  addrs(details.hbFrontAddrs);
  if (version >= 2) writer.f32(details.nearfullRatio).f32(details.fullRatio);
  if (version >= 3) writer.f32(details.backfillfullRatio);
  if (version === 4) writer.string(details.requireMinCompatClient === 10 ? 'jewel' : '');
  if (version >= 5) writer.u8(details.requireMinCompatClient).u8(details.requireOsdRelease);
  if (version >= 6) encodeSnapTable(writer, details.removedSnapsQueue);
  if (version >= 8) writer.list(details.crushNodeFlags, ([key, value]) => writer.u32(key).u32(value));
  if (version >= 9) writer.list(details.deviceClassFlags, ([key, value]) => writer.u32(key).u32(value));
  if (version >= 10) {
    writer.bool(details.stretchModeEnabled).u32(details.stretchBucketCount);
    writer.u32(details.degradedStretchMode).u32(details.recoveringStretchMode).u32(details.stretchModeBucket);
  }
  if (version >= 11) encodeBlocklist(writer, details.rangeBlocklist, encodeAddr);
  if (version >= 12) writer.bool(details.allowCrimson);
}

function rowsOf<T>(table: PgTable<T>): [number, number, T][] {
  return [...table].flatMap(([pool, seeds]) =>
    [...seeds].map(([ps, value]): [number, number, T] => [pool, ps, value]),
  );
}

function encodeTable<T>(writer: BinaryWriter, table: PgTable<T>, write: (value: T) => void): void {
  writer.list(rowsOf(table), ([pool, ps, value]) => {
    encodePg(writer, pool, ps);
    write(value);
  });
}

function encodeOsds(writer: BinaryWriter, osds: readonly number[]): void {
  writer.list(osds, (osd) => writer.u32(osd));
}

function encodeSnapTable(writer: BinaryWriter, table: ReadonlyMap<number, readonly Interval[]>): void {
  writer.list(table, ([pool, intervals]) =>
    writer.u64(pool).list(intervals, ({ start, length }) => writer.u64(start).u64(length)),
  );
}

function encodeOsdInfos(writer: BinaryWriter, map: OsdMap): void {
  writer.list(map.details.osdInfo, (info) => {
    writer.u8(1).u32(info.lastCleanBegin).u32(info.lastCleanEnd);
    writer.u32(info.upFrom).u32(info.upThru).u32(info.downAt).u32(info.lostAt);
  });
}

function encodeOsdXInfos(writer: BinaryWriter, map: OsdMap, version: number): void {
  writer.list(map.details.osdXInfo, (xinfo) =>
    writer.struct(version, 1, (inner) => {
      encodeTime(inner, xinfo.downStamp);
      inner.u32(Math.min(0xffffffff, xinfo.laggyProbability * 0x100000000)).u32(xinfo.laggyInterval);
      if (version >= 2) inner.u64(xinfo.features);
      if (version >= 3) inner.u32(xinfo.oldWeight);
      if (version >= 4) encodeTime(inner, xinfo.lastPurgedSnapsScrub);
      if (version >= 4) inner.u32(xinfo.deadEpoch);
    }),
  );
}

function encodeBlocklist(
  writer: BinaryWriter,
  rows: readonly (readonly [EntityAddr, UTime])[],
  encodeAddrOf: (writer: BinaryWriter, addr: EntityAddr) => void,
): void {
  writer.list(rows, ([addr, until]) => {
    encodeAddrOf(writer, addr);
    encodeTime(writer, until);
  });
}

function encodeAddrVecs(writer: BinaryWriter, list: readonly EntityAddrVec[]): void {
  writer.list(list, (addrs) => writer.u8(2).list(addrs, (addr) => encodeAddr(writer, addr)));
}

/** One endpoint a daemon, as before Nautilus: the legacy one. */
function encodeLegacyAddrs(writer: BinaryWriter, list: readonly EntityAddrVec[]): void {
  writer.list(list, (addrs) => {
    const blank: EntityAddr = { type: 0, nonce: 0, family: 0, port: 0, address: new Uint8Array(0) };
    encodeLegacyAddr(writer, addrs.find((addr) => addr.type === 1) ?? blank);
  });
}

function encodeLegacyAddr(writer: BinaryWriter, addr: EntityAddr): void {
  const storage = new Uint8Array(128);
  storage.set([addr.family >> 8, addr.family & 255, addr.port >> 8, addr.port & 255]);
  storage.set(addr.address, addr.family === 10 ? 8 : 4);
  writer.u32(0).u32(addr.nonce).raw(storage);
}

function encodeAddr(writer: BinaryWriter, addr: EntityAddr): void {
  writer.u8(1).struct(1, 1, (inner) => {
    inner.u32(addr.type).u32(addr.nonce);
    if (addr.family === 0) return inner.u32(0);
    const data = new Uint8Array(addr.family === 10 ? 26 : 14);
    data.set([addr.port >> 8, addr.port & 255]);
    data.set(addr.address, addr.family === 10 ? 6 : 2);
    return inner
      .u32(data.length + 2)
      .u16(addr.family)
      .raw(data);
  });
}
