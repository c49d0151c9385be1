/** What an explanation tells of the draws from a bucket, for each bucket algorithm. */

/** A device or bucket. The shadow of a bucket for one device class is named `bucket~class`. */
export interface TraceItem {
  /** Device, from 0, or bucket, below 0. */
  readonly id: number;
  /** Its name; a made-up one where the map has none. */
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
  /** How it is drawn. */
  readonly method: 'straw2';
  /** Which of the choose_args' weight sets was used; absent where the bucket's own weights were. */
  readonly weightSet?: number;
  /** The item that was drawn. */
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
  /** How it is drawn. */
  readonly method: 'straw';
  /** The item that was drawn. */
  readonly winner: StrawCandidate;
  /** The best of the others. */
  readonly runnerUp?: StrawCandidate;
  /** Every item, where all draws were asked for. */
  readonly all?: readonly StrawCandidate[];
}

/** One item of a list bucket: the first, from the end of the list, whose draw is below its weight is taken. */
export interface ListCandidate extends TraceItem {
  /** Lower 16 bits of hash(x, id, r, bucket). */
  readonly u: number;
  /** Weight of this item and all before it in the list. */
  readonly sumWeight: number;
  /** Weight of this item, 16.16. */
  readonly weight: number;
  /** u / 65536 of the summed weight, rounded down. */
  readonly draw: number;
}

/** A draw from a list bucket. */
export interface ListDraw extends DrawBase {
  /** How it is drawn. */
  readonly method: 'list';
  /** The item that was drawn. */
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
  /** Weight of all below the node, 16.16. */
  readonly weight: number;
  /** hash(x, node, r, bucket), 32 bits. */
  readonly hash: number;
  /** hash / 2^32 of the node's weight, rounded down. */
  readonly point: number;
  /** Weight of the left child: the way goes left where the point is below it. */
  readonly leftWeight: number;
  /** Which way it went. */
  readonly turn: 'left' | 'right';
}

/** A draw from a tree bucket. */
export interface TreeDraw extends DrawBase {
  /** How it is drawn. */
  readonly method: 'tree';
  /** From the root of the tree down. */
  readonly turns: readonly TreeTurn[];
}

/** A step of a shuffle: what stands at a place changes with what stands further back. */
export interface Swap {
  /** The place that is decided. */
  readonly place: number;
  /** hash(x, bucket, place), 32 bits; hash modulo the places that are left is how far back. */
  readonly hash: number;
  /** The place that it changes with. */
  readonly with: number;
}

/** A draw by a random permutation: from a uniform bucket, or from any in an exhaustive search. */
export interface PermutationDraw extends DrawBase {
  /** How it is drawn. */
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
