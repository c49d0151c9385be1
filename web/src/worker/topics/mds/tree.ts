/** The directories that metadata servers count hits in, as rows of a tree with their loads. */
import { HIT_KINDS, metaLoad, type LoadVector } from '../../../../../src/mds/load.ts';
import { beatScale } from '../../../../../src/mds/decide.ts';
import { measureTree, type MeasuredDirectory } from '../../../../../src/mds/plan/measured-tree.ts';
import { fragmentName, type FragmentReport } from '../../../../../src/mds/reports.ts';
import { hashName } from '../../../../../src/mds/simulate/name-hash.ts';
import type { HierarchyRows } from '../hierarchy.ts';
import { AuthorityIndex } from './authority.ts';
import { filesVersion, reportsOf, type MdsReports } from './desk.ts';
import { optionsOf, type MdsSettings } from './settings.ts';

/** Which hits a counter is of: of a directory's own entries, or also of all in it under the same authority. */
export type CounterScope = 'own' | 'within';

/** Directories as rows, as the hierarchy has them: heaviest first, `weights` in proportion to their load. */
export interface MdsTree extends HierarchyRows {
  /** Path of each row's directory; empty for the root of the file system. */
  readonly paths: readonly string[];
  /** 1 for rows that stand for a directory's own entries beside the directories in it; only pictures need them. */
  readonly isOwn: Uint8Array;
  /** The rank with authority; -1: not known, -2: several, for fragments of it. */
  readonly ranks: Int16Array;
  /** 1 where a subtree begins: another rank may have what is around it. */
  readonly bounds: Uint8Array;
  /** `meta_load` of all in a directory, on all ranks, at the last beat. */
  readonly loads: Float64Array;
  /**
   * Five counters for each row, in the order of `IRD` to `STORE`, summed over ranks and fragments; so scaled that those
   * within a directory make up its load, also where two ranks tell of one that went from one to the other.
   */
  readonly counters: Readonly<Record<CounterScope, Float64Array>>;
  /** Pins in words, empty where there are none. */
  readonly pins: readonly string[];
  /** Half-life of the counters in seconds, if known. */
  readonly halflife: number | undefined;
  /** Ranks that are known of. */
  readonly rankCount: number;
}

/** Rows at most. */
const MAX_ROWS = 400_000;
/** Sum of {@link MdsTree.weights}. */
const ALL_WEIGHT = 0x7fff_ffff;
const KINDS = HIT_KINDS.length;

let cached: { readonly key: string; readonly tree: MdsTree } | undefined;

/**
 * The directories of all ranks.
 *
 * @throws CrushError `not-found` when no rank's counters are known
 */
export function mdsTree(settings: MdsSettings): MdsTree {
  const { mds_bal_mode: mode } = optionsOf(settings);
  const key = [filesVersion(), settings.fileSystem, mode, settings.scaleToBeat].join(' ');
  if (cached?.key !== key) cached = { key, tree: build(settings, mode) };
  return cached.tree;
}

interface Row {
  readonly directory: MeasuredDirectory;
  readonly parent: number;
  readonly isOwn: boolean;
}

