/** Workloads of the metadata simulation as JSON: what {@link WorkloadDescription} says, with names in snake case. */
import * as v from 'valibot';
import { MAX_MDS } from '../mds/rank-mask.ts';
import { OPERATION_NAMES } from '../mds/simulate/operations.ts';
import type { WorkloadDescription } from '../mds/simulate/workload-description.ts';
import { checkShape } from './json-input.ts';
import { parseMdsJson } from './mds-json-text.ts';

const path = v.pipe(v.string(), v.regex(/^\//, "a path begins with '/'"), v.maxLength(4096));
const rate = v.pipe(
  v.number(),
  v.minValue(0, 'a rate is not below 0'),
  v.maxValue(1e9, 'a rate is at most 1e9'),
);
const seconds = v.pipe(v.number(), v.minValue(0, 'seconds are not below 0'), v.maxValue(1e12));
const rank = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_MDS - 1));

const directory = v.strictObject({
  path,
  files: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e12))),
});

const load = v.strictObject({
  in: path,
  op: v.optional(v.picklist(OPERATION_NAMES, `an op is one of ${OPERATION_NAMES.join(', ')}`)),
  hits: v.optional(
    v.strictObject({
      IRD: v.optional(rate),
      IWR: v.optional(rate),
      READDIR: v.optional(rate),
      FETCH: v.optional(rate),
      STORE: v.optional(rate),
    }),
  ),
  rate: v.optional(rate),
  total_rate: v.optional(rate),
  from: v.optional(seconds),
  to: v.optional(seconds),
  spots: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  moves_every: v.optional(
    v.pipe(v.number(), v.minValue(0.001, 'a move takes 0.001 seconds or more'), v.maxValue(1e9)),
  ),
});

const pin = v.strictObject({
  path,
  rank: v.optional(v.pipe(v.number(), v.integer(), v.minValue(-1), v.maxValue(MAX_MDS - 1))),
  distributed: v.optional(v.boolean()),
  random: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
});

const workload = v.strictObject({
  name: v.optional(v.string()),
  directories: v.array(
    v.union([path, directory], 'a directory is a path, or an object with path and maybe files'),
  ),
  loads: v.array(load),
  pins: v.optional(v.array(pin)),
  subtrees: v.optional(v.array(v.strictObject({ path, rank }))),
  migration: v.optional(
    v.strictObject({
      discover_seconds: v.optional(seconds),
      freeze_seconds: v.optional(seconds),
      inode_seconds: v.optional(seconds),
    }),
  ),
  cpu_ticks_per_request: v.optional(rate),
  bal_rank_mask: v.optional(v.string()),
  steady: v.optional(v.boolean()),
});

/** Whether a text looks like a workload, and not like what metadata servers print. */
export function isWorkloadJson(text: string): boolean {
  return /^\s*\ufeff?\s*\{/.test(text) && /"loads"\s*:/.test(text) && /"directories"\s*:/.test(text);
}

/**
 * Reads a workload.
 *
 * @throws CrushError `malformed`, with the path of the first part that does not fit
 */
export function readWorkloadJson(text: string): WorkloadDescription {
  const read = checkShape(workload, parseMdsJson(text), 'workload');
  return defined({
    name: read.name,
    directories: read.directories.map((each) => (typeof each === 'string' ? { path: each } : defined(each))),
    loads: read.loads.map(({ total_rate: totalRate, moves_every: movesEvery, hits, ...rest }) =>
      defined({ ...rest, hits: hits === undefined ? undefined : defined(hits), totalRate, movesEvery }),
    ),
    pins: read.pins?.map(({ distributed: isDistributed, ...rest }) => defined({ ...rest, isDistributed })),
    subtrees: read.subtrees,
    migration:
      read.migration === undefined
        ? undefined
        : defined({
            discover: read.migration.discover_seconds,
            freeze: read.migration.freeze_seconds,
            inode: read.migration.inode_seconds,
          }),
    cpuTicksPerRequest: read.cpu_ticks_per_request,
    rankMask: read.bal_rank_mask,
    isSettled: read.steady,
  });
}

/** Writes a workload, to be read again by {@link readWorkloadJson}. */
export function writeWorkloadJson(description: WorkloadDescription): string {
  const { directories, loads, pins, migration, cpuTicksPerRequest, rankMask, isSettled, ...rest } =
    description;
  const json = defined({
    ...rest,
    directories,
    loads: loads.map(({ totalRate, movesEvery, ...other }) =>
      defined({ ...other, total_rate: totalRate, moves_every: movesEvery }),
    ),
    pins: pins?.map(({ path: where, rank: to, isDistributed, random }) =>
      defined({ path: where, rank: to, distributed: isDistributed, random }),
    ),
    migration:
      migration === undefined
        ? undefined
        : defined({
            discover_seconds: migration.discover,
            freeze_seconds: migration.freeze,
            inode_seconds: migration.inode,
          }),
    cpu_ticks_per_request: cpuTicksPerRequest,
    bal_rank_mask: rankMask,
    steady: isSettled,
  });
  return `${JSON.stringify(json, null, 1)}\n`;
}

/** Only the fields that are there. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
