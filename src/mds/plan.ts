/**
 * Static pins that even out the load of metadata servers: as few as will do, on directories as shallow as will do.
 */
import { CrushError } from '../errors.ts';
import type { RankReport } from './decide.ts';
import { noteBeats, rankCount, reportsOfRanks } from './known-ranks.ts';
import type { MdsOptions } from './options.ts';
import {
  measureTree,
  ownLoad,
  walk,
  type MeasuredDirectory,
  type MeasuredTree,
} from './plan/measured-tree.ts';
import { planModel, type ModelSettings, type PlanModel } from './plan/model.ts';
import { planNotes } from './plan/notes.ts';
import { distributedParts, placeDirectories, type Holder, type PlacedDirectory } from './plan/placement.ts';
import { peakOf, searchPins, type PinSet } from './plan/search.ts';
import { MAX_MDS, readRankMask } from './rank-mask.ts';
import type { FileSystemReport } from './reports.ts';
import { hashName } from './simulate/name-hash.ts';

/** What to plan. */
export interface PlanSettings {
  readonly options: MdsOptions;
  /** Number of ranks to plan for; by default `max_mds`, or as many as there are. */
  readonly ranks?: number;
  /** Ranks that load may be pinned to, as `bal_rank_mask` has it; by default that of the file system. */
  readonly rankMask?: string;
  /** Part of its share by which a rank may be above it. */
  readonly tolerance: number;
  /** Most new pins. */
  readonly maxPins: number;
  /** Whether static pins that are there may be changed, and load under them moved. */
  readonly repin: boolean;
  /** Whether counters are scaled so that their sum is that of the last heartbeat. */
  readonly scaleToBeat: boolean;
  /** Pins of an earlier plan that has not been carried out: kept if they are as good, or about. */
  readonly former?: readonly { readonly path: string; readonly rank: number }[];
  /** Hash of an entry's name, which says in which fragment of its directory it is; default: rjenkins of its UTF-8. */
  readonly hashName?: (name: string) => number;
}

/** A pin to set. */
export interface PlannedPin {
  /** Path from the root of the file system. */
  readonly path: string;
  readonly rank: number;
  /** `ceph.dir.pin` as it is, or -1. */
  readonly before: number;
  /** Load that comes under the pin, in terms of `mds_load`. */
  readonly load: number;
  /** The same as popularity, `meta_load`. */
  readonly metaLoad: number;
  /** What of it other ranks have now, most first. */
  readonly from: readonly { readonly rank: number; readonly load: number }[];
}

/** Loads of a rank. */
export interface PlannedRank {
  readonly rank: number;
  /** Whether load is shared with it. */
  readonly isShared: boolean;
  /** `mds_load` at the last beat. */
  readonly before: number;
  /** `mds_load` without a plan, but with the planned number of ranks and pins that are there. */
  readonly unplanned: number;
  /** `mds_load` with the plan. */
  readonly after: number;
  /** `meta_load` of what it has authority over, the same three. */
  readonly metaBefore: number;
  readonly metaUnplanned: number;
  readonly metaAfter: number;
}

/** A directory that has more load of its own than a rank's share: no pins can part that. */
export interface Indivisible {
  readonly path: string;
  readonly load: number;
  /** The rank that it is on with the plan. */
  readonly rank: number | undefined;
  /** Part of its entries that each rank would get with a distributed ephemeral pin; undefined if not known. */
  readonly distributed: readonly number[] | undefined;
}

/** A pin that is there and stays. */
export interface KeptPin {
  readonly path: string;
  readonly kind: 'static' | 'distributed' | 'random';
  /** Undefined where several ranks share it. */
  readonly rank: number | undefined;
  readonly load: number;
}

/** A plan. */
export interface PinPlan {
  /** Ranks that it is for. */
  readonly ranks: number;
  /** Ranks that there are. */
  readonly ranksBefore: number;
  readonly tolerance: number;
  /** Load of each rank if it could be split at will. */
  readonly share: number;
  /** The new pins, by path. */
  readonly pins: readonly PlannedPin[];
  readonly perRank: readonly PlannedRank[];
  /** The highest load with so many of the best pins, from none on. */
  readonly peaks: readonly number[];
  /** Whether all ranks are within the tolerance. */
  readonly isEven: boolean;
  readonly indivisible: readonly Indivisible[];
  /** Most load first. */
  readonly kept: readonly KeptPin[];
  /** What is missing or does not fit, as sentences. */
  readonly notes: readonly string[];
}

