/**
 * Writes Ceph's little-endian encodings, the counterpart of the BinaryReader. Follows Ceph's
 * src/include/encoding.h.
 */
import { CrushError } from '../errors.ts';

const FIRST_CAPACITY = 1024;

const utf8 = new TextEncoder();

/** Bytes that grow. Numbers that do not fit where they are to go are refused: none is written as another. */
export class BinaryWriter {
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** What was written, as a copy. */
  get bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** @throws CrushError `bad-argument`, as the other numbers */
  u8(value: number): this {
    demandWhole(value, 0, 0xff, 8);
    const offset = this.#grow(1);
    this.#view.setUint8(offset, value);
    return this;
  }

  u16(value: number): this {
    demandWhole(value, 0, 0xffff, 16);
    const offset = this.#grow(2);
    this.#view.setUint16(offset, value, true);
    return this;
  }

  /** 32 bits of a number, signed or not. */
  u32(value: number): this {
    demandWhole(value, -0x8000_0000, 0xffff_ffff, 32);
    const offset = this.#grow(4);
    this.#view.setUint32(offset, value, true);
    return this;
  }

  /** 64 bits of a number, signed or not; one that is not a bigint must be a safe integer. */
  u64(value: bigint | number): this {
    if (typeof value !== 'bigint') demandWhole(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 64);
    const whole = BigInt(value);
    if (whole !== BigInt.asUintN(64, whole) && whole !== BigInt.asIntN(64, whole)) refuse(value, 64);
    const offset = this.#grow(8);
    this.#view.setBigUint64(offset, BigInt.asUintN(64, whole), true);
    return this;
  }

  f32(value: number): this {
    if (typeof value !== 'number') refuse(value, 32);
    const offset = this.#grow(4);
    this.#view.setFloat32(offset, value, true);
    return this;
  }

  f64(value: number): this {
    if (typeof value !== 'number') refuse(value, 64);
    const offset = this.#grow(8);
    this.#view.setFloat64(offset, value, true);
    return this;
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): this {
    const offset = this.#grow(bytes.length);
    this.#bytes.set(bytes, offset);
    return this;
  }

  /** Bytes with their length before them. */
  buffer(bytes: Uint8Array): this {
    return this.u32(bytes.length).raw(bytes);
  }

  /** A string: 32-bit length, then UTF-8. */
  string(text: string): this {
    return this.buffer(utf8.encode(text));
  }

  /** 32-bit words, without their number. */
  words(values: Iterable<number>): this {
    for (const value of values) this.u32(value);
    return this;
  }

  /** A list: 32-bit count, then each element. */
  list<T>(items: Iterable<T>, write: (item: T) => void): this {
    const all = [...items];
    this.u32(all.length);
    for (const item of all) write(item);
    return this;
  }

  /** A map with 32-bit keys, in the order in which C++ keeps them: ascending, as signed numbers. */
  map<T>(entries: ReadonlyMap<number, T>, write: (value: T) => void): this {
    const inOrder = [...entries].sort(([a], [b]) => a - b);
    return this.list(inOrder, ([key, value]) => {
      this.u32(key);
      write(value);
    });
  }

  /** A versioned struct (`ENCODE_START`): version, compat version, length, content. */
  struct(version: number, compat: number, write: (writer: BinaryWriter) => void): this {
    const content = new BinaryWriter();
    write(content);
    return this.u8(version).u8(compat).buffer(content.bytes);
  }

  /** Makes room for `count` bytes and gives their offset. */
  #grow(count: number): number {
    const offset = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, offset));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return offset;
  }
}

function demandWhole(value: number, least: number, most: number, bits: number): void {
  if (!Number.isInteger(value) || value < least || value > most) refuse(value, bits);
}

function refuse(value: unknown, bits: number): never {
  throw new CrushError('bad-argument', `cannot write ${String(value)} as a number of ${bits} bits`);
}
