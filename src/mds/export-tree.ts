/** The subtrees of a rank, as the search for exports sees them, from what the rank's commands print. */
import type { ExportDirectory, ExportFragment } from './find-exports.ts';
import { metaLoad } from './load.ts';
import type { MdsOptions } from './options.ts';
import {
  fragmentTitle,
  isInFragment,
  rankOfMdsdir,
  ROOT_INO,
  type DirectoryReport,
  type FragmentReport,
  type FragmentState,
  type SubtreeReport,
} from './reports.ts';
import type { OwnSubtree } from './try-rebalance.ts';

/** A subtree with the rank that pins further up bind it to. */
export interface ReportedSubtree extends OwnSubtree {
  /** The rank that an inherited pin binds the subtree to, or undefined. */
  readonly inheritedPin: number | undefined;
}

/** What a rank's subtrees are built of. */
export interface ExportTreeInput {
  /** The rank whose subtrees are built. */
  readonly rank: number;
  /** `dump loads` of the rank. */
  readonly fragments: readonly FragmentReport[];
  /** All subtrees that are known of, those of other ranks too. */
  readonly subtrees: readonly SubtreeReport[];
  /** `dump tree`, if there is one; it tells what is replicated or frozen within subtrees. */
  readonly directories: readonly DirectoryReport[];
  /** What to multiply counters with. */
  readonly scale: number;
  /** Hash of an entry's name, which says in which fragment of its directory it is. */
  readonly hashName: (name: string) => number;
  /** Which pins count. */
  readonly options: Pick<
    MdsOptions,
    'mds_bal_export_pin' | 'mds_export_ephemeral_distributed' | 'mds_export_ephemeral_random'
  >;
}

/**
 * Builds a rank's subtrees. Directories are in the order of their load, highest first: the reports do not tell which
 * one was hit last, and that is the likeliest.
 */
export function exportSubtrees(input: ExportTreeInput): ReportedSubtree[] {
  const builder = new TreeBuilder(input);
  const index = new SubtreeIndex(input.subtrees, input.hashName);
  const { options: pins } = input;
  const own = input.subtrees.filter(({ authority, isMoving }) => authority === input.rank && !isMoving);
  return own.map((subtree) => {
    const { path, ino, pin, isDistributed, isRandomlyPinned } = subtree;
    return {
      root: builder.fragment(subtree),
      kind: ino === ROOT_INO ? 'root' : rankOfMdsdir(ino) === undefined ? 'directory' : 'mdsdir',
      from: index.above(path)?.authority ?? input.rank,
      isPinned:
        pins.mds_bal_export_pin &&
        (pin >= 0 ||
          (isDistributed && pins.mds_export_ephemeral_distributed) ||
          (isRandomlyPinned && pins.mds_export_ephemeral_random)),
      inheritedPin: pins.mds_bal_export_pin
        ? index.above(path, ({ pinTarget }) => pinTarget >= 0)?.pinTarget
        : undefined,
    };
  });
}

/** What tells fragments apart. */
export function fragmentKey({ ino, fragment }: { readonly ino: bigint; readonly fragment: number }): string {
  return `${ino}.${fragment}`;
}

class TreeBuilder {
  readonly #scale: number;
  readonly #reports: ReadonlyMap<string, FragmentReport>;
  readonly #roots: ReadonlySet<string>;
  readonly #states: ReadonlyMap<string, FragmentState>;
  /** By path of a directory: the fragments of each directory in it. */
  readonly #children: ReadonlyMap<string, readonly (readonly FragmentReport[])[]>;
  readonly #hashName: (name: string) => number;

  constructor({ fragments, subtrees, directories, scale, hashName }: ExportTreeInput) {
    this.#scale = scale;
    this.#hashName = hashName;
    this.#reports = new Map(fragments.map((report) => [fragmentKey(report), report]));
    this.#roots = new Set(subtrees.map(fragmentKey));
    this.#states = new Map(
      directories.flatMap((directory) => directory.fragments).map((state) => [fragmentKey(state), state]),
    );
    this.#children = childrenByPath(fragments);
  }

  fragment(place: Pick<FragmentState, 'path' | 'ino' | 'fragment'> & Partial<FragmentState>): ExportFragment {
    const report = this.#reports.get(fragmentKey(place));
    const state = this.#states.get(fragmentKey(place));
    return {
      name: fragmentTitle(place.path, place.fragment),
      load: report === undefined ? 0 : this.#loadOf(report),
      isReplicated: place.isReplicated ?? state?.isReplicated ?? false,
      isFrozen: place.isFrozen ?? state?.isFrozen ?? false,
      directories: report === undefined ? [] : this.#directoriesIn(report),
    };
  }

  #loadOf(report: FragmentReport): number {
    return metaLoad(report.popAuthSubtree) * this.#scale;
  }

  #directoriesIn({ path, fragment }: FragmentReport): ExportDirectory[] {
    const held = (this.#children.get(path) ?? []).filter((fragments) => this.#isIn(fragment, fragments));
    return held
      .map((fragments) => fragments.filter((child) => !this.#roots.has(fragmentKey(child))))
      .filter((fragments) => fragments.some((child) => this.#loadOf(child) > 0))
      .map((fragments) => ({ fragments, load: Math.max(...fragments.map((child) => this.#loadOf(child))) }))
      .sort((a, b) => b.load - a.load)
      .map(({ fragments }) => ({ fragments: fragments.map((child) => this.fragment(child)) }));
  }

  /** Whether a directory's entry is in a fragment of its parent. */
  #isIn(fragment: number, [child]: readonly FragmentReport[]): boolean {
    if (fragment === 0 || child === undefined) return true;
    return isInFragment(this.#hashName(baseName(child.path)), fragment);
  }
}

function childrenByPath(fragments: readonly FragmentReport[]): Map<string, FragmentReport[][]> {
  const byInode = new Map<bigint, FragmentReport[]>();
  for (const report of fragments) {
    const others = byInode.get(report.ino);
    if (others === undefined) byInode.set(report.ino, [report]);
    else others.push(report);
  }
  const children = new Map<string, FragmentReport[][]>();
  for (const [ino, reports] of byInode) {
    if (ino === ROOT_INO) continue;
    const parent = parentPath(reports[0]?.path ?? '');
    const others = children.get(parent);
    if (others === undefined) children.set(parent, [reports]);
    else others.push(reports);
  }
  return children;
}

function parentPath(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Finds the subtrees above directories. */
class SubtreeIndex {
  readonly #byPath = new Map<string, SubtreeReport[]>();
  readonly #hashName: (name: string) => number;

  constructor(subtrees: readonly SubtreeReport[], hashName: (name: string) => number) {
    this.#hashName = hashName;
    for (const subtree of subtrees) {
      const others = this.#byPath.get(subtree.path);
      if (others === undefined) this.#byPath.set(subtree.path, [subtree]);
      else others.push(subtree);
    }
  }

  /** The nearest subtree above a directory that is as wanted: by default the one that holds it. */
  above(path: string, isWanted: (subtree: SubtreeReport) => boolean = () => true): SubtreeReport | undefined {
    for (let at = path; at.startsWith('/'); at = parentPath(at)) {
      const found = this.#byPath
        .get(parentPath(at))
        ?.find(
          (subtree) => isWanted(subtree) && isInFragment(this.#hashName(baseName(at)), subtree.fragment),
        );
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
