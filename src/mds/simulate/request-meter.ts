/** Counts the requests that each rank serves, from rates that change now and then. */
import type { DecayClock } from './decay-clock.ts';

/** Requests of all ranks. */
export class RequestMeter {
  readonly #clock: DecayClock;
  readonly #rates: Float64Array;
  readonly #served: Float64Array;
  #since: number;

  constructor(clock: DecayClock, ranks: number) {
    this.#clock = clock;
    this.#rates = new Float64Array(ranks);
    this.#served = new Float64Array(ranks);
    this.#since = clock.now;
  }

  /** Requests a second that a rank serves now. */
  rate(rank: number): number {
    return this.#rates[rank] ?? 0;
  }

  /** Requests that a rank has served so far. */
  served(rank: number): number {
    this.#settle();
    return this.#served[rank] ?? 0;
  }

  /** Changes a rank's rate from now on. */
  change(rank: number, difference: number): void {
    this.#settle();
    this.#rates[rank] = (this.#rates[rank] ?? 0) + difference;
  }

  /** Has one rank serve requests that came to another one: they waited for an export to end. */
  handOver(from: number, to: number, requests: number): void {
    this.#settle();
    this.#served[from] = (this.#served[from] ?? 0) - requests;
    this.#served[to] = (this.#served[to] ?? 0) + requests;
  }

  #settle(): void {
    const seconds = this.#clock.now - this.#since;
    if (seconds <= 0) return;
    this.#since = this.#clock.now;
    for (let rank = 0; rank < this.#rates.length; rank++) {
      this.#served[rank] = (this.#served[rank] ?? 0) + (this.#rates[rank] ?? 0) * seconds;
    }
  }
}
