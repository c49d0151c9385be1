/** What differs between two CRUSH maps. */
import { bucketItemWeights } from '../../crush/bucket.ts';
import {
  BUCKET_ALGORITHM,
  type ChooseArg,
  type CrushBucket,
  type CrushMap,
  type CrushRule,
  WEIGHT_ONE,
} from '../../crush/model.ts';
import { isShadow } from '../../crush/names.ts';
import { ruleStepText, ruleTypeName } from '../../crush/rule-text.ts';
import { type DifferenceList, fieldName, plainText, type Subject } from './list.ts';

/** Adds what differs between two CRUSH maps, shadow trees of device classes left out: they follow from the rest. */
export function addCrushDifferences(list: DifferenceList, before: CrushMap, after: CrushMap): void {
  if (before === after) return;
  addTypes(list, before, after);
  const sides = [new CrushSide(before), new CrushSide(after)] as const;
  addBuckets(list, ...sides);
  addDevices(list, ...sides);
  addRules(list, before, after);
  for (const name of Object.keys(after.tunables) as (keyof CrushMap['tunables'])[]) {
    const subject = { kind: 'tunable', subject: fieldName(name) } as const;
    list.add(subject, 'value', plainText(before.tunables[name]), plainText(after.tunables[name]));
  }
  addWeightSets(list, before, after);
}

/** One map, with what is looked up in it. */
class CrushSide {
  readonly map: CrushMap;
  /** Buckets but shadows, by name; those without a name by id. */
  readonly buckets = new Map<string, CrushBucket>();
  /** Names of the buckets that hold each item. */
  readonly #parents = new Map<number, string[]>();
  /** 16.16 weight of each item in the first bucket that holds it. */
  readonly #weights = new Map<number, number>();
  readonly devices = new Set<number>();

