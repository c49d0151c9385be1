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

type Buckets = readonly (CrushBucket | undefined)[];

/** The argument of one bucket. */
interface Entry {
  readonly path: string;
  readonly items: Int32Array;
  /** Weights as printed, one array a position. */
  readonly weightSet: readonly (readonly number[])[];
  readonly ids: readonly number[];
  /** 16.16 weights by position, as far as they were recovered. */
  readonly recovered: Map<number, Uint32Array>;
}

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

  constructor(set: v.InferOutput<typeof setShape>, buckets: Buckets, setPath: string) {
    for (const [index, { bucket_id: id, weight_set: weightSet = [], ids = [] }] of set.entries()) {
      const path = jsonPath(setPath, index);
      const bucket = buckets[-1 - id];
      if (this.#entries.has(id)) throw new CrushError('malformed', `bucket ${id} is listed twice`, { path });
      if (bucket?.alg !== BUCKET_ALGORITHM.straw2) {
        throw new CrushError('malformed', `bucket ${id} is no straw2 bucket`, { path });
      }
      const { items } = bucket;
      for (const list of ids.length > 0 ? [...weightSet, ids] : weightSet) {
        if (list.length === items.length) continue;
        const problem = `${list.length} entries for bucket ${id}, which has ${items.length} items`;
        throw new CrushError('malformed', problem, { path });
      }
      this.#entries.set(id, { path, items, weightSet, ids, recovered: new Map() });
    }
  }

  read(): ChooseArgs {
    const args = new Map<number, ChooseArg>();
    for (const [id, entry] of this.#entries) {
      const weightSet = entry.weightSet.map((printed, position) =>
        this.#recover(entry, position, printed, 0),
      );
      const ids = Int32Array.from(entry.ids);
      args.set(id, { ...(weightSet.length > 0 && { weightSet }), ...(ids.length > 0 && { ids }) });
    }
    return args;
  }

  #recover(entry: Entry, position: number, printed: readonly number[], depth: number): Uint32Array {
    const known = entry.recovered.get(position);
    if (known !== undefined) return known;
    const weights = Uint32Array.from(printed, (value, i) => {
      const path = jsonPath(entry.path, 'weight_set', position, i);
      const weight = Math.round(value * WEIGHT_ONE);
      if (!(Math.abs(value * WEIGHT_ONE - weight) <= PRINT_ERROR) || weight < 0 || weight > 0xffffffff) {
        throw new CrushError('malformed', `${value} is not a 16.16 fixed-point weight`, { path });
      }
      return value < FLOAT_LIMIT ? weight : this.#sumBelow(entry.items[i], position, value, path, depth);
    });
    entry.recovered.set(position, weights);
    return weights;
  }

  #sumBelow(
    item: number | undefined,
    position: number,
    printed: number,
    path: string,
    depth: number,
  ): number {
    const inside = item === undefined ? undefined : this.#entries.get(item);
    const insidePosition = Math.min(position, (inside?.weightSet.length ?? 0) - 1);
    const insidePrinted = inside?.weightSet[insidePosition];
    if (inside !== undefined && insidePrinted !== undefined && depth < MAX_DEPTH) {
      const weights = this.#recover(inside, insidePosition, insidePrinted, depth + 1);
      const sum = weights.reduce((total, weight) => total + weight, 0);
      if (Math.abs(Math.fround(sum) - printed * WEIGHT_ONE) <= PRINT_ERROR) {
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
}
