/**
 * Keeps the choose_args of a draft in step with its buckets: sizes, sums, and which buckets have them at all. An
 * entry with an empty weight-set stands for what Ceph has in memory for a bucket without one beside others that
 * have; it is not written.
 */
import { bucketItemWeights } from '../bucket.ts';
import type { CrushDraft } from '../draft.ts';
import type { ChooseArg } from '../model.ts';

/** The entries of one choose_args set. */
export type ChooseArgTable = Map<number, ChooseArg>;

/** Positions of the first weight-set in the table, else 1 (`CrushWrapper::get_choose_args_positions`). */
export function weightSetPositions(draft: CrushDraft, args: ChooseArgTable): number {
  if (args.size === 0) return 1;
  for (let index = 0; index < draft.buckets.length; index++) {
    const positions = args.get(-1 - index)?.weightSet?.length ?? 0;
    if (positions > 0) return positions;
  }
  return 1;
}

/**
 * Drops entries of buckets that are gone or not straw2, and fits weight-sets to their bucket's size
 * (`CrushWrapper::update_choose_args`).
 */
export function updateChooseArgs(draft: CrushDraft): void {
  for (const args of draft.chooseArgs.values()) {
    const positions = weightSetPositions(draft, args);
    for (const [id, arg] of args) {
      const bucket = draft.bucket(id);
      if (bucket?.alg !== 5) {
        args.delete(id);
        continue;
      }
      const size = bucket.items.length;
      if (arg.weightSet?.length !== positions) continue;
      if (arg.weightSet.some((weights) => weights.length !== size)) {
        args.set(id, { ...arg, weightSet: arg.weightSet.map((weights) => resized(weights, size)) });
      }
    }
  }
}

/** Gives a bucket that was made with items the weight-sets that say what it says. */
export function startChooseArgs(draft: CrushDraft, id: number, weights: Uint32Array): void {
  for (const args of draft.chooseArgs.values()) {
    const positions = weightSetPositions(draft, args);
    args.set(id, { ...args.get(id), weightSet: Array.from({ length: positions }, () => weights.slice()) });
  }
}

/** Lengthens a bucket's entries by an item (`CrushWrapper::bucket_add_item`). */
export function addToChooseArgs(draft: CrushDraft, id: number, item: number, weight: number): void {
  for (const args of draft.chooseArgs.values()) {
    const arg = args.get(id);
    if (arg === undefined) continue;
    args.set(id, {
      ...(arg.weightSet && { weightSet: arg.weightSet.map((weights) => Uint32Array.of(...weights, weight)) }),
      ...(arg.ids && { ids: Int32Array.of(...arg.ids, item) }),
    });
  }
}

/** Takes a position out of a bucket's entries (`CrushWrapper::bucket_remove_item`). */
export function removeFromChooseArgs(draft: CrushDraft, id: number, position: number): void {
  for (const args of draft.chooseArgs.values()) {
    const arg = args.get(id);
    if (arg === undefined) continue;
    const ids = arg.ids?.filter((_, i) => i !== position);
    args.set(id, {
      ...(arg.weightSet && {
        weightSet: arg.weightSet.map((weights) => weights.filter((_, i) => i !== position)),
      }),
      ...(ids !== undefined && ids.length > 0 && { ids }),
    });
  }
}

/** Sets an item's weight, one a position, in a bucket's weight-set. */
export function setInWeightSet(
  args: ChooseArgTable,
  id: number,
  item: number,
  weights: readonly number[],
): void {
  const arg = args.get(id);
  if (arg?.weightSet === undefined) return;
  const weightSet = arg.weightSet.map((set, position) => {
    const copy = set.slice();
    copy[item] = weights[position] ?? 0;
    return copy;
  });
  args.set(id, { ...arg, weightSet });
}

/** Carries the sums of a bucket's weight-sets to the buckets above it. */
export function sumWeightSets(draft: CrushDraft, id: number): void {
  for (const args of draft.chooseArgs.values()) {
    const weightSet = args.get(id)?.weightSet;
    if (weightSet !== undefined && weightSet.length > 0)
      adjustInWeightSets(draft, args, id, weightSet.map(sum));
  }
}

/** Tables whose buckets are known to have all a weight-set, while the draft's buckets hold the same items. */
const complete = new WeakMap<ChooseArgTable, object>();

/**
 * Sets the weight of an item, one a position, in the weight-sets of all buckets that hold it, and the sums above.
 * A bucket without a weight-set gets one that says what the bucket says, whether it holds the item or not
 * (`CrushWrapper::choose_args_adjust_item_weight`).
 */
function adjustInWeightSets(
  draft: CrushDraft,
  args: ChooseArgTable,
  id: number,
  weights: readonly number[],
): void {
  const holders = draft.holdersOf(id);
  if (complete.get(args) === draft.shape) {
    for (const index of holders) adjustInOne(draft, args, index, id, weights);
    return;
  }
  const holding = new Set(holders);
  for (let index = 0; index < draft.buckets.length; index++) {
    if (draft.buckets[index] === undefined) continue;
    if (holding.has(index) || args.get(-1 - index)?.weightSet === undefined) {
      adjustInOne(draft, args, index, id, weights);
    }
  }
  complete.set(args, draft.shape);
}

function adjustInOne(
  draft: CrushDraft,
  args: ChooseArgTable,
  index: number,
  id: number,
  weights: readonly number[],
): void {
  const bucket = draft.buckets[index];
  if (bucket === undefined) return;
  let changed = false;
  if (args.get(bucket.id)?.weightSet === undefined) {
    const own = bucketItemWeights(bucket);
    const positions = weightSetPositions(draft, args);
    const weightSet = Array.from({ length: positions }, () => own.slice());
    args.set(bucket.id, { ...args.get(bucket.id), weightSet });
    changed = true;
  }
  if (args.get(bucket.id)?.weightSet?.length !== weights.length) return;
  for (const [position, item] of bucket.items.entries()) {
    if (item !== id) continue;
    setInWeightSet(args, bucket.id, position, weights);
    changed = true;
  }
  if (!changed) return;
  const sums = (args.get(bucket.id)?.weightSet ?? []).map(sum);
  adjustInWeightSets(draft, args, bucket.id, sums);
}

function sum(weights: Uint32Array): number {
  let total = 0;
  for (const weight of weights) total += weight;
  return total | 0;
}

function resized(weights: Uint32Array, size: number): Uint32Array {
  const out = new Uint32Array(size);
  out.set(weights.subarray(0, size));
  return out;
}
