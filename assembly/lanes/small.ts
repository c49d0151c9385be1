/*
 * straw2 in lanes for the usual sizes of a host, up to 12 and up to 16 items: hashes and scores without a loop, and
 * without going through memory between the two. See straw2.ts.
 */
import { x } from '../context';
import { finishDraw, scoreOf, tableIds, tableInverses } from './draw';
import { left, right, SEED, X, Y } from './mix';

/** The draw from a lane table of stride 12. */
// prettier-ignore
export function choose12(table: usize, r: i32, hashes: usize): i32 {
  const ids = tableIds(table);
  const xs = i32x4.splat(x), rs = i32x4.splat(r);
  let a0 = xs, b0 = v128.load(ids, 0), c0 = rs, X0 = i32x4.splat(X), Y0 = i32x4.splat(Y);
  let a1 = xs, b1 = v128.load(ids, 16), c1 = rs, X1 = i32x4.splat(X), Y1 = i32x4.splat(Y);
  let a2 = xs, b2 = v128.load(ids, 32), c2 = rs, X2 = i32x4.splat(X), Y2 = i32x4.splat(Y);
  const seed = v128.xor(v128.xor(i32x4.splat(SEED), xs), rs);
  let h0 = v128.xor(seed, b0), h1 = v128.xor(seed, b1), h2 = v128.xor(seed, b2);
  a0 = right(a0, b0, h0, 13), a1 = right(a1, b1, h1, 13), a2 = right(a2, b2, h2, 13);
  b0 = left(b0, h0, a0, 8), b1 = left(b1, h1, a1, 8), b2 = left(b2, h2, a2, 8);
  h0 = right(h0, a0, b0, 13), h1 = right(h1, a1, b1, 13), h2 = right(h2, a2, b2, 13);
  a0 = right(a0, b0, h0, 12), a1 = right(a1, b1, h1, 12), a2 = right(a2, b2, h2, 12);
  b0 = left(b0, h0, a0, 16), b1 = left(b1, h1, a1, 16), b2 = left(b2, h2, a2, 16);
  h0 = right(h0, a0, b0, 5), h1 = right(h1, a1, b1, 5), h2 = right(h2, a2, b2, 5);
  a0 = right(a0, b0, h0, 3), a1 = right(a1, b1, h1, 3), a2 = right(a2, b2, h2, 3);
  b0 = left(b0, h0, a0, 10), b1 = left(b1, h1, a1, 10), b2 = left(b2, h2, a2, 10);
  h0 = right(h0, a0, b0, 15), h1 = right(h1, a1, b1, 15), h2 = right(h2, a2, b2, 15);
  c0 = right(c0, X0, h0, 13), c1 = right(c1, X1, h1, 13), c2 = right(c2, X2, h2, 13);
  X0 = left(X0, h0, c0, 8), X1 = left(X1, h1, c1, 8), X2 = left(X2, h2, c2, 8);
  h0 = right(h0, c0, X0, 13), h1 = right(h1, c1, X1, 13), h2 = right(h2, c2, X2, 13);
  c0 = right(c0, X0, h0, 12), c1 = right(c1, X1, h1, 12), c2 = right(c2, X2, h2, 12);
  X0 = left(X0, h0, c0, 16), X1 = left(X1, h1, c1, 16), X2 = left(X2, h2, c2, 16);
  h0 = right(h0, c0, X0, 5), h1 = right(h1, c1, X1, 5), h2 = right(h2, c2, X2, 5);
  c0 = right(c0, X0, h0, 3), c1 = right(c1, X1, h1, 3), c2 = right(c2, X2, h2, 3);
  X0 = left(X0, h0, c0, 10), X1 = left(X1, h1, c1, 10), X2 = left(X2, h2, c2, 10);
  h0 = right(h0, c0, X0, 15), h1 = right(h1, c1, X1, 15), h2 = right(h2, c2, X2, 15);
  Y0 = right(Y0, a0, h0, 13), Y1 = right(Y1, a1, h1, 13), Y2 = right(Y2, a2, h2, 13);
  a0 = left(a0, h0, Y0, 8), a1 = left(a1, h1, Y1, 8), a2 = left(a2, h2, Y2, 8);
  h0 = right(h0, Y0, a0, 13), h1 = right(h1, Y1, a1, 13), h2 = right(h2, Y2, a2, 13);
  Y0 = right(Y0, a0, h0, 12), Y1 = right(Y1, a1, h1, 12), Y2 = right(Y2, a2, h2, 12);
  a0 = left(a0, h0, Y0, 16), a1 = left(a1, h1, Y1, 16), a2 = left(a2, h2, Y2, 16);
  h0 = right(h0, Y0, a0, 5), h1 = right(h1, Y1, a1, 5), h2 = right(h2, Y2, a2, 5);
  Y0 = right(Y0, a0, h0, 3), Y1 = right(Y1, a1, h1, 3), Y2 = right(Y2, a2, h2, 3);
  a0 = left(a0, h0, Y0, 10), a1 = left(a1, h1, Y1, 10), a2 = left(a2, h2, Y2, 10);
  h0 = right(h0, Y0, a0, 15), h1 = right(h1, Y1, a1, 15), h2 = right(h2, Y2, a2, 15);
  b0 = right(b0, X0, h0, 13), b1 = right(b1, X1, h1, 13), b2 = right(b2, X2, h2, 13);
  X0 = left(X0, h0, b0, 8), X1 = left(X1, h1, b1, 8), X2 = left(X2, h2, b2, 8);
  h0 = right(h0, b0, X0, 13), h1 = right(h1, b1, X1, 13), h2 = right(h2, b2, X2, 13);
  b0 = right(b0, X0, h0, 12), b1 = right(b1, X1, h1, 12), b2 = right(b2, X2, h2, 12);
  X0 = left(X0, h0, b0, 16), X1 = left(X1, h1, b1, 16), X2 = left(X2, h2, b2, 16);
  h0 = right(h0, b0, X0, 5), h1 = right(h1, b1, X1, 5), h2 = right(h2, b2, X2, 5);
  b0 = right(b0, X0, h0, 3), b1 = right(b1, X1, h1, 3), b2 = right(b2, X2, h2, 3);
  X0 = left(X0, h0, b0, 10), X1 = left(X1, h1, b1, 10), X2 = left(X2, h2, b2, 10);
  h0 = right(h0, b0, X0, 15), h1 = right(h1, b1, X1, 15), h2 = right(h2, b2, X2, 15);
  Y0 = right(Y0, c0, h0, 13), Y1 = right(Y1, c1, h1, 13), Y2 = right(Y2, c2, h2, 13);
  c0 = left(c0, h0, Y0, 8), c1 = left(c1, h1, Y1, 8), c2 = left(c2, h2, Y2, 8);
  h0 = right(h0, Y0, c0, 13), h1 = right(h1, Y1, c1, 13), h2 = right(h2, Y2, c2, 13);
  Y0 = right(Y0, c0, h0, 12), Y1 = right(Y1, c1, h1, 12), Y2 = right(Y2, c2, h2, 12);
  c0 = left(c0, h0, Y0, 16), c1 = left(c1, h1, Y1, 16), c2 = left(c2, h2, Y2, 16);
  h0 = right(h0, Y0, c0, 5), h1 = right(h1, Y1, c1, 5), h2 = right(h2, Y2, c2, 5);
  Y0 = right(Y0, c0, h0, 3), Y1 = right(Y1, c1, h1, 3), Y2 = right(Y2, c2, h2, 3);
  c0 = left(c0, h0, Y0, 10), c1 = left(c1, h1, Y1, 10), c2 = left(c2, h2, Y2, 10);
  h0 = right(h0, Y0, c0, 15), h1 = right(h1, Y1, c1, 15), h2 = right(h2, Y2, c2, 15);
  const low = i32x4.splat(0xffff), inverses = tableInverses(table);
  // A pad's score is no number; here it must be one that does not win.
  const never = f32x4.splat(Infinity);
  h0 = v128.and(h0, low), h1 = v128.and(h1, low), h2 = v128.and(h2, low);
  v128.store(hashes, h0, 0), v128.store(hashes, h1, 16), v128.store(hashes, h2, 32);
  const s0 = f32x4.pmin(never, scoreOf(h0, v128.load(inverses, 0)));
  const s1 = f32x4.pmin(never, scoreOf(h1, v128.load(inverses, 16)));
  const s2 = f32x4.pmin(never, scoreOf(h2, v128.load(inverses, 32)));
  const least01 = f32x4.pmin(s0, s1), most01 = f32x4.pmax(s0, s1);
  const at01 = v128.bitselect(i32x4.splat(16), i32x4.splat(0), f32x4.lt(s1, s0));
  const least = f32x4.pmin(least01, s2);
  const second = f32x4.pmin(most01, f32x4.pmax(least01, s2));
  const at = v128.bitselect(i32x4.splat(32), at01, f32x4.lt(s2, least01));
  return finishDraw(table, r, hashes, least, second, at);
}

