/** What a plan can change: where load lies without it, and which directories may be pinned. */
import type { RankMask } from '../rank-mask.ts';
import { ownLoad, walk, type MeasuredDirectory, type MeasuredTree } from './measured-tree.ts';
import { placeDirectories, type Holder, type PlacedDirectory, type PlacementSettings } from './placement.ts';

/** A directory that may be pinned. */
export interface Candidate {
  readonly directory: MeasuredDirectory;
  /** Its place among the directories, and that of the first one behind it that does not lie in it. */
  readonly enter: number;
  readonly exit: number;
  /** Place of the directory whose pin holds for it; that of the root where none does. Pins do not reach past others. */
  readonly region: number;
  /** What a pin on it moves, if no other new one lies in it: by the rank that has it without. */
  readonly loads: Float64Array;
  readonly total: number;
}

/** What can be planned. */
export interface PlanModel {
  /** Number of ranks. */
  readonly ranks: number;
  /** Ranks among which load is shared. */
  readonly isShared: readonly boolean[];
  /** Loads without any new pin. */
  readonly start: Float64Array;
  /** Part of these that no new pin moves. */
  readonly fixed: Float64Array;
  /** Ranks that take part and have nothing as yet: which of them gets what makes no difference. */
  readonly empty: readonly number[];
  /** Load of each rank that takes part, could load be split at will. */
  readonly share: number;
  /** What the highest load cannot come below: the share, what is fixed, or what a single directory has. */
  readonly floor: number;
  /** In the order of the directories. */
  readonly candidates: readonly Candidate[];
  /** The directories, those above first, with what holds them without new pins. */
  readonly placed: readonly PlacedDirectory[];
}

/** What a model goes by. */
export interface ModelSettings extends PlacementSettings {
  /** Ranks that may get load. */
  readonly mask: RankMask;
  /** Whether static pins that are there may be changed, and load under them moved. */
  readonly repin: boolean;
  /** The least load worth a pin, as a part of a rank's share. */
  readonly grain: number;
}

/** Most directories that are looked at: those with most load. */
const MAX_CANDIDATES = 400;
/** A directory with all but this part of a share of what the one above it has is no other choice. */
const SAME = 0.005;

/** Part of a share below which a rank is empty. */
const IDLE = 1e-3;

/** Finds out what can be planned. */
export function planModel(tree: MeasuredTree, settings: ModelSettings): PlanModel {
  const { ranks, mask, repin } = settings;
  const placed = placeDirectories(walk(tree.root), settings, new Map());
  const start = new Float64Array(ranks);
  tree.ranks.forEach(({ unplaced }, rank) => add(start, rank < ranks ? rank : 0, unplaced));
  let ownMost = 0;
  for (const { directory, holder, pieces } of placed) {
    for (const { rank, load } of pieces) add(start, rank, load);
    const isOpen = directory.parent !== undefined && isOpenTo(holder, repin);
    if (isOpen) ownMost = Math.max(ownMost, ownLoad(directory) - directory.hidden);
  }
  const isShared = Array.from({ length: ranks }, (_, rank) => mask.count === 0 || mask.has(rank));
  const sharing = Math.max(isShared.filter(Boolean).length, 1);
  const candidates = candidatesOf(placed, settings, sum(start) / sharing);
  const fixed = fixedLoads(start, candidates);
  const shared = (loads: Float64Array): Float64Array => loads.filter((_, rank) => isShared[rank] === true);
  const share = (sum(start) - sum(fixed) + sum(shared(fixed))) / sharing;
  return {
    ranks,
    isShared,
    start,
    fixed,
    empty: [...start.keys()].filter((rank) => isShared[rank] === true && (start[rank] ?? 0) <= IDLE * share),
    share,
    floor: Math.max(share, ownMost, ...shared(fixed)),
    candidates,
    placed,
  };
}

/** Whether new pins may move what a pin holds. */
function isOpenTo(holder: Holder | undefined, repin: boolean): boolean {
  return holder === undefined || (repin && holder.kind === 'static');
}

/** What is left where all candidates are gone. */
function fixedLoads(start: Float64Array, candidates: readonly Candidate[]): Float64Array {
  const fixed = start.slice();
  const ends = new Map<number, number>();
  for (const { enter, exit, region, loads } of candidates) {
    if (enter < (ends.get(region) ?? 0)) continue;
    ends.set(region, exit);
    loads.forEach((load, rank) => add(fixed, rank, -load));
  }
  return fixed.map((load, rank) => (load <= ROUNDING * (start[rank] ?? 0) ? 0 : load));
}

/** Part of a load that is lost in sums. */
const ROUNDING = 1e-9;

/** Directories whose pins move enough, with what they move. */
function candidatesOf(
  placed: readonly PlacedDirectory[],
  settings: ModelSettings,
  share: number,
): Candidate[] {
  const { ranks, repin } = settings;
  const places = new Map(placed.map(({ directory }, index) => [directory, index]));
  const placeOf = (directory: MeasuredDirectory | undefined): number =>
    directory === undefined ? 0 : (places.get(directory) ?? 0);
  const loads = placed.map(({ pieces }) => {
    const own = new Float64Array(ranks);
    for (const { rank, load } of pieces) add(own, rank, load);
    return own;
  });
  const exits = placed.map((_, index) => index + 1);
  const regions = placed.map(({ holder }) => placeOf(holder?.setOn));
  for (let index = placed.length - 1; index > 0; index--) {
    const parent = placeOf(placed[index]?.directory.parent);
    exits[parent] = Math.max(exits[parent] ?? 0, exits[index] ?? 0);
    if (regions[index] !== index) loads[index]?.forEach((load, rank) => add(loads[parent], rank, load));
  }

  const found: Candidate[] = [];
  /** Of each directory: what the nearest candidate at or above it in the same region moves. */
  const nearest = new Float64Array(placed.length).fill(Infinity);
  placed.forEach(({ directory, holder }, index) => {
    const region = regions[index] ?? 0;
    const moved = loads[index] ?? new Float64Array(ranks);
    const total = sum(moved);
    const above = region === index ? Infinity : (nearest[placeOf(directory.parent)] ?? Infinity);
    nearest[index] = above;
    if (directory.parent === undefined || !isOpenTo(holder, repin) || total < settings.grain * share) return;
    if (total === 0 || above - total <= SAME * share || !isNameable(directory)) return;
    nearest[index] = total;
    found.push({ directory, enter: index, exit: exits[index] ?? index + 1, region, loads: moved, total });
  });
  return found
    .sort((a, b) => b.total - a.total)
    .slice(0, MAX_CANDIDATES)
    .sort((a, b) => a.enter - b.enter);
}

/** Whether a directory's name came through, and can be printed: no UTF-8 does not, and control characters cannot. */
export function isNameable({ path }: MeasuredDirectory): boolean {
  return !/[\x00-\x1f\x7f-\x9f\ufffd]/.test(path);
}

function add(loads: Float64Array | undefined, rank: number, load: number): void {
  if (loads !== undefined) loads[rank] = (loads[rank] ?? 0) + load;
}

function sum(loads: Float64Array): number {
  return loads.reduce((total, load) => total + load, 0);
}
