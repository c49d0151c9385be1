/** Checks of choose_args: weight-sets and ids that stand in for those of buckets. */
import {
  BUCKET_ALGORITHM,
  DEFAULT_CHOOSE_ARGS,
  type ChooseArg,
  type ChooseArgs,
  type CrushBucket,
} from '../model.ts';
import { weightAt, type MapIndex } from './index-of-map.ts';
import { counted, itemText, weightText, type ProblemList } from './problems.ts';
import { isRounding } from './weights.ts';

/** What the checks know of the pools. */
export interface ChooseArgsPools {
  /** Ids of the map's pools; undefined where they are not known. */
  readonly ids: ReadonlySet<number> | undefined;
  /** Most OSDs that a pool mapped with a set asks for, by the set's index. */
  readonly sizes: ReadonlyMap<number, number>;
}

/** Checks every set. */
export function checkChooseArgs(index: MapIndex, pools: ChooseArgsPools, problems: ProblemList): void {
  for (const [set, args] of index.map.chooseArgs) {
    if (pools.ids !== undefined && set !== DEFAULT_CHOOSE_ARGS && !pools.ids.has(set)) {
      problems.add(
        'choose-args-pool',
        { chooseArgs: set },
        'there is no such pool, so nothing is mapped with the set',
        `'ceph osd crush weight-set rm ${set}', or delete the set in the text form`,
      );
    }
    for (const [id, arg] of args) {
      const bucket = index.bucket(id);
      if (bucket === undefined) {
        problems.add(
          'choose-args-bucket',
          { chooseArgs: set, bucket: id },
          'there is no such bucket',
          'delete its part of the set in the text form',
        );
      } else if (fits(set, bucket, arg, problems)) {
        checkArg(index, set, args, bucket, arg, problems);
      }
    }
    checkPositions(set, args, pools.sizes.get(set), problems);
  }
}

function removal(set: number): string {
  return set === DEFAULT_CHOOSE_ARGS
    ? "'ceph osd crush weight-set rm-compat', then 'ceph balancer on' to have it made anew"
    : `'ceph osd crush weight-set rm ${set}', then make it anew`;
}

/** Whether weights and ids are as many as the bucket's items. */
function fits(set: number, bucket: CrushBucket, arg: ChooseArg, problems: ProblemList): boolean {
  const size = bucket.items.length;
  const bad = arg.weightSet?.findIndex((weights) => weights.length !== size) ?? -1;
  if (bad >= 0) {
    problems.add(
      'choose-args-size',
      { chooseArgs: set, bucket: bucket.id, position: bad },
      `${arg.weightSet?.[bad]?.length ?? 0} weights for ${size} items`,
      removal(set),
    );
  }
  const ids = arg.ids?.length ?? size;
  if (ids !== size) {
    problems.add(
      'choose-args-size',
      { chooseArgs: set, bucket: bucket.id },
      `${ids} ids for ${size} items`,
      removal(set),
    );
  }
  return bad < 0 && ids === size;
}

function checkArg(
  index: MapIndex,
  set: number,
  args: ChooseArgs,
  bucket: CrushBucket,
  arg: ChooseArg,
  problems: ProblemList,
): void {
  const place = { chooseArgs: set, bucket: bucket.id };
  if (bucket.alg !== BUCKET_ALGORITHM.straw2) {
    problems.add(
      'choose-args-idle',
      place,
      'the bucket is not of straw2; only those heed choose_args',
      'make it a straw2 bucket, or delete its part of the set in the text form',
    );
    return;
  }
  if (arg.ids !== undefined && new Set(arg.ids).size < new Set(bucket.items).size) {
    problems.add(
      'choose-args-ids',
      place,
      'two items are hashed by the same id, so that they are drawn together, not each for itself',
      'give every item an id of its own in the text form',
    );
  }
  for (const [position, weights] of (arg.weightSet ?? []).entries()) {
    for (let i = 0; i < weights.length; i++) {
      const at = { ...place, item: bucket.items[i] ?? 0, position };
      const weight = weights[i] ?? 0;
      if (weight >= 2 ** 31) {
        problems.add(
          'choose-args-negative',
          at,
          `it weighs ${weightText(weight)}; from 32768 on mappers take a weight for negative, and the item for the first`,
          removal(set),
        );
      } else if (weight === 0 && weightAt(bucket, i) > 0) {
        problems.add(
          'choose-args-weight',
          at,
          `it weighs 0 in the set and ${weightText(weightAt(bucket, i))} in the bucket, so no data comes to it`,
          `'ceph osd crush weight-set reweight${set === DEFAULT_CHOOSE_ARGS ? '-compat' : ` ${set}`} ` +
            `${itemText(index.map, at.item)} WEIGHT'`,
        );
      }
      checkChildSum(index, set, args, bucket, i, position, weight, problems);
    }
  }
}

/** A bucket's weights in a set add up to its weight where it is held. */
function checkChildSum(
  index: MapIndex,
  set: number,
  args: ChooseArgs,
  bucket: CrushBucket,
  i: number,
  position: number,
  weight: number,
  problems: ProblemList,
): void {
  const child = index.child(bucket, i);
  const below = child === undefined ? undefined : args.get(child.id)?.weightSet?.[position];
  if (child === undefined || below?.length !== child.items.length) return;
  const sum = below.reduce((total, each) => total + each, 0);
  if (sum === weight || isRounding(sum, weight, below.length)) return;
  problems.add(
    'choose-args-sum',
    { chooseArgs: set, bucket: bucket.id, item: child.id, position },
    `it weighs ${weightText(weight)} here, but what it holds weighs ${weightText(sum)} in the set`,
    removal(set),
  );
}

function checkPositions(
  set: number,
  args: ChooseArgs,
  size: number | undefined,
  problems: ProblemList,
): void {
  const counts = new Map<number, number>();
  for (const [id, { weightSet }] of args) if (weightSet !== undefined) counts.set(weightSet.length, id);
  const [most = 0] = [...counts.keys()].sort((a, b) => b - a);
  if (counts.size > 1) {
    problems.add(
      'choose-args-positions',
      { chooseArgs: set },
      `buckets have different numbers of positions (${[...counts.keys()].join(', ')})`,
      removal(set),
    );
  } else if (size !== undefined && most > 1 && most < size) {
    problems.add(
      'choose-args-few-positions',
      { chooseArgs: set },
      `${counted(most, 'position')} for ${size} OSDs a PG; those behind are drawn with the weights of the last`,
      removal(set),
    );
  }
}
