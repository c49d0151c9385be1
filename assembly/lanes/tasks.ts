/*
 * Draws that are outstanding. A task is one descent: from a bucket, for an input x and a retry r, to the first item of
 * a type, and for chooseleaf on to the device below it. It waits for its next draw on the stack of the buckets of its
 * size, and is drawn together with seven others there, see group.ts.
 */
import { chooseItem, laneTable } from '../buckets';
import { bucketAt, maxDevices, spend, switchMapping, word, x } from '../context';
import { B_SIZE, B_TYPE, T_COUNT, T_STRIDE } from '../layout';
import { drawGroup, GROUP, GROUP_ITEMS } from './group';

/* What a draw's place may hold besides an item; no bucket has such an id. */
/** Nobody has asked for it. */
export const NOT_DRAWN: i32 = i32.MIN_VALUE;
/** Its task waits. */
export const OUTSTANDING: i32 = i32.MIN_VALUE + 1;
/** The descent ended in an empty bucket. */
export const EMPTY: i32 = i32.MIN_VALUE + 2;
/** The descent ended in an item of the wrong kind. */
export const MISFIT: i32 = i32.MIN_VALUE + 3;
/** In place of the device's r: the descent ends with the item. */
export const NO_DEVICE: i32 = i32.MIN_VALUE;

/** From the place of an item to those of the device below it and of the r that was drawn with, in bytes. */
let toDevice: usize = 0;

/*
 * A stack for each size of lane table. A task is eight words: its lane table, x, r, where the item goes; the type
 * sought, the r of the device below, the word that counts its slot's outstanding tasks, and one that is not used.
 */
const TASK_BYTES: usize = 32;
const STACKS: i32 = GROUP_ITEMS / 4;
let stacks: usize = 0;
let stackBytes: usize = 0;
const heights: usize = memory.data((64 / 4 + 1) * 4, 4);
/** The tasks that are drawn together, and the items they draw. */
const group: usize = memory.data(8 * 32, 16);
const items: usize = memory.data(8 * 4, 16);

/** Tasks on all stacks. */
export let waiting: i32 = 0;

/** Words that the stacks need for `most` tasks at a time. */
export function taskWords(most: i32): i32 {
  return (STACKS * (most + GROUP) * <i32>TASK_BYTES) >> 2;
}

/** Takes up the room for the stacks; `deviceBytes` is from the place of an item to that of its device. */
export function enterTasks(at: usize, most: i32, deviceBytes: usize): void {
  stacks = at;
  stackBytes = <usize>(most + GROUP) * TASK_BYTES;
  toDevice = deviceBytes;
  waiting = 0;
  memory.fill(heights, 0, (<usize>(STACKS + 1)) << 2);
}

/**
 * Asks for the item of `type` that the descent from `bucket` with `r` leads to, for the context's input, and unless
 * `deviceR` is NO_DEVICE for the device that the descent from that item with `deviceR` leads to. They are written to
 * their places, now or when they are drawn; `count` counts the tasks outstanding.
 */
export function ask(bucket: usize, type: i32, r: i32, place: usize, deviceR: i32, count: usize): void {
  while (true) {
    let item = EMPTY;
    if (word(bucket, B_SIZE) > 0) {
      const table = laneTable(bucket, 0);
      if (table && word(table, T_COUNT) <= GROUP_ITEMS) {
        store<i32>(place, OUTSTANDING);
        store<i32>(count, load<i32>(count) + 1);
        const task = push(table);
        store<usize>(task, table);
        store<i32>(task, x, 4);
        store<i32>(task, r, 8);
        store<usize>(task, place, 12);
        store<i32>(task, type, 16);
        store<i32>(task, deviceR, 20);
        store<usize>(task, count, 24);
        return;
      }
      // A large bucket fills the lanes by itself.
      item = chooseItem(bucket, r, 0);
    }
    if (item == EMPTY || isEnd(item, type)) {
      item = endOf(item, type);
      store<i32>(place, item);
      if (deviceR == NO_DEVICE || item >= 0 || item <= MISFIT) return;
      bucket = bucketAt(item);
      type = 0;
      r = deviceR;
      deviceR = NO_DEVICE;
      place += toDevice;
    } else {
      bucket = bucketAt(item);
    }
  }
}

/** A descent drawn at once: the item, EMPTY or MISFIT. */
export function drawNow(bucket: usize, type: i32, r: i32): i32 {
  while (true) {
    spend(1);
    if (word(bucket, B_SIZE) == 0) return EMPTY;
    const item = chooseItem(bucket, r, 0);
    if (isEnd(item, type)) return endOf(item, type);
    bucket = bucketAt(item);
  }
}

