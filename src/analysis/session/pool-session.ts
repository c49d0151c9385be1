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
  readonly pool: number;
  /** How many PGs were mapped again. */
  readonly remapped: number;
  /** Placement seeds of the PGs whose up or acting set, or primary, is another, ascending. */
  readonly seeds: Int32Array;
  /**
   * These PGs before and after, a row each, in the order of `seeds`. Undefined `before`: the pool is new, or its number
   * of PGs or its size is another.
   */
  readonly before: PgColumns | undefined;
  readonly after: PgColumns;
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
      after: copyAll(this.#columns),
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
    const laidOver = overlayRows(this.#map, this.#pool, map, pool, this.#traced.columns);
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
    const before = pick(this.#columns, rows);
    const differing = differingRows(before, laid);
    this.#write(laid, rows);
    return {
      seeds: differing.map((i) => rows[i] ?? 0),
      before: pick(before, differing),
      after: pick(laid, differing),
    };
  }

  #write(laid: PgColumns, rows: Int32Array): void {
    const { raw, up } = this.#columns;
    // One object serves as raw, up and acting as long as no PG needs them apart.
    if (up === raw && laid.up !== laid.raw) {
      this.#columns = { ...this.#columns, up: copySets(raw), acting: copySets(raw) };
    }
    const { columns } = this;
    writeRows(columns.raw, laid.raw, rows, laid.width);
    if (columns.up === columns.raw) return;
    writeRows(columns.up, laid.up, rows, laid.width);
    writeRows(columns.acting, laid.acting, rows, laid.width);
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

function copyAll(columns: PgColumns): PgColumns {
  const raw = copySets(columns.raw);
  if (columns.up === columns.raw) return { ...columns, raw, up: raw, acting: raw };
  return { ...columns, raw, up: copySets(columns.up), acting: copySets(columns.acting) };
}

/** Some rows of columns, one after the other. */
function pick(columns: PgColumns, rows: Int32Array): PgColumns {
  const { width } = columns;
  const sets = (from: PgSets): PgSets => {
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
  };
  const raw = sets(columns.raw);
  const shared = columns.up === columns.raw;
  return {
    ...columns,
    first: 0,
    count: rows.length,
    raw,
    up: shared ? raw : sets(columns.up),
    acting: shared ? raw : sets(columns.acting),
  };
}

/** The rows whose up or acting set, or primary, differ. */
function differingRows(a: PgColumns, b: PgColumns): Int32Array {
  const rows: number[] = [];
  for (let row = 0; row < a.count; row++) {
    if (differs(a.up, a.width, b.up, b.width, row) || differs(a.acting, a.width, b.acting, b.width, row)) {
      rows.push(row);
    }
  }
  return Int32Array.from(rows);
}

function differs(a: PgSets, widthA: number, b: PgSets, widthB: number, row: number): boolean {
  const length = a.lengths[row] ?? 0;
  if (length !== b.lengths[row] || a.primaries[row] !== b.primaries[row]) return true;
  for (let i = 0; i < length; i++) if (a.osds[row * widthA + i] !== b.osds[row * widthB + i]) return true;
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
