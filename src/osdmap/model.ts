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
  /** Seconds since 1970. */
  readonly sec: number;
  /** Nanoseconds of the second. */
  readonly nsec: number;
}

/** An endpoint (`entity_addr_t`). */
export interface EntityAddr {
  /** 0 none, 1 legacy, 2 msgr2, 3 any, 4 cidr. */
  readonly type: number;
  /** Tells daemons that had the same address one after the other apart. */
  readonly nonce: number;
  /** The address: 2 is IPv4, 10 is IPv6, 0 none. */
  readonly family: number;
  /** Port of TCP, 0 for none. */
  readonly port: number;
  /** The address bytes (4 or 16), in network order. */
  readonly address: Uint8Array;
}

/** The endpoints of one daemon (`entity_addrvec_t`). */
export type EntityAddrVec = readonly EntityAddr[];

/** Epoch bookkeeping of an OSD (`osd_info_t`). */
export interface OsdInfo {
  /** First epoch of the last interval in which it was up and ended cleanly. */
  readonly lastCleanBegin: number;
  /** Last epoch of that interval. */
  readonly lastCleanEnd: number;
  /** Epoch in which it came up. */
  readonly upFrom: number;
  /** Last epoch through which it is known to have been up. */
  readonly upThru: number;
  /** Epoch in which it went down. */
  readonly downAt: number;
  /** Epoch in which its data was declared lost; 0 for never. */
  readonly lostAt: number;
}

/** More bookkeeping of an OSD (`osd_xinfo_t`). */
export interface OsdXInfo {
  /** When it went down. */
  readonly downStamp: UTime;
  /** How likely it is late rather than dead when it does not answer, 0 to 1. */
  readonly laggyProbability: number;
  /** How long it is late then, in seconds. */
  readonly laggyInterval: number;
  /** Feature bits that it announced. */
  readonly features: bigint;
  /** 16.16 reweight that it had before it was marked out by itself. */
  readonly oldWeight: number;
  /** When its purged snapshots were last scrubbed. */
  readonly lastPurgedSnapsScrub: UTime;
  /** Last epoch in which it was known to be dead, and not only down. */
  readonly deadEpoch: number;
}

/** A pool snapshot (`pool_snap_info_t`). */
export interface PoolSnap {
  /** Id of the snapshot. */
  readonly snapid: bigint;
  /** When it was made. */
  readonly stamp: UTime;
  /** Its name. */
  readonly name: string;
}

