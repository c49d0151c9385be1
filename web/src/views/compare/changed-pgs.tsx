/** The PGs that change, with their sets before and after. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { route } from '../../app/route.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { counted, pgName } from '../../parts/format.ts';
import { useSettled } from '../../parts/use-settled.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { ITEM_NONE } from '../../../../src/crush/model.ts';
import { toPageError, type PageError } from '../../worker/page-error.ts';
import type { CompareMoves } from '../../worker/topics/compare.ts';
import type { ChangedPgFilter, ChangedPgRow } from '../../worker/topics/compare/changed-pgs.ts';
import { askMore } from './compare-state.ts';

const COLUMNS = [
  { key: 'pg', title: 'PG', track: '10ch' },
  { key: 'cause', title: 'cause', track: '16ch' },
  { key: 'moved', title: 'move', track: '6ch', isNumber: true },
  { key: 'before', title: 'before (primary bold)', track: 'minmax(24ch, 1fr)' },
  { key: 'after', title: 'after (new underlined)', track: 'minmax(24ch, 1fr)' },
] as const;

/** Rows that are asked for at once. */
const PAGE = 256;

/** The table, with what narrows it down. */
export function ChangedPgs({ id, moves }: { readonly id: number; readonly moves: CompareMoves }) {
  const words = route.subject('moved') ?? '';
  const pool = moves.pools.find(({ pool }) => String(pool) === route.subject('pool'))?.pool;
  const cause = moves.causes.find(({ cause }) => cause === route.display('compare-cause'))?.cause;
  const settled = useSettled(words, 200);
  const { rows, total, error, ask } = useRows(id, { pool, cause, words: settled });
  return (
    <>
      <div class="toolbar">
        <label>
          Find{' '}
          <input
            type="search"
            value={words}
            placeholder="osd.7 or 4.1f"
            onInput={(event) => route.set('subject', 'moved', event.currentTarget.value)}
          />
        </label>
        <label>
          Pool{' '}
          <select
            value={pool === undefined ? '' : String(pool)}
            onChange={(event) => route.set('subject', 'pool', event.currentTarget.value)}
          >
            <option value="">all pools</option>
            {moves.pools
              .filter(({ changedPgs }) => changedPgs > 0)
              .map(({ pool: each, name }) => (
                <option key={each} value={String(each)}>
                  {each} {name}
                </option>
              ))}
          </select>
        </label>
        <label>
          Cause{' '}
          <select
            value={cause ?? ''}
            onChange={(event) => route.set('display', 'compare-cause', event.currentTarget.value)}
          >
            <option value="">any</option>
            {moves.causes.map(({ cause: each }) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        {total !== undefined && (
          <span class="quiet" role="status">
            {counted(total, 'PG')}
          </span>
        )}
      </div>
      {error && <ErrorNote error={error} />}
      <VirtualTable
        label="Changed PGs"
        columns={COLUMNS}
        rowCount={total ?? 0}
        cells={(row) => {
          const pg = rows.get(row);
          return pg && rowCells(pg);
        }}
        onWindow={ask}
        onChoose={(row) => {
          const pg = rows.get(row);
          if (pg !== undefined) route.go('explain', { pg: pgName(pg.pool, pg.ps) });
        }}
        empty={total === undefined ? 'Looking …' : 'No changed PG is like that.'}
      />
      <p class="quiet">Choose a PG to have its place in the current map explained.</p>
    </>
  );
}

function rowCells(pg: ChangedPgRow) {
  return [
    pgName(pg.pool, pg.ps),
    pg.cause ?? '',
    pg.moved,
    <PgSet key="before" osds={pg.before} primary={pg.beforePrimary} />,
    <PgSet key="after" osds={pg.after} primary={pg.afterPrimary} former={pg.before} />,
  ];
}

/** A set of OSDs; holes are told as none. */
function PgSet({
  osds,
  primary,
  former,
}: {
  readonly osds: readonly number[];
  readonly primary: number;
  readonly former?: readonly number[];
}) {
  if (osds.length === 0) return <span class="quiet">none</span>;
  return (
    <span class="pg-set">
      {osds.map((osd, i) => {
        const isNew = former !== undefined && osd !== ITEM_NONE && !former.includes(osd);
        const isPrimary = osd === primary;
        return (
          <span key={i}>
            {i > 0 && ' '}
            <span class={`${isNew ? 'new' : ''} ${isPrimary ? 'primary' : ''}`}>
              {osd === ITEM_NONE ? 'none' : osd}
            </span>
          </span>
        );
      })}
    </span>
  );
}

/** Rows as they come into sight. */
function useRows(id: number, filter: ChangedPgFilter) {
  const key = JSON.stringify([id, filter]);
  const cache = useRef({ key, rows: new Map<number, ChangedPgRow>(), asked: new Set<number>() });
  const [total, setTotal] = useState<number>();
  const [error, setError] = useState<PageError>();
  const [, redraw] = useState(0);
  if (cache.current.key !== key) cache.current = { key, rows: new Map(), asked: new Set() };
  const load = (page: number): void => {
    const mine = cache.current;
    if (mine.asked.has(page)) return;
    mine.asked.add(page);
    askMore((api) => api.compareRows(id, filter, page * PAGE, PAGE)).then(
      (answer) => {
        if (cache.current !== mine) return;
        answer.rows.forEach((row, i) => mine.rows.set(page * PAGE + i, row));
        setTotal(answer.total);
        setError(undefined);
        redraw((times) => times + 1);
      },
      (failure: unknown) => {
        if (cache.current === mine) setError(toPageError(failure));
      },
    );
  };
  useEffect(() => load(0), [key]);
  const ask = useCallback(
    (first: number, count: number) => {
      for (let page = Math.floor(first / PAGE); page * PAGE < first + count; page++) load(page);
    },
    [key],
  );
  return { rows: cache.current.rows, total, error, ask };
}
