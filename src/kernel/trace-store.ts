/**
 * The draws and devices that the current mappings of all rows have looked at: blocks of rows mapped together, and which
 * block speaks for each row. Rows mapped again get a new block; what older ones say of them counts no more.
 */
import type { BucketDifference, ItemChange } from '../crush/difference.ts';
import {
  columnsOf,
  countTrace,
  DRAW_COLUMNS,
  type DrawColumns,
  sortTrace,
  type TraceBlock,
} from './trace-block.ts';
import { hasSimd } from './kernel-module.ts';
import type { RecheckedItem, TracedRun, TraceKernel } from './trace-kernel.ts';

/** Small blocks above this number are made one, unless they hold more than this share of all draws. */
const MOST_SMALL_BLOCKS = 64;
const MOST_SMALL_SHARE = 0.25;

/** Up to this much, growth is not noted with each draw. */
const MOST_SLACK = 1.25;
/** Floats are off by less than 1e-6 of their value. */
const SLACK_ROUNDING = 1.000002;

/** In place of the kernel's words, for blocks that are not there. */
const NOWHERE = new Int32Array(0);

/** A set of rows that grows. */
export class RowSet {
  readonly #marks: Uint8Array;
  #count = 0;

  constructor(rows: number) {
    this.#marks = new Uint8Array(rows);
  }

  get size(): number {
    return this.#count;
  }

  add(row: number): void {
    if (this.#marks[row] === 0) this.#count++;
    this.#marks[row] = 1;
  }

  /** The rows, ascending. */
  rows(): Int32Array {
    const rows = new Int32Array(this.#count);
    let at = 0;
    for (let row = this.#marks.indexOf(1); row >= 0; row = this.#marks.indexOf(1, row + 1)) rows[at++] = row;
    return rows;
  }
}

/** What is known of an item's weight. */
interface WeightRange {
  /** The least since draws were noted, and the last. */
  readonly least: number;
  readonly now: number;
}

/** See the top of the file. */
export class TraceStore {
  /** Serial of the block that speaks for each row; 0 is that of the blocks that were made first. */
  readonly #speaker: Int32Array;
  readonly #large: TraceBlock[] = [];
  #small: TraceBlock[] = [];
  #lastSerial = 0;
  /** Of items whose weights have changed, by bucket number and id. */
  readonly #weights = new Map<number, Map<number, WeightRange>>();

  constructor(rows: number) {
    this.#speaker = new Int32Array(rows);
  }

  /** Keeps the trace of a run of the first mapping of rows, in the kernel's memory. */
  addFirst(
    kernel: TraceKernel,
    run: TracedRun,
    numbers: Int32Array,
    buckets: number,
    firstRow: number,
  ): void {
    const count = countTrace(run.trace, numbers, buckets);
    const traceAt = run.trace.byteOffset / 4;
    const traceEnd = traceAt + run.trace.length;
    const at = kernel.allocate(count.draws * DRAW_COLUMNS);
    // Allocating may have moved the memory away from under the view.
    const words = kernel.words.subarray(traceAt, traceEnd);
    const columns = columnsOf(kernel.words, at, count.draws);
    const devices = sortTrace(words, numbers, count, columns, (row) => firstRow + row);
    this.#large.push({
      serial: 0,
      starts: count.starts,
      count: count.draws,
      address: at,
      columns: (memory) => columnsOf(memory, at, count.draws),
      devices,
    });
  }

  /** Keeps the trace of a run over some rows that were mapped again. */
  addAgain(run: TracedRun, numbers: Int32Array, buckets: number, rows: Int32Array): void {
    const serial = ++this.#lastSerial;
    const count = countTrace(run.trace, numbers, buckets);
    const columns = columnsOf(new Int32Array(count.draws * DRAW_COLUMNS), 0, count.draws);
    const devices = sortTrace(run.trace, numbers, count, columns, (row) => rows[row] ?? 0);
    for (const row of rows) this.#speaker[row] = serial;
    this.#small.push({
      serial,
      starts: count.starts,
      count: count.draws,
      address: undefined,
      columns: () => columns,
      devices,
    });
    if (this.#small.length > MOST_SMALL_BLOCKS && !this.isWorn) this.#mergeSmall();
  }

  /** Whether so many rows have been mapped again that it is time to begin anew. */
  get isWorn(): boolean {
    const draws = (blocks: readonly TraceBlock[]): number =>
      blocks.reduce((sum, { count }) => sum + count, 0);
    return (
      this.#small.length > MOST_SMALL_BLOCKS && draws(this.#small) > MOST_SMALL_SHARE * draws(this.#large)
    );
  }

