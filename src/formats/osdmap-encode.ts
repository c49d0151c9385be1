/**
 * Writes binary OSDMaps: the bytes that osdmaptool and OSDs read, with the CRUSH map inside and
 * the checksum right. Follows `OSDMap::encode` (Ceph's src/osd/OSDMap.cc).
 */
import { CrushError } from '../errors.ts';
import { UNKNOWN_POOL_NAME } from '../osdmap/blank.ts';
import type { EntityAddrVec, OsdMap } from '../osdmap/model.ts';
import { BinaryWriter } from './binary-writer.ts';
import { crc32c } from './crc32c.ts';
import { writeCrushBinary } from './crushmap-encode.ts';
import {
  ascending,
  writeAddrVecs,
  writeBlocklist,
  writeLegacyAddrs,
  writeOsdInfos,
  writeOsdPairs,
  writeOsds,
  writeOsdXInfos,
  writePgTable,
  writeSnapTable,
  writeTextTables,
  writeUTime,
} from './osdmap-encode-parts.ts';
import { formOfRelease, OLDEST_WRITTEN_RELEASE, type OsdMapForm, usesMsr } from './osdmap-versions.ts';
import { writePool } from './pool-encode.ts';
import { NEWEST_RELEASE, RELEASE } from './releases.ts';

/** Options of {@link writeOsdMapBinary}. */
export interface WriteOsdMapOptions {
  /**
   * The number of the Ceph release whose form is written, 12 (Luminous) to 20 (Tentacle); a reader must be at least
   * of that release, or forgive what is newer. Default: the oldest from 16 (Pacific) on that holds all that the map
   * has.
   */
  readonly release?: number;
}

/**
 * The bytes of an OSDMap, its checksum with them. What {@link OsdMap} holds is written; what it does not hold gets
 * what Ceph writes for "nothing": the flow label and scope of IPv6 endpoints 0, the counts of "localized" PGs and the
 * crash replay interval of pools 0. Names of pools that had none are left out, and so are the settings of stretch mode
 * where it is off. A map read from a file of the same
 * release gives the bytes of that file.
 *
 * @throws CrushError `bad-argument` for a release that is not known, `unsupported` for one whose form cannot hold
 * what the map has.
 * @example
 * ```ts
 * await writeFile('osdmap.new', writeOsdMapBinary({ ...map, epoch: map.epoch + 1 }));
 * ```
 */
export function writeOsdMapBinary(map: OsdMap, options: WriteOsdMapOptions = {}): Uint8Array {
  const { release = releaseFor(map) } = options;
  if (!Number.isInteger(release) || release < OLDEST_WRITTEN_RELEASE || release > NEWEST_RELEASE) {
    throw new CrushError(
      'bad-argument',
      `release ${release} is not within ${OLDEST_WRITTEN_RELEASE}..${NEWEST_RELEASE}`,
    );
  }
  const missing = beyondRelease(map, release);
  if (missing !== undefined) {
    throw new CrushError(
      'unsupported',
      `the map has ${missing.what}, which maps before release ${missing.since} cannot hold; ` +
        `write it for release ${missing.since} or newer`,
    );
  }
  return encodeOsdMap(map, formOfRelease(map, release));
}

/** The bytes of an OSDMap in a form that holds it. */
export function encodeOsdMap(map: OsdMap, form: OsdMapForm): Uint8Array {
  const writer = new BinaryWriter();
  writer.struct(8, 7, (wrapper) => {
    wrapper.struct(form.clientVersion, 1, (client) => writeClientSection(client, map, form));
    wrapper.struct(form.osdVersion, 1, (osd) => writeOsdSection(osd, map, form));
    wrapper.u32(0);
  });
  // The checksum is the last word, over all before it.
  const { bytes } = writer;
  const at = bytes.length - 4;
  new DataView(bytes.buffer).setUint32(at, crc32c(-1, bytes.subarray(0, at)), true);
  return bytes;
}

/** The oldest release from Pacific on that holds a map. */
function releaseFor(map: OsdMap): number {
  let release = RELEASE.pacific;
  for (let more = beyondRelease(map, release); more !== undefined; more = beyondRelease(map, release)) {
    release = more.since;
  }
  return release;
}

