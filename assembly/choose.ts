/*
 * Choosing several distinct items below a bucket, with retries: depth first for replicas (firstn), breadth first
 * and position by position for erasure-coded shards (indep).
 */
import { chooseItem, choosePermuted } from './buckets';
import {
  bucketAt,
  countTries,
  fail,
  maxBuckets,
  maxDevices,
  reweightCount,
  reweights,
  setWord,
  spend,
  status,
  word,
  workLeft,
  x,
} from './context';
import { hash2 } from './hash';
import { B_ALG, B_SIZE, B_TYPE, ITEM_NONE, ITEM_UNDEF, STATUS_OK, STATUS_WORK_LIMIT } from './layout';
import { trace, traceDevice, tracesAll } from './trace';

const UNIFORM = 1;

/**
 * Whether a device is rejected for this input (`is_out`): beyond the reweights, reweighted to 0, or, in between,
 * with the probability that its reweight lacks to 1.
 */
export function isOut(device: i32): bool {
  const out = device >= reweightCount || falls(device, <u32>word(reweights, device));
  if (trace != 0 && (out || tracesAll)) traceDevice(device);
  return out;
}

// @ts-ignore: decorator
@inline
function falls(device: i32, weight: u32): bool {
  if (weight >= 0x10000) return false;
  if (weight == 0) return true;
  return <u32>(hash2(x, device) & 0xffff) >= weight;
}

/** The type of an item, 0 for a device. */
// @ts-ignore: decorator
@inline
function typeOf(item: i32): i32 {
  return item < 0 ? word(bucketAt(item), B_TYPE) : 0;
}

/**
 * Chooses up to `replicas` distinct items of `type` below `bucket` into `out` from position `filled` on, at most
 * `room` of them, and gives back the position reached (`crush_choose_firstn`). What cannot be chosen is left out
 * and closes the gap.
 *
 * With `toLeaf`, a device below each item is chosen as well, into `leaves`; `leaves` is 0 in that inner call.
 */
export function chooseFirstn(
  bucket: usize,
  replicas: i32,
  type: i32,
  out: usize,
  filled: i32,
  room: i32,
  maxTries: u32,
  leafTries: u32,
  localRetries: u32,
  localFallbackRetries: u32,
  toLeaf: bool,
  varyR: i32,
  stable: bool,
  leaves: usize,
  parentR: i32,
): i32 {
  for (let replica = stable ? 0 : filled; replica < replicas && room > 0; replica++) {
    let failures: u32 = 0;
    let item = 0;
    let skip = false;
    let retryDescent = true;
    while (retryDescent) {
      retryDescent = false;
      let within = bucket;
      let localFailures: u32 = 0;
      let retryBucket = true;
      while (retryBucket) {
        retryBucket = false;
        const size = <u32>word(within, B_SIZE);
        const r = replica + parentR + <i32>failures;
        let collides: bool = false;
        let rejected: bool = false;

        spend(1);
        if (workLeft < 0) {
          fail(STATUS_WORK_LIMIT);
          return filled;
        }
        if (size == 0) {
          rejected = true;
        } else {
          item =
            localFallbackRetries > 0 && localFailures >= size >> 1 && localFailures > localFallbackRetries
              ? choosePermuted(within, r)
              : chooseItem(within, r, filled);
          if (item >= maxDevices) {
            skip = true;
            break;
          }
          const itemType = typeOf(item);
          if (itemType != type) {
            if (item >= 0 || -1 - item >= maxBuckets) {
              skip = true;
              break;
            }
            within = bucketAt(item);
            retryBucket = true;
            continue;
          }
          collides = contains(out, 0, filled, item);
          if (!collides && toLeaf) {
            if (item < 0) {
              const leafR = varyR ? r >> (varyR - 1) : 0;
              const leaf = firstLeaf(bucketAt(item), (stable ? 0 : filled) + leafR, filled);
              if (leaf >= 0 && !contains(leaves, 0, filled, leaf) && !isOut(leaf)) {
                setWord(leaves, filled, leaf);
                countTries(0);
              } else {
                rejected =
                  chooseFirstn(
                    bucketAt(item),
                    stable ? 1 : filled + 1,
                    0,
                    leaves,
                    filled,
                    room,
                    leafTries,
                    0,
                    localRetries,
                    localFallbackRetries,
                    false,
                    varyR,
                    stable,
                    0,
                    leafR,
                  ) <= filled;
              }
              if (status != STATUS_OK) return filled;
            } else {
              setWord(leaves, filled, item);
            }
          }
          if (!rejected && !collides && itemType == 0) rejected = isOut(item);
        }

        if (rejected || collides) {
          failures++;
          localFailures++;
          if (collides && localFailures <= localRetries) {
            retryBucket = true;
          } else if (localFallbackRetries > 0 && localFailures <= size + localFallbackRetries) {
            retryBucket = true;
          } else if (failures < maxTries) {
            retryDescent = true;
          } else {
            skip = true;
          }
        }
      }
    }
    if (skip) continue;
    setWord(out, filled, item);
    filled++;
    room--;
    countTries(failures);
  }
  return filled;
}

