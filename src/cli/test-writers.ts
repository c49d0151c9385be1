/** How `crush-wasm test` writes what it found: tables for people, JSON or CSV for programs. */
import type { ShareLevel } from '../analysis/distribution.ts';
import { percent, share as shareOf } from '../analysis/findings.ts';
import { itemClassName } from '../crush/names.ts';
import type { CrushMap } from '../crush/model.ts';
import type { CrushProblem } from '../crush/validate.ts';
import type { TextSink } from './io.ts';
import { snakeCaseJson } from '../analysis/snake-case.ts';
import { proseLines, tableLines } from './table.ts';
import {
  deviation,
  deviationText,
  levelTitle,
  levelTitles,
  number,
  problemSummary,
  rowName,
  runTitle,
  type TestReport,
  type TestResult,
} from './test-report.ts';

/** Problems of one code that are told one by one. */
const TOLD_EACH = 3;

/** Writes tables, findings and problems; prose is broken at a width. */
export function writeTestTable(report: TestReport, rows: number, out: TextSink, width: number): void {
  const { title, file, map, results, refusal, problems } = report;
  out.add(`${title}: ${file.kind === 'osdmap' ? 'OSDMap' : 'CRUSH map'}, ${problemSummary(problems)}\n`);
  for (const result of results) {
    out.add(`\n${runLines(map, result).join('\n')}\n`);
    for (const level of result.distribution.levels) {
      if (level.rows.length < 2 || rows === 0) continue;
      out.add(`\n${levelLines(map, level, rows).join('\n')}\n`);
    }
    const marks = { ok: 'fine', hint: 'hint', fault: 'FAULT' } as const;
    out.add('\n');
    for (const { kind, text } of result.findings) {
      out.add(`${proseLines(`  ${marks[kind]}: `, text, width).join('\n')}\n`);
    }
  }
  if (refusal !== undefined) out.add(`\nThis map cannot be mapped from: ${refusal}\n`);
  if (results.length === 0 && refusal === undefined) out.add('\nThere is no rule to test.\n');
  if (problems.length > 0) out.add(`\nProblems of the map\n`);
  for (const line of problemLines(problems, rows, width)) out.add(`${line}\n`);
}

/** What a run was, how often it failed and retried, and how even it is. */
function runLines(map: CrushMap, result: TestResult): string[] {
  const { request, distribution } = result;
  const { mappings, placed, bad, tries } = distribution;
  const kinds = [
    [bad.short, 'too short'],
    [bad.holes, 'with holes'],
    [bad.duplicates, 'with an OSD twice'],
    [bad.buckets, 'with buckets'],
  ] as const;
  const told = kinds.filter(([count]) => count > 0).map(([count, kind]) => `${number(count)} ${kind}`);
  const all = tries.reduce((sum, count) => sum + count, 0);
  const shown = [...tries.entries()].filter(([, count]) => count > 0);
  const texts = shown.map(([retries, count]) => `${retries}: ${number(count)}`);
  const histogram = texts.length <= 8 ? texts : [...texts.slice(0, 6), '...', ...texts.slice(-1)];
  const last = request.first + mappings - 1;
  return [
    runTitle(map, result),
    `  mappings      ${number(mappings)} (x ${request.first}..${last}), ${number(placed)} OSDs placed`,
    `  bad mappings  ${bad.mappings === 0 ? 'none' : `${number(bad.mappings)} (${shareOf(bad.mappings, mappings)}): ${told.join(', ')}`}`,
    `  retries       ${all === 0 ? 'none counted' : histogram.join('  ')}`,
    ...distribution.levels
      .filter(({ rows }) => rows.length > 1)
      .map((level) => `  ${levelTitles(map, level).padEnd(12)}  ${spreadText(map, level)}`),
  ];
}

function spreadText(map: CrushMap, level: ShareLevel): string {
  const { spread, chance, fullest, emptiest } = level.statistics;
  const extreme = (row: number): string => {
    const found = level.rows[row];
    return found === undefined ? '-' : `${rowName(map, level, found)} ${deviationText(found)}`;
  };
  return (
    `${number(level.rows.length)}, off by ${percent(spread)} (chance alone ${percent(chance)}); ` +
    `most ${extreme(fullest)}, least ${extreme(emptiest)}`
  );
}

