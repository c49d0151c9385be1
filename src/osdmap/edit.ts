/**
 * Small changes to an OSDMap that never reach a file: marking OSDs, clearing temporary mappings, another number
 * of PGs. Each gives a new map and leaves the one it got. Follows the `--mark-*` options of Ceph's osdmaptool.
 */
import { adjustItemWeights } from '../crush/adjust-weight.ts';
import { WEIGHT_ONE } from '../crush/model.ts';
import { itemWeight } from '../crush/names.ts';
import { OSD_IN, OSD_STATE, type OsdMap } from './model.ts';

/** Every OSD up and in; OSDs whose CRUSH weight is 0 get 1.0 (`osdmaptool --mark-up-in`). */
export function markAllUpIn(map: OsdMap): OsdMap {
  const weightless: number[] = [];
  for (let osd = 0; osd < map.maxOsd; osd++) {
    if (itemWeight(map.crush, osd) === 0) weightless.push(osd);
  }
  return {
    ...map,
    osdState: map.osdState.map((state) => state | OSD_STATE.up | OSD_STATE.exists),
    osdWeight: new Uint32Array(map.maxOsd).fill(OSD_IN),
    crush: adjustItemWeights(map.crush, weightless, WEIGHT_ONE),
  };
}

/** One OSD up, its reweight as it was (`osdmaptool --mark-up`). */
export function markUp(map: OsdMap, osd: number): OsdMap {
  return { ...map, osdState: withElement(map.osdState, osd, (map.osdState[osd] ?? 0) | OSD_STATE.up) };
}

/** One OSD in: its reweight 1.0 (`osdmaptool --mark-in`). */
export function markIn(map: OsdMap, osd: number): OsdMap {
  return {
    ...map,
    osdState: withElement(map.osdState, osd, (map.osdState[osd] ?? 0) | OSD_STATE.exists),
    osdWeight: withElement(map.osdWeight, osd, OSD_IN),
  };
}

/** One OSD up but out: its reweight 0 (`osdmaptool --mark-out`). */
export function markOut(map: OsdMap, osd: number): OsdMap {
  return { ...markUp(map, osd), osdWeight: withElement(map.osdWeight, osd, 0) };
}

/** No pg_temp and no primary_temp (`osdmaptool --clear-temp`). */
export function clearTemp(map: OsdMap): OsdMap {
  return { ...map, pgTemp: new Map(), primaryTemp: new Map() };
}

/**
 * A pool with another pg_num.
 *
 * @param pgpNum - default: as it was (`osdmaptool --pg_num`), so that new PGs are placed as those they split from
 */
export function withPgNum(map: OsdMap, poolId: number, pgNum: number, pgpNum?: number): OsdMap {
  const pool = map.pools.get(poolId);
  if (pool === undefined) return map;
  const pools = new Map(map.pools);
  const details = { ...pool.details, pgNumPending: pgNum };
  pools.set(poolId, { ...pool, pgNum, pgpNum: pgpNum ?? pool.pgpNum, details });
  return { ...map, pools };
}

function withElement(array: Uint32Array, index: number, value: number): Uint32Array {
  const copy = array.slice();
  copy[index] = value;
  return copy;
}
