/**
 * What differs between two CRUSH maps, as far as mappings by one rule depend on it: which buckets draw otherwise, and
 * by which of their items.
 */
import {
  BUCKET_ALGORITHM,
  type ChooseArg,
  type CrushBucket,
  type CrushMap,
  type CrushRule,
  type CrushTunables,
  RULE_OP,
} from './model.ts';

/** A change of one item of a straw2 bucket. Indexes are among the items that have a weight. */
export interface ItemChange {
  /** What is hashed for the item. */
  readonly id: number;
  /** Its index before and after, -1 where it has no weight. */
  readonly before: number;
  readonly after: number;
  /** 16.16 weight before and after. */
  readonly weightBefore: number;
  readonly weight: number;
}

/** What differs in one bucket. */
export interface BucketDifference {
  /** Bucket `-1 - number`. */
  readonly number: number;
  /** The items that differ, or undefined where any of its draws may come out otherwise. */
  readonly items: readonly ItemChange[] | undefined;
  /** Index after of each index before, or -1; undefined where they are the same. */
  readonly moved: Int32Array | undefined;
}

/** The tunables that the mapper reads. */
const PLACING = [
  'chooseLocalTries',
  'chooseLocalFallbackTries',
  'chooseTotalTries',
  'chooseleafDescendOnce',
  'chooseleafVaryR',
  'chooseleafStable',
  'msrDescents',
  'msrCollisionTries',
] as const satisfies readonly (keyof CrushTunables)[];

/**
 * The buckets that draw otherwise, or undefined where every mapping by the rule may differ: the rule or the tunables
 * are others, or the map is of another shape.
 *
 * @param chooseArgs - index of the choose_args set that is used, or undefined
 */
export function differenceFor(
  before: CrushMap,
  after: CrushMap,
  rule: number,
  chooseArgs: { readonly before: number | undefined; readonly after: number | undefined },
): BucketDifference[] | undefined {
  if (PLACING.some((name) => before.tunables[name] !== after.tunables[name])) return undefined;
  if (!sameRule(before, after, rule)) return undefined;
  if (before.maxDevices !== after.maxDevices && (hasDeviceBeyond(before) || hasDeviceBeyond(after))) {
    return undefined;
  }

  const argsBefore = argsOf(before, chooseArgs.before);
  const argsAfter = argsOf(after, chooseArgs.after);
  const differences: BucketDifference[] = [];
  const count = Math.max(before.buckets.length, after.buckets.length);
  for (let number = 0; number < count; number++) {
    const old = before.buckets[number];
    const now = after.buckets[number];
    const oldArg = argsBefore?.get(-1 - number);
    const nowArg = argsAfter?.get(-1 - number);
    if (old === now && oldArg === nowArg) continue;
    // A bucket that comes or goes is met only where a bucket above it draws otherwise.
    if (old === undefined || now === undefined) continue;
    if (old.type !== now.type) return undefined;
    // Nothing tells which mappings have come to an empty bucket: no draw is made from it.
    if (old.items.length === 0 && now.items.length > 0 && canBeMet(before, old.id, rule, argsBefore)) {
      return undefined;
    }
    const difference = bucketDifference(number, old, now, oldArg, nowArg);
    if (difference !== undefined) differences.push(difference);
  }
  return differences;
}

function argsOf(map: CrushMap, index: number | undefined): ReadonlyMap<number, ChooseArg> | undefined {
  return index === undefined ? undefined : map.chooseArgs.get(index);
}

function sameRule(before: CrushMap, after: CrushMap, number: number): boolean {
  const old = before.rules[number];
  const now = after.rules[number];
  if (old === undefined || now === undefined) return old === now;
  const takes = (map: CrushMap, { steps }: CrushRule): boolean[] =>
    steps
      .filter(({ op }) => op === RULE_OP.take)
      .map(({ arg1 }) => (arg1 < 0 ? map.buckets[-1 - arg1] !== undefined : arg1 < map.maxDevices));
  const text = (map: CrushMap, rule: CrushRule): string =>
    JSON.stringify([rule.type, rule.steps.map(({ op, arg1, arg2 }) => [op, arg1, arg2]), takes(map, rule)]);
  return text(before, old) === text(after, now);
}

/** Whether a bucket has a device that `maxDevices` leaves out, which is turned down wherever it is met. */
function hasDeviceBeyond({ buckets, maxDevices }: CrushMap): boolean {
  return buckets.some((bucket) => bucket?.items.some((item) => item >= maxDevices));
}

/** Whether mappings by the rule may come to a bucket: it is taken, or a bucket above it can draw it. */
function canBeMet(
  map: CrushMap,
  id: number,
  rule: number,
  args: ReadonlyMap<number, ChooseArg> | undefined,
): boolean {
  if (map.rules[rule]?.steps.some(({ op, arg1 }) => op === RULE_OP.take && arg1 === id)) return true;
  return map.buckets.some((above) => {
    if (above?.items.includes(id) !== true) return false;
    if (above.alg !== BUCKET_ALGORITHM.straw2) return true;
    const sets = args?.get(above.id)?.weightSet ?? [];
    return (sets.length > 0 ? sets : [above.itemWeights]).some((weights) => {
      const indexes = weightedIndexes({ items: above.items, ids: above.items, weights });
      return indexes === undefined || indexes.has(id);
    });
  });
}

