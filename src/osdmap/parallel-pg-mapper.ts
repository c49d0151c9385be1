/**
 * The bulk of a {@link PgMapper} on several threads, with the same results.
 */
import { FlatMap } from '../crush/flat.ts';
import type { ChunkOptions, JobOptions, ThreadOptions } from '../kernel/job.ts';
import { canShareMemory, RangePool, sharedArray, sharedCopy } from '../kernel/range-pool.ts';
import type { WorkerSource } from '../kernel/worker-port.ts';
import type { OsdMap, Pool } from './model.ts';
import type { PgColumns, PgMapperOptions, PgSets } from './pg-mapper.ts';
import { type OverlayMap, PgOverlay } from './pg-overlay.ts';
import type { PgJob, PgOut, PgWorkerState } from './pg-worker.ts';
import { demandOsdMap, findPool, type PgRange, poolRequest, rangeOf } from './pool-request.ts';

/** PGs that a worker takes at a time: some milliseconds' work. */
const CHUNK = 1 << 13;

const SOURCE: WorkerSource = {
  web: () => new Worker(new URL('./pg-worker.js', import.meta.url), { type: 'module' }),
  name: './pg-worker.js',
  base: import.meta.url,
};

/**
 * Maps the pools of one OSDMap on several threads; exceptions (upmaps, temps, OSDs that are down) are laid over by
 * the workers too. They start with the first job (some 85 ms) and stay until {@link ParallelPgMapper.close}; idle ones
 * do not keep a process from ending. See {@link ParallelCrushMapper} for what happens when a job fails.
 *
 * @example
 * ```ts
 * const mapper = new ParallelPgMapper(map, { threads: 4 });
 * for await (const { pool, acting } of mapper.mapAll()) console.log(pool, acting.primaries);
 * await mapper.close();
 * ```
 */
export class ParallelPgMapper {
  /** The map that it maps. */
  readonly map: OsdMap;
  readonly #pool: RangePool;
  readonly #shares: boolean;
  readonly #release: number;

  /**
   * @param options.flat - the map's CRUSH map, if it has been laid flat before: a PgMapper's `crush.flat`
   * @throws {@link CrushError} as {@link PgMapper} does, and `bad-argument` for an impossible number of threads
   */
  constructor(
    map: OsdMap,
    options: PgMapperOptions & ThreadOptions & { readonly flat?: FlatMap | undefined } = {},
  ) {
    demandOsdMap(map);
    this.map = map;
    const { threads, shareMemory, release, flat, ...mapperOptions } = options;
    this.#release = release ?? Number.POSITIVE_INFINITY;
    this.#shares = shareMemory ?? canShareMemory();
    const { words } = flat ?? FlatMap.fromModel(map.crush);
    const state: PgWorkerState = {
      words: this.#shares ? sharedCopy(words) : words,
      options: mapperOptions,
      map: overlayPart(map),
    };
    this.#pool = new RangePool(SOURCE, threads, state);
  }

  /**
   * Starts the workers, which the first job does else: for those who know early that there will be one.
   *
   * @throws {@link CrushError} `worker-failed` where they cannot be started
   */
  async start(): Promise<void> {
    await this.#pool.start();
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
   * Maps a pool, or a run of its PGs, as {@link PgMapper.mapPool} does. The columns lie in shared memory where that
   * is allowed.
   *
   * @throws {@link CrushError} what PgMapper.mapPool throws, of the first PG that one thread would have failed at;
   * `worker-failed` when a worker dies; the signal's reason when it is aborted
   */
  async mapPool(idOrName: number | string, options: PgRange & JobOptions = {}): Promise<PgColumns> {
    const pool = this.pool(idOrName);
    const { first, count } = rangeOf(pool, options);
    const { width } = new PgOverlay(this.map, pool);
    const gathered = new GatheredSets(count, width, this.#shares);
    if (this.#shares) {
      const range = { first, count, chunk: CHUNK };
      const out = gathered.out();
      await this.#pool.share(this.#job(pool), range, out, options, (from, size, differs) => {
        gathered.note(from - first, size, differs === true);
      });
    } else {
      for await (const chunk of this.mapChunks(idOrName, options)) gathered.add(chunk, chunk.first - first);
    }
    return { pool: pool.id, first, count, width, ...gathered.finish() };
  }

