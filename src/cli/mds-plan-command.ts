/** `crush-wasm mds plan`: static pins that even out the load of metadata servers. */
import { CrushError } from '../errors.ts';
import { planCommandLines } from '../analysis/mds-plan-commands.ts';
import { readMdsOptions } from '../mds/options.ts';
import { planPins, type PinPlan } from '../mds/plan.ts';
import { comparePlan, type PlanComparison } from '../mds/plan/comparison.ts';
import { MAX_MDS } from '../mds/rank-mask.ts';
import { gunzip } from '../formats/gzip.ts';
import { MAX_JSON_BYTES } from '../formats/json-limits.ts';
import { readPlanPins } from '../formats/mds-plan-json.ts';
import { misuse, type CommandIo, type TextSink } from './io.ts';
import { naming, readBytes } from './load.ts';
import { readMdsFiles, type MdsInput } from './mds-input.ts';
import { planJson, planLines, type PlanReport } from './mds-plan-report.ts';

/** Options of `mds plan`, as commander gives them. */
export interface MdsPlanOptions {
  readonly ranks?: string;
  readonly rankMask?: string;
  readonly tolerance: string;
  readonly maxPins: string;
  readonly repin?: boolean;
  readonly former?: string;
  readonly compare: string;
  readonly mount: string;
  readonly option?: readonly string[];
  readonly fs?: string;
  readonly counters: string;
  readonly format: string;
}

/** Runs `crush-wasm mds plan FILES...`. */
export async function mdsPlanCommand(
  files: readonly string[],
  options: MdsPlanOptions,
  io: CommandIo,
  out: TextSink,
): Promise<void> {
  const { format, counters, rankMask } = options;
  if (format !== 'text' && format !== 'json' && format !== 'commands') {
    throw misuse(`--format is text, json or commands, not '${format}'`);
  }
  if (counters !== 'scaled' && counters !== 'as-is') {
    throw misuse(`--counters is scaled or as-is, not '${counters}'`);
  }
  if (rankMask !== undefined && !/^(all|-1|(0x)?[0-9a-f]{1,64})$/i.test(rankMask)) {
    throw misuse(`--rank-mask is all or hexadecimal such as 0x3, not '${rankMask}'`);
  }
  const ranks = options.ranks === undefined ? undefined : wholeNumber('--ranks', options.ranks, 1, MAX_MDS);
  const settings = {
    options: readMdsOptions(options.option ?? []),
    tolerance: readTolerance(options.tolerance),
    maxPins: wholeNumber('--max-pins', options.maxPins, 0, MOST_PINS),
    repin: options.repin === true,
    scaleToBeat: counters === 'scaled',
    ...(ranks === undefined ? {} : { ranks }),
    ...(rankMask === undefined ? {} : { rankMask }),
  };
  const beats = wholeNumber('--compare', options.compare, 0, MOST_BEATS);
  const mount = readMount(options.mount);
  const former = options.former === undefined ? [] : await readFormer(options.former, io);
  const input = await readMdsFiles(files, options.fs, io);
  const plan = planPins(input.reports, input.fileSystem, { ...settings, former });
  const report: PlanReport = { plan, mount, fileSystem: input.fileSystem, comparison: undefined };
  if (format === 'commands') {
    for (const line of planCommandLines(report)) out.add(`${line}\n`);
    return;
  }
  const notes: string[] = [];
  const comparison = beats === 0 ? undefined : tryComparison(input, plan, { ...settings, beats }, notes);
  const told = { ...report, plan: { ...plan, notes: [...plan.notes, ...notes] }, comparison };
  if (format === 'json') {
    out.add(planJson(told));
    return;
  }
  for (const line of planLines(told, settings)) {
    out.add(`${line}\n`);
    await out.relieve();
  }
}

/** Pins of an earlier plan, as `--format json` printed it. */
async function readFormer(name: string, io: CommandIo): Promise<{ path: string; rank: number }[]> {
  const bytes = await readBytes(name, io);
  return naming(async () => {
    return readPlanPins(new TextDecoder().decode(await gunzip(bytes, () => MAX_JSON_BYTES)));
  }, name);
}

/** Most pins that may be asked for. */
const MOST_PINS = 1000;
/** Most beats that may be compared. */
const MOST_BEATS = 1000;

/** Without heartbeats there is no beat to begin with, and some loads cannot be simulated: the plan stands without it. */
function tryComparison(
  { reports, fileSystem }: MdsInput,
  plan: PinPlan,
  settings: Parameters<typeof comparePlan>[3],
  notes: string[],
): PlanComparison | undefined {
  try {
    return comparePlan(reports, fileSystem, plan, settings);
  } catch (error) {
    if (!(error instanceof CrushError)) throw error;
    if (error.code !== 'not-found') notes.push(`what follows cannot be simulated: ${error.message}`);
    return undefined;
  }
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw misuse(`${option} is a whole number of ${least} to ${most}, not '${text}'`);
}

/** Reads a part such as `10%` or `0.1`. */
function readTolerance(text: string): number {
  const [, digits = '', sign] = /^(\d{1,6}(?:\.\d{1,9})?)(%?)$/.exec(text.trim()) ?? [];
  const value = digits === '' ? Number.NaN : Number(digits) / (sign === '%' ? 100 : 1);
  if (value >= 0 && value <= 1) return value;
  throw misuse(`--tolerance is 0% to 100%, such as 10% or 0.1, not '${text}'`);
}

/** Where the root of the file system is mounted, without a slash at its end. */
function readMount(text: string): string {
  if (!text.startsWith('/') || /[\x00-\x1f\x7f-\x9f]/.test(text)) {
    throw misuse(
      `--mount is the absolute path at which the root of the file system is mounted, not '${text}'`,
    );
  }
  return text.replace(/\/+$/, '');
}
