/**
 * Reads a CRUSH map from JSON: `ceph osd crush dump`, `crushtool --dump`, and the `crushmap` part of
 * `ceph report`. All three are `CrushWrapper::dump`, which leaves things out: class numbers (given anew here),
 * and what the builder derives from item weights (computed again, see `crush/straws.ts`).
 */
import * as v from 'valibot';
import {
  BUCKET_ALGORITHM,
  HASH_RJENKINS1,
  LEGACY_TUNABLES,
  RULE_OP,
  type CrushBucket,
  type CrushMap,
  type CrushRule,
  type CrushRuleStep,
  type CrushTunables,
} from '../crush/model.ts';
import { MAX_BUCKETS } from '../crush/limits.ts';
import { MAX_TREE_ITEMS, listSums, strawLengths, treeNodeWeights } from '../crush/straws.ts';
import { CrushError } from '../errors.ts';
import { readChooseArgsJson } from './choose-args-json.ts';
import { MAX_DEVICE_ID } from './crushmap-binary.ts';
import { byte, checkShape, demandParsed, int32, jsonPath, word } from './json-input.ts';

/** Lowest bucket id that is read: the bucket table has an entry for every id down to the lowest. */
const MIN_BUCKET_ID = -MAX_BUCKETS;

/** Ceph has no rule above (`CRUSH_MAX_RULES`). */
const MAX_RULE_ID = 255;

const itemId = v.pipe(int32, v.minValue(MIN_BUCKET_ID));
const bucketId = v.pipe(itemId, v.maxValue(-1));

const stepShape = v.object({
  op: v.optional(v.string()),
  opcode: v.optional(word),
  arg1: v.optional(int32),
  arg2: v.optional(int32),
  item: v.optional(int32),
  num: v.optional(int32),
  type: v.optional(v.string()),
});

const bucketShape = v.object({
  id: bucketId,
  name: v.optional(v.string()),
  type_id: v.pipe(int32, v.minValue(0), v.maxValue(0xffff)),
  weight: word,
  alg: v.string(),
  hash: v.string(),
  items: v.array(v.object({ id: itemId, weight: word, pos: int32 })),
});

const ruleShape = v.object({
  rule_id: v.pipe(int32, v.minValue(0), v.maxValue(MAX_RULE_ID)),
  rule_name: v.optional(v.string()),
  ruleset: v.optional(byte),
  type: byte,
  min_size: v.optional(byte, 1),
  max_size: v.optional(byte, 100),
  steps: v.array(stepShape),
});

const dumpShape = v.object({
  devices: v.array(
    v.object({ id: v.pipe(int32, v.minValue(0)), name: v.string(), class: v.optional(v.string()) }),
  ),
  types: v.array(v.object({ type_id: int32, name: v.string() })),
  buckets: v.array(bucketShape),
  rules: v.array(ruleShape),
  tunables: v.object({
    choose_local_tries: word,
    choose_local_fallback_tries: word,
    choose_total_tries: word,
    chooseleaf_descend_once: word,
    chooseleaf_vary_r: v.optional(byte, LEGACY_TUNABLES.chooseleafVaryR),
    chooseleaf_stable: v.optional(byte, LEGACY_TUNABLES.chooseleafStable),
    msr_descents: v.optional(word, LEGACY_TUNABLES.msrDescents),
    msr_collision_tries: v.optional(word, LEGACY_TUNABLES.msrCollisionTries),
    straw_calc_version: v.optional(byte, LEGACY_TUNABLES.strawCalcVersion),
    allowed_bucket_algs: v.optional(word, LEGACY_TUNABLES.allowedBucketAlgs),
  }),
  choose_args: v.optional(v.record(v.string(), v.unknown()), {}),
});

type Dump = v.InferOutput<typeof dumpShape>;
type BucketDump = v.InferOutput<typeof bucketShape>;
type StepDump = v.InferOutput<typeof stepShape>;

/** Options of {@link readCrushDump}. */
export interface ReadCrushDumpOptions {
  /** What errors call the dump (default `crush dump`). */
  readonly what?: string;
  /**
   * Called with a sentence for each thing that the dump leaves open and that was filled in the one likely way:
   * straw lengths that depend on when a straw bucket was last edited, inner nodes of tree buckets, rounded
   * weights. The binary map (`ceph osd getcrushmap`) leaves nothing open.
   */
  readonly onNote?: (note: string) => void;
}

