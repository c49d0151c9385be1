/**
 * CRUSH maps between two CRUSH maps: the hierarchy of one with weights, classes, weight-sets and rules of the other.
 */
import { bucketItemWeights, makeBucket } from '../../crush/bucket.ts';
import { CrushDraft } from '../../crush/draft.ts';
import { makeShadowTrees } from '../../crush/edit/classes.ts';
import {
  RULE_OP,
  type ChooseArg,
  type CrushBucket,
  type CrushMap,
  type CrushRule,
} from '../../crush/model.ts';
import { isShadow } from '../../crush/names.ts';

/** What an intermediate hierarchy is made of. */
export interface StageParts {
  /** Whose buckets stand there, in whose order of items. */
  readonly shape: 'before' | 'after';
  /** Which devices are left in. */
  readonly keeps: (device: number) => boolean;
  /** Whose weights devices have that stand in both maps. */
  readonly weights: 'before' | 'after';
  /** Whose bucket algorithms are used. */
  readonly algorithms: 'before' | 'after';
}

/** One of the two maps, with what is looked up in it. */
class Side {
  readonly map: CrushMap;
  /** Buckets without the shadows of device classes, by id. */
  readonly buckets = new Map<number, CrushBucket>();
  /** 16.16 weight of each item in each bucket that holds it. */
  readonly #weights = new Map<number, Map<number, number>>();
  /** 16.16 weight of each device, in the first bucket that holds it. */
  readonly deviceWeights = new Map<number, number>();
  readonly shadows = new Map<number, { readonly original: number; readonly className: string }>();

  constructor(map: CrushMap) {
    this.map = map;
    for (const [original, byClass] of map.classBuckets) {
      for (const [classId, id] of byClass) {
        this.shadows.set(id, { original, className: map.classNames.get(classId) ?? '' });
      }
    }
    for (const bucket of map.buckets) {
      if (bucket === undefined) continue;
      const weights = bucketItemWeights(bucket);
      this.#weights.set(bucket.id, new Map(Array.from(bucket.items, (item, i) => [item, weights[i] ?? 0])));
      if (this.shadows.has(bucket.id) || isShadow(map, bucket.id)) continue;
      this.buckets.set(bucket.id, bucket);
      bucket.items.forEach((item, i) => {
        if (item >= 0 && !this.deviceWeights.has(item)) this.deviceWeights.set(item, weights[i] ?? 0);
      });
    }
  }

  weightIn(bucket: number, item: number): number | undefined {
    return this.#weights.get(bucket)?.get(item);
  }
}

/** Makes maps between two. */
export class CrushStages {
  readonly #before: Side;
  readonly #after: Side;

  constructor(before: CrushMap, after: CrushMap) {
    this.#before = new Side(before);
    this.#after = new Side(after);
  }

