/**
 * Buckets for tests, with the fields that Ceph's builder computes (sums, tree nodes; straw lengths at random).
 */
import { BUCKET_ALGORITHM } from '../src/crush/model.ts';
import type { CrushBucket } from '../src/crush/model.ts';
import type { Random } from './random.ts';

/**
 * A bucket of `algorithm` with `items` of 16.16 `weights`. A uniform bucket takes the first weight; a straw
 * bucket gets straw lengths that no weights would give, which the mapper must not mind.
 */
export function makeBucket(
  id: number,
  type: number,
  algorithm: number,
  items: readonly number[],
  weights: readonly number[],
  random: Random,
): CrushBucket {
  const weight = weights.reduce((sum, each) => sum + each, 0) >>> 0;
  const base = { id, type, hash: 0, weight, items: Int32Array.from(items) };
  const itemWeights = Uint32Array.from(weights);
  switch (algorithm) {
    case BUCKET_ALGORITHM.uniform:
      return { ...base, alg: 1, itemWeight: weights[0] ?? 0 };
    case BUCKET_ALGORITHM.list:
      return { ...base, alg: 2, itemWeights, sumWeights: runningSums(weights) };
    case BUCKET_ALGORITHM.tree:
      return { ...base, alg: 3, nodeWeights: treeNodes(weights) };
    case BUCKET_ALGORITHM.straw:
      return {
        ...base,
        alg: 4,
        itemWeights,
        straws: Uint32Array.from(weights, (each) => each && random.word()),
      };
    default:
      return { ...base, alg: 5, itemWeights };
  }
}

function runningSums(weights: readonly number[]): Uint32Array {
  let sum = 0;
  return Uint32Array.from(weights, (weight) => (sum += weight));
}

/** Weights of a binary tree's nodes: item i is node 2 i + 1, and a node's parent adds its two children. */
function treeNodes(weights: readonly number[]): Uint32Array {
  if (weights.length === 0) return new Uint32Array(0);
  let count = 2;
  while (count < 2 * weights.length) count *= 2;
  const nodes = new Uint32Array(count);
  weights.forEach((weight, i) => (nodes[2 * i + 1] = weight));
  for (let half = 1; half < count / 2; half *= 2) {
    for (let node = 2 * half; node < count; node += 4 * half) {
      nodes[node] = nodes[node - half]! + nodes[node + half]!;
    }
  }
  return nodes;
}
