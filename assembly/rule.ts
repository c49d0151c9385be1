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
import { doMsrRule } from './msr';

const TAKE = 1;
const CHOOSE_FIRSTN = 2;
const CHOOSE_INDEP = 3;
const EMIT = 4;
const CHOOSELEAF_FIRSTN = 6;
const CHOOSELEAF_INDEP = 7;
const SET_CHOOSE_TRIES = 8;
const SET_CHOOSELEAF_TRIES = 9;
const SET_CHOOSE_LOCAL_TRIES = 10;
const SET_CHOOSE_LOCAL_FALLBACK_TRIES = 11;
const SET_CHOOSELEAF_VARY_R = 12;
const SET_CHOOSELEAF_STABLE = 13;
const MSR_FIRSTN = 4;
const MSR_INDEP = 5;

/**
 * Maps the context's input by a rule into `result` (`crush_do_rule`) and gives back the length, at most
 * resultMax. A rule that is not there maps to nothing. `scratch` is the workspace after the permutations.
 */
export function doRule(ruleNumber: i32, result: usize, scratch: usize): i32 {
  if (<u32>ruleNumber >= <u32>word(map, H_MAX_RULES)) return 0;
  const offset = word(map, word(map, H_RULE_INDEX) + ruleNumber);
  if (offset == 0 || resultMax <= 0) return 0;
  const rule = map + ((<usize>offset) << 2);
  const type = word(rule, R_TYPE);
  const vectorBytes = (<usize>resultMax) << 2;
  if (type == MSR_FIRSTN || type == MSR_INDEP) return doMsrRule(rule, result, scratch + 3 * vectorBytes);

  let working = scratch;
  let chosen = scratch + vectorBytes;
  const leaves = scratch + 2 * vectorBytes;
  let workingCount = 0;
  let resultCount = 0;

  // The stored total counts retries, not tries: one more. The local ones need no such mending.
  let chooseTries = word(map, H_CHOOSE_TOTAL_TRIES) + 1;
  let chooseleafTries = 0;
  let localRetries = word(map, H_CHOOSE_LOCAL_TRIES);
  let localFallbackRetries = word(map, H_CHOOSE_LOCAL_FALLBACK_TRIES);
  let varyR = word(map, H_CHOOSELEAF_VARY_R);
  let stable = word(map, H_CHOOSELEAF_STABLE);

  const length = word(rule, R_LENGTH);
  for (let step = 0; step < length; step++) {
    const op = word(rule, R_STEPS + step * STEP_WORDS + S_OP);
    const arg1 = word(rule, R_STEPS + step * STEP_WORDS + S_ARG1);
    const arg2 = word(rule, R_STEPS + step * STEP_WORDS + S_ARG2);

    if (op == TAKE) {
      // A take that names nothing leaves the working set as it is.
      if ((arg1 >= 0 && arg1 < maxDevices) || findBucket(arg1) != 0) {
        setWord(working, 0, arg1);
        workingCount = 1;
      }
    } else if (op == EMIT) {
      for (let i = 0; i < workingCount && resultCount < resultMax; i++, resultCount++) {
        setWord(result, resultCount, word(working, i));
      }
      workingCount = 0;
    } else if (op == SET_CHOOSE_TRIES) {
      if (arg1 > 0) chooseTries = arg1;
    } else if (op == SET_CHOOSELEAF_TRIES) {
      if (arg1 > 0) chooseleafTries = arg1;
    } else if (op == SET_CHOOSE_LOCAL_TRIES) {
      if (arg1 >= 0) localRetries = arg1;
    } else if (op == SET_CHOOSE_LOCAL_FALLBACK_TRIES) {
      if (arg1 >= 0) localFallbackRetries = arg1;
    } else if (op == SET_CHOOSELEAF_VARY_R) {
      if (arg1 >= 0) varyR = arg1;
    } else if (op == SET_CHOOSELEAF_STABLE) {
      if (arg1 >= 0) stable = arg1;
    } else if (
      op == CHOOSE_FIRSTN ||
      op == CHOOSELEAF_FIRSTN ||
      op == CHOOSE_INDEP ||
      op == CHOOSELEAF_INDEP
    ) {
      if (workingCount == 0) continue;
      const toLeaf = op == CHOOSELEAF_FIRSTN || op == CHOOSELEAF_INDEP;
      const firstn = op == CHOOSE_FIRSTN || op == CHOOSELEAF_FIRSTN;
      const replicas = arg1 > 0 ? arg1 : arg1 + resultMax;
      let chosenCount = 0;
      if (replicas > 0) {
        for (let i = 0; i < workingCount; i++) {
          const item = word(working, i);
          // A device, or a hole that an indep step left, has nothing below it.
          if (item >= 0 || -1 - item >= maxBuckets) continue;
          const out = chosen + ((<usize>chosenCount) << 2);
          const leavesOut = leaves + ((<usize>chosenCount) << 2);
          const room = resultMax - chosenCount;
          if (firstn) {
            const onceOrTries = word(map, H_CHOOSELEAF_DESCEND_ONCE) ? 1 : chooseTries;
            chosenCount += chooseFirstn(
              bucketAt(item),
              replicas,
              arg2,
              out,
              0,
              room,
              chooseTries,
              chooseleafTries ? chooseleafTries : onceOrTries,
              localRetries,
              localFallbackRetries,
              toLeaf,
              varyR,
              stable != 0,
              leavesOut,
              0,
            );
          } else {
            const count = replicas < room ? replicas : room;
            chooseIndep(
              bucketAt(item),
              count,
              replicas,
              arg2,
              out,
              0,
              chooseTries,
              chooseleafTries ? chooseleafTries : 1,
              toLeaf,
              leavesOut,
              0,
            );
            chosenCount += count;
          }
          if (status != STATUS_OK) return 0;
        }
      }
      if (toLeaf) memory.copy(chosen, leaves, (<usize>chosenCount) << 2);
      const swapped = chosen;
      chosen = working;
      working = swapped;
      workingCount = chosenCount;
    }
    // Any other step is passed over, as Ceph does; src/ refuses maps with steps that nobody knows.
  }
  return resultCount;
}
