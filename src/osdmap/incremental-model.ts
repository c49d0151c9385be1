/** The difference between two epochs of an OSDMap as plain data. Follows `class OSDMap::Incremental` (Ceph's src/osd/OSDMap.h). */
import type { CrushMap } from '../crush/model.ts';
import { NO_TIME } from './blank.ts';
import type {
  EntityAddr,
  EntityAddrVec,
  Interval,
  OsdMap,
  OsdXInfo,
  PgId,
  PgTable,
  Pool,
  UTime,
} from './model.ts';

/** What stretch mode becomes. */
export interface StretchModeChange {
  /** Whether the cluster is stretched over two sites. */
  readonly enabled: boolean;
  /** How many sites. */
  readonly bucketCount: number;
  /** How many sites are there while one is not; 0 while all are. */
  readonly degraded: number;
  /** Not 0 while a site that came back catches up. */
  readonly recovering: number;
  /** Number of the sites' bucket type. */
  readonly bucket: number;
}

/**
 * What changed from one epoch of an OSDMap to the next (`OSDMap::Incremental`). Fields that are undefined change
 * nothing. Maps whose keys are numbers are keyed by OSD, where nothing else is said.
 */
export interface OsdMapIncremental {
  /** 16 bytes, those of the map. */
  readonly fsid: Uint8Array;
  /** The epoch that the map has afterwards. */
  readonly epoch: number;
  /** When the epoch was made. */
  readonly modified: UTime;
  /** The whole map, in the place of all that follows. */
  readonly fullMap: OsdMap | undefined;
  /** Highest pool id that was ever used. */
  readonly newPoolMax: bigint | undefined;
  /** The cluster flags, all of them. */
  readonly newFlags: number | undefined;
  /** One more than the highest OSD id that there may be. */
  readonly newMaxOsd: number | undefined;
  /** Pools that are new or changed, by id; their names are in `newPoolNames` where those changed. */
  readonly newPools: ReadonlyMap<number, Omit<Pool, 'name'>>;
  /** Names of pools that are new or renamed, by id. */
  readonly newPoolNames: ReadonlyMap<number, string>;
  /** Ids of pools that are gone. */
  readonly oldPools: readonly number[];
  /** A new CRUSH map. */
  readonly crush: CrushMap | undefined;
  /** State bits that flip; 0 stands for `up`. */
  readonly newState: ReadonlyMap<number, number>;
  /** 16.16 reweights. */
  readonly newWeight: ReadonlyMap<number, number>;
  /** 16.16 primary affinities. */
  readonly newPrimaryAffinity: ReadonlyMap<number, number>;
  /** An empty list ends an entry. */
  readonly newPgTemp: PgTable<readonly number[]>;
  /** -1 ends an entry. */
  readonly newPrimaryTemp: PgTable<number>;
  /** Upmaps of whole sets that are new or changed. */
  readonly newPgUpmap: PgTable<readonly number[]>;
  /** PGs whose upmap of a whole set ends. */
  readonly oldPgUpmap: readonly PgId[];
  /** Upmaps of pairs [from, to] that are new or changed. */
  readonly newPgUpmapItems: PgTable<readonly (readonly [number, number])[]>;
  /** PGs whose upmap of pairs ends. */
  readonly oldPgUpmapItems: readonly PgId[];
  /** OSDs that lead PGs in place of the first of their sets. */
  readonly newPgUpmapPrimaries: PgTable<number>;
  /** PGs for which that ends. */
  readonly oldPgUpmapPrimaries: readonly PgId[];
  /** Profiles of erasure codes that are new or changed, by name. */
  readonly newErasureCodeProfiles: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Names of profiles that are gone. */
  readonly oldErasureCodeProfiles: readonly string[];
  /** By pool. */
  readonly newRemovedSnaps: ReadonlyMap<number, readonly Interval[]>;
  /** By pool. */
  readonly newPurgedSnaps: ReadonlyMap<number, readonly Interval[]>;
  /** When an OSD last came up or went down. */
  readonly newLastUpChange: UTime | undefined;
  /** When an OSD was last marked in or out. */
  readonly newLastInChange: UTime | undefined;
  /** OSDs that came up, with their endpoints. */
  readonly newUpClient: ReadonlyMap<number, EntityAddrVec>;
  /** Where other OSDs reach those that came up. */
  readonly newUpCluster: ReadonlyMap<number, EntityAddrVec>;
  /** Where they answer heartbeats of the cluster's network. */
  readonly newHbBackUp: ReadonlyMap<number, EntityAddrVec>;
  /** Where they answer heartbeats of the public network. */
  readonly newHbFrontUp: ReadonlyMap<number, EntityAddrVec>;
  /** Epochs through which OSDs are known to have been up. */
  readonly newUpThru: ReadonlyMap<number, number>;
  /** First epoch and end. */
  readonly newLastCleanInterval: ReadonlyMap<number, readonly [number, number]>;
  /** Epochs in which the data of OSDs was declared lost. */
  readonly newLost: ReadonlyMap<number, number>;
  /** Identities of OSDs, 16 bytes each. */
  readonly newUuid: ReadonlyMap<number, Uint8Array>;
  /** What else is kept of OSDs. */
  readonly newXInfo: ReadonlyMap<number, OsdXInfo>;
  /** Clients that are shut out from now on, and until when. */
  readonly newBlocklist: readonly (readonly [EntityAddr, UTime])[];
  /** Clients that are let in again. */
  readonly oldBlocklist: readonly EntityAddr[];
  /** Networks that are shut out from now on, and until when. */
  readonly newRangeBlocklist: readonly (readonly [EntityAddr, UTime])[];
  /** Networks that are let in again. */
  readonly oldRangeBlocklist: readonly EntityAddr[];
  /** Empty for none. */
  readonly clusterSnapshot: string;
  /** Part in use at which an OSD is called nearly full. */
  readonly newNearfullRatio: number | undefined;
  /** Part in use at which an OSD takes no writes. */
  readonly newFullRatio: number | undefined;
  /** Part in use at which an OSD takes no backfill. */
  readonly newBackfillfullRatio: number | undefined;
  /** Least release of clients, as a number. */
  readonly newRequireMinCompatClient: number | undefined;
  /** Least release of OSDs, as a number. */
  readonly newRequireOsdRelease: number | undefined;
  /** By bucket; 0 ends an entry. */
  readonly newCrushNodeFlags: ReadonlyMap<number, number>;
  /** By class; 0 ends an entry. */
  readonly newDeviceClassFlags: ReadonlyMap<number, number>;
  /** What stretch mode becomes. */
  readonly stretchMode: StretchModeChange | undefined;
  /** Whether OSDs may be crimson from now on; there is no way back. */
  readonly allowsCrimson: boolean;
  /** Feature bits that the map of this epoch is encoded with. */
  readonly encodeFeatures: bigint;
  /** CRC-32C of the whole map of this epoch as the monitors encode it, when the encoding has one. */
  readonly fullCrc: number | undefined;
}

