/** The table of PGs. */
import type { ComponentChildren } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import { count, pgName } from '../../parts/format.ts';
import { OsdButton, OsdSet } from '../../parts/osd-set.tsx';
import { VirtualTable, type TableColumn } from '../../parts/virtual-table.tsx';
import type { PgList, PgOrder, PgQuery, PgRow } from '../../worker/topics/pgs.ts';
import { flagWords, PG_FLAG } from '../../worker/topics/pgs/flags.ts';
import { usePgRows } from './pg-rows.ts';

/** What was found, with the query that found it. */
export interface FoundPgs {
  readonly list: PgList;
  readonly query: PgQuery;
  /** Another one for each query and state of the document. */
  readonly key: string;
}

/** See the top of the file. */
export function PgTable({
  found,
  chosen,
  reveal,
  isChanged,
  onChoose,
  onOrder,
}: {
  readonly found: FoundPgs;
  /** Row of the chosen PG, or -1. */
  readonly chosen: number;
  /** Another number brings the chosen row into sight again. */
  readonly reveal: number;
  /** Whether the document has been changed: then the table says where PGs were. */
  readonly isChanged: boolean;
  readonly onChoose: (pool: number, ps: number) => void;
  readonly onOrder: (order: PgOrder) => void;
}) {
  const { list, query, key } = found;
  const store = usePgRows(query, list.head, key);
  const onWindow = useCallback((first: number, rows: number) => store.want(first, rows), [store]);
  // A row that is shown again as it was costs no time while the table is scrolled.
  const made = useMemo(() => new WeakMap<PgRow, readonly ComponentChildren[]>(), [isChanged]);
  const choose = (row: number): void => {
    const pg = store.row(row);
    if (pg !== undefined) onChoose(pg.pool, pg.ps);
    else void store.fetchRow(row).then((late) => late && onChoose(late.pool, late.ps));
  };
  return (
    <VirtualTable
      label={`PGs, ${count(list.count)} found`}
      columns={columnsOf(list, query, isChanged, onOrder)}
      rowCount={list.count}
      cells={(row) => {
        const pg = store.row(row);
        if (pg === undefined) return undefined;
        let cells = made.get(pg);
        if (cells === undefined) made.set(pg, (cells = cellsOf(pg, isChanged)));
        return cells;
      }}
      onWindow={onWindow}
      chosen={chosen}
      reveal={reveal}
      onChoose={choose}
      height="calc(100vh - 15rem)"
      empty={list.total === 0 ? 'There are no PGs.' : 'No PG is like that.'}
    />
  );
}

function columnsOf(
  { width, idDigits, holes, noted }: PgList,
  { order, isDescending }: PgQuery,
  isChanged: boolean,
  onOrder: (order: PgOrder) => void,
): TableColumn[] {
  // As wide as the widest set: ids, the word for each hole, and the gaps between them.
  const characters = width * (idDigits + 1) + holes * Math.max(0, 'none'.length - idDigits);
  const set = `${Math.max(8, characters)}ch`;
  const isRemapped = (noted & PG_FLAG.remapped) !== 0;
  const sorted = (by: PgOrder): Pick<TableColumn, 'onSort' | 'sorted'> => ({
    onSort: () => onOrder(by),
    sorted: by !== order ? undefined : isDescending ? 'descending' : 'ascending',
  });
  return [
    { key: 'pg', title: 'PG', track: '11ch', ...sorted('pg') },
    { key: 'up', title: 'up', track: set },
    ...(isChanged ? [{ key: 'before', title: 'up before changes', track: `max(${set}, 18ch)` }] : []),
    { key: 'up-primary', title: 'up primary', track: '13ch', isNumber: true, ...sorted('up-primary') },
    { key: 'acting', title: 'acting', track: isRemapped ? set : '8ch' },
    {
      key: 'acting-primary',
      title: 'acting primary',
      track: '16ch',
      isNumber: true,
      ...sorted('acting-primary'),
    },
    { key: 'notes', title: 'notes', track: 'minmax(26ch, 1fr)' },
  ];
}

function cellsOf(pg: PgRow, isChanged: boolean) {
  const isSame = pg.acting.join() === pg.up.join();
  return [
    <span class="pg-name">{pgName(pg.pool, pg.ps)}</span>,
    <OsdSet osds={pg.up} isShort isTabStop={false} />,
    ...(isChanged
      ? [
          pg.upBefore === undefined ? (
            <span class="quiet">the same</span>
          ) : (
            <OsdSet osds={pg.upBefore} isShort isTabStop={false} />
          ),
        ]
      : []),
    <OsdButton osd={pg.upPrimary} isShort isTabStop={false} />,
    isSame ? <span class="quiet">as up</span> : <OsdSet osds={pg.acting} isShort isTabStop={false} />,
    <OsdButton osd={pg.actingPrimary} isShort isTabStop={false} />,
    flagWords(pg.flags).join(', '),
  ];
}
