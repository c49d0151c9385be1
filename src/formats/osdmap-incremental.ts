/**
 * Reads incrementals of the OSDMap, Dumpling to Tentacle: a wrapper with a client section, an OSD section and two
 * checksums, its own and that of the whole map it leads to. Follows `OSDMap::Incremental::decode` (Ceph's
 * src/osd/OSDMap.cc).
 */
import type { OsdMapIncremental, StretchModeChange } from '../osdmap/incremental-model.ts';
import type { EntityAddrVec, Interval, PgId } from '../osdmap/model.ts';
import { isAtLeast } from '../osdmap/release-flags.ts';
import { BinaryReader } from './binary-reader.ts';
import { bytesOf, type Bytes } from './bytes.ts';
import { checkMaxOsd } from './osdmap-assemble.ts';
import { checkCrc, readOsdMapBinary, type ReadOsdMapOptions } from './osdmap-binary.ts';
import {
  ADDR_BYTES,
  PG_BYTES,
  readAddr,
  readAddrVec,
  readPgId,
  readUTime,
  readUuid,
} from './osdmap-parts.ts';
import {
  readBlocklist,
  readCrushBuffer,
  readOsdPairs,
  readOsds,
  readOsdXInfo,
  readPgTable,
  readPoolNames,
  readPools,
  readProfiles,
  readSnapTable,
} from './osdmap-tables.ts';
import { releaseByFlags } from './osdmap-sections.ts';
import { releaseByName } from './releases.ts';

const WRAPPER_VERSION = 8;
/** Wrapper versions below this one are of before Dumpling. */
const FIRST_WRAPPER = 7;
const CLIENT_VERSION = 9;
const OSD_VERSION = 12;

/** What `mutate_allow_crimson` says when OSDs may be crimson from now on. */
const SET_CRIMSON = 1;

/**
 * Reads an incremental, as monitors keep and send them.
 *
 * @throws CrushError `bad-crc` when its checksum does not match, `unsupported` when a struct needs a newer reader or
 * the incremental is of before Dumpling (2013), `truncated` or `malformed` when the bytes are not an incremental.
 * @example
 * ```ts
 * const next = applyIncremental(map, readIncremental(bytes));
 * ```
 */
export function readIncremental(bytes: Bytes, options: ReadOsdMapOptions = {}): OsdMapIncremental {
  const reader = new BinaryReader(bytesOf(bytes, 'readIncremental'), 'incremental');
  const first = reader.u8();
  reader.offset = 0;
  if (first < FIRST_WRAPPER) {
    throw reader.error('unsupported', `form ${first}, of before Dumpling; take the full map of its epoch`);
  }
  const wrapper = reader.start(WRAPPER_VERSION);
  const end = wrapper.end ?? reader.limit;
  reader.limit = end;
  const hasCrc = wrapper.version >= WRAPPER_VERSION;
  if (hasCrc) checkCrc(reader, options.ignoreCrc === true);
  const client = reader.within('client', () => readClient(reader, options));
  const osd = reader.within('osd', () => readOsd(reader, client.newFlags));
  if (hasCrc) reader.raw(4); // checked above
  const fullCrc = hasCrc ? reader.within('full_crc', () => reader.u32()) : undefined;
  return { ...client, ...osd, fullCrc };
}

