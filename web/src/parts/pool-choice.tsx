/** A choice between all pools and one, shared by the views that count loads. */
import { documentOpen } from '../app/document.ts';
import { route } from '../app/route.ts';
import { counted } from './format.ts';

/** The chosen pool's id; undefined: all. */
export function chosenPool(): number | undefined {
  const text = route.subject('pool');
  const pool = documentOpen.value?.pools.find(({ id }) => String(id) === text);
  return pool?.id;
}

/** The choice. */
export function PoolChoice() {
  const pools = documentOpen.value?.pools ?? [];
  return (
    <label>
      Pool{' '}
      <select
        value={String(chosenPool() ?? '')}
        onChange={(event) => route.set('subject', 'pool', event.currentTarget.value)}
      >
        <option value="">all pools</option>
        {pools.map(({ id, name, pgNum }) => (
          <option key={id} value={String(id)}>
            {id} {name} ({counted(pgNum, 'PG')})
          </option>
        ))}
      </select>
    </label>
  );
}
