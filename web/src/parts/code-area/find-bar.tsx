/** A bar over a text: find and replace, and the way to a line. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count } from '../format.ts';
import { useSettled } from '../use-settled.ts';
import type { CodeState } from './code-state.ts';
import { isOccurrence, lastOccurrence, nextOccurrence, occurrences, type FindQuery } from './find.ts';

/** Occurrences that are counted. */
const MOST_COUNTED = 10_000;
/** Milliseconds without a key after which occurrences are counted. */
const PAUSE = 150;

/** What a {@link FindBar} needs. */
export interface FindBarProps {
  readonly state: CodeState;
  /** The field to begin in; another object brings the user there again. */
  readonly opened: { readonly field: 'search' | 'line' };
  readonly onClose: () => void;
}

/** Selects the next occurrence of what is looked for, from the selection on, or the one before it. */
export function findNext(state: CodeState, step: 1 | -1): void {
  const query = state.query.peek();
  if (query === undefined) return;
  const { start, end } = state.selection.peek();
  const at = step > 0 ? nextOccurrence(state.text, query, end) : lastOccurrence(state.text, query, start);
  if (at >= 0) state.goTo(at, at + query.text.length);
}

/** See the top of the file. Escape closes it, Enter finds the next. */
export function FindBar({ state, opened, onClose }: FindBarProps) {
  const search = useRef<HTMLInputElement>(null);
  const line = useRef<HTMLInputElement>(null);
  const [by, setBy] = useState('');
  const [done, setDone] = useState('');
  const query = state.query.value ?? NOTHING;
  // At once, for keys that are pressed right after.
  useLayoutEffect(() => {
    const field = (opened.field === 'line' ? line : search).current;
    field?.focus();
    field?.select();
  }, [opened]);

  const change = (more: Partial<FindQuery>): void => {
    const next = { ...query, ...more };
    state.query.value = next;
    setDone('');
    // The occurrence at hand may still be one.
    const at = nextOccurrence(state.text, next, state.selection.peek().start);
    if (at >= 0) state.goTo(at, at + next.text.length);
  };
  const find = (step: 1 | -1): void => {
    setDone('');
    findNext(state, step);
  };
  const replace = (): void => {
    const { start, end } = state.selection.peek();
    if (isOccurrence(state.text, query, start, end)) state.replaceSelection(by);
    find(1);
  };
  return (
    <div
      class="code-bar"
      role="search"
      aria-label="Find in the text"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <div class="code-bar-line">
        <input
          ref={search}
          name="search"
          aria-label="Find"
          placeholder="Find"
          autocomplete="off"
          spellcheck={false}
          value={query.text}
          onInput={(event) => change({ text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            find(event.shiftKey ? -1 : 1);
          }}
        />
        <button type="button" onClick={() => find(-1)}>
          Previous
        </button>
        <button type="button" onClick={() => find(1)}>
          Next
        </button>
        <label>
          <input
            type="checkbox"
            name="case"
            checked={query.isCaseSensitive}
            onChange={(event) => change({ isCaseSensitive: event.currentTarget.checked })}
          />{' '}
          Match case
        </label>
        <span role="status" class="quiet">
          {done === '' ? <Count state={state} query={query} /> : done}
        </span>
      </div>
      <div class="code-bar-line">
        <input
          name="replace"
          aria-label="Replace by"
          placeholder="Replace by"
          autocomplete="off"
          spellcheck={false}
          value={by}
          onInput={(event) => setBy(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            replace();
          }}
        />
        <button type="button" onClick={replace}>
          Replace
        </button>
        <button
          type="button"
          name="replaceAll"
          onClick={() => setDone(`${count(state.replaceFound(query, by))} replaced`)}
        >
          Replace all
        </button>
        <label>
          Line{' '}
          <input
            ref={line}
            name="line"
            class="code-bar-number"
            inputMode="numeric"
            autocomplete="off"
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              const wanted = Math.round(Number(event.currentTarget.value));
              const { lines } = state;
              if (!(wanted >= 1 && wanted <= lines.lineCount)) {
                setDone(`there are lines 1 to ${count(lines.lineCount)}`);
                return;
              }
              setDone('');
              state.goTo(lines.lineStart(wanted - 1));
              state.field?.focus();
            }}
          />
        </label>
        <button type="button" class="code-bar-close" onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  );
}

const NOTHING: FindQuery = { text: '', isCaseSensitive: false };

/** How many occurrences there are, and at which one the selection is. */
function Count({ state, query }: { readonly state: CodeState; readonly query: FindQuery }) {
  const version = state.version.value;
  const key = `${version} ${query.isCaseSensitive} ${query.text}`;
  const settled = useSettled(key, PAUSE);
  const [counted, setCounted] = useState<{ readonly key: string; readonly found: readonly number[] }>();
  useEffect(() => {
    if (settled === key) setCounted({ key, found: occurrences(state.text, query, MOST_COUNTED) });
  }, [settled, key, state]);
  const { start, end } = state.selection.value;
  if (query.text === '') return null;
  if (counted?.key !== key) return <>…</>;
  const { found } = counted;
  if (found.length === 0) return <>none</>;
  const all = found.length < MOST_COUNTED ? count(found.length) : `more than ${count(MOST_COUNTED)}`;
  const at = end - start === query.text.length ? found.indexOf(start) : -1;
  return <>{at < 0 ? all : `${count(at + 1)} of ${all}`}</>;
}
