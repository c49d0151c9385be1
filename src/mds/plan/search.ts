/** The search for few pins that even out load. */
import type { Candidate, PlanModel } from './model.ts';

/** A new pin. */
export interface SearchPin {
  readonly candidate: Candidate;
  readonly rank: number;
}

/** Some pins, and what they make of the loads. */
export interface PinSet {
  readonly pins: readonly SearchPin[];
  /** By rank. */
  readonly loads: Float64Array;
  /** The highest load, see {@link peakOf}. */
  readonly peak: number;
}

/** What the search goes by. */
export interface SearchSettings {
  readonly maxPins: number;
  /** A highest load that is good enough: the search goes on for two pins more, to show what they are worth. */
  readonly goal: number;
}

/** The best sets found. */
export interface SearchResult {
  /** By number of pins, from those of the start on: the lowest peak, with the pins to prefer among those close to it. */
  readonly steps: readonly PinSet[];
}

/**
 * Searches with one pin more at a time, and keeps the most promising sets each time: those with the lowest peak, and
 * those with the least spread.
 *
 * Among sets that are about as good, those are preferred whose directories are shallow, whose pins move little, and
 * whose paths come first: so that counters which are a little different do not lead to other pins.
 *
 * @param start - pins to begin with, which stay
 */
export function searchPins(
  model: PlanModel,
  { maxPins, goal }: SearchSettings,
  start: readonly SearchPin[] = [],
): SearchResult {
  const first = setPins(model, start);
  const steps = [first];
  const width = beamWidth(model);
  let beam: Scored[] = [score(model, first)];
  let idle = 0;
  const isReached = (): boolean => (steps.at(-1 - BEYOND)?.peak ?? Infinity) <= goal;
  while (start.length + steps.length <= maxPins && !isReached() && first.peak > goal && idle < PATIENCE) {
    const next = new Map<string, Scored>();
    for (const { set } of beam) expand(model, set, width, next);
    if (next.size === 0) break;
    const found = [...next.values()];
    const before = lowestOf(beam);
    const best = preferred(model, found);
    steps.push(best.set);
    beam = [
      ...new Set([
        best,
        ...take(found, width, (each) => each.spread + PREFERENCE * each.dislike),
        ...take(
          found,
          Math.ceil(width / 2),
          (each) => each.set.peak / model.floor + PREFERENCE * each.dislike,
        ),
      ]),
    ];
    const now = lowestOf(beam);
    const isBetter =
      now.spread < before.spread * (1 - LITTLE) || now.peak < before.peak - LITTLE * model.share;
    idle = isBetter ? 0 : idle + 1;
  }
  return { steps };
}

/** What pins make of the loads. */
function setPins(model: PlanModel, pins: readonly SearchPin[]): PinSet {
  const loads = model.start.slice();
  const set: SearchPin[] = [];
  for (const pin of pins) {
    const nesting = set.map(({ candidate }) => innermost(set, candidate));
    const amount = takeAway(loads, pin.candidate, set, nesting);
    loads[pin.rank] = (loads[pin.rank] ?? 0) + amount;
    set.push(pin);
  }
  set.sort((a, b) => a.candidate.enter - b.candidate.enter);
  return pinSet(model, set, loads);
}

/**
 * The highest load, of the ranks that take part. Others count if something movable is on them: then with all of a
 * share on top, since it has to go.
 */
export function peakOf(model: PlanModel, loads: Float64Array): number {
  let peak = 0;
  for (let rank = 0; rank < loads.length; rank++)
    peak = Math.max(peak, weightOf(model, rank, loads[rank] ?? 0));
  return peak;
}

/** Pins that are tried beyond those that are enough. */
const BEYOND = 2;
/** Pins at which the search gives up when nothing has become better. */
const PATIENCE = 3;
/** Change that is none: part of the spread, or of a share. */
const LITTLE = 0.01;
/** How much of the measure of a set what is disliked in it makes up, in shares for its worst. */
const PREFERENCE = 0.01;
/** Peaks as close as this, in shares, are as good as each other. */
const CLOSE = 0.02;
/** Sets that are kept, times the square root of the pins that could be added. */
const EFFORT = 240;
/** Sets that are followed up of each one, as a multiple of those that are kept. */
const FOLLOWED = 3;
/** Ranks with least load that are tried for a pin. */
const DESTINATIONS = 8;

