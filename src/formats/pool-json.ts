/** Reads a pool of `ceph osd dump -f json` (`pg_pool_t::dump`), of old and new releases. */
import * as v from 'valibot';
import { NO_TIME } from '../osdmap/blank.ts';
import type { HitSetParams, Pool } from '../osdmap/model.ts';
import { byte, int32, word } from './json-input.ts';

import {
  eversion,
  flag,
  hexIntervals,
  id,
  long,
  pgId,
  shardSet,
  textTables,
  time,
  wordOrText,
} from './osdmap-json-shapes.ts';
import { AUTOSCALE_WARN, NO_MANDATORY_MEMBER, NO_MERGE, withSnapMode } from './pool-binary.ts';
import {
  AUTOSCALE_MODES,
  AUTOSCALE_UNKNOWN,
  CACHE_MODES,
  HIT_SET_TYPES,
  POOL_OPTIONS,
} from './pool-names.ts';

const mergeMeta = v.object({
  source_pgid: pgId,
  ready_epoch: word,
  last_epoch_started: word,
  last_epoch_clean: word,
  source_version: eversion,
  target_version: eversion,
});

const hitSet = v.object({
  type: v.picklist(HIT_SET_TYPES),
  false_positive_probability: v.optional(v.number(), 0),
  target_size: v.optional(long, 0),
  seed: v.optional(long, 0),
});

const poolSnap = v.object({ snapid: long, stamp: time, name: v.string() });

/** The shape of one entry of `pools`. */
export const poolShape = v.pipe(
  v.object({
    pool: id,
    pool_name: v.string(),
    create_time: v.optional(time),
    flags: long,
    type: byte,
    size: byte,
    min_size: byte,
    crush_rule: v.optional(byte),
    /** What releases before Luminous call the rule. */
    crush_ruleset: v.optional(byte),
    peering_crush_bucket_count: v.optional(word, 0),
    peering_crush_bucket_target: v.optional(word, 0),
    peering_crush_bucket_barrier: v.optional(word, 0),
    peering_crush_bucket_mandatory_member: v.optional(int32, NO_MANDATORY_MEMBER),
    object_hash: byte,
    pg_autoscale_mode: v.optional(v.string()),
    pg_num: word,
    pg_placement_num: word,
    pg_placement_num_target: v.optional(word),
    pg_num_target: v.optional(word),
    pg_num_pending: v.optional(word),
    last_pg_merge_meta: v.optional(mergeMeta),
    last_change: v.optional(wordOrText, 0),
    last_force_op_resend: v.optional(wordOrText, 0),
    last_force_op_resend_prenautilus: v.optional(wordOrText),
    last_force_op_resend_preluminous: v.optional(wordOrText),
    auid: v.optional(long, 0),
    snap_seq: v.optional(long, 0),
    snap_epoch: v.optional(word, 0),
    pool_snaps: v.optional(v.array(poolSnap), []),
    removed_snaps: v.optional(hexIntervals, '[]'),
    quota_max_bytes: v.optional(long, 0),
    quota_max_objects: v.optional(long, 0),
    tiers: v.optional(v.array(long), []),
    tier_of: v.optional(long, -1),
    read_tier: v.optional(long, -1),
    write_tier: v.optional(long, -1),
    cache_mode: v.optional(v.string(), 'none'),
    target_max_bytes: v.optional(long, 0),
    target_max_objects: v.optional(long, 0),
    cache_target_dirty_ratio_micro: v.optional(word, 0),
    cache_target_dirty_high_ratio_micro: v.optional(word),
    cache_target_full_ratio_micro: v.optional(word, 0),
    cache_min_flush_age: v.optional(word, 0),
    cache_min_evict_age: v.optional(word, 0),
    erasure_code_profile: v.optional(v.string(), ''),
    hit_set_params: v.optional(hitSet, { type: 'none' }),
    hit_set_period: v.optional(word, 0),
    hit_set_count: v.optional(word, 0),
    use_gmt_hitset: v.optional(flag, false),
    min_read_recency_for_promote: v.optional(word, 1),
    min_write_recency_for_promote: v.optional(word, 1),
    hit_set_grade_decay_rate: v.optional(word, 0),
    hit_set_search_last_n: v.optional(word, 1),
    stripe_width: v.optional(word, 0),
    expected_num_objects: v.optional(long, 0),
    fast_read: v.optional(flag, false),
    nonprimary_shards: v.optional(shardSet, '{}'),
    options: v.optional(v.record(v.string(), v.union([v.string(), v.number()])), {}),
    application_metadata: v.optional(textTables, {}),
  }),
  v.check(
    (pool) => pool.crush_rule !== undefined || pool.crush_ruleset !== undefined,
    'has neither crush_rule nor crush_ruleset',
  ),
);

type PoolDump = v.InferOutput<typeof poolShape>;

