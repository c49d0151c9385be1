/**
 * Several threads give what one gives. Workers run from dist/, as they do where the package is installed.
 *
 * CRUSH_THREADS_MAPS says over how many random maps (default 12), CRUSH_FUZZ_SEED repeats a run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import workerThreads from 'node:worker_threads';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type * as Package from '../src/index.ts';
import type { CrushMap, MapRequest, OsdMap, PgColumns, PgTable, Pool } from '../src/index.ts';
import { fixture } from './fixtures.ts';
import { Random } from './random.ts';
import { randomMap } from './random-map.ts';
import { clusterMap } from './small-maps.ts';

const MAPS = Number(process.env.CRUSH_THREADS_MAPS ?? 12);
const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);
const DIST = fileURLToPath(new URL('../dist/index.js', import.meta.url));
/** Numbers that a worker takes at a time. */
const CHUNK = 8192;

let dist: typeof Package;
const closing: { close(): Promise<void> }[] = [];
/** Workers that were started, and have not ended. */
const started = new Set<workerThreads.Worker>();
const NodeWorker = workerThreads.Worker;

class WatchedWorker extends NodeWorker {
  constructor(...args: ConstructorParameters<typeof NodeWorker>) {
    super(...args);
    started.add(this);
    this.on('exit', () => started.delete(this));
  }
}

function useWorkers(workers: typeof NodeWorker): void {
  workerThreads.Worker = workers;
  syncBuiltinESMExports();
}

function opened<T extends { close(): Promise<void> }>(mapper: T): T {
  closing.push(mapper);
  return mapper;
}

/** The columns as plain arrays, which are the same whatever memory they lie in. */
function plain(columns: Package.MapColumns): unknown {
  const { items, lengths, seeds } = columns;
  return [items, lengths, seeds].map((column) => Array.from(column));
}

function plainPgs({ pool, first, count, width, raw, up, acting }: PgColumns): unknown {
  const sets = [raw, up, acting].flatMap(({ osds, lengths, primaries }) => [osds, lengths, primaries]);
  return { pool, first, count, width, sets: sets.map((column) => Array.from(column)) };
}

async function outcome(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof dist.CrushError)) throw error;
    return { code: error.code, place: error.place, says: error.describe() };
  }
}

/** The example cluster's map with one pool of many PGs, and random exceptions to it. */
function bigPool(random: Random, pgNum: number, exceptions: number): OsdMap {
  const file = dist.readMap(fixture('cluster-10osd/d.osdmap'));
  if (file.kind !== 'osdmap') throw new Error('no OSDMap');
  const { map } = file;
  const pool = random.pick([...map.pools.values()]);
  const osd = (): number => random.below(map.maxOsd);
  const table = <T>(make: () => T): PgTable<T> => {
    const seeds = Array.from({ length: exceptions }, () => random.below(pgNum)).sort((a, b) => a - b);
    return exceptions === 0 ? new Map() : new Map([[pool.id, new Map(seeds.map((seed) => [seed, make()]))]]);
  };
  const osds = (length: number) => Array.from({ length }, osd);
  return {
    ...map,
    pools: new Map<number, Pool>([[pool.id, { ...pool, pgNum, pgpNum: pgNum }]]),
    osdState: map.osdState.map((state) => (exceptions === 0 || random.chance(0.9) ? 3 : state & ~2)),
    osdPrimaryAffinity: exceptions === 0 ? undefined : map.osdPrimaryAffinity,
    pgUpmap: table(() => osds(pool.size)),
    pgUpmapItems: table((): [number, number][] => [[osd(), osd()]]),
    pgUpmapPrimaries: table(osd),
    pgTemp: table(() => osds(pool.size + 1)),
    primaryTemp: table(osd),
  };
}

const HOSTS = clusterMap(30, 10);
const REQUEST: MapRequest = { rule: 0, size: 3, first: 0, count: 40 * CHUNK };

