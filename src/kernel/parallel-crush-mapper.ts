/**
 * {@link CrushMapper} on several threads, with the same results.
 */
import { FlatMap } from '../crush/flat.ts';
import type { CrushMap } from '../crush/model.ts';
import { type CrushMapperOptions, demandCrushMap, type MapColumns, type MapRequest } from './crush-mapper.ts';
import { checkRequest, checkWhole } from './check-request.ts';
import type { CrushChunk, CrushJob, CrushWorkerState } from './crush-worker.ts';
import { mapColumns } from './column-memory.ts';
import type { ChunkOptions, JobOptions, ThreadOptions } from './job.ts';
import { canShareMemory, isShared, RangePool, sharedArray, sharedCopy } from './range-pool.ts';
import type { WorkerSource } from './worker-port.ts';

/** A run of mappings of a longer one. */
export interface MapChunk extends MapColumns {
  /** First running number, and how many. */
  readonly first: number;
  /** How many. */
  readonly count: number;
}

/** Numbers that a worker takes at a time: some milliseconds' work. */
const CHUNK = 1 << 13;

const SOURCE: WorkerSource = {
  web: () => new Worker(new URL('./crush-worker.js', import.meta.url), { type: 'module' }),
  name: './crush-worker.js',
  base: import.meta.url,
};

/**
 * Maps inputs through the rules of one CRUSH map on several threads. The workers start with the first job (some
 * 85 ms) and stay until {@link ParallelCrushMapper.close}; idle ones do not keep a process from ending. Several jobs
 * may run at a time.
 *
 * A job that fails, or is aborted, leaves its workers ready for the next one. If a worker dies, all jobs fail with
 * `worker-failed` and all workers are ended; the next job starts new ones.
 *
 * @example
 * ```ts
 * const mapper = new ParallelCrushMapper(map, { threads: 4 });
 * const { items } = await mapper.mapRange({ rule: 0, size: 3, first: 0, count: 1e6 });
 * await mapper.close();
 * ```
 */
export class ParallelCrushMapper {
  /** The map as the kernels read it. */
  readonly flat: FlatMap;
  readonly #pool: RangePool;
  readonly #shares: boolean;

  /**
   * @throws {@link CrushError} as {@link CrushMapper} does, and `bad-argument` for an impossible number of threads
   */
  constructor(map: CrushMap | FlatMap, options: CrushMapperOptions & ThreadOptions = {}) {
    if (!(map instanceof FlatMap)) demandCrushMap(map);
    this.flat = map instanceof FlatMap ? map : FlatMap.fromModel(map);
    const { threads, shareMemory, ...mapperOptions } = options;
    this.#shares = shareMemory ?? canShareMemory();
    const state: CrushWorkerState = {
      words: this.#shares ? sharedCopy(this.flat.words) : this.flat.words,
      options: mapperOptions,
    };
    this.#pool = new RangePool(SOURCE, threads, state);
  }

  /**
   * Starts the workers, which the first job does else: for those who know early that there will be one.
   *
   * @throws {@link CrushError} `worker-failed` where they cannot be started
   */
  async start(): Promise<void> {
    await this.#pool.start();
  }

  /**
   * Maps `count` running numbers from `first` on, as {@link CrushMapper.mapRange} does.
   *
   * The columns lie in shared memory where that is allowed; to use columns of your own again and again without a
   * copy, lay them in `SharedArrayBuffer`s. What a job that fails has written to `out` is not defined.
   *
   * @throws {@link CrushError} what CrushMapper.mapRange throws, of the first input that one thread would have failed
   * at; `worker-failed` when a worker dies; the signal's reason when it is aborted
   */
  async mapRange(request: MapRequest, options: JobOptions = {}): Promise<MapColumns> {
    checkRequest(request);
    checkWhole(request);
    const { size, first, count, tries } = request;
    const given = request.out;
    const canShare =
      this.#shares && (given === undefined || [given.items, given.lengths, given.seeds].every(isShared));
    const make = canShare ? sharedArray : (length: number): Int32Array => new Int32Array(length);
    const out = given ?? { items: make(count * size), lengths: make(count), seeds: make(count) };
    if (canShare) {
      const range = { first, count, chunk: CHUNK };
      await this.#pool.share(jobOf(request), range, out, options, (_first, _count, value) =>
        addTries(tries, value as Uint32Array | undefined),
      );
      return out;
    }
    for await (const chunk of this.mapChunks(request, options)) {
      const at = chunk.first - first;
      out.items.set(chunk.items, at * size);
      out.lengths.set(chunk.lengths, at);
      out.seeds.set(chunk.seeds, at);
    }
    return out;
  }

  /**
   * Maps a range of any length in little memory: gives the mappings chunk by chunk, in order, and maps no more ahead
   * than the workers have in hand.
   *
   * @param options.chunk - numbers of a chunk; default 8192
   * @param options.reuse - a chunk's columns are gone when the next is asked for: where threads share memory, they lie in
   * a few places that are used again and again; default false
   * @throws as {@link ParallelCrushMapper.mapRange}
   */
  async *mapChunks(
    request: Omit<MapRequest, 'out'>,
    options: JobOptions & ChunkOptions = {},
  ): AsyncGenerator<MapChunk, void, undefined> {
    checkRequest(request);
    const { first, count, size, tries } = request;
    const range = { first, count, chunk: options.chunk ?? CHUNK };
    const most = Math.min(range.chunk, count);
    const makeSlot = (): MapColumns => mapColumns({ array: (_, length) => sharedArray(length) }, most, size);
    const reuses = options.reuse === true && this.#shares;
    const chunks = this.#pool.stream(jobOf(request), range, options, reuses ? makeSlot : undefined);
    for await (const { first, count, value, slot } of chunks) {
      if (slot === undefined) {
        const chunk = value as CrushChunk;
        addTries(tries, chunk.tries);
        yield { first, count, ...chunk.columns };
      } else {
        const { items, lengths, seeds } = slot as MapColumns;
        addTries(tries, value as Uint32Array | undefined);
        yield {
          first,
          count,
          items: items.subarray(0, count * size),
          lengths: lengths.subarray(0, count),
          seeds: seeds.subarray(0, count),
        };
      }
    }
  }

  /** Ends the workers for good; jobs that are under way fail. */
  async close(): Promise<void> {
    await this.#pool.close();
  }
}

function jobOf({ rule, size, reweights, chooseArgs, seed, tries }: MapRequest): CrushJob {
  return { request: { rule, size, reweights, chooseArgs, seed }, triesLength: tries?.length ?? 0 };
}

function addTries(sum: Uint32Array | undefined, tries: Uint32Array | undefined): void {
  if (sum === undefined || tries === undefined) return;
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (tries[i] ?? 0);
}
