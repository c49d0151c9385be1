/**
 * A map under change: where all PGs lie, kept up to the map, by mapping again only the PGs that a change can concern.
 */
import { FlatMap } from '../crush/flat.ts';
import { CrushError } from '../errors.ts';
import type { OsdMap } from '../osdmap/model.ts';
import type { PgColumns } from '../osdmap/pg-mapper.ts';
import { demandOsdMap, findPool } from '../osdmap/pool-request.ts';
import { PoolSession, type PoolUpdate } from './session/pool-session.ts';

export type { PlacedSets, PoolUpdate } from './session/pool-session.ts';

/** Options of a {@link Session}. */
export interface SessionOptions {
  /** Choose rules as this release of Ceph does, see {@link PgMapperOptions.release}. Default: the newest. */
  readonly release?: number;
}

/** What an update has changed. */
export interface SessionUpdate {
  /** The pools of the new map, in its order. */
  readonly pools: readonly PoolUpdate[];
  /** Pools that the new map has no more. */
  readonly removed: readonly number[];
}

/**
 * Keeps the mappings of an OSDMap's pools, and brings them to the next map in a fraction of the time that mapping all
 * PGs takes. What it gives is always what a {@link PgMapper} of the same map gives.
 *
 * It remembers some 200 bytes for each PG of three OSDs, more for wider pools. Fast are: OSDs marked out, in, up or
 * down, reweights, primary affinity, upmaps and temps, CRUSH weights, items added to and taken from straw2 buckets.
 * Other changes (rules, tunables, a pool's size, pg_num; anything in maps with local fallback retries) map the pools
 * that they concern anew.
 *
 * @example
 * ```ts
 * const session = new Session(map);
 * const osdWeight = map.osdWeight.slice();
 * osdWeight[3] = 0;
 * for (const { pool, seeds } of session.update({ ...map, osdWeight }).pools) console.log(pool, seeds.length);
 * ```
 */
export class Session {
  #map: OsdMap;
  readonly #release: number;
  #pools = new Map<number, PoolSession>();

  /**
   * @throws {@link CrushError} as {@link createMapper} and its `mapPool`
   */
  constructor(map: OsdMap, options: SessionOptions = {}) {
    demandOsdMap(map);
    this.#map = map;
    this.#release = options.release ?? Number.POSITIVE_INFINITY;
    const flat = FlatMap.fromModel(map.crush);
    for (const pool of map.pools.values()) {
      this.#pools.set(pool.id, new PoolSession(map, pool, this.#release, flat));
    }
  }

  /** The map that the mappings are of. */
  get map(): OsdMap {
    return this.#map;
  }

  /**
   * The mappings of a pool. They are the session's own: the next update writes into them.
   *
   * @throws {@link CrushError} `not-found`
   */
  columns(idOrName: number | string): PgColumns {
    const { id } = findPool(this.#map, idOrName);
    const found = this.#pools.get(id);
    if (found === undefined) throw new CrushError('not-found', `pool ${id} could not be mapped`);
    return found.columns;
  }

  /**
   * Brings the mappings to another map. The nearer it is to the last one the sooner; going back to an earlier map is
   * an update like any other. Parts of the map that have not changed should be the same objects.
   *
   * @throws {@link CrushError} as the constructor; the session then is at the new map for pools that could be mapped,
   * and the next update maps the others in full
   */
  update(map: OsdMap): SessionUpdate {
    demandOsdMap(map);
    const old = this.#pools;
    const pools = new Map<number, PoolSession>();
    const updates: PoolUpdate[] = [];
    this.#pools = pools;
    this.#map = map;
    let failure: unknown;
    for (const pool of map.pools.values()) {
      const session = old.get(pool.id);
      try {
        if (session === undefined) {
          const added = new PoolSession(map, pool, this.#release);
          pools.set(pool.id, added);
          updates.push(added.asUpdate());
        } else {
          updates.push(session.update(map, pool));
          pools.set(pool.id, session);
        }
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure as Error;
    return { pools: updates, removed: [...old.keys()].filter((id) => !map.pools.has(id)) };
  }
}
