/**
 * Maps a range of numbers in chunks, on the workers of a pool. What is mapped is the business of who uses it: CRUSH
 * inputs (crush-worker.ts) or PGs (osdmap/pg-worker.ts).
 *
 * A whole range goes to shared memory: each worker takes the next chunk that nobody has, by an atomic counter, and
 * writes its results in their place, so the main thread has nothing to do. A stream of chunks is asked for by messages,
 * in order; its results go to a few slots of shared memory that are used again and again, or move from thread to thread
 * with the answers. So does everything where there is no shared memory.
 */
import type { JobOptions, JobSignal } from './job.ts';
import { broughtKernel, initSync, type WasmModule } from './kernel-module.ts';
import {
  type Answer,
  type PostedError,
  postedError,
  receivedError,
  serveCalls,
  WorkerPool,
} from './worker-pool.ts';
import type { WorkerSource } from './worker-port.ts';

/** The numbers of a job. */
export interface Range {
  readonly first: number;
  readonly count: number;
  /** How many are mapped at a time. */
  readonly chunk: number;
}

/** A chunk of a stream. */
export interface RangeChunk {
  readonly first: number;
  readonly count: number;
  readonly value: unknown;
  /** Where the results are, if they are in a slot; they stay there until the next chunk is asked for. */
  readonly slot: unknown;
}

/** What a worker opens. */
interface Opening {
  readonly state: unknown;
  /** The kernel that was brought by hand: compiled once, and run by all threads. */
  readonly kernel: WasmModule | undefined;
}

type RangeCall =
  | {
      readonly kind: 'begin';
      readonly job: number;
      readonly what: unknown;
      readonly slots: readonly unknown[];
    }
  | { readonly kind: 'end'; readonly job: number }
  | {
      readonly kind: 'chunk';
      readonly job: number;
      readonly first: number;
      readonly count: number;
      /** Which slot the results go to. */
      readonly slot: number | undefined;
    }
  | {
      readonly kind: 'share';
      readonly job: number;
      readonly range: Range;
      readonly control: Int32Array;
      readonly out: unknown;
    };

/** Words of the memory by which the workers of a job agree: the first number nobody has, and whether to stop. */
const NEXT = 0;
const STOP = 1;
const CONTROL_WORDS = 2;

/** Chunks a worker has in hand of a stream: the one it maps, and the next, so that it need not wait. */
const IN_HAND = 2;

/** How long a worker may go on with its chunk after the job was ended, before it is ended too. */
const GRACE_MILLISECONDS = 1000;

/** What a worker of a shared job says of a chunk that it has done. */
interface ChunkNote {
  readonly first: number;
  readonly count: number;
  readonly value: unknown;
}

/** How a worker's part of a shared job ended: with no chunk left, or with a failure in one. */
interface ShareResult {
  readonly failed: { readonly at: number; readonly error: PostedError } | undefined;
}

/** Whether threads may share memory here: in browsers only pages that are isolated from other origins may. */
export function canShareMemory(): boolean {
  const { crossOriginIsolated } = globalThis as { readonly crossOriginIsolated?: boolean };
  return typeof SharedArrayBuffer === 'function' && crossOriginIsolated !== false;
}

/** Whether an array lies in shared memory. */
export function isShared(array: Int32Array): boolean {
  return typeof SharedArrayBuffer === 'function' && array.buffer instanceof SharedArrayBuffer;
}

/** Zeros in shared memory. */
export function sharedArray(length: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(length * 4));
}

/** A copy in shared memory. */
export function sharedCopy(words: Int32Array): Int32Array {
  const copy = sharedArray(words.length);
  copy.set(words);
  return copy;
}

/** See the head of this file. */
export class RangePool {
  readonly #pool: WorkerPool;
  #nextJob = 1;

  constructor(source: WorkerSource, threads: number | undefined, state: unknown) {
    const opening: Opening = { state, kernel: broughtKernel() };
    this.#pool = new WorkerPool(source, threads, opening);
  }

  /** Starts the workers if they are not there. */
  async start(): Promise<void> {
    await this.#pool.start();
  }