function readClient(reader: BinaryReader, options: ReadOsdMapOptions) {
  const header = reader.start(CLIENT_VERSION);
  const { version } = header;
  const from = <T>(since: number, read: () => T, otherwise: T): T => (version >= since ? read() : otherwise);
  const osdTable = (name: string) => readPgTable(reader, name, 4, () => readOsds(reader));
  const pgs = (): PgId[] => reader.list(PG_BYTES, () => readPgId(reader));
  const snaps = (name: string) => from(6, () => readSnapTable(reader, name), new Map<number, Interval[]>());
  const fsid = readUuid(reader);
  const epoch = reader.u32();
  const modified = readUTime(reader);
  const newPoolMax = reader.s64();
  const newFlags = reader.s32();
  const fullBytes = reader.buffer();
  const crushBytes = reader.buffer();
  const crushAt = reader.offset - crushBytes.length;
  const newMaxOsd = reader.within('new_max_osd', () => reader.s32());
  if (newMaxOsd >= 0) {
    checkMaxOsd(newMaxOsd, (field, reason) => reader.within(field, () => reader.error('malformed', reason)));
  }
  const newPools = readPools(reader);
  const newPoolNames = readPoolNames(reader);
  const oldPools = reader.list(8, () => reader.id64());
  const newUpClient = readAddrMap(reader, 'new_up_client');
  const newState = reader.within('new_state', () =>
    byOsd(reader, version >= 5 ? 4 : 1, () => (version >= 5 ? reader.u32() : reader.u8())),
  );
  const newWeight = reader.within('new_weight', () => byOsd(reader, 4, () => reader.u32()));
  const newPgTemp = osdTable('new_pg_temp');
  const newPrimaryTemp = readPgTable(reader, 'new_primary_temp', 4, () => reader.s32());
  const newPrimaryAffinity = from(2, () => byOsd(reader, 4, () => reader.u32()), new Map<number, number>());
  const newErasureCodeProfiles = from(3, () => readProfiles(reader), new Map<string, Map<string, string>>());
  const oldErasureCodeProfiles = from(3, () => reader.list(4, () => reader.string()), []);
  const newPgUpmap = from(4, () => osdTable('new_pg_upmap'), new Map());
  const oldPgUpmap = from(4, pgs, []);
  const newPgUpmapItems = from(
    4,
    () => readPgTable(reader, 'new_pg_upmap_items', 4, () => readOsdPairs(reader)),
    new Map(),
  );
  const oldPgUpmapItems = from(4, pgs, []);
  const newRemovedSnaps = snaps('new_removed_snaps');
  const newPurgedSnaps = snaps('new_purged_snaps');
  const newLastUpChange = from(8, () => readUTime(reader), undefined);
  const newLastInChange = from(8, () => readUTime(reader), undefined);
  const newPgUpmapPrimaries = from(
    9,
    () => readPgTable(reader, 'new_pg_upmap_primary', 4, () => reader.s32()),
    new Map<number, Map<number, number>>(),
  );
  const oldPgUpmapPrimaries = from(9, pgs, []);
  reader.finish(header);
  return {
    fsid,
    epoch,
    modified,
    fullMap: fullBytes.length === 0 ? undefined : readOsdMapBinary(fullBytes, options),
    crush:
      crushBytes.length === 0
        ? undefined
        : reader.within('crush', () => readCrushBuffer(reader, crushBytes, crushAt)),
    newPoolMax: newPoolMax < 0n ? undefined : newPoolMax,
    newFlags: newFlags < 0 ? undefined : newFlags,
    newMaxOsd: newMaxOsd < 0 ? undefined : newMaxOsd,
    newPools,
    newPoolNames,
    oldPools,
    newUpClient,
    newState,
    newWeight,
    newPgTemp,
    newPrimaryTemp,
    newPrimaryAffinity,
    newErasureCodeProfiles,
    oldErasureCodeProfiles,
    newPgUpmap,
    oldPgUpmap,
    newPgUpmapItems,
    oldPgUpmapItems,
    newRemovedSnaps,
    newPurgedSnaps,
    newLastUpChange,
    newLastInChange,
    newPgUpmapPrimaries,
    oldPgUpmapPrimaries,
  };
}

