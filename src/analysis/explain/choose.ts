/**
 * The two ways a classic rule step fills places below one bucket, attempt by attempt: firstn, which closes gaps, and
 * indep, which keeps every place where it is. Follows `crush_choose_firstn` and `crush_choose_indep` (Ceph's
 * src/crush/mapper.c).
 */
import { BUCKET_ALGORITHM, ITEM_NONE } from '../../crush/model.ts';
import type { CrushBucket } from '../../crush/model.ts';
import { drawByPermutation, drawItem } from './draws.ts';
import { PlaceRecorder } from './recorder.ts';
import type { Attempt, BucketDraw, ChoiceTrace, LeafTrace, PlaceTrace, Verdict } from './trace.ts';
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

/** What a step chose below one bucket, and how; for chooseleaf `leaves` has the device for each item. */
export interface Chosen {
  readonly items: readonly number[];
  readonly leaves: readonly number[];
  readonly trace: ChoiceTrace;
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

/** How a descent ended: what it came to last, and in which bucket that was drawn. */
interface Descent {
  readonly draws: readonly BucketDraw[];
  /** The bucket of the last draw, or the empty one. */
  readonly last: CrushBucket;
  /** An item of the wanted type, if there is no verdict yet. */
  readonly item: number | undefined;
  /** The replica number of the last draw. */
  readonly r: number;
  readonly verdict: Verdict | undefined;
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
      const judged = descent.item === undefined ? undefined : this.#judge(descent.item, r);
      const verdict = descent.verdict ?? judged?.verdict ?? { code: 'empty-bucket' };
      const attempt = {
        kind,
        failures,
        draws: descent.draws,
        path,
        ...lastItem(descent),
        ...(judged?.leaf === undefined ? {} : { leaf: judged.leaf }),
        verdict,
      };
      if (verdict.code === 'chosen') {
        return recorder.chose(attempt, this.#order.toLeaf ? (judged?.leaf?.item ?? attempt.item) : undefined);
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
      if (length === 0) return { draws, last: bucket, item: undefined, r, verdict: { code: 'empty-bucket' } };
      const isExhaustive = fallbackTries > 0 && failuresHere >= length >>> 1 && failuresHere > fallbackTries;
      const draw = isExhaustive
        ? drawByPermutation(walk, bucket, r)
        : drawItem(walk, bucket, r, this.#taken.length);
      draws.push(draw);
      const found = { draws, last: bucket, item: draw.item.id, r };
      const verdict = verdictOfKind(walk, draw.item.id, type);
      if (verdict !== 'go-on') return { ...found, verdict };
      bucket = walk.bucket(draw.item.id);
    }
  }

  /** Whether an item of the wanted type can be taken, and for chooseleaf the search for its device. */
  #judge(item: number, r: number): { verdict: Verdict; leaf?: LeafTrace } | undefined {
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

/** An item for each place below `start`, or ITEM_NONE: round after round over the places that are still free. */
export function chooseIndep(walk: Walk, start: CrushBucket, order: IndepOrder): Chosen {
  const { type, toLeaf, tries } = order;
  const recorders = Array.from({ length: order.places }, (_, place) => new PlaceRecorder(walk, place, place));
  const open = new Set(recorders.keys());
  const items = new Array<number | undefined>(order.places).fill(undefined);
  const leaves = new Array<number | undefined>(order.places).fill(undefined);
  const places: PlaceTrace[] = [];
  for (let round = 0; open.size > 0 && round < tries; round++) {
    for (const [place, recorder] of recorders.entries()) {
      if (!open.has(place)) continue;
      const descent = descendIndep(walk, start, order, place, 0, round, 0);
      const { item } = descent;
      let verdict = descent.verdict;
      let leaf: LeafTrace | undefined;
      if (verdict === undefined && item !== undefined) {
        const holder = items.indexOf(item);
        if (holder >= 0) verdict = { code: 'collision', place: holder };
        else {
          if (toLeaf && item < 0) leaf = leafIndep(walk, order, place, item, descent.r);
          if (toLeaf) leaves[place] = leaf === undefined ? item : (leaf.item?.id ?? ITEM_NONE);
          if (toLeaf && leaves[place] === ITEM_NONE) verdict = { code: 'no-leaf' };
          else verdict = type === 0 ? reweighed(walk, item) : { code: 'chosen' };
        }
      }
      verdict ??= { code: 'empty-bucket' };
      const attempt = {
        kind: round === 0 ? ('first' as const) : ('descent' as const),
        failures: round,
        draws: descent.draws,
        path: pathOf(descent),
        ...lastItem(descent),
        ...(leaf === undefined ? {} : { leaf }),
        verdict,
      };
      if (verdict.code === 'chosen') {
        items[place] = item;
        open.delete(place);
        places[place] = recorder.chose(attempt, toLeaf ? (leaf?.item ?? attempt.item) : undefined);
      } else if (isHopeless(verdict)) {
        leaves[place] = ITEM_NONE;
        open.delete(place);
        places[place] = recorder.gaveUp({ ...attempt, next: 'hopeless' });
      } else if (round + 1 < tries) {
        recorder.failed({ ...attempt, next: 'descent' });
      } else {
        const gaveUp = recorder.gaveUp({ ...attempt, next: 'tries-used-up' });
        const left = leaves[place] ?? ITEM_NONE;
        // Ceph forgets to clear a device that was found to be out.
        places[place] = toLeaf && left !== ITEM_NONE ? { ...gaveUp, leftBehind: walk.item(left) } : gaveUp;
      }
    }
  }
  return {
    items: items.map((item) => item ?? ITEM_NONE),
    leaves: leaves.map((leaf) => leaf ?? ITEM_NONE),
    trace: {
      bucket: walk.traced(start),
      // Without any tries, nothing was attempted.
      places: recorders.map((each, place) => places[place] ?? { ...each.untried(), gaveUp: 'tries-used-up' }),
    },
  };
}

/** The device below a chosen bucket; the only place it must not collide with is its own. */
function leafIndep(walk: Walk, order: IndepOrder, place: number, item: number, parentR: number): LeafTrace {
  const start = walk.bucket(item);
  const { leafTries } = order;
  const recorder = new PlaceRecorder(walk, place, place);
  const leaf = (found: PlaceTrace): LeafTrace => ({
    ...found,
    bucket: walk.traced(start),
    parentR,
    tries: leafTries,
  });
  for (let round = 0; ; round++) {
    const descent = descendIndep(walk, start, { ...order, type: 0 }, place, parentR, round, place);
    const verdict =
      descent.verdict ??
      (descent.item === undefined ? { code: 'empty-bucket' as const } : reweighed(walk, descent.item));
    const attempt = {
      kind: round === 0 ? ('first' as const) : ('descent' as const),
      failures: round,
      draws: descent.draws,
      path: pathOf(descent),
      ...lastItem(descent),
      verdict,
    };
    if (verdict.code === 'chosen') return leaf(recorder.chose(attempt, undefined));
    if (isHopeless(verdict)) return leaf(recorder.gaveUp({ ...attempt, next: 'hopeless' }));
    if (round + 1 >= leafTries) return leaf(recorder.gaveUp({ ...attempt, next: 'tries-used-up' }));
    recorder.failed({ ...attempt, next: 'descent' });
  }
}

/** One way down from `start` to the wanted type. */
function descendIndep(
  walk: Walk,
  start: CrushBucket,
  order: IndepOrder,
  place: number,
  parentR: number,
  round: number,
  position: number,
): Descent {
  const draws: BucketDraw[] = [];
  let bucket = start;
  for (;;) {
    walk.spend(1);
    const { length } = bucket.items;
    // A uniform bucket whose size the stride divides would give the same items in every round.
    const isUneven = bucket.alg === BUCKET_ALGORITHM.uniform && length % order.replicas === 0;
    const r = (place + parentR + Math.imul(isUneven ? order.replicas + 1 : order.replicas, round)) | 0;
    if (length === 0) return { draws, last: bucket, item: undefined, r, verdict: { code: 'empty-bucket' } };
    const draw = drawItem(walk, bucket, r, position);
    draws.push(draw);
    const found = { draws, last: bucket, item: draw.item.id, r };
    const verdict = verdictOfKind(walk, draw.item.id, order.type);
    if (verdict !== 'go-on') return { ...found, verdict };
    bucket = walk.bucket(draw.item.id);
  }
}

/** What the kind of an item says of it: nothing yet if it is the wanted one. */
function verdictOfKind(walk: Walk, item: number, wanted: number): Verdict | undefined | 'go-on' {
  if (item >= walk.map.maxDevices) return { code: 'no-device' };
  if (walk.typeOf(item) === wanted) return undefined;
  return item >= 0 ? { code: 'wrong-type' } : 'go-on';
}

function reweighed(walk: Walk, device: number): Verdict {
  const reweighing = walk.reweigh(device);
  if (reweighing === undefined) return { code: 'chosen' };
  return { code: reweighing.isOut ? 'out' : 'chosen', reweighing };
}

function isHopeless({ code }: Verdict): boolean {
  return code === 'no-device' || code === 'wrong-type';
}

/** Ids of the buckets of a descent, and of what was drawn last. */
function pathOf({ draws, last }: Descent): number[] {
  const path = draws.map((draw) => draw.bucket.id);
  const drawn = draws.at(-1)?.item.id;
  if (drawn === undefined) return [last.id];
  path.push(drawn);
  return path;
}

function lastItem({ draws, last }: Descent): Pick<Attempt, 'item'> {
  const drawn = draws.at(-1)?.item;
  // A descent that ended in an empty bucket drew that bucket last, and nothing from it.
  return drawn === undefined || drawn.id === last.id ? {} : { item: drawn };
}
