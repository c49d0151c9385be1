/**
 * Reads the binary CRUSH map: what `ceph osd getcrushmap` and `crushtool -c` write, and what an OSDMap carries
 * inside. The encoding has no version: each release added to its end, and a map ends where its writer's release
 * ended. What is not there has the value of the days before (`CrushWrapper::decode`).
 */
import {
  BUCKET_ALGORITHM,
  LEGACY_TUNABLES,
  type ChooseArg,
  type ChooseArgs,
  type CrushBucket,
  type CrushMap,
  type CrushRule,
  type CrushRuleStep,
  type CrushTunables,
} from '../crush/model.ts';
import { MAX_BUCKETS, MAX_RULES, MAX_STEPS } from '../crush/limits.ts';
import { BinaryReader } from './binary-reader.ts';
import { bytesOf, type Bytes } from './bytes.ts';

/** The first word of a binary CRUSH map (`CRUSH_MAGIC`). */
export const CRUSH_MAGIC = 0x00010000;

/**
 * The highest device id that is read. Ceph has no such limit, but keeps a table entry for every id up to the
 * highest, and so does this library; a greater id is a damaged file, not a cluster.
 */
export const MAX_DEVICE_ID = 1 << 24;

/**
 * Reads a binary CRUSH map of any release.
 *
 * @param bytes - The map, not compressed.
 * @param what - What errors call the outermost structure, such as `osdmap.crush`.
 * @throws CrushError `truncated`, `malformed` or `unsupported`, with path and byte offset.
 * @example
 * ```ts
 * const map = readCrushBinary(await readFile('crushmap'));
 * console.log(map.rules.length, map.tunables.chooseTotalTries);
 * ```
 */
export function readCrushBinary(bytes: Bytes, what = 'crushmap'): CrushMap {
  const reader = new BinaryReader(bytesOf(bytes, 'readCrushBinary'), what);
  const magic = reader.u32();
  if (magic !== CRUSH_MAGIC) {
    throw reader.error('malformed', `not a CRUSH map: starts with 0x${magic.toString(16)}, not 0x10000`, 0);
  }
  const maxBuckets = readTableSize(reader, 'max_buckets', MAX_BUCKETS);
  const maxRules = readTableSize(reader, 'max_rules', MAX_RULES);
  reader.s32(); // max_devices: Ceph computes it anew, see highestDevice

  const devices = new DeviceLimit(reader);
  const buckets: (CrushBucket | undefined)[] = [];
  for (let index = 0; index < maxBuckets; index++) {
    buckets.push(reader.within(`buckets[${index}]`, () => readBucket(reader, index, devices)));
  }
  const rules: (CrushRule | undefined)[] = [];
  let steps = 0;
  for (let id = 0; id < maxRules; id++) {
    const rule = reader.within(`rules[${id}]`, () => readRule(reader, id, MAX_STEPS - steps));
    steps += rule?.steps.length ?? 0;
    rules.push(rule);
  }
  const typeNames = reader.within('type_map', () => readNames(reader));
  const itemNames = reader.within('name_map', () =>
    readNames(reader, (id, offset) => devices.see(id, offset)),
  );
  const ruleNames = reader.within('rule_name_map', () => readNames(reader));

  const { tunables, classes, chooseArgs, encodedThrough } = readTail(reader, buckets);
  if (reader.left > 0) {
    throw reader.error(
      'unsupported',
      `${reader.left} bytes follow the last part that is known: a newer release's map, or a damaged one`,
    );
  }
  return {
    maxDevices: devices.highest + 1,
    buckets,
    rules,
    tunables,
    typeNames,
    itemNames,
    ruleNames,
    ...classes,
    chooseArgs,
    encodedThrough,
  };
}

/** Follows the highest device id and refuses what is beyond {@link MAX_DEVICE_ID}. */
class DeviceLimit {
  highest = -1;
  readonly #reader: BinaryReader;

  constructor(reader: BinaryReader) {
    this.#reader = reader;
  }

  /** Takes note of an item id that was read at `offset`. */
  see(id: number, offset: number): void {
    if (id <= this.highest) return;
    if (id > MAX_DEVICE_ID) {
      throw this.#reader.error(
        'unsupported',
        `device id ${id} is above the limit of ${MAX_DEVICE_ID}`,
        offset,
      );
    }
    this.highest = id;
  }
}

/** A table's size: every entry takes at least the 4 bytes that say whether it is there. */
function readTableSize(reader: BinaryReader, name: string, most: number): number {
  const offset = reader.offset;
  const size = reader.u32();
  if (size * 4 > reader.left) {
    throw reader.error('truncated', `${name} is ${size}, only ${reader.left} bytes are left`, offset);
  }
  if (size > most)
    throw reader.error('unsupported', `${name} is ${size}, at most ${most} are supported`, offset);
  return size;
}

