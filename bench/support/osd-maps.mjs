/** OSDMaps to measure with. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OSD_IN, OSD_STATE, readMap } from '../../dist/index.js';
import { ROOT } from './settings.mjs';

/** A real small cluster's OSDMap, which the project carries. */
export const EXAMPLE_OSDMAP = join(ROOT, 'examples/cluster-8osd/osdmap');

/** An OSDMap over a CRUSH map: all OSDs up and in, pool 1 with three replicas by rule 0, no exceptions. */
export function osdMapOver(crush, pgNum) {
  const { map } = readMap(readFileSync(EXAMPLE_OSDMAP));
  const [pool] = [...map.pools.values()].filter(({ type }) => type === 1);
  const nothing = new Map();
  return {
    ...map,
    crush,
    maxOsd: crush.maxDevices,
    osdState: new Uint32Array(crush.maxDevices).fill(OSD_STATE.exists | OSD_STATE.up),
    osdWeight: new Uint32Array(crush.maxDevices).fill(OSD_IN),
    osdPrimaryAffinity: undefined,
    pools: new Map([[1, { ...pool, id: 1, name: 'rbd', size: 3, crushRule: 0, pgNum, pgpNum: pgNum }]]),
    pgTemp: nothing,
    primaryTemp: nothing,
    pgUpmap: nothing,
    pgUpmapItems: nothing,
    pgUpmapPrimaries: nothing,
  };
}
