/** Places for new buckets in the table of a draft. */
import { CrushError } from '../../errors.ts';
import { bucketItemWeights, makeBucket, type BucketParts } from '../bucket.ts';
import type { CrushDraft } from '../draft.ts';
import { MAX_BUCKETS } from '../limits.ts';
import type { CrushBucket } from '../model.ts';
import { startChooseArgs } from './choose-args.ts';

/** Length of the bucket table once it has a bucket. */
const FIRST_LENGTH = 8;

/**
 * Puts a new bucket into the table, which doubles in length until it has the place (`crush_add_bucket`).
 *
 * @throws CrushError `refused` where the id is taken.
 */
export function addToTable(draft: CrushDraft, bucket: CrushBucket): void {
  const index = -1 - bucket.id;
  let length = draft.buckets.length;
  while (index >= length) length = length === 0 ? FIRST_LENGTH : 2 * length;
  if (length > MAX_BUCKETS) {
    throw new CrushError(
      'bad-argument',
      `bucket ${bucket.id} needs a table of ${length} buckets, at most ${MAX_BUCKETS} are supported`,
      {},
      'ENOMEM',
    );
  }
  draft.growBuckets(length);
  if (draft.buckets[index] !== undefined) {
    throw new CrushError(
      'refused',
      `there is a bucket ${bucket.id} already; choose another id`,
      {},
      'EEXIST',
    );
  }
  draft.setBucket(bucket);
}

/** What a new bucket is made of; the id and the algorithm may be left to the map. */
export type NewBucket = Omit<BucketParts, 'id' | 'alg'> & { readonly id?: number; readonly alg?: number };

/**
 * Adds a bucket, without a name and outside of any other (`CrushWrapper::add_bucket`). The default algorithm is
 * straw2 where the tunable `allowed_bucket_algs` has it, else straw, tree, list, uniform.
 *
 * @returns Its id: the given one, else the highest that is free.
 * @throws CrushError as {@link makeBucket} and {@link addToTable} do; `bad-argument` where no algorithm is allowed.
 */
export function addBucket(draft: CrushDraft, { id, alg, ...parts }: NewBucket): number {
  const algorithm = alg ?? defaultAlgorithm(draft.tunables.allowedBucketAlgs);
  const place = id ?? -1 - firstFree(draft);
  const bucket = makeBucket({ ...parts, id: place, alg: algorithm }, draft.tunables.strawCalcVersion);
  addToTable(draft, bucket);
  if (bucket.items.length > 0) startChooseArgs(draft, place, bucketItemWeights(bucket).slice());
  return place;
}

function firstFree(draft: CrushDraft): number {
  const index = draft.buckets.indexOf(undefined);
  return index === -1 ? draft.buckets.length : index;
}

/** `CrushWrapper::get_default_bucket_alg`. */
function defaultAlgorithm(allowed: number): number {
  const algorithm = [5, 4, 3, 2, 1].find((each) => (allowed & (1 << each)) !== 0);
  if (algorithm !== undefined) return algorithm;
  throw new CrushError(
    'bad-argument',
    `the tunable allowed_bucket_algs, ${allowed}, allows no algorithm for a new bucket; set it to 54`,
    {},
    'EINVAL',
  );
}
