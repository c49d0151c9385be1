/**
 * Counters that forget: a hit adds to one, and time halves it. Follows `DecayCounter` (Ceph's
 * src/common/DecayCounter.h).
 *
 * Time is given by the caller, in seconds from any start that all counters share.
 */

/** A counter: its value when it was last looked at or hit, and when that was. */
export interface DecayCounter {
  /** What it had at that time. */
  value: number;
  /** Seconds. */
  time: number;
}

/** Values below this count as nothing. Follows `DecayCounter::decay`. */
export const LEAST_COUNT = 0.01;

/** A counter at nothing. */
export function decayCounter(time: number): DecayCounter {
  return { value: 0, time };
}

/** What is left of a value after some seconds. Follows `DecayCounter::decay`. */
export function decayed(value: number, seconds: number, halflife: number): number {
  const left = value * Math.exp((seconds * Math.log(0.5)) / halflife);
  return left < LEAST_COUNT ? 0 : left;
}

/**
 * Lets a counter decay until now, then adds to it. Follows `DecayCounter::hit` and `adjust`.
 *
 * @param amount - may be negative; a counter that falls below 0.01 is at 0
 * @returns the new value
 */
export function hitCounter(counter: DecayCounter, now: number, halflife: number, amount = 1): number {
  const value = counter.value * Math.exp(((now - counter.time) * Math.log(0.5)) / halflife) + amount;
  counter.value = value < LEAST_COUNT ? 0 : value;
  counter.time = now;
  return counter.value;
}

/** Lets a counter decay until now and gives its value. Follows `DecayCounter::get`. */
export function readCounter(counter: DecayCounter, now: number, halflife: number): number {
  return hitCounter(counter, now, halflife, 0);
}
