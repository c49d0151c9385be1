/*
 * Choosing while draws are outstanding. An input under way has a slot, which remembers every draw made for the choose
 * step it is at: for each r, the item of the wanted type and the device below it. A pass over the choices either finds
 * all the draws it needs, or asks for those it lacks and goes on as if they would be accepted, to ask for the others
 * too; when they are there, it starts over. A draw depends on nothing but x, the bucket and r, so what was asked for
 * in vain costs time, never the result.
 *
 * These follow chooseFirstn and chooseIndep in ../choose.ts, without local retries.
 */
import { isOut } from '../choose';
import { bucketAt, map, setWord, word, workLeft, fail, status } from '../context';
import { B_ITEMS, B_SIZE, B_TYPE, ITEM_NONE, ITEM_UNDEF, STATUS_OK, STATUS_WORK_LIMIT } from '../layout';
import { ask, drawNow, EMPTY, MISFIT, NO_DEVICE, NOT_DRAWN, OUTSTANDING } from './tasks';

/** A pass that must wait for draws. */
export const PENDING: i32 = -1;

/** Draws remembered, r = 0 .. REMEMBERED - 1; those beyond are made again each time. */
const REMEMBERED: i32 = 128;
/*
 * Words of a slot's memory: how many r have been asked for; how far the choices are settled (firstn: replica, its
 * failures, positions filled; indep: rounds); the items; the devices below; the r those were drawn with.
 */
const ASKED = 0;
const SETTLED = 1;
const SETTLED_FAILURES = 2;
const SETTLED_FILLED = 3;
/** Tasks outstanding. */
export const RECALL_OUTSTANDING = 4;
const ITEMS = 8;
const DEVICES = ITEMS + REMEMBERED;
const DEVICE_R = DEVICES + REMEMBERED;
/** From the place of an item to that of the device below it, in bytes. */
export const TO_DEVICE: usize = REMEMBERED << 2;
export const RECALL_WORDS = DEVICE_R + REMEMBERED;
/** Most draws that a slot may have outstanding. */
export const TASKS_A_SLOT = 2 * REMEMBERED;

/** Makes a slot's memory ready for its first use. */
export function initRecall(slot: usize): void {
  for (let i = 0; i < RECALL_OUTSTANDING; i++) setWord(slot, i, 0);
  setWord(slot, RECALL_OUTSTANDING, 0);
  for (let i = 0; i < REMEMBERED; i++) setWord(slot, ITEMS + i, NOT_DRAWN);
}

/** Forgets the draws of a choose step. */
export function forgetDraws(slot: usize): void {
  const asked = word(slot, ASKED);
  for (let r = 0; r < asked; r++) setWord(slot, ITEMS + r, NOT_DRAWN);
  for (let i = 0; i < RECALL_OUTSTANDING; i++) setWord(slot, i, 0);
}

/** As chooseFirstn from position 0 with parentR 0; PENDING when draws are missing. */
export function recallFirstn(
  slot: usize,
  bucket: usize,
  replicas: i32,
  type: i32,
  out: usize,
  room: i32,
  maxTries: u32,
  leafTries: u32,
  toLeaf: bool,
  varyR: i32,
  stable: bool,
  leaves: usize,
): i32 {
  let filled = word(slot, SETTLED_FILLED);
  let failures: u32 = word(slot, SETTLED_FAILURES);
  let pending = false;
  const loose = isLoose(bucket, type, replicas);
  room -= filled;
  for (let replica = word(slot, SETTLED); replica < replicas && room > 0; replica++) {
    while (true) {
      const r = replica + <i32>failures;
      // A retry among few buckets.
      const now = !loose && failures > 0;
      const below = toLeaf && !now ? BELOW_FIRSTN : 0;
      const item = recallItem(slot, bucket, type, r, now, below, stable ? 0 : filled, varyR);
      if (item == MISFIT) break;
      let accepted = item != EMPTY && (item == OUTSTANDING || !contains(out, filled, item));
      if (accepted && item != OUTSTANDING) {
        if (toLeaf) {
          const leaf =
            item < 0 ? firstnLeaf(slot, item, r, filled, leafTries, varyR, stable, leaves, now) : item;
          accepted = leaf != MISFIT;
          if (leaf == OUTSTANDING && !pending) {
            pending = true;
            settleFirstn(slot, replica, failures, filled);
          }
          setWord(leaves, filled, leaf);
        }
        if (accepted && type == 0) accepted = !isOut(item);
      }
      if (accepted) {
        if (item == OUTSTANDING) {
          if (!pending) settleFirstn(slot, replica, failures, filled);
          pending = true;
          setWord(leaves, filled, OUTSTANDING);
        }
        setWord(out, filled, item);
        filled++;
        room--;
        break;
      }
      if (status != STATUS_OK) return filled;
      failures++;
      if (failures >= maxTries) break;
    }
    failures = 0;
  }
  // What was asked for in vain must have come in before the memory is used for something else.
  return pending || word(slot, RECALL_OUTSTANDING) ? PENDING : filled;
}

