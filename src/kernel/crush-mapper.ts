/**
 * Maps inputs through the rules of one CRUSH map, in bulk.
 */
import * as L from '../../assembly/layout.ts';
import { FlatMap } from '../crush/flat.ts';
import { mapKind } from '../crush/kind.ts';
import type { CrushMap } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import { KERNEL, pgMask, SEED_MODE, statusError } from './batch-request.ts';
import { checkRequest, checkWhole, demandInteger } from './check-request.ts';
import { Kernel } from './kernel.ts';
import { hasSimd } from './kernel-module.ts';

/** How the mapper's input x comes from a running number. */
export type SeedSource =
  /** x is the number itself (`crushtool --test`). */
  | { readonly mode: 'plain' }
  /** x = hash(number, pool) (`crushtool --test --pool-id`). */
  | { readonly mode: 'hashed'; readonly pool: number }
  /** x = stable_mod(number, pgpNum) + pool: PGs of a pool without the hashpspool flag. */
  | { readonly mode: 'pool'; readonly pool: number; readonly pgpNum: number }
  /** x = hash(stable_mod(number, pgpNum), pool): PGs of a pool with the hashpspool flag. */
  | { readonly mode: 'pool-hashed'; readonly pool: number; readonly pgpNum: number };

/** A run of inputs to map. */
export interface MapRequest {
  /** Rule number. A number without a rule maps to nothing, as in Ceph. */
  readonly rule: number;
  /** Most items a mapping may have: the pool's size (`--num-rep`, `result_max`). */
  readonly size: number;
  /** First running number (32 bits, signed or unsigned). */
  readonly first: number;
  /** How many numbers. */
  readonly count: number;
  /** 16.16 reweight of each device; devices beyond its end are out. Default: all in. */
  readonly reweights?: Uint32Array | undefined;
  /**
   * The array of reweights never changes: where it is that of this mapper's last call, it need not be copied again.
   * Default: false.
   */
  readonly reweightsFixed?: boolean | undefined;
  /** Index of a choose_args set of the map (a pool id or -1). Default, or when there is no such set: none. */
  readonly chooseArgs?: number | undefined;
  /** Default: plain. */
  readonly seed?: SeedSource | undefined;
  /** Where results go, each long enough; allocated when absent. */
  readonly out?: MapColumns | undefined;
  /** Counts, at index n, the choices that took n retries (`crushtool --show-choose-tries`). */
  readonly tries?: Uint32Array | undefined;
}

/** Mappings in columns. */
export interface MapColumns {
  /** `size` items each, in order; what a mapping does not fill is 2147483647 (ITEM_NONE). */
  readonly items: Int32Array;
  /** How many items each mapping has; holes that indep rules leave count. */
  readonly lengths: Int32Array;
  /** The input x of each mapping. */
  readonly seeds: Int32Array;
}

/** Options of a {@link CrushMapper}. */
export interface CrushMapperOptions {
  /**
   * Most bucket items that one mapping may draw before it fails with `work-limit`: a bound on maps whose tries
   * tunables are absurd. Default 2^28, some ten seconds; real mappings draw hundreds to some hundred thousands.
   */
  readonly workLimit?: number;
  /**
   * Which kernel maps: `scalar`, one item at a time; `item-lanes`, four items of a bucket at a time; `task-lanes`,
   * four draws of many inputs at a time. All give the same results. Default: the best that the engine has, task
   * lanes for batches that suit them and item lanes for the rest.
   */
  readonly kernel?: KernelChoice | undefined;
}

/** See {@link CrushMapperOptions.kernel}. */
export type KernelChoice = 'scalar' | 'item-lanes' | 'task-lanes';

const DEFAULT_WORK_LIMIT = 1 << 28;
/** Result words mapped in one call of the kernel: they and the columns they are copied to stay in the caches. */
const CHUNK_WORDS = 1 << 16;

/**
 * Maps inputs through the rules of one CRUSH map. It owns a kernel instance and reuses its buffers; it is not to be
 * shared between threads.
 *
 * @example
 * ```ts
 * const mapper = new CrushMapper(map);
 * const { items, lengths } = mapper.mapRange({ rule: 0, size: 3, first: 0, count: 1024 });
 * ```
 */
export class CrushMapper {
  /** The map as the kernel reads it. */
  readonly flat: FlatMap;
  readonly #choice: KernelChoice;
  readonly #kernel: Kernel;
  readonly #workLimit: number;
  readonly #request: number;
  readonly #map: number;
  readonly #mark: number;
  #buffers: { size: number; reweights: number; tries: number; at: Buffers } | undefined;
  /** What stands in the buffer of reweights: a copy of this array, or so many of 1.0. */
  #reweights: Uint32Array | number = 0;
  /** The request of `mapOne` that the kernel's request words still stand for. */
  #standing: MapRequest | undefined;

