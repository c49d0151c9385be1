/**
 * The files of `crushtool --test --output-csv`: for each rule, what the last number of replicas gave. Follows
 * `CrushTester::write_data_set_to_csv` (Ceph's src/crush/CrushTester.h).
 */
import { CommandExit } from '../io.ts';
import { formatFloat } from '../iostream-format.ts';
import { TextFile } from '../write-file.ts';
import type { Placements } from './simulate.ts';

/** What there is to know before anything is mapped. */
export interface CsvRun {
  /** Beginning of the files' names, before the rule's name. */
  readonly prefix: string;
  readonly ruleName: string;
  /** Columns for placements. */
  readonly maxRep: number;
  readonly firstX: number;
  /** How many inputs there are, and into how many batches they are cut. */
  readonly inputs: number;
  readonly batches: number;
  /** 16.16 reweights of the devices. */
  readonly weights: Uint32Array;
  /** Share of each device of the weight of all. */
  readonly shares: Float32Array;
}

/** Batches beyond these are refused: each is a line with a number a device. */
const MAX_BATCHES = 1 << 16;

/** Writes the files of one rule and number of replicas. */
export class CsvFiles {
  readonly #run: CsvRun;
  readonly #placements: TextFile;
  readonly #batchLines: string[] = [];
  #batchCounts: Uint32Array | undefined;

  private constructor(run: CsvRun, placements: TextFile) {
    this.#run = run;
    this.#placements = placements;
  }

  /**
   * Opens the file of placements, which is written while they are made.
   *
   * @throws CommandExit where it cannot be written, of which Ceph's tool says nothing
   */
  static async create(run: CsvRun): Promise<CsvFiles> {
    if (run.ruleName.includes('/')) {
      throw new CommandExit(
        1,
        `crushtool: the name of rule '${run.ruleName}' cannot be part of a file's name; rename the rule\n`,
      );
    }
    if (run.batches > MAX_BATCHES) {
      throw new CommandExit(
        1,
        `crushtool: --batches ${run.batches} is too large for --output-csv; at most ${MAX_BATCHES} is supported\n`,
      );
    }
    const placements = await createFile(run, 'placement_information');
    const columns = Array.from({ length: Math.max(0, run.maxRep) }, (_, i) => `, OSD${i}`);
    placements.add(`Input${columns.join('')}\n`);
    return new CsvFiles(run, placements);
  }

  /** Adds a range of placements, which start at input `first` and have room for `size` items each. */
  async add({ items, lengths }: Placements, size: number, first: number, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const placement = items.subarray(i * size, i * size + (lengths[i] ?? 0));
      this.#placements.add([first + i, ...placement].join(',') + '\n');
      if (this.#run.batches > 1) this.#countForBatch(first + i, placement);
    }
    await this.#placements.relieve();
  }

  /** Writes the rest, given how many items each device got and should have got. */
  async finish(counts: Uint32Array, expected: Float32Array): Promise<void> {
    await this.#placements.close();
    const { weights, shares, batches } = this.#run;
    const header = 'Device ID, Number of Objects Stored, Number of Objects Expected';
    const all = Array.from(
      counts,
      (count, device) => `${device},${formatFloat(count)},${formatFloat(expected[device] ?? 0)}`,
    );
    const used = all.filter((_, device) => (counts[device] ?? 0) > 0 && (expected[device] ?? 0) > 0);
    await this.#write('device_utilization', header, used);
    await this.#write('device_utilization_all', header, all);
    const proportional = Array.from(shares, (share, device) => `${device},${formatFloat(share)}`);
    await this.#write(
      'proportional_weights',
      'Device ID, Proportional Weight',
      proportional.filter((_, device) => (shares[device] ?? 0) > 0),
    );
    await this.#write('proportional_weights_all', 'Device ID, Proportional Weight', proportional);
    await this.#write(
      'absolute_weights',
      'Device ID, Absolute Weight',
      Array.from(weights, (weight, device) => `${device},${formatFloat(weight / 0x10000)}`),
    );
    if (batches > 1) await this.#writeBatches(used.length);
  }

  /** Closes what is open after a failure. */
  async abandon(): Promise<void> {
    await this.#placements.close();
  }

  /** Ceph has as many columns as devices are used, and writes the same to both files. */
  async #writeBatches(columns: number): Promise<void> {
    while (this.#batchLines.length < this.#run.batches) this.#endBatch();
    for (const [name, title] of [
      ['batch_device_utilization_all', 'Stored'],
      ['batch_device_expected_utilization_all', 'Expected'],
    ] as const) {
      const titles = Array.from({ length: columns }, (_, i) => `, Objects ${title} on OSD${i}`);
      await this.#write(name, `Batch Round${titles.join('')}`, this.#batchLines);
    }
  }

  #countForBatch(x: number, placement: Int32Array): void {
    const { firstX, inputs, batches, weights } = this.#run;
    const size = Math.trunc(inputs / batches);
    // The last batch has what is left over, which is everything where there are more batches than inputs.
    const batch = size === 0 ? batches - 1 : Math.min(Math.trunc((x - firstX) / size), batches - 1);
    while (this.#batchLines.length < batch) this.#endBatch();
    const counts = (this.#batchCounts ??= new Uint32Array(weights.length));
    for (const item of placement) {
      if (item >= 0 && item < counts.length) counts[item] = (counts[item] ?? 0) + 1;
    }
  }

  #endBatch(): void {
    this.#batchLines.push([this.#batchLines.length, ...(this.#batchCounts ?? [])].join(','));
    this.#batchCounts = undefined;
  }

  async #write(name: string, header: string, lines: readonly string[]): Promise<void> {
    const file = await createFile(this.#run, name);
    try {
      file.add(`${header}\n`);
      for (const line of lines) {
        file.add(`${line}\n`);
        await file.relieve();
      }
    } finally {
      await file.close();
    }
  }
}

function createFile({ prefix, ruleName }: CsvRun, name: string): Promise<TextFile> {
  return TextFile.create('crushtool', `${prefix}${ruleName}-${name}.csv`);
}