/** Remembers where a pass first met a missing draw: what comes before will not change. */
// @ts-ignore: decorator
@inline
function settleFirstn(slot: usize, replica: i32, failures: u32, filled: i32): void {
  setWord(slot, SETTLED, replica);
  setWord(slot, SETTLED_FAILURES, failures);
  setWord(slot, SETTLED_FILLED, filled);
}

/** The device below an item that firstn has chosen; MISFIT when there is none to be had. */
function firstnLeaf(
  slot: usize,
  item: i32,
  r: i32,
  filled: i32,
  leafTries: u32,
  varyR: i32,
  stable: bool,
  leaves: usize,
  now: bool,
): i32 {
  const first = deviceR(BELOW_FIRSTN, r, stable ? 0 : filled, varyR);
  let failures: u32 = 0;
  do {
    const leaf = recallLeaf(slot, item, r, first, failures, now);
    if (leaf == OUTSTANDING || leaf == MISFIT) return leaf;
    if (leaf != EMPTY && !contains(leaves, filled, leaf) && !isOut(leaf)) return leaf;
    failures++;
  } while (failures < leafTries && status == STATUS_OK);
  return MISFIT;
}

/** As chooseIndep from position 0 with parentR 0 in a map without uniform buckets; PENDING when draws are missing. */
export function recallIndep(
  slot: usize,
  bucket: usize,
  count: i32,
  replicas: i32,
  type: i32,
  out: usize,
  maxTries: u32,
  leafTries: u32,
  toLeaf: bool,
  leaves: usize,
  filledIn: usize,
): i32 {
  // Positions filled in the round that met a missing draw, or later, are to be filled anew.
  let round: u32 = word(slot, SETTLED);
  let left = 0;
  const isFirst = word(slot, ASKED) == 0;
  for (let position = 0; position < count; position++) {
    if (isFirst || <u32>word(filledIn, position) >= round) {
      setWord(out, position, ITEM_UNDEF);
      setWord(leaves, position, ITEM_UNDEF);
      setWord(filledIn, position, -1);
      left++;
    }
  }
  let pending = false;
  const loose = isLoose(bucket, type, replicas);
  for (; left > 0 && round < maxTries; round++) {
    for (let position = 0; position < count; position++) {
      if (word(out, position) != ITEM_UNDEF) continue;
      const r = position + replicas * <i32>round;
      const now = !loose && round > 0;
      const below = toLeaf && !now ? BELOW_INDEP : 0;
      const item = recallItem(slot, bucket, type, r, now, below, replicas, 0);
      if (item == EMPTY) {
        if (status != STATUS_OK) return count;
        continue;
      }
      if (item == MISFIT) {
        setWord(out, position, ITEM_NONE);
        setWord(leaves, position, ITEM_NONE);
        setWord(filledIn, position, round);
        left--;
        continue;
      }
      if (item == OUTSTANDING) {
        if (!pending) setWord(slot, SETTLED, round);
        pending = true;
      } else {
        if (contains(out, count, item)) continue;
        if (toLeaf) {
          const leaf = item < 0 ? indepLeaf(slot, item, r, position, replicas, leafTries, now) : item;
          setWord(leaves, position, leaf);
          if (leaf == ITEM_NONE) continue;
          if (leaf == OUTSTANDING) {
            if (!pending) setWord(slot, SETTLED, round);
            pending = true;
          }
        }
        if (type == 0 && isOut(item)) continue;
      }
      setWord(out, position, item);
      setWord(filledIn, position, round);
      left--;
    }
  }
  if (pending || word(slot, RECALL_OUTSTANDING)) return PENDING;
  for (let position = 0; position < count; position++) {
    if (word(out, position) == ITEM_UNDEF) setWord(out, position, ITEM_NONE);
    if (word(leaves, position) == ITEM_UNDEF) setWord(leaves, position, ITEM_NONE);
  }
  return count;
}

