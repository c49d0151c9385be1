/**
 * From an object's name to its placement group.
 */
import { CrushError } from '../errors.ts';
import { OBJECT_HASH, type Pool } from './model.ts';

const utf8 = new TextEncoder();
/** Half of a pair that stands for one character: nothing that UTF-8 has an encoding for. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Between namespace and key in what is hashed. */
const NAMESPACE_SEPARATOR = 0x1f;

/** Text, which stands for its UTF-8, or the bytes of a name, which need not be text. */
export type NameBytes = string | Uint8Array;

/** What names an object besides its pool. */
export interface ObjectName {
  /** The object's name. */
  readonly name: NameBytes;
  /** RADOS namespace; default none. */
  readonly namespace?: NameBytes | undefined;
  /** Object locator key, hashed in place of the name; default none. */
  readonly key?: NameBytes | undefined;
}

/**
 * The 32-bit hash of an object in a pool, before it is reduced to a PG.
 *
 * Follows `pg_pool_t::hash_key` and `OSDMap::map_to_pg`: the key if there is one, else the name; with a namespace,
 * `namespace + 0x1f + key`. Strings are hashed as UTF-8.
 *
 * @returns 0 .. 4294967295
 * @throws {@link CrushError} `unsupported` when the pool's object hash is neither linux nor rjenkins, `bad-argument`
 * for an object without a name
 */
export function objectHash(pool: Pool, object: NameBytes | ObjectName): number {
  if (typeof object === 'string' && pool.objectHash === OBJECT_HASH.rjenkins) {
    const length = asciiLength(object);
    if (length > 0) return hashRjenkins(scratch, length);
  }
  const { name, namespace, key: locator } = encodeName(object);
  const key = locator.length > 0 ? locator : name;
  let bytes = key;
  if (namespace.length > 0) {
    bytes = new Uint8Array(namespace.length + 1 + key.length);
    bytes.set(namespace);
    bytes[namespace.length] = NAMESPACE_SEPARATOR;
    bytes.set(key, namespace.length + 1);
  }
  if (pool.objectHash === OBJECT_HASH.rjenkins) return stringHashRjenkins(bytes);
  if (pool.objectHash === OBJECT_HASH.linux) return stringHashLinux(bytes);
  throw new CrushError('unsupported', `object hash ${pool.objectHash} is unknown (1 linux, 2 rjenkins)`, {
    path: `pool ${pool.id}`,
  });
}

function encodeName(object: NameBytes | ObjectName): Record<'name' | 'namespace' | 'key', Uint8Array> {
  // Callers without types may give anything.
  const given: unknown = object;
  if (typeof given === 'string' || isByteArray(given)) return encodeName({ name: given });
  if (typeof given !== 'object' || given === null || !('name' in given)) throw notAnObjectName();
  const { name, namespace, key } = given as Readonly<Record<string, unknown>>;
  return {
    name: encode(name),
    namespace: encode(namespace === undefined ? '' : namespace),
    key: encode(key === undefined ? '' : key),
  };
}

function encode(part: unknown): Uint8Array {
  if (isByteArray(part)) return part;
  if (typeof part !== 'string') throw notAnObjectName();
  if (LONE_SURROGATE.test(part)) {
    throw new CrushError('bad-argument', 'this name is no Unicode text; give its bytes as a Uint8Array');
  }
  return utf8.encode(part);
}

/** By tag, since arrays of another realm are as good. */
function isByteArray(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}

function notAnObjectName(): CrushError {
  return new CrushError(
    'bad-argument',
    'an object is given by its name, or as { name, namespace, key }, of text or of bytes in a Uint8Array',
  );
}

/**
 * A number modulo n, such that few numbers change place when n grows to the next power of two
 * (`ceph_stable_mod`).
 *
 * @param value - unsigned 32 bits
 * @param n - at least 1
 */
export function stableMod(value: number, n: number): number {
  const mask = n <= 1 ? 0 : 0xffffffff >>> Math.clz32(n - 1);
  const masked = (value & mask) >>> 0;
  return masked < n ? masked : (value & (mask >>> 1)) >>> 0;
}

/** Robert Jenkins' string hash over 12-byte blocks (`ceph_str_hash_rjenkins`). */
export function stringHashRjenkins(bytes: Uint8Array): number {
  return hashRjenkins(bytes, bytes.length);
}

/** The hash of the Linux dentry cache (`ceph_str_hash_linux`). */
export function stringHashLinux(bytes: Uint8Array): number {
  let hash = 0;
  for (const byte of bytes) hash = Math.imul(hash + (byte << 4) + (byte >> 4), 11);
  return hash >>> 0;
}

/** Names of up to so many plain characters are hashed without making bytes of them. */
const SCRATCH_BYTES = 256;
const scratch = new Uint8Array(SCRATCH_BYTES);

/** Writes a name of ASCII characters to the scratch bytes: its length, or 0 where it is another, or too long. */
function asciiLength(name: string): number {
  const { length } = name;
  if (length > SCRATCH_BYTES) return 0;
  for (let i = 0; i < length; i++) {
    const code = name.charCodeAt(i);
    if (code > 0x7f) return 0;
    scratch[i] = code;
  }
  return length;
}

function hashRjenkins(bytes: Uint8Array, length: number): number {
  let a = 0x9e3779b9 | 0;
  let b = a;
  let c = 0;
  for (let at = 0, last = false; !last; at += 12) {
    last = length - at < 12;
    // Bytes that are not there read as 0, so the last, partial block is a whole one whose c is shifted by a byte: its
    // lowest byte holds the length.
    a += wordAt(bytes, at, length);
    b += wordAt(bytes, at + 4, length);
    c += last ? (wordAt(bytes, at + 8, length) << 8) + length : wordAt(bytes, at + 8, length);

    a = (a - b - c) ^ (c >>> 13);
    b = (b - c - a) ^ (a << 8);
    c = (c - a - b) ^ (b >>> 13);
    a = (a - b - c) ^ (c >>> 12);
    b = (b - c - a) ^ (a << 16);
    c = (c - a - b) ^ (b >>> 5);
    a = (a - b - c) ^ (c >>> 3);
    b = (b - c - a) ^ (a << 10);
    c = (c - a - b) ^ (b >>> 15);
  }
  return c >>> 0;
}

/** Four bytes from `at` on as a little-endian number, those from `length` on as 0. */
function wordAt(bytes: Uint8Array, at: number, length: number): number {
  let word = 0;
  for (let i = Math.min(at + 4, length) - 1; i >= at; i--) word = (word << 8) | (bytes[i] ?? 0);
  return word;
}
