/** `osdmaptool --health`: what a map by itself says of a cluster's health. Follows `OSDMap::check_health` (Ceph's src/osd/OSDMap.cc). */
import { isShadow, itemName, typeName } from '../../crush/names.ts';
import { CACHE_MODES } from '../../formats/pool-names.ts';
import { OSD_STATE, type OsdMap, type Pool } from '../../osdmap/model.ts';
import { formatClusterFlags, formatOsdState } from '../../osdmap/ceph-format.ts';
import { minimumRequiredVersion } from '../crushtool/dump.ts';
import { JsonFormatter } from '../formatter/json.ts';
import { formatFloat } from '../iostream-format.ts';
import { checkOsds } from './health-osds.ts';
import { pendingRelease } from './pending-release.ts';

/** One thing that is not as it should be. */
export interface HealthCheck {
  readonly code: string;
  readonly severity: 'HEALTH_OK' | 'HEALTH_WARN' | 'HEALTH_ERR';
  readonly summary: string;
  readonly count: number;
  readonly detail: readonly string[];
}

/** Adds a check; the severity is that of a warning where none is given. */
export type AddCheck = (
  code: string,
  summary: string,
  count: number,
  detail?: readonly string[],
  severity?: HealthCheck['severity'],
) => void;

/** The checks of a map as JSON, in the order of their codes. */
export function healthJson(map: OsdMap, release: number): string {
  const checks: HealthCheck[] = [];
  const add: AddCheck = (code, summary, count, detail = [], severity = 'HEALTH_WARN') => {
    checks.push({ code, severity, summary, count, detail });
  };
  checkOsds(map, add);
  checkScrubFlags(map, add);
  checkRatios(map, add);
  checkFullOsds(map, add);
  checkFlags(map, release, add);
  checkCrush(map, add);
  checkPools(map, add);
  checkStretchMode(map, add);
  if ((map.flags & SORTBITWISE) === 0) {
    add('OSD_NO_SORTBITWISE', "'sortbitwise' flag is not set", 0);
  }
  const pending = pendingRelease(map, release);
  if (pending !== undefined) {
    const text = `all OSDs are running ${pending} or later but require_osd_release < ${pending}`;
    add('OSD_UPGRADE_FINISHED', text, 0, [text]);
  }
  checks.sort((a, b) => (a.code < b.code ? -1 : 1));
  const formatter = new JsonFormatter(true);
  formatter.openObject('checks');
  for (const { code, severity, summary, count, detail } of checks) {
    formatter.openObject(code);
    formatter.dumpString('severity', severity);
    formatter.openObject('summary');
    formatter.dumpString('message', summary);
    formatter.dumpInt('count', count);
    formatter.close();
    formatter.openArray('detail');
    for (const message of detail) {
      formatter.openObject('detail_item');
      formatter.dumpString('message', message);
      formatter.close();
    }
    formatter.close();
    formatter.close();
  }
  formatter.close();
  return formatter.text();
}

/** Pool flags (`pg_pool_t::FLAG_*`). */
const POOL = {
  full: 1n << 1n,
  noscrub: 1n << 8n,
  nodeepScrub: 1n << 9n,
  fullQuota: 1n << 10n,
  nearfull: 1n << 11n,
  backfillfull: 1n << 12n,
} as const;

function hasFlag(pool: Pool, flag: bigint): boolean {
  return (pool.flags & flag) !== 0n;
}

function checkScrubFlags({ pools }: OsdMap, add: AddCheck): void {
  const messages: string[] = [];
  const names = new Set<string>();
  for (const pool of pools.values()) {
    for (const [flag, name] of [
      [POOL.noscrub, 'noscrub'],
      [POOL.nodeepScrub, 'nodeep-scrub'],
    ] as const) {
      if (!hasFlag(pool, flag)) continue;
      messages.push(`Pool ${pool.name} has ${name} flag`);
      names.add(name);
    }
  }
  if (names.size === 0) return;
  const flags = ['noscrub', 'nodeep-scrub'].filter((name) => names.has(name)).join(', ');
  add('POOL_SCRUB_FLAGS', `Some pool(s) have the ${flags} flag(s) set`, 0, messages, 'HEALTH_OK');
}

/** How full an OSD stops, unless it is configured otherwise (`osd_failsafe_full_ratio`). */
const FAILSAFE_FULL_RATIO = Math.fround(0.97);

