/**
 * In what two OSDMaps differ, as a chain of maps: each differs from the one before by one kind of change, and the
 * last is the second of the two. What each kind moves is seen by mapping them all.
 */
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_STATE,
  type OsdMap,
  type PgTable,
  type Pool,
} from '../../osdmap/model.ts';
import { crushChanges, type CrushCause, placesAlike } from './crush-changes.ts';

/** Kinds of changes by which PGs move. */
export type MapCause =
  | 'pg-num'
  | 'size'
  | CrushCause
  | 'osd-out'
  | 'osd-in'
  | 'reweight'
  | 'osd-down'
  | 'osd-up'
  | 'upmap-dropped'
  | 'upmap-added'
  | 'affinity'
  | 'temp'
  | 'other';

/** The map after a kind of change. */
export interface MapStep {
  readonly cause: MapCause;
  readonly map: OsdMap;
}

/**
 * The changes from one map to another, in the order: pg_num and pgp_num; size; OSDs removed, out, down; buckets
 * moved; OSDs added; OSDs up, in, reweighted; CRUSH weights, bucket algorithms, device classes, weight-sets, rules
 * and tunables; upmaps dropped, upmaps added or changed; primary affinity; temps; what is left, such as pool flags.
 * Only pools that both maps have are looked at.
 */
export function mapChanges(before: OsdMap, after: OsdMap): MapStep[] {
  const chain = new Chain(before, after);
  const crush = new Map(crushChanges(before.crush, after.crush).map((step) => [step.cause, step.crush]));
  const withCrush = (cause: CrushCause, map: OsdMap): OsdMap => {
    const next = crush.get(cause);
    return next === undefined ? map : { ...map, crush: next };
  };
  const exists = (map: OsdMap, osd: number): boolean => ((map.osdState[osd] ?? 0) & OSD_STATE.exists) !== 0;
  const isRemoved = (osd: number): boolean => exists(before, osd) && !exists(after, osd);
  const isNew = (osd: number): boolean => !exists(before, osd) && exists(after, osd);
  const weight = (map: OsdMap, osd: number): number => map.osdWeight[osd] ?? 0;

  chain.add('pg-num', (map) => withPools(map, after, ({ pgNum, pgpNum }) => ({ pgNum, pgpNum })));
  chain.add('size', (map) => withPools(map, after, ({ size }) => ({ size })));
  chain.add('osd-removed', (map) =>
    withCrush(
      'osd-removed',
      withOsds(withOsds(map, after, 'osdState', isRemoved), after, 'osdWeight', isRemoved),
    ),
  );
  chain.add('osd-out', (map) =>
    withOsds(map, after, 'osdWeight', (osd) => weight(after, osd) === 0 && weight(before, osd) > 0),
  );
  chain.add('osd-down', (map) =>
    withOsds(
      map,
      after,
      'osdState',
      (osd) => ((after.osdState[osd] ?? 0) & OSD_STATE.up) === 0 && !isNew(osd),
    ),
  );
  chain.add('bucket-moved', (map) => withCrush('bucket-moved', map));
  chain.add('osd-added', (map) =>
    withCrush('osd-added', withOsds(withOsds(map, after, 'osdState', isNew), after, 'osdWeight', isNew)),
  );
  chain.add('osd-up', (map) => withOsds(map, after, 'osdState', () => true));
  chain.add('osd-in', (map) => withOsds(map, after, 'osdWeight', (osd) => weight(before, osd) === 0));
  chain.add('reweight', (map) => withOsds(map, after, 'osdWeight', () => true));
  for (const cause of ['crush-weight', 'bucket-algorithm', 'device-class', 'choose-args'] as const) {
    chain.add(cause, (map) => withCrush(cause, map));
  }
  chain.add('rule', (map) => withPools(withCrush('rule', map), after, ({ crushRule }) => ({ crushRule })));
  chain.add('tunables', (map) => withCrush('tunables', map));
  chain.add('upmap-dropped', (map) => ({
    ...map,
    pgUpmap: withoutDropped(map.pgUpmap, after.pgUpmap),
    pgUpmapItems: withoutDropped(map.pgUpmapItems, after.pgUpmapItems),
    pgUpmapPrimaries: withoutDropped(map.pgUpmapPrimaries, after.pgUpmapPrimaries),
  }));
  const { pgUpmap, pgUpmapItems, pgUpmapPrimaries, osdPrimaryAffinity, pgTemp, primaryTemp } = after;
  chain.add('upmap-added', (map) => ({ ...map, pgUpmap, pgUpmapItems, pgUpmapPrimaries }));
  chain.add('affinity', (map) => ({ ...map, osdPrimaryAffinity }));
  chain.add('temp', (map) => ({ ...map, pgTemp, primaryTemp }));
  return chain.finish();
}

/** The maps so far; a change that changes nothing is no step. */
class Chain {
  readonly #after: OsdMap;
  readonly #steps: MapStep[] = [];
  #last: OsdMap;

