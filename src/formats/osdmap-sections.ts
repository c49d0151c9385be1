/**
 * Reads the two sections of a versioned OSDMap: what clients use (versions 1 to 10) and what only OSDs use
 * (versions 1 to 12). Follows `OSDMap::decode` (Ceph's src/osd/OSDMap.cc).
 */
import { NO_TIME } from '../osdmap/blank.ts';
import type { Interval } from '../osdmap/model.ts';
import { flagsOfRelease, RELEASE_FLAG } from '../osdmap/release-flags.ts';
import type { BinaryReader } from './binary-reader.ts';
import type { ClientSection, OsdSection } from './osdmap-assemble.ts';
import { readUTime, readUuid } from './osdmap-parts.ts';
import {
  namePools,
  readAddrVecs,
  readBlocklist,
  readBytes,
  readCrush,
  readOsdInfos,
  readOsdPairs,
  readOsds,
  readOsdXInfos,
  readPgTable,
  readPoolNames,
  readPools,
  readProfiles,
  readSnapTable,
  readU32s,
  readUuids,
} from './osdmap-tables.ts';
import { RELEASE, releaseByName } from './releases.ts';

const CLIENT_VERSION = 10;
const OSD_VERSION = 12;

/** Reads the client section. */
export function readClientSection(reader: BinaryReader): ClientSection {
  const header = reader.start(CLIENT_VERSION);
  const { version } = header;
  const from = <T>(since: number, read: () => T, otherwise: T): T => (version >= since ? read() : otherwise);
  const time = () => readUTime(reader);

  const fsid = readUuid(reader);
  const epoch = reader.u32();
  const created = time();
  const modified = time();
  const pools = readPools(reader);
  const poolNames = readPoolNames(reader);
  const poolMax = BigInt(reader.s32());
  const flags = reader.u32();
  const maxOsd = reader.within('max_osd', () => reader.s32());
  const osdState = version >= 5 ? readU32s(reader, 'osd_state') : readBytes(reader, 'osd_state');
  const osdWeight = readU32s(reader, 'osd_weight');
  const clientAddrs = readAddrVecs(reader, 'client_addrs');
  const pgTemp = readPgTable(reader, 'pg_temp', 4, () => readOsds(reader));
  const primaryTemp = readPgTable(reader, 'primary_temp', 4, () => reader.s32());
  const osdPrimaryAffinity = from(2, () => readU32s(reader, 'osd_primary_affinity'), new Uint32Array(0));
  const crush = readCrush(reader);
  const erasureCodeProfiles = from(3, () => readProfiles(reader), new Map<string, Map<string, string>>());
  const pgUpmap = from(4, () => readPgTable(reader, 'pg_upmap', 4, () => readOsds(reader)), new Map());
  const pgUpmapItems = from(
    4,
    () => readPgTable(reader, 'pg_upmap_items', 4, () => readOsdPairs(reader)),
    new Map(),
  );
  const crushVersion = from(6, () => reader.u32(), 1);
  const newRemovedSnaps = from(
    7,
    () => readSnapTable(reader, 'new_removed_snaps'),
    new Map<number, Interval[]>(),
  );
  const newPurgedSnaps = from(
    7,
    () => readSnapTable(reader, 'new_purged_snaps'),
    new Map<number, Interval[]>(),
  );
  const lastUpChange = from(9, time, NO_TIME);
  const lastInChange = from(9, time, NO_TIME);
  const pgUpmapPrimaries = from(
    10,
    () => readPgTable(reader, 'pg_upmap_primaries', 4, () => reader.s32()),
    new Map<number, Map<number, number>>(),
  );
  reader.finish(header);
  return {
    version,
    fsid,
    epoch,
    created,
    modified,
    pools: namePools(pools, poolNames),
    poolMax,
    flags,
    maxOsd,
    osdState,
    osdWeight,
    clientAddrs,
    pgTemp,
    primaryTemp,
    osdPrimaryAffinity,
    crush,
    erasureCodeProfiles,
    pgUpmap,
    pgUpmapItems,
    crushVersion,
    newRemovedSnaps,
    newPurgedSnaps,
    lastUpChange,
    lastInChange,
    pgUpmapPrimaries,
  };
}

