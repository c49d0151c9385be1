/** What two readers of one OSDMap must agree on. */
import type { OsdMap, PgTable, UTime } from '../src/osdmap/model.ts';

/** The part of an OSDMap that placement reads, as plain data; weights of OSDs that do not exist are left out. */
export function placementOf(map: OsdMap): unknown {
  const exists = (osd: number) => ((map.osdState[osd] ?? 0) & 1) !== 0;
  return {
    fsid: [...map.fsid],
    epoch: map.epoch,
    flags: map.flags,
    pools: [...map.pools.values()].map(({ details, ...pool }) => ({
      ...pool,
      nonprimaryShards: details.nonprimaryShards,
    })),
    poolMax: map.poolMax,
    maxOsd: map.maxOsd,
    osdState: [...map.osdState],
    osdWeight: [...map.osdWeight].map((weight, osd) => (exists(osd) ? weight : undefined)),
    osdPrimaryAffinity: affinities(map).map((affinity, osd) => (exists(osd) ? affinity : undefined)),
    pgTemp: rows(map.pgTemp),
    primaryTemp: rows(map.primaryTemp),
    pgUpmap: rows(map.pgUpmap),
    pgUpmapItems: rows(map.pgUpmapItems),
    pgUpmapPrimaries: rows(map.pgUpmapPrimaries),
    crushVersion: map.crushVersion,
    erasureCodeProfiles: map.erasureCodeProfiles,
  };
}

/**
 * The rest, as far as JSON tells it: times to the microsecond, 64-bit numbers as doubles, nothing of OSDs that do
 * not exist, nothing of the encoding, releases only where the release that printed knew them.
 */
export function detailsOf(map: OsdMap, newestRelease: number): unknown {
  const { details } = map;
  const existing = <T>(list: readonly T[]) => list.filter((_, osd) => ((map.osdState[osd] ?? 0) & 1) !== 0);
  const release = (number: number) => (number > newestRelease ? 0 : number);
  return {
    created: toMicroseconds(map.created),
    modified: toMicroseconds(map.modified),
    pools: [...map.pools.values()].map(({ details: pool }) => ({
      ...pool,
      structVersion: 0,
      createTime: toMicroseconds(pool.createTime),
      snaps: [...pool.snaps.values()].map((snap) => ({ ...snap, stamp: toMicroseconds(snap.stamp) })),
      auid: Number(pool.auid),
      opts: [...pool.opts].map(([key, value]) => [key, Number(value)]),
      properties: 0,
    })),
    newRemovedSnaps: details.newRemovedSnaps,
    newPurgedSnaps: details.newPurgedSnaps,
    lastUpChange: toMicroseconds(details.lastUpChange),
    lastInChange: toMicroseconds(details.lastInChange),
    clientAddrs: existing(details.clientAddrs),
    clusterAddrs: existing(details.clusterAddrs),
    hbBackAddrs: existing(details.hbBackAddrs),
    hbFrontAddrs: existing(details.hbFrontAddrs),
    osdInfo: existing(details.osdInfo),
    osdXInfo: existing(details.osdXInfo).map((xinfo) => ({
      ...xinfo,
      features: Number(xinfo.features),
      downStamp: toMicroseconds(xinfo.downStamp),
      lastPurgedSnapsScrub: toMicroseconds(xinfo.lastPurgedSnapsScrub),
    })),
    osdUuid: existing(details.osdUuid).map((uuid) => [...uuid]),
    blocklist: details.blocklist.map(([addr, until]) => [addr, toMicroseconds(until)]),
    rangeBlocklist: details.rangeBlocklist.map(([addr, until]) => [addr, toMicroseconds(until)]),
    // Ceph shows the snapshot only in the epoch that made it.
    clusterSnapshot: details.clusterSnapshotEpoch === map.epoch ? details.clusterSnapshot : '',
    nearfullRatio: details.nearfullRatio,
    fullRatio: details.fullRatio,
    backfillfullRatio: details.backfillfullRatio,
    requireMinCompatClient: release(details.requireMinCompatClient),
    requireOsdRelease: release(details.requireOsdRelease),
    removedSnapsQueue: details.removedSnapsQueue,
    crushNodeFlags: details.crushNodeFlags,
    deviceClassFlags: details.deviceClassFlags,
    stretchModeEnabled: details.stretchModeEnabled,
    stretchBucketCount: details.stretchBucketCount,
    degradedStretchMode: details.degradedStretchMode,
    recoveringStretchMode: details.recoveringStretchMode,
    stretchModeBucket: details.stretchModeBucket,
    allowCrimson: details.allowCrimson,
  };
}

function affinities(map: OsdMap): number[] {
  return [...(map.osdPrimaryAffinity ?? new Uint32Array(map.maxOsd).fill(0x10000))];
}

function rows<T>(table: PgTable<T>): unknown[] {
  return [...table].flatMap(([pool, seeds]) => [...seeds].map(([ps, value]) => [pool, ps, value]));
}

function toMicroseconds({ sec, nsec }: UTime): UTime {
  return { sec, nsec: Math.floor(nsec / 1000) * 1000 };
}
