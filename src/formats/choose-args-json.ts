/**
 * The `choose_args` of a JSON CRUSH map. Ceph prints their weights as 32-bit floats, which hold 24 bits: a
 * weight below 256.0 comes back exactly, a greater one may have lost its last bits.
 */
import * as v from 'valibot';
import {
  BUCKET_ALGORITHM,
  WEIGHT_ONE,
  type ChooseArg,
  type ChooseArgs,
  type CrushBucket,
} from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import { checkShape, int32, jsonPath } from './json-input.ts';

/** First weight that a 32-bit float may not hold exactly, 256.0. */
const FLOAT_LIMIT = (1 << 24) / WEIGHT_ONE;

/** How far a printed weight may be from a 16.16 number, in 1/65536: six decimals are the fewest ever printed. */
const PRINT_ERROR = 0.05;

/** Deepest nesting that a weight is summed over; Ceph's tools allow 10. */
const MAX_DEPTH = 100;

const setShape = v.array(
  v.object({
    bucket_id: v.pipe(int32, v.maxValue(-1)),
    weight_set: v.optional(v.array(v.array(v.number()))),
    ids: v.optional(v.array(int32)),
  }),
);

type Entry = v.InferOutput<typeof setShape>[number] & { readonly path: string };
type Buckets = readonly (CrushBucket | undefined)[];

/**
 * Reads all sets.
 *
 * @param json - Set index to set, as `CrushWrapper::dump_choose_args` prints them.
 * @param onNote - Told when weights were recovered as sums, see {@link SetReader}.
 */
export function readChooseArgsJson(
  json: Readonly<Record<string, unknown>>,
  buckets: Buckets,
  path: string,
  onNote: (note: string) => void,
): Map<number, ChooseArgs> {
  const sets = new Map<number, ChooseArgs>();
  for (const [key, value] of Object.entries(json)) {
    const setPath = jsonPath(path, key);
    const index = Number(key);
    if (!/^(0|-?[1-9]\d*)$/.test(key) || !Number.isSafeInteger(index)) {
      throw new CrushError('malformed', `'${key}' is not the number of a choose_args set`, { path: setPath });
    }
    const reader = new SetReader(checkShape(setShape, value, setPath), buckets, setPath);
    sets.set(index, reader.read());
    if (reader.summed > 0) {
      onNote(
        `choose_args ${key}: ${reader.summed} weights of ${FLOAT_LIMIT} and more are rounded in the JSON; ` +
          `taken as the sums of the weights below them`,
      );
    }
  }
  return sets;
}

/**
 * Reads one set. A rounded weight of a bucket is taken as the sum of the weights inside that bucket, as Ceph
 * keeps it (`choose_args_adjust_item_weight`), if that sum prints as the same float; else it is refused.
 */
class SetReader {
  /** How many weights were recovered as sums. */
  summed = 0;
  readonly #entries = new Map<number, Entry>();
  readonly #weights = new Map<string, Uint32Array>();
  readonly #buckets: Buckets;

  constructor(set: v.InferOutput<typeof setShape>, buckets: Buckets, path: string) {
    this.#buckets = buckets;
    set.forEach((arg, index) => {
      const entry = { ...arg, path: jsonPath(path, index) };
      const id = arg.bucket_id;
      if (this.#entries.has(id)) throw this.#error(entry, `bucket ${id} is listed twice`);
      this.#entries.set(id, entry);
      const bucket = buckets[-1 - id];
      if (bucket?.alg !== BUCKET_ALGORITHM.straw2)
        throw this.#error(entry, `bucket ${id} is no straw2 bucket`);
      const size = bucket.items.length;
      for (const list of [...(arg.weight_set ?? []), ...(arg.ids ? [arg.ids] : [])]) {
        if (list.length === size) continue;
        throw this.#error(entry, `${list.length} entries for bucket ${id}, which has ${size} items`);
      }
    });
  }

  read(): ChooseArgs {
    const args = new Map<number, ChooseArg>();
    for (const [id, { weight_set: weightSet = [], ids = [] }] of this.#entries) {
      args.set(id, {
        ...(weightSet.length > 0 && {
          weightSet: weightSet.map((_, position) => this.#weightsAt(id, position, 0)),
        }),
        ...(ids.length > 0 && { ids: Int32Array.from(ids) }),
      });
    }
    return args;
  }

  #weightsAt(id: number, position: number, depth: number): Uint32Array {
    const key = `${id} ${position}`;
    const known = this.#weights.get(key);
    if (known !== undefined) return known;
    const entry = this.#entries.get(id)!;
    const items = this.#buckets[-1 - id]!.items;
    const printed = entry.weight_set![position]!;
    const weights = Uint32Array.from(printed, (value, i) => {
      const path = jsonPath(entry.path, 'weight_set', position, i);
      const weight = Math.round(value * WEIGHT_ONE);
      if (!(Math.abs(value * WEIGHT_ONE - weight) <= PRINT_ERROR) || weight < 0 || weight > 0xffffffff) {
        throw new CrushError('malformed', `${value} is not a 16.16 fixed-point weight`, { path });
      }
      return value < FLOAT_LIMIT ? weight : this.#sumBelow(items[i]!, position, value, path, depth);
    });
    this.#weights.set(key, weights);
    return weights;
  }

  #sumBelow(item: number, position: number, printed: number, path: string, depth: number): number {
    const positions = this.#entries.get(item)?.weight_set?.length ?? 0;
    if (positions > 0 && depth < MAX_DEPTH) {
      const inside = this.#weightsAt(item, Math.min(position, positions - 1), depth + 1);
      const sum = inside.reduce((total, weight) => total + weight, 0);
      if (Math.abs(Math.fround(sum) / WEIGHT_ONE - printed) * WEIGHT_ONE <= PRINT_ERROR) {
        this.summed++;
        return sum;
      }
    }
    throw new CrushError(
      'unsupported',
      `${printed} is rounded in the JSON and cannot be recovered; use the binary map (ceph osd getcrushmap)`,
      { path },
    );
  }

  #error(entry: Entry, message: string): CrushError {
    return new CrushError('malformed', message, { path: entry.path });
  }
}