interface Scored {
  readonly set: PinSet;
  /** Sum of the squares of differences from the share, in shares. */
  readonly spread: number;
  /** Depth, moved load and place in the order of paths, 0 to about 1. */
  readonly dislike: number;
}

/** How many sets are kept: more where there are few choices. */
function beamWidth({ candidates, ranks }: PlanModel): number {
  const choices = candidates.length * Math.min(ranks, DESTINATIONS);
  return Math.max(6, Math.min(64, Math.round(EFFORT / Math.sqrt(choices))));
}

function weightOf({ isShared, fixed, share }: PlanModel, rank: number, load: number): number {
  if (isShared[rank] === true) return load;
  const movable = load - (fixed[rank] ?? 0);
  return movable > 1e-6 * share ? share + movable : 0;
}

function pinSet(model: PlanModel, pins: readonly SearchPin[], loads: Float64Array): PinSet {
  return { pins, loads, peak: peakOf(model, loads) };
}

function score(model: PlanModel, set: PinSet): Scored {
  const { share, candidates } = model;
  const count = Math.max(set.pins.length, 1);
  let depth = 0;
  let order = 0;
  for (const { candidate } of set.pins) {
    depth += 1 - 1 / candidate.directory.depth;
    order += candidate.enter / (candidates.at(-1)?.exit ?? 1);
  }
  const moved = set.loads.reduce((sum, load, rank) => sum + Math.max(load - (model.start[rank] ?? 0), 0), 0);
  const dislike = (depth + order / 4) / count + moved / (share * set.loads.length);
  return { set, spread: spreadOf(model, set.loads), dislike };
}

function spreadOf(model: PlanModel, loads: Float64Array): number {
  let spread = 0;
  for (let rank = 0; rank < loads.length; rank++) spread += offShare(model, rank, loads[rank] ?? 0);
  return spread;
}

/** The square of how far a rank's load is from where it should be, in shares. */
function offShare(model: PlanModel, rank: number, load: number): number {
  const { share, isShared } = model;
  return ((isShared[rank] === true ? load - share : weightOf(model, rank, load)) / share) ** 2;
}

/** The set to take of those with as many pins. */
function preferred(model: PlanModel, sets: readonly Scored[]): Scored {
  const lowest = Math.min(...sets.map(({ set }) => set.peak));
  const good = sets.filter(({ set }) => set.peak <= lowest + CLOSE * model.share);
  const measure = ({ set, dislike }: Scored): number => set.peak / model.share / 2 + CLOSE * dislike;
  return good.reduce((best, each) => (measure(each) < measure(best) ? each : best));
}

function lowestOf(sets: readonly Scored[]): { spread: number; peak: number } {
  return {
    spread: Math.min(...sets.map(({ spread }) => spread)),
    peak: Math.min(...sets.map(({ set }) => set.peak)),
  };
}

function take(sets: readonly Scored[], count: number, measure: (set: Scored) => number): Scored[] {
  return sets
    .map((set) => ({ set, value: measure(set) }))
    .sort((a, b) => a.value - b.value)
    .slice(0, count)
    .map(({ set }) => set);
}

