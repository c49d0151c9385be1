/*
 * Numbers that Ceph gives to rule operations and to the rule types that the kernel tells apart
 * (`crush_opcodes`, `crush_rule_type`).
 */

export const TAKE = 1;
export const CHOOSE_FIRSTN = 2;
export const CHOOSE_INDEP = 3;
export const EMIT = 4;
export const CHOOSELEAF_FIRSTN = 6;
export const CHOOSELEAF_INDEP = 7;
export const SET_CHOOSE_TRIES = 8;
export const SET_CHOOSELEAF_TRIES = 9;
export const SET_CHOOSE_LOCAL_TRIES = 10;
export const SET_CHOOSE_LOCAL_FALLBACK_TRIES = 11;
export const SET_CHOOSELEAF_VARY_R = 12;
export const SET_CHOOSELEAF_STABLE = 13;
export const SET_MSR_DESCENTS = 14;
export const SET_MSR_COLLISION_TRIES = 15;
export const CHOOSE_MSR = 16;

export const MSR_FIRSTN = 4;
export const MSR_INDEP = 5;
