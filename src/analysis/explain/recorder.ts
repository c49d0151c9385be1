/** Gathers the attempts of one place, as many as there is room for. */
import type { Attempt, PlaceTrace, TraceItem } from './trace.ts';
import type { Walk } from './walk.ts';

/** The attempts of one place. */
export class PlaceRecorder {
  readonly #walk: Walk;
  readonly #place: number;
  readonly #replica: number;
  readonly #attempts: Attempt[] = [];
  #omitted = 0;
  #failures = 0;

  constructor(walk: Walk, place: number, replica: number) {
    this.#walk = walk;
    this.#place = place;
    this.#replica = replica;
  }

  /** An attempt that others follow. */
  failed(attempt: Attempt): void {
    this.#failures++;
    if (this.#walk.takeRoom()) this.#attempts.push(attempt);
    else this.#omitted++;
  }

  /** The attempt that found the item. */
  chose(attempt: Attempt, device: TraceItem | undefined): PlaceTrace {
    this.#attempts.push(attempt);
    return {
      ...this.untried(),
      ...(attempt.item === undefined ? {} : { item: attempt.item }),
      ...(device === undefined ? {} : { device }),
    };
  }

  /** The attempt after which the place is given up. */
  gaveUp(attempt: Attempt & { readonly next: 'tries-used-up' | 'hopeless' }): PlaceTrace {
    this.#failures++;
    this.#attempts.push(attempt);
    return { ...this.untried(), gaveUp: attempt.next };
  }

  /** The place without an outcome: so far, or where there are no tries at all. */
  untried(): PlaceTrace {
    return {
      place: this.#place,
      replica: this.#replica,
      attempts: this.#attempts,
      omitted: this.#omitted,
      failures: this.#failures,
    };
  }
}
