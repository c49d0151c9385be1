/**
 * Makes a map of the constructs of a text, in the order and with the refusals of Ceph's compiler
 * (src/crush/CrushCompiler.cc).
 */
import { addBucket } from '../crush/edit/bucket-table.ts';
import { getOrCreateClass, makeShadowTrees } from '../crush/edit/classes.ts';
import { checkEditable } from '../crush/edit/lookup.ts';
import { CrushDraft } from '../crush/draft.ts';
import { MAX_RULES } from '../crush/limits.ts';
import {
  BUCKET_ALGORITHM,
  LEGACY_TUNABLES,
  RULE_OP,
  WEIGHT_ONE,
  type ChooseArg,
  type CrushMap,
  type CrushRuleStep,
} from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import { lineAndColumn } from './crush-text-lines.ts';
import { intOf, weightOf } from './crush-text-numbers.ts';
import { inBuildOrder } from './crush-text-order.ts';
import type {
  BucketNode,
  ChooseArgNode,
  ChooseArgsNode,
  Construct,
  DeviceNode,
  Grammar,
  RuleNode,
  StepNode,
  TunableNode,
  TypeNode,
  Word,
} from './crush-text-syntax.ts';
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
  meaningOf,
} from './crush-text-words.ts';
import { MAX_DEVICE_ID } from './crushmap-binary.ts';

/** Hears what crushtool would say while it compiles. */
export interface CompileListener {
  /** How much it says: 0 for errors and warnings only, up to 4. */
  readonly verbose: number;
  /** Gets crushtool's own words, with their line ends. */
  readonly say: (words: string) => void;
  /** A 16.16 weight as crushtool's messages have it. */
  readonly formatWeight: (weight: number) => string;
}

/** Heaviest device that may be written, 16.16 (`CRUSH_MAX_DEVICE_WEIGHT`). */
const MAX_DEVICE_WEIGHT = 100 * WEIGHT_ONE;

/** Heaviest bucket that may be written, 16.16 (`CRUSH_MAX_BUCKET_WEIGHT`). */
const MAX_BUCKET_WEIGHT = 65535 * WEIGHT_ONE;

/** Rules of a map that takes no more (`CRUSH_MAX_RULES`). */
const FULL_RULES = 256;

/** Tunables that have 8 bits. */
const BYTE_TUNABLES: ReadonlySet<string> = new Set([
  'chooseleafVaryR',
  'chooseleafStable',
  'strawCalcVersion',
]);

/**
 * Makes the map.
 *
 * @param text - What was parsed, for the places of errors.
 * @throws CrushError `malformed` or `unsupported`, with line and column; the listener has heard crushtool's words.
 */
export function compileConstructs(
  constructs: readonly Construct[],
  text: string,
  grammar: Grammar,
  listener: CompileListener,
): CrushMap {
  return new Compiler(text, grammar, listener).compile(constructs);
}

class Compiler {
  readonly #text: string;
  readonly #grammar: Grammar;
  readonly #listener: CompileListener;
  readonly #draft = CrushDraft.empty(LEGACY_TUNABLES);
  readonly #itemIds = new Map<string, number>();
  readonly #typeIds = new Map<string, number>();
  readonly #ruleNames = new Set<string>();
  /** Ids of buckets, also of those yet to come and of shadows; none of these is given to a bucket without an id. */
  readonly #usedIds = new Set<number>();
  readonly #bucketWeights = new Map<number, number>();
  /** Ids that shadow buckets are to have, by bucket and class. */
  readonly #shadowIds = new Map<number, Map<number, number>>();
  #nextFreeId = -1;
  #hasRule = false;

  constructor(text: string, grammar: Grammar, listener: CompileListener) {
    this.#text = text;
    this.#grammar = grammar;
    this.#listener = listener;
  }

