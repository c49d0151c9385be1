/**
 * Random CRUSH maps for property tests and for the fuzz against crushtool: the same seed and options give the
 * same map. Hierarchies are one to four levels deep, uneven, at times with devices beside buckets, empty
 * buckets, several roots and shared subtrees; all bucket algorithms, odd weights and odd tunables occur.
 */
import { BUCKET_ALGORITHM } from '../src/crush/model.ts';
import type { ChooseArg, ChooseArgs, CrushBucket, CrushMap, CrushTunables } from '../src/crush/model.ts';
import { LEGACY_TUNABLES } from '../src/crush/model.ts';
import { makeBucket } from './make-bucket.ts';
import { Random } from './random.ts';
import { randomRules } from './random-rule.ts';

/** What a random map may hold. */
export interface RandomMapOptions {
  /**
   * `text`: what crushtool 16 compiles and maps without harm. `binary`: what it maps when it reads it encoded.
   * `any`: what the kernel takes, beyond what crushtool survives (rules that give buckets, too low a maxDevices).
   */
  readonly limits: 'text' | 'binary' | 'any';
  /** Add MSR rules, on a regular hierarchy without empty buckets. */
  readonly msr?: boolean;
}

/** Numbers and names of the types in use; the levels of a map are some of them, in this order. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [0, 'osd'],
  [1, 'host'],
  [2, 'chassis'],
  [3, 'rack'],
  [7, 'room'],
  [10, 'root'],
]);

const ALGORITHMS = Object.values(BUCKET_ALGORITHM);

/**
 * Algorithms whose shadow buckets crushtool makes well: it fails to shadow a uniform bucket, and the inner nodes
 * of a shadowed tree bucket hold what was in memory before.
 */
const SHADOWED_ALGORITHMS = [BUCKET_ALGORITHM.list, BUCKET_ALGORITHM.straw, BUCKET_ALGORITHM.straw2];

/** A random map. */
export function randomMap(seed: number, options: RandomMapOptions): CrushMap {
  return new MapMaker(new Random(seed), options).make();
}

/** A bucket while the hierarchy is being built. */
interface Draft {
  id: number;
  readonly type: number;
  readonly items: number[];
}

class MapMaker {
  readonly #random: Random;
  readonly #options: RandomMapOptions;
  readonly #buckets = new Map<number, CrushBucket>();
  readonly #itemNames = new Map<number, string>();
  readonly #classBuckets = new Map<number, Map<number, number>>();
  readonly #weigh: (item: number) => number;
  #freeIds: number[] = [];
  #algorithms: readonly number[] = ALGORITHMS;

  constructor(random: Random, options: RandomMapOptions) {
    this.#random = random;
    this.#options = options;
    this.#weigh = this.#weighing();
  }

