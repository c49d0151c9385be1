/*
 * Draws that are outstanding. A task is one descent: for an input x and a retry r, from a bucket to the first item of
 * a type, which goes to a place in the input's slot. It waits for its next draw on the stack of the buckets of its
 * size, and is drawn together with seven others there, see group.ts.
 */
import { chooseItem, laneTable } from '../buckets';
import { bucketAt, maxDevices, setWord, switchMapping, word } from '../context';
import { B_SIZE, B_TYPE, T_COUNT } from '../layout';
import { trace, traceRow } from '../trace';
import { drawGroup, drawRoot, enterRoot, GROUP, GROUP_ITEMS, groupRows } from './group';

/** Word of a slot that says which row of the result is its. */
export const SLOT_ROW = 2;

/* What a place may hold besides an item; no bucket has such an id. */
/** The descent ended in an empty bucket. */
export const EMPTY: i32 = i32.MIN_VALUE;
/** The descent ended in an item of the wrong kind. */
export const MISFIT: i32 = i32.MIN_VALUE + 1;

/*
 * A task is four words: its lane table, x, r, and the place, which is odd when a device is sought and not an item of
 * the type. Stack 0 is for the bucket that descents begin with, stack i for buckets of 2 i - 1 and 2 i items.
 */
const TASK_BYTES: usize = 16;
const STACKS: i32 = GROUP_ITEMS / 2 + 1;
let stacks: usize = 0;
let stackBytes: usize = 0;
const heights: usize = memory.data((64 / 2 + 1) * 4, 4);
/** The tasks that are drawn together, and the items they draw. */
const group: usize = memory.data(8 * 16, 16);
const items: usize = memory.data(8 * 4, 16);

/** The lane table that descents begin with, its items made even, and the type they seek. */
let rootTable: usize = 0;
let rootCount: i32 = 0;
let sought: i32 = 0;
/** The slots, and what takes an address in a slot to the slot: its first word counts its outstanding tasks. */
let slots: usize = 0;
let slotMask: usize = 0;

/** Words that the stacks need for `most` tasks at a time. */
export function taskWords(most: i32): i32 {
  return (STACKS * (most + GROUP) * <i32>TASK_BYTES) >> 2;
}

/**
 * Takes up the room for the stacks, for `most` tasks of descents from `table` to items of `type`. Slots stand one
 * after the other from `slotsAt` on, `slotBytes` each, a power of two.
 */
export function enterTasks(
  at: usize,
  most: i32,
  table: usize,
  type: i32,
  slotsAt: usize,
  slotBytes: usize,
): void {
  stacks = at;
  stackBytes = <usize>(most + GROUP) * TASK_BYTES;
  memory.fill(heights, 0, (<usize>STACKS) << 2);
  rootTable = table;
  rootCount = (word(table, T_COUNT) + 1) & ~1;
  sought = type;
  slots = slotsAt;
  slotMask = ~(slotBytes - 1);
  enterRoot(table);
}

/** Asks for the item of the type that the descent with r leads to, for the input x. */
// @ts-ignore: decorator
@inline
export function askItem(slot: usize, x: i32, r: i32, place: usize): void {
  setWord(slot, 0, word(slot, 0) + 1);
  v128.store(push(0), i32x4(<i32>rootTable, x, r, <i32>place));
}

/** Asks for the device that the descent from `bucket` with r leads to, for the input x. */
// @ts-ignore: decorator
@inline
export function askDevice(slot: usize, bucket: usize, x: i32, r: i32, place: usize): void {
  setWord(slot, 0, word(slot, 0) + 1);
  enter(bucket, i32x4(0, x, r, (<i32>place) | 1));
}

/** Draws all the full groups there are, and those they lead to; if there are none, the tallest stack's rest. */
export function drawSome(): void {
  let drawn = false;
  let more = true;
  while (more) {
    more = false;
    for (let stack = 0; stack < STACKS; stack++) {
      while (heightOf(stack) >= GROUP) {
        drawBottom(stack, GROUP);
        more = true;
      }
    }
    drawn = drawn || more;
  }
  if (drawn) return;
  let tallest = 0;
  for (let stack = 1; stack < STACKS; stack++) if (heightOf(stack) > heightOf(tallest)) tallest = stack;
  if (heightOf(tallest) > 0) drawBottom(tallest, heightOf(tallest));
}

