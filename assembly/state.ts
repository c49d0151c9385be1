/*
 * Where a rule stands, one word each; pointers are byte addresses.
 */

/** The working set, the set being chosen from it, and the devices below (chooseleaf): vectors of resultMax words. */
export const STATE_WORKING = 0;
export const STATE_CHOSEN = 1;
export const STATE_LEAVES = 2;
/** How many items are in the working set, and in the result. */
export const STATE_WORKING_COUNT = 3;
export const STATE_RESULT_COUNT = 4;
/** Tunables, which the rule's set_* steps may change. */
export const STATE_TRIES = 5;
export const STATE_LEAF_TRIES = 6;
export const STATE_LOCAL_RETRIES = 7;
export const STATE_LOCAL_FALLBACK_RETRIES = 8;
export const STATE_VARY_R = 9;
export const STATE_STABLE = 10;
export const STATE_WORDS = 12;
