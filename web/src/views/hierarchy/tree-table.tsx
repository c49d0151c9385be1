/** The hierarchy as a table that opens and closes, with search. */
import { useMemo, useState } from 'preact/hooks';
import { route } from '../../app/route.ts';
import { count, decimal, weight } from '../../parts/format.ts';
import { type TableColumn, VirtualTable } from '../../parts/virtual-table.tsx';
import { deviation, deviationText } from '../../picture/fill-scale.ts';
import { useOpenRows } from '../../picture/open-rows.ts';
import { isOsd, reweightOf, stateOf, typeOf } from '../../picture/rows.ts';
import { openedTo, typesByDepth, visibleRows } from '../../picture/tree-rows.ts';
import type { HierarchyLoads } from '../../worker/topics/hierarchy-loads.ts';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';
import { SearchBox } from './search-box.tsx';
import { search } from './search.ts';

/** Rows that a tree opens with at most. */
const FIRST_ROWS = 60;

type Key =
  | 'name'
  | 'id'
  | 'type'
  | 'class'
  | 'weight'
  | 'reweight'
  | 'state'
  | 'shards'
  | 'expected'
  | 'deviation'
  | 'primaries';

const COLUMNS: readonly (Pick<TableColumn, 'title' | 'track' | 'isNumber'> & { readonly key: Key })[] = [
  { key: 'name', title: 'Name', track: 'minmax(17ch, 3fr)' },
  { key: 'id', title: 'Id', track: 'minmax(6ch, 1fr)', isNumber: true },
  { key: 'type', title: 'Type', track: 'minmax(9ch, 1fr)' },
  { key: 'class', title: 'Class', track: 'minmax(6ch, 1fr)' },
  { key: 'weight', title: 'Weight', track: 'minmax(8ch, 1fr)', isNumber: true },
  { key: 'reweight', title: 'Reweight', track: 'minmax(9ch, 1fr)', isNumber: true },
  { key: 'state', title: 'State', track: 'minmax(9ch, 1fr)' },
  { key: 'shards', title: 'Shards', track: 'minmax(8ch, 1fr)', isNumber: true },
  { key: 'expected', title: 'Expected', track: 'minmax(9ch, 1fr)', isNumber: true },
  { key: 'deviation', title: 'Deviation', track: 'minmax(9ch, 1fr)', isNumber: true },
  { key: 'primaries', title: 'Primary of', track: 'minmax(10ch, 1fr)', isNumber: true },
];

/** What a {@link TreeTable} shows. */
interface TreeTableProps {
  readonly rows: HierarchyRows;
  readonly loads: HierarchyLoads | undefined;
  readonly selected: number;
  readonly onSelect: (row: number) => void;
}

