/**
 * A working copy of a CRUSH map: the tables of {@link CrushMap} as Maps and arrays that may be changed, with the
 * lookups that edits need. Buckets, rules and choose_args entries themselves are never changed in place, they are
 * replaced; so a draft is cheap to take and to finish, and the map it was taken from stays as it is.
 *
 * Stands for the class `CrushWrapper` (Ceph's src/crush/CrushWrapper.h); the edits are functions in `edit/`.
 */
import { CrushError } from '../errors.ts';
import type { ChooseArg, CrushBucket, CrushMap, CrushRule, CrushTunables } from './model.ts';
import { isValidName } from './names.ts';
import { DEFAULT_TUNABLES } from './tunables.ts';

/** A CRUSH map being edited; the fields are those of {@link CrushMap}. */
export class CrushDraft {
  maxDevices: number;
  tunables: CrushTunables;
  encodedThrough: number;
  readonly buckets: (CrushBucket | undefined)[];
  readonly rules: (CrushRule | undefined)[];
  readonly typeNames: Map<number, string>;
  readonly itemNames: Map<number, string>;
  readonly ruleNames: Map<number, string>;
  readonly classNames: Map<number, string>;
  readonly itemClasses: Map<number, number>;
  readonly classBuckets: Map<number, Map<number, number>>;
  readonly chooseArgs: Map<number, Map<number, ChooseArg>>;

  #ids: NameIds | undefined;
  #shape: { holders?: Map<number, readonly number[]> } = {};

  private constructor(map: CrushMap) {
    this.maxDevices = map.maxDevices;
    this.tunables = map.tunables;
    this.encodedThrough = map.encodedThrough;
    this.buckets = [...map.buckets];
    this.rules = [...map.rules];
    this.typeNames = new Map(map.typeNames);
    this.itemNames = new Map(map.itemNames);
    this.ruleNames = new Map(map.ruleNames);
    this.classNames = new Map(map.classNames);
    this.itemClasses = new Map(map.itemClasses);
    this.classBuckets = new Map([...map.classBuckets].map(([id, shadows]) => [id, new Map(shadows)]));
    this.chooseArgs = new Map([...map.chooseArgs].map(([index, args]) => [index, new Map(args)]));
  }

  /** A draft that starts as the map is. */
  static from(map: CrushMap): CrushDraft {
    return new CrushDraft(map);
  }

  /** A draft without buckets, rules or names. */
  static empty(tunables: CrushTunables = DEFAULT_TUNABLES): CrushDraft {
    return new CrushDraft({
      maxDevices: 0,
      buckets: [],
      rules: [],
      tunables,
      typeNames: new Map(),
      itemNames: new Map(),
      ruleNames: new Map(),
      classNames: new Map(),
      itemClasses: new Map(),
      classBuckets: new Map(),
      chooseArgs: new Map(),
      encodedThrough: 9,
    });
  }

  /**
   * The map as the draft has it now. The draft may be edited on, which does not change the map. Choose_args entries
   * that say nothing are left out, as Ceph's encoder does.
   */
  finish(): CrushMap {
    const copy = new CrushDraft(this);
    const chooseArgs = new Map(
      [...this.chooseArgs].map(([index, args]) => [
        index,
        new Map([...args].filter(([, arg]) => saysSomething(arg))),
      ]),
    );
    return {
      maxDevices: copy.maxDevices,
      buckets: copy.buckets,
      rules: copy.rules,
      tunables: copy.tunables,
      typeNames: copy.typeNames,
      itemNames: copy.itemNames,
      ruleNames: copy.ruleNames,
      classNames: copy.classNames,
      itemClasses: copy.itemClasses,
      classBuckets: copy.classBuckets,
      chooseArgs,
      encodedThrough: copy.encodedThrough,
    };
  }

  /**
   * Counts the devices anew: one more than the highest that a bucket holds or that has a name
   * (`CrushWrapper::finalize`, which Ceph runs on every map it reads and before it writes one).
   */
  finalize(): void {
    let highest = -1;
    for (const bucket of this.buckets)
      for (const item of bucket?.items ?? []) highest = Math.max(highest, item);
    for (const id of this.itemNames.keys()) highest = Math.max(highest, id);
    this.maxDevices = highest + 1;
  }

  /** The bucket with an id, or undefined. */
  bucket(id: number): CrushBucket | undefined {
    return id < 0 ? this.buckets[-1 - id] : undefined;
  }

