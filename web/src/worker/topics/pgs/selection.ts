/** Which PGs a query selects, in its order; kept for the document's state, so that rows can be asked for by the window. */
import type { OpenDocument } from '../../open-document.ts';
import { toPageError, type PageError } from '../../page-error.ts';
import { findChoice } from './flags.ts';
import { poolRows, type PoolRows } from './pool-rows.ts';
import { parseSearch, type PgTest, type SearchPlace } from './search.ts';

/** What a PG can be ordered by. */
export const PG_ORDERS = ['pg', 'up-primary', 'acting-primary'] as const;
export type PgOrder = (typeof PG_ORDERS)[number];

/** A question for PGs. */
export interface PgQuery {
  /** A pool's id; undefined: all pools. */
  readonly pool: number | undefined;
  /** Words, see search.ts. */
  readonly search: string;
  /** A choice of flags.ts; undefined: all PGs. */
  readonly only: string | undefined;
  readonly order: PgOrder;
  readonly isDescending: boolean;
}

/** The PGs that a query selects. */
export interface PgSelection {
  readonly pools: readonly PoolRows[];
  /** Number of the first PG of each pool, when those of all pools are counted on; and behind the last. */
  readonly starts: readonly number[];
  /** PGs by that number, in the order asked for. */
  readonly rows: Uint32Array;
  readonly problems: readonly string[];
  /** Pools that could not be mapped. */
  readonly failures: readonly { readonly pool: number; readonly error: PageError }[];
}

/** A PG of a selection. */
export interface SelectedPg {
  readonly rows: PoolRows;
  readonly ps: number;
}

interface Kept {
  readonly version: number;
  readonly pools: Map<number, PoolRows | PageError>;
  key: string;
  selection: PgSelection | undefined;
}

const kept = new WeakMap<OpenDocument, Kept>();

/** The PGs that a query selects. */
export function selectPgs(document: OpenDocument, query: PgQuery): PgSelection {
  const state = stateOf(document);
  const key = JSON.stringify([query.pool, query.search, query.only, query.order, query.isDescending]);
  if (state.selection === undefined || state.key !== key) {
    state.selection = makeSelection(document, query, state);
    state.key = key;
  }
  return state.selection;
}

/**
 * One pool's rows, whatever is selected.
 *
 * @throws CrushError `not-found`; a PageError where the pool cannot be mapped
 */
export function rowsOfPool(document: OpenDocument, id: number): PoolRows {
  const rows = keptPool(document, stateOf(document), document.pool(id));
  // What mapping threw, as it was kept.
  // eslint-disable-next-line @typescript-eslint/only-throw-error
  if ('isPageError' in rows) throw rows;
  return rows;
}

/** The PG at a row of the table, or undefined behind the last. */
export function pgAt({ pools, starts, rows }: PgSelection, row: number): SelectedPg | undefined {
  const number = rows[row];
  if (number === undefined) return undefined;
  const at = poolOf(starts, number);
  const found = pools[at];
  return found && { rows: found, ps: number - (starts[at] ?? 0) };
}

/** The row of a PG, or -1 where the query does not select it. */
export function rowOf({ pools, starts, rows }: PgSelection, pool: number, ps: number): number {
  const at = pools.findIndex((each) => each.pool.id === pool);
  const start = starts[at];
  if (start === undefined || ps >= (pools[at]?.columns.count ?? 0)) return -1;
  return rows.indexOf(start + ps);
}

function stateOf(document: OpenDocument): Kept {
  let state = kept.get(document);
  if (state?.version !== document.version) {
    state = { version: document.version, pools: new Map(), key: '', selection: undefined };
    kept.set(document, state);
  }
  return state;
}

function keptPool(document: OpenDocument, state: Kept, pool: PoolRows['pool']): PoolRows | PageError {
  let rows = state.pools.get(pool.id);
  if (rows === undefined) {
    try {
      rows = poolRows(document, pool);
    } catch (error) {
      rows = toPageError(error);
    }
    state.pools.set(pool.id, rows);
  }
  return rows;
}

