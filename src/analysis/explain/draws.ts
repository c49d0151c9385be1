/**
 * How each bucket algorithm draws one of its items, with the numbers that decide it. Follows the `bucket_*_choose`
 * functions of Ceph's src/crush/mapper.c. Every number fits a double: products of 16 and 32 bits, logarithms below
 * 2^48; only a tree's product of two 32-bit numbers takes a BigInt.
 */
import { BUCKET_ALGORITHM } from '../../crush/model.ts';
import type {
  ChooseArg,
  CrushBucket,
  ListBucket,
  Straw2Bucket,
  StrawBucket,
  TreeBucket,
} from '../../crush/model.ts';
import { CrushError } from '../../errors.ts';
import { hash32, lnTable } from '../../kernel/kernel.ts';
import type {
  BucketDraw,
  ListCandidate,
  ListDraw,
  PermutationDraw,
  Straw2Candidate,
  Straw2Draw,
  StrawCandidate,
  StrawDraw,
  Swap,
  TreeDraw,
  TreeTurn,
} from './trace.ts';
import type { Walk } from './walk.ts';

/**
 * Draws an item of a bucket, which must not be empty.
 *
 * @param position - which weight set of choose_args counts: the place that is being filled
 */
export function drawItem(walk: Walk, bucket: CrushBucket, r: number, position: number): BucketDraw {
  walk.spend(bucket.items.length);
  switch (bucket.alg) {
    case BUCKET_ALGORITHM.uniform:
      return permutationDraw(walk, bucket, r);
    case BUCKET_ALGORITHM.list:
      return listDraw(walk, bucket, r);
    case BUCKET_ALGORITHM.tree:
      return treeDraw(walk, bucket, r);
    case BUCKET_ALGORITHM.straw:
      return strawDraw(walk, bucket, r);
    case BUCKET_ALGORITHM.straw2:
      return straw2Draw(walk, bucket, r, walk.chooseArgs?.get(bucket.id), position);
  }
}

/** Draws by permutation from a bucket of any algorithm, as uniform buckets and exhaustive searches do. */
export function drawByPermutation(walk: Walk, bucket: CrushBucket, r: number): BucketDraw {
  walk.spend(bucket.items.length);
  return permutationDraw(walk, bucket, r);
}

function base(walk: Walk, bucket: CrushBucket, r: number): Pick<BucketDraw, 'bucket' | 'size' | 'r'> {
  return { bucket: walk.traced(bucket), size: bucket.items.length, r };
}

/** crush_ln of every input less 2^48, made once. */
let logarithms: Float64Array | undefined;

function logarithm(u: number): number {
  logarithms ??= Float64Array.from(lnTable(), (ln) => Number(ln) - 2 ** 48);
  return logarithms[u] ?? 0;
}

function straw2Draw(
  walk: Walk,
  bucket: Straw2Bucket,
  r: number,
  arg: ChooseArg | undefined,
  position: number,
): Straw2Draw {
  const sets = arg?.weightSet ?? [];
  const set = Math.min(position, sets.length - 1);
  const weights = sets[set] ?? bucket.itemWeights;
  const ids = arg?.ids ?? bucket.items;
  const uOf = (i: number): number => hash32(walk.x, ids[i] ?? 0, r) & 0xffff;
  const drawOf = (i: number): number => {
    // The unsigned weight goes into the division as a signed one: from 32768.0 on the draw is above 0, and wins.
    const weight = (weights[i] ?? 0) | 0;
    return weight === 0 ? -Infinity : Math.trunc(logarithm(uOf(i)) / weight);
  };
  const candidate = (i: number): Straw2Candidate => {
    const id = bucket.items[i] ?? 0;
    const u = uOf(i);
    const draw = drawOf(i);
    return {
      id,
      name: walk.names.nameOf(id),
      hashedId: ids[i] ?? 0,
      u,
      ln: logarithm(u),
      weight: weights[i] ?? 0,
      // Not -0, which equality tells from 0.
      draw: draw === -Infinity ? null : draw + 0,
    };
  };
  const [first, second] = bestTwo(bucket.items.length, drawOf);
  const winner = candidate(first);
  return {
    method: 'straw2',
    ...base(walk, bucket, r),
    item: { id: winner.id, name: winner.name },
    ...(sets.length === 0 ? {} : { weightSet: set }),
    winner,
    ...(second < 0 ? {} : { runnerUp: candidate(second) }),
    ...(walk.recordsAll ? { all: Array.from(bucket.items, (_, i) => candidate(i)) } : {}),
  };
}

