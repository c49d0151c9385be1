/**
 * The CRUSH map as plain, readable data: what a crushmap file says, with Ceph's field names in camelCase.
 * Nothing here is checked or computed; `crush/flat.ts` checks a map and lays it out for the kernel.
 *
 * Follows `struct crush_map` (Ceph's src/crush/crush.h) and the name, class and choose_args tables of
 * `CrushWrapper`.
 */

/** Bucket algorithms, by the number Ceph encodes (`CRUSH_BUCKET_*`). */
export const BUCKET_ALGORITHM = { uniform: 1, list: 2, tree: 3, straw: 4, straw2: 5 } as const;

/** Rule types, by the number Ceph encodes (`CRUSH_RULE_TYPE_*`). */
export const RULE_TYPE = { replicated: 1, erasure: 3, msrFirstn: 4, msrIndep: 5 } as const;

/** Rule step operations, by the number Ceph encodes (`CRUSH_RULE_*`). */
export const RULE_OP = {
  noop: 0,
  take: 1,
  chooseFirstn: 2,
  chooseIndep: 3,
  emit: 4,
  chooseleafFirstn: 6,
  chooseleafIndep: 7,
  setChooseTries: 8,
  setChooseleafTries: 9,
  setChooseLocalTries: 10,
  setChooseLocalFallbackTries: 11,
  setChooseleafVaryR: 12,
  setChooseleafStable: 13,
  setMsrDescents: 14,
  setMsrCollisionTries: 15,
  chooseMsr: 16,
} as const;

/** The only hash Ceph has (`CRUSH_HASH_RJENKINS1`). */
export const HASH_RJENKINS1 = 0;

/** A hole in an indep mapping: no OSD at this position (`CRUSH_ITEM_NONE`). */
export const ITEM_NONE = 0x7fffffff;

/** 1.0 as Ceph's 16.16 fixed-point weights have it. */
export const WEIGHT_ONE = 0x10000;

/** Index of the choose_args set that serves every pool without one of its own (the "compat" weight-set). */
export const DEFAULT_CHOOSE_ARGS = -1;

interface BucketBase {
  /** Bucket id, below 0. Bucket `id` stands at `CrushMap.buckets[-1 - id]`. */
  readonly id: number;
  /** Type number, see `CrushMap.typeNames` (host, rack, root ...); 0 is a device. */
  readonly type: number;
  /** Hash function; 0 is rjenkins1. */
  readonly hash: number;
  /** 16.16 total weight, as stored (it may disagree with the items'). */
  readonly weight: number;
  /** Children in order: OSD ids (>= 0) or bucket ids (< 0). */
  readonly items: Int32Array;
}

/** A bucket whose items all weigh the same; items are chosen by a random permutation. */
export interface UniformBucket extends BucketBase {
  /** Number of the algorithm, `BUCKET_ALGORITHM.uniform`. */
  readonly alg: 1;
  /** 16.16 weight of each item. */
  readonly itemWeight: number;
}

/** A linked-list bucket; items are chosen from the last to the first. */
export interface ListBucket extends BucketBase {
  /** Number of the algorithm, `BUCKET_ALGORITHM.list`. */
  readonly alg: 2;
  /** 16.16 weight of each item. */
  readonly itemWeights: Uint32Array;
  /** 16.16 sum of the weights of items 0 to i. */
  readonly sumWeights: Uint32Array;
}

/** A binary-tree bucket. */
export interface TreeBucket extends BucketBase {
  /** Number of the algorithm, `BUCKET_ALGORITHM.tree`. */
  readonly alg: 3;
  /** 16.16 weight of each tree node; item i is node 2 i + 1. */
  readonly nodeWeights: Uint32Array;
}

/** A straw (version 1) bucket. */
export interface StrawBucket extends BucketBase {
  /** Number of the algorithm, `BUCKET_ALGORITHM.straw`. */
  readonly alg: 4;
  /** 16.16 weight of each item. */
  readonly itemWeights: Uint32Array;
  /** Straw length scale of each item, 16.16. */
  readonly straws: Uint32Array;
}

/** A straw2 bucket, the modern default. */
export interface Straw2Bucket extends BucketBase {
  /** Number of the algorithm, `BUCKET_ALGORITHM.straw2`. */
  readonly alg: 5;
  /** 16.16 weight of each item. */
  readonly itemWeights: Uint32Array;
}

/** A bucket of any algorithm; `alg` tells which. */
export type CrushBucket = UniformBucket | ListBucket | TreeBucket | StrawBucket | Straw2Bucket;

/** One step of a rule; see {@link RULE_OP}. */
export interface CrushRuleStep {
  /** What it does. */
  readonly op: number;
  /** First argument: the item to take, how many to choose, or the value to set. */
  readonly arg1: number;
  /** Second argument: the type to choose. */
  readonly arg2: number;
}

