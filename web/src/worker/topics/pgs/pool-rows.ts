/** The PGs of one pool with what is to be noticed of each. */
import { ITEM_NONE } from '../../../../../src/crush/model.ts';
import { type OsdMap, type Pool, POOL_TYPE } from '../../../../../src/osdmap/model.ts';
import type { PgColumns, PgSets } from '../../../../../src/osdmap/pg-mapper.ts';
import type { OpenDocument } from '../../open-document.ts';
import { PG_FLAG } from './flags.ts';

/** One pool's PGs. */
export interface PoolRows {
  readonly pool: Pool;
  readonly columns: PgColumns;
  /** Where the PGs were in the map as it was read; undefined where nothing has changed, or the pool is new. */
  readonly before: PgColumns | undefined;
  /** {@link PG_FLAG} bits of each PG. */
  readonly flags: Uint16Array;
  /** The bits that any of them has. */
  readonly noted: number;
  /** Most holes of a set. */
  readonly holes: number;
}

/**
 * The PGs of a pool of the current map.
 *
 * @throws CrushError as mapping does
 */
export function poolRows(document: OpenDocument, pool: Pool): PoolRows {
  const columns = document.columns(pool.id);
  const isOld = document.isChanged && document.original.pools.has(pool.id);
  const before = isOld ? document.originalColumns(pool.id) : undefined;
  const flags = new Uint16Array(columns.count);
  noteExceptions(document.current, pool, flags);
  const holes = noteSets(pool, columns, flags);
  if (before !== undefined) noteMoves(pool, columns, before, flags);
  else if (document.isChanged) flags.forEach((bits, row) => (flags[row] = bits | PG_FLAG.added));
  return { pool, columns, before, flags, noted: flags.reduce((all, bits) => all | bits, 0), holes };
}

/** One set of a PG, holes as 2147483647. */
export function setAt({ osds, lengths }: PgSets, width: number, row: number): number[] {
  return Array.from(osds.subarray(row * width, row * width + (lengths[row] ?? 0)));
}

function noteExceptions(map: OsdMap, { id }: Pool, flags: Uint16Array): void {
  const tables = [
    [map.pgUpmap, PG_FLAG.upmap],
    [map.pgUpmapItems, PG_FLAG.upmapItems],
    [map.pgUpmapPrimaries, PG_FLAG.upmapPrimary],
    [map.pgTemp, PG_FLAG.pgTemp],
    [map.primaryTemp, PG_FLAG.primaryTemp],
  ] as const;
  for (const [table, flag] of tables) {
    // Entries of PGs beyond pg_num are for nothing.
    for (const ps of table.get(id)?.keys() ?? []) {
      if (ps < flags.length) flags[ps] = (flags[ps] ?? 0) | flag;
    }
  }
}

/** @returns most holes of a set */
function noteSets(pool: Pool, { up, acting, width, count }: PgColumns, flags: Uint16Array): number {
  const isSame = up === acting;
  let most = 0;
  for (let row = 0; row < count; row++) {
    const placed = placedOf(up, width, row);
    const served = isSame ? placed : placedOf(acting, width, row);
    let bits = 0;
    if (placed < pool.size) bits |= PG_FLAG.short;
    if (served < pool.size) bits |= PG_FLAG.undersized;
    if (served < pool.minSize || served === 0) bits |= PG_FLAG.inactive;
    const holes = Math.max((up.lengths[row] ?? 0) - placed, (acting.lengths[row] ?? 0) - served);
    if (holes > 0) bits |= PG_FLAG.hole;
    if (holes > most) most = holes;
    if (!isSame && !isEqual(up, acting, width, width, row)) bits |= PG_FLAG.remapped;
    if (bits !== 0) flags[row] = (flags[row] ?? 0) | bits;
  }
  return most;
}

function noteMoves(pool: Pool, now: PgColumns, before: PgColumns, flags: Uint16Array): void {
  const keepsPlaces = pool.type === POOL_TYPE.erasure;
  for (let row = 0; row < now.count; row++) {
    let bits = 0;
    if (row >= before.count) bits = PG_FLAG.added;
    else {
      const isUpSame = isEqual(now.up, before.up, now.width, before.width, row);
      const isActingSame = isEqual(now.acting, before.acting, now.width, before.width, row);
      if (
        (!isUpSame && (keepsPlaces || !hasSame(now.up, before.up, now.width, before.width, row))) ||
        (!isActingSame && (keepsPlaces || !hasSame(now.acting, before.acting, now.width, before.width, row)))
      ) {
        bits = PG_FLAG.moved;
      }
      if (now.acting.primaries[row] !== before.acting.primaries[row]) bits |= PG_FLAG.primaryMoved;
    }
    if (bits !== 0) flags[row] = (flags[row] ?? 0) | bits;
  }
}

function placedOf({ osds, lengths }: PgSets, width: number, row: number): number {
  const start = row * width;
  const end = start + (lengths[row] ?? 0);
  let placed = 0;
  for (let i = start; i < end; i++) if (osds[i] !== ITEM_NONE) placed++;
  return placed;
}

/** Whether two sets of a PG hold the same OSDs in the same order. */
function isEqual(a: PgSets, b: PgSets, widthOfA: number, widthOfB: number, row: number): boolean {
  const length = a.lengths[row] ?? 0;
  if (length !== b.lengths[row]) return false;
  for (let i = 0; i < length; i++)
    if (a.osds[row * widthOfA + i] !== b.osds[row * widthOfB + i]) return false;
  return true;
}

/** Whether two sets of a PG hold the same OSDs in whatever order. */
function hasSame(a: PgSets, b: PgSets, widthOfA: number, widthOfB: number, row: number): boolean {
  const length = a.lengths[row] ?? 0;
  if (length !== b.lengths[row]) return false;
  const others = b.osds.subarray(row * widthOfB, row * widthOfB + length);
  for (let i = 0; i < length; i++)
    if (!others.includes(a.osds[row * widthOfA + i] ?? ITEM_NONE)) return false;
  return true;
}
