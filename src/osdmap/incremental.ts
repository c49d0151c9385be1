/**
 * Follows a cluster from epoch to epoch: what an incremental does to an OSDMap. Follows `OSDMap::apply_incremental`
 * (Ceph's src/osd/OSDMap.cc).
 */
import { CrushError } from '../errors.ts';
import { UNKNOWN_POOL_NAME } from './blank.ts';
import type { OsdMapIncremental } from './incremental-model.ts';
import { applyToOsds } from './incremental-osds.ts';
import type { EntityAddr, Interval, OsdMap, OsdMapDetails, Pool, UTime } from './model.ts';
import { changePgTable } from './pg-tables.ts';
import { flagsOfRelease, isAtLeast, RELEASE_FLAG } from './release-flags.ts';
import { subtractIntervals, unionOfIntervals } from './snap-intervals.ts';

const JEWEL = 10;
const KRAKEN = 11;
const LUMINOUS = 12;

/**
 * The map of the next epoch. The map it got stays as it is, and shares with the new one what did not change.
 *
 * The checksum that the monitors give for the new map is in its `details.crc`; whether the new map has it, when it is
 * encoded again, is for `checkFullCrc` to say.
 *
 * @throws CrushError `bad-argument` for an incremental of another cluster or that does not follow on the map's epoch,
 * `malformed` for one that names OSDs beyond max_osd.
 * @example
 * ```ts
 * let map = readOsdMapBinary(await readFile('osdmap.100'));
 * for (const file of ['inc.101', 'inc.102']) map = applyIncremental(map, readIncremental(await readFile(file)));
 * ```
 */
export function applyIncremental(map: OsdMap, incremental: OsdMapIncremental): OsdMap {
  const { epoch, fsid } = incremental;
  if (epoch !== map.epoch + 1) {
    throw new CrushError(
      'bad-argument',
      `the incremental makes epoch ${epoch}, and the map is of epoch ${map.epoch}: ` +
        `apply the one of epoch ${map.epoch + 1}`,
    );
  }
  // Only with its first epoch a map becomes one of a cluster.
  if (epoch !== 1 && fsid.some((byte, i) => byte !== map.fsid[i])) {
    throw new CrushError('bad-argument', "the incremental is of another cluster: its fsid is not the map's");
  }
  const crc = incremental.fullCrc;
  if (incremental.fullMap !== undefined) {
    const { details } = incremental.fullMap;
    return { ...incremental.fullMap, details: { ...details, crc: crc ?? details.crc } };
  }
  const { flags, requireOsdRelease } = releaseAndFlags(map, incremental);
  const crush = incremental.crush ?? map.crush;
  const hasCrush = incremental.crush !== undefined;
  const osds = applyToOsds(map, incremental);
  const isEmpty = (osdsOfPg: readonly number[]): boolean => osdsOfPg.length === 0;
  return {
    ...map,
    ...osds.map,
    fsid: epoch === 1 ? fsid : map.fsid,
    epoch,
    modified: incremental.modified,
    flags,
    pools: applyToPools(map.pools, incremental),
    poolMax: incremental.newPoolMax ?? map.poolMax,
    pgTemp: changePgTable(map.pgTemp, incremental.newPgTemp, isEmpty),
    primaryTemp: changePgTable(map.primaryTemp, incremental.newPrimaryTemp, (osd) => osd === -1),
    pgUpmap: changePgTable(map.pgUpmap, incremental.newPgUpmap, undefined, incremental.oldPgUpmap),
    pgUpmapItems: changePgTable(
      map.pgUpmapItems,
      incremental.newPgUpmapItems,
      undefined,
      incremental.oldPgUpmapItems,
    ),
    pgUpmapPrimaries: changePgTable(
      map.pgUpmapPrimaries,
      incremental.newPgUpmapPrimaries,
      undefined,
      incremental.oldPgUpmapPrimaries,
    ),
    crush,
    // Before Luminous nobody counts the versions of the CRUSH map.
    crushVersion: map.crushVersion + (hasCrush && isAtLeast(requireOsdRelease, LUMINOUS) ? 1 : 0),
    erasureCodeProfiles: applyToProfiles(map, incremental),
    details: {
      ...map.details,
      ...osds.details,
      ...applyToDetails(map, incremental),
      crc,
      requireOsdRelease,
      deviceClassFlags: classFlags(map, incremental, hasCrush ? crush.classNames : undefined),
    },
  };
}

/** The flags, which say what release OSDs must have in old maps, and are said by it in new ones. */
function releaseAndFlags(
  map: OsdMap,
  { newFlags, newRequireOsdRelease }: OsdMapIncremental,
): { flags: number; requireOsdRelease: number } {
  let requireOsdRelease = map.details.requireOsdRelease;
  const flags = newFlags ?? map.flags;
  if (newFlags !== undefined) {
    const required =
      (flags & RELEASE_FLAG.requireKraken) !== 0
        ? KRAKEN
        : (flags & RELEASE_FLAG.requireJewel) !== 0
          ? JEWEL
          : 0;
    if (!isAtLeast(requireOsdRelease, required)) requireOsdRelease = required;
  }
  if (newRequireOsdRelease === undefined) return { flags, requireOsdRelease };
  return {
    flags: flagsOfRelease(flags, newRequireOsdRelease, true),
    requireOsdRelease: newRequireOsdRelease,
  };
}

