/**
 * Upmaps that Ceph's monitor takes away by itself, with the change that makes them invalid: those that break the rule,
 * lead to OSDs that are out, or change nothing. Follows `OSDMap::check_pg_upmaps` (Ceph's src/osd/OSDMap.cc).
 */
import { ITEM_NONE } from '../crush/model.ts';
import type { OsdMap, PgTable, Pool } from './model.ts';
import { PgMapper, type PgMapperOptions } from './pg-mapper.ts';
import { RuleRoom } from './rule-room.ts';

type Pairs = readonly (readonly [number, number])[];

/**
 * The map without upmaps that the monitor would take away. Upmaps of primaries are left as they are, as there.
 *
 * @returns the same map where all stay
 * @throws CrushError as {@link PgMapper} does
 */
export function cleanUpmaps(map: OsdMap, options: PgMapperOptions = {}): OsdMap {
  const { pgUpmap, pgUpmapItems } = map;
  const pools = new Set([...pgUpmap.keys(), ...pgUpmapItems.keys()]);
  if (pools.size === 0) return map;
  const mapper = new PgMapper(map, options);
  const wholes = new Map<number, ReadonlyMap<number, readonly number[]>>(pgUpmap);
  const items = new Map<number, ReadonlyMap<number, Pairs>>(pgUpmapItems);
  for (const id of pools) {
    const pool = map.pools.get(id);
    const ownWholes = new Map(pgUpmap.get(id));
    const ownItems = new Map(pgUpmapItems.get(id));
    const room = pool === undefined ? undefined : new RuleRoom(map, pool, options.release);
    for (const ps of new Set([...ownWholes.keys(), ...ownItems.keys()])) {
      const whole = ownWholes.get(ps);
      const pairs = ownItems.get(ps);
      const raw = pool === undefined || isGoing(pool, ps) ? undefined : mapper.mapPg(id, ps).raw;
      const set = raw === undefined ? [] : upmappedSet(map, raw, whole, pairs);
      const staysWhole =
        raw !== undefined &&
        room?.passesMonitor(set) === true &&
        (whole === undefined || (String(whole) !== String(raw) && whole.length === pool?.size));
      const left = staysWhole ? usefulPairs(map, raw, pairs) : undefined;
      if (!staysWhole || (pairs !== undefined && left?.length === 0)) {
        ownWholes.delete(ps);
        ownItems.delete(ps);
      } else if (left !== undefined && left.length < (pairs?.length ?? 0)) ownItems.set(ps, left);
    }
    replace(wholes, id, ownWholes);
    replace(items, id, ownItems);
  }
  const isSame = sizes(pgUpmap) === sizes(wholes) && sameItems(pgUpmapItems, items);
  return isSame ? map : { ...map, pgUpmap: wholes, pgUpmapItems: items };
}

/** Whether a PG is not there, or about to be merged into another or another into it. */
function isGoing({ pgNum, details: { pgNumPending } }: Pool, ps: number): boolean {
  if (ps >= Math.min(pgNum, pgNumPending)) return true;
  for (let source = pgNumPending; source < pgNum; source++) {
    // What a PG is merged into has its number without the highest bit.
    if (source - 2 ** (31 - Math.clz32(source)) === ps) return true;
  }
  return false;
}

/** A PG's set after its upmaps, but for that of the primary (`OSDMap::_apply_upmap`). */
export function upmappedSet(
  map: OsdMap,
  raw: readonly number[],
  whole: readonly number[] | undefined,
  pairs: Pairs | undefined,
): number[] {
  const row = [...raw];
  if (whole !== undefined) {
    if (whole.some((osd) => isOut(map, osd))) return row;
    row.splice(0, Infinity, ...whole);
  }
  for (const [from, to] of pairs ?? []) {
    if (row.includes(to) || isOut(map, to)) continue;
    const at = row.indexOf(from);
    if (at >= 0) row[at] = to;
  }
  return row;
}

/** Pairs whose source the rule still chooses and whose target is in. */
function usefulPairs(map: OsdMap, raw: readonly number[], pairs: Pairs | undefined): Pairs | undefined {
  return pairs?.filter(([from, to]) => raw.includes(from) && !isOut(map, to));
}

function isOut(map: OsdMap, osd: number): boolean {
  return osd !== ITEM_NONE && osd >= 0 && osd < map.maxOsd && map.osdWeight[osd] === 0;
}

function replace<T>(
  table: Map<number, ReadonlyMap<number, T>>,
  pool: number,
  rows: ReadonlyMap<number, T>,
): void {
  if (rows.size > 0) table.set(pool, rows);
  else table.delete(pool);
}

function sizes(table: PgTable<unknown>): number {
  let count = 0;
  for (const rows of table.values()) count += rows.size;
  return count;
}

function sameItems(a: PgTable<Pairs>, b: PgTable<Pairs>): boolean {
  if (sizes(a) !== sizes(b)) return false;
  for (const [pool, rows] of a) {
    for (const [ps, pairs] of rows) if (b.get(pool)?.get(ps)?.length !== pairs.length) return false;
  }
  return true;
}
