/**
 * Jobs that may be long: mapped in ranges, so that memory stays small whatever there is to map; on several threads
 * where that pays; with a bar that tells a person who waits how far they are. What comes out is the same.
 */
import type { SingleBar } from 'cli-progress';
import type { CommandIo } from './io.ts';

/** Numbers that are mapped at a time; fewer where each becomes a line of text, which takes far more memory. */
const RANGE = 1 << 13;
const PRINTED_RANGE = 1 << 12;
/** The same while workers start: a millisecond's work, after which it is seen whether they have. */
const STARTING_RANGE = 1 << 11;
/** Most items of those numbers. */
const RANGE_ITEMS = 1 << 20;

/** How long a job maps here before it is asked whether more threads would pay. */
const TRIAL_MILLISECONDS = 100;
/** What workers cost to start; they are started where they save twice as much. */
const START_MILLISECONDS = 150;

/** A job that is shorter needs no bar. */
const BAR_AFTER_MILLISECONDS = 1000;

/** Workers are modules of the built package; what runs from the sources has none. */
const HAS_WORKERS = import.meta.url.endsWith('.js');

/** Numbers that are mapped one after the other. */
export interface Range {
  readonly first: number;
  readonly count: number;
}

/** How ranges are mapped: `What` says by which rule or pool, `Columns` has the results. */
export interface RangeMappers<What, Columns> {
  /** The columns may be overwritten by the next call. */
  here(what: What, range: Range): Columns;
  threads(threads: number): RangeWorkers<What, Columns>;
}

/** Workers that map ranges. */
export interface RangeWorkers<What, Columns> {
  /** Resolves when they are there. */
  start(): Promise<void>;
  /** The columns of a chunk may be overwritten once the next is asked for. */
  chunks(what: What, range: Range, chunk: number): AsyncIterable<Columns & Range>;
  close(): Promise<void>;
}

/** How a job is run. */
export interface LongJobOptions {
  readonly io: CommandIo;
  /** As asked for; undefined is for as many as pay. */
  readonly threads: number | undefined;
  /** How many numbers there are in all. */
  readonly total: number;
  /** Whether the command prints while it maps: then a terminal that shows it needs no bar. */
  readonly printsAsItMaps: boolean;
}

/** See the head of this file. */
export class LongJob<What, Columns> {
  readonly #mappers: RangeMappers<What, Columns>;
  readonly #options: LongJobOptions;
  readonly #start = performance.now();
  #done = 0;
  #mappedHere = 0;
  #workers: RangeWorkers<What, Columns> | undefined;
  /** Whether the workers are there, or why they are not. */
  #started: boolean | Error = false;
  #hasAsked = false;
  #bar: SingleBar | undefined;

  constructor(mappers: RangeMappers<What, Columns>, options: LongJobOptions) {
    this.#mappers = mappers;
    this.#options = options;
    const { threads = 1, total } = options;
    // At once: they start while this thread gets ready, and maps what it can until they have.
    if (threads > 1 && total > 0) this.#startWorkers(threads);
  }

  /**
   * Maps a part of the job, range by range, in order. The columns of a range are gone when the next is asked for.
   *
   * @param size - items that each number may be mapped to
   */
  async *map(
    what: What,
    { first, count }: Range,
    size: number,
  ): AsyncGenerator<{ range: Range; columns: Columns }, void, undefined> {
    const usual = this.#options.printsAsItMaps ? PRINTED_RANGE : RANGE;
    const step = Math.max(1, Math.min(usual, Math.floor(RANGE_ITEMS / (size + 1))));
    for (let done = 0; done < count;) {
      const workers = await this.#readyWorkers();
      if (workers !== undefined) {
        const rest = { first: first + done, count: count - done };
        for await (const columns of workers.chunks(what, rest, step)) {
          yield { range: columns, columns };
          await this.#advance(columns.count);
        }
        return;
      }
      const most = this.#workers === undefined ? step : Math.min(step, STARTING_RANGE);
      const range = { first: first + done, count: Math.min(most, count - done) };
      const start = performance.now();
      const columns = this.#mappers.here(what, range);
      this.#mappedHere += performance.now() - start;
      yield { range, columns };
      done += range.count;
      await this.#advance(range.count);
    }
  }

  /** Takes the bar away and ends the workers; for every job, whether it succeeds or not. */
  async end(): Promise<void> {
    this.#bar?.stop();
    await this.#workers?.close();
  }

  /** The workers, if they are wanted and there. */
  async #readyWorkers(): Promise<RangeWorkers<What, Columns> | undefined> {
    if (this.#workers === undefined) {
      const processors = await this.#processorsThatPay();
      if (processors > 1) this.#startWorkers(processors);
    }
    if (this.#workers === undefined) return undefined;
    // What they say comes in between two ranges.
    if (this.#started === false) await new Promise((resolve) => setImmediate(resolve));
    if (this.#started instanceof Error) throw this.#started;
    return this.#started ? this.#workers : undefined;
  }

  /** Processors of this machine, once it is known that using them saves time; 1 until then. */
  async #processorsThatPay(): Promise<number> {
    const { threads, total } = this.#options;
    if (threads !== undefined || !HAS_WORKERS) return 1;
    if (this.#hasAsked || this.#mappedHere < TRIAL_MILLISECONDS) return 1;
    this.#hasAsked = true;
    const { availableParallelism } = await import('node:os');
    const processors = availableParallelism();
    const left = (this.#mappedHere / this.#done) * (total - this.#done);
    return left * (1 - 1 / processors) < 2 * START_MILLISECONDS ? 1 : processors;
  }

  #startWorkers(threads: number): void {
    this.#workers = this.#mappers.threads(threads);
    this.#workers.start().then(
      () => (this.#started = true),
      (error: unknown) => (this.#started = error instanceof Error ? error : new Error(String(error))),
    );
  }

  async #advance(count: number): Promise<void> {
    this.#done += count;
    const { io, total, printsAsItMaps } = this.#options;
    if (this.#bar !== undefined) this.#bar.update(this.#done);
    else if (
      io.stderr.isTerminal &&
      !(printsAsItMaps && io.stdout.isTerminal) &&
      performance.now() - this.#start > BAR_AFTER_MILLISECONDS
    ) {
      const { SingleBar } = (await import('cli-progress')).default;
      this.#bar = new SingleBar({
        format: '[{bar}] {percentage} %, {value} of {total} mapped, {eta_formatted} left',
        barCompleteChar: '#',
        barIncompleteChar: '-',
        clearOnComplete: true,
        // A command that is interrupted just ends, with nothing to put back.
        gracefulExit: false,
      });
      this.#bar.start(total, this.#done);
    }
  }
}
