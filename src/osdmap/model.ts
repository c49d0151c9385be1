/**
 * The OSDMap as plain, readable data, with Ceph's field names in camelCase. Follows `class OSDMap` and
 * `struct pg_pool_t` (Ceph's src/osd/OSDMap.h, osd_types.h).
 */
import type { CrushMap } from '../crush/model.ts';

/** Pool types (`pg_pool_t::TYPE_*`). */
export const POOL_TYPE = { replicated: 1, erasure: 3 } as const;

/** Pool flags that matter to placement (`pg_pool_t::FLAG_*`). */
export const POOL_FLAG = { hashpspool: 1n << 0n, ecOptimizations: 1n << 19n } as const;

/** OSD state bits (`CEPH_OSD_*`). */
export const OSD_STATE = {
  exists: 1,
  up: 2,
  autoout: 4,
  new: 8,
  full: 16,
  nearfull: 32,
  backfillfull: 64,
  destroyed: 128,
  noup: 256,
  nodown: 512,
  noin: 1024,
  noout: 2048,
  stop: 4096,
} as const;

/** An OSD that is fully in (`CEPH_OSD_IN`), as the map's 16.16 reweight. */
export const OSD_IN = 0x10000;

/** Primary affinity 1.0 (`CEPH_OSD_DEFAULT_PRIMARY_AFFINITY`). */
export const DEFAULT_PRIMARY_AFFINITY = 0x10000;

/** Object-name hashes (`CEPH_STR_HASH_*`). */
export const OBJECT_HASH = { linux: 1, rjenkins: 2 } as const;

/** A time as Ceph stores it. */
export interface UTime {
  readonly sec: number;
  readonly nsec: number;
}

/** An endpoint (`entity_addr_t`). */
export interface EntityAddr {
  /** 0 none, 1 legacy, 2 msgr2, 3 any, 4 cidr. */
  readonly type: number;
  readonly nonce: number;
  /** The address: 2 is IPv4, 10 is IPv6, 0 none. */
  readonly family: number;
  readonly port: number;
  /** The address bytes (4 or 16), in network order. */
  readonly address: Uint8Array;
}

/** The endpoints of one daemon (`entity_addrvec_t`). */
export type EntityAddrVec = readonly EntityAddr[];

/** Epoch bookkeeping of an OSD (`osd_info_t`). */
export interface OsdInfo {
  readonly lastCleanBegin: number;
  readonly lastCleanEnd: number;
  readonly upFrom: number;
  readonly upThru: number;
  readonly downAt: number;
  readonly lostAt: number;
}

/** More bookkeeping of an OSD (`osd_xinfo_t`). */
export interface OsdXInfo {
  readonly downStamp: UTime;
  readonly laggyProbability: number;
  readonly laggyInterval: number;
  readonly features: bigint;
  readonly oldWeight: number;
  readonly lastPurgedSnapsScrub: UTime;
  readonly deadEpoch: number;
}

/** A pool snapshot (`pool_snap_info_t`). */
export interface PoolSnap {
  readonly snapid: bigint;
  readonly stamp: UTime;
  readonly name: string;
}

/** A half-open run of 64-bit ids: `start` and how many. */
export interface Interval {
  readonly start: bigint;
  readonly length: bigint;
}

/** Hit-set configuration (`HitSet::Params`). */
export interface HitSetParams {
  /** 0 none, 1 explicit_hash, 2 explicit_object, 3 bloom. */
  readonly type: number;
  /** Bloom filter only: false-positive probability in millionths, target size and seed. */
  readonly bloom?: { readonly fppMicro: number; readonly targetSize: bigint; readonly seed: bigint };
}

/** PG-merge bookkeeping (`pg_merge_meta_t`). */
export interface PgMergeMeta {
  readonly sourcePgid: PgId;
  readonly readyEpoch: number;
  readonly lastEpochStarted: number;
  readonly lastEpochClean: number;
  readonly sourceVersion: { readonly epoch: number; readonly version: bigint };
  readonly targetVersion: { readonly epoch: number; readonly version: bigint };
}

/** A placement group (`pg_t`). */
export interface PgId {
  /** Pool id. */
  readonly pool: number;
  /** Placement seed, 0 .. pg_num - 1 (unsigned 32 bits). */
  readonly ps: number;
}

/** A sparse table of PGs: pool id -> placement seed -> value, both in the order of the map (ascending). */
export type PgTable<T> = ReadonlyMap<number, ReadonlyMap<number, T>>;

/** A pool (`pg_pool_t`). Optional fields are those that older encodings do not have. */
export interface Pool {
  readonly id: number;
  readonly name: string;
  /** See {@link POOL_TYPE}. */
  readonly type: number;
  readonly size: number;
  readonly minSize: number;
  readonly crushRule: number;
  /** See {@link OBJECT_HASH}. */
  readonly objectHash: number;
  readonly pgNum: number;
  readonly pgpNum: number;
  /** `pg_pool_t` flags; bit 0 is hashpspool. */
  readonly flags: bigint;
  /** Everything else the encoding holds, for printing; placement does not read it. */
  readonly details: PoolDetails;
}

