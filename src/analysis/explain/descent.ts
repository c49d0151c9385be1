/** What the descents of firstn and of indep steps have in common: how they end, and what is recorded of them. */
import type { CrushBucket } from '../../crush/model.ts';
import type { Attempt, BucketDraw, ChoiceTrace, LeafTrace, Verdict } from './trace.ts';
import type { Walk } from './walk.ts';

/** What a step chose below one bucket, and how; for chooseleaf `leaves` has the device for each item. */
export interface Chosen {
  readonly items: readonly number[];
  readonly leaves: readonly number[];
  readonly trace: ChoiceTrace;
}

/** How a descent ended: with an item of the wanted type, or with a verdict. */
export type Descent = DescentWay &
  (
    | { readonly item: number; readonly verdict: undefined }
    | { readonly item: undefined; readonly verdict: Verdict }
  );

export interface DescentWay {
  readonly draws: readonly BucketDraw[];
  /** The bucket of the last draw, or the empty one. */
  readonly last: CrushBucket;
  /** The replica number of the last draw. */
  readonly r: number;
}

/** What is said of an item of the wanted type; for chooseleaf with the search for its device. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly leaf?: LeafTrace;
}

/** Ends a descent at an item of the wanted type, or at one below which nothing is; undefined at a bucket to go on from. */
export function endedAt(walk: Walk, item: number, wanted: number, way: DescentWay): Descent | undefined {
  if (item >= walk.map.maxDevices) return { ...way, item: undefined, verdict: { code: 'no-device' } };
  if (walk.typeOf(item) === wanted) return { ...way, item, verdict: undefined };
  return item >= 0 ? { ...way, item: undefined, verdict: { code: 'wrong-type' } } : undefined;
}

export function endedEmpty(walk: Walk, draws: readonly BucketDraw[], last: CrushBucket, r: number): Descent {
  return { draws, last, r, item: undefined, verdict: { code: 'empty-bucket', bucket: walk.item(last.id) } };
}

export function reweighed(walk: Walk, device: number): Verdict {
  const reweighing = walk.reweigh(device);
  if (reweighing === undefined) return { code: 'chosen' };
  return { code: reweighing.isOut ? 'out' : 'chosen', reweighing };
}

export function isHopeless({ code }: Verdict): boolean {
  return code === 'no-device' || code === 'wrong-type';
}

/** Ids of the buckets of a descent, and of what was drawn last. */
export function pathOf({ draws, last }: Descent): number[] {
  const path = draws.map((draw) => draw.bucket.id);
  const drawn = draws.at(-1)?.item.id;
  if (drawn === undefined) return [last.id];
  path.push(drawn);
  return path;
}

export function lastItem({ draws, last }: Descent): Pick<Attempt, 'item'> {
  const drawn = draws.at(-1)?.item;
  // A descent that ended in an empty bucket drew that bucket last, and nothing from it.
  return drawn === undefined || drawn.id === last.id ? {} : { item: drawn };
}
