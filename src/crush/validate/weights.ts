/** Checks of weights: buckets against what they hold, and what is derived from weights. */
import { BUCKET_ALGORITHM, type CrushBucket } from '../model.ts';
import { listSums, MAX_TREE_ITEMS, strawLengths, treeNodeWeights } from '../straws.ts';
import { isWhole } from './buckets.ts';
import { weightAt, type MapIndex } from './index-of-map.ts';
import { itemText, weightText, type ProblemList } from './problems.ts';

/** Half of the last decimal that crushtool's text form keeps, as 16.16. */
const ROUNDING = 33;
/** Weights of siblings that differ more than this many times are told. */
const UNEVEN = 16;
const REWEIGHT =
  "sum the weights up anew: 'ceph osd crush reweight-all', or 'crushtool -i MAP --reweight -o NEW'";

/** Whether two sums differ by no more than what rounding to the text form's decimals makes of `terms` weights. */
export function isRounding(a: number, b: number, terms: number): boolean {
  const difference = Math.abs(a - b);
  return difference <= ROUNDING * (terms + 1) + 1 && difference * 100 <= Math.max(a, b);
}

/** Checks the weights of every bucket. */
export function checkWeights(index: MapIndex, problems: ProblemList): void {
  for (const bucket of index.buckets) {
    if (!isWhole(bucket)) continue;
    checkSum(index, bucket, problems);
    checkItemWeights(index, bucket, problems);
    checkDerived(index, bucket, problems);
    if (!index.isShadow(bucket.id)) checkEvenness(index, bucket, problems);
  }
}

function checkSum(index: MapIndex, bucket: CrushBucket, problems: ProblemList): void {
  const place = { bucket: bucket.id };
  let sum = 0;
  for (let i = 0; i < bucket.items.length; i++) sum += weightAt(bucket, i);
  if (sum > 0xffff_ffff) {
    problems.add(
      'weight-overflow',
      place,
      `its items weigh ${weightText(sum)}; a bucket holds less than 65536`,
      'weigh devices in larger units, such as tens of TiB',
    );
  } else if (sum !== bucket.weight) {
    problems.add(
      'bucket-weight',
      place,
      `it says that it weighs ${weightText(bucket.weight)}, its items weigh ${weightText(sum)}`,
      REWEIGHT,
    );
  }
  const name = itemText(index.map, bucket.id);
  if (
    bucket.items.length > 0 &&
    sum === 0 &&
    bucket.alg !== BUCKET_ALGORITHM.uniform &&
    isDrawn(index, bucket)
  ) {
    problems.add(
      'zero-bucket',
      place,
      'nothing in it has weight, and yet something can be drawn from it: then it is always the same item',
      `weigh its items, or let 0 stand for ${name} where it is held`,
    );
  }
}

/** Whether a bucket that holds this one may draw it. */
function isDrawn(index: MapIndex, bucket: CrushBucket): boolean {
  return index.holders(bucket.id).some((holder) => {
    const held = index.bucket(holder);
    return held !== undefined && weightAt(held, held.items.indexOf(bucket.id)) > 0;
  });
}

function checkItemWeights(index: MapIndex, bucket: CrushBucket, problems: ProblemList): void {
  const isShadow = index.isShadow(bucket.id);
  for (const [position, item] of bucket.items.entries()) {
    const place = { bucket: bucket.id, item };
    const weight = weightAt(bucket, position);
    const name = itemText(index.map, item);
    if (weight >= 2 ** 31) {
      problems.add(
        'negative-weight',
        place,
        `it weighs ${weightText(weight)}; from 32768 on mappers take a weight for negative, and the item for the first`,
        `weigh it less: 'ceph osd crush reweight ${name} WEIGHT'`,
      );
    }
    const child = index.child(bucket, position);
    if (child === undefined) {
      if (item < 0 || weight > 0 || isShadow) continue;
      problems.add(
        'zero-weight',
        place,
        'it weighs 0, so no data comes to it',
        `weigh it by its size in TiB when it is to be filled: 'ceph osd crush reweight ${name} WEIGHT'`,
      );
    } else if (weight !== child.weight && !isRounding(weight, child.weight, child.items.length)) {
      const isUniform = bucket.alg === BUCKET_ALGORITHM.uniform;
      problems.add(
        'item-weight',
        place,
        `it weighs ${weightText(weight)} here, but ${weightText(child.weight)} itself` +
          (isUniform ? '; items of a uniform bucket all weigh the same' : ''),
        isUniform ? "write 'alg straw2' for the bucket in the text form" : REWEIGHT,
      );
    }
  }
}

