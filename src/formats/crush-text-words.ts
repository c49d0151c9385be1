/** The words of the text form of CRUSH maps, and what they stand for. */
import { BUCKET_ALGORITHM, RULE_OP, RULE_TYPE, type CrushTunables } from '../crush/model.ts';

/** Words and what they stand for, in the order in which Ceph prints or tries them. */
type Words<T> = readonly (readonly [word: string, meaning: T])[];

/** Tunables. */
export const TUNABLES: Words<keyof CrushTunables> = [
  ['choose_local_tries', 'chooseLocalTries'],
  ['choose_local_fallback_tries', 'chooseLocalFallbackTries'],
  ['choose_total_tries', 'chooseTotalTries'],
  ['chooseleaf_descend_once', 'chooseleafDescendOnce'],
  ['chooseleaf_vary_r', 'chooseleafVaryR'],
  ['chooseleaf_stable', 'chooseleafStable'],
  ['straw_calc_version', 'strawCalcVersion'],
  ['allowed_bucket_algs', 'allowedBucketAlgs'],
];

/** Tunables of multi-step retry. */
export const MSR_TUNABLES: Words<keyof CrushTunables> = [
  ['msr_descents', 'msrDescents'],
  ['msr_collision_tries', 'msrCollisionTries'],
];

/** Bucket algorithms. */
export const ALGORITHMS: Words<number> = Object.entries(BUCKET_ALGORITHM);

/** Types of rules. */
export const RULE_TYPES: Words<number> = [
  ['replicated', RULE_TYPE.replicated],
  ['erasure', RULE_TYPE.erasure],
];

/** Types of multi-step retry rules. */
export const MSR_RULE_TYPES: Words<number> = [
  ['msr_firstn', RULE_TYPE.msrFirstn],
  ['msr_indep', RULE_TYPE.msrIndep],
];

/** Steps with one number. */
export const SET_STEPS: Words<number> = [
  ['set_choose_tries', RULE_OP.setChooseTries],
  ['set_choose_local_tries', RULE_OP.setChooseLocalTries],
  ['set_choose_local_fallback_tries', RULE_OP.setChooseLocalFallbackTries],
  ['set_chooseleaf_tries', RULE_OP.setChooseleafTries],
  ['set_chooseleaf_vary_r', RULE_OP.setChooseleafVaryR],
  ['set_chooseleaf_stable', RULE_OP.setChooseleafStable],
];

/** Steps with one number in multi-step retry rules. */
export const MSR_SET_STEPS: Words<number> = [
  ['set_msr_descents', RULE_OP.setMsrDescents],
  ['set_msr_collision_tries', RULE_OP.setMsrCollisionTries],
];

/** Steps with a number and a bucket type. */
export const CHOOSE_STEPS: Words<number> = [
  ['choose firstn', RULE_OP.chooseFirstn],
  ['choose indep', RULE_OP.chooseIndep],
  ['chooseleaf firstn', RULE_OP.chooseleafFirstn],
  ['chooseleaf indep', RULE_OP.chooseleafIndep],
];

/** Steps with a number and a bucket type in multi-step retry rules. */
export const MSR_CHOOSE_STEPS: Words<number> = [['choosemsr', RULE_OP.chooseMsr]];

/** What a word stands for. */
export function meaningOf<T>(words: Words<T>, word: string): T | undefined {
  return words.find(([each]) => each === word)?.[1];
}

/** The word for something. */
export function wordFor<T>(words: Words<T>, meaning: T): string | undefined {
  return words.find(([, each]) => each === meaning)?.[0];
}
