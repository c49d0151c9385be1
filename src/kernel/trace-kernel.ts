/**
 * A kernel that maps in runs and gives back, with the results, what the mappings have looked at.
 */
import * as L from '../../assembly/layout.ts';
import type { FlatMap } from '../crush/flat.ts';
import { KERNEL, pgMask, SEED_MODE, statusError } from './batch-request.ts';
import { Kernel } from './kernel.ts';
import { hasSimd } from './kernel-module.ts';
import { DRAW_COLUMNS, type TraceBlock } from './trace-block.ts';
import type { TracedRequest } from './traced-mapper.ts';

/** Rows mapped in one run, and so in one block of the trace. */
export const RUN_ROWS = 16384;
/** Most bucket items that one mapping may draw. */
const WORK_LIMIT = 1 << 28;
/** Entries of a trace that there is room for at first, for each row and item. */
const ENTRIES_AN_ITEM = 5;

/** What a run gives; views of the kernel's memory that hold until the next run. */
export interface TracedRun {
  readonly items: Int32Array;
  readonly lengths: Int32Array;
  readonly seeds: Int32Array;
  readonly trace: Int32Array;
}

/** A change of one item of a bucket, as the kernel checks draws against it. */
export interface RecheckedItem {
  /** What is hashed for the item, its index in the lane table or -1, and its new 16.16 weight. */
  readonly id: number;
  readonly index: number;
  readonly weight: number;
  readonly grown: boolean;
  /** How many times less than noted the second scores may have become; whether to bring them up to this change. */
  readonly slack: number;
  readonly notesSeconds: boolean;
}

/** Room in the kernel's memory that may have to grow. */
interface Room {
  at: number;
  bytes: number;
}

/** One instance of the kernel, the map it maps from, and its buffers. */
export class TraceKernel {
  readonly #kernel = new Kernel();
  readonly #request: number;
  readonly #recheck: number;
  readonly #map: Room = { at: 0, bytes: 0 };
  readonly #workspace: Room = { at: 0, bytes: 0 };
  readonly #reweights: Room = { at: 0, bytes: 0 };
  readonly #trace: Room = { at: 0, bytes: 0 };
  readonly #scratch: Room = { at: 0, bytes: 0 };
  readonly #hits: Room = { at: 0, bytes: 0 };
  readonly #tasks: Room = { at: 0, bytes: 0 };
  readonly #seeds: Room = { at: 0, bytes: 0 };
  readonly #items: number;
  readonly #lengths: number;
  readonly #outSeeds: number;
  readonly #given: number;
  readonly #size: number;
  #flat: FlatMap;

