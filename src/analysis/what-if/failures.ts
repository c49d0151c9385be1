/** Every single failure in turn: one host, rack or OSD after the other. */
import { ITEM_NONE } from '../../crush/model.ts';
import { findType, isShadow, itemName, itemWeight } from '../../crush/names.ts';
import { isMsr } from '../../crush/validate/rule-blocks.ts';
import { CrushError } from '../../errors.ts';
import { OSD_STATE, type OsdMap, type PgTable, type Pool } from '../../osdmap/model.ts';
import { PgMapper, type PgMapperOptions } from '../../osdmap/pg-mapper.ts';
import { findPoolRule } from '../../osdmap/pool-rule.ts';
import type { PgDump } from '../../osdmap/pg-usage.ts';
import { cleanUpmaps } from '../../osdmap/upmap-cleanup.ts';
import { dataShards } from '../compare.ts';
import { filledPlaces, movedShards, shardMoves } from '../compare/movement.ts';
import { isOrdered, RowReader } from '../compare/units.ts';
import { osdsBelow } from './targets.ts';

/** What one failure does. */
export interface FailureResult {
  /** Name of the bucket, or `osd.N`. */
  readonly name: string;
  /** How many OSDs fail. */
  readonly osds: number;
  /** While its OSDs are down: PGs that lack one of them. */
  readonly degradedPgs: number;
  /** Of those, the ones that serve nothing: fewer OSDs than min_size are left. */
  readonly belowMinSize: number;
  /** Of those, the ones whose data cannot be read any more. */
  readonly lostPgs: number;
  /** Once its OSDs are out: shards that are rebuilt elsewhere. */
  readonly movedShards: number;
  /** PGs for which no OSD takes the place: they stay short, of those that the failure touches. */
  readonly shortPgs: number;
  /** The fullest OSD then: by its disk where a PG dump knows it, else by shards for its weight. */
  readonly fullest: FullestOsd | undefined;
}

/** The fullest OSD after a failure. */
export interface FullestOsd {
  /** Its id. */
  readonly osd: number;
  /** Shards on it. */
  readonly shards: number;
  /** Shards relative to what its weight would have it hold of all. */
  readonly ofFair: number;
  /** Part of its disk in use; undefined where the PG dump does not tell. */
  readonly used: number | undefined;
}

/** Options of {@link failEach}. */
export interface FailEachOptions extends PgMapperOptions {
  /** What PGs hold and disks have, for bytes and for parts in use. */
  readonly pgDump?: PgDump | undefined;
}

/**
 * Lets each bucket of a type, or each OSD, fail for itself: first its OSDs go down, then they are out. Worst first:
 * by PGs lost, below min_size, degraded, short for good, then by the fullest OSD.
 *
 * @param typeName - a type of bucket, or that of the devices (`osd`)
 * @throws CrushError `not-found` for a type that the map does not have, and what {@link PgMapper} throws
 */
export function failEach(map: OsdMap, typeName: string, options: FailEachOptions = {}): FailureResult[] {
  const type = typeName === 'osd' ? 0 : findType(map.crush, typeName);
  if (type === undefined) {
    const names = [...map.crush.typeNames.values()].join(', ');
    throw new CrushError('not-found', `there is no type of bucket '${typeName}'; the map has ${names}`);
  }
  const trial = new FailureTrial(map, options);
  const results = failureDomains(map, type).map(({ name, osds }) => trial.fail(name, osds));
  const fullness = ({ fullest }: FailureResult): number => fullest?.used ?? fullest?.ofFair ?? 0;
  return results.sort(
    (a, b) =>
      b.lostPgs - a.lostPgs ||
      b.belowMinSize - a.belowMinSize ||
      b.degradedPgs - a.degradedPgs ||
      b.shortPgs - a.shortPgs ||
      fullness(b) - fullness(a),
  );
}

interface FailureDomain {
  readonly name: string;
  readonly osds: readonly number[];
}

