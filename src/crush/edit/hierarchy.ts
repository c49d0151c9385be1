/**
 * Items put into the hierarchy, moved and removed, as `CrushWrapper::insert_item`, `update_item`, `move_bucket`,
 * `create_or_move_item` and `remove_item` do it; shadow trees, weight-sets and the weights above follow.
 */
import { CrushError } from '../../errors.ts';
import { addBucketItem, removeBucketItem } from '../bucket.ts';
import { ascending, type CrushDraft } from '../draft.ts';
import { isValidName } from '../names.ts';
import { addBucket } from './bucket-table.ts';
import { addToChooseArgs, removeFromChooseArgs, updateChooseArgs } from './choose-args.ts';
import { badName, rebuildRootsWithClasses } from './classes.ts';
import { cutWeight, fixedWeight, floatWeight } from './fixed-weight.ts';
import {
  immediateParent,
  itemWeightOf,
  splitIdClass,
  subtreeContains,
  takenItems,
  weightIn,
} from './lookup.ts';
import { adjustInBucket, adjustInLocation, type Location } from './weights.ts';

/**
 * Puts an item into the hierarchy (`insert_item`). From the lowest type of the location up, buckets that do not
 * exist are made, each around the one below; the first that exists takes what was made, and the rest of the
 * location is not looked at.
 *
 * @param weight - In units, a 32-bit float.
 * @param inWeightSets - Whether a device gets the weight in weight-sets too.
 * @throws CrushError: a name that is invalid or another item's, a location that names no bucket of that type, holds
 *   the item already, or is below it.
 */
export function insertItem(
  draft: CrushDraft,
  item: number,
  weight: number,
  name: string,
  location: Location,
  inWeightSets = true,
): void {
  checkName(name);
  checkLocation(location);
  const fixed = fixedWeight(weight);
  nameItem(draft, item, name);
  placeItem(draft, item, location);
  if (adjustInLocation(draft, item, fixed, location, item >= 0 && inWeightSets) === 0) {
    throw new CrushError(
      'bad-argument',
      `'${name}' has no place at ${locationText(location)}; name a bucket of a type that the map has`,
      {},
      'EINVAL',
    );
  }
  draft.maxDevices = Math.max(draft.maxDevices, item + 1);
  rebuildRootsWithClasses(draft);
}

/**
 * Puts an item at a location with a weight and a name, wherever it was before (`update_item`).
 *
 * @param weight - In units, a 32-bit float.
 * @returns Whether anything changed.
 */
export function updateItem(
  draft: CrushDraft,
  item: number,
  weight: number,
  name: string,
  location: Location,
): boolean {
  checkName(name);
  checkLocation(location);
  fixedWeight(weight);
  const fixed = cutWeight(weight);
  const found = itemAtLocation(draft, item, location);
  if (found === undefined) {
    if (draft.itemNames.has(item)) unlinkItem(draft, item);
    insertItem(draft, item, weight, name, location);
    return true;
  }
  let changed = false;
  if (found !== fixed) {
    adjustInLocation(draft, item, fixed, location);
    rebuildRootsWithClasses(draft);
    changed = true;
  }
  if (draft.itemNames.get(item) !== name) {
    draft.setItemName(item, name);
    changed = true;
  }
  return changed;
}

/**
 * Moves a device to a location, with the weight it has, or puts it there (`create_or_move_item`).
 *
 * @param weight - In units, for a device that is nowhere yet.
 * @returns Whether anything changed.
 */
export function createOrMoveItem(
  draft: CrushDraft,
  item: number,
  weight: number,
  name: string,
  location: Location,
): boolean {
  checkName(name);
  if (itemAtLocation(draft, item, location) !== undefined) return false;
  let kept = weight;
  if (draft.holdersOf(item).length > 0) {
    kept = floatWeight(itemWeightOf(draft, item));
    unlinkItem(draft, item);
  }
  insertItem(draft, item, kept, name, location, item >= 0);
  return true;
}

/** Moves a bucket, with all below it, to a location (`move_bucket`). */
export function moveBucket(draft: CrushDraft, id: number, location: Location): void {
  const name = bucketName(draft, id);
  const weight = detachBucket(draft, id);
  insertItem(draft, id, floatWeight(weight), name, location, false);
}

