/** Writes `pg_pool_t`, versions 26 (Luminous) to 32 (Tentacle). Follows `pg_pool_t::encode` (Ceph's src/osd/osd_types.cc). */
import type { HitSetParams, PgMergeMeta, Pool } from '../osdmap/model.ts';
import type { BinaryWriter } from './binary-writer.ts';
import {
  ascending,
  writeIntervals,
  writePgId,
  writeTexts,
  writeTextTables,
  writeUTime,
} from './osdmap-encode-parts.ts';

/** Flags that pools did not have before Mimic: snapshots of one's own or of the pool, and being created. */
const MIMIC_FLAGS = (1n << 13n) | (1n << 14n) | (1n << 15n);

/** Writes one pool; its name and id stand elsewhere. */
export function writePool(writer: BinaryWriter, pool: Pool, version: number): void {
  writer.struct(version, 5, (inner) => {
    writeBasics(inner, pool, version);
    writeTiering(inner, pool);
    writeSince(inner, pool, version);
  });
}

function writeBasics(writer: BinaryWriter, pool: Pool, version: number): void {
  const { details } = pool;
  writer.u8(pool.type).u8(pool.size).u8(pool.crushRule).u8(pool.objectHash);
  writer.u32(pool.pgNum).u32(pool.pgpNum);
  writer.u32(0).u32(0); // numbers of "localized" PGs, gone since 2012
  writer.u32(details.lastChange).u64(details.snapSeq).u32(details.snapEpoch);
  const snaps = [...details.snaps].sort(([a], [b]) => (a < b ? -1 : 1));
  writer.list(snaps, ([id, snap]) => {
    writer.u64(id).struct(2, 2, (inner) => {
      inner.u64(snap.snapid);
      writeUTime(inner, snap.stamp);
      inner.string(snap.name);
    });
  });
  writeIntervals(writer, details.removedSnaps);
  writer.u64(details.auid);
  writer.u64(version >= 27 ? pool.flags : pool.flags & ~MIMIC_FLAGS);
  writer.u32(0); // crash_replay_interval, gone since Kraken
  writer.u8(pool.minSize).u64(details.quotaMaxBytes).u64(details.quotaMaxObjects);
}

function writeTiering(writer: BinaryWriter, { details }: Pool): void {
  writer.list(details.tiers, (tier) => writer.u64(tier)).u64(details.tierOf);
  writer.u8(details.cacheMode).u64(details.readTier).u64(details.writeTier);
  writeTexts(writer, details.properties);
  writeHitSetParams(writer, details.hitSetParams);
  writer.u32(details.hitSetPeriod).u32(details.hitSetCount).u32(details.stripeWidth);
  writer.u64(details.targetMaxBytes).u64(details.targetMaxObjects);
  writer.u32(details.cacheTargetDirtyRatioMicro).u32(details.cacheTargetFullRatioMicro);
  writer.u32(details.cacheMinFlushAge).u32(details.cacheMinEvictAge);
  writer.string(details.erasureCodeProfile).u32(details.lastForceOpResendPreluminous);
  writer.u32(details.minReadRecencyForPromote).u64(details.expectedNumObjects);
  writer.u32(details.cacheTargetDirtyHighRatioMicro).u32(details.minWriteRecencyForPromote);
  writer.bool(details.useGmtHitset).bool(details.fastRead);
  writer.u32(details.hitSetGradeDecayRate).u32(details.hitSetSearchLastN);
}

/** What has been added since Jewel. */
function writeSince(writer: BinaryWriter, { details }: Pool, version: number): void {
  writePoolOpts(writer, details.opts, version >= 28);
  writer.u32(details.lastForceOpResendPrenautilus);
  writeTextTables(writer, details.applicationMetadata);
  if (version >= 27) writeUTime(writer, details.createTime);
  if (version >= 28) {
    writer.u32(details.pgNumTarget).u32(details.pgpNumTarget).u32(details.pgNumPending);
    writer.u32(0).u32(0); // two epochs of a merge, which last_pg_merge_meta has
    writer.u32(details.lastForceOpResend).u8(details.pgAutoscaleMode);
    writeMergeMeta(writer, details.lastPgMergeMeta);
  }
  const isStretch = isStretchPool(details);
  if (version >= 31) writer.bool(isStretch);
  if (version === 30 || (version > 30 && isStretch)) {
    writer.u32(details.peeringCrushBucketCount).u32(details.peeringCrushBucketTarget);
    writer.u32(details.peeringCrushBucketBarrier).u32(details.peeringCrushMandatoryMember);
  }
  if (version >= 32) {
    writeVarint(writer, BigInt.asUintN(64, details.nonprimaryShards));
    writeVarint(writer, BigInt.asUintN(64, details.nonprimaryShards >> 64n));
  }
}

/** Whether a pool has the settings of stretch mode (`pg_pool_t::is_stretch_pool`). */
export function isStretchPool(details: Pool['details']): boolean {
  return details.peeringCrushBucketCount !== 0;
}

function writeHitSetParams(writer: BinaryWriter, { type, bloom }: HitSetParams): void {
  writer.struct(1, 1, (inner) => {
    inner.u8(type);
    if (bloom === undefined) return;
    inner.struct(1, 1, (each) => each.u32(bloom.fppMicro).u64(bloom.targetSize).u64(bloom.seed));
  });
}

function writePoolOpts(writer: BinaryWriter, opts: Pool['details']['opts'], isLong: boolean): void {
  writer.struct(isLong ? 2 : 1, 1, (inner) =>
    inner.list(ascending(opts), ([key, value]) => {
      inner.u32(key);
      if (typeof value === 'string') inner.u32(0).string(value);
      else if (typeof value === 'number') inner.u32(2).f64(value);
      else if (isLong) inner.u32(1).u64(value);
      else inner.u32(1).u32(Number(BigInt.asUintN(32, value)));
    }),
  );
}

function writeMergeMeta(writer: BinaryWriter, merge: PgMergeMeta): void {
  writer.struct(1, 1, (inner) => {
    writePgId(inner, merge.sourcePgid.pool, merge.sourcePgid.ps);
    inner.u32(merge.readyEpoch).u32(merge.lastEpochStarted).u32(merge.lastEpochClean);
    inner.u64(merge.sourceVersion.version).u32(merge.sourceVersion.epoch);
    inner.u64(merge.targetVersion.version).u32(merge.targetVersion.epoch);
  });
}

/** A number of up to 64 bits in groups of 7, the lowest first (`denc_varint`). */
function writeVarint(writer: BinaryWriter, value: bigint): void {
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) writer.u8(Number(rest & 0x7fn) | 0x80);
  writer.u8(Number(rest));
}