function applyToPools(
  pools: ReadonlyMap<number, Pool>,
  { newPools, newPoolNames, oldPools, epoch }: OsdMapIncremental,
): ReadonlyMap<number, Pool> {
  if (newPools.size === 0 && newPoolNames.size === 0 && oldPools.length === 0) return pools;
  const out = new Map(pools);
  for (const [id, pool] of newPools) {
    const details = { ...pool.details, lastChange: epoch };
    out.set(id, { ...pool, details, name: pools.get(id)?.name ?? UNKNOWN_POOL_NAME });
  }
  for (const [id, name] of newPoolNames) {
    const pool = out.get(id);
    if (pool !== undefined) out.set(id, { ...pool, name });
  }
  for (const id of oldPools) out.delete(id);
  return new Map([...out].sort(([a], [b]) => a - b));
}

function applyToProfiles(
  { erasureCodeProfiles }: OsdMap,
  { newErasureCodeProfiles, oldErasureCodeProfiles }: OsdMapIncremental,
): OsdMap['erasureCodeProfiles'] {
  if (newErasureCodeProfiles.size === 0 && oldErasureCodeProfiles.length === 0) return erasureCodeProfiles;
  const out = new Map(erasureCodeProfiles);
  for (const name of oldErasureCodeProfiles) out.delete(name);
  for (const [name, profile] of newErasureCodeProfiles) out.set(name, profile);
  return new Map([...out].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What neither placement reads nor a vector of OSDs holds. */
function applyToDetails({ details }: OsdMap, incremental: OsdMapIncremental): Partial<OsdMapDetails> {
  const { epoch, clusterSnapshot, stretchMode } = incremental;
  return {
    newRemovedSnaps: incremental.newRemovedSnaps,
    newPurgedSnaps: incremental.newPurgedSnaps,
    removedSnapsQueue: snapsQueue(details.removedSnapsQueue, incremental),
    lastUpChange: laterTime(details.lastUpChange, incremental.newLastUpChange),
    lastInChange: laterTime(details.lastInChange, incremental.newLastInChange),
    blocklist: changeBlocklist(details.blocklist, incremental.newBlocklist, incremental.oldBlocklist),
    rangeBlocklist: changeBlocklist(
      details.rangeBlocklist,
      incremental.newRangeBlocklist,
      incremental.oldRangeBlocklist,
    ),
    // A snapshot is of the epoch that made it, and gone with the next.
    clusterSnapshot,
    clusterSnapshotEpoch: clusterSnapshot === '' ? 0 : epoch,
    nearfullRatio: incremental.newNearfullRatio ?? details.nearfullRatio,
    fullRatio: incremental.newFullRatio ?? details.fullRatio,
    backfillfullRatio: incremental.newBackfillfullRatio ?? details.backfillfullRatio,
    requireMinCompatClient: incremental.newRequireMinCompatClient ?? details.requireMinCompatClient,
    crushNodeFlags: changeFlags(details.crushNodeFlags, incremental.newCrushNodeFlags),
    allowCrimson: details.allowCrimson || incremental.allowsCrimson,
    ...(stretchMode === undefined
      ? {}
      : {
          stretchModeEnabled: stretchMode.enabled,
          stretchBucketCount: stretchMode.bucketCount,
          degradedStretchMode: stretchMode.degraded,
          recoveringStretchMode: stretchMode.recovering,
          stretchModeBucket: stretchMode.bucket,
        }),
  };
}

/** Removed snapshots wait in a queue until all OSDs have purged them. */
function snapsQueue(
  queue: ReadonlyMap<number, readonly Interval[]>,
  { newRemovedSnaps, newPurgedSnaps }: OsdMapIncremental,
): ReadonlyMap<number, readonly Interval[]> {
  if (newRemovedSnaps.size === 0 && newPurgedSnaps.size === 0) return queue;
  const out = new Map(queue);
  for (const [pool, removed] of newRemovedSnaps) {
    out.set(pool, unionOfIntervals(out.get(pool) ?? [], removed));
  }
  for (const [pool, purged] of newPurgedSnaps) {
    const left = subtractIntervals(out.get(pool) ?? [], purged);
    if (left.length > 0) out.set(pool, left);
    else out.delete(pool);
  }
  return new Map([...out].sort(([a], [b]) => a - b));
}

function laterTime(time: UTime, newTime: UTime | undefined): UTime {
  return newTime === undefined || (newTime.sec === 0 && newTime.nsec === 0) ? time : newTime;
}

function changeBlocklist(
  rows: OsdMapDetails['blocklist'],
  added: OsdMapDetails['blocklist'],
  ended: readonly EntityAddr[],
): OsdMapDetails['blocklist'] {
  if (added.length === 0 && ended.length === 0) return rows;
  const out = new Map(rows.map((row) => [addrKey(row[0]), row]));
  for (const row of added) {
    const key = addrKey(row[0]);
    // Who is blocked already stays so until the time that was said first.
    if (!out.has(key)) out.set(key, row);
  }
  for (const addr of ended) out.delete(addrKey(addr));
  return [...out.values()];
}

function addrKey({ type, nonce, family, port, address }: EntityAddr): string {
  return `${type} ${nonce} ${family} ${port} ${address.join('.')}`;
}

/** Flags keyed by numbers; 0 ends an entry. */
function changeFlags(
  flags: ReadonlyMap<number, number>,
  changes: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  if (changes.size === 0) return flags;
  const out = new Map(flags);
  for (const [key, value] of changes) {
    if (value === 0) out.delete(key);
    else out.set(key, value);
  }
  return new Map([...out].sort(([a], [b]) => a - b));
}

/** Flags of device classes; a new CRUSH map ends those of classes that it does not have. */
function classFlags(
  { details }: OsdMap,
  { newDeviceClassFlags }: OsdMapIncremental,
  classNames: ReadonlyMap<number, string> | undefined,
): ReadonlyMap<number, number> {
  const flags = changeFlags(details.deviceClassFlags, newDeviceClassFlags);
  if (classNames === undefined) return flags;
  return new Map([...flags].filter(([id]) => classNames.has(id)));
}