/** Tree, search and the choice of how deep it is open. */
export function TreeTable({ rows, loads, selected, onSelect }: TreeTableProps) {
  const [order, setOrder] = useState<{ readonly key: Key; readonly isDown: boolean }>();
  const query = route.subject('find') ?? '';
  const onlyMatches = route.display('matches') === 'only';
  const matches = useMemo(() => search(rows, query), [rows, query]);
  const matching = useMemo(() => new Set(matches), [matches]);
  const compare = useMemo(() => order && comparison(rows, loads, order), [rows, loads, order]);
  const only = onlyMatches && query.trim() !== '' ? matching : undefined;
  const { open, setOpen, hasBelow, isOpen, toggle, branchOf, onArrow } = useOpenRows(rows, {
    selected,
    most: FIRST_ROWS,
    isFiltered: only !== undefined,
  });
  const visible = useMemo(() => visibleRows(rows, { open, compare, only }), [rows, open, compare, only]);

  const types = typesByDepth(rows);
  return (
    <section class="tree" aria-labelledby="tree-title">
      <div class="toolbar">
        <h3 id="tree-title">Tree</h3>
        <SearchBox query={query} matches={matches} selected={selected} onSelect={onSelect} />
        <DepthChoice types={types} onDepth={(depth) => setOpen(() => openedTo(rows, depth))} />
      </div>
      <VirtualTable
        label="Hierarchy"
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
        onKey={(key, i) => onKey(key, visible[i] ?? 0)}
        rowClass={(i) => (query !== '' && matching.has(visible[i] ?? -1) ? 'match' : undefined)}
        height="clamp(14rem, 45vh, 80rem)"
        empty={query === '' ? 'The map has no buckets.' : 'Nothing fits the search.'}
      />
    </section>
  );

  function onKey(key: string, row: number): boolean | number {
    if (key === '*') {
      const below = rows.ids.slice(row, rows.ends[row]).filter((item) => item < 0);
      setOpen((last) => new Set([...last, ...below]));
      return true;
    }
    return onArrow(key, row, visible);
  }

  function cellsOf(row: number) {
    const shards = loads?.shards[row] ?? 0;
    const expected = loads?.expected[row] ?? 0;
    const off = deviation(shards, expected);
    return [
      <span class="tree-name" style={{ paddingLeft: `${Math.min(rows.depths[row] ?? 0, 12) * 1.1}rem` }}>
        {hasBelow(row) ? (
          <button
            type="button"
            class="tree-toggle"
            tabIndex={-1}
            aria-label={`${isOpen(row) ? 'Close' : 'Open'} ${rows.names[row] ?? ''}`}
            disabled={only !== undefined}
            onClick={(event) => {
              event.stopPropagation();
              toggle(row);
            }}
          >
            {isOpen(row) ? '▾' : '▸'}
          </button>
        ) : (
          <span class="tree-toggle" />
        )}
        {rows.names[row]}
      </span>,
      rows.ids[row],
      typeOf(rows, row),
      rows.classes[row],
      weight(rows.weights[row] ?? 0),
      reweightOf(rows, row),
      <span class={isOsd(rows, row) && stateOf(rows, row) !== 'up' ? 'tree-odd' : ''}>
        {stateOf(rows, row)}
      </span>,
      ...(loads === undefined
        ? ['…', '…', '…', '…']
        : [
            count(shards),
            decimal(expected),
            <span class={Math.abs(off) > 0.25 ? 'tree-odd' : ''}>{deviationText(off)}</span>,
            count(loads.primaries[row] ?? 0),
          ]),
    ];
  }
}

function DepthChoice({
  types,
  onDepth,
}: {
  readonly types: readonly string[];
  readonly onDepth: (depth: number) => void;
}) {
  return (
    <label>
      Open down to{' '}
      <select
        value=""
        onChange={(event) => {
          onDepth(Number(event.currentTarget.value));
          event.currentTarget.value = '';
        }}
      >
        <option value="" disabled>
          …
        </option>
        {types.map((words, depth) => (
          <option key={depth} value={depth}>
            {depth}: {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A click on a head orders up, then down, then as the map has it. */
function nextOrder(last: { readonly key: Key; readonly isDown: boolean } | undefined, key: Key) {
  if (last?.key !== key) return { key, isDown: false };
  return last.isDown ? undefined : { key, isDown: true };
}

function comparison(
  rows: HierarchyRows,
  loads: HierarchyLoads | undefined,
  { key, isDown }: { readonly key: Key; readonly isDown: boolean },
): (a: number, b: number) => number {
  const sign = isDown ? -1 : 1;
  const texts = new Intl.Collator('en', { numeric: true });
  const byText = (text: (row: number) => string) => (a: number, b: number) =>
    sign * texts.compare(text(a), text(b));
  const byNumber = (number: (row: number) => number) => (a: number, b: number) =>
    sign * (number(a) - number(b));
  switch (key) {
    case 'name':
      return byText((row) => rows.names[row] ?? '');
    case 'type':
      return byText((row) => typeOf(rows, row));
    case 'class':
      return byText((row) => rows.classes[row] ?? '');
    case 'state':
      return byText((row) => stateOf(rows, row));
    case 'id':
      return byNumber((row) => rows.ids[row] ?? 0);
    case 'weight':
      return byNumber((row) => rows.weights[row] ?? 0);
    case 'reweight':
      return byNumber((row) => rows.reweights[row] ?? 0);
    case 'deviation':
      return byNumber((row) => sortable(deviation(loads?.shards[row] ?? 0, loads?.expected[row] ?? 0)));
    default:
      return byNumber((row) => loads?.[key][row] ?? 0);
  }
}

/** What has no share stands before what has less than its share. */
function sortable(deviating: number): number {
  return Number.isNaN(deviating) ? -2 : Math.min(deviating, Number.MAX_VALUE);
}
