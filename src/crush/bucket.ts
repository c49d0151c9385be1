/**
 * Buckets built and changed as Ceph's builder does (src/crush/builder.c): each function returns a new bucket with
 * all that hangs on the items' weights (total, list sums, tree nodes, straw lengths) carried along. Weights are
 * 16.16 and wrap at 32 bits where they do in C.
 */
import { CrushError } from '../errors.ts';
import { HASH_RJENKINS1, type CrushBucket, type TreeBucket } from './model.ts';
import { listSums, MAX_TREE_ITEMS, strawLengths, treeNodeWeights } from './straws.ts';

/** What a new bucket is made of. */
export interface BucketParts {
  readonly id: number;
  /** See {@link BUCKET_ALGORITHM}. */
  readonly alg: number;
  /** Default: rjenkins1. */
  readonly hash?: number;
  readonly type: number;
  /** Default: none. */
  readonly items?: ArrayLike<number>;
  /** 16.16 weight of each item; a uniform bucket takes the first for all. */
  readonly weights?: ArrayLike<number>;
}

/**
 * A bucket with what Ceph computes for its algorithm (`crush_make_bucket`).
 *
 * @param strawCalcVersion - The map's `straw_calc_version`, for straw buckets.
 * @throws CrushError `bad-argument`: no such algorithm, more than 64 items in a tree bucket, a uniform bucket of
 *   items that weigh 0 (Ceph takes this for an overflow); `refused`: weights that sum up beyond 32 bits.
 * @example
 * ```ts
 * makeBucket({ id: -1, alg: BUCKET_ALGORITHM.straw2, type: 1, items: [0, 1], weights: [0x10000, 0x20000] }, 1);
 * ```
 */
export function makeBucket(parts: BucketParts, strawCalcVersion: number): CrushBucket {
  const items = new Int32Array(parts.items ?? []);
  const itemWeights = new Uint32Array(items.length);
  if (parts.weights !== undefined) {
    for (let i = 0; i < items.length; i++) itemWeights[i] = parts.weights[i] ?? 0;
  }
  const base = { id: parts.id, hash: parts.hash ?? HASH_RJENKINS1, type: parts.type, items };
  const total = itemWeights.reduce((sum, weight) => sum + weight, 0);
  const weight = total >>> 0;
  switch (parts.alg) {
    case 1: {
      const itemWeight = itemWeights[0] ?? 0;
      if (items.length > 0 && itemWeight === 0) {
        throw new CrushError(
          'bad-argument',
          `the items of uniform bucket ${parts.id} weigh 0; give them a weight or use straw2`,
          {},
          'ERANGE',
        );
      }
      if (itemWeight * items.length > 0xffff_ffff) throw tooHeavy(parts.id);
      return { ...base, alg: 1, itemWeight, weight: Math.imul(itemWeight, items.length) >>> 0 };
    }
    case 2:
      if (total > 0xffff_ffff) throw tooHeavy(parts.id);
      return { ...base, alg: 2, itemWeights, sumWeights: listSums(itemWeights), weight };
    case 3:
      if (total > 0xffff_ffff) throw tooHeavy(parts.id);
      checkTreeSize(parts.id, items.length);
      return { ...base, alg: 3, nodeWeights: treeNodeWeights(itemWeights), weight };
    case 4:
      return { ...base, alg: 4, itemWeights, straws: strawLengths(itemWeights, strawCalcVersion), weight };
    case 5:
      return { ...base, alg: 5, itemWeights, weight };
    default:
      throw new CrushError(
        'bad-argument',
        `bucket ${parts.id}: there is no bucket algorithm ${parts.alg}; use 1 (uniform) to 5 (straw2)`,
      );
  }
}

/** 16.16 weight of each item of a bucket (`crush_get_bucket_item_weight`). */
export function bucketItemWeights(bucket: CrushBucket): Uint32Array {
  switch (bucket.alg) {
    case 1:
      return new Uint32Array(bucket.items.length).fill(bucket.itemWeight);
    case 3:
      return Uint32Array.from(bucket.items, (_, i) => bucket.nodeWeights[2 * i + 1] ?? 0);
    default:
      return bucket.itemWeights;
  }
}

/**
 * The bucket with one more item, at the end (`crush_bucket_add_item`).
 *
 * @throws CrushError `refused`: the weight differs from that of a uniform bucket's items, the sum of weights leaves
 *   32 bits, a tree bucket is full.
 */
