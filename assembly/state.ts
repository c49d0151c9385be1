/*
 * Where a rule stands for one input: its steps can be left while draws are outstanding, and taken up again. One word
 * each; pointers are byte addresses.
 */

/** The step to go on with, and how many items of the working set it has done. */
export const STATE_STEP = 0;
export const STATE_DONE = 1;
/** The working set, the set being chosen from it, and the devices below (chooseleaf): vectors of resultMax words. */
export const STATE_WORKING = 2;
export const STATE_CHOSEN = 3;
export const STATE_LEAVES = 4;
/** How many items are in the working set, chosen, and in the result. */
export const STATE_WORKING_COUNT = 5;
export const STATE_CHOSEN_COUNT = 6;
export const STATE_RESULT_COUNT = 7;
/** Tunables, which the rule's set_* steps may change. */
export const STATE_TRIES = 8;
export const STATE_LEAF_TRIES = 9;
export const STATE_LOCAL_RETRIES = 10;
export const STATE_LOCAL_FALLBACK_RETRIES = 11;
export const STATE_VARY_R = 12;
export const STATE_STABLE = 13;
/** The round in which each position was filled (indep), where draws may be outstanding: another vector. */
export const STATE_FILLED_IN = 14;
export const STATE_WORDS = 16;
