/** Builds the sparse PG tables of an OSDMap, in the ascending order that Ceph's own maps have. */
import type { PgId, PgTable } from '../osdmap/model.ts';

/** One row of a PG table. */
export interface PgEntry<T> {
  readonly pg: PgId;
  readonly value: T;
}

/**
 * Builds a table from rows in any order.
 *
 * @param entries - the rows.
 * @param refuse - throws an error that says why; called when a PG is there twice.
 */
export function buildPgTable<T>(
  entries: readonly PgEntry<T>[],
  refuse: (reason: string) => never,
): PgTable<T> {
  const rows = isAscending(entries) ? entries : [...entries].sort((a, b) => comparePgs(a.pg, b.pg));
  const table = new Map<number, Map<number, T>>();
  for (const { pg, value } of rows) {
    let pool = table.get(pg.pool);
    if (pool === undefined) table.set(pg.pool, (pool = new Map<number, T>()));
    // Ceph's containers disagree on which of two entries would hold, and no Ceph writes two.
    if (pool.has(pg.ps)) refuse(`PG ${pg.pool}.${pg.ps.toString(16)} is there twice`);
    pool.set(pg.ps, value);
  }
  return table;
}

function isAscending(entries: readonly PgEntry<unknown>[]): boolean {
  for (let i = 1; i < entries.length; i++) {
    const before = entries[i - 1];
    const here = entries[i];
    if (before !== undefined && here !== undefined && comparePgs(before.pg, here.pg) > 0) return false;
  }
  return true;
}

function comparePgs(a: PgId, b: PgId): number {
  return a.pool - b.pool || a.ps - b.ps;
}
