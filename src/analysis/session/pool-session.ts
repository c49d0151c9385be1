/** One pool of a session: its traced mappings, and what the OSDMap lays over them. */
import type { FlatMap } from '../../crush/flat.ts';
import { TracedMapper, type TracedRequest } from '../../kernel/traced-mapper.ts';
import type { OsdMap, Pool } from '../../osdmap/model.ts';
import type { PgColumns, PgSets } from '../../osdmap/pg-mapper.ts';
import { PgOverlay } from '../../osdmap/pg-overlay.ts';
import { poolRequest } from '../../osdmap/pool-request.ts';
import { overlayRows } from './overlay-rows.ts';

/** What an update has changed in one pool. */
export interface PoolUpdate {
  /** Id of the pool. */
  readonly pool: number;
  /** How many PGs were mapped again. */
  readonly remapped: number;
  /** Placement seeds of the PGs whose up or acting set, or primary, is another, ascending. */
  readonly seeds: Int32Array;
  /**
   * These PGs before and after, a row each, in the order of `seeds`. Undefined `before`: the pool is new, or its number
   * of PGs or its size is another.
   */
  readonly before: PlacedSets | undefined;
  /** These PGs after the update. */
  readonly after: PlacedSets;
}

/** Where some PGs lie, in columns. */
export interface PlacedSets {
  /** OSDs a set has room for. */
  readonly width: number;
  /** After upmaps, without OSDs that are down. */
  readonly up: PgSets;
  /** The same object as `up` where no PG has a temp. */
  readonly acting: PgSets;
}

/** See the top of the file. */
export class PoolSession {
  #map: OsdMap;
  #pool: Pool;
  readonly #release: number;
  #traced: TracedMapper;
  #overlay: PgOverlay;
  #columns: PgColumns;

  constructor(map: OsdMap, pool: Pool, release: number, flat?: FlatMap) {
    this.#map = map;
    this.#pool = pool;
    this.#release = release;
    this.#traced = new TracedMapper(map.crush, this.#request(map, pool), flat);
    this.#overlay = new PgOverlay(map, pool);
    this.#columns = this.#layAll();
  }

  /** Where the pool's PGs lie. */
  get columns(): PgColumns {
    return this.#columns;
  }

