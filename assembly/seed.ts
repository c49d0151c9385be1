/*
 * The mapper's input from a running number.
 */
import { hash2 } from './hash';
import { SEED_GIVEN, SEED_HASHED, SEED_POOL, SEED_POOL_HASHED } from './layout';

/** The input x of a running number (`pg_pool_t::raw_pg_to_pps` for the pool modes). */
export function seedOf(mode: i32, number: i32, pool: i32, pgpNum: i32, pgpMask: i32): i32 {
  if (mode == SEED_POOL_HASHED) return hash2(stableMod(number, pgpNum, pgpMask), pool);
  if (mode == SEED_POOL) return stableMod(number, pgpNum, pgpMask) + pool;
  if (mode == SEED_HASHED) return hash2(number, pool);
  if (mode == SEED_GIVEN) return load<i32>(<usize>pool + ((<usize>number) << 2));
  return number;
}

/** number modulo n, such that few numbers change place when n grows (`ceph_stable_mod`). */
// @ts-ignore: decorator
@inline
function stableMod(number: i32, n: i32, mask: i32): i32 {
  return <u32>(number & mask) < <u32>n ? number & mask : number & (mask >>> 1);
}