/** Adds the sets with one pin more that are worth a look. */
function expand(model: PlanModel, set: PinSet, width: number, next: Map<string, Scored>): void {
  const destinations = destinationsOf(model, set);
  const taken = new Set(set.pins.map(({ candidate }) => candidate));
  const nesting = set.pins.map((pin) => innermost(set.pins, pin.candidate));
  const found: { candidate: Candidate; rank: number; spread: number }[] = [];
  const without = new Float64Array(model.ranks);
  for (const candidate of model.candidates) {
    if (taken.has(candidate)) continue;
    without.set(set.loads);
    const amount = takeAway(without, candidate, set.pins, nesting);
    if (amount <= 0) continue;
    const spread = spreadOf(model, without);
    for (const rank of destinations) {
      const load = without[rank] ?? 0;
      const change = offShare(model, rank, load + amount) - offShare(model, rank, load);
      found.push({ candidate, rank, spread: spread + change });
    }
  }
  found.sort((a, b) => a.spread - b.spread || a.candidate.enter - b.candidate.enter);
  for (const { candidate, rank } of found.slice(0, width * FOLLOWED)) {
    const loads = set.loads.slice();
    const amount = takeAway(loads, candidate, set.pins, nesting);
    loads[rank] = (loads[rank] ?? 0) + amount;
    const pins = [...set.pins, { candidate, rank }].sort((a, b) => a.candidate.enter - b.candidate.enter);
    const made = normalized(model, pins, loads);
    const key = made.pins.map((pin) => `${pin.candidate.enter}:${pin.rank}`).join();
    if (!next.has(key)) next.set(key, score(model, made));
  }
}

/** Ranks to pin to: those with least load, and of empty ones, which are all the same, one. */
function destinationsOf(model: PlanModel, { loads, pins }: PinSet): number[] {
  const used = new Set(pins.map(({ rank }) => rank));
  const unused = model.empty.find((rank) => !used.has(rank));
  return [...loads.keys()]
    .filter((rank) => model.isShared[rank] === true)
    .filter((rank) => rank === unused || used.has(rank) || !model.empty.includes(rank))
    .sort((a, b) => (loads[a] ?? 0) - (loads[b] ?? 0))
    .slice(0, DESTINATIONS);
}

/** The nearest of some pins above a directory that reaches it. */
function innermost(pins: readonly SearchPin[], { enter, region }: Candidate): SearchPin | undefined {
  let nearest: SearchPin | undefined;
  for (const pin of pins) {
    const { candidate } = pin;
    if (candidate.region !== region || candidate.enter >= enter || candidate.exit <= enter) continue;
    if (nearest === undefined || candidate.enter > nearest.candidate.enter) nearest = pin;
  }
  return nearest;
}

/** Takes what a pin on a directory would move from where it is, beside other pins; gives how much that is. */
function takeAway(
  loads: Float64Array,
  candidate: Candidate,
  pins: readonly SearchPin[],
  nesting: readonly (SearchPin | undefined)[],
): number {
  let moved = candidate.loads;
  let amount = candidate.total;
  pins.forEach(({ candidate: inner }, index) => {
    if (inner.region !== candidate.region || !isWithin(inner, candidate)) return;
    const between = nesting[index];
    if (between !== undefined && isWithin(between.candidate, candidate)) return;
    amount -= inner.total;
    if (moved === candidate.loads) moved = moved.slice();
    inner.loads.forEach((load, rank) => (moved[rank] = (moved[rank] ?? 0) - load));
  });
  const holder = innermost(pins, candidate);
  if (holder !== undefined) loads[holder.rank] = (loads[holder.rank] ?? 0) - amount;
  else for (let rank = 0; rank < loads.length; rank++) loads[rank] = (loads[rank] ?? 0) - (moved[rank] ?? 0);
  return amount;
}

function isWithin(inner: Candidate, outer: Candidate): boolean {
  return inner.enter > outer.enter && inner.enter < outer.exit;
}

/** Ranks that are empty without a plan are given to pins in the order of their paths: all such plans are one. */
function normalized(model: PlanModel, pins: readonly SearchPin[], loads: Float64Array): PinSet {
  const names = new Map<number, number>();
  for (const { rank } of pins) {
    if (model.empty.includes(rank) && !names.has(rank)) names.set(rank, model.empty[names.size] ?? rank);
  }
  if ([...names].every(([rank, name]) => rank === name)) return pinSet(model, pins, loads);
  const renamed = loads.slice();
  for (const rank of model.empty) renamed[rank] = model.start[rank] ?? 0;
  for (const [rank, name] of names) {
    renamed[name] = (loads[rank] ?? 0) - (model.start[rank] ?? 0) + (model.start[name] ?? 0);
  }
  return pinSet(
    model,
    pins.map(({ candidate, rank }) => ({ candidate, rank: names.get(rank) ?? rank })),
    renamed,
  );
}
