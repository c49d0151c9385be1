/** How large the tables of a CRUSH map may be: far beyond any cluster's, and small enough to be laid out. */

/** Devices beyond this are refused: no cluster has them, and each costs memory in every reweight table. */
export const MAX_DEVICES = 1 << 24;

/** Most entries of the bucket table. */
export const MAX_BUCKETS = 1 << 20;

/** Most entries of the rule table; Ceph's own tools make 256 (`CRUSH_MAX_RULES`). */
export const MAX_RULES = 1 << 16;

/** Most steps of all rules together. */
export const MAX_STEPS = 1 << 20;

/** Most words of a flat map. */
export const MAX_FLAT_WORDS = 1 << 25;