function readOsd(reader: BinaryReader, newFlags: number | undefined) {
  const header = reader.start(OSD_VERSION);
  const { version } = header;
  const from = <T>(since: number, read: () => T, otherwise: T): T => (version >= since ? read() : otherwise);
  const word = () => reader.u32();
  const ratio = () => {
    const value = reader.f32();
    return value < 0 ? undefined : value;
  };
  const addrs = () => reader.list(ADDR_BYTES, () => readAddr(reader));
  const flags = () => reader.map(8, () => reader.s32(), word);
  const newHbBackUp = readAddrMap(reader, 'new_hb_back_up');
  const newUpThru = reader.within('new_up_thru', () => byOsd(reader, 4, word));
  const newLastCleanInterval = reader.within('new_last_clean_interval', () =>
    byOsd(reader, 8, (): [number, number] => [reader.u32(), reader.u32()]),
  );
  const newLost = reader.within('new_lost', () => byOsd(reader, 4, word));
  const newBlocklist = readBlocklist(reader, 'new_blocklist');
  const oldBlocklist = addrs();
  const newUpCluster = readAddrMap(reader, 'new_up_cluster');
  const clusterSnapshot = reader.within('cluster_snapshot', () => reader.string());
  const newUuid = reader.within('new_uuid', () => byOsd(reader, 16, () => readUuid(reader)));
  const newXInfo = reader.within('new_xinfo', () => byOsd(reader, 22, () => readOsdXInfo(reader)));
  const newHbFrontUp = readAddrMap(reader, 'new_hb_front_up');
  const encodeFeatures = from(2, () => reader.u64(), 0n);
  const newNearfullRatio = from(3, ratio, undefined);
  const newFullRatio = from(3, ratio, undefined);
  const newBackfillfullRatio = from(4, ratio, undefined);
  // Version 5 was written by development releases of Luminous only; it names the release.
  const minCompatName =
    version === 5 ? reader.within('new_require_min_compat_client', () => reader.string()) : '';
  const minCompat = from(6, () => reader.u8(), releaseByName(minCompatName));
  const required = from(6, () => reader.u8(), undefined);
  const newCrushNodeFlags = from(8, flags, new Map<number, number>());
  const newDeviceClassFlags = from(9, flags, new Map<number, number>());
  const stretchMode = from(10, () => readStretchMode(reader), undefined);
  const newRangeBlocklist = from(11, () => readBlocklist(reader, 'new_range_blocklist'), []);
  const oldRangeBlocklist = from(11, addrs, []);
  const allowsCrimson = from(12, () => reader.u8() === SET_CRIMSON, false);
  reader.finish(header);
  return {
    newHbBackUp,
    newUpThru,
    newLastCleanInterval,
    newLost,
    newBlocklist,
    oldBlocklist,
    newUpCluster,
    clusterSnapshot,
    newUuid,
    newXInfo,
    newHbFrontUp,
    encodeFeatures,
    newNearfullRatio,
    newFullRatio,
    newBackfillfullRatio,
    newRequireMinCompatClient: isAtLeast(minCompat, 1) ? minCompat : undefined,
    // Before version 6 the flags say it; without any, no release is required any more.
    newRequireOsdRelease: required === undefined ? releaseByFlags(newFlags ?? 0) : known(required),
    newCrushNodeFlags,
    newDeviceClassFlags,
    stretchMode,
    newRangeBlocklist,
    oldRangeBlocklist,
    allowsCrimson,
  };
}

/** A release, or undefined where the stored number says that it does not change. */
function known(release: number): number | undefined {
  return isAtLeast(release, 0) ? release : undefined;
}

/** What stretch mode becomes, or undefined where the encoding says that it does not change. */
function readStretchMode(reader: BinaryReader): StretchModeChange | undefined {
  const isChange = reader.bool();
  const bucketCount = reader.u32();
  const degraded = reader.u32();
  const recovering = reader.u32();
  const bucket = reader.s32();
  const change = { enabled: reader.bool(), bucketCount, degraded, recovering, bucket };
  return isChange ? change : undefined;
}

/** A map keyed by OSD. */
function byOsd<T>(reader: BinaryReader, valueBytes: number, read: () => T): Map<number, T> {
  return reader.map(4 + valueBytes, () => reader.s32(), read);
}

function readAddrMap(reader: BinaryReader, name: string): Map<number, EntityAddrVec> {
  return reader.within(name, () => byOsd(reader, 5, () => readAddrVec(reader)));
}