function build(settings: MdsSettings, mode: number): MdsTree {
  const reports = reportsOf(settings.fileSystem);
  const measured = measureTree(reports.reports, mode, settings.scaleToBeat, hashName, []);
  const totals = totalsOf(measured.root);
  const rows = listRows(measured.root, totals);
  const index = new AuthorityIndex(reports);
  const all = totals.get(measured.root) ?? 0;
  const loads = Float64Array.from(rows, ({ directory, isOwn }) =>
    isOwn ? ownMetaLoad(directory) : (totals.get(directory) ?? 0),
  );
  const parents = Int32Array.from(rows, ({ parent }) => parent);
  const depths = new Uint32Array(rows.length);
  parents.forEach((parent, row) => (depths[row] = parent < 0 ? 0 : (depths[parent] ?? 0) + 1));
  return {
    count: rows.length,
    ids: Int32Array.from(rows, (_, row) => -1 - row),
    parents,
    depths,
    ends: endsOf(parents),
    types: Int32Array.from(rows, ({ isOwn }) => (isOwn ? 1 : 2)),
    typeNames: new Map([
      [1, 'own entries'],
      [2, 'directory'],
    ]),
    names: rows.map(({ directory: { path }, isOwn }) =>
      isOwn ? 'own entries' : path === '' ? '/' : path.slice(path.lastIndexOf('/') + 1),
    ),
    weights: Uint32Array.from(loads, (load) => (all > 0 ? Math.round((load / all) * ALL_WEIGHT) : 0)),
    classes: rows.map(() => ''),
    states: new Uint32Array(rows.length),
    reweights: new Uint32Array(rows.length),
    isCut: rows.length >= MAX_ROWS,
    paths: rows.map(({ directory }) => directory.path),
    isOwn: Uint8Array.from(rows, ({ isOwn }) => Number(isOwn)),
    ranks: Int16Array.from(rows, ({ directory }) => index.rankOf(directory)),
    bounds: Uint8Array.from(rows, ({ directory, isOwn }) => Number(!isOwn && index.isBound(directory))),
    loads,
    counters: countersOf(rows, loads, reports, settings.scaleToBeat),
    pins: rows.map(({ directory, isOwn }) => (isOwn ? '' : pinWords(directory))),
    halflife: [...reports.reports.values()].find(({ loads }) => loads?.halflife !== undefined)?.loads
      ?.halflife,
    rankCount: measured.ranks.length,
  };
}

function ownMetaLoad({ pieces }: MeasuredDirectory): number {
  return pieces.reduce((sum, piece) => sum + piece.metaLoad, 0);
}

/** `meta_load` of all in each directory. */
function totalsOf(root: MeasuredDirectory): ReadonlyMap<MeasuredDirectory, number> {
  const order = [root];
  for (const directory of order) order.push(...directory.children);
  const totals = new Map<MeasuredDirectory, number>();
  for (const directory of order.reverse()) {
    const within = directory.children.reduce((sum, child) => sum + (totals.get(child) ?? 0), 0);
    totals.set(directory, within + ownMetaLoad(directory));
  }
  return totals;
}

/** Rows from the root down, the heaviest directories first. */
function listRows(root: MeasuredDirectory, totals: ReadonlyMap<MeasuredDirectory, number>): Row[] {
  const rows: Row[] = [];
  // The rows still to come, the next one last.
  const coming: Row[] = [{ directory: root, parent: -1, isOwn: false }];
  for (let row = coming.pop(); row !== undefined && rows.length < MAX_ROWS; row = coming.pop()) {
    const at = rows.length;
    rows.push(row);
    const { directory, isOwn } = row;
    if (isOwn || directory.children.length === 0) continue;
    if (ownMetaLoad(directory) > 0) coming.push({ directory, parent: at, isOwn: true });
    const lightestFirst = directory.children
      .toSorted((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0))
      .reverse();
    for (const child of lightestFirst) coming.push({ directory: child, parent: at, isOwn: false });
  }
  return rows;
}

function endsOf(parents: Int32Array): Int32Array {
  const ends = Int32Array.from(parents, (_, row) => row + 1);
  for (let row = parents.length - 1; row > 0; row--) {
    const parent = parents[row] ?? -1;
    if (parent >= 0) ends[parent] = Math.max(ends[parent] ?? 0, ends[row] ?? 0);
  }
  return ends;
}