  /** Calls back with the rows whose mapping has noted a device. */
  forEachRow(device: number, call: (row: number) => void): void {
    for (const { devices, serial } of this.#blocks()) {
      for (const row of devices.get(device) ?? []) if (this.#speaker[row] === serial) call(row);
    }
  }

  /** Adds the rows that a difference in a bucket can concern, and brings what is kept of the others up to it. */
  findAffected(kernel: TraceKernel, difference: BucketDifference, affected: RowSet): void {
    const { number, items, moved } = difference;
    const changes = items?.flatMap((item) => (item.after < 0 ? [] : [this.#changeOf(number, item)]));
    for (const block of this.#blocks()) {
      const first = block.starts[number] ?? 0;
      // A bucket that came later is in no older block.
      const count = number + 1 < block.starts.length ? (block.starts[number + 1] ?? 0) - first : 0;
      if (count === 0) continue;
      const add = (draw: number, rows: Int32Array): void => {
        const row = rows[draw] ?? 0;
        if (this.#speaker[row] === block.serial) affected.add(row);
      };
      if (changes === undefined || !hasSimd()) {
        const { rows } = block.columns(kernel.words);
        for (let draw = first; draw < first + count; draw++) add(draw, rows);
        continue;
      }
      if (moved !== undefined) this.#moveWinners(block.columns(kernel.words), first, count, moved, add);
      for (const change of changes) {
        const hits = kernel.recheck(block, first, count, change);
        if (hits.length === 0) continue;
        const { rows } = block.columns(kernel.words);
        for (const hit of hits) add(first + hit, rows);
      }
    }
  }

  /**
   * The change as draws are checked against it. A little growth is not noted with each draw: how much lighter an item
   * may have been when a draw was noted is the slack.
   */
  #changeOf(number: number, { id, after, weight, weightBefore }: ItemChange): RecheckedItem {
    let weights = this.#weights.get(number);
    if (weights === undefined) this.#weights.set(number, (weights = new Map<number, WeightRange>()));
    const least = Math.min(weights.get(id)?.least ?? weightBefore, weightBefore, weight);
    const grown = weight > weightBefore;
    const notesSeconds = grown && (weightBefore === 0 || weight > least * MOST_SLACK);
    weights.set(id, { least: notesSeconds ? weight : least, now: weight });
    let slack = 1;
    for (const each of weights.values()) if (each.least > 0) slack = Math.max(slack, each.now / each.least);
    return { id, index: after, weight, grown, slack: slack * SLACK_ROUNDING, notesSeconds };
  }

  /** Gives the winners their new indexes; the draws of those that are gone are affected. */
  #moveWinners(
    columns: DrawColumns,
    first: number,
    count: number,
    moved: Int32Array,
    add: (draw: number, rows: Int32Array) => void,
  ): void {
    const { winners } = columns;
    for (let draw = first; draw < first + count; draw++) {
      const winner = winners[draw] ?? -1;
      if (winner < 0) continue;
      const now = moved[winner] ?? -1;
      if (now < 0) add(draw, columns.rows);
      winners[draw] = now;
    }
  }

  *#blocks(): Generator<TraceBlock> {
    yield* this.#large;
    yield* this.#small;
  }

  /** Makes one block of the small ones, without what counts no more. */
  #mergeSmall(): void {
    const serial = ++this.#lastSerial;
    const buckets = Math.max(...this.#small.map(({ starts }) => starts.length - 1));
    const speaks = (block: TraceBlock, row: number): boolean => this.#speaker[row] === block.serial;
    const starts = new Int32Array(buckets + 1);
    let total = 0;
    for (let number = 0; number < buckets; number++) {
      starts[number] = total;
      for (const block of this.#small) total += this.#countLive(block, number, speaks);
    }
    starts[buckets] = total;
    const merged = columnsOf(new Int32Array(total * DRAW_COLUMNS), 0, total);
    let to = 0;
    const devices = new Map<number, number[]>();
    for (let number = 0; number < buckets; number++) {
      for (const block of this.#small) {
        const columns = block.columns(NOWHERE);
        const end = number + 1 < block.starts.length ? (block.starts[number + 1] ?? 0) : 0;
        for (let draw = block.starts[number] ?? 0; draw < end; draw++) {
          if (!speaks(block, columns.rows[draw] ?? 0)) continue;
          merged.rows[to] = columns.rows[draw] ?? 0;
          merged.rs[to] = columns.rs[draw] ?? 0;
          merged.winners[to] = columns.winners[draw] ?? 0;
          merged.limits[to] = columns.limits[draw] ?? 0;
          merged.seconds[to] = columns.seconds[draw] ?? 0;
          to++;
        }
      }
    }
    for (const block of this.#small) {
      for (const [device, rows] of block.devices) {
        const live = rows.filter((row) => speaks(block, row));
        if (live.length > 0) devices.set(device, [...(devices.get(device) ?? []), ...live]);
      }
    }
    const serials = new Set(this.#small.map((block) => block.serial));
    this.#speaker.forEach((speaker, row) => {
      if (serials.has(speaker)) this.#speaker[row] = serial;
    });
    this.#small = [
      {
        serial,
        starts,
        count: total,
        address: undefined,
        columns: () => merged,
        devices,
      },
    ];
  }

  #countLive(block: TraceBlock, number: number, speaks: (block: TraceBlock, row: number) => boolean): number {
    const { rows } = block.columns(NOWHERE);
    const end = number + 1 < block.starts.length ? (block.starts[number + 1] ?? 0) : 0;
    let live = 0;
    for (let draw = block.starts[number] ?? 0; draw < end; draw++) {
      if (speaks(block, rows[draw] ?? 0)) live++;
    }
    return live;
  }
}