/** The pool that a checked dump shows. */
export function poolOfDump(dump: PoolDump): Pool {
  const removedSnaps = dump.removed_snaps;
  const preluminous = dump.last_force_op_resend_preluminous ?? dump.last_force_op_resend;
  const merge = dump.last_pg_merge_meta;
  return {
    id: dump.pool,
    name: dump.pool_name,
    type: dump.type,
    size: dump.size,
    minSize: dump.min_size,
    crushRule: dump.crush_rule ?? dump.crush_ruleset ?? 0,
    objectHash: dump.object_hash,
    pgNum: dump.pg_num,
    pgpNum: dump.pg_placement_num,
    flags: withSnapMode(dump.flags, dump.snap_seq, removedSnaps),
    details: {
      structVersion: 0,
      lastChange: dump.last_change,
      snapSeq: dump.snap_seq,
      snapEpoch: dump.snap_epoch,
      snaps: new Map(dump.pool_snaps.map((snap) => [snap.snapid, snap])),
      removedSnaps,
      auid: dump.auid,
      quotaMaxBytes: dump.quota_max_bytes,
      quotaMaxObjects: dump.quota_max_objects,
      tiers: dump.tiers,
      tierOf: dump.tier_of,
      cacheMode: numberOf(CACHE_MODES, dump.cache_mode, 0),
      readTier: dump.read_tier,
      writeTier: dump.write_tier,
      properties: new Map(),
      hitSetParams: hitSetOfDump(dump.hit_set_params),
      hitSetPeriod: dump.hit_set_period,
      hitSetCount: dump.hit_set_count,
      stripeWidth: dump.stripe_width,
      targetMaxBytes: dump.target_max_bytes,
      targetMaxObjects: dump.target_max_objects,
      cacheTargetDirtyRatioMicro: dump.cache_target_dirty_ratio_micro,
      cacheTargetDirtyHighRatioMicro:
        dump.cache_target_dirty_high_ratio_micro ?? dump.cache_target_dirty_ratio_micro,
      cacheTargetFullRatioMicro: dump.cache_target_full_ratio_micro,
      cacheMinFlushAge: dump.cache_min_flush_age,
      cacheMinEvictAge: dump.cache_min_evict_age,
      erasureCodeProfile: dump.erasure_code_profile,
      lastForceOpResend: dump.last_force_op_resend,
      lastForceOpResendPrenautilus: dump.last_force_op_resend_prenautilus ?? preluminous,
      lastForceOpResendPreluminous: preluminous,
      minReadRecencyForPromote: dump.min_read_recency_for_promote,
      minWriteRecencyForPromote: dump.min_write_recency_for_promote,
      expectedNumObjects: dump.expected_num_objects,
      useGmtHitset: dump.use_gmt_hitset,
      fastRead: dump.fast_read,
      hitSetGradeDecayRate: dump.hit_set_grade_decay_rate,
      hitSetSearchLastN: dump.hit_set_search_last_n,
      opts: optionsOfDump(dump.options),
      applicationMetadata: dump.application_metadata,
      createTime: dump.create_time ?? NO_TIME,
      pgNumTarget: dump.pg_num_target ?? dump.pg_num,
      pgpNumTarget: dump.pg_placement_num_target ?? dump.pg_placement_num,
      pgNumPending: dump.pg_num_pending ?? dump.pg_num,
      pgAutoscaleMode:
        dump.pg_autoscale_mode === undefined
          ? AUTOSCALE_WARN
          : numberOf(AUTOSCALE_MODES, dump.pg_autoscale_mode, AUTOSCALE_UNKNOWN),
      lastPgMergeMeta:
        merge === undefined
          ? NO_MERGE
          : {
              sourcePgid: merge.source_pgid,
              readyEpoch: merge.ready_epoch,
              lastEpochStarted: merge.last_epoch_started,
              lastEpochClean: merge.last_epoch_clean,
              sourceVersion: merge.source_version,
              targetVersion: merge.target_version,
            },
      peeringCrushBucketCount: dump.peering_crush_bucket_count,
      peeringCrushBucketTarget: dump.peering_crush_bucket_target,
      peeringCrushBucketBarrier: dump.peering_crush_bucket_barrier,
      peeringCrushMandatoryMember: dump.peering_crush_bucket_mandatory_member,
      nonprimaryShards: dump.nonprimary_shards,
    },
  };
}

/** Position of a name in a list of names. */
function numberOf(names: readonly string[], name: string, otherwise: number): number {
  const index = names.indexOf(name);
  return index < 0 ? otherwise : index;
}

function hitSetOfDump(dump: v.InferOutput<typeof hitSet>): HitSetParams {
  const type = HIT_SET_TYPES.indexOf(dump.type);
  if (dump.type !== 'bloom') return { type };
  const fppMicro = Math.round(dump.false_positive_probability * 1_000_000);
  return { type, bloom: { fppMicro, targetSize: unsigned(dump.target_size), seed: unsigned(dump.seed) } };
}

/** Ceph prints these unsigned values through a signed integer. */
function unsigned(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

/** Options by number; one that a newer release added has no number here and is left out. */
function optionsOfDump(
  options: Readonly<Record<string, string | number>>,
): Map<number, string | bigint | number> {
  const out = new Map<number, string | bigint | number>();
  POOL_OPTIONS.forEach(([name, type], number) => {
    const value = Object.hasOwn(options, name) ? options[name] : undefined;
    if (value === undefined) return;
    out.set(number, type === 'integer' && Number.isInteger(value) ? BigInt(value) : value);
  });
  return out;
}
