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
import {
  bytesText,
  CHANGED_PG_CSV_HEAD,
  changedPgCsv,
  comparisonJson,
  comparisonSummary,
  copiedShards,
  percentText,
  ratioText,
} from '../analysis/compare/report.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { formatPgId, setText } from '../osdmap/pg-text.ts';
import { misuse, type TextSink } from './io.ts';
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
  yield* comparisonSummary(result, report.hasUsage);
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

/** The report as JSON. */
export function reportJson(report: CompareReport): Record<string, unknown> {
  const flows = new Map(report.flowTypes.map((type) => [type, flowsOf(report, type)] as const));
  return comparisonJson(report, flows, report.pgs);
}

/** Writes the PGs that change as CSV, a row each. */
export function writePgCsv(pgs: readonly ChangedPg[], out: TextSink): void {
  out.add(CHANGED_PG_CSV_HEAD);
  for (const pg of pgs) out.add(changedPgCsv(pg));
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
      copiedShards(pg),
      `${setText(pg.before, ',') || 'none'} p${pg.beforePrimary < 0 ? '-' : pg.beforePrimary}`,
      `${setText(pg.after, ',') || 'none'} p${pg.afterPrimary < 0 ? '-' : pg.afterPrimary}`,
    ]),
  );
}
