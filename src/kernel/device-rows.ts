/** Which rows hold a device: a list for each device, made once, and one of rows that have come to hold it since. */
import { ITEM_NONE } from '../crush/model.ts';
import type { MapColumns } from './crush-mapper.ts';

/** See the top of the file. */
export class DeviceRows {
  /** First of each device's rows, and the rows. */
  readonly #starts: Int32Array;
  readonly #rows: Int32Array;
  readonly #since: (number[] | undefined)[] = [];
  #sinceCount = 0;

  /** @param size - items a row has */
  constructor({ items, lengths }: MapColumns, size: number) {
    let most = -1;
    for (const item of items) if (item !== ITEM_NONE && item > most) most = item;
    const starts = new Int32Array(most + 2);
    for (const item of items) {
      if (item >= 0 && item <= most) starts[item + 1] = (starts[item + 1] ?? 0) + 1;
    }
    for (let device = 0; device <= most; device++) {
      starts[device + 1] = (starts[device + 1] ?? 0) + (starts[device] ?? 0);
    }
    const next = starts.slice();
    this.#rows = new Int32Array(starts[most + 1] ?? 0);
    for (let row = 0; row < lengths.length; row++) {
      for (let i = row * size; i < (row + 1) * size; i++) {
        const item = items[i] ?? -1;
        if (item < 0 || item > most) continue;
        const to = next[item] ?? 0;
        next[item] = to + 1;
        this.#rows[to] = row;
      }
    }
    this.#starts = starts;
  }

  /** Whether so many rows have changed that the lists are better made anew. */
  get isWorn(): boolean {
    return this.#sinceCount > this.#rows.length / 2;
  }

  /** Notes that a row has come to hold a device. */
  add(device: number, row: number): void {
    const list = this.#since[device];
    if (list === undefined) this.#since[device] = [row];
    else list.push(row);
    this.#sinceCount++;
  }

  /** Calls back with every row that may hold the device: all that do, and perhaps some that do no more, or twice. */
  forEachRow(device: number, call: (row: number) => void): void {
    const end = this.#starts[device + 1] ?? 0;
    for (let i = this.#starts[device] ?? end; i < end; i++) call(this.#rows[i] ?? 0);
    const since = this.#since[device];
    if (since !== undefined) for (const row of since) call(row);
  }
}
