/**
 * What `crushtool --test` prints: maps a range of inputs through rules and counts where they go. Follows
 * `CrushTester::test` (Ceph's src/crush/CrushTester.cc).
 */
import { ITEM_NONE, type CrushMap, type CrushRule } from '../../crush/model.ts';
import { CrushError } from '../../errors.ts';
import { MAX_SIZE } from '../../kernel/check-request.ts';
import type { SeedSource } from '../../kernel/crush-mapper.ts';
import { CommandExit, type CommandIo, type TextSink } from '../io.ts';
import { formatFloat, formatRow } from '../iostream-format.ts';
import type { Range } from '../long-job.ts';
import { crushJob, type CrushJob } from '../map-jobs.ts';
import { PACIFIC } from '../release-option.ts';
import { CsvFiles } from './csv-files.ts';
import { chooseArgsOf, deviceWeights, markDown } from './device-weights.ts';
import type { Lrand48 } from './lrand48.ts';
import { mostItemsOf } from './most-items.ts';
import type { CrushtoolOptions } from './options.ts';
import { Simulator, type Placements } from './simulate.ts';
import { inputRange, replicasOf, selectedRules } from './test-ranges.ts';

/** Most retries that are counted one by one. */
const MAX_HISTOGRAM = 1 << 20;

/** Placements that are drawn at a time. */
const DRAWN_RANGE = 1 << 10;

/** Runs the test that the options ask for. */
export async function testCrushMap(
  map: CrushMap,
  options: CrushtoolOptions,
  random: Lrand48,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  const weights = deviceWeights(map, options.weights);
  if (options.release > PACIFIC && options.minRep < 0 && options.maxRep < 0) {
    throw new CommandExit(1, 'must specify --num-rep or both --min-rep and --max-rep\n');
  }
  if (options.showUtilizationAll) {
    const list = Array.from(weights, (weight) => weight.toString(16));
    err.add(`devices weights (hex): [${list.join(',')}]\n`);
  }
  markDown(map, weights, options, random);
  const tester = new CrushTester(map, options, weights, random, io, out);
  try {
    await tester.testRules();
    if (options.showChooseTries) await tester.printChooseTries();
  } finally {
    await tester.end();
  }
}

class CrushTester {
  readonly #map: CrushMap;
  readonly #options: CrushtoolOptions;
  readonly #out: TextSink;
  readonly #job: CrushJob;
  readonly #simulator: Simulator | undefined;
  readonly #seed: SeedSource;
  readonly #chooseArgs: number | undefined;
  readonly #firstX: number;
  readonly #lastX: number;
  readonly #tries: Uint32Array | undefined;
  readonly #statistics: boolean;
  /** 16.16 reweight of each device. */
  readonly #weights: Uint32Array;

