/**
 * How a firstn step fills places below one bucket, attempt by attempt: one replica after the other, and a replica that
 * finds nothing leaves its place to the next. Follows `crush_choose_firstn` (Ceph's src/crush/mapper.c).
 */
import { ITEM_NONE } from '../../crush/model.ts';
import type { CrushBucket } from '../../crush/model.ts';
import {
  endedAt,
  endedEmpty,
  isHopeless,
  lastItem,
  pathOf,
  reweighed,
  type Chosen,
  type Descent,
  type Judgement,
} from './descent.ts';
import { drawByPermutation, drawItem } from './draws.ts';
import { PlaceRecorder } from './recorder.ts';
import type { Attempt, BucketDraw, LeafTrace, PlaceTrace } from './trace.ts';
import type { Walk } from './walk.ts';

/** What a firstn step asks for; tries are unsigned 32-bit numbers. */
export interface FirstnOrder {
  readonly replicas: number;
  /** Most items that may be given. */
  readonly room: number;
  /** Type of the items wanted. */
  readonly type: number;
  /** Whether one device below each item is wanted too. */
  readonly toLeaf: boolean;
  readonly tries: number;
  readonly leafTries: number;
  readonly localTries: number;
  readonly fallbackTries: number;
  readonly varyR: number;
  readonly stable: boolean;
}

/** Distinct items below `start`, fewer than asked for where the tries run out. */
export function chooseFirstn(walk: Walk, start: CrushBucket, order: FirstnOrder): Chosen {
  const items: number[] = [];
  const leaves: number[] = [];
  const places: PlaceTrace[] = [];
  for (let replica = 0; replica < order.replicas && items.length < order.room; replica++) {
    const search = new FirstnSearch(walk, start, order, items, leaves);
    const place = search.run(replica, 0);
    places.push(place);
    if (place.item === undefined) continue;
    items.push(place.item.id);
    if (order.toLeaf) leaves.push(place.device?.id ?? ITEM_NONE);
  }
  return { items, leaves, trace: { bucket: walk.traced(start), places } };
}

/** The search for one replica. */
class FirstnSearch {
  readonly #walk: Walk;
  readonly #start: CrushBucket;
  readonly #order: FirstnOrder;
  /** Items chosen so far, which a new one must differ from; how many there are is the place being filled. */
  readonly #taken: readonly number[];
  readonly #leaves: readonly number[];

  constructor(
    walk: Walk,
    start: CrushBucket,
    order: FirstnOrder,
    taken: readonly number[],
    leaves: readonly number[],
  ) {
    this.#walk = walk;
    this.#start = start;
    this.#order = order;
    this.#taken = taken;
    this.#leaves = leaves;
  }

  /** @param parentR - what the r of the bucket above adds to every r below it */
  run(replica: number, parentR: number): PlaceTrace {
    const { tries, localTries, fallbackTries } = this.#order;
    const recorder = new PlaceRecorder(this.#walk, this.#taken.length, replica);
    let failures = 0;
    let failuresHere = 0;
    let kind: Attempt['kind'] = 'first';
    let bucket = this.#start;
    /** Ids above the bucket that an attempt begins at. */
    let above: readonly number[] = [];
    for (;;) {
      const r = (replica + parentR + failures) | 0;
      const descent = this.#descend(bucket, r, failuresHere);
      const path = [...above, ...pathOf(descent)];
      const { verdict, leaf }: Judgement =
        descent.verdict === undefined ? this.#judge(descent.item, r) : { verdict: descent.verdict };
      const attempt = {
        kind,
        failures,
        draws: descent.draws,
        path,
        ...lastItem(descent),
        ...(leaf === undefined ? {} : { leaf }),
        verdict,
      };
      if (verdict.code === 'chosen') {
        return recorder.chose(attempt, this.#order.toLeaf ? (leaf?.item ?? attempt.item) : undefined);
      }
      if (isHopeless(verdict)) return recorder.gaveUp({ ...attempt, next: 'hopeless' });

      failures++;
      failuresHere++;
      if (verdict.code === 'collision' && failuresHere <= localTries) kind = 'local';
      else if (fallbackTries > 0 && failuresHere <= (descent.last.items.length + fallbackTries) >>> 0) {
        kind = 'exhaustive';
      } else if (failures < tries) kind = 'descent';
      else return recorder.gaveUp({ ...attempt, next: 'tries-used-up' });
      recorder.failed({ ...attempt, next: kind });

      if (kind === 'descent') {
        bucket = this.#start;
        failuresHere = 0;
        above = [];
      } else {
        bucket = descent.last;
        above = path.slice(0, path.lastIndexOf(bucket.id));
      }
    }
  }

  /** From a bucket down to an item of the wanted type. */
  #descend(from: CrushBucket, r: number, failuresHere: number): Descent {
    const walk = this.#walk;
    const { fallbackTries, type } = this.#order;
    const draws: BucketDraw[] = [];
    let bucket = from;
    for (;;) {
      walk.spend(1);
      const { length } = bucket.items;
      if (length === 0) return endedEmpty(walk, draws, bucket, r);
      const isExhaustive = fallbackTries > 0 && failuresHere >= length >>> 1 && failuresHere > fallbackTries;
      const draw = isExhaustive
        ? drawByPermutation(walk, bucket, r)
        : drawItem(walk, bucket, r, this.#taken.length);
      draws.push(draw);
      const ended = endedAt(walk, draw.item.id, type, { draws, last: bucket, r });
      if (ended !== undefined) return ended;
      bucket = walk.bucket(draw.item.id);
    }
  }

  /** Whether an item of the wanted type can be taken, and for chooseleaf the search for its device. */
  #judge(item: number, r: number): Judgement {
    const { type, toLeaf, varyR } = this.#order;
    const walk = this.#walk;
    const holder = this.#taken.indexOf(item);
    if (holder >= 0) return { verdict: { code: 'collision', place: holder } };
    if (toLeaf && item < 0) {
      const parentR = varyR === 0 ? 0 : r >> (varyR - 1);
      const leaf = this.#findLeaf(walk.bucket(item), parentR);
      return { verdict: { code: leaf.item === undefined ? 'no-leaf' : 'chosen' }, leaf };
    }
    return { verdict: type === 0 ? reweighed(walk, item) : { code: 'chosen' } };
  }

  #findLeaf(bucket: CrushBucket, parentR: number): LeafTrace {
    const { leafTries, stable } = this.#order;
    const order: FirstnOrder = { ...this.#order, type: 0, toLeaf: false, tries: leafTries };
    // A device must differ from the devices chosen so far, not from the items.
    const search = new FirstnSearch(this.#walk, bucket, order, this.#leaves, []);
    const place = search.run(stable ? 0 : this.#taken.length, parentR);
    return { ...place, bucket: this.#walk.traced(bucket), parentR, tries: leafTries };
  }
}