/**
 * Reads a parsed JSON dump of a CRUSH map.
 *
 * @throws CrushError `malformed` or `unsupported`, with the path in the JSON; `bad-argument` for JSON that is not
 * parsed.
 * @example
 * ```ts
 * const map = readCrushDump(JSON.parse(await readFile('crush-dump.json', 'utf8')));
 * ```
 */
export function readCrushDump(json: unknown, options: ReadCrushDumpOptions = {}): CrushMap {
  demandParsed(json, 'readCrushDump');
  const { what = 'crush dump', onNote = ignoreNote } = options;
  const dump = checkShape(dumpShape, json, what);
  const tunables = readTunables(dump);
  const buckets = readBuckets(dump, what, onNote);
  return {
    maxDevices: readMaxDevices(dump, what),
    buckets,
    rules: readRules(dump, what),
    tunables,
    typeNames: new Map(dump.types.map((type) => [type.type_id, type.name])),
    itemNames: readItemNames(dump),
    ruleNames: new Map(
      dump.rules.flatMap(({ rule_id, rule_name }) => (rule_name === undefined ? [] : [[rule_id, rule_name]])),
    ),
    ...readClasses(dump),
    chooseArgs: readChooseArgsJson(dump.choose_args, buckets, jsonPath(what, 'choose_args'), onNote),
    encodedThrough: 9,
  };
}

function ignoreNote(): void {
  // Who gives no listener takes the likely values as they are.
}

function readTunables({ tunables }: Dump): CrushTunables {
  return {
    chooseLocalTries: tunables.choose_local_tries,
    chooseLocalFallbackTries: tunables.choose_local_fallback_tries,
    chooseTotalTries: tunables.choose_total_tries,
    chooseleafDescendOnce: tunables.chooseleaf_descend_once,
    chooseleafVaryR: tunables.chooseleaf_vary_r,
    chooseleafStable: tunables.chooseleaf_stable,
    msrDescents: tunables.msr_descents,
    msrCollisionTries: tunables.msr_collision_tries,
    strawCalcVersion: tunables.straw_calc_version,
    allowedBucketAlgs: tunables.allowed_bucket_algs,
  };
}

function readBuckets(dump: Dump, what: string, onNote: (note: string) => void): (CrushBucket | undefined)[] {
  const lowest = dump.buckets.reduce((id, bucket) => Math.min(id, bucket.id), 0);
  const buckets = new Array<CrushBucket | undefined>(tableLength(-lowest)).fill(undefined);
  dump.buckets.forEach((bucket, index) => {
    const path = jsonPath(what, 'buckets', index);
    if (buckets[-1 - bucket.id] !== undefined) {
      throw new CrushError('malformed', `bucket ${bucket.id} is listed twice`, { path });
    }
    buckets[-1 - bucket.id] = readBucket(bucket, dump.tunables.straw_calc_version, path, onNote);
  });
  return buckets;
}

/** Length of a table with room for `count` buckets: Ceph makes it 8, and doubles it (`crush_add_bucket`). */
function tableLength(count: number): number {
  let length = count === 0 ? 0 : 8;
  while (length < count) length *= 2;
  return length;
}

