/**
 * What an explanation is made of: plain data, in the order in which things happen. Weights are 16.16 fixed point, as
 * the map has them (65536 is 1.0), sets hold 2147483647 (ITEM_NONE) for a hole.
 */
import type { PgId } from '../../osdmap/model.ts';

/** A device or bucket. The shadow of a bucket for one device class is named `bucket~class`. */
export interface TraceItem {
  readonly id: number;
  readonly name: string;
}

/** A bucket that is drawn from. */
export interface TraceBucket extends TraceItem {
  /** Name of its type: host, rack, root ... */
  readonly type: string;
}

/** What every draw from a bucket has. */
interface DrawBase {
  readonly bucket: TraceBucket;
  /** How many items the bucket has. */
  readonly size: number;
  /** Replica number: what tells the draws of one input from each other. It is hashed as a signed 32-bit number. */
  readonly r: number;
  /** What was drawn. */
  readonly item: TraceItem;
}

/** One item of a straw2 bucket: the greatest draw wins, of equals the first. */
export interface Straw2Candidate extends TraceItem {
  /** The id that is hashed: the item's own, unless choose_args give it another. */
  readonly hashedId: number;
  /** Lower 16 bits of hash(x, id, r). */
  readonly u: number;
  /** crush_ln(u) - 2^48: 2^44 * log2((u + 1) / 65536), never above 0. */
  readonly ln: number;
  /** Weight that divides; that of choose_args where they have one. */
  readonly weight: number;
  /** ln / weight, rounded toward 0; null for weight 0, which loses to every other. */
  readonly draw: number | null;
}

/** A draw from a straw2 bucket. */
export interface Straw2Draw extends DrawBase {
  readonly method: 'straw2';
  /** Which of the choose_args' weight sets was used; absent where the bucket's own weights were. */
  readonly weightSet?: number;
  readonly winner: Straw2Candidate;
  /** The best of the others. */
  readonly runnerUp?: Straw2Candidate;
  /** Every item, in the bucket's order, where all draws were asked for. */
  readonly all?: readonly Straw2Candidate[];
}

/** One item of a straw bucket: the longest straw wins, of equals the first. */
export interface StrawCandidate extends TraceItem {
  /** Lower 16 bits of hash(x, id, r). */
  readonly u: number;
  /** The item's straw length, which the map stores. */
  readonly straw: number;
  /** u * straw. */
  readonly draw: number;
}

/** A draw from a straw bucket. */
export interface StrawDraw extends DrawBase {
  readonly method: 'straw';
  readonly winner: StrawCandidate;
  /** The best of the others. */
  readonly runnerUp?: StrawCandidate;
  readonly all?: readonly StrawCandidate[];
}

/** One item of a list bucket: the first, from the end of the list, whose draw is below its weight is taken. */
export interface ListCandidate extends TraceItem {
  /** Lower 16 bits of hash(x, id, r, bucket). */
  readonly u: number;
  /** Weight of this item and all before it in the list. */
  readonly sumWeight: number;
  readonly weight: number;
  /** u / 65536 of the summed weight, rounded down. */
  readonly draw: number;
}

/** A draw from a list bucket. */
export interface ListDraw extends DrawBase {
  readonly method: 'list';
  readonly winner: ListCandidate;
  /** How many items were asked, the winner included. */
  readonly asked: number;
  /** No item's draw was below its weight, so the first item of the list was taken. */
  readonly byDefault: boolean;
  /** The item that was asked before the winner, and refused. */
  readonly runnerUp?: ListCandidate;
  /** Every item that was asked, in that order. */
  readonly all?: readonly ListCandidate[];
}

/** A turn at an inner node of a tree bucket. */
export interface TreeTurn {
  /** Number of the node; leaves are odd. */
  readonly node: number;
  readonly weight: number;
  /** hash(x, node, r, bucket), 32 bits. */
  readonly hash: number;
  /** hash / 2^32 of the node's weight, rounded down. */
  readonly point: number;
  /** Weight of the left child: the way goes left where the point is below it. */
  readonly leftWeight: number;
  readonly turn: 'left' | 'right';
}

/** A draw from a tree bucket. */
export interface TreeDraw extends DrawBase {
  readonly method: 'tree';
  /** From the root of the tree down. */
  readonly turns: readonly TreeTurn[];
}

/** A step of a shuffle: what stands at a place changes with what stands further back. */
export interface Swap {
  readonly place: number;
  /** hash(x, bucket, place), 32 bits; hash modulo the places that are left is how far back. */
  readonly hash: number;
  readonly with: number;
}

