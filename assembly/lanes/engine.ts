/*
 * The batch loop of the task lanes: many inputs under way at once, each in a slot. In every round each slot goes on
 * with its rule as far as its draws allow; one that comes to the end takes the next input; then all draws that were
 * asked for are made.
 */
import { laneTable } from '../buckets';
import {
  chooseArgs,
  enterMapping,
  findBucket,
  map,
  maxBuckets,
  resultMax,
  setWord,
  status,
  word,
} from '../context';
import {
  A_POSITIONS,
  B_SIZE,
  H_ALL_STRAW2,
  H_CHOOSE_LOCAL_FALLBACK_TRIES,
  H_CHOOSE_LOCAL_TRIES,
  H_CHOOSE_TOTAL_TRIES,
  H_CHOOSELEAF_DESCEND_ONCE,
  H_CHOOSELEAF_STABLE,
  H_CHOOSELEAF_VARY_R,
  ITEM_NONE,
  Q_COUNT,
  Q_FIRST,
  Q_OUT_ITEMS,
  Q_OUT_LENGTHS,
  Q_OUT_SEEDS,
  Q_PGP_MASK,
  Q_PGP_NUM,
  Q_POOL,
  Q_RULE,
  Q_SEED_MODE,
  Q_TASKS,
  Q_TRIES,
  Q_WORK_LIMIT,
  R_LENGTH,
  R_STEPS,
  S_ARG1,
  S_ARG2,
  S_OP,
  STATUS_OK,
  STEP_WORDS,
  T_COUNT,
} from '../layout';
import {
  CHOOSELEAF_FIRSTN,
  CHOOSELEAF_INDEP,
  CHOOSE_FIRSTN,
  CHOOSE_INDEP,
  EMIT,
  SET_CHOOSELEAF_STABLE,
  SET_CHOOSELEAF_TRIES,
  SET_CHOOSELEAF_VARY_R,
  SET_CHOOSE_TRIES,
  TAKE,
} from '../numbers';
import { doRule, isMsrRule, ruleAt } from '../rule';
import { seedOf } from '../seed';
import { traceRow } from '../trace';
import { ROOT_ITEMS } from './group';
import {
  beginSlot,
  enterSlots,
  passSlot,
  slotBytes,
  SLOT_OUTSTANDING,
  SLOT_X,
  UNUSUAL,
  WAITING,
} from './slots';
import { drawSome, enterTasks, SLOT_ROW, taskWords } from './tasks';

/** Inputs under way at once: enough to fill the lanes, few enough to stay in the first caches. */
const SLOTS = 128;
/** Tasks that may wait at a time. */
const MOST_TASKS = 2048;
/** Most items that a mapping may have here. */
const MOST_ITEMS = 32;
/** Inputs below which lanes stay empty too often. */
const FEW = 8;

/** The row of a slot that has no input. */
const NO_ROW: i32 = -1;

/* The choice that the rule makes. */
let taken: usize = 0;
let operation: i32 = 0;
let asked: i32 = 0;
let type: i32 = 0;
let maxTries: i32 = 0;
let varyR: i32 = 0;
let leafTries: i32 = 0;

/** Words of workspace that the task lanes need besides the other. */
export function tasksWords(mapAddress: usize, size: i32): i32 {
  if (size > MOST_ITEMS) return 0;
  return SLOTS * ((<i32>slotBytes(size)) >> 2) + taskWords(MOST_TASKS) + 4;
}

/**
 * Whether a rule is one for the task lanes: one take, one choose step, one emit, in a map of straw2 buckets with
 * weights that do not depend on the position, and with tunables of 2014 or later. Others are mapped one after the
 * other, with items in lanes.
 */
export function suitsTasks(request: usize): bool {
  const rule = ruleAt(word(request, Q_RULE));
  if (rule == 0 || isMsrRule(rule) || resultMax <= 0 || resultMax > MOST_ITEMS) return false;
  if (word(request, Q_COUNT) < FEW || word(request, Q_TRIES) != 0) return false;
  if (word(map, H_ALL_STRAW2) == 0) return false;
  if (word(map, H_CHOOSE_LOCAL_TRIES) != 0 || word(map, H_CHOOSE_LOCAL_FALLBACK_TRIES) != 0) return false;
  if (!readRule(rule)) return false;
  const table = taken && word(taken, B_SIZE) > 0 ? laneTable(taken, 0) : 0;
  if (table == 0 || word(table, T_COUNT) > ROOT_ITEMS || asked <= 0 || asked > MOST_ITEMS) return false;
  if (chooseArgs) {
    for (let i = 0; i < maxBuckets; i++) {
      const offset = word(chooseArgs, i);
      if (offset && word(map + ((<usize>offset) << 2), A_POSITIONS) > 1) return false;
    }
  }
  return true;
}

