/** A map in which nothing is wrong, and ways to make something wrong with it. */
import {
  RULE_OP,
  type CrushBucket,
  type CrushMap,
  type CrushRule,
  type CrushRuleStep,
} from '../src/crush/model.ts';
import { clusterMap } from './small-maps.ts';

/** Rule steps, short. */
export const step = {
  take: (item: number): CrushRuleStep => ({ op: RULE_OP.take, arg1: item, arg2: 0 }),
  chooseFirstn: (count: number, type: number): CrushRuleStep => choose(RULE_OP.chooseFirstn, count, type),
  chooseIndep: (count: number, type: number): CrushRuleStep => choose(RULE_OP.chooseIndep, count, type),
  leafFirstn: (count: number, type: number): CrushRuleStep => choose(RULE_OP.chooseleafFirstn, count, type),
  leafIndep: (count: number, type: number): CrushRuleStep => choose(RULE_OP.chooseleafIndep, count, type),
  set: (op: number, value: number): CrushRuleStep => ({ op, arg1: value, arg2: 0 }),
  emit: { op: RULE_OP.emit, arg1: 0, arg2: 0 } satisfies CrushRuleStep,
};

/** Types of the map. */
export const OSD = 0;
export const HOST = 1;
export const RACK = 3;
export const ROOT = 10;

/**
 * Hosts `host0` (-2) ... of devices of weight 1.0 below the root `default` (-1), with a replicated rule and one for
 * erasure coding that has the tries Ceph gives it.
 */
export function healthyMap(hosts = 6, devicesOfHost = 3): CrushMap {
  const map = clusterMap(hosts, devicesOfHost);
  const names = new Map<number, string>([[-1, 'default']]);
  for (let host = 0; host < hosts; host++) names.set(-2 - host, `host${host}`);
  for (let device = 0; device < hosts * devicesOfHost; device++) names.set(device, `osd.${device}`);
  const [replicated] = map.rules;
  return {
    ...map,
    rules: [
      replicated,
      {
        id: 1,
        type: 3,
        ruleset: 1,
        minSize: 1,
        maxSize: 100,
        steps: [
          step.set(RULE_OP.setChooseleafTries, 5),
          step.set(RULE_OP.setChooseTries, 100),
          step.take(-1),
          step.leafIndep(0, HOST),
          step.emit,
        ],
      },
    ],
    tunables: { ...map.tunables, allowedBucketAlgs: 54 },
    typeNames: new Map([
      [OSD, 'osd'],
      [HOST, 'host'],
      [RACK, 'rack'],
      [ROOT, 'root'],
    ]),
    itemNames: names,
    ruleNames: new Map([
      [0, 'replicated_rule'],
      [1, 'ec'],
    ]),
  };
}

/** The map with one bucket changed; a bucket that is not there is added. */
export function withBucket(map: CrushMap, id: number, change: Partial<Record<string, unknown>>): CrushMap {
  const buckets = [...map.buckets];
  while (buckets.length < -id) buckets.push(undefined);
  buckets[-1 - id] = { ...buckets[-1 - id], ...change } as unknown as CrushBucket;
  return { ...map, buckets };
}

/** The map with the steps of one rule changed. */
export function withSteps(map: CrushMap, id: number, steps: readonly CrushRuleStep[]): CrushMap {
  return withRule(map, id, { steps });
}

/** The map with one rule changed. */
export function withRule(map: CrushMap, id: number, change: Partial<CrushRule>): CrushMap {
  const rules = map.rules.map((rule, number) => (number === id && rule ? { ...rule, ...change } : rule));
  return { ...map, rules };
}

/**
 * The map with every second device of class hdd, the others of class ssd, and the shadow trees of both: of host N
 * -101 - 2 N and -102 - 2 N, of the root -201 and -202.
 */
export function withClasses(map: CrushMap): CrushMap {
  let changed: CrushMap = map;
  const classBuckets = new Map<number, Map<number, number>>();
  const itemNames = new Map(map.itemNames);
  const itemClasses = new Map<number, number>();
  for (const device of map.itemNames.keys()) if (device >= 0) itemClasses.set(device, device % 2);
  const originals = map.buckets.filter((bucket) => bucket !== undefined);
  const shadowId = (id: number, classId: number): number =>
    (id === -1 ? -201 : -101 - 2 * (-2 - id)) - classId;
  for (const bucket of [...originals].reverse()) {
    for (const classId of [0, 1]) {
      const id = shadowId(bucket.id, classId);
      const items = [...bucket.items]
        .filter((item) => item < 0 || item % 2 === classId)
        .map((item) => (item < 0 ? shadowId(item, classId) : item));
      const weights = items.map((item) => (item < 0 ? (changed.buckets[-1 - item]?.weight ?? 0) : 0x10000));
      changed = withBucket(changed, id, {
        ...bucket,
        id,
        items: Int32Array.from(items),
        itemWeights: Uint32Array.from(weights),
        weight: weights.reduce((sum, weight) => sum + weight, 0),
      });
      itemNames.set(id, `${map.itemNames.get(bucket.id)}~${classId === 0 ? 'hdd' : 'ssd'}`);
      itemClasses.set(id, classId);
      classBuckets.set(bucket.id, new Map([...(classBuckets.get(bucket.id) ?? []), [classId, id]]));
    }
  }
  const classNames = new Map([
    [0, 'hdd'],
    [1, 'ssd'],
  ]);
  return { ...changed, itemNames, itemClasses, classNames, classBuckets };
}

function choose(op: number, count: number, type: number): CrushRuleStep {
  return { op, arg1: count, arg2: type };
}