function failureDomains(map: OsdMap, type: number): FailureDomain[] {
  if (type === 0) {
    const all = Array.from({ length: map.maxOsd }, (_, osd) => osd);
    return all.filter((osd) => exists(map, osd)).map((osd) => ({ name: `osd.${osd}`, osds: [osd] }));
  }
  return map.crush.buckets.flatMap((bucket) => {
    if (bucket?.type !== type || isShadow(map.crush, bucket.id)) return [];
    const name = itemName(map.crush, bucket.id) ?? `bucket ${bucket.id}`;
    return [{ name, osds: osdsBelow(map.crush, bucket.id).filter((osd) => exists(map, osd)) }];
  });
}

/** A PG as it is before any failure. */
interface PgState {
  readonly pool: Pool;
  readonly ps: number;
  readonly up: readonly number[];
}

/**
 * Tries failures on one map. A PG that a failed OSD neither serves nor was chosen for by the rule stays where it is:
 * each draw of that OSD was turned down already, and is turned down again. So only the others are mapped anew.
 */
class FailureTrial {
  readonly #map: OsdMap;
  readonly #options: FailEachOptions;
  readonly #mapper: PgMapper;
  readonly #pgs: PgState[] = [];
  /** Indexes of the PGs that a failure of each OSD touches. */
  readonly #touched: number[][];
  /** Indexes of the PGs of MSR rules, which give up all of a try: any failure may touch them. */
  readonly #always: number[] = [];
  readonly #shards: Float64Array;
  readonly #bytes: Float64Array;

