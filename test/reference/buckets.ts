/**
 * How each bucket algorithm draws one of its items for an input `x` and a replica number `r` (Ceph's
 * bucket_*_choose in src/crush/mapper.c). All of these are pure: Ceph caches permutations between calls,
 * which changes the time a draw takes and never its outcome.
 */
import { CrushError } from '../../src/errors.ts';
import { BUCKET_ALGORITHM, HASH_RJENKINS1 } from '../../src/crush/model.ts';
import type {
  ChooseArg,
  CrushBucket,
  ListBucket,
  Straw2Bucket,
  StrawBucket,
  TreeBucket,
} from '../../src/crush/model.ts';
import { hash32 } from './hash.ts';
import { crushLn } from './ln.ts';

/** The draw that loses to every other, which an item of weight 0 gets. */
const LEAST_DRAW = -(1n << 63n);

/**
 * The item that `bucket` gives for `x` and `r`. `arg` replaces a straw2 bucket's weights and ids, `position`
 * selects among its weight sets. The bucket must not be empty.
 */
export function drawItem(
  bucket: CrushBucket,
  x: number,
  r: number,
  arg: ChooseArg | undefined,
  position: number,
): number {
  switch (bucket.alg) {
    case BUCKET_ALGORITHM.uniform:
      return drawFromPermutation(bucket, x, r);
    case BUCKET_ALGORITHM.list:
      return drawFromList(bucket, x, r);
    case BUCKET_ALGORITHM.tree:
      return drawFromTree(bucket, x, r);
    case BUCKET_ALGORITHM.straw:
      return drawStraw(bucket, x, r);
    case BUCKET_ALGORITHM.straw2:
      return drawStraw2(bucket, x, r, arg, position);
  }
}

/** Item `r` (mod size) of the bucket's random permutation for `x`; any algorithm's items can be drawn so. */
export function drawFromPermutation(bucket: CrushBucket, x: number, r: number): number {
  const size = bucket.items.length;
  const wanted = (r >>> 0) % size;
  const order = Array.from(bucket.items);
  // A shuffle from the front, no further than wanted; the last place has nothing left to swap with.
  for (let place = 0; place <= wanted && place < size - 1; place++) {
    const other = place + (bucketHash(bucket, x, bucket.id, place) % (size - place));
    [order[place], order[other]] = [order[other]!, order[place]!];
  }
  return order[wanted]!;
}

/** From the last item to the first, each takes its share of what is left. */
function drawFromList(bucket: ListBucket, x: number, r: number): number {
  for (let i = bucket.items.length - 1; i >= 0; i--) {
    const item = bucket.items[i]!;
    const draw = BigInt(bucketHash(bucket, x, item, r, bucket.id) & 0xffff);
    if ((draw * BigInt(bucket.sumWeights[i]!)) >> 16n < BigInt(bucket.itemWeights[i]!)) return item;
  }
  return bucket.items[0]!;
}

/** Down a binary tree whose leaves are the odd nodes; a node of 2^h k, k odd, has height h. */
function drawFromTree(bucket: TreeBucket, x: number, r: number): number {
  let node = bucket.nodeWeights.length >> 1;
  while ((node & 1) === 0) {
    const step = (node & -node) >> 1;
    const weight = BigInt(bucket.nodeWeights[node]!);
    const point = (BigInt(bucketHash(bucket, x, node, r, bucket.id)) * weight) >> 32n;
    const left = node - step;
    node = point < BigInt(bucket.nodeWeights[left]!) ? left : node + step;
  }
  const item = bucket.items[node >> 1];
  if (item === undefined) {
    throw new CrushError('invalid-rule', `tree bucket ${bucket.id} leads beyond its last item`);
  }
  return item;
}

/** The longest straw wins, the first of equals. */
function drawStraw(bucket: StrawBucket, x: number, r: number): number {
  return itemOfGreatest(bucket, (item, i) => {
    const draw = BigInt(bucketHash(bucket, x, item, r) & 0xffff);
    return draw * BigInt(bucket.straws[i]!);
  });
}

/** The greatest (least negative) ln / weight wins, the first of equals. */
function drawStraw2(
  bucket: Straw2Bucket,
  x: number,
  r: number,
  arg: ChooseArg | undefined,
  position: number,
): number {
  const sets = arg?.weightSet;
  // Ceph's compiler and encoder never leave a weight_set without positions.
  const weights = sets === undefined ? bucket.itemWeights : sets[Math.min(position, sets.length - 1)]!;
  const ids = arg?.ids ?? bucket.items;
  return itemOfGreatest(bucket, (_, i) => {
    // Ceph passes the unsigned weight as a signed one: from 2^31 on it divides by a negative number.
    const weight = BigInt(weights[i]! | 0);
    if (weight === 0n) return LEAST_DRAW;
    const u = bucketHash(bucket, x, ids[i]!, r) & 0xffff;
    return (crushLn(u) - (1n << 48n)) / weight;
  });
}

function itemOfGreatest(bucket: CrushBucket, drawOf: (item: number, index: number) => bigint): number {
  let winner = bucket.items[0]!;
  let greatest = drawOf(winner, 0);
  bucket.items.forEach((item, i) => {
    if (i === 0) return;
    const draw = drawOf(item, i);
    if (draw > greatest) {
      greatest = draw;
      winner = item;
    }
  });
  return winner;
}

/** The bucket's hash; a hash function that Ceph does not know gives 0. */
function bucketHash(bucket: CrushBucket, ...words: number[]): number {
  return bucket.hash === HASH_RJENKINS1 ? hash32(...words) : 0;
}
