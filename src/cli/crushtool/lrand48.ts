/**
 * The random numbers of the C library's `lrand48`, a linear congruence of 48 bits, which C defines to the last bit.
 * Ceph's tester never seeds it, so what it draws is always the same.
 */

const MULTIPLIER_HIGH = 0x5de;
const MULTIPLIER_LOW = 0xece66d;
const INCREMENT = 0xb;
const MASK = 0xffffff;

/** A source of numbers that starts as one that nobody seeded. */
export class Lrand48 {
  /** The state in halves of 24 bits, so that products are exact. */
  #high = 0;
  #low = 0;

  /** The next number, 0 to 2^31 - 1. */
  next(): number {
    const low = this.#low * MULTIPLIER_LOW + INCREMENT;
    const carry = Math.floor(low / (MASK + 1));
    const high = this.#high * MULTIPLIER_LOW + this.#low * MULTIPLIER_HIGH + carry;
    this.#low = low % (MASK + 1);
    this.#high = high % (MASK + 1);
    return this.#high * 0x80 + (this.#low >>> 17);
  }
}
