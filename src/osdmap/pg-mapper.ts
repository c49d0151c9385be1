/**
 * Where the PGs of an OSDMap live: the rule's choice, then what the OSDMap lays over it. The bulk comes from the
 * kernel in columns; the exceptions (upmaps, temps) are sparse and laid over them.
 *
 * Follows `OSDMap::_pg_to_up_acting_osds` and the functions it calls (Ceph's src/osd/OSDMap.cc).
 */
import { ITEM_NONE } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import {
  CrushMapper,
  type CrushMapperOptions,
  type MapColumns,
  type MapRequest,
} from '../kernel/crush-mapper.ts';
import { FRESH_MEMORY, mapColumns, ReusedMemory } from '../kernel/column-memory.ts';
import type { OsdMap, PgId, Pool } from './model.ts';
import { type NameBytes, objectHash, type ObjectName, stableMod } from './object-hash.ts';
import { PgOverlay } from './pg-overlay.ts';
import { demandOsdMap, findPool, type PgRange, poolRequest, rangeOf } from './pool-request.ts';

/** One kind of set (raw, up or acting) of a run of PGs, in columns. */
export interface PgSets {
  /** `width` OSDs each, in order; what a set does not fill, and a hole in an erasure set, is 2147483647. */
  readonly osds: Int32Array;
  /** How many OSDs each set has, holes included. */
  readonly lengths: Int32Array;
  /** The primary of each set, or -1. */
  readonly primaries: Int32Array;
}

/** A run of PGs of one pool, in columns. */
export interface PgColumns {
  /** Id of the pool. */
  readonly pool: number;
  /** Placement seed of the first PG, and how many PGs. */
  readonly first: number;
  /** How many PGs. */
  readonly count: number;
  /** OSDs a set has room for: the pool's size, or the longest upmap or temp if that is longer. */
  readonly width: number;
  /** What the rule gives, without OSDs that do not exist. */
  readonly raw: PgSets;
  /** After upmaps, down OSDs and primary affinity. The same object as raw where no PG of the run differs. */
  readonly up: PgSets;
  /** After temps: where the PG is served. The same object as up where the pool has no temps, or no PG differs. */
  readonly acting: PgSets;
}

/** One PG. */
export interface PgMapping {
  /** The PG. */
  readonly pgid: PgId;
  /** What the rule gives, without OSDs that do not exist; {@link ITEM_NONE} for holes of erasure pools. */
  readonly raw: number[];
  /** The first OSD of that, or -1. */
  readonly rawPrimary: number;
  /** After upmaps, without OSDs that are down. */
  readonly up: number[];
  /** The OSD that leads the up set, by primary affinity and upmaps of primaries, or -1. */
  readonly upPrimary: number;
  /** After temps: the OSDs that serve the PG. */
  readonly acting: number[];
  /** The OSD that leads them, or -1. */
  readonly actingPrimary: number;
}

/** One object. */
export interface ObjectMapping extends PgMapping {
  /** The object's 32-bit hash, which the PG is reduced from. */
  readonly hash: number;
}

/** Options of a {@link PgMapper}. */
export interface PgMapperOptions extends CrushMapperOptions {
  /**
   * Choose rules as this release of Ceph does: up to 16 a rule applies only to pools of its type whose size is
   * within its min_size and max_size. Default: the newest.
   */
  readonly release?: number;
  /** The mapper of the map's CRUSH map, where there is one already: another OSDMap's with the same CRUSH map. */
  readonly crush?: CrushMapper;
}

/** A pool's request, of which only the run of PGs changes from call to call, and what is laid over the answer. */
interface PoolPlan {
  readonly request: Omit<MapRequest, 'first' | 'count' | 'out'> & {
    first: number;
    count: number;
    out: MapColumns | undefined;
  };
  /** The request for one PG alone, into columns of its own. */
  readonly single: MapRequest & { readonly out: MapColumns };
  readonly overlay: PgOverlay;
}

/**
 * Maps the PGs and objects of one OSDMap.
 *
 * @example
 * ```ts
 * const mapper = createMapper(map);
 * const { up, width } = mapper.mapPool(2);
 * const { acting, actingPrimary } = mapper.mapObject('rbd', 'rbd_header.1234');
 * ```
 */
export class PgMapper {
  /** The map that it maps. */
  readonly map: OsdMap;
  /** The mapper of its CRUSH map. */
  readonly crush: CrushMapper;
  readonly #release: number;
  /** What each pool asks of the rule, and what is laid over the answer. */
  readonly #plans = new Map<number, PoolPlan>();
  /** Columns that are used again. */
  #memory: ReusedMemory | undefined;

  /**
   * @throws {@link CrushError} `invalid-map` or `unsupported` when the map's CRUSH map cannot be mapped from,
   * `bad-argument` for what is no OSDMap
   */
  constructor(map: OsdMap, options: PgMapperOptions = {}) {
    demandOsdMap(map);
    this.map = map;
    this.crush = options.crush ?? new CrushMapper(map.crush, options);
    this.#release = options.release ?? Number.POSITIVE_INFINITY;
  }

  /**
   * A pool by id or name.
   *
   * @throws {@link CrushError} `not-found`
   */
  pool(idOrName: number | string): Pool {
    return findPool(this.map, idOrName);
  }

