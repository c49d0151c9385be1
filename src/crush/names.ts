/**
 * Lookups in a CRUSH map: names of things, things by name, who holds whom, what an item weighs. Questions about
 * items scan the map once and remember the answer for as long as the map lives; maps are never changed in place.
 */
import { CrushError } from '../errors.ts';
import type { CrushBucket, CrushMap, CrushRule } from './model.ts';

/** Name of a device or bucket, or undefined (`CrushWrapper::get_item_name`). */
export function itemName(map: CrushMap, id: number): string | undefined {
  return map.itemNames.get(id);
}

/** Name of a bucket type, or undefined (`CrushWrapper::get_type_name`). */
export function typeName(map: CrushMap, type: number): string | undefined {
  return map.typeNames.get(type);
}

/** Name of a rule, or undefined (`CrushWrapper::get_rule_name`). */
export function ruleName(map: CrushMap, id: number): string | undefined {
  return map.ruleNames.get(id);
}

/** Name of the class of a device or shadow bucket, or undefined (`CrushWrapper::get_item_class`). */
export function itemClassName(map: CrushMap, id: number): string | undefined {
  const number = map.itemClasses.get(id);
  return number === undefined ? undefined : map.classNames.get(number);
}

/** A bucket by id, or undefined. */
export function findBucket(map: CrushMap, id: number): CrushBucket | undefined {
  return id < 0 ? map.buckets[-1 - id] : undefined;
}

/** Id of the device or bucket with a name, or undefined (`CrushWrapper::get_item_id`). */
export function findItem(map: CrushMap, name: string): number | undefined {
  return keyOf(map.itemNames, name);
}

/** Number of the bucket type with a name, or undefined (`CrushWrapper::get_type_id`). */
export function findType(map: CrushMap, name: string): number | undefined {
  return keyOf(map.typeNames, name);
}

/**
 * A rule by name or number. Text of digits is a number, unless a rule has that name.
 *
 * @throws CrushError `not-found`, naming the rules there are.
 * @example
 * ```ts
 * findRule(map, 'replicated_rule') === findRule(map, 0);
 * ```
 */
export function findRule(map: CrushMap, nameOrId: string | number): CrushRule {
  const named = typeof nameOrId === 'string' ? keyOf(map.ruleNames, nameOrId) : undefined;
  const isNumber = typeof nameOrId === 'number' || /^\d+$/.test(nameOrId);
  const rule = map.rules[named ?? (isNumber ? Number(nameOrId) : -1)];
  if (rule !== undefined) return rule;
  const wanted = typeof nameOrId === 'string' ? `'${nameOrId}'` : String(nameOrId);
  throw new CrushError('not-found', `there is no rule ${wanted}; the map has ${ruleList(map)}`);
}

/** The rules of a map in words: `0 'replicated_rule', 1 'hdd'`, or `none`. */
export function ruleList(map: CrushMap): string {
  const rules = map.rules.flatMap((rule, id) =>
    rule === undefined ? [] : [`${id} '${ruleName(map, id) ?? ''}'`],
  );
  return rules.join(', ') || 'none';
}

/** 16.16 weight of the item at a position of a bucket (`crush_get_bucket_item_weight`). */
export function bucketItemWeight(bucket: CrushBucket, position: number): number {
  switch (bucket.alg) {
    case 1:
      return position < bucket.items.length ? bucket.itemWeight : 0;
    case 3:
      return bucket.nodeWeights[2 * position + 1] ?? 0;
    default:
      return bucket.itemWeights[position] ?? 0;
  }
}

/**
 * 16.16 weight of an item, unsigned: of the first bucket of the table that holds it, or, for a bucket that
 * comes before, its own. Undefined where the map has no such item (`CrushWrapper::get_item_weight`).
 */
export function itemWeight(map: CrushMap, id: number): number | undefined {
  return indexOf(map).weights.get(id);
}

/** Whether any bucket, shadow buckets included, holds the item (`CrushWrapper::check_item_present`). */
export function itemPresent(map: CrushMap, id: number): boolean {
  return indexOf(map).held.has(id);
}

/**
 * Id of the first bucket that holds the item, not counting shadow buckets, or undefined
 * (`CrushWrapper::get_immediate_parent_id`).
 */
export function parentOf(map: CrushMap, id: number): number | undefined {
  return indexOf(map).parents.get(id);
}

/** Ids of the buckets that no bucket holds, ascending; shadow roots included (`CrushWrapper::find_roots`). */
export function findRoots(map: CrushMap): number[] {
  const { held } = indexOf(map);
  const ids = map.buckets.flatMap((bucket) =>
    bucket === undefined || held.has(bucket.id) ? [] : [bucket.id],
  );
  return ids.sort((a, b) => a - b);
}

/**
 * Whether the item is the shadow of a bucket for one device class: its name, such as `default~ssd`, is none
 * that a user may give (`CrushWrapper::is_shadow_item`).
 */
export function isShadow(map: CrushMap, id: number): boolean {
  const name = map.itemNames.get(id);
  return name !== undefined && !isValidName(name);
}

/** Whether a name may be given to an item or type (`CrushWrapper::is_valid_crush_name`). */
export function isValidName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z0-9_.-]+$/.test(name);
}

interface ItemIndex {
  readonly weights: Map<number, number>;
  readonly held: Set<number>;
  readonly parents: Map<number, number>;
}

const indexes = new WeakMap<CrushMap, ItemIndex>();

function indexOf(map: CrushMap): ItemIndex {
  const known = indexes.get(map);
  if (known !== undefined) return known;
  const index: ItemIndex = { weights: new Map(), held: new Set(), parents: new Map() };
  for (const bucket of map.buckets) {
    if (bucket === undefined) continue;
    const shadow = isShadow(map, bucket.id);
    if (!index.weights.has(bucket.id)) index.weights.set(bucket.id, bucket.weight);
    bucket.items.forEach((item, position) => {
      if (!index.weights.has(item)) index.weights.set(item, bucketItemWeight(bucket, position));
      index.held.add(item);
      if (!shadow && !index.parents.has(item)) index.parents.set(item, bucket.id);
    });
  }
  indexes.set(map, index);
  return index;
}

function keyOf(names: ReadonlyMap<number, string>, name: string): number | undefined {
  for (const [key, each] of names) if (each === name) return key;
  return undefined;
}
