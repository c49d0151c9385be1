/**
 * What stays the same while one input is mapped, and the lookups every part of the mapper makes.
 */
import { CrushError } from '../../src/errors.ts';
import type { ChooseArgs, CrushBucket, CrushMap } from '../../src/crush/model.ts';
import { drawItem } from './buckets.ts';
import { hash32 } from './hash.ts';

/** A place that is not decided yet (`CRUSH_ITEM_UNDEF`); it never leaves the mapper. */
export const ITEM_UNDECIDED = 0x7ffffffe;

/** One input on its way through a map. */
export interface Walk {
  readonly map: CrushMap;
  /** The input, any 32-bit number. */
  readonly x: number;
  /** 16.16 chance to stay in, a device each; devices beyond its end are out. */
  readonly reweights: Uint32Array;
  readonly chooseArgs: ChooseArgs | undefined;
}

/** The bucket `id` (below 0); one that is not there is an error, where Ceph would crash. */
export function bucketOf(walk: Walk, id: number): CrushBucket {
  const bucket = walk.map.buckets[-1 - id];
  if (bucket === undefined) throw new CrushError('invalid-map', `there is no bucket ${id}`);
  return bucket;
}

/** Type number of a device (0) or bucket. */
export function typeOf(walk: Walk, item: number): number {
  return item < 0 ? bucketOf(walk, item).type : 0;
}

/** An item of `bucket` by its own algorithm, with the choose_args that are in force. */
export function draw(walk: Walk, bucket: CrushBucket, r: number, position: number): number {
  return drawItem(bucket, walk.x, r, walk.chooseArgs?.get(bucket.id), position);
}

/** Whether a device's reweight rejects it for this input (`is_out`). */
export function isOut(walk: Walk, device: number): boolean {
  const reweight = walk.reweights[device] ?? 0;
  if (reweight >= 0x10000) return false;
  return (hash32(walk.x, device) & 0xffff) >= reweight;
}
