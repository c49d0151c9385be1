/**
 * Text of numbers, written as bytes. Rows of millions of PGs are written this way: strings of them would be most of
 * the work, and most of the memory, of a command that writes while it maps.
 */

/** Bytes that no number is longer than. */
const NUMBER_BYTES = 11;
const ZERO = 0x30;
const MINUS = 0x2d;

/** Characters of ASCII as bytes, for {@link ByteText.add}. */
export function asciiBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/**
 * Gathers text and is used again and again.
 *
 * @example
 * ```ts
 * text.clear();
 * text.reserve(100);
 * text.add(asciiBytes('osd.'));
 * text.decimal(12);
 * sink.addBytes(text.bytes);
 * ```
 */
export class ByteText {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;

  /** What was gathered, valid until the next call of anything else. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** How much was gathered. */
  get length(): number {
    return this.#length;
  }

  /** Forgets what was gathered. */
  clear(): void {
    this.#length = 0;
  }

  /** Makes room for so many more bytes, and so many numbers; without room, what is added is lost. */
  reserve(bytes: number, numbers = 0): void {
    const needed = this.#length + bytes + numbers * NUMBER_BYTES;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  /** A few bytes: one by one, which is less than a call of `set`. */
  add(text: Uint8Array): void {
    const bytes = this.#bytes;
    let at = this.#length;
    for (const byte of text) bytes[at++] = byte;
    this.#length = at;
  }

  /** One character of ASCII. */
  addByte(byte: number): void {
    this.#bytes[this.#length++] = byte;
  }

  /** What was gathered from `start` to `end`, again. */
  repeat(start: number, end: number): void {
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = start; i < end; i++) bytes[at++] = bytes[i] ?? 0;
    this.#length = at;
  }

  /** A 32-bit number, signed or unsigned, in decimal. */
  decimal(value: number): void {
    if (value < 0) {
      this.addByte(MINUS);
      value = -value;
    }
    const bytes = this.#bytes;
    const end = this.#length + decimalDigits(value);
    for (let at = end - 1; at >= this.#length; at--) {
      const rest = Math.floor(value / 10);
      bytes[at] = ZERO + value - 10 * rest;
      value = rest;
    }
    this.#length = end;
  }

  /** An unsigned 32-bit number in hexadecimal. */
  hexadecimal(value: number): void {
    const bytes = this.#bytes;
    const end = this.#length + Math.max(1, (35 - Math.clz32(value)) >> 2);
    let rest = value >>> 0;
    for (let at = end - 1; at >= this.#length; at--) {
      const digit = rest & 15;
      bytes[at] = digit < 10 ? ZERO + digit : ZERO + 39 + digit;
      rest >>>= 4;
    }
    this.#length = end;
  }
}

function decimalDigits(value: number): number {
  if (value < 10) return 1;
  if (value < 100) return 2;
  if (value < 1000) return 3;
  if (value < 10_000) return 4;
  if (value < 100_000) return 5;
  if (value < 1_000_000) return 6;
  if (value < 10_000_000) return 7;
  if (value < 100_000_000) return 8;
  return value < 1_000_000_000 ? 9 : 10;
}
