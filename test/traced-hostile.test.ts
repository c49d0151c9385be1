/**
 * Changes that no operator makes in their right mind, one after the other: mapping again only what they can concern
 * still gives what mapping everything gives.
 *
 * CRUSH_TRACED_SEQUENCES says over how many random maps (default 30), CRUSH_FUZZ_SEED repeats a run.
 */
import { describe, expect, it } from 'vitest';
import { BUCKET_ALGORITHM, type ChooseArg, type CrushBucket, type CrushMap } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { TracedMapper, type TracedRequest } from '../src/kernel/traced-mapper.ts';
import { makeBucket } from './make-bucket.ts';
import { Random } from './random.ts';
import { randomMap } from './random-map.ts';

const SEQUENCES = Number(process.env.CRUSH_TRACED_SEQUENCES ?? 30);
const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);
const CHANGES = 14;

/** Weights at the ends of what there is, and equal ones. */
const WEIGHTS = [0, 0, 1, 1, 2, 0x10000, 0x10000, 0x10000, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];

function outcome(run: () => { items: Int32Array; lengths: Int32Array }): unknown {
  try {
    const { items, lengths } = run();
    return { items, lengths };
  } catch (error) {
    if (error instanceof CrushError) return error.code;
    throw error;
  }
}

function full(map: CrushMap, request: TracedRequest): unknown {
  return outcome(() => new CrushMapper(map).mapRange({ ...request, first: 0 }));
}

/** Items and weights of a bucket of any algorithm. */
function contentOf(bucket: CrushBucket): { items: number[]; weights: number[] } {
  const items = [...bucket.items];
  if ('itemWeights' in bucket) return { items, weights: [...bucket.itemWeights] };
  return { items, weights: items.map(() => 0x10000) };
}

function withBucket(map: CrushMap, bucket: CrushBucket): CrushMap {
  return { ...map, buckets: map.buckets.with(-1 - bucket.id, bucket) };
}

/** The bucket with other items, and choose_args that have as many entries as it has items. */
function withItems(
  map: CrushMap,
  bucket: CrushBucket,
  { items, weights }: { items: number[]; weights: number[] },
  random: Random,
): CrushMap {
  const now = makeBucket(bucket.id, bucket.type, bucket.alg, items, weights, random);
  const chooseArgs = new Map(
    [...map.chooseArgs].map(([index, args]) => {
      const fitting = new Map(args);
      const arg = fitting.get(bucket.id);
      if (arg !== undefined && items.length !== bucket.items.length) {
        const fit = (values: ArrayLike<number>, more: number): number[] =>
          items.map((_, i) => values[i] ?? more);
        fitting.set(bucket.id, {
          ...(arg.weightSet && {
            weightSet: arg.weightSet.map((weights) => Uint32Array.from(fit(weights, 0x8000))),
          }),
          ...(arg.ids && { ids: Int32Array.from(fit(arg.ids, 77)) }),
        });
      }
      return [index, fitting] as const;
    }),
  );
  return { ...withBucket(map, now), chooseArgs };
}

function changedArgs(map: CrushMap, bucket: CrushBucket, random: Random): CrushMap {
  const index = random.pick([0, -1, ...map.chooseArgs.keys()]);
  const args = new Map(map.chooseArgs.get(index));
  const old = args.get(bucket.id);
  if (random.chance(0.25)) args.delete(bucket.id);
  else {
    const weights = (): Uint32Array => Uint32Array.from(bucket.items, () => random.pick(WEIGHTS));
    const arg: ChooseArg = {
      weightSet: random.chance(0.5)
        ? [(old?.weightSet?.[0] ?? weights()).with(0, random.pick(WEIGHTS))]
        : Array.from({ length: random.between(1, 4) }, weights),
      ...(random.chance(0.3) && { ids: bucket.items.map((item) => item + random.below(2)) }),
    };
    args.set(bucket.id, arg);
  }
  const chooseArgs = new Map([...map.chooseArgs, [index, args]]);
  if (random.chance(0.15)) chooseArgs.delete(index);
  return { ...map, chooseArgs };
}

