/*
 * Straw and list buckets with the hashes in lanes; what is made of them is one item at a time.
 */
import { map, unsignedWord, word, x } from '../context';
import { B_EXTRA, B_ID, B_ITEMS, B_SIZE, B_WEIGHTS } from '../layout';
import { hash4Lanes4 } from './hash4';
import { hashItems } from './straw2';

/** As `chooseStraw` in ../buckets.ts. */
export function chooseStrawLanes(bucket: usize, r: i32, hashes: usize): i32 {
  const size = word(bucket, B_SIZE);
  const items = array(bucket, B_ITEMS);
  const straws = array(bucket, B_EXTRA);
  hashItems(items, size, r, hashes);
  let best = 0;
  let bestDraw: u64 = 0;
  for (let i = 0; i < size; i++) {
    // Without a branch: which straw is the longest cannot be guessed.
    const draw = <u64>word(hashes, i) * <u64>unsignedWord(straws, i);
    const longer = draw > bestDraw;
    best = select<i32>(i, best, longer);
    bestDraw = select<u64>(draw, bestDraw, longer);
  }
  return word(items, best);
}

/** As `chooseList` in ../buckets.ts, sixteen items at a time from the end. */
export function chooseListLanes(bucket: usize, r: i32, hashes: usize): i32 {
  const items = array(bucket, B_ITEMS);
  const weights = array(bucket, B_WEIGHTS);
  const sums = array(bucket, B_EXTRA);
  const xs = i32x4.splat(x);
  const rs = i32x4.splat(r);
  const ids = i32x4.splat(word(bucket, B_ID));
  for (let end = word(bucket, B_SIZE); end > 0; end -= 16) {
    const start = end > 16 ? end - 16 : 0;
    hash4Lanes4(xs, rs, ids, items + ((<usize>start) << 2), hashes);
    for (let i = end - 1; i >= start; i--) {
      const draw = <u64>word(hashes, i - start) * <u64>unsignedWord(sums, i);
      if (draw >> 16 < <u64>unsignedWord(weights, i)) return word(items, i);
    }
  }
  return word(items, 0);
}

// @ts-ignore: decorator
@inline
function array(record: usize, field: i32): usize {
  return map + ((<usize>word(record, field)) << 2);
}
