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
  readonly enabled: boolean;
  readonly bucketCount: number;
  readonly degraded: number;
  readonly recovering: number;
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
  readonly modified: UTime;
  /** The whole map, in the place of all that follows. */
  readonly fullMap: OsdMap | undefined;
  readonly newPoolMax: bigint | undefined;
  /** The cluster flags, all of them. */
  readonly newFlags: number | undefined;
  readonly newMaxOsd: number | undefined;
  /** Pools that are new or changed, by id; their names are in `newPoolNames` where those changed. */
  readonly newPools: ReadonlyMap<number, Omit<Pool, 'name'>>;
  readonly newPoolNames: ReadonlyMap<number, string>;
  readonly oldPools: readonly number[];
  readonly crush: CrushMap | undefined;
  /** State bits that flip; 0 stands for `up`. */
  readonly newState: ReadonlyMap<number, number>;
  /** 16.16 reweights. */
  readonly newWeight: ReadonlyMap<number, number>;
  readonly newPrimaryAffinity: ReadonlyMap<number, number>;
  /** An empty list ends an entry. */
  readonly newPgTemp: PgTable<readonly number[]>;
  /** -1 ends an entry. */
  readonly newPrimaryTemp: PgTable<number>;
  readonly newPgUpmap: PgTable<readonly number[]>;
  readonly oldPgUpmap: readonly PgId[];
  readonly newPgUpmapItems: PgTable<readonly (readonly [number, number])[]>;
  readonly oldPgUpmapItems: readonly PgId[];
  readonly newPgUpmapPrimaries: PgTable<number>;
  readonly oldPgUpmapPrimaries: readonly PgId[];
  readonly newErasureCodeProfiles: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly oldErasureCodeProfiles: readonly string[];
  /** By pool. */
  readonly newRemovedSnaps: ReadonlyMap<number, readonly Interval[]>;
  /** By pool. */
  readonly newPurgedSnaps: ReadonlyMap<number, readonly Interval[]>;
  readonly newLastUpChange: UTime | undefined;
  readonly newLastInChange: UTime | undefined;
  /** OSDs that came up, with their endpoints. */
  readonly newUpClient: ReadonlyMap<number, EntityAddrVec>;
  readonly newUpCluster: ReadonlyMap<number, EntityAddrVec>;
  readonly newHbBackUp: ReadonlyMap<number, EntityAddrVec>;
  readonly newHbFrontUp: ReadonlyMap<number, EntityAddrVec>;
  readonly newUpThru: ReadonlyMap<number, number>;
  /** First epoch and end. */
  readonly newLastCleanInterval: ReadonlyMap<number, readonly [number, number]>;
  readonly newLost: ReadonlyMap<number, number>;
  readonly newUuid: ReadonlyMap<number, Uint8Array>;
  readonly newXInfo: ReadonlyMap<number, OsdXInfo>;
  readonly newBlocklist: readonly (readonly [EntityAddr, UTime])[];
  readonly oldBlocklist: readonly EntityAddr[];
  readonly newRangeBlocklist: readonly (readonly [EntityAddr, UTime])[];
  readonly oldRangeBlocklist: readonly EntityAddr[];
  /** Empty for none. */
  readonly clusterSnapshot: string;
  readonly newNearfullRatio: number | undefined;
  readonly newFullRatio: number | undefined;
  readonly newBackfillfullRatio: number | undefined;
  readonly newRequireMinCompatClient: number | undefined;
  readonly newRequireOsdRelease: number | undefined;
  /** By bucket; 0 ends an entry. */
  readonly newCrushNodeFlags: ReadonlyMap<number, number>;
  /** By class; 0 ends an entry. */
  readonly newDeviceClassFlags: ReadonlyMap<number, number>;
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