/** A draw by a random permutation: from a uniform bucket, or from any in an exhaustive search. */
export interface PermutationDraw extends DrawBase {
  readonly method: 'permutation';
  /** r modulo the size: the place of the permutation that is taken. */
  readonly place: number;
  /** The swap that decides what stands there; absent for the last place, which is what is left. */
  readonly swap?: Swap;
  /** Every swap up to there, where all draws were asked for. */
  readonly all?: readonly Swap[];
}

/** A draw from a bucket. */
export type BucketDraw = Straw2Draw | StrawDraw | ListDraw | TreeDraw | PermutationDraw;

/** How a device that is not fully in was judged. */
export interface Reweighing {
  /** 16.16 chance to stay in; 0 is out, and so is a device without a reweight. */
  readonly reweight: number;
  /** Lower 16 bits of hash(x, device), where they decide: below the reweight the device is in. */
  readonly hash?: number;
  readonly isOut: boolean;
}

/** How a descent ended. */
export type Verdict =
  | { readonly code: 'chosen'; readonly reweighing?: Reweighing }
  /** The item is chosen already: at this place of the same step. */
  | { readonly code: 'collision'; readonly place: number }
  | { readonly code: 'out'; readonly reweighing: Reweighing }
  /** The bucket is fit, but none of the tries below it found a device. */
  | { readonly code: 'no-leaf' }
  | { readonly code: 'empty-bucket' }
  /** The item is a device beyond the map's max_devices. */
  | { readonly code: 'no-device' }
  /** The way came to a device where a bucket of a type is wanted. */
  | { readonly code: 'wrong-type' };

/** What follows an attempt that failed. */
export type NextTry =
  /** Another draw from the last bucket (choose_local_tries). */
  | 'local'
  /** Another draw from the last bucket, in time by permutation (choose_local_fallback_tries). */
  | 'exhaustive'
  /** A new descent from the top. */
  | 'descent'
  /** The tries are used up. */
  | 'tries-used-up'
  /** The place is given up at once, whatever tries are left. */
  | 'hopeless';

/** One way down. */
export interface Attempt {
  /** How it came about. */
  readonly kind: 'first' | 'local' | 'exhaustive' | 'descent';
  /** Failures of this place before: what the replica number grows by (firstn), or the round (indep). */
  readonly failures: number;
  /** A draw a level. Those of a local retry begin at the bucket where the attempt before ended. */
  readonly draws: readonly BucketDraw[];
  /** Ids from the bucket the step chooses below, over every bucket of the descent, to what was drawn last. */
  readonly path: readonly number[];
  /** What was drawn last; absent where the way ended in an empty bucket. */
  readonly item?: TraceItem;
  /** The search for a device below the item (chooseleaf). */
  readonly leaf?: LeafTrace;
  readonly verdict: Verdict;
  /** Absent after the attempt that chose. */
  readonly next?: NextTry;
}

/** The search for one item. */
export interface PlaceTrace {
  /** Place in what the choice gives. A firstn replica that finds nothing leaves its place to the next. */
  readonly place: number;
  /** firstn: number of the replica. indep: the same as place. */
  readonly replica: number;
  readonly attempts: readonly Attempt[];
  /** Attempts that failed and were not recorded, for want of room; they come before the last recorded. */
  readonly omitted: number;
  /** Attempts that failed. */
  readonly failures: number;
  /** What was chosen. */
  readonly item?: TraceItem;
  /** chooseleaf: the device that stands for it. */
  readonly device?: TraceItem;
  /** Why nothing was chosen. */
  readonly gaveUp?: 'tries-used-up' | 'hopeless';
  /** chooseleaf indep: a device that was found out, and yet is left at this place by Ceph's mapper. */
  readonly leftBehind?: TraceItem;
}

/** The search for a device below a chosen bucket. */
export interface LeafTrace extends PlaceTrace {
  readonly bucket: TraceBucket;
  /** What the replica numbers of the search grow by: 0, or made from the r that the bucket was drawn with. */
  readonly parentR: number;
  /** Tries it has. */
  readonly tries: number;
}

/** What a choose step does below one bucket. */
export interface ChoiceTrace {
  readonly bucket: TraceBucket;
  readonly places: readonly PlaceTrace[];
}

/** The shadow of a bucket: what is left of it for one device class. */
export interface ShadowTrace {
  readonly of: TraceItem;
  readonly class: string;
  /** Devices below the shadow, and below the bucket itself. */
  readonly devices: number;
  readonly allDevices: number;
}

/** A take step. */
export interface TakeTrace {
  readonly kind: 'take';
  readonly step: number;
  readonly text: string;
  /** What was taken; absent where the map has no such item, and the step is ignored. */
  readonly item?: TraceItem;
  readonly shadow?: ShadowTrace;
}

