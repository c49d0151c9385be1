/**
 * Writes a CRUSH map as text: what `crushtool -d` prints, byte for byte (`CrushCompiler::decompile`).
 */
import { bucketItemWeights } from '../crush/bucket.ts';
import { demandCrushMap } from '../crush/kind.ts';
import { BUCKET_ALGORITHM, HASH_RJENKINS1, LEGACY_TUNABLES, RULE_OP } from '../crush/model.ts';
import type {
  ChooseArg,
  ChooseArgs,
  CrushBucket,
  CrushMap,
  CrushRule,
  CrushRuleStep,
} from '../crush/model.ts';
import { findBucket, isValidName } from '../crush/names.ts';
import { CrushError } from '../errors.ts';
import {
  ALGORITHMS,
  CHOOSE_STEPS,
  MSR_CHOOSE_STEPS,
  MSR_RULE_TYPES,
  MSR_SET_STEPS,
  MSR_TUNABLES,
  RULE_TYPES,
  SET_STEPS,
  TUNABLES,
  wordFor,
} from './crush-text-words.ts';
import { NEWEST_RELEASE, RELEASE, isAtLeast } from './releases.ts';

/** Options of {@link writeCrushText}. */
export interface WriteCrushTextOptions {
  /**
   * The number of the Ceph release whose form is written (16 is Pacific, 19 Squid; default: the newest). Before 17
   * weights have three decimals and rules min_size and max_size; from 19 on MSR rules are written as such.
   */
  readonly release?: number;
}

/** What `crushtool -d` makes of a map: it prints as far as it comes. */
export interface Decompiled {
  readonly text: string;
  /** Why the text ends early, with what crushtool says of it. */
  readonly failure?: DecompileFailure;
}

/** A map that has no text form. */
export interface DecompileFailure {
  readonly error: CrushError;
  /** crushtool's own words; some failures it does not mention. */
  readonly words: string;
}

/**
 * The text of a CRUSH map, as `crushtool -d` writes it: `readCrushText` gives the same map again, weights rounded to
 * five decimals (three before release 17).
 *
 * @throws CrushError `invalid-map` for maps that have no text form: a bucket that contains itself, a class without a
 * name, a rule that takes what has no name, a bucket type below 0.
 * @example
 * ```ts
 * console.log(writeCrushText(map));
 * ```
 */
export function writeCrushText(map: CrushMap, options: WriteCrushTextOptions = {}): string {
  demandCrushMap(map, 'writeCrushText');
  const { text, failure } = decompileCrush(map, options);
  if (failure !== undefined) throw failure.error;
  return text;
}

/** The text of a map as far as crushtool prints it, see {@link writeCrushText}. */
export function decompileCrush(map: CrushMap, options: WriteCrushTextOptions = {}): Decompiled {
  const writer = new TextWriter(map, options.release ?? NEWEST_RELEASE);
  const failure = writer.write();
  return { text: writer.text, ...(failure !== undefined && { failure }) };
}

/** What stands behind a bucket's algorithm. */
const ALGORITHM_NOTES: Readonly<Record<number, (size: number) => string>> = {
  [BUCKET_ALGORITHM.uniform]: (size) => `\t# do not change bucket size (${size}) unnecessarily`,
  [BUCKET_ALGORITHM.list]: () => '\t# add new items at the end; do not change order unnecessarily',
  [BUCKET_ALGORITHM.tree]: () => '\t# do not change pos for existing items unnecessarily',
};

class TextWriter {
  text = '';
  readonly #map: CrushMap;
  /** Whether rules have the mask of before Quincy, and weights three decimals. */
  readonly #isOld: boolean;
  readonly #knowsMsr: boolean;
  #itemIds: ReadonlyMap<string, number> | undefined;

  constructor(map: CrushMap, release: number) {
    this.#map = map;
    this.#isOld = !isAtLeast(release, RELEASE.quincy);
    this.#knowsMsr = isAtLeast(release, RELEASE.squid);
  }

  /** Writes the map; gives what stopped it. */
  write(): DecompileFailure | undefined {
    this.text += '# begin crush map\n';
    this.#writeTunables(this.#knowsMsr ? [...TUNABLES, ...MSR_TUNABLES] : TUNABLES);
    this.#writeDevices();
    const failure = this.#writeTypes() ?? this.#writeBuckets() ?? this.#writeRules();
    if (failure !== undefined) return failure;
    this.#writeChooseArgs();
    this.text += '\n# end crush map\n';
    return undefined;
  }

