/**
 * Changes the weight of one item of a CRUSH map, with everything that hangs on it: the buckets above, what list,
 * tree and straw buckets keep beside the weights, and the weight-sets. The map given stays as it is. Follows
 * `CrushWrapper::adjust_item_weight` and `crush_bucket_adjust_item_weight` (Ceph's src/crush/).
 */
import type { ChooseArg, CrushBucket, CrushMap } from './model.ts';
import { listSums, strawLengths } from './straws.ts';

/**
 * A map in which item `id` weighs `weight` wherever it stands.
 *
 * @param weight - 16.16.
 * @returns The same map when the item is in no bucket.
 */
export function adjustItemWeight(map: CrushMap, id: number, weight: number): CrushMap {
  return adjustItemWeights(map, [id], weight);
}

/** As {@link adjustItemWeight} for several items, one after the other. */
export function adjustItemWeights(map: CrushMap, ids: Iterable<number>, weight: number): CrushMap {
  const editor = new WeightEditor(map);
  for (const id of ids) editor.adjust(id, weight, true);
  return editor.finish();
}

class WeightEditor {
  readonly #map: CrushMap;
  readonly #buckets: (CrushBucket | undefined)[];
  /** Weight-sets by choose_args index and bucket id, copied on first change. */
  readonly #chooseArgs: Map<number, Map<number, ChooseArg>>;
  /** Buckets by an item they hold, in order of bucket index. */
  readonly #holders = new Map<number, number[]>();
  #changed = false;

  constructor(map: CrushMap) {
    this.#map = map;
    this.#buckets = [...map.buckets];
    this.#chooseArgs = new Map([...map.chooseArgs].map(([index, args]) => [index, new Map(args)]));
    this.#buckets.forEach((bucket, index) => {
      for (const item of new Set(bucket?.items)) {
        const holders = this.#holders.get(item);
        if (holders === undefined) this.#holders.set(item, [index]);
        else holders.push(index);
      }
    });
  }

  finish(): CrushMap {
    if (!this.#changed) return this.#map;
    return { ...this.#map, buckets: this.#buckets, chooseArgs: this.#chooseArgs };
  }

  /** `CrushWrapper::adjust_item_weight`. */
  adjust(id: number, weight: number, inWeightSets: boolean): void {
    const holders = this.#holders.get(id) ?? [];
    if (this.#chooseArgs.size === 0) {
      for (const index of holders) this.#adjustInBucket(index, id, weight, inWeightSets);
      return;
    }
    // Weight-sets are summed up again in every bucket, whether it holds the item or not.
    const holding = new Set(holders);
    for (let index = 0; index < this.#buckets.length; index++) {
      if (this.#buckets[index] === undefined) continue;
      if (holding.has(index)) this.#adjustInBucket(index, id, weight, inWeightSets);
      this.#sumWeightSets(index);
    }
  }

  #adjustInBucket(index: number, id: number, weight: number, inWeightSets: boolean): void {
    const bucket = this.#buckets[index];
    if (bucket === undefined) return;
    const position = bucket.items.indexOf(id);
    if (inWeightSets) {
      for (const args of this.#chooseArgs.values()) {
        const weightSet = args.get(bucket.id)?.weightSet;
        if (weightSet !== undefined)
          this.#setWeights(
            args,
            bucket.id,
            position,
            weightSet.map(() => weight),
          );
      }
    }
    const adjusted = withItemWeight(bucket, position, weight, this.#map.tunables.strawCalcVersion);
    this.#buckets[index] = adjusted;
    this.#changed = true;
    this.adjust(bucket.id, adjusted.weight, false);
  }

  /** Carries the sum of a bucket's weight-sets to the buckets above. */
  #sumWeightSets(index: number): void {
    const bucket = this.#buckets[index];
    if (bucket === undefined) return;
    for (const args of this.#chooseArgs.values()) {
      const weightSet = args.get(bucket.id)?.weightSet;
      if (weightSet !== undefined) this.#adjustInWeightSets(args, bucket.id, weightSet.map(sum));
    }
  }

  /** `CrushWrapper::choose_args_adjust_item_weight`: one weight a position. */
  #adjustInWeightSets(args: Map<number, ChooseArg>, id: number, weights: readonly number[]): void {
    for (const bucket of this.#buckets) {
      if (bucket === undefined) continue;
      let changed = false;
      let weightSet = args.get(bucket.id)?.weightSet;
      if (weightSet === undefined) {
        // A bucket without a weight-set gets one that says what the bucket says.
        const own = itemWeights(bucket);
        weightSet = Array.from({ length: positionsOf(args) }, () => own.slice());
        args.set(bucket.id, { ...args.get(bucket.id), weightSet });
        this.#changed = true;
        changed = true;
      }
      if (weightSet.length !== weights.length) continue;
      for (let position = 0; position < bucket.items.length; position++) {
        if (bucket.items[position] !== id) continue;
        this.#setWeights(args, bucket.id, position, weights);
        changed = true;
      }
      if (changed) this.#adjustInWeightSets(args, bucket.id, (args.get(bucket.id)?.weightSet ?? []).map(sum));
    }
  }

  #setWeights(
    args: Map<number, ChooseArg>,
    bucketId: number,
    position: number,
    weights: readonly number[],
  ): void {
    const arg = args.get(bucketId);
    const weightSet = arg?.weightSet?.map((set, p) => {
      const copy = set.slice();
      copy[position] = weights[p] ?? 0;
      return copy;
    });
    if (weightSet === undefined) return;
    args.set(bucketId, { ...arg, weightSet });
    this.#changed = true;
  }
}

