/** Data of the worker in a component: asked for again whenever the document or what is asked changes. */
import { useEffect, useState } from 'preact/hooks';
import { documentKey, documentNumber } from '../app/document.ts';
import { toPageError, type PageError } from '../worker/page-error.ts';

/** What a component has of its data at the moment. */
export interface WorkerData<T> {
  /** The newest answer; while a newer one of the same document is awaited, the last. */
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
  const number = documentNumber.value;
  const [state, setState] = useState({ ...waiting<T>(), number });
  const key = [documentKey.value, ...dependencies].join('\n');
  useEffect(() => {
    if (ask === undefined) {
      setState({ data: undefined, error: undefined, isWaiting: false, number });
      return undefined;
    }
    let isStale = false;
    setState((last) => ({ ...last, isWaiting: true }));
    ask().then(
      (data) => {
        if (!isStale) setState({ data, error: undefined, isWaiting: false, number });
      },
      (error: unknown) => {
        if (!isStale) {
          setState({ data: undefined, error: toPageError(error), isWaiting: false, number });
        }
      },
    );
    return () => {
      isStale = true;
    };
    // The call itself is a new function each time; what it is made of decides.
  }, [key]);
  return state.number === number ? state : waiting();
}

function waiting<T>(): WorkerData<T> {
  return { data: undefined, error: undefined, isWaiting: true };
}
