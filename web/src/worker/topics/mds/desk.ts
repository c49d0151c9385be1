/** The files of metadata servers that the page has been given, and what they tell together. */
import { CrushError } from '../../../../../src/errors.ts';
import { gunzip } from '../../../../../src/formats/gzip.ts';
import { MAX_JSON_BYTES } from '../../../../../src/formats/json-limits.ts';
import { rankOfMdsFile, withTrees } from '../../../../../src/formats/mds-files.ts';
import { readMdsJson, type MdsDocument } from '../../../../../src/formats/mds-json.ts';
import type { RankReport } from '../../../../../src/mds/decide.ts';
import { MAX_MDS } from '../../../../../src/mds/rank-mask.ts';
import type { DirectoryReport, FileSystemReport } from '../../../../../src/mds/reports.ts';
import { toPageError, type PageError } from '../../page-error.ts';

/** A file as the page hands it over. */
export interface MdsGivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The rank that the user says it is of. */
  readonly rank?: number | undefined;
}

/** A file that has been read. */
export interface MdsFileState {
  readonly name: string;
  readonly kind: MdsDocument['kind'];
  /** The rank that it is of; undefined where it is of none, or nothing tells of which. */
  readonly rank: number | undefined;
  /** Why it is not used, if so. */
  readonly unused: string | undefined;
}

/** All files. */
export interface MdsFiles {
  readonly files: readonly MdsFileState[];
  /** Files that could not be read, in the last attempt. */
  readonly refused: readonly PageError[];
  /** Names of the file systems in `ceph fs dump`. */
  readonly fileSystems: readonly string[];
  /** Whether there is a `dump loads`, without which nothing can be said. */
  readonly hasLoads: boolean;
  /** Another number for other files. */
  readonly version: number;
}

/** What all files tell together. */
export interface MdsReports {
  /** By rank. */
  readonly reports: ReadonlyMap<number, RankReport>;
  readonly fileSystem: FileSystemReport | undefined;
}

interface ReadFile {
  readonly given: MdsGivenFile;
  readonly document: MdsDocument;
}

let read: ReadFile[] = [];
let version = 0;
let cached: { readonly key: string; readonly reports: MdsReports } | undefined;

/** Reads files and adds them to those that are there. */
export async function addFiles(given: readonly MdsGivenFile[]): Promise<MdsFiles> {
  const refused: PageError[] = [];
  const added: ReadFile[] = [];
  for (const file of given) {
    try {
      const text = new TextDecoder().decode(await gunzip(file.bytes, () => MAX_JSON_BYTES));
      added.push({ given: file, document: readMdsJson(text) });
    } catch (error) {
      refused.push(toPageError(error instanceof CrushError ? error.at({ file: file.name }) : error));
    }
  }
  read = [...read, ...added];
  version++;
  return filesNow(refused);
}

/** Says of which rank a file is. */
export function setRank(index: number, rank: number): MdsFiles {
  if (!Number.isInteger(rank) || rank < 0 || rank >= MAX_MDS) {
    throw new CrushError('bad-argument', `a rank is 0 to ${MAX_MDS - 1}, not ${rank}`);
  }
  read = read.map((file, each) => (each === index ? { ...file, given: { ...file.given, rank } } : file));
  version++;
  return filesNow([]);
}

/** Puts a file away. */
export function removeFile(index: number): MdsFiles {
  read = read.filter((_, each) => each !== index);
  version++;
  return filesNow([]);
}

/** Puts all files away. */
export function removeAll(): MdsFiles {
  read = [];
  version++;
  return filesNow([]);
}

/** The files as they were given, for another worker. */
export function givenFiles(): readonly MdsGivenFile[] {
  return ranked(undefined).map(({ given, rank }) => ({ ...given, rank }));
}

/** Changes whenever what {@link reportsOf} gives does. */
export function filesVersion(): number {
  return version;
}

/**
 * What the files tell together. Of two that tell the same of one rank, the one that was given last counts.
 *
 * @param name - the file system to take of `ceph fs dump`; default: its first
 * @throws CrushError `not-found` for a file system that is not there
 */
export function reportsOf(name: string | undefined): MdsReports {
  const key = `${version} ${name ?? ''}`;
  if (cached?.key !== key) cached = { key, reports: gather(name) };
  return cached.reports;
}

function gather(name: string | undefined): MdsReports {
  const systems = fileSystemsNow();
  const fileSystem = name === undefined ? systems[0] : systems.find((each) => each.name === name);
  if (name !== undefined && fileSystem === undefined) {
    throw new CrushError('not-found', `there is no file system ${name} in what 'ceph fs dump' printed`);
  }
  const reports = new Map<number, RankReport>();
  const trees: DirectoryReport[] = [];
  for (const { rank, document } of ranked(fileSystem)) {
    if (document.kind === 'tree') trees.push(...document.directories);
    if (rank === undefined) continue;
    if (document.kind === 'loads') reports.set(rank, { ...reports.get(rank), loads: document.loads });
    if (document.kind === 'subtrees') {
      reports.set(rank, { ...reports.get(rank), subtrees: document.subtrees });
    }
  }
  return { reports: withTrees(reports, trees), fileSystem };
}

type RankedFile = ReadFile & { readonly rank: number | undefined };

function ranked(fileSystem: FileSystemReport | undefined): RankedFile[] {
  const named = fileSystem ?? fileSystemsNow()[0];
  return read.map((file) => {
    const { given, document } = file;
    const hasRank = document.kind === 'loads' || document.kind === 'subtrees';
    return {
      ...file,
      rank: hasRank ? (given.rank ?? rankOfMdsFile(given.name, document, named)) : undefined,
    };
  });
}

/** File systems of the last `ceph fs dump`. */
function fileSystemsNow(): readonly FileSystemReport[] {
  const last = read.findLast(({ document }) => document.kind === 'fs-dump');
  return last?.document.kind === 'fs-dump' ? last.document.fileSystems : [];
}

function filesNow(refused: readonly PageError[]): MdsFiles {
  const files = ranked(undefined);
  const states = files.map(({ given, document, rank }, index): MdsFileState => {
    const later = files.findLast((other) => isSame(other, { kind: document.kind, rank }));
    const isRankless = document.kind === 'tree' || document.kind === 'fs-dump';
    const unused =
      !isRankless && rank === undefined
        ? 'nothing tells of which rank it is: choose'
        : later !== undefined && later !== files[index]
          ? `${later.given.name} was given later, and tells the same`
          : undefined;
    return { name: given.name, kind: document.kind, rank, unused };
  });
  return {
    files: states,
    refused,
    fileSystems: fileSystemsNow().map(({ name }) => name),
    hasLoads: states.some(({ kind, unused }) => kind === 'loads' && unused === undefined),
    version,
  };
}

/** Trees add to each other; all else there is one of, for a rank. */
function isSame(
  { document, rank }: RankedFile,
  other: { readonly kind: MdsDocument['kind']; readonly rank: number | undefined },
): boolean {
  return document.kind === other.kind && other.kind !== 'tree' && rank === other.rank;
}
