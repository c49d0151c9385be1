/*
 * Robert Jenkins' 32-bit mix as CRUSH uses it (`crush_hash32_*`, hash type rjenkins1), with one to five
 * arguments. Each form starts from seed ^ all arguments and stirs pairs of (arguments, X, Y) into it.
 */

const SEED: i32 = 1315423911;
const X: i32 = 231232;
const Y: i32 = 1232;

/*
 * One mix of (a, b, c) is nine steps v = (v - p - q) ^ (q shifted): `r` shifts right, `l` left. They are spelled
 * out in each form since a function cannot give back three values without going through memory.
 */

// @ts-ignore: decorator
@inline
function r(v: i32, p: i32, q: i32, n: i32): i32 {
  return (v - p - q) ^ (q >>> n);
}

// @ts-ignore: decorator
@inline
function l(v: i32, p: i32, q: i32, n: i32): i32 {
  return (v - p - q) ^ (q << n);
}

/** Hash of one argument (`crush_hash32`). */
// prettier-ignore
export function hash1(a: i32): i32 {
  let h = SEED ^ a, b = a, x = X, y = Y;
  b = r(b, x, h, 13), x = l(x, h, b, 8), h = r(h, b, x, 13);
  b = r(b, x, h, 12), x = l(x, h, b, 16), h = r(h, b, x, 5);
  b = r(b, x, h, 3), x = l(x, h, b, 10), h = r(h, b, x, 15);
  y = r(y, a, h, 13), a = l(a, h, y, 8), h = r(h, y, a, 13);
  y = r(y, a, h, 12), a = l(a, h, y, 16), h = r(h, y, a, 5);
  y = r(y, a, h, 3), a = l(a, h, y, 10), h = r(h, y, a, 15);
  return h;
}

/** Hash of two arguments (`crush_hash32_2`). */
// @ts-ignore: decorator
@inline
// prettier-ignore
export function hash2(a: i32, b: i32): i32 {
  let h = SEED ^ a ^ b, x = X, y = Y;
  a = r(a, b, h, 13), b = l(b, h, a, 8), h = r(h, a, b, 13);
  a = r(a, b, h, 12), b = l(b, h, a, 16), h = r(h, a, b, 5);
  a = r(a, b, h, 3), b = l(b, h, a, 10), h = r(h, a, b, 15);
  x = r(x, a, h, 13), a = l(a, h, x, 8), h = r(h, x, a, 13);
  x = r(x, a, h, 12), a = l(a, h, x, 16), h = r(h, x, a, 5);
  x = r(x, a, h, 3), a = l(a, h, x, 10), h = r(h, x, a, 15);
  b = r(b, y, h, 13), y = l(y, h, b, 8), h = r(h, b, y, 13);
  b = r(b, y, h, 12), y = l(y, h, b, 16), h = r(h, b, y, 5);
  b = r(b, y, h, 3), y = l(y, h, b, 10), h = r(h, b, y, 15);
  return h;
}

/** Hash of three arguments (`crush_hash32_3`). */
// @ts-ignore: decorator
@inline
// prettier-ignore
export function hash3(a: i32, b: i32, c: i32): i32 {
  let h = SEED ^ a ^ b ^ c, x = X, y = Y;
  a = r(a, b, h, 13), b = l(b, h, a, 8), h = r(h, a, b, 13);
  a = r(a, b, h, 12), b = l(b, h, a, 16), h = r(h, a, b, 5);
  a = r(a, b, h, 3), b = l(b, h, a, 10), h = r(h, a, b, 15);
  c = r(c, x, h, 13), x = l(x, h, c, 8), h = r(h, c, x, 13);
  c = r(c, x, h, 12), x = l(x, h, c, 16), h = r(h, c, x, 5);
  c = r(c, x, h, 3), x = l(x, h, c, 10), h = r(h, c, x, 15);
  y = r(y, a, h, 13), a = l(a, h, y, 8), h = r(h, y, a, 13);
  y = r(y, a, h, 12), a = l(a, h, y, 16), h = r(h, y, a, 5);
  y = r(y, a, h, 3), a = l(a, h, y, 10), h = r(h, y, a, 15);
  b = r(b, x, h, 13), x = l(x, h, b, 8), h = r(h, b, x, 13);
  b = r(b, x, h, 12), x = l(x, h, b, 16), h = r(h, b, x, 5);
  b = r(b, x, h, 3), x = l(x, h, b, 10), h = r(h, b, x, 15);
  y = r(y, c, h, 13), c = l(c, h, y, 8), h = r(h, y, c, 13);
  y = r(y, c, h, 12), c = l(c, h, y, 16), h = r(h, y, c, 5);
  y = r(y, c, h, 3), c = l(c, h, y, 10), h = r(h, y, c, 15);
  return h;
}

