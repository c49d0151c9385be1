/**
 * Reads an OSDMap from JSON: `ceph osd dump -f json` and `osdmaptool --dump json` (which have no CRUSH map in
 * them), and `ceph report` (which has). All are `OSDMap::dump`, of old and new releases.
 *
 * The dump leaves out OSDs that do not exist. They get weight 0 here, which is what `ceph osd out` leaves; a binary
 * map also tells of one that was removed while it was in.
 */
import * as v from 'valibot';
import { mapKind } from '../crush/kind.ts';
import type { CrushMap } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import { NO_TIME } from '../osdmap/blank.ts';
import type { OsdMap, Pool } from '../osdmap/model.ts';
import { readCrushDump, type ReadCrushDumpOptions } from './crushmap-json.ts';
import { checkShape, demandParsed, int32, jsonPath, word } from './json-input.ts';
import { assembleOsdMap, checkMaxOsd, type Refuse } from './osdmap-assemble.ts';

import {
  blocklist,
  flag,
  pgOsdPairs,
  pgOsds,
  pgPrimaries,
  pgPrimaryTemps,
  single,
  snapTable,
  textTables,
  time,
  uuid,
} from './osdmap-json-shapes.ts';
import { osdShape, osdVectors, stateBits, xinfoShape } from './osd-json.ts';
import { buildPgTable } from './pg-table.ts';
import { poolOfDump, poolShape } from './pool-json.ts';
import { releaseByName } from './releases.ts';

const stateNames = v.record(v.string(), v.array(v.string()));

const dumpShape = v.object({
  epoch: word,
  fsid: uuid,
  created: time,
  modified: time,
  last_up_change: v.optional(time),
  last_in_change: v.optional(time),
  flags: v.optional(v.string(), ''),
  flags_num: v.optional(word),
  crush_version: v.optional(word, 1),
  full_ratio: v.optional(single, 0),
  backfillfull_ratio: v.optional(single, 0),
  nearfull_ratio: v.optional(single, 0),
  cluster_snapshot: v.optional(v.string(), ''),
  pool_max: v.optional(int32, 0),
  max_osd: int32,
  require_min_compat_client: v.optional(v.string(), ''),
  require_osd_release: v.optional(v.string(), ''),
  allow_crimson: v.optional(flag, false),
  pools: v.array(poolShape),
  osds: v.array(osdShape),
  osd_xinfo: v.optional(v.array(xinfoShape), []),
  pg_upmap: v.optional(pgOsds, []),
  pg_upmap_items: v.optional(pgOsdPairs, []),
  pg_upmap_primaries: v.optional(pgPrimaries, []),
  pg_temp: v.optional(pgOsds, []),
  primary_temp: v.optional(pgPrimaryTemps, []),
  blocklist: v.optional(blocklist),
  /** What releases before Pacific call the blocklist. */
  blacklist: v.optional(blocklist),
  range_blocklist: v.optional(blocklist, {}),
  erasure_code_profiles: v.optional(textTables, {}),
  removed_snaps_queue: v.optional(snapTable, []),
  new_removed_snaps: v.optional(snapTable, []),
  new_purged_snaps: v.optional(snapTable, []),
  crush_node_flags: v.optional(stateNames, {}),
  device_class_flags: v.optional(stateNames, {}),
  stretch_mode: v.optional(
    v.object({
      stretch_mode_enabled: flag,
      stretch_bucket_count: word,
      degraded_stretch_mode: word,
      recovering_stretch_mode: word,
      stretch_mode_bucket: int32,
    }),
  ),
});

type Dump = v.InferOutput<typeof dumpShape>;

/** Cluster flags by the names that `OSDMap::get_flag_string` gives them. */
const FLAG_BITS: Readonly<Record<string, number>> = {
  nearfull: 0,
  full: 1,
  pauserd: 2,
  pausewr: 3,
  pauserec: 4,
  noup: 5,
  nodown: 6,
  noout: 7,
  noin: 8,
  nobackfill: 9,
  norecover: 10,
  noscrub: 11,
  'nodeep-scrub': 12,
  notieragent: 13,
  norebalance: 14,
  sortbitwise: 15,
  require_jewel_osds: 16,
  require_kraken_osds: 17,
  require_luminous_osds: 18,
  recovery_deletes: 19,
  purged_snapdirs: 20,
  nosnaptrim: 21,
  pglog_hardlimit: 22,
  noautoscale: 23,
};

/** How to read a dump. */
export interface ReadOsdMapJsonOptions {
  /** What errors call the dump (default `osd dump`). */
  readonly what?: string;
}

/**
 * Reads the JSON of `ceph osd dump -f json` or `osdmaptool --dump json`.
 *
 * @param osdDump - the parsed JSON.
 * @param crush - the CRUSH map of the same time, from `ceph osd crush dump` or `ceph osd getcrushmap`.
 * @throws CrushError `malformed`, with the path of the value that does not fit; `bad-argument` for JSON that is not
 * parsed and for want of a CRUSH map.
 * @example
 * ```ts
 * const crush = readCrushDump(JSON.parse(crushDumpText));
 * const map = readOsdMapJson(JSON.parse(osdDumpText), crush);
 * ```
 */