/** A step that sets a tunable for the rest of the rule. */
export interface SetTrace {
  readonly kind: 'set';
  readonly step: number;
  readonly text: string;
  /** Values that are too low, and settings that this type of rule does not know, are ignored. */
  readonly applied: boolean;
}

/** A choose or chooseleaf step. */
export interface ChooseTrace {
  readonly kind: 'choose';
  readonly step: number;
  readonly text: string;
  readonly mode: 'firstn' | 'indep';
  readonly toLeaf: boolean;
  /** Name of the wanted type. */
  readonly type: string;
  /** How many items are wanted below each bucket; 0 or less where the pool's size leaves none. */
  readonly wanted: number;
  /** Tries in force: of descents (all retries of a place count), and of the search for a device. */
  readonly tries: number;
  readonly leafTries: number;
  /** firstn only. */
  readonly localTries: number;
  readonly fallbackTries: number;
  readonly varyR: number;
  readonly stable: boolean;
  readonly choices: readonly ChoiceTrace[];
  /** Items of the step before that nothing can be chosen below: devices and holes. */
  readonly passedOver: readonly TraceItem[];
  /** What the step gives: items, or for chooseleaf devices, or holes. */
  readonly result: readonly number[];
}

/** An emit step. */
export interface EmitTrace {
  readonly kind: 'emit';
  readonly step: number;
  readonly text: string;
  readonly items: readonly number[];
  /** Items for which the result has no room. */
  readonly dropped: number;
}

/** A step that does nothing. */
export interface NoopTrace {
  readonly kind: 'noop';
  readonly step: number;
  readonly text: string;
}

/** One draw of an MSR step. */
export interface MsrTry {
  readonly draws: readonly BucketDraw[];
  /** Ids from the bucket the step chooses below to what was drawn last. */
  readonly path: readonly number[];
  readonly item: TraceItem;
  /** The place of another stride that uses the item already. */
  readonly collision?: number;
}

/** One stride of places of an MSR step. */
export interface MsrStride {
  /** Which of the block's choosemsr steps, from 0. */
  readonly depth: number;
  /** Number of the stride below its bucket. */
  readonly stride: number;
  /** First of its places, and the one behind its last. */
  readonly from: number;
  readonly to: number;
  /** Draws up to the first that collides with no other stride. */
  readonly tries: readonly MsrTry[];
  /** Draws that collided and were not recorded, for want of room. */
  readonly omitted: number;
  /** What was drawn without a collision; absent where the collision tries are used up. */
  readonly item?: TraceItem;
  /** `chosen`: at a device; `descended`: at a bucket, see below; `malformed`: this step cannot end at such an item. */
  readonly outcome: 'chosen' | 'descended' | 'out' | 'collision' | 'malformed';
  readonly reweighing?: Reweighing;
  /** The next step's strides within this one. */
  readonly below?: readonly MsrStride[];
  /** Places that were filled. */
  readonly filled: number;
  /** Nothing was filled, so the bucket is free again for the next descent. */
  readonly released: boolean;
}

/** One descent of an MSR block, over all places that are still free. */
export interface MsrDescent {
  readonly descent: number;
  readonly strides: readonly MsrStride[];
  readonly filled: number;
}

/** A block of an MSR rule: take, choosemsr steps, emit. */
export interface MsrBlockTrace {
  readonly kind: 'msr-block';
  /** Number of its take step. */
  readonly step: number;
  readonly text: string;
  readonly item: TraceItem;
  readonly shadow?: ShadowTrace;
  /** Its choosemsr steps. */
  readonly steps: readonly string[];
  /** Places that the steps ask for, and those of the mapping that the block fills. */
  readonly width: number;
  readonly from: number;
  readonly to: number;
  readonly tries: number;
  readonly collisionTries: number;
  readonly descents: readonly MsrDescent[];
  /** Descents that were made; those that filled nothing are not recorded where there is no room. */
  readonly made: number;
  /** Devices of the block's places, or holes; by order of success in firstn rules. */
  readonly result: readonly number[];
}

/** A step of a rule, or a block of steps of an MSR rule. */
export type StepTrace = TakeTrace | SetTrace | ChooseTrace | EmitTrace | NoopTrace | MsrBlockTrace;

/** How a rule maps one input. */
export interface RuleTrace {
  /** The rule, or only the number asked for where the map has none: it maps to nothing. */
  readonly rule: { readonly id: number; readonly name?: string; readonly type?: string };
  /** The input, a signed 32-bit number. */
  readonly x: number;
  /** Most items of the result. */
  readonly size: number;
  /** Index of the choose_args in force. */
  readonly chooseArgs?: number;
  readonly steps: readonly StepTrace[];
  /** Why an MSR rule maps to nothing: it is not made of `take, choosemsr ..., emit`. */
  readonly malformed?: string;
  readonly result: readonly number[];
}

