/*
 * Inputs under way, a slot each. Their draws come in waves: first the items of the rule's type, as many as are still to
 * be chosen, until the choice among them is settled; then the devices below the items chosen. A draw depends on nothing
 * but x, the bucket and r. That a device is good is taken for granted until it is drawn: where it is out, or anything
 * else is unusual, the input is mapped again from its beginning, one draw after the other.
 *
 * The choices follow chooseFirstn and chooseIndep in ../choose.ts, without local retries.
 */
import { isOut } from '../choose';
import { bucketAt, reweightCount, reweights, resultMax, setWord, switchMapping, word } from '../context';
import { ITEM_NONE, ITEM_UNDEF } from '../layout';
import { traceRow } from '../trace';
import { askDevice, askItem, SLOT_ROW } from './tasks';

/* What a pass over a slot comes to. */
/** It waits for draws. */
export const WAITING: i32 = -1;
/** It is to be mapped one draw after the other. */
export const UNUSUAL: i32 = -2;

/* The choice that all slots make. */
let firstn: bool = false;
let toLeaf: bool = false;
let type: i32 = 0;
/** Items asked for, and positions there is room for. */
let replicas: i32 = 0;
let positions: i32 = 0;
let maxTries: u32 = 0;
let varyR: i32 = 0;
/** Whether an item whose device is out is given up at once (firstn). */
let once: bool = false;

/* Words of a slot. Vectors, of a whole number of lanes, follow: the items, the r of each, the devices, the draws. */
/** Tasks outstanding. */
export const SLOT_OUTSTANDING = 0;
/** Its input; the row of the result is the next word. */
export const SLOT_X = 1;
/** Whether the devices are being drawn. */
const SLOT_AT_DEVICES = 3;
/** Positions filled. */
const SLOT_FILLED = 4;
/** firstn: the replica sought, its failures, the draws asked for. indep: rounds. */
const SLOT_REPLICA = 5;
const SLOT_ROUND = 5;
const SLOT_FAILURES = 6;
const SLOT_ASKED = 7;
/** firstn: the r whose devices have been asked for, a bit each in two words. */
const SLOT_DEVICES_ASKED = 8;
const HEADER_BYTES: usize = 48;
let vectorBytes: usize = 0;

/** Retries beyond the first draws that a slot remembers (firstn), and rounds that it goes through (indep). */
const RETRIES = 12;
const ROUNDS: i32 = 500;

/** Bytes of a slot for a rule that chooses up to `size` items: a power of two. */
export function slotBytes(size: i32): usize {
  const vector = (<usize>((size + 3) & ~3)) << 2;
  const needed = HEADER_BYTES + 4 * vector + 2 * (RETRIES << 2);
  let bytes: usize = 64;
  while (bytes < needed) bytes <<= 1;
  return bytes;
}

/** Sets what all slots choose: `count` items of a type, in `room` positions. */
export function enterSlots(
  isFirstn: bool,
  leaf: bool,
  itemType: i32,
  count: i32,
  room: i32,
  size: i32,
  tries: u32,
  vary: i32,
  oneLeafTry: bool,
): void {
  firstn = isFirstn;
  toLeaf = leaf;
  type = itemType;
  replicas = count;
  positions = room;
  maxTries = tries;
  varyR = vary;
  once = oneLeafTry;
  vectorBytes = (<usize>((size + 3) & ~3)) << 2;
}

// @ts-ignore: decorator
@inline
function itemsOf(slot: usize): usize {
  return slot + HEADER_BYTES;
}

// @ts-ignore: decorator
@inline
function retriesOf(slot: usize): usize {
  return slot + HEADER_BYTES + vectorBytes;
}

// @ts-ignore: decorator
@inline
function devicesOf(slot: usize): usize {
  return slot + HEADER_BYTES + 2 * vectorBytes;
}

// @ts-ignore: decorator
@inline
function drawsOf(slot: usize): usize {
  return slot + HEADER_BYTES + 3 * vectorBytes + (RETRIES << 2);
}

/** Puts an input into a slot and asks for its first draws. */
export function beginSlot(slot: usize, x: i32, row: i32): void {
  v128.store(slot, i32x4(0, x, row, 0));
  v128.store(slot, i32x4(0, 0, 0, positions), 16);
  v128.store(slot, i32x4.splat(0), 32);
  const items = itemsOf(slot);
  for (let i: usize = 0; i < vectorBytes; i += 16) v128.store(items + i, i32x4.splat(ITEM_UNDEF));
  const draws = drawsOf(slot);
  for (let r = 0; r < positions; r++) askItem(slot, x, r, draws + ((<usize>r) << 2));
}