/** A placement rule. */
export interface CrushRule {
  /** Rule number, its index in `CrushMap.rules`. */
  readonly id: number;
  /** See {@link RULE_TYPE}. */
  readonly type: number;
  /** Former rule mask; newer releases write the rule id, 1 and 100. Placement does not use them. */
  readonly ruleset: number;
  /** Least size of a pool that the mask allows. */
  readonly minSize: number;
  /** Greatest size of a pool that the mask allows. */
  readonly maxSize: number;
  /** What it does, in order. */
  readonly steps: readonly CrushRuleStep[];
}

/** The knobs of the mapper, see "Tunables" in Ceph's CRUSH documentation. */
export interface CrushTunables {
  /** Retries in the same bucket after a collision or a device that is out; 0 since Bobtail. */
  readonly chooseLocalTries: number;
  /** Draws from a permutation of the bucket after those; 0 since Bobtail. */
  readonly chooseLocalFallbackTries: number;
  /** Retries from the top; one less than the tries. */
  readonly chooseTotalTries: number;
  /** Whether the search below a bucket is tried once, and a failure tries another bucket; 0 or 1. */
  readonly chooseleafDescendOnce: number;
  /** Where the search below a bucket begins: at 0 for 0, at the retry's number for 1, at half of that for 2 ... */
  readonly chooseleafVaryR: number;
  /** Whether a device below a bucket stays when its place in the set is another; 0 or 1. */
  readonly chooseleafStable: number;
  /** Descents of MSR rules. */
  readonly msrDescents: number;
  /** Draws of MSR rules at one level until one meets no other. */
  readonly msrCollisionTries: number;
  /** How straw lengths are computed when a straw bucket is edited; the mapper does not use it. */
  readonly strawCalcVersion: number;
  /** Bit mask of bucket algorithms that may be created; the mapper does not use it. */
  readonly allowedBucketAlgs: number;
}

/** Replacement weights and ids for one straw2 bucket (`struct crush_choose_arg`). */
export interface ChooseArg {
  /** 16.16 weights of the bucket's items, one array a position; position p uses entry min(p, last). */
  readonly weightSet?: readonly Uint32Array[];
  /** Ids to hash instead of the items' own; the items returned stay the same. */
  readonly ids?: Int32Array;
}

/** A named set of {@link ChooseArg}s; keys are bucket ids (< 0). */
export type ChooseArgs = ReadonlyMap<number, ChooseArg>;

/** A CRUSH map. */
export interface CrushMap {
  /** One more than the highest device id. */
  readonly maxDevices: number;
  /** Bucket `id` at index -1 - id; undefined where there is none. */
  readonly buckets: readonly (CrushBucket | undefined)[];
  /** Rule n at index n; undefined where there is none. */
  readonly rules: readonly (CrushRule | undefined)[];
  /** The knobs of the mapper. */
  readonly tunables: CrushTunables;
  /** Type number to name. */
  readonly typeNames: ReadonlyMap<number, string>;
  /** Device and bucket id to name. */
  readonly itemNames: ReadonlyMap<number, string>;
  /** Rule number to name. */
  readonly ruleNames: ReadonlyMap<number, string>;
  /** Class number to name (hdd, ssd, nvme ...). */
  readonly classNames: ReadonlyMap<number, string>;
  /** Device or bucket id to class number. */
  readonly itemClasses: ReadonlyMap<number, number>;
  /** Bucket id -> class number -> id of the shadow bucket that holds only that class. */
  readonly classBuckets: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** Choose_args sets by index: a pool id, or {@link DEFAULT_CHOOSE_ARGS}. */
  readonly chooseArgs: ReadonlyMap<number, ChooseArgs>;
  /**
   * How far a binary encoding went; what follows was not there and has its legacy default. 0: names only,
   * 1: tries tunables, 2: descend_once, 3: vary_r, 4: straw_calc_version, 5: allowed_bucket_algs, 6: stable,
   * 7: device classes, 8: choose_args, 9: MSR tunables. Maps that were not read from a binary have 9.
   */
  readonly encodedThrough: number;
}

/** Tunables of before 2012, which a map that stores none has (`set_tunables_legacy`). */
export const LEGACY_TUNABLES: CrushTunables = {
  chooseLocalTries: 2,
  chooseLocalFallbackTries: 5,
  chooseTotalTries: 19,
  chooseleafDescendOnce: 0,
  chooseleafVaryR: 0,
  chooseleafStable: 0,
  msrDescents: 100,
  msrCollisionTries: 100,
  strawCalcVersion: 0,
  allowedBucketAlgs: (1 << 1) | (1 << 2) | (1 << 4),
};