  /**
   * Maps a pool of any number of PGs in little memory: gives them chunk by chunk, in order, and maps no more ahead
   * than the workers have in hand.
   *
   * @param options.chunk - PGs of a chunk; default 8192
   * @param options.reuse - a chunk's columns are gone when the next is asked for: where threads share memory, they lie in
   * a few places that are used again and again; default false
   * @throws as {@link ParallelPgMapper.mapPool}
   */
  async *mapChunks(
    idOrName: number | string,
    options: PgRange & JobOptions & ChunkOptions = {},
  ): AsyncGenerator<PgColumns, void, undefined> {
    const pool = this.pool(idOrName);
    const range = { ...rangeOf(pool, options), chunk: options.chunk ?? CHUNK };
    const { width } = new PgOverlay(this.map, pool);
    const most = Math.min(range.chunk, range.count);
    const makeSlot = (): PgOut => {
      const make = (): PgSets => makeSets(most, width, sharedArray);
      return { raw: make(), up: make(), acting: make() };
    };
    const reuses = options.reuse === true && this.#shares;
    const job = this.#job(pool);
    for await (const chunk of this.#pool.stream(job, range, options, reuses ? makeSlot : undefined)) {
      const { first, count, value, slot } = chunk;
      yield slot === undefined
        ? (value as PgColumns)
        : { pool: pool.id, first, count, width, ...setsOfSlot(slot as PgOut, count, width, value === true) };
    }
  }

  /** Maps every pool, one after the other. */
  async *mapAll(options: Pick<JobOptions, 'signal'> = {}): AsyncGenerator<PgColumns, void, undefined> {
    for (const pool of this.map.pools.keys()) yield await this.mapPool(pool, options);
  }

  /** Ends the workers for good; jobs that are under way fail. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  #job(pool: Pool): PgJob {
    const { rule, size, chooseArgs, seed } = poolRequest(this.map, pool, this.#release);
    return { pool, request: { rule, size, chooseArgs, seed } };
  }
}

/** What the workers' overlays read; addresses and the like would only be copied. */
function overlayPart(map: OsdMap): OverlayMap {
  const { maxOsd, osdState, osdWeight, osdPrimaryAffinity } = map;
  const { pgTemp, primaryTemp, pgUpmap, pgUpmapItems, pgUpmapPrimaries } = map;
  return {
    maxOsd,
    osdState,
    osdWeight,
    osdPrimaryAffinity,
    pgTemp,
    primaryTemp,
    pgUpmap,
    pgUpmapItems,
    pgUpmapPrimaries,
  };
}

function makeSets(count: number, width: number, array: (length: number) => Int32Array): PgSets {
  return { osds: array(count * width), lengths: array(count), primaries: array(count) };
}

/** The first sets of a slot; up and acting are in it only where they differ from raw. */
function setsOfSlot(slot: PgOut, count: number, width: number, differs: boolean): PgOut {
  const part = (sets: PgSets): PgSets => partOfSets(sets, 0, count, width);
  const raw = part(slot.raw);
  return differs ? { raw, up: part(slot.up), acting: part(slot.acting) } : { raw, up: raw, acting: raw };
}

function partOfSets({ osds, lengths, primaries }: PgSets, at: number, count: number, width: number): PgSets {
  return {
    osds: osds.subarray(at * width, (at + count) * width),
    lengths: lengths.subarray(at, at + count),
    primaries: primaries.subarray(at, at + count),
  };
}

/**
 * Puts the sets of a pool together from chunks. Up and acting take no memory while they are the same as raw: nothing
 * touches what was set aside for them.
 */
class GatheredSets {
  readonly #width: number;
  readonly #raw: PgSets;
  readonly #make: () => PgSets;
  #others: { readonly up: PgSets; readonly acting: PgSets } | undefined;
  /** Runs of PGs whose up and acting sets are not written yet, being the same as raw. */
  readonly #same: { readonly at: number; readonly count: number }[] = [];
  #differs = false;

  constructor(count: number, width: number, shares: boolean) {
    this.#width = width;
    const array = shares ? sharedArray : (length: number): Int32Array => new Int32Array(length);
    this.#make = () => makeSets(count, width, array);
    this.#raw = this.#make();
  }

  /** Where others write the sets themselves. */
  out(): PgOut {
    this.#others = { up: this.#make(), acting: this.#make() };
    return { raw: this.#raw, ...this.#others };
  }

  /** Others have written a run; whether also its up and acting sets. */
  note(at: number, count: number, differs: boolean): void {
    if (differs) this.#differs = true;
    else this.#same.push({ at, count });
  }

  /** Takes a chunk. */
  add({ count, raw, up, acting }: PgColumns, at: number): void {
    this.#write(this.#raw, raw, at);
    const differs = up !== raw || acting !== raw;
    this.note(at, count, differs);
    if (!differs) return;
    this.#others ??= { up: this.#make(), acting: this.#make() };
    this.#write(this.#others.up, up, at);
    this.#write(this.#others.acting, acting, at);
  }

  /** The sets, all there. */
  finish(): PgOut {
    const raw = this.#raw;
    if (!this.#differs || this.#others === undefined) return { raw, up: raw, acting: raw };
    const { up, acting } = this.#others;
    for (const { at, count } of this.#same) {
      const part = partOfSets(raw, at, count, this.#width);
      this.#write(up, part, at);
      this.#write(acting, part, at);
    }
    return { raw, up, acting };
  }

  #write(to: PgSets, from: PgSets, at: number): void {
    to.osds.set(from.osds, at * this.#width);
    to.lengths.set(from.lengths, at);
    to.primaries.set(from.primaries, at);
  }
}