/** Rows with the most and the least for their weight, or all in order. */
function levelLines(map: CrushMap, level: ShareLevel, rows: number): string[] {
  const hidden = level.rows.length - rows;
  let shown = [...level.rows];
  if (hidden > 0) {
    const sorted = shown.sort((a, b) => deviation(b) - deviation(a) || a.id - b.id);
    const top = Math.ceil(rows / 2);
    shown = [...sorted.slice(0, top), ...sorted.slice(sorted.length - (rows - top))];
  }
  const isDevice = level.kind === 'device';
  const cells = shown.map((row) => [
    rowName(map, level, row),
    ...(isDevice ? [itemClassName(map, row.id) ?? '-'] : []),
    (row.weight / 0x10000).toFixed(3),
    row.count,
    row.expected.toFixed(1),
    deviationText(row),
    row.sigma > 0 ? ((row.count - row.expected) / row.sigma).toFixed(1) : '-',
  ]);
  const title = levelTitle(map, level).toUpperCase();
  const header = [title, ...(isDevice ? ['CLASS'] : []), 'WEIGHT', 'COUNT', 'EXPECTED', 'OFF BY', 'SIGMAS'];
  const lines = tableLines(header, cells).map((line) => `  ${line}`);
  if (hidden > 0) lines.splice(1 + Math.ceil(rows / 2), 0, `  ... ${number(hidden)} between ...`);
  return lines;
}

/** Each problem with its cure; of many of one code the first few, unless all rows are asked for. */
function problemLines(problems: readonly CrushProblem[], rows: number, width: number): string[] {
  const most = rows === Infinity ? Infinity : TOLD_EACH;
  const totals = new Map<string, number>();
  for (const { code } of problems) totals.set(code, (totals.get(code) ?? 0) + 1);
  const told = new Map<string, number>();
  const lines: string[] = [];
  for (const { code, severity, where, message, cure } of problems) {
    const count = (told.get(code) ?? 0) + 1;
    told.set(code, count);
    if (count <= most) {
      lines.push(...proseLines(`  ${severity} ${code}: `, `${where}: ${message}`, width));
      lines.push(...proseLines('    cure: ', cure, width));
    }
    const more = (totals.get(code) ?? 0) - most;
    if (count === most && more > 0)
      lines.push(`  ... and ${number(more)} more of ${code} (--all shows them)`);
  }
  return lines;
}

/** Writes everything as one JSON object. */
export function writeTestJson(report: TestReport, out: TextSink): void {
  const { title, file, map, results, refusal, problems } = report;
  const json = {
    file: title,
    kind: file.kind,
    ...(refusal === undefined ? {} : { refusal }),
    runs: results.map(({ rule, pools, request, distribution, findings }) => ({
      rule: rule.id,
      ruleName: map.ruleNames.get(rule.id) ?? '',
      pools: pools.map(({ id }) => id),
      size: request.size,
      firstX: request.first,
      mappings: distribution.mappings,
      placed: distribution.placed,
      bad: distribution.bad,
      sizes: distribution.sizes,
      tries: [...distribution.tries],
      levels: distribution.levels.map((level) => ({
        kind: level.kind,
        type: levelTitle(map, level),
        crowded: level.crowded,
        statistics: jsonStatistics(level),
        rows: level.rows.map((row) => ({
          ...row,
          name: rowName(map, level, row),
          weight: row.weight / 0x10000,
        })),
      })),
      findings,
    })),
    problems,
  };
  out.add(`${JSON.stringify(snakeCaseJson(json), null, 2)}\n`);
}

/** Statistics with names instead of row numbers. */
function jsonStatistics({ rows, statistics }: ShareLevel): Record<string, unknown> {
  const { fullest, emptiest, ...rest } = statistics;
  return { ...rest, fullest: rows[fullest]?.id ?? null, emptiest: rows[emptiest]?.id ?? null };
}

/** Writes one line for each row of each level of each run. */
export function writeTestCsv(report: TestReport, out: TextSink): void {
  out.add('rule,size,kind,type,id,name,class,weight,count,expected,sigma\n');
  const { map } = report;
  for (const { request, distribution } of report.results) {
    for (const level of distribution.levels) {
      for (const row of level.rows) {
        const className = level.kind === 'device' ? (itemClassName(map, row.id) ?? '') : '';
        const cells = [
          request.rule,
          request.size,
          level.kind,
          csvText(levelTitle(map, level)),
          row.id,
          csvText(rowName(map, level, row)),
          csvText(className),
          row.weight / 0x10000,
          row.count,
          row.expected.toFixed(3),
          row.sigma.toFixed(3),
        ];
        out.add(`${cells.join(',')}\n`);
      }
    }
  }
}

function csvText(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