  /** All of the pool as news. */
  asUpdate(): PoolUpdate {
    const { count } = this.#columns;
    return {
      pool: this.#pool.id,
      remapped: count,
      seeds: Int32Array.from({ length: count }, (_, i) => i),
      before: undefined,
      after: placedSets(this.#columns, (sets) => copySets(sets)),
    };
  }

  /** Brings the pool to another map. */
  update(map: OsdMap, pool: Pool): PoolUpdate {
    const request = this.#request(map, pool);
    if (!this.#traced.suits(request)) {
      this.#traced = new TracedMapper(map.crush, request);
      this.#take(map, pool, new PgOverlay(map, pool));
      this.#columns = this.#layAll();
      return this.asUpdate();
    }
    const again = this.#traced.update(map.crush, request);
    const overlay = new PgOverlay(map, pool);
    const laidOver = overlayRows(this.#map, this.#pool, map, pool, this.#traced);
    const isAll = again === undefined || laidOver === undefined || overlay.width !== this.#columns.width;
    this.#take(map, pool, overlay);
    const remapped = again?.length ?? request.count;
    if (isAll) {
      const before = this.#columns;
      this.#columns = this.#layAll();
      const seeds = differingRows(before, this.#columns);
      return {
        pool: pool.id,
        remapped,
        seeds,
        before: pick(before, seeds),
        after: pick(this.#columns, seeds),
      };
    }
    return { pool: pool.id, remapped, ...this.#layRows(union(again, laidOver)) };
  }

  #request(map: OsdMap, pool: Pool): TracedRequest {
    const { rule, size, reweights, chooseArgs, seed } = poolRequest(map, pool, this.#release);
    return {
      rule,
      size,
      count: pool.pgNum,
      reweights: reweights ?? map.osdWeight,
      chooseArgs,
      seed: seed ?? { mode: 'plain' },
    };
  }

  #take(map: OsdMap, pool: Pool, overlay: PgOverlay): void {
    this.#map = map;
    this.#pool = pool;
    this.#overlay = overlay;
  }

  #layAll(): PgColumns {
    const { items, lengths, seeds } = this.#traced.columns;
    const chosen = { items: items.slice(), lengths: lengths.slice(), seeds: seeds.slice() };
    return this.#overlay.apply(chosen, 0, lengths.length);
  }

  /** Lays the exceptions over some rows anew; gives those that have come to differ, before and after. */
  #layRows(rows: Int32Array): Pick<PoolUpdate, 'seeds' | 'before' | 'after'> {
    const { items, lengths, seeds } = this.#traced.columns;
    const { size } = this.#pool;
    const chosen = {
      items: new Int32Array(rows.length * size),
      lengths: new Int32Array(rows.length),
      seeds: new Int32Array(rows.length),
    };
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0;
      for (let j = 0; j < size; j++) chosen.items[i * size + j] = items[row * size + j] ?? 0;
      chosen.lengths[i] = lengths[row] ?? 0;
      chosen.seeds[i] = seeds[row] ?? 0;
    }
    const laid = this.#overlay.apply(chosen, 0, rows.length, undefined, rows);
    const differing = differingRows(this.#columns, laid, rows);
    const moved = differing.map((i) => rows[i] ?? 0);
    const before = pick(this.#columns, moved);
    this.#write(laid, rows);
    return { seeds: moved, before, after: pick(laid, differing) };
  }

  #write(laid: PgColumns, rows: Int32Array): void {
    // One object serves as raw, up and acting as long as no PG needs them apart.
    if (this.#columns.up === this.#columns.raw && laid.up !== laid.raw) {
      const up = copySets(this.#columns.raw);
      this.#columns = { ...this.#columns, up, acting: up };
    }
    if (this.#columns.acting === this.#columns.up && laid.acting !== laid.up) {
      this.#columns = { ...this.#columns, acting: copySets(this.#columns.up) };
    }
    const { raw, up, acting, width } = this.#columns;
    writeRows(raw, laid.raw, rows, width);
    if (up !== raw) writeRows(up, laid.up, rows, width);
    if (acting !== up) writeRows(acting, laid.acting, rows, width);
  }
}

function writeRows(to: PgSets, from: PgSets, rows: Int32Array, width: number): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0;
    for (let j = 0; j < width; j++) to.osds[row * width + j] = from.osds[i * width + j] ?? 0;
    to.lengths[row] = from.lengths[i] ?? 0;
    to.primaries[row] = from.primaries[i] ?? 0;
  }
}

function copySets({ osds, lengths, primaries }: PgSets): PgSets {
  return { osds: osds.slice(), lengths: lengths.slice(), primaries: primaries.slice() };
}

/** Up and acting made by a function, one object for both where they are one. */
function placedSets({ width, up, acting }: PgColumns, make: (sets: PgSets) => PgSets): PlacedSets {
  const made = make(up);
  return { width, up: made, acting: acting === up ? made : make(acting) };
}

/** Some rows of columns, one after the other. */
function pick(columns: PgColumns, rows: Int32Array): PlacedSets {
  const { width } = columns;
  return placedSets(columns, (from) => {
    const to = {
      osds: new Int32Array(rows.length * width),
      lengths: new Int32Array(rows.length),
      primaries: new Int32Array(rows.length),
    };
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0;
      for (let j = 0; j < width; j++) to.osds[i * width + j] = from.osds[row * width + j] ?? 0;
      to.lengths[i] = from.lengths[row] ?? 0;
      to.primaries[i] = from.primaries[row] ?? 0;
    }
    return to;
  });
}

/**
 * The rows of `b` whose up or acting set, or primary, differ from those of `a`.
 *
 * @param rowsOfA - which row of `a` each row of `b` is; default: the same
 */
function differingRows(a: PgColumns, b: PgColumns, rowsOfA?: Int32Array): Int32Array {
  const rows: number[] = [];
  const isOne = a.acting === a.up && b.acting === b.up;
  for (let row = 0; row < b.count; row++) {
    const rowOfA = rowsOfA?.[row] ?? row;
    if (
      differs(a.up, rowOfA, a.width, b.up, row, b.width) ||
      (!isOne && differs(a.acting, rowOfA, a.width, b.acting, row, b.width))
    ) {
      rows.push(row);
    }
  }
  return Int32Array.from(rows);
}

function differs(a: PgSets, rowOfA: number, widthA: number, b: PgSets, row: number, width: number): boolean {
  const length = b.lengths[row] ?? 0;
  if (length !== a.lengths[rowOfA] || a.primaries[rowOfA] !== b.primaries[row]) return true;
  for (let i = 0; i < length; i++) {
    if (a.osds[rowOfA * widthA + i] !== b.osds[row * width + i]) return true;
  }
  return false;
}

/** Two ascending lists as one. */
function union(a: Int32Array, b: Int32Array): Int32Array {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  const out = new Int32Array(a.length + b.length);
  let to = 0;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i] ?? Infinity;
    const right = b[j] ?? Infinity;
    out[to++] = Math.min(left, right);
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return out.subarray(0, to);
}