/** Puts a bucket at a location beside where it is already (`link_bucket`). */
export function linkBucket(draft: CrushDraft, id: number, location: Location): void {
  const name = bucketName(draft, id);
  insertItem(draft, id, floatWeight(draft.bucketAt(id).weight), name, location);
}

/**
 * Removes a device, or a bucket that is empty, from all buckets, and its name and class (`remove_item`).
 *
 * @throws CrushError `not-found`; `refused` where the bucket is not empty, or a rule takes it.
 */
export function removeItem(draft: CrushDraft, item: number): void {
  if (item < 0) {
    const bucket = draft.bucket(item);
    if (bucket === undefined) throw new CrushError('not-found', `there is no bucket ${item}`, {}, 'ENOENT');
    const label = `bucket '${draft.itemNames.get(item) ?? item}'`;
    if (bucket.items.length > 0) {
      throw new CrushError(
        'refused',
        `${label} holds ${bucket.items.length} items; move or remove them first`,
        {},
        'ENOTEMPTY',
      );
    }
    if (bucketInUse(draft, item)) {
      throw new CrushError(
        'refused',
        `${label} is taken by a rule or shadows another; remove the rule first`,
        {},
        'EBUSY',
      );
    }
  }
  const removed = removeFromBuckets(draft, item);
  const wasLast = removeLastInstance(draft, item, false);
  if (removed || wasLast) return;
  throw new CrushError('not-found', `there is no item ${item} in any bucket`, {}, 'ENOENT');
}

/** Removes an item from all buckets; a device loses its name, but not its class (`remove_item`, unlink only). */
export function unlinkItem(draft: CrushDraft, item: number): void {
  removeFromBuckets(draft, item);
  removeLastInstance(draft, item, true);
}

/**
 * The 16.16 weight of an item, signed, in the bucket of the lowest type that a location names, or undefined where
 * that bucket does not hold it (`check_item_loc`).
 */
export function itemAtLocation(draft: CrushDraft, item: number, location: Location): number | undefined {
  for (const type of ascending(draft.typeNames.keys())) {
    const name = type === 0 ? undefined : location.get(draft.typeNames.get(type) ?? '');
    if (name === undefined) continue;
    const id = draft.itemId(name);
    if (id === undefined || id >= 0) return undefined;
    draft.bucketAt(id);
    return weightIn(draft, id, item);
  }
  return undefined;
}

/** Makes buckets and puts the item, or the topmost of them, into the first that there is already, weighing 0. */
function placeItem(draft: CrushDraft, item: number, location: Location): void {
  let current = item;
  for (const type of ascending(draft.typeNames.keys())) {
    const name = type === 0 ? undefined : location.get(draft.typeNames.get(type) ?? '');
    if (name === undefined) continue;
    const id = draft.itemId(name);
    if (id === undefined) {
      const made = addBucket(draft, { type, items: [current], weights: [0] });
      draft.setItemName(made, name);
      current = made;
      continue;
    }
    const bucket = draft.bucket(id);
    if (bucket === undefined) throw refusedPlace(`'${name}' is a device, not a bucket`);
    if (subtreeContains(draft, id, current)) {
      throw refusedPlace(`'${draft.itemNames.get(current) ?? current}' is in or below '${name}' already`);
    }
    if (bucket.type !== type) {
      const actual = draft.typeNames.get(bucket.type) ?? String(bucket.type);
      throw refusedPlace(`'${name}' is a ${actual}, not a ${draft.typeNames.get(type) ?? type}`);
    }
    if (subtreeContains(draft, current, id)) {
      throw new CrushError('refused', `'${name}' is below what would be put into it`, {}, 'ELOOP');
    }
    draft.setBucket(addBucketItem(bucket, current, 0, draft.tunables.strawCalcVersion));
    addToChooseArgs(draft, id, current, 0);
    return;
  }
}

/**
 * Takes a bucket out of the one that holds it (`detach_bucket`).
 *
 * @returns Its 16.16 weight, signed.
 */
