/**
 * The CRUSH map as one Int32Array, the form the kernel maps from: it can be kept, posted to a worker, laid in
 * shared memory and opened again. `assembly/layout.ts` says where everything stands.
 */
import * as L from '../../assembly/layout.ts';
import { CrushError } from '../errors.ts';
import { checkFlat, flatChecksum } from './flat-check.ts';
import { MAX_BUCKETS, MAX_FLAT_WORDS, MAX_RULES } from './limits.ts';
import {
  BUCKET_ALGORITHM,
  type ChooseArgs,
  type CrushBucket,
  type CrushMap,
  HASH_RJENKINS1,
} from './model.ts';

/**
 * A checked flat map.
 *
 * @example
 * ```ts
 * const flat = FlatMap.fromModel(map);
 * worker.postMessage(flat.words.buffer);
 * // in the worker
 * const again = FlatMap.from(new Int32Array(buffer));
 * ```
 */
export class FlatMap {
  /** The map as the kernel reads it, in 32-bit words. */
  readonly words: Int32Array;
  /** Offsets of choose_args sets that have been asked for. */
  readonly #chooseArgs = new Map<number, number>();

  private constructor(words: Int32Array) {
    this.words = words;
  }

  /**
   * Lays a map out flat and checks it.
   *
   * @throws {@link CrushError} `invalid-map` when the mapper could leave the map's bounds or loop for ever (a
   * cycle, an item that is no bucket of the map, arrays that do not fit their bucket), `unsupported` when the map
   * has a hash, a rule type or a rule step that this library does not know.
   */
  static fromModel(map: CrushMap): FlatMap {
    const words = new FlatWriter(map).write();
    checkFlat(words, (id) => map.itemNames.get(id));
    return new FlatMap(words);
  }

  /**
   * Opens words that {@link FlatMap.fromModel} made, perhaps elsewhere. They are checked in full and not copied.
   *
   * @throws {@link CrushError} `malformed` when they are no flat map of this version or have been damaged, and
   * whatever `fromModel` throws.
   */
  static from(words: Int32Array): FlatMap {
    checkFlat(words);
    return new FlatMap(words);
  }

  /**
   * Opens words that another thread of this process has checked. Checking those of ten thousand devices takes a worker that
   * has just started 7 ms.
   *
   * @internal
   */
  static fromChecked(words: Int32Array): FlatMap {
    return new FlatMap(words);
  }

  /** One more than the highest device id (`max_devices`). */
  get maxDevices(): number {
    return this.#word(L.H_MAX_DEVICES);
  }

  /** Size of the rule table (`max_rules`). */
  get maxRules(): number {
    return this.#word(L.H_MAX_RULES);
  }

  /** Whether there is a rule of this number. */
  hasRule(rule: number): boolean {
    return rule >= 0 && rule < this.maxRules && this.#word(this.#word(L.H_RULE_INDEX) + rule) !== 0;
  }

  /**
   * Offset of a choose_args set's bucket words for a batch request, or 0 when there is no such set.
   *
   * @param index - a pool id, or -1 for the default set
   */
  chooseArgsOffset(index: number): number {
    let offset = this.#chooseArgs.get(index);
    if (offset === undefined) {
      offset = this.#findChooseArgs(index);
      this.#chooseArgs.set(index, offset);
    }
    return offset;
  }

  #findChooseArgs(index: number): number {
    const low = Number(BigInt.asIntN(32, BigInt(index)));
    const high = Number(BigInt.asIntN(32, BigInt(index) >> 32n));
    const table = this.#word(L.H_CHOOSE_ARGS_TABLE);
    for (let i = 0; i < this.#word(L.H_CHOOSE_ARGS_COUNT); i++) {
      const entry = table + i * L.CHOOSE_ARGS_WORDS;
      if (this.#word(entry + L.C_INDEX_LOW) === low && this.#word(entry + L.C_INDEX_HIGH) === high) {
        return this.#word(entry + L.C_BUCKETS);
      }
    }
    return 0;
  }

  #word(index: number): number {
    return this.words[index] ?? 0;
  }
}

const f32 = new Float32Array(1);
const f32AsInt = new Int32Array(f32.buffer);

/** The bits of a number rounded to a 32-bit float. */
function f32Bits(value: number): number {
  f32[0] = value;
  return f32AsInt[0] ?? 0;
}

function demandAtMost(what: string, count: number, most: number): void {
  if (count <= most) return;
  throw new CrushError('unsupported', `the map has ${count} ${what}, at most ${most} are supported`, {
    path: 'crush map',
  });
}

/** Writes the words in two passes over the same code: the first counts them, the second fills them in. */
class FlatWriter {
  readonly #map: CrushMap;
  #words = new Int32Array(0);
  #next = 0;
  #permWords = 0;

  constructor(map: CrushMap) {
    this.#map = map;
  }

