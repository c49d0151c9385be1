/** `crush-wasm mds simulate`: what metadata servers would do under a workload. */
import { writeFile } from 'node:fs/promises';
import { CrushError } from '../errors.ts';
import { gunzip } from '../formats/gzip.ts';
import { MAX_JSON_BYTES } from '../formats/json-limits.ts';
import { isWorkloadJson, readWorkloadJson, writeWorkloadJson } from '../formats/mds-workload-json.ts';
import { readMdsOptions, type MdsOptions } from '../mds/options.ts';
import {
  simulate,
  workloadFromReports,
  type HitOrder,
  type Workload,
  type WorkloadPin,
} from '../mds/simulate.ts';
import { buildWorkload } from '../mds/simulate/build-workload.ts';
import { describeWorkload, WORKLOAD_KINDS, type WorkloadKind } from '../mds/simulate/generate.ts';
import type { WorkloadDescription } from '../mds/simulate/workload-description.ts';
import { misuse, type CommandIo, type TextSink } from './io.ts';
import { describeSystemError, naming, readBytes } from './load.ts';
import { readMdsFiles } from './mds-input.ts';
import { simulationChart } from './mds-simulate-chart.ts';
import {
  writeSimulationCsv,
  writeSimulationJson,
  writeSimulationText,
  type SimulatedVariant,
} from './mds-simulate-report.ts';

/** Options of `mds simulate`, as commander gives them. */
export interface MdsSimulateOptions {
  readonly generate?: string;
  readonly directories?: string;
  readonly rate?: string;
  readonly ranks?: string;
  readonly beats: string;
  readonly seed: string;
  readonly option?: readonly string[];
  readonly vary?: readonly string[];
  readonly pin?: readonly string[];
  readonly hitOrder?: string;
  /** False for `--no-balance`. */
  readonly balance: boolean;
  readonly printWorkload?: boolean;
  readonly fs?: string;
  readonly format: string;
  readonly chart?: string;
}

/** Most variants side by side. */
const MAX_VARIANTS = 24;
/** Most loads of ranks in all beats of all variants. */
const MAX_LOADS = 2_000_000;
/** Width of text that goes to a file. */
const USUAL_WIDTH = 100;

/** Runs `crush-wasm mds simulate`. */
export async function mdsSimulateCommand(
  files: readonly string[],
  options: MdsSimulateOptions,
  io: CommandIo,
  out: TextSink,
): Promise<void> {
  const { format } = options;
  if (format !== 'text' && format !== 'json' && format !== 'csv') {
    throw misuse(`--format is text, json or csv, not '${format}'`);
  }
  const beats = wholeOption('--beats', options.beats, 1, 100_000);
  const seed = wholeOption('--seed', options.seed, 0, 0xffff_ffff);
  const pins = (options.pin ?? []).map(readPin);
  const variants = variantsOf(options.option ?? [], options.vary ?? []);
  const longest = Math.max(...variants.map(({ mdsOptions }) => Math.max(mdsOptions.mds_bal_interval, 10)));
  const source = await readSource(files, options, { seed, seconds: (beats + 1) * longest }, io);
  if (options.printWorkload === true) {
    if (source.description === undefined)
      throw misuse('--print-workload prints what --generate or a workload file says');
    out.add(writeWorkloadJson(source.description));
    return;
  }
  const ranks = options.ranks === undefined ? source.ranks : wholeOption('--ranks', options.ranks, 1, 256);
  if (beats * ranks * variants.length > MAX_LOADS) {
    throw misuse(`beats times ranks times variants are more than ${MAX_LOADS}: ask for fewer of one`);
  }
  const simulated: SimulatedVariant[] = [];
  for (const { title, settings, mdsOptions } of variants) {
    const result = simulate({
      workload: source.workload(mdsOptions),
      ranks,
      beats,
      options: mdsOptions,
      pins,
      seed,
      hitOrder: hitOrderOf(options.hitOrder) ?? source.hitOrder,
      isBalanced: options.balance,
    });
    simulated.push({ title, settings, interval: mdsOptions.mds_bal_interval, result });
  }
  if (options.chart !== undefined) await writeChart(options.chart, simulationChart(simulated));
  if (format === 'json') writeSimulationJson(simulated, seed, out);
  else if (format === 'csv') writeSimulationCsv(simulated, out);
  else
    await writeSimulationText(simulated, seed, out, io.stdout.isTerminal ? io.stdout.columns : USUAL_WIDTH);
}

/** What is simulated. */
interface Source {
  readonly workload: (options: MdsOptions) => Workload;
  readonly description: WorkloadDescription | undefined;
  /** Ranks where none are asked for. */
  readonly ranks: number;
  readonly hitOrder: HitOrder;
}

