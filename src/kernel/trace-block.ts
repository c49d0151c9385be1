/**
 * What a run of mappings has looked at, in columns: the draws by bucket, and the devices found out.
 */
import * as L from '../../assembly/layout.ts';

/** Columns of draws. Where a block lies in the kernel's memory, these are views of it. */
export interface DrawColumns {
  readonly rows: Int32Array;
  /** The r drawn with. */
  readonly rs: Int32Array;
  /** Index of the winner in the bucket's lane table, or -1. */
  readonly winners: Int32Array;
  /** The score up to which another item may win, and the least score of the others. */
  readonly limits: Float32Array;
  readonly seconds: Float32Array;
}

/** Columns that {@link DrawColumns} has. */
export const DRAW_COLUMNS = 5;

/** A block of draws, sorted by bucket. */
export interface TraceBlock {
  /** Tells its draws from those of rows that have been mapped again since. */
  readonly serial: number;
  /** First draw of each bucket, by bucket number, and the end. */
  readonly starts: Int32Array;
  readonly count: number;
  /** Index in the kernel's words of the columns, one after the other, or undefined where they are not there. */
  readonly address: number | undefined;
  /** The columns, given the kernel's words. */
  readonly columns: (words: Int32Array) => DrawColumns;
  /** Rows that have looked at a device, by device; a row may be there twice. */
  readonly devices: ReadonlyMap<number, readonly number[]>;
}

/** Columns of so many draws in words, one after the other. */
export function columnsOf(words: Int32Array, first: number, count: number): DrawColumns {
  const column = (index: number): Int32Array =>
    words.subarray(first + index * count, first + (index + 1) * count);
  const floats = (index: number): Float32Array =>
    new Float32Array(words.buffer, words.byteOffset + (first + index * count) * 4, count);
  return {
    rows: column(0),
    rs: column(1),
    winners: column(2),
    limits: floats(3),
    seconds: floats(4),
  };
}

/** The entries of a trace, counted by bucket. */
export interface TraceCount {
  readonly starts: Int32Array;
  readonly draws: number;
}

/**
 * Counts a trace's entries.
 *
 * @param words - the entries
 * @param numbers - bucket number by the offset drawn from
 * @param buckets - how many bucket numbers there are
 */
export function countTrace(words: Int32Array, numbers: Int32Array, buckets: number): TraceCount {
  const starts = new Int32Array(buckets + 1);
  for (let at = 0; at < words.length; at += L.ENTRY_WORDS) {
    const source = words[at + L.E_SOURCE] ?? 0;
    if (source !== 0) starts[numbers[source] ?? 0] = (starts[numbers[source] ?? 0] ?? 0) + 1;
  }
  let sum = 0;
  for (let number = 0; number <= buckets; number++) {
    const count = starts[number] ?? 0;
    starts[number] = sum;
    sum += count;
  }
  return { starts, draws: sum };
}

/** Sorts a trace's draws into columns, and gives its devices; `rowOf` gives the row of each of the batch's. */
export function sortTrace(
  words: Int32Array,
  numbers: Int32Array,
  { starts }: TraceCount,
  columns: DrawColumns,
  rowOf: (index: number) => number,
): Map<number, number[]> {
  const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
  const next = starts.slice();
  const devices = new Map<number, number[]>();
  for (let at = 0; at < words.length; at += L.ENTRY_WORDS) {
    const source = words[at + L.E_SOURCE] ?? 0;
    const row = rowOf(words[at + L.E_ROW] ?? 0);
    if (source === 0) {
      const device = words[at + L.E_R] ?? 0;
      const rows = devices.get(device);
      if (rows === undefined) devices.set(device, [row]);
      else rows.push(row);
      continue;
    }
    const number = numbers[source] ?? 0;
    const to = next[number] ?? 0;
    next[number] = to + 1;
    columns.rows[to] = row;
    columns.rs[to] = words[at + L.E_R] ?? 0;
    columns.winners[to] = words[at + L.E_WINNER] ?? 0;
    columns.limits[to] = floats[at + L.E_LIMIT] ?? 0;
    columns.seconds[to] = floats[at + L.E_SECOND] ?? 0;
  }
  return devices;
}

/** Bucket number by the offset, in a flat map, of its record and its lane tables. */
export function bucketNumbers(words: Int32Array): Int32Array {
  const numbers = new Int32Array(words.length);
  const buckets = words[L.H_MAX_BUCKETS] ?? 0;
  const index = words[L.H_BUCKET_INDEX] ?? 0;
  for (let number = 0; number < buckets; number++) {
    const record = words[index + number] ?? 0;
    if (record === 0) continue;
    numbers[record] = number;
    const table = words[record + L.B_LANES] ?? 0;
    if (table !== 0) numbers[table] = number;
  }
  const sets = words[L.H_CHOOSE_ARGS_TABLE] ?? 0;
  for (let set = 0; set < (words[L.H_CHOOSE_ARGS_COUNT] ?? 0); set++) {
    const args = words[sets + set * L.CHOOSE_ARGS_WORDS + L.C_BUCKETS] ?? 0;
    for (let number = 0; number < buckets; number++) {
      const record = words[args + number] ?? 0;
      const lanes = record === 0 ? 0 : (words[record + L.A_LANES] ?? 0);
      if (lanes === 0) continue;
      for (let row = 0; row < Math.max(1, words[record + L.A_POSITIONS] ?? 0); row++) {
        const table = words[lanes + row] ?? 0;
        if (table !== 0) numbers[table] = number;
      }
    }
  }
  return numbers;
}