  write(): Int32Array {
    demandAtMost('buckets', this.#map.buckets.length, MAX_BUCKETS);
    demandAtMost('rules', this.#map.rules.length, MAX_RULES);
    this.#layOut();
    demandAtMost('words', this.#next, MAX_FLAT_WORDS);
    this.#words = new Int32Array(this.#next);
    this.#layOut();
    this.#words[L.H_CHECKSUM] = flatChecksum(this.#words);
    return this.#words;
  }

  #layOut(): void {
    const map = this.#map;
    const { tunables } = map;
    this.#next = L.HEADER_WORDS;
    this.#permWords = 0;
    const bucketIndex = this.#reserve(map.buckets.length);
    const ruleIndex = this.#reserve(map.rules.length);
    const chooseArgs = [...map.chooseArgs];
    const chooseArgsTable = this.#reserve(chooseArgs.length * L.CHOOSE_ARGS_WORDS);

    map.buckets.forEach((bucket, index) => {
      if (bucket !== undefined) this.#set(bucketIndex + index, this.#bucket(bucket, index));
    });
    let maxSteps = 0;
    map.rules.forEach((rule, index) => {
      if (rule === undefined) return;
      const { steps } = rule;
      maxSteps = Math.max(maxSteps, steps.length);
      const at = this.#array([steps.length, rule.type]);
      for (const step of steps) this.#array([step.op, step.arg1, step.arg2]);
      this.#set(ruleIndex + index, at);
    });
    chooseArgs.forEach(([index, args], i) => {
      const entry = chooseArgsTable + i * L.CHOOSE_ARGS_WORDS;
      this.#set(entry + L.C_INDEX_LOW, Number(BigInt.asIntN(32, BigInt(index))));
      this.#set(entry + L.C_INDEX_HIGH, Number(BigInt.asIntN(32, BigInt(index) >> 32n)));
      this.#set(entry + L.C_BUCKETS, this.#chooseArgs(args, index));
    });

    const header: readonly (readonly [number, number])[] = [
      [L.H_MAGIC, L.FLAT_MAGIC],
      [L.H_VERSION, L.FLAT_VERSION],
      [L.H_WORDS, this.#next],
      [L.H_MAX_DEVICES, map.maxDevices],
      [L.H_MAX_BUCKETS, map.buckets.length],
      [L.H_MAX_RULES, map.rules.length],
      [L.H_CHOOSE_LOCAL_TRIES, tunables.chooseLocalTries],
      [L.H_CHOOSE_LOCAL_FALLBACK_TRIES, tunables.chooseLocalFallbackTries],
      [L.H_CHOOSE_TOTAL_TRIES, tunables.chooseTotalTries],
      [L.H_CHOOSELEAF_DESCEND_ONCE, tunables.chooseleafDescendOnce],
      [L.H_CHOOSELEAF_VARY_R, tunables.chooseleafVaryR],
      [L.H_CHOOSELEAF_STABLE, tunables.chooseleafStable],
      [L.H_MSR_DESCENTS, tunables.msrDescents],
      [L.H_MSR_COLLISION_TRIES, tunables.msrCollisionTries],
      [L.H_BUCKET_INDEX, bucketIndex],
      [L.H_RULE_INDEX, ruleIndex],
      [L.H_CHOOSE_ARGS_COUNT, chooseArgs.length],
      [L.H_CHOOSE_ARGS_TABLE, chooseArgsTable],
      [L.H_PERM_WORDS, this.#permWords],
      [L.H_MAX_STEPS, maxSteps],
      [L.H_ALL_STRAW2, map.buckets.every((bucket) => (bucket?.alg ?? 5) === BUCKET_ALGORITHM.straw2) ? 1 : 0],
      [L.H_MAX_SIZE, map.buckets.reduce((most, bucket) => Math.max(most, bucket?.items.length ?? 0), 0)],
    ];
    for (const [index, value] of header) this.#set(index, value);
  }

  #bucket(bucket: CrushBucket, index: number): number {
    const { items } = bucket;
    const place = { path: `bucket ${bucket.id}` };
    if (bucket.id !== -1 - index) {
      throw new CrushError('invalid-map', `stands in the place of bucket ${-1 - index}`, place);
    }
    if (bucket.hash !== HASH_RJENKINS1) {
      throw new CrushError('unsupported', `hash function ${bucket.hash} is unknown (0 is rjenkins1)`, place);
    }
    const demand = (what: string, length: number, wanted: number) => {
      if (length !== wanted) {
        throw new CrushError('invalid-map', `has ${length} ${what}, should have ${wanted}`, place);
      }
    };
    const at = this.#reserve(L.BUCKET_WORDS);
    const itemsAt = this.#array(items);
    let weightsAt = 0;
    let extraAt = 0;
    let nodes = 0;
    let lanesAt = 0;
    switch (bucket.alg) {
      case BUCKET_ALGORITHM.uniform:
        weightsAt = this.#array([bucket.itemWeight]);
        break;
      case BUCKET_ALGORITHM.list:
        demand('item weights', bucket.itemWeights.length, items.length);
        demand('weight sums', bucket.sumWeights.length, items.length);
        weightsAt = this.#array(bucket.itemWeights);
        extraAt = this.#array(bucket.sumWeights);
        break;
      case BUCKET_ALGORITHM.tree:
        nodes = bucket.nodeWeights.length;
        weightsAt = this.#array(bucket.nodeWeights);
        break;
      case BUCKET_ALGORITHM.straw:
        demand('item weights', bucket.itemWeights.length, items.length);
        demand('straw lengths', bucket.straws.length, items.length);
        weightsAt = this.#array(bucket.itemWeights);
        extraAt = this.#array(bucket.straws);
        break;
      case BUCKET_ALGORITHM.straw2:
        demand('item weights', bucket.itemWeights.length, items.length);
        weightsAt = this.#array(bucket.itemWeights);
        lanesAt = this.#lanes(items, items, bucket.itemWeights);
        break;
    }
    const record = [
      bucket.id,
      bucket.type,
      bucket.alg,
      bucket.weight,
      items.length,
      this.#permWords,
      itemsAt,
      weightsAt,
      extraAt,
      nodes,
      lanesAt,
    ];
    record.forEach((value, i) => this.#set(at + i, value));
    this.#permWords += L.PERM_HEADER + items.length;
    return at;
  }

  #chooseArgs(args: ChooseArgs, set: number): number {
    const { buckets } = this.#map;
    const index = this.#reserve(buckets.length);
    for (const [id, arg] of args) {
      const bucket = buckets[-1 - id];
      const place = { path: `choose_args ${set}: bucket ${id}` };
      if (bucket === undefined) throw new CrushError('invalid-map', 'there is no such bucket', place);
      const size = bucket.items.length;
      const positions = arg.weightSet ?? [];
      for (const weights of positions) {
        if (weights.length !== size) {
          throw new CrushError('invalid-map', `${weights.length} weights for ${size} items`, place);
        }
      }
      if (arg.ids !== undefined && arg.ids.length !== size) {
        throw new CrushError('invalid-map', `${arg.ids.length} ids for ${size} items`, place);
      }
      const record = this.#reserve(L.CHOOSE_ARG_WORDS);
      const weightsAt = this.#next;
      for (const weights of positions) this.#array(weights);
      this.#set(record + L.A_POSITIONS, positions.length);
      this.#set(record + L.A_WEIGHTS, weightsAt);
      this.#set(record + L.A_IDS, arg.ids === undefined ? 0 : this.#array(arg.ids));
      if (bucket.alg === BUCKET_ALGORITHM.straw2) {
        const rows = positions.length > 0 ? positions : [bucket.itemWeights];
        const lanes = this.#reserve(rows.length);
        rows.forEach((weights, i) =>
          this.#set(lanes + i, this.#lanes(bucket.items, arg.ids ?? bucket.items, weights)),
        );
        this.#set(record + L.A_LANES, lanes);
      }
      this.#set(index - 1 - id, record);
    }
    return index;
  }

  /** A lane table, or 0 when the weights are not for lanes: none at all, or so great that they count as negative. */
  #lanes(items: Int32Array, ids: Int32Array, weights: Uint32Array): number {
    const kept: number[] = [];
    weights.forEach((weight, i) => {
      if (weight !== 0) kept.push(i);
    });
    if (kept.length === 0 || kept.some((i) => (weights[i] ?? 0) >= 2 ** 31)) return 0;
    const stride = (kept.length + 3) & ~3;
    const at = this.#reserve(L.T_ARRAYS + 4 * stride);
    this.#set(at + L.T_COUNT, kept.length);
    this.#set(at + L.T_STRIDE, stride);
    const arrays = at + L.T_ARRAYS;
    for (let i = 0; i < stride; i++) {
      const from = kept[i];
      this.#set(arrays + i, from === undefined ? 0 : (ids[from] ?? 0));
      this.#set(arrays + stride + i, f32Bits(from === undefined ? Number.NaN : 1 / (weights[from] ?? 0)));
      this.#set(arrays + 2 * stride + i, from === undefined ? 0 : (items[from] ?? 0));
      this.#set(arrays + 3 * stride + i, from === undefined ? 0 : (weights[from] ?? 0));
    }
    return at;
  }

  #reserve(words: number): number {
    const at = this.#next;
    this.#next += words;
    return at;
  }

  #array(values: ArrayLike<number>): number {
    const at = this.#reserve(values.length);
    for (let i = 0; i < values.length; i++) this.#set(at + i, values[i] ?? 0);
    return at;
  }

  #set(index: number, value: number): void {
    this.#words[index] = value;
  }
}