/**
 * Plans pins.
 *
 * The plan has the fewest new pins that bring every rank within the tolerance of its share of the load; if none do,
 * the fewest that come as low as any found. What is not pinned stays where it is. Load under pins that are there is
 * not touched unless asked for, and none are set where ranks are within the tolerance already: so a plan that has been
 * carried out is kept, as long as the load stays much the same.
 *
 * @param reports - what is known, by rank; ranks may be missing
 * @param fileSystem - `ceph fs dump`, for `max_mds` and mask
 * @throws CrushError `not-found` when no rank's counters are known; `bad-argument` for numbers that cannot be
 *
 * @example
 * ```ts
 * const { pins } = planPins(reports, fileSystem, {
 *   options: DEFAULT_MDS_OPTIONS, ranks: 3, tolerance: 0.1, maxPins: 64, repin: false, scaleToBeat: true,
 * });
 * for (const { path, rank } of pins) console.log(path, rank);
 * ```
 */
export function planPins(
  reports: ReadonlyMap<number, RankReport>,
  fileSystem: FileSystemReport | undefined,
  settings: PlanSettings,
): PinPlan {
  const { options, tolerance, maxPins, repin } = settings;
  const notes: string[] = [];
  const hash = settings.hashName ?? hashName;
  const count = rankCount(reports, fileSystem);
  const known = count === 0 ? reports : reportsOfRanks(reports, count, notes);
  noteBeats(known, notes);
  const tree = measureTree(known, options.mds_bal_mode, settings.scaleToBeat, hash, notes);
  const ranksBefore = Math.max(fileSystem?.maxMds ?? 1, tree.ranks.length);
  const ranks = settings.ranks ?? fileSystem?.maxMds ?? ranksBefore;
  checkNumbers(ranks, tolerance, maxPins);
  const mask = readRankMask(settings.rankMask ?? fileSystem?.rankMask ?? '', ranks);
  const modelSettings: ModelSettings = {
    ranks,
    options,
    mask,
    repin,
    grain: Math.max(tolerance / 10, LEAST_GRAIN),
    hashName: hash,
  };
  const model = planModel(tree, modelSettings);
  if (!model.isShared.includes(true)) {
    throw new CrushError('bad-argument', `no rank below ${ranks} is in the mask: there is none to pin to`);
  }
  const goal = Math.max(model.share * (1 + tolerance), model.floor * (1 + tolerance / 10)) * (1 + ROUNDING);
  const { steps } = searchPins(model, { maxPins, goal });
  const fresh = chooseStep(steps, goal, tolerance);
  const chosen = keepFormer(model, settings, fresh, goal) ?? fresh;
  const planned = new Map(chosen.pins.map(({ candidate, rank }) => [candidate.directory, rank]));
  const placed = placeDirectories(walk(tree.root), modelSettings, planned);
  const perRank = forecast(tree, model, placed, Math.max(ranks, tree.ranks.length));
  notes.push(...planNotes(tree, model, options));
  const most = (1 + tolerance) * (1 + ROUNDING) * model.share;
  return {
    ranks,
    ranksBefore,
    tolerance,
    share: model.share,
    pins: [...planned].map(([directory, rank]) => describePin(directory, rank, placed)),
    perRank,
    peaks: steps.map(({ peak }) => peak),
    isEven: peakOf(model, chosen.loads) <= most,
    indivisible: indivisibleOf(model, placed, modelSettings),
    kept: keptPins(placed),
    notes,
  };
}

/** Least load worth a pin, as a part of a rank's share. */
const LEAST_GRAIN = 0.002;
/** Part of a load that is lost in sums. */
const ROUNDING = 1e-9;

function checkNumbers(ranks: number, tolerance: number, maxPins: number): void {
  if (!Number.isInteger(ranks) || ranks < 1 || ranks > MAX_MDS) {
    throw new CrushError('bad-argument', `the number of ranks is 1 to ${MAX_MDS}, not ${ranks}`);
  }
  if (!(tolerance >= 0 && tolerance <= 10)) {
    throw new CrushError('bad-argument', `the tolerance is 0 to 10 (1000 %), not ${tolerance}`);
  }
  if (!Number.isInteger(maxPins) || maxPins < 0) {
    throw new CrushError('bad-argument', `the most pins are a whole number from 0 on, not ${maxPins}`);
  }
}

/** The fewest pins that are good enough, or that come as low as more of them. */
function chooseStep(steps: readonly PinSet[], goal: number, tolerance: number): PinSet {
  const lowest = Math.min(...steps.map(({ peak }) => peak));
  const enough = Math.max(goal, lowest * (1 + tolerance / 10));
  const chosen = steps.find(({ peak }) => peak <= enough);
  if (chosen === undefined) throw new CrushError('bad-argument', 'loads are no numbers');
  return chosen;
}

/** Most pins by which a plan that keeps to an earlier one may have more than a new one. */
const LOYALTY = 1;

