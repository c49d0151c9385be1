/**
 * Reads the OSDMap encoding of before Dumpling (0.46 and its neighbours): flat, without lengths or checksum, a
 * version of 16 bits before the first part and another before the second. Follows `OSDMap::decode_classic`.
 */
import { NO_TIME } from '../osdmap/blank.ts';
import type { OsdMap, PgTable } from '../osdmap/model.ts';
import type { BinaryReader } from './binary-reader.ts';
import { assembleOsdMap, type ClientSection, type OsdSection } from './osdmap-assemble.ts';
import { readOldPgId, readUTime, readUuid } from './osdmap-parts.ts';
import {
  namePools,
  readAddrVecs,
  readBlocklist,
  readBytes,
  readCrush,
  readOsdInfos,
  readOsds,
  readOsdXInfos,
  readPgTable,
  readPoolNames,
  readPools,
  readU32s,
  readUuids,
  type NamelessPool,
} from './osdmap-tables.ts';
import { buildPgTable, type PgEntry } from './pg-table.ts';
import { POOL_BYTES, readPool } from './pool-binary.ts';

/** The last version of the classic encoding. */
const CLASSIC_VERSION = 6;

/** Reads a classic OSDMap; the reader stands at its start. */
export function readClassicOsdMap(reader: BinaryReader): OsdMap {
  const version = reader.u16();
  if (version > CLASSIC_VERSION)
    throw reader.error('malformed', `not an OSDMap: starts with version ${version}`, 0);
  const fsid = readUuid(reader);
  const epoch = reader.u32();
  const created = readUTime(reader);
  const modified = readUTime(reader);
  const { pools, poolMax, poolNames } = readClassicPools(reader, version);
  const flags = reader.u32();
  const maxOsd = reader.within('max_osd', () => reader.s32());
  const osdState = readBytes(reader, 'osd_state');
  const osdWeight = readU32s(reader, 'osd_weight');
  const clientAddrs = readAddrVecs(reader, 'client_addrs');
  const pgTemp =
    version <= 5 ? readOldPgTemp(reader) : readPgTable(reader, 'pg_temp', 4, () => readOsds(reader));
  const crush = readCrush(reader);

  const extended = version >= 5 ? reader.within('extended', () => reader.u16()) : 0;
  const hbBackAddrs = readAddrVecs(reader, 'hb_back_addrs');
  const osdInfo = readOsdInfos(reader);
  const names = version < 5 ? readPoolNames(reader) : poolNames;
  const blocklist = readBlocklist(reader, 'blocklist');
  const clusterAddrs = extended >= 6 ? readAddrVecs(reader, 'cluster_addrs') : [];
  const clusterSnapshotEpoch = extended >= 7 ? reader.u32() : 0;
  const clusterSnapshot = extended >= 7 ? reader.within('cluster_snapshot', () => reader.string()) : '';
  const osdUuid = extended >= 8 ? readUuids(reader) : [];
  const osdXInfo = extended >= 9 ? readOsdXInfos(reader) : [];
  const hbFrontAddrs = extended >= 10 ? readAddrVecs(reader, 'hb_front_addrs') : [];

  const highestPool = BigInt(Math.max(...pools.keys(), -1));
  const client: ClientSection = {
    version,
    fsid,
    epoch,
    created,
    modified,
    pools: namePools(pools, names),
    // A bug of 2012 wrote maps with pool_max 0.
    poolMax: poolMax < highestPool ? highestPool : poolMax,
    flags,
    maxOsd,
    osdState,
    osdWeight,
    clientAddrs,
    pgTemp,
    primaryTemp: new Map(),
    osdPrimaryAffinity: new Uint32Array(0),
    crush,
    erasureCodeProfiles: new Map(),
    pgUpmap: new Map(),
    pgUpmapItems: new Map(),
    crushVersion: 1,
    newRemovedSnaps: new Map(),
    newPurgedSnaps: new Map(),
    lastUpChange: NO_TIME,
    lastInChange: NO_TIME,
    pgUpmapPrimaries: new Map(),
  };
  const osd: OsdSection = {
    version: extended,
    flags,
    hbBackAddrs,
    osdInfo,
    blocklist,
    clusterAddrs,
    clusterSnapshotEpoch,
    clusterSnapshot,
    osdUuid,
    osdXInfo,
    hbFrontAddrs,
    nearfullRatio: 0,
    fullRatio: 0,
    backfillfullRatio: 0,
    requireMinCompatClient: 0,
    requireOsdRelease: 0,
    removedSnapsQueue: new Map(),
    crushNodeFlags: new Map(),
    deviceClassFlags: new Map(),
    stretchModeEnabled: false,
    stretchBucketCount: 0,
    degradedStretchMode: 0,
    recoveringStretchMode: 0,
    stretchModeBucket: 0,
    rangeBlocklist: [],
    allowCrimson: false,
  };
  return assembleOsdMap('classic', undefined, client, osd, (field, reason) =>
    reader.within(field, () => reader.error('malformed', reason)),
  );
}

interface ClassicPools {
  readonly pools: Map<number, NamelessPool>;
  readonly poolMax: bigint;
  readonly poolNames: ReadonlyMap<number, string>;
}

/** Pools, names and pool_max, whose ids and order changed with every version to 6. */
function readClassicPools(reader: BinaryReader, version: number): ClassicPools {
  if (version >= 6) {
    const pools = readPools(reader);
    const poolNames = readPoolNames(reader);
    return { pools, poolNames, poolMax: BigInt(reader.s32()) };
  }
  const firstMax = version < 4 ? BigInt(reader.s32()) : 0n;
  const pools = reader.within('pools', () =>
    reader.map(
      4 + POOL_BYTES,
      () => reader.u32(),
      (id) => reader.within(`${id}`, () => readPool(reader, id)),
    ),
  );
  const poolNames = version === 5 ? readShortPoolNames(reader) : new Map<number, string>();
  return { pools, poolNames, poolMax: version < 4 ? firstMax : BigInt(reader.u32()) };
}

/** Pool names whose ids have 32 bits. */
function readShortPoolNames(reader: BinaryReader): Map<number, string> {
  return reader.within('pool_name', () =>
    reader.map(
      8,
      () => reader.u32(),
      () => reader.string(),
    ),
  );
}

function readOldPgTemp(reader: BinaryReader): PgTable<readonly number[]> {
  return reader.within('pg_temp', () => {
    const at = reader.offset;
    const entries = reader.list(12, (): PgEntry<readonly number[]> => {
      const pg = readOldPgId(reader);
      return { pg, value: readOsds(reader) };
    });
    return buildPgTable(entries, (reason) => {
      throw reader.error('malformed', reason, at);
    });
  });
}