  /**
   * The bucket with an id.
   *
   * @throws CrushError `invalid-map` where something refers to a bucket that is not there.
   */
  bucketAt(id: number): CrushBucket {
    const bucket = this.bucket(id);
    if (bucket !== undefined) return bucket;
    throw new CrushError(
      'invalid-map',
      `there is no bucket ${id}, but something refers to it; remove the reference or add the bucket`,
      {},
      'ENOENT',
    );
  }

  /** Puts a bucket in the place its id names, which must be in the table; whatever was there goes. */
  setBucket(bucket: CrushBucket): void {
    const index = -1 - bucket.id;
    if (this.buckets[index]?.items !== bucket.items) this.#shape = {};
    this.buckets[index] = bucket;
  }

  /** Empties a place of the bucket table. */
  deleteBucket(id: number): void {
    this.buckets[-1 - id] = undefined;
    this.#shape = {};
  }

  /** Lengthens the bucket table. */
  growBuckets(length: number): void {
    while (this.buckets.length < length) this.buckets.push(undefined);
  }

  /** The same object for as long as the draft has the same buckets and each of them holds the same items. */
  get shape(): object {
    return this.#shape;
  }

  /** Places in the bucket table, ascending, of the buckets that hold an item. */
  holdersOf(item: number): readonly number[] {
    if (this.#shape.holders === undefined) {
      const holders = new Map<number, number[]>();
      this.buckets.forEach((bucket, index) => {
        for (const each of bucket?.items ?? []) {
          const known = holders.get(each);
          if (known === undefined) holders.set(each, [index]);
          else if (known.at(-1) !== index) known.push(index);
        }
      });
      this.#shape.holders = holders;
    }
    return this.#shape.holders.get(item) ?? [];
  }

  /** Id of the device or bucket with a name, or undefined. Of two with the name, the one with the higher id. */
  itemId(name: string): number | undefined {
    return this.#nameIds().items.get(name);
  }

  /** Number of the type with a name, or undefined. */
  typeId(name: string): number | undefined {
    return this.#nameIds().types.get(name);
  }

  /** Number of the rule with a name, or undefined. */
  ruleId(name: string): number | undefined {
    return this.#nameIds().rules.get(name);
  }

  /** Number of the device class with a name, or undefined. */
  classId(name: string): number | undefined {
    for (const [id, each] of this.classNames) if (each === name) return id;
    return undefined;
  }

  /**
   * Names a device or bucket. Nothing happens where the name is not made of letters, digits, `-`, `_` and `.`; and,
   * as in Ceph, a former name is still found until {@link forgetNames} (`CrushWrapper::set_item_name`).
   *
   * @returns Whether the name was valid.
   */
  setItemName(id: number, name: string): boolean {
    if (!isValidName(name)) return false;
    this.setAnyItemName(id, name);
    return true;
  }

  /** Names a device or bucket with a name that may be one no user can give, such as a shadow bucket's. */
  setAnyItemName(id: number, name: string): void {
    this.itemNames.set(id, name);
    this.#ids?.items.set(name, id);
  }

  /** Names a type. */
  setTypeName(type: number, name: string): void {
    this.typeNames.set(type, name);
    this.#ids?.types.set(name, type);
  }

  /** Names a rule. */
  setRuleName(id: number, name: string): void {
    this.ruleNames.set(id, name);
    this.#ids?.rules.set(name, id);
  }

  /** Lets {@link itemId}, {@link typeId} and {@link ruleId} look at the tables of names afresh. */
  forgetNames(): void {
    this.#ids = undefined;
  }

  /** Whether the item is a shadow bucket: it has a name that no user can give (`CrushWrapper::is_shadow_item`). */
  isShadow(id: number): boolean {
    const name = this.itemNames.get(id);
    return name !== undefined && !isValidName(name);
  }

  #nameIds(): NameIds {
    this.#ids ??= {
      items: reversed(this.itemNames),
      types: reversed(this.typeNames),
      rules: reversed(this.ruleNames),
    };
    return this.#ids;
  }
}

/** The keys of a table in the order in which C++ keeps them. */
export function ascending(keys: Iterable<number>): number[] {
  return [...keys].sort((a, b) => a - b);
}

interface NameIds {
  readonly items: Map<string, number>;
  readonly types: Map<string, number>;
  readonly rules: Map<string, number>;
}

function reversed(names: ReadonlyMap<number, string>): Map<string, number> {
  return new Map(ascending(names.keys()).map((id) => [names.get(id) ?? '', id]));
}

function saysSomething({ weightSet, ids }: ChooseArg): boolean {
  return (weightSet?.length ?? 0) > 0 || (ids?.length ?? 0) > 0;
}
