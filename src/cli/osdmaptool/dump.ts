/** `osdmaptool --dump FORMAT`: the map as structured data. Follows `OSDMap::dump` (Ceph's src/osd/OSDMap.cc). */
import { itemName } from '../../crush/names.ts';
import { RELEASE, RELEASE_NAMES } from '../../formats/releases.ts';
import { NO_OSD_INFO, NO_OSD_XINFO, NO_UUID } from '../../osdmap/blank.ts';
import { minCompatClient } from '../../osdmap/compat.ts';
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_STATE,
  type EntityAddr,
  type EntityAddrVec,
  type Interval,
  type OsdMap,
  type PgTable,
  type UTime,
} from '../../osdmap/model.ts';
import { PgMapper } from '../../osdmap/pg-mapper.ts';
import { pgRows } from '../../osdmap/pg-tables.ts';
import {
  ADDR_TYPE_NAMES,
  formatAddr,
  formatClusterFlags,
  formatOsdState,
  formatSocket,
  formatTime,
  formatUuid,
} from '../../osdmap/ceph-format.ts';
import { createFormatter, type Formatter } from '../formatter/formatter.ts';
import { formatPgId } from '../../osdmap/pg-text.ts';
import { NEWEST_RELEASE } from '../release-option.ts';
import { inHashOrder } from './blocklist-order.ts';
import { dumpPool } from './dump-pool.ts';

/** The map in a format, as a release dumps it; JSON where the format is none. */
export function dumpOsdMap(map: OsdMap, format: string, release: number): string {
  const formatter = createFormatter(format, 'json');
  formatter.openObject('osdmap');
  dumpSummary(map, release, formatter);
  const hasBalance = release >= RELEASE.reef && map.pools.size > 0;
  const mapper = hasBalance ? new PgMapper(map, { release }) : undefined;
  array(formatter, 'pools', map.pools.values(), (pool) => dumpPool(pool, release, mapper, formatter));
  dumpOsds(map, formatter);
  dumpPgTables(map, release, formatter);
  dumpBlocklist('blocklist', inHashOrder(map.details.blocklist), formatter);
  // In Pacific only the last of its updates have it, 16.2.15 among them.
  dumpBlocklist('range_blocklist', map.details.rangeBlocklist, formatter);
  object(formatter, 'erasure_code_profiles', () => {
    for (const [name, profile] of map.erasureCodeProfiles) {
      object(formatter, name, () => {
        for (const [key, value] of profile) formatter.dumpString(key, value);
      });
    }
  });
  dumpSnaps('removed_snaps_queue', map.details.removedSnapsQueue, formatter);
  dumpSnaps('new_removed_snaps', map.details.newRemovedSnaps, formatter);
  dumpSnaps('new_purged_snaps', map.details.newPurgedSnaps, formatter);
  dumpNodeFlags(map, formatter);
  dumpStretchMode(map, formatter);
  formatter.close();
  return formatter.text();
}

function dumpSummary(map: OsdMap, release: number, formatter: Formatter): void {
  const { details } = map;
  const releaseName = (number: number): string =>
    (number <= release || release === NEWEST_RELEASE ? RELEASE_NAMES[number] : undefined) ?? 'unknown';
  const flags = formatClusterFlags(map.flags, release);
  formatter.dumpInt('epoch', map.epoch);
  formatter.dumpString('fsid', formatUuid(map.fsid));
  formatter.dumpString('created', formatTime(map.created));
  formatter.dumpString('modified', formatTime(map.modified));
  formatter.dumpString('last_up_change', formatTime(details.lastUpChange));
  formatter.dumpString('last_in_change', formatTime(details.lastInChange));
  formatter.dumpString('flags', flags);
  formatter.dumpInt('flags_num', map.flags);
  array(formatter, 'flags_set', flagSet(map.flags, release), (flag) => formatter.dumpString('flag', flag));
  formatter.dumpInt('crush_version', map.crushVersion);
  formatter.dumpFloat('full_ratio', details.fullRatio);
  formatter.dumpFloat('backfillfull_ratio', details.backfillfullRatio);
  formatter.dumpFloat('nearfull_ratio', details.nearfullRatio);
  formatter.dumpString(
    'cluster_snapshot',
    details.clusterSnapshotEpoch === map.epoch ? details.clusterSnapshot : '',
  );
  formatter.dumpInt('pool_max', map.poolMax);
  formatter.dumpInt('max_osd', map.maxOsd);
  formatter.dumpString('require_min_compat_client', releaseName(details.requireMinCompatClient));
  formatter.dumpString('min_compat_client', minCompatClient(map, release));
  formatter.dumpString('require_osd_release', releaseName(details.requireOsdRelease));
  if (release >= RELEASE.quincy) formatter.dumpBool('allow_crimson', details.allowCrimson);
}