function checkRatios({ details }: OsdMap, add: AddCheck): void {
  const { nearfullRatio } = details;
  let { backfillfullRatio, fullRatio } = details;
  const detail: string[] = [];
  if (backfillfullRatio < nearfullRatio) {
    detail.push(
      `backfillfull_ratio (${formatFloat(backfillfullRatio)}) < nearfull_ratio (${formatFloat(nearfullRatio)}), increased`,
    );
    backfillfullRatio = nearfullRatio;
  }
  if (fullRatio < backfillfullRatio) {
    detail.push(
      `full_ratio (${formatFloat(fullRatio)}) < backfillfull_ratio (${formatFloat(backfillfullRatio)}), increased`,
    );
    fullRatio = backfillfullRatio;
  }
  if (FAILSAFE_FULL_RATIO < fullRatio) {
    detail.push(
      `osd_failsafe_full_ratio (${formatFloat(FAILSAFE_FULL_RATIO)}) < full_ratio (${formatFloat(fullRatio)}), increased`,
    );
  }
  if (detail.length > 0) add('OSD_OUT_OF_ORDER_FULL', 'full ratio(s) out of order', 0, detail, 'HEALTH_ERR');
}

function checkFullOsds({ osdState, osdWeight }: OsdMap, add: AddCheck): void {
  const upAndThere = OSD_STATE.exists | OSD_STATE.up;
  const levels = [
    { bit: OSD_STATE.full, code: 'OSD_FULL', name: 'full', severity: 'HEALTH_ERR' },
    { bit: OSD_STATE.backfillfull, code: 'OSD_BACKFILLFULL', name: 'backfillfull', severity: 'HEALTH_WARN' },
    { bit: OSD_STATE.nearfull, code: 'OSD_NEARFULL', name: 'nearfull', severity: 'HEALTH_WARN' },
  ] as const;
  const words = { full: 'full', backfillfull: 'backfill full', nearfull: 'near full' } as const;
  for (const { bit, code, name, severity } of levels) {
    const osds: number[] = [];
    osdState.forEach((state, osd) => {
      const isCounted = (state & upAndThere) === upAndThere && osdWeight[osd] !== 0;
      // Of several levels only the worst counts.
      if (isCounted && levels.find((level) => (state & level.bit) !== 0)?.bit === bit) osds.push(osd);
    });
    const detail = osds.map((osd) => `osd.${osd} is ${words[name]}`);
    if (osds.length > 0) add(code, `${osds.length} ${name} osd(s)`, osds.length, detail, severity);
  }
}

const SORTBITWISE = 1 << 15;
/** pauserd to notieragent, norebalance and nosnaptrim. */
const WARN_FLAGS = 0x3ffc | (1 << 14) | (1 << 21);

function checkFlags(map: OsdMap, release: number, add: AddCheck): void {
  const { crush, details } = map;
  const flags = formatClusterFlags(map.flags & WARN_FLAGS, release);
  // The count is the length of the text, as in Ceph.
  if (flags !== '') add('OSDMAP_FLAGS', `${flags} flag(s) set`, flags.length);
  const detail: string[] = [];
  const { noup, nodown, noin, noout } = OSD_STATE;
  map.osdState.forEach((state, osd) => {
    const set = state & (noup | nodown | noin | noout);
    if (set !== 0) detail.push(`osd.${osd} has flags ${formatOsdState(set)}`);
  });
  for (const [id, set] of details.crushNodeFlags) {
    if (set === 0 || !crush.itemNames.has(id)) continue;
    const type = id >= 0 ? 0 : (crush.buckets[-1 - id]?.type ?? 0);
    const kind = typeName(crush, type) ?? 'node';
    detail.push(`${kind} ${itemName(crush, id) ?? ''} has flags ${formatOsdState(set)}`);
  }
  for (const [id, set] of details.deviceClassFlags) {
    const name = crush.classNames.get(id);
    if (set === 0 || name === undefined) continue;
    detail.push(`device class '${name}' has flags ${formatOsdState(set)}`);
  }
  if (detail.length === 0) return;
  const things = 'OSDs or CRUSH {nodes, device-classes}';
  add(
    'OSD_FLAGS',
    `${detail.length} ${things} have {NOUP,NODOWN,NOIN,NOOUT} flags set`,
    detail.length,
    detail,
  );
}

/** The oldest release that tunables should ask of clients (`mon_crush_min_required_version`). */
const LEAST_VERSION = 'hammer';