/** What a straw2 bucket draws with. */
interface Draws {
  readonly items: Int32Array;
  readonly ids: Int32Array;
  readonly weights: Uint32Array;
}

function bucketDifference(
  number: number,
  old: CrushBucket,
  now: CrushBucket,
  oldArg: ChooseArg | undefined,
  nowArg: ChooseArg | undefined,
): BucketDifference | undefined {
  if (old.alg !== BUCKET_ALGORITHM.straw2 || now.alg !== BUCKET_ALGORITHM.straw2) {
    // Placement does not read a bucket's own weight; all else counts.
    const fields = (bucket: CrushBucket): string =>
      JSON.stringify({ ...bucket, weight: 0 }, (_, value: unknown) =>
        ArrayBuffer.isView(value) ? Array.from(value as Uint32Array) : value,
      );
    return fields(old) === fields(now) ? undefined : { number, items: undefined, moved: undefined };
  }
  const draws = drawsOf(old.items, old.itemWeights, oldArg);
  const drawsNow = drawsOf(now.items, now.itemWeights, nowArg);
  if (draws === undefined || drawsNow === undefined) {
    return sameArg(oldArg, nowArg) && sameNumbers(old.items, now.items)
      ? undefined
      : { number, items: undefined, moved: undefined };
  }
  return compareDraws(number, draws, drawsNow);
}

/** What a bucket draws with, or undefined where that depends on the position. */
function drawsOf(items: Int32Array, weights: Uint32Array, arg: ChooseArg | undefined): Draws | undefined {
  const sets = arg?.weightSet ?? [];
  if (sets.length > 1) return undefined;
  return { items, ids: arg?.ids ?? items, weights: sets[0] ?? weights };
}

function sameArg(a: ChooseArg | undefined, b: ChooseArg | undefined): boolean {
  if (a === b) return true;
  const setsA = a?.weightSet ?? [];
  const setsB = b?.weightSet ?? [];
  return (
    setsA.length === setsB.length &&
    setsA.every((weights, i) => sameNumbers(weights, setsB[i] ?? [])) &&
    sameNumbers(a?.ids ?? [], b?.ids ?? [])
  );
}

function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Weights from here on count as negative: such a bucket is drawn from one item at a time. */
const TOO_HEAVY = 2 ** 31;

function compareDraws(number: number, old: Draws, now: Draws): BucketDifference | undefined {
  const any: BucketDifference = { number, items: undefined, moved: undefined };
  const isSame =
    sameNumbers(old.weights, now.weights) &&
    sameNumbers(old.ids, now.ids) &&
    sameNumbers(old.items, now.items);
  if (isSame) return undefined;
  const oldIndexes = weightedIndexes(old);
  const nowIndexes = weightedIndexes(now);
  // Without any weight, or with one too great, there is no index to go by; nor where an item stands twice.
  if (oldIndexes === undefined || nowIndexes === undefined) return any;

  const changes: ItemChange[] = [];
  const moved = new Int32Array(oldIndexes.size).fill(-1);
  let isMoved = oldIndexes.size !== nowIndexes.size;
  let last = -1;
  for (const [item, { index, id, weight }] of oldIndexes) {
    const then = nowIndexes.get(item);
    if (then === undefined) {
      changes.push({ id, before: index, after: -1, weightBefore: weight, weight: 0 });
      isMoved = true;
      continue;
    }
    // Among equal draws the first item wins, so the order must stay.
    if (then.id !== id || then.index < last) return any;
    last = then.index;
    moved[index] = then.index;
    if (then.index !== index) isMoved = true;
    if (then.weight !== weight) {
      changes.push({ id, before: index, after: then.index, weightBefore: weight, weight: then.weight });
    }
  }
  for (const [item, { index, id, weight }] of nowIndexes) {
    if (!oldIndexes.has(item)) changes.push({ id, before: -1, after: index, weightBefore: 0, weight });
  }
  // Each change costs a hash for every draw, and the draw itself one for every item.
  if (changes.length * 2 > nowIndexes.size && changes.length > 2) return any;
  return { number, items: changes, moved: isMoved ? moved : undefined };
}

/** The items that have a weight, with their index among these. */
function weightedIndexes({
  items,
  ids,
  weights,
}: Draws): Map<number, { index: number; id: number; weight: number }> | undefined {
  const indexes = new Map<number, { index: number; id: number; weight: number }>();
  for (let i = 0; i < items.length; i++) {
    const item = items[i] ?? 0;
    const weight = weights[i] ?? 0;
    if (weight === 0) continue;
    if (weight >= TOO_HEAVY || indexes.has(item)) return undefined;
    indexes.set(item, { index: indexes.size, id: ids[i] ?? 0, weight });
  }
  return indexes.size === 0 ? undefined : indexes;
}
