/*
 * MSR rules (multi-step retry): every choose step of a rule is one level of a single descent, so that a rejected
 * device retries the steps above it too.
 *
 * A rule is a run of settings, then blocks of `take, choose_msr ..., emit`. A block that asks for 4 hosts and 2
 * devices on each fills 8 places; step 0 divides them into 4 strides of 2, step 1 each stride into 2 of 1. Each
 * step keeps a vector of what it has used: a bucket used in one stride is no longer free for the others.
 */
import { chooseItem } from './buckets';
import { isOut } from './choose';
import {
  bucketAt,
  fail,
  findBucket,
  map,
  resultMax,
  setWord,
  spend,
  status,
  word,
  workLeft,
} from './context';
import {
  B_SIZE,
  B_TYPE,
  H_MAX_STEPS,
  H_MSR_COLLISION_TRIES,
  H_MSR_DESCENTS,
  ITEM_NONE,
  ITEM_UNDEF,
  R_LENGTH,
  R_STEPS,
  R_TYPE,
  S_ARG1,
  S_ARG2,
  S_OP,
  STATUS_MSR_BAD_COUNT,
  STATUS_MSR_BAD_TAKE,
  STATUS_MSR_DEVICE_TOO_EARLY,
  STATUS_MSR_EMPTY_BUCKET,
  STATUS_MSR_NO_CHOOSE,
  STATUS_OK,
  STATUS_WORK_LIMIT,
  STEP_WORDS,
} from './layout';
import { CHOOSE_MSR, EMIT, MSR_FIRSTN, SET_MSR_COLLISION_TRIES, SET_MSR_DESCENTS, TAKE } from './numbers';

/* The block being mapped. */
let rule: usize = 0;
let firstn: bool = false;
let collisionTries: u32 = 0;
let firstStep: i32 = 0;
let endStep: i32 = 0;
/** One vector of resultMax words for each choose step, then as many for undoing. */
let vectors: usize = 0;
let out: usize = 0;
let returned: i32 = 0;

/**
 * Maps the input by an MSR rule into `output` (`crush_msr_do_rule`); gives back the length. `scratch` has room
 * for two vectors for each step of the longest rule.
 */
export function doMsrRule(ruleAddress: usize, output: usize, scratch: usize): i32 {
  rule = ruleAddress;
  const length = word(rule, R_LENGTH);
  firstn = word(rule, R_TYPE) == MSR_FIRSTN;
  out = output;
  vectors = scratch;
  returned = 0;
  for (let i = 0; i < resultMax; i++) setWord(out, i, ITEM_NONE);

  let descents = <u32>word(map, H_MSR_DESCENTS);
  collisionTries = word(map, H_MSR_COLLISION_TRIES);
  let step = 0;
  for (; step < length; step++) {
    const op = stepField(step, S_OP);
    if (op == SET_MSR_DESCENTS) descents = stepField(step, S_ARG1);
    else if (op == SET_MSR_COLLISION_TRIES) collisionTries = stepField(step, S_ARG1);
    else break;
  }

  let start = 0;
  while (step < length) {
    const emit = findEmit(step, length);
    // A rule of another form maps to nothing at all.
    if (emit < 0) return 0;
    const taken = stepField(step, S_ARG1);
    if (emit == step + 1) return give(STATUS_MSR_NO_CHOOSE);
    if (taken >= 0) return 0;
    const root = findBucket(taken);
    if (root == 0) return give(STATUS_MSR_BAD_TAKE);

    firstStep = step + 1;
    endStep = emit;
    const children = countChildren();
    if (children < 0) return give(STATUS_MSR_BAD_COUNT);
    for (let i = 0; i < (endStep - firstStep) * resultMax; i++) setWord(vectors, i, ITEM_UNDEF);
    const end = start + children < resultMax ? start + children : resultMax;
    const limit = returned + (end - start);
    for (let descent: u32 = 0; descent < descents && returned < limit; descent++) {
      chooseMsr(root, children, start, end, firstStep, descent);
      if (status != STATUS_OK) return 0;
    }
    start = end;
    step = emit + 1;
  }
  return firstn ? returned : resultMax;
}

// @ts-ignore: decorator
@inline
function stepField(step: i32, field: i32): i32 {
  return word(rule, R_STEPS + step * STEP_WORDS + field);
}

function give(code: i32): i32 {
  fail(code);
  return 0;
}

/** The emit that ends the block at `step`, or -1 if the block is not take, choose_msr ..., emit. */
function findEmit(step: i32, length: i32): i32 {
  if (step + 1 >= length || stepField(step, S_OP) != TAKE) return -1;
  for (let at = step + 1; at < length; at++) {
    const op = stepField(at, S_OP);
    if (op == EMIT) return at;
    if (op != CHOOSE_MSR) return -1;
  }
  return -1;
}

