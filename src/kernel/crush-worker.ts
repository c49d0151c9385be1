/**
 * The worker of a {@link ParallelCrushMapper}: a module that does nothing but answer its pool.
 */
import { FlatMap } from '../crush/flat.ts';
import { CrushMapper, type CrushMapperOptions, type MapColumns, type MapRequest } from './crush-mapper.ts';
import { type RangeMapper, serveRanges } from './range-pool.ts';

/** What the worker maps from. */
export interface CrushWorkerState {
  /** The flat map, in shared memory where there is some. */
  readonly words: Int32Array;
  readonly options: CrushMapperOptions;
}

/** What it maps: a request, but for the numbers and where results go. */
export interface CrushJob {
  readonly request: Omit<MapRequest, 'first' | 'count' | 'out' | 'tries'>;
  /** Length of the histogram of retries that goes with each chunk, or 0 for none. */
  readonly triesLength: number;
}

/** A chunk's mappings, and its histogram of retries. */
export interface CrushChunk {
  readonly columns: MapColumns;
  readonly tries: Uint32Array | undefined;
}

serveRanges((state) => {
  const { words, options } = state as CrushWorkerState;
  const mapper = new CrushMapper(FlatMap.fromChecked(words), options);
  return (what) => new CrushRanges(mapper, what as CrushJob);
});

class CrushRanges implements RangeMapper {
  readonly #mapper: CrushMapper;
  readonly #job: CrushJob;

  constructor(mapper: CrushMapper, job: CrushJob) {
    this.#mapper = mapper;
    this.#job = job;
  }

  map(first: number, count: number): { value: CrushChunk; transfer: ArrayBuffer[] } {
    const { columns, tries } = this.#mapRange(first, count, undefined);
    const arrays = [columns.items, columns.lengths, columns.seeds];
    return { value: { columns, tries }, transfer: arrays.map((array) => array.buffer as ArrayBuffer) };
  }

  store(first: number, count: number, at: number, out: unknown): Uint32Array | undefined {
    const { items, lengths, seeds } = out as MapColumns;
    const { size } = this.#job.request;
    const { tries } = this.#mapRange(first, count, {
      items: items.subarray(at * size, (at + count) * size),
      lengths: lengths.subarray(at, at + count),
      seeds: seeds.subarray(at, at + count),
    });
    return tries;
  }

  #mapRange(first: number, count: number, out: MapColumns | undefined): CrushChunk {
    const { request, triesLength } = this.#job;
    const tries = triesLength === 0 ? undefined : new Uint32Array(triesLength);
    // Numbers go on from the greatest at 0, as they do within a chunk.
    const start = first > 0xffffffff ? first - 2 ** 32 : first;
    const columns = this.#mapper.mapRange({ ...request, first: start, count, out, tries });
    return { columns, tries };
  }
}
