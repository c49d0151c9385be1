/**
 * Gathers bytes that come in pieces without ever holding them twice over: a stream may go on for ever, and what is
 * refused must not have cost much.
 */

/** Bytes that are kept as the pieces they came in. */
const PIECES_BYTES = 16 << 20;

/** A mebibyte, the unit of limits. */
export const MIB = 1 << 20;

/** Gathers pieces up to a limit. */
export class ByteGatherer {
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  /** From {@link PIECES_BYTES} on: room for all that is allowed. Systems give memory only where it is written to. */
  #whole: Uint8Array | undefined;
  #length = 0;

  /** @param limit - most bytes there may be. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes gathered so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds a piece; false if that would be more than the limit. */
  add(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    if (length > this.#limit) return false;
    if (length > PIECES_BYTES && this.#whole === undefined) {
      this.#whole = new Uint8Array(this.#limit);
      this.#copyTo(this.#whole);
      this.#pieces = [];
    }
    if (this.#whole === undefined) this.#pieces.push(piece);
    else this.#whole.set(piece, this.#length);
    this.#length = length;
    return true;
  }

  /** The first bytes, at most `most`. */
  start(most: number): Uint8Array {
    const size = Math.min(most, this.#length);
    const start = new Uint8Array(size);
    if (this.#whole !== undefined) start.set(this.#whole.subarray(0, size));
    else this.#copyTo(start);
    return start;
  }

  /** All of it, in memory of its own size unless that would take more than the limit to make. */
  bytes(): Uint8Array {
    if (this.#whole === undefined) return this.start(this.#length);
    const bytes = this.#whole.subarray(0, this.#length);
    return this.#length > this.#limit / 2 ? bytes : bytes.slice();
  }

  /** Copies the pieces, as far as there is room. */
  #copyTo(out: Uint8Array): void {
    let at = 0;
    for (const piece of this.#pieces) {
      if (at >= out.length) break;
      out.set(piece.subarray(0, out.length - at), at);
      at += piece.length;
    }
  }
}
