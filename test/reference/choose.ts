/**
 * The two ways a classic rule step fills places below one bucket: firstn, which closes gaps, and indep, which
 * keeps every place where it is (Ceph's crush_choose_firstn and crush_choose_indep in src/crush/mapper.c).
 */
import { BUCKET_ALGORITHM, ITEM_NONE } from '../../src/crush/model.ts';
import type { CrushBucket } from '../../src/crush/model.ts';
import { drawFromPermutation } from './buckets.ts';
import { ITEM_UNDECIDED, bucketOf, draw, isOut, typeOf } from './walk.ts';
import type { Walk } from './walk.ts';

/** What a firstn step asks for; tries are unsigned 32-bit numbers. */
export interface FirstnOrder {
  /** Replicas wanted. */
  readonly replicas: number;
  /** Most items that may be given. */
  readonly room: number;
  /** Type of the items wanted. */
  readonly type: number;
  /** Whether one device below each item is wanted too. */
  readonly toLeaf: boolean;
  readonly tries: number;
  /** Tries to find the device below an item. */
  readonly leafTries: number;
  readonly localTries: number;
  readonly fallbackTries: number;
  readonly varyR: number;
  readonly stable: boolean;
}

/** Items of the wanted type and, for chooseleaf, the device below each (same length, same order). */
export interface Chosen {
  readonly items: number[];
  readonly leaves: number[];
}

/** Distinct items below `start`, fewer than asked for where the tries run out. */
export function chooseFirstn(walk: Walk, start: CrushBucket, order: FirstnOrder): Chosen {
  const chosen: Chosen = { items: [], leaves: [] };
  for (let replica = 0; replica < order.replicas && chosen.items.length < order.room; replica++) {
    placeReplica(walk, start, order, replica, 0, chosen);
  }
  return chosen;
}

/** Adds one item (and leaf) to `chosen`, or none. Returns whether it did. */
function placeReplica(
  walk: Walk,
  start: CrushBucket,
  order: FirstnOrder,
  replica: number,
  parentR: number,
  chosen: Chosen,
): boolean {
  let failures = 0;
  for (;;) {
    let failuresOfDescent = 0;
    let bucket = start;
    for (;;) {
      const r = (replica + parentR + failures) | 0;
      let collided = false;
      if (bucket.items.length > 0) {
        const exhaustive =
          order.fallbackTries > 0 &&
          failuresOfDescent >= bucket.items.length >>> 1 &&
          failuresOfDescent > order.fallbackTries;
        const item = exhaustive
          ? drawFromPermutation(bucket, walk.x, r)
          : draw(walk, bucket, r, chosen.items.length);
        if (item >= walk.map.maxDevices) return false;
        if (typeOf(walk, item) !== order.type) {
          if (item >= 0) return false;
          bucket = bucketOf(walk, item);
          continue;
        }
        collided = chosen.items.includes(item);
        if (!collided && accept(walk, order, item, r, chosen)) return true;
      }

      failures++;
      failuresOfDescent++;
      const again =
        (collided && failuresOfDescent <= order.localTries) ||
        (order.fallbackTries > 0 && failuresOfDescent <= (bucket.items.length + order.fallbackTries) >>> 0);
      if (!again) break;
    }
    if (failures >= order.tries) return false;
  }
}

/** Takes `item` into `chosen` if it is in and, for chooseleaf, has a device that can be taken. */
function accept(walk: Walk, order: FirstnOrder, item: number, r: number, chosen: Chosen): boolean {
  if (order.toLeaf && item < 0) {
    const place = chosen.items.length;
    const leafOrder: FirstnOrder = { ...order, type: 0, toLeaf: false, tries: order.leafTries };
    // The devices chosen so far are what a new one must differ from, and count for choose_args positions.
    const below: Chosen = { items: chosen.leaves, leaves: [] };
    const parentR = order.varyR === 0 ? 0 : r >> (order.varyR - 1);
    const replica = order.stable ? 0 : place;
    if (!placeReplica(walk, bucketOf(walk, item), leafOrder, replica, parentR, below)) return false;
    // Items of type 0 alone can be out, and this one is a bucket.
    chosen.items.push(item);
    return true;
  }
  if (order.type === 0 && isOut(walk, item)) return false;
  if (order.toLeaf) chosen.leaves.push(item);
  chosen.items.push(item);
  return true;
}