  /** Ends the workers. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  /**
   * Maps a whole range into shared memory.
   *
   * @param what - the job, as the workers know it
   * @param out - where the workers write
   * @param onChunk - gets what the workers say of each chunk, in any order
   */
  async share(
    what: unknown,
    range: Range,
    out: unknown,
    { signal, onProgress }: JobOptions,
    onChunk: (first: number, count: number, value: unknown) => void,
  ): Promise<void> {
    if (isAborted(signal)) throw asError(signal?.reason);
    const threads = await this.#pool.start();
    const job = this.#nextJob++;
    const control = sharedArray(CONTROL_WORDS);
    let done = 0;
    let grace: ReturnType<typeof setTimeout> | undefined;
    const failures: Error[] = [];
    const fail = (reason: unknown): void => {
      const error = asError(reason);
      failures.push(error);
      Atomics.store(control, STOP, 1);
      grace ??= setTimeout(() => void this.#pool.stop(error), GRACE_MILLISECONDS);
    };
    const onAbort = (): void => fail(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    if (isAborted(signal)) onAbort();
    const onNote = (note: unknown): void => {
      if (failures.length > 0) return;
      const { first, count, value } = note as ChunkNote;
      try {
        onChunk(first, count, value);
        done += count;
        onProgress?.(done, range.count);
      } catch (error) {
        fail(error);
      }
    };
    try {
      const work = async (worker: number): Promise<ShareResult | undefined> => {
        try {
          await this.#call(worker, { kind: 'begin', job, what, slots: [] });
          return (await this.#call(
            worker,
            { kind: 'share', job, range, control, out },
            onNote,
          )) as ShareResult;
        } catch (error) {
          fail(error);
          return undefined;
        }
      };
      const results = await Promise.all(Array.from({ length: threads }, (_, worker) => work(worker)));
      const [failure] = failures;
      if (failure !== undefined) throw failure;
      // Chunks are taken in order, so the first that failed is the one that one thread would have failed at.
      const failed = results.flatMap((result) => result?.failed ?? []).sort((a, b) => a.at - b.at);
      if (failed[0] !== undefined) throw receivedError(failed[0].error);
    } finally {
      clearTimeout(grace);
      signal?.removeEventListener('abort', onAbort);
      this.#end(job, threads);
    }
  }

  /**
   * Maps a range and gives it chunk by chunk, in order; no more is mapped ahead than the workers have in hand.
   *
   * @param makeSlot - makes shared memory with room for a chunk; without it results move with the answers
   */
  async *stream(
    what: unknown,
    { first, count, chunk }: Range,
    { signal, onProgress }: JobOptions,
    makeSlot?: () => unknown,
  ): AsyncGenerator<RangeChunk, void, undefined> {
    if (isAborted(signal)) throw asError(signal?.reason);
    const threads = await this.#pool.start();
    const job = this.#nextJob++;
    // Not a race against one promise that rejects at the end of all: it would hold every chunk until then.
    let abort: (reason: Error) => void = () => undefined;
    const onAbort = (): void => abort(asError(signal?.reason));
    signal?.addEventListener('abort', onAbort);
    const unlessAborted = (mapping: Promise<RangeChunk>): Promise<RangeChunk> =>
      new Promise((resolve, reject) => {
        abort = reject;
        if (isAborted(signal)) onAbort();
        mapping.then(resolve, reject);
      });

    // As many as are in hand, and the one that was given last.
    const slotCount = makeSlot === undefined ? 0 : Math.min(threads * IN_HAND + 1, Math.ceil(count / chunk));
    const slots = Array.from({ length: slotCount }, () => makeSlot?.());
    const loads = new Array<number>(threads).fill(0);
    const begun = loads.map((_, worker) => this.#call(worker, { kind: 'begin', job, what, slots }));
    for (const call of begun) call.catch(() => undefined);
    const map = async (from: number): Promise<RangeChunk> => {
      const worker = loads.indexOf(Math.min(...loads));
      const size = Math.min(chunk, count - from);
      loads[worker] = (loads[worker] ?? 0) + 1;
      try {
        await begun[worker];
        const slot = slotCount === 0 ? undefined : (from / chunk) % slotCount;
        const call: RangeCall = { kind: 'chunk', job, first: first + from, count: size, slot };
        const value = await this.#call(worker, call);
        return {
          first: first + from,
          count: size,
          value,
          slot: slot === undefined ? undefined : slots[slot],
        };
      } finally {
        loads[worker] = (loads[worker] ?? 0) - 1;
      }
    };
    const inHand: Promise<RangeChunk>[] = [];
    let next = 0;
    const fill = (): void => {
      for (; next < count && inHand.length < threads * IN_HAND; next += chunk) {
        const mapping = map(next);
        mapping.catch(() => undefined);
        inHand.push(mapping);
      }
    };
    try {
      fill();
      for (let mapping = inHand.shift(); mapping !== undefined; mapping = inHand.shift()) {
        const mapped = await unlessAborted(mapping);
        fill();
        yield mapped;
        onProgress?.(mapped.first - first + mapped.count, count);
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#end(job, threads);
    }
  }

  #call(worker: number, call: RangeCall, onNote?: (note: unknown) => void): Promise<unknown> {
    return this.#pool.call(worker, call, onNote);
  }

  /** Lets the workers forget a job, if they are still there. */
  #end(job: number, threads: number): void {
    if (!this.#pool.isRunning) return;
    for (let worker = 0; worker < threads; worker++) {
      this.#call(worker, { kind: 'end', job }).catch(() => undefined);
    }
  }
}

/** Asked anew: signals change while others are waited for. */
function isAborted(signal: JobSignal | undefined): boolean {
  return signal?.aborted === true;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** What a worker does for a job. */
export interface RangeMapper {
  /** Maps some numbers and gives the results, their buffers to be moved. */
  map(first: number, count: number): Answer;
  /**
   * Maps some numbers and writes the results to the job's shared memory.
   *
   * @param at - place of the first number's results in it
   * @returns what the one who started the job is told
   */
  store(first: number, count: number, at: number, out: unknown): unknown;
}

/** In a worker: opens the state of a {@link RangePool}, and does its jobs with what `open` gives. */
export function serveRanges(open: (state: unknown) => (what: unknown) => RangeMapper): void {
  serveCalls((opening) => {
    const { state, kernel } = opening as Opening;
    if (kernel !== undefined) initSync(kernel);
    const begin = open(state);
    const jobs = new Map<number, { readonly mapper: RangeMapper; readonly slots: readonly unknown[] }>();
    return (argument, note) => {
      const call = argument as RangeCall;
      if (call.kind === 'begin') jobs.set(call.job, { mapper: begin(call.what), slots: call.slots });
      else if (call.kind === 'end') jobs.delete(call.job);
      const job = jobs.get(call.job);
      if (job === undefined) return { value: undefined };
      if (call.kind === 'share') return { value: shareWork(job.mapper, call, note) };
      if (call.kind !== 'chunk') return { value: undefined };
      const { first, count, slot } = call;
      if (slot === undefined) return job.mapper.map(first, count);
      return { value: job.mapper.store(first, count, 0, job.slots[slot]) };
    };
  });
}

/** One worker's part of a shared job: takes chunks until there are no more. */
function shareWork(
  mapper: RangeMapper,
  { range, control, out }: Extract<RangeCall, { kind: 'share' }>,
  note: (value: ChunkNote) => void,
): ShareResult {
  while (Atomics.load(control, STOP) === 0) {
    const chunk = takeChunk(range, control);
    if (chunk === undefined) break;
    const { at, count } = chunk;
    const first = range.first + at;
    try {
      note({ first, count, value: mapper.store(first, count, at, out) });
    } catch (error) {
      Atomics.store(control, STOP, 1);
      return { failed: { at, error: postedError(error) } };
    }
  }
  return { failed: undefined };
}

/** The next numbers that nobody has. The last chunks are smaller, so that no worker waits long for another. */
function takeChunk(
  { count, chunk }: Range,
  control: Int32Array,
): { readonly at: number; readonly count: number } | undefined {
  const least = Math.ceil(chunk / 8);
  for (;;) {
    const at = Atomics.load(control, NEXT);
    const left = count - at;
    if (left <= 0) return undefined;
    const size = Math.min(left, chunk, Math.max(least, left >> 3));
    if (Atomics.compareExchange(control, NEXT, at, at + size) === at) return { at, count: size };
  }
}