export function addBucketItem(
  bucket: CrushBucket,
  item: number,
  weight: number,
  strawCalcVersion: number,
): CrushBucket {
  if (bucket.alg === 1 && bucket.itemWeight !== weight >>> 0) {
    throw new CrushError(
      'refused',
      `bucket ${bucket.id} is uniform, its items weigh ${inUnits(bucket.itemWeight)} each; ` +
        `an item of ${inUnits(weight)} does not fit in`,
      {},
      'EINVAL',
    );
  }
  const total = bucket.weight + (weight >>> 0);
  if (total > 0xffff_ffff && bucket.alg !== 2) {
    throw tooHeavy(bucket.id);
  }
  const items = appended(bucket.items, item);
  const grown = { items, weight: total >>> 0 };
  switch (bucket.alg) {
    case 1:
      return { ...bucket, ...grown };
    case 2: {
      const sum = (bucket.sumWeights.at(-1) ?? 0) + (weight >>> 0);
      if (sum > 0xffff_ffff) throw tooHeavy(bucket.id);
      const itemWeights = appended(bucket.itemWeights, weight);
      return { ...bucket, ...grown, itemWeights, sumWeights: appended(bucket.sumWeights, sum) };
    }
    case 3:
      return { ...bucket, ...grown, nodeWeights: grownTree(bucket, weight) };
    case 4: {
      const itemWeights = appended(bucket.itemWeights, weight);
      return { ...bucket, ...grown, itemWeights, straws: strawLengths(itemWeights, strawCalcVersion) };
    }
    case 5:
      return { ...bucket, ...grown, itemWeights: appended(bucket.itemWeights, weight) };
  }
}

/**
 * The bucket without the first item of that id (`crush_bucket_remove_item`). The positions of a tree bucket's items
 * are those of its nodes, so there the item leaves a hole, OSD 0 with weight 0; only holes at the end go away, and
 * with them every last item that weighs 0.
 *
 * @throws CrushError `not-found`.
 */
export function removeBucketItem(bucket: CrushBucket, item: number, strawCalcVersion: number): CrushBucket {
  const position = bucket.items.indexOf(item);
  if (position === -1) {
    throw new CrushError('not-found', `bucket ${bucket.id} has no item ${item}`, {}, 'ENOENT');
  }
  const itemWeight = bucketItemWeights(bucket)[position] ?? 0;
  const weight = itemWeight < bucket.weight ? bucket.weight - itemWeight : 0;
  if (bucket.alg === 3) return withoutTreeItem(bucket, position, weight);
  const shrunk = { items: without(bucket.items, position), weight };
  switch (bucket.alg) {
    case 1:
      return { ...bucket, ...shrunk };
    case 2: {
      const sumWeights = without(bucket.sumWeights, position);
      for (let i = position; i < sumWeights.length; i++) sumWeights[i] = (sumWeights[i] ?? 0) - itemWeight;
      return { ...bucket, ...shrunk, itemWeights: without(bucket.itemWeights, position), sumWeights };
    }
    case 4: {
      const itemWeights = without(bucket.itemWeights, position);
      return { ...bucket, ...shrunk, itemWeights, straws: strawLengths(itemWeights, strawCalcVersion) };
    }
    case 5:
      return { ...bucket, ...shrunk, itemWeights: without(bucket.itemWeights, position) };
  }
}

/**
 * The bucket in which the first item of that id weighs `weight`, or every item if it is uniform; the same bucket
 * where it has no such item (`crush_bucket_adjust_item_weight`).
 */
export function adjustBucketItemWeight(
  bucket: CrushBucket,
  item: number,
  weight: number,
  strawCalcVersion: number,
): CrushBucket {
  if (bucket.alg === 1) {
    const itemWeight = weight >>> 0;
    return { ...bucket, itemWeight, weight: Math.imul(itemWeight, bucket.items.length) >>> 0 };
  }
  const position = bucket.items.indexOf(item);
  if (position === -1) return bucket;
  if (bucket.alg === 3) {
    const nodeWeights = bucket.nodeWeights.slice();
    const leaf = 2 * position + 1;
    const difference = weight - (nodeWeights[leaf] ?? 0);
    nodeWeights[leaf] = weight;
    addAbove(nodeWeights, leaf, treeDepth(bucket.items.length), difference);
    return { ...bucket, nodeWeights, weight: (bucket.weight + difference) >>> 0 };
  }
  const itemWeights = bucket.itemWeights.slice();
  const difference = weight - (itemWeights[position] ?? 0);
  itemWeights[position] = weight;
  const total = (bucket.weight + difference) >>> 0;
  switch (bucket.alg) {
    case 2: {
      const sumWeights = bucket.sumWeights.map((sum, i) => (i < position ? sum : sum + difference));
      return { ...bucket, itemWeights, sumWeights, weight: total };
    }
    case 4:
      return { ...bucket, itemWeights, straws: strawLengths(itemWeights, strawCalcVersion), weight: total };
    case 5:
      return { ...bucket, itemWeights, weight: total };
  }
}

/**
 * The bucket in which the buckets among its items weigh what `weightOf` says (`crush_reweight_bucket`, one level of
 * it). As there, list sums and inner tree nodes stay as they are, and a uniform bucket takes the average of its
 * buckets if it has more of them than devices.
 *
 * @returns The bucket, and whether the sum of weights left 32 bits: it then stops at the item before.
 */