/** `CrushWrapper::decode_crush_bucket`. */
function readBucket(reader: BinaryReader, index: number, devices: DeviceLimit): CrushBucket | undefined {
  const start = reader.offset;
  const alg = reader.u32();
  if (alg === 0) return undefined;
  if (alg > BUCKET_ALGORITHM.straw2) {
    throw reader.error('unsupported', `bucket ${-1 - index} has the unknown algorithm ${alg}`, start);
  }
  const idOffset = reader.offset;
  const id = reader.s32();
  if (id !== -1 - index) {
    throw reader.error(
      'malformed',
      `bucket id is ${id}, its place in the table makes it ${-1 - index}`,
      idOffset,
    );
  }
  const type = reader.u16();
  const algOffset = reader.offset;
  const algAgain = reader.u8();
  if (algAgain !== alg) {
    throw reader.error('malformed', `bucket ${id} has two algorithms, ${alg} and ${algAgain}`, algOffset);
  }
  const hash = reader.u8();
  const weight = reader.u32();
  const size = reader.count(4);
  const itemsOffset = reader.offset;
  const items = reader.s32Array(size);
  items.forEach((item, position) => devices.see(item, itemsOffset + 4 * position));

  const base = { id, type, hash, weight, items };
  switch (alg) {
    case BUCKET_ALGORITHM.uniform:
      return { ...base, alg: 1, itemWeight: reader.u32() };
    case BUCKET_ALGORITHM.list: {
      const [itemWeights, sumWeights] = readPairs(reader, size);
      return { ...base, alg: 2, itemWeights, sumWeights };
    }
    case BUCKET_ALGORITHM.tree:
      return { ...base, alg: 3, nodeWeights: reader.u32Array(reader.u8()) };
    case BUCKET_ALGORITHM.straw: {
      const [itemWeights, straws] = readPairs(reader, size);
      return { ...base, alg: 4, itemWeights, straws };
    }
    default:
      return { ...base, alg: 5, itemWeights: reader.u32Array(size) };
  }
}

/** Two arrays whose entries are stored in turn. */
function readPairs(reader: BinaryReader, size: number): [Uint32Array, Uint32Array] {
  const pairs = reader.u32Array(size * 2);
  return [pairs.filter((_, i) => i % 2 === 0), pairs.filter((_, i) => i % 2 === 1)];
}

/**
 * One rule. Its `ruleset` may differ from its number in maps of before 2017: Ceph read them until Quincy and
 * refuses them since; a rule is found by its number in both.
 */
function readRule(reader: BinaryReader, id: number, mostSteps: number): CrushRule | undefined {
  if (reader.u32() === 0) return undefined;
  const offset = reader.offset;
  const length = reader.u32();
  const ruleset = reader.u8();
  const type = reader.u8();
  const minSize = reader.u8();
  const maxSize = reader.u8();
  if (length * 12 > reader.left) {
    throw reader.error('truncated', `rule has ${length} steps, only ${reader.left} bytes are left`, offset);
  }
  if (length > mostSteps) {
    throw reader.error('unsupported', `the rules have more than ${MAX_STEPS} steps`, offset);
  }
  const steps: CrushRuleStep[] = [];
  for (let i = 0; i < length; i++) {
    steps.push({ op: reader.u32(), arg1: reader.s32(), arg2: reader.s32() });
  }
  return { id, type, ruleset, minSize, maxSize, steps };
}

/**
 * A map of names. Some releases wrote keys of 64 bits, most 32; as names are never empty, a length of 0 is the
 * upper half of a long key (`decode_32_or_64_string_map`).
 */
function readNames(reader: BinaryReader, see?: (id: number, offset: number) => void): Map<number, string> {
  return reader.map(
    8,
    () => {
      const offset = reader.offset;
      const id = reader.s32();
      see?.(id, offset);
      return id;
    },
    () => {
      const offset = reader.offset;
      if (reader.u32() !== 0) reader.offset = offset;
      return reader.string();
    },
  );
}