  /** Whether a device stands in the map before, or after. */
  holds(side: 'before' | 'after', device: number): boolean {
    return (side === 'before' ? this.#before : this.#after).deviceWeights.has(device);
  }

  /**
   * A map with the classes, the weight-sets, the rules and the tunables of the map before, and another hierarchy.
   *
   * @throws CrushError where such a hierarchy cannot be built
   */
  hierarchy(parts: StageParts): CrushMap {
    const { map } = this.#before;
    const buckets = this.#build(parts);
    const side = parts.shape === 'before' ? this.#before : this.#after;
    if (sameBuckets(buckets, this.#before.buckets)) return map;
    const draft = CrushDraft.from(map);
    for (const bucket of map.buckets) if (bucket !== undefined) draft.deleteBucket(bucket.id);
    draft.growBuckets(Math.max(map.buckets.length, side.map.buckets.length));
    for (const bucket of buckets.values()) draft.setBucket(bucket);
    for (const id of [...draft.itemNames.keys()]) if (id < 0) draft.itemNames.delete(id);
    for (const id of buckets.keys()) draft.setAnyItemName(id, side.map.itemNames.get(id) ?? `bucket${-id}`);
    draft.forgetNames();
    draft.maxDevices = Math.max(map.maxDevices, side.map.maxDevices);
    for (const [type, name] of side.map.typeNames) draft.typeNames.set(type, name);
    this.#classNewDevices(draft, parts.keeps);
    const former = this.#formerShadows(draft, buckets);
    for (const id of [...draft.itemClasses.keys()]) if (id < 0) draft.itemClasses.delete(id);
    draft.classBuckets.clear();
    draft.chooseArgs.clear();
    makeShadowTrees(draft, former);
    this.#mixChooseArgs(draft);
    draft.rules.splice(0, Infinity, ...retargeted(map.rules, this.#before, draft));
    return draft.finish();
  }

  /** The hierarchy and classes of the map after; rules, tunables and what weight-sets say of the one before. */
  classes(): CrushMap {
    const after = this.#after.map;
    const before = this.#before.map;
    const draft = CrushDraft.from(after);
    draft.chooseArgs.clear();
    this.#mixChooseArgs(draft);
    draft.tunables = before.tunables;
    draft.rules.splice(0, Infinity, ...retargeted(before.rules, this.#before, draft));
    return draft.finish();
  }

  #build({ shape, keeps, weights, algorithms }: StageParts): Map<number, CrushBucket> {
    const before = this.#before;
    const after = this.#after;
    const [own, other] = shape === 'before' ? [before, after] : [after, before];
    const version = before.map.tunables.strawCalcVersion;
    const [first, second] = weights === 'before' ? [before, after] : [after, before];
    const built = new Map<number, CrushBucket>();
    const weightOf = (bucket: number, item: number): number => {
      if (item >= 0) {
        return (
          first.weightIn(bucket, item) ??
          first.deviceWeights.get(item) ??
          second.weightIn(bucket, item) ??
          second.deviceWeights.get(item) ??
          0
        );
      }
      const child = build(item);
      // What a bucket weighs in its holder may differ from the sum of what it holds: keep it where nothing changed.
      for (const side of [first, second]) {
        const stored = side.weightIn(bucket, item);
        if (stored !== undefined && side.buckets.get(item) === child) return stored;
      }
      return child?.weight ?? 0;
    };
    const build = (id: number): CrushBucket | undefined => {
      const known = built.get(id);
      if (known !== undefined) return known;
      const model = own.buckets.get(id);
      if (model === undefined) return undefined;
      const items = [...model.items].filter((item) => item < 0 || keeps(item));
      const itemWeights = items.map((item) => weightOf(id, item));
      const alg = (algorithms === 'before' ? before : after).buckets.get(id)?.alg ?? model.alg;
      const parts = { id, alg, hash: model.hash, type: model.type, items, weights: itemWeights };
      const bucket =
        [first.buckets.get(id), second.buckets.get(id), other.buckets.get(id)].find(
          (each) => each !== undefined && isMadeOf(each, parts),
        ) ?? makeBucket(parts, version);
      built.set(id, bucket);
      return bucket;
    };
    for (const id of own.buckets.keys()) build(id);
    return built;
  }

  /** Devices that only the map after has get the class that they have there. */
  #classNewDevices(draft: CrushDraft, keeps: (device: number) => boolean): void {
    const { map } = this.#after;
    for (const device of this.#after.deviceWeights.keys()) {
      if (this.#before.deviceWeights.has(device) || !keeps(device)) continue;
      const className = map.classNames.get(map.itemClasses.get(device) ?? -1);
      if (className === undefined) continue;
      let classId = draft.classId(className);
      if (classId === undefined) {
        classId = Math.max(-1, ...draft.classNames.keys()) + 1;
        draft.classNames.set(classId, className);
      }
      draft.itemClasses.set(device, classId);
    }
  }

  /** Ids of shadow buckets, those of the map before if they are free. */
  #formerShadows(
    draft: CrushDraft,
    buckets: ReadonlyMap<number, CrushBucket>,
  ): Map<number, Map<number, number>> {
    const former = new Map<number, Map<number, number>>();
    const taken = new Set(buckets.keys());
    for (const side of [this.#before, this.#after]) {
      for (const [shadow, { original, className }] of side.shadows) {
        const classId = draft.classId(className);
        if (classId === undefined || taken.has(shadow) || !buckets.has(original)) continue;
        const byClass = former.get(original) ?? new Map<number, number>();
        if (byClass.has(classId)) continue;
        former.set(original, byClass.set(classId, shadow));
        taken.add(shadow);
      }
    }
    return former;
  }

  /**
   * The sets of the map before, fitted to the buckets of the draft. Where an item's CRUSH weight is no more that of
   * the map before, its weight in the sets went with it: to that of the map after, or part of the way.
   */
  #mixChooseArgs(draft: CrushDraft): void {
    for (const [index, args] of this.#before.map.chooseArgs) {
      const afterArgs = this.#after.map.chooseArgs.get(index);
      const mixed = new Map<number, ChooseArg>();
      for (const bucket of draft.buckets) {
        if (bucket?.alg !== 5) continue;
        const arg = this.#mixArg(bucket, args.get(bucket.id), afterArgs?.get(bucket.id));
        if (arg !== undefined) mixed.set(bucket.id, arg);
      }
      draft.chooseArgs.set(index, mixed);
    }
  }

  #mixArg(
    bucket: CrushBucket,
    before: ChooseArg | undefined,
    after: ChooseArg | undefined,
  ): ChooseArg | undefined {
    const model = before ?? (this.#before.map.buckets[-1 - bucket.id] === undefined ? after : undefined);
    if (model === undefined) return undefined;
    const own = bucketItemWeights(bucket);
    const beforeItems = this.#before.map.buckets[-1 - bucket.id]?.items;
    const afterItems = this.#after.map.buckets[-1 - bucket.id]?.items;
    const sets = model.weightSet?.map((_, position) =>
      Uint32Array.from(bucket.items, (item, i) => {
        const weight = own[i] ?? 0;
        const oldWeight = this.#before.weightIn(bucket.id, item);
        const old = valueAt(before?.weightSet, position, beforeItems, item);
        const now = valueAt(after?.weightSet, position, afterItems, item);
        if (old !== undefined && weight === oldWeight) return old;
        if (now !== undefined && weight === this.#after.weightIn(bucket.id, item)) return now;
        if (old === undefined || oldWeight === undefined || oldWeight === 0) return weight;
        return Math.min(0xffff_ffff, Math.round((weight / oldWeight) * old));
      }),
    );
    const ids =
      model.ids === undefined
        ? undefined
        : Int32Array.from(
            bucket.items,
            (item) => idAt(before?.ids, beforeItems, item) ?? idAt(after?.ids, afterItems, item) ?? item,
          );
    return { ...(sets && { weightSet: sets }), ...(ids && { ids }) };
  }
}

/** Rules whose takes of shadow buckets name those of the draft. */
function retargeted(rules: CrushMap['rules'], side: Side, draft: CrushDraft): (CrushRule | undefined)[] {
  return rules.map((rule) => {
    if (rule === undefined) return undefined;
    const steps = rule.steps.map((step) => {
      const shadow = step.op === RULE_OP.take ? side.shadows.get(step.arg1) : undefined;
      if (shadow === undefined) return step;
      const classId = draft.classId(shadow.className) ?? -1;
      return { ...step, arg1: draft.classBuckets.get(shadow.original)?.get(classId) ?? step.arg1 };
    });
    return { ...rule, steps };
  });
}

function valueAt(
  sets: readonly Uint32Array[] | undefined,
  position: number,
  items: Int32Array | undefined,
  item: number,
): number | undefined {
  const at = items?.indexOf(item) ?? -1;
  return at < 0 ? undefined : sets?.[Math.min(position, sets.length - 1)]?.[at];
}

function idAt(ids: Int32Array | undefined, items: Int32Array | undefined, item: number): number | undefined {
  const at = items?.indexOf(item) ?? -1;
  return at < 0 ? undefined : ids?.[at];
}

interface MadeOf {
  readonly alg: number;
  readonly hash: number;
  readonly type: number;
  readonly items: readonly number[];
  readonly weights: readonly number[];
}

function isMadeOf(bucket: CrushBucket, { alg, hash, type, items, weights }: MadeOf): boolean {
  if (bucket.alg !== alg || bucket.hash !== hash || bucket.type !== type) return false;
  if (bucket.items.length !== items.length) return false;
  const own = bucketItemWeights(bucket);
  return items.every((item, i) => bucket.items[i] === item && own[i] === weights[i]);
}

function sameBuckets(a: ReadonlyMap<number, CrushBucket>, b: ReadonlyMap<number, CrushBucket>): boolean {
  return a.size === b.size && [...a].every(([id, bucket]) => b.get(id) === bucket);
}
