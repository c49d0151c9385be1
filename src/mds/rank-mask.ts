/** Which ranks the balancer may load. Follows `MDSMap::update_num_mdss_in_rank_mask_bitset` and `hex2bin` (Ceph's src/mds). */

/** Most ranks of a file system; Ceph's `MAX_MDS`. */
export const MAX_MDS = 0x100;

/** Ranks that take part in balancing. */
export interface RankMask {
  /** Whether a rank may be given load. */
  has(rank: number): boolean;
  /** How many ranks the load is shared by; 0 turns the balancer off. */
  readonly count: number;
}

/** Hexadecimal digits of one piece of a mask. */
const PIECE = 16;

/**
 * Reads `bal_rank_mask` of a file system. What Ceph cannot read stands for all ranks, as in Ceph.
 *
 * @param mask - '-1' or 'all' (also empty) for all ranks, '0' or '0x0' for none, or hexadecimal with rank 0 as
 *   its lowest bit
 * @param maxMds - `max_mds` of the file system: all ranks are as many
 *
 * @example
 * ```ts
 * readRankMask('0x3', 4).count; // 2: ranks 0 and 1
 * ```
 */
export function readRankMask(mask: string, maxMds: number): RankMask {
  if (mask === '0' || mask === '0x0') return { has: () => false, count: 0 };
  const bits = mask === '' || mask === '-1' || mask === 'all' ? undefined : maskBits(mask.toLowerCase());
  if (bits === undefined) return { has: () => true, count: maxMds };
  return {
    has: (rank) => ((bits >> BigInt(rank)) & 1n) === 1n,
    count: bits.toString(2).replaceAll('0', '').length,
  };
}

/**
 * Bits of a hexadecimal mask, or undefined where Ceph refuses it. Each 16 digits make 64 bits, and so does what is
 * left at the end: such a mask has other bits than its digits say.
 */
function maskBits(mask: string): bigint | undefined {
  const digits = mask.startsWith('0x') ? mask.slice(2) : mask;
  let bits = 0n;
  let length = 0;
  for (let at = 0; at < digits.length; at += PIECE) {
    const hexadecimal = /^\s*(?:0x)?([0-9a-f]+)/.exec(digits.slice(at, at + PIECE))?.[1];
    if (hexadecimal === undefined) return undefined;
    bits = (bits << 64n) | BigInt(`0x${hexadecimal}`);
    length += 64;
  }
  return length > MAX_MDS || bits === 0n ? undefined : bits;
}
