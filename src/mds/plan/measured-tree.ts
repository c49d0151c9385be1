/** The directories of a file system with the load that each rank has of them, from the reports of all ranks. */
import { CrushError } from '../../errors.ts';
import type { RankReport } from '../decide.ts';
import { mdsLoad, metaLoad, type MdsLoad } from '../load.ts';
import { settleAuthority } from './authority.ts';
import { ROOT_INO, type FragmentReport, type LoadsReport } from '../reports.ts';

/** What one rank has of a directory's own load: that of its entries, without directories in it. */
export interface LoadPiece {
  /** The rank that has it now. */
  readonly rank: number;
  /** In terms of the rank's `mds_load`. */
  readonly load: number;
  /** The same as popularity: `meta_load`. */
  readonly metaLoad: number;
}

/** A directory. */
export interface MeasuredDirectory {
  /** Empty for the root of the file system. */
  readonly path: string;
  /** Undefined where only directories in it are reported. */
  ino: bigint | undefined;
  readonly parent: MeasuredDirectory | undefined;
  readonly depth: number;
  /** By path. */
  readonly children: MeasuredDirectory[];
  readonly pieces: LoadPiece[];
  /** Part of its own load that is of directories in it which the reports do not reach. */
  hidden: number;
  /** Its fragments, as Ceph encodes them. */
  readonly fragments: Set<number>;
  /** `ceph.dir.pin`, or -1. */
  pin: number;
  isDistributed: boolean;
  isRandomlyPinned: boolean;
}

/** Loads of a rank. */
export interface RankLoads {
  /** `mds_load` at the last beat. */
  readonly load: number;
  /** `meta_load` of what it has authority over, at the last beat. */
  readonly metaLoad: number;
  /** Part of the load that no directory accounts for. */
  readonly unplaced: number;
  readonly unplacedMeta: number;
}

/** All that was measured. */
export interface MeasuredTree {
  readonly root: MeasuredDirectory;
  /** By rank, up to the highest that is known of. */
  readonly ranks: readonly RankLoads[];
}

/**
 * Puts the reports of all ranks together.
 *
 * A directory's own load on a rank is its `pop_auth_subtree_nested` less that of the directories in it: so it comes
 * out whatever subtrees there are, and all of them add up to the `auth` of the rank's heartbeat. Requests, replicas'
 * hits and what else is in `mds_load` are shared out in proportion.
 *
 * @param mode - `mds_bal_mode`, which says what a rank's load is
 * @param scaleToBeat - whether counters are scaled so that their sum is that of the last heartbeat
 * @param hashName - hash of an entry's name, which says in which fragment of its directory it is
 * @param notes - gets what is missing, as sentences
 * @throws CrushError `not-found` when no rank's counters are known
 */
export function measureTree(
  reports: ReadonlyMap<number, RankReport>,
  mode: number,
  scaleToBeat: boolean,
  hashName: (name: string) => number,
  notes: string[],
): MeasuredTree {
  const loads = [...reports].flatMap(([rank, report]) =>
    report.loads === undefined ? [] : [[rank, report.loads] as const],
  );
  if (loads.every(([, { fragments }]) => fragments.length === 0)) {
    throw new CrushError('not-found', "there are no directories in any 'dump loads': nothing to plan with");
  }
  const beats =
    loads.map(([, report]) => report.loads).sort((a, b) => b.size - a.size)[0] ?? new Map<number, MdsLoad>();
  if (beats.size === 0) {
    notes.push('there are no heartbeats: the load of a rank is taken to be the popularity that it counts');
  }
  const builder = new DirectoryIndex();
  for (const [, { fragments }] of loads) fragments.forEach((fragment) => builder.add(fragment));
  setPins(builder, reports);
  for (const { children } of walk(builder.root)) children.sort(byPath);

  const size = Math.max(...reports.keys(), ...beats.keys()) + 1;
  const ranks = Array.from({ length: size }, (_, rank): RankLoads => {
    const report = reports.get(rank)?.loads;
    const beat = beats.get(rank) ?? report?.loads.get(rank);
    if (report === undefined) return unplaced(rank, beat, mode, notes);
    return placeLoads(rank, report, beat, mode, scaleToBeat, builder);
  });
  const moved = settleAuthority(walk(builder.root), reports, hashName);
  const [first] = moved;
  if (first !== undefined) {
    const others = moved.length === 1 ? '' : ` and ${moved.length - 1} more`;
    notes.push(
      `${first.path === '' ? '/' : first.path}${others} went to another rank while the reports were taken: ` +
        'load that several ranks tell of is taken once; better ask when nothing moves',
    );
  }
  return { root: builder.root, ranks };
}

