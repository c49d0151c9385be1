/** The directories as a tree table with their counters. */
import { useMemo, useState } from 'preact/hooks';
import { HIT_KINDS } from '../../../../src/mds/load.ts';
import { route } from '../../app/route.ts';
import { counted, decimal, percent } from '../../parts/format.ts';
import { type TableColumn, VirtualTable } from '../../parts/virtual-table.tsx';
import { useOpenRows } from '../../picture/open-rows.ts';
import { visibleRows } from '../../picture/tree-rows.ts';
import type { MdsTree } from '../../worker/topics/mds/tree.ts';
import { RankLabel } from './ranks-table.tsx';

/** Rows that the tree opens with at most. */
const FIRST_ROWS = 40;

type Key = 'name' | 'rank' | 'load' | 'part' | 'pin' | (typeof HIT_KINDS)[number];

const COLUMNS: readonly (Pick<TableColumn, 'title' | 'track' | 'isNumber'> & { readonly key: Key })[] = [
  { key: 'name', title: 'Directory', track: 'minmax(18ch, 3fr)' },
  { key: 'rank', title: 'Rank', track: 'minmax(10ch, 1fr)' },
  { key: 'load', title: 'meta_load', track: 'minmax(10ch, 1fr)', isNumber: true },
  { key: 'part', title: 'Of all', track: 'minmax(8ch, 1fr)', isNumber: true },
  ...HIT_KINDS.map((kind) => ({ key: kind, title: kind, track: 'minmax(10ch, 1fr)', isNumber: true })),
  { key: 'pin', title: 'Pin', track: 'minmax(11ch, 1fr)' },
];

/** The table, with the choice of what counters are of. */
export function DirectoryTable({
  tree,
  selected,
  onSelect,
}: {
  readonly tree: MdsTree;
  readonly selected: number;
  readonly onSelect: (row: number) => void;
}) {
  const [order, setOrder] = useState<{ readonly key: Key; readonly isDown: boolean }>();
  const [query, setQuery] = useState('');
  const scope = route.display('mds-counters') === 'own' ? 'own' : 'within';
  const counters = tree.counters[scope];
  const matches = useMemo(() => matching(tree, query), [tree, query]);
  const compare = useMemo(() => order && comparison(tree, counters, order), [tree, counters, order]);
  const { open, hasBelow, isOpen, toggle, branchOf, onArrow } = useOpenRows(tree, {
    selected,
    most: FIRST_ROWS,
    isFiltered: matches !== undefined,
  });
  const visible = useMemo(
    () => visibleRows(tree, { open, compare, only: matches }).filter((row) => tree.isOwn[row] === 0),
    [tree, open, compare, matches],
  );
  const all = tree.loads[0] ?? 0;
  return (
    <section aria-labelledby="directory-table-title">
      <div class="toolbar mds-table-bar">
        <h4 id="directory-table-title">Counters</h4>
        <label>
          of{' '}
          <select
            aria-label="Counters of"
            value={scope}
            onChange={(event) => {
              const { value } = event.currentTarget;
              route.set('display', 'mds-counters', value === 'own' ? 'own' : undefined);
            }}
          >
            <option value="within">a directory with all in it (pop_auth_subtree_nested)</option>
            <option value="own">its own entries (pop_me)</option>
          </select>
        </label>
        <label>
          Find{' '}
          <input
            type="search"
            value={query}
            placeholder="part of a path"
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
        </label>
        {matches !== undefined && (
          <span role="status" class="quiet">
            {counted(matches.size, 'directory', 'directories')}
          </span>
        )}
      </div>
      <VirtualTable
        label="Directories"
        columns={COLUMNS.map((column) => ({
          ...column,
          onSort: () => setOrder((last) => nextOrder(last, column.key)),
          sorted: order?.key === column.key ? (order.isDown ? 'descending' : 'ascending') : undefined,
        }))}
        rowCount={visible.length}
        cells={(i) => {
          const row = visible[i];
          return row === undefined ? undefined : cellsOf(row);
        }}
        tree={(i) => branchOf(visible[i] ?? 0)}
        chosen={visible.indexOf(selected)}
        chosenKey={selected}
        onChoose={(i) => onSelect(visible[i] ?? 0)}
        onKey={(key, i) => onArrow(key, visible[i] ?? 0, visible)}
        height="clamp(14rem, 38vh, 60rem)"
        empty={query === '' ? 'No rank counts hits of any directory.' : 'No path fits.'}
      />
      <p class="quiet">
        IRD, IWR: reads and writes of entries; READDIR: listings; FETCH, STORE: directories read from and
        written to the pool. meta_load = IRD + 2·IWR + READDIR + 2·FETCH + 4·STORE.
        {tree.halflife !== undefined && ` Counters halve in ${tree.halflife} seconds.`}
      </p>
    </section>
  );

  function cellsOf(row: number) {
    const name = tree.names[row] ?? '';
    return [
      <span class="mds-name" style={{ paddingLeft: `${Math.min(tree.depths[row] ?? 0, 12) * 1.1}rem` }}>
        {hasBelow(row) ? (
          <button
            type="button"
            class="mds-toggle"
            tabIndex={-1}
            aria-label={`${isOpen(row) ? 'Close' : 'Open'} ${name}`}
            disabled={matches !== undefined}
            onClick={(event) => {
              event.stopPropagation();
              toggle(row);
            }}
          >
            {isOpen(row) ? '▾' : '▸'}
          </button>
        ) : (
          <span class="mds-toggle" />
        )}
        {name}
      </span>,
      <RankLabel rank={tree.ranks[row] ?? -1} />,
      decimal(tree.loads[row] ?? 0),
      percent(all > 0 ? (tree.loads[row] ?? 0) / all : 0),
      ...HIT_KINDS.map((_, kind) => decimal(counters[HIT_KINDS.length * row + kind] ?? 0)),
      tree.pins[row] ?? '',
    ];
  }
}

