/**
 * How callers have, watch and end work on several threads.
 */

/** How a mapper has several threads. */
export interface ThreadOptions {
  /** How many workers; default: one for each of the machine's processors. */
  readonly threads?: number | undefined;
  /**
   * Whether the map and the results of whole ranges lie in memory that the threads share. Default: where the
   * runtime allows it; in a browser that is a page served with the headers
   * `Cross-Origin-Opener-Policy: same-origin` and `Cross-Origin-Embedder-Policy: require-corp`. Else they are copied.
   */
  readonly shareMemory?: boolean | undefined;
}

/** How a long range is given in chunks. */
export interface ChunkOptions {
  /** How many numbers a chunk has. */
  readonly chunk?: number | undefined;
  /** Whether the columns of a chunk may be overwritten once the next chunk is asked for. */
  readonly reuse?: boolean | undefined;
}

/** What is used of an `AbortSignal`, written out so that the package's types need none of a browser or of Node. */
export interface JobSignal {
  /** Whether it is aborted already. */
  readonly aborted: boolean;
  /** Why, as the job's failure. */
  readonly reason: unknown;
  /** Has a function called when it is aborted. */
  addEventListener(type: 'abort', listener: () => void): void;
  /** Takes back what {@link JobSignal.addEventListener} did. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** How a job on several threads is watched and ended. */
export interface JobOptions {
  /** An `AbortSignal` that ends the job, which then fails with the signal's reason. */
  readonly signal?: JobSignal | undefined;
  /** Called as chunks are done, with how many numbers are and how many there are. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}