  constructor(map: CrushMap) {
    this.map = map;
    for (const id of map.itemNames.keys()) if (id >= 0) this.devices.add(id);
    for (const bucket of map.buckets) {
      if (bucket === undefined || isShadow(map, bucket.id)) continue;
      const name = this.name(bucket.id);
      this.buckets.set(name, bucket);
      const weights = bucketItemWeights(bucket);
      bucket.items.forEach((item, i) => {
        if (item >= 0) this.devices.add(item);
        const parents = this.#parents.get(item);
        if (parents === undefined) this.#parents.set(item, [name]);
        else if (!parents.includes(name)) parents.push(name);
        if (!this.#weights.has(item)) this.#weights.set(item, weights[i] ?? 0);
      });
    }
  }

  name(id: number): string {
    return this.map.itemNames.get(id) ?? (id >= 0 ? `osd.${id}` : `bucket ${id}`);
  }

  typeOf({ type }: CrushBucket): string {
    return this.map.typeNames.get(type) ?? `type ${type}`;
  }

  /** The buckets that hold an item. */
  parents(id: number): string {
    return this.#parents.get(id)?.join(', ') ?? 'none';
  }

  weight(id: number): string | undefined {
    const weight = this.#weights.get(id);
    return weight === undefined ? undefined : exactWeight(weight);
  }

  className(id: number): string {
    const number = this.map.itemClasses.get(id);
    return number === undefined ? 'none' : (this.map.classNames.get(number) ?? `class ${number}`);
  }
}

function addTypes(list: DifferenceList, before: CrushMap, after: CrushMap): void {
  const numbers = new Set([...before.typeNames.keys(), ...after.typeNames.keys()]);
  for (const type of [...numbers].sort((a, b) => a - b)) {
    const subject = { kind: 'hierarchy', subject: `bucket type ${type}` } as const;
    list.add(subject, 'name', before.typeNames.get(type), after.typeNames.get(type));
  }
}

function addBuckets(list: DifferenceList, before: CrushSide, after: CrushSide): void {
  const pairs: [CrushBucket | undefined, CrushBucket | undefined][] = [];
  const taken = new Set<string>();
  for (const [name, bucket] of before.buckets) {
    let partner = name;
    if (!after.buckets.has(name)) {
      // Another name at the same id, which no bucket had before: renamed.
      const renamed = after.map.itemNames.get(bucket.id);
      const isRenamed = renamed !== undefined && after.buckets.has(renamed) && !before.buckets.has(renamed);
      partner = isRenamed ? renamed : '';
    }
    const other = after.buckets.get(partner);
    if (other !== undefined) taken.add(partner);
    pairs.push([bucket, other]);
  }
  for (const [name, bucket] of after.buckets) if (!taken.has(name)) pairs.push([undefined, bucket]);
  for (const [old, now] of pairs) addBucket(list, before, after, old, now);
}

function addBucket(
  list: DifferenceList,
  before: CrushSide,
  after: CrushSide,
  old: CrushBucket | undefined,
  now: CrushBucket | undefined,
): void {
  const [side, bucket] = now === undefined ? [before, old] : [after, now];
  if (bucket === undefined) return;
  const subject: Subject = {
    kind: 'hierarchy',
    subject: `${side.typeOf(bucket)} ${side.name(bucket.id)}`,
    item: bucket.id,
  };
  if (old === undefined || now === undefined) {
    const place = `in ${side.parents(bucket.id)}`;
    list.add(subject, 'bucket', old && place, now && place);
    return;
  }
  list.add(subject, 'name', before.name(old.id), after.name(now.id));
  list.add(subject, 'id', String(old.id), String(now.id));
  list.add(subject, 'type', before.typeOf(old), after.typeOf(now));
  list.add(subject, 'parent', before.parents(old.id), after.parents(now.id));
  list.add(subject, 'alg', algorithmName(old), algorithmName(now));
  list.add(subject, 'hash', String(old.hash), String(now.hash));
  list.add({ ...subject, kind: 'weight' }, 'weight', exactWeight(old.weight), exactWeight(now.weight));
  list.add({ ...subject, kind: 'device-class' }, 'class', before.className(old.id), after.className(now.id));
}

function addDevices(list: DifferenceList, before: CrushSide, after: CrushSide): void {
  const devices = new Set([...before.devices, ...after.devices]);
  for (const id of [...devices].sort((a, b) => a - b)) {
    const hadIt = before.devices.has(id);
    const hasIt = after.devices.has(id);
    const subject = { subject: (hasIt ? after : before).name(id), item: id } as const;
    const place = { kind: 'hierarchy', ...subject } as const;
    if (!hadIt || !hasIt) {
      list.add(
        place,
        'device',
        hadIt ? `in ${before.parents(id)}` : undefined,
        hasIt ? `in ${after.parents(id)}` : undefined,
      );
      continue;
    }
    list.add(place, 'name', before.name(id), after.name(id));
    list.add(place, 'parent', before.parents(id), after.parents(id));
    list.add({ kind: 'weight', ...subject }, 'weight', before.weight(id), after.weight(id));
    list.add({ kind: 'device-class', ...subject }, 'class', before.className(id), after.className(id));
  }
}

function addRules(list: DifferenceList, before: CrushMap, after: CrushMap): void {
  const count = Math.max(before.rules.length, after.rules.length);
  for (let id = 0; id < count; id++) {
    const old = before.rules[id];
    const now = after.rules[id];
    const name = after.ruleNames.get(id) ?? before.ruleNames.get(id);
    const subject = {
      kind: 'rule',
      subject: name === undefined ? `rule ${id}` : `rule ${id} (${name})`,
    } as const;
    if (old === undefined || now === undefined) {
      list.add(subject, 'rule', old && ruleText(before, old), now && ruleText(after, now));
      continue;
    }
    list.add(subject, 'name', before.ruleNames.get(id), after.ruleNames.get(id));
    list.add(subject, 'steps', stepsText(before, old), stepsText(after, now));
    list.add(subject, 'type', ruleTypeName(old), ruleTypeName(now));
    list.add(subject, 'min_size', String(old.minSize), String(now.minSize));
    list.add(subject, 'max_size', String(old.maxSize), String(now.maxSize));
  }
}

function addWeightSets(list: DifferenceList, before: CrushMap, after: CrushMap): void {
  const indexes = new Set([...before.chooseArgs.keys(), ...after.chooseArgs.keys()]);
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const whose = index === -1 ? 'of all pools' : `of pool ${index}`;
    const subject = { kind: 'weight-set', subject: `choose_args ${index} (${whose})` } as const;
    const old = before.chooseArgs.get(index);
    const now = after.chooseArgs.get(index);
    if (old === undefined || now === undefined) {
      const text = (set: typeof old): string | undefined => set && `${set.size} buckets`;
      list.add(subject, 'set', text(old), text(now));
      continue;
    }
    const ids = new Set([...old.keys(), ...now.keys()]);
    for (const id of [...ids].sort((a, b) => b - a)) {
      const name = after.itemNames.get(id) ?? before.itemNames.get(id) ?? `bucket ${id}`;
      list.add({ ...subject, item: id }, name, setText(old.get(id)), setText(now.get(id)));
    }
  }
}

/** A 16.16 weight with so many decimals that no two have the same text. */
function exactWeight(weight: number): string {
  return (weight / WEIGHT_ONE).toFixed(5);
}

function setText(arg: ChooseArg | undefined): string | undefined {
  if (arg === undefined) return undefined;
  const positions = (arg.weightSet ?? []).map((weights) => `[${Array.from(weights, exactWeight).join(' ')}]`);
  const ids = arg.ids === undefined ? [] : [`ids [${arg.ids.join(' ')}]`];
  return [...positions, ...ids].join(' ');
}

function ruleText(map: CrushMap, rule: CrushRule): string {
  return `${ruleTypeName(rule)}: ${stepsText(map, rule)}`;
}

function stepsText(map: CrushMap, { steps }: CrushRule): string {
  return steps.map((step) => ruleStepText(map, step)).join('; ');
}

function algorithmName({ alg }: CrushBucket): string {
  return Object.entries(BUCKET_ALGORITHM).find(([, number]) => number === alg)?.[0] ?? String(alg);
}
