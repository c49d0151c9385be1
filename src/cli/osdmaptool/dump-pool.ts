/** A pool as structured data. Follows `pg_pool_t::dump` (Ceph's src/osd/osd_types.cc). */
import { CrushError } from '../../errors.ts';
import { AUTOSCALE_MODES, CACHE_MODES, HIT_SET_TYPES, POOL_OPTIONS } from '../../formats/pool-names.ts';
import { RELEASE } from '../../formats/releases.ts';
import { POOL_TYPE, type HitSetParams, type Pool } from '../../osdmap/model.ts';
import type { PgMapper } from '../../osdmap/pg-mapper.ts';
import { readBalance } from '../../osdmap/read-balance.ts';
import { formatIntervals, formatPoolFlags, formatTime } from '../../osdmap/ceph-format.ts';
import type { Formatter } from '../formatter/formatter.ts';
import { formatPgId } from '../../osdmap/pg-text.ts';
import { knownPoolOptions } from '../pool-print.ts';

const POOL_SNAPS = 1n << 14n;

/** Most hit sets of a pool whose grades are listed. */
const MOST_HIT_SETS = 1 << 16;

/**
 * Dumps a pool as a release does.
 *
 * @param mapper - for releases that say how evenly the primaries of the pool are spread
 */
export function dumpPool(
  pool: Pool,
  release: number,
  mapper: PgMapper | undefined,
  formatter: Formatter,
): void {
  formatter.openObject('pool');
  formatter.dumpInt('pool', pool.id);
  formatter.dumpString('pool_name', pool.name);
  dumpPlacement(pool, release, formatter);
  dumpSnaps(pool, formatter);
  dumpCache(pool, formatter);
  dumpRest(pool, release, formatter);
  if (mapper !== undefined && pool.type === POOL_TYPE.replicated) dumpReadBalance(mapper, pool, formatter);
  formatter.close();
}

function dumpPlacement(pool: Pool, release: number, formatter: Formatter): void {
  const { details } = pool;
  const merge = details.lastPgMergeMeta;
  formatter.dumpString('create_time', formatTime(details.createTime));
  formatter.dumpInt('flags', pool.flags);
  formatter.dumpString('flags_names', formatPoolFlags(pool.flags, release));
  formatter.dumpInt('type', pool.type);
  formatter.dumpInt('size', pool.size);
  formatter.dumpInt('min_size', pool.minSize);
  formatter.dumpInt('crush_rule', pool.crushRule);
  formatter.dumpInt('peering_crush_bucket_count', details.peeringCrushBucketCount);
  formatter.dumpInt('peering_crush_bucket_target', details.peeringCrushBucketTarget);
  formatter.dumpInt('peering_crush_bucket_barrier', details.peeringCrushBucketBarrier);
  formatter.dumpInt('peering_crush_bucket_mandatory_member', details.peeringCrushMandatoryMember);
  if (release >= RELEASE.squid) {
    formatter.dumpBool('is_stretch_pool', details.peeringCrushBucketCount !== 0);
  }
  formatter.dumpInt('object_hash', pool.objectHash);
  formatter.dumpString('pg_autoscale_mode', AUTOSCALE_MODES[details.pgAutoscaleMode] ?? '???');
  formatter.dumpInt('pg_num', pool.pgNum);
  formatter.dumpInt('pg_placement_num', pool.pgpNum);
  formatter.dumpInt('pg_placement_num_target', details.pgpNumTarget);
  formatter.dumpInt('pg_num_target', details.pgNumTarget);
  formatter.dumpInt('pg_num_pending', details.pgNumPending);
  formatter.openObject('last_pg_merge_meta');
  formatter.dumpString('source_pgid', formatPgId(merge.sourcePgid.pool, merge.sourcePgid.ps));
  formatter.dumpInt('ready_epoch', merge.readyEpoch);
  formatter.dumpInt('last_epoch_started', merge.lastEpochStarted);
  formatter.dumpInt('last_epoch_clean', merge.lastEpochClean);
  formatter.dumpString('source_version', `${merge.sourceVersion.epoch}'${merge.sourceVersion.version}`);
  formatter.dumpString('target_version', `${merge.targetVersion.epoch}'${merge.targetVersion.version}`);
  formatter.close();
  formatter.dumpString('last_change', String(details.lastChange));
  formatter.dumpString('last_force_op_resend', String(details.lastForceOpResend));
  formatter.dumpString('last_force_op_resend_prenautilus', String(details.lastForceOpResendPrenautilus));
  formatter.dumpString('last_force_op_resend_preluminous', String(details.lastForceOpResendPreluminous));
  formatter.dumpInt('auid', details.auid);
}

function dumpSnaps({ flags, details }: Pool, formatter: Formatter): void {
  formatter.dumpString('snap_mode', (flags & POOL_SNAPS) === 0n ? 'selfmanaged' : 'pool');
  formatter.dumpInt('snap_seq', details.snapSeq);
  formatter.dumpInt('snap_epoch', details.snapEpoch);
  formatter.openArray('pool_snaps');
  for (const snap of details.snaps.values()) {
    formatter.openObject('pool_snap_info');
    formatter.dumpInt('snapid', snap.snapid);
    formatter.dumpString('stamp', formatTime(snap.stamp));
    formatter.dumpString('name', snap.name);
    formatter.close();
  }
  formatter.close();
  formatter.dumpString('removed_snaps', formatIntervals(details.removedSnaps));
  formatter.dumpInt('quota_max_bytes', details.quotaMaxBytes);
  formatter.dumpInt('quota_max_objects', details.quotaMaxObjects);
}