/** Names of flags, sorted; one that has none is an empty name (`OSDMap::get_flag_set`). */
function flagSet(flags: number, release: number): string[] {
  const names = new Set<string>();
  for (let bit = 0; bit < 32; bit++) {
    if (((flags >>> bit) & 1) === 1) names.add(formatClusterFlags((1 << bit) >>> 0, release));
  }
  return [...names].sort();
}

function dumpOsds(map: OsdMap, formatter: Formatter): void {
  const { details } = map;
  const existing: number[] = [];
  map.osdState.forEach((state, osd) => {
    if ((state & OSD_STATE.exists) !== 0) existing.push(osd);
  });
  array(formatter, 'osds', existing, (osd) => dumpOsd(map, osd, formatter));
  array(formatter, 'osd_xinfo', existing, (osd) => {
    const xinfo = details.osdXInfo[osd] ?? NO_OSD_XINFO;
    object(formatter, 'xinfo', () => {
      formatter.dumpInt('osd', osd);
      formatter.dumpString('down_stamp', formatTime(xinfo.downStamp));
      formatter.dumpFloat('laggy_probability', xinfo.laggyProbability);
      formatter.dumpInt('laggy_interval', xinfo.laggyInterval | 0);
      formatter.dumpInt('features', BigInt.asIntN(64, xinfo.features));
      formatter.dumpInt('old_weight', xinfo.oldWeight);
      formatter.dumpString('last_purged_snaps_scrub', formatTime(xinfo.lastPurgedSnapsScrub));
      formatter.dumpInt('dead_epoch', xinfo.deadEpoch);
    });
  });
}

function dumpOsd(map: OsdMap, osd: number, formatter: Formatter): void {
  const { details } = map;
  const state = map.osdState[osd] ?? 0;
  const weight = map.osdWeight[osd] ?? 0;
  const info = details.osdInfo[osd] ?? NO_OSD_INFO;
  const affinity = map.osdPrimaryAffinity?.[osd] ?? DEFAULT_PRIMARY_AFFINITY;
  const endpoints = [
    ['public', details.clientAddrs[osd] ?? []],
    ['cluster', details.clusterAddrs[osd] ?? []],
    ['heartbeat_back', details.hbBackAddrs[osd] ?? []],
    ['heartbeat_front', details.hbFrontAddrs[osd] ?? []],
  ] as const;
  object(formatter, 'osd_info', () => {
    formatter.dumpInt('osd', osd);
    formatter.dumpString('uuid', formatUuid(details.osdUuid[osd] ?? NO_UUID));
    formatter.dumpInt('up', (state & OSD_STATE.up) === 0 ? 0 : 1);
    formatter.dumpInt('in', weight === 0 ? 0 : 1);
    formatter.dumpFloat('weight', Math.fround(weight) / 0x10000);
    formatter.dumpFloat('primary_affinity', Math.fround(affinity) / 0x10000);
    formatter.dumpInt('last_clean_begin', info.lastCleanBegin);
    formatter.dumpInt('last_clean_end', info.lastCleanEnd);
    formatter.dumpInt('up_from', info.upFrom);
    formatter.dumpInt('up_thru', info.upThru);
    formatter.dumpInt('down_at', info.downAt);
    formatter.dumpInt('lost_at', info.lostAt);
    for (const [name, addrs] of endpoints) dumpAddrs(`${name}_addrs`, addrs, formatter);
    for (const [name, addrs] of endpoints) formatter.dumpString(`${name}_addr`, legacyText(addrs));
    dumpNames('state', 'state', formatOsdState(state), formatter);
  });
}

function dumpAddrs(name: string, addrs: EntityAddrVec, formatter: Formatter): void {
  object(formatter, name, () => {
    array(formatter, 'addrvec', addrs, ({ type, family, port, address, nonce }) => {
      object(formatter, 'addr', () => {
        formatter.dumpString('type', ADDR_TYPE_NAMES[type] ?? '???');
        formatter.dumpString('addr', formatSocket(family, port, address));
        formatter.dumpInt('nonce', nonce);
      });
    });
  });
}

