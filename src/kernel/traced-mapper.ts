/**
 * Maps the rows of one pool and remembers what each mapping has looked at, so that after a change of the map only the
 * rows that the change can concern are mapped again. The result is always that of mapping all of them.
 *
 * A mapping follows from the draws it makes (each from a bucket, for its input x and an r), from which devices it finds
 * out, and from the rule and the tunables. A draw from a straw2 bucket changes with an item's weight only if the item
 * wins or ceases to win, which one hash tells; a device's reweight concerns the rows that hold the device or have
 * turned it down.
 */
import { differenceFor } from '../crush/difference.ts';
import { FlatMap } from '../crush/flat.ts';
import { patchFlat } from '../crush/flat-patch.ts';
import { type CrushMap, ITEM_NONE, RULE_OP, RULE_TYPE } from '../crush/model.ts';
import type { MapColumns, SeedSource } from './crush-mapper.ts';
import { DeviceRows } from './device-rows.ts';
import { hash32 } from './kernel.ts';
import { bucketNumbers } from './trace-block.ts';
import { RUN_ROWS, TraceKernel } from './trace-kernel.ts';
import { RowSet, TraceStore } from './trace-store.ts';

/** What is mapped: the running numbers 0 .. count - 1 of a pool. */
export interface TracedRequest {
  readonly rule: number;
  readonly size: number;
  readonly count: number;
  /** 16.16 reweight of each device; devices beyond its end are out. */
  readonly reweights: Uint32Array;
  /** Index of a choose_args set. */
  readonly chooseArgs: number | undefined;
  readonly seed: SeedSource;
}

/** See the top of the file. */
export class TracedMapper {
  /** The mappings of all rows, kept up to the map. */
  readonly columns: MapColumns;
  #map: CrushMap;
  #flat: FlatMap;
  #request: TracedRequest;
  #kernel: TraceKernel;
  #store: TraceStore;
  #numbers: Int32Array;
  #deviceRows: DeviceRows | undefined;
  /** A mapping has failed: nothing that is kept is to be relied on. */
  #failed = false;

  /**
   * @throws {@link CrushError} as {@link FlatMap.fromModel} and `CrushMapper.mapRange`
   */
  constructor(map: CrushMap, request: TracedRequest, flat = FlatMap.fromModel(map)) {
    const { size, count } = request;
    this.#map = map;
    this.#flat = flat;
    this.#request = request;
    this.columns = {
      items: new Int32Array(count * size),
      lengths: new Int32Array(count),
      seeds: new Int32Array(count),
    };
    this.#numbers = bucketNumbers(flat.words);
    this.#kernel = new TraceKernel(flat, request);
    this.#store = new TraceStore(count);
    this.#mapAll();
  }

  /** Whether a request is for the same rows, of the same size. */
  suits(request: TracedRequest): boolean {
    const { seed } = this.#request;
    return (
      request.size === this.#request.size &&
      request.count === this.#request.count &&
      JSON.stringify(request.seed) === JSON.stringify(seed)
    );
  }

  /**
   * Brings the mappings to another map and request.
   *
   * @param request - one that `suits`
   * @returns the rows that were mapped again, ascending, or undefined for all of them
   * @throws {@link CrushError} as the constructor; the next update then maps all rows again
   */
  update(map: CrushMap, request: TracedRequest): Int32Array | undefined {
    const before = this.#map;
    const old = this.#request;
    const differences =
      this.#failed || request.rule !== old.rule
        ? undefined
        : differenceFor(before, map, request.rule, { before: old.chooseArgs, after: request.chooseArgs });
    this.#failed = true;
    if (map !== before) this.#takeMap(map);
    this.#map = map;
    this.#request = request;
    this.#kernel.setRequest(request, notesAll(map, request.rule));
    if (differences === undefined || usesPermutations(map, request.rule)) {
      this.#mapAll();
      return undefined;
    }

    const affected = new RowSet(request.count);
    for (const difference of differences) this.#store.findAffected(this.#kernel, difference, affected);
    this.#findReweighted(old.reweights, request.reweights, affected);
    if (affected.size * 2 > request.count) {
      this.#mapAll();
      return undefined;
    }
    const rows = affected.rows();
    if (this.#store.isWorn) this.#mapAll();
    else this.#mapAgain(rows);
    this.#failed = false;
    return rows;
  }

  /** Calls back with the rows whose mapping has a device, in no order. */
  forEachHolding(device: number, call: (row: number) => void): void {
    const { size } = this.#request;
    const { items } = this.columns;
    if (this.#deviceRows?.isWorn !== false) this.#deviceRows = new DeviceRows(this.columns, size);
    this.#deviceRows.forEachRow(device, (row) => {
      for (let i = row * size; i < (row + 1) * size; i++) if (items[i] === device) call(row);
    });
  }

