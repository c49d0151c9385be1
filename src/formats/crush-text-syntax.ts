/** What the text of a CRUSH map consists of, as the parser hands it to the compiler. */

/** A piece of the text that says something by itself: a name, a number, a keyword. */
export interface Word {
  readonly text: string;
  /** Offset in the text. */
  readonly at: number;
}

/** `tunable choose_total_tries 50`. */
export interface TunableNode {
  readonly kind: 'tunable';
  readonly name: Word;
  readonly value: Word;
}

/** `device 0 osd.0 class hdd`. */
export interface DeviceNode {
  readonly kind: 'device';
  readonly id: Word;
  readonly name: Word;
  readonly className?: Word;
}

/** `type 1 host`. */
export interface TypeNode {
  readonly kind: 'type';
  readonly id: Word;
  readonly name: Word;
}

/** `id -2 class hdd` in a bucket. */
export interface BucketIdNode {
  readonly id: Word;
  readonly className?: Word;
}

/** `item osd.0 weight 1.0 pos 0` in a bucket. */
export interface ItemNode {
  readonly name: Word;
  readonly weight?: Word;
  readonly position?: Word;
}

/** `host node1 { id -1 alg straw2 hash 0 item osd.0 weight 1.0 }`. */
export interface BucketNode {
  readonly kind: 'bucket';
  readonly type: Word;
  readonly name: Word;
  readonly ids: readonly BucketIdNode[];
  readonly algorithm: Word;
  readonly hashes: readonly Word[];
  readonly items: readonly ItemNode[];
}

/** A step of a rule; `name` is its keyword, with `firstn` or `indep` where it has a mode. */
export type StepNode =
  | { readonly kind: 'take'; readonly item: Word; readonly className?: Word }
  | { readonly kind: 'set'; readonly name: string; readonly value: Word }
  | { readonly kind: 'choose'; readonly name: string; readonly count: Word; readonly type: Word }
  | { readonly kind: 'emit' };

/** `rule replicated { id 0 type replicated step take default ... }`. */
export interface RuleNode {
  readonly kind: 'rule';
  readonly name?: Word;
  readonly id: Word;
  readonly type: Word;
  readonly minSize?: Word;
  readonly maxSize?: Word;
  readonly steps: readonly StepNode[];
}

/** What choose_args say of one bucket. */
export interface ChooseArgNode {
  readonly bucketId: Word;
  readonly weightSet?: readonly (readonly Word[])[];
  readonly ids?: readonly Word[];
}

/** `choose_args 0 { { bucket_id -1 weight_set [ [ 1.0 2.0 ] ] ids [ 3 4 ] } }`. */
export interface ChooseArgsNode {
  readonly kind: 'choose_args';
  readonly index: Word;
  readonly args: readonly ChooseArgNode[];
}

/** One construct at the outermost level. */
export type Construct = TunableNode | DeviceNode | TypeNode | BucketNode | RuleNode | ChooseArgsNode;

/** What differs between the grammars of the releases. */
export interface Grammar {
  /** Whether rules must have min_size and max_size (before Quincy). */
  readonly needsSizes: boolean;
  /** Whether there are rules, steps and tunables of multi-step retry (since Squid). */
  readonly knowsMsr: boolean;
}
