/** The names that Ceph prints for what a pool stores as numbers (`pg_pool_t`, `pool_opts_t`, `HitSet`). */

/** What values a pool option has (`pool_opts_t::type_t`). */
export type PoolOptionType = 'string' | 'integer' | 'double';

/** Pool options; the index is the number that a map stores (`pool_opts_t::key_t`). */
export const POOL_OPTIONS: readonly (readonly [name: string, type: PoolOptionType])[] = [
  ['scrub_min_interval', 'double'],
  ['scrub_max_interval', 'double'],
  ['deep_scrub_interval', 'double'],
  ['recovery_priority', 'integer'],
  ['recovery_op_priority', 'integer'],
  ['scrub_priority', 'integer'],
  ['compression_mode', 'string'],
  ['compression_algorithm', 'string'],
  ['compression_required_ratio', 'double'],
  ['compression_max_blob_size', 'integer'],
  ['compression_min_blob_size', 'integer'],
  ['csum_type', 'integer'],
  ['csum_max_block', 'integer'],
  ['csum_min_block', 'integer'],
  ['fingerprint_algorithm', 'string'],
  ['pg_num_min', 'integer'],
  ['target_size_bytes', 'integer'],
  ['target_size_ratio', 'double'],
  ['pg_autoscale_bias', 'double'],
  ['read_lease_interval', 'double'],
  ['dedup_tier', 'integer'],
  ['dedup_chunk_algorithm', 'string'],
  ['dedup_cdc_chunk_size', 'integer'],
  ['pg_num_max', 'integer'],
  ['read_ratio', 'integer'],
  ['pct_update_delay', 'integer'],
];

/** Cache modes by number (`cache_mode_t`). */
export const CACHE_MODES = [
  'none',
  'writeback',
  'forward',
  'readonly',
  'readforward',
  'readproxy',
  'proxy',
] as const;

/** Autoscale modes by number (`pg_autoscale_mode_t`); other numbers are printed as `???`. */
export const AUTOSCALE_MODES = ['off', 'warn', 'on'] as const;

/** The number of an autoscale mode that is not one of {@link AUTOSCALE_MODES}. */
export const AUTOSCALE_UNKNOWN = 255;

/** Hit set types by number (`HitSet::impl_type_t`). */
export const HIT_SET_TYPES = ['none', 'explicit_hash', 'explicit_object', 'bloom'] as const;
