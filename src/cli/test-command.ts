/** `crush-wasm test`: where a map's rules put data, against weight, and what is wrong with the map. */
import { writeFile } from 'node:fs/promises';
import { findingsOf } from '../analysis/findings.ts';
import { validateOsdMap } from '../analysis/health.ts';
import { validate } from '../crush/validate.ts';
import { CrushError } from '../errors.ts';
import type { MapFile } from '../formats/detect.ts';
import { distributionChart } from './distribution-chart.ts';
import { CommandExit, misuse, type CommandIo, type TextSink } from './io.ts';
import { describeSystemError, fileTitle, loadMapFile } from './load.ts';
import { integerOption } from './map-rule.ts';
import type { TestReport, TestResult } from './test-report.ts';
import { measureRun, testRuns, type TestRunOptions } from './test-runs.ts';
import { writeTestCsv, writeTestJson, writeTestTable } from './test-writers.ts';
import { parseThreads } from './thread-option.ts';

/** Exit status where the map has errors or mappings are bad. */
const FAULTS = 3;
/** Rows of each table by default. */
const USUAL_ROWS = 10;

/** Options of the command, as commander gives them. */
export interface TestOptions extends TestRunOptions {
  readonly format: string;
  readonly top?: string;
  readonly all?: boolean;
  readonly chart?: string;
  readonly threads?: string;
  readonly ignoreCrc?: boolean;
}

/** Width of prose where that of the terminal is not known. */
const USUAL_WIDTH = 80;

/** Runs `crush-wasm test FILE [CRUSH_FILE]`. */
export async function testCommand(
  file: string,
  crushFile: string | undefined,
  options: TestOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  const format = options.format;
  if (format !== 'table' && format !== 'json' && format !== 'csv') {
    throw misuse(`--format is one of table, json, csv, not '${format}'`);
  }
  if (options.all === true && options.top !== undefined) throw misuse('--all and --top exclude each other');
  const rows =
    options.all === true ? Infinity : integerOption('--top', options.top ?? `${USUAL_ROWS}`, 0, 1 << 30);
  const threads = parseThreads(options.threads);
  const title = fileTitle(file, crushFile);
  const onNote = (text: string): void => err.add(`crush-wasm: note: ${text}\n`);
  const loaded = await loadMapFile(file, io, { crushFile, ignoreCrc: options.ignoreCrc, onNote });
  const report = await makeReport(loaded, title, options, threads, io);
  if (options.chart !== undefined) await writeChart(options.chart, report);
  if (format === 'json') writeTestJson(report, out);
  else if (format === 'csv') writeTestCsv(report, out);
  else writeTestTable(report, rows, out, io.stdout.isTerminal ? io.stdout.columns : USUAL_WIDTH);
  const isFaulty =
    report.problems.some(({ severity }) => severity === 'error') ||
    report.results.some(({ distribution }) => distribution.bad.mappings > 0);
  if (report.refusal !== undefined || isFaulty) throw new CommandExit(FAULTS);
}

async function makeReport(
  file: MapFile,
  title: string,
  options: TestOptions,
  threads: number | undefined,
  io: CommandIo,
): Promise<TestReport> {
  const map = file.kind === 'osdmap' ? file.map.crush : file.map;
  const problems = file.kind === 'osdmap' ? validateOsdMap(file.map) : validate(map);
  const results: TestResult[] = [];
  let refusal: string | undefined;
  try {
    for (const run of testRuns(file, options, title)) {
      const distribution = await measureRun(map, run, threads, io);
      const findings = findingsOf(map, run.request, distribution, problems);
      results.push({ ...run, distribution, findings });
    }
  } catch (error) {
    // What is wrong with such maps is among the problems.
    const isRefused = error instanceof CrushError && REFUSALS.has(error.code);
    if (!isRefused) throw error instanceof CrushError ? error.at({ file: title }) : error;
    refusal = error.describe();
  }
  return { file, title, map, problems, refusal, results };
}

const REFUSALS: ReadonlySet<string> = new Set(['invalid-map', 'invalid-rule', 'unsupported', 'work-limit']);

async function writeChart(path: string, report: TestReport): Promise<void> {
  try {
    await writeFile(path, distributionChart(report));
  } catch (error) {
    throw new CrushError('io', `cannot be written: ${describeSystemError(error)}`, { file: path });
  }
}
