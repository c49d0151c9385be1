/** Random numbers from a 32-bit seed (mulberry32), the same on every machine. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** An unsigned 32-bit number. */
  word() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number of `low` to `high`, both possible. */
  between(low, high) {
    return low + Math.floor((this.word() / 0x1_0000_0000) * (high - low + 1));
  }

  /** One of the choices. */
  pick(choices) {
    return choices[this.between(0, choices.length - 1)];
  }
}
