/*
 * Draws once made, checked against a change of one item of their bucket: one hash each, instead of one for every item.
 * Only straw2 lets one tell so, since there an item's draw depends on its own weight alone.
 */
import { word } from '../context';
import { hash3 } from '../hash';
import {
  K_COUNT,
  K_GROWN,
  K_HITS,
  K_ID,
  K_INDEX,
  K_INVERSE,
  K_LIMITS,
  K_NOTE_SECONDS,
  K_ROWS,
  K_RS,
  K_SECONDS,
  K_SEEDS,
  K_SLACK,
  K_WINNERS,
} from '../layout';
import { left, right, SEED, X, Y } from './mix';
import { scoreOf, threshold } from './draw';

/** Hashes of sixteen draws; the inputs and r of those that are not one after the other. */
const hashes: usize = memory.data(64, 16);
const xs: usize = memory.data(64, 16);
const rsOf: usize = memory.data(64, 16);

let rows: usize = 0;
let rs: usize = 0;
let winners: usize = 0;
let limits: usize = 0;
let seconds: usize = 0;
let seeds: usize = 0;
let id: i32 = 0;
let index: i32 = 0;
let inverse: f32 = 0;
let hits: usize = 0;
let hitCount: i32 = 0;

/**
 * Finds the draws that a change of one item may have changed, see RECHECK_WORDS in layout.ts; the limits and second
 * scores of the others are brought up to date. Gives back how many numbers of entries it has written.
 */
export function recheck(request: usize): i32 {
  rows = word(request, K_ROWS);
  rs = word(request, K_RS);
  winners = word(request, K_WINNERS);
  limits = word(request, K_LIMITS);
  seconds = word(request, K_SECONDS);
  seeds = word(request, K_SEEDS);
  id = word(request, K_ID);
  index = word(request, K_INDEX);
  inverse = load<f32>(request + (K_INVERSE << 2));
  hits = word(request, K_HITS);
  hitCount = 0;
  const count = word(request, K_COUNT);
  const slack = load<f32>(request + (K_SLACK << 2));
  if (word(request, K_GROWN) == 0) checkShrunk(count, slack);
  else if (word(request, K_NOTE_SECONDS)) checkAll(count);
  else checkGrown(count, slack);
  return hitCount;
}

/**
 * The item has become heavier: it may win draws that it has lost. Its score is not below the second one noted, less the
 * slack, so only draws where that is near the limit are looked at. What the item has won it keeps, with a limit that is
 * higher than it need be.
 */
function checkGrown(count: i32, slack: f32): void {
  const factor = f32x4.splat(slack);
  let near = 0;
  let entry = 0;
  for (; entry + 4 <= count; entry += 4) {
    const at = (<usize>entry) << 2;
    const limit = f32x4.mul(v128.load(limits + at), factor);
    let some = i32x4.bitmask(f32x4.le(v128.load(seconds + at), limit));
    for (; some != 0; some &= some - 1) near = list(near, entry + ctz(some));
  }
  for (; entry < count; entry++) {
    const at = (<usize>entry) << 2;
    if (load<f32>(seconds + at) <= load<f32>(limits + at) * slack) near = list(near, entry);
  }
  const inverses = f32x4.splat(inverse);
  for (let first = 0; first < near; first += 16) {
    const some = min<i32>(16, near - first);
    hashListed(first, some);
    for (let i = 0; i < some; i++) {
      const number = word(hits, first + i);
      // Against itself the item has nothing to win.
      if (word(winners, number) == index) continue;
      const score = f32x4.extract_lane(scoreOf(i32x4.splat(word(hashes, i)), inverses), 0);
      if (score <= load<f32>(limits + ((<usize>number) << 2))) hit(number);
    }
  }
}

/** As checkGrown, for an item that has become much heavier, or is new: the second scores are brought up to it. */
function checkAll(count: i32): void {
  const inverses = f32x4.splat(inverse);
  let entry = 0;
  for (; entry + 16 <= count; entry += 16) {
    const at = (<usize>entry) << 2;
    hashSixteen(seedsAt(at), seedsAt(at + 16), seedsAt(at + 32), seedsAt(at + 48), rs + at);
    for (let vector: usize = 0; vector < 64; vector += 16) {
      const score = scoreOf(v128.load(hashes + vector), inverses);
      let near = i32x4.bitmask(f32x4.le(score, v128.load(limits + at + vector)));
      noteSeconds(at + vector, score);
      for (; near != 0; near &= near - 1) {
        const number = entry + ((<i32>vector) >> 2) + ctz(near);
        if (word(winners, number) != index) hit(number);
      }
    }
  }
  for (; entry < count; entry++) {
    if (word(winners, entry) == index) continue;
    const at = (<usize>entry) << 2;
    const u = (<i32>hash3(seedAt(at), id, load<i32>(rs + at))) & 0xffff;
    const score = f32x4.extract_lane(scoreOf(i32x4.splat(u), inverses), 0);
    if (score <= load<f32>(limits + at)) hit(entry);
    store<f32>(seconds + at, min<f32>(load<f32>(seconds + at), score));
  }
}

