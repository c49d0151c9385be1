/**
 * The order in which Ceph's tools show blocked endpoints: that of a C++ `unordered_map` into which they were put one
 * after the other. Follows `blobhash` (Ceph's src/include/blobhash.h) and the hash table of libstdc++.
 */
import { addrKey } from '../../formats/osdmap-encode-parts.ts';
import type { EntityAddr, OsdMapDetails } from '../../osdmap/model.ts';

type Rows = OsdMapDetails['blocklist'];

/** Sizes that the table grows through; each is the prime that libstdc++ takes for twice the one before. */
const SIZES = [
  13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697, 1447153,
  2938679, 5967347,
];

interface Node {
  readonly row: Rows[number];
  readonly hash: number;
  next: Node | undefined;
}

/** The rows as a tool would show them. */
export function inHashOrder(rows: Rows): Rows {
  if (rows.length < 2) return rows;
  let table = new HashChain(SIZES[0] ?? 1);
  let count = 0;
  for (const row of rows) {
    if (++count > table.size) {
      const larger = new HashChain(SIZES.find((size) => size > table.size) ?? table.size);
      for (const node of table.nodes()) larger.insert(node);
      table = larger;
    }
    table.insert({ row, hash: addrHash(row[0]), next: undefined });
  }
  return [...table.nodes()].map(({ row }) => row);
}

/** A chain of all nodes in which those of a bucket stand together; a bucket knows the node before its first. */
class HashChain {
  readonly size: number;
  readonly #head: { next: Node | undefined } = { next: undefined };
  readonly #before: ({ next: Node | undefined } | undefined)[];

  constructor(size: number) {
    this.size = size;
    this.#before = new Array<undefined>(size).fill(undefined);
  }

  /** Puts a node first in its bucket, and a bucket that was empty first in the chain. */
  insert(node: Node): void {
    const bucket = node.hash % this.size;
    const before = this.#before[bucket];
    if (before !== undefined) {
      node.next = before.next;
      before.next = node;
      return;
    }
    node.next = this.#head.next;
    this.#head.next = node;
    if (node.next !== undefined) this.#before[node.next.hash % this.size] = node;
    this.#before[bucket] = this.#head;
  }

  *nodes(): Generator<Node> {
    // What comes next is looked up first, since a node may be put into another chain meanwhile.
    for (let node = this.#head.next, next = node?.next; node !== undefined; node = next) {
      next = node.next;
      yield node;
    }
  }
}

/** The words of an endpoint as it is in memory, taken together and mixed. */
function addrHash(addr: EntityAddr): number {
  const key = addrKey(addr);
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  let words = 0;
  for (let at = 0; at < key.length; at += 4) words ^= view.getInt32(at, true);
  return mixed(words);
}

/** Mixes 32 bits (`rjhash32`, by Robert Jenkins). */
function mixed(value: number): number {
  let a = value | 0;
  a = (a + 0x7ed55d16 + (a << 12)) | 0;
  a = a ^ 0xc761c23c ^ (a >>> 19);
  a = (a + 0x165667b1 + (a << 5)) | 0;
  a = (a + 0xd3a2646c) ^ (a << 9);
  a = (a + 0xfd7046c5 + (a << 3)) | 0;
  a = a ^ 0xb55a4f09 ^ (a >>> 16);
  return a >>> 0;
}