/** An incremental that changes nothing but the epoch of a map, to spread into another. */
export function emptyIncremental(map: Pick<OsdMap, 'fsid' | 'epoch'>): OsdMapIncremental {
  const none: ReadonlyMap<never, never> = new Map<never, never>();
  return {
    fsid: map.fsid,
    epoch: map.epoch + 1,
    modified: NO_TIME,
    fullMap: undefined,
    newPoolMax: undefined,
    newFlags: undefined,
    newMaxOsd: undefined,
    newPools: none,
    newPoolNames: none,
    oldPools: [],
    crush: undefined,
    newState: none,
    newWeight: none,
    newPrimaryAffinity: none,
    newPgTemp: none,
    newPrimaryTemp: none,
    newPgUpmap: none,
    oldPgUpmap: [],
    newPgUpmapItems: none,
    oldPgUpmapItems: [],
    newPgUpmapPrimaries: none,
    oldPgUpmapPrimaries: [],
    newErasureCodeProfiles: none,
    oldErasureCodeProfiles: [],
    newRemovedSnaps: none,
    newPurgedSnaps: none,
    newLastUpChange: undefined,
    newLastInChange: undefined,
    newUpClient: none,
    newUpCluster: none,
    newHbBackUp: none,
    newHbFrontUp: none,
    newUpThru: none,
    newLastCleanInterval: none,
    newLost: none,
    newUuid: none,
    newXInfo: none,
    newBlocklist: [],
    oldBlocklist: [],
    newRangeBlocklist: [],
    oldRangeBlocklist: [],
    clusterSnapshot: '',
    newNearfullRatio: undefined,
    newFullRatio: undefined,
    newBackfillfullRatio: undefined,
    newRequireMinCompatClient: undefined,
    newRequireOsdRelease: undefined,
    newCrushNodeFlags: none,
    newDeviceClassFlags: none,
    stretchMode: undefined,
    allowsCrimson: false,
    encodeFeatures: 0n,
    fullCrc: undefined,
  };
}
