/**
 * What a file system's metadata servers would do under a workload: which rank has which load when, what goes from whom to
 * whom, and what waits meanwhile.
 *
 * Ranks decide by the same code that tells what a live cluster would do ({@link decideCluster}); this adds the file system
 * that they decide on. What is done to it is a flow of so many hits a second, not single requests: the result is what is
 * to be expected, the same for the same seed. See simulate/popularity-table.ts for what that makes of the counters.
 */
import { CrushError } from '../errors.ts';
import { DEFAULT_MDS_OPTIONS, type MdsOptions } from './options.ts';
import { MAX_MDS } from './rank-mask.ts';
import { Balancer } from './simulate/balancer.ts';
import { EventQueue } from './simulate/event-queue.ts';
import { Exporter } from './simulate/exporter.ts';
import { Fragmenter } from './simulate/fragmenter.ts';
import { hashName } from './simulate/name-hash.ts';
import { MetadataState } from './simulate/metadata-state.ts';
import { findPingPongs } from './simulate/ping-pong.ts';
import { PinBook } from './simulate/pin-book.ts';
import { keepPins, leastFragmentBits } from './simulate/pin-keeper.ts';
import { seededRandom } from './simulate/random.ts';
import { type HitOrder } from './simulate/rank-view.ts';
import type { SimulationResult } from './simulate/result.ts';
import { NO_NODE, type Workload, type WorkloadPin } from './simulate/workload.ts';

export { workloadFromReports, type ReportSettings } from './simulate/from-reports.ts';
export type { HitOrder } from './simulate/rank-view.ts';
export type {
  BeatRecord,
  ChosenExport,
  DroppedExport,
  Fragmentation,
  Migration,
  MigrationCause,
  PingPong,
  RankBeat,
  RankLoad,
  SimulationResult,
} from './simulate/result.ts';
export type {
  MigrationTimes,
  RankBackground,
  Workload,
  WorkloadLoad,
  WorkloadPin,
  WorkloadSubtree,
  WorkloadTree,
} from './simulate/workload.ts';

/** Most beats of a simulation. */
export const MAX_BEATS = 1_000_000;
/** Most ticks (`mds_tick_interval`) of a simulation. */
const MAX_TICKS = 10_000_000;
/** Beats within which a subtree that comes back is said to go back and forth. */
export const RETURN_BEATS = 3;

/** What to simulate. */
export interface SimulationInput {
  readonly workload: Workload;
  /** Ranks that are in the file system: `max_mds`, 1 to 256. */
  readonly ranks: number;
  /** Beats to simulate, and an interval after the last. */
  readonly beats: number;
  /** Ceph's defaults where left out. */
  readonly options?: MdsOptions;
  /** Pins besides those of the workload; they win. */
  readonly pins?: readonly WorkloadPin[];
  /** Of what is left to chance: which directory was hit last, and random pins (1). */
  readonly seed?: number;
  /** Which directories a search looks at first (`drawn`). */
  readonly hitOrder?: HitOrder;
  /** Number of the first beat (1); odd and even ones match ranks differently. */
  readonly firstBeat?: number;
  /** Whether the balancer acts, as `balance_automate` says (true); pins do anyway. */
  readonly isBalanced?: boolean;
}

/**
 * Simulates a file system's metadata servers.
 *
 * @throws CrushError `bad-argument` for numbers out of their range, `not-found` for a directory or rank that is not there
 *
 * @example
 * ```ts
 * const { beats, migrations } = simulate({ workload: generateWorkload('hot-directory', 1), ranks: 2, beats: 30 });
 * beats.at(-1)?.ranks.map(({ mdsLoad }) => mdsLoad); // load of each rank in the last beat
 * ```
 */