/**
 * Goes on with a slot that has no tasks outstanding: WAITING, UNUSUAL, or the length of the mapping, which then is in
 * `result`.
 */
export function passSlot(slot: usize, result: usize): i32 {
  if (firstn) return word(slot, SLOT_AT_DEVICES) ? takeFirstn(slot, result) : passFirstn(slot, result);
  return word(slot, SLOT_AT_DEVICES) ? takeIndep(slot, result) : passIndep(slot, result);
}

function passFirstn(slot: usize, result: usize): i32 {
  const items = itemsOf(slot);
  const draws = drawsOf(slot);
  let filled = word(slot, SLOT_FILLED);
  let replica = word(slot, SLOT_REPLICA);
  let failures = word(slot, SLOT_FAILURES);
  const asked = word(slot, SLOT_ASKED);
  for (; replica < replicas && filled < positions; replica++, failures = 0) {
    do {
      const r = replica + failures;
      if (r >= asked) {
        if (r >= positions + RETRIES) return UNUSUAL;
        v128.store(slot, i32x4(filled, replica, failures, asked + 1), 16);
        askItem(slot, word(slot, SLOT_X), r, draws + ((<usize>r) << 2));
        return WAITING;
      }
      const item = word(draws, r);
      if (item < NO_BUCKET) return UNUSUAL;
      if (!holds(items, item) && (type != 0 || !rejects(slot, item))) {
        setWord(items, filled, item);
        setWord(retriesOf(slot), filled, (replica << 16) | r);
        filled++;
        break;
      }
      failures++;
    } while (<u32>failures < maxTries);
  }
  setWord(slot, SLOT_FILLED, filled);
  return toLeaf ? askDevicesFirstn(slot, result) : giveItems(slot, result, filled);
}

/** EMPTY and MISFIT are below this, ids of buckets are not. */
const NO_BUCKET: i32 = i32.MIN_VALUE + 2;

function passIndep(slot: usize, result: usize): i32 {
  const items = itemsOf(slot);
  const draws = drawsOf(slot);
  const round = word(slot, SLOT_ROUND);
  const first = replicas * round;
  let open = openPositions(items);
  let left = open;
  for (; open != 0; open &= open - 1) {
    const position = ctz(open);
    const item = word(draws, position);
    if (item < NO_BUCKET) return UNUSUAL;
    if (holds(items, item) || (type == 0 && rejects(slot, item))) continue;
    setWord(items, position, item);
    setWord(retriesOf(slot), position, position + position + first);
    left ^= 1 << position;
  }
  if (left != 0 && <u32>(round + 1) < maxTries) {
    if (round >= ROUNDS) return UNUSUAL;
    setWord(slot, SLOT_ROUND, round + 1);
    const x = word(slot, SLOT_X);
    for (; left != 0; left &= left - 1) {
      const position = ctz(left);
      askItem(slot, x, position + first + replicas, draws + ((<usize>position) << 2));
    }
    return WAITING;
  }
  setWord(slot, SLOT_FILLED, positions);
  return toLeaf ? askDevicesIndep(slot, result) : giveItems(slot, result, positions);
}

/** The positions that have no item yet, a bit each. */
// @ts-ignore: decorator
@inline
function openPositions(items: usize): i32 {
  const nothing = i32x4.splat(ITEM_UNDEF);
  let open = 0;
  for (let i: usize = 0; i < vectorBytes; i += 16) {
    open |= i32x4.bitmask(i32x4.eq(v128.load(items + i), nothing)) << ((<i32>i) >> 2);
  }
  return positions < 32 ? open & ((1 << positions) - 1) : open;
}

/** Whether an item has been chosen already. */
// @ts-ignore: decorator
@inline
function holds(items: usize, item: i32): bool {
  const wanted = i32x4.splat(item);
  let equal = i32x4.eq(v128.load(items), wanted);
  for (let i: usize = 16; i < vectorBytes; i += 16) {
    equal = v128.or(equal, i32x4.eq(v128.load(items + i), wanted));
  }
  return v128.any_true(equal);
}