function makeSelection(document: OpenDocument, query: PgQuery, state: Kept): PgSelection {
  const map = document.current;
  const wanted = query.pool === undefined ? [...map.pools.values()] : [document.pool(query.pool)];
  const pools: PoolRows[] = [];
  const failures: { pool: number; error: PageError }[] = [];
  for (const pool of wanted) {
    const rows = keptPool(document, state, pool);
    if ('isPageError' in rows) failures.push({ pool: pool.id, error: rows });
    else pools.push(rows);
  }
  const starts = [0];
  for (const { columns } of pools) starts.push((starts.at(-1) ?? 0) + columns.count);
  const { tests, problems } = parseSearch(map, query.search);
  const choice = query.only === undefined ? undefined : findChoice(query.only);
  const all: PgTest[] =
    choice === undefined ? [...tests] : [{ kind: 'flags', flags: choice.flags }, ...tests];
  const found = new Uint32Array(problems.length > 0 ? 0 : (starts.at(-1) ?? 0));
  let count = 0;
  if (problems.length === 0) {
    for (const [i, rows] of pools.entries()) count = gather(rows, all, starts[i] ?? 0, found, count);
  }
  const rows = found.slice(0, count);
  sortRows(rows, query, pools, starts);
  return { pools, starts, rows, problems, failures };
}

/** Adds the PGs of a pool that pass all tests. */
function gather(
  rows: PoolRows,
  tests: readonly PgTest[],
  start: number,
  found: Uint32Array,
  count: number,
): number {
  const { flags, columns } = rows;
  const flagTests = tests.flatMap((test) => (test.kind === 'flags' ? [test.flags] : []));
  const osdTests = tests.flatMap((test) =>
    test.kind === 'osds' ? [setTest(rows, test.place, test.mask)] : [],
  );
  let ranges: readonly (readonly [number, number])[] = [[0, columns.count]];
  for (const test of tests) {
    if (test.kind === 'id') ranges = test.pool === rows.pool.id ? common(ranges, test.ranges) : [];
  }
  for (const [from, to] of ranges) {
    for (let ps = from; ps < to; ps++) {
      if (!flagTests.every((wanted) => ((flags[ps] ?? 0) & wanted) !== 0)) continue;
      if (!osdTests.every((holds) => holds(ps))) continue;
      found[count++] = start + ps;
    }
  }
  return count;
}

/** Whether a PG has an OSD of the mask in a place. */
function setTest({ columns }: PoolRows, place: SearchPlace, mask: Uint8Array): (ps: number) => boolean {
  const { up, acting, width } = columns;
  const isMarked = (osd: number): boolean => osd >= 0 && osd < mask.length && mask[osd] === 1;
  const holds = ({ osds, lengths }: typeof up, ps: number): boolean => {
    const end = ps * width + (lengths[ps] ?? 0);
    for (let i = ps * width; i < end; i++) if (isMarked(osds[i] ?? -1)) return true;
    return false;
  };
  switch (place) {
    case 'primary':
      return (ps) => isMarked(acting.primaries[ps] ?? -1);
    case 'up-primary':
      return (ps) => isMarked(up.primaries[ps] ?? -1);
    case 'up':
      return (ps) => holds(up, ps);
    case 'acting':
      return (ps) => holds(acting, ps);
    case 'any':
      return (ps) => holds(up, ps) || (acting !== up && holds(acting, ps));
  }
}

/** What two lists of ranges have in common, in order. */
function common(
  a: readonly (readonly [number, number])[],
  b: readonly (readonly [number, number])[],
): [number, number][] {
  return a
    .flatMap(([from, to]) =>
      b.map(([first, end]): [number, number] => [Math.max(from, first), Math.min(to, end)]),
    )
    .filter(([from, to]) => from < to)
    .sort(([x], [y]) => x - y);
}

/** A primary and the number of a PG fit in one double: the number is below the first, the primary below the second. */
const NUMBERS = 2 ** 32;
const PRIMARIES = 2 ** 21;

function sortRows(
  rows: Uint32Array,
  { order, isDescending }: PgQuery,
  pools: readonly PoolRows[],
  starts: readonly number[],
): void {
  if (order !== 'pg') {
    const keys = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const number = rows[i] ?? 0;
      const at = poolOf(starts, number);
      const columns = pools[at]?.columns;
      const sets = order === 'up-primary' ? columns?.up : columns?.acting;
      const primary = sets?.primaries[number - (starts[at] ?? 0)] ?? -1;
      keys[i] = Math.min(primary + 1, PRIMARIES - 1) * NUMBERS + number;
    }
    keys.sort();
    for (let i = 0; i < rows.length; i++) rows[i] = (keys[i] ?? 0) % NUMBERS;
  }
  if (isDescending) rows.reverse();
}

/** Index of the pool that a PG's number falls to. */
function poolOf(starts: readonly number[], number: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= number) low = middle;
    else high = middle;
  }
  return low;
}