  #writeTunables(tunables: typeof TUNABLES): void {
    for (const [name, key] of tunables) {
      const value = this.#map.tunables[key];
      if (value === LEGACY_TUNABLES[key]) continue;
      this.text += `tunable ${name} ${key === 'allowedBucketAlgs' ? value : value | 0}\n`;
    }
  }

  #writeDevices(): void {
    const { itemNames, maxDevices } = this.#map;
    this.text += '\n# devices\n';
    for (const [id, name] of inOrder(itemNames)) {
      if (id < 0 || id >= maxDevices) continue;
      const className = this.#classOf(id);
      this.text += `device ${id} ${name}${className === undefined ? '' : ` class ${className}`}\n`;
    }
  }

  #classOf(device: number): string | undefined {
    const number = this.#map.itemClasses.get(device);
    return number === undefined ? undefined : this.#map.classNames.get(number);
  }

  #writeTypes(): DecompileFailure | undefined {
    const types = inOrder(this.#map.typeNames);
    this.text += '\n# types\n';
    const [first] = types;
    if (first === undefined) return undefined;
    if (first[0] < 0) return silently(`bucket type ${first[0]} has a name, but types start at 0`);
    if (first[0] > 0) this.text += 'type 0 osd\n';
    for (const [type, name] of types) this.text += `type ${type} ${name}\n`;
    return undefined;
  }

  /** Buckets in the order of the table, each after those it contains. */
  #writeBuckets(): DecompileFailure | undefined {
    this.text += '\n# buckets\n';
    const done = new Set<number>();
    const open = new Set<number>();
    for (const start of this.#map.buckets) {
      if (start === undefined || done.has(start.id)) continue;
      // Of each bucket that is open, the position of the item to look at next.
      const path: { readonly bucket: CrushBucket; next: number }[] = [{ bucket: start, next: 0 }];
      open.add(start.id);
      for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
        const { bucket } = top;
        const item = bucket.items[top.next++];
        if (item === undefined) {
          const failure = this.#writeBucket(bucket);
          if (failure !== undefined) return failure;
          open.delete(bucket.id);
          done.add(bucket.id);
          path.pop();
          continue;
        }
        if (open.has(item)) return containsItself(bucket.id);
        const below = findBucket(this.#map, item);
        if (below === undefined || done.has(item)) continue;
        open.add(item);
        path.push({ bucket: below, next: 0 });
      }
    }
    return undefined;
  }

  #writeBucket(bucket: CrushBucket): DecompileFailure | undefined {
    const { id, items } = bucket;
    const name = this.#map.itemNames.get(id);
    if (name !== undefined && !isValidName(name)) return undefined; // a shadow bucket
    this.text += `${this.#typeName(bucket.type)} ${this.#itemName(id)} {\n`;
    this.text += `\tid ${id}\t\t# do not change unnecessarily\n`;
    for (const [classId, shadow] of inOrder(this.#map.classBuckets.get(id) ?? new Map<number, number>())) {
      const className = this.#map.classNames.get(classId);
      if (className === undefined) {
        return silently(`bucket ${id} has a shadow of device class ${classId}, which has no name`);
      }
      this.text += `\tid ${shadow} class ${className}\t\t# do not change unnecessarily\n`;
    }
    const note = ALGORITHM_NOTES[bucket.alg]?.(items.length) ?? '';
    const hashName = bucket.hash === HASH_RJENKINS1 ? 'rjenkins1' : 'unknown';
    this.text += `\t# weight ${this.#weight(bucket.weight)}\n`;
    this.text += `\talg ${wordFor<number>(ALGORITHMS, bucket.alg) ?? 'unknown'}${note}\n`;
    this.text += `\thash ${bucket.hash}\t# ${hashName}\n`;
    const weights = bucketItemWeights(bucket);
    const showsPosition = bucket.alg === BUCKET_ALGORITHM.uniform || bucket.alg === BUCKET_ALGORITHM.tree;
    items.forEach((item, position) => {
      const place = showsPosition ? ` pos ${position}` : '';
      this.text += `\titem ${this.#itemName(item)} weight ${this.#weight(weights[position] ?? 0)}${place}\n`;
    });
    this.text += '}\n';
    return undefined;
  }

  #writeRules(): DecompileFailure | undefined {
    this.text += '\n# rules\n';
    for (const [id, rule] of this.#map.rules.entries()) {
      if (rule === undefined) continue;
      this.text += `rule ${this.#map.ruleNames.get(id) ?? ''} {\n\tid ${id}\n`;
      this.#writeMask(id, rule);
      for (const step of rule.steps) {
        const failure = this.#writeStep(id, step);
        if (failure !== undefined) return failure;
      }
      this.text += '}\n';
    }
    return undefined;
  }

  #writeMask(id: number, rule: CrushRule): void {
    if (this.#isOld && rule.ruleset !== id) {
      this.text += `\t# WARNING: ruleset ${rule.ruleset} != id ${id}; this will not recompile to the same map\n`;
    }
    const types = this.#knowsMsr ? [...RULE_TYPES, ...MSR_RULE_TYPES] : RULE_TYPES;
    this.text += `\ttype ${wordFor(types, rule.type) ?? rule.type}\n`;
    if (this.#isOld) this.text += `\tmin_size ${rule.minSize}\n\tmax_size ${rule.maxSize}\n`;
  }

  /** One step; a step that the release does not know is left out. */
  #writeStep(ruleId: number, { op, arg1, arg2 }: CrushRuleStep): DecompileFailure | undefined {
    if (op === RULE_OP.noop) this.text += '\tstep noop\n';
    else if (op === RULE_OP.emit) this.text += '\tstep emit\n';
    else if (op === RULE_OP.take) return this.#writeTake(ruleId, arg1);
    const set = wordFor(this.#knowsMsr ? [...SET_STEPS, ...MSR_SET_STEPS] : SET_STEPS, op);
    if (set !== undefined) this.text += `\tstep ${set} ${arg1}\n`;
    const choose = wordFor(this.#knowsMsr ? [...CHOOSE_STEPS, ...MSR_CHOOSE_STEPS] : CHOOSE_STEPS, op);
    if (choose !== undefined) this.text += `\tstep ${choose} ${arg1} type ${this.#typeName(arg2)}\n`;
    return undefined;
  }

  /** A shadow bucket is written as the bucket it shadows and its class (`CrushWrapper::split_id_class`). */
  #writeTake(ruleId: number, item: number): DecompileFailure | undefined {
    this.text += '\tstep take ';
    const name = this.#map.itemNames.get(item);
    if (name === undefined) return silently(`rule ${ruleId} takes item ${item}, which has no name`);
    const tilde = name.indexOf('~');
    if (tilde === -1) {
      this.text += `${name}\n`;
      return undefined;
    }
    const original = this.#itemId(name.slice(0, tilde));
    const className = name.slice(tilde + 1);
    if (original === undefined || ![...this.#map.classNames.values()].includes(className)) {
      return silently(`rule ${ruleId} takes '${name}', and there is no such bucket or no such class`);
    }
    this.text += `${this.#itemName(original)} class ${className}\n`;
    return undefined;
  }

  #writeChooseArgs(): void {
    if (this.#map.chooseArgs.size === 0) return;
    this.text += '\n# choose_args\n';
    for (const [index, args] of inOrder(this.#map.chooseArgs)) {
      // Ceph prints the index without its sign.
      this.text += `choose_args ${index < 0 ? BigInt.asUintN(64, BigInt(index)) : index} {\n`;
      this.#writeChooseArgSet(args);
      this.text += '}\n';
    }
  }

  #writeChooseArgSet(args: ChooseArgs): void {
    for (const [id, { weightSet = [], ids = [] }] of inOrder<ChooseArg>(args).reverse()) {
      if (weightSet.length === 0 && ids.length === 0) continue;
      this.text += `  {\n    bucket_id ${id}\n`;
      if (weightSet.length > 0) {
        this.text += '    weight_set [\n';
        for (const weights of weightSet) {
          this.text += '      [ ';
          for (const weight of weights) this.text += `${this.#weight(weight)} `;
          this.text += ']\n';
        }
        this.text += '    ]\n';
      }
      if (ids.length > 0) this.text += `    ids [ ${ids.join(' ')} ]\n`;
      this.text += '  }\n';
    }
  }

  #typeName(type: number): string {
    return this.#map.typeNames.get(type) ?? (type === 0 ? 'device' : `type${type}`);
  }

  #itemName(id: number): string {
    return this.#map.itemNames.get(id) ?? (id >= 0 ? `device${id}` : `bucket${-1 - id}`);
  }

  /** Id of the item with a name; of two, the higher. */
  #itemId(name: string): number | undefined {
    this.#itemIds ??= new Map(inOrder(this.#map.itemNames).map(([id, each]) => [each, id]));
    return this.#itemIds.get(name);
  }

  #weight(weight: number): string {
    return formatWeight(weight, this.#isOld ? 3 : 5);
  }
}

