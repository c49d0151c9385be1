/** The options of Ceph's metadata balancer, by Ceph's names and with its defaults (Ceph's src/common/options/mds.yaml.in). */
import { CrushError } from '../errors.ts';

/** Values of the options, as `ceph config get mds` would give them. */
export interface MdsOptions {
  /** Half-life of the popularity counters, in seconds. */
  readonly mds_decay_halflife: number;
  /** Seconds between looks at what is due: pins, and whether to send heartbeats. */
  readonly mds_tick_interval: number;
  /** Bytes of metadata that are exported at once; more goes in several parts. */
  readonly mds_max_export_size: number;
  /** Seconds between heartbeats of rank 0; 0 and below stop them. */
  readonly mds_bal_interval: number;
  /** Seconds between the samples that replication of directories goes by. */
  readonly mds_bal_sample_interval: number;
  /** How the load of a rank is reckoned: 0 of popularity and requests, 1 of requests, 2 of CPU time. */
  readonly mds_bal_mode: number;
  /** By how much of the target a rank must be above it to be overloaded. */
  readonly mds_bal_min_rebalance: number;
  /** Beats that a rank must have been overloaded before it acts (an option in newer releases, fixed before). */
  readonly mds_bal_overload_epochs: number;
  /** Part of what was to be sent below which the rest is not looked for. */
  readonly mds_bal_min_start: number;
  /** A directory is taken alone above this part of what is needed; enough has been found above it. */
  readonly mds_bal_need_min: number;
  /** A directory is taken alone below this part of what is needed. */
  readonly mds_bal_need_max: number;
  /** Directories below this part of what is needed are taken only after bigger ones have been descended into. */
  readonly mds_bal_midchunk: number;
  /** Directories below this part of what is needed are never taken. */
  readonly mds_bal_minchunk: number;
  /** Imported subtrees below this load go back; 0 keeps them. */
  readonly mds_bal_idle_threshold: number;
  /** Heartbeats until the balancer stops; -1 never does. */
  readonly mds_bal_max: number;
  /** Uptime in seconds above which heartbeats go on although `mds_bal_max` are spent; -1 for never. */
  readonly mds_bal_max_until: number;
  /** Read popularity from which on a directory is replicated on all ranks. */
  readonly mds_bal_replicate_threshold: number;
  /** Read popularity below which a replicated directory is not replicated any more. */
  readonly mds_bal_unreplicate_threshold: number;
  /** Entries of a fragment above which it is split; 0 and below for never. */
  readonly mds_bal_split_size: number;
  /** Read popularity above which a fragment is split. */
  readonly mds_bal_split_rd: number;
  /** Write popularity above which a fragment is split. */
  readonly mds_bal_split_wr: number;
  /** A split makes two to this power fragments of one. */
  readonly mds_bal_split_bits: number;
  /** Entries of a fragment below which it is merged with its sibling. */
  readonly mds_bal_merge_size: number;
  /** Whether fragments are split and merged. */
  readonly mds_bal_fragment_dirs: boolean;
  /** Seconds that a split or merge waits. */
  readonly mds_bal_fragment_interval: number;
  /** Multiple of `mds_bal_split_size` above which a split does not wait. */
  readonly mds_bal_fragment_fast_factor: number;
  /** Entries of a fragment above which new ones are refused. */
  readonly mds_bal_fragment_size_max: number;
  /** Whether pins of all kinds count. */
  readonly mds_bal_export_pin: boolean;
  /** Whether distributed ephemeral pins count. */
  readonly mds_export_ephemeral_distributed: boolean;
  /** Fragments of a directory with a distributed pin, as a multiple of max_mds. */
  readonly mds_export_ephemeral_distributed_factor: number;
  /** Whether random ephemeral pins count. */
  readonly mds_export_ephemeral_random: boolean;
  /** Most probability of a random ephemeral pin. */
  readonly mds_export_ephemeral_random_max: number;
}

