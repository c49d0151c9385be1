/** The PGs of a pool or of all: found, ordered, and handed out by the window; and where an object is. */
import { findBucket, itemName, parentOf, typeName } from '../../../../src/crush/names.ts';
import { ITEM_NONE } from '../../../../src/crush/model.ts';
import { CrushError } from '../../../../src/errors.ts';
import { OSD_STATE, type OsdMap } from '../../../../src/osdmap/model.ts';
import {
  type NameBytes,
  objectHash,
  type ObjectName,
  stableMod,
} from '../../../../src/osdmap/object-hash.ts';
import type { OpenDocument } from '../open-document.ts';
import type { PageError } from '../page-error.ts';
import { csvOf } from './pgs/csv.ts';
import { unescapeName } from './pgs/object-bytes.ts';
import { type PoolRows, setAt } from './pgs/pool-rows.ts';
import { pgAt, type PgQuery, rowOf, rowsOfPool, selectPgs } from './pgs/selection.ts';

export type { PgOrder, PgQuery } from './pgs/selection.ts';

/** What a query found. */
export interface PgList {
  /** PGs found, and all there are in the pool or pools. */
  readonly count: number;
  readonly total: number;
  /** Most OSDs of a set. */
  readonly width: number;
  /** Digits of the greatest OSD id. */
  readonly idDigits: number;
  /** Most holes of a set. */
  readonly holes: number;
  /** PG_FLAG bits that any PG of the pool or pools has. */
  readonly noted: number;
  /** The first rows. */
  readonly head: readonly PgRow[];
  readonly problems: readonly string[];
  /** Pools that could not be mapped. */
  readonly failures: readonly { readonly pool: number; readonly error: PageError }[];
}

/** One PG as the table has it. Sets hold 2147483647 for a hole; primaries -1 for none. */
export interface PgRow {
  readonly pool: number;
  readonly ps: number;
  readonly up: readonly number[];
  readonly upPrimary: number;
  readonly acting: readonly number[];
  readonly actingPrimary: number;
  /** PG_FLAG bits. */
  readonly flags: number;
  /** Where the PG was in the map as it was read, where that is known and another. */
  readonly upBefore?: readonly number[];
}

/** An OSD of a PG. */
export interface PgOsd {
  readonly osd: number;
  /** Buckets above it, from the top. */
  readonly path: readonly { readonly id: number; readonly name: string; readonly type: string }[];
  readonly exists: boolean;
  readonly isUp: boolean;
  /** 16.16. */
  readonly reweight: number;
}

/** Everything about one PG. */
export interface PgDetail extends PgRow {
  readonly poolName: string;
  readonly size: number;
  readonly minSize: number;
  readonly isErasure: boolean;
  readonly raw: readonly number[];
  readonly actingBefore?: readonly number[];
  /** OSDs of its sets, each once. */
  readonly osds: readonly PgOsd[];
  /** Exceptions that name it, as the map has them. */
  readonly upmap?: readonly number[];
  readonly upmapItems?: readonly (readonly [number, number])[];
  readonly upmapPrimary?: number;
  readonly pgTemp?: readonly number[];
  readonly primaryTemp?: number;
}

/** An object's name as the page has it. */
export interface ObjectAsked {
  readonly name: string;
  readonly namespace: string;
  readonly key: string;
  /** `\xNN` stands for a byte. */
  readonly hasEscapes: boolean;
}

/** Where an object is. */
export interface FoundObject {
  readonly hash: number;
  readonly pg: PgDetail;
}

/** Rows that come with the list itself, so that a new search shows rows at once. */
const HEAD = 128;

/** Finds PGs; the selection is kept for the calls that follow. */
export function pgList(document: OpenDocument, query: PgQuery): PgList {
  const { rows, starts, pools, problems, failures } = selectPgs(document, query);
  return {
    count: rows.length,
    total: starts.at(-1) ?? 0,
    width: Math.max(0, ...pools.map(({ columns }) => columns.width)),
    idDigits: String(Math.max(0, document.current.maxOsd - 1)).length,
    holes: Math.max(0, ...pools.map(({ holes }) => holes)),
    noted: pools.reduce((all, { noted }) => all | noted, 0),
    head: pgRows(document, query, 0, HEAD),
    problems,
    failures,
  };
}

/** The rows `first` .. `first + count - 1` of what a query found. */
export function pgRows(document: OpenDocument, query: PgQuery, first: number, count: number): PgRow[] {
  const selection = selectPgs(document, query);
  const found: PgRow[] = [];
  const end = Math.min(first + count, selection.rows.length);
  for (let row = Math.max(0, first); row < end; row++) {
    const pg = pgAt(selection, row);
    if (pg !== undefined) found.push(rowData(pg.rows, pg.ps));
  }
  return found;
}

/** The row of a PG in what a query found, or -1. */
export function pgPosition(document: OpenDocument, query: PgQuery, pool: number, ps: number): number {
  return rowOf(selectPgs(document, query), pool, ps);
}