  /** @param rows - how many rows there are in all */
  constructor(flat: FlatMap, request: TracedRequest) {
    const kernel = this.#kernel;
    this.#size = request.size;
    this.#request = kernel.allocate(L.REQUEST_WORDS * 4);
    this.#recheck = kernel.allocate(L.RECHECK_WORDS * 4);
    this.#items = kernel.allocate(RUN_ROWS * request.size * 4);
    this.#lengths = kernel.allocate(RUN_ROWS * 4);
    this.#outSeeds = kernel.allocate(RUN_ROWS * 4);
    this.#given = kernel.allocate(RUN_ROWS * 4);
    this.#flat = flat;
    this.#reserve(this.#seeds, request.count * 4);
    this.setMap(flat);
    this.#reserve(
      this.#trace,
      Math.min(RUN_ROWS, request.count) * (request.size * ENTRIES_AN_ITEM + 12) * L.ENTRY_WORDS * 4,
    );
  }

  /** The kernel's memory as words; to be fetched again after anything that allocates. */
  get words(): Int32Array {
    return this.#kernel.words;
  }

  /** Sets words aside for good and gives their index. */
  allocate(words: number): number {
    return this.#kernel.allocate(words * 4) / 4;
  }

  /** Takes another map. */
  setMap(flat: FlatMap): void {
    const kernel = this.#kernel;
    this.#flat = flat;
    this.#reserve(this.#map, (flat.words.length + L.MAP_PADDING) * 4);
    kernel.words.set(flat.words, this.#map.at / 4);
    this.#reserve(this.#workspace, kernel.exports.workspaceWords(this.#map.at, this.#size) * 4);
    this.#reserve(this.#tasks, kernel.exports.taskLaneWords(this.#map.at, this.#size) * 4);
    kernel.exports.initWorkspace(this.#map.at, this.#workspace.at);
  }

  /** Takes over words of the map that have changed: pairs of first word and count. */
  patchMap(words: Int32Array, places: readonly number[]): void {
    const base = this.#map.at / 4;
    for (let i = 0; i < places.length; i += 2) {
      const first = places[i] ?? 0;
      this.words.set(words.subarray(first, first + (places[i + 1] ?? 0)), base + first);
    }
  }

  /** Takes over the reweights, and all of the request that runs have in common. */
  setRequest(request: TracedRequest, tracesAll: boolean): void {
    this.#reserve(this.#reweights, request.reweights.length * 4);
    const { words } = this;
    words.set(request.reweights, this.#reweights.at / 4);
    const { seed } = request;
    const pgpNum = 'pgpNum' in seed ? seed.pgpNum : 0;
    const to = this.#request / 4;
    words[to + L.Q_MAP] = this.#map.at;
    words[to + L.Q_WORKSPACE] = this.#workspace.at;
    words[to + L.Q_RULE] = request.rule;
    words[to + L.Q_RESULT_MAX] = request.size;
    words[to + L.Q_REWEIGHTS] = this.#reweights.at;
    words[to + L.Q_REWEIGHT_COUNT] = request.reweights.length;
    words[to + L.Q_CHOOSE_ARGS] =
      request.chooseArgs === undefined ? 0 : this.#flat.chooseArgsOffset(request.chooseArgs);
    words[to + L.Q_PGP_NUM] = pgpNum;
    words[to + L.Q_PGP_MASK] = pgMask(pgpNum);
    words[to + L.Q_OUT_ITEMS] = this.#items;
    words[to + L.Q_OUT_LENGTHS] = this.#lengths;
    words[to + L.Q_OUT_SEEDS] = this.#outSeeds;
    words[to + L.Q_WORK_LIMIT] = WORK_LIMIT;
    words[to + L.Q_KERNEL] = KERNEL[hasSimd() ? 'task-lanes' : 'scalar'];
    words[to + L.Q_TASKS] = this.#tasks.at;
    words[to + L.Q_TRIES] = 0;
    words[to + L.Q_TRIES_WORDS] = 0;
    words[to + L.Q_TRACE_ALL] = tracesAll ? 1 : 0;
  }

  /** Maps the running numbers `first` .. `first + count - 1`, at most RUN_ROWS. */
  run(request: TracedRequest, first: number, count: number): TracedRun {
    const { seed } = request;
    return this.#run(request, SEED_MODE[seed.mode], 'pool' in seed ? seed.pool | 0 : 0, first, count);
  }

  /** Maps the inputs given, at most RUN_ROWS. */
  runSeeds(request: TracedRequest, seeds: Int32Array): TracedRun {
    this.words.set(seeds, this.#given / 4);
    return this.#run(request, L.SEED_GIVEN, this.#given, 0, seeds.length);
  }

  #run(request: TracedRequest, mode: number, pool: number, first: number, count: number): TracedRun {
    for (;;) {
      const { words } = this;
      const to = this.#request / 4;
      words[to + L.Q_SEED_MODE] = mode;
      words[to + L.Q_POOL] = pool;
      words[to + L.Q_FIRST] = first;
      words[to + L.Q_COUNT] = count;
      words[to + L.Q_TRACE] = this.#trace.at;
      words[to + L.Q_TRACE_END] = this.#trace.at + this.#trace.bytes;
      const status = this.#kernel.exports.mapBatch(this.#request);
      if (status !== L.STATUS_OK) {
        throw statusError(status, request.rule, first + (words[to + L.Q_DONE] ?? 0), WORK_LIMIT);
      }
      const end = words[to + L.Q_TRACED] ?? 0;
      if (end === -1) {
        this.#reserve(this.#trace, this.#trace.bytes * 2);
        continue;
      }
      const view = (at: number, length: number): Int32Array => words.subarray(at / 4, at / 4 + length);
      return {
        items: view(this.#items, count * this.#size),
        lengths: view(this.#lengths, count),
        seeds: view(this.#outSeeds, count),
        trace: view(this.#trace.at, (end - this.#trace.at) / 4),
      };
    }
  }

  /** The inputs of all rows, for `recheck`. */
  setSeeds(seeds: Int32Array, first: number): void {
    this.words.set(seeds, this.#seeds.at / 4 + first);
  }

  /**
   * Finds the draws of a bucket that a change of an item may have changed.
   *
   * @param block - the block that the draws are in
   * @returns numbers of draws counted from `first`, a view that holds until the next call
   */
  recheck(block: TraceBlock, first: number, count: number, change: RecheckedItem): Int32Array {
    this.#reserve(this.#hits, count * 4);
    const { address, count: total } = block;
    if (address === undefined) this.#reserve(this.#scratch, count * 4 * DRAW_COLUMNS);
    const { words } = this;
    const to = this.#recheck / 4;
    const columns = address === undefined ? block.columns(words) : undefined;
    const all = columns && [columns.rows, columns.rs, columns.winners, columns.limits, columns.seconds];
    for (let i = 0; i < DRAW_COLUMNS; i++) {
      let at = ((address ?? 0) + i * total + first) * 4;
      const column = all?.[i];
      if (column !== undefined) {
        at = this.#scratch.at + i * count * 4;
        words.set(new Int32Array(column.buffer, column.byteOffset + first * 4, count), at / 4);
      }
      words[to + L.K_ROWS + i] = at;
    }
    words[to + L.K_COUNT] = count;
    words[to + L.K_SEEDS] = this.#seeds.at;
    words[to + L.K_ID] = change.id;
    words[to + L.K_INDEX] = change.index;
    const floats = new Float32Array(words.buffer, this.#recheck, L.RECHECK_WORDS);
    floats[L.K_INVERSE] = 1 / change.weight;
    floats[L.K_SLACK] = change.slack;
    words[to + L.K_GROWN] = change.grown ? 1 : 0;
    words[to + L.K_HITS] = this.#hits.at;
    words[to + L.K_NOTE_SECONDS] = change.notesSeconds ? 1 : 0;
    const hits = this.#kernel.exports.recheck(this.#recheck);
    for (const i of [L.K_LIMITS, L.K_SECONDS]) {
      const column = all?.[i];
      if (column === undefined) continue;
      const at = this.#scratch.at / 4 + i * count;
      const back = new Int32Array(column.buffer, column.byteOffset + first * 4, count);
      back.set(words.subarray(at, at + count));
    }
    return words.subarray(this.#hits.at / 4, this.#hits.at / 4 + hits);
  }

  /** Gives a room at least so many bytes; what was in it is lost when it moves. */
  #reserve(room: Room, bytes: number): void {
    if (room.bytes >= bytes && room.at !== 0) return;
    // A little more, so that a map that grows bit by bit does not move each time.
    room.bytes = bytes + (bytes >> 3) + 64;
    room.at = this.#kernel.allocate(room.bytes);
  }
}
