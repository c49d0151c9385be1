/** `crush-wasm whatif`: what changes to a cluster would move, before they are made. */
import { writeFile } from 'node:fs/promises';
import { type ChangedPg, compareMaps } from '../analysis/compare.ts';
import { applyChanges, type MapChange } from '../analysis/what-if.ts';
import { failEach } from '../analysis/what-if/failures.ts';
import { osdFills } from '../analysis/what-if/fill.ts';
import { unreached } from '../analysis/what-if/reach.ts';
import { planStaging, type StagingPlan } from '../analysis/what-if/staging.ts';
import { parseChanges, readCrushMaps, type WrittenChange } from '../analysis/what-if/text.ts';
import { CrushError } from '../errors.ts';
import { writeOsdMapBinary } from '../formats/osdmap-encode.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { defaultFlowTypes, SOMETHING_MOVES } from './compare-command.ts';
import { type CompareCommandOptions, comparisonOptions, limitOption, loadPgDump } from './compare-options.ts';
import {
  type CompareReport,
  parseReportFormat,
  reportJson,
  reportLines,
  writePgCsv,
} from './compare-report.ts';
import { CommandExit, type CommandIo, misuse, type TextSink } from './io.ts';
import { describeSystemError, fileTitle, loadMapFile, readBytes } from './load.ts';
import { integerOption } from './map-rule.ts';
import { noun } from '../analysis/noun.ts';
import { snakeCaseJson } from '../analysis/snake-case.ts';
import { scriptLines } from './staging-script.ts';
import { failureLines, fillLines, stagingCommands, stagingJson, stagingSummary } from './whatif-report.ts';

/** Options of the command, as commander gives them. */
export interface WhatIfCommand extends CompareCommandOptions {
  readonly crushFile?: string;
  readonly changes?: string;
  readonly save?: string;
  readonly keepUpmaps?: boolean;
  readonly failEach?: string;
  readonly stage?: boolean;
  readonly plan?: string;
  readonly shardsPerOsd?: string;
}

/** Runs `crush-wasm whatif FILE CHANGE...`. */
export async function whatIfCommand(
  file: string,
  words: readonly string[],
  options: WhatIfCommand,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  const format = parseReportFormat(options.format);
  const limit = limitOption(options);
  checkTogether(words, options, [file, options.crushFile, options.changes, options.pgDump]);
  const shardsPerOsd =
    options.shardsPerOsd === undefined
      ? undefined
      : integerOption('--shards-per-osd', options.shardsPerOsd, 1, 1_000_000);
  const note = (text: string): void => err.add(`crush-wasm: note: ${text}\n`);
  const { crushFile, ignoreCrc } = options;
  const loaded = await loadMapFile(file, io, { crushFile, ignoreCrc, onNote: note });
  const title = fileTitle(file, crushFile);
  if (loaded.kind === 'crushmap') {
    throw misuse('this is a CRUSH map; changes are made to an OSDMap, whose pools have PGs to move', title);
  }
  const changes = await readChanges(words, options, io, note);
  const before = loaded.map;
  const made = await readCrushMaps(changes, (name) => loadCrush(name, io, note));
  const after = applied(before, made, options);
  for (const each of unreached(before, after, made)) note(each);
  const pgDump = await loadPgDump(options.pgDump, [], io);
  if (options.save !== undefined) {
    await saveFile(options.save, writeOsdMapBinary(after));
    note(`wrote the OSDMap after the changes, of epoch ${after.epoch}, to ${options.save}`);
  }

  if (options.failEach !== undefined) {
    const results = failEach(after, options.failEach, { pgDump });
    if (format === 'csv') throw misuse('--fail-each has no csv; take --format json');
    if (format === 'json') out.add(`${JSON.stringify(snakeCaseJson(results), null, 2)}\n`);
    else for (const line of failureLines(results, options.failEach)) out.add(`${line}\n`);
    return;
  }

  const pgs: ChangedPg[] = [];
  const wantsPgs = options.pgs === true || format === 'csv';
  const result = compareMaps(
    before,
    after,
    comparisonOptions(options, pgDump, (pg) => {
      if (wantsPgs) pgs.push(pg);
    }),
  );
  const wantsPlan = options.stage === true || options.plan !== undefined;
  const plan = wantsPlan ? planStaging(before, after, { shardsPerOsd }) : undefined;
  if (plan !== undefined) await writePlan(plan, before, options.plan, note);
  const report: CompareReport = {
    before,
    after,
    result,
    pgs: wantsPgs ? pgs : undefined,
    flowTypes: options.by ?? defaultFlowTypes(after),
    limit,
    hasUsage: pgDump !== undefined,
  };
  const fills = osdFills(before, after, result, pgDump);
  if (format === 'json') {
    const json = {
      ...reportJson(report),
      fill: snakeCaseJson(fills),
      ...(plan !== undefined && { staging: snakeCaseJson(stagingJson(plan)) }),
    };
    out.add(`${JSON.stringify(json, null, 2)}\n`);
  } else if (format === 'csv') writePgCsv(pgs, out);
  else {
    out.add(
      `${title} (epoch ${before.epoch}), what if: ${changes.length} ${noun(changes.length, 'change')}\n\n`,
    );
    for (const line of reportLines(report)) {
      out.add(`${line}\n`);
      await out.relieve();
    }
    for (const line of fillLines(fills, limit)) out.add(`${line}\n`);
    if (plan !== undefined) {
      for (const line of stagingSummary(plan)) out.add(`${line}\n`);
      for (const line of options.stage === true ? stagingCommands(plan) : []) {
        out.add(`${line}\n`);
        await out.relieve();
      }
    }
  }
  if (result.total.changedPgs > 0) throw new CommandExit(SOMETHING_MOVES);
}

