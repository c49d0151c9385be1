/** Reads `pg_pool_t`, versions 2 (2010) to 32 (Tentacle). Follows `pg_pool_t::decode` (Ceph's src/osd/osd_types.cc). */
import { NO_TIME } from '../osdmap/blank.ts';
import type { HitSetParams, Interval, PgMergeMeta, Pool, PoolSnap } from '../osdmap/model.ts';
import type { BinaryReader } from './binary-reader.ts';
import { readIntervals, readIntervalsOf, readPgId, readUTime } from './osdmap-parts.ts';

/** The newest `pg_pool_t` that this reader knows. */
const POOL_VERSION = 32;

/** Least bytes of an encoded pool. */
export const POOL_BYTES = 53;

const FLAG_SELFMANAGED_SNAPS = 1n << 13n;
const FLAG_POOL_SNAPS = 1n << 14n;

/** The member that a stretch pool must have, when there is none (`pg_CRUSH_ITEM_NONE`). */
export const NO_MANDATORY_MEMBER = 0x7fffffff;

/** The autoscale mode of pools that are older than the autoscaler: warn. */
export const AUTOSCALE_WARN = 1;

/** A pool that never lost PGs by merging. */
export const NO_MERGE: PgMergeMeta = {
  sourcePgid: { pool: 0, ps: 0 },
  readyEpoch: 0,
  lastEpochStarted: 0,
  lastEpochClean: 0,
  sourceVersion: { epoch: 0, version: 0n },
  targetVersion: { epoch: 0, version: 0n },
};

/**
 * Reads one pool.
 *
 * @param reader - stands at the pool's version byte.
 * @param id - the pool's id, which stands before the pool.
 * @throws CrushError where the bytes are not a pool, or one that only a newer Ceph understands.
 */