// @ts-ignore: decorator
@inline
function heightOf(stack: i32): i32 {
  return word(heights, stack);
}

/** The place of a new task on a stack. */
// @ts-ignore: decorator
@inline
function push(stack: i32): usize {
  const height = heightOf(stack);
  setWord(heights, stack, height + 1);
  return stacks + <usize>stack * stackBytes + <usize>height * TASK_BYTES;
}

/**
 * Draws the `count` tasks, at most a group, at the bottom of a stack, and lets each go on. Those at the bottom have
 * waited longest; the top ones take their places.
 */
function drawBottom(stack: i32, count: i32): void {
  const bottom = stacks + <usize>stack * stackBytes;
  const bytes = <usize>count * TASK_BYTES;
  const height = heightOf(stack) - count;
  const moved = <usize>min<i32>(count, height) * TASK_BYTES;
  const top = bottom + <usize>heightOf(stack) * TASK_BYTES - moved;
  for (let i: usize = 0; i < bytes; i += TASK_BYTES) v128.store(group + i, v128.load(bottom + i));
  for (let i: usize = 0; i < moved; i += TASK_BYTES) v128.store(bottom + i, v128.load(top + i));
  setWord(heights, stack, height);
  // A group that is not full: its first task stands in for the missing ones.
  for (let i = bytes; i < <usize>GROUP * TASK_BYTES; i += TASK_BYTES) v128.store(group + i, v128.load(group));

  if (trace != 0) nameRows(<usize>count);
  if (stack == 0) drawRoot(group, rootCount, items);
  else drawGroup(group, 2 * stack, items);
  for (let i: usize = 0; i < <usize>count; i++) {
    advance(v128.load(group + i * TASK_BYTES), load<i32>(items + (i << 2)));
  }
}

/** Tells whose the draws of the group are. */
function nameRows(count: usize): void {
  for (let i: usize = 0; i < <usize>GROUP; i++) {
    const row = i < count ? word(slotOf(load<usize>(group + i * TASK_BYTES, 12)), SLOT_ROW) : -1;
    store<i32>(groupRows + (i << 2), row);
  }
}

/** The slot that a place is in. */
// @ts-ignore: decorator
@inline
function slotOf(place: usize): usize {
  return slots + ((place - slots) & slotMask);
}

/** Lets a task go on from the item it has drawn. */
// @ts-ignore: decorator
@inline
function advance(task: v128, item: i32): void {
  const place = <usize>i32x4.extract_lane(task, 3);
  const type = place & 1 ? 0 : sought;
  if (item < 0) {
    const bucket = bucketAt(item);
    if (word(bucket, B_TYPE) != type) {
      enter(bucket, task);
      return;
    }
  } else if (type != 0 || item >= maxDevices) {
    item = MISFIT;
  }
  settle(place, item);
}

/** Writes what a descent has led to. */
// @ts-ignore: decorator
@inline
function settle(place: usize, item: i32): void {
  store<i32>(place & ~1, item);
  const slot = slotOf(place);
  setWord(slot, 0, word(slot, 0) - 1);
}

/** Lets a task wait for its draw from a bucket; one that is not for groups is drawn from at once. */
function enter(bucket: usize, task: v128): void {
  while (word(bucket, B_SIZE) > 0) {
    const table = laneTable(bucket, 0);
    if (table) {
      const count = word(table, T_COUNT);
      if (count <= GROUP_ITEMS) {
        v128.store(push((count + 1) >> 1), i32x4.replace_lane(task, 0, <i32>table));
        return;
      }
    }
    const place = <usize>i32x4.extract_lane(task, 3);
    const type = place & 1 ? 0 : sought;
    switchMapping(i32x4.extract_lane(task, 1));
    traceRow(word(slotOf(place), SLOT_ROW));
    const item = chooseItem(bucket, i32x4.extract_lane(task, 2), 0);
    if (item >= 0) {
      settle(place, type == 0 && item < maxDevices ? item : MISFIT);
      return;
    }
    bucket = bucketAt(item);
    if (word(bucket, B_TYPE) == type) {
      settle(place, item);
      return;
    }
  }
  settle(<usize>i32x4.extract_lane(task, 3), EMPTY);
}