/** Rows whose paths have a text in them; undefined for no text. */
function matching(tree: MdsTree, query: string): ReadonlySet<number> | undefined {
  const text = query.trim().toLowerCase();
  if (text === '') return undefined;
  const found = new Set<number>();
  tree.paths.forEach((path, row) => {
    if (tree.isOwn[row] === 0 && path.toLowerCase().includes(text)) found.add(row);
  });
  return found;
}

/** A click on a head orders numbers down first, then up, then as they were. */
function nextOrder(last: { readonly key: Key; readonly isDown: boolean } | undefined, key: Key) {
  const first = key !== 'name' && key !== 'pin' && key !== 'rank';
  if (last?.key !== key) return { key, isDown: first };
  return last.isDown === first ? { key, isDown: !first } : undefined;
}

function comparison(
  tree: MdsTree,
  counters: Float64Array,
  { key, isDown }: { readonly key: Key; readonly isDown: boolean },
): (a: number, b: number) => number {
  const sign = isDown ? -1 : 1;
  const texts = new Intl.Collator('en', { numeric: true });
  switch (key) {
    case 'name':
      return (a, b) => sign * texts.compare(tree.names[a] ?? '', tree.names[b] ?? '');
    case 'pin':
      return (a, b) => sign * texts.compare(tree.pins[a] ?? '', tree.pins[b] ?? '');
    case 'rank':
      return (a, b) => sign * ((tree.ranks[a] ?? 0) - (tree.ranks[b] ?? 0));
    case 'load':
    case 'part':
      return (a, b) => sign * ((tree.loads[a] ?? 0) - (tree.loads[b] ?? 0));
    default: {
      const kind = HIT_KINDS.indexOf(key);
      const count = (row: number): number => counters[HIT_KINDS.length * row + kind] ?? 0;
      return (a, b) => sign * (count(a) - count(b));
    }
  }
}
