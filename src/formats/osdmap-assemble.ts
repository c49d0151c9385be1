/**
 * Puts the parts of an OSDMap together and checks that its per-OSD vectors are as long as it says: Ceph resizes
 * them all with max_osd, and reads past their ends where they are not.
 */
import type { CrushMap } from '../crush/model.ts';
import type { CrushError } from '../errors.ts';
import { NO_OSD_INFO, NO_OSD_XINFO, NO_UUID } from '../osdmap/blank.ts';
import type {
  EntityAddr,
  EntityAddrVec,
  Interval,
  OsdInfo,
  OsdMap,
  OsdMapDetails,
  OsdXInfo,
  PgTable,
  Pool,
  UTime,
} from '../osdmap/model.ts';
import { MAX_DEVICE_ID } from './crushmap-binary.ts';

/** The client section as encoded. */
export interface ClientSection {
  readonly version: number;
  readonly fsid: Uint8Array;
  readonly epoch: number;
  readonly created: UTime;
  readonly modified: UTime;
  readonly pools: ReadonlyMap<number, Pool>;
  readonly poolMax: bigint;
  readonly flags: number;
  readonly maxOsd: number;
  readonly osdState: Uint32Array;
  readonly osdWeight: Uint32Array;
  readonly clientAddrs: readonly EntityAddrVec[];
  readonly pgTemp: PgTable<readonly number[]>;
  readonly primaryTemp: PgTable<number>;
  /** Empty when the map has none. */
  readonly osdPrimaryAffinity: Uint32Array;
  readonly crush: CrushMap;
  readonly erasureCodeProfiles: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly pgUpmap: PgTable<readonly number[]>;
  readonly pgUpmapItems: PgTable<readonly (readonly [number, number])[]>;
  readonly crushVersion: number;
  readonly newRemovedSnaps: ReadonlyMap<number, readonly Interval[]>;
  readonly newPurgedSnaps: ReadonlyMap<number, readonly Interval[]>;
  readonly lastUpChange: UTime;
  readonly lastInChange: UTime;
  readonly pgUpmapPrimaries: PgTable<number>;
}

/** The OSD section as encoded, and the cluster flags as it leaves them. */
export interface OsdSection {
  readonly version: number;
  readonly flags: number;
  readonly hbBackAddrs: readonly EntityAddrVec[];
  readonly osdInfo: readonly OsdInfo[];
  readonly blocklist: readonly (readonly [EntityAddr, UTime])[];
  readonly clusterAddrs: readonly EntityAddrVec[];
  readonly clusterSnapshotEpoch: number;
  readonly clusterSnapshot: string;
  readonly osdUuid: readonly Uint8Array[];
  readonly osdXInfo: readonly OsdXInfo[];
  readonly hbFrontAddrs: readonly EntityAddrVec[];
  readonly nearfullRatio: number;
  readonly fullRatio: number;
  readonly backfillfullRatio: number;
  readonly requireMinCompatClient: number;
  readonly requireOsdRelease: number;
  readonly removedSnapsQueue: ReadonlyMap<number, readonly Interval[]>;
  readonly crushNodeFlags: ReadonlyMap<number, number>;
  readonly deviceClassFlags: ReadonlyMap<number, number>;
  readonly stretchModeEnabled: boolean;
  readonly stretchBucketCount: number;
  readonly degradedStretchMode: number;
  readonly recoveringStretchMode: number;
  readonly stretchModeBucket: number;
  readonly rangeBlocklist: readonly (readonly [EntityAddr, UTime])[];
  readonly allowCrimson: boolean;
}

/** Makes the error for a field that cannot be; the caller knows the place. */
export type Refuse = (field: string, reason: string) => CrushError;

/**
 * Joins the two sections.
 *
 * @throws what `refuse` makes, when max_osd is out of range or a vector that placement reads has another length.
 */