/** Whether a device is out for the slot's input. */
// @ts-ignore: decorator
@inline
function rejects(slot: usize, device: i32): bool {
  if (device < reweightCount && <u32>word(reweights, device) >= 0x10000) return false;
  switchMapping(word(slot, SLOT_X));
  traceRow(word(slot, SLOT_ROW));
  return isOut(device);
}

/** Asks for the devices below the items that firstn has chosen, but for those it has asked for already. */
function askDevicesFirstn(slot: usize, result: usize): i32 {
  const items = itemsOf(slot);
  const retries = retriesOf(slot);
  const devices = devicesOf(slot);
  const filled = word(slot, SLOT_FILLED);
  const x = word(slot, SLOT_X);
  let known = load<u64>(slot + (SLOT_DEVICES_ASKED << 2));
  setWord(slot, SLOT_AT_DEVICES, 1);
  for (let i = 0; i < filled; i++) {
    const r = word(retries, i) & 0xffff;
    if ((known >> (<u64>r)) & 1) continue;
    known |= (<u64>1) << (<u64>r);
    const deviceR = varyR ? r >> (varyR - 1) : 0;
    askDevice(slot, bucketAt(word(items, i)), x, deviceR, devices + ((<usize>r) << 2));
  }
  store<u64>(slot + (SLOT_DEVICES_ASKED << 2), known);
  return word(slot, SLOT_OUTSTANDING) ? WAITING : takeFirstn(slot, result);
}

/** The devices drawn as the result; where one is out, the choice goes on from there. */
function takeFirstn(slot: usize, result: usize): i32 {
  const retries = retriesOf(slot);
  const devices = devicesOf(slot);
  const filled = word(slot, SLOT_FILLED);
  for (let i = 0; i < filled; i++) {
    const r = word(retries, i) & 0xffff;
    const device = word(devices, r);
    if (device < 0) return UNUSUAL;
    for (let before = 0; before < i; before++) if (word(result, before) == device) return UNUSUAL;
    if (rejects(slot, device)) return once ? chooseFrom(slot, result, i) : UNUSUAL;
    setWord(result, i, device);
  }
  return filled;
}

/** Chooses anew from a position on, whose item has failed. */
function chooseFrom(slot: usize, result: usize, position: i32): i32 {
  const items = itemsOf(slot);
  const last = word(retriesOf(slot), position);
  let replica = last >> 16;
  let failures = (last & 0xffff) - replica + 1;
  if (<u32>failures >= maxTries) {
    replica++;
    failures = 0;
  }
  for (let i = position; i < positions; i++) setWord(items, i, ITEM_UNDEF);
  setWord(slot, SLOT_AT_DEVICES, 0);
  setWord(slot, SLOT_FILLED, position);
  setWord(slot, SLOT_REPLICA, replica);
  setWord(slot, SLOT_FAILURES, failures);
  return passFirstn(slot, result);
}

/** Asks for the devices below the items that indep has chosen. */
function askDevicesIndep(slot: usize, result: usize): i32 {
  const items = itemsOf(slot);
  const retries = retriesOf(slot);
  const devices = devicesOf(slot);
  const x = word(slot, SLOT_X);
  setWord(slot, SLOT_AT_DEVICES, 1);
  for (let i = 0; i < positions; i++) {
    const item = word(items, i);
    if (item == ITEM_UNDEF) continue;
    askDevice(slot, bucketAt(item), x, word(retries, i), devices + ((<usize>i) << 2));
  }
  return word(slot, SLOT_OUTSTANDING) ? WAITING : takeIndep(slot, result);
}

/** The devices drawn as the result, if all are good. */
function takeIndep(slot: usize, result: usize): i32 {
  const items = itemsOf(slot);
  const devices = devicesOf(slot);
  for (let i = 0; i < positions; i++) {
    let device = ITEM_NONE;
    if (word(items, i) != ITEM_UNDEF) {
      device = word(devices, i);
      if (device < 0 || rejects(slot, device)) return UNUSUAL;
    }
    setWord(result, i, device);
  }
  return positions;
}

/** The items chosen as the result. */
function giveItems(slot: usize, result: usize, filled: i32): i32 {
  const items = itemsOf(slot);
  for (let i = 0; i < filled; i++) {
    const item = word(items, i);
    setWord(result, i, item == ITEM_UNDEF ? ITEM_NONE : item);
  }
  return filled;
}
