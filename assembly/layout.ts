/*
 * Where everything stands in the flat map and in a batch request: word offsets (a word is 32 bits), read by the
 * kernel and by src/ alike. A change here is a new FLAT_VERSION.
 *
 *   flat map   header | bucket index | rule index | choose_args sets | records
 *
 * Every offset in the map counts words from the map's start; 0 stands for "none".
 */

/** First word of a flat map: "CRSH". */
export const FLAT_MAGIC = 0x48535243;
/** Second word of a flat map. */
export const FLAT_VERSION = 2;

/* Header of the flat map. */
export const H_MAGIC = 0;
export const H_VERSION = 1;
/** Words in the whole map. */
export const H_WORDS = 2;
/** Checksum of all words but this one. */
export const H_CHECKSUM = 3;
export const H_MAX_DEVICES = 4;
export const H_MAX_BUCKETS = 5;
export const H_MAX_RULES = 6;
export const H_CHOOSE_LOCAL_TRIES = 7;
export const H_CHOOSE_LOCAL_FALLBACK_TRIES = 8;
export const H_CHOOSE_TOTAL_TRIES = 9;
export const H_CHOOSELEAF_DESCEND_ONCE = 10;
export const H_CHOOSELEAF_VARY_R = 11;
export const H_CHOOSELEAF_STABLE = 12;
export const H_MSR_DESCENTS = 13;
export const H_MSR_COLLISION_TRIES = 14;
/** Offset of maxBuckets words: the record of bucket -1 - i, or 0. */
export const H_BUCKET_INDEX = 15;
/** Offset of maxRules words: the record of rule i, or 0. */
export const H_RULE_INDEX = 16;
/** How many choose_args sets, and the offset of their table. */
export const H_CHOOSE_ARGS_COUNT = 17;
export const H_CHOOSE_ARGS_TABLE = 18;
/** Words of permutation workspace that all buckets together need. */
export const H_PERM_WORDS = 19;
/** Longest rule, in steps. */
export const H_MAX_STEPS = 20;
/** Most items of a bucket. */
export const H_MAX_SIZE = 21;
/** 1 when every bucket is a straw2 bucket. */
export const H_ALL_STRAW2 = 22;
export const HEADER_WORDS = 24;
/** Words behind the map that may be read, though not used: vectors are loaded whole. */
export const MAP_PADDING = 16;

/** Words of a permutation in the workspace before its elements: mapping number, count of elements done. */
export const PERM_HEADER = 2;

/* Bucket record. */
export const B_ID = 0;
export const B_TYPE = 1;
export const B_ALG = 2;
export const B_WEIGHT = 3;
export const B_SIZE = 4;
/** Offset of this bucket's permutation in the workspace. */
export const B_PERM = 5;
/** Offset of `size` item ids. */
export const B_ITEMS = 6;
/** Offset of: uniform, one weight; list, straw, straw2, `size` item weights; tree, `nodes` node weights. */
export const B_WEIGHTS = 7;
/** Offset of: list, `size` weight sums; straw, `size` straw lengths; else 0. */
export const B_EXTRA = 8;
/** Tree: number of nodes; else 0. */
export const B_NODES = 9;
/** Offset of: straw2, the lane table of its weights, or 0 when they are not for lanes; else 0. */
export const B_LANES = 10;
export const BUCKET_WORDS = 11;

/*
 * Lane table: a straw2 bucket made ready for drawing several items at a time. Items without weight are left out
 * (they are never chosen while another has some); `stride` is the count rounded up to 4, and the pads at the end
 * of each array are such that they never win.
 *
 *   count | stride | ids to hash | 1 / weight as f32 | items | weights        (stride words each)
 */
export const T_COUNT = 0;
export const T_STRIDE = 1;
export const T_ARRAYS = 2;

/* Rule record: length and type, then the steps. */
export const R_LENGTH = 0;
export const R_TYPE = 1;
export const R_STEPS = 2;
/* A step. */
export const S_OP = 0;
export const S_ARG1 = 1;
export const S_ARG2 = 2;
export const STEP_WORDS = 3;

/* Entry of the choose_args table: the set's 64-bit index, then the offset of maxBuckets words that lead to the
 * record of each bucket, or 0. */
export const C_INDEX_LOW = 0;
export const C_INDEX_HIGH = 1;
export const C_BUCKETS = 2;
export const CHOOSE_ARGS_WORDS = 3;

/* choose_args record of one bucket. */
export const A_POSITIONS = 0;
/** Offset of positions * size weights. */
export const A_WEIGHTS = 1;
/** Offset of `size` ids, or 0. */
export const A_IDS = 2;
/** Offset of the lane tables' offsets, one a position (one in all where there are no weights), each 0 or a table. */
export const A_LANES = 3;
export const CHOOSE_ARG_WORDS = 4;

