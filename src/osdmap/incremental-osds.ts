/** What an incremental does to the vectors of OSDs. Follows `OSDMap::apply_incremental` (Ceph's src/osd/OSDMap.cc). */
import { CrushError } from '../errors.ts';
import { NO_OSD_INFO, NO_OSD_XINFO, NO_UUID } from './blank.ts';
import type { OsdMapIncremental } from './incremental-model.ts';
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_STATE,
  type EntityAddrVec,
  type OsdInfo,
  type OsdMap,
  type OsdMapDetails,
} from './model.ts';

/** The parts of a map that are vectors of OSDs, as an incremental leaves them. */
export interface ChangedOsds {
  readonly map: Pick<OsdMap, 'maxOsd' | 'osdState' | 'osdWeight' | 'osdPrimaryAffinity'>;
  readonly details: Pick<
    OsdMapDetails,
    'clientAddrs' | 'clusterAddrs' | 'hbBackAddrs' | 'hbFrontAddrs' | 'osdInfo' | 'osdXInfo' | 'osdUuid'
  >;
}

/** Most OSDs that an incremental may make room for: a few bytes of one are not to take up all memory. */
const MOST_OSDS = 1 << 20;

/** Applies an incremental to the vectors, in the order in which Ceph does. */
export function applyToOsds(map: OsdMap, incremental: OsdMapIncremental): ChangedOsds {
  const maxOsd = incremental.newMaxOsd ?? map.maxOsd;
  if (!(maxOsd >= 0 && maxOsd <= Math.max(map.maxOsd, MOST_OSDS))) {
    const range = `max_osd to ${maxOsd}, which is not within 0..${MOST_OSDS}`;
    throw new CrushError('unsupported', `the incremental sets ${range}`, { path: 'new_max_osd' });
  }
  const osds = new OsdVectors(map, maxOsd);
  for (const [osd, weight] of incremental.newWeight) osds.setWeight(osd, weight);
  for (const [osd, affinity] of incremental.newPrimaryAffinity) osds.setAffinity(osd, affinity);
  for (const [osd, bits] of incremental.newState) osds.flipState(osd, bits, incremental);
  for (const osd of incremental.newUpClient.keys()) osds.bringUp(osd, incremental);
  for (const [osd, addrs] of incremental.newUpCluster) osds.clusterAddrs[osds.checked(osd)] = addrs;
  for (const [osd, upThru] of incremental.newUpThru) osds.setInfo(osd, { upThru });
  for (const [osd, [lastCleanBegin, lastCleanEnd]] of incremental.newLastCleanInterval) {
    osds.setInfo(osd, { lastCleanBegin, lastCleanEnd });
  }
  for (const [osd, lostAt] of incremental.newLost) osds.setInfo(osd, { lostAt });
  for (const [osd, xinfo] of incremental.newXInfo) osds.xinfo[osds.checked(osd)] = xinfo;
  for (const [osd, uuid] of incremental.newUuid) osds.uuid[osds.checked(osd)] = uuid;
  return osds.result();
}

const NO_ADDRS: EntityAddrVec = [];

/** A working copy of the vectors. */
class OsdVectors {
  readonly maxOsd: number;
  readonly state: Uint32Array;
  readonly weight: Uint32Array;
  #affinity: Uint32Array | undefined;
  readonly clientAddrs: EntityAddrVec[];
  readonly clusterAddrs: EntityAddrVec[];
  readonly hbBackAddrs: EntityAddrVec[];
  readonly hbFrontAddrs: EntityAddrVec[];
  readonly info: OsdInfo[];
  readonly xinfo: OsdMapDetails['osdXInfo'][number][];
  readonly uuid: Uint8Array[];

  constructor({ osdState, osdWeight, osdPrimaryAffinity, details }: OsdMap, maxOsd: number) {
    this.maxOsd = maxOsd;
    this.state = resizedWords(osdState, maxOsd, 0);
    this.weight = resizedWords(osdWeight, maxOsd, 0);
    this.#affinity =
      osdPrimaryAffinity === undefined
        ? undefined
        : resizedWords(osdPrimaryAffinity, maxOsd, DEFAULT_PRIMARY_AFFINITY);
    this.clientAddrs = resized(details.clientAddrs, maxOsd, NO_ADDRS);
    this.clusterAddrs = resized(details.clusterAddrs, maxOsd, NO_ADDRS);
    this.hbBackAddrs = resized(details.hbBackAddrs, maxOsd, NO_ADDRS);
    this.hbFrontAddrs = resized(details.hbFrontAddrs, maxOsd, NO_ADDRS);
    this.info = resized(details.osdInfo, maxOsd, NO_OSD_INFO);
    this.xinfo = resized(details.osdXInfo, maxOsd, NO_OSD_XINFO);
    this.uuid = resized(details.osdUuid, maxOsd, NO_UUID);
  }

