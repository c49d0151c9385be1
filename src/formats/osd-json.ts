/** Reads the lists of OSDs of `ceph osd dump -f json` (`OSDMap::dump_osd`, `osd_xinfo_t::dump`). */
import * as v from 'valibot';
import { CrushError } from '../errors.ts';
import { NO_OSD_INFO, NO_OSD_XINFO, NO_UUID } from '../osdmap/blank.ts';
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_STATE,
  type EntityAddrVec,
  type OsdInfo,
  type OsdXInfo,
} from '../osdmap/model.ts';
import { int32, jsonPath, word } from './json-input.ts';
import { addrVec, fixed16, flag, long, plainAddr, single, time, uuid } from './osdmap-json-shapes.ts';

/** The shape of one entry of `osds`. */
export const osdShape = v.object({
  osd: int32,
  uuid: v.optional(uuid),
  up: flag,
  weight: fixed16,
  primary_affinity: v.optional(fixed16, 1),
  last_clean_begin: v.optional(word, 0),
  last_clean_end: v.optional(word, 0),
  up_from: v.optional(word, 0),
  up_thru: v.optional(word, 0),
  down_at: v.optional(word, 0),
  lost_at: v.optional(word, 0),
  public_addrs: v.optional(addrVec),
  cluster_addrs: v.optional(addrVec),
  heartbeat_back_addrs: v.optional(addrVec),
  heartbeat_front_addrs: v.optional(addrVec),
  public_addr: v.optional(plainAddr),
  cluster_addr: v.optional(plainAddr),
  heartbeat_back_addr: v.optional(plainAddr),
  heartbeat_front_addr: v.optional(plainAddr),
  state: v.optional(v.array(v.string()), []),
});

/** The shape of one entry of `osd_xinfo`. */
export const xinfoShape = v.object({
  osd: int32,
  down_stamp: v.optional(time, '0.000000'),
  laggy_probability: v.optional(single, 0),
  laggy_interval: v.optional(word, 0),
  features: v.optional(long, 0),
  old_weight: v.optional(word, 0),
  last_purged_snaps_scrub: v.optional(time, '0.000000'),
  dead_epoch: v.optional(word, 0),
});

type OsdDump = v.InferOutput<typeof osdShape>;
type XInfoDump = v.InferOutput<typeof xinfoShape>;

/** The part of a checked dump that this file reads. */
export interface OsdsDump {
  readonly max_osd: number;
  readonly osds: readonly OsdDump[];
  readonly osd_xinfo: readonly XInfoDump[];
}

/** The dump's lists of OSDs as vectors that max_osd sizes. */
export function osdVectors(dump: OsdsDump, what: string) {
  const n = dump.max_osd;
  const vectors = {
    state: new Uint32Array(n),
    weight: new Uint32Array(n),
    primaryAffinity: new Uint32Array(n).fill(DEFAULT_PRIMARY_AFFINITY),
    clientAddrs: new Array<EntityAddrVec>(n).fill([]),
    clusterAddrs: new Array<EntityAddrVec>(n).fill([]),
    hbBackAddrs: new Array<EntityAddrVec>(n).fill([]),
    hbFrontAddrs: new Array<EntityAddrVec>(n).fill([]),
    info: new Array<OsdInfo>(n).fill(NO_OSD_INFO),
    xinfo: new Array<OsdXInfo>(n).fill(NO_OSD_XINFO),
    uuid: new Array<Uint8Array>(n).fill(NO_UUID),
  };
  dump.osds.forEach((osd, index) => {
    const at = osd.osd;
    if (at < 0 || at >= n || vectors.state[at] !== 0) {
      const reason = at < 0 || at >= n ? `osd ${at} is not below max_osd ${n}` : `osd ${at} is there twice`;
      throw new CrushError('malformed', reason, { path: jsonPath(what, 'osds', index) });
    }
    vectors.state[at] = stateBits(osd.state) | OSD_STATE.exists | (osd.up ? OSD_STATE.up : 0);
    vectors.weight[at] = osd.weight;
    vectors.primaryAffinity[at] = osd.primary_affinity;
    vectors.clientAddrs[at] = addrsOf(osd.public_addrs, osd.public_addr);
    vectors.clusterAddrs[at] = addrsOf(osd.cluster_addrs, osd.cluster_addr);
    vectors.hbBackAddrs[at] = addrsOf(osd.heartbeat_back_addrs, osd.heartbeat_back_addr);
    vectors.hbFrontAddrs[at] = addrsOf(osd.heartbeat_front_addrs, osd.heartbeat_front_addr);
    vectors.info[at] = infoOf(osd);
    if (osd.uuid !== undefined) vectors.uuid[at] = osd.uuid;
  });
  for (const xinfo of dump.osd_xinfo) {
    if (xinfo.osd >= 0 && xinfo.osd < n) vectors.xinfo[xinfo.osd] = xinfoOf(xinfo);
  }
  // Ceph keeps no affinities until one is set, and prints 1 for all.
  const hasAffinity = vectors.primaryAffinity.some((affinity) => affinity !== DEFAULT_PRIMARY_AFFINITY);
  return hasAffinity ? vectors : { ...vectors, primaryAffinity: new Uint32Array(0) };
}

function addrsOf(addrs: OsdDump['public_addrs'], plain: OsdDump['public_addr']): EntityAddrVec {
  return addrs?.addrvec ?? (plain === undefined ? [] : [plain]);
}

function infoOf(osd: OsdDump): OsdInfo {
  return {
    lastCleanBegin: osd.last_clean_begin,
    lastCleanEnd: osd.last_clean_end,
    upFrom: osd.up_from,
    upThru: osd.up_thru,
    downAt: osd.down_at,
    lostAt: osd.lost_at,
  };
}

function xinfoOf(dump: XInfoDump): OsdXInfo {
  return {
    downStamp: dump.down_stamp,
    laggyProbability: dump.laggy_probability,
    laggyInterval: dump.laggy_interval,
    features: BigInt.asUintN(64, dump.features),
    oldWeight: dump.old_weight,
    lastPurgedSnapsScrub: dump.last_purged_snaps_scrub,
    deadEpoch: dump.dead_epoch,
  };
}

/** State bits by name; names that a newer release added are left out. */
export function stateBits(names: readonly string[]): number {
  const bits: Readonly<Record<string, number>> = OSD_STATE;
  return names.reduce((state, name) => state | (Object.hasOwn(bits, name) ? (bits[name] ?? 0) : 0), 0);
}