/**
 * Reads the OSD section.
 *
 * @param flags - the cluster flags as the client section has them; what they are after the release that the
 * section requires is in the result.
 */
export function readOsdSection(reader: BinaryReader, flags: number): OsdSection {
  const header = reader.start(OSD_VERSION);
  const { version } = header;
  const from = <T>(since: number, read: () => T, otherwise: T): T => (version >= since ? read() : otherwise);
  const u32 = () => reader.u32();
  const s32 = () => reader.s32();

  const hbBackAddrs = readAddrVecs(reader, 'hb_back_addrs');
  const osdInfo = readOsdInfos(reader);
  const blocklist = readBlocklist(reader, 'blocklist');
  const clusterAddrs = readAddrVecs(reader, 'cluster_addrs');
  const clusterSnapshotEpoch = reader.u32();
  const clusterSnapshot = reader.within('cluster_snapshot', () => reader.string());
  const osdUuid = readUuids(reader);
  const osdXInfo = readOsdXInfos(reader);
  const hbFrontAddrs = readAddrVecs(reader, 'hb_front_addrs');
  const nearfullRatio = from(2, () => reader.f32(), 0);
  const fullRatio = from(2, () => reader.f32(), 0);
  const backfillfullRatio = from(3, () => reader.f32(), 0);
  // Version 4 was written by development releases of Luminous only; it names the release.
  const minCompatName =
    version === 4 ? reader.within('require_min_compat_client', () => reader.string()) : '';
  const requireMinCompatClient = from(5, () => reader.u8(), releaseByName(minCompatName));
  const requireOsdRelease = from(5, () => reader.u8(), releaseByFlags(flags));
  const removedSnapsQueue = from(
    6,
    () => readSnapTable(reader, 'removed_snaps_queue'),
    new Map<number, Interval[]>(),
  );
  const crushNodeFlags = from(8, () => reader.map(8, s32, u32), new Map<number, number>());
  const deviceClassFlags = from(9, () => reader.map(8, s32, u32), new Map<number, number>());
  const stretchModeEnabled = from(10, () => reader.bool(), false);
  const stretchBucketCount = from(10, u32, 0);
  const degradedStretchMode = from(10, u32, 0);
  const recoveringStretchMode = from(10, u32, 0);
  const stretchModeBucket = from(10, s32, 0);
  const rangeBlocklist = from(11, () => readBlocklist(reader, 'range_blocklist'), []);
  const allowCrimson = from(12, () => reader.bool(), false);
  reader.finish(header);
  return {
    version,
    flags: flagsOfRelease(flags, requireOsdRelease, version >= 5),
    hbBackAddrs,
    osdInfo,
    blocklist,
    clusterAddrs,
    clusterSnapshotEpoch,
    clusterSnapshot,
    osdUuid,
    osdXInfo,
    hbFrontAddrs,
    nearfullRatio,
    fullRatio,
    backfillfullRatio,
    requireMinCompatClient,
    requireOsdRelease,
    removedSnapsQueue,
    crushNodeFlags,
    deviceClassFlags,
    stretchModeEnabled,
    stretchBucketCount,
    degradedStretchMode,
    recoveringStretchMode,
    stretchModeBucket,
    rangeBlocklist,
    allowCrimson,
  };
}

/** What maps of before Luminous require of OSDs is in their flags. */
export function releaseByFlags(flags: number): number {
  if (flags & RELEASE_FLAG.requireLuminous) return RELEASE.luminous;
  if (flags & RELEASE_FLAG.requireKraken) return RELEASE.kraken;
  if (flags & RELEASE_FLAG.requireJewel) return RELEASE.jewel;
  return 0;
}