/** A half-open run of 64-bit ids: `start` and how many. */
export interface Interval {
  /** First id. */
  readonly start: bigint;
  /** How many ids. */
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
  /** The PG that was merged into another. */
  readonly sourcePgid: PgId;
  /** Epoch in which both were ready. */
  readonly readyEpoch: number;
  /** Last epoch in which the source was active. */
  readonly lastEpochStarted: number;
  /** Last epoch in which the source was clean. */
  readonly lastEpochClean: number;
  /** Version of the last change of the source. */
  readonly sourceVersion: { readonly epoch: number; readonly version: bigint };
  /** Version of the last change of the PG that it was merged into. */
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
  /** Id; never used again after the pool is gone. */
  readonly id: number;
  /** Name, unique in the map. */
  readonly name: string;
  /** See {@link POOL_TYPE}. */
  readonly type: number;
  /** Shards of a PG: replicas, or k + m. */
  readonly size: number;
  /** Shards a PG needs to be served. */
  readonly minSize: number;
  /** Number of its CRUSH rule; of maps up to 11 the ruleset. */
  readonly crushRule: number;
  /** See {@link OBJECT_HASH}. */
  readonly objectHash: number;
  /** PGs of the pool. */
  readonly pgNum: number;
  /** PGs that are placed apart; those beyond lie where the PG lies that they were split from. */
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
  /** Epoch of the last change of the pool. */
  readonly lastChange: number;
  /** Number of the newest snapshot. */
  readonly snapSeq: bigint;
  /** Epoch of the newest snapshot. */
  readonly snapEpoch: number;
  /** Snapshots of the pool, by id. */
  readonly snaps: ReadonlyMap<bigint, PoolSnap>;
  /** Snapshots that were removed, where maps keep them in the pool (before Mimic). */
  readonly removedSnaps: readonly Interval[];
  /** Owner, which nothing uses any more. */
  readonly auid: bigint;
  /** Bytes that it may hold; 0 for no limit. */
  readonly quotaMaxBytes: bigint;
  /** Objects that it may hold; 0 for no limit. */
  readonly quotaMaxObjects: bigint;
  /** Pools that are tiers of this one. */
  readonly tiers: readonly bigint[];
  /** The pool that this is a tier of; -1 for none. */
  readonly tierOf: bigint;
  /** Mode of a cache tier (`cache_mode_t`); 0 for none. */
  readonly cacheMode: number;
  /** The tier that reads go to; -1 for none. */
  readonly readTier: bigint;
  /** The tier that writes go to; -1 for none. */
  readonly writeTier: bigint;
  /** Properties by name, which nothing uses any more. */
  readonly properties: ReadonlyMap<string, string>;
  /** How a cache tier remembers what was used. */
  readonly hitSetParams: HitSetParams;
  /** Seconds that a hit set covers. */
  readonly hitSetPeriod: number;
  /** Hit sets that are kept. */
  readonly hitSetCount: number;
  /** Bytes of a stripe of an erasure pool; 0 in replicated pools. */
  readonly stripeWidth: number;
  /** Bytes at which a cache tier flushes and evicts; 0 for no limit. */
  readonly targetMaxBytes: bigint;
  /** Objects at which a cache tier flushes and evicts; 0 for no limit. */
  readonly targetMaxObjects: bigint;
  /** Part of dirty objects at which a cache tier flushes, in millionths. */
  readonly cacheTargetDirtyRatioMicro: number;
  /** Part of dirty objects at which it flushes faster, in millionths. */
  readonly cacheTargetDirtyHighRatioMicro: number;
  /** Part of its target at which a cache tier evicts, in millionths. */
  readonly cacheTargetFullRatioMicro: number;
  /** Least age of what is flushed, in seconds. */
  readonly cacheMinFlushAge: number;
  /** Least age of what is evicted, in seconds. */
  readonly cacheMinEvictAge: number;
  /** Name of the erasure code's profile; empty in replicated pools. */
  readonly erasureCodeProfile: string;
  /** Epoch since which clients send their operations again. */
  readonly lastForceOpResend: number;
  /** The same for clients of before Nautilus. */
  readonly lastForceOpResendPrenautilus: number;
  /** The same for clients of before Luminous. */
  readonly lastForceOpResendPreluminous: number;
  /** Hit sets that an object has to be in to be taken into the tier by a read. */
  readonly minReadRecencyForPromote: number;
  /** The same by a write. */
  readonly minWriteRecencyForPromote: number;
  /** Objects that it is laid out for; 0 where nobody said. */
  readonly expectedNumObjects: bigint;
  /** Whether hit sets are named by GMT. */
  readonly useGmtHitset: boolean;
  /** Whether reads ask all shards and take the first that suffice. */
  readonly fastRead: boolean;
  /** How much less each older hit set counts, in percent. */
  readonly hitSetGradeDecayRate: number;
  /** Newest hit sets that are searched. */
  readonly hitSetSearchLastN: number;
  /** `pool_opts_t`: option number to value. */
  readonly opts: ReadonlyMap<number, string | bigint | number>;
  /** What uses the pool, such as `rbd`, with its keys and values. */
  readonly applicationMetadata: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** When it was made. */
  readonly createTime: UTime;
  /** PGs that it is on its way to. */
  readonly pgNumTarget: number;
  /** PGs placed apart that it is on its way to. */
  readonly pgpNumTarget: number;
  /** PGs that it has when the merge that is under way is done. */
  readonly pgNumPending: number;
  /** 0 off, 1 warn, 2 on. */
  readonly pgAutoscaleMode: number;
  /** The last merge of two PGs. */
  readonly lastPgMergeMeta: PgMergeMeta;
  /** Stretch mode: buckets of the barrier's type that a PG's OSDs must lie in to be served. */
  readonly peeringCrushBucketCount: number;
  /** Stretch mode: buckets of that type over which a PG's OSDs are spread. */
  readonly peeringCrushBucketTarget: number;
  /** Stretch mode: number of that type. */
  readonly peeringCrushBucketBarrier: number;
  /** Stretch mode: bucket that must be among them; 2147483647 for none. */
  readonly peeringCrushMandatoryMember: number;
  /** EC-optimised pools: shards that can never be primary, a bit a shard. */
  readonly nonprimaryShards: bigint;
}