/**
 * A 16.16 weight in decimal, as C prints it from a 32-bit float: the weight is signed there, and a tie goes to the
 * even digit.
 */
function formatWeight(weight: number, decimals: number): string {
  const rounded = Math.fround(weight | 0);
  const unit = 10 ** decimals;
  const scaled = Math.abs(rounded) * unit;
  const rest = scaled % 0x10000;
  let units = (scaled - rest) / 0x10000;
  if (rest > 0x8000 || (rest === 0x8000 && units % 2 === 1)) units++;
  const whole = Math.floor(units / unit);
  const fraction = String(units % unit).padStart(decimals, '0');
  return `${rounded < 0 ? '-' : ''}${whole}.${fraction}`;
}

function inOrder<T>(entries: ReadonlyMap<number, T>): [number, T][] {
  return [...entries].sort(([a], [b]) => a - b);
}

/** A failure of which crushtool says nothing. */
function silently(problem: string): DecompileFailure {
  const message = `${problem}; the map has no text form until this is mended`;
  return { error: new CrushError('invalid-map', message), words: '' };
}

function containsItself(id: number): DecompileFailure {
  return {
    error: new CrushError(
      'invalid-map',
      `bucket ${id} contains a bucket that contains it; take it out of one of them, buckets must form a tree`,
    ),
    words:
      `decompile_crush_bucket: error: while trying to output bucket ${id}, we found out that it contains one of ` +
      'the buckets that contain it. This is not allowed. The buckets must form a directed acyclic graph.\n',
  };
}