/** The legacy endpoint of a daemon, or else its first, as before Nautilus. */
function legacyText(addrs: EntityAddrVec): string {
  const addr = addrs.find(({ type }) => type === 1) ?? addrs[0];
  if (addr === undefined) return '(unrecognized address family 0)/0';
  return `${formatSocket(addr.family, addr.port, addr.address)}/${addr.nonce}`;
}

function dumpPgTables(map: OsdMap, release: number, formatter: Formatter): void {
  dumpOsdSets('pg_upmap', 'mapping', map.pgUpmap, formatter);
  array(formatter, 'pg_upmap_items', pgRows(map.pgUpmapItems), ([{ pool, ps }, pairs]) => {
    object(formatter, 'mapping', () => {
      formatter.dumpString('pgid', formatPgId(pool, ps));
      array(formatter, 'mappings', pairs, ([from, to]) => {
        object(formatter, 'mapping', () => {
          formatter.dumpInt('from', from);
          formatter.dumpInt('to', to);
        });
      });
    });
  });
  if (release >= RELEASE.reef) {
    array(formatter, 'pg_upmap_primaries', pgRows(map.pgUpmapPrimaries), ([{ pool, ps }, osd]) => {
      object(formatter, 'primary_mapping', () => {
        formatter.dumpString('pgid', formatPgId(pool, ps));
        formatter.dumpInt('primary_osd', osd);
      });
    });
  }
  dumpOsdSets('pg_temp', 'osds', map.pgTemp, formatter);
  array(formatter, 'primary_temp', pgRows(map.primaryTemp), ([{ pool, ps }, osd]) => {
    formatter.dumpString('pgid', formatPgId(pool, ps));
    formatter.dumpInt('osd', osd);
  });
}

function dumpOsdSets(
  name: string,
  row: string,
  table: PgTable<readonly number[]>,
  formatter: Formatter,
): void {
  array(formatter, name, pgRows(table), ([{ pool, ps }, osds]) => {
    object(formatter, row, () => {
      formatter.dumpString('pgid', formatPgId(pool, ps));
      array(formatter, 'osds', osds, (osd) => formatter.dumpInt('osd', osd));
    });
  });
}

function dumpBlocklist(
  name: string,
  rows: readonly (readonly [EntityAddr, UTime])[],
  formatter: Formatter,
): void {
  object(formatter, name, () => {
    for (const [addr, until] of rows) formatter.dumpString(formatAddr(addr), formatTime(until));
  });
}

function dumpSnaps(
  name: string,
  table: ReadonlyMap<number, readonly Interval[]>,
  formatter: Formatter,
): void {
  array(formatter, name, table, ([pool, intervals]) => {
    object(formatter, 'pool', () => {
      formatter.dumpInt('pool', pool);
      array(formatter, 'snaps', intervals, ({ start, length }) => {
        object(formatter, 'interval', () => {
          formatter.dumpInt('begin', start);
          formatter.dumpInt('length', length);
        });
      });
    });
  });
}

function dumpNodeFlags({ crush, details }: OsdMap, formatter: Formatter): void {
  object(formatter, 'crush_node_flags', () => {
    for (const [id, flags] of details.crushNodeFlags) {
      dumpNames(itemName(crush, id) ?? String(id), 'flag', formatOsdState(flags), formatter);
    }
  });
  object(formatter, 'device_class_flags', () => {
    for (const [id, flags] of details.deviceClassFlags) {
      dumpNames(crush.classNames.get(id) ?? String(id), 'flag', formatOsdState(flags), formatter);
    }
  });
}

function dumpStretchMode({ details }: OsdMap, formatter: Formatter): void {
  object(formatter, 'stretch_mode', () => {
    formatter.dumpBool('stretch_mode_enabled', details.stretchModeEnabled);
    formatter.dumpInt('stretch_bucket_count', details.stretchBucketCount);
    formatter.dumpInt('degraded_stretch_mode', details.degradedStretchMode);
    formatter.dumpInt('recovering_stretch_mode', details.recoveringStretchMode);
    formatter.dumpInt('stretch_mode_bucket', details.stretchModeBucket);
  });
}

/** Names that stand in one text with commas between, as an array. */
function dumpNames(name: string, each: string, text: string, formatter: Formatter): void {
  array(formatter, name, text === '' ? [] : text.split(','), (word) => formatter.dumpString(each, word));
}

function object(formatter: Formatter, name: string, dump: () => void): void {
  formatter.openObject(name);
  dump();
  formatter.close();
}

function array<T>(formatter: Formatter, name: string, items: Iterable<T>, dump: (item: T) => void): void {
  formatter.openArray(name);
  for (const item of items) dump(item);
  formatter.close();
}