/**
 * Chooses items of `type` below `bucket` into the positions `start` .. `start + count - 1` of `out`, each
 * position on its own (`crush_choose_indep`). What cannot be chosen becomes ITEM_NONE.
 *
 * `replicas` is how many the rule asks for, which spaces the retries. With `toLeaf`, a device below each item is
 * chosen as well, into the same position of `leaves` (0: none).
 */
export function chooseIndep(
  bucket: usize,
  count: i32,
  replicas: i32,
  type: i32,
  out: usize,
  start: i32,
  maxTries: u32,
  leafTries: u32,
  toLeaf: bool,
  leaves: usize,
  parentR: i32,
): void {
  const end = start + count;
  let left = count;
  for (let position = start; position < end; position++) {
    setWord(out, position, ITEM_UNDEF);
    if (leaves) setWord(leaves, position, ITEM_UNDEF);
  }

  let round: u32 = 0;
  for (; left > 0 && round < maxTries; round++) {
    for (let position = start; position < end; position++) {
      if (word(out, position) != ITEM_UNDEF) continue;
      let within = bucket;
      while (true) {
        const size = word(within, B_SIZE);
        spend(1);
        if (workLeft < 0) {
          fail(STATUS_WORK_LIMIT);
          return;
        }
        if (size == 0) break;
        // A uniform bucket whose size is a multiple of the replicas would meet the same items again.
        const stride =
          word(within, B_ALG) == UNIFORM && <u32>size % <u32>replicas == 0 ? replicas + 1 : replicas;
        const r = position + parentR + stride * <i32>round;
        const item = chooseItem(within, r, start);
        const type_ = item < maxDevices ? typeOf(item) : 0;
        if (item >= maxDevices || (type_ != type && (item >= 0 || -1 - item >= maxBuckets))) {
          setWord(out, position, ITEM_NONE);
          if (leaves) setWord(leaves, position, ITEM_NONE);
          left--;
          break;
        }
        if (type_ != type) {
          within = bucketAt(item);
          continue;
        }
        if (contains(out, start, end, item)) break;
        if (toLeaf) {
          if (item < 0) {
            const leaf = leaves ? firstLeaf(bucketAt(item), position + r, position) : NO_LEAF;
            if (leaf >= 0 && !isOut(leaf)) {
              setWord(leaves, position, leaf);
              countTries(1);
            } else {
              chooseIndep(bucketAt(item), 1, replicas, 0, leaves, position, leafTries, 0, false, 0, r);
              if (status != STATUS_OK) return;
              if (leaves && word(leaves, position) == ITEM_NONE) break;
            }
          } else if (leaves) {
            setWord(leaves, position, item);
          }
        }
        if (type_ == 0 && isOut(item)) break;
        setWord(out, position, item);
        left--;
        break;
      }
    }
  }

  for (let position = start; position < end; position++) {
    if (word(out, position) == ITEM_UNDEF) setWord(out, position, ITEM_NONE);
    if (leaves && word(leaves, position) == ITEM_UNDEF) setWord(leaves, position, ITEM_NONE);
  }
  countTries(round);
}

/** Not a device: let the whole search find out. */
const NO_LEAF: i32 = -1;

/**
 * The device that the first try below an item leads to, or NO_LEAF when it leads elsewhere. It mostly is the one, and
 * then the search for a leaf with its retries need not be set up.
 */
function firstLeaf(bucket: usize, r: i32, position: i32): i32 {
  while (word(bucket, B_SIZE) > 0) {
    const item = chooseItem(bucket, r, position);
    if (item >= 0) return item < maxDevices ? item : NO_LEAF;
    bucket = bucketAt(item);
  }
  return NO_LEAF;
}

function contains(out: usize, start: i32, end: i32, item: i32): bool {
  for (let i = start; i < end; i++) if (word(out, i) == item) return true;
  return false;
}
