/** What differs between two maps, and what moves by it. Runs in a side worker. */
import {
  type ChangedPg,
  compareMaps,
  type Comparison,
  flowsBetween,
  MOVE_CAUSES,
  type MoveCause,
  type PoolComparison,
} from '../../../../src/analysis/compare.ts';
import {
  CHANGED_PG_CSV_HEAD,
  changedPgCsv,
  comparisonJson,
  comparisonSummary,
} from '../../../../src/analysis/compare/report.ts';
import { type MapDifference, mapDifferences } from '../../../../src/analysis/differences.ts';
import { CrushError } from '../../../../src/errors.ts';
import { toPageError, type PageError } from '../page-error.ts';
import { type ChangedPgFilter, type ChangedPgRow, ChangedPgTable } from './compare/changed-pgs.ts';
import { type CompareSide, type MapPair, mapPair } from './compare/sides.ts';

/** What is to be compared, and how. */
export interface CompareRequest {
  readonly before: CompareSide;
  readonly after: CompareSide;
  /** `up`: where PGs belong; `acting`: where temps have them served. */
  readonly set: 'up' | 'acting';
  /** Erasure pools as well: a shard that only changes its position does not move. */
  readonly orderFree: boolean;
}

/** What a comparison says. */
export interface CompareAnswer {
  /** To be given when more of it is asked for: a later comparison has another. */
  readonly id: number;
  readonly notes: readonly string[];
  readonly differences: readonly MapDifference[];
  /** Why nothing can be said of what moves, if so. */
  readonly failure: PageError | undefined;
  readonly moves: CompareMoves | undefined;
  /** What it took. */
  readonly milliseconds: number;
}

/** What moves. */
export interface CompareMoves {
  /** In sentences. */
  readonly summary: readonly string[];
  readonly total: Comparison['total'];
  readonly pools: readonly PoolComparison[];
  /** Names of pools that only one of the maps has. */
  readonly poolsAdded: readonly string[];
  readonly poolsRemoved: readonly string[];
  readonly causes: readonly { readonly cause: MoveCause; readonly pgs: number; readonly shards: number }[];
  /** Types of buckets that flows can be summed up by, OSDs first. */
  readonly levels: readonly { readonly type: number; readonly name: string }[];
  readonly osds: CompareOsds;
}

/** Counts of OSDs, by OSD id. */
export interface CompareOsds {
  readonly shardsBefore: Uint32Array;
  readonly shardsAfter: Uint32Array;
  readonly primariesBefore: Uint32Array;
  readonly primariesAfter: Uint32Array;
  /** Shards that come to it and leave it. */
  readonly coming: Uint32Array;
  readonly leaving: Uint32Array;
}

/** Flows between buckets of a type, those of the most shards first. */
export interface CompareFlows {
  /** Names of buckets or OSDs. */
  readonly names: readonly string[];
  /** Index of the name, or -1 for none. */
  readonly sources: Int32Array;
  readonly targets: Int32Array;
  readonly shards: Uint32Array;
}

/** Some of the changed PGs. */
export interface CompareRows {
  /** All that the filter lets through. */
  readonly total: number;
  readonly rows: readonly ChangedPgRow[];
}

interface Done {
  readonly id: number;
  readonly pair: MapPair;
  readonly request: CompareRequest;
  readonly result: Comparison;
  readonly changed: ChangedPgTable;
  filtered?: { readonly key: string; readonly indexes: Uint32Array };
}

let last: Done | undefined;
let count = 0;

/** Compares. Maps of which nothing can be mapped still have differences. */
export function compareRun(request: CompareRequest): CompareAnswer {
  const start = performance.now();
  const id = ++count;
  last = undefined;
  const pair = mapPair(request.before, request.after);
  const differences = mapDifferences(pair.before, pair.after);
  const answer = (parts: Pick<CompareAnswer, 'failure' | 'moves'>): CompareAnswer => {
    return { id, notes: pair.notes, differences, ...parts, milliseconds: performance.now() - start };
  };
  const changed = new ChangedPgTable();
  try {
    const result = compare(pair, request, (pg) => changed.add(pg));
    last = { id, pair, request, result, changed };
    return answer({ failure: undefined, moves: movesOf(pair, result) });
  } catch (error) {
    if (!(error instanceof CrushError)) throw error;
    return answer({ failure: toPageError(error), moves: undefined });
  }
}