/** Refuses options that would have no effect beside, or without, others. */
function checkTogether(
  words: readonly string[],
  options: WhatIfCommand,
  files: readonly (string | undefined)[],
): void {
  const { changes, failEach: type, stage, plan, shardsPerOsd, save } = options;
  if (words.length === 0 && changes === undefined && type === undefined) {
    throw misuse("no change is given, such as 'out osd.3'; see crush-wasm whatif --help");
  }
  if (files.filter((each) => each === '-').length > 1) throw misuse('only one file can be standard input');
  if (type !== undefined && (stage === true || plan !== undefined)) {
    throw misuse('--fail-each goes without --stage and --plan: nobody stages a failure');
  }
  if (shardsPerOsd !== undefined && stage !== true && plan === undefined) {
    throw misuse('--shards-per-osd needs --stage or --plan');
  }
  if (save === '-') throw misuse('--save writes a binary file, not standard output');
}

/** Those of the words, then those of the file. */
async function readChanges(
  words: readonly string[],
  options: WhatIfCommand,
  io: CommandIo,
  note: (text: string) => void,
): Promise<WrittenChange[]> {
  const changes = inPlace(() => parseChanges(words.join(' ')), undefined);
  if (options.changes === undefined) return changes;
  const text = new TextDecoder().decode(await readBytes(options.changes, io));
  const title = fileTitle(options.changes);
  const more = inPlace(() => parseChanges(text), title);
  if (more.length === 0) note(`${title} has no changes`);
  return [...changes, ...more];
}

/** Errors of changes on the command line are misuse; those of a file name the file. */
function inPlace(parse: () => WrittenChange[], file: string | undefined): WrittenChange[] {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CrushError)) throw error;
    throw file === undefined ? misuse(error.message) : error.at({ file });
  }
}

/** The map after changes; values that none can have are misuse where they are on the command line. */
function applied(before: OsdMap, changes: readonly MapChange[], options: WhatIfCommand): OsdMap {
  try {
    return applyChanges(before, changes, { keepUpmaps: options.keepUpmaps === true });
  } catch (error) {
    const isValue = error instanceof CrushError && error.code === 'bad-argument';
    throw isValue && options.changes === undefined ? misuse(error.describe()) : error;
  }
}

async function loadCrush(
  file: string,
  io: CommandIo,
  onNote: (text: string) => void,
): Promise<OsdMap['crush']> {
  const loaded = await loadMapFile(file, io, { onNote });
  return loaded.kind === 'crushmap' ? loaded.map : loaded.map.crush;
}

async function writePlan(
  plan: StagingPlan,
  before: OsdMap,
  file: string | undefined,
  note: (text: string) => void,
): Promise<void> {
  if (plan.holds.length > 0 && before.details.requireMinCompatClient < LUMINOUS) {
    note(
      "the cluster lets in clients that know no upmaps: 'ceph osd set-require-min-compat-client luminous' first",
    );
  }
  if (file === undefined) return;
  if (plan.holds.length === 0) {
    note(`no upmap would make less move, so nothing is held, and no plan is written to ${file}`);
    return;
  }
  await saveFile(file, `${[...scriptLines(plan)].join('\n')}\n`);
  const { holds, batches } = plan;
  note(
    `wrote the plan, a shell script that holds ${holds.length} ${noun(holds.length, 'PG')} and lets go of them in ` +
      `${batches.length} ${noun(batches.length, 'batch', 'batches')}, to ${file}; its head says how to use it`,
  );
}

/** The first release whose clients know upmaps. */
const LUMINOUS = 12;

async function saveFile(file: string, content: Uint8Array | string): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (error) {
    throw new CrushError('io', `cannot be written: ${describeSystemError(error)}`, { file });
  }
}
