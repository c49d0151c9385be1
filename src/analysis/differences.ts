/**
 * In what two OSDMaps differ, one thing after the other: what an operator would look for in two dumps. What of it
 * moves data, `compareMaps` tells.
 */
import { formatClusterFlags, formatOsdState, formatPoolFlags, formatUuid } from '../osdmap/ceph-format.ts';
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_IN,
  OSD_STATE,
  type OsdMap,
  type PgTable,
  type Pool,
  POOL_TYPE,
} from '../osdmap/model.ts';
import { formatPgId, setText } from '../osdmap/pg-text.ts';
import { addCrushDifferences } from './differences/crush.ts';
import {
  DIFFERENCE_KINDS,
  DifferenceList,
  fieldName,
  type MapDifference,
  plainText,
} from './differences/list.ts';

export { DIFFERENCE_KINDS, type DifferenceKind, type MapDifference } from './differences/list.ts';

/**
 * Lists what differs between two maps: settings of the map, pools, OSDs' states and weights, the CRUSH map, upmaps and
 * temps. Bookkeeping such as addresses, times and snapshots is left out.
 *
 * @example
 * ```ts
 * for (const { subject, property, before, after } of mapDifferences(old, now)) {
 *   console.log(`${subject}: ${property} was ${before ?? 'not there'}, is ${after ?? 'not there'}`);
 * }
 * ```
 */
export function mapDifferences(before: OsdMap, after: OsdMap): MapDifference[] {
  const list = new DifferenceList();
  addSettings(list, before, after);
  addPools(list, before, after);
  addOsds(list, before, after);
  addCrushDifferences(list, before.crush, after.crush);
  const set = (osds: readonly number[]): string => `[${setText(osds, ',')}]`;
  addTable(list, 'upmap', 'pg_upmap', before.pgUpmap, after.pgUpmap, set);
  addTable(list, 'upmap', 'pg_upmap_items', before.pgUpmapItems, after.pgUpmapItems, (pairs) =>
    pairs.map(([from, to]) => `${from}->${to}`).join(', '),
  );
  addTable(list, 'upmap', 'pg_upmap_primary', before.pgUpmapPrimaries, after.pgUpmapPrimaries, String);
  addTable(list, 'temp', 'pg_temp', before.pgTemp, after.pgTemp, set);
  addTable(list, 'temp', 'primary_temp', before.primaryTemp, after.primaryTemp, String);
  const order = new Map(DIFFERENCE_KINDS.map((kind, i) => [kind, i] as const));
  return list.found.sort((a, b) => (order.get(a.kind) ?? 0) - (order.get(b.kind) ?? 0));
}

function addSettings(list: DifferenceList, before: OsdMap, after: OsdMap): void {
  const subject = { kind: 'map', subject: 'OSDMap' } as const;
  const release = Number.POSITIVE_INFINITY;
  list.add(subject, 'fsid', formatUuid(before.fsid), formatUuid(after.fsid));
  list.add(subject, 'epoch', String(before.epoch), String(after.epoch));
  list.add(subject, 'max_osd', String(before.maxOsd), String(after.maxOsd));
  list.add(
    subject,
    'flags',
    formatClusterFlags(before.flags, release),
    formatClusterFlags(after.flags, release),
  );
  const names = new Set([...before.erasureCodeProfiles.keys(), ...after.erasureCodeProfiles.keys()]);
  for (const name of names) {
    const profile = { kind: 'pool', subject: `erasure code profile ${name}` } as const;
    const text = (map: OsdMap): string | undefined => plainText(map.erasureCodeProfiles.get(name));
    list.add(profile, 'profile', text(before), text(after));
  }
}

/** What of a pool's details people set, and what follows it. */
const POOL_DETAILS = [
  'erasureCodeProfile',
  'quotaMaxBytes',
  'quotaMaxObjects',
  'tierOf',
  'readTier',
  'writeTier',
  'cacheMode',
  'stripeWidth',
  'fastRead',
  'pgNumTarget',
  'pgpNumTarget',
  'pgAutoscaleMode',
  'nonprimaryShards',
  'opts',
  'applicationMetadata',
  'peeringCrushBucketCount',
  'peeringCrushBucketTarget',
  'peeringCrushBucketBarrier',
  'peeringCrushMandatoryMember',
] as const satisfies readonly (keyof Pool['details'])[];

