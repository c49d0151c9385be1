/*
 * Running a rule: its steps in order over a working set of items.
 */
import { chooseFirstn, chooseIndep } from './choose';
import {
  bucketAt,
  findBucket,
  map,
  maxBuckets,
  maxDevices,
  resultMax,
  setWord,
  status,
  word,
} from './context';
import {
  H_CHOOSE_LOCAL_FALLBACK_TRIES,
  H_CHOOSE_LOCAL_TRIES,
  H_CHOOSE_TOTAL_TRIES,
  H_CHOOSELEAF_DESCEND_ONCE,
  H_CHOOSELEAF_STABLE,
  H_CHOOSELEAF_VARY_R,
  H_MAX_RULES,
  H_RULE_INDEX,
  R_LENGTH,
  R_STEPS,
  R_TYPE,
  S_ARG1,
  S_ARG2,
  S_OP,
  STATUS_OK,
  STEP_WORDS,
} from './layout';
import {
  CHOOSELEAF_FIRSTN,
  CHOOSELEAF_INDEP,
  CHOOSE_FIRSTN,
  CHOOSE_INDEP,
  EMIT,
  MSR_FIRSTN,
  MSR_INDEP,
  SET_CHOOSELEAF_STABLE,
  SET_CHOOSELEAF_TRIES,
  SET_CHOOSELEAF_VARY_R,
  SET_CHOOSE_LOCAL_FALLBACK_TRIES,
  SET_CHOOSE_LOCAL_TRIES,
  SET_CHOOSE_TRIES,
  TAKE,
} from './numbers';
import { doMsrRule } from './msr';
import {
  STATE_CHOSEN,
  STATE_LEAF_TRIES,
  STATE_LEAVES,
  STATE_LOCAL_FALLBACK_RETRIES,
  STATE_LOCAL_RETRIES,
  STATE_RESULT_COUNT,
  STATE_STABLE,
  STATE_TRIES,
  STATE_VARY_R,
  STATE_WORDS,
  STATE_WORKING,
  STATE_WORKING_COUNT,
} from './state';

/** Address of a rule's record, or 0 when there is none of this number. */
export function ruleAt(ruleNumber: i32): usize {
  if (<u32>ruleNumber >= <u32>word(map, H_MAX_RULES)) return 0;
  const offset = word(map, word(map, H_RULE_INDEX) + ruleNumber);
  return offset ? map + ((<usize>offset) << 2) : 0;
}

export function isMsrRule(rule: usize): bool {
  const type = word(rule, R_TYPE);
  return type == MSR_FIRSTN || type == MSR_INDEP;
}

/**
 * Maps the context's input by a rule into `result` (`crush_do_rule`) and gives back the length, at most
 * resultMax. A rule that is not there (0) maps to nothing. `scratch` is the workspace after the hashes.
 */
export function doRule(rule: usize, result: usize, scratch: usize): i32 {
  if (rule == 0 || resultMax <= 0) return 0;
  const vectors = scratch + (STATE_WORDS << 2);
  if (isMsrRule(rule)) return doMsrRule(rule, result, vectors + 3 * ((<usize>resultMax) << 2));
  startRule(scratch, vectors);
  runRule(scratch, rule, result);
  return word(scratch, STATE_RESULT_COUNT);
}

/** Puts a rule's state at its beginning; `vectors` has room for three vectors of resultMax words. */
function startRule(state: usize, vectors: usize): void {
  const vectorBytes = resultMax << 2;
  setWord(state, STATE_WORKING, <i32>vectors);
  setWord(state, STATE_CHOSEN, <i32>vectors + vectorBytes);
  setWord(state, STATE_LEAVES, <i32>vectors + 2 * vectorBytes);
  setWord(state, STATE_WORKING_COUNT, 0);
  setWord(state, STATE_RESULT_COUNT, 0);
  // The stored total counts retries, not tries: one more. The local ones need no such mending.
  setWord(state, STATE_TRIES, word(map, H_CHOOSE_TOTAL_TRIES) + 1);
  setWord(state, STATE_LEAF_TRIES, 0);
  setWord(state, STATE_LOCAL_RETRIES, word(map, H_CHOOSE_LOCAL_TRIES));
  setWord(state, STATE_LOCAL_FALLBACK_RETRIES, word(map, H_CHOOSE_LOCAL_FALLBACK_TRIES));
  setWord(state, STATE_VARY_R, word(map, H_CHOOSELEAF_VARY_R));
  setWord(state, STATE_STABLE, word(map, H_CHOOSELEAF_STABLE));
}