export function readOsdMapJson(
  osdDump: unknown,
  crush: CrushMap,
  options: ReadOsdMapJsonOptions = {},
): OsdMap {
  demandParsed(osdDump, 'readOsdMapJson');
  if (mapKind(crush) !== 'CRUSH map') {
    throw new CrushError(
      'bad-argument',
      'readOsdMapJson takes the CRUSH map as its second argument: what readCrushDump or readCrushBinary returns',
    );
  }
  const what = options.what ?? 'osd dump';
  const dump = checkShape(dumpShape, osdDump, what);
  const refuse: Refuse = (field, reason) => new CrushError('malformed', reason, { path: `${what}.${field}` });
  checkMaxOsd(dump.max_osd, refuse);
  const osds = osdVectors(dump, what);
  const stretch = dump.stretch_mode;
  const table = <T>(name: string, rows: Parameters<typeof buildPgTable<T>>[0]) =>
    buildPgTable(rows, (reason) => {
      throw refuse(name, reason);
    });
  return assembleOsdMap(
    'json',
    undefined,
    {
      version: 0,
      fsid: dump.fsid,
      epoch: dump.epoch,
      created: dump.created,
      modified: dump.modified,
      pools: poolsOf(dump, what),
      poolMax: BigInt(dump.pool_max),
      flags: 0,
      maxOsd: dump.max_osd,
      osdState: osds.state,
      osdWeight: osds.weight,
      clientAddrs: osds.clientAddrs,
      pgTemp: table('pg_temp', dump.pg_temp),
      primaryTemp: table('primary_temp', dump.primary_temp),
      osdPrimaryAffinity: osds.primaryAffinity,
      crush,
      erasureCodeProfiles: dump.erasure_code_profiles,
      pgUpmap: table('pg_upmap', dump.pg_upmap),
      pgUpmapItems: table('pg_upmap_items', dump.pg_upmap_items),
      crushVersion: dump.crush_version,
      newRemovedSnaps: dump.new_removed_snaps,
      newPurgedSnaps: dump.new_purged_snaps,
      lastUpChange: dump.last_up_change ?? NO_TIME,
      lastInChange: dump.last_in_change ?? NO_TIME,
      pgUpmapPrimaries: table('pg_upmap_primaries', dump.pg_upmap_primaries),
    },
    {
      version: 0,
      flags: dump.flags_num ?? flagsOfNames(dump.flags),
      hbBackAddrs: osds.hbBackAddrs,
      osdInfo: osds.info,
      blocklist: dump.blocklist ?? dump.blacklist ?? [],
      clusterAddrs: osds.clusterAddrs,
      // Ceph prints the snapshot only in the epoch that made it.
      clusterSnapshotEpoch: dump.cluster_snapshot === '' ? 0 : dump.epoch,
      clusterSnapshot: dump.cluster_snapshot,
      osdUuid: osds.uuid,
      osdXInfo: osds.xinfo,
      hbFrontAddrs: osds.hbFrontAddrs,
      nearfullRatio: dump.nearfull_ratio,
      fullRatio: dump.full_ratio,
      backfillfullRatio: dump.backfillfull_ratio,
      requireMinCompatClient: releaseByName(dump.require_min_compat_client),
      requireOsdRelease: releaseByName(dump.require_osd_release),
      removedSnapsQueue: dump.removed_snaps_queue,
      crushNodeFlags: stateTable(dump.crush_node_flags, crush.itemNames),
      deviceClassFlags: stateTable(dump.device_class_flags, crush.classNames),
      stretchModeEnabled: stretch?.stretch_mode_enabled ?? false,
      stretchBucketCount: stretch?.stretch_bucket_count ?? 0,
      degradedStretchMode: stretch?.degraded_stretch_mode ?? 0,
      recoveringStretchMode: stretch?.recovering_stretch_mode ?? 0,
      stretchModeBucket: stretch?.stretch_mode_bucket ?? 0,
      rangeBlocklist: dump.range_blocklist,
      allowCrimson: dump.allow_crimson,
    },
    refuse,
  );
}

/**
 * Reads the JSON of `ceph report`.
 *
 * @param options - `onNote` is told what the CRUSH map's JSON leaves open.
 * @throws CrushError `malformed`, with the path of the value that does not fit.
 */
export function readReportJson(report: unknown, options: Pick<ReadCrushDumpOptions, 'onNote'> = {}): OsdMap {
  demandParsed(report, 'readReportJson');
  const { osdmap, crushmap } = checkShape(reportShape, report, 'report');
  const crush = readCrushDump(crushmap, { ...options, what: 'report.crushmap' });
  return readOsdMapJson(osdmap, crush, { what: 'report.osdmap' });
}

const reportShape = v.object({
  osdmap: v.record(v.string(), v.unknown()),
  crushmap: v.record(v.string(), v.unknown()),
});

function poolsOf(dump: Dump, what: string): Map<number, Pool> {
  const pools = new Map<number, Pool>();
  const inOrder = dump.pools
    .map((pool, index) => ({ pool, index }))
    .sort((a, b) => a.pool.pool - b.pool.pool);
  for (const { pool, index } of inOrder) {
    if (pools.has(pool.pool)) {
      throw new CrushError('malformed', `pool ${pool.pool} is there twice`, {
        path: jsonPath(what, 'pools', index),
      });
    }
    pools.set(pool.pool, poolOfDump(pool));
  }
  return pools;
}

/** Flags by name; names that a newer release added are left out. */
function flagsOfNames(names: string): number {
  return names.split(',').reduce((flags, name) => {
    const bit = Object.hasOwn(FLAG_BITS, name) ? FLAG_BITS[name] : undefined;
    return bit === undefined ? flags : flags | (1 << bit);
  }, 0);
}

/** A table keyed by the name of a bucket or class, as one keyed by its number. */
function stateTable(
  dump: v.InferOutput<typeof stateNames>,
  names: ReadonlyMap<number, string>,
): Map<number, number> {
  const numbers = new Map([...names].map(([number, name]) => [name, number]));
  const table = new Map<number, number>();
  for (const [name, states] of Object.entries(dump)) {
    // What has no name any more is shown by its number.
    const number = numbers.get(name) ?? (/^-?\d+$/.test(name) ? Number(name) : undefined);
    if (number !== undefined) table.set(number, stateBits(states));
  }
  return table;
}