function strawDraw(walk: Walk, bucket: StrawBucket, r: number): StrawDraw {
  const uOf = (i: number): number => hash32(walk.x, bucket.items[i] ?? 0, r) & 0xffff;
  const candidate = (i: number): StrawCandidate => {
    const u = uOf(i);
    const straw = bucket.straws[i] ?? 0;
    const id = bucket.items[i] ?? 0;
    return { id, name: walk.names.nameOf(id), u, straw, draw: u * straw };
  };
  const [first, second] = bestTwo(bucket.items.length, (i) => uOf(i) * (bucket.straws[i] ?? 0));
  const winner = candidate(first);
  return {
    method: 'straw',
    ...base(walk, bucket, r),
    item: { id: winner.id, name: winner.name },
    winner,
    ...(second < 0 ? {} : { runnerUp: candidate(second) }),
    ...(walk.recordsAll ? { all: Array.from(bucket.items, (_, i) => candidate(i)) } : {}),
  };
}

function listDraw(walk: Walk, bucket: ListBucket, r: number): ListDraw {
  const candidate = (i: number): ListCandidate => {
    const item = bucket.items[i] ?? 0;
    const u = hash32(walk.x, item, r, bucket.id) & 0xffff;
    const sumWeight = bucket.sumWeights[i] ?? 0;
    const draw = Math.floor((u * sumWeight) / 0x10000);
    const weight = bucket.itemWeights[i] ?? 0;
    return { id: item, name: walk.names.nameOf(item), u, sumWeight, weight, draw };
  };
  const all: ListCandidate[] = [];
  for (let i = bucket.items.length - 1; i >= 0; i--) {
    const asked = candidate(i);
    all.push(asked);
    if (asked.draw < asked.weight) break;
  }
  const last = all.at(-1) ?? candidate(0);
  const runnerUp = all.at(-2);
  return {
    method: 'list',
    ...base(walk, bucket, r),
    item: { id: last.id, name: last.name },
    winner: last,
    asked: all.length,
    byDefault: last.draw >= last.weight,
    ...(runnerUp === undefined ? {} : { runnerUp }),
    ...(walk.recordsAll ? { all } : {}),
  };
}

/** Down a binary tree whose leaves are the odd nodes: node 2^h k, k odd, has its children 2^(h - 1) to either side. */
function treeDraw(walk: Walk, bucket: TreeBucket, r: number): TreeDraw {
  const turns: TreeTurn[] = [];
  let node = bucket.nodeWeights.length >> 1;
  while ((node & 1) === 0) {
    const step = (node & -node) >> 1;
    const weight = bucket.nodeWeights[node] ?? 0;
    const hash = hash32(walk.x, node, r, bucket.id);
    const point = Number((BigInt(hash) * BigInt(weight)) >> 32n);
    const leftWeight = bucket.nodeWeights[node - step] ?? 0;
    const turn = point < leftWeight ? 'left' : 'right';
    turns.push({ node, weight, hash, point, leftWeight, turn });
    node = turn === 'left' ? node - step : node + step;
  }
  const item = bucket.items[node >> 1];
  if (item === undefined) {
    throw new CrushError(
      'invalid-rule',
      `this rule comes to a part of tree bucket ${bucket.id} that has no items or no weight; Ceph's mapper reads ` +
        `out of bounds there, at input ${walk.x}`,
    );
  }
  return { method: 'tree', ...base(walk, bucket, r), item: walk.item(item), turns };
}

/** A shuffle from the front, no further than the place that is wanted. */
function permutationDraw(walk: Walk, bucket: CrushBucket, r: number): PermutationDraw {
  const size = bucket.items.length;
  const place = (r >>> 0) % size;
  const order = Array.from(bucket.items);
  const all: Swap[] = [];
  // The last place has nothing left to swap with.
  for (let at = 0; at <= place && at < size - 1; at++) {
    const hash = hash32(walk.x, bucket.id, at);
    const other = at + (hash % (size - at));
    const item = order[other] ?? 0;
    order[other] = order[at] ?? 0;
    order[at] = item;
    if (walk.recordsAll || at === place) all.push({ place: at, hash, with: other });
  }
  const last = all.at(-1);
  return {
    method: 'permutation',
    ...base(walk, bucket, r),
    item: walk.item(order[place] ?? 0),
    place,
    ...(last?.place === place ? { swap: last } : {}),
    ...(walk.recordsAll ? { all } : {}),
  };
}

/** The indices of the greatest value and of the greatest of the others (-1 for none), each the first of equals. */
function bestTwo(count: number, valueOf: (index: number) => number): [best: number, second: number] {
  let best = 0;
  let bestValue = valueOf(0);
  let second = -1;
  let secondValue = -Infinity;
  for (let i = 1; i < count; i++) {
    const value = valueOf(i);
    if (value > bestValue) {
      second = best;
      secondValue = bestValue;
      best = i;
      bestValue = value;
    } else if (second < 0 || value > secondValue) {
      second = i;
      secondValue = value;
    }
  }
  return [best, second];
}