async function readSource(
  files: readonly string[],
  options: MdsSimulateOptions,
  build: { readonly seed: number; readonly seconds: number },
  io: CommandIo,
): Promise<Source> {
  const { generate } = options;
  if (generate !== undefined) {
    if (files.length > 0) throw misuse('--generate makes the workload, so that there is no file to read');
    const kind = WORKLOAD_KINDS.find((each) => each === generate);
    if (kind === undefined) throw misuse(`--generate is ${WORKLOAD_KINDS.join(', ')}, not '${generate}'`);
    return described(generated(kind, options, build), build);
  }
  if (options.directories !== undefined || options.rate !== undefined) {
    throw misuse('--directories and --rate go with --generate');
  }
  const [first] = files;
  if (first === undefined) {
    throw misuse('give a workload file, what metadata servers print, or --generate; see --help');
  }
  if (files.length === 1) {
    const bytes = await readBytes(first, io);
    const found = await naming(async () => {
      const text = new TextDecoder().decode(await gunzip(bytes, () => MAX_JSON_BYTES));
      return isWorkloadJson(text) ? described(readWorkloadJson(text), build) : undefined;
    }, first);
    if (found !== undefined) return found;
    return readCapture(files, options, { ...io, readStdin: () => Promise.resolve(bytes) });
  }
  return readCapture(files, options, io);
}

function generated(
  kind: WorkloadKind,
  options: MdsSimulateOptions,
  build: { readonly seed: number; readonly seconds: number },
): WorkloadDescription {
  return describeWorkload(kind, {
    ...build,
    directories: wholeOption('--directories', options.directories ?? '200', 1, 1_000_000),
    rate: wholeOption('--rate', options.rate ?? '2000', 1, 1_000_000_000),
  });
}

function described(
  description: WorkloadDescription,
  build: { readonly seed: number; readonly seconds: number },
): Source {
  const workload = buildWorkload(description, build);
  const held = Math.max(-1, ...workload.subtrees.map(({ rank }) => rank)) + 1;
  return { workload: () => workload, description, ranks: Math.max(2, held), hitOrder: 'drawn' };
}

async function readCapture(
  files: readonly string[],
  options: MdsSimulateOptions,
  io: CommandIo,
): Promise<Source> {
  const { reports, fileSystem } = await readMdsFiles(files, options.fs, io);
  const workload = (mdsOptions: MdsOptions): Workload => {
    const found = workloadFromReports(reports, { fileSystem, options: mdsOptions });
    const isOff = fileSystem?.isBalanced === false && options.balance;
    if (!isOff) return found;
    const note = `balance_automate of ${fileSystem.name} is off: this is what would follow if it were on`;
    return { ...found, notes: [...found.notes, note] };
  };
  const known = workload(readMdsOptions([])).background.map(({ rank }) => rank);
  const ranks = fileSystem?.maxMds ?? Math.max(...known) + 1;
  return { workload, description: undefined, ranks, hitOrder: 'busiest' };
}

/** Options of one variant. */
interface Variant {
  readonly title: string;
  /** What it has besides the options of all. */
  readonly settings: readonly string[];
  readonly mdsOptions: MdsOptions;
}

/** One variant for each combination of values. */
function variantsOf(common: readonly string[], vary: readonly string[]): Variant[] {
  let combinations: readonly (readonly string[])[] = [[]];
  for (const each of vary) {
    const equals = each.indexOf('=');
    if (equals < 1) throw misuse(`--vary is of the form name=value,value, not '${each}'`);
    const name = each.slice(0, equals);
    const values = each.slice(equals + 1).split(',');
    combinations = combinations.flatMap((before) => values.map((value) => [...before, `${name}=${value}`]));
    if (combinations.length > MAX_VARIANTS) throw misuse(`--vary makes more than ${MAX_VARIANTS} variants`);
  }
  return combinations.map((settings) => ({
    title: settings.length === 0 ? 'as set' : settings.join(' '),
    settings,
    mdsOptions: readMdsOptions([...common, ...settings]),
  }));
}

function readPin(text: string): WorkloadPin {
  const parts = /^(.+)=(-1|\d{1,3}|distributed)$/s.exec(text);
  const [, path, value] = parts ?? [];
  if (path === undefined || value === undefined) {
    throw misuse(`--pin is of the form /path=rank or /path=distributed, not '${text}'`);
  }
  return value === 'distributed' ? { path, isDistributed: true } : { path, rank: Number(value) };
}

function hitOrderOf(text: string | undefined): HitOrder | undefined {
  if (text === undefined || text === 'drawn' || text === 'busiest') return text;
  throw misuse(`--hit-order is drawn or busiest, not '${text}'`);
}

function wholeOption(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw misuse(`${name} is a whole number of ${least} to ${most}, not '${text}'`);
}

async function writeChart(path: string, chart: string): Promise<void> {
  try {
    await writeFile(path, chart);
  } catch (error) {
    throw new CrushError('io', `cannot be written: ${describeSystemError(error)}`, { file: path });
  }
}