function detachBucket(draft: CrushDraft, id: number): number {
  const weight = draft.bucketAt(id).weight | 0;
  const parent = immediateParent(draft, id);
  if (parent !== undefined) {
    adjustInBucket(draft, id, 0, parent, true);
    takeOut(draft, id, parent);
    if (draft.bucketAt(parent).items.includes(id)) {
      throw new CrushError('invalid-map', `bucket ${parent} holds bucket ${id} twice; remove it first`);
    }
  }
  return weight;
}

function removeFromBuckets(draft: CrushDraft, item: number): boolean {
  let removed = false;
  for (const index of draft.holdersOf(item)) {
    const id = -1 - index;
    // As items go, those behind them move up: of two in a row one stays.
    let position = draft.bucketAt(id).items.indexOf(item);
    while (position !== -1) {
      adjustInBucket(draft, item, 0, id, true);
      takeOut(draft, item, id);
      removed = true;
      position = draft.bucketAt(id).items.indexOf(item, position + 1);
    }
  }
  return removed;
}

/** `CrushWrapper::bucket_remove_item`. */
function takeOut(draft: CrushDraft, item: number, bucketId: number): void {
  const bucket = draft.bucketAt(bucketId);
  draft.setBucket(removeBucketItem(bucket, item, draft.tunables.strawCalcVersion));
  removeFromChooseArgs(draft, bucketId, bucket.items.indexOf(item));
}

/**
 * Forgets an item that is in no bucket any more (`_maybe_remove_last_instance`). As there, shadow trees that cannot
 * be rebuilt are no reason to fail.
 */
function removeLastInstance(draft: CrushDraft, item: number, unlinkOnly: boolean): boolean {
  if (draft.holdersOf(item).length > 0 || (item < 0 && bucketInUse(draft, item))) return false;
  if (item < 0 && !unlinkOnly) {
    draft.deleteBucket(item);
    draft.classBuckets.delete(item);
    draft.itemClasses.delete(item);
    updateChooseArgs(draft);
  }
  if ((item >= 0 || !unlinkOnly) && draft.itemNames.delete(item)) {
    draft.forgetNames();
    if (item >= 0 && !unlinkOnly) draft.itemClasses.delete(item);
  }
  try {
    rebuildRootsWithClasses(draft);
  } catch (error) {
    if (!(error instanceof CrushError) || error.errno === undefined) throw error;
  }
  return true;
}

/** Whether a bucket is a shadow, or a rule takes it or its shadow (`_bucket_is_in_use`). */
function bucketInUse(draft: CrushDraft, id: number): boolean {
  for (const shadows of draft.classBuckets.values()) {
    for (const shadow of shadows.values()) if (shadow === id) return true;
  }
  for (const { item } of takenItems(draft)) {
    const split = splitIdClass(draft, item);
    // Ceph gives up at the first take of something that has no name.
    if (split === undefined) return false;
    if (item === id || split.original === id) return true;
  }
  return false;
}

function nameItem(draft: CrushDraft, item: number, name: string): void {
  const holder = draft.itemId(name);
  if (holder === undefined) draft.setItemName(item, name);
  else if (holder !== item) {
    throw new CrushError(
      'refused',
      `the name '${name}' is that of item ${holder}; choose another`,
      {},
      'EEXIST',
    );
  }
}

function bucketName(draft: CrushDraft, id: number): string {
  if (id >= 0) throw new CrushError('bad-argument', `${id} is a device, not a bucket`, {}, 'EINVAL');
  const name = draft.itemNames.get(id);
  if (name === undefined)
    throw new CrushError('not-found', `there is no bucket ${id} with a name`, {}, 'ENOENT');
  return name;
}

function checkName(name: string): void {
  if (!isValidName(name)) throw badName(name);
}

function checkLocation(location: Location): void {
  for (const [type, name] of location) {
    checkName(type);
    checkName(name);
  }
}

function refusedPlace(reason: string): CrushError {
  return new CrushError('refused', `${reason}; choose another location`, {}, 'EINVAL');
}

function locationText(location: Location): string {
  return [...location].map(([type, name]) => `${type} '${name}'`).join(', ') || 'no location';
}
