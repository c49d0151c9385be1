/**
 * The kernels give the same mappings: one item at a time, items in lanes, tasks in lanes.
 *
 * CRUSH_LANES_MAPS says over how many random maps (default 60), CRUSH_FUZZ_SEED repeats a run.
 */
import { describe, expect, it } from 'vitest';
import {
  BUCKET_ALGORITHM,
  type CrushBucket,
  type CrushMap,
  type CrushRuleStep,
  RULE_OP,
  RULE_TYPE,
} from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { CrushMapper, type KernelChoice, type MapRequest } from '../src/kernel/crush-mapper.ts';
import { lnTable } from '../src/kernel/kernel.ts';
import { hasSimd } from '../src/kernel/kernel-module.ts';
import { Random } from './random.ts';
import { randomMap } from './random-map.ts';

const MAPS = Number(process.env.CRUSH_LANES_MAPS ?? 60);
const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);
/** Mappings of one request: more than the task lanes have under way. */
const COUNT = 200;
const KERNELS: readonly KernelChoice[] = ['scalar', 'item-lanes', 'task-lanes'];

/** The map with every bucket a straw2 bucket, and modern tunables more often than not: what task lanes are for. */
function modern(map: CrushMap, random: Random): CrushMap {
  const weigh = random.pick([
    (old: number) => old,
    () => 0x10000,
    () => random.pick([0, 1, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, random.word()]),
    () => random.pick([0x8000, 0x10000, 0x20000]),
    () => random.between(1, 3),
  ]);
  const buckets = map.buckets.map((bucket): CrushBucket | undefined => {
    if (bucket === undefined) return undefined;
    const { id, type, hash, weight, items } = bucket;
    const itemWeights = Uint32Array.from(items, () => weigh(random.between(0x4000, 0x140000)) >>> 0);
    return { id, type, hash, weight, items, alg: BUCKET_ALGORITHM.straw2, itemWeights };
  });
  const tunables = random.chance(0.8)
    ? { ...map.tunables, chooseLocalTries: 0, chooseLocalFallbackTries: 0, chooseTotalTries: 50 }
    : map.tunables;
  return { ...map, buckets, tunables, chooseArgs: random.chance(0.5) ? new Map() : map.chooseArgs };
}

/** The map with rules of the shape that task lanes are for: one take, one choose step, one emit. */
function withPlainRules(map: CrushMap, random: Random): CrushMap {
  const buckets = map.buckets.filter((bucket) => bucket !== undefined);
  const types = [...new Set(buckets.map((bucket) => bucket.type))];
  if (buckets.length === 0) return map;
  const rules = [...map.rules];
  for (let i = 0; i < 4; i++) {
    const { chooseFirstn, chooseIndep, chooseleafFirstn, chooseleafIndep } = RULE_OP;
    const op = random.pick([chooseleafFirstn, chooseleafIndep, chooseleafFirstn, chooseFirstn, chooseIndep]);
    const set = (setting: number, value: number): CrushRuleStep[] =>
      random.chance(0.3) ? [{ op: setting, arg1: value, arg2: 0 }] : [];
    rules.push({
      id: rules.length,
      type: RULE_TYPE.replicated,
      ruleset: rules.length,
      minSize: 1,
      maxSize: 10,
      steps: [
        ...set(RULE_OP.setChooseTries, random.pick([1, 2, 30, 700])),
        ...set(RULE_OP.setChooseleafTries, random.between(1, 5)),
        ...set(RULE_OP.setChooseleafVaryR, random.between(0, 3)),
        ...set(RULE_OP.setChooseleafStable, random.chance(0.8) ? 1 : 0),
        { op: RULE_OP.take, arg1: random.pick(buckets).id, arg2: 0 },
        { op, arg1: random.pick([0, 0, 0, -1, 2, 3, 9]), arg2: random.pick([...types, 0]) },
        { op: RULE_OP.emit, arg1: 0, arg2: 0 },
      ],
    });
  }
  const tunables = { ...map.tunables, chooseleafStable: random.chance(0.8) ? 1 : 0 };
  return { ...map, rules, tunables };
}

function outcome(mapper: CrushMapper, request: MapRequest): unknown {
  try {
    const { items, lengths, seeds } = mapper.mapRange(request);
    return { items, lengths, seeds };
  } catch (error) {
    if (error instanceof CrushError) return error.describe();
    throw error;
  }
}

describe.skipIf(!hasSimd())('kernels (needs SIMD)', () => {
  it(`agree over ${MAPS} random maps, CRUSH_FUZZ_SEED=${SEED}`, { timeout: 600_000 }, () => {
    let mappings = 0;
    for (let i = 0; i < MAPS; i++) {
      const seed = SEED + i;
      const random = new Random(~seed);
      const original = randomMap(seed, { limits: 'any', msr: random.chance(0.3) });
      const map = random.chance(0.75) ? withPlainRules(modern(original, random), random) : original;
      const mappers = KERNELS.map((kernel) => new CrushMapper(map, { kernel, workLimit: 1 << 24 }));
      for (let rule = 0; rule < map.rules.length; rule++) {
        for (const size of [random.between(1, 4), random.between(5, 14)]) {
          const reweights = Uint32Array.from({ length: map.maxDevices }, () =>
            random.chance(0.7) ? 0x10000 : random.pick([0, 0x8000, 0xffff, 1]),
          );
          const request: MapRequest = {
            rule,
            size,
            first: random.pick([0, 0x7fffff80, -100, random.word()]),
            count: random.pick([COUNT, 3, 8, 65]),
            reweights: random.chance(0.5) ? undefined : reweights,
            chooseArgs: random.pick([undefined, ...map.chooseArgs.keys()]),
          };
          const [scalar, ...lanes] = mappers.map((mapper) => outcome(mapper, request));
          lanes.forEach((lane, k) => {
            expect(
              lane,
              `${KERNELS[k + 1]} rule ${rule}, CRUSH_FUZZ_SEED=${seed} CRUSH_LANES_MAPS=1`,
            ).toEqual(scalar);
          });
          mappings += request.count;
        }
      }
    }
    console.log(`${mappings} mappings equal over ${MAPS} maps, CRUSH_FUZZ_SEED=${SEED}`);
    expect(mappings).toBeGreaterThan(MAPS * 100);
  });
});

describe('the bounds that the lanes rely on', () => {
  const L = Array.from(lnTable(), (ln) => Number((1n << 48n) - ln));
  const K = 387186468;
  const bent = (above: number): number => above * (1 + (0.52 * above) / 65536);

  it('L >= K f(65534 - u) for every u', () => {
    L.forEach((l, u) => expect(l).toBeGreaterThanOrEqual(K * bent(65534 - u)));
  });

  it('L / K <= f(v) (1 + 0.42 y^2) + 2.2 for v up to 32768', () => {
    for (let u = 32766; u < 65536; u++) {
      const above = 65534 - u;
      const y = above / 65536;
      expect((L[u]! * 1.000004) / K).toBeLessThanOrEqual(bent(above) * (1 + 0.42 * y * y) + 2.2);
    }
  });
});
