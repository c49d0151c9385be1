/** An OSDMap around a CRUSH map that came alone, so that every view has PGs to show. */
import { type CrushMap, RULE_TYPE, WEIGHT_ONE } from '../../../src/crush/model.ts';
import { ruleName } from '../../../src/crush/names.ts';
import { emptyOsdMap, newPool } from '../../../src/osdmap/create.ts';
import { OSD_STATE, type OsdMap, type Pool, POOL_TYPE } from '../../../src/osdmap/model.ts';
import { placedDevices } from '../../../src/analysis/targets.ts';

/** PGs of a pool that is made up for a rule. */
export const MADE_UP_PGS = 1024;

/** Sizes of pools that are made up: three replicas, and the default erasure code profile's k + m. */
const REPLICAS = 3;
const SHARDS = 4;

/**
 * An OSDMap in which all devices of the CRUSH map that are in a bucket are up and in, and each rule has one pool, of
 * the rule's name. The pools are there to show what rules do; they are nobody's.
 *
 * @param before - pools have greater numbers than this: none may have the number of a choose_args set, which would
 * then be taken for it
 */
export function osdMapAround(crush: CrushMap, before = Math.max(0, ...crush.chooseArgs.keys())): OsdMap {
  const osdWeight = placedDevices(crush);
  const pools = new Map<number, Pool>();
  for (const rule of crush.rules) {
    if (rule === undefined) continue;
    const isReplicated = rule.type === RULE_TYPE.replicated || rule.type === RULE_TYPE.msrFirstn;
    const id = before + 1 + rule.id;
    const size = isReplicated ? REPLICAS : SHARDS;
    const made = newPool(id, {
      name: ruleName(crush, rule.id) ?? `rule ${rule.id}`,
      size,
      minSize: size - 1,
      flags: 1n,
      pgNum: MADE_UP_PGS,
      pgpNum: MADE_UP_PGS,
      pgAutoscaleMode: 0,
    });
    const type = isReplicated ? POOL_TYPE.replicated : POOL_TYPE.erasure;
    pools.set(id, { ...made, type, crushRule: rule.id });
  }
  return {
    ...emptyOsdMap(),
    pools,
    poolMax: BigInt(Math.max(0, ...pools.keys())),
    maxOsd: crush.maxDevices,
    osdState: osdWeight.map((weight) => (weight === WEIGHT_ONE ? OSD_STATE.exists | OSD_STATE.up : 0)),
    osdWeight,
    crush,
  };
}

/**
 * An OSDMap that was made up around a CRUSH map, around another: each rule has its pool again, and OSDs that both have
 * stay as they are.
 *
 * @param before - as for {@link osdMapAround}
 */
export function withCrushAround(map: OsdMap, crush: CrushMap, before: number): OsdMap {
  const around = osdMapAround(crush, Math.max(before, ...crush.chooseArgs.keys()));
  const pools = new Map([...around.pools].map(([id, pool]) => [id, map.pools.get(id) ?? pool] as const));
  const osdState = around.osdState.slice();
  const osdWeight = around.osdWeight.slice();
  for (let osd = 0; osd < Math.min(map.maxOsd, around.maxOsd); osd++) {
    const isInBoth = ((map.osdState[osd] ?? 0) & (osdState[osd] ?? 0) & OSD_STATE.exists) !== 0;
    if (!isInBoth) continue;
    osdState[osd] = map.osdState[osd] ?? 0;
    osdWeight[osd] = map.osdWeight[osd] ?? 0;
  }
  return { ...around, epoch: map.epoch, pools, osdState, osdWeight };
}