  make(): CrushMap {
    const random = this.#random;
    const devices = this.#devices();
    for (const device of devices) this.#itemNames.set(device, `osd.${device}`);
    // Ids in random order with gaps; shadow buckets take from the same store.
    this.#freeIds = random.shuffled(Array.from({ length: 400 }, (_, i) => -1 - i).slice(0, 160));
    const levels = this.#levels();
    const hasClasses = this.#options.limits === 'text' && random.chance(0.4);
    if (hasClasses) this.#algorithms = SHADOWED_ALGORITHMS;
    this.#hierarchy(devices, levels);

    const itemClasses = new Map<number, number>();
    const classNames = new Map<number, string>();
    if (hasClasses) {
      classNames.set(0, 'hdd').set(1, 'ssd');
      for (const device of devices) if (random.chance(0.8)) itemClasses.set(device, random.below(2));
      this.#shadows(itemClasses, classNames);
    }

    const lowest = Math.min(-1, ...this.#buckets.keys());
    const buckets = Array.from({ length: -lowest }, (_, i) => this.#buckets.get(-1 - i));
    const tunables = this.#tunables();
    const highest = Math.max(...devices);
    const rules = randomRules(random, { buckets, devices, levels, tunables, ...this.#options });
    const map: CrushMap = {
      maxDevices:
        this.#options.limits === 'any' && random.chance(0.1) ? Math.max(1, highest - 2) : highest + 1,
      buckets,
      rules,
      tunables,
      typeNames: TYPES,
      itemNames: this.#itemNames,
      ruleNames: new Map(rules.flatMap((rule, id) => (rule === undefined ? [] : [[id, `rule-${id}`]]))),
      classNames,
      itemClasses,
      classBuckets: this.#classBuckets,
      chooseArgs: this.#chooseArgs(),
      encodedThrough: 9,
    };
    return map;
  }

  #devices(): number[] {
    const random = this.#random;
    const count = random.chance(0.2) ? random.between(1, 4) : random.between(3, 48);
    const gap = random.chance(0.3) ? 0.3 : 0;
    const devices: number[] = [];
    for (let id = 0; devices.length < count; id++) if (!random.chance(gap)) devices.push(id);
    return devices;
  }

  #levels(): number[] {
    const random = this.#random;
    const types = [...TYPES.keys()].slice(1);
    const count = random.between(1, 4);
    while (types.length > count) types.splice(random.below(types.length), 1);
    return types;
  }

  #hierarchy(devices: readonly number[], levels: readonly number[]): void {
    const random = this.#random;
    const regular = this.#options.msr === true;
    let below = random.shuffled(devices);
    levels.forEach((type, level) => {
      const isTop = level === levels.length - 1;
      const most = Math.max(1, Math.ceil(below.length / 2));
      const count = isTop ? random.between(1, 2) : random.between(1, Math.min(10, most));
      const drafts: Draft[] = Array.from({ length: count }, () => ({ id: this.#newId(), type, items: [] }));
      const skipped: number[] = [];
      below.forEach((item, i) => {
        // Some items hang one level higher than their like.
        if (!regular && !isTop && level > 0 && random.chance(0.05)) skipped.push(item);
        else (i < count ? drafts[i]! : random.pick(drafts)).items.push(item);
      });
      for (const draft of drafts) {
        if (regular) continue;
        if (random.chance(0.05))
          draft.items.push(...[random.pick(below)].filter((x) => !draft.items.includes(x)));
        if (random.chance(0.03)) skipped.push(...draft.items.splice(0));
      }
      // A second root may share subtrees with the first.
      if (isTop && count > 1 && random.chance(0.5)) {
        drafts[1]!.items.push(
          ...drafts[0]!.items.filter((x) => random.chance(0.5) && !drafts[1]!.items.includes(x)),
        );
      }
      const filled = regular ? drafts.filter((draft) => draft.items.length > 0) : drafts;
      for (const draft of filled) this.#addBucket(draft, `${TYPES.get(type)!}${draft.id}`);
      below = [...filled.map((draft) => draft.id), ...skipped];
    });
  }

  #newId(): number {
    return this.#freeIds.pop()!;
  }

  #addBucket(draft: Draft, name: string): void {
    const random = this.#random;
    let algorithm = random.chance(0.4) ? BUCKET_ALGORITHM.straw2 : random.pick(this.#algorithms);
    let weights = draft.items.map((item) => (item < 0 ? this.#weightOfBucket(item) : this.#weigh(item)));
    if (algorithm === BUCKET_ALGORITHM.uniform) weights.fill(Math.min(...weights));
    weights = fitted(weights);
    // A tree without weight leads Ceph beyond the bucket's items; its compiler aborts on a uniform bucket without.
    const needsWeight = algorithm === BUCKET_ALGORITHM.tree || algorithm === BUCKET_ALGORITHM.uniform;
    if (needsWeight && weights.includes(0)) algorithm = BUCKET_ALGORITHM.list;
    const bucket = makeBucket(draft.id, draft.type, algorithm, draft.items, weights, random);
    this.#buckets.set(draft.id, bucket);
    this.#itemNames.set(draft.id, name);
  }

  #weightOfBucket(id: number): number {
    const random = this.#random;
    if (random.chance(0.1)) return random.pick([0, 1, 0x10000, 0x8000_0000 - 1, 0x8000_0000, random.word()]);
    return this.#buckets.get(id)!.weight;
  }

  /** How the devices of this map are weighed; crushtool's compiler takes up to 100.0 for a device. */
  #weighing(): (item: number) => number {
    const random = this.#random;
    const most = this.#options.limits === 'text' ? 100 * 0x10000 : 0xffff_ffff;
    const any = (): number => random.below(most) >>> 0;
    const usual = (): number => random.between(0x8000, 20 * 0x10000);
    const same = random.pick([0x10000, 0x10000, 1, 0x1234, most]);
    return random.pick([
      () => same,
      usual,
      usual,
      () => random.between(1, 5),
      () => (random.chance(0.2) ? 0 : usual()),
      () => random.pick([0, 1, 0x10000, most, any(), usual()]),
      () => 0,
    ]);
  }

  #tunables(): CrushTunables {
    const random = this.#random;
    const modern: CrushTunables = {
      ...LEGACY_TUNABLES,
      chooseLocalTries: 0,
      chooseLocalFallbackTries: 0,
      chooseTotalTries: 50,
      chooseleafDescendOnce: 1,
      chooseleafVaryR: random.below(2),
      chooseleafStable: random.below(2),
      strawCalcVersion: random.below(2),
    };
    const odd: CrushTunables = {
      ...modern,
      chooseLocalTries: random.pick([0, 1, 2, 5, 19]),
      chooseLocalFallbackTries: random.pick([0, 1, 2, 5, 19]),
      chooseTotalTries: random.pick([0, 1, 2, 5, 19]),
      chooseleafDescendOnce: random.pick([0, 1, 2]),
      chooseleafVaryR: random.pick([0, 1, 2, 3, 4, 33]),
      chooseleafStable: random.pick([0, 1, 2]),
    };
    const tunables = random.pick([LEGACY_TUNABLES, modern, modern, odd]);
    if (this.#options.msr !== true) return tunables;
    // The defaults, 100 and 100, let a rule that cannot be fulfilled take long.
    return {
      ...tunables,
      msrDescents: random.pick([1, 2, 5, 20, 100]),
      msrCollisionTries: random.pick([1, 2, 5, 20]),
    };
  }

  /** Shadow buckets for every class, as Ceph keeps them: the same tree with only that class's devices. */
  #shadows(itemClasses: ReadonlyMap<number, number>, classNames: ReadonlyMap<number, string>): void {
    for (const id of [...this.#buckets.keys()]) this.#classBuckets.set(id, new Map());
    for (const id of [...this.#classBuckets.keys()]) {
      for (const classId of classNames.keys()) this.#shadow(id, classId, itemClasses, classNames);
    }
  }

  #shadow(
    id: number,
    classId: number,
    itemClasses: ReadonlyMap<number, number>,
    classNames: ReadonlyMap<number, string>,
  ): number {
    const known = this.#classBuckets.get(id)!.get(classId);
    if (known !== undefined) return known;
    const bucket = this.#buckets.get(id)!;
    const items: number[] = [];
    const weights: number[] = [];
    bucket.items.forEach((item) => {
      if (item >= 0 && itemClasses.get(item) !== classId) return;
      const shadow = item < 0 ? this.#shadow(item, classId, itemClasses, classNames) : item;
      items.push(shadow);
      weights.push(item < 0 ? this.#buckets.get(shadow)!.weight : 0x10000);
    });
    const shadowId = this.#newId();
    const shadow = makeBucket(shadowId, bucket.type, BUCKET_ALGORITHM.straw2, items, weights, this.#random);
    this.#buckets.set(shadowId, shadow);
    this.#classBuckets.get(id)!.set(classId, shadowId);
    this.#itemNames.set(shadowId, `${this.#itemNames.get(id)!}~${classNames.get(classId)!}`);
    return shadowId;
  }

  /** Sets for crushtool to find (0, or -1 where a binary can hold it) and others that it must not use. */
  #chooseArgs(): Map<number, ChooseArgs> {
    const random = this.#random;
    const sets = new Map<number, ChooseArgs>();
    if (!random.chance(0.4)) return sets;
    const indices = this.#options.limits === 'text' ? [0, 0, 0, 3] : [0, -1, -1, 5];
    for (let i = random.between(1, 2); i > 0; i--) {
      const args = new Map<number, ChooseArg>();
      for (const bucket of this.#buckets.values()) {
        const isShadow = this.#itemNames.get(bucket.id)!.includes('~');
        if (bucket.items.length === 0 || isShadow || random.chance(0.3)) continue;
        const arg = this.#chooseArg(bucket);
        if (arg.weightSet !== undefined || arg.ids !== undefined) args.set(bucket.id, arg);
      }
      sets.set(random.pick(indices), args);
    }
    return sets;
  }

  #chooseArg(bucket: CrushBucket): ChooseArg {
    const random = this.#random;
    const weight = (): number =>
      random.chance(0.1) ? random.pick([0, 1, random.word()]) : random.between(1, 30 * 0x10000);
    const weightSet = Array.from({ length: random.between(1, 4) }, () =>
      Uint32Array.from(bucket.items, () => weight()),
    );
    const ids = bucket.items.map((item) => (random.chance(0.5) ? item : random.between(-300, 300)));
    return {
      ...(random.chance(0.8) ? { weightSet } : {}),
      ...(random.chance(0.4) ? { ids } : {}),
    };
  }
}

/**
 * Weights scaled down until their sum stays in 32 bits, as Ceph demands of every bucket, also after its compiler
 * has rounded each to a 32-bit float.
 */
function fitted(weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum <= 0xfffe_0000) return [...weights];
  const scale = sum / 0xfffd_0000;
  return weights.map((weight) => Math.ceil(weight / scale));
}