/** The draw from a lane table of stride 16. */
// prettier-ignore
export function choose16(table: usize, r: i32, hashes: usize): i32 {
  const ids = tableIds(table);
  const xs = i32x4.splat(x), rs = i32x4.splat(r);
  let a0 = xs, b0 = v128.load(ids, 0), c0 = rs, X0 = i32x4.splat(X), Y0 = i32x4.splat(Y);
  let a1 = xs, b1 = v128.load(ids, 16), c1 = rs, X1 = i32x4.splat(X), Y1 = i32x4.splat(Y);
  let a2 = xs, b2 = v128.load(ids, 32), c2 = rs, X2 = i32x4.splat(X), Y2 = i32x4.splat(Y);
  let a3 = xs, b3 = v128.load(ids, 48), c3 = rs, X3 = i32x4.splat(X), Y3 = i32x4.splat(Y);
  const seed = v128.xor(v128.xor(i32x4.splat(SEED), xs), rs);
  let h0 = v128.xor(seed, b0), h1 = v128.xor(seed, b1), h2 = v128.xor(seed, b2), h3 = v128.xor(seed, b3);
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
  const low = i32x4.splat(0xffff), inverses = tableInverses(table);
  // A pad's score is no number; here it must be one that does not win.
  const never = f32x4.splat(Infinity);
  h0 = v128.and(h0, low), h1 = v128.and(h1, low), h2 = v128.and(h2, low), h3 = v128.and(h3, low);
  v128.store(hashes, h0, 0), v128.store(hashes, h1, 16), v128.store(hashes, h2, 32), v128.store(hashes, h3, 48);
  const s0 = f32x4.pmin(never, scoreOf(h0, v128.load(inverses, 0)));
  const s1 = f32x4.pmin(never, scoreOf(h1, v128.load(inverses, 16)));
  const s2 = f32x4.pmin(never, scoreOf(h2, v128.load(inverses, 32)));
  const s3 = f32x4.pmin(never, scoreOf(h3, v128.load(inverses, 48)));
  const least01 = f32x4.pmin(s0, s1), most01 = f32x4.pmax(s0, s1);
  const at01 = v128.bitselect(i32x4.splat(16), i32x4.splat(0), f32x4.lt(s1, s0));
  const least23 = f32x4.pmin(s2, s3), most23 = f32x4.pmax(s2, s3);
  const at23 = v128.bitselect(i32x4.splat(48), i32x4.splat(32), f32x4.lt(s3, s2));
  const least = f32x4.pmin(least01, least23);
  const second = f32x4.pmin(f32x4.pmin(most01, most23), f32x4.pmax(least01, least23));
  const at = v128.bitselect(at23, at01, f32x4.lt(least23, least01));
  return finishDraw(table, r, hashes, least, second, at);
}
