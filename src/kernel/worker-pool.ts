/**
 * A few workers that were given the same state and answer calls. They are started by the first call, stay for the
 * next ones, and end all together: by {@link WorkerPool.close}, or when one of them dies.
 */
import { CrushError, type CrushErrorCode, type ErrorPlace } from '../errors.ts';
import {
  answerStarter,
  processorCount,
  startWorker,
  type WorkerPort,
  type WorkerSource,
} from './worker-port.ts';

/** What a pool asks of a worker. The first call, with number 0, opens its state. */
interface Call {
  readonly id: number;
  readonly argument: unknown;
}

/** What a worker answers: it listens; something on the way; the result; what went wrong. */
type Reply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'note'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: PostedError };

/** An error as it crosses threads, where classes are lost. */
export interface PostedError {
  readonly code: CrushErrorCode | undefined;
  readonly message: string;
  readonly place: ErrorPlace;
  readonly stack: string | undefined;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onNote: ((value: unknown) => void) | undefined;
}

interface Member {
  readonly port: WorkerPort;
  readonly pending: Map<number, Pending>;
}

/** Most workers of a pool. */
const MAX_THREADS = 256;
/** What helps where a worker never came to listen; its reason is often not told. */
const NOT_STARTED =
  '; a bundler that does not find workers (esbuild, bun build) has to be given crush-wasm/pg-worker.js and ' +
  'crush-wasm/crush-worker.js as entries of these names, beside the bundle';

/** See the head of this file. */
export class WorkerPool {
  readonly #source: WorkerSource;
  readonly #threads: number | undefined;
  readonly #state: unknown;
  #members: Promise<readonly Member[]> | undefined;
  #running: Member[] = [];
  /** Counts how often the workers were ended, so that one that starts late ends as well. */
  #generation = 0;
  #nextId = 1;
  #isClosed = false;

  /**
   * @param threads - how many workers; default: the machine's processors
   * @param state - what each worker opens, see {@link serveCalls}; it is copied, but for shared buffers
   * @throws {@link CrushError} `bad-argument` for a number of threads that is none
   */
  constructor(source: WorkerSource, threads: number | undefined, state: unknown) {
    if (threads !== undefined && (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS)) {
      throw new CrushError('bad-argument', `threads must be from 1 to ${MAX_THREADS}, not ${threads}`);
    }
    this.#source = source;
    this.#threads = threads;
    this.#state = state;
  }

  /** Whether there are workers. */
  get isRunning(): boolean {
    return this.#running.length > 0;
  }

