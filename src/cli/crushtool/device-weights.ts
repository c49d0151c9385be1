/** The reweights that crushtool maps with. Follows `CrushTester` (Ceph's src/crush/CrushTester.cc). */
import { DEFAULT_CHOOSE_ARGS, type CrushBucket, type CrushMap } from '../../crush/model.ts';
import type { Lrand48 } from './lrand48.ts';

/** The choose_args that crushtool maps with: those of index 0, else those for every pool, else none. */
export function chooseArgsOf(map: CrushMap): number | undefined {
  return [0, DEFAULT_CHOOSE_ARGS].find((index) => map.chooseArgs.has(index));
}

/** 16.16 reweights: as given, else 1.0 for devices that are in a bucket and 0 for the others. */
export function deviceWeights(map: CrushMap, given: ReadonlyMap<number, number> = new Map()): Uint32Array {
  const weights = new Uint32Array(map.maxDevices);
  for (const bucket of map.buckets) {
    for (const item of bucket?.items ?? []) {
      if (item >= 0 && item < weights.length) weights[item] = 0x10000;
    }
  }
  for (const [device, weight] of given) {
    if (device >= 0 && device < weights.length) weights[device] = weight;
  }
  return weights;
}

/** Which share of the devices is out. */
export interface MarkDownRatios {
  /** Share of the devices of a bucket that are out, 0 for none. */
  readonly markDownRatio: number;
  /** Share of the buckets where they are. */
  readonly markDownBucketRatio: number;
}

/**
 * Takes the first devices of some buckets out (`CrushTester::adjust_weights`). Ceph shuffles the buckets' devices
 * and then goes by their order in the bucket, which is kept, as are the random numbers that this takes. Where it
 * would shuffle one thing among none others, it dies; here the thing stays where it is.
 */
export function markDown(
  map: CrushMap,
  weights: Uint32Array,
  { markDownRatio, markDownBucketRatio }: MarkDownRatios,
  random: Lrand48,
): void {
  if (!(markDownRatio > 0)) return;
  const buckets = map.buckets.filter(
    (bucket): bucket is CrushBucket =>
      bucket !== undefined && (bucket.weight | 0) > 0 && (bucket.items[0] ?? -1) >= 0,
  );
  shuffle(buckets, random);
  const visited = Math.trunc(Math.fround(Math.fround(markDownBucketRatio) * Math.fround(buckets.length)));
  for (const { items } of buckets.slice(0, Math.max(0, visited))) {
    shuffle([...items], random);
    const out = Math.trunc(Math.fround(Math.fround(markDownRatio) * Math.fround(items.length)));
    for (const item of items.subarray(0, out)) {
      if (item >= 0 && item < weights.length) weights[item] = 0;
    }
  }
}

function shuffle(list: unknown[], random: Lrand48): void {
  if (list.length < 2) return;
  for (let i = 0; i < list.length; i++) {
    const j = random.next() % (list.length - 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
}
