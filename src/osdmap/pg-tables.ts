/** Changes to the sparse PG tables of an OSDMap, which keep their ascending order. */
import type { PgId, PgTable } from './model.ts';

/** A table with other entries set, and some ended: those for which `isEnd` says so, and those listed. */
export function changePgTable<T>(
  table: PgTable<T>,
  changes: PgTable<T>,
  isEnd: (value: T) => boolean = () => false,
  ended: readonly PgId[] = [],
): PgTable<T> {
  if (changes.size === 0 && ended.length === 0) return table;
  const touched = new Map<number, Map<number, T>>();
  const poolOf = (pool: number): Map<number, T> => {
    let rows = touched.get(pool);
    if (rows === undefined) touched.set(pool, (rows = new Map(table.get(pool))));
    return rows;
  };
  for (const [pool, pgs] of changes) {
    const rows = poolOf(pool);
    for (const [ps, value] of pgs) {
      if (isEnd(value)) rows.delete(ps);
      else rows.set(ps, value);
    }
  }
  for (const { pool, ps } of ended) poolOf(pool).delete(ps);
  const all = [...table].filter(([pool]) => !touched.has(pool));
  for (const [pool, rows] of touched) {
    if (rows.size > 0) all.push([pool, new Map([...rows].sort(([a], [b]) => a - b))]);
  }
  return new Map(all.sort(([a], [b]) => a - b));
}

/** Every entry of a table. */
export function* pgRows<T>(table: PgTable<T>): Generator<readonly [pg: PgId, value: T]> {
  for (const [pool, pgs] of table) {
    for (const [ps, value] of pgs) yield [{ pool, ps }, value];
  }
}