/** A bucket in which the item at `position` weighs `weight` (`crush_bucket_adjust_item_weight`). */
function withItemWeight(
  bucket: CrushBucket,
  position: number,
  weight: number,
  strawCalcVersion: number,
): CrushBucket {
  if (bucket.alg === 1) {
    return { ...bucket, itemWeight: weight, weight: Math.imul(weight, bucket.items.length) >>> 0 };
  }
  if (bucket.alg === 3) {
    const nodeWeights = bucket.nodeWeights.slice();
    let node = 2 * position + 1;
    const difference = weight - (nodeWeights[node] ?? 0);
    nodeWeights[node] = weight;
    for (let depth = treeDepth(bucket.items.length); depth > 1; depth--) {
      node = treeParent(node);
      nodeWeights[node] = (nodeWeights[node] ?? 0) + difference;
    }
    return { ...bucket, nodeWeights, weight: (bucket.weight + difference) >>> 0 };
  }
  const weights = bucket.itemWeights.slice();
  const total = (bucket.weight + weight - (weights[position] ?? 0)) >>> 0;
  weights[position] = weight;
  switch (bucket.alg) {
    case 2:
      return { ...bucket, itemWeights: weights, sumWeights: listSums(weights), weight: total };
    case 4: {
      const straws = strawLengths(weights, strawCalcVersion);
      return { ...bucket, itemWeights: weights, straws, weight: total };
    }
    case 5:
      return { ...bucket, itemWeights: weights, weight: total };
  }
}

/** 16.16 weight of each item of a bucket. */
function itemWeights(bucket: CrushBucket): Uint32Array {
  if (bucket.alg === 1) return new Uint32Array(bucket.items.length).fill(bucket.itemWeight);
  if (bucket.alg === 3) return Uint32Array.from(bucket.items, (_, i) => bucket.nodeWeights[2 * i + 1] ?? 0);
  return bucket.itemWeights;
}

/** Positions of the first weight-set there is (`CrushWrapper::get_choose_args_positions`). */
function positionsOf(args: ReadonlyMap<number, ChooseArg>): number {
  let best: ChooseArg | undefined;
  let bestId = -Infinity;
  for (const [id, arg] of args) {
    if (arg.weightSet !== undefined && arg.weightSet.length > 0 && id > bestId) {
      best = arg;
      bestId = id;
    }
  }
  return best?.weightSet?.length ?? 1;
}

/** Levels of a tree bucket of `size` items. */
function treeDepth(size: number): number {
  if (size === 0) return 0;
  let depth = 1;
  for (let rest = size - 1; rest > 0; rest >>= 1) depth++;
  return depth;
}

/** The node above a node: the lowest set bit is the node's height, the next one says which side it hangs on. */
function treeParent(node: number): number {
  const step = node & -node;
  return (node & (step << 1)) !== 0 ? node - step : node + step;
}

function sum(weights: Uint32Array): number {
  let total = 0;
  for (const weight of weights) total += weight;
  return total | 0;
}
