/** Load that went from rank to rank while the reports were taken: two ranks tell of it, or the one that had it. */
import type { RankReport } from '../decide.ts';
import { isInFragment, type SubtreeReport } from '../reports.ts';
import type { LoadPiece, MeasuredDirectory } from './measured-tree.ts';

/**
 * Gives each directory's load to the rank that has authority over it by `get subtrees`. Where several ranks tell of the
 * load of one directory, it is the highest that they tell.
 *
 * @param order - directories, those above first
 * @param hashName - hash of an entry's name, which says in which fragment of its directory it is
 * @returns the directories whose load changed hands
 */
export function settleAuthority(
  order: readonly MeasuredDirectory[],
  reports: ReadonlyMap<number, RankReport>,
  hashName: (name: string) => number,
): MeasuredDirectory[] {
  const subtrees = subtreesByPath(reports);
  if (subtrees.size === 0) return [];
  /** By directory: the rank that has what no subtree within it has. */
  const around = new Map<MeasuredDirectory, number>();
  const moved: MeasuredDirectory[] = [];
  for (const directory of order) {
    const { parent, path, pieces } = directory;
    const above = parent === undefined ? undefined : authorityIn(parent, path, subtrees, around, hashName);
    if (above !== undefined) around.set(directory, above);
    const own = subtrees.get(path);
    const rank = own === undefined ? above : own.length === 1 && isWhole(own) ? own[0]?.authority : undefined;
    if (rank === undefined || directory.fragments.size > 1) continue;
    if (own !== undefined) around.set(directory, rank);
    if (pieces.every((piece) => piece.rank === rank)) continue;
    const most = pieces.reduce<LoadPiece | undefined>(
      (best, piece) => (best === undefined || piece.load > best.load ? piece : best),
      undefined,
    );
    if (most === undefined) continue;
    pieces.splice(0, pieces.length, { ...most, rank });
    moved.push(directory);
  }
  return moved;
}

/** Subtrees by path; of those that several ranks know, what the one with authority says, or else the first. */
function subtreesByPath(reports: ReadonlyMap<number, RankReport>): Map<string, SubtreeReport[]> {
  const all = [...reports.values()].flatMap(({ subtrees }) => subtrees ?? []);
  const byPath = new Map<string, SubtreeReport[]>();
  for (const subtree of [...all.filter(({ isAuth }) => isAuth), ...all.filter(({ isAuth }) => !isAuth)]) {
    const known = byPath.get(subtree.path) ?? [];
    if (known.some(({ fragment }) => fragment === subtree.fragment)) continue;
    byPath.set(subtree.path, [...known, subtree]);
  }
  return byPath;
}

function isWhole([first]: readonly SubtreeReport[]): boolean {
  return first?.fragment === 0;
}

/** The rank that has what lies in a directory, as far as a directory in it goes. */
function authorityIn(
  parent: MeasuredDirectory,
  path: string,
  subtrees: ReadonlyMap<string, readonly SubtreeReport[]>,
  around: ReadonlyMap<MeasuredDirectory, number>,
  hashName: (name: string) => number,
): number | undefined {
  const within = subtrees.get(parent.path);
  if (within === undefined) return around.get(parent);
  const hash = hashName(path.slice(path.lastIndexOf('/') + 1));
  return within.find(({ fragment }) => isInFragment(hash, fragment))?.authority ?? around.get(parent);
}
