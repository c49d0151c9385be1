/**
 * Brings a flat map up to a change of straw2 weights without laying the whole map out again.
 */
import * as L from '../../assembly/layout.ts';
import { BUCKET_ALGORITHM, type CrushBucket, type CrushMap } from './model.ts';

const f32 = new Float32Array(1);
const f32AsInt = new Int32Array(f32.buffer);

/**
 * Writes the weights of `after` into the words of the flat map of `before`. Checksum and structure stay as they are:
 * the words are for a kernel that has them already.
 *
 * @returns the places of the words that were changed (pairs of first word and count), or undefined when the maps differ
 * in more than straw2 weights and the words were left as they are
 */
export function patchFlat(words: Int32Array, before: CrushMap, after: CrushMap): number[] | undefined {
  if (!sharesAllButBuckets(before, after)) return undefined;
  const changed: [CrushBucket, CrushBucket][] = [];
  for (let number = 0; number < after.buckets.length; number++) {
    const old = before.buckets[number];
    const now = after.buckets[number];
    if (old === now) continue;
    if (old === undefined || now === undefined || !differsInWeights(old, now)) return undefined;
    // A set that has ids for the bucket, and no weights, has a lane table of the bucket's own weights.
    for (const args of after.chooseArgs.values()) if (args.has(now.id)) return undefined;
    changed.push([old, now]);
  }
  const places: number[] = [];
  for (const [, now] of changed) writeWeights(words, now, places);
  return places;
}

function sharesAllButBuckets(before: CrushMap, after: CrushMap): boolean {
  return (
    before.buckets.length === after.buckets.length &&
    before.maxDevices === after.maxDevices &&
    sameEntries(before.rules, after.rules) &&
    JSON.stringify(before.tunables) === JSON.stringify(after.tunables) &&
    sameChooseArgs(before.chooseArgs, after.chooseArgs)
  );
}

function sameEntries(before: readonly unknown[], after: readonly unknown[]): boolean {
  return (
    before === after || (before.length === after.length && before.every((entry, i) => entry === after[i]))
  );
}

function sameChooseArgs(before: CrushMap['chooseArgs'], after: CrushMap['chooseArgs']): boolean {
  if (before === after) return true;
  if (before.size !== after.size) return false;
  return [...before].every(([index, args]) => {
    const now = after.get(index);
    return now?.size === args.size && [...args].every(([id, arg]) => now.get(id) === arg);
  });
}

/** Whether two straw2 buckets differ in the weights of items that have some in both. */
function differsInWeights(old: CrushBucket, now: CrushBucket): boolean {
  if (old.alg !== BUCKET_ALGORITHM.straw2 || now.alg !== BUCKET_ALGORITHM.straw2) return false;
  if (old.type !== now.type || old.hash !== now.hash || old.items.length !== now.items.length) return false;
  for (let i = 0; i < now.items.length; i++) {
    const weight = now.itemWeights[i] ?? 0;
    if (old.items[i] !== now.items[i] || weight >= 2 ** 31) return false;
    if ((old.itemWeights[i] === 0) !== (weight === 0)) return false;
  }
  return true;
}

function writeWeights(words: Int32Array, bucket: CrushBucket, places: number[]): void {
  if (bucket.alg !== BUCKET_ALGORITHM.straw2) return;
  const record = words[(words[L.H_BUCKET_INDEX] ?? 0) - 1 - bucket.id] ?? 0;
  const weightsAt = words[record + L.B_WEIGHTS] ?? 0;
  const table = words[record + L.B_LANES] ?? 0;
  words[record + L.B_WEIGHT] = bucket.weight;
  words.set(bucket.itemWeights, weightsAt);
  places.push(record + L.B_WEIGHT, 1, weightsAt, bucket.itemWeights.length);
  if (table === 0) return;
  const stride = words[table + L.T_STRIDE] ?? 0;
  const inverses = table + L.T_ARRAYS + stride;
  const weights = inverses + 2 * stride;
  let index = 0;
  for (const weight of bucket.itemWeights) {
    if (weight === 0) continue;
    f32[0] = 1 / weight;
    words[inverses + index] = f32AsInt[0] ?? 0;
    words[weights + index] = weight;
    index++;
  }
  places.push(inverses, stride, weights, stride);
}
