/** Where the user picks what to change: the picture, and a list to search in. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import { route } from '../../app/route.ts';
import { count, signed, weight } from '../../parts/format.ts';
import { VirtualTable, type TableColumn } from '../../parts/virtual-table.tsx';
import { HierarchyPicture } from '../../picture/hierarchy-picture.tsx';
import { Legend } from '../../picture/legend.tsx';
import { rowOfItem, typeOf } from '../../picture/rows.ts';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';
import type { OsdFills } from '../../worker/what-if/fill.ts';
import { search } from '../hierarchy/search.ts';
import {
  changeColours,
  changeMark,
  type ColourBy,
  COLOURS_BY,
  rowLoads,
  type RowLoads,
} from './change-colours.ts';

/** The item that is picked, by its CRUSH id; undefined: none. */
export function pickedItem(): number | undefined {
  const text = route.subject('item');
  return text !== undefined && /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Picture, legend and list. */
export function PicturePanel({ rows, fills }: { readonly rows: HierarchyRows; readonly fills: OsdFills }) {
  const by = COLOURS_BY.find(([id]) => id === route.display('show'))?.[0] ?? 'changed';
  const loads = useMemo(() => rowLoads(rows, fills), [rows, fills]);
  const colours = useMemo(() => changeColours(by, rows, loads), [by, rows, loads]);
  const facts = useCallback((row: number) => factsOf(loads, row), [loads]);
  const marks = useCallback((row: number) => changeMark(rows, fills, row), [rows, fills]);
  const item = pickedItem();
  const [chosen, choose] = useState(-1);
  const selected = item !== undefined && rows.ids[chosen] === item ? chosen : rowOfItem(rows, item);
  const select = useCallback(
    (row: number) => {
      choose(row);
      route.set('subject', 'item', String(rows.ids[row] ?? ''));
    },
    [rows],
  );
  return (
    <section class="panel" aria-labelledby="pick-title">
      <h3 id="pick-title">Pick an OSD or bucket</h3>
      <div class="toolbar">
        <ColourByChoice by={by} />
      </div>
      <HierarchyPicture
        rows={rows}
        label="Hierarchy with the changes, areas by CRUSH weight"
        colour={colours.colour}
        value={colours.value}
        facts={facts}
        marks={marks}
        selected={selected}
        onSelect={select}
        height="clamp(14rem, 36vh, 44rem)"
      />
      <Legend label="Colours and marks" entries={colours.legend} />
      <ItemList rows={rows} loads={loads} selected={selected} onSelect={select} />
    </section>
  );
}

const COLUMNS: readonly TableColumn[] = [
  { key: 'name', title: 'Name', track: 'minmax(12ch, 2fr)' },
  { key: 'type', title: 'Type', track: '8ch' },
  { key: 'weight', title: 'Weight', track: '9ch', isNumber: true },
  { key: 'before', title: 'Shards', track: '9ch', isNumber: true },
  { key: 'after', title: 'After', track: '9ch', isNumber: true },
  { key: 'change', title: 'Change', track: '8ch', isNumber: true },
];

function ItemList({
  rows,
  loads,
  selected,
  onSelect,
}: {
  readonly rows: HierarchyRows;
  readonly loads: RowLoads;
  readonly selected: number;
  readonly onSelect: (row: number) => void;
}) {
  const [query, setQuery] = useState('');
  const found = useMemo(() => (query.trim() === '' ? undefined : search(rows, query)), [rows, query]);
  const rowAt = (at: number) => (found === undefined ? at : (found[at] ?? 0));
  const size = found?.length ?? rows.count;
  const at = found === undefined ? selected : found.indexOf(selected);
  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          aria-label="Find an OSD or bucket"
          placeholder="osd.7, class:ssd, type:rack …"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && size > 0) onSelect(rowAt(0));
          }}
        />
        <span class="quiet" role="status">
          {found === undefined ? '' : `${count(found.length)} found`}
        </span>
      </div>
      <VirtualTable
        label="OSDs and buckets"
        columns={COLUMNS}
        rowCount={size}
        height="11rem"
        chosen={at}
        onChoose={(index) => onSelect(rowAt(index))}
        empty="No OSD or bucket fits."
        cells={(index) => {
          const row = rowAt(index);
          const before = loads.shardsBefore[row] ?? 0;
          const after = loads.shardsAfter[row] ?? 0;
          return [
            rows.names[row],
            typeOf(rows, row),
            weight(rows.weights[row] ?? 0),
            count(before),
            count(after),
            signed(after - before),
          ];
        }}
      />
    </>
  );
}

function factsOf(loads: RowLoads, row: number): (readonly [string, string])[] {
  const before = loads.shardsBefore[row] ?? 0;
  const after = loads.shardsAfter[row] ?? 0;
  return [
    ['shards', `${count(before)} → ${count(after)} (${signed(after - before)})`],
    [
      'by weight',
      `${(loads.expectedBefore[row] ?? 0).toFixed(1)} → ${(loads.expectedAfter[row] ?? 0).toFixed(1)}`,
    ],
  ];
}

function ColourByChoice({ by }: { readonly by: ColourBy }) {
  return (
    <fieldset class="colour-by">
      <legend class="visually-hidden">Colours show</legend>
      {COLOURS_BY.map(([id, title]) => (
        <label key={id}>
          <input
            type="radio"
            name="colour-by"
            checked={id === by}
            onChange={() => route.set('display', 'show', id === 'changed' ? undefined : id)}
          />{' '}
          {title}
        </label>
      ))}
    </fieldset>
  );
}
