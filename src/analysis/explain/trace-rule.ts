/** What an explanation tells of a rule: its steps, their descents, and how each ended. */
import type { BucketDraw, TraceBucket, TraceItem } from './trace-draws.ts';

/** How a device that is not fully in was judged. */
export interface Reweighing {
  /** 16.16 chance to stay in; 0 is out, and so is a device without a reweight. */
  readonly reweight: number;
  /** Lower 16 bits of hash(x, device), where they decide: below the reweight the device is in. */
  readonly hash?: number;
  /** Whether it is passed over. */
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
  | { readonly code: 'empty-bucket'; readonly bucket: TraceItem }
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
  /** What became of the item that was drawn. */
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
  /** Ways down, in order; the last is the one that chose, if one did. */
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
  /** The bucket below which is searched. */
  readonly bucket: TraceBucket;
  /** What the replica numbers of the search grow by: 0, or made from the r that the bucket was drawn with. */
  readonly parentR: number;
  /** Tries it has. */
  readonly tries: number;
}

/** What a choose step does below one bucket. */
export interface ChoiceTrace {
  /** The bucket below which is chosen. */
  readonly bucket: TraceBucket;
  /** The searches, one for each item that is wanted. */
  readonly places: readonly PlaceTrace[];
}

/** The shadow of a bucket: what is left of it for one device class. */
export interface ShadowTrace {
  /** The bucket itself. */
  readonly of: TraceItem;
  /** Name of the device class. */
  readonly class: string;
  /** Devices below the shadow, and below the bucket itself. */
  readonly devices: number;
  /** Devices below the bucket itself. */
  readonly allDevices: number;
}

/** A take step. */
export interface TakeTrace {
  /** What kind of step it is. */
  readonly kind: 'take';
  /** Number of the step in the rule, from 0. */
  readonly step: number;
  /** The step in the words of a CRUSH map's text. */
  readonly text: string;
  /** What was taken; absent where the map has no such item, and the step is ignored. */
  readonly item?: TraceItem;
  /** What the shadow is of, where a device class was taken. */
  readonly shadow?: ShadowTrace;
}

/** A step that sets a tunable for the rest of the rule. */
export interface SetTrace {
  /** What kind of step it is. */
  readonly kind: 'set';
  /** Number of the step in the rule, from 0. */
  readonly step: number;
  /** The step in the words of a CRUSH map's text. */
  readonly text: string;
  /** Values that are too low, and settings that this type of rule does not know, are ignored. */
  readonly applied: boolean;
}

/** A choose or chooseleaf step. */
export interface ChooseTrace {
  /** What kind of step it is. */
  readonly kind: 'choose';
  /** Number of the step in the rule, from 0. */
  readonly step: number;
  /** The step in the words of a CRUSH map's text. */
  readonly text: string;
  /** Whether places close up (firstn) or stay (indep). */
  readonly mode: 'firstn' | 'indep';
  /** Whether a device is searched below each item (chooseleaf). */
  readonly toLeaf: boolean;
  /** Name of the wanted type. */
  readonly type: string;
  /** How many items are wanted below each bucket; 0 or less where the pool's size leaves none. */
  readonly wanted: number;
  /** Tries in force: of descents (all retries of a place count), and of the search for a device. */
  readonly tries: number;
  /** Tries of the search for a device. */
  readonly leafTries: number;
  /** firstn only. */
  readonly localTries: number;
  /** firstn only: draws by a permutation after local tries. */
  readonly fallbackTries: number;
  /** firstn only: `chooseleaf_vary_r` in force. */
  readonly varyR: number;
  /** firstn only: `chooseleaf_stable` in force. */
  readonly stable: boolean;
  /** What was chosen below each item of the step before. */
  readonly choices: readonly ChoiceTrace[];
  /** Items of the step before that nothing can be chosen below: devices and holes. */
  readonly passedOver: readonly TraceItem[];
  /** What the step gives: items, or for chooseleaf devices, or holes. */
  readonly result: readonly number[];
}

/** An emit step. */
export interface EmitTrace {
  /** What kind of step it is. */
  readonly kind: 'emit';
  /** Number of the step in the rule, from 0. */
  readonly step: number;
  /** The step in the words of a CRUSH map's text. */
  readonly text: string;
  /** What goes to the result. */
  readonly items: readonly number[];
  /** Items for which the result has no room. */
  readonly dropped: number;
}

/** A step that does nothing. */
export interface NoopTrace {
  /** What kind of step it is. */
  readonly kind: 'noop';
  /** Number of the step in the rule, from 0. */
  readonly step: number;
  /** The step in the words of a CRUSH map's text. */
  readonly text: string;
}

/** One draw of an MSR step. */
export interface MsrTry {
  /** A draw a level. */
  readonly draws: readonly BucketDraw[];
  /** Ids from the bucket the step chooses below to what was drawn last. */
  readonly path: readonly number[];
  /** What was drawn. */
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
  /** The one behind its last. */
  readonly to: number;
  /** Draws up to the first that collides with no other stride. */
  readonly tries: readonly MsrTry[];
  /** Draws that collided and were not recorded, for want of room. */
  readonly omitted: number;
  /** What was drawn without a collision; absent where the collision tries are used up. */
  readonly item?: TraceItem;
  /** `chosen`: at a device; `descended`: at a bucket, see below; `malformed`: this step cannot end at such an item. */
  readonly outcome: 'chosen' | 'descended' | 'out' | 'collision' | 'malformed';
  /** How a device that is not fully in was judged. */
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
  /** Number of the descent, from 0. */
  readonly descent: number;
  /** Strides of the first step. */
  readonly strides: readonly MsrStride[];
  /** Places that were filled. */
  readonly filled: number;
}

/** A block of an MSR rule: take, choosemsr steps, emit. */
export interface MsrBlockTrace {
  /** What kind of step it is. */
  readonly kind: 'msr-block';
  /** Number of its take step. */
  readonly step: number;
  /** The take step in the words of a CRUSH map's text. */
  readonly text: string;
  /** What was taken. */
  readonly item: TraceItem;
  /** What the shadow is of, where a device class was taken. */
  readonly shadow?: ShadowTrace;
  /** Its choosemsr steps. */
  readonly steps: readonly string[];
  /** Places that the steps ask for, and those of the mapping that the block fills. */
  readonly width: number;
  /** First place of the mapping that the block fills. */
  readonly from: number;
  /** The one behind its last. */
  readonly to: number;
  /** Descents that it has. */
  readonly tries: number;
  /** Draws at one level until one meets no other. */
  readonly collisionTries: number;
  /** Descents, in order. */
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
  /** What each step did. */
  readonly steps: readonly StepTrace[];
  /** Why an MSR rule maps to nothing: it is not made of `take, choosemsr ..., emit`. */
  readonly malformed?: string;
  /** Devices, or holes; buckets where the rule gives them. */
  readonly result: readonly number[];
}