/** Reads a rule of one take, one choose step and one emit; false if it is another. */
function readRule(rule: usize): bool {
  taken = 0;
  operation = 0;
  maxTries = word(map, H_CHOOSE_TOTAL_TRIES) + 1;
  varyR = word(map, H_CHOOSELEAF_VARY_R);
  leafTries = 0;
  let stable = word(map, H_CHOOSELEAF_STABLE);
  const length = word(rule, R_LENGTH);
  for (let step = 0; step < length; step++) {
    const op = word(rule, R_STEPS + step * STEP_WORDS + S_OP);
    const arg1 = word(rule, R_STEPS + step * STEP_WORDS + S_ARG1);
    if (op == SET_CHOOSELEAF_TRIES) {
      if (arg1 > 0) leafTries = arg1;
    } else if (op == SET_CHOOSE_TRIES) {
      if (arg1 > 0) maxTries = arg1;
    } else if (op == SET_CHOOSELEAF_VARY_R) {
      if (arg1 >= 0) varyR = arg1;
    } else if (op == SET_CHOOSELEAF_STABLE) {
      if (arg1 >= 0) stable = arg1;
    } else if (op == TAKE) {
      if (taken) return false;
      taken = findBucket(arg1);
      if (taken == 0) return false;
    } else if (
      op == CHOOSE_FIRSTN ||
      op == CHOOSE_INDEP ||
      op == CHOOSELEAF_FIRSTN ||
      op == CHOOSELEAF_INDEP
    ) {
      if (taken == 0 || operation) return false;
      operation = op;
      asked = arg1 > 0 ? arg1 : arg1 + resultMax;
      type = word(rule, R_STEPS + step * STEP_WORDS + S_ARG2);
      // The r of a device would depend on the position; a device below a device is its own.
      if (op == CHOOSELEAF_FIRSTN && !stable) return false;
      if ((op == CHOOSELEAF_FIRSTN || op == CHOOSELEAF_INDEP) && type == 0) return false;
    } else if (op == EMIT) {
      return operation != 0 && step == length - 1;
    } else {
      return false;
    }
  }
  return false;
}

/** Maps the batch; false when a mapping failed, and the batch is to be mapped one at a time. */
export function mapTasks(request: usize, scratch: usize): bool {
  const rule = ruleAt(word(request, Q_RULE));
  const count = word(request, Q_COUNT);
  const workLimit = word(request, Q_WORK_LIMIT);
  const slots = (<usize>word(request, Q_TASKS) + 15) & ~15;
  const bytes = slotBytes(resultMax);
  const firstn = operation == CHOOSE_FIRSTN || operation == CHOOSELEAF_FIRSTN;
  const positions = min<i32>(asked, resultMax);
  enterSlots(
    firstn,
    operation == CHOOSELEAF_FIRSTN || operation == CHOOSELEAF_INDEP,
    type,
    asked,
    positions,
    resultMax,
    maxTries,
    varyR,
    leafTries == 1 || (leafTries == 0 && (word(map, H_CHOOSELEAF_DESCEND_ONCE) != 0 || maxTries == 1)),
  );
  enterTasks(slots + <usize>SLOTS * bytes, MOST_TASKS, laneTable(taken, 0), type, slots, bytes);

  const slotCount = min<i32>(min<i32>(count, SLOTS), MOST_TASKS / positions);
  let next = 0;
  for (; next < slotCount; next++) begin(request, slots + <usize>next * bytes, next);
  let left = count;
  while (left > 0) {
    for (let i = 0; i < slotCount; i++) {
      const slot = slots + <usize>i * bytes;
      let row = word(slot, SLOT_ROW);
      while (row >= 0 && word(slot, SLOT_OUTSTANDING) == 0) {
        const result = <usize>word(request, Q_OUT_ITEMS) + ((<usize>(row * resultMax)) << 2);
        let length = passSlot(slot, result);
        if (length == WAITING) break;
        if (length == UNUSUAL) {
          enterMapping(word(slot, SLOT_X), workLimit);
          traceRow(row);
          length = doRule(rule, result, scratch);
          if (status != STATUS_OK) return false;
        }
        finish(request, slot, result, length);
        left--;
        if (next < count) begin(request, slot, next++);
        else setWord(slot, SLOT_ROW, NO_ROW);
        row = word(slot, SLOT_ROW);
      }
    }
    drawSome();
  }
  return true;
}

/** Puts an input into a slot. */
function begin(request: usize, slot: usize, row: i32): void {
  const seed = seedOf(
    word(request, Q_SEED_MODE),
    word(request, Q_FIRST) + row,
    word(request, Q_POOL),
    word(request, Q_PGP_NUM),
    word(request, Q_PGP_MASK),
  );
  beginSlot(slot, seed, row);
}

/** Completes the row of an input that has come to the end of its rule. */
function finish(request: usize, slot: usize, result: usize, length: i32): void {
  const row = word(slot, SLOT_ROW);
  for (let i = length; i < resultMax; i++) setWord(result, i, ITEM_NONE);
  setWord(word(request, Q_OUT_LENGTHS), row, length);
  const seeds = <usize>word(request, Q_OUT_SEEDS);
  if (seeds) setWord(seeds, row, word(slot, SLOT_X));
}
