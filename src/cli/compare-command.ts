/** `crush-wasm compare`: what moves between two maps, why, and what of it had to. */
import { type ChangedPg, compareMaps } from '../analysis/compare.ts';
import { CrushError } from '../errors.ts';
import type { MapFile } from '../formats/detect.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { type CompareCommandOptions, comparisonOptions, limitOption, loadPgDump } from './compare-options.ts';
import {
  type CompareReport,
  parseReportFormat,
  reportJson,
  reportLines,
  type ReportFormat,
  writePgCsv,
} from './compare-report.ts';
import { CommandExit, type CommandIo, misuse, type TextSink } from './io.ts';
import { fileTitle, loadMapFile, type LoadOptions } from './load.ts';

/** Options of the command, as commander gives them. */
export interface CompareCommand extends CompareCommandOptions {
  readonly osdmap?: string;
  /** One for both maps, or one for each. */
  readonly crushFile?: readonly string[];
}

/** Exit status of a comparison of maps that place PGs otherwise. */
export const SOMETHING_MOVES = 3;

/** Types of buckets that flows are shown between where none is asked for. */
const DEFAULT_FLOW_TYPES = ['host'];

/** Runs `crush-wasm compare A B`. */
export async function compareCommand(
  files: readonly [before: string, after: string],
  options: CompareCommand,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  const format = parseReportFormat(options.format);
  const limit = limitOption(options);
  const crushFiles = options.crushFile ?? [];
  if (crushFiles.length > 2) throw misuse('--crush-file is given once, or for BEFORE and AFTER');
  const named = [...files, options.osdmap, ...crushFiles].filter((file) => file === '-');
  if (named.length > 1) throw misuse('only one file can be standard input');
  const onNote = (text: string): void => err.add(`crush-wasm: note: ${text}\n`);
  const loadOptions: LoadOptions = { ignoreCrc: options.ignoreCrc, onNote };
  const loader = new DumpLoader(io, loadOptions);
  const [before, after] = osdMapsOf(
    await loader.load(files[0], crushFiles[0]),
    await loader.load(files[1], crushFiles[1] ?? crushFiles[0]),
    options.osdmap === undefined ? undefined : await loader.load(options.osdmap, crushFiles[0]),
  );
  if (crushFiles.length > 0 && !loader.hasUsedCrush) {
    throw misuse("--crush-file goes with the JSON of 'ceph osd dump', and none of these files is that");
  }
  const pgDump = await loadPgDump(options.pgDump, [...files, options.osdmap, ...crushFiles], io);
  const pgs: ChangedPg[] = [];
  const wantsPgs = options.pgs === true || format === 'csv';
  const result = compareMaps(
    before,
    after,
    comparisonOptions(options, pgDump, (pg) => {
      if (wantsPgs) pgs.push(pg);
    }),
  );
  const report: CompareReport = {
    before,
    after,
    result,
    pgs: wantsPgs ? pgs : undefined,
    flowTypes: options.by ?? defaultFlowTypes(after),
    limit,
    hasUsage: pgDump !== undefined,
  };
  const title = `${fileTitle(files[0])} (epoch ${before.epoch}) -> ${fileTitle(files[1])} (epoch ${after.epoch})`;
  await writeReport(report, title, format, out);
  if (result.total.changedPgs > 0) throw new CommandExit(SOMETHING_MOVES);
}

/** Loads maps, each with a CRUSH map if it turns out to need one. */
class DumpLoader {
  hasUsedCrush = false;
  readonly #io: CommandIo;
  readonly #options: LoadOptions;

  constructor(io: CommandIo, options: LoadOptions) {
    // Standard input can be read once only, so it is kept for the second reading.
    let kept: Promise<Uint8Array> | undefined;
    this.#io = { ...io, readStdin: () => (kept ??= io.readStdin()) };
    this.#options = options;
  }

  async load(file: string, crushFile: string | undefined): Promise<MapFile> {
    try {
      return await loadMapFile(file, this.#io, this.#options);
    } catch (error) {
      // What a dump without its CRUSH map is refused with.
      const isDump = error instanceof CrushError && error.code === 'bad-argument';
      if (!isDump || crushFile === undefined) throw error;
      this.hasUsedCrush = true;
      return await loadMapFile(file, this.#io, { ...this.#options, crushFile });
    }
  }
}

/** Writes a report in a format. */
export async function writeReport(
  report: CompareReport,
  title: string,
  format: ReportFormat,
  out: TextSink,
): Promise<void> {
  if (format === 'json') out.add(`${JSON.stringify(reportJson(report), null, 2)}\n`);
  else if (format === 'csv') writePgCsv(report.pgs ?? [], out);
  else {
    out.add(`${title}\n\n`);
    for (const line of reportLines(report)) {
      out.add(`${line}\n`);
      await out.relieve();
    }
  }
}

/** Hosts, where the map has the type. */
export function defaultFlowTypes(map: OsdMap): readonly string[] {
  return DEFAULT_FLOW_TYPES.filter((type) => [...map.crush.typeNames.values()].includes(type));
}

/** Both files as OSDMaps: a CRUSH map is laid into the other's, or into one given besides. */
function osdMapsOf(before: MapFile, after: MapFile, base: MapFile | undefined): readonly [OsdMap, OsdMap] {
  if (base?.kind === 'crushmap') throw misuse('--osdmap takes an OSDMap, not a CRUSH map');
  const host = base?.map ?? [before, after].find((file) => file.kind === 'osdmap')?.map;
  if (host === undefined || !('pools' in host)) {
    throw misuse(
      'these are two CRUSH maps, which have no pools to compare; name an OSDMap to lay them into (--osdmap FILE)',
    );
  }
  const laid = (file: MapFile): OsdMap => (file.kind === 'osdmap' ? file.map : { ...host, crush: file.map });
  return [laid(before), laid(after)];
}