export function reweighBucket(
  bucket: CrushBucket,
  weightOf: (bucketId: number) => number,
  strawCalcVersion: number,
): { readonly bucket: CrushBucket; readonly overflow: boolean } {
  if (bucket.alg === 1) {
    const children = bucket.items.filter((item) => item < 0);
    const sum = children.reduce((total, child) => total + weightOf(child), 0);
    if (sum > 0xffff_ffff) return { bucket, overflow: true };
    const averaged = 2 * children.length > bucket.items.length;
    const itemWeight = averaged ? Math.floor(sum / children.length) : bucket.itemWeight;
    return {
      bucket: { ...bucket, itemWeight, weight: Math.imul(itemWeight, bucket.items.length) >>> 0 },
      overflow: false,
    };
  }
  const itemWeights = bucketItemWeights(bucket).slice();
  const nodeWeights = bucket.alg === 3 ? bucket.nodeWeights.slice() : new Uint32Array(0);
  let weight = 0;
  let overflow = false;
  for (const [position, item] of bucket.items.entries()) {
    if (item < 0) itemWeights[position] = nodeWeights[2 * position + 1] = weightOf(item);
    const total = weight + (itemWeights[position] ?? 0);
    overflow = total > 0xffff_ffff;
    if (overflow) break;
    weight = total;
  }
  switch (bucket.alg) {
    case 3:
      return { bucket: { ...bucket, nodeWeights, weight }, overflow };
    case 4: {
      const straws = overflow ? bucket.straws : strawLengths(itemWeights, strawCalcVersion);
      return { bucket: { ...bucket, itemWeights, straws, weight }, overflow };
    }
    default:
      return { bucket: { ...bucket, itemWeights, weight }, overflow };
  }
}

/** The error for a bucket whose total weight does not fit in 32 bits. */
export function tooHeavy(id: number): CrushError {
  return new CrushError(
    'refused',
    `the items of bucket ${id} would together weigh 65536.0 or more; lower their weights or divide them up`,
    {},
    'ERANGE',
  );
}

/** Nodes of a tree bucket with one more item (`crush_add_tree_bucket_item`). */
function grownTree(bucket: TreeBucket, weight: number): Uint32Array {
  const size = bucket.items.length + 1;
  checkTreeSize(bucket.id, size);
  const depth = treeDepth(size);
  const nodes = new Uint32Array(1 << depth);
  nodes.set(bucket.nodeWeights.subarray(0, nodes.length));
  const leaf = 2 * size - 1;
  nodes[leaf] = weight;
  // The first leaf right of the root: the root is new, and what was the tree is the left half.
  const root = nodes.length / 2;
  if (depth >= 2 && leaf - 1 === root) nodes[root] = nodes[root / 2] ?? 0;
  addAbove(nodes, leaf, depth, weight);
  return nodes;
}

/** `crush_remove_tree_bucket_item`. */
function withoutTreeItem(bucket: TreeBucket, position: number, weight: number): TreeBucket {
  const items = bucket.items.slice();
  const nodes = bucket.nodeWeights.slice();
  const leaf = 2 * position + 1;
  const itemWeight = nodes[leaf] ?? 0;
  items[position] = 0;
  nodes[leaf] = 0;
  addAbove(nodes, leaf, treeDepth(items.length), -itemWeight);
  let size = items.length;
  while (size > 0 && (nodes[2 * size - 1] ?? 0) === 0) size--;
  const depth = treeDepth(size);
  const nodeWeights = depth === treeDepth(items.length) ? nodes : nodes.slice(0, 1 << depth);
  return { ...bucket, items: items.slice(0, size), nodeWeights, weight };
}

/** Adds to the nodes above a leaf. */
function addAbove(nodes: Uint32Array, leaf: number, depth: number, difference: number): void {
  let node = leaf;
  for (let level = 1; level < depth; level++) {
    node = treeParent(node);
    nodes[node] = (nodes[node] ?? 0) + difference;
  }
}

/** Levels of a tree bucket of `size` items. */
function treeDepth(size: number): number {
  return size === 0 ? 0 : 33 - Math.clz32(size - 1);
}

/** The node above a node: the lowest set bit is the node's height, the next one says which side it hangs on. */
function treeParent(node: number): number {
  const step = node & -node;
  return (node & (step << 1)) !== 0 ? node - step : node + step;
}

function checkTreeSize(id: number, size: number): void {
  if (size <= MAX_TREE_ITEMS) return;
  throw new CrushError(
    'bad-argument',
    `tree bucket ${id} would have ${size} items; it holds at most ${MAX_TREE_ITEMS}, use straw2 or more levels`,
    {},
    'ENOMEM',
  );
}

function inUnits(weight: number): number {
  return (weight >>> 0) / 0x10000;
}

function appended<T extends Int32Array | Uint32Array>(array: T, value: number): T {
  const longer =
    array instanceof Int32Array ? new Int32Array(array.length + 1) : new Uint32Array(array.length + 1);
  longer.set(array);
  longer[array.length] = value;
  return longer as T;
}

function without<T extends Int32Array | Uint32Array>(array: T, position: number): T {
  return array.filter((_, i) => i !== position) as T;
}
