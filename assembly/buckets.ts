/*
 * Drawing one item from a bucket: the five bucket algorithms.
 */
import {
  chooseArgs,
  fail,
  hashes,
  lanes,
  map,
  permutationOf,
  setWord,
  spend,
  unsignedWord,
  word,
  x,
} from './context';
import { hash3, hash4 } from './hash';
import { chooseListLanes, chooseStrawLanes } from './lanes/buckets';
import { chooseStraw2Lanes } from './lanes/straw2';
import {
  A_IDS,
  A_LANES,
  A_POSITIONS,
  A_WEIGHTS,
  B_ALG,
  B_EXTRA,
  B_ID,
  B_ITEMS,
  B_LANES,
  B_NODES,
  B_SIZE,
  B_WEIGHTS,
  PERM_HEADER,
  STATUS_TREE_WITHOUT_WEIGHT,
} from './layout';
import { crushLn } from './ln';
import { trace, traceDraw } from './trace';

const UNIFORM = 1;
const LIST = 2;
const TREE = 3;
const STRAW = 4;
const STRAW2 = 5;

/** Below every draw an item of some weight can make: C's S64_MIN. */
const NO_DRAW: f64 = -9223372036854775808.0;
/** In a permutation block: only element 0 is known, the rest is not even laid out. */
const ONLY_FIRST: u32 = 0xffff;

/** The item that `bucket` gives for the mapping's input and `r` (`crush_bucket_choose`). */
export function chooseItem(bucket: usize, r: i32, position: i32): i32 {
  spend(word(bucket, B_SIZE));
  const algorithm = word(bucket, B_ALG);
  if (ASC_FEATURE_SIMD && lanes) {
    const table = algorithm == STRAW2 ? laneTable(bucket, position) : 0;
    if (table) return chooseStraw2Lanes(table, r, hashes);
  }
  if (trace != 0) traceDraw(bucket, r, -1, Infinity, 0);
  if (ASC_FEATURE_SIMD && lanes) {
    if (algorithm == STRAW) return chooseStrawLanes(bucket, r, hashes);
    if (algorithm == LIST) return chooseListLanes(bucket, r, hashes);
  }
  if (algorithm == UNIFORM) return choosePermuted(bucket, r);
  if (algorithm == LIST) return chooseList(bucket, r);
  if (algorithm == TREE) return chooseTree(bucket, r);
  if (algorithm == STRAW) return chooseStraw(bucket, r);
  return chooseStraw2(bucket, r, position);
}

/**
 * Element r (modulo the size) of a random permutation of the items (`bucket_perm_choose`). The permutation is
 * worked out only as far as asked, and kept for the rest of the mapping.
 */
export function choosePermuted(bucket: usize, r: i32): i32 {
  const size = <u32>word(bucket, B_SIZE);
  const id = word(bucket, B_ID);
  const wanted = <u32>r % size;
  const block = permutationOf(bucket);
  const permutation = block + (PERM_HEADER << 2);
  let done = <u32>word(block, 1);

  if (done == 0) {
    if (wanted == 0) {
      const first = <u32>hash3(x, id, 0) % size;
      setWord(permutation, 0, first);
      setWord(block, 1, ONLY_FIRST);
      return item(bucket, first);
    }
    for (let i: u32 = 0; i < size; i++) setWord(permutation, i, i);
  } else if (done == ONLY_FIRST) {
    // Element 0 is known: lay out the others as if it had been swapped in.
    for (let i: u32 = 1; i < size; i++) setWord(permutation, i, i);
    setWord(permutation, word(permutation, 0), 0);
    done = 1;
  }
  for (; done <= wanted; done++) {
    if (done < size - 1) {
      const step = <u32>hash3(x, id, done) % (size - done);
      if (step) {
        const other = word(permutation, done + step);
        setWord(permutation, done + step, word(permutation, done));
        setWord(permutation, done, other);
      }
    }
  }
  setWord(block, 1, done);
  return item(bucket, word(permutation, wanted));
}

/** From the last item to the first, each taken with its share of the weight up to it (`bucket_list_choose`). */
function chooseList(bucket: usize, r: i32): i32 {
  const id = word(bucket, B_ID);
  const items = array(bucket, B_ITEMS);
  const weights = array(bucket, B_WEIGHTS);
  const sums = array(bucket, B_EXTRA);
  for (let i = word(bucket, B_SIZE) - 1; i >= 0; i--) {
    const candidate = word(items, i);
    const draw = <u64>(hash4(x, candidate, r, id) & 0xffff) * <u64>unsignedWord(sums, i);
    if (draw >> 16 < <u64>unsignedWord(weights, i)) return candidate;
  }
  return word(items, 0);
}

