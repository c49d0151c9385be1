/**
 * crush-wasm: Ceph's CRUSH placement, computed in bulk and bit for bit, wherever JavaScript runs.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { createMapper, readMapFile } from 'crush-wasm';
 *
 * const file = await readMapFile(await readFile('osdmap'));
 * if (file.kind === 'osdmap') {
 *   const mapper = createMapper(file.map);
 *   for (const { pool, count, acting } of mapper.mapAll()) console.log(pool, count, acting.primaries);
 * }
 * ```
 *
 * @module crush-wasm
 */
export { type CrushErrno, CrushError, type CrushErrorCode, type ErrorPlace } from './errors.ts';

export * from './crush/model.ts';
export {
  type CrushProblem,
  type CrushProblemCode,
  PROBLEM_SEVERITY,
  type ProblemPlace,
  type ProblemSeverity,
  type RulePool,
  validate,
  type ValidateOptions,
} from './crush/validate.ts';
export { FlatMap } from './crush/flat.ts';
export { CrushMapEditor, type EditorOptions } from './crush/editor.ts';
export type { CrushLocation, NewCrushBucket, NewDevice, NewRule } from './crush/edit/arguments.ts';
export { TUNABLES_PROFILES, type TunablesProfile } from './crush/tunables.ts';

export * from './osdmap/model.ts';
export {
  emptyIncremental,
  type OsdMapIncremental,
  type StretchModeChange,
} from './osdmap/incremental-model.ts';
export { applyIncremental } from './osdmap/incremental.ts';
export { type NameBytes, objectHash, type ObjectName, stableMod } from './osdmap/object-hash.ts';
export {
  createMapper,
  type ObjectMapping,
  type PgColumns,
  PgMapper,
  type PgMapperOptions,
  type PgMapping,
  type PgSets,
  view,
} from './osdmap/pg-mapper.ts';
export type { PgRange } from './osdmap/pool-request.ts';
export { ParallelPgMapper } from './osdmap/parallel-pg-mapper.ts';

export * from './analysis/explain.ts';

export {
  CrushMapper,
  type CrushMapperOptions,
  type KernelChoice,
  type MapColumns,
  type MapRequest,
  type SeedSource,
} from './kernel/crush-mapper.ts';
export type { ChunkOptions, JobOptions, JobSignal, ThreadOptions } from './kernel/job.ts';
export { type MapChunk, ParallelCrushMapper } from './kernel/parallel-crush-mapper.ts';
export { hash32 } from './kernel/kernel.ts';
export {
  init,
  initSync,
  type KernelResponse,
  type KernelSource,
  type WasmModule,
} from './kernel/kernel-module.ts';

export {
  type Distribution,
  type DistributionRequest,
  measureDistribution,
  type Share,
  type ShareLevel,
} from './analysis/distribution.ts';
export { rulePools, validateOsdMap } from './analysis/health.ts';
export type { SpreadStatistics } from './analysis/statistics.ts';

export * from './analysis/compare.ts';
export * from './analysis/what-if.ts';
export * from './analysis/differences.ts';
export type { PgDump, OsdUsage, PgUsage } from './osdmap/pg-usage.ts';
export { cleanUpmaps } from './osdmap/upmap-cleanup.ts';

export {
  type PlacedSets,
  type PoolUpdate,
  Session,
  type SessionOptions,
  type SessionUpdate,
} from './analysis/session.ts';

export type { Bytes } from './formats/bytes.ts';
export { type MapFile, readMap, type ReadMapOptions } from './formats/detect.ts';
export { readMapFile } from './formats/map-file.ts';
export { readPgDump } from './formats/pg-dump.ts';
export { readCrushBinary } from './formats/crushmap-binary.ts';
export { type WriteCrushOptions, writeCrushBinary } from './formats/crushmap-encode.ts';
export { readCrushDump, type ReadCrushDumpOptions } from './formats/crushmap-json.ts';
export { readCrushText, type ReadCrushTextOptions } from './formats/crushmap-text.ts';
export { writeCrushText, type WriteCrushTextOptions } from './formats/crush-text-write.ts';
export { readOsdMapBinary, type ReadOsdMapOptions } from './formats/osdmap-binary.ts';
export { writeOsdMapBinary, type WriteOsdMapOptions } from './formats/osdmap-encode.ts';
export { readIncremental } from './formats/osdmap-incremental.ts';
export { checkFullCrc, type FullCrcCheck } from './formats/osdmap-full-crc.ts';
export { readOsdMapJson, type ReadOsdMapJsonOptions, readReportJson } from './formats/osdmap-json.ts';