/** Hash of four arguments (`crush_hash32_4`). */
// @ts-ignore: decorator
@inline
// prettier-ignore
export function hash4(a: i32, b: i32, c: i32, d: i32): i32 {
  let h = SEED ^ a ^ b ^ c ^ d, x = X, y = Y;
  a = r(a, b, h, 13), b = l(b, h, a, 8), h = r(h, a, b, 13);
  a = r(a, b, h, 12), b = l(b, h, a, 16), h = r(h, a, b, 5);
  a = r(a, b, h, 3), b = l(b, h, a, 10), h = r(h, a, b, 15);
  c = r(c, d, h, 13), d = l(d, h, c, 8), h = r(h, c, d, 13);
  c = r(c, d, h, 12), d = l(d, h, c, 16), h = r(h, c, d, 5);
  c = r(c, d, h, 3), d = l(d, h, c, 10), h = r(h, c, d, 15);
  a = r(a, x, h, 13), x = l(x, h, a, 8), h = r(h, a, x, 13);
  a = r(a, x, h, 12), x = l(x, h, a, 16), h = r(h, a, x, 5);
  a = r(a, x, h, 3), x = l(x, h, a, 10), h = r(h, a, x, 15);
  y = r(y, b, h, 13), b = l(b, h, y, 8), h = r(h, y, b, 13);
  y = r(y, b, h, 12), b = l(b, h, y, 16), h = r(h, y, b, 5);
  y = r(y, b, h, 3), b = l(b, h, y, 10), h = r(h, y, b, 15);
  c = r(c, x, h, 13), x = l(x, h, c, 8), h = r(h, c, x, 13);
  c = r(c, x, h, 12), x = l(x, h, c, 16), h = r(h, c, x, 5);
  c = r(c, x, h, 3), x = l(x, h, c, 10), h = r(h, c, x, 15);
  y = r(y, d, h, 13), d = l(d, h, y, 8), h = r(h, y, d, 13);
  y = r(y, d, h, 12), d = l(d, h, y, 16), h = r(h, y, d, 5);
  y = r(y, d, h, 3), d = l(d, h, y, 10), h = r(h, y, d, 15);
  return h;
}

/** Hash of five arguments (`crush_hash32_5`). */
// prettier-ignore
export function hash5(a: i32, b: i32, c: i32, d: i32, e: i32): i32 {
  let h = SEED ^ a ^ b ^ c ^ d ^ e, x = X, y = Y;
  a = r(a, b, h, 13), b = l(b, h, a, 8), h = r(h, a, b, 13);
  a = r(a, b, h, 12), b = l(b, h, a, 16), h = r(h, a, b, 5);
  a = r(a, b, h, 3), b = l(b, h, a, 10), h = r(h, a, b, 15);
  c = r(c, d, h, 13), d = l(d, h, c, 8), h = r(h, c, d, 13);
  c = r(c, d, h, 12), d = l(d, h, c, 16), h = r(h, c, d, 5);
  c = r(c, d, h, 3), d = l(d, h, c, 10), h = r(h, c, d, 15);
  e = r(e, x, h, 13), x = l(x, h, e, 8), h = r(h, e, x, 13);
  e = r(e, x, h, 12), x = l(x, h, e, 16), h = r(h, e, x, 5);
  e = r(e, x, h, 3), x = l(x, h, e, 10), h = r(h, e, x, 15);
  y = r(y, a, h, 13), a = l(a, h, y, 8), h = r(h, y, a, 13);
  y = r(y, a, h, 12), a = l(a, h, y, 16), h = r(h, y, a, 5);
  y = r(y, a, h, 3), a = l(a, h, y, 10), h = r(h, y, a, 15);
  b = r(b, x, h, 13), x = l(x, h, b, 8), h = r(h, b, x, 13);
  b = r(b, x, h, 12), x = l(x, h, b, 16), h = r(h, b, x, 5);
  b = r(b, x, h, 3), x = l(x, h, b, 10), h = r(h, b, x, 15);
  y = r(y, c, h, 13), c = l(c, h, y, 8), h = r(h, y, c, 13);
  y = r(y, c, h, 12), c = l(c, h, y, 16), h = r(h, y, c, 5);
  y = r(y, c, h, 3), c = l(c, h, y, 10), h = r(h, y, c, 15);
  d = r(d, x, h, 13), x = l(x, h, d, 8), h = r(h, d, x, 13);
  d = r(d, x, h, 12), x = l(x, h, d, 16), h = r(h, d, x, 5);
  d = r(d, x, h, 3), x = l(x, h, d, 10), h = r(h, d, x, 15);
  y = r(y, e, h, 13), e = l(e, h, y, 8), h = r(h, y, e, 13);
  y = r(y, e, h, 12), e = l(e, h, y, 16), h = r(h, y, e, 5);
  y = r(y, e, h, 3), e = l(e, h, y, 10), h = r(h, y, e, 15);
  return h;
}
