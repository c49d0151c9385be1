/**
 * The worker of a {@link ParallelPgMapper}: a module that does nothing but answer its pool.
 */
import { FlatMap } from '../crush/flat.ts';
import { CrushMapper, type CrushMapperOptions, type MapRequest } from '../kernel/crush-mapper.ts';
import { type ColumnMemory, FRESH_MEMORY, mapColumns, ReusedMemory } from '../kernel/column-memory.ts';
import { type RangeMapper, serveRanges } from '../kernel/range-pool.ts';
import type { Pool } from './model.ts';
import type { PgColumns, PgSets } from './pg-mapper.ts';
import { type OverlayMap, PgOverlay } from './pg-overlay.ts';

/** What the worker maps from. */
export interface PgWorkerState {
  /** The flat CRUSH map, in shared memory where there is some. */
  readonly words: Int32Array;
  readonly options: CrushMapperOptions;
  readonly map: OverlayMap;
}

/** What it maps: a pool, with its request but for the PGs and what is in the state. */
export interface PgJob {
  readonly pool: Pool;
  readonly request: Omit<MapRequest, 'first' | 'count' | 'out' | 'tries' | 'reweights'>;
}

/** Shared memory that a pool's sets go to. */
export interface PgOut {
  readonly raw: PgSets;
  /** Written where they differ from raw. */
  readonly up: PgSets;
  readonly acting: PgSets;
}

serveRanges((state) => {
  const { words, options, map } = state as PgWorkerState;
  const mapper = new CrushMapper(FlatMap.fromChecked(words), options);
  return (what) => new PgRanges(mapper, map, what as PgJob);
});

class PgRanges implements RangeMapper {
  readonly #mapper: CrushMapper;
  readonly #reweights: Uint32Array;
  readonly #overlay: PgOverlay;
  readonly #request: PgJob['request'];
  readonly #memory = new ReusedMemory();

  constructor(mapper: CrushMapper, map: OverlayMap, { pool, request }: PgJob) {
    this.#mapper = mapper;
    this.#reweights = map.osdWeight;
    this.#overlay = new PgOverlay(map, pool);
    this.#request = request;
  }

  map(first: number, count: number): { value: PgColumns; transfer: ArrayBuffer[] } {
    const value = this.#map(first, count, FRESH_MEMORY);
    const sets = [value.raw, value.up, value.acting];
    const buffers = sets.flatMap(({ osds, lengths, primaries }) => [osds, lengths, primaries]);
    // One object may be two sets.
    return { value, transfer: [...new Set(buffers.map((array) => array.buffer as ArrayBuffer))] };
  }

  /** Whether up or acting differ from raw. */
  store(first: number, count: number, at: number, out: unknown): boolean {
    const { width, raw, up, acting } = this.#map(first, count, this.#memory);
    const shared = out as PgOut;
    writeSets(shared.raw, raw, width, at);
    if (up === raw && acting === raw) return false;
    writeSets(shared.up, up, width, at);
    writeSets(shared.acting, acting, width, at);
    return true;
  }

  #map(first: number, count: number, memory: ColumnMemory): PgColumns {
    const out = mapColumns(memory, count, this.#request.size);
    const request = {
      ...this.#request,
      reweights: this.#reweights,
      reweightsFixed: true,
      first,
      count,
      out,
    };
    return this.#overlay.apply(this.#mapper.mapRange(request), first, count, memory);
  }
}

function writeSets(to: PgSets, from: PgSets, width: number, at: number): void {
  to.osds.set(from.osds, at * width);
  to.lengths.set(from.lengths, at);
  to.primaries.set(from.primaries, at);
}
