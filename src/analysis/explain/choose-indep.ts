/**
 * How an indep step fills places below one bucket, attempt by attempt: round after round over the places that are
 * still free, so that every item stays where it is. Follows `crush_choose_indep` (Ceph's src/crush/mapper.c).
 */
import { BUCKET_ALGORITHM, ITEM_NONE } from '../../crush/model.ts';
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
import { drawItem } from './draws.ts';
import { PlaceRecorder } from './recorder.ts';
import type { BucketDraw, LeafTrace, PlaceTrace } from './trace.ts';
import type { Walk } from './walk.ts';

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

/** An item for each place below `start`, or ITEM_NONE: round after round over the places that are still free. */
export function chooseIndep(walk: Walk, start: CrushBucket, order: IndepOrder): Chosen {
  const { toLeaf, tries } = order;
  const recorders = Array.from({ length: order.places }, (_, place) => new PlaceRecorder(walk, place, place));
  const open = new Set(recorders.keys());
  const items = new Array<number | undefined>(order.places).fill(undefined);
  const leaves = new Array<number | undefined>(order.places).fill(undefined);
  const places: PlaceTrace[] = [];
  for (let round = 0; open.size > 0 && round < tries; round++) {
    for (const [place, recorder] of recorders.entries()) {
      if (!open.has(place)) continue;
      const descent = descendIndep(walk, start, order, place, 0, round, 0);
      const { verdict, leaf } = judgeIndep(walk, order, place, descent, items, leaves);
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
        items[place] = descent.item;
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

/** Whether an item can be taken; for chooseleaf its device, or a hole, is put into `leaves` on the way. */
function judgeIndep(
  walk: Walk,
  order: IndepOrder,
  place: number,
  { item, verdict, r }: Descent,
  items: readonly (number | undefined)[],
  leaves: (number | undefined)[],
): Judgement {
  if (verdict !== undefined) return { verdict };
  const holder = items.indexOf(item);
  if (holder >= 0) return { verdict: { code: 'collision', place: holder } };
  const leaf = order.toLeaf && item < 0 ? leafIndep(walk, order, place, item, r) : undefined;
  if (order.toLeaf) leaves[place] = leaf === undefined ? item : (leaf.item?.id ?? ITEM_NONE);
  if (leaf !== undefined) return { verdict: { code: leaf.item === undefined ? 'no-leaf' : 'chosen' }, leaf };
  return { verdict: order.type === 0 ? reweighed(walk, item) : { code: 'chosen' } };
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
    const verdict = descent.verdict ?? reweighed(walk, descent.item);
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
    if (length === 0) return endedEmpty(walk, draws, bucket, r);
    const draw = drawItem(walk, bucket, r, position);
    draws.push(draw);
    const ended = endedAt(walk, draw.item.id, order.type, { draws, last: bucket, r });
    if (ended !== undefined) return ended;
    bucket = walk.bucket(draw.item.id);
  }
}