  constructor(before: OsdMap, after: OsdMap) {
    this.#last = before;
    this.#after = after;
  }

  add(cause: MapCause, change: (map: OsdMap) => OsdMap): void {
    const map = change(this.#last);
    if (isSame(this.#last, map)) return;
    this.#steps.push({ cause, map });
    this.#last = map;
  }

  /** The steps, the last of which comes to the map after. */
  finish(): MapStep[] {
    const after = this.#after;
    const { crush } = this.#last;
    // The maps of the chain are made anew, so that they may be alike without being the same.
    const isThere = placesAlike(crush, after.crush) && isSame(this.#last, { ...after, crush });
    if (!isThere) this.#steps.push({ cause: 'other', map: after });
    const final = this.#steps.at(-1);
    return final === undefined ? [] : [...this.#steps.slice(0, -1), { ...final, map: after }];
  }
}

/** What of a pool the placement of its PGs hangs on. */
const POOL_FIELDS = ['type', 'size', 'crushRule', 'pgNum', 'pgpNum', 'flags'] as const;

/** Whether two maps of a chain place alike; fields are taken over whole, so that most are told by identity. */
function isSame(a: OsdMap, b: OsdMap): boolean {
  return (
    a.crush === b.crush &&
    sameNumbers(a.osdState, b.osdState, OSD_STATE.exists | OSD_STATE.up) &&
    sameNumbers(a.osdWeight, b.osdWeight, -1) &&
    sameNumbers(a.osdPrimaryAffinity, b.osdPrimaryAffinity, -1) &&
    sameTable(a.pgUpmap, b.pgUpmap) &&
    sameTable(a.pgUpmapItems, b.pgUpmapItems) &&
    sameTable(a.pgUpmapPrimaries, b.pgUpmapPrimaries) &&
    sameTable(a.pgTemp, b.pgTemp) &&
    sameTable(a.primaryTemp, b.primaryTemp) &&
    [...a.pools].every(([id, pool]) => {
      const other = b.pools.get(id);
      return (
        other === undefined ||
        (POOL_FIELDS.every((field) => pool[field] === other[field]) &&
          pool.details.nonprimaryShards === other.details.nonprimaryShards)
      );
    })
  );
}

function withPools(map: OsdMap, after: OsdMap, fields: (pool: Pool) => Partial<Pool>): OsdMap {
  const pools = new Map(map.pools);
  for (const [id, pool] of pools) {
    const other = after.pools.get(id);
    if (other !== undefined) pools.set(id, { ...pool, ...fields(other) });
  }
  return { ...map, pools };
}

/** The map with the values that some OSDs have in another. */
function withOsds(
  map: OsdMap,
  after: OsdMap,
  field: 'osdState' | 'osdWeight',
  isMeant: (osd: number) => boolean,
): OsdMap {
  const length = Math.max(map.maxOsd, after.maxOsd);
  const values = new Uint32Array(length);
  values.set(map[field].subarray(0, length));
  for (let osd = 0; osd < length; osd++) if (isMeant(osd)) values[osd] = after[field][osd] ?? 0;
  if (sameNumbers(map[field], values, -1)) return map;
  const resized = (array: Uint32Array, fill: number): Uint32Array => {
    if (array.length >= length) return array;
    const copy = new Uint32Array(length).fill(fill);
    copy.set(array);
    return copy;
  };
  const { osdPrimaryAffinity } = map;
  return {
    ...map,
    maxOsd: length,
    osdState: resized(map.osdState, 0),
    osdWeight: resized(map.osdWeight, 0),
    osdPrimaryAffinity: osdPrimaryAffinity && resized(osdPrimaryAffinity, DEFAULT_PRIMARY_AFFINITY),
    [field]: values,
  };
}

function withoutDropped<T>(table: PgTable<T>, after: PgTable<T>): PgTable<T> {
  const kept = new Map<number, ReadonlyMap<number, T>>();
  for (const [pool, rows] of table) {
    kept.set(pool, new Map([...rows].filter(([ps]) => after.get(pool)?.has(ps) === true)));
  }
  return kept;
}

function sameTable<T>(a: PgTable<T>, b: PgTable<T>): boolean {
  if (a === b) return true;
  const pools = new Set([...a.keys(), ...b.keys()]);
  for (const pool of pools) {
    const first = a.get(pool) ?? new Map<number, T>();
    const second = b.get(pool) ?? new Map<number, T>();
    if (first.size !== second.size) return false;
    for (const [ps, value] of first) {
      if (!second.has(ps) || String(second.get(ps)) !== String(value)) return false;
    }
  }
  return true;
}

/** Whether two arrays have the same bits of a mask; what is beyond the end of one is 0. */
function sameNumbers(a: Uint32Array | undefined, b: Uint32Array | undefined, mask: number): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) {
    return (a ?? b ?? []).every((value) => value === DEFAULT_PRIMARY_AFFINITY);
  }
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if ((((a[i] ?? 0) ^ (b[i] ?? 0)) & mask) !== 0) return false;
  }
  return true;
}
