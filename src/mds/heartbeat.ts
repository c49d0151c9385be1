/** Heartbeats between ranks. Follows `MDBalancer::tick`, `send_heartbeat` and `handle_heartbeat` (Ceph's src/mds/MDBalancer.cc). */
import { metaLoad, type LoadVector, type MdsLoad } from './load.ts';
import type { MdsOptions } from './options.ts';

/** What a rank tells the others. */
export interface Heartbeat {
  /** The rank that tells. */
  readonly from: number;
  /** Number of the beat; rank 0 counts them. */
  readonly beat: number;
  /** Its load. */
  readonly load: MdsLoad;
  /** Load that the rank imported, by the rank that it came from. */
  readonly importMap: ReadonlyMap<number, number>;
}

/** What a rank knows of the beats. */
export interface BeatState {
  /** The rank itself. */
  readonly whoami: number;
  /** Number of the last beat that it knows of; 0 before the first. */
  readonly beat: number;
  /** Loads of this beat, by rank. */
  readonly loads: ReadonlyMap<number, MdsLoad>;
  /** The last import map of each rank, also of earlier beats. */
  readonly importMaps: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

/** What a heartbeat leads to. */
export interface HeartbeatEffect {
  /** What the rank knows then. */
  readonly state: BeatState;
  /** Whether the rank sends its own heartbeat now ({@link sendHeartbeat}), before it decides. */
  readonly answers: boolean;
  /** Whether the heartbeat was of an earlier beat and is dropped. */
  readonly ignored: boolean;
}

/** A rank that has heard of no beat. */
export function beatState(whoami: number): BeatState {
  return { whoami, beat: 0, loads: new Map(), importMaps: new Map() };
}

/**
 * Whether rank 0 sends heartbeats now. Follows `MDBalancer::tick`.
 *
 * @param sinceLast - seconds since the last ones, of which whole ones count
 * @param beats - heartbeats so far; `mds_bal_max` counts them
 * @param uptime - seconds since the rank started
 */
export function isBeatDue(sinceLast: number, beats: number, uptime: number, options: MdsOptions): boolean {
  if (options.mds_bal_interval <= 0 || Math.floor(sinceLast) < options.mds_bal_interval) return false;
  // Counting down from a negative number never meets zero.
  if (options.mds_bal_max - beats !== 0) return true;
  return options.mds_bal_max_until >= 0 && uptime > options.mds_bal_max_until;
}

/**
 * Sends a heartbeat: rank 0 begins a beat by it. Follows `MDBalancer::send_heartbeat`.
 *
 * @param imports - own subtrees in directories of other ranks: which rank, and the subtree's popularity
 */
export function sendHeartbeat(
  state: BeatState,
  load: MdsLoad,
  imports: readonly { readonly from: number; readonly load: LoadVector }[],
): { readonly state: BeatState; readonly heartbeat: Heartbeat } {
  const { whoami } = state;
  const begins = whoami === 0;
  const beat = begins ? state.beat + 1 : state.beat;
  const importMap = importMapOf(whoami, imports);
  return {
    heartbeat: { from: whoami, beat, load, importMap },
    state: {
      whoami,
      beat,
      loads: new Map([...(begins ? [] : state.loads), [whoami, load]]),
      importMaps: new Map([...state.importMaps, [whoami, importMap]]),
    },
  };
}

/**
 * Sums imports by the rank that they came from, in 32-bit floats like Ceph.
 *
 * @param imports - those from the rank itself are left out
 */
export function importMapOf(
  whoami: number,
  imports: readonly { readonly from: number; readonly load: LoadVector }[],
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const { from, load } of imports) {
    if (from !== whoami) sums.set(from, Math.fround((sums.get(from) ?? 0) + metaLoad(load)));
  }
  return sums;
}

/** Takes in another rank's heartbeat. Follows `MDBalancer::handle_heartbeat`. */
export function receiveHeartbeat(state: BeatState, heartbeat: Heartbeat): HeartbeatEffect {
  const { whoami } = state;
  const { from, beat } = heartbeat;
  if (whoami === 0 && beat !== state.beat) return { state, answers: false, ignored: true };
  const isNewBeat = from === 0 ? beat !== state.beat : whoami !== 0 && beat > state.beat;
  return {
    answers: from === 0,
    ignored: false,
    state: {
      whoami,
      beat: isNewBeat ? beat : state.beat,
      loads: new Map([...(isNewBeat ? [] : state.loads), [from, heartbeat.load]]),
      importMaps: new Map([...state.importMaps, [from, heartbeat.importMap]]),
    },
  };
}

/** Whether a rank has all heartbeats of the beat, and so decides. */
export function hasAllHeartbeats(state: BeatState, clusterSize: number): boolean {
  return state.loads.size === clusterSize;
}