/** Lowers the second scores of four draws to the item's, where it is not the winner. */
// @ts-ignore: decorator
@inline
function noteSeconds(at: usize, score: v128): void {
  const own = i32x4.eq(v128.load(winners + at), i32x4.splat(index));
  const second = v128.load(seconds + at);
  v128.store(seconds + at, v128.bitselect(second, f32x4.pmin(second, score), own));
}

/** The item has become lighter: it may lose draws that it has won. */
function checkShrunk(count: i32, slack: f32): void {
  const mine = i32x4.splat(index);
  let won = 0;
  let entry = 0;
  for (; entry + 4 <= count; entry += 4) {
    let some = i32x4.bitmask(i32x4.eq(v128.load(winners + ((<usize>entry) << 2)), mine));
    for (; some != 0; some &= some - 1) won = list(won, entry + ctz(some));
  }
  for (; entry < count; entry++) if (word(winners, entry) == index) won = list(won, entry);
  for (let first = 0; first < won; first += 16) {
    const some = min<i32>(16, won - first);
    hashListed(first, some);
    for (let i = 0; i < some; i++) {
      const number = word(hits, first + i);
      const at = (<usize>number) << 2;
      const limit = threshold(word(hashes, i), inverse);
      store<f32>(limits + at, limit);
      if (load<f32>(seconds + at) <= limit * slack) hit(number);
    }
  }
}

/*
 * Draws to look at are listed where the hits go: there are no more hits than draws looked at before them.
 */

// @ts-ignore: decorator
@inline
function list(length: i32, entry: i32): i32 {
  store<i32>(hits + ((<usize>length) << 2), entry);
  return length + 1;
}

/** Hashes `count` listed draws, at most sixteen. */
// @ts-ignore: decorator
@inline
function hashListed(first: i32, count: i32): void {
  for (let i = 0; i < count; i++) {
    const at = (<usize>word(hits, first + i)) << 2;
    store<i32>(xs + ((<usize>i) << 2), seedAt(at));
    store<i32>(rsOf + ((<usize>i) << 2), load<i32>(rs + at));
  }
  hashSixteen(v128.load(xs), v128.load(xs, 16), v128.load(xs, 32), v128.load(xs, 48), rsOf);
}

// @ts-ignore: decorator
@inline
function seedAt(at: usize): i32 {
  return load<i32>(seeds + ((<usize>load<i32>(rows + at)) << 2));
}

/** The inputs of four draws. */
// @ts-ignore: decorator
@inline
function seedsAt(at: usize): v128 {
  let four = v128.load32_zero(seeds + ((<usize>load<i32>(rows + at)) << 2));
  four = v128.load_lane<i32>(seeds + ((<usize>load<i32>(rows + at, 4)) << 2), four, 1);
  four = v128.load_lane<i32>(seeds + ((<usize>load<i32>(rows + at, 8)) << 2), four, 2);
  return v128.load_lane<i32>(seeds + ((<usize>load<i32>(rows + at, 12)) << 2), four, 3);
}

// @ts-ignore: decorator
@inline
function hit(entry: i32): void {
  store<i32>(hits + ((<usize>hitCount) << 2), entry);
  hitCount++;
}

