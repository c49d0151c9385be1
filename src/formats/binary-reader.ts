/**
 * Reads Ceph's little-endian encodings from bytes, with every read checked: a file that ends early gives a
 * `truncated` error with its offset, and a count that cannot fit in what is left is refused before anything is
 * allocated. Follows Ceph's src/include/encoding.h.
 */
import { CrushError } from '../errors.ts';

/** Header of a versioned struct (`DECODE_START`). */
export interface StructHeader {
  readonly version: number;
  /** Offset one past the struct, where {@link BinaryReader.finish} goes; undefined where no length is encoded. */
  readonly end: number | undefined;
}

/** Most entries of a list or map that is read entry by entry; no cluster has so many of anything. */
const MAX_ENTRIES = 1 << 22;

const utf8 = new TextDecoder('utf-8');

/** A cursor over bytes. */
export class BinaryReader {
  readonly bytes: Uint8Array;
  /** Offset of the next read. */
  offset: number;
  /** Offset that no read may pass. */
  limit: number;
  readonly #view: DataView;
  readonly #path: string[] = [];

  constructor(bytes: Uint8Array, what: string) {
    this.bytes = bytes;
    this.offset = 0;
    this.limit = bytes.length;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#path.push(what);
  }

  /** Path of the structure being read, for errors. */
  get path(): string {
    return this.#path.join('.');
  }

  /** Bytes left before the limit. */
  get left(): number {
    return this.limit - this.offset;
  }

  /** Runs `read` with `name` added to the path that errors show. */
  within<T>(name: string, read: () => T): T {
    this.#path.push(name);
    const value = read();
    this.#path.pop();
    return value;
  }

  /** Builds an error at the current place. */
  error(code: 'truncated' | 'malformed' | 'unsupported', message: string, offset = this.offset): CrushError {
    return new CrushError(code, message, { path: this.path, offset });
  }

  #take(length: number): number {
    const at = this.offset;
    if (length > this.limit - at) {
      throw this.error('truncated', `needs ${length} more bytes, ${this.limit - at} are left`);
    }
    this.offset = at + length;
    return at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  s32(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  s64(): bigint {
    return this.#view.getBigInt64(this.#take(8), true);
  }

  f32(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  bool(): boolean {
    return this.u8() !== 0;
  }

  /** A 64-bit signed id that must fit a JavaScript number exactly (pool ids do). */
  id64(): number {
    const at = this.offset;
    const value = this.s64();
    if (value > 9007199254740991n || value < -9007199254740991n) {
      throw this.error('malformed', `id ${value} is out of range`, at);
    }
    return Number(value);
  }

  /** A view of `length` bytes. */
  raw(length: number): Uint8Array {
    const at = this.#take(length);
    return this.bytes.subarray(at, at + length);
  }

  /** A 32-bit count of elements of at least `elementBytes` each, refused if they cannot be there. */
  count(elementBytes: number): number {
    const at = this.offset;
    const n = this.u32();
    if (n * elementBytes > this.left) {
      throw this.error('truncated', `claims ${n} elements, only ${this.left} bytes are left`, at);
    }
    return n;
  }

  /** A string: 32-bit length, then UTF-8. */
  string(): string {
    return utf8.decode(this.raw(this.count(1)));
  }

  /** A length-prefixed buffer. */
  buffer(): Uint8Array {
    return this.raw(this.count(1));
  }

  /** `n` 32-bit words, signed. */
  s32Array(n: number): Int32Array {
    const at = this.#take(n * 4);
    const out = new Int32Array(n);
    for (let i = 0; i < n; i++) out[i] = this.#view.getInt32(at + i * 4, true);
    return out;
  }

  /** `n` 32-bit words, unsigned. */
  u32Array(n: number): Uint32Array {
    return new Uint32Array(this.s32Array(n).buffer);
  }

  /** A counted list; `elementBytes` is the least that one element takes. */
  list<T>(elementBytes: number, read: (index: number) => T): T[] {
    const n = this.#entries(elementBytes);
    const out: T[] = [];
    for (let i = 0; i < n; i++) out.push(read(i));
    return out;
  }

  /** A counted map; the last of equal keys wins, as in Ceph. */
  map<K, V>(elementBytes: number, key: () => K, value: (key: K) => V): Map<K, V> {
    const n = this.#entries(elementBytes);
    const out = new Map<K, V>();
    for (let i = 0; i < n; i++) {
      const k = key();
      out.set(k, value(k));
    }
    return out;
  }

  #entries(elementBytes: number): number {
    const at = this.offset;
    const n = this.count(elementBytes);
    if (n > MAX_ENTRIES) {
      throw this.error('unsupported', `has ${n} entries, at most ${MAX_ENTRIES} are supported`, at);
    }
    return n;
  }

  /**
   * Enters a versioned struct (`DECODE_START`): version, compat, length. `known` is the newest version this
   * reader understands; a struct whose compat version is above it is refused.
   */
  start(known: number): StructHeader {
    const at = this.offset;
    const version = this.u8();
    const compat = this.u8();
    return this.#enter(at, known, version, compat);
  }

  /**
   * Enters a struct that was once encoded without compat version and length (`DECODE_START_LEGACY_COMPAT_LEN`):
   * the compat byte is there from `compatSince`, the length from `lengthSince`.
   */
  startLegacy(known: number, compatSince: number, lengthSince: number): StructHeader {
    const at = this.offset;
    const version = this.u8();
    const compat = version >= compatSince ? this.u8() : version;
    if (version < lengthSince) {
      if (compat > known) throw this.error('unsupported', `needs a reader of version ${compat}`, at);
      return { version, end: undefined };
    }
    return this.#enter(at, known, version, compat);
  }

  #enter(at: number, known: number, version: number, compat: number): StructHeader {
    if (compat > known) {
      throw this.error(
        'unsupported',
        `version ${version} needs a reader of ${compat}, this one knows ${known}`,
        at,
      );
    }
    const length = this.u32();
    if (length > this.left) {
      throw this.error('truncated', `struct of ${length} bytes, only ${this.left} are left`, at);
    }
    return { version, end: this.offset + length };
  }

  /** Leaves a struct, skipping what is newer than the reader (`DECODE_FINISH`). */
  finish(header: StructHeader): void {
    if (header.end === undefined) return;
    if (this.offset > header.end) {
      throw this.error('malformed', `struct is ${this.offset - header.end} bytes longer than it says`);
    }
    this.offset = header.end;
  }
}
