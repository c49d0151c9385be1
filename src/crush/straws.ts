/**
 * What Ceph's builder derives from the weights of a bucket's items: the prefix sums of a list bucket, the inner
 * nodes of a tree bucket, the straw lengths of a straw bucket (src/crush/builder.c).
 */

/** Most items that a tree bucket can hold: Ceph counts its nodes, twice as many, in one byte. */
export const MAX_TREE_ITEMS = 64;

/** 16.16 sums of the weights of items 0 to i (`crush_make_list_bucket`). */
export function listSums(itemWeights: Uint32Array): Uint32Array {
  let sum = 0;
  return itemWeights.map((weight) => (sum = (sum + weight) >>> 0));
}

/**
 * 16.16 weights of the nodes of a tree bucket (`crush_make_tree_bucket`). The nodes are those of an in-order
 * walk, so a node's height is its number of trailing zero bits and item i is the leaf 2 i + 1:
 *
 * ```
 *          4          the root, half of the number of nodes
 *      2       6      each the sum of the two below
 *    1   3   5   7    the items (node 0 is not used)
 * ```
 *
 * @param itemWeights - At most {@link MAX_TREE_ITEMS}.
 */
export function treeNodeWeights(itemWeights: Uint32Array): Uint32Array {
  const size = itemWeights.length;
  if (size === 0) return new Uint32Array(0);
  let leaves = 1;
  while (leaves < size) leaves *= 2;
  const nodes = new Uint32Array(2 * leaves);
  itemWeights.forEach((weight, item) => (nodes[2 * item + 1] = weight));
  for (let half = 1; half < leaves; half *= 2) {
    for (let node = 2 * half; node < nodes.length; node += 4 * half) {
      nodes[node] = (nodes[node - half] ?? 0) + (nodes[node + half] ?? 0);
    }
  }
  return nodes;
}

/**
 * 16.16 straw lengths of a straw bucket's items (`crush_calc_straw`): from the lightest item up, each straw is
 * longer than the one before by the share of the weight that lies above.
 *
 * @param itemWeights - 16.16 weights.
 * @param version - `straw_calc_version`. Version 0 miscounts the items above when some weigh 0 or the same.
 */
export function strawLengths(itemWeights: Uint32Array, version: number): Uint32Array {
  const ranked = Array.from(itemWeights, (weight, item) => ({ weight, item }));
  ranked.sort((a, b) => a.weight - b.weight || a.item - b.item);
  const lengths = new Uint32Array(itemWeights.length);
  let straw = 1;
  let below = 0;
  let lastWeight = 0;
  let left = ranked.length;
  for (const [rank, { weight, item }] of ranked.entries()) {
    if (weight === 0) {
      if (version > 0) left--;
      continue;
    }
    lengths[item] = straw * 0x10000;
    const next = ranked[rank + 1];
    if (next === undefined) break;
    if (version === 0 && next.weight === weight) continue;

    below += (weight - lastWeight) * left;
    if (version > 0) left--;
    else for (let r = rank + 1; ranked[r]?.weight === next.weight; r++) left--;
    const above = Math.imul(left, next.weight - weight) >>> 0; // 32 bits in C as well, so it may wrap
    straw *= power(1 / (below / (below + above)), 1 / left);
    lastWeight = weight;
  }
  return lengths;
}

/** Fraction bits of the logarithms below. */
const BITS = 128n;

/**
 * x to the power of y, for x >= 1 and 0 < y <= 1, rounded correctly. Engines' `Math.pow` may be off by one in
 * the last place where glibc's, which Ceph uses, is not; near a whole number a straw is then one off.
 */
function power(x: number, y: number): number {
  if (x === 1 || y === 1) return x;
  const estimate = Math.pow(x, y);
  const { mantissa, exponent } = parts(y);
  const exact = (logarithm(x) * mantissa) >> BigInt(-exponent);
  const error = Number(exact - logarithm(estimate)) / Number(1n << BITS);
  return estimate + estimate * error;
}

/** A normal double as mantissa times 2 to the power of exponent. */
function parts(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  return { mantissa: (bits & 0xfffffffffffffn) | (1n << 52n), exponent: Number(bits >> 52n) - 1075 };
}

/** Natural logarithm of a double >= 1, with {@link BITS} fraction bits. */
function logarithm(value: number): bigint {
  const { mantissa, exponent } = parts(value);
  return logarithmOfFraction(mantissa << (BITS - 52n)) + BigInt(exponent + 52) * LN2;
}

/** ln m for m in [1, 2], both with {@link BITS} fraction bits: 2 artanh((m - 1) / (m + 1)), as a series. */
function logarithmOfFraction(m: bigint): bigint {
  const one = 1n << BITS;
  const t = ((m - one) << BITS) / (m + one);
  const square = (t * t) >> BITS;
  let sum = 0n;
  let term = t;
  for (let k = 1n; term !== 0n; k += 2n) {
    sum += term / k;
    term = (term * square) >> BITS;
  }
  return 2n * sum;
}

const LN2 = logarithmOfFraction(2n << BITS);
