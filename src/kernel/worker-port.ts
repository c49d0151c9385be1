/**
 * Workers behind one interface: Web Workers where the runtime has them (browsers, Deno, Bun), Node's worker threads
 * elsewhere. Workers are modules loaded by their address, never text, so a content security policy need not allow
 * more than `worker-src 'self'`; and nothing of Node is imported before a worker is started in Node.
 */
import type * as NodeThreads from 'node:worker_threads';
import { CrushError } from '../errors.ts';

/** A worker, seen from the thread that started it. */
export interface WorkerPort {
  /** Sends a message; the buffers of `transfer` move there and are gone here. */
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** Whether the process may not end while this worker is there. */
  hold(isHeld: boolean): void;
  /** Ends the worker, whatever it does. */
  terminate(): Promise<void>;
}

/** What a worker tells the thread that started it. */
export interface WorkerEvents {
  onMessage(message: unknown): void;
  /** The worker is no more, or will not answer: why. */
  onFailure(cause: Error): void;
}

/** Where a worker's module is. */
export interface WorkerSource {
  /**
   * Starts it as a Web Worker. Bundlers look for the whole expression
   * `new Worker(new URL('./name.js', import.meta.url), { type: 'module' })`.
   */
  readonly web: () => Worker;
  /** For Node: the module's name, relative to `base`, the `import.meta.url` of who starts it. */
  readonly name: string;
  readonly base: string;
}

/** Not written where it is imported, so that bundlers for browsers do not look for it. */
const NODE_THREADS = ['node', 'worker_threads'].join(':');

async function nodeThreads(): Promise<typeof NodeThreads> {
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ NODE_THREADS)) as typeof NodeThreads;
}

/**
 * Starts a worker.
 *
 * @throws {@link CrushError} `worker-failed` where the runtime has no workers
 */
export async function startWorker(source: WorkerSource, events: WorkerEvents): Promise<WorkerPort> {
  if (typeof globalThis.Worker === 'function') return startWebWorker(source, events);
  let threads: typeof NodeThreads;
  try {
    threads = await nodeThreads();
  } catch {
    throw new CrushError('worker-failed', 'this runtime has no workers; map without threads');
  }
  // Not with the flags of this process: what is meant for its own script, such as --input-type, would be refused.
  const worker = new threads.Worker(new URL(source.name, source.base), { execArgv: [] });
  worker.on('message', (message) => events.onMessage(message));
  worker.on('messageerror', (error) => events.onFailure(error));
  worker.on('error', (error) => events.onFailure(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => events.onFailure(new Error(`it ended with exit code ${code}`)));
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    terminate: async () => {
      await worker.terminate();
    },
  };
}

function startWebWorker(source: WorkerSource, events: WorkerEvents): WorkerPort {
  // Bun's and Deno's may also hold the process or let it go.
  const worker: Worker & Partial<Record<'ref' | 'unref', () => void>> = source.web();
  worker.onmessage = (event: MessageEvent<unknown>) => events.onMessage(event.data);
  worker.onmessageerror = () => events.onFailure(new Error('a message could not be read'));
  worker.onerror = (event: ErrorEvent) => {
    event.preventDefault();
    events.onFailure(new Error(event.message || 'its module could not be loaded'));
  };
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    hold: (isHeld) => (isHeld ? worker.ref?.() : worker.unref?.()),
    terminate: () => {
      worker.terminate();
      return Promise.resolve();
    },
  };
}

/** Sends a message to the thread that started this worker. */
export type PostToStarter = (message: unknown, transfer?: readonly ArrayBuffer[]) => void;

/**
 * In a worker: answers the messages of the thread that started it.
 *
 * @param open - gets the way back, gives what is done with each message
 */
export function answerStarter(open: (post: PostToStarter) => (message: unknown) => void): void {
  const scope = globalThis as Partial<Pick<DedicatedScope, 'postMessage' | 'addEventListener'>>;
  const { postMessage } = scope;
  if (postMessage !== undefined && scope.addEventListener !== undefined) {
    const answer = open((message, transfer = []) => postMessage.call(globalThis, message, [...transfer]));
    scope.addEventListener('message', (event) => answer(event.data));
    return;
  }
  void nodeThreads().then(({ parentPort }) => {
    const answer = open((message, transfer = []) => parentPort?.postMessage(message, transfer));
    parentPort?.on('message', answer);
  });
}

/** What a Web Worker's global scope has; the types of pages, which are the ones at hand, do not tell. */
interface DedicatedScope {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

/** Processors of this machine, at least 1. */
export async function processorCount(): Promise<number> {
  const { navigator, process } = globalThis as {
    readonly navigator?: { readonly hardwareConcurrency?: number };
    readonly process?: { readonly versions?: { readonly node?: string } };
  };
  if (navigator?.hardwareConcurrency !== undefined) return Math.max(1, navigator.hardwareConcurrency);
  if (process?.versions?.node === undefined) return 1;
  const name = ['node', 'os'].join(':');
  const os = (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as {
    availableParallelism(): number;
  };
  return Math.max(1, os.availableParallelism());
}
