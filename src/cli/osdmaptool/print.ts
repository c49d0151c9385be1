/** What `osdmaptool --print` prints (`OSDMap::print`). */
import { RELEASE_NAMES } from '../../formats/releases.ts';
import { minCompatClient } from '../../osdmap/compat.ts';
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_STATE,
  POOL_TYPE,
  type OsdInfo,
  type OsdMap,
  type PgTable,
  type Pool,
} from '../../osdmap/model.ts';
import { PgMapper } from '../../osdmap/pg-mapper.ts';
import { readBalance } from '../../osdmap/read-balance.ts';
import {
  formatAddr,
  formatAddrVec,
  formatClusterFlags,
  formatIntervals,
  formatOsdState,
  formatTime,
  formatUuid,
} from '../../osdmap/ceph-format.ts';
import { formatFloat, formatVector, formatWeight } from '../iostream-format.ts';
import { formatPgId } from '../../osdmap/pg-text.ts';
import type { TextSink } from '../io.ts';
import { formatPool } from '../pool-print.ts';
import { inHashOrder } from './blocklist-order.ts';
import { NEWEST_RELEASE, PACIFIC } from '../release-option.ts';

/** The first release that scores the primaries of pools. */
const REEF = 18;

/** Prints a map as a Ceph release does. */
export function printOsdMap(map: OsdMap, release: number, sink: TextSink): void {
  printSummary(map, release, sink);
  printPools(map, release, sink);
  sink.add(`max_osd ${map.maxOsd}\n`);
  for (let osd = 0; osd < map.maxOsd; osd++) {
    if (((map.osdState[osd] ?? 0) & OSD_STATE.exists) !== 0) printOsd(map, osd, sink);
  }
  sink.add('\n');
  printTable('pg_upmap', map.pgUpmap, formatVector, sink);
  const formatPairs = (pairs: readonly (readonly [number, number])[]): string =>
    `[${pairs.map(([from, to]) => `${from}->${to}`).join(',')}]`;
  printTable('pg_upmap_items', map.pgUpmapItems, formatPairs, sink);
  if (release > PACIFIC) printTable('pg_upmap_primary', map.pgUpmapPrimaries, String, sink);
  printTable('pg_temp', map.pgTemp, formatVector, sink);
  printTable('primary_temp', map.primaryTemp, String, sink);
  for (const [addr, until] of inHashOrder(map.details.blocklist)) {
    sink.add(`blocklist ${formatAddr(addr)} expires ${formatTime(until)}\n`);
  }
  if (release <= PACIFIC) return;
  for (const [addr, until] of map.details.rangeBlocklist) {
    sink.add(`range blocklist ${formatAddr(addr)} expires ${formatTime(until)}\n`);
  }
}

function printSummary(map: OsdMap, release: number, sink: TextSink): void {
  const { details } = map;
  const releaseName = (number: number): string =>
    (number <= release || release === NEWEST_RELEASE ? RELEASE_NAMES[number] : undefined) ?? 'unknown';
  sink.add(`epoch ${map.epoch}\nfsid ${formatUuid(map.fsid)}\n`);
  sink.add(`created ${formatTime(map.created)}\nmodified ${formatTime(map.modified)}\n`);
  sink.add(`flags ${formatClusterFlags(map.flags, release)}\n`);
  sink.add(`crush_version ${map.crushVersion}\n`);
  sink.add(`full_ratio ${formatFloat(details.fullRatio)}\n`);
  sink.add(`backfillfull_ratio ${formatFloat(details.backfillfullRatio)}\n`);
  sink.add(`nearfull_ratio ${formatFloat(details.nearfullRatio)}\n`);
  if (details.requireMinCompatClient !== 0) {
    sink.add(`require_min_compat_client ${releaseName(details.requireMinCompatClient)}\n`);
  }
  sink.add(`min_compat_client ${minCompatClient(map, release)}\n`);
  if (details.requireOsdRelease > 0) {
    sink.add(`require_osd_release ${releaseName(details.requireOsdRelease)}\n`);
  }
  sink.add(`stretch_mode_enabled ${details.stretchModeEnabled}\n`);
  if (details.stretchModeEnabled) {
    sink.add(`stretch_bucket_count ${details.stretchBucketCount}\n`);
    sink.add(`degraded_stretch_mode ${details.degradedStretchMode}\n`);
    sink.add(`recovering_stretch_mode ${details.recoveringStretchMode}\n`);
    sink.add(`stretch_mode_bucket ${details.stretchModeBucket}\n`);
  }
  if (details.clusterSnapshot !== '') sink.add(`cluster_snapshot ${details.clusterSnapshot}\n`);
  if (release > PACIFIC && details.allowCrimson) sink.add('allow_crimson=true\n');
  sink.add('\n');
}