/** A map more, of any kind of change. */
function changed(map: CrushMap, random: Random): CrushMap {
  const buckets = map.buckets.filter((bucket) => bucket !== undefined);
  const bucket = random.pick(buckets);
  const { items, weights } = contentOf(bucket);
  const at = random.below(Math.max(1, items.length));
  const isLeaf = items.every((item) => item >= 0);
  switch (random.below(16)) {
    case 0: // Emptied, all else as it was.
      return withItems(map, bucket, { items: [], weights: [] }, random);
    case 1: // Filled, all else as it was.
    case 2: {
      const empty = buckets.filter((each) => each.items.length === 0);
      const to = empty.length > 0 ? random.pick(empty) : bucket;
      if (to.items.some((item) => item < 0)) return map;
      const some = Array.from({ length: random.between(1, 3) }, () => random.below(map.maxDevices));
      return withItems(map, to, { items: some, weights: some.map(() => random.pick(WEIGHTS)) }, random);
    }
    case 3: // Doubled.
      if (items.length === 0) return map;
      items.splice(random.below(items.length), 0, items[at]!);
      weights.push(0x10000);
      return withItems(map, bucket, { items, weights }, random);
    case 4:
      items.splice(at, 1);
      weights.splice(at, 1);
      return withItems(map, bucket, { items, weights }, random);
    case 5: {
      const alg = random.pick(Object.values(BUCKET_ALGORITHM));
      return withBucket(
        map,
        makeBucket(
          bucket.id,
          bucket.type,
          alg,
          items,
          weights.map((w) => Math.max(1, w >>> 8)),
          random,
        ),
      );
    }
    case 6:
      return withBucket(map, { ...bucket, type: random.pick([1, 2, 3, 7, 10]) });
    case 7:
      return withBucket(map, { ...bucket, hash: random.pick([0, 0, 1, 2]) });
    case 8:
      return { ...map, maxDevices: Math.max(1, map.maxDevices + random.pick([-1, -3, 1, 4, 40])) };
    case 9: {
      const tunables = { ...map.tunables };
      const name = random.pick([
        'chooseTotalTries',
        'chooseleafVaryR',
        'chooseleafStable',
        'chooseleafDescendOnce',
        'chooseLocalTries',
      ] as const);
      return { ...map, tunables: { ...tunables, [name]: random.below(3) } };
    }
    case 10: {
      // Gone, out of every bucket above it.
      let now: CrushMap = map;
      for (const above of buckets) {
        if (!above.items.includes(bucket.id)) continue;
        const content = contentOf(above);
        const kept = content.items.flatMap((item, i) => (item === bucket.id ? [] : [i]));
        now = withItems(
          now,
          above,
          { items: kept.map((i) => content.items[i]!), weights: kept.map((i) => content.weights[i]!) },
          random,
        );
      }
      if (now.rules.some((rule) => rule?.steps.some(({ arg1 }) => arg1 === bucket.id))) return now;
      const chooseArgs = new Map(
        [...now.chooseArgs].map(([index, args]) => [
          index,
          new Map([...args].filter(([id]) => id !== bucket.id)),
        ]),
      );
      return { ...now, chooseArgs, buckets: now.buckets.with(-1 - bucket.id, undefined) };
    }
    case 11: {
      // Another in the place of one that is gone, or at the end.
      const free = map.buckets.findIndex((each) => each === undefined);
      const id = -1 - (free < 0 ? map.buckets.length : free);
      const devices = Array.from({ length: random.between(0, 3) }, () => random.below(map.maxDevices));
      const added = makeBucket(
        id,
        random.pick([1, 2, 3]),
        BUCKET_ALGORITHM.straw2,
        devices,
        devices.map(() => random.pick(WEIGHTS)),
        random,
      );
      const list = [...map.buckets];
      list[-1 - id] = added;
      const grown = { ...map, buckets: list };
      if (isLeaf) return grown;
      items.splice(at, 0, id);
      weights.splice(at, 0, random.pick(WEIGHTS));
      return withItems(grown, bucket, { items, weights }, random);
    }
    case 12:
    case 13:
      return bucket.items.length === 0 ? map : changedArgs(map, bucket, random);
    default:
      for (let times = random.between(1, 3); times > 0 && items.length > 0; times--) {
        weights[random.below(items.length)] = random.pick(WEIGHTS);
      }
      return withItems(map, bucket, { items, weights }, random);
  }
}

describe('a traced mapper', () => {
  it(
    `survives what is done to ${SEQUENCES} random maps, CRUSH_FUZZ_SEED=${SEED}`,
    { timeout: 3_000_000 },
    () => {
      let updates = 0;
      let partial = 0;
      for (let i = 0; i < SEQUENCES; i++) {
        const random = new Random(SEED + i);
        const made = randomMap(SEED + i, { limits: 'any', msr: random.chance(0.2) });
        const maps: CrushMap[] = [
          {
            ...made,
            tunables: {
              ...made.tunables,
              chooseLocalTries: 0,
              chooseLocalFallbackTries: 0,
              chooseTotalTries: random.pick([1, 5, 50]),
            },
          },
        ];
        const count = random.pick([50, 300]);
        let request: TracedRequest = {
          rule: random.below(Math.max(1, made.rules.length)),
          size: random.between(1, 6),
          count,
          reweights: new Uint32Array(made.maxDevices).fill(0x10000),
          chooseArgs: random.pick([undefined, 0, ...made.chooseArgs.keys()]),
          seed: { mode: 'pool-hashed', pool: 7, pgpNum: count },
        };
        let mapper: TracedMapper | undefined;
        for (let change = 0; change < CHANGES; change++) {
          const last = maps.at(-1)!;
          let map = random.chance(0.1) ? random.pick(maps) : changed(last, random);
          if (random.chance(0.2)) map = changed(map, random);
          maps.push(map);
          const what = `change ${change}, CRUSH_FUZZ_SEED=${SEED + i} CRUSH_TRACED_SEQUENCES=1`;
          if (random.chance(0.3)) {
            const at = random.below(request.reweights.length);
            const reweights = request.reweights.with(at, random.pick([0, 0x10000, 0x8000]));
            request = { ...request, reweights };
          }
          if (!map.chooseArgs.has(request.chooseArgs ?? 0) || random.chance(0.05)) {
            request = { ...request, chooseArgs: random.pick([undefined, ...map.chooseArgs.keys()]) };
          }
          const result = outcome(() => {
            if (mapper === undefined) mapper = new TracedMapper(map, request);
            else if (mapper.update(map, request) !== undefined) partial++;
            return mapper.columns;
          });
          expect(result, what).toEqual(full(map, request));
          // What cannot be mapped is left again, and the mapper goes on from it.
          if (typeof result === 'string' && maps.length > 1) maps.pop();
          updates++;
        }
      }
      console.log(`${updates} changes, ${partial} in part`);
      expect(partial).toBeGreaterThan(updates / 5);
    },
  );
});