/** Draws all the full groups there are, and those they lead to; if there are none, the tallest stack's rest. */
export function drawSome(): void {
  let drawn = 0;
  let more = true;
  while (more) {
    more = false;
    for (let stack = STACKS; stack > 0; stack--) {
      while (heightOf(stack) >= GROUP) {
        drawBottom(stack, GROUP);
        drawn++;
        more = true;
      }
    }
  }
  if (drawn > 0) return;
  let tallest = 1;
  for (let stack = 2; stack <= STACKS; stack++) if (heightOf(stack) > heightOf(tallest)) tallest = stack;
  if (heightOf(tallest) > 0) drawBottom(tallest, heightOf(tallest));
}

// @ts-ignore: decorator
@inline
function heightOf(stack: i32): i32 {
  return word(heights, stack);
}

// @ts-ignore: decorator
@inline
function isEnd(item: i32, type: i32): bool {
  return item >= 0 || word(bucketAt(item), B_TYPE) == type;
}

// @ts-ignore: decorator
@inline
function endOf(item: i32, type: i32): i32 {
  return item < 0 || (type == 0 && item < maxDevices) ? item : MISFIT;
}

/** The place of a new task on the stack of its table's size. */
// @ts-ignore: decorator
@inline
function push(table: usize): usize {
  const stack = (word(table, T_COUNT) + 3) >> 2;
  const height = heightOf(stack);
  store<i32>(heights + ((<usize>stack) << 2), height + 1);
  waiting++;
  return stacks + <usize>(stack - 1) * stackBytes + <usize>height * TASK_BYTES;
}

/**
 * Draws the `count` tasks, at most a group, at the bottom of a stack, and lets each go on. Those at the bottom have
 * waited longest; the top ones take their places.
 */
function drawBottom(stack: i32, count: i32): void {
  const bottom = stacks + <usize>(stack - 1) * stackBytes;
  const bytes = <usize>count * TASK_BYTES;
  for (let i: usize = 0; i < bytes; i += 16) v128.store(group + i, v128.load(bottom + i));
  const height = heightOf(stack) - count;
  const moved = <usize>min<i32>(count, height) * TASK_BYTES;
  const top = bottom + <usize>heightOf(stack) * TASK_BYTES - moved;
  for (let i: usize = 0; i < moved; i += 16) v128.store(bottom + i, v128.load(top + i));
  store<i32>(heights + ((<usize>stack) << 2), height);
  waiting -= count;

  const end = group + <usize>count * TASK_BYTES;
  while (true) {
    // A group that is not full: its first task stands in for the missing ones.
    for (let task = end; task < group + <usize>GROUP * TASK_BYTES; task += TASK_BYTES) {
      v128.store(task, v128.load(group));
    }
    drawGroup(group, items);
    // Where all go on to buckets of one size, as they do in a regular cluster, they stay together.
    let stride = 0;
    let together = true;
    let item = items;
    for (let task = group; task < end; task += TASK_BYTES, item += 4) {
      const next = advance(task, load<i32>(item));
      if (task == group) stride = next;
      else if (next != stride) together = false;
    }
    if (together) {
      if (stride == 0) return;
      continue;
    }
    for (let task = group; task < end; task += TASK_BYTES) {
      const table = load<usize>(task);
      if (table == 0) continue;
      const next = push(table);
      v128.store(next, v128.load(task));
      v128.store(next, v128.load(task, 16), 16);
    }
    return;
  }
}

/**
 * Lets a task go on from the item it has drawn: to its end, whereupon the item is written to its place and the task
 * has no lane table (0); or to the next bucket, whose lane table it then has, and whose stride is given back.
 */
// @ts-ignore: decorator
@inline
function advance(task: usize, item: i32): i32 {
  const type = load<i32>(task, 16);
  const place = load<usize>(task, 12);
  let bucket: usize = 0;
  if (item < 0) {
    bucket = bucketAt(item);
    if (word(bucket, B_TYPE) == type) {
      store<i32>(place, item);
      const deviceR = load<i32>(task, 20);
      if (deviceR == NO_DEVICE) {
        bucket = 0;
      } else {
        store<i32>(task, deviceR, 8);
        store<usize>(task, place + toDevice, 12);
        store<i32>(task, 0, 16);
        store<i32>(task, NO_DEVICE, 20);
        store<i32>(place + toDevice, OUTSTANDING);
      }
    }
  } else {
    store<i32>(place, endOf(item, type));
  }
  if (bucket) {
    const table = word(bucket, B_SIZE) > 0 ? laneTable(bucket, 0) : 0;
    if (table && word(table, T_COUNT) <= GROUP_ITEMS) {
      store<usize>(task, table);
      return word(table, T_STRIDE);
    }
  }
  const count = load<usize>(task, 24);
  store<i32>(count, load<i32>(count) - 1);
  store<usize>(task, 0);
  if (bucket) {
    switchMapping(load<i32>(task, 4));
    ask(bucket, load<i32>(task, 16), load<i32>(task, 8), load<usize>(task, 12), load<i32>(task, 20), count);
  }
  return 0;
}
