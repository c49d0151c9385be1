/** The files of `crush-wasm mds`: what each holds, and of which rank it is. */
import { CrushError } from '../errors.ts';
import { gunzip } from '../formats/gzip.ts';
import { MAX_JSON_BYTES } from '../formats/json-limits.ts';
import { readMdsJson, type MdsDocument } from '../formats/mds-json.ts';
import type { RankReport } from '../mds/decide.ts';
import { metaLoad } from '../mds/load.ts';
import {
  rankOfMdsdir,
  type DirectoryReport,
  type FileSystemReport,
  type LoadsReport,
  type SubtreeReport,
} from '../mds/reports.ts';
import { misuse, type CommandIo } from './io.ts';
import { naming, readBytes } from './load.ts';

/** What a command's files say. */
export interface MdsInput {
  /** By rank. */
  readonly reports: ReadonlyMap<number, RankReport>;
  readonly fileSystem: FileSystemReport | undefined;
}

/**
 * Reads files in any order.
 *
 * @param names - files, each maybe with the rank before it: `1=loads.json`
 * @param fileSystem - name of the file system to take of `ceph fs dump`, if it has several
 * @throws CrushError that names the file
 */
export async function readMdsFiles(
  names: readonly string[],
  fileSystem: string | undefined,
  io: CommandIo,
): Promise<MdsInput> {
  const files: MdsFile[] = [];
  for (const name of names) files.push(await readMdsFile(name, io));
  const dumped = fileSystemOf(files, fileSystem);
  const reports = new Map<number, RankReport>();
  const trees: DirectoryReport[] = [];
  for (const file of files) {
    const { document } = file;
    if (document.kind === 'tree') trees.push(...document.directories);
    if (document.kind !== 'loads' && document.kind !== 'subtrees') continue;
    const rank = rankOf(file, dumped);
    const report = reports.get(rank) ?? {};
    if (report[document.kind] !== undefined) {
      throw misuse(
        `it is a second '${COMMANDS[document.kind]}' of mds.${rank}; write RANK=FILE to tell files apart`,
        file.name,
      );
    }
    reports.set(rank, {
      ...report,
      ...(document.kind === 'loads' ? { loads: document.loads } : { subtrees: document.subtrees }),
    });
  }
  return { reports: withTrees(reports, trees), fileSystem: dumped };
}

const COMMANDS = { loads: 'dump loads', subtrees: 'get subtrees' } as const;

interface MdsFile {
  readonly name: string;
  /** The rank that was written before the name. */
  readonly rank: number | undefined;
  readonly document: MdsDocument;
}

async function readMdsFile(argument: string, io: CommandIo): Promise<MdsFile> {
  const parts = /^(\d{1,3})=(.+)$/s.exec(argument);
  const name = parts?.[2] ?? argument;
  const bytes = await readBytes(name, io);
  const document = await naming(async () => {
    return readMdsJson(new TextDecoder().decode(await gunzip(bytes, () => MAX_JSON_BYTES)));
  }, name);
  return { name, rank: parts?.[1] === undefined ? undefined : Number(parts[1]), document };
}

function fileSystemOf(files: readonly MdsFile[], wanted: string | undefined): FileSystemReport | undefined {
  const dumps = files.filter(({ document }) => document.kind === 'fs-dump');
  if (dumps.length > 1) throw misuse("it is a second 'ceph fs dump'", dumps[1]?.name);
  const [dump] = dumps;
  if (dump?.document.kind !== 'fs-dump') {
    if (wanted !== undefined) throw misuse("--fs needs the file of 'ceph fs dump'");
    return undefined;
  }
  const { fileSystems } = dump.document;
  const names = fileSystems.map(({ name }) => name).join(', ');
  const found = wanted === undefined ? fileSystems : fileSystems.filter(({ name }) => name === wanted);
  if (found.length > 1)
    throw misuse(`it has several file systems, ${names}: choose one with --fs`, dump.name);
  const [only] = found;
  if (only !== undefined) return only;
  throw new CrushError('not-found', `there is no file system ${wanted ?? ''} in it, but: ${names}`, {
    file: dump.name,
  });
}

/** Of which rank a file is: as said, by what is in it, or by its name. */
function rankOf({ name, rank, document }: MdsFile, fileSystem: FileSystemReport | undefined): number {
  const found =
    rank ??
    (document.kind === 'subtrees' ? rankOfSubtrees(document.subtrees) : undefined) ??
    (document.kind === 'loads' ? rankOfLoads(document.loads) : undefined) ??
    rankOfName(name, fileSystem);
  if (found === undefined) throw misuse('nothing tells of which rank it is: write RANK=FILE', name);
  return found;
}

/** A rank has its own directory and no other's. */
function rankOfSubtrees(subtrees: readonly SubtreeReport[]): number | undefined {
  return subtrees
    .flatMap(({ ino, isAuth }) => (isAuth ? [rankOfMdsdir(ino)] : []))
    .find((rank) => rank !== undefined);
}

/** A rank scales all loads so that its own is its popularity; that of others is something else. */
function rankOfLoads({ loads, metaLoads }: LoadsReport): number | undefined {
  const own = [...loads].filter(([rank, { auth }]) => {
    const load = metaLoad(auth);
    return load > 0 && Math.abs((metaLoads.get(rank) ?? 0) - load) <= load * 1e-9;
  });
  return own.length === 1 ? own[0]?.[0] : undefined;
}

/** By the name of the rank's daemon, or a number behind `mds.`, `rank` or the like. */
function rankOfName(file: string, fileSystem: FileSystemReport | undefined): number | undefined {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  for (const [rank, daemon] of fileSystem?.names ?? []) {
    if (rank >= 0 && (name.startsWith(`${daemon}.`) || name.startsWith(`mds.${daemon}.`))) return rank;
  }
  const digits = /(?:^|[^a-z])(?:mds|rank|m)[._-]?(\d{1,3})(?!\d)/i.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Gives each rank the directories of all trees; what a rank knows of those of others does no harm. */
function withTrees(
  reports: Map<number, RankReport>,
  directories: readonly DirectoryReport[],
): Map<number, RankReport> {
  if (directories.length === 0) return reports;
  const own = directories.map((directory) => ({
    ...directory,
    fragments: directory.fragments.filter(({ isAuth }) => isAuth),
  }));
  return new Map([...reports].map(([rank, report]) => [rank, { ...report, directories: own }]));
}
