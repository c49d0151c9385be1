/** The page's end of its worker. */
import { signal } from '@preact/signals';
import { wrap, type Remote } from 'comlink';
import type { PageApi } from '../worker/api.ts';
import { toPageError, type PageError } from '../worker/page-error.ts';

/** Why the worker does not work at all, if so. */
export const workerFailure = signal<PageError | undefined>(undefined);

/** Everything the worker can do, see `worker/api.ts`. */
export const worker: Remote<PageApi> = wrap<PageApi>(startThread('crush'));

/** Starts a worker that can do all that the page's first can. */
export function startThread(name: string): Worker {
  const thread = new Worker(new URL('../worker/main.ts', import.meta.url), { type: 'module', name });
  thread.addEventListener('error', (event) => {
    workerFailure.value = toPageError(new Error(event.message || 'the worker could not be started'));
  });
  return thread;
}
