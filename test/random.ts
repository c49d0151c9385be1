/**
 * A small seeded source of randomness, the same on every machine, so that a printed seed repeats a test.
 */

/** Random numbers from a 32-bit seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An unsigned 32-bit number. */
  word(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A number of 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor((this.word() / 0x1_0000_0000) * limit);
  }

  /** A number of `low` to `high`, both possible. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.word() / 0x1_0000_0000 < probability;
  }

  /** One of the choices. */
  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  /** The choices in random order. */
  shuffled<T>(choices: readonly T[]): T[] {
    const order = [...choices];
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [order[last], order[other]] = [order[other]!, order[last]!];
    }
    return order;
  }
}