  /**
   * @throws {@link CrushError} `invalid-map` or `unsupported`, see {@link FlatMap.fromModel}; `bad-argument` for
   * what is no CRUSH map
   */
  constructor(map: CrushMap | FlatMap, options: CrushMapperOptions = {}) {
    if (!(map instanceof FlatMap)) demandCrushMap(map);
    this.flat = map instanceof FlatMap ? map : FlatMap.fromModel(map);
    this.#workLimit = options.workLimit ?? DEFAULT_WORK_LIMIT;
    demandInteger('workLimit', this.#workLimit, 1, 0x7fffffff);
    this.#choice = options.kernel ?? (hasSimd() ? 'task-lanes' : 'scalar');
    if (this.#choice !== 'scalar' && !hasSimd()) {
      throw new CrushError(
        'bad-argument',
        `no SIMD here, which the ${this.#choice} kernel needs: the engine has none, or init was given the scalar kernel`,
      );
    }
    this.#kernel = new Kernel(options.kernel === 'scalar' || !hasSimd() ? 'scalar' : 'simd');
    this.#request = this.#kernel.allocate(L.REQUEST_WORDS * 4);
    this.#map = this.#kernel.allocate((this.flat.words.length + L.MAP_PADDING) * 4);
    this.#kernel.words.set(this.flat.words, this.#map / 4);
    this.#mark = this.#kernel.mark;
  }

  /**
   * Maps `count` running numbers from `first` on.
   *
   * Follows `crush_do_rule` (Ceph's src/crush/mapper.c) for each, and `pg_pool_t::raw_pg_to_pps` for the seed.
   *
   * @returns the columns, `request.out` if it was given
   * @throws {@link CrushError} `bad-argument` for a request out of range, `invalid-rule` for a rule on which Ceph's
   * own mapper aborts, `work-limit` for a mapping that draws more than the limit
   */
  mapRange(request: MapRequest): MapColumns {
    const { rule, size, first, count, tries } = request;
    this.#standing = undefined;
    checkRequest(request);
    checkWhole(request);
    const out = request.out ?? {
      items: new Int32Array(count * size),
      lengths: new Int32Array(count),
      seeds: new Int32Array(count),
    };
    if (count === 0) return out;

    const chunk = Math.max(1, Math.min(count, Math.floor(CHUNK_WORDS / (size + 2))));
    const at = this.#prepare(request);
    this.#write(request, at);
    const words = this.#kernel.words;
    if (tries !== undefined) words.fill(0, at.tries / 4, at.tries / 4 + tries.length);
    for (let done = 0; done < count; done += chunk) {
      const n = Math.min(chunk, count - done);
      words[this.#request / 4 + L.Q_FIRST] = first + done;
      words[this.#request / 4 + L.Q_COUNT] = n;
      const status = this.#kernel.exports.mapBatch(this.#request);
      if (status !== L.STATUS_OK) {
        const failed = first + done + (words[this.#request / 4 + L.Q_DONE] ?? 0);
        throw statusError(status, rule, failed, this.#workLimit);
      }
      copyWords(words, at.items / 4, out.items, done * size, n * size);
      copyWords(words, at.lengths / 4, out.lengths, done, n);
      copyWords(words, at.seeds / 4, out.seeds, done, n);
    }
    if (tries !== undefined) {
      for (let i = 0; i < tries.length; i++) tries[i] = (tries[i] ?? 0) + (words[at.tries / 4 + i] ?? 0);
    }
    return out;
  }

  /**
   * Maps one running number by a request that is asked again and again, for a number each time: nothing of it may
   * change between the calls, reweights included. Its own `first` and `count` (1) are those of the first call.
   *
   * @returns the request's `out`
   * @throws as {@link CrushMapper.mapRange}
   */
  mapOne(request: MapRequest & { readonly out: MapColumns }, number: number): MapColumns {
    const { out, size } = request;
    const words = this.#kernel.words;
    const at = this.#buffers?.at;
    if (this.#standing !== request || at === undefined) {
      this.mapRange({ ...request, first: number, count: 1 });
      this.#standing = request;
      return out;
    }
    words[this.#request / 4 + L.Q_FIRST] = number;
    const status = this.#kernel.exports.mapBatch(this.#request);
    if (status !== L.STATUS_OK) throw statusError(status, request.rule, number, this.#workLimit);
    copyWords(words, at.items / 4, out.items, 0, size);
    out.lengths[0] = words[at.lengths / 4] ?? 0;
    out.seeds[0] = words[at.seeds / 4] ?? 0;
    return out;
  }

  /** Sets buffers aside for a result size, or takes those of the last call, and copies the reweights in. */
  #prepare(request: MapRequest): Buffers {
    const { size, reweights } = request;
    const tries = request.tries?.length ?? 0;
    const count = reweights?.length ?? this.flat.maxDevices;
    const kernel = this.#kernel;
    const old = this.#buffers;
    let at = old?.at;
    if (at === undefined || old?.size !== size || old.reweights < count || old.tries < tries) {
      kernel.release(this.#mark);
      const workspaceWords = kernel.exports.workspaceWords(this.#map, size);
      const chunk = Math.max(1, Math.floor(CHUNK_WORDS / (size + 2)));
      at = {
        workspace: kernel.allocate(workspaceWords * 4),
        items: kernel.allocate(chunk * size * 4),
        lengths: kernel.allocate(chunk * 4),
        seeds: kernel.allocate(chunk * 4),
        reweights: kernel.allocate(count * 4),
        tries: kernel.allocate(tries * 4),
        tasks: kernel.allocate(kernel.exports.taskLaneWords(this.#map, size) * 4),
      };
      kernel.exports.initWorkspace(this.#map, at.workspace);
      this.#buffers = { size, reweights: count, tries, at };
      this.#reweights = 0;
    }
    if (reweights === undefined) {
      if (typeof this.#reweights !== 'number' || this.#reweights < count) {
        kernel.words.fill(0x10000, at.reweights / 4, at.reweights / 4 + count);
        this.#reweights = count;
      }
    } else if (this.#reweights !== reweights || request.reweightsFixed !== true) {
      kernel.words.set(reweights, at.reweights / 4);
      this.#reweights = reweights;
    }
    return at;
  }

  #write(request: MapRequest, at: Buffers): void {
    const seed = request.seed ?? { mode: 'plain' };
    const pgpNum = 'pgpNum' in seed ? seed.pgpNum : 0;
    const { words } = this.#kernel;
    const to = this.#request / 4;
    words[to + L.Q_MAP] = this.#map;
    words[to + L.Q_WORKSPACE] = at.workspace;
    words[to + L.Q_RULE] = request.rule;
    words[to + L.Q_RESULT_MAX] = request.size;
    words[to + L.Q_REWEIGHTS] = at.reweights;
    words[to + L.Q_REWEIGHT_COUNT] = request.reweights?.length ?? this.flat.maxDevices;
    words[to + L.Q_CHOOSE_ARGS] =
      request.chooseArgs === undefined ? 0 : this.flat.chooseArgsOffset(request.chooseArgs);
    words[to + L.Q_SEED_MODE] = SEED_MODE[seed.mode];
    words[to + L.Q_POOL] = 'pool' in seed ? seed.pool | 0 : 0;
    words[to + L.Q_PGP_NUM] = pgpNum;
    words[to + L.Q_PGP_MASK] = pgMask(pgpNum);
    words[to + L.Q_OUT_ITEMS] = at.items;
    words[to + L.Q_OUT_LENGTHS] = at.lengths;
    words[to + L.Q_OUT_SEEDS] = at.seeds;
    words[to + L.Q_WORK_LIMIT] = this.#workLimit;
    words[to + L.Q_KERNEL] = KERNEL[this.#choice];
    words[to + L.Q_TASKS] = at.tasks;
    words[to + L.Q_TRIES] = request.tries === undefined ? 0 : at.tries;
    words[to + L.Q_TRIES_WORDS] = request.tries?.length ?? 0;
  }
}

interface Buffers {
  readonly workspace: number;
  readonly items: number;
  readonly lengths: number;
  readonly seeds: number;
  readonly reweights: number;
  readonly tries: number;
  readonly tasks: number;
}

/** Copies words; a few of them one by one, which is less than it takes to make a view of them. */
function copyWords(from: Int32Array, start: number, to: Int32Array, at: number, count: number): void {
  if (count > 64) to.set(from.subarray(start, start + count), at);
  else for (let i = 0; i < count; i++) to[at + i] = from[start + i] ?? 0;
}

/** Callers without types pass other maps. */
export function demandCrushMap(map: unknown): void {
  const kind = mapKind(map);
  if (kind === 'CRUSH map') return;
  const given = {
    OSDMap: 'an OSDMap: give it the CRUSH map inside (osdMap.crush), or take createMapper(osdMap)',
    'map file': 'what readMap returns: give it the map inside (file.map)',
    promise: 'a promise of one: await it first',
    other: 'another value',
  }[kind];
  throw new CrushError('bad-argument', `CrushMapper takes a CRUSH map, not ${given}`);
}