export function simulate(input: SimulationInput): SimulationResult {
  const { workload, ranks, beats, options = DEFAULT_MDS_OPTIONS } = input;
  const notes = [...workload.notes];
  demandWhole('ranks', ranks, MAX_MDS);
  demandWhole('beats', beats, MAX_BEATS);
  const draw = seededRandom(input.seed ?? 1);
  const state = new MetadataState({
    tree: workload.tree,
    ranks,
    halflife: options.mds_decay_halflife,
    hashName,
  });
  const directoryAt = directoryFinder(state);
  const pins = new PinBook(
    state.tree,
    [...workload.pins, ...(input.pins ?? [])],
    ranks,
    options,
    directoryAt,
    draw,
  );
  placeSubtrees(state, workload, directoryAt, notes);

  const events = new EventQueue();
  const exporter = new Exporter({ state, events, pins, options, times: workload.migration });
  const fragmenter = new Fragmenter({
    state,
    events,
    options,
    leastBits: (directory) => leastFragmentBits(directory, pins, ranks, options),
  });
  const balancer = new Balancer({
    ...{ state, exporter, pins, options, workload, draw },
    hitOrder: input.hitOrder ?? 'drawn',
    firstBeat: input.firstBeat ?? 1,
    isBalanced: input.isBalanced ?? true,
  });
  planLoads(workload, state, events, fragmenter);
  const step = options.mds_tick_interval;
  if ((beats * Math.max(options.mds_bal_interval, 10)) / step > MAX_TICKS) {
    throw new CrushError(
      'bad-argument',
      `${beats} beats every ${options.mds_bal_interval} seconds are more than ${MAX_TICKS} ticks of ${step} seconds`,
    );
  }
  const run = (until: number): void => {
    while (events.next <= until) {
      state.clock.advance(events.next);
      state.popularity.rebase();
      events.take()?.();
    }
    state.clock.advance(until);
    state.popularity.rebase();
  };
  let ticks = 0;
  run(0);
  for (; balancer.records.length < beats; ticks++) {
    run(ticks * step);
    keepPins({ state, pins, options, exporter, fragmenter });
    if (balancer.isDue) balancer.beat();
  }
  const after = (ticks - 1) * step + Math.max(options.mds_bal_interval, step);
  for (; ticks * step < after; ticks++) {
    run(ticks * step);
    keepPins({ state, pins, options, exporter, fragmenter });
  }
  run(after);
  noteFullFragments(state, options.mds_bal_fragment_size_max, notes);
  const endRanks = balancer.loads();
  const served = endRanks.reduce((sum, { rank }) => sum + state.meter.served(rank), 0);
  return {
    workload: workload.name,
    ranks,
    beats: balancer.records,
    end: { time: after, ranks: endRanks },
    migrations: exporter.migrations,
    dropped: exporter.dropped,
    fragmentations: fragmenter.fragmentations,
    pingPongs: findPingPongs(exporter.migrations, RETURN_BEATS),
    requests: served,
    blockedRequests: exporter.blockedRequests,
    directories: state.tree.names.length,
    fragments: state.tree.fragmentCount,
    subtrees: state.subtrees.size,
    notes,
  };
}

/** Ceph refuses new entries in fragments that are full, which the simulation does not. */
function noteFullFragments({ tree, popularity }: MetadataState, most: number, notes: string[]): void {
  let full = 0;
  for (let fragment = 0; fragment < tree.size; fragment++) {
    if (tree.directory[fragment] !== NO_NODE && popularity.entries('own', fragment) > most) full++;
  }
  if (full > 0) {
    notes.push(
      `${full === 1 ? '1 fragment has' : `${full} fragments have`} more than ${most} entries (mds_bal_fragment_size_max): Ceph would refuse new ones in them`,
    );
  }
}

function demandWhole(what: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  throw new CrushError('bad-argument', `${what} is a whole number of 1 to ${most}, not ${value}`);
}

/** Finds directories by their paths, name by name. */
function directoryFinder({ tree }: MetadataState): (path: string) => number | undefined {
  const within = new Map<number, Map<string, number>>();
  const namesIn = (directory: number): Map<string, number> => {
    let names = within.get(directory);
    if (names === undefined) {
      names = new Map();
      for (const fragment of tree.fragmentsOf(directory)) {
        for (const child of tree.directoriesIn(fragment)) names.set(tree.names[child] ?? '', child);
      }
      within.set(directory, names);
    }
    return names;
  };
  return (path) => {
    let at: number | undefined = 0;
    for (const name of path.split('/').filter((part) => part !== '')) {
      at = at === undefined ? undefined : namesIn(at).get(name);
    }
    return at;
  };
}

function placeSubtrees(
  state: MetadataState,
  { subtrees }: Workload,
  directoryAt: (path: string) => number | undefined,
  notes: string[],
): void {
  const gone = new Set(subtrees.map(({ rank }) => rank).filter((rank) => rank >= state.ranks));
  for (const rank of gone)
    notes.push(`mds.${rank} is not there: what it held is mds.0's, as when max_mds is lowered`);
  const cuts = subtrees.map(({ path, fragment: code, rank }) => {
    const directory = directoryAt(path);
    const fragment = directory === undefined ? NO_NODE : state.tree.find(directory, code);
    if (fragment === NO_NODE)
      throw new CrushError('not-found', `there is no directory ${path || '/'} for a subtree`);
    return { subtree: state.subtrees.cut(fragment), rank: rank < state.ranks ? rank : 0 };
  });
  // All ranks first, so that no subtree is joined with one that has not got its rank yet.
  for (const { subtree } of cuts) subtree.isKeptApart = true;
  for (const { subtree, rank } of cuts) state.subtrees.move(subtree, rank);
  for (const { subtree } of cuts) subtree.isKeptApart = false;
}

/** Begins and ends what is done, each at its time. */
function planLoads(
  { loads, isSettled }: Workload,
  state: MetadataState,
  events: EventQueue,
  fragmenter: Fragmenter,
): void {
  for (const load of loads) {
    const apply = (sign: 1 | -1): void => {
      const code = load.fragment ?? 0;
      for (const directory of Array.from(load.directories)) {
        state.flow(directory, code, load, sign, isSettled && sign === 1 && load.from <= 0);
        for (const fragment of state.tree.fragmentsOf(directory)) fragmenter.watch(fragment);
      }
    };
    if (load.to <= load.from) continue;
    events.add(Math.max(0, load.from), () => apply(1));
    if (load.to < Infinity) events.add(Math.max(0, load.to), () => apply(-1));
  }
}
