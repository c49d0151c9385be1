/*
 * The batch loop of the task lanes: many inputs under way at once, each in a slot. In every round each slot goes on
 * with its rule as far as its draws allow; one that comes to the end takes the next input; then all draws that were
 * asked for are made.
 */
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
} from '../layout';
import {
  CHOOSELEAF_FIRSTN,
  CHOOSELEAF_INDEP,
  CHOOSE_FIRSTN,
  CHOOSE_INDEP,
  SET_CHOOSE_LOCAL_FALLBACK_TRIES,
  SET_CHOOSE_LOCAL_TRIES,
  TAKE,
} from '../numbers';
import { isMsrRule, ruleAt, runRule, startRule } from '../rule';
import { seedOf } from '../seed';
import { STATE_RESULT_COUNT, STATE_WORDS } from '../state';
import { initRecall, isDirect, RECALL_OUTSTANDING, RECALL_WORDS, TASKS_A_SLOT, TO_DEVICE } from './recall';
import { drawSome, enterTasks, taskWords, waiting } from './tasks';

/** Inputs under way at once: enough to fill the lanes, few enough to stay in the first caches. */
const SLOTS = 64;
/** Tasks that may wait at a time. */
const MOST_TASKS = 2048;
/** Items of a bucket from which on it fills the lanes by itself. */
const LARGE = 32;
/** Inputs below which lanes stay empty too often. */
const FEW = 8;

/** The row of a slot that has no input. */
const NO_ROW: i32 = -1;

/* Words of a slot: its input and row; then its rule's state, its draws, and four vectors. */
const SLOT_X = 0;
const SLOT_ROW = 1;
const SLOT_STATE = 4;
const SLOT_RECALL = SLOT_STATE + STATE_WORDS;
const SLOT_VECTORS = SLOT_RECALL + RECALL_WORDS;

// @ts-ignore: decorator
@inline
function slotWords(size: i32): i32 {
  return SLOT_VECTORS + 4 * size;
}

/** Words of workspace that the task lanes need besides the other. */
export function tasksWords(mapAddress: usize, size: i32): i32 {
  return SLOTS * slotWords(size) + taskWords(MOST_TASKS);
}

/**
 * Whether a rule is one for the task lanes: no MSR rule, no local retries, nothing but straw2 buckets, and weights
 * that do not depend on the position. Nor is it where items in lanes are faster: from a bucket that fills the lanes by
 * itself, from one of the sizes in small.ts with nothing in between, and among buckets so few that one retry after the
 * other is needed.
 */
export function suitsTasks(request: usize): bool {
  const rule = ruleAt(word(request, Q_RULE));
  if (rule == 0 || isMsrRule(rule) || resultMax <= 0) return false;
  if (word(request, Q_COUNT) < FEW || word(request, Q_TRIES) != 0) return false;
  if (word(map, H_ALL_STRAW2) == 0) return false;
  if (word(map, H_CHOOSE_LOCAL_TRIES) != 0 || word(map, H_CHOOSE_LOCAL_FALLBACK_TRIES) != 0) return false;
  let taken: usize = 0;
  for (let step = 0; step < word(rule, R_LENGTH); step++) {
    const op = word(rule, R_STEPS + step * STEP_WORDS + S_OP);
    const arg1 = word(rule, R_STEPS + step * STEP_WORDS + S_ARG1);
    const arg2 = word(rule, R_STEPS + step * STEP_WORDS + S_ARG2);
    if (op == TAKE) taken = findBucket(arg1);
    if (
      taken &&
      (op == CHOOSE_FIRSTN || op == CHOOSE_INDEP || op == CHOOSELEAF_FIRSTN || op == CHOOSELEAF_INDEP)
    ) {
      const size = word(taken, B_SIZE);
      const replicas = arg1 > 0 ? arg1 : arg1 + resultMax;
      if (size > LARGE) return false;
      if (isDirect(taken, arg2) && (size <= 2 * replicas || (size > 8 && size <= 16))) return false;
      taken = 0;
    }
    if ((op == SET_CHOOSE_LOCAL_TRIES || op == SET_CHOOSE_LOCAL_FALLBACK_TRIES) && arg1 > 0) return false;
    // Of a device that is out, this leaves behind what depends on the order of all its tries.
    if (op == CHOOSELEAF_INDEP && arg2 == 0) return false;
  }
  if (chooseArgs) {
    for (let i = 0; i < maxBuckets; i++) {
      const offset = word(chooseArgs, i);
      if (offset && word(map + ((<usize>offset) << 2), A_POSITIONS) > 1) return false;
    }
  }
  return true;
}

/** Maps the batch; false when a mapping failed, and the batch is to be mapped one at a time. */
export function mapTasks(request: usize): bool {
  const rule = ruleAt(word(request, Q_RULE));
  const count = word(request, Q_COUNT);
  const workLimit = word(request, Q_WORK_LIMIT);
  const slots = <usize>word(request, Q_TASKS);
  const slotBytes = (<usize>slotWords(resultMax)) << 2;
  enterTasks(slots + <usize>SLOTS * slotBytes, MOST_TASKS, TO_DEVICE);

  const slotCount = count < SLOTS ? count : SLOTS;
  let next = 0;
  for (; next < slotCount; next++) {
    const slot = slots + <usize>next * slotBytes;
    initRecall(slot + (SLOT_RECALL << 2));
    begin(request, slot, next);
  }
  let left = count;
  while (left > 0) {
    for (let i = 0; i < slotCount; i++) {
      const slot = slots + <usize>i * slotBytes;
      let row = word(slot, SLOT_ROW);
      while (row >= 0 && word(slot, SLOT_RECALL + RECALL_OUTSTANDING) == 0) {
        while (waiting > MOST_TASKS - TASKS_A_SLOT) drawSome();
        const result = <usize>word(request, Q_OUT_ITEMS) + ((<usize>(row * resultMax)) << 2);
        enterMapping(word(slot, SLOT_X), workLimit);
        const ended = runRule(slot + (SLOT_STATE << 2), rule, result, slot + (SLOT_RECALL << 2));
        if (status != STATUS_OK) return false;
        if (!ended) break;
        finish(request, slot, result);
        left--;
        if (next < count) begin(request, slot, next++);
        else setWord(slot, SLOT_ROW, NO_ROW);
        row = word(slot, SLOT_ROW);
      }
    }
    drawSome();
    if (status != STATUS_OK) return false;
  }
  return true;
}

/** Puts an input into a slot. */
function begin(request: usize, slot: usize, row: i32): void {
  const number = word(request, Q_FIRST) + row;
  const seed = seedOf(
    word(request, Q_SEED_MODE),
    number,
    word(request, Q_POOL),
    word(request, Q_PGP_NUM),
    word(request, Q_PGP_MASK),
  );
  setWord(slot, SLOT_X, seed);
  setWord(slot, SLOT_ROW, row);
  startRule(slot + (SLOT_STATE << 2), slot + (SLOT_VECTORS << 2));
}

/** Completes the row of an input that has come to the end of its rule. */
function finish(request: usize, slot: usize, result: usize): void {
  const row = word(slot, SLOT_ROW);
  const length = word(slot, SLOT_STATE + STATE_RESULT_COUNT);
  for (let i = length; i < resultMax; i++) setWord(result, i, ITEM_NONE);
  setWord(word(request, Q_OUT_LENGTHS), row, length);
  const seeds = <usize>word(request, Q_OUT_SEEDS);
  if (seeds) setWord(seeds, row, word(slot, SLOT_X));
}
