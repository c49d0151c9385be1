/** What stands in an OSDMap for what is not known. */
import type { OsdInfo, OsdXInfo, UTime } from './model.ts';

/** Time 0. */
export const NO_TIME: UTime = { sec: 0, nsec: 0 };

/** Bookkeeping of an OSD that has none. */
export const NO_OSD_INFO: OsdInfo = {
  lastCleanBegin: 0,
  lastCleanEnd: 0,
  upFrom: 0,
  upThru: 0,
  downAt: 0,
  lostAt: 0,
};

/** More bookkeeping of an OSD that has none. */
export const NO_OSD_XINFO: OsdXInfo = {
  downStamp: NO_TIME,
  laggyProbability: 0,
  laggyInterval: 0,
  features: 0n,
  oldWeight: 0,
  lastPurgedSnapsScrub: NO_TIME,
  deadEpoch: 0,
};

/** The UUID of an OSD that has none. */
export const NO_UUID = new Uint8Array(16);

/** What Ceph prints for a pool without a name. */
export const UNKNOWN_POOL_NAME = '<unknown>';
