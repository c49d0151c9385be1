/** The files of `crush-wasm mds`: what each holds, and of which rank it is. */
import { CrushError } from '../errors.ts';
import { gunzip } from '../formats/gzip.ts';
import { MAX_JSON_BYTES } from '../formats/json-limits.ts';
import { rankOfMdsFile, withTrees } from '../formats/mds-files.ts';
import { readMdsJson, type MdsDocument } from '../formats/mds-json.ts';
import type { RankReport } from '../mds/decide.ts';
import { MAX_MDS } from '../mds/rank-mask.ts';
import type { DirectoryReport, FileSystemReport } from '../mds/reports.ts';
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
  const rank = parts?.[1] === undefined ? undefined : Number(parts[1]);
  if (rank !== undefined && rank >= MAX_MDS)
    throw misuse(`a rank is 0 to ${MAX_MDS - 1}, not ${rank}`, argument);
  return { name, rank, document };
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
  const what = wanted === undefined ? 'no file system in it' : `no file system ${wanted} in it`;
  const others = names === '' ? '' : `, but: ${names}`;
  throw new CrushError('not-found', `there is ${what}${others}`, { file: dump.name });
}

/** Of which rank a file is: as said, by what is in it, or by its name. */
function rankOf({ name, rank, document }: MdsFile, fileSystem: FileSystemReport | undefined): number {
  const found = rank ?? rankOfMdsFile(name, document, fileSystem);
  if (found === undefined) throw misuse('nothing tells of which rank it is: write RANK=FILE', name);
  return found;
}