/** What an indep step asks for. */
export interface IndepOrder {
  /** Places to fill. */
  readonly places: number;
  /** Replicas the step asked for, the stride of retries; not less than `places`. */
  readonly replicas: number;
  readonly type: number;
  readonly toLeaf: boolean;
  readonly tries: number;
  readonly leafTries: number;
}

/** An item for each place below `start`, or {@link ITEM_NONE}. */
export function chooseIndep(walk: Walk, start: CrushBucket, order: IndepOrder): Chosen {
  const items = new Array<number>(order.places).fill(ITEM_UNDECIDED);
  const leaves = new Array<number>(order.places).fill(ITEM_UNDECIDED);
  for (let round = 0; items.includes(ITEM_UNDECIDED) && round < order.tries; round++) {
    for (let place = 0; place < order.places; place++) {
      if (items[place] !== ITEM_UNDECIDED) continue;
      const found = descendIndep(walk, start, order, place, 0, round, 0);
      if (found === undefined) continue;
      if (found.item === ITEM_NONE) {
        items[place] = ITEM_NONE;
        leaves[place] = ITEM_NONE;
        continue;
      }
      if (items.includes(found.item)) continue;
      if (order.toLeaf) {
        const leaf = found.item < 0 ? leafIndep(walk, order, place, found) : found.item;
        leaves[place] = leaf;
        if (leaf === ITEM_NONE) continue;
      }
      if (order.type === 0 && isOut(walk, found.item)) continue;
      items[place] = found.item;
    }
  }
  const decided = (item: number): number => (item === ITEM_UNDECIDED ? ITEM_NONE : item);
  // A leaf may stand where its item does not: Ceph leaves a device there that was found to be out.
  return { items: items.map(decided), leaves: leaves.map(decided) };
}

/** The device below a chosen bucket, or {@link ITEM_NONE}; the only place it must not collide with is its own. */
function leafIndep(walk: Walk, order: IndepOrder, place: number, parent: Found): number {
  const start = bucketOf(walk, parent.item);
  for (let round = 0; round < order.leafTries; round++) {
    const found = descendIndep(walk, start, { ...order, type: 0 }, place, parent.r, round, place);
    if (found === undefined) continue;
    if (found.item === ITEM_NONE || !isOut(walk, found.item)) return found.item;
  }
  return ITEM_NONE;
}

interface Found {
  /** An item of the wanted type; {@link ITEM_NONE} where the way ended in something else. */
  readonly item: number;
  /** The replica number it was drawn with. */
  readonly r: number;
}

/** One way down from `start` to the wanted type; undefined if it ended in an empty bucket. */
function descendIndep(
  walk: Walk,
  start: CrushBucket,
  order: IndepOrder,
  place: number,
  parentR: number,
  round: number,
  position: number,
): Found | undefined {
  let bucket = start;
  for (;;) {
    // A uniform bucket that the stride divides would give the same items in every round.
    const stride =
      bucket.alg === BUCKET_ALGORITHM.uniform && bucket.items.length % order.replicas === 0
        ? order.replicas + 1
        : order.replicas;
    const r = (place + parentR + Math.imul(stride, round)) | 0;
    if (bucket.items.length === 0) return undefined;
    const item = draw(walk, bucket, r, position);
    if (item >= walk.map.maxDevices) return { item: ITEM_NONE, r };
    if (typeOf(walk, item) === order.type) return { item, r };
    if (item >= 0) return { item: ITEM_NONE, r };
    bucket = bucketOf(walk, item);
  }
}