/** Directories in the order of a walk from a directory down, those above first, by path. */
export function walk(from: MeasuredDirectory): MeasuredDirectory[] {
  const found: MeasuredDirectory[] = [];
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    found.push(at);
    open.push(...at.children.toReversed());
  }
  return found;
}

/** A directory's own load on all ranks. */
export function ownLoad({ pieces }: MeasuredDirectory): number {
  return pieces.reduce((sum, { load }) => sum + load, 0);
}

/** A rank whose counters are not known: all its load stays. */
function unplaced(rank: number, beat: MdsLoad | undefined, mode: number, notes: string[]): RankLoads {
  const load = beat === undefined ? 0 : mdsLoad(beat, mode);
  notes.push(
    `there is no 'dump loads' of mds.${rank}: ` +
      (load >= 0.05 ? `its load, ${load.toFixed(1)}, is taken to stay with it` : 'it is taken to be idle'),
  );
  const meta = beat === undefined ? 0 : metaLoad(beat.auth);
  return { load, metaLoad: meta, unplaced: load, unplacedMeta: meta };
}

/** Gives directories what a rank has of them. */
function placeLoads(
  rank: number,
  report: LoadsReport,
  beat: MdsLoad | undefined,
  mode: number,
  scaleToBeat: boolean,
  index: DirectoryIndex,
): RankLoads {
  const nested = new Map<MeasuredDirectory, number>();
  const own = new Map<MeasuredDirectory, number>();
  for (const fragment of report.fragments) {
    const directory = index.of(fragment);
    nested.set(directory, (nested.get(directory) ?? 0) + metaLoad(fragment.popAuthSubtreeNested));
    own.set(directory, (own.get(directory) ?? 0) + metaLoad(fragment.popMe));
  }
  const within = loadsWithin(nested);
  const found: { directory: MeasuredDirectory; load: number; hidden: number }[] = [];
  for (const [directory, load] of nested) {
    const left = load - (within.get(directory) ?? 0);
    if (left <= NEGLIGIBLE * load) continue;
    found.push({ directory, load: left, hidden: Math.max(left - (own.get(directory) ?? 0), 0) });
  }
  const sum = found.reduce((total, { load }) => total + load, 0);
  const meta = beat === undefined ? sum : metaLoad(beat.auth);
  const load = beat === undefined ? sum : mdsLoad(beat, mode);
  if (sum === 0 || meta === 0) return { load, metaLoad: meta, unplaced: load, unplacedMeta: meta };

  const scale = scaleToBeat ? meta / sum : 1;
  const cost = (load / meta) * scale;
  for (const { directory, load: popularity, hidden } of found) {
    directory.pieces.push({ rank, load: popularity * cost, metaLoad: popularity * scale });
    directory.hidden += hidden * cost;
  }
  return { load: sum * cost, metaLoad: sum * scale, unplaced: 0, unplacedMeta: 0 };
}

/**
 * What lies in each directory, further down. Directories that are not reported themselves, though others in them are,
 * get what these have.
 */