export function readPool(reader: BinaryReader, id: number): Omit<Pool, 'name'> {
  const header = reader.startLegacy(POOL_VERSION, 5, 5);
  const { version } = header;
  /** Reads a field that is there from version `since` on. */
  const from = <T>(since: number, read: () => T, otherwise: T): T => (version >= since ? read() : otherwise);
  const u8 = () => reader.u8();
  const u32 = () => reader.u32();
  const u64 = () => reader.u64();
  const s64 = () => reader.s64();
  const text = () => reader.string();

  const type = u8();
  const size = u8();
  const crushRule = u8();
  const objectHash = u8();
  const pgNum = u32();
  const pgpNum = u32();
  reader.raw(8); // numbers of "localized" PGs, gone since 2012
  const lastChange = u32();
  const snapSeq = u64();
  const snapEpoch = u32();
  const { snaps, removedSnaps, auid } = readSnaps(reader, version);
  const encodedFlags = from(4, u64, 0n);
  from(4, u32, 0); // crash_replay_interval, gone since Kraken
  const flags = withSnapMode(encodedFlags, snapSeq, removedSnaps);
  const minSize = from(7, u8, size - Math.floor(size / 2));
  const quotaMaxBytes = from(8, u64, 0n);
  const quotaMaxObjects = from(8, u64, 0n);
  const tiers = from(9, () => reader.list(8, u64), []);
  const tierOf = from(9, s64, -1n);
  const cacheMode = from(9, u8, 0);
  const readTier = from(9, s64, -1n);
  const writeTier = from(9, s64, -1n);
  const properties = from(10, () => reader.map(8, text, text), new Map<string, string>());
  const hitSetParams = from(11, () => reader.within('hit_set_params', () => readHitSetParams(reader)), {
    type: 0,
  });
  const hitSetPeriod = from(11, u32, 0);
  const hitSetCount = from(11, u32, 0);
  const stripeWidth = from(12, u32, 0);
  const targetMaxBytes = from(13, u64, 0n);
  const targetMaxObjects = from(13, u64, 0n);
  const cacheTargetDirtyRatioMicro = from(13, u32, 0);
  const cacheTargetFullRatioMicro = from(13, u32, 0);
  const cacheMinFlushAge = from(13, u32, 0);
  const cacheMinEvictAge = from(13, u32, 0);
  const erasureCodeProfile = from(14, text, '');
  const lastForceOpResendPreluminous = from(15, u32, 0);
  const minReadRecencyForPromote = from(16, u32, 1);
  const expectedNumObjects = from(17, u64, 0n);
  const cacheTargetDirtyHighRatioMicro = from(19, u32, cacheTargetDirtyRatioMicro);
  const minWriteRecencyForPromote = from(20, u32, 1);
  const useGmtHitset = from(21, () => reader.bool(), false);
  const fastRead = from(22, () => reader.bool(), false);
  const hitSetGradeDecayRate = from(23, u32, 0);
  const hitSetSearchLastN = from(23, u32, 1);
  const opts = from(24, () => reader.within('opts', () => readPoolOpts(reader)), new Map());
  const lastForceOpResendPrenautilus = from(25, u32, lastForceOpResendPreluminous);
  const applicationMetadata = from(
    26,
    () => reader.map(8, text, () => reader.map(8, text, text)),
    new Map<string, Map<string, string>>(),
  );
  const createTime = from(27, () => readUTime(reader), NO_TIME);
  const pgNumTarget = from(28, u32, pgNum);
  const pgpNumTarget = from(28, u32, pgpNum);
  const pgNumPending = from(28, u32, pgNum);
  const mergeStarted = from(28, u32, 0);
  const mergeClean = from(28, u32, 0);
  const lastForceOpResend = from(28, u32, lastForceOpResendPrenautilus);
  const pgAutoscaleMode = from(28, u8, AUTOSCALE_WARN);
  const lastPgMergeMeta = from(29, () => reader.within('last_pg_merge_meta', () => readMergeMeta(reader)), {
    ...NO_MERGE,
    lastEpochStarted: mergeStarted,
    lastEpochClean: mergeClean,
  });
  // Version 30 always has the stretch settings; from 31 on a flag says whether they follow.
  const isStretch = version === 30 || from(31, () => reader.bool(), false);
  const peeringCrushBucketCount = isStretch ? u32() : 0;
  const peeringCrushBucketTarget = isStretch ? u32() : 0;
  const peeringCrushBucketBarrier = isStretch ? u32() : 0;
  const peeringCrushMandatoryMember = isStretch ? reader.s32() : NO_MANDATORY_MEMBER;
  const nonprimaryShards = from(32, () => readShardSet(reader), 0n);
  reader.finish(header);

  return {
    id,
    type,
    size,
    minSize,
    crushRule,
    objectHash,
    pgNum,
    pgpNum,
    flags,
    details: {
      structVersion: version,
      lastChange,
      snapSeq,
      snapEpoch,
      snaps,
      removedSnaps,
      auid,
      quotaMaxBytes,
      quotaMaxObjects,
      tiers,
      tierOf,
      cacheMode,
      readTier,
      writeTier,
      properties,
      hitSetParams,
      hitSetPeriod,
      hitSetCount,
      stripeWidth,
      targetMaxBytes,
      targetMaxObjects,
      cacheTargetDirtyRatioMicro,
      cacheTargetDirtyHighRatioMicro,
      cacheTargetFullRatioMicro,
      cacheMinFlushAge,
      cacheMinEvictAge,
      erasureCodeProfile,
      lastForceOpResend,
      lastForceOpResendPrenautilus,
      lastForceOpResendPreluminous,
      minReadRecencyForPromote,
      minWriteRecencyForPromote,
      expectedNumObjects,
      useGmtHitset,
      fastRead,
      hitSetGradeDecayRate,
      hitSetSearchLastN,
      opts,
      applicationMetadata,
      createTime,
      pgNumTarget,
      pgpNumTarget,
      pgNumPending,
      pgAutoscaleMode,
      lastPgMergeMeta,
      peeringCrushBucketCount,
      peeringCrushBucketTarget,
      peeringCrushBucketBarrier,
      peeringCrushMandatoryMember,
      nonprimaryShards,
    },
  };
}