/** hash3(x, id, r) & 0xffff of sixteen x and r, see hash.ts. */
// prettier-ignore
function hashSixteen(x0: v128, x1: v128, x2: v128, x3: v128, rs: usize): void {
  const ids = i32x4.splat(id), seed = v128.xor(i32x4.splat(SEED), ids);
  let a0 = x0, b0 = ids, c0 = v128.load(rs), X0 = i32x4.splat(X), Y0 = i32x4.splat(Y);
  let a1 = x1, b1 = ids, c1 = v128.load(rs, 16), X1 = i32x4.splat(X), Y1 = i32x4.splat(Y);
  let a2 = x2, b2 = ids, c2 = v128.load(rs, 32), X2 = i32x4.splat(X), Y2 = i32x4.splat(Y);
  let a3 = x3, b3 = ids, c3 = v128.load(rs, 48), X3 = i32x4.splat(X), Y3 = i32x4.splat(Y);
  let h0 = v128.xor(v128.xor(seed, a0), c0), h1 = v128.xor(v128.xor(seed, a1), c1), h2 = v128.xor(v128.xor(seed, a2), c2), h3 = v128.xor(v128.xor(seed, a3), c3);
  a0 = right(a0, b0, h0, 13), a1 = right(a1, b1, h1, 13), a2 = right(a2, b2, h2, 13), a3 = right(a3, b3, h3, 13);
  b0 = left(b0, h0, a0, 8), b1 = left(b1, h1, a1, 8), b2 = left(b2, h2, a2, 8), b3 = left(b3, h3, a3, 8);
  h0 = right(h0, a0, b0, 13), h1 = right(h1, a1, b1, 13), h2 = right(h2, a2, b2, 13), h3 = right(h3, a3, b3, 13);
  a0 = right(a0, b0, h0, 12), a1 = right(a1, b1, h1, 12), a2 = right(a2, b2, h2, 12), a3 = right(a3, b3, h3, 12);
  b0 = left(b0, h0, a0, 16), b1 = left(b1, h1, a1, 16), b2 = left(b2, h2, a2, 16), b3 = left(b3, h3, a3, 16);
  h0 = right(h0, a0, b0, 5), h1 = right(h1, a1, b1, 5), h2 = right(h2, a2, b2, 5), h3 = right(h3, a3, b3, 5);
  a0 = right(a0, b0, h0, 3), a1 = right(a1, b1, h1, 3), a2 = right(a2, b2, h2, 3), a3 = right(a3, b3, h3, 3);
  b0 = left(b0, h0, a0, 10), b1 = left(b1, h1, a1, 10), b2 = left(b2, h2, a2, 10), b3 = left(b3, h3, a3, 10);
  h0 = right(h0, a0, b0, 15), h1 = right(h1, a1, b1, 15), h2 = right(h2, a2, b2, 15), h3 = right(h3, a3, b3, 15);
  c0 = right(c0, X0, h0, 13), c1 = right(c1, X1, h1, 13), c2 = right(c2, X2, h2, 13), c3 = right(c3, X3, h3, 13);
  X0 = left(X0, h0, c0, 8), X1 = left(X1, h1, c1, 8), X2 = left(X2, h2, c2, 8), X3 = left(X3, h3, c3, 8);
  h0 = right(h0, c0, X0, 13), h1 = right(h1, c1, X1, 13), h2 = right(h2, c2, X2, 13), h3 = right(h3, c3, X3, 13);
  c0 = right(c0, X0, h0, 12), c1 = right(c1, X1, h1, 12), c2 = right(c2, X2, h2, 12), c3 = right(c3, X3, h3, 12);
  X0 = left(X0, h0, c0, 16), X1 = left(X1, h1, c1, 16), X2 = left(X2, h2, c2, 16), X3 = left(X3, h3, c3, 16);
  h0 = right(h0, c0, X0, 5), h1 = right(h1, c1, X1, 5), h2 = right(h2, c2, X2, 5), h3 = right(h3, c3, X3, 5);
  c0 = right(c0, X0, h0, 3), c1 = right(c1, X1, h1, 3), c2 = right(c2, X2, h2, 3), c3 = right(c3, X3, h3, 3);
  X0 = left(X0, h0, c0, 10), X1 = left(X1, h1, c1, 10), X2 = left(X2, h2, c2, 10), X3 = left(X3, h3, c3, 10);
  h0 = right(h0, c0, X0, 15), h1 = right(h1, c1, X1, 15), h2 = right(h2, c2, X2, 15), h3 = right(h3, c3, X3, 15);
  Y0 = right(Y0, a0, h0, 13), Y1 = right(Y1, a1, h1, 13), Y2 = right(Y2, a2, h2, 13), Y3 = right(Y3, a3, h3, 13);
  a0 = left(a0, h0, Y0, 8), a1 = left(a1, h1, Y1, 8), a2 = left(a2, h2, Y2, 8), a3 = left(a3, h3, Y3, 8);
  h0 = right(h0, Y0, a0, 13), h1 = right(h1, Y1, a1, 13), h2 = right(h2, Y2, a2, 13), h3 = right(h3, Y3, a3, 13);
  Y0 = right(Y0, a0, h0, 12), Y1 = right(Y1, a1, h1, 12), Y2 = right(Y2, a2, h2, 12), Y3 = right(Y3, a3, h3, 12);
  a0 = left(a0, h0, Y0, 16), a1 = left(a1, h1, Y1, 16), a2 = left(a2, h2, Y2, 16), a3 = left(a3, h3, Y3, 16);
  h0 = right(h0, Y0, a0, 5), h1 = right(h1, Y1, a1, 5), h2 = right(h2, Y2, a2, 5), h3 = right(h3, Y3, a3, 5);
  Y0 = right(Y0, a0, h0, 3), Y1 = right(Y1, a1, h1, 3), Y2 = right(Y2, a2, h2, 3), Y3 = right(Y3, a3, h3, 3);
  a0 = left(a0, h0, Y0, 10), a1 = left(a1, h1, Y1, 10), a2 = left(a2, h2, Y2, 10), a3 = left(a3, h3, Y3, 10);
  h0 = right(h0, Y0, a0, 15), h1 = right(h1, Y1, a1, 15), h2 = right(h2, Y2, a2, 15), h3 = right(h3, Y3, a3, 15);
  b0 = right(b0, X0, h0, 13), b1 = right(b1, X1, h1, 13), b2 = right(b2, X2, h2, 13), b3 = right(b3, X3, h3, 13);
  X0 = left(X0, h0, b0, 8), X1 = left(X1, h1, b1, 8), X2 = left(X2, h2, b2, 8), X3 = left(X3, h3, b3, 8);
  h0 = right(h0, b0, X0, 13), h1 = right(h1, b1, X1, 13), h2 = right(h2, b2, X2, 13), h3 = right(h3, b3, X3, 13);
  b0 = right(b0, X0, h0, 12), b1 = right(b1, X1, h1, 12), b2 = right(b2, X2, h2, 12), b3 = right(b3, X3, h3, 12);
  X0 = left(X0, h0, b0, 16), X1 = left(X1, h1, b1, 16), X2 = left(X2, h2, b2, 16), X3 = left(X3, h3, b3, 16);
  h0 = right(h0, b0, X0, 5), h1 = right(h1, b1, X1, 5), h2 = right(h2, b2, X2, 5), h3 = right(h3, b3, X3, 5);
  b0 = right(b0, X0, h0, 3), b1 = right(b1, X1, h1, 3), b2 = right(b2, X2, h2, 3), b3 = right(b3, X3, h3, 3);
  X0 = left(X0, h0, b0, 10), X1 = left(X1, h1, b1, 10), X2 = left(X2, h2, b2, 10), X3 = left(X3, h3, b3, 10);
  h0 = right(h0, b0, X0, 15), h1 = right(h1, b1, X1, 15), h2 = right(h2, b2, X2, 15), h3 = right(h3, b3, X3, 15);
  Y0 = right(Y0, c0, h0, 13), Y1 = right(Y1, c1, h1, 13), Y2 = right(Y2, c2, h2, 13), Y3 = right(Y3, c3, h3, 13);
  c0 = left(c0, h0, Y0, 8), c1 = left(c1, h1, Y1, 8), c2 = left(c2, h2, Y2, 8), c3 = left(c3, h3, Y3, 8);
  h0 = right(h0, Y0, c0, 13), h1 = right(h1, Y1, c1, 13), h2 = right(h2, Y2, c2, 13), h3 = right(h3, Y3, c3, 13);
  Y0 = right(Y0, c0, h0, 12), Y1 = right(Y1, c1, h1, 12), Y2 = right(Y2, c2, h2, 12), Y3 = right(Y3, c3, h3, 12);
  c0 = left(c0, h0, Y0, 16), c1 = left(c1, h1, Y1, 16), c2 = left(c2, h2, Y2, 16), c3 = left(c3, h3, Y3, 16);
  h0 = right(h0, Y0, c0, 5), h1 = right(h1, Y1, c1, 5), h2 = right(h2, Y2, c2, 5), h3 = right(h3, Y3, c3, 5);
  Y0 = right(Y0, c0, h0, 3), Y1 = right(Y1, c1, h1, 3), Y2 = right(Y2, c2, h2, 3), Y3 = right(Y3, c3, h3, 3);
  c0 = left(c0, h0, Y0, 10), c1 = left(c1, h1, Y1, 10), c2 = left(c2, h2, Y2, 10), c3 = left(c3, h3, Y3, 10);
  h0 = right(h0, Y0, c0, 15), h1 = right(h1, Y1, c1, 15), h2 = right(h2, Y2, c2, 15), h3 = right(h3, Y3, c3, 15);
  const low = i32x4.splat(0xffff);
  v128.store(hashes, v128.and(h0, low));
  v128.store(hashes, v128.and(h1, low), 16);
  v128.store(hashes, v128.and(h2, low), 32);
  v128.store(hashes, v128.and(h3, low), 48);
}
