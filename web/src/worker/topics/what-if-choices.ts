/** What changes can be made of: the selected item, pools, rules and places of the current map. */
import { osdsBelow } from '../../../../src/analysis/what-if/targets.ts';
import {
  findBucket,
  isShadow,
  itemClassName,
  itemWeight,
  parentOf,
  ruleName,
  typeName,
} from '../../../../src/crush/names.ts';
import { type CrushMap, type CrushRule, RULE_OP, RULE_TYPE } from '../../../../src/crush/model.ts';
import { TUNABLES_PROFILES, tunablesProfile } from '../../../../src/crush/tunables.ts';
import { OSD_STATE, type OsdMap, POOL_TYPE } from '../../../../src/osdmap/model.ts';
import { findPoolRule } from '../../../../src/osdmap/pool-rule.ts';
import type { OpenDocument } from '../open-document.ts';
import { nameOfItem } from '../what-if/levels.ts';

/** An OSD or bucket of the current map. */
export interface ItemChoice {
  readonly id: number;
  readonly name: string;
  readonly typeName: string;
  /** 16.16 CRUSH weight, now and in the map as it was read; undefined where it is in no bucket. */
  readonly weight: number | undefined;
  readonly originalWeight: number | undefined;
  /** 16.16 reweight of an OSD; of a bucket that of its OSDs where all have the same. */
  readonly reweight: number | undefined;
  readonly deviceClass: string;
  /** Buckets that hold it, the nearest first. */
  readonly place: readonly { readonly type: string; readonly name: string }[];
  /** OSDs of the OSDMap at or below it, and how many of them are up, and in. */
  readonly osds: number;
  readonly up: number;
  readonly in: number;
}

/** A pool's fields that can be changed. */
export interface PoolChoiceRow {
  readonly id: number;
  readonly name: string;
  readonly isErasure: boolean;
  readonly size: number;
  readonly minSize: number;
  readonly pgNum: number;
  readonly pgpNum: number;
  readonly rule: string;
}

/** A rule, and the type that keeps OSDs of a PG apart. */
export interface RuleChoice {
  readonly name: string;
  /** For which pools it is. */
  readonly isErasure: boolean;
  /** Name of the type; undefined where the rule chooses in several steps. */
  readonly failureDomain: string | undefined;
}

/** What changes can be made of. */
export interface WhatIfChoices {
  readonly pools: readonly PoolChoiceRow[];
  readonly rules: readonly RuleChoice[];
  /** Types of the map from the lowest up, by name. */
  readonly types: readonly string[];
  readonly buckets: readonly { readonly name: string; readonly type: string }[];
  readonly classes: readonly string[];
  readonly profiles: readonly string[];
  /** The profile by whose values the map places, if it is one. */
  readonly profile: string | undefined;
  /** The first id that no OSD has. */
  readonly freeOsd: number;
}

/** An item of the current map; undefined where it is not in the map, such as after it was removed. */
export function whatIfItem({ original, current }: OpenDocument, id: number): ItemChoice | undefined {
  const { crush } = current;
  const bucket = findBucket(crush, id);
  if (
    id < 0 ? bucket === undefined || isShadow(crush, id) : !exists(current, id) && !crush.itemNames.has(id)
  ) {
    return undefined;
  }
  const osds = osdsBelow(crush, id).filter((osd) => exists(current, osd));
  const reweights = new Set(osds.map((osd) => current.osdWeight[osd] ?? 0));
  const place: { type: string; name: string }[] = [];
  const seen = new Set<number>();
  for (let at = parentOf(crush, id); at !== undefined && !seen.has(at); at = parentOf(crush, at)) {
    seen.add(at);
    place.push({ type: nameOfType(crush, findBucket(crush, at)?.type ?? 0), name: nameOfItem(crush, at) });
  }
  return {
    id,
    name: nameOfItem(crush, id),
    typeName: nameOfType(crush, bucket?.type ?? 0),
    weight: itemWeight(crush, id),
    originalWeight: itemWeight(original.crush, id),
    reweight: reweights.size === 1 ? [...reweights][0] : undefined,
    deviceClass: itemClassName(crush, id) ?? '',
    place,
    osds: osds.length,
    up: osds.filter((osd) => ((current.osdState[osd] ?? 0) & OSD_STATE.up) !== 0).length,
    in: osds.filter((osd) => (current.osdWeight[osd] ?? 0) > 0).length,
  };
}

/** Pools, rules, types, buckets and tunables of the current map. */
export function whatIfChoices({ current }: OpenDocument): WhatIfChoices {
  const { crush } = current;
  return {
    pools: [...current.pools.values()].map((pool) => {
      const { id, name, type, size, minSize, pgNum, pgpNum } = pool;
      const rule = findPoolRule(crush, pool, Number.POSITIVE_INFINITY);
      const named = ruleName(crush, rule) ?? String(rule);
      return { id, name, isErasure: type === POOL_TYPE.erasure, size, minSize, pgNum, pgpNum, rule: named };
    }),
    rules: crush.rules.flatMap((rule) =>
      rule === undefined
        ? []
        : [
            {
              name: ruleName(crush, rule.id) ?? String(rule.id),
              isErasure: rule.type === RULE_TYPE.erasure || rule.type === RULE_TYPE.msrIndep,
              failureDomain: failureDomainOf(crush, rule),
            },
          ],
    ),
    types: [...crush.typeNames].sort(([a], [b]) => a - b).map(([, name]) => name),
    buckets: crush.buckets.flatMap((bucket) =>
      bucket === undefined || isShadow(crush, bucket.id)
        ? []
        : [{ name: nameOfItem(crush, bucket.id), type: nameOfType(crush, bucket.type) }],
    ),
    classes: [...crush.classNames.values()].sort(),
    profiles: TUNABLES_PROFILES,
    profile: tunablesProfile(crush.tunables),
    freeOsd: freeOsd(current),
  };
}

function freeOsd(map: OsdMap): number {
  let osd = 0;
  while (osd < map.maxOsd && (exists(map, osd) || map.crush.itemNames.has(osd))) osd++;
  while (map.crush.itemNames.has(osd)) osd++;
  return osd;
}

/** The type that a rule chooses by; undefined where it chooses in several steps, or of several types. */
function failureDomainOf(crush: CrushMap, { steps }: CrushRule): string | undefined {
  const types = new Set<number>();
  let choices = 0;
  for (const { op, arg2 } of steps) {
    if (op === RULE_OP.take) choices = 0;
    if (!CHOICES.has(op)) continue;
    if (++choices > 1) return undefined;
    types.add(arg2);
  }
  const [type] = types;
  return types.size === 1 && type !== undefined ? nameOfType(crush, type) : undefined;
}

const CHOICES: ReadonlySet<number> = new Set<number>([
  RULE_OP.chooseFirstn,
  RULE_OP.chooseleafFirstn,
  RULE_OP.chooseIndep,
  RULE_OP.chooseleafIndep,
]);

function exists(map: OsdMap, osd: number): boolean {
  return osd < map.maxOsd && ((map.osdState[osd] ?? 0) & OSD_STATE.exists) !== 0;
}

function nameOfType(crush: CrushMap, type: number): string {
  return typeName(crush, type) ?? (type === 0 ? 'osd' : `type ${type}`);
}
