/**
 * Mapping again only what a change can concern gives what mapping everything gives.
 *
 * CRUSH_TRACED_SEQUENCES says over how many random maps (default 40), CRUSH_FUZZ_SEED repeats a run.
 */
import { describe, expect, it } from 'vitest';
import { BUCKET_ALGORITHM, type CrushBucket, type CrushMap } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { TracedMapper, type TracedRequest } from '../src/kernel/traced-mapper.ts';
import { Random } from './random.ts';
import { randomMap } from './random-map.ts';

const SEQUENCES = Number(process.env.CRUSH_TRACED_SEQUENCES ?? 40);
const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);
const CHANGES = 8;

function full(map: CrushMap, { rule, size, count, reweights, chooseArgs, seed }: TracedRequest): unknown {
  try {
    const { items, lengths } = new CrushMapper(map).mapRange({
      rule,
      size,
      first: 0,
      count,
      reweights,
      chooseArgs,
      seed,
    });
    return { items, lengths };
  } catch (error) {
    if (error instanceof CrushError) return error.code;
    throw error;
  }
}

function traced(run: () => TracedMapper): { mapper?: TracedMapper; result: unknown } {
  try {
    const mapper = run();
    const { items, lengths } = mapper.columns;
    return { mapper, result: { items, lengths } };
  } catch (error) {
    if (error instanceof CrushError) return { result: error.code };
    throw error;
  }
}

/** The map with one item of one straw2 bucket of another weight, with one item less, or one more. */
function changed(map: CrushMap, random: Random): CrushMap {
  const straw2 = map.buckets.filter(
    (bucket) => bucket?.alg === BUCKET_ALGORITHM.straw2 && bucket.items.length > 0,
  );
  if (straw2.length === 0) return map;
  const bucket = random.pick(straw2)!;
  if (bucket.alg !== BUCKET_ALGORITHM.straw2) return map;
  const at = random.below(bucket.items.length);
  const items = [...bucket.items];
  const weights = [...bucket.itemWeights];
  if (random.chance(0.12)) {
    items.splice(at, 1);
    weights.splice(at, 1);
  } else if (random.chance(0.1)) {
    const devices = Array.from({ length: map.maxDevices }, (_, id) => id).filter((id) => !items.includes(id));
    if (devices.length > 0) {
      items.splice(at, 0, random.pick(devices));
      weights.splice(at, 0, 0x10000);
    }
  } else {
    const times = random.between(1, 3);
    for (let i = 0; i < times; i++) {
      const k = random.below(items.length);
      const old = weights[k]!;
      weights[k] = random.pick([0, 0x10000, old + 1, Math.max(0, old - 1), old * 2, old >>> 1, 0x123]) >>> 0;
    }
  }
  const now: CrushBucket = {
    ...bucket,
    items: Int32Array.from(items),
    itemWeights: Uint32Array.from(weights),
  };
  const chooseArgs = new Map([...map.chooseArgs].map(([index, args]) => [index, new Map(args)] as const));
  if (items.length !== bucket.items.length) for (const args of chooseArgs.values()) args.delete(bucket.id);
  const buckets = map.buckets.with(-1 - bucket.id, now);
  return { ...map, buckets, chooseArgs: items.length === bucket.items.length ? map.chooseArgs : chooseArgs };
}

describe('a traced mapper', () => {
  it(
    `maps as one that maps everything, ${SEQUENCES} random maps, CRUSH_FUZZ_SEED=${SEED}`,
    { timeout: 600_000 },
    () => {
      let updates = 0;
      let partial = 0;
      let rows = 0;
      let again = 0;
      for (let i = 0; i < SEQUENCES; i++) {
        const random = new Random(SEED + i);
        let map = randomMap(SEED + i, { limits: 'any', msr: random.chance(0.3) });
        if (random.chance(0.7)) {
          const tunables = {
            ...map.tunables,
            chooseLocalTries: 0,
            chooseLocalFallbackTries: 0,
            chooseTotalTries: 50,
          };
          map = { ...map, tunables };
        }
        const count = random.pick([50, 300, 700]);
        let request: TracedRequest = {
          rule: random.below(Math.max(1, map.rules.length)),
          size: random.between(1, 9),
          count,
          reweights: new Uint32Array(map.maxDevices).fill(0x10000),
          chooseArgs: random.pick([undefined, ...map.chooseArgs.keys()]),
          seed: random.pick([
            { mode: 'plain' },
            { mode: 'pool', pool: 7, pgpNum: count },
            { mode: 'pool-hashed', pool: 7, pgpNum: 32 },
          ] as const),
        };
        const { mapper, result } = traced(() => new TracedMapper(map, request));
        expect(result, `CRUSH_FUZZ_SEED=${SEED + i} CRUSH_TRACED_SEQUENCES=1`).toEqual(full(map, request));
        if (mapper === undefined) continue;
        for (let change = 0; change < CHANGES; change++) {
          if (random.chance(0.55)) map = changed(map, random);
          else {
            const reweights = request.reweights.slice();
            for (let n = random.between(1, 3); n > 0; n--) {
              reweights[random.below(Math.max(1, reweights.length))] = random.pick([
                0, 0x10000, 0x8000, 0xfff0,
              ]);
            }
            request = { ...request, reweights };
          }
          if (random.chance(0.05))
            request = { ...request, rule: random.below(Math.max(1, map.rules.length)) };
          const what = `change ${change}, CRUSH_FUZZ_SEED=${SEED + i} CRUSH_TRACED_SEQUENCES=1`;
          const outcome = traced(() => {
            const remapped = mapper.update(map, request);
            if (remapped !== undefined) {
              partial++;
              again += remapped.length;
            }
            return mapper;
          });
          expect(outcome.result, what).toEqual(full(map, request));
          updates++;
          rows += count;
        }
      }
      console.log(`${updates} changes, ${partial} in part: ${again} of ${rows} rows mapped again`);
      expect(partial).toBeGreaterThan(updates / 3);
    },
  );
});