/** What a map has that maps of a release cannot hold, and the first that can. */
function beyondRelease(map: OsdMap, release: number): { what: string; since: number } | undefined {
  const { details, crush } = map;
  const pools = [...map.pools.values()];
  const needs: [what: string, since: number, has: boolean][] = [
    ['stretch mode', RELEASE.pacific, details.stretchModeEnabled],
    ['a stretch pool', RELEASE.pacific, pools.some((pool) => pool.details.peeringCrushBucketCount !== 0)],
    ['blocked ranges', RELEASE.quincy, details.rangeBlocklist.length > 0],
    ['allow_crimson', RELEASE.quincy, details.allowCrimson],
    ['pg_upmap_primary', RELEASE.reef, map.pgUpmapPrimaries.size > 0],
    ['MSR rules or tunables', RELEASE.squid, usesMsr(crush)],
    [
      'shards that are never primary',
      RELEASE.tentacle,
      pools.some((pool) => pool.details.nonprimaryShards !== 0n),
    ],
  ];
  const [what, since] = needs.find(([, first, has]) => has && first > release) ?? [];
  return what === undefined || since === undefined ? undefined : { what, since };
}

function writeClientSection(writer: BinaryWriter, map: OsdMap, form: OsdMapForm): void {
  const { details } = map;
  const version = form.clientVersion;
  const pools = ascending(map.pools);
  writer.raw(map.fsid).u32(map.epoch);
  writeUTime(writer, map.created);
  writeUTime(writer, map.modified);
  writer.list(pools, ([id, pool]) => writePool(writer.u64(id), pool, form.poolVersion(pool)));
  const named = pools.filter(([, { name }]) => name !== UNKNOWN_POOL_NAME);
  writer.list(named, ([id, { name }]) => writer.u64(id).string(name));
  writer.u32(Number(map.poolMax)).u32(map.flags).u32(map.maxOsd);
  writeWords(writer, map.osdState);
  writeWords(writer, map.osdWeight);
  writeAddrs(writer, details.clientAddrs, form);
  writePgTable(writer, map.pgTemp, (osds) => writeOsds(writer, osds));
  writePgTable(writer, map.primaryTemp, (osd) => writer.u32(osd));
  writeWords(writer, map.osdPrimaryAffinity ?? new Uint32Array(0));
  writer.buffer(writeCrushBinary(map.crush, { release: form.crushRelease }));
  writeTextTables(writer, map.erasureCodeProfiles);
  writePgTable(writer, map.pgUpmap, (osds) => writeOsds(writer, osds));
  writePgTable(writer, map.pgUpmapItems, (pairs) => writeOsdPairs(writer, pairs));
  writer.u32(map.crushVersion);
  if (version >= 7) {
    writeSnapTable(writer, details.newRemovedSnaps);
    writeSnapTable(writer, details.newPurgedSnaps);
  }
  if (version >= 9) {
    writeUTime(writer, details.lastUpChange);
    writeUTime(writer, details.lastInChange);
  }
  if (version >= 10) writePgTable(writer, map.pgUpmapPrimaries, (osd) => writer.u32(osd));
}

function writeOsdSection(writer: BinaryWriter, { details }: OsdMap, form: OsdMapForm): void {
  const version = form.osdVersion;
  writeAddrs(writer, details.hbBackAddrs, form);
  writeOsdInfos(writer, details.osdInfo);
  writeBlocklist(writer, details.blocklist, form.hasSingleAddrs);
  writeAddrs(writer, details.clusterAddrs, form);
  writer.u32(details.clusterSnapshotEpoch).string(details.clusterSnapshot);
  writer.list(details.osdUuid, (uuid) => writer.raw(uuid));
  writeOsdXInfos(writer, details.osdXInfo, form.xinfoVersion);
  writeAddrs(writer, details.hbFrontAddrs, form);
  writer.f32(details.nearfullRatio).f32(details.fullRatio).f32(details.backfillfullRatio);
  writer.u8(details.requireMinCompatClient).u8(details.requireOsdRelease);
  if (version >= 6) writeSnapTable(writer, details.removedSnapsQueue);
  if (version >= 8) writer.map(details.crushNodeFlags, (flags) => writer.u32(flags));
  if (version >= 9) writer.map(details.deviceClassFlags, (flags) => writer.u32(flags));
  if (version >= 10) {
    writer.bool(details.stretchModeEnabled).u32(details.stretchBucketCount);
    writer.u32(details.degradedStretchMode).u32(details.recoveringStretchMode).u32(details.stretchModeBucket);
  }
  if (version >= 11) writeBlocklist(writer, details.rangeBlocklist);
  if (version >= 12) writer.bool(details.allowCrimson);
}

function writeAddrs(writer: BinaryWriter, addrs: readonly EntityAddrVec[], form: OsdMapForm): void {
  if (form.hasSingleAddrs) writeLegacyAddrs(writer, addrs);
  else writeAddrVecs(writer, addrs);
}

function writeWords(writer: BinaryWriter, words: Uint32Array): void {
  writer.u32(words.length).words(words);
}