function addPools(list: DifferenceList, before: OsdMap, after: OsdMap): void {
  const ids = new Set([...before.pools.keys(), ...after.pools.keys()]);
  for (const id of [...ids].sort((a, b) => a - b)) {
    const old = before.pools.get(id);
    const now = after.pools.get(id);
    const subject = { kind: 'pool', subject: `pool ${id} (${(now ?? old)?.name ?? ''})`, pool: id } as const;
    if (old === undefined || now === undefined) {
      list.add(subject, 'pool', old && poolText(before, old), now && poolText(after, now));
      continue;
    }
    list.add(subject, 'name', old.name, now.name);
    list.add(subject, 'type', poolType(old), poolType(now));
    for (const field of ['size', 'minSize', 'pgNum', 'pgpNum', 'objectHash'] as const) {
      list.add(subject, fieldName(field), String(old[field]), String(now[field]));
    }
    list.add(subject, 'crush_rule', ruleText(before, old), ruleText(after, now));
    const flags = ({ flags }: Pool): string => formatPoolFlags(flags, Number.POSITIVE_INFINITY);
    list.add(subject, 'flags', flags(old), flags(now));
    for (const field of POOL_DETAILS) {
      list.add(subject, fieldName(field), plainText(old.details[field]), plainText(now.details[field]));
    }
  }
}

function addOsds(list: DifferenceList, before: OsdMap, after: OsdMap): void {
  for (let osd = 0; osd < Math.max(before.maxOsd, after.maxOsd); osd++) {
    const subject = { kind: 'osd', subject: `osd.${osd}`, item: osd } as const;
    const had = exists(before, osd);
    const has = exists(after, osd);
    if (!had && !has) continue;
    if (!had || !has) {
      list.add(subject, 'osd', had ? osdText(before, osd) : undefined, has ? osdText(after, osd) : undefined);
      continue;
    }
    list.add(
      subject,
      'state',
      formatOsdState(before.osdState[osd] ?? 0),
      formatOsdState(after.osdState[osd] ?? 0),
    );
    list.add(subject, 'reweight', reweight(before, osd), reweight(after, osd));
    list.add(subject, 'primary_affinity', affinity(before, osd), affinity(after, osd));
  }
}

function addTable<T>(
  list: DifferenceList,
  kind: 'upmap' | 'temp',
  property: string,
  before: PgTable<T>,
  after: PgTable<T>,
  text: (value: T) => string,
): void {
  if (before === after) return;
  const pools = new Set([...before.keys(), ...after.keys()]);
  for (const pool of [...pools].sort((a, b) => a - b)) {
    const old = before.get(pool);
    const now = after.get(pool);
    const seeds = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
    for (const ps of [...seeds].sort((a, b) => a - b)) {
      const was = old?.get(ps);
      const is = now?.get(ps);
      list.add(
        { kind, subject: `PG ${formatPgId(pool, ps)}`, pool },
        property,
        was === undefined ? undefined : text(was),
        is === undefined ? undefined : text(is),
      );
    }
  }
}

function exists(map: OsdMap, osd: number): boolean {
  return ((map.osdState[osd] ?? 0) & OSD_STATE.exists) !== 0;
}

function osdText(map: OsdMap, osd: number): string {
  return `${formatOsdState(map.osdState[osd] ?? 0)}, reweight ${reweight(map, osd)}`;
}

function reweight(map: OsdMap, osd: number): string {
  const weight = map.osdWeight[osd] ?? 0;
  return weight === 0 ? '0 (out)' : (weight / OSD_IN).toFixed(5);
}

function affinity(map: OsdMap, osd: number): string {
  return ((map.osdPrimaryAffinity?.[osd] ?? DEFAULT_PRIMARY_AFFINITY) / DEFAULT_PRIMARY_AFFINITY).toFixed(5);
}

function poolType({ type }: Pool): string {
  return Object.entries(POOL_TYPE).find(([, number]) => number === type)?.[0] ?? String(type);
}

function poolText(map: OsdMap, pool: Pool): string {
  return `${poolType(pool)}, size ${pool.size}, pg_num ${pool.pgNum}, rule ${ruleText(map, pool)}`;
}

function ruleText({ crush }: OsdMap, { crushRule }: Pool): string {
  const name = crush.ruleNames.get(crushRule);
  return name === undefined ? String(crushRule) : `${crushRule} (${name})`;
}