  /** The number of an OSD, which must be below max_osd. */
  checked(osd: number): number {
    if (osd >= 0 && osd < this.maxOsd) return osd;
    throw new CrushError('malformed', `the incremental changes osd.${osd}, and max_osd is ${this.maxOsd}`);
  }

  setWeight(osd: number, weight: number): void {
    const at = this.checked(osd);
    this.weight[at] = weight;
    if (weight === 0) return;
    // Who is marked in is neither new nor out by itself any more.
    const marks = OSD_STATE.autoout | OSD_STATE.new;
    this.state[at] = ((this.state[at] ?? 0) | OSD_STATE.exists) & ~marks;
    this.xinfo[at] = { ...(this.xinfo[at] ?? NO_OSD_XINFO), oldWeight: 0 };
  }

  setAffinity(osd: number, affinity: number): void {
    const at = this.checked(osd);
    this.#affinity ??= new Uint32Array(this.maxOsd).fill(DEFAULT_PRIMARY_AFFINITY);
    this.#affinity[at] = affinity;
  }

  setInfo(osd: number, change: Partial<OsdInfo>): void {
    const at = this.checked(osd);
    this.info[at] = { ...(this.info[at] ?? NO_OSD_INFO), ...change };
  }

  flipState(osd: number, bits: number, { epoch, modified }: OsdMapIncremental): void {
    const at = this.checked(osd);
    const flips = bits === 0 ? OSD_STATE.up : bits;
    const both = (this.state[at] ?? 0) & flips;
    if ((both & OSD_STATE.up) !== 0) {
      this.setInfo(at, { downAt: epoch });
      this.xinfo[at] = { ...(this.xinfo[at] ?? NO_OSD_XINFO), downStamp: modified };
    }
    if ((both & OSD_STATE.exists) !== 0) this.#forget(at);
    else this.state[at] = (this.state[at] ?? 0) ^ flips;
  }

  bringUp(osd: number, incremental: OsdMapIncremental): void {
    const at = this.checked(osd);
    this.state[at] = ((this.state[at] ?? 0) | OSD_STATE.exists | OSD_STATE.up) & ~OSD_STATE.stop;
    this.clientAddrs[at] = incremental.newUpClient.get(osd) ?? NO_ADDRS;
    this.hbBackAddrs[at] = incremental.newHbBackUp.get(osd) ?? NO_ADDRS;
    this.hbFrontAddrs[at] = incremental.newHbFrontUp.get(osd) ?? NO_ADDRS;
    this.setInfo(at, { upFrom: incremental.epoch });
  }

  result(): ChangedOsds {
    return {
      map: {
        maxOsd: this.maxOsd,
        osdState: this.state,
        osdWeight: this.weight,
        osdPrimaryAffinity: this.#affinity,
      },
      details: {
        clientAddrs: this.clientAddrs,
        clusterAddrs: this.clusterAddrs,
        hbBackAddrs: this.hbBackAddrs,
        hbFrontAddrs: this.hbFrontAddrs,
        osdInfo: this.info,
        osdXInfo: this.xinfo,
        osdUuid: this.uuid,
      },
    };
  }

  /** Clears what is known of an OSD that is no more; its reweight stays. */
  #forget(at: number): void {
    this.uuid[at] = NO_UUID;
    this.info[at] = NO_OSD_INFO;
    this.xinfo[at] = NO_OSD_XINFO;
    this.setAffinity(at, DEFAULT_PRIMARY_AFFINITY);
    this.clientAddrs[at] = NO_ADDRS;
    this.clusterAddrs[at] = NO_ADDRS;
    this.hbFrontAddrs[at] = NO_ADDRS;
    this.hbBackAddrs[at] = NO_ADDRS;
    this.state[at] = 0;
  }
}

function resizedWords(words: Uint32Array, length: number, blank: number): Uint32Array {
  const out = new Uint32Array(length).fill(blank);
  out.set(words.subarray(0, length));
  return out;
}

function resized<T>(list: readonly T[], length: number, blank: T): T[] {
  const out = list.slice(0, length);
  while (out.length < length) out.push(blank);
  return out;
}
