/** Encodes pools in the versions of old and new releases. */
import type { Pool, UTime } from '../src/osdmap/model.ts';
import { BinaryWriter } from '../src/formats/binary-writer.ts';

/** Encodes a pool; versions below 5 have no length. */
export function encodePool(writer: BinaryWriter, pool: Pool, version: number): void {
  if (version < 5) encodePoolBody(writer.u8(version), pool, version);
  else writer.struct(version, 5, (inner) => encodePoolBody(inner, pool, version));
}

function encodePoolBody(writer: BinaryWriter, pool: Pool, version: number): void {
  const { details } = pool;
  writer.u8(pool.type).u8(pool.size).u8(pool.crushRule).u8(pool.objectHash);
  writer.u32(pool.pgNum).u32(pool.pgpNum).u32(0).u32(0);
  writer.u32(details.lastChange).u64(details.snapSeq).u32(details.snapEpoch);
  const snaps = () => {
    for (const [id, snap] of details.snaps) {
      writer.u64(id);
      const body = (inner: BinaryWriter) => {
        inner.u64(snap.snapid);
        encodeTime(inner, snap.stamp);
        inner.string(snap.name);
      };
      if (version < 3) body(writer.u8(1));
      else writer.struct(2, 2, body);
    }
  };
  const intervals = () => {
    for (const { start, length } of details.removedSnaps) writer.u64(start).u64(length);
  };
  if (version < 3) {
    writer.u32(details.snaps.size).u32(details.removedSnaps.length).u64(details.auid);
    snaps();
    intervals();
  } else {
    writer.u32(details.snaps.size);
    snaps();
    writer.u32(details.removedSnaps.length);
    intervals();
    writer.u64(details.auid);
  }
  if (version >= 4) writer.u64(pool.flags).u32(0);
  if (version >= 7) writer.u8(pool.minSize);
  if (version >= 8) writer.u64(details.quotaMaxBytes).u64(details.quotaMaxObjects);
  if (version >= 9) {
    writer.list(details.tiers, (tier) => writer.u64(tier)).u64(details.tierOf);
    writer.u8(details.cacheMode).u64(details.readTier).u64(details.writeTier);
  }
  if (version >= 10) encodeTexts(writer, details.properties);
  if (version >= 11) {
    const { type, bloom } = details.hitSetParams;
    writer.struct(1, 1, (inner) => {
      inner.u8(type);
      if (bloom !== undefined) {
        inner.struct(1, 1, (b) => b.u32(bloom.fppMicro).u64(bloom.targetSize).u64(bloom.seed));
      }
    });
    writer.u32(details.hitSetPeriod).u32(details.hitSetCount);
  }
  if (version >= 12) writer.u32(details.stripeWidth);
  if (version >= 13) {
    writer.u64(details.targetMaxBytes).u64(details.targetMaxObjects);
    writer.u32(details.cacheTargetDirtyRatioMicro).u32(details.cacheTargetFullRatioMicro);
    writer.u32(details.cacheMinFlushAge).u32(details.cacheMinEvictAge);
  }
  if (version >= 14) writer.string(details.erasureCodeProfile);
  if (version >= 15) writer.u32(details.lastForceOpResendPreluminous);
  if (version >= 16) writer.u32(details.minReadRecencyForPromote);
  if (version >= 17) writer.u64(details.expectedNumObjects);
  if (version >= 19) writer.u32(details.cacheTargetDirtyHighRatioMicro);
  if (version >= 20) writer.u32(details.minWriteRecencyForPromote);
  if (version >= 21) writer.bool(details.useGmtHitset);
  if (version >= 22) writer.bool(details.fastRead);
  if (version >= 23) writer.u32(details.hitSetGradeDecayRate).u32(details.hitSetSearchLastN);
  if (version >= 24) encodePoolOpts(writer, details.opts, version >= 28 ? 2 : 1);
  if (version >= 25) writer.u32(details.lastForceOpResendPrenautilus);
  if (version >= 26) encodeTextTables(writer, details.applicationMetadata);
  if (version >= 27) encodeTime(writer, details.createTime);
  if (version >= 28) {
    const merge = details.lastPgMergeMeta;
    writer.u32(details.pgNumTarget).u32(details.pgpNumTarget).u32(details.pgNumPending);
    writer.u32(merge.lastEpochStarted).u32(merge.lastEpochClean);
    writer.u32(details.lastForceOpResend).u8(details.pgAutoscaleMode);
    if (version >= 29) {
      writer.struct(1, 1, (inner) => {
        encodePg(inner, merge.sourcePgid.pool, merge.sourcePgid.ps);
        inner.u32(merge.readyEpoch).u32(merge.lastEpochStarted).u32(merge.lastEpochClean);
        inner.u64(merge.sourceVersion.version).u32(merge.sourceVersion.epoch);
        inner.u64(merge.targetVersion.version).u32(merge.targetVersion.epoch);
      });
    }
  }
  const isStretch = details.peeringCrushBucketCount !== 0;
  if (version >= 31) writer.bool(isStretch);
  if (version === 30 || (version >= 31 && isStretch)) {
    writer.u32(details.peeringCrushBucketCount).u32(details.peeringCrushBucketTarget);
    writer.u32(details.peeringCrushBucketBarrier).u32(details.peeringCrushMandatoryMember);
  }
  if (version >= 32) {
    encodeVarint(writer, BigInt.asUintN(64, details.nonprimaryShards));
    encodeVarint(writer, details.nonprimaryShards >> 64n);
  }
}

function encodePoolOpts(writer: BinaryWriter, opts: Pool['details']['opts'], version: number): void {
  writer.struct(version, 1, (inner) =>
    inner.list(opts, ([key, value]) => {
      inner.u32(key);
      if (typeof value === 'string') inner.u32(0).string(value);
      else if (typeof value === 'number') inner.u32(2).f64(value);
      else if (version >= 2) inner.u32(1).u64(value);
      else inner.u32(1).u32(Number(value));
    }),
  );
}

function encodeVarint(writer: BinaryWriter, value: bigint): void {
  let rest = value;
  for (; rest >= 128n; rest >>= 7n) writer.u8(Number(rest & 127n) | 128);
  writer.u8(Number(rest));
}

/** Encodes a `utime_t`. */
export function encodeTime(writer: BinaryWriter, time: UTime): void {
  writer.u32(time.sec).u32(time.nsec);
}

/** Encodes a `pg_t`. */
export function encodePg(writer: BinaryWriter, pool: number, ps: number): void {
  writer.u8(1).u64(pool).u32(ps).u32(-1);
}

function encodeTexts(writer: BinaryWriter, table: ReadonlyMap<string, string>): void {
  writer.list(table, ([key, value]) => writer.string(key).string(value));
}

/** Encodes a table of tables of texts. */
export function encodeTextTables(
  writer: BinaryWriter,
  tables: ReadonlyMap<string, ReadonlyMap<string, string>>,
): void {
  writer.list(tables, ([key, table]) => encodeTexts(writer.string(key), table));
}