  /** Starts the workers if they are not there; gives how many there are. */
  async start(): Promise<number> {
    if (this.#isClosed) throw new CrushError('worker-failed', 'the pool of workers is closed');
    const starting = (this.#members ??= this.#startAll(this.#generation));
    try {
      return (await starting).length;
    } catch (error) {
      // Nothing of a pool that did not start stays.
      if (this.#members === starting) await this.stop(error as Error);
      throw error;
    }
  }

  /** Calls one worker, by its number from 0. It answers its calls one after the other. */
  async call(worker: number, argument: unknown, onNote?: (value: unknown) => void): Promise<unknown> {
    await this.start();
    const member = (await this.#members)?.[worker];
    if (member === undefined) throw new CrushError('worker-failed', 'the pool of workers is closed');
    return this.#send(member, this.#nextId++, argument, onNote);
  }

  /** Ends all workers, whatever they do; calls that were not answered fail. The next call starts new ones. */
  async stop(reason: Error): Promise<void> {
    const members = this.#running;
    this.#generation++;
    this.#running = [];
    this.#members = undefined;
    const ending = members.map(({ port }) => port.terminate());
    for (const { pending } of members) {
      for (const { reject } of pending.values()) reject(reason);
      pending.clear();
    }
    await Promise.all(ending);
  }

  /** Ends all workers for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop(new CrushError('worker-failed', 'the pool of workers was closed'));
  }

  async #startAll(generation: number): Promise<readonly Member[]> {
    const threads = this.#threads ?? (await processorCount());
    const starting = Array.from({ length: threads }, () => this.#startOne(generation));
    await Promise.allSettled(starting);
    return Promise.all(starting);
  }

  async #startOne(generation: number): Promise<Member> {
    const pending = new Map<number, Pending>();
    let announce: () => void = () => undefined;
    const ready = new Promise<unknown>((resolve, reject) => {
      announce = () => resolve(undefined);
      // A worker that dies before it listens fails this, like a call.
      pending.set(-1, { resolve, reject, onNote: undefined });
    });
    ready.catch(() => undefined);
    const port = await startWorker(this.#source, {
      onMessage: (message) => {
        const reply = message as Reply;
        if (reply.kind === 'ready') {
          pending.delete(-1);
          announce();
        } else this.#take(member, reply);
      },
      onFailure: (cause) => {
        if (!this.#running.includes(member)) return;
        const cure = pending.has(-1) ? NOT_STARTED : '';
        const error = new CrushError('worker-failed', `a worker died: ${cause.message}${cure}`);
        error.cause = cause;
        void this.stop(error);
      },
    });
    const member: Member = { port, pending };
    if (generation !== this.#generation) {
      await port.terminate();
      throw new CrushError('worker-failed', 'the pool of workers was ended while it started');
    }
    this.#running.push(member);
    await ready;
    await this.#send(member, 0, this.#state);
    return member;
  }

  #send(
    { port, pending }: Member,
    id: number,
    argument: unknown,
    onNote?: (value: unknown) => void,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      port.post({ id, argument } satisfies Call);
      port.hold(true);
      pending.set(id, { resolve, reject, onNote });
    });
  }

  #take({ port, pending }: Member, reply: Exclude<Reply, { kind: 'ready' }>): void {
    const call = pending.get(reply.id);
    if (call === undefined) return;
    if (reply.kind === 'note') {
      call.onNote?.(reply.value);
      return;
    }
    pending.delete(reply.id);
    if (pending.size === 0) port.hold(false);
    if (reply.kind === 'done') call.resolve(reply.value);
    else call.reject(receivedError(reply.error));
  }
}

/** What a worker gives back from a call: a value, and those of its buffers that move instead of being copied. */
export interface Answer {
  readonly value: unknown;
  readonly transfer?: readonly ArrayBuffer[];
}

/**
 * In a worker: opens the state that a {@link WorkerPool} sends and answers its calls.
 *
 * @param open - gets the state, gives what answers each call; `note` tells the pool something on the way
 */
export function serveCalls(
  open: (state: unknown) => (argument: unknown, note: (value: unknown) => void) => Answer,
): void {
  answerStarter((post) => {
    const send = (reply: Reply, transfer?: readonly ArrayBuffer[]): void => post(reply, transfer);
    let answer: ReturnType<typeof open> | undefined;
    // The pool sends nothing before this: some runtimes lose what comes while the module is still loading.
    setTimeout(() => send({ kind: 'ready' }), 0);
    return (message) => {
      const { id, argument } = message as Call;
      try {
        if (answer === undefined) {
          answer = open(argument);
          send({ kind: 'done', id, value: undefined });
          return;
        }
        const { value, transfer } = answer(argument, (note) => send({ kind: 'note', id, value: note }));
        send({ kind: 'done', id, value }, transfer);
      } catch (error) {
        send({ kind: 'failed', id, error: postedError(error) });
      }
    };
  });
}

/** An error, made ready to be posted. */
export function postedError(error: unknown): PostedError {
  if (!(error instanceof Error)) {
    return { code: undefined, message: String(error), place: {}, stack: undefined };
  }
  const { message, stack } = error;
  return error instanceof CrushError
    ? { code: error.code, message, place: error.place, stack }
    : { code: undefined, message: `${error.name}: ${message}`, place: {}, stack };
}

/** The error that {@link postedError} got in the other thread. */
export function receivedError({ code, message, place, stack }: PostedError): Error {
  const error = code === undefined ? new Error(message) : new CrushError(code, message, place);
  if (stack !== undefined) error.stack = stack;
  return error;
}