/** Runs a rule's steps; where the mapping fails, nothing is left of its result. */
function runRule(state: usize, rule: usize, result: usize): void {
  const length = word(rule, R_LENGTH);
  for (let step = 0; step < length; step++) {
    const op = word(rule, R_STEPS + step * STEP_WORDS + S_OP);
    const arg1 = word(rule, R_STEPS + step * STEP_WORDS + S_ARG1);

    if (op == TAKE) {
      // A take that names nothing leaves the working set as it is.
      if ((arg1 >= 0 && arg1 < maxDevices) || findBucket(arg1) != 0) {
        setWord(word(state, STATE_WORKING), 0, arg1);
        setWord(state, STATE_WORKING_COUNT, 1);
      }
    } else if (op == EMIT) {
      emitWorkingSet(state, result);
    } else if (op == SET_CHOOSE_TRIES) {
      if (arg1 > 0) setWord(state, STATE_TRIES, arg1);
    } else if (op == SET_CHOOSELEAF_TRIES) {
      if (arg1 > 0) setWord(state, STATE_LEAF_TRIES, arg1);
    } else if (op == SET_CHOOSE_LOCAL_TRIES) {
      if (arg1 >= 0) setWord(state, STATE_LOCAL_RETRIES, arg1);
    } else if (op == SET_CHOOSE_LOCAL_FALLBACK_TRIES) {
      if (arg1 >= 0) setWord(state, STATE_LOCAL_FALLBACK_RETRIES, arg1);
    } else if (op == SET_CHOOSELEAF_VARY_R) {
      if (arg1 >= 0) setWord(state, STATE_VARY_R, arg1);
    } else if (op == SET_CHOOSELEAF_STABLE) {
      if (arg1 >= 0) setWord(state, STATE_STABLE, arg1);
    } else if (
      op == CHOOSE_FIRSTN ||
      op == CHOOSELEAF_FIRSTN ||
      op == CHOOSE_INDEP ||
      op == CHOOSELEAF_INDEP
    ) {
      const arg2 = word(rule, R_STEPS + step * STEP_WORDS + S_ARG2);
      if (word(state, STATE_WORKING_COUNT) > 0) runChoose(state, op, arg1, arg2);
      if (status != STATUS_OK) {
        setWord(state, STATE_RESULT_COUNT, 0);
        return;
      }
    }
    // Any other step is passed over, as Ceph does; src/ refuses maps with steps that nobody knows.
  }
}

function emitWorkingSet(state: usize, result: usize): void {
  const working = <usize>word(state, STATE_WORKING);
  const count = word(state, STATE_WORKING_COUNT);
  let filled = word(state, STATE_RESULT_COUNT);
  for (let i = 0; i < count && filled < resultMax; i++, filled++) setWord(result, filled, word(working, i));
  setWord(state, STATE_RESULT_COUNT, filled);
  setWord(state, STATE_WORKING_COUNT, 0);
}

/** A choose step over every item of the working set, which what it chooses replaces. */
function runChoose(state: usize, op: i32, arg1: i32, type: i32): void {
  const toLeaf = op == CHOOSELEAF_FIRSTN || op == CHOOSELEAF_INDEP;
  const firstn = op == CHOOSE_FIRSTN || op == CHOOSELEAF_FIRSTN;
  const replicas = arg1 > 0 ? arg1 : arg1 + resultMax;
  const working = <usize>word(state, STATE_WORKING);
  const workingCount = word(state, STATE_WORKING_COUNT);
  const chosen = <usize>word(state, STATE_CHOSEN);
  const leaves = <usize>word(state, STATE_LEAVES);
  const tries = word(state, STATE_TRIES);
  let leafTries = word(state, STATE_LEAF_TRIES);
  if (leafTries == 0) leafTries = !firstn || word(map, H_CHOOSELEAF_DESCEND_ONCE) ? 1 : tries;

  let chosenCount = 0;
  for (let i = 0; i < workingCount && replicas > 0; i++) {
    const item = word(working, i);
    // A device, or a hole that an indep step left, has nothing below it.
    if (item >= 0 || -1 - item >= maxBuckets) continue;
    const bucket = bucketAt(item);
    const out = chosen + ((<usize>chosenCount) << 2);
    const leavesOut = leaves + ((<usize>chosenCount) << 2);
    const room = resultMax - chosenCount;
    let count = replicas > room ? room : replicas;
    if (firstn) {
      count = chooseFirstn(
        bucket,
        replicas,
        type,
        out,
        0,
        room,
        tries,
        leafTries,
        word(state, STATE_LOCAL_RETRIES),
        word(state, STATE_LOCAL_FALLBACK_RETRIES),
        toLeaf,
        word(state, STATE_VARY_R),
        word(state, STATE_STABLE) != 0,
        leavesOut,
        0,
      );
    } else {
      chooseIndep(bucket, count, replicas, type, out, 0, tries, leafTries, toLeaf, leavesOut, 0);
    }
    if (status != STATUS_OK) return;
    chosenCount += count;
  }

  if (toLeaf) memory.copy(chosen, leaves, (<usize>chosenCount) << 2);
  setWord(state, STATE_CHOSEN, <i32>working);
  setWord(state, STATE_WORKING, <i32>chosen);
  setWord(state, STATE_WORKING_COUNT, chosenCount);
}