  constructor(
    map: CrushMap,
    options: CrushtoolOptions,
    weights: Uint32Array,
    random: Lrand48,
    io: CommandIo,
    out: TextSink,
  ) {
    this.#map = map;
    this.#options = options;
    this.#weights = weights;
    this.#out = out;
    ({ firstX: this.#firstX, lastX: this.#lastX } = inputRange(options));
    this.#seed =
      options.poolId === -1n
        ? { mode: 'plain' }
        : { mode: 'hashed', pool: Number(BigInt.asUintN(32, options.poolId)) };
    this.#chooseArgs = chooseArgsOf(map);
    this.#tries = options.showChooseTries ? triesHistogram(map) : undefined;
    this.#statistics = options.showStatistics || options.showUtilization || options.showUtilizationAll;
    const { threads, showMappings, showBadMappings } = options;
    const printsAsItMaps = showMappings || showBadMappings;
    this.#job = crushJob(map, { io, threads, total: this.#countInputs(), printsAsItMaps });
    this.#simulator = options.simulate ? new Simulator(map, weights, random) : undefined;
  }

  /** Ends what the tests have started. */
  async end(): Promise<void> {
    await this.#job.end();
  }

  /** Tests the rules that are selected, in order; missing ones are reported in their turn. */
  async testRules(): Promise<void> {
    for (const [id, rule] of selectedRules(this.#map, this.#options)) {
      if (rule !== undefined) await this.#testRule(rule);
      else if (this.#statistics) this.#out.add(`rule ${id} dne\n`);
      await this.#out.relieve();
    }
  }

  /** Prints the histogram of retries over everything tested. */
  async printChooseTries(): Promise<void> {
    const tries = this.#tries ?? new Uint32Array(0);
    for (let i = 0; i < this.#map.tunables.chooseTotalTries; i++) {
      this.#out.add(`${String(i).padStart(2)}: ${String(tries[i] ?? 0).padStart(9)}\n`);
      await this.#out.relieve();
    }
  }

  /** How many inputs there are to map, of all rules and numbers of replicas. */
  #countInputs(): number {
    let runs = 0;
    for (const [, rule] of selectedRules(this.#map, this.#options)) {
      if (rule === undefined) continue;
      const { minRep, maxRep } = replicasOf(rule, this.#options);
      runs += Math.max(0, maxRep - minRep + 1);
    }
    return runs * (this.#lastX - this.#firstX + 1);
  }

  /** Tests one rule with every number of replicas asked for. */
  async #testRule(rule: CrushRule): Promise<void> {
    const { minRep, maxRep } = replicasOf(rule, this.#options);
    if (this.#statistics) {
      this.#out.add(
        `rule ${rule.id} (${this.#nameOf(rule)}), x = ${this.#firstX}..${this.#lastX}` +
          `, numrep = ${minRep}..${maxRep}\n`,
      );
    }
    // Ceph computes this in 32-bit integers and floats.
    const total = this.#weights.reduce((sum, weight) => (sum + weight) | 0, 0);
    if (total === 0) return;
    const shares = Float32Array.from(this.#weights, (weight) => Math.fround(weight) / Math.fround(total));
    for (let replicas = minRep; replicas <= maxRep; replicas++) {
      await this.#testReplicas(rule, replicas, shares);
    }
  }

  async #testReplicas(rule: CrushRule, replicas: number, shares: Float32Array): Promise<void> {
    if (replicas > MAX_SIZE) {
      throw new CommandExit(
        1,
        `crushtool: --num-rep ${replicas} is too large; at most ${MAX_SIZE} is supported\n`,
      );
    }
    const counts = new Uint32Array(this.#map.maxDevices);
    const sizes = new Map<number, number>();
    const inputs = this.#lastX - this.#firstX + 1;
    const most = Math.min(replicas, mostItemsOf(this.#map, rule));
    const expectedItems = Math.fround(Math.imul(most, inputs));
    const expected = shares.map((share) => share * expectedItems);
    const csv = await this.#openCsv(rule, inputs, shares);
    let isDone = false;
    try {
      await this.#mapInputs(rule, replicas, counts, sizes, csv);
      isDone = true;
    } finally {
      if (!isDone) await csv?.abandon();
    }
    if (this.#statistics) this.#printStatistics(rule, replicas, inputs, expected, counts, sizes);
    await csv?.finish(counts, expected);
  }

  async #mapInputs(
    rule: CrushRule,
    replicas: number,
    counts: Uint32Array,
    sizes: Map<number, number>,
    csv: CsvFiles | undefined,
  ): Promise<void> {
    // In no batches nothing is mapped; in any other number of them it is the same.
    const count = this.#options.batches < 1 ? 0 : this.#lastX - this.#firstX + 1;
    // A negative number of replicas maps to nothing.
    const size = Math.max(replicas, 0);
    for await (const { range, columns } of this.#place(rule, { first: this.#firstX, count }, size)) {
      countItems(columns, size, range.count, counts, sizes);
      if (this.#options.showMappings || this.#options.showBadMappings) {
        this.#printMappings(rule, replicas, size, range, columns);
      }
      await csv?.add(columns, size, range.first, range.count);
      await this.#out.relieve();
    }
  }

  /** Maps inputs, or draws as many placements. */
  async *#place(
    rule: CrushRule,
    { first, count }: Range,
    size: number,
  ): AsyncGenerator<{ range: Range; columns: Placements }> {
    if (this.#simulator === undefined) {
      const request = {
        rule: rule.id,
        size,
        reweights: this.#weights,
        chooseArgs: this.#chooseArgs,
        seed: this.#seed,
        tries: this.#tries,
      };
      yield* this.#job.map(request, { first, count }, size);
      return;
    }
    for (let done = 0; done < count; done += DRAWN_RANGE) {
      const range = { first: first + done, count: Math.min(DRAWN_RANGE, count - done) };
      yield { range, columns: this.#simulator.draw(rule, size, range.count) };
    }
  }

  #openCsv(rule: CrushRule, inputs: number, shares: Float32Array): Promise<CsvFiles> | undefined {
    const { outputCsv, outputName, maxRep, batches } = this.#options;
    if (!outputCsv) return undefined;
    return CsvFiles.create({
      prefix: outputName,
      ruleName: this.#nameOf(rule),
      maxRep,
      firstX: this.#firstX,
      inputs,
      batches,
      weights: this.#weights,
      shares,
    });
  }

  #printMappings(
    rule: CrushRule,
    replicas: number,
    size: number,
    range: Range,
    { items, lengths }: Placements,
  ): void {
    const { showMappings, showBadMappings, simulate } = this.#options;
    const title = simulate ? 'RNG' : 'CRUSH';
    for (let i = 0; i < range.count; i++) {
      const length = lengths[i] ?? 0;
      const isBad =
        showBadMappings &&
        (length !== replicas || items.subarray(i * size, i * size + length).includes(ITEM_NONE));
      if (!showMappings && !isBad) continue;
      const result = formatRow(items, i, size, length);
      const x = range.first + i;
      if (showMappings) this.#out.add(`${title} rule ${rule.id} x ${x} ${result}\n`);
      if (isBad) this.#out.add(`bad mapping rule ${rule.id} x ${x} num_rep ${replicas} result ${result}\n`);
    }
  }

  #printStatistics(
    rule: CrushRule,
    replicas: number,
    inputs: number,
    expected: Float32Array,
    counts: Uint32Array,
    sizes: ReadonlyMap<number, number>,
  ): void {
    for (const [size, count] of [...sizes].sort(([a], [b]) => a - b)) {
      this.#out.add(
        `rule ${rule.id} (${this.#nameOf(rule)}) num_rep ${replicas}` +
          ` result size == ${size}:\t${count}/${inputs}\n`,
      );
    }
    const { showUtilization, showUtilizationAll } = this.#options;
    if (!showUtilization && !showUtilizationAll) return;
    for (const [device, count] of counts.entries()) {
      const share = expected[device] ?? 0;
      if (showUtilization && !(share > 0 && count > 0)) continue;
      this.#out.add(`  device ${device}:\t\t stored : ${count}\t expected : ${formatFloat(share)}\n`);
    }
  }

  #nameOf(rule: CrushRule): string {
    return this.#map.ruleNames.get(rule.id) ?? '';
  }
}

function countItems(
  { items, lengths }: Placements,
  size: number,
  count: number,
  counts: Uint32Array,
  sizes: Map<number, number>,
): void {
  for (let i = 0; i < count; i++) {
    const length = lengths[i] ?? 0;
    sizes.set(length, (sizes.get(length) ?? 0) + 1);
    for (let k = 0; k < length; k++) {
      const item = items[i * size + k] ?? ITEM_NONE;
      // Rules that end at buckets give ids below 0; there is no device to count.
      if (item >= 0 && item < counts.length) counts[item] = (counts[item] ?? 0) + 1;
    }
  }
}

/** Room to count choices by their retries. */
function triesHistogram({ tunables }: CrushMap): Uint32Array {
  const tries = tunables.chooseTotalTries;
  if (tries > MAX_HISTOGRAM) {
    throw new CrushError(
      'unsupported',
      `choose_total_tries is ${tries}; a histogram has room for ${MAX_HISTOGRAM} at most`,
    );
  }
  return new Uint32Array(tries + 1);
}