/** What Ceph takes where nothing is configured. */
export const DEFAULT_MDS_OPTIONS: MdsOptions = {
  mds_decay_halflife: 5,
  mds_tick_interval: 5,
  mds_max_export_size: 20 * 1024 * 1024,
  mds_bal_interval: 10,
  mds_bal_sample_interval: 3,
  mds_bal_mode: 0,
  mds_bal_min_rebalance: 0.1,
  mds_bal_overload_epochs: 2,
  mds_bal_min_start: 0.2,
  mds_bal_need_min: 0.8,
  mds_bal_need_max: 1.2,
  mds_bal_midchunk: 0.3,
  mds_bal_minchunk: 0.001,
  mds_bal_idle_threshold: 0,
  mds_bal_max: -1,
  mds_bal_max_until: -1,
  mds_bal_replicate_threshold: 8000,
  mds_bal_unreplicate_threshold: 0,
  mds_bal_split_size: 10000,
  mds_bal_split_rd: 25000,
  mds_bal_split_wr: 10000,
  mds_bal_split_bits: 3,
  mds_bal_merge_size: 50,
  mds_bal_fragment_dirs: true,
  mds_bal_fragment_interval: 5,
  mds_bal_fragment_fast_factor: 1.5,
  mds_bal_fragment_size_max: 100000,
  mds_bal_export_pin: true,
  mds_export_ephemeral_distributed: true,
  mds_export_ephemeral_distributed_factor: 2,
  mds_export_ephemeral_random: true,
  mds_export_ephemeral_random_max: 0.01,
};

/** Bounds that Ceph, or arithmetic, sets to an option. */
const BOUNDS: Readonly<Partial<Record<keyof MdsOptions, readonly [number, number]>>> = {
  mds_decay_halflife: [Number.MIN_VALUE, Number.MAX_VALUE],
  mds_tick_interval: [0.1, 1e6],
  mds_max_export_size: [1, Number.MAX_SAFE_INTEGER],
  mds_bal_mode: [0, 2],
  mds_bal_split_bits: [1, 24],
  mds_export_ephemeral_distributed_factor: [1, 100],
  mds_export_ephemeral_random_max: [0, 1],
};

/** Options that Ceph holds as whole numbers. */
const WHOLE: ReadonlySet<string> = new Set([
  'mds_max_export_size',
  'mds_bal_interval',
  'mds_bal_mode',
  'mds_bal_overload_epochs',
  'mds_bal_max',
  'mds_bal_max_until',
  'mds_bal_split_size',
  'mds_bal_split_bits',
  'mds_bal_merge_size',
  'mds_bal_fragment_interval',
  'mds_bal_fragment_size_max',
]);

/**
 * Reads options given as text.
 *
 * @param settings - pairs such as `mds_bal_mode=1`; later ones win
 * @throws CrushError `bad-argument` for a name that is not known or a value that does not fit
 *
 * @example
 * ```ts
 * readMdsOptions(['mds_bal_min_rebalance=0.5']).mds_bal_min_rebalance; // 0.5
 * ```
 */
export function readMdsOptions(settings: readonly string[]): MdsOptions {
  const values: Record<string, number | boolean> = { ...DEFAULT_MDS_OPTIONS };
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    const name = equals < 0 ? setting : setting.slice(0, equals);
    if (equals < 0) throw wrong(setting, 'is not of the form name=value');
    if (!Object.hasOwn(DEFAULT_MDS_OPTIONS, name)) {
      throw wrong(
        name,
        `is no option of the balancer; these are: ${Object.keys(DEFAULT_MDS_OPTIONS).join(', ')}`,
      );
    }
    values[name] = readValue(name as keyof MdsOptions, setting.slice(equals + 1));
  }
  return values as unknown as MdsOptions;
}

function readValue(name: keyof MdsOptions, text: string): number | boolean {
  if (typeof DEFAULT_MDS_OPTIONS[name] === 'boolean') {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
    throw wrong(name, `is true or false, not '${text}'`);
  }
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw wrong(name, `is a number, not '${text}'`);
  if (WHOLE.has(name) && !Number.isInteger(value)) throw wrong(name, `is a whole number, not '${text}'`);
  const [least, most] = BOUNDS[name] ?? [-Number.MAX_VALUE, Number.MAX_VALUE];
  if (value < least || value > most) {
    throw wrong(name, name === 'mds_decay_halflife' ? 'is above 0' : `is ${least} to ${most}, not ${text}`);
  }
  return value;
}

function wrong(name: string, what: string): CrushError {
  return new CrushError('bad-argument', `${name} ${what}`);
}
