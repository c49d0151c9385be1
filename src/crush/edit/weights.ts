/**
 * Weights of items, with everything that hangs on them: the buckets above, what list, tree and straw buckets keep
 * beside the weights, and the weight-sets. Follows `CrushWrapper::adjust_item_weight`, `reweight` and the functions
 * they call.
 */
import { CrushError } from '../../errors.ts';
import { adjustBucketItemWeight, reweighBucket } from '../bucket.ts';
import type { CrushDraft } from '../draft.ts';
import { setInWeightSet, sumWeightSets, type ChooseArgTable } from './choose-args.ts';
import { rebuildRootsWithClasses } from './classes.ts';
import { nonShadowRoots } from './lookup.ts';

/** Where in the hierarchy: bucket name by type name. */
export type Location = ReadonlyMap<string, string>;

/**
 * Gives an item a weight wherever it stands, in shadow trees too (`CrushWrapper::adjust_item_weight`).
 *
 * @param weight - 16.16.
 * @param inWeightSets - Whether weight-sets take the weight as well.
 * @returns In how many buckets the item stands.
 */
export function adjustItemWeight(draft: CrushDraft, id: number, weight: number, inWeightSets = true): number {
  let changed = 0;
  if (draft.chooseArgs.size === 0) {
    for (const index of draft.holdersOf(id)) {
      changed += adjustInBucket(draft, id, weight, -1 - index, inWeightSets) > 0 ? 1 : 0;
    }
    return changed;
  }
  // Weight-sets are summed up again in every bucket, whether it holds the item or not.
  for (let index = 0; index < draft.buckets.length; index++) {
    changed += adjustInBucket(draft, id, weight, -1 - index, inWeightSets) > 0 ? 1 : 0;
  }
  return changed;
}

/**
 * As {@link adjustItemWeight}, in one bucket only (`adjust_item_weight_in_bucket`).
 *
 * @returns How often the bucket holds the item.
 */
export function adjustInBucket(
  draft: CrushDraft,
  id: number,
  weight: number,
  bucketId: number,
  inWeightSets: boolean,
): number {
  const items = draft.bucket(bucketId)?.items;
  if (items === undefined) return 0;
  let changed = 0;
  for (const item of items) {
    if (item !== id) continue;
    setWeight(draft, id, weight, bucketId, inWeightSets);
    adjustItemWeight(draft, bucketId, draft.bucketAt(bucketId).weight | 0, false);
    changed++;
  }
  sumWeightSets(draft, bucketId);
  return changed;
}

/**
 * As {@link adjustItemWeight}, in the buckets that a location names (`adjust_item_weight_in_loc`).
 *
 * @returns In how many of them the item stands.
 */
export function adjustInLocation(
  draft: CrushDraft,
  id: number,
  weight: number,
  location: Location,
  inWeightSets = true,
): number {
  let changed = 0;
  for (const [, name] of sortedLocation(location)) {
    changed += adjustInBucket(draft, id, weight, draft.itemId(name) ?? 0, inWeightSets) > 0 ? 1 : 0;
  }
  return changed;
}

/** The entries of a location in the order in which Ceph goes through them. */
export function sortedLocation(location: Location): [type: string, name: string][] {
  return [...location].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/**
 * Sums up anew what buckets weigh, from the devices to the roots, in the map, in weight-sets and in shadow trees
 * (`CrushWrapper::reweight`).
 *
 * @throws CrushError `refused` where a root would weigh 65536.0 or more.
 */
export function reweight(draft: CrushDraft): void {
  for (const root of nonShadowRoots(draft)) {
    if (reweightBelow(draft, root)) {
      throw new CrushError(
        'refused',
        `bucket ${root} would weigh 65536.0 or more; lower the weights of what it holds`,
        {},
        'ERANGE',
      );
    }
    for (const args of draft.chooseArgs.values()) reweightWeightSets(draft, args, root);
  }
  rebuildRootsWithClasses(draft);
}

/** `CrushWrapper::bucket_adjust_item_weight`. */
function setWeight(
  draft: CrushDraft,
  id: number,
  weight: number,
  bucketId: number,
  inWeightSets: boolean,
): void {
  const bucket = draft.bucketAt(bucketId);
  if (inWeightSets) {
    const position = bucket.items.indexOf(id);
    for (const args of draft.chooseArgs.values()) {
      const positions = args.get(bucketId)?.weightSet?.length ?? 0;
      if (positions > 0) setInWeightSet(args, bucketId, position, new Array<number>(positions).fill(weight));
    }
  }
  draft.setBucket(adjustBucketItemWeight(bucket, id, weight, draft.tunables.strawCalcVersion));
}

/**
 * `crush_reweight_bucket`.
 *
 * @returns Whether the bucket itself, not one below, is too heavy.
 */
function reweightBelow(draft: CrushDraft, id: number): boolean {
  const weightOf = (child: number): number => {
    reweightBelow(draft, child);
    return draft.bucketAt(child).weight;
  };
  const { bucket, overflow } = reweighBucket(draft.bucketAt(id), weightOf, draft.tunables.strawCalcVersion);
  draft.setBucket(bucket);
  return overflow;
}

/**
 * `CrushWrapper::reweight_bucket`: sums up the first set of a bucket's weight-sets. As there, the sum of every
 * position is that of the first, and what a bucket below weighs is taken from its last position.
 *
 * @returns The sum, one a position of the bucket.
 */
function reweightWeightSets(draft: CrushDraft, args: ChooseArgTable, id: number): number[] {
  const bucket = draft.bucketAt(id);
  const arg = args.get(id);
  const sets = arg?.weightSet ?? [];
  const first = sets[0]?.slice() ?? new Uint32Array(0);
  const sums = sets.map(() => 0);
  for (const [i, item] of bucket.items.entries()) {
    const below = item < 0 ? reweightWeightSets(draft, args, item) : undefined;
    for (let position = 0; position < sums.length; position++) {
      const weight = below === undefined ? (first[i] ?? 0) : (below[position] ?? 0);
      sums[position] = ((sums[position] ?? 0) + weight) >>> 0;
      first[i] = weight;
    }
  }
  if (sets.length > 0) args.set(id, { ...arg, weightSet: [first, ...sets.slice(1)] });
  return sums;
}
