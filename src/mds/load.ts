/** Loads of directory fragments and of ranks. Follows `dirfrag_load_vec_t` and `mds_load_t` (Ceph's src/mds/mdstypes.h). */
import { decayCounter, hitCounter, readCounter, type DecayCounter } from './decay-counter.ts';

/** What a directory fragment is hit for, in the order of its counters: `META_POP_IRD` to `META_POP_STORE`. */
export const HIT_KINDS = ['IRD', 'IWR', 'READDIR', 'FETCH', 'STORE'] as const;

/** A read or write of an inode in a fragment, a listing of it, a read of it from or a write of it to the pool. */
export type HitKind = (typeof HIT_KINDS)[number];

/** Values of the five counters, in the order of {@link HIT_KINDS}. */
export type LoadVector = readonly [number, number, number, number, number];

/** The five counters of a directory fragment. */
export type LoadCounters = readonly [DecayCounter, DecayCounter, DecayCounter, DecayCounter, DecayCounter];

/** No load. */
export const NO_LOAD: LoadVector = [0, 0, 0, 0, 0];

/** What a rank tells of itself in a heartbeat. Follows `mds_load_t`. */
export interface MdsLoad {
  /** Popularity that the rank has authority over. */
  readonly auth: LoadVector;
  /** All popularity that the rank knows of, with what lies in subtrees of others. */
  readonly all: LoadVector;
  /** Requests a second since the last heartbeat. */
  readonly requestRate: number;
  /** Part of path lookups that the cache could answer; not part of any load. */
  readonly cacheHitRate: number;
  /** Messages that wait. */
  readonly queueLength: number;
  /** Clock ticks of CPU time a second. */
  readonly cpuLoad: number;
}

/** One number for a load vector. Follows `dirfrag_load_vec_t::meta_load`. */
export function metaLoad([reads, writes, readdirs, fetches, stores]: LoadVector): number {
  return reads + 2 * writes + readdirs + 2 * fetches + 4 * stores;
}

/**
 * One number for the load of a rank. Follows `mds_load_t::mds_load`.
 *
 * @param mode - `mds_bal_mode`: 0, 1 or 2
 */
export function mdsLoad(load: MdsLoad, mode: number): number {
  if (mode === 2) return load.cpuLoad;
  const requests = load.requestRate + 10 * load.queueLength;
  if (mode === 1) return requests;
  // In Ceph's order, so that the last bit is Ceph's too.
  return 0.8 * metaLoad(load.auth) + 0.2 * metaLoad(load.all) + load.requestRate + 10 * load.queueLength;
}

/** The sum of two vectors. */
export function addLoads(left: LoadVector, right: LoadVector): LoadVector {
  return [left[0] + right[0], left[1] + right[1], left[2] + right[2], left[3] + right[3], left[4] + right[4]];
}

/** A vector times a number. Follows `dirfrag_load_vec_t::scale`. */
export function scaleLoad([a, b, c, d, e]: LoadVector, factor: number): LoadVector {
  return [a * factor, b * factor, c * factor, d * factor, e * factor];
}

/** Five counters at nothing. */
export function loadCounters(time: number): LoadCounters {
  const zero = (): DecayCounter => decayCounter(time);
  return [zero(), zero(), zero(), zero(), zero()];
}

/** Values of five counters now. */
export function readCounters(counters: LoadCounters, now: number, halflife: number): LoadVector {
  const read = (counter: DecayCounter): number => readCounter(counter, now, halflife);
  return [read(counters[0]), read(counters[1]), read(counters[2]), read(counters[3]), read(counters[4])];
}

/** The place of a kind among the counters. */
export function kindIndex(kind: HitKind): 0 | 1 | 2 | 3 | 4 {
  return HIT_KINDS.indexOf(kind) as 0 | 1 | 2 | 3 | 4;
}

/** Adds a vector to counters, or takes it off. Follows `dirfrag_load_vec_t::add` and `sub`. */
export function adjustCounters(
  counters: LoadCounters,
  vector: LoadVector,
  now: number,
  halflife: number,
  sign: 1 | -1,
): void {
  counters.forEach((counter, index) => hitCounter(counter, now, halflife, sign * (vector[index] ?? 0)));
}
