/** What stands in the place of a rank where a directory has not just one. */

/** Nothing tells which rank. */
export const UNKNOWN_RANK = -1;
/** Fragments of the directory are with several ranks. */
export const SEVERAL_RANKS = -2;
