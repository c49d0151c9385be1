/*
 * The fixed-point logarithm of straw2.
 */
import { LN_HIGH, LN_LOW, LN_RECIPROCAL } from './ln-tables';

/** 2^44 * log2(u + 1) for u = 0 .. 65535, to the bit (`crush_ln`). */
// @ts-ignore: decorator
@inline
export function crushLn(u: i32): i64 {
  // Shift u + 1 up until bit 15 or 16 is its highest.
  let x = u + 1;
  let exponent = 15;
  if ((x & 0x18000) == 0) {
    const bits = clz<i32>(x) - 16;
    x <<= bits;
    exponent = 15 - bits;
  }
  const k = (<usize>((x >>> 8) - 128)) << 3;
  const index2 = (<usize>((<u64>x * load<u64>(LN_RECIPROCAL + k)) >> 48)) & 0xff;
  return ((<i64>exponent) << 44) + ((load<i64>(LN_HIGH + k) + load<i64>(LN_LOW + (index2 << 3))) >> 4);
}