/** How many places the block's steps ask for together; -1 if a count is negative or the product too large. */
function countChildren(): i32 {
  let children: i64 = 1;
  for (let step = firstStep; step < endStep; step++) {
    const asked = stepField(step, S_ARG1);
    if (asked < 0) return -1;
    children *= asked ? asked : resultMax;
    if (children > 0x3fffffff) return -1;
  }
  return <i32>children;
}

/** The vector of used items of a step. */
// @ts-ignore: decorator
@inline
function used(step: i32): usize {
  return vectors + ((<usize>((step - firstStep) * resultMax)) << 2);
}

/** The undo vector of a step: what to take back for each stride when its choice ends. */
// @ts-ignore: decorator
@inline
function undo(step: i32): usize {
  return vectors + ((<usize>((word(map, H_MAX_STEPS) + step - firstStep) * resultMax)) << 2);
}

/**
 * Fills the places `start` .. `end - 1` from `bucket` by one step and those below it (`crush_msr_choose`); gives
 * back how many devices were placed. `descendants` is the places a full set of this step's strides would have.
 */
function chooseMsr(bucket: usize, descendants: i32, start: i32, end: i32, step: i32, descent: u32): i32 {
  const asked = stepField(step, S_ARG1);
  const type = stepField(step, S_ARG2);
  const strideLength = descendants / (asked ? asked : resultMax);
  const taken = undo(step);
  const leaves = used(endStep - 1);
  let placed = 0;

  let stride = 0;
  for (let from = start; from < end; from += strideLength, stride++) {
    setWord(taken, stride, ITEM_UNDEF);
    const to = from + strideLength < end ? from + strideLength : end;
    if (isFull(leaves, from, to)) continue;

    let found = false;
    let candidate = 0;
    for (let collision: u32 = 0; collision < collisionTries; collision++) {
      candidate = descend(bucket, type, descent, collision, stride);
      if (status != STATUS_OK) return 0;
      if (isFree(used(step), start, end, from, to, candidate)) {
        found = true;
        break;
      }
    }
    if (!found) continue;

    if (type == 0) {
      // A step that follows the devices makes no sense, and a device that is out waits for the next descent.
      if (strideLength != 1 || step + 1 != endStep || isOut(candidate)) continue;
      push(used(step), from, to, candidate);
      setWord(out, firstn ? returned : from, candidate);
      returned++;
      placed++;
    } else {
      if (step + 1 >= endStep) continue;
      if (candidate >= 0) return give(STATUS_MSR_DEVICE_TOO_EARLY);
      const below = chooseMsr(bucketAt(candidate), strideLength, from, to, step + 1, descent);
      if (status != STATUS_OK) return 0;
      if (push(used(step), from, to, candidate) && below == 0) setWord(taken, stride, candidate);
      else placed += below;
    }
  }

  // Buckets that gave no device stay taken until here, so that their neighbours choose as if they had.
  stride = 0;
  for (let from = start; from < end; from += strideLength, stride++) {
    if (word(taken, stride) != ITEM_UNDEF) {
      pop(used(step), from, from + strideLength < end ? from + strideLength : end);
    }
  }
  return placed;
}

/** Down from `bucket` to an item of `type` or a device (`crush_msr_descend`). */
function descend(bucket: usize, type: i32, descent: u32, collision: u32, index: i32): i32 {
  const r = ((descent * <u32>resultMax + <u32>index) << 16) + collision;
  while (true) {
    spend(1);
    if (workLeft < 0) return give(STATUS_WORK_LIMIT);
    if (word(bucket, B_SIZE) == 0) return give(STATUS_MSR_EMPTY_BUCKET);
    const item = chooseItem(bucket, r, index);
    if (item >= 0) return item;
    bucket = bucketAt(item);
    if (word(bucket, B_TYPE) == type) return item;
  }
}

/** Whether every place has its device (`crush_msr_leaf_vec_populated`). */
function isFull(leaves: usize, from: i32, to: i32): bool {
  for (let i = from; i < to; i++) if (word(leaves, i) == ITEM_UNDEF) return false;
  return true;
}

/** Whether a candidate is unused, or used by this stride itself (`crush_msr_valid_candidate`). */
function isFree(vector: usize, start: i32, end: i32, from: i32, to: i32, candidate: i32): bool {
  for (let i = start; i < end; i++) if (word(vector, i) == candidate) return i >= from && i < to;
  return true;
}

/** Marks a candidate as used by a stride; false if it was already (`crush_msr_push_used`). */
function push(vector: usize, from: i32, to: i32, candidate: i32): bool {
  for (let i = from; i < to; i++) {
    const item = word(vector, i);
    if (item == candidate) return false;
    if (item == ITEM_UNDEF) {
      setWord(vector, i, candidate);
      return true;
    }
  }
  return false;
}

/** Takes back the last item a stride has marked (`crush_msr_pop_used`). */
function pop(vector: usize, from: i32, to: i32): void {
  for (let i = to - 1; i >= from; i--) {
    if (word(vector, i) != ITEM_UNDEF) {
      setWord(vector, i, ITEM_UNDEF);
      return;
    }
  }
}