function checkCrush({ crush }: OsdMap, add: AddCheck): void {
  const advice = ['see http://docs.ceph.com/en/latest/rados/operations/crush-map/#tunables'];
  const version = minimumRequiredVersion(crush);
  // Names are compared as text.
  if (version < LEAST_VERSION) {
    const text = `crush map has legacy tunables (require ${version}, min is ${LEAST_VERSION})`;
    add('OLD_CRUSH_TUNABLES', text, 0, advice);
  }
  if (crush.tunables.strawCalcVersion === 0) {
    add('OLD_CRUSH_STRAW_CALC_VERSION', 'crush map has straw_calc_version=0', 0, advice);
  }
}

/** Cache modes that need hit sets, by number. */
const HIT_SET_MODES = [1, 4, 5];

function checkPools({ pools }: OsdMap, add: AddCheck): void {
  const all = [...pools.values()];
  const check = (
    code: string,
    say: (count: number) => string,
    message: (pool: Pool) => string | undefined,
  ) => {
    const detail = all.map(message).filter((text) => text !== undefined);
    if (detail.length > 0) add(code, say(detail.length), detail.length, detail);
  };
  check(
    'CACHE_POOL_NO_HIT_SET',
    (count) => `${count} cache pools are missing hit_sets`,
    ({ name, details }) =>
      HIT_SET_MODES.includes(details.cacheMode) && details.hitSetParams.type === 0
        ? `pool '${name}' with cache_mode ${CACHE_MODES[details.cacheMode] ?? 'unknown'} ` +
          'needs hit_set_type to be set but it is not'
        : undefined,
  );
  const isFull = (pool: Pool): boolean => hasFlag(pool, POOL.full);
  const isBackfillfull = (pool: Pool): boolean => !isFull(pool) && hasFlag(pool, POOL.backfillfull);
  check(
    'POOL_FULL',
    (count) => `${count} pool(s) full`,
    (pool) => {
      if (!isFull(pool)) return undefined;
      return `pool '${pool.name}' is full (${hasFlag(pool, POOL.fullQuota) ? 'running out of quota' : 'no space'})`;
    },
  );
  check(
    'POOL_BACKFILLFULL',
    (count) => `${count} pool(s) backfillfull`,
    (pool) => (isBackfillfull(pool) ? `pool '${pool.name}' is backfillfull` : undefined),
  );
  check(
    'POOL_NEARFULL',
    (count) => `${count} pool(s) nearfull`,
    (pool) =>
      !isFull(pool) && !isBackfillfull(pool) && hasFlag(pool, POOL.nearfull)
        ? `pool '${pool.name}' is nearfull`
        : undefined,
  );
  check(
    'POOL_PG_NUM_NOT_POWER_OF_TWO',
    (count) => `${count} pool(s) have non-power-of-two pg_num`,
    ({ name, details: { pgNumTarget } }) =>
      pgNumTarget === 0 || (pgNumTarget & (pgNumTarget - 1)) !== 0
        ? `pool '${name}' pg_num ${pgNumTarget} is not a power of two`
        : undefined,
  );
  check(
    'POOL_NO_REDUNDANCY',
    (count) => `${count} pool(s) have no replicas configured`,
    ({ name, size }) => (size === 1 ? `pool '${name}' has no replicas configured` : undefined),
  );
}

function checkStretchMode({ crush, details }: OsdMap, add: AddCheck): void {
  const { recoveringStretchMode, degradedStretchMode, stretchBucketCount } = details;
  const what = `only requiring ${degradedStretchMode} of ${stretchBucketCount} buckets to peer`;
  if (recoveringStretchMode !== 0) {
    add('RECOVERING_STRETCH_MODE', `We are recovering stretch mode buckets, ${what}`, 0);
  } else if (degradedStretchMode !== 0) {
    add('DEGRADED_STRETCH_MODE', `We are missing stretch mode buckets, ${what}`, 0);
  }
  if (!details.stretchModeEnabled) return;
  // What is called a bucket here is the type of the two.
  const [first, second, ...more] = crush.buckets.filter(
    (bucket) => bucket?.type === details.stretchModeBucket && !isShadow(crush, bucket.id),
  );
  if (first === undefined || second === undefined || more.length > 0) {
    add('INCORRECT_NUM_BUCKETS_STRETCH_MODE', 'Stretch mode buckets != 2', 0);
  } else if (first.weight !== second.weight) {
    add('UNEVEN_WEIGHTS_STRETCH_MODE', 'Stretch mode buckets have different weights!', 0);
  }
}