/** Sums of list buckets, nodes of tree buckets, lengths of straw buckets. */
function checkDerived(index: MapIndex, bucket: CrushBucket, problems: ProblemList): void {
  const place = { bucket: bucket.id };
  const cure =
    "compile the map anew from its text form ('crushtool -d', then '-c'), or make it a straw2 bucket";
  const demand = (code: 'list-sums' | 'tree-nodes' | 'straw-lengths', what: string, at: number): void => {
    if (at < 0) return;
    const text = `its ${what} do not follow from the weights, from number ${at} on; data goes where they say`;
    problems.add(code, place, text, cure);
  };
  if (bucket.alg === BUCKET_ALGORITHM.list) {
    demand('list-sums', 'weight sums', difference(bucket.sumWeights, listSums(bucket.itemWeights)));
  } else if (bucket.alg === BUCKET_ALGORITHM.tree && bucket.items.length <= MAX_TREE_ITEMS) {
    const weights = Uint32Array.from(bucket.items, (_, i) => weightAt(bucket, i));
    const nodes = treeNodeWeights(weights);
    // A tree with room for more items has a shape of its own.
    if (bucket.nodeWeights.length === nodes.length)
      demand('tree-nodes', 'tree nodes', difference(bucket.nodeWeights, nodes));
  } else if (bucket.alg === BUCKET_ALGORITHM.straw) {
    const version = index.map.tunables.strawCalcVersion > 0 ? 1 : 0;
    // Straws are computed when a bucket is changed, perhaps before straw_calc_version was.
    const fits = [version, 1 - version].map((each) =>
      difference(bucket.straws, strawLengths(bucket.itemWeights, each), 1),
    );
    if (!fits.includes(-1)) demand('straw-lengths', 'straw lengths', fits[0] ?? 0);
  }
}

/** Index of the first number that differs by more than `most`, or -1. */
function difference(a: Uint32Array, b: Uint32Array, most = 0): number {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  return a.findIndex((value, i) => Math.abs(value - (b[i] ?? 0)) > most);
}

/** Siblings of very different weight: the light ones get more than their share when several are drawn. */
function checkEvenness(index: MapIndex, bucket: CrushBucket, problems: ProblemList): void {
  let least = -1;
  let most = -1;
  for (let i = 0; i < bucket.items.length; i++) {
    if (!index.isLive(bucket, i)) continue;
    if (least < 0 || weightAt(bucket, i) < weightAt(bucket, least)) least = i;
    if (most < 0 || weightAt(bucket, i) > weightAt(bucket, most)) most = i;
  }
  const light = weightAt(bucket, least);
  const heavy = weightAt(bucket, most);
  if (light === 0 || heavy < UNEVEN * light) return;
  const name = (position: number): string => itemText(index.map, bucket.items[position] ?? 0);
  problems.add(
    'uneven-weights',
    { bucket: bucket.id, item: bucket.items[most] ?? 0 },
    `${name(most)} weighs ${weightText(heavy)} and ${name(least)} ${weightText(light)}; where several of them are ` +
      `drawn for one PG the heavy get less than their share`,
    "spread OSDs so that buckets of one level weigh about the same, or let the balancer correct it: 'ceph balancer on'",
  );
}
