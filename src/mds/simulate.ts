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
import { directoryFinder, notePins, placeSubtrees, planLoads } from './simulate/setup.ts';
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
/** Most loads of ranks in a result. */
const MAX_RECORDS = 2_000_000;
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
 * const description = describeWorkload('many-users', { directories: 200, rate: 2000, seconds: 310, seed: 1 });
 * const workload = buildWorkload(description, { seconds: 310, seed: 1 });
 * const { end, migrations } = simulate({ workload, ranks: 3, beats: 30 });
 * end.ranks.map(({ mdsLoad }) => mdsLoad); // load of each rank at the end
 * ```
 */
export function simulate(input: SimulationInput): SimulationResult {
  const { workload, ranks, beats, options = DEFAULT_MDS_OPTIONS } = input;
  demandWhole('ranks', ranks, MAX_MDS);
  demandWhole('beats', beats, MAX_BEATS);
  if (beats * ranks > MAX_RECORDS) {
    throw new CrushError(
      'bad-argument',
      `${beats} beats of ${ranks} ranks are more than the ${MAX_RECORDS} loads that a result may have`,
    );
  }
  const step = options.mds_tick_interval;
  if ((beats * Math.max(options.mds_bal_interval, 10)) / step > MAX_TICKS) {
    throw new CrushError(
      'bad-argument',
      `${beats} beats every ${options.mds_bal_interval} seconds are more than ${MAX_TICKS} ticks of ${step} seconds`,
    );
  }
  const notes = [...workload.notes];
  const { state, events, pins, exporter, fragmenter, balancer } = begin(input, options, notes);
  const run = (until: number): void => {
    while (events.next <= until) {
      state.clock.advance(events.next);
      state.popularity.rebase();
      events.take()?.();
    }
    state.clock.advance(until);
    state.popularity.rebase();
  };
  // Loads of the start come before the first tick.
  run(0);
  let ticks = 0;
  const tick = (): void => {
    run(ticks++ * step);
    keepPins({ state, pins, options, exporter, fragmenter });
  };
  while (balancer.records.length < beats) {
    tick();
    if (balancer.isDue) balancer.beat();
  }
  const end = state.clock.now + Math.max(options.mds_bal_interval, step);
  while (ticks * step < end) tick();
  run(end);
  noteFullFragments(state, options.mds_bal_fragment_size_max, notes);
  const endRanks = balancer.loads();
  return {
    workload: workload.name,
    ranks,
    beats: balancer.records,
    end: { time: end, ranks: endRanks },
    migrations: exporter.migrations,
    dropped: exporter.dropped,
    fragmentations: fragmenter.fragmentations,
    pingPongs: findPingPongs(exporter.migrations, RETURN_BEATS),
    requests: endRanks.reduce((sum, { rank }) => sum + state.meter.served(rank), 0),
    blockedRequests: exporter.blockedRequests,
    directories: state.tree.names.length,
    fragments: state.tree.fragmentCount,
    subtrees: state.subtrees.size,
    notes,
  };
}

/** All that takes part, as it is at the start. */
interface Simulation {
  readonly state: MetadataState;
  readonly events: EventQueue;
  readonly pins: PinBook;
  readonly exporter: Exporter;
  readonly fragmenter: Fragmenter;
  readonly balancer: Balancer;
}

function begin(input: SimulationInput, options: MdsOptions, notes: string[]): Simulation {
  const { workload, ranks } = input;
  const draw = seededRandom(input.seed ?? 1);
  const halflife = options.mds_decay_halflife;
  const state = new MetadataState({ tree: workload.tree, ranks, halflife, hashName });
  const directoryAt = directoryFinder(state);
  const wanted = [...workload.pins, ...(input.pins ?? [])];
  const pins = new PinBook(state.tree, wanted, ranks, options, directoryAt, draw);
  notePins(wanted, workload, ranks, directoryAt, notes);
  placeSubtrees(state, workload, directoryAt, notes);
  const events = new EventQueue();
  const exporter = new Exporter({ state, events, pins, options, times: workload.migration });
  const leastBits = (directory: number): number => leastFragmentBits(directory, pins, ranks, options);
  const fragmenter = new Fragmenter({ state, events, options, leastBits });
  const balancer = new Balancer({
    state,
    exporter,
    pins,
    options,
    workload,
    draw,
    hitOrder: input.hitOrder ?? 'drawn',
    firstBeat: input.firstBeat ?? 1,
    isBalanced: input.isBalanced ?? true,
  });
  planLoads(workload, state, events, fragmenter);
  return { state, events, pins, exporter, fragmenter, balancer };
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
