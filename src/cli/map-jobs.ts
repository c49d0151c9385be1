/** The jobs of commands that map much: the PGs of OSDMaps, the inputs of CRUSH maps. */
import type { CrushMap } from '../crush/model.ts';
import { mapColumns, ReusedMemory } from '../kernel/column-memory.ts';
import { CrushMapper, type MapColumns, type MapRequest } from '../kernel/crush-mapper.ts';
import { ParallelCrushMapper } from '../kernel/parallel-crush-mapper.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { ParallelPgMapper } from '../osdmap/parallel-pg-mapper.ts';
import { type PgColumns, PgMapper, type PgMapperOptions } from '../osdmap/pg-mapper.ts';
import { LongJob, type LongJobOptions } from './long-job.ts';

/** Maps PGs of pools, which are named by their ids. */
export type PgJob = LongJob<number, PgColumns>;

/** Maps inputs as a request says that names none. */
export type CrushJob = LongJob<Omit<MapRequest, 'first' | 'count' | 'out'>, MapColumns>;

export function pgJob(map: OsdMap, mapperOptions: PgMapperOptions, options: LongJobOptions): PgJob {
  // Made at once, so that a map that cannot be mapped from fails before anything is printed.
  const mapper = new PgMapper(map, mapperOptions);
  return new LongJob(
    {
      here: (pool, range) => mapper.mapPool(pool, { ...range, reuse: true }),
      threads(threads) {
        const workers = new ParallelPgMapper(map, { ...mapperOptions, threads, flat: mapper.crush.flat });
        return {
          start: () => workers.start(),
          chunks: (pool, range, chunk) => workers.mapChunks(pool, { ...range, chunk, reuse: true }),
          close: () => workers.close(),
        };
      },
    },
    options,
  );
}

export function crushJob(map: CrushMap, options: LongJobOptions): CrushJob {
  const mapper = new CrushMapper(map);
  const memory = new ReusedMemory();
  return new LongJob(
    {
      here: (request, range) => {
        const out = mapColumns(memory, range.count, request.size);
        return mapper.mapRange({ ...request, ...range, out });
      },
      threads(threads) {
        const workers = new ParallelCrushMapper(mapper.flat, { threads });
        return {
          start: () => workers.start(),
          chunks: (request, range, chunk) =>
            workers.mapChunks({ ...request, ...range }, { chunk, reuse: true }),
          close: () => workers.close(),
        };
      },
    },
    options,
  );
}