export function assembleOsdMap(
  encoding: OsdMapDetails['encoding'],
  crc: number | undefined,
  client: ClientSection,
  osd: OsdSection,
  refuse: Refuse,
): OsdMap {
  const { maxOsd } = client;
  checkMaxOsd(maxOsd, refuse);
  checkLength('osd_state', client.osdState, maxOsd, refuse);
  checkLength('osd_weight', client.osdWeight, maxOsd, refuse);
  const hasAffinity = client.osdPrimaryAffinity.length > 0;
  if (hasAffinity) checkLength('osd_primary_affinity', client.osdPrimaryAffinity, maxOsd, refuse);
  return {
    fsid: client.fsid,
    epoch: client.epoch,
    created: client.created,
    modified: client.modified,
    flags: osd.flags,
    pools: client.pools,
    poolMax: client.poolMax,
    maxOsd,
    osdState: client.osdState,
    osdWeight: client.osdWeight,
    osdPrimaryAffinity: hasAffinity ? client.osdPrimaryAffinity : undefined,
    pgTemp: client.pgTemp,
    primaryTemp: client.primaryTemp,
    pgUpmap: client.pgUpmap,
    pgUpmapItems: client.pgUpmapItems,
    pgUpmapPrimaries: client.pgUpmapPrimaries,
    crush: client.crush,
    crushVersion: client.crushVersion,
    erasureCodeProfiles: client.erasureCodeProfiles,
    details: {
      encoding,
      clientVersion: client.version,
      osdVersion: osd.version,
      crc,
      newRemovedSnaps: client.newRemovedSnaps,
      newPurgedSnaps: client.newPurgedSnaps,
      lastUpChange: client.lastUpChange,
      lastInChange: client.lastInChange,
      clientAddrs: fit(client.clientAddrs, maxOsd, []),
      clusterAddrs: fit(osd.clusterAddrs, maxOsd, []),
      hbBackAddrs: fit(osd.hbBackAddrs, maxOsd, []),
      hbFrontAddrs: fit(osd.hbFrontAddrs, maxOsd, []),
      osdInfo: fit(osd.osdInfo, maxOsd, NO_OSD_INFO),
      osdXInfo: fit(osd.osdXInfo, maxOsd, NO_OSD_XINFO),
      osdUuid: fit(osd.osdUuid, maxOsd, NO_UUID),
      blocklist: osd.blocklist,
      rangeBlocklist: osd.rangeBlocklist,
      clusterSnapshotEpoch: osd.clusterSnapshotEpoch,
      clusterSnapshot: osd.clusterSnapshot,
      nearfullRatio: osd.nearfullRatio,
      fullRatio: osd.fullRatio,
      backfillfullRatio: osd.backfillfullRatio,
      requireMinCompatClient: osd.requireMinCompatClient,
      requireOsdRelease: osd.requireOsdRelease,
      removedSnapsQueue: osd.removedSnapsQueue,
      crushNodeFlags: osd.crushNodeFlags,
      deviceClassFlags: osd.deviceClassFlags,
      stretchModeEnabled: osd.stretchModeEnabled,
      stretchBucketCount: osd.stretchBucketCount,
      degradedStretchMode: osd.degradedStretchMode,
      recoveringStretchMode: osd.recoveringStretchMode,
      stretchModeBucket: osd.stretchModeBucket,
      allowCrimson: osd.allowCrimson,
    },
  };
}

/** Refuses a number of OSDs that no cluster has, before anything is sized by it. */
export function checkMaxOsd(maxOsd: number, refuse: Refuse): void {
  if (maxOsd < 0 || maxOsd > MAX_DEVICE_ID) {
    throw refuse('max_osd', `${maxOsd} is not within 0..${MAX_DEVICE_ID}`);
  }
}

function checkLength(field: string, vector: Uint32Array, maxOsd: number, refuse: Refuse): void {
  if (vector.length !== maxOsd) throw refuse(field, `has ${vector.length} entries, max_osd is ${maxOsd}`);
}

/** Vectors that placement does not read may have another length in old maps; blanks stand for what is not there. */
function fit<T>(list: readonly T[], length: number, blank: T): readonly T[] {
  if (list.length === length) return list;
  const out = list.slice(0, length);
  while (out.length < length) out.push(blank);
  return out;
}
