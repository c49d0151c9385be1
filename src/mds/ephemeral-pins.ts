/**
 * Ranks of directories with ephemeral pins: a hash of the inode number, and of the fragment, decides. Follows
 * `MDCache::hash_into_rank_bucket` (Ceph's src/mds/MDCache.cc) and `rjhash64` (src/include/hash.h).
 */
import { CrushError } from '../errors.ts';

const LOW_64 = 0xffff_ffff_ffff_ffffn;
/** Multiplier of the generator inside jump consistent hashing (Lamping and Veach, 2014). */
const JUMP_MULTIPLIER = 2862933555777941757n;

/** Mixes 64 bits. Follows `rjhash64`. */
export function mix64(value: bigint): bigint {
  const cut = (bits: bigint): bigint => bits & LOW_64;
  let key = cut(value);
  key = cut((key ^ LOW_64) + (key << 21n));
  key ^= key >> 24n;
  key = cut(key * 265n);
  key ^= key >> 14n;
  key = cut(key * 21n);
  key ^= key >> 28n;
  return cut(key + (key << 31n));
}

/**
 * The rank that an inode, or a fragment of it, is pinned to by its hash: few change when `max_mds` does.
 *
 * @param ino - inode number of the directory: of the pinned one for random pins, and of the parent whose pin is
 *   distributed for distributed ones
 * @param fragment - the fragment as Ceph encodes it, its bits in the top byte and its value below; 0 for none
 * @throws CrushError `bad-argument` when there is no rank
 *
 * @example
 * ```ts
 * hashIntoRankBucket(0x10000000004n, 3); // one of 0, 1 and 2, always the same
 * ```
 */
export function hashIntoRankBucket(ino: bigint, maxMds: number, fragment = 0): number {
  if (!Number.isInteger(maxMds) || maxMds < 1) {
    throw new CrushError('bad-argument', `max_mds is a whole number of 1 or more, not ${maxMds}`);
  }
  let hash = mix64(ino);
  if (fragment !== 0) hash = mix64(hash + mix64(BigInt(fragment & 0xffffff)));
  let bucket = -1;
  for (let jump = 0; jump < maxMds;) {
    bucket = jump;
    hash = (hash * JUMP_MULTIPLIER + 1n) & LOW_64;
    jump = Math.trunc((bucket + 1) * (2 ** 31 / (Number(hash >> 33n) + 1)));
  }
  return bucket;
}

/**
 * Bits of the fragments that a directory with a distributed pin is split into. Follows `MDCache::handle_mdsmap`.
 *
 * @param factor - `mds_export_ephemeral_distributed_factor`
 */
export function distributedFragmentBits(maxMds: number, factor: number): number {
  if (maxMds <= 1) return 0;
  const want = Math.trunc(factor * maxMds);
  let bits = 0;
  while (2 ** bits < want) bits++;
  return bits;
}