function readBucket(
  dump: BucketDump,
  strawCalcVersion: number,
  path: string,
  onNote: (note: string) => void,
): CrushBucket {
  if (dump.hash !== 'rjenkins1') {
    throw new CrushError('unsupported', `unknown hash '${dump.hash}'`, { path: `${path}.hash` });
  }
  dump.items.forEach((item, position) => {
    if (item.pos === position) return;
    throw new CrushError('malformed', `item ${item.id} is at ${position}, its pos is ${item.pos}`, {
      path: jsonPath(path, 'items', position, 'pos'),
    });
  });
  const { id, weight } = dump;
  const items = Int32Array.from(dump.items, (item) => item.id);
  const itemWeights = Uint32Array.from(dump.items, (item) => item.weight);
  const base = { id, type: dump.type_id, hash: HASH_RJENKINS1, weight, items };
  const title = `${dump.alg} bucket ${dump.name ?? id}`;
  switch (dump.alg) {
    case 'uniform': {
      const itemWeight = itemWeights[0] ?? 0;
      if (itemWeights.some((other) => other !== itemWeight)) {
        throw new CrushError('malformed', `${title} has items of different weights`, { path });
      }
      return { ...base, alg: BUCKET_ALGORITHM.uniform, itemWeight };
    }
    case 'list':
      return { ...base, alg: BUCKET_ALGORITHM.list, itemWeights, sumWeights: listSums(itemWeights) };
    case 'tree':
      if (items.length > MAX_TREE_ITEMS) {
        throw new CrushError('unsupported', `${title} has more than ${MAX_TREE_ITEMS} items`, { path });
      }
      onNote(`${title}: inner nodes are not in the JSON; taken as the sums of the items' weights`);
      return { ...base, alg: BUCKET_ALGORITHM.tree, nodeWeights: treeNodeWeights(itemWeights) };
    case 'straw': {
      const straws = strawLengths(itemWeights, strawCalcVersion);
      const others = strawLengths(itemWeights, strawCalcVersion === 0 ? 1 : 0);
      if (straws.some((length, item) => length !== others[item])) {
        onNote(
          `${title}: straw lengths are not in the JSON; computed for straw_calc_version ${strawCalcVersion}, ` +
            `which is wrong if the bucket was last edited under another`,
        );
      }
      return { ...base, alg: BUCKET_ALGORITHM.straw, itemWeights, straws };
    }
    case 'straw2':
      return { ...base, alg: BUCKET_ALGORITHM.straw2, itemWeights };
    default:
      throw new CrushError('unsupported', `bucket ${id} has the unknown algorithm '${dump.alg}'`, {
        path: `${path}.alg`,
      });
  }
}

/** The list of devices goes up to the highest id, with gaps filled; items count too (`crush_finalize`). */
function readMaxDevices(dump: Dump, what: string): number {
  let highest = -1;
  const see = (id: number, ...keys: readonly unknown[]): void => {
    if (id > MAX_DEVICE_ID) {
      throw new CrushError('unsupported', `device id ${id} is above the limit of ${MAX_DEVICE_ID}`, {
        path: jsonPath(what, ...keys),
      });
    }
    highest = Math.max(highest, id);
  };
  dump.devices.forEach((device, index) => see(device.id, 'devices', index, 'id'));
  dump.buckets.forEach((bucket, b) =>
    bucket.items.forEach((item, i) => see(item.id, 'buckets', b, 'items', i, 'id')),
  );
  return highest + 1;
}

/** Names of devices and buckets. The dump calls a gap `device<id>`: one without class and bucket is no device. */
function readItemNames(dump: Dump): Map<number, string> {
  const placed = new Set(dump.buckets.flatMap((bucket) => bucket.items.map((item) => item.id)));
  const names = new Map<number, string>();
  for (const bucket of dump.buckets) {
    if (bucket.name !== undefined) names.set(bucket.id, bucket.name);
  }
  for (const device of dump.devices) {
    const isGap =
      device.name === `device${device.id}` && device.class === undefined && !placed.has(device.id);
    if (!isGap) names.set(device.id, device.name);
  }
  return names;
}

/** Classes from the devices' and from the names of shadow buckets, `<bucket>~<class>`, numbered as they come. */
function readClasses(dump: Dump): Pick<CrushMap, 'classNames' | 'itemClasses' | 'classBuckets'> {
  const classNumbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    const number = classNumbers.get(name) ?? classNumbers.size;
    classNumbers.set(name, number);
    return number;
  };
  const itemClasses = new Map<number, number>();
  for (const device of dump.devices) {
    if (device.class !== undefined) itemClasses.set(device.id, numberOf(device.class));
  }
  const ids = new Map(dump.buckets.map((bucket) => [bucket.name, bucket.id]));
  const classBuckets = new Map<number, Map<number, number>>();
  for (const bucket of dump.buckets) {
    const [, originalName, className] = /^([^~]+)~([^~]+)$/.exec(bucket.name ?? '') ?? [];
    const original = ids.get(originalName);
    if (original === undefined || className === undefined) continue;
    const number = numberOf(className);
    itemClasses.set(bucket.id, number);
    const shadows = classBuckets.get(original) ?? new Map<number, number>();
    classBuckets.set(original, shadows.set(number, bucket.id));
  }
  return {
    itemClasses,
    classBuckets,
    classNames: new Map([...classNumbers].map(([name, number]) => [number, name])),
  };
}