/* Batch request: what `mapBatch` is given, one word each. Pointers are byte addresses in linear memory. */
/** The flat map. */
export const Q_MAP = 0;
/** Workspace made by `initWorkspace` for this map and result size. */
export const Q_WORKSPACE = 1;
export const Q_RULE = 2;
/** Most items a mapping may have (`result_max`, a pool's size). */
export const Q_RESULT_MAX = 3;
/** Reweights, 16.16, a word each; and how many. */
export const Q_REWEIGHTS = 4;
export const Q_REWEIGHT_COUNT = 5;
/** Offset in the map of the choose_args set's bucket words (C_BUCKETS), or 0. */
export const Q_CHOOSE_ARGS = 6;
/** How x comes from the running number, one of SEED_*. */
export const Q_SEED_MODE = 7;
/** Pool id (low 32 bits) for the modes that hash it in. */
export const Q_POOL = 8;
/** pgp_num and the mask of its next power of two less 1, for the SEED_POOL modes. */
export const Q_PGP_NUM = 9;
export const Q_PGP_MASK = 10;
/** First running number (x or placement seed) and how many. */
export const Q_FIRST = 11;
export const Q_COUNT = 12;
/** Out: count * resultMax items; what a mapping does not fill is ITEM_NONE. */
export const Q_OUT_ITEMS = 13;
/** Out: count lengths. */
export const Q_OUT_LENGTHS = 14;
/** Out: count seeds (the x of each mapping), or 0. */
export const Q_OUT_SEEDS = 15;
/** Most bucket items that one mapping may draw before it is given up as STATUS_WORK_LIMIT. */
export const Q_WORK_LIMIT = 16;
/** Out: how many mappings were made; less than count when the status is not STATUS_OK. */
export const Q_DONE = 17;
/** Which kernel maps, one of KERNEL_*. */
export const Q_KERNEL = 20;
/** Workspace of the task lanes, for KERNEL_TASK_LANES. */
export const Q_TASKS = 21;
/** Out: counts of how many retries the choices took (`choose_tries`), or 0; and how many words it has. */
export const Q_TRIES = 18;
export const Q_TRIES_WORDS = 19;
/** Where what the mappings look at is noted (see trace.ts), or 0; the end of that room; out: the end of what was
 * noted, or -1 when there was no room for all. */
export const Q_TRACE = 22;
export const Q_TRACE_END = 23;
export const Q_TRACED = 24;
/** 1 to note devices that are in, too. */
export const Q_TRACE_ALL = 25;
export const REQUEST_WORDS = 26;

/* Entry of a trace, in words. */
/** Offset in the map of the lane table or bucket drawn from; 0 for a device looked at. */
export const E_SOURCE = 0;
/** Row of the mapping in the batch. */
export const E_ROW = 1;
/** The r drawn with, or the device. */
export const E_R = 2;
/** Index of the winner in the lane table, or -1 where any change of the bucket may change the draw. */
export const E_WINNER = 3;
/** As f32: the score up to which another item may win, and the least score of the others. */
export const E_LIMIT = 4;
export const E_SECOND = 5;
export const ENTRY_WORDS = 6;

/* Request to `recheck`, one word each: entries in columns, and a change of one item of the bucket. */
export const K_ROWS = 0;
export const K_RS = 1;
export const K_WINNERS = 2;
export const K_LIMITS = 3;
export const K_SECONDS = 4;
export const K_COUNT = 5;
/** Address of the inputs x, by row. */
export const K_SEEDS = 6;
/** The item's id as it is hashed, its index in the lane table or -1, and its new 1 / weight as f32. */
export const K_ID = 7;
export const K_INDEX = 8;
export const K_INVERSE = 9;
/** 1 when the item's weight has grown. */
export const K_GROWN = 10;
/** Out: numbers of the entries whose draw may have changed. */
export const K_HITS = 11;
/** As f32: how many times less than noted the second scores may have become by now. */
export const K_SLACK = 12;
/** 1 to check all draws and bring their second scores up to a grown item, which else is counted in the slack. */
export const K_NOTE_SECONDS = 13;
export const RECHECK_WORDS = 14;

/** One item at a time. */
export const KERNEL_SCALAR = 0;
/** Four items of a bucket at a time. */
export const KERNEL_ITEM_LANES = 1;
/** One item each of four buckets at a time, many inputs under way at once. */
export const KERNEL_TASK_LANES = 2;

/** x is the running number. */
export const SEED_PLAIN = 0;
/** x = hash32_2(number, pool), as crushtool --pool-id has it. */
export const SEED_HASHED = 1;
/** x = stable_mod(number, pgp_num, mask) + pool: pools from before hashpspool. */
export const SEED_POOL = 2;
/** x = hash32_2(stable_mod(number, pgp_num, mask), pool). */
export const SEED_POOL_HASHED = 3;
/** x is given: the running number is an index into the words that Q_POOL is the address of. */
export const SEED_GIVEN = 4;

/* Status of a batch. */
export const STATUS_OK = 0;
/** An MSR rule without a choose step between take and emit: Ceph's mapper aborts on it. */
export const STATUS_MSR_NO_CHOOSE = 1;
/** An MSR rule whose take names a bucket that is not there. */
export const STATUS_MSR_BAD_TAKE = 2;
/** An MSR rule whose descent met an empty bucket: Ceph's mapper aborts on it. */
export const STATUS_MSR_EMPTY_BUCKET = 3;
/** An MSR rule that reached a device where it looked for a bucket. */
export const STATUS_MSR_DEVICE_TOO_EARLY = 4;
/** An MSR rule that asks for a negative number of items, or for too many. */
export const STATUS_MSR_BAD_COUNT = 5;
/** One mapping drew more items than the work limit. */
export const STATUS_WORK_LIMIT = 6;

/** A tree bucket led to an item it does not have, since a subtree has no weight: Ceph's mapper reads past its end. */
export const STATUS_TREE_WITHOUT_WEIGHT = 7;

/** A hole: no item (`CRUSH_ITEM_NONE`). */
export const ITEM_NONE = 0x7fffffff;
/** Not chosen yet (`CRUSH_ITEM_UNDEF`). */
export const ITEM_UNDEF = 0x7ffffffe;
