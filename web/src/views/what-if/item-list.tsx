/** OSDs and buckets as a list to search in and pick from. */
import { useMemo, useState } from 'preact/hooks';
import { count, signed, weight } from '../../parts/format.ts';
import { VirtualTable, type TableColumn } from '../../parts/virtual-table.tsx';
import { typeOf } from '../../picture/rows.ts';
import { search } from '../hierarchy/search.ts';
import type { PickProps } from './picture-panel.tsx';

const COLUMNS: readonly TableColumn[] = [
  { key: 'name', title: 'Name', track: 'minmax(12ch, 2fr)' },
  { key: 'type', title: 'Type', track: '8ch' },
  { key: 'weight', title: 'Weight', track: '9ch', isNumber: true },
  { key: 'before', title: 'Shards', track: '9ch', isNumber: true },
  { key: 'after', title: 'After', track: '9ch', isNumber: true },
  { key: 'change', title: 'Change', track: '8ch', isNumber: true },
];

/** A field to search with, and what it finds. */
export function ItemList({ rows, loads, selected, onSelect }: PickProps) {
  const [query, setQuery] = useState('');
  const found = useMemo(() => (query.trim() === '' ? undefined : search(rows, query)), [rows, query]);
  const rowAt = (at: number) => (found === undefined ? at : (found[at] ?? 0));
  const size = found?.length ?? rows.count;
  const at = found === undefined ? selected : found.indexOf(selected);
  return (
    <section class="panel" aria-labelledby="list-title">
      <h3 id="list-title">Or find it in the list</h3>
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
    </section>
  );
}
