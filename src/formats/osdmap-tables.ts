/** Reads the lists and tables that both encodings of an OSDMap hold. Follows Ceph's src/osd/OSDMap.cc and OSDMap.h. */
import { CrushError } from '../errors.ts';
import type { CrushMap } from '../crush/model.ts';
import { NO_TIME, UNKNOWN_POOL_NAME } from '../osdmap/blank.ts';
import type {
  EntityAddr,
  EntityAddrVec,
  Interval,
  OsdInfo,
  OsdXInfo,
  PgTable,
  Pool,
  UTime,
} from '../osdmap/model.ts';
import type { BinaryReader } from './binary-reader.ts';
import { readCrushBinary } from './crushmap-binary.ts';
import {
  ADDR_BYTES,
  PG_BYTES,
  readAddr,
  readAddrVec,
  readIntervals,
  readPgId,
  readUTime,
  readUuid,
} from './osdmap-parts.ts';
import { buildPgTable, type PgEntry } from './pg-table.ts';
import { POOL_BYTES, readPool } from './pool-binary.ts';

/** A pool before its name is known. */
export type NamelessPool = Omit<Pool, 'name'>;

/** Reads `pools`, ids in 64 bits. */
export function readPools(reader: BinaryReader): Map<number, NamelessPool> {
  return reader.within('pools', () =>
    reader.map(
      8 + POOL_BYTES,
      () => reader.id64(),
      (id) => reader.within(`${id}`, () => readPool(reader, id)),
    ),
  );
}

/** Reads `pool_name`, ids in 64 bits. */
export function readPoolNames(reader: BinaryReader): Map<number, string> {
  return reader.within('pool_name', () =>
    reader.map(
      12,
      () => reader.id64(),
      () => reader.string(),
    ),
  );
}

/** Joins pools and names, in ascending order of the ids. */
export function namePools(
  pools: ReadonlyMap<number, NamelessPool>,
  names: ReadonlyMap<number, string>,
): Map<number, Pool> {
  const ids = [...pools.keys()].sort((a, b) => a - b);
  const out = new Map<number, Pool>();
  for (const id of ids) {
    const pool = pools.get(id);
    if (pool !== undefined) out.set(id, { ...pool, name: names.get(id) ?? UNKNOWN_POOL_NAME });
  }
  return out;
}

/** Reads a counted vector of 32-bit words. */
export function readU32s(reader: BinaryReader, name: string): Uint32Array {
  return reader.within(name, () => reader.u32Array(reader.count(4)));
}

/** Reads a counted vector of bytes into words. */
export function readBytes(reader: BinaryReader, name: string): Uint32Array {
  return reader.within(name, () => Uint32Array.from(reader.buffer()));
}

/** Reads a table keyed by PG; `valueBytes` is the least that a value takes. */
export function readPgTable<T>(
  reader: BinaryReader,
  name: string,
  valueBytes: number,
  readValue: () => T,
): PgTable<T> {
  return reader.within(name, () => {
    const at = reader.offset;
    const entries = reader.list(PG_BYTES + valueBytes, (): PgEntry<T> => {
      const pg = readPgId(reader);
      return { pg, value: readValue() };
    });
    return buildPgTable(entries, (reason) => {
      throw reader.error('malformed', reason, at);
    });
  });
}

/** Reads a counted list of OSDs. */
export function readOsds(reader: BinaryReader): number[] {
  return reader.list(4, () => reader.s32());
}

/** Reads a counted list of pairs of OSDs. */
export function readOsdPairs(reader: BinaryReader): [number, number][] {
  return reader.list(8, (): [number, number] => {
    const from = reader.s32();
    return [from, reader.s32()];
  });
}

/** Reads the CRUSH map, a binary one within a length-prefixed buffer. */
export function readCrush(reader: BinaryReader): CrushMap {
  return reader.within('crush', () => {
    const bytes = reader.buffer();
    return readCrushBuffer(reader, bytes, reader.offset - bytes.length);
  });
}

/** Reads a binary CRUSH map that stands at `start`; errors show the offset in the whole file. */
export function readCrushBuffer(reader: BinaryReader, bytes: Uint8Array, start: number): CrushMap {
  try {
    return readCrushBinary(bytes, reader.path);
  } catch (error) {
    if (!(error instanceof CrushError) || error.place.offset === undefined) throw error;
    throw new CrushError(error.code, error.message, { ...error.place, offset: start + error.place.offset });
  }
}

/** Reads `erasure_code_profiles`. */
export function readProfiles(reader: BinaryReader): Map<string, Map<string, string>> {
  const text = () => reader.string();
  return reader.within('erasure_code_profiles', () => reader.map(8, text, () => reader.map(8, text, text)));
}

/** Reads a table of snapshot intervals keyed by pool. */
export function readSnapTable(reader: BinaryReader, name: string): Map<number, Interval[]> {
  return reader.within(name, () =>
    reader.map(
      12,
      () => reader.id64(),
      () => readIntervals(reader),
    ),
  );
}

/** Reads the endpoints of every OSD. */
export function readAddrVecs(reader: BinaryReader, name: string): EntityAddrVec[] {
  return reader.within(name, () => reader.list(5, () => readAddrVec(reader)));
}

/** Reads a table of blocked endpoints and when that ends. */
export function readBlocklist(reader: BinaryReader, name: string): (readonly [EntityAddr, UTime])[] {
  return reader.within(name, () =>
    reader.list(ADDR_BYTES + 8, () => {
      const addr = readAddr(reader);
      return [addr, readUTime(reader)] as const;
    }),
  );
}

/** Reads `osd_uuid`. */
export function readUuids(reader: BinaryReader): Uint8Array[] {
  return reader.within('osd_uuid', () => reader.list(16, () => readUuid(reader)));
}

/** Reads `osd_info`. */
export function readOsdInfos(reader: BinaryReader): OsdInfo[] {
  return reader.within('osd_info', () => reader.list(25, () => readOsdInfo(reader)));
}

function readOsdInfo(reader: BinaryReader): OsdInfo {
  reader.u8(); // a version that never rose above 1
  return {
    lastCleanBegin: reader.u32(),
    lastCleanEnd: reader.u32(),
    upFrom: reader.u32(),
    upThru: reader.u32(),
    downAt: reader.u32(),
    lostAt: reader.u32(),
  };
}

/** Reads `osd_xinfo`. */
export function readOsdXInfos(reader: BinaryReader): OsdXInfo[] {
  return reader.within('osd_xinfo', () => reader.list(22, () => readOsdXInfo(reader)));
}

/** Reads one `osd_xinfo_t`. */
export function readOsdXInfo(reader: BinaryReader): OsdXInfo {
  const header = reader.start(4);
  const { version } = header;
  const xinfo: OsdXInfo = {
    downStamp: readUTime(reader),
    // Ceph divides in single precision, where 0xffffffff is 2^32.
    laggyProbability: Math.fround(reader.u32()) / 0x100000000,
    laggyInterval: reader.u32(),
    features: version >= 2 ? reader.u64() : 0n,
    oldWeight: version >= 3 ? reader.u32() : 0,
    lastPurgedSnapsScrub: version >= 4 ? readUTime(reader) : NO_TIME,
    deadEpoch: version >= 4 ? reader.u32() : 0,
  };
  reader.finish(header);
  return xinfo;
}