/** Some of the PGs that change. */
export function compareRows(id: number, filter: ChangedPgFilter, first: number, rows: number): CompareRows {
  const done = doneOf(id);
  const key = JSON.stringify([filter.pool, filter.cause, filter.words]);
  if (done.filtered?.key !== key) done.filtered = { key, indexes: done.changed.matching(filter) };
  const { indexes } = done.filtered;
  return {
    total: indexes.length,
    rows: Array.from(indexes.subarray(first, first + rows), (index) => done.changed.row(index)),
  };
}

/** Flows between buckets of a type. */
export function compareFlows(id: number, type: number): CompareFlows {
  const { pair, result } = doneOf(id);
  const flows = flowsBetween(result.flows, type, pair.before.crush, pair.after.crush);
  const names: string[] = [];
  const known = new Map<string, number>();
  const indexOf = (name: string | undefined): number => {
    if (name === undefined) return -1;
    let index = known.get(name);
    if (index === undefined) known.set(name, (index = names.push(name) - 1));
    return index;
  };
  return {
    sources: Int32Array.from(flows, ({ source }) => indexOf(source)),
    targets: Int32Array.from(flows, ({ target }) => indexOf(target)),
    shards: Uint32Array.from(flows, ({ shards }) => shards),
    names,
  };
}

/** A comparison as a file: the changed PGs as CSV, or all of it as JSON, as the command `compare` writes them. */
export function compareFile(id: number, format: 'csv' | 'json'): Blob {
  const { pair, request, result } = doneOf(id);
  if (format === 'csv') {
    const parts = [CHANGED_PG_CSV_HEAD];
    compare(pair, request, (pg) => parts.push(changedPgCsv(pg)));
    return new Blob(parts, { type: 'text/csv' });
  }
  const pgs: ChangedPg[] = [];
  compare(pair, request, (pg) => pgs.push(pg));
  const flows = new Map(
    levelsOf(pair)
      .filter(({ type }) => type !== 0)
      .map(({ type, name }) => [name, flowsBetween(result.flows, type, pair.before.crush, pair.after.crush)]),
  );
  const json = comparisonJson({ ...pair, result, hasUsage: false }, flows, pgs);
  return new Blob([JSON.stringify(json, null, 1), '\n'], { type: 'application/json' });
}

function compare(pair: MapPair, request: CompareRequest, onChanged: (pg: ChangedPg) => void): Comparison {
  const { set, orderFree } = request;
  return compareMaps(pair.before, pair.after, { set, orderFree, onChanged });
}

function doneOf(id: number): Done {
  if (last?.id !== id) throw new CrushError('not-found', 'this comparison was left for another');
  return last;
}

function movesOf(pair: MapPair, result: Comparison): CompareMoves {
  const { osds } = result;
  const coming = new Uint32Array(osds.shardsBefore.length);
  const leaving = new Uint32Array(osds.shardsBefore.length);
  for (const { source, target, shards } of result.flows) {
    if (source >= 0) leaving[source] = (leaving[source] ?? 0) + shards;
    if (target >= 0) coming[target] = (coming[target] ?? 0) + shards;
  }
  const name = (map: MapPair['before'], id: number): string => `${id} (${map.pools.get(id)?.name ?? ''})`;
  return {
    summary: [...comparisonSummary(result, false)],
    total: result.total,
    pools: result.pools,
    poolsAdded: result.poolsAdded.map((id) => name(pair.after, id)),
    poolsRemoved: result.poolsRemoved.map((id) => name(pair.before, id)),
    causes: MOVE_CAUSES.flatMap((cause) => {
      const counts = result.causes.get(cause);
      return counts === undefined ? [] : [{ cause, ...counts }];
    }),
    levels: levelsOf(pair),
    osds: {
      shardsBefore: osds.shardsBefore,
      shardsAfter: osds.shardsAfter,
      primariesBefore: osds.primariesBefore,
      primariesAfter: osds.primariesAfter,
      coming,
      leaving,
    },
  };
}

/** Types of which either map has buckets, with OSDs as the first. */
function levelsOf({ before, after }: MapPair): { readonly type: number; readonly name: string }[] {
  const types = new Set<number>();
  for (const { crush } of [before, after]) {
    for (const bucket of crush.buckets) if (bucket !== undefined) types.add(bucket.type);
  }
  types.delete(0);
  const nameOf = (type: number): string =>
    after.crush.typeNames.get(type) ?? before.crush.typeNames.get(type) ?? `type ${type}`;
  return [0, ...[...types].sort((a, b) => a - b)].map((type) => ({
    type,
    name: type === 0 ? 'osd' : nameOf(type),
  }));
}
