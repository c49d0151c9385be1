/** How a comparison of two maps reads: tables for people, JSON and CSV for programs. */
import {
  type BucketFlow,
  type ChangedPg,
  type ComparedCounts,
  type Comparison,
  type Floor,
  flowsBetween,
  MOVE_CAUSES,
} from '../analysis/compare.ts';
import { findType } from '../crush/names.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { formatPgId } from './iostream-format.ts';
import { misuse, type TextSink } from './io.ts';
import { noun } from './noun.ts';
import { primaryJson, setJson, setText } from './map-writers.ts';
import { snakeCaseJson } from './snake-case.ts';
import { tableLines } from './table.ts';

/** Formats of reports. */
export const REPORT_FORMATS = ['table', 'json', 'csv'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What a report is made from. */
export interface CompareReport {
  readonly before: OsdMap;
  readonly after: OsdMap;
  readonly result: Comparison;
  /** The PGs that change, or undefined where they were not asked for. */
  readonly pgs: readonly ChangedPg[] | undefined;
  /** Types of buckets to show flows between. */
  readonly flowTypes: readonly string[];
  /** Rows of each table of flows. */
  readonly limit: number;
  /** Whether a PG dump told what PGs hold. */
  readonly hasUsage: boolean;
}

export function parseReportFormat(text: string): ReportFormat {
  const format = REPORT_FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  throw misuse(`--format is one of ${REPORT_FORMATS.join(', ')}, not '${text}'`);
}

/** The report as lines for people. */
export function* reportLines(report: CompareReport): Generator<string> {
  const { result } = report;
  yield* summaryLines(report);
  const pools = result.pools.filter(({ changedPgs }) => changedPgs > 0);
  if (pools.length > 0) {
    yield '';
    yield* tableLines(
      ['POOL', 'NAME', ...COUNT_TITLES, ...(report.hasUsage ? USAGE_TITLES : [])],
      pools.map((pool) => [
        pool.pool,
        pool.name,
        ...countCells(pool),
        ...(report.hasUsage ? usageCells(pool) : []),
      ]),
    );
    const same = result.pools.length - pools.length;
    if (same === 1) yield '1 other pool stays as it is';
    if (same > 1) yield `${same} other pools stay as they are`;
  }
  for (const [title, ids, map] of [
    ['only in the map after', result.poolsAdded, report.after],
    ['only in the map before', result.poolsRemoved, report.before],
  ] as const) {
    const names = ids.map((id) => `${id} '${map.pools.get(id)?.name ?? ''}'`);
    if (names.length > 0) yield `pools ${title}: ${names.join(', ')}`;
  }
  if (result.causes.size > 0) {
    yield '';
    yield* tableLines(['CAUSE', 'PGS', 'SHARDS'], causeRows(result));
  }
  if (result.total.movedShards > 0) {
    for (const type of report.flowTypes) yield* flowLines(report, type);
  }
  if (report.pgs !== undefined) yield* pgLines(report.pgs);
}

/** Writes the report as JSON. */
export function reportJson(report: CompareReport): Record<string, unknown> {
  const { before, after, result } = report;
  const { flows, osds, causes, ...rest } = result;
  const { shardsBefore, shardsAfter, primariesBefore, primariesAfter, bytesBefore, bytesAfter } = osds;
  const rows = Array.from(shardsBefore, (count, osd) => ({
    osd,
    shardsBefore: count,
    shardsAfter: shardsAfter[osd] ?? 0,
    primariesBefore: primariesBefore[osd] ?? 0,
    primariesAfter: primariesAfter[osd] ?? 0,
    ...(report.hasUsage && { bytesBefore: bytesBefore[osd] ?? 0, bytesAfter: bytesAfter[osd] ?? 0 }),
  }));
  const byType = report.flowTypes.map((type) => [type, flowsOf(report, type)] as const);
  return snakeCaseJson({
    epochBefore: before.epoch,
    epochAfter: after.epoch,
    ...rest,
    causes,
    flows: new Map<string, unknown>([...byType, ['osd', flows]]),
    osds: rows,
    ...(report.pgs !== undefined && { pgs: report.pgs.map(pgJson) }),
  }) as Record<string, unknown>;
}

/** Writes the PGs that change as CSV, a row each. */
export function writePgCsv(pgs: readonly ChangedPg[], out: TextSink): void {
  out.add('pgid,cause,moved_shards,before,before_primary,after,after_primary,objects,bytes\n');
  for (const pg of pgs) {
    const cells = [
      formatPgId(pg.pool, pg.ps),
      pg.cause ?? '',
      movedOf(pg),
      setText(pg.before, ' '),
      primaryJson(pg.beforePrimary) ?? '',
      setText(pg.after, ' '),
      primaryJson(pg.afterPrimary) ?? '',
      pg.usage === undefined ? '' : Math.round(pg.usage.objects),
      pg.usage === undefined ? '' : Math.round(pg.usage.bytes),
    ];
    out.add(`${cells.join(',')}\n`);
  }
}

/** Bytes for people, in units of 1024. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${unit === 0 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit] ?? ''}`;
}

/** A part of a whole in percent, for people. */
export function percentText(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`;
}

function* summaryLines({ result, hasUsage }: CompareReport): Generator<string> {
  const { total } = result;
  if (total.changedPgs === 0) {
    yield total.pgs === 1
      ? 'nothing moves: the PG stays where it is'
      : `nothing moves: all ${total.pgs} PGs stay where they are`;
  } else {
    const { floor, movedShards } = total;
    yield (
      `${total.movedPgs} of ${total.pgs} ${noun(total.pgs, 'PG')} ${noun(total.movedPgs, 'moves', 'move')}, ` +
      `${movedShards} of ${total.shards} ${noun(total.shards, 'shard')} ` +
      `(${percentText(movedShards, total.shards)})`
    );
    const { changedPrimaries: changed, newShards: created, droppedShards: dropped } = total;
    const hasRatio = movedShards > 0 && floor.shards > 0;
    yield (
      `at least ${floor.shards} ${noun(floor.shards, 'shard has', 'shards have')} to move (${floor.byRule} by the ` +
      `rules, ${floor.byWeight} by the weights)` +
      (hasRatio ? `; what moves is ${ratioText(movedShards, floor.shards)} of that` : '')
    );
    if (hasUsage) {
      const objects = Math.round(total.movedObjects);
      yield `${objects} ${noun(objects, 'object is', 'objects are')} copied, ${bytesText(total.movedBytes)}`;
    }
    yield (
      `${changed} ${noun(changed, 'primary changes', 'primaries change')}; ` +
      `${created} ${noun(created, 'shard is', 'shards are')} new, ` +
      `${dropped} ${noun(dropped, 'is', 'are')} left without an OSD`
    );
  }
  const { before, after } = total;
  yield (
    `PGs with too few OSDs: ${before.degraded} before, ${after.degraded} after ` +
    `(below min_size: ${before.belowMinSize} before, ${after.belowMinSize} after)`
  );
  if (total.lostPgs > 0) yield `PGs of whose former OSDs too few are up to read their data: ${total.lostPgs}`;
  if (total.replacedPgs > 0) yield `PGs that keep none of their OSDs: ${total.replacedPgs}`;
}

const COUNT_TITLES = [
  'PGS',
  'MOVE',
  'SHARDS',
  'MOVE',
  '%',
  'FLOOR',
  'RATIO',
  'LED ANEW',
  'SHORT',
  'BELOW MIN',
];
const USAGE_TITLES = ['OBJECTS', 'BYTES'];

function countCells(counts: ComparedCounts & { readonly floor: Floor }): (string | number)[] {
  return [
    counts.pgs,
    counts.movedPgs,
    counts.shards,
    counts.movedShards,
    percentText(counts.movedShards, counts.shards),
    counts.floor.shards,
    ratioText(counts.movedShards, counts.floor.shards),
    counts.changedPrimaries,
    counts.after.degraded,
    counts.after.belowMinSize,
  ];
}

function usageCells({ movedObjects, movedBytes }: ComparedCounts): (string | number)[] {
  return [Math.round(movedObjects), bytesText(movedBytes)];
}

function ratioText(moved: number, floor: number): string {
  if (floor === 0) return moved === 0 ? 'x1.00' : '-';
  return `x${(moved / floor).toFixed(2)}`;
}

function causeRows({ causes }: Comparison): (string | number)[][] {
  return MOVE_CAUSES.flatMap((cause) => {
    const counts = causes.get(cause);
    return counts === undefined ? [] : [[cause, counts.pgs, counts.shards]];
  });
}

function* flowLines(report: CompareReport, type: string): Generator<string> {
  const flows = flowsOf(report, type).filter(({ shards }) => shards > 0);
  const rows = flows
    .slice(0, report.limit)
    .map((flow) => [
      flow.source ?? '-',
      flow.target ?? '-',
      flow.shards,
      ...(report.hasUsage ? [Math.round(flow.objects), bytesText(flow.bytes)] : []),
    ]);
  yield '';
  const title = type.toUpperCase();
  yield* tableLines(
    [`FROM ${title}`, `TO ${title}`, 'SHARDS', ...(report.hasUsage ? USAGE_TITLES : [])],
    rows,
  );
  if (flows.length > report.limit) yield `... ${flows.length - report.limit} more (--limit)`;
}

function flowsOf({ before, after, result }: CompareReport, type: string): BucketFlow[] {
  const number = findType(after.crush, type) ?? findType(before.crush, type);
  if (number === undefined) {
    const names = [...after.crush.typeNames.values()].join(', ');
    throw misuse(`there is no type of bucket '${type}'; the map has ${names}`);
  }
  return flowsBetween(result.flows, number, before.crush, after.crush);
}

function* pgLines(pgs: readonly ChangedPg[]): Generator<string> {
  yield '';
  yield* tableLines(
    ['PG', 'CAUSE', 'MOVE', 'BEFORE', 'AFTER'],
    pgs.map((pg) => [
      formatPgId(pg.pool, pg.ps),
      pg.cause ?? '',
      movedOf(pg),
      `${setText(pg.before, ',') || 'none'} p${pg.beforePrimary < 0 ? '-' : pg.beforePrimary}`,
      `${setText(pg.after, ',') || 'none'} p${pg.afterPrimary < 0 ? '-' : pg.afterPrimary}`,
    ]),
  );
}

function pgJson(pg: ChangedPg): Record<string, unknown> {
  return {
    pgid: formatPgId(pg.pool, pg.ps),
    cause: pg.cause ?? null,
    movedShards: movedOf(pg),
    before: setJson(pg.before),
    beforePrimary: primaryJson(pg.beforePrimary),
    after: setJson(pg.after),
    afterPrimary: primaryJson(pg.afterPrimary),
    ...(pg.usage !== undefined && { objects: pg.usage.objects, bytes: pg.usage.bytes }),
  };
}

function movedOf({ moves }: ChangedPg): number {
  return moves.filter(({ target }) => target >= 0).length;
}
