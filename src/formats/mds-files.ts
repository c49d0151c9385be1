/** The files of a file system's metadata servers: of which rank each is, and what they tell of each rank together. */
import type { RankReport } from '../mds/decide.ts';
import { metaLoad } from '../mds/load.ts';
import { MAX_MDS } from '../mds/rank-mask.ts';
import {
  rankOfMdsdir,
  type DirectoryReport,
  type FileSystemReport,
  type LoadsReport,
  type SubtreeReport,
} from '../mds/reports.ts';
import type { MdsDocument } from './mds-json.ts';

/**
 * Of which rank a file is, by what is in it, or by its name; undefined where neither tells.
 *
 * @param name - the file's name, maybe with folders
 * @param fileSystem - `ceph fs dump`, for the names of the ranks' daemons
 */
export function rankOfMdsFile(
  name: string,
  document: MdsDocument,
  fileSystem: FileSystemReport | undefined,
): number | undefined {
  return (
    (document.kind === 'subtrees' ? rankOfSubtrees(document.subtrees) : undefined) ??
    (document.kind === 'loads' ? rankOfLoads(document.loads) : undefined) ??
    rankOfName(name, fileSystem)
  );
}

/** Gives each rank the directories of all trees; what a rank knows of those of others does no harm. */
export function withTrees(
  reports: ReadonlyMap<number, RankReport>,
  directories: readonly DirectoryReport[],
): ReadonlyMap<number, RankReport> {
  if (directories.length === 0) return reports;
  const own = directories.map((directory) => ({
    ...directory,
    fragments: directory.fragments.filter(({ isAuth }) => isAuth),
  }));
  return new Map([...reports].map(([rank, report]) => [rank, { ...report, directories: own }]));
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
  return digits === undefined || Number(digits) >= MAX_MDS ? undefined : Number(digits);
}