function countersOf(
  rows: readonly Row[],
  rowLoads: Float64Array,
  { reports }: MdsReports,
  scaleToBeat: boolean,
): Record<CounterScope, Float64Array> {
  const counters = {
    own: new Float64Array(KINDS * rows.length),
    within: new Float64Array(KINDS * rows.length),
  };
  const rowOfPath = new Map<string, number>();
  const rowOfIno = new Map<bigint, number>();
  rows.forEach(({ directory, isOwn }, row) => {
    if (isOwn) return;
    rowOfPath.set(directory.path, row);
    if (directory.ino !== undefined) rowOfIno.set(directory.ino, row);
  });
  const add = (to: Float64Array, row: number, vector: LoadVector, scale: number): void => {
    vector.forEach((value, kind) => (to[KINDS * row + kind] = (to[KINDS * row + kind] ?? 0) + value * scale));
  };
  for (const [rank, { loads }] of reports) {
    if (loads === undefined) continue;
    const scale = scaleToBeat ? beatScale(rank, loads) : 1;
    for (const { path, ino, popMe, popAuthSubtreeNested } of loads.fragments) {
      const row = rowOfIno.get(ino) ?? rowOfPath.get(path);
      if (row === undefined) continue;
      add(counters.own, row, popMe, scale);
      add(counters.within, row, popAuthSubtreeNested, scale);
    }
  }
  rows.forEach(({ isOwn }, row) => {
    if (isOwn) return;
    const own = counters.own.subarray(KINDS * row, KINDS * (row + 1));
    const within = counters.within.subarray(KINDS * row, KINDS * (row + 1));
    const [reads = 0, writes = 0, readdirs = 0, fetches = 0, stores = 0] = within;
    const told = metaLoad([reads, writes, readdirs, fetches, stores]);
    const factor = told > 0 ? (rowLoads[row] ?? 0) / told : 1;
    for (const vector of [own, within]) vector.forEach((value, kind) => (vector[kind] = value * factor));
  });
  rows.forEach(({ parent, isOwn }, row) => {
    if (!isOwn) return;
    const own = counters.own.subarray(KINDS * parent, KINDS * (parent + 1));
    counters.own.set(own, KINDS * row);
    counters.within.set(own, KINDS * row);
  });
  return counters;
}

function pinWords({ pin, isDistributed, isRandomlyPinned }: MeasuredDirectory): string {
  const words = [
    ...(pin >= 0 ? [`mds.${pin}`] : []),
    ...(isDistributed ? ['distributed'] : []),
    ...(isRandomlyPinned ? ['random'] : []),
  ];
  return words.join(', ');
}

/** What one rank counts of one fragment of a directory. */
export interface MdsFragmentFacts {
  readonly rank: number;
  /** Leading bits and a star; `*` is the whole directory. */
  readonly fragment: string;
  /** The four vectors, five counters each, as reported. */
  readonly popMe: LoadVector;
  readonly popNested: LoadVector;
  readonly popAuthSubtree: LoadVector;
  readonly popAuthSubtreeNested: LoadVector;
  /** `meta_load` of each, in the same order. */
  readonly metaLoads: readonly [number, number, number, number];
}

/** A directory's fragments as each rank counts them. */
export interface MdsDirectoryFacts {
  readonly fragments: readonly MdsFragmentFacts[];
  /** Fragments that are not listed since there are too many. */
  readonly more: number;
}

/** Most fragments that are listed. */
const MAX_FRAGMENTS = 200;

/** What the ranks count of a directory. */
export function mdsDirectory(settings: MdsSettings, path: string): MdsDirectoryFacts {
  const found: { rank: number; report: FragmentReport }[] = [];
  for (const [rank, { loads }] of reportsOf(settings.fileSystem).reports) {
    for (const report of loads?.fragments ?? []) if (report.path === path) found.push({ rank, report });
  }
  found.sort((a, b) => a.rank - b.rank || a.report.fragment - b.report.fragment);
  return {
    fragments: found.slice(0, MAX_FRAGMENTS).map(({ rank, report }) => {
      const { popMe, popNested, popAuthSubtree, popAuthSubtreeNested } = report;
      return {
        rank,
        fragment: fragmentName(report.fragment),
        popMe,
        popNested,
        popAuthSubtree,
        popAuthSubtreeNested,
        metaLoads: [
          metaLoad(popMe),
          metaLoad(popNested),
          metaLoad(popAuthSubtree),
          metaLoad(popAuthSubtreeNested),
        ],
      };
    }),
    more: Math.max(0, found.length - MAX_FRAGMENTS),
  };
}