/** The part of `pg_pool_t` that placement does not read. */
export interface PoolDetails {
  /** Version of the struct as encoded; fields newer than it hold their defaults. */
  readonly structVersion: number;
  readonly lastChange: number;
  readonly snapSeq: bigint;
  readonly snapEpoch: number;
  readonly snaps: ReadonlyMap<bigint, PoolSnap>;
  readonly removedSnaps: readonly Interval[];
  readonly auid: bigint;
  readonly quotaMaxBytes: bigint;
  readonly quotaMaxObjects: bigint;
  readonly tiers: readonly bigint[];
  readonly tierOf: bigint;
  readonly cacheMode: number;
  readonly readTier: bigint;
  readonly writeTier: bigint;
  readonly properties: ReadonlyMap<string, string>;
  readonly hitSetParams: HitSetParams;
  readonly hitSetPeriod: number;
  readonly hitSetCount: number;
  readonly stripeWidth: number;
  readonly targetMaxBytes: bigint;
  readonly targetMaxObjects: bigint;
  readonly cacheTargetDirtyRatioMicro: number;
  readonly cacheTargetDirtyHighRatioMicro: number;
  readonly cacheTargetFullRatioMicro: number;
  readonly cacheMinFlushAge: number;
  readonly cacheMinEvictAge: number;
  readonly erasureCodeProfile: string;
  readonly lastForceOpResend: number;
  readonly lastForceOpResendPrenautilus: number;
  readonly lastForceOpResendPreluminous: number;
  readonly minReadRecencyForPromote: number;
  readonly minWriteRecencyForPromote: number;
  readonly expectedNumObjects: bigint;
  readonly useGmtHitset: boolean;
  readonly fastRead: boolean;
  readonly hitSetGradeDecayRate: number;
  readonly hitSetSearchLastN: number;
  /** `pool_opts_t`: option number to value. */
  readonly opts: ReadonlyMap<number, string | bigint | number>;
  readonly applicationMetadata: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly createTime: UTime;
  readonly pgNumTarget: number;
  readonly pgpNumTarget: number;
  readonly pgNumPending: number;
  /** 0 off, 1 warn, 2 on. */
  readonly pgAutoscaleMode: number;
  readonly lastPgMergeMeta: PgMergeMeta;
  readonly peeringCrushBucketCount: number;
  readonly peeringCrushBucketTarget: number;
  readonly peeringCrushBucketBarrier: number;
  readonly peeringCrushMandatoryMember: number;
  /** EC-optimised pools: shards that can never be primary, a bit a shard. */
  readonly nonprimaryShards: bigint;
}

/** An OSDMap. */
export interface OsdMap {
  /** 16 bytes. */
  readonly fsid: Uint8Array;
  readonly epoch: number;
  readonly created: UTime;
  readonly modified: UTime;
  /** Cluster flags (`CEPH_OSDMAP_*`). */
  readonly flags: number;
  /** Pools by id, ascending. */
  readonly pools: ReadonlyMap<number, Pool>;
  readonly poolMax: bigint;
  readonly maxOsd: number;
  /** {@link OSD_STATE} bits of each OSD; length maxOsd. */
  readonly osdState: Uint32Array;
  /** 16.16 reweight of each OSD, 0 is out; length maxOsd. */
  readonly osdWeight: Uint32Array;
  /** 16.16 primary affinity of each OSD, or undefined when the map has none. */
  readonly osdPrimaryAffinity: Uint32Array | undefined;
  readonly pgTemp: PgTable<readonly number[]>;
  readonly primaryTemp: PgTable<number>;
  readonly pgUpmap: PgTable<readonly number[]>;
  /** Pairs [from, to]. */
  readonly pgUpmapItems: PgTable<readonly (readonly [number, number])[]>;
  readonly pgUpmapPrimaries: PgTable<number>;
  readonly crush: CrushMap;
  readonly crushVersion: number;
  readonly erasureCodeProfiles: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Everything else the encoding holds, for printing; placement does not read it. */
  readonly details: OsdMapDetails;
}

/** The part of the OSDMap that placement does not read. */
export interface OsdMapDetails {
  /** What the file was: `classic` (before 2013), `binary`, or `json`. */
  readonly encoding: 'classic' | 'binary' | 'json';
  /** Versions of the client and osd sections as encoded (0 for JSON). */
  readonly clientVersion: number;
  readonly osdVersion: number;
  /** The stored CRC32C, when the encoding has one. */
  readonly crc: number | undefined;
  readonly newRemovedSnaps: ReadonlyMap<number, readonly Interval[]>;
  readonly newPurgedSnaps: ReadonlyMap<number, readonly Interval[]>;
  readonly lastUpChange: UTime;
  readonly lastInChange: UTime;
  readonly clientAddrs: readonly EntityAddrVec[];
  readonly clusterAddrs: readonly EntityAddrVec[];
  readonly hbBackAddrs: readonly EntityAddrVec[];
  readonly hbFrontAddrs: readonly EntityAddrVec[];
  readonly osdInfo: readonly OsdInfo[];
  readonly osdXInfo: readonly OsdXInfo[];
  /** 16 bytes each. */
  readonly osdUuid: readonly Uint8Array[];
  readonly blocklist: readonly (readonly [EntityAddr, UTime])[];
  readonly rangeBlocklist: readonly (readonly [EntityAddr, UTime])[];
  readonly clusterSnapshotEpoch: number;
  readonly clusterSnapshot: string;
  readonly nearfullRatio: number;
  readonly fullRatio: number;
  readonly backfillfullRatio: number;
  /** Release numbers: 0 unknown, 12 luminous, 16 pacific ... */
  readonly requireMinCompatClient: number;
  readonly requireOsdRelease: number;
  readonly removedSnapsQueue: ReadonlyMap<number, readonly Interval[]>;
  /** Bucket id to flags. */
  readonly crushNodeFlags: ReadonlyMap<number, number>;
  readonly deviceClassFlags: ReadonlyMap<number, number>;
  readonly stretchModeEnabled: boolean;
  readonly stretchBucketCount: number;
  readonly degradedStretchMode: number;
  readonly recoveringStretchMode: number;
  readonly stretchModeBucket: number;
  readonly allowCrimson: boolean;
}
