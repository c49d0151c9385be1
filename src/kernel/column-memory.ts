import type { MapColumns } from './crush-mapper.ts';

/** Where the arrays of columns come from: new for each answer, or the same ones again and again. */
export interface ColumnMemory {
  /**
   * An array of this length. What is in it is not defined.
   *
   * @param name - what it is for: of two arrays in use at a time no two have the same
   */
  array(name: string, length: number): Int32Array;
}

/** Arrays that belong to who gets the answer. */
export const FRESH_MEMORY: ColumnMemory = {
  array: (_, length) => new Int32Array(length),
};

/**
 * Arrays that are used again: where answers are looked at one after the other, memory stays the same however many
 * there are, with nothing to collect.
 */
export class ReusedMemory implements ColumnMemory {
  readonly #arrays = new Map<string, Int32Array>();

  array(name: string, length: number): Int32Array {
    let array = this.#arrays.get(name);
    if (array === undefined || array.length < length) {
      array = new Int32Array(length);
      this.#arrays.set(name, array);
    }
    return array.length === length ? array : array.subarray(0, length);
  }
}

/** Columns for so many mappings of so many items. */
export function mapColumns(memory: ColumnMemory, count: number, size: number): MapColumns {
  return {
    items: memory.array('items', count * size),
    lengths: memory.array('lengths', count),
    seeds: memory.array('seeds', count),
  };
}