  constructor(map: OsdMap, options: FailEachOptions) {
    this.#map = cleanUpmaps(map, options);
    this.#options = options;
    this.#mapper = new PgMapper(this.#map, options);
    this.#touched = Array.from({ length: map.maxOsd }, () => []);
    this.#shards = new Float64Array(map.maxOsd);
    this.#bytes = new Float64Array(map.maxOsd);
    for (const pool of this.#map.pools.values()) this.#addPool(pool);
  }

  fail(name: string, osds: readonly number[]): FailureResult {
    const failed = new Set(osds);
    const indexes = new Set([...this.#always, ...osds.flatMap((osd) => this.#touched[osd] ?? [])]);
    const result = { degradedPgs: 0, belowMinSize: 0, lostPgs: 0, movedShards: 0, shortPgs: 0 };
    const mapper = this.#mapperAfter(failed, indexes);
    const shards = this.#shards.slice();
    const bytes = this.#bytes.slice();
    for (const index of indexes) {
      const pg = this.#pgs[index];
      if (pg === undefined) continue;
      const { pool, ps, up } = pg;
      const filled = filledPlaces(up);
      const left = up.filter((osd) => osd !== ITEM_NONE && !failed.has(osd)).length;
      const needed = dataShards(this.#map, pool);
      if (left < filled) {
        result.degradedPgs++;
        if (left < pool.minSize) result.belowMinSize++;
        if (left < needed && filled >= needed) result.lostPgs++;
      }
      const after = mapper.mapPg(pool.id, ps).up;
      result.movedShards += movedShards(shardMoves(up, after, isOrdered(pool, false)));
      if (filledPlaces(after) < pool.size) result.shortPgs++;
      const each = (this.#options.pgDump?.pgs.get(pool.id)?.get(ps)?.bytes ?? 0) / needed;
      count(up, -1, shards, bytes, each);
      count(after, 1, shards, bytes, each);
    }
    const fullest = this.#fullest(failed, shards, bytes);
    return { name, osds: osds.length, ...result, fullest };
  }

  #addPool(pool: Pool): void {
    const columns = this.#mapper.mapPool(pool.id);
    const up = new RowReader(columns, 'up');
    const raw = new RowReader(columns, 'raw');
    const rule =
      this.#map.crush.rules[findPoolRule(this.#map.crush, pool, this.#options.release ?? Infinity)];
    const isAlways = rule !== undefined && isMsr(rule);
    const usage = this.#options.pgDump?.pgs.get(pool.id);
    const needed = dataShards(this.#map, pool);
    const wholes = this.#map.pgUpmap.get(pool.id);
    const items = this.#map.pgUpmapItems.get(pool.id);
    for (let ps = 0; ps < columns.count; ps++) {
      const set = up.read(ps, []);
      const index = this.#pgs.push({ pool, ps, up: set }) - 1;
      count(set, 1, this.#shards, this.#bytes, (usage?.get(ps)?.bytes ?? 0) / needed);
      if (isAlways) {
        this.#always.push(index);
        continue;
      }
      const named = [...(wholes?.get(ps) ?? []), ...(items?.get(ps) ?? []).flat()];
      for (const osd of new Set([...set, ...raw.read(ps, []), ...named])) this.#touched[osd]?.push(index);
    }
  }

  /** A mapper of the map with OSDs down and out, good for some PGs: the upmaps of others are left out. */
  #mapperAfter(failed: ReadonlySet<number>, indexes: ReadonlySet<number>): PgMapper {
    const map = this.#map;
    const wanted = new Map<number, Set<number>>();
    for (const index of indexes) {
      const pg = this.#pgs[index];
      if (pg === undefined) continue;
      const seeds = wanted.get(pg.pool.id);
      if (seeds === undefined) wanted.set(pg.pool.id, new Set([pg.ps]));
      else seeds.add(pg.ps);
    }
    const osdState = map.osdState.slice();
    const osdWeight = map.osdWeight.slice();
    for (const osd of failed) {
      osdState[osd] = (osdState[osd] ?? 0) & ~OSD_STATE.up;
      osdWeight[osd] = 0;
    }
    const after = {
      ...map,
      osdState,
      osdWeight,
      pgUpmap: onlyWanted(map.pgUpmap, wanted),
      pgUpmapItems: onlyWanted(map.pgUpmapItems, wanted),
    };
    const options = { ...this.#options, crush: this.#mapper.crush };
    return new PgMapper(cleanUpmaps(after, options), options);
  }

  #fullest(failed: ReadonlySet<number>, shards: Float64Array, bytes: Float64Array): FullestOsd | undefined {
    const { crush, osdWeight } = this.#map;
    const weights = Array.from(shards, (_, osd) =>
      failed.has(osd) ? 0 : (itemWeight(crush, osd) ?? 0) * Math.min(1, (osdWeight[osd] ?? 0) / 0x10000),
    );
    const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
    const totalShards = shards.reduce((sum, each) => sum + each, 0);
    let fullest: FullestOsd | undefined;
    for (let osd = 0; osd < shards.length; osd++) {
      const weight = weights[osd] ?? 0;
      if (weight === 0) continue;
      const own = shards[osd] ?? 0;
      const disk = this.#options.pgDump?.osds.get(osd);
      const added = (bytes[osd] ?? 0) - (this.#bytes[osd] ?? 0);
      const used = disk !== undefined && disk.total > 0 ? (disk.used + added) / disk.total : undefined;
      const ofFair = totalShards === 0 ? 0 : own / ((totalShards * weight) / totalWeight);
      const isFuller =
        fullest === undefined ||
        (used ?? -1) > (fullest.used ?? -1) ||
        (used === fullest.used && ofFair > fullest.ofFair);
      if (isFuller) fullest = { osd, shards: own, ofFair, used };
    }
    return fullest;
  }
}

function count(
  row: readonly number[],
  sign: number,
  shards: Float64Array,
  bytes: Float64Array,
  each: number,
): void {
  for (const osd of row) {
    if (osd === ITEM_NONE) continue;
    shards[osd] = (shards[osd] ?? 0) + sign;
    bytes[osd] = (bytes[osd] ?? 0) + sign * each;
  }
}

function onlyWanted<T>(table: PgTable<T>, wanted: ReadonlyMap<number, ReadonlySet<number>>): PgTable<T> {
  const kept = new Map<number, ReadonlyMap<number, T>>();
  for (const [pool, seeds] of wanted) {
    const rows = table.get(pool);
    if (rows === undefined) continue;
    kept.set(pool, new Map([...rows].filter(([ps]) => seeds.has(ps))));
  }
  return kept;
}

function exists(map: OsdMap, osd: number): boolean {
  return ((map.osdState[osd] ?? 0) & OSD_STATE.exists) !== 0;
}