function printPools(map: OsdMap, release: number, sink: TextSink): void {
  const mapper = release >= REEF && map.pools.size > 0 ? new PgMapper(map, { release }) : undefined;
  for (const pool of map.pools.values()) {
    sink.add(`pool ${pool.id} '${pool.name}' ${formatPool(pool, release)}`);
    if (mapper === undefined || pool.type !== POOL_TYPE.replicated) sink.add('\n');
    else printReadBalance(mapper, pool, sink);
    for (const snap of pool.details.snaps.values()) {
      sink.add(`\tsnap ${snap.snapid.toString(16)} '${snap.name}' ${formatTime(snap.stamp)}\n`);
    }
    const removed = pool.details.removedSnaps;
    if (removed.length > 0) sink.add(`\tremoved_snaps ${formatIntervals(removed)}\n`);
    const queue = map.details.removedSnapsQueue.get(pool.id);
    if (queue !== undefined) sink.add(`\tremoved_snaps_queue ${formatIntervals(queue)}\n`);
  }
  sink.add('\n');
}

function printReadBalance(mapper: PgMapper, pool: Pool, sink: TextSink): void {
  const { score, message } = readBalance(mapper, pool);
  sink.add(score === undefined ? '\n' : ` read_balance_score ${score.toFixed(2)}\n`);
  if (message !== '') sink.add(`${score === undefined ? ' ERROR' : ' Warning'}: ${message}\n`);
}

/** What Ceph knows of an OSD that a map has no record of. */
const NO_INFO: OsdInfo = { lastCleanBegin: 0, lastCleanEnd: 0, upFrom: 0, upThru: 0, downAt: 0, lostAt: 0 };

function printOsd(map: OsdMap, osd: number, sink: TextSink): void {
  const { details } = map;
  const state = map.osdState[osd] ?? 0;
  const weight = map.osdWeight[osd] ?? 0;
  const affinity = map.osdPrimaryAffinity?.[osd] ?? DEFAULT_PRIMARY_AFFINITY;
  const info = details.osdInfo[osd] ?? NO_INFO;
  sink.add(`osd.${osd}${(state & OSD_STATE.up) === 0 ? ' down' : ' up  '}${weight === 0 ? ' out' : ' in '}`);
  sink.add(` weight ${formatWeight(weight)}`);
  if (affinity !== DEFAULT_PRIMARY_AFFINITY) sink.add(` primary_affinity ${formatWeight(affinity)}`);
  sink.add(` up_from ${info.upFrom} up_thru ${info.upThru} down_at ${info.downAt}`);
  sink.add(` last_clean_interval [${info.lastCleanBegin},${info.lastCleanEnd})`);
  if (info.lostAt !== 0) sink.add(` lost_at ${info.lostAt}`);
  const client = formatAddrVec(details.clientAddrs[osd] ?? []);
  const cluster = formatAddrVec(details.clusterAddrs[osd] ?? []);
  sink.add(` ${client} ${cluster} ${formatOsdState(state)}`);
  const uuid = details.osdUuid[osd];
  if (uuid?.some((byte) => byte !== 0) === true) sink.add(` ${formatUuid(uuid)}`);
  sink.add('\n');
}

function printTable<T>(name: string, table: PgTable<T>, format: (value: T) => string, sink: TextSink): void {
  for (const [pool, pgs] of table) {
    for (const [ps, value] of pgs) sink.add(`${name} ${formatPgId(pool, ps)} ${format(value)}\n`);
  }
}
