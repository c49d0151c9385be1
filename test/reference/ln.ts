/**
 * crush_ln, the fixed-point logarithm that straw2 draws with, from the rules its tables follow. The steps are
 * those of Ceph's function (src/crush/mapper.c), 64-bit product included.
 */

/** 2^55 / (128 + k), rounded up: reciprocals of the leading bits. */
const RECIPROCALS: readonly bigint[] = Array.from({ length: 129 }, (_, k) => {
  const divisor = 128n + BigInt(k);
  return ((1n << 55n) + divisor - 1n) / divisor;
});

/** 2^48 log2(1 + k / 128), rounded down; the last is short of the formula in Ceph's table. */
const COARSE: readonly bigint[] = Array.from({ length: 129 }, (_, k) =>
  k === 128 ? 0xffff00000000n : log2Of(128n + BigInt(k), 128n),
);

/** Entries of the fine table that follow 2^48 log2(1 + k / 2^15). */
const FINE_BY_FORMULA = new Set([
  0, 1, 203, 216, 222, 233, 237, 238, 239, 243, 244, 245, 246, 248, 249, 250, 251, 252, 253, 254, 255,
]);

/** Entries of the fine table that follow no formula known. */
const FINE_ODD: ReadonlyMap<number, bigint> = new Map([
  [56, 0xa2b07f3458n],
  [127, 0x16df6ca19bdn],
  [134, 0x182b07f3458n],
  [181, 0x209c06e6212n],
  [184, 0x212b07f3458n],
  [188, 0x21d6a73a78fn],
  [193, 0x22c23679b4en],
  [198, 0x23a2c3b0ea4n],
  [199, 0x23d13ee805bn],
  [200, 0x24035e9221fn],
  [207, 0x25492644d65n],
  [210, 0x25d13ee805bn],
  [212, 0x26296453882n],
  [225, 0x287bdbf5255n],
  [227, 0x28d13ee805bn],
  [228, 0x29035e9221fn],
  [229, 0x29296453882n],
  [231, 0x29902a37aabn],
  [235, 0x2a4c7605d61n],
  [236, 0x2a7bdbf5255n],
  [240, 0x2b296453882n],
  [241, 0x2b5d022d80fn],
  [247, 0x2c61a5e8f4cn],
]);

/** Every other entry lies this far above the formula. */
const FINE_OFFSET = 0x147700000n;

const FINE: readonly bigint[] = Array.from({ length: 256 }, (_, k) => {
  const odd = FINE_ODD.get(k);
  if (odd !== undefined) return odd;
  const formula = log2Of((1n << 15n) + BigInt(k), 1n << 15n);
  return FINE_BY_FORMULA.has(k) ? formula : formula + FINE_OFFSET;
});

const remembered = new Map<number, bigint>();

/** About 2^44 log2(u + 1), for u of 0 to 65535, as Ceph's tables give it. */
export function crushLn(u: number): bigint {
  let ln = remembered.get(u);
  if (ln === undefined) {
    ln = computeLn(u);
    remembered.set(u, ln);
  }
  return ln;
}

function computeLn(u: number): bigint {
  // Bring u + 1 to 16 bits, top bit set (65536 itself has 17 and stays).
  let x = BigInt(u) + 1n;
  let exponent = 15n;
  while (x < 0x8000n) {
    x <<= 1n;
    exponent -= 1n;
  }
  const leading = Number(x >> 8n) - 128;
  const fraction = Number(((x * RECIPROCALS[leading]!) >> 48n) & 0xffn);
  return (exponent << 44n) + ((COARSE[leading]! + FINE[fraction]!) >> 4n);
}

/** 2^48 log2(numerator / denominator), rounded down, for a ratio in [1, 2): one bit a squaring. */
function log2Of(numerator: bigint, denominator: bigint): bigint {
  const precision = 160n;
  let ratio = (numerator << precision) / denominator;
  let bits = 0n;
  for (let bit = 0; bit < 48; bit++) {
    ratio = (ratio * ratio) >> precision;
    bits <<= 1n;
    if (ratio >> (precision + 1n) !== 0n) {
      ratio >>= 1n;
      bits |= 1n;
    }
  }
  return bits;
}