/** Down a binary tree, left or right by the weight on each side (`bucket_tree_choose`). */
function chooseTree(bucket: usize, r: i32): i32 {
  const id = word(bucket, B_ID);
  const weights = array(bucket, B_WEIGHTS);
  let node = word(bucket, B_NODES) >> 1;
  while ((node & 1) == 0) {
    const point = (<u64>(<u32>hash4(x, node, r, id)) * <u64>unsignedWord(weights, node)) >> 32;
    const half = 1 << (ctz(node) - 1);
    node = point < <u64>unsignedWord(weights, node - half) ? node - half : node + half;
  }
  const index = node >> 1;
  if (index >= word(bucket, B_SIZE)) {
    // Only a subtree without weight leads here, where Ceph's mapper reads past the items.
    fail(STATUS_TREE_WITHOUT_WEIGHT);
    return word(array(bucket, B_ITEMS), 0);
  }
  return word(array(bucket, B_ITEMS), index);
}

/** The longest of straws scaled by the stored lengths (`bucket_straw_choose`). */
function chooseStraw(bucket: usize, r: i32): i32 {
  const size = word(bucket, B_SIZE);
  const items = array(bucket, B_ITEMS);
  const straws = array(bucket, B_EXTRA);
  let best = 0;
  let bestDraw: u64 = 0;
  for (let i = 0; i < size; i++) {
    const draw = <u64>(hash3(x, word(items, i), r) & 0xffff) * <u64>unsignedWord(straws, i);
    if (i == 0 || draw > bestDraw) {
      best = i;
      bestDraw = draw;
    }
  }
  return word(items, best);
}

/**
 * The greatest of exponentially distributed draws, ln(u) / weight (`bucket_straw2_choose`). A choose_args record
 * may put other weights (by position) and other ids to hash in place of the bucket's own.
 */
function chooseStraw2(bucket: usize, r: i32, position: i32): i32 {
  const size = word(bucket, B_SIZE);
  const items = array(bucket, B_ITEMS);
  let weights = array(bucket, B_WEIGHTS);
  let ids = items;
  if (chooseArgs) {
    const offset = word(chooseArgs, -1 - word(bucket, B_ID));
    if (offset) {
      const record = map + ((<usize>offset) << 2);
      const positions = <u32>word(record, A_POSITIONS);
      if (positions) {
        const row = <u32>position < positions ? position : positions - 1;
        weights = array(record, A_WEIGHTS) + ((<usize>(row * size)) << 2);
      }
      if (word(record, A_IDS)) ids = array(record, A_IDS);
    }
  }
  let best = 0;
  let bestDraw = NO_DRAW;
  for (let i = 0; i < size; i++) {
    // The weight is signed here, as in Ceph: from 32768.0 up it divides by a negative number.
    const weight = word(weights, i);
    if (weight == 0) continue;
    const ln = crushLn(hash3(x, word(ids, i), r) & 0xffff) - 0x1000000000000;
    // Both are integers below 2^53 and the quotient is cut toward zero: exactly C's 64-bit division.
    const draw = trunc<f64>(<f64>ln / <f64>weight);
    if (draw > bestDraw) {
      best = i;
      bestDraw = draw;
    }
  }
  return word(items, best);
}

/** Address of the lane table of a straw2 bucket for a position, or 0 when its weights are not for lanes. */
export function laneTable(bucket: usize, position: i32): usize {
  let offset = word(bucket, B_LANES);
  if (chooseArgs) {
    const record = word(chooseArgs, -1 - word(bucket, B_ID));
    if (record) {
      const positions = word(map + ((<usize>record) << 2), A_POSITIONS);
      const row = position < positions ? position : positions > 0 ? positions - 1 : 0;
      offset = word(map + ((<usize>word(map + ((<usize>record) << 2), A_LANES)) << 2), row);
    }
  }
  return offset ? map + ((<usize>offset) << 2) : 0;
}

/** Address of the array that a record's field leads to. */
// @ts-ignore: decorator
@inline
function array(record: usize, field: i32): usize {
  return map + ((<usize>word(record, field)) << 2);
}

// @ts-ignore: decorator
@inline
function item(bucket: usize, index: i32): i32 {
  return word(array(bucket, B_ITEMS), index);
}
