/** Writes Ceph's little-endian encodings, for tests that make maps of releases that no tool here can write. */

/** Bytes that grow. */
export class ByteWriter {
  readonly #bytes: number[] = [];

  /** What was written. */
  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  u8(value: number): this {
    this.#bytes.push(value & 255);
    return this;
  }

  u16(value: number): this {
    return this.u8(value).u8(value >> 8);
  }

  u32(value: number): this {
    return this.u16(value).u16(value >> 16);
  }

  u64(value: bigint | number): this {
    const word = BigInt.asUintN(64, BigInt(value));
    return this.u32(Number(word & 0xffffffffn) | 0).u32(Number(word >> 32n) | 0);
  }

  f32(value: number): this {
    return this.raw(new Uint8Array(Float32Array.of(value).buffer));
  }

  f64(value: number): this {
    return this.raw(new Uint8Array(Float64Array.of(value).buffer));
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  raw(bytes: Uint8Array): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  buffer(bytes: Uint8Array): this {
    return this.u32(bytes.length).raw(bytes);
  }

  string(text: string): this {
    return this.buffer(new TextEncoder().encode(text));
  }

  list<T>(items: Iterable<T>, write: (item: T) => void): this {
    const all = [...items];
    this.u32(all.length);
    for (const item of all) write(item);
    return this;
  }

  /** A struct with version, compat version and length. */
  struct(version: number, compat: number, write: (writer: ByteWriter) => void): this {
    const inner = new ByteWriter();
    write(inner);
    return this.u8(version).u8(compat).buffer(inner.bytes);
  }
}
