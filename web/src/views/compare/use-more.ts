/** More of a comparison in a component. */
import type { Remote } from 'comlink';
import { useEffect, useState } from 'preact/hooks';
import type { PageApi } from '../../worker/api.ts';
import { toPageError, type PageError } from '../../worker/page-error.ts';
import { askMore } from './compare-state.ts';

/** What a component has of it. */
export interface More<T> {
  readonly data: T | undefined;
  readonly error: PageError | undefined;
}

/**
 * Asks the worker of the comparison, and again when one of `dependencies` changes; late answers are dropped. While a
 * newer answer is awaited the last stays.
 */
export function useMore<T>(
  ask: (api: Remote<PageApi>) => Promise<T>,
  dependencies: readonly (string | number | undefined)[],
): More<T> {
  const [state, setState] = useState<More<T>>({ data: undefined, error: undefined });
  useEffect(() => {
    let isStale = false;
    askMore(ask).then(
      (data) => {
        if (!isStale) setState({ data, error: undefined });
      },
      (error: unknown) => {
        if (!isStale) setState({ data: undefined, error: toPageError(error) });
      },
    );
    return () => {
      isStale = true;
    };
    // The call itself is a new function each time; what it is made of decides.
  }, [dependencies.join('\n')]);
  return state;
}