  /**
   * Maps a pool, or a run of its PGs.
   *
   * @param idOrName - the pool's id or name
   * @param options.reuse - lay the columns over those of the last such call on this mapper, which are gone then;
   * default false. A pool that is mapped range after range so takes no more memory than one range.
   * @throws {@link CrushError} `not-found` without such a pool, `bad-argument` for a range outside it, `unsupported`
   * for a pool of unknown type, and what {@link CrushMapper.mapRange} throws
   */
  mapPool(
    idOrName: number | string,
    options: PgRange & { readonly reuse?: boolean | undefined } = {},
  ): PgColumns {
    const pool = this.pool(idOrName);
    const { first, count } = rangeOf(pool, options);
    const { request, overlay } = this.#plan(pool);
    const memory = options.reuse === true ? (this.#memory ??= new ReusedMemory()) : FRESH_MEMORY;
    request.first = first;
    request.count = count;
    request.out = memory === FRESH_MEMORY ? undefined : mapColumns(memory, count, pool.size);
    return overlay.apply(this.crush.mapRange(request), first, count, memory);
  }

  /**
   * Maps every pool, one after the other.
   *
   * @example
   * ```ts
   * for (const { pool, count, acting } of mapper.mapAll()) console.log(pool, count, acting.primaries);
   * ```
   */
  *mapAll(): Generator<PgColumns> {
    for (const pool of this.map.pools.keys()) yield this.mapPool(pool);
  }

  /**
   * Maps one PG. A seed beyond pg_num is that of an object's full hash: it is reduced as Ceph does it.
   *
   * @param idOrName - the pool's id or name
   * @throws as {@link PgMapper.mapPool}
   */
  mapPg(idOrName: number | string, ps: number): PgMapping {
    const pool = this.pool(idOrName);
    if (!Number.isInteger(ps) || ps < 0 || ps > 0xffffffff) {
      throw new CrushError('bad-argument', `a placement seed is a 32-bit number, not ${ps}`);
    }
    if (pool.pgNum === 0) throw new CrushError('not-found', `pool ${pool.id} has no PGs`);
    return this.#mapOne(pool, ps);
  }

  /**
   * Maps an object.
   *
   * @param idOrName - the pool's id or name
   * @param object - its name, or name, namespace and locator key
   * @throws as {@link PgMapper.mapPool}
   */
  mapObject(idOrName: number | string, object: NameBytes | ObjectName): ObjectMapping {
    const pool = this.pool(idOrName);
    const hash = objectHash(pool, object);
    if (pool.pgNum === 0) throw new CrushError('not-found', `pool ${pool.id} has no PGs`);
    const { pgid, raw, rawPrimary, up, upPrimary, acting, actingPrimary } = this.#mapOne(
      pool,
      stableMod(hash, pool.pgNum),
    );
    return { pgid, raw, rawPrimary, up, upPrimary, acting, actingPrimary, hash };
  }

  /** One PG, without columns of its own where nothing is laid over the rule's choice. */
  #mapOne(pool: Pool, ps: number): PgMapping {
    const { single, overlay } = this.#plan(pool);
    const chosen = this.crush.mapOne(single, ps);
    const primary = overlay.primaryIfPlain(chosen, ps);
    if (primary === undefined) return view(overlay.apply(chosen, ps, 1), 0);
    const raw: number[] = [];
    const up: number[] = [];
    const acting: number[] = [];
    const length = chosen.lengths[0] ?? 0;
    for (let i = 0; i < length; i++) {
      const osd = chosen.items[i] ?? ITEM_NONE;
      raw.push(osd);
      up.push(osd);
      acting.push(osd);
    }
    const pgid = { pool: pool.id, ps };
    return { pgid, raw, rawPrimary: primary, up, upPrimary: primary, acting, actingPrimary: primary };
  }

  #plan(pool: Pool): PoolPlan {
    let plan = this.#plans.get(pool.id);
    if (plan === undefined) {
      const asked = { ...poolRequest(this.map, pool, this.#release), reweightsFixed: true, first: 0 };
      const out = {
        items: new Int32Array(pool.size),
        lengths: new Int32Array(1),
        seeds: new Int32Array(1),
      };
      plan = {
        request: { ...asked, count: 0, out: undefined },
        single: { ...asked, count: 1, out },
        overlay: new PgOverlay(this.map, pool),
      };
      this.#plans.set(pool.id, plan);
    }
    return plan;
  }
}

/**
 * Makes a mapper for an OSDMap.
 *
 * @throws {@link CrushError} `invalid-map` or `unsupported` when the map's CRUSH map cannot be mapped from,
 * `bad-argument` for what is no OSDMap
 */
export function createMapper(map: OsdMap, options: PgMapperOptions = {}): PgMapper {
  return new PgMapper(map, options);
}

/** One PG of a run of columns as an object, holes as 2147483647 (ITEM_NONE). */
export function view(columns: PgColumns, index: number): PgMapping {
  const set = ({ osds, lengths }: PgSets): number[] => {
    const at = index * columns.width;
    const set: number[] = [];
    for (let i = at; i < at + (lengths[index] ?? 0); i++) set.push(osds[i] ?? ITEM_NONE);
    return set;
  };
  const primary = (sets: PgSets): number => sets.primaries[index] ?? -1;
  return {
    pgid: { pool: columns.pool, ps: columns.first + index },
    raw: set(columns.raw),
    rawPrimary: primary(columns.raw),
    up: set(columns.up),
    upPrimary: primary(columns.up),
    acting: set(columns.acting),
    actingPrimary: primary(columns.acting),
  };
}