interface Snaps {
  readonly snaps: Map<bigint, PoolSnap>;
  readonly removedSnaps: Interval[];
  readonly auid: bigint;
}

/** Snapshots and owner; before version 3 both counts came first and the owner stood between. */
function readSnaps(reader: BinaryReader, version: number): Snaps {
  if (version >= 3) {
    const snaps = reader.map(
      8,
      () => reader.u64(),
      () => readSnap(reader),
    );
    const removedSnaps = readIntervals(reader);
    return { snaps, removedSnaps, auid: reader.u64() };
  }
  const snapCount = reader.count(8);
  const removedCount = reader.count(16);
  const auid = reader.u64();
  const snaps = new Map<bigint, PoolSnap>();
  for (let i = 0; i < snapCount; i++) {
    const snapid = reader.u64();
    snaps.set(snapid, readSnap(reader));
  }
  return { snaps, removedSnaps: readIntervalsOf(reader, removedCount), auid };
}

function readSnap(reader: BinaryReader): PoolSnap {
  const header = reader.startLegacy(2, 2, 2);
  const snapid = reader.u64();
  const stamp = readUTime(reader);
  const snap = { snapid, stamp, name: reader.string() };
  reader.finish(header);
  return snap;
}

/** Pools with snapshots that are older than the two flags get the one that their snapshots show. */
export function withSnapMode(flags: bigint, snapSeq: bigint, removedSnaps: readonly Interval[]): bigint {
  if (snapSeq === 0n || (flags & (FLAG_SELFMANAGED_SNAPS | FLAG_POOL_SNAPS)) !== 0n) return flags;
  return flags | (removedSnaps.length > 0 ? FLAG_SELFMANAGED_SNAPS : FLAG_POOL_SNAPS);
}

function readHitSetParams(reader: BinaryReader): HitSetParams {
  const header = reader.start(1);
  const at = reader.offset;
  const type = reader.u8();
  if (type > 3) throw reader.error('malformed', `hit set of unknown type ${type}`, at);
  let params: HitSetParams = { type };
  if (type === 3) {
    const bloomHeader = reader.start(1);
    const fppMicro = reader.u32();
    const targetSize = reader.u64();
    params = { type, bloom: { fppMicro, targetSize, seed: reader.u64() } };
    reader.finish(bloomHeader);
  }
  reader.finish(header);
  return params;
}

function readPoolOpts(reader: BinaryReader): Map<number, string | bigint | number> {
  const header = reader.start(2);
  const opts = reader.map(
    12,
    () => reader.s32(),
    () => readPoolOption(reader, header.version),
  );
  reader.finish(header);
  return opts;
}

function readPoolOption(reader: BinaryReader, version: number): string | bigint | number {
  const at = reader.offset;
  const type = reader.s32();
  if (type === 0) return reader.string();
  if (type === 1) return version >= 2 ? reader.s64() : BigInt(reader.s32());
  if (type === 2) return reader.f64();
  throw reader.error('malformed', `pool option of unknown type ${type}`, at);
}

function readMergeMeta(reader: BinaryReader): PgMergeMeta {
  const header = reader.start(1);
  const meta: PgMergeMeta = {
    sourcePgid: readPgId(reader),
    readyEpoch: reader.u32(),
    lastEpochStarted: reader.u32(),
    lastEpochClean: reader.u32(),
    sourceVersion: readVersion(reader),
    targetVersion: readVersion(reader),
  };
  reader.finish(header);
  return meta;
}

/** Reads an `eversion_t`. */
function readVersion(reader: BinaryReader): { epoch: number; version: bigint } {
  const version = reader.u64();
  return { version, epoch: reader.u32() };
}

/** A set of up to 128 shards: two words of 64 bits, each as a varint (`shard_id_set`). */
function readShardSet(reader: BinaryReader): bigint {
  const low = readVarint(reader);
  return low | (readVarint(reader) << 64n);
}

/** A number of up to 64 bits in groups of 7, the lowest first (`denc_varint`). */
function readVarint(reader: BinaryReader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.u8();
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw reader.error('malformed', 'number of more than 64 bits');
}