/** The device below an item that indep has chosen; ITEM_NONE when there is none to be had. */
function indepLeaf(
  slot: usize,
  item: i32,
  r: i32,
  position: i32,
  replicas: i32,
  leafTries: u32,
  now: bool,
): i32 {
  for (let round: u32 = 0; round < leafTries; round++) {
    const leaf = recallLeaf(slot, item, r, position + r, replicas * round, now);
    if (leaf == OUTSTANDING) return leaf;
    if (leaf == MISFIT || status != STATUS_OK) return ITEM_NONE;
    if (leaf != EMPTY && !isOut(leaf)) return leaf;
  }
  return ITEM_NONE;
}

/* How the r of the device below an item follows from the item's own. */
const BELOW_FIRSTN = 1;
const BELOW_INDEP = 2;

// @ts-ignore: decorator
@inline
function deviceR(below: i32, r: i32, base: i32, varyR: i32): i32 {
  if (below == BELOW_FIRSTN) return base + (varyR ? r >> (varyR - 1) : 0);
  return below == BELOW_INDEP ? r + (r % base) : NO_DEVICE;
}

/**
 * The item drawn with r, from memory if it is there. If it is not, but is to be remembered, it is drawn now, or asked
 * for together with the device below it.
 */
function recallItem(
  slot: usize,
  bucket: usize,
  type: i32,
  r: i32,
  now: bool,
  below: i32,
  base: i32,
  varyR: i32,
): i32 {
  if (<u32>r >= <u32>REMEMBERED) return drawWithin(bucket, type, r);
  const place = slot + ((<usize>(ITEMS + r)) << 2);
  const item = load<i32>(place);
  if (item != NOT_DRAWN) return item;
  if (r >= word(slot, ASKED)) setWord(slot, ASKED, r + 1);
  if (now) {
    setWord(slot, DEVICE_R + r, NO_DEVICE);
    store<i32>(place, drawWithin(bucket, type, r));
  } else {
    const device = deviceR(below, r, base, varyR);
    setWord(slot, DEVICE_R + r, device);
    ask(bucket, type, r, place, device, slot + (RECALL_OUTSTANDING << 2));
  }
  return load<i32>(place);
}

/**
 * The device below `item`, the one drawn with r, for try `first + further`. The first try is remembered with r; others
 * are drawn at once each time, as is one whose own r is not that of the one remembered.
 */
function recallLeaf(slot: usize, item: i32, r: i32, first: i32, further: i32, now: bool): i32 {
  const bucket = bucketAt(item);
  if (further > 0 || <u32>r >= <u32>REMEMBERED) return drawWithin(bucket, 0, first + further);
  const drawnWith = word(slot, DEVICE_R + r);
  const place = slot + ((<usize>(DEVICES + r)) << 2);
  if (drawnWith == first) return load<i32>(place);
  if (drawnWith != NO_DEVICE) return drawWithin(bucket, 0, first);
  setWord(slot, DEVICE_R + r, first);
  if (now) store<i32>(place, drawWithin(bucket, 0, first));
  else ask(bucket, 0, first, place, NO_DEVICE, slot + (RECALL_OUTSTANDING << 2));
  return load<i32>(place);
}

/**
 * Whether there is much to choose from below a bucket. Where there is little, retries mostly collide, so that one draw
 * after the other is needed, each when the last is known: those are drawn at once, since a pass over the choices for
 * each would cost more than the lanes save.
 */
function isLoose(bucket: usize, type: i32, replicas: i32): bool {
  return word(bucket, B_SIZE) > 2 * replicas || !isDirect(bucket, type);
}

/** Whether the items sought are a bucket's own (the first item speaks for all). */
export function isDirect(bucket: usize, type: i32): bool {
  const item = word(bucket, B_SIZE) > 0 ? word(map + ((<usize>word(bucket, B_ITEMS)) << 2), 0) : 0;
  return item >= 0 || word(bucketAt(item), B_TYPE) == type;
}

/** A draw made at once, within the work limit. */
function drawWithin(bucket: usize, type: i32, r: i32): i32 {
  const item = drawNow(bucket, type, r);
  if (workLeft < 0) {
    fail(STATUS_WORK_LIMIT);
    return EMPTY;
  }
  return item;
}

function contains(vector: usize, end: i32, item: i32): bool {
  for (let i = 0; i < end; i++) if (word(vector, i) == item) return true;
  return false;
}
