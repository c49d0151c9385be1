/** All PGs in a table to be searched, one PG in detail, and where objects are. */
import { useCallback, useState } from 'preact/hooks';
import { documentKey, documentOpen } from '../../app/document.ts';
import { route } from '../../app/route.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, pgName } from '../../parts/format.ts';
import { ObjectForm } from '../../parts/object-form.tsx';
import { parsePg } from '../../parts/pg-id.ts';
import { chosenPool } from '../../parts/pool-choice.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { useWorkerData } from '../../parts/use-worker-data.ts';
import type { PageError } from '../../worker/page-error.ts';
import type { PgList, PgOrder, PgQuery } from '../../worker/topics/pgs.ts';
import { PgPanel } from './pg-panel.tsx';
import { type FoundPgs, PgTable } from './pg-table.tsx';
import { PgToolbar } from './pg-toolbar.tsx';
import './pgs.css';

/** The view. */
export function PgsView() {
  const open = documentOpen.value;
  const search = useSettled(route.subject('pgs') ?? '', 120);
  const query: PgQuery = {
    pool: chosenPool(),
    search,
    only: route.display('pgs-only'),
    order: orderOf(route.display('pgs-order')),
    isDescending: route.display('pgs-down') === '1',
  };
  const key = `${documentKey.value} ${JSON.stringify(query)}`;
  const found = useWorkerData(
    async (): Promise<FoundPgs> => ({ list: await worker.pgList(query), query, key }),
    [key],
  );
  const [reveal, setReveal] = useState(0);
  const chosen = parsePg(route.subject('pg') ?? '');
  const position = useWorkerData(chosen && (() => worker.pgPosition(query, chosen.pool, chosen.ps)), [
    key,
    chosen?.pool,
    chosen?.ps,
  ]);
  const detail = useWorkerData(chosen && (() => worker.pgDetail(chosen.pool, chosen.ps)), [
    chosen?.pool,
    chosen?.ps,
  ]);
  const choose = useCallback((pool: number, ps: number) => route.set('subject', 'pg', pgName(pool, ps)), []);
  const goTo = useCallback((pool: number, ps: number) => {
    const shown = chosenPool();
    if (shown !== undefined && shown !== pool) route.set('subject', 'pool', String(pool));
    choose(pool, ps);
    setReveal((times) => times + 1);
  }, []);
  if (open === undefined) return null;
  const list = found.data?.list;
  const isElsewhere =
    chosen !== undefined && !position.isWaiting && position.data === -1 && list !== undefined;
  return (
    <>
      <PgToolbar query={query} isChanged={open.isChanged} hasFound={(list?.count ?? 0) > 0} onGo={goTo} />
      {found.error && <ErrorNote error={found.error} />}
      {list && <Failures failures={list.failures} />}
      {list !== undefined && list.problems.length > 0 && (
        <p class="note" role="alert">
          {list.problems.join('; ')}
        </p>
      )}
      <p class="pg-count" role="status">
        {list === undefined
          ? 'Mapping …'
          : list.count === list.total
            ? `${count(list.total)} PGs`
            : `${count(list.count)} of ${count(list.total)} PGs`}
        {isElsewhere && detail.data && `; ${pgName(chosen.pool, chosen.ps)} is not among them`}
      </p>
      <div class="pg-columns">
        <div class="pg-main">
          {found.data && (
            <PgTable
              found={found.data}
              chosen={chosen === undefined ? -1 : (position.data ?? -1)}
              reveal={reveal}
              isChanged={open.isChanged}
              onChoose={choose}
              onOrder={setOrder}
            />
          )}
        </div>
        <div class="pg-side">
          {chosen !== undefined && detail.error && <ErrorNote error={detail.error} />}
          {chosen !== undefined && detail.data && <PgPanel pg={detail.data} />}
          {open.pools.length > 0 && <ObjectForm onFound={goTo} />}
        </div>
      </div>
    </>
  );
}

/** Pools that cannot be mapped, those with the same reason together; what keeps all from it is told above. */
function Failures({ failures }: { readonly failures: PgList['failures'] }) {
  const reasons = new Map<string, { readonly error: PageError; readonly pools: number[] }>();
  for (const { pool, error } of failures) {
    if (error.text === documentOpen.value?.obstacle?.text) continue;
    const known = reasons.get(error.text);
    if (known === undefined) reasons.set(error.text, { error, pools: [pool] });
    else known.pools.push(pool);
  }
  return (
    <>
      {[...reasons.values()].map(({ error, pools }) => (
        <ErrorNote
          key={error.text}
          error={error}
          title={`${pools.length === 1 ? 'Pool' : 'Pools'} ${pools.join(', ')} cannot be mapped`}
        />
      ))}
    </>
  );
}

/** Orders by a column; by the one it is ordered by already, the other way round. */
function setOrder(order: PgOrder): void {
  const isSame = orderOf(route.display('pgs-order')) === order;
  const isDown = isSame && route.display('pgs-down') !== '1';
  route.set('display', 'pgs-order', order === 'pg' ? undefined : order);
  route.set('display', 'pgs-down', isDown ? '1' : undefined);
}

function orderOf(text: string | undefined): PgOrder {
  return text === 'up-primary' || text === 'acting-primary' ? text : 'pg';
}
