/*
 * Drawing from a straw2 bucket with its items in lanes: four in a vector, four vectors at a time.
 */
import { word, x } from '../context';
import { T_STRIDE } from '../layout';
import { finishDraw, scoreOf, tableIds, tableInverses } from './draw';
import { hash3Lanes1, hash3Lanes2, hash3Lanes3, hash3Lanes4 } from './hash';
import { choose12, choose16 } from './small';

/**
 * The item that a straw2 bucket's lane table gives for the mapping's input and `r`: four items in a vector, four
 * vectors at a time. `hashes` has room for the table's stride and 64 bytes more.
 */
export function chooseStraw2Lanes(table: usize, r: i32, hashes: usize): i32 {
  const stride = word(table, T_STRIDE);
  if (stride == 12) return choose12(table, r, hashes);
  if (stride == 16) return choose16(table, r, hashes);
  hashItems(tableIds(table), stride, r, hashes);
  const end = (<usize>word(table, T_STRIDE)) << 2;
  const inverses = tableInverses(table);

  // In each lane: the least score, the second least, and the offset of the least.
  let least = f32x4.splat(Infinity);
  let second = f32x4.splat(Infinity);
  let at = i32x4.splat(0);
  for (let offset: usize = 0; offset < end; offset += 16) {
    // A pad's score is no number, which none of these comparisons lets through.
    const score = scoreOf(v128.load(hashes + offset), v128.load(inverses + offset));
    at = v128.bitselect(i32x4.splat(<i32>offset), at, f32x4.lt(score, least));
    second = f32x4.pmin(second, f32x4.pmax(score, least));
    least = f32x4.pmin(least, score);
  }
  return finishDraw(table, r, hashes, least, second, at);
}

/** hash3(x, id, r) & 0xffff of `count` ids (rounded up to 4), to `hashes`. */
export function hashItems(ids: usize, count: i32, r: i32, hashes: usize): void {
  const xs = i32x4.splat(x);
  const rs = i32x4.splat(r);
  let vectors = (count + 3) >> 2;
  let at: usize = 0;
  // A vector by itself takes hardly less time than three: five are three and two.
  for (; vectors >= 4 && vectors != 5; vectors -= 4, at += 64) hash3Lanes4(xs, rs, ids + at, hashes + at);
  if (vectors == 5) {
    hash3Lanes3(xs, rs, ids + at, hashes + at);
    at += 48;
    vectors = 2;
  }
  if (vectors == 3) hash3Lanes3(xs, rs, ids + at, hashes + at);
  else if (vectors == 2) hash3Lanes2(xs, rs, ids + at, hashes + at);
  else if (vectors == 1) hash3Lanes1(xs, rs, ids + at, hashes + at);
}