  #takeMap(map: CrushMap): void {
    const places = patchFlat(this.#flat.words, this.#map, map);
    if (places !== undefined) {
      this.#kernel.patchMap(this.#flat.words, places);
      return;
    }
    this.#flat = FlatMap.fromModel(map);
    this.#numbers = bucketNumbers(this.#flat.words);
    this.#kernel.setMap(this.#flat);
  }

  /** Maps all rows, and begins the trace anew. */
  #mapAll(): void {
    const { count } = this.#request;
    this.#failed = true;
    this.#kernel = new TraceKernel(this.#flat, this.#request);
    this.#kernel.setRequest(this.#request, notesAll(this.#map, this.#request.rule));
    this.#store = new TraceStore(count);
    this.#deviceRows = undefined;
    for (let first = 0; first < count; first += RUN_ROWS) {
      const run = this.#kernel.run(this.#request, first, Math.min(RUN_ROWS, count - first));
      this.columns.items.set(run.items, first * this.#request.size);
      this.columns.lengths.set(run.lengths, first);
      this.columns.seeds.set(run.seeds, first);
      this.#kernel.setSeeds(run.seeds, first);
      this.#store.addFirst(this.#kernel, run, this.#numbers, this.#map.buckets.length, first);
    }
    this.#failed = false;
  }

  #mapAgain(rows: Int32Array): void {
    const { size } = this.#request;
    const { items, lengths, seeds } = this.columns;
    for (let first = 0; first < rows.length; first += RUN_ROWS) {
      const some = rows.subarray(first, first + RUN_ROWS);
      const run = this.#kernel.runSeeds(
        this.#request,
        some.map((row) => seeds[row] ?? 0),
      );
      for (let i = 0; i < some.length; i++) {
        const row = some[i] ?? 0;
        if (this.#deviceRows !== undefined) this.#noteNewDevices(this.#deviceRows, row, run.items, i);
        for (let j = 0; j < size; j++) items[row * size + j] = run.items[i * size + j] ?? 0;
        lengths[row] = run.lengths[i] ?? 0;
      }
      this.#store.addAgain(run, this.#numbers, this.#map.buckets.length, some);
    }
  }

  /** Notes the devices that a row has got from a run and did not have. */
  #noteNewDevices(deviceRows: DeviceRows, row: number, run: Int32Array, index: number): void {
    const { size } = this.#request;
    const { items } = this.columns;
    for (let i = index * size; i < (index + 1) * size; i++) {
      const device = run[i] ?? -1;
      if (device < 0 || device === ITEM_NONE) continue;
      let has = false;
      for (let j = row * size; j < (row + 1) * size; j++) if (items[j] === device) has = true;
      if (!has) deviceRows.add(device, row);
    }
  }

  /** Adds the rows for which a device is in that was out, or the reverse. */
  #findReweighted(before: Uint32Array, after: Uint32Array, affected: RowSet): void {
    if (before === after) return;
    const { seeds } = this.columns;
    for (let device = 0; device < Math.max(before.length, after.length); device++) {
      const old = before[device];
      const now = after[device];
      if (old === now) continue;
      const wasOut = outAlways(old);
      const isOut = outAlways(now);
      const isFixed = wasOut !== undefined && isOut !== undefined;
      if (isFixed && wasOut === isOut) continue;
      const check = (row: number): void => {
        if (isFixed || turnsOut(old, device, seeds[row] ?? 0) !== turnsOut(now, device, seeds[row] ?? 0)) {
          affected.add(row);
        }
      };
      this.forEachHolding(device, check);
      this.#store.forEachRow(device, check);
    }
  }
}

/** Whether a device is out whatever the input; undefined where the input decides. */
function outAlways(weight: number | undefined): boolean | undefined {
  if (weight === undefined || weight === 0) return true;
  return weight >= 0x10000 ? false : undefined;
}

/** Whether a device is out for an input (`is_out`). */
function turnsOut(weight: number | undefined, device: number, x: number): boolean {
  return outAlways(weight) ?? (hash32(x, device) & 0xffff) >= (weight ?? 0);
}

/**
 * Whether a rule's mappings may find devices good that are not in the result: where there is more than one emit, the
 * result may have no room for the last ones; MSR rules give up places.
 */
function notesAll(map: CrushMap, rule: number): boolean {
  const found = map.rules[rule];
  if (found === undefined) return false;
  if (found.type === RULE_TYPE.msrFirstn || found.type === RULE_TYPE.msrIndep) return true;
  return found.steps.filter(({ op }) => op === RULE_OP.emit).length > 1;
}

/** Whether retries may go through a bucket's permutation, of which no draw tells. */
function usesPermutations(map: CrushMap, rule: number): boolean {
  const { chooseLocalFallbackTries } = map.tunables;
  return (
    chooseLocalFallbackTries > 0 ||
    (map.rules[rule]?.steps.some(({ op, arg1 }) => op === RULE_OP.setChooseLocalFallbackTries && arg1 > 0) ??
      false)
  );
}