interface Classes {
  readonly itemClasses: ReadonlyMap<number, number>;
  readonly classNames: ReadonlyMap<number, string>;
  readonly classBuckets: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

interface Tail {
  readonly tunables: CrushTunables;
  readonly classes: Classes;
  readonly chooseArgs: ReadonlyMap<number, ChooseArgs>;
  readonly encodedThrough: number;
}

/** What releases added one after another; the map may end before each part. */
function readTail(reader: BinaryReader, buckets: readonly (CrushBucket | undefined)[]): Tail {
  const tunables: { -readonly [Name in keyof CrushTunables]: CrushTunables[Name] } = { ...LEGACY_TUNABLES };
  let classes: Classes = { itemClasses: new Map(), classNames: new Map(), classBuckets: new Map() };
  let chooseArgs: ReadonlyMap<number, ChooseArgs> = new Map();

  const parts: readonly [name: string, read: () => void][] = [
    [
      'tunables',
      () => {
        tunables.chooseLocalTries = reader.u32();
        tunables.chooseLocalFallbackTries = reader.u32();
        tunables.chooseTotalTries = reader.u32();
      },
    ],
    ['chooseleaf_descend_once', () => (tunables.chooseleafDescendOnce = reader.u32())],
    ['chooseleaf_vary_r', () => (tunables.chooseleafVaryR = reader.u8())],
    ['straw_calc_version', () => (tunables.strawCalcVersion = reader.u8())],
    ['allowed_bucket_algs', () => (tunables.allowedBucketAlgs = reader.u32())],
    ['chooseleaf_stable', () => (tunables.chooseleafStable = reader.u8())],
    ['classes', () => (classes = readClasses(reader))],
    ['choose_args', () => (chooseArgs = readChooseArgs(reader, buckets))],
    [
      'msr_tunables',
      () => {
        tunables.msrDescents = reader.u32();
        tunables.msrCollisionTries = reader.u32();
      },
    ],
  ];
  let encodedThrough = 0;
  for (const [name, read] of parts) {
    if (reader.left === 0) break;
    reader.within(name, read);
    encodedThrough++;
  }
  return { tunables, classes, chooseArgs, encodedThrough };
}

function readClasses(reader: BinaryReader): Classes {
  const s32 = () => reader.s32();
  const itemClasses = reader.map(8, s32, s32);
  const classNames = reader.map(8, s32, () => reader.string());
  const classBuckets = reader.map(8, s32, () => reader.map(8, s32, s32));
  return { itemClasses, classNames, classBuckets };
}

/** All choose_args sets, mended as `CrushWrapper::update_choose_args` mends them. */
function readChooseArgs(
  reader: BinaryReader,
  buckets: readonly (CrushBucket | undefined)[],
): Map<number, ChooseArgs> {
  return reader.map(
    12,
    () => reader.id64(),
    (index) => reader.within(`[${index}]`, () => mendChooseArgs(readChooseArgSet(reader, buckets), buckets)),
  );
}

/** One set, as stored: bucket id to argument. */
function readChooseArgSet(
  reader: BinaryReader,
  buckets: readonly (CrushBucket | undefined)[],
): Map<number, ChooseArg> {
  const set = new Map<number, ChooseArg>();
  const count = reader.count(12);
  for (let i = 0; i < count; i++) {
    const offset = reader.offset;
    const bucketIndex = reader.u32();
    const id = -1 - bucketIndex;
    if (bucketIndex >= buckets.length) {
      throw reader.error('malformed', `names bucket ${id}, the table ends at ${-buckets.length}`, offset);
    }
    if (set.has(id)) throw reader.error('malformed', `names bucket ${id} twice`, offset);
    const weightSet = reader.list(4, () => reader.u32Array(reader.count(4)));
    const idsOffset = reader.offset;
    const ids = reader.s32Array(reader.count(4));
    const size = buckets[bucketIndex]?.items.length ?? 0;
    if (ids.length > 0 && ids.length !== size) {
      throw reader.error(
        'malformed',
        `${ids.length} ids for bucket ${id}, which has ${size} items`,
        idsOffset,
      );
    }
    set.set(id, { ...(weightSet.length > 0 && { weightSet }), ...(ids.length > 0 && { ids }) });
  }
  return set;
}

/**
 * Drops arguments of buckets that are gone or not straw2, and brings weight sets of a wrong size to their
 * bucket's, with zeros for what is missing. Ceph leaves a bucket alone whose number of positions is not that of
 * the set, which it takes from the set's first bucket with a weight set.
 */
function mendChooseArgs(
  set: ReadonlyMap<number, ChooseArg>,
  buckets: readonly (CrushBucket | undefined)[],
): ChooseArgs {
  const inTableOrder = [...set].sort(([a], [b]) => b - a);
  const positions = inTableOrder.find(([, arg]) => arg.weightSet !== undefined)?.[1].weightSet?.length ?? 1;
  const mended = new Map<number, ChooseArg>();
  for (const [id, arg] of inTableOrder) {
    const bucket = buckets[-1 - id];
    if (bucket?.alg !== BUCKET_ALGORITHM.straw2) continue;
    if (arg.weightSet?.length === positions) {
      const size = bucket.items.length;
      mended.set(id, { ...arg, weightSet: arg.weightSet.map((weights) => resized(weights, size)) });
    } else if (arg.weightSet !== undefined || arg.ids !== undefined) {
      mended.set(id, arg);
    }
  }
  return mended;
}

function resized(weights: Uint32Array, size: number): Uint32Array {
  if (weights.length === size) return weights;
  const out = new Uint32Array(size);
  out.set(weights.subarray(0, size));
  return out;
}
