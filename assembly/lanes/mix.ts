/*
 * The steps of rjenkins1's mix in vectors, see ../hash.ts: v = (v - p - q) ^ (q shifted).
 */

export const SEED: i32 = 1315423911;
export const X: i32 = 231232;
export const Y: i32 = 1232;

// @ts-ignore: decorator
@inline
export function right(v: v128, p: v128, q: v128, n: i32): v128 {
  return v128.xor(i32x4.sub(i32x4.sub(v, p), q), i32x4.shr_u(q, n));
}

// @ts-ignore: decorator
@inline
export function left(v: v128, p: v128, q: v128, n: i32): v128 {
  return v128.xor(i32x4.sub(i32x4.sub(v, p), q), i32x4.shl(q, n));
}