/** From an object's name to its PG. */
export interface ObjectTrace {
  readonly name: string;
  readonly namespace?: string;
  readonly key?: string;
  /** The pool's object hash. */
  readonly algorithm: 'rjenkins' | 'linux';
  /** Hash of the key, or else the name, after the namespace and 0x1f where there is one. */
  readonly hash: number;
  /** The hash, folded to pg_num. */
  readonly ps: number;
}

/** From a PG to the input of its rule. */
export interface SeedTrace {
  /** Placement seed that was asked for. */
  readonly asked: number;
  /** The PG that it belongs to: the same, or where it is beyond pg_num, folded (`ceph_stable_mod`). */
  readonly ps: number;
  readonly pgNum: number;
  readonly pgpNum: number;
  /** The placement seed folded to pgp_num. */
  readonly folded: number;
  /** With the flag x = hash(folded, pool), else folded + pool. */
  readonly hashpspool: boolean;
  /** The input, a signed 32-bit number. */
  readonly x: number;
}

/** What became of one OSD or one pair of an exception. */
export type OverlayStep =
  /** OSDs that do not exist. */
  | { readonly kind: 'exists'; readonly removed: readonly number[]; readonly set: readonly number[] }
  /** pg_upmap: the whole set. */
  | {
      readonly kind: 'upmap';
      readonly osds: readonly number[];
      readonly applied: boolean;
      /** OSDs of it that are out, for which it is ignored, and upmap items and primary with it. */
      readonly out: readonly number[];
      readonly set: readonly number[];
    }
  /** pg_upmap_items. */
  | {
      readonly kind: 'upmap-items';
      readonly pairs: readonly UpmapPairTrace[];
      readonly set: readonly number[];
    }
  /** pg_upmap_primary. */
  | {
      readonly kind: 'upmap-primary';
      readonly osd: number;
      readonly result: 'applied' | 'upmap-ignored' | 'no-such-osd' | 'not-in-set' | 'first-already' | 'out';
      readonly set: readonly number[];
    }
  /** OSDs that are down. */
  | { readonly kind: 'down'; readonly removed: readonly number[]; readonly set: readonly number[] }
  /** Primary affinity. */
  | {
      readonly kind: 'affinity';
      readonly asked: readonly AffinityTrace[];
      /** Every OSD refused, so the first that was asked is primary. */
      readonly byDefault: boolean;
      readonly primary: number;
      readonly set: readonly number[];
    }
  /** pg_temp. */
  | {
      readonly kind: 'pg-temp';
      readonly osds: readonly number[];
      /** OSDs of it that are down or do not exist. */
      readonly removed: readonly number[];
      /** False where nothing of it is left. */
      readonly applied: boolean;
      /** EC-optimised pools: it was stored with the shards first that can be primary. */
      readonly reordered: boolean;
      readonly set: readonly number[];
    }
  /** primary_temp. */
  | { readonly kind: 'primary-temp'; readonly osd: number; readonly applied: boolean };

/** A pair of pg_upmap_items. */
export interface UpmapPairTrace {
  readonly from: number;
  readonly to: number;
  readonly result: 'applied' | 'upmap-ignored' | 'target-in-set' | 'target-out' | 'source-not-in-set';
}

/** How an OSD answers whether it is primary. */
export interface AffinityTrace {
  readonly osd: number;
  /** 16.16. */
  readonly affinity: number;
  /** Upper 16 bits of hash(x, osd), where they decide: below the affinity the OSD is primary. */
  readonly hash?: number;
  readonly accepts: boolean;
}

/** The pool of a PG, as far as placement goes. */
export interface PoolTrace {
  readonly id: number;
  readonly name: string;
  readonly type: 'replicated' | 'erasure';
  readonly size: number;
  readonly crushRule: number;
}

/** How a PG comes to its OSDs. */
export interface PgTrace {
  readonly pgid: PgId;
  readonly pool: PoolTrace;
  /** Absent where a PG was asked for. */
  readonly object?: ObjectTrace;
  readonly seed: SeedTrace;
  /** How the rule was found: by its number, or as releases up to 16 do, by ruleset, type and size. */
  readonly ruleBy: 'number' | 'ruleset';
  readonly crush: RuleTrace;
  /** What the OSDMap lays over the rule's choice; only what changes something or might have. */
  readonly overlay: readonly OverlayStep[];
  readonly raw: readonly number[];
  readonly rawPrimary: number;
  readonly up: readonly number[];
  readonly upPrimary: number;
  readonly acting: readonly number[];
  readonly actingPrimary: number;
}