function readRules(dump: Dump, what: string): (CrushRule | undefined)[] {
  const types = new Map<string, number>();
  for (const { name, type_id } of dump.types) {
    // A name that two types have says nothing; NaN is refused where the name is used.
    types.set(name, types.has(name) ? NaN : type_id);
  }
  const highest = dump.rules.reduce((id, rule) => Math.max(id, rule.rule_id), -1);
  const rules = new Array<CrushRule | undefined>(highest + 1).fill(undefined);
  dump.rules.forEach((rule, index) => {
    const path = jsonPath(what, 'rules', index);
    const id = rule.rule_id;
    if (rules[id] !== undefined) throw new CrushError('malformed', `rule ${id} is listed twice`, { path });
    rules[id] = {
      id,
      type: rule.type,
      ruleset: rule.ruleset ?? id,
      minSize: rule.min_size,
      maxSize: rule.max_size,
      steps: rule.steps.map((step, i) => readStep(step, types, jsonPath(path, 'steps', i))),
    };
  });
  return rules;
}

/** Steps with a count only, by the name the dump gives them. */
const COUNT_STEPS: ReadonlyMap<string, number> = new Map([
  ['set_choose_tries', RULE_OP.setChooseTries],
  ['set_chooseleaf_tries', RULE_OP.setChooseleafTries],
  ['set_msr_descents', RULE_OP.setMsrDescents],
  ['set_msr_collision_tries', RULE_OP.setMsrCollisionTries],
]);

/** Steps with a count and a bucket type. */
const CHOOSE_STEPS: ReadonlyMap<string, number> = new Map([
  ['choose_firstn', RULE_OP.chooseFirstn],
  ['choose_indep', RULE_OP.chooseIndep],
  ['chooseleaf_firstn', RULE_OP.chooseleafFirstn],
  ['chooseleaf_indep', RULE_OP.chooseleafIndep],
  ['choosemsr', RULE_OP.chooseMsr],
]);

/** One step; those without a name of their own are printed as numbers (`CrushWrapper::dump_rule`). */
function readStep(step: StepDump, types: ReadonlyMap<string, number>, path: string): CrushRuleStep {
  const need = <Value>(value: Value | undefined, key: string): Value => {
    if (value !== undefined) return value;
    throw new CrushError('malformed', `step '${step.op ?? step.opcode}' lacks ${key}`, { path });
  };
  if (step.op === undefined) {
    return { op: need(step.opcode, 'op'), arg1: need(step.arg1, 'arg1'), arg2: need(step.arg2, 'arg2') };
  }
  if (step.op === 'noop') return { op: RULE_OP.noop, arg1: 0, arg2: 0 };
  if (step.op === 'emit') return { op: RULE_OP.emit, arg1: 0, arg2: 0 };
  if (step.op === 'take') return { op: RULE_OP.take, arg1: need(step.item, 'item'), arg2: 0 };
  const countOp = COUNT_STEPS.get(step.op);
  if (countOp !== undefined) return { op: countOp, arg1: need(step.num, 'num'), arg2: 0 };
  const chooseOp = CHOOSE_STEPS.get(step.op);
  if (chooseOp === undefined) {
    throw new CrushError('unsupported', `unknown step '${step.op}'`, { path: `${path}.op` });
  }
  const typeName = need(step.type, 'type');
  const type = types.get(typeName);
  if (type === undefined || Number.isNaN(type)) {
    const problem = type === undefined ? 'no type has' : 'more than one type has';
    throw new CrushError('malformed', `${problem} the name '${typeName}'`, { path: `${path}.type` });
  }
  return { op: chooseOp, arg1: need(step.num, 'num'), arg2: type };
}