/** The earlier plan, with more pins if need be, if that is about as good as a new one. */
function keepFormer(
  model: PlanModel,
  { former = [], maxPins, tolerance }: PlanSettings,
  fresh: PinSet,
  goal: number,
): PinSet | undefined {
  const ranks = new Map(former.map(({ path, rank }) => [path, rank]));
  const pins = model.candidates.flatMap((candidate) => {
    const rank = ranks.get(candidate.directory.path);
    return rank !== undefined && model.isShared[rank] === true ? [{ candidate, rank }] : [];
  });
  if (pins.length === 0 || pins.length > maxPins || fresh.pins.length === 0) return undefined;
  const enough = Math.max(goal, fresh.peak * (1 + tolerance / 10));
  const kept = searchPins(model, { maxPins, goal }, pins).steps.find(({ peak }) => peak <= enough);
  return kept !== undefined && kept.pins.length <= fresh.pins.length + LOYALTY ? kept : undefined;
}

function forecast(
  tree: MeasuredTree,
  model: PlanModel,
  placed: readonly PlacedDirectory[],
  size: number,
): PlannedRank[] {
  const unplanned = sumByRank(tree, model.ranks, model.placed, size);
  const after = sumByRank(tree, model.ranks, placed, size);
  return Array.from({ length: size }, (_, rank) => ({
    rank,
    isShared: model.isShared[rank] ?? false,
    before: tree.ranks[rank]?.load ?? 0,
    unplanned: unplanned[rank]?.load ?? 0,
    after: after[rank]?.load ?? 0,
    metaBefore: tree.ranks[rank]?.metaLoad ?? 0,
    metaUnplanned: unplanned[rank]?.metaLoad ?? 0,
    metaAfter: after[rank]?.metaLoad ?? 0,
  }));
}

function sumByRank(
  tree: MeasuredTree,
  ranks: number,
  placed: readonly PlacedDirectory[],
  size: number,
): { load: number; metaLoad: number }[] {
  const sums = Array.from({ length: size }, () => ({ load: 0, metaLoad: 0 }));
  const add = (rank: number, load: number, metaLoad: number): void => {
    const sum = sums[rank];
    if (sum === undefined) return;
    sum.load += load;
    sum.metaLoad += metaLoad;
  };
  tree.ranks.forEach(({ unplaced, unplacedMeta }, rank) =>
    add(rank < ranks ? rank : 0, unplaced, unplacedMeta),
  );
  for (const { pieces } of placed) for (const { rank, load, metaLoad } of pieces) add(rank, load, metaLoad);
  return sums;
}

function describePin(
  directory: MeasuredDirectory,
  rank: number,
  placed: readonly PlacedDirectory[],
): PlannedPin {
  const from = new Map<number, number>();
  let load = 0;
  let metaLoad = 0;
  for (const { directory: held, holder } of placed) {
    if (holder?.setOn !== directory) continue;
    for (const piece of held.pieces) {
      from.set(piece.rank, (from.get(piece.rank) ?? 0) + piece.load);
      load += piece.load;
      metaLoad += piece.metaLoad;
    }
  }
  return {
    path: directory.path,
    rank,
    before: directory.pin,
    load,
    metaLoad,
    from: [...from]
      .filter(([source]) => source !== rank)
      .map(([source, amount]) => ({ rank: source, load: amount }))
      .sort((a, b) => b.load - a.load),
  };
}

/** Directories with more entries' load than a share, whatever holds them. */
function indivisibleOf(
  model: PlanModel,
  placed: readonly PlacedDirectory[],
  settings: ModelSettings,
): Indivisible[] {
  return placed
    .filter(({ directory, holder }) => {
      const isSpread = holder?.kind === 'distributed' && holder.setOn === directory;
      return !isSpread && ownLoad(directory) - directory.hidden > model.share;
    })
    .map(({ directory, pieces }) => ({
      path: directory.path,
      load: ownLoad(directory) - directory.hidden,
      rank: new Set(pieces.map(({ rank }) => rank)).size === 1 ? pieces[0]?.rank : undefined,
      distributed:
        directory.ino === undefined || directory.parent === undefined
          ? undefined
          : [...distributedParts(directory.ino, settings)],
    }))
    .sort((a, b) => b.load - a.load);
}

/** Pins that are there and hold, with the load under each: most first. */
function keptPins(placed: readonly PlacedDirectory[]): KeptPin[] {
  const kept = new Map<MeasuredDirectory, { holder: Holder; load: number }>();
  for (const { directory, holder } of placed) {
    if (holder === undefined || holder.kind === 'planned') continue;
    const { load } = kept.get(holder.setOn) ?? { load: 0 };
    const first = kept.get(holder.setOn)?.holder ?? holder;
    kept.set(holder.setOn, { holder: first, load: load + ownLoad(directory) });
  }
  return [...kept]
    .flatMap(([{ path }, { holder, load }]) =>
      holder.kind === 'planned' ? [] : [{ path, kind: holder.kind, rank: holder.rank, load }],
    )
    .sort((a, b) => b.load - a.load);
}
