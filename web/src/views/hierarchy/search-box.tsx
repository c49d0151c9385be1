/** The search in the hierarchy: a field, and the way from match to match. */
import { route } from '../../app/route.ts';
import { count, counted } from '../../parts/format.ts';
import { SEARCH_KEYS } from './search.ts';

/** Field, number of matches, previous and next. Enter goes to the next match, Shift and Enter to the one before. */
export function SearchBox({
  query,
  matches,
  selected,
  onSelect,
}: {
  readonly query: string;
  readonly matches: readonly number[];
  readonly selected: number;
  readonly onSelect: (row: number) => void;
}) {
  const at = matches.indexOf(selected);
  const hint = `Part of a name, an id, osd.N, or ${SEARCH_KEYS.map((key) => `${key}:…`).join(' ')}; all words must fit`;
  return (
    <span class="tree-search">
      <input
        type="search"
        aria-label="Search in the hierarchy"
        aria-describedby="tree-search-hint"
        placeholder="osd.7, class:ssd, type:rack …"
        title={hint}
        value={query}
        onInput={(event) => route.set('subject', 'find', event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          step(event.shiftKey ? -1 : 1);
        }}
      />
      <span id="tree-search-hint" class="visually-hidden">
        {hint}
      </span>
      {query.trim() !== '' && (
        <>
          <button
            type="button"
            aria-label="Previous match"
            disabled={matches.length === 0}
            onClick={() => step(-1)}
          >
            ↑
          </button>
          <button
            type="button"
            aria-label="Next match"
            disabled={matches.length === 0}
            onClick={() => step(1)}
          >
            ↓
          </button>
          <label>
            <input
              type="checkbox"
              checked={route.display('matches') === 'only'}
              onChange={(event) =>
                route.set('display', 'matches', event.currentTarget.checked ? 'only' : undefined)
              }
            />{' '}
            only matches
          </label>
        </>
      )}
      <span role="status">
        {query.trim() !== '' &&
          (at < 0
            ? counted(matches.length, 'match', 'matches')
            : `match ${count(at + 1)} of ${count(matches.length)}`)}
      </span>
    </span>
  );

  function step(by: 1 | -1): void {
    if (matches.length === 0) return;
    const from = at >= 0 ? at : by > 0 ? -1 : 0;
    onSelect(matches[(from + by + matches.length) % matches.length] ?? 0);
  }
}
