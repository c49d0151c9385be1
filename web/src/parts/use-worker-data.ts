/** Data of the worker in a component: asked for again whenever the document or what is asked changes. */
import { useEffect, useState } from 'preact/hooks';
import { documentKey } from '../app/document.ts';
import { toPageError, type PageError } from '../worker/page-error.ts';

/** What a component has of its data at the moment. */
export interface WorkerData<T> {
  /** The newest answer; while a newer one is awaited, the last. */
  readonly data: T | undefined;
  readonly error: PageError | undefined;
  /** Whether an answer is awaited. */
  readonly isWaiting: boolean;
}

/**
 * Asks the worker, and asks again when the document changes or one of `dependencies` does. Answers that come too late
 * are dropped.
 *
 * @param ask - the call; undefined asks nothing
 * @param dependencies - what the call is made of: plain values
 */
export function useWorkerData<T>(
  ask: (() => Promise<T>) | undefined,
  dependencies: readonly (string | number | boolean | undefined)[] = [],
): WorkerData<T> {
  const [state, setState] = useState<WorkerData<T>>({ data: undefined, error: undefined, isWaiting: true });
  const key = [documentKey.value, ...dependencies].join('\n');
  useEffect(() => {
    if (ask === undefined) {
      setState({ data: undefined, error: undefined, isWaiting: false });
      return undefined;
    }
    let isStale = false;
    setState((last) => ({ ...last, isWaiting: true }));
    ask().then(
      (data) => {
        if (!isStale) setState({ data, error: undefined, isWaiting: false });
      },
      (error: unknown) => {
        if (!isStale) setState({ data: undefined, error: toPageError(error), isWaiting: false });
      },
    );
    return () => {
      isStale = true;
    };
    // The call itself is a new function each time; what it is made of decides.
  }, [key]);
  return state;
}
