/**
 * The time of a simulation, and the one factor by which all of its counters decay.
 *
 * Ceph's counters decay one by one when they are looked at ({@link decayed}). They share their half-life, so that it
 * is enough to hold each hit as if it had come at a common moment, the base, and to multiply with one weight when a
 * value is asked for. Nothing has to be touched as time passes.
 */

/** Half-lives after which the base moves to the present, long before weights come close to what a float can hold. */
const MOST_HALFLIVES = 256;

/** A clock that all counters of a simulation share. */
export class DecayClock {
  /** Seconds. */
  readonly halflife: number;
  /** What a counter settles at, for each hit a second that it keeps getting. */
  readonly steady: number;
  #now: number;
  #base: number;
  #weight = 1;

  /**
   * @param halflife - `mds_decay_halflife`, in seconds
   * @param now - when it starts, in seconds
   */
  constructor(halflife: number, now = 0) {
    this.halflife = halflife;
    this.steady = halflife / Math.LN2;
    this.#now = now;
    this.#base = now;
  }

  /** Seconds since the start of the simulation. */
  get now(): number {
    return this.#now;
  }

  /** What is left by now of a hit at the base. */
  get weight(): number {
    return this.#weight;
  }

  /** Moves on; time never runs back. */
  advance(now: number): void {
    if (now <= this.#now) return;
    this.#now = now;
    this.#weight = 2 ** ((this.#base - now) / this.halflife);
  }

  /** Whether the base is so long ago that it should be moved ({@link rebase}). */
  get isStale(): boolean {
    return this.#now - this.#base > MOST_HALFLIVES * this.halflife;
  }

  /** Makes the present the base; all that is held for the old base is to be multiplied with the result. */
  rebase(): number {
    const factor = this.#weight;
    this.#base = this.#now;
    this.#weight = 1;
    return factor;
  }
}
