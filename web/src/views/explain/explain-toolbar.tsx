/** Which PG is explained: by its id, the one before or after, or by an object. */
import { documentOpen } from '../../app/document.ts';
import { route } from '../../app/route.ts';
import { ObjectForm } from '../../parts/object-form.tsx';
import { objectSubject } from '../../parts/object-subject.ts';
import { PgField } from '../../parts/pg-field.tsx';
import { pgName } from '../../parts/format.ts';
import type { ExplainSubject } from '../../worker/topics/explain.ts';

/** See the top of the file. */
export function ExplainToolbar({ subject, ps }: { readonly subject: ExplainSubject; readonly ps: number }) {
  const open = documentOpen.value;
  const name = pgName(subject.pool, ps);
  if (open === undefined) return null;
  const pgNum = open.pools.find(({ id }) => id === subject.pool)?.pgNum ?? 0;
  return (
    <>
      <div class="toolbar">
        <label>
          Pool{' '}
          <select
            value={String(subject.pool)}
            onChange={(event) => showPg(Number(event.currentTarget.value), 0)}
          >
            {open.pools.map(({ id, name: poolName }) => (
              <option key={id} value={String(id)}>
                {id} {poolName}
              </option>
            ))}
          </select>
        </label>
        <PgField label="PG" button="Explain" value={name} onPg={showPg} />
        <span class="pg-steps">
          <button type="button" disabled={ps <= 0} onClick={() => showPg(subject.pool, ps - 1)}>
            ◂ Previous PG
          </button>{' '}
          <button type="button" disabled={ps + 1 >= pgNum} onClick={() => showPg(subject.pool, ps + 1)}>
            Next PG ▸
          </button>
        </span>
        {open.isChanged && (
          <label>
            Map{' '}
            <select
              value={subject.side}
              onChange={(event) =>
                route.set(
                  'display',
                  'side',
                  event.currentTarget.value === 'original' ? 'original' : undefined,
                )
              }
            >
              <option value="current">with the changes</option>
              <option value="original">as it was read</option>
            </select>
          </label>
        )}
      </div>
      <details class="explain-object">
        <summary>Explain an object</summary>
        <ObjectForm onFound={showPg} />
      </details>
    </>
  );
}

function showPg(pool: number, ps: number): void {
  route.go('explain', { pg: pgName(pool, ps), ...objectSubject(undefined) });
}