function dumpCache({ details }: Pool, formatter: Formatter): void {
  formatter.openArray('tiers');
  for (const tier of details.tiers) formatter.dumpInt('pool_id', tier);
  formatter.close();
  formatter.dumpInt('tier_of', details.tierOf);
  formatter.dumpInt('read_tier', details.readTier);
  formatter.dumpInt('write_tier', details.writeTier);
  formatter.dumpString('cache_mode', CACHE_MODES[details.cacheMode] ?? 'unknown');
  formatter.dumpInt('target_max_bytes', details.targetMaxBytes);
  formatter.dumpInt('target_max_objects', details.targetMaxObjects);
  formatter.dumpInt('cache_target_dirty_ratio_micro', details.cacheTargetDirtyRatioMicro);
  formatter.dumpInt('cache_target_dirty_high_ratio_micro', details.cacheTargetDirtyHighRatioMicro);
  formatter.dumpInt('cache_target_full_ratio_micro', details.cacheTargetFullRatioMicro);
  formatter.dumpInt('cache_min_flush_age', details.cacheMinFlushAge);
  formatter.dumpInt('cache_min_evict_age', details.cacheMinEvictAge);
  formatter.dumpString('erasure_code_profile', details.erasureCodeProfile);
  dumpHitSets(details.hitSetParams, formatter);
  formatter.dumpInt('hit_set_period', details.hitSetPeriod);
  formatter.dumpInt('hit_set_count', details.hitSetCount);
  formatter.dumpBool('use_gmt_hitset', details.useGmtHitset);
  formatter.dumpInt('min_read_recency_for_promote', details.minReadRecencyForPromote);
  formatter.dumpInt('min_write_recency_for_promote', details.minWriteRecencyForPromote);
  formatter.dumpInt('hit_set_grade_decay_rate', details.hitSetGradeDecayRate);
  formatter.dumpInt('hit_set_search_last_n', details.hitSetSearchLastN);
  formatter.openArray('grade_table');
  for (const grade of gradesOf(details)) formatter.dumpInt('value', grade);
  formatter.close();
}

function dumpHitSets({ type, bloom }: HitSetParams, formatter: Formatter): void {
  formatter.openObject('hit_set_params');
  formatter.dumpString('type', HIT_SET_TYPES[type] ?? '???');
  if (bloom !== undefined) {
    formatter.dumpFloat('false_positive_probability', bloom.fppMicro / 1_000_000);
    formatter.dumpInt('target_size', BigInt.asIntN(64, bloom.targetSize));
    formatter.dumpInt('seed', BigInt.asIntN(64, bloom.seed));
  }
  formatter.close();
}

/** How much each older hit set counts, in millionths (`pg_pool_t::calc_grade_table`). */
function gradesOf({ hitSetCount, hitSetGradeDecayRate }: Pool['details']): number[] {
  if (hitSetCount > MOST_HIT_SETS) {
    throw new CrushError('unsupported', `a pool with ${hitSetCount} hit sets is not dumped`);
  }
  let grade = 1_000_000;
  return Array.from(
    { length: hitSetCount },
    () => (grade = Math.trunc(grade * (1 - hitSetGradeDecayRate / 100)) >>> 0),
  );
}

function dumpRest({ details }: Pool, release: number, formatter: Formatter): void {
  formatter.dumpInt('stripe_width', details.stripeWidth);
  formatter.dumpInt('expected_num_objects', details.expectedNumObjects);
  formatter.dumpBool('fast_read', details.fastRead);
  if (release >= RELEASE.tentacle) {
    formatter.dumpString('nonprimary_shards', `{${shardsOf(details.nonprimaryShards).join(',')}}`);
  }
  formatter.openObject('options');
  const known = knownPoolOptions(release);
  const options = [...details.opts]
    .flatMap(([key, value]) => {
      const option = POOL_OPTIONS[key];
      return option === undefined || key >= known ? [] : [[option[0], value] as const];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, value] of options) {
    if (typeof value === 'string') formatter.dumpString(name, value);
    else if (typeof value === 'number') formatter.dumpFloat(name, value);
    else formatter.dumpInt(name, value);
  }
  formatter.close();
  formatter.openObject('application_metadata');
  for (const [application, values] of details.applicationMetadata) {
    formatter.openObject(application);
    for (const [key, value] of values) formatter.dumpString(key, value);
    formatter.close();
  }
  formatter.close();
}

function shardsOf(bits: bigint): number[] {
  const shards: number[] = [];
  for (let shard = 0; shard < 128; shard++) if (((bits >> BigInt(shard)) & 1n) === 1n) shards.push(shard);
  return shards;
}

function dumpReadBalance(mapper: PgMapper, pool: Pool, formatter: Formatter): void {
  const { score, parts, message } = readBalance(mapper, pool);
  if (score === undefined && message === '') return;
  formatter.openObject('read_balance');
  if (parts === undefined) {
    formatter.dumpString('error_message', message);
    formatter.dumpFloat('score_acting', 0);
    formatter.dumpFloat('score_stable', 0);
  } else {
    formatter.dumpFloat('score_acting', score ?? 0);
    formatter.dumpFloat('score_stable', parts.scoreStable);
    formatter.dumpFloat('optimal_score', parts.optimalScore);
    formatter.dumpFloat('raw_score_acting', parts.rawScoreActing);
    formatter.dumpFloat('raw_score_stable', parts.rawScoreStable);
    formatter.dumpFloat('primary_affinity_weighted', parts.weightedAffinity);
    formatter.dumpFloat('average_primary_affinity', parts.averageAffinity);
    formatter.dumpFloat('average_primary_affinity_weighted', parts.averageWeightedAffinity);
    if (message !== '') formatter.dumpString('error_message', message);
  }
  formatter.close();
}