function loadsWithin(nested: Map<MeasuredDirectory, number>): Map<MeasuredDirectory, number> {
  const within = new Map<MeasuredDirectory, number>();
  const reported = new Set(nested.keys());
  const deepestFirst = [...nested.keys()].sort((a, b) => b.depth - a.depth);
  const add = (to: Map<MeasuredDirectory, number>, directory: MeasuredDirectory, load: number): void => {
    to.set(directory, (to.get(directory) ?? 0) + load);
  };
  for (const directory of deepestFirst) {
    const load = nested.get(directory) ?? 0;
    for (let at = directory.parent; at !== undefined; at = at.parent) {
      add(within, at, load);
      if (reported.has(at)) break;
      add(nested, at, load);
    }
  }
  return within;
}

/** Part of a directory's load below which what is left of it is rounding. */
const NEGLIGIBLE = 1e-6;

/** Most characters of a path. */
const MAX_PATH = 0x10000;

/** Sets what `get subtrees` and `dump tree` tell of pins. */
function setPins(index: DirectoryIndex, reports: ReadonlyMap<number, RankReport>): void {
  for (const { subtrees, directories } of reports.values()) {
    for (const { path, ino, pin, isDistributed, isRandomlyPinned } of subtrees ?? []) {
      if (pin < 0 && !isDistributed && !isRandomlyPinned) continue;
      if (ino !== ROOT_INO && !path.startsWith('/')) continue;
      const directory = index.byIno(ino) ?? index.at(path);
      directory.ino ??= ino;
      if (pin >= 0) directory.pin = pin;
      directory.isDistributed ||= isDistributed;
      directory.isRandomlyPinned ||= isRandomlyPinned;
    }
    for (const { ino, pin, isDistributed, fragments } of directories ?? []) {
      if (pin < 0 && !isDistributed) continue;
      const path = fragments[0]?.path;
      const directory = index.byIno(ino) ?? (path?.startsWith('/') === true ? index.at(path) : undefined);
      if (directory === undefined) continue;
      directory.ino ??= ino;
      if (pin >= 0) directory.pin = pin;
      directory.isDistributed ||= isDistributed;
    }
  }
}

/** Directories by path and by inode number; those that the paths of others name are made. */
class DirectoryIndex {
  readonly root: MeasuredDirectory = emptyDirectory('', undefined);
  readonly #byPath = new Map<string, MeasuredDirectory>([['', this.root]]);
  readonly #byIno = new Map<bigint, MeasuredDirectory>([[ROOT_INO, this.root]]);

  add(fragment: FragmentReport): void {
    const { ino } = fragment;
    const directory = this.#byIno.get(ino) ?? this.at(fragment.path);
    directory.ino ??= ino;
    directory.fragments.add(fragment.fragment);
    this.#byIno.set(ino, directory);
  }

  of({ ino, path }: FragmentReport): MeasuredDirectory {
    return this.#byIno.get(ino) ?? this.at(path);
  }

  byIno(ino: bigint): MeasuredDirectory | undefined {
    return this.#byIno.get(ino);
  }

  /** The directory at a path, with those above it. */
  at(path: string): MeasuredDirectory {
    if (path.length > MAX_PATH) {
      throw new CrushError('malformed', `a path has ${path.length} characters, more than ${MAX_PATH}`);
    }
    const missing: string[] = [];
    let above: MeasuredDirectory | undefined;
    for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
      above = this.#byPath.get(at);
      if (above !== undefined) break;
      missing.push(at);
    }
    for (const name of missing.reverse()) {
      const directory: MeasuredDirectory = emptyDirectory(name, above);
      above.children.push(directory);
      this.#byPath.set(name, directory);
      above = directory;
    }
    return above;
  }
}

/** So that a plan does not hang on the order of the reports. */
function byPath(a: MeasuredDirectory, b: MeasuredDirectory): number {
  return a.path < b.path ? -1 : 1;
}

function emptyDirectory(path: string, parent: MeasuredDirectory | undefined): MeasuredDirectory {
  return {
    path,
    ino: undefined,
    parent,
    depth: parent === undefined ? 0 : parent.depth + 1,
    children: [],
    pieces: [],
    hidden: 0,
    fragments: new Set(),
    pin: -1,
    isDistributed: false,
    isRandomlyPinned: false,
  };
}