/** An OSDMap. */
export interface OsdMap {
  /** 16 bytes. */
  readonly fsid: Uint8Array;
  /** Number of this version of the map. */
  readonly epoch: number;
  /** When the cluster was made. */
  readonly created: UTime;
  /** When this epoch was made. */
  readonly modified: UTime;
  /** Cluster flags (`CEPH_OSDMAP_*`). */
  readonly flags: number;
  /** Pools by id, ascending. */
  readonly pools: ReadonlyMap<number, Pool>;
  /** Highest pool id that was ever used; -1 for none. */
  readonly poolMax: bigint;
  /** One more than the highest OSD id that there may be. */
  readonly maxOsd: number;
  /** {@link OSD_STATE} bits of each OSD; length maxOsd. */
  readonly osdState: Uint32Array;
  /** 16.16 reweight of each OSD, 0 is out; length maxOsd. */
  readonly osdWeight: Uint32Array;
  /** 16.16 primary affinity of each OSD, or undefined when the map has none. */
  readonly osdPrimaryAffinity: Uint32Array | undefined;
  /** OSDs that serve a PG for the time being, in place of its up set. */
  readonly pgTemp: PgTable<readonly number[]>;
  /** OSD that leads a PG for the time being. */
  readonly primaryTemp: PgTable<number>;
  /** OSDs that hold a PG in place of those that its rule gives. */
  readonly pgUpmap: PgTable<readonly number[]>;
  /** Pairs [from, to]. */
  readonly pgUpmapItems: PgTable<readonly (readonly [number, number])[]>;
  /** OSD that leads a PG in place of the first of its up set. */
  readonly pgUpmapPrimaries: PgTable<number>;
  /** The CRUSH map. */
  readonly crush: CrushMap;
  /** How often the CRUSH map was changed. */
  readonly crushVersion: number;
  /** Profiles of erasure codes by name, each with its keys and values. */
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
  /** Version of the OSDs' section as encoded (0 for JSON). */
  readonly osdVersion: number;
  /** The stored CRC32C, when the encoding has one. */
  readonly crc: number | undefined;
  /** Snapshots that this epoch has removed, by pool. */
  readonly newRemovedSnaps: ReadonlyMap<number, readonly Interval[]>;
  /** Snapshots that this epoch knows to be gone from all OSDs, by pool. */
  readonly newPurgedSnaps: ReadonlyMap<number, readonly Interval[]>;
  /** When an OSD last came up or went down. */
  readonly lastUpChange: UTime;
  /** When an OSD was last marked in or out. */
  readonly lastInChange: UTime;
  /** Where clients reach each OSD; length maxOsd. */
  readonly clientAddrs: readonly EntityAddrVec[];
  /** Where other OSDs reach each OSD. */
  readonly clusterAddrs: readonly EntityAddrVec[];
  /** Where each OSD answers heartbeats of the cluster's network. */
  readonly hbBackAddrs: readonly EntityAddrVec[];
  /** Where each OSD answers heartbeats of the public network. */
  readonly hbFrontAddrs: readonly EntityAddrVec[];
  /** Epochs of each OSD; length maxOsd. */
  readonly osdInfo: readonly OsdInfo[];
  /** What else is kept of each OSD. */
  readonly osdXInfo: readonly OsdXInfo[];
  /** 16 bytes each. */
  readonly osdUuid: readonly Uint8Array[];
  /** Clients that are shut out, and until when. */
  readonly blocklist: readonly (readonly [EntityAddr, UTime])[];
  /** Networks that are shut out, and until when; the nonce is the length of the prefix. */
  readonly rangeBlocklist: readonly (readonly [EntityAddr, UTime])[];
  /** Epoch of the last snapshot of the cluster, a feature that is gone. */
  readonly clusterSnapshotEpoch: number;
  /** Name of that snapshot; empty for none. */
  readonly clusterSnapshot: string;
  /** Part in use at which an OSD is called nearly full. */
  readonly nearfullRatio: number;
  /** Part in use at which an OSD takes no writes. */
  readonly fullRatio: number;
  /** Part in use at which an OSD takes no backfill. */
  readonly backfillfullRatio: number;
  /** Release numbers: 0 unknown, 12 luminous, 16 pacific ... */
  readonly requireMinCompatClient: number;
  /** Least release of OSDs that may start, numbered in the same way. */
  readonly requireOsdRelease: number;
  /** Snapshots that OSDs are still to trim, by pool. */
  readonly removedSnapsQueue: ReadonlyMap<number, readonly Interval[]>;
  /** Bucket id to flags. */
  readonly crushNodeFlags: ReadonlyMap<number, number>;
  /** Device class to flags. */
  readonly deviceClassFlags: ReadonlyMap<number, number>;
  /** Whether the cluster is stretched over two sites. */
  readonly stretchModeEnabled: boolean;
  /** Stretch mode: how many sites. */
  readonly stretchBucketCount: number;
  /** Stretch mode: how many sites are there while one is not; 0 while all are. */
  readonly degradedStretchMode: number;
  /** Stretch mode: not 0 while a site that came back catches up. */
  readonly recoveringStretchMode: number;
  /** Stretch mode: number of the sites' bucket type. */
  readonly stretchModeBucket: number;
  /** Whether OSDs of the new kind may start. */
  readonly allowCrimson: boolean;
}
