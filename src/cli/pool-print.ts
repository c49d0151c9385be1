/** The line of a pool in `osdmaptool --print` (`operator<<` of `pg_pool_t`). */
import {
  AUTOSCALE_MODES,
  AUTOSCALE_UNKNOWN,
  CACHE_MODES,
  HIT_SET_TYPES,
  POOL_OPTIONS,
} from '../formats/pool-names.ts';
import { OBJECT_HASH, POOL_TYPE, type HitSetParams, type Pool } from '../osdmap/model.ts';
import { formatPoolFlags, poolTypeName } from '../osdmap/ceph-format.ts';
import { formatDouble } from './iostream-format.ts';

const HASH_NAMES: Readonly<Record<number, string>> = {
  [OBJECT_HASH.linux]: 'linux',
  [OBJECT_HASH.rjenkins]: 'rjenkins',
};

/** How many of {@link POOL_OPTIONS} Pacific knows: all up to pg_num_max. */
const PACIFIC_POOL_OPTIONS = 24;

/** Everything about a pool after its id and name. */
export function formatPool(pool: Pool, release: number): string {
  const { details } = pool;
  const words: string[] = [poolTypeName(pool)];
  const add = (name: string, value: unknown): void => void words.push(`${name} ${String(value)}`);
  const addIf = (condition: unknown, name: string, value: unknown): void => {
    if (condition !== false && condition !== 0 && condition !== 0n) add(name, value);
  };

  if (pool.type === POOL_TYPE.erasure) add('profile', details.erasureCodeProfile);
  add('size', pool.size);
  add('min_size', pool.minSize);
  add('crush_rule', pool.crushRule);
  add('object_hash', HASH_NAMES[pool.objectHash] ?? 'unknown');
  add('pg_num', pool.pgNum);
  add('pgp_num', pool.pgpNum);
  addIf(details.pgNumTarget !== pool.pgNum, 'pg_num_target', details.pgNumTarget);
  addIf(details.pgpNumTarget !== pool.pgpNum, 'pgp_num_target', details.pgpNumTarget);
  addIf(details.pgNumPending !== pool.pgNum, 'pg_num_pending', details.pgNumPending);
  const { pgAutoscaleMode } = details;
  addIf(pgAutoscaleMode !== AUTOSCALE_UNKNOWN, 'autoscale_mode', AUTOSCALE_MODES[pgAutoscaleMode] ?? '???');
  add('last_change', details.lastChange);
  const resend = [
    details.lastForceOpResend,
    details.lastForceOpResendPrenautilus,
    details.lastForceOpResendPreluminous,
  ];
  addIf(resend.some(Boolean), 'lfor', resend.join('/'));
  addIf(details.auid, 'owner', details.auid);
  addIf(pool.flags, 'flags', formatPoolFlags(pool.flags, release));
  addIf(details.quotaMaxBytes, 'max_bytes', details.quotaMaxBytes);
  addIf(details.quotaMaxObjects, 'max_objects', details.quotaMaxObjects);
  addIf(details.tiers.length, 'tiers', details.tiers.join(','));
  addIf(details.tierOf >= 0n, 'tier_of', details.tierOf);
  addIf(details.readTier >= 0n, 'read_tier', details.readTier);
  addIf(details.writeTier >= 0n, 'write_tier', details.writeTier);
  addIf(details.cacheMode, 'cache_mode', CACHE_MODES[details.cacheMode] ?? 'unknown');
  addIf(details.targetMaxBytes, 'target_bytes', details.targetMaxBytes);
  addIf(details.targetMaxObjects, 'target_objects', details.targetMaxObjects);
  if (details.hitSetParams.type !== 0) {
    add('hit_set', `${formatHitSet(details.hitSetParams)} ${details.hitSetPeriod}s x${details.hitSetCount}`);
    add('decay_rate', details.hitSetGradeDecayRate);
    add('search_last_n', details.hitSetSearchLastN);
  }
  addIf(details.minReadRecencyForPromote, 'min_read_recency_for_promote', details.minReadRecencyForPromote);
  addIf(
    details.minWriteRecencyForPromote,
    'min_write_recency_for_promote',
    details.minWriteRecencyForPromote,
  );
  add('stripe_width', details.stripeWidth);
  addIf(details.expectedNumObjects, 'expected_num_objects', details.expectedNumObjects);
  addIf(details.fastRead, 'fast_read', 1);
  words.push(...formatOptions(pool, release));
  addIf(details.applicationMetadata.size, 'application', [...details.applicationMetadata.keys()].join(','));
  return words.join(' ');
}

/** How many of {@link POOL_OPTIONS} a release knows. */
export function knownPoolOptions(release: number): number {
  return release <= 16 ? PACIFIC_POOL_OPTIONS : POOL_OPTIONS.length;
}

/** The options that are set, in the order of their names. */
function formatOptions({ details }: Pool, release: number): string[] {
  const known = knownPoolOptions(release);
  const words: string[] = [];
  for (const [key, value] of details.opts) {
    const option = POOL_OPTIONS[key];
    if (option === undefined || key >= known) continue;
    words.push(`${option[0]} ${typeof value === 'number' ? formatDouble(value) : String(value)}`);
  }
  return words.sort();
}

function formatHitSet({ type, bloom }: HitSetParams): string {
  const name = HIT_SET_TYPES[type] ?? '???';
  if (bloom === undefined) return `${name}{}`;
  const probability = formatDouble(bloom.fppMicro / 1_000_000);
  return `${name}{false_positive_probability: ${probability}, target_size: ${bloom.targetSize}, seed: ${bloom.seed}}`;
}