  compile(constructs: readonly Construct[]): CrushMap {
    const ordered = inBuildOrder(constructs, (first, second) =>
      this.#refuse(
        second.name,
        `buckets '${first.name.text}' and '${second.name.text}' contain each other; take one out of the other`,
        `bucket  '${first.name.text}' and bucket '${second.name.text}' are included each other\n`,
      ),
    );
    for (const construct of ordered) {
      if (construct.kind !== 'bucket') continue;
      for (const { id } of construct.ids) this.#usedIds.add(intOf(id.text));
    }
    for (const construct of ordered) this.#add(construct);
    this.#draft.finalize();
    return this.#draft.finish();
  }

  #add(construct: Construct): void {
    switch (construct.kind) {
      case 'tunable':
        return this.#addTunable(construct);
      case 'device':
        return this.#addDevice(construct);
      case 'type':
        return this.#addType(construct);
      case 'bucket':
        return this.#addBucket(construct);
      case 'rule':
        return this.#addRule(construct);
      case 'choose_args':
        return this.#addChooseArgs(construct);
    }
  }

  #addTunable({ name, value }: TunableNode): void {
    const known = this.#grammar.knowsMsr ? [...TUNABLES, ...MSR_TUNABLES] : TUNABLES;
    const key = meaningOf(known, name.text);
    if (key === undefined) {
      const names = known.map(([each]) => each).join(', ');
      return this.#refuse(
        name,
        `there is no tunable '${name.text}'; there are ${names}`,
        `tunable ${name.text} not recognized\n`,
      );
    }
    const number = intOf(value.text);
    const stored = BYTE_TUNABLES.has(key) ? number & 0xff : number >>> 0;
    this.#draft.tunables = { ...this.#draft.tunables, [key]: stored };
    this.#tell(`tunable ${name.text} ${number}\n`);
  }

  #addDevice({ id: idWord, name, className }: DeviceNode): void {
    const id = intOf(idWord.text);
    if (id < 0 || id > MAX_DEVICE_ID) {
      return this.#refuse(idWord, `device id ${idWord.text} is above the limit of ${MAX_DEVICE_ID}`);
    }
    this.#draft.setItemName(id, name.text);
    if (this.#itemIds.has(name.text)) {
      return this.#refuse(
        name,
        `there is a device '${name.text}' already; give each its own name`,
        `item ${name.text} defined twice\n`,
      );
    }
    this.#itemIds.set(name.text, id);
    if (className !== undefined) {
      this.#draft.itemClasses.set(id, getOrCreateClass(this.#draft, className.text));
    }
    this.#tell(`device ${id} '${name.text}'${className === undefined ? '' : ` class '${className.text}'`}\n`);
  }

  #addType({ id: idWord, name }: TypeNode): void {
    const id = intOf(idWord.text);
    if (id < 0)
      return this.#refuse(idWord, `type ${idWord.text} is beyond 31 bits; types have small numbers`);
    this.#tell(`type ${id} '${name.text}'\n`);
    this.#typeIds.set(name.text, id);
    this.#draft.setTypeName(id, name.text);
  }

  #addBucket(node: BucketNode): void {
    const { name } = node;
    if (this.#hasRule) {
      return this.#refuse(
        node.type,
        `bucket '${name.text}' stands after a rule; put all buckets before the rules`,
        'buckets must be defined before rules\n',
      );
    }
    const type = this.#typeIds.get(node.type.text);
    if (type === undefined) {
      return this.#refuse(
        node.type,
        `there is no bucket type '${node.type.text}'; define it above (type 1 ${node.type.text})`,
        `bucket type '${node.type.text}' is not defined\n`,
      );
    }
    if (this.#itemIds.has(name.text)) {
      return this.#refuse(
        name,
        `there is a bucket or device '${name.text}' already; give each its own name`,
        `bucket or device '${name.text}' is already defined\n`,
      );
    }
    const { givenId, shadowIds } = this.#readIds(node);
    const alg = meaningOf<number>(ALGORITHMS, node.algorithm.text);
    if (alg === undefined) {
      return this.#refuse(
        node.algorithm,
        `there is no bucket algorithm '${node.algorithm.text}'; use straw2, straw, tree, list or uniform`,
        `unknown bucket alg '${node.algorithm.text}'\n\n`,
      );
    }
    const hash = node.hashes.reduce((_, word) => (word.text === 'rjenkins1' ? 0 : intOf(word.text)), 0);
    const { items, weights, total } = this.#readItems(node, alg);
    const id = givenId === 0 ? this.#freeId() : givenId;
    if (shadowIds.size > 0) {
      this.#shadowIds.set(id, new Map([...(this.#shadowIds.get(id) ?? []), ...shadowIds]));
    }
    const weight = this.#listener.formatWeight(total);
    this.#tell(`bucket ${name.text} (${id}) ${items.length} items and weight ${weight}\n`);
    this.#usedIds.add(id);
    this.#itemIds.set(name.text, id);
    this.#bucketWeights.set(id, total);
    this.#build(name, () =>
      addBucket(this.#draft, { id, alg, hash: hash & 0xff, type: type & 0xffff, items, weights }),
    );
    this.#draft.setItemName(id, name.text);
  }

  /** The bucket's own id, 0 for none, and those of its shadows by class. */
  #readIds({ name, ids }: BucketNode): { givenId: number; shadowIds: Map<number, number> } {
    let givenId = 0;
    const shadowIds = new Map<number, number>();
    for (const { id: word, className } of ids) {
      const id = intOf(word.text);
      if (id > 0) return this.#refuse(word, `bucket id ${word.text} is beyond 31 bits`);
      if (className === undefined) {
        this.#tell(`bucket ${name.text} id ${id}\n`);
        givenId = id;
        continue;
      }
      const classId = getOrCreateClass(this.#draft, className.text);
      if (shadowIds.has(classId)) {
        return this.#refuse(
          className,
          `bucket '${name.text}' has two ids for class '${className.text}'; remove one`,
          `${this.#listener.verbose > 0 ? `bucket ${name.text} id ${id}` : ''}` +
            `duplicate device class ${className.text} for bucket ${name.text}\n`,
        );
      }
      shadowIds.set(classId, id);
      this.#tell(`bucket ${name.text} id ${id} class '${className.text}'\n`);
    }
    return { givenId, shadowIds };
  }

  /** Items and weights by position: those without `pos` take the first free one. */
  #readItems(
    { name: bucket, items: nodes }: BucketNode,
    alg: number,
  ): { items: Int32Array; weights: Uint32Array; total: number } {
    const taken = new Set<number>();
    for (const { name, position } of nodes) {
      if (position === undefined) continue;
      const pos = intOf(position.text);
      if (taken.has(pos)) {
        return this.#refuse(
          position,
          `item '${name.text}' of bucket '${bucket.text}' has pos ${pos}, and so has another`,
          `item '${name.text}' in bucket '${bucket.text}' has explicit pos ${pos}, which is occupied\n`,
        );
      }
      taken.add(pos);
    }
    // Ceph takes the highest pos for a size; where it is one, an item is at or beyond the end.
    let size = nodes.length;
    for (const pos of taken) size = Math.max(size, pos);
    const items = new Int32Array(nodes.length);
    const weights = new Uint32Array(nodes.length);
    let nextFree = 0;
    let total = 0;
    let uniformWeight: number | undefined;
    for (const node of nodes) {
      const { name, position } = node;
      const id = this.#itemIds.get(name.text);
      if (id === undefined) {
        return this.#refuse(
          name,
          `there is no device or bucket '${name.text}' for bucket '${bucket.text}'; define it above`,
          `item '${name.text}' in bucket '${bucket.text}' is not defined\n`,
        );
      }
      const weight = this.#itemWeight(id, node.weight);
      if (alg === BUCKET_ALGORITHM.uniform) {
        uniformWeight ??= weight;
        if (weight !== uniformWeight) {
          return this.#refuse(
            node.weight ?? name,
            `item '${name.text}' weighs other than those before it in uniform bucket '${bucket.text}'; ` +
              'give all the same weight, or use straw2',
            `item '${name.text}' in uniform bucket '${bucket.text}' has weight ${weight} but previous item(s) have ` +
              `weight ${this.#listener.formatWeight(uniformWeight)}; uniform bucket items must all have identical ` +
              'weights.\n',
          );
        }
      }
      let pos = position === undefined ? -1 : intOf(position.text);
      if (pos >= size) {
        return this.#refuse(
          position ?? name,
          `item '${name.text}' has pos ${pos}, bucket '${bucket.text}' has positions 0 to ${nodes.length - 1}`,
          `item '${name.text}' in bucket '${bucket.text}' has pos ${pos} >= size ${size}\n`,
        );
      }
      if (pos < 0) {
        while (taken.has(nextFree)) nextFree++;
        pos = nextFree++;
      }
      items[pos] = id;
      weights[pos] = weight;
      total += weight;
      if (total > 0xffff_ffff) {
        return this.#refuse(
          node.weight ?? name,
          `the items of bucket '${bucket.text}' together weigh 65536.0 or more; lower their weights`,
          'oh no! our bucket weights are overflowing all over the place, better lower the item weights\n',
        );
      }
    }
    return { items, weights, total };
  }

  /** 16.16 weight of an item: as written, else a bucket's own, else 1.0. */
  #itemWeight(id: number, word: Word | undefined): number {
    if (word === undefined) return this.#bucketWeights.get(id) ?? WEIGHT_ONE;
    const weight = weightOf(word.text);
    if (id >= 0 && weight > MAX_DEVICE_WEIGHT) {
      return this.#refuse(
        word,
        `a device may weigh at most 100, this one weighs ${word.text}`,
        'device weight limited to 100\n',
      );
    }
    if (id < 0 && weight > MAX_BUCKET_WEIGHT) {
      return this.#refuse(
        word,
        `a bucket may weigh at most 65535, this one weighs ${word.text}`,
        'bucket weight limited to 65535 to prevent overflow\n',
      );
    }
    return weight;
  }

  #freeId(): number {
    while (this.#usedIds.has(this.#nextFreeId)) this.#nextFreeId--;
    return this.#nextFreeId;
  }

  #addRule(node: RuleNode): void {
    if (!this.#hasRule) this.#makeShadowTrees(node);
    this.#hasRule = true;
    const name = node.name?.text ?? '';
    if (name !== '' && this.#ruleNames.has(name)) {
      return this.#refuse(
        node.name ?? node.id,
        `there is a rule '${name}' already; give each its own name`,
        `rule name '${name}' already defined\n\n`,
      );
    }
    const id = intOf(node.id.text);
    if (!this.#grammar.needsSizes) {
      for (const [word, size] of [
        ['min_size', node.minSize],
        ['max_size', node.maxSize],
      ] as const) {
        if (size !== undefined) {
          this.#listener.say(`WARNING: ${word} is no longer supported, ignoring\n`);
        }
      }
    }
    const { rules } = this.#draft;
    if (rules[id] !== undefined) {
      return this.#refuse(
        node.id,
        `there is a rule ${id} already; give each its own id`,
        `rule ${id} already exists\n`,
      );
    }
    if (id < 0 || (id >= rules.length && rules.length >= FULL_RULES)) {
      return this.#refuse(
        node.id,
        `there is no room for rule ${node.id.text}; use an id below ${FULL_RULES}`,
        `unable to add rule id ${id} for rule '${name}'\n`,
      );
    }
    if (id >= MAX_RULES) return this.#refuse(node.id, `rule id ${id} is above the limit of ${MAX_RULES - 1}`);
    if (name !== '') {
      this.#draft.setRuleName(id, name);
      this.#ruleNames.add(name);
    }
    while (rules.length <= id) rules.push(undefined);
    const sizeOf = (word: Word | undefined, otherwise: number): number =>
      this.#grammar.needsSizes && word !== undefined ? intOf(word.text) & 0xff : otherwise;
    rules[id] = {
      id,
      type: meaningOf([...RULE_TYPES, ...MSR_RULE_TYPES], node.type.text) ?? 0,
      ruleset: id & 0xff,
      minSize: sizeOf(node.minSize, 1),
      maxSize: sizeOf(node.maxSize, 100),
      steps: node.steps.map((step) => this.#readStep(name, step)),
    };
  }

  /** Before the first rule, for rules to take; where Ceph fails to make a tree, it goes on without. */
  #makeShadowTrees(node: RuleNode): void {
    if (this.#draft.classNames.size === 0) return;
    this.#build(node.name ?? node.id, () => {
      checkEditable(this.#draft);
      try {
        makeShadowTrees(this.#draft, this.#shadowIds);
      } catch (error) {
        if (!(error instanceof CrushError) || error.errno === undefined || error.errno === 'ENOMEM')
          throw error;
      }
    });
  }

  #readStep(rule: string, step: StepNode): CrushRuleStep {
    switch (step.kind) {
      case 'emit':
        return { op: RULE_OP.emit, arg1: 0, arg2: 0 };
      case 'take':
        return { op: RULE_OP.take, arg1: this.#takenItem(rule, step.item, step.className), arg2: 0 };
      case 'set': {
        const op = meaningOf([...SET_STEPS, ...MSR_SET_STEPS], step.name) ?? RULE_OP.noop;
        return { op, arg1: intOf(step.value.text), arg2: 0 };
      }
      case 'choose': {
        const op = meaningOf([...CHOOSE_STEPS, ...MSR_CHOOSE_STEPS], step.name) ?? RULE_OP.noop;
        const type = this.#typeIds.get(step.type.text);
        if (type === undefined) {
          return this.#refuse(
            step.type,
            `there is no bucket type '${step.type.text}'; use one of ${[...this.#typeIds.keys()].join(', ')}`,
            `in rule '${rule}' type '${step.type.text}' not defined\n`,
          );
        }
        return { op, arg1: intOf(step.count.text), arg2: type };
      }
    }
  }

  #takenItem(rule: string, item: Word, className: Word | undefined): number {
    const id = this.#itemIds.get(item.text);
    if (id === undefined) {
      return this.#refuse(
        item,
        `there is no device or bucket '${item.text}' for rule '${rule}' to take`,
        `in rule '${rule}' item '${item.text}' not defined\n`,
      );
    }
    if (className === undefined) {
      this.#tell(`rule ${rule} take ${item.text}\n`);
      return id;
    }
    const classId = this.#draft.classId(className.text);
    if (classId === undefined) {
      return this.#refuse(
        className,
        `no device has the class '${className.text}'; give it to a device, or take '${item.text}' without class`,
      );
    }
    const shadows = this.#draft.classBuckets.get(id);
    if (shadows === undefined) {
      return this.#refuse(
        item,
        `'${item.text}' has no shadow trees, so rule '${rule}' cannot take a class of it`,
        `in rule '${rule}' step take ${item.text} has no class information\n`,
      );
    }
    const shadow = shadows.get(classId);
    if (shadow === undefined) {
      return this.#refuse(
        className,
        `'${item.text}' has no shadow tree for class '${className.text}'`,
        `in rule '${rule}' step take ${item.text} no matching bucket for class ${className.text}\n`,
      );
    }
    this.#tell(`rule ${rule} take ${item.text} remapped to ${this.#draft.itemNames.get(shadow) ?? ''}\n`);
    return shadow;
  }

  #addChooseArgs({ index: word, args }: ChooseArgsNode): void {
    const index = intOf(word.text);
    if (this.#draft.chooseArgs.has(index)) {
      return this.#refuse(
        word,
        `there are choose_args ${index} already; merge them`,
        `${index} duplicated\n`,
      );
    }
    const entries = new Map<number, ChooseArg>();
    for (const arg of args) this.#addChooseArg(entries, arg);
    this.#draft.chooseArgs.set(index, entries);
  }

  #addChooseArg(entries: Map<number, ChooseArg>, { bucketId, weightSet, ids }: ChooseArgNode): void {
    const id = intOf(bucketId.text);
    if (id >= 0 || -1 - id >= this.#draft.buckets.length) {
      return this.#refuse(bucketId, `there is no bucket ${id}`, `${id} is out of range\n`);
    }
    const bucket = this.#draft.bucket(id);
    if (bucket === undefined) {
      return this.#refuse(bucketId, `there is no bucket ${id}`, `${id} does not exist\n`);
    }
    const size = bucket.items.length;
    const demand = (words: readonly Word[], what: string): void => {
      if (words.length === size) return;
      this.#refuse(
        words[0] ?? bucketId,
        `bucket ${id} has ${size} items, and there are ${words.length} ${what}`,
        `${id} needs exactly ${size} ${what} but got ${words.length}\n`,
      );
    };
    for (const weights of weightSet ?? []) demand(weights, 'weights');
    if (ids !== undefined) demand(ids, 'ids');
    entries.set(id, {
      ...entries.get(id),
      ...(weightSet && {
        weightSet: weightSet.map((weights) => Uint32Array.from(weights, (word) => weightOf(word.text))),
      }),
      ...(ids && { ids: Int32Array.from(ids, (word) => intOf(word.text)) }),
    });
  }

  /** Does what may fail for reasons that are not in one word of the text. */
  #build(word: Word, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof CrushError)) throw error;
      if (error.errno === 'EEXIST') {
        const id = this.#itemIds.get(word.text) ?? 0;
        this.#refuse(
          word,
          `there is a bucket ${id} already; give each its own id`,
          `Duplicate bucket id ${id}\n`,
        );
      }
      throw new CrushError('malformed', error.message, lineAndColumn(this.#text, word.at));
    }
  }

  #tell(words: string): void {
    if (this.#listener.verbose > 0) this.#listener.say(words);
  }

  /** Refuses the text: `words` are crushtool's, '' where it says nothing or comes to no end. */
  #refuse(word: Word, message: string, words = ''): never {
    if (words !== '') this.#listener.say(words);
    throw new CrushError('malformed', message, lineAndColumn(this.#text, word.at));
  }
}
