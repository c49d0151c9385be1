/** The words of a batch request that are codes, and what a batch's status says. */
import * as L from '../../assembly/layout.ts';
import { CrushError } from '../errors.ts';

/** Code of a kernel. */
export const KERNEL = {
  scalar: L.KERNEL_SCALAR,
  'item-lanes': L.KERNEL_ITEM_LANES,
  'task-lanes': L.KERNEL_TASK_LANES,
} as const;

/** Code of a source of seeds. */
export const SEED_MODE = {
  plain: L.SEED_PLAIN,
  hashed: L.SEED_HASHED,
  pool: L.SEED_POOL,
  'pool-hashed': L.SEED_POOL_HASHED,
} as const;

/** The next power of two from `n` on, less 1 (`pg_pool_t::calc_pg_masks`). */
export function pgMask(n: number): number {
  return n <= 1 ? 0 : 2 ** (32 - Math.clz32(n - 1)) - 1;
}

/** The error that a status other than STATUS_OK stands for, of the input `number`. */
export function statusError(status: number, rule: number, number: number, workLimit: number): CrushError {
  const place = { path: `rule ${rule}` };
  const invalid = (what: string, there = "Ceph's own mapper aborts on it") =>
    new CrushError('invalid-rule', `${what}; ${there}, at input ${number}`, place);
  switch (status) {
    case L.STATUS_MSR_NO_CHOOSE:
      return invalid('this MSR rule has no choosemsr step between take and emit');
    case L.STATUS_MSR_BAD_TAKE:
      return invalid('this MSR rule takes a bucket that is not in the map');
    case L.STATUS_MSR_EMPTY_BUCKET:
      return invalid('this MSR rule comes to an empty bucket');
    case L.STATUS_MSR_DEVICE_TOO_EARLY:
      return invalid('this MSR rule comes to a device where it looks for a bucket');
    case L.STATUS_MSR_BAD_COUNT:
      return invalid('this MSR rule asks for a negative or too large number of items');
    case L.STATUS_TREE_WITHOUT_WEIGHT:
      return invalid(
        'this rule comes to a part of a tree bucket that has no items or no weight',
        "Ceph's mapper reads out of bounds there",
      );
    default:
      return new CrushError(
        'work-limit',
        `input ${number} drew more than ${workLimit} bucket items; lower the tries tunables or raise workLimit`,
        place,
      );
  }
}