describe.skipIf(!existsSync(DIST))('threads (need dist, which npm ci builds)', () => {
  beforeAll(async () => {
    dist = (await import(DIST)) as typeof Package;
  });
  beforeEach(() => useWorkers(WatchedWorker));
  afterEach(async () => {
    for (const mapper of closing.splice(0)) await mapper.close();
    useWorkers(NodeWorker);
    await expect.poll(() => started.size).toBe(0);
  });

  it(`map as one thread does: ${MAPS} random maps, CRUSH_FUZZ_SEED=${SEED}`, async () => {
    for (let i = 0; i < MAPS; i++) {
      const seed = SEED + i;
      const random = new Random(~seed);
      const map: CrushMap = random.chance(0.5)
        ? randomMap(seed, { limits: 'any', msr: random.chance(0.3) })
        : HOSTS;
      const options = { workLimit: 1 << 22 };
      const threads = random.between(1, 4);
      const shareMemory = random.chance(0.5);
      const one = new dist.CrushMapper(map, options);
      const several = opened(new dist.ParallelCrushMapper(map, { ...options, threads, shareMemory }));
      for (let rule = -1; rule < Math.min(map.rules.length, 3); rule++) {
        const count = random.pick([0, 1, 100, CHUNK, CHUNK + 1, 3 * CHUNK - 17]);
        const request: MapRequest = {
          rule,
          size: random.between(1, 6),
          first: random.pick([0, 0x7ffffff0, -100, 0xffffff00]),
          count: map === HOSTS ? count : Math.min(count, 300),
          chooseArgs: random.pick([undefined, ...map.chooseArgs.keys()]),
          reweights: random.chance(0.5) ? undefined : new Uint32Array(map.maxDevices).fill(0xc000),
        };
        const tries = { one: new Uint32Array(60), several: new Uint32Array(60) };
        const wanted = await outcome(() => plain(one.mapRange({ ...request, tries: tries.one })));
        const got = await outcome(async () =>
          plain(await several.mapRange({ ...request, tries: tries.several })),
        );
        const what = `CRUSH_FUZZ_SEED=${seed} CRUSH_THREADS_MAPS=1, ${threads} threads, shared: ${shareMemory}`;
        expect(got, what).toEqual(wanted);
        if (Array.isArray(wanted)) expect(tries.several, what).toEqual(tries.one);
        for (const reuse of [false, true]) {
          const columns: Record<'items' | 'lengths' | 'seeds', number[]> = {
            items: [],
            lengths: [],
            seeds: [],
          };
          const streamed = await outcome(async () => {
            for await (const chunk of several.mapChunks(request, { chunk: 77, reuse })) {
              for (const name of ['items', 'lengths', 'seeds'] as const) columns[name].push(...chunk[name]);
            }
            return Object.values(columns);
          });
          expect(streamed, `${what}, reuse: ${reuse}`).toEqual(wanted);
        }
      }
      await several.close();
    }
  });

  it(`lay exceptions over PGs as one thread does, CRUSH_FUZZ_SEED=${SEED}`, async () => {
    const random = new Random(SEED);
    for (const exceptions of [0, 5, 400]) {
      const map = bigPool(random, 3 * CHUNK + 37, exceptions);
      const [id = -1] = map.pools.keys();
      const one = new dist.PgMapper(map);
      const wanted = plainPgs(one.mapPool(id));
      const part = { first: 11, count: CHUNK + 3 };
      for (const shareMemory of [true, false]) {
        const several = opened(
          new dist.ParallelPgMapper(map, { threads: random.between(1, 4), shareMemory }),
        );
        expect(plainPgs(await several.mapPool(id))).toEqual(wanted);
        expect(plainPgs(await several.mapPool(id, part))).toEqual(plainPgs(one.mapPool(id, part)));
        for (const reuse of [false, true]) {
          let next = 0;
          for await (const chunk of several.mapChunks(id, { chunk: 2500, reuse })) {
            const { first, count } = chunk;
            expect(first).toBe(next);
            next += count;
            expect(plainPgs(chunk)).toEqual(plainPgs(one.mapPool(id, { first, count })));
          }
          expect(next).toBe(3 * CHUNK + 37);
        }
      }
    }
  });

  it('map every pool of the example cluster', async () => {
    const file = dist.readMap(fixture('cluster-8osd/osdmap'));
    if (file.kind !== 'osdmap') throw new Error('no OSDMap');
    const several = opened(new dist.ParallelPgMapper(file.map, { threads: 2 }));
    const got: unknown[] = [];
    for await (const columns of several.mapAll()) got.push(plainPgs(columns));
    expect(got).toEqual([...new dist.PgMapper(file.map).mapAll()].map(plainPgs));
    expect(() => several.pool('nowhere')).toThrow('there is no pool');
    await expect(several.mapPool(1, { first: 9 })).rejects.toThrow('not 0 from 9 on');
  });

  it('write to columns that are given, shared or not', async () => {
    const request = { ...REQUEST, count: CHUNK + 5 };
    const wanted = plain(new dist.CrushMapper(HOSTS).mapRange(request));
    const several = opened(new dist.ParallelCrushMapper(HOSTS, { threads: 2 }));
    for (const make of [
      (n: number) => new Int32Array(n),
      (n: number) => new Int32Array(new SharedArrayBuffer(4 * n)),
    ]) {
      const out = {
        items: make(request.count * 3),
        lengths: make(request.count),
        seeds: make(request.count),
      };
      expect(await several.mapRange({ ...request, out })).toBe(out);
      expect(plain(out)).toEqual(wanted);
    }
  });

  it('run several jobs at a time', async () => {
    const several = opened(new dist.ParallelCrushMapper(HOSTS, { threads: 2 }));
    const one = new dist.CrushMapper(HOSTS);
    const requests = [0, 1000, 50_000].map((first) => ({ ...REQUEST, first, count: 2 * CHUNK }));
    const results = await Promise.all(requests.map((request) => several.mapRange(request)));
    expect(results.map(plain)).toEqual(requests.map((request) => plain(one.mapRange(request))));
  });

  it.each([true, false])('tell how far they are, shared: %s', async (shareMemory) => {
    const several = opened(new dist.ParallelCrushMapper(HOSTS, { threads: 2, shareMemory }));
    const seen: number[] = [];
    const count = 3 * CHUNK + 1;
    await several.mapRange(
      { ...REQUEST, count },
      { onProgress: (done, total) => seen.push(done, total === count ? 0 : NaN) },
    );
    const done = seen.filter((_, i) => i % 2 === 0);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(done.at(-1)).toBe(count);
    expect(seen).not.toContain(NaN);
  });

  it.each([true, false])('fail with the error of one thread, shared: %s', async (shareMemory) => {
    // Inputs of several chunks draw more than this; 188,698 is the first.
    const options = { workLimit: 300, kernel: 'scalar' } as const;
    const one = new dist.CrushMapper(HOSTS, options);
    const several = opened(new dist.ParallelCrushMapper(HOSTS, { ...options, threads: 3, shareMemory }));
    const wanted = await outcome(() => one.mapRange(REQUEST));
    expect(wanted).toMatchObject({ code: 'work-limit', place: { path: 'rule 0' } });
    expect(wanted).toHaveProperty('says', expect.stringContaining('input 188698 '));
    expect(await outcome(() => several.mapRange(REQUEST))).toEqual(wanted);
    // The workers are ready for the next job.
    const next = { ...REQUEST, rule: -1, count: 3 };
    expect((await several.mapRange(next)).lengths).toHaveLength(3);
  });

  it.each([true, false])('stop when they are told to, shared: %s', async (shareMemory) => {
    const several = opened(new dist.ParallelCrushMapper(HOSTS, { threads: 2, shareMemory }));
    const reason = new Error('enough');
    const controller = new AbortController();
    let done = 0;
    const job = several.mapRange(REQUEST, {
      signal: controller.signal,
      onProgress: (numbers) => {
        done = numbers;
        controller.abort(reason);
      },
    });
    await expect(job).rejects.toBe(reason);
    expect(done).toBeLessThan(REQUEST.count);
    await expect(several.mapRange(REQUEST, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const request = { ...REQUEST, count: 100 };
    expect(plain(await several.mapRange(request))).toEqual(
      plain(new dist.CrushMapper(HOSTS).mapRange(request)),
    );
  });

  it('end a worker that does not stop', async () => {
    // One mapping of this map takes seconds: hundreds of items, none of which is in.
    const map = clusterMap(2000, 1);
    const tunables = { ...map.tunables, chooseTotalTries: 1_000_000 };
    const several = opened(
      new dist.ParallelCrushMapper({ ...map, tunables }, { threads: 1, workLimit: 0x7fffffff }),
    );
    const reweights = new Uint32Array(map.maxDevices);
    const signal = AbortSignal.timeout(300);
    const job = several.mapRange({ ...REQUEST, reweights }, { signal });
    await expect(job).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect.poll(() => started.size).toBe(0);
  });

  it.each([true, false])('fail with the cause when a worker dies, shared: %s', async (shareMemory) => {
    const several = opened(new dist.ParallelCrushMapper(HOSTS, { threads: 3, shareMemory }));
    let killed = false;
    const job = several.mapRange(REQUEST, {
      onProgress: () => {
        if (!killed) void [...started][1]?.terminate();
        killed = true;
      },
    });
    await expect(job).rejects.toMatchObject({
      code: 'worker-failed',
      message: 'a worker died: it ended with exit code 1',
    });
    await expect.poll(() => started.size).toBe(0);
    // The next job starts new workers.
    const request = { ...REQUEST, count: 100 };
    expect(plain(await several.mapRange(request))).toEqual(
      plain(new dist.CrushMapper(HOSTS).mapRange(request)),
    );
  });

  it('stream through a few places where they are told to', async () => {
    const several = opened(new dist.ParallelCrushMapper(HOSTS, { threads: 2 }));
    const places = new Set<ArrayBufferLike>();
    for await (const { items } of several.mapChunks(REQUEST, { reuse: true })) places.add(items.buffer);
    expect(places.size).toBe(5);
    places.clear();
    for await (const { items } of several.mapChunks(REQUEST)) places.add(items.buffer);
    expect(places.size).toBe(REQUEST.count / CHUNK);
  });

  it('leave a stream when it is left', async () => {
    const several = opened(new dist.ParallelCrushMapper(HOSTS, { threads: 2 }));
    for await (const { first } of several.mapChunks(REQUEST)) if (first > 0) break;
    const request = { ...REQUEST, count: 10 };
    expect((await several.mapRange(request)).lengths).toHaveLength(10);
  });

  it('end when the mapper is closed', async () => {
    const several = new dist.ParallelCrushMapper(HOSTS, { threads: 2 });
    const job = several.mapRange(REQUEST, { onProgress: () => void several.close() });
    await expect(job).rejects.toMatchObject({ code: 'worker-failed' });
    await expect(several.mapRange(REQUEST)).rejects.toThrow('closed');
    expect(() => new dist.ParallelCrushMapper(HOSTS, { threads: 0 })).toThrow('threads must be from 1');
  });

  it('report what a worker cannot open', async () => {
    const several = opened(new dist.ParallelCrushMapper(HOSTS, { threads: 2, workLimit: 0 }));
    await expect(several.mapRange(REQUEST)).rejects.toMatchObject({ code: 'bad-argument' });
    await expect.poll(() => started.size).toBe(0);
  });

  it('do not keep a process from ending', () => {
    const script = `
      import { readFileSync } from 'node:fs';
      import { ParallelCrushMapper, readCrushBinary } from ${JSON.stringify(DIST)};
      const map = readCrushBinary(readFileSync('test/fixtures/crushmaps/s.crushmap'));
      const mapper = new ParallelCrushMapper(map, { threads: 2 });
      console.log((await mapper.mapRange({ rule: 0, size: 3, first: 0, count: 1024 })).items[0]);`;
    const text = execFileSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 });
    expect(text.toString()).toBe('45\n');
  });

  it('run as Web Workers where there are some', async () => {
    class WebWorker {
      onmessage: ((event: { data: unknown }) => void) | undefined;
      onerror: ((event: { message: string; preventDefault(): void }) => void) | undefined;
      readonly #worker: workerThreads.Worker;
      constructor(url: URL, options: unknown) {
        expect(options).toEqual({ type: 'module' });
        this.#worker = new WatchedWorker(url);
        this.#worker.on('message', (data) => this.onmessage?.({ data }));
        this.#worker.on('error', ({ message }) =>
          this.onerror?.({ message, preventDefault: () => undefined }),
        );
      }
      postMessage(message: unknown, transfer: ArrayBuffer[]): void {
        this.#worker.postMessage(message, transfer);
      }
      terminate(): void {
        void this.#worker.terminate();
      }
    }
    Object.assign(globalThis, { Worker: WebWorker });
    try {
      const request = { ...REQUEST, count: CHUNK + 9 };
      const several = opened(new dist.ParallelCrushMapper(HOSTS, { threads: 2 }));
      expect(plain(await several.mapRange(request))).toEqual(
        plain(new dist.CrushMapper(HOSTS).mapRange(request)),
      );
      await several.close();
    } finally {
      Reflect.deleteProperty(globalThis, 'Worker');
    }
  });
});
