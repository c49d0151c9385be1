// Writes assembly/ln-tables.ts: the constants of Ceph's fixed-point logarithm. Most of them follow a formula;
// 23 of the low table do not, and Ceph's placement depends on them, so they are listed as they are.
//
//   node scripts/generate-ln-tables.mjs            writes the file
//   node scripts/generate-ln-tables.mjs --check    exits 1 if the file is not what this would write
import { readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';

/** floor(2^48 * log2(numerator / denominator)) for a ratio in [1, 2], by repeated squaring. */
function log2Fixed48(numerator, denominator) {
  const bits = 160n;
  let mantissa = (BigInt(numerator) << bits) / BigInt(denominator);
  if (mantissa === 2n << bits) return 1n << 48n;
  let result = 0n;
  for (let i = 0; i < 48; i++) {
    mantissa = (mantissa * mantissa) >> bits;
    result <<= 1n;
    if (mantissa >= 2n << bits) {
      mantissa >>= 1n;
      result |= 1n;
    }
  }
  return result;
}

/** Entries of the low table that follow the plain formula. */
const PLAIN = new Set([
  0, 1, 203, 216, 222, 233, 237, 238, 239, 243, 244, 245, 246, 248, 249, 250, 251, 252, 253, 254, 255,
]);
/** Entries of the low table that follow none. */
const ODD = new Map([
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
/** What every other entry of the low table is above the formula. */
const OFFSET = 0x147700000n;

const high = Array.from({ length: 129 }, (_, k) => (k === 128 ? 0xffff00000000n : log2Fixed48(128 + k, 128)));
const reciprocal = Array.from({ length: 129 }, (_, k) => {
  const divisor = BigInt(128 + k);
  return ((1n << 55n) + divisor - 1n) / divisor;
});
const low = Array.from({ length: 256 }, (_, k) => {
  const formula = log2Fixed48(32768 + k, 32768);
  return ODD.get(k) ?? (PLAIN.has(k) ? formula : formula + OFFSET);
});

// The whole function, to prove the tables before they are written.
const results = new BigUint64Array(65536);
for (let u = 0; u < 65536; u++) {
  let x = u + 1;
  let exponent = 15;
  while (x < 32768) {
    x *= 2;
    exponent--;
  }
  const k = (x >> 8) - 128;
  const index2 = Number((BigInt(x) * reciprocal[k]) >> 48n) & 0xff;
  results[u] = (BigInt(exponent) << 44n) + ((high[k] + low[index2]) >> 4n);
}
const md5 = createHash('md5').update(new Uint8Array(results.buffer)).digest('hex');
if (md5 !== 'c640e62bc12405b748d60163f5ddd5b3') throw new Error(`the tables are wrong: md5 ${md5}`);

const rows = (values) => {
  const words = values.map((value) => `0x${value.toString(16)}`);
  const lines = [];
  for (let i = 0; i < words.length; i += 6) lines.push(`  ${words.slice(i, i + 6).join(', ')},`);
  return lines.join('\n');
};
const text = `/*
 * Written by scripts/generate-ln-tables.mjs, which has the formulas and the exceptions.
 */

/** ceil(2^55 / (128 + k)), k = 0 .. 128: what a normalised input is multiplied by, instead of a division. */
// prettier-ignore
export const LN_RECIPROCAL = memory.data<u64>([
${rows(reciprocal)}
]);

/** 2^48 * log2(1 + k / 128), k = 0 .. 128. */
// prettier-ignore
export const LN_HIGH = memory.data<u64>([
${rows(high)}
]);

/** 2^48 * log2(1 + k / 2^15) and Ceph's deviations from it, k = 0 .. 255. */
// prettier-ignore
export const LN_LOW = memory.data<u64>([
${rows(low)}
]);
`;
const file = new URL('../assembly/ln-tables.ts', import.meta.url);
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) {
    console.error('assembly/ln-tables.ts is not what scripts/generate-ln-tables.mjs writes; run it');
    process.exit(1);
  }
} else {
  writeFileSync(file, text);
}