/** What a query found, as a CSV file. */
export function pgCsv(document: OpenDocument, query: PgQuery): Blob {
  return csvOf(selectPgs(document, query));
}

/**
 * Everything about one PG.
 *
 * @throws CrushError `not-found` for a PG that is not in the map
 */
export function pgDetail(document: OpenDocument, pool: number, ps: number): PgDetail {
  return detailOf(document, rowsOfPool(document, pool), ps);
}

/**
 * Where an object is in the current map.
 *
 * @throws CrushError `not-found` for a pool without PGs, `bad-argument` for no name
 */
export function locateObject(document: OpenDocument, pool: number, asked: ObjectAsked): FoundObject {
  const rows = rowsOfPool(document, pool);
  if (rows.pool.pgNum === 0) throw new CrushError('not-found', `pool ${pool} has no PGs`);
  const hash = objectHash(rows.pool, nameOf(asked));
  return { hash, pg: detailOf(document, rows, stableMod(hash, rows.pool.pgNum)) };
}

/** An object's name as the library takes it. */
export function nameOf({ name, namespace, key, hasEscapes }: ObjectAsked): ObjectName {
  const read = (text: string): NameBytes => (hasEscapes ? unescapeName(text) : text);
  return { name: read(name), namespace: read(namespace), key: read(key) };
}

function rowData({ pool, columns, before, flags }: PoolRows, ps: number): PgRow {
  const { width, up, acting } = columns;
  const setBefore =
    before === undefined || ps >= before.count ? undefined : setAt(before.up, before.width, ps);
  const set = setAt(up, width, ps);
  return {
    pool: pool.id,
    ps,
    up: set,
    upPrimary: up.primaries[ps] ?? -1,
    acting: setAt(acting, width, ps),
    actingPrimary: acting.primaries[ps] ?? -1,
    flags: flags[ps] ?? 0,
    ...(setBefore === undefined || setBefore.join() === set.join() ? {} : { upBefore: setBefore }),
  };
}

function detailOf(document: OpenDocument, rows: PoolRows, ps: number): PgDetail {
  const map = document.current;
  const { pool, columns, before } = rows;
  if (ps >= columns.count) {
    const last = columns.count === 0 ? '' : `, up to ${pool.id}.${(columns.count - 1).toString(16)}`;
    const name = `${pool.id}.${ps.toString(16)}`;
    throw new CrushError('not-found', `there is no PG ${name}: pool ${pool.id} has ${columns.count}${last}`);
  }
  const row = rowData(rows, ps);
  const raw = setAt(columns.raw, columns.width, ps);
  const actingBefore =
    before === undefined || ps >= before.count ? undefined : setAt(before.acting, before.width, ps);
  const osds = new Set([...row.up, ...row.acting, ...raw, ...(row.upBefore ?? []), ...(actingBefore ?? [])]);
  osds.delete(ITEM_NONE);
  return {
    ...row,
    poolName: pool.name,
    size: pool.size,
    minSize: pool.minSize,
    isErasure: pool.type === 3,
    raw,
    ...(actingBefore === undefined || actingBefore.join() === row.acting.join() ? {} : { actingBefore }),
    osds: [...osds].map((osd) => osdOf(map, osd)),
    ...exceptionsOf(map, pool.id, ps),
  };
}

function exceptionsOf(map: OsdMap, pool: number, ps: number): Partial<PgDetail> {
  const upmap = map.pgUpmap.get(pool)?.get(ps);
  const upmapItems = map.pgUpmapItems.get(pool)?.get(ps);
  const upmapPrimary = map.pgUpmapPrimaries.get(pool)?.get(ps);
  const pgTemp = map.pgTemp.get(pool)?.get(ps);
  const primaryTemp = map.primaryTemp.get(pool)?.get(ps);
  return {
    ...(upmap === undefined ? {} : { upmap: [...upmap] }),
    ...(upmapItems === undefined ? {} : { upmapItems: [...upmapItems] }),
    ...(upmapPrimary === undefined ? {} : { upmapPrimary }),
    ...(pgTemp === undefined ? {} : { pgTemp: [...pgTemp] }),
    ...(primaryTemp === undefined ? {} : { primaryTemp }),
  };
}

function osdOf(map: OsdMap, osd: number): PgOsd {
  const { crush } = map;
  const path: PgOsd['path'][number][] = [];
  const seen = new Set<number>();
  for (let id = parentOf(crush, osd); id !== undefined && !seen.has(id); id = parentOf(crush, id)) {
    seen.add(id);
    const type = findBucket(crush, id)?.type ?? 0;
    path.unshift({
      id,
      name: itemName(crush, id) ?? `bucket ${id}`,
      type: typeName(crush, type) ?? `type ${type}`,
    });
  }
  const state = map.osdState[osd] ?? 0;
  return {
    osd,
    path,
    exists: (state & OSD_STATE.exists) !== 0,
    isUp: (state & OSD_STATE.up) !== 0,
    reweight: map.osdWeight[osd] ?? 0,
  };
}
