/**
 * What `crushtool --test` prints: maps a range of inputs through rules and counts where they go. Follows
 * `CrushTester::test` (Ceph's src/crush/CrushTester.cc).
 */
import { DEFAULT_CHOOSE_ARGS, ITEM_NONE, type CrushMap, type CrushRule } from '../../crush/model.ts';
import { CrushError } from '../../errors.ts';
import { MAX_SIZE } from '../../kernel/check-request.ts';
import type { MapColumns, SeedSource } from '../../kernel/crush-mapper.ts';
import type { CrushtoolOptions } from './options.ts';
import { formatFloat, formatRow } from '../iostream-format.ts';
import { CommandExit, type CommandIo, type TextSink } from '../io.ts';
import { crushJob, type CrushJob } from '../map-jobs.ts';
import { PACIFIC } from '../release-option.ts';

/** Most retries that are counted one by one. */
const MAX_HISTOGRAM = 1 << 20;

/** Runs the test that the options ask for. */
export async function testCrushMap(
  map: CrushMap,
  options: CrushtoolOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  const tester = new CrushTester(map, options, io, out);
  if (options.release > PACIFIC && options.minRep < 0 && options.maxRep < 0) {
    throw new CommandExit(1, 'must specify --num-rep or both --min-rep and --max-rep\n');
  }
  if (options.showUtilizationAll) {
    const weights = Array.from(tester.weights, (weight) => weight.toString(16));
    err.add(`devices weights (hex): [${weights.join(',')}]\n`);
  }
  try {
    for await (const rule of tester.selectRules()) await tester.testRule(rule);
    if (options.showChooseTries) await tester.printChooseTries();
  } finally {
    await tester.end();
  }
}

/** The choose_args that crushtool maps with: those of index 0, else those for every pool, else none. */
export function chooseArgsOf(map: CrushMap): number | undefined {
  return [0, DEFAULT_CHOOSE_ARGS].find((index) => map.chooseArgs.has(index));
}

class CrushTester {
  readonly #map: CrushMap;
  readonly #options: CrushtoolOptions;
  readonly #out: TextSink;
  readonly #job: CrushJob;
  readonly #seed: SeedSource;
  readonly #chooseArgs: number | undefined;
  readonly #firstX: number;
  readonly #lastX: number;
  readonly #tries: Uint32Array | undefined;
  readonly #statistics: boolean;
  /** 16.16 reweight of each device. */
  readonly weights: Uint32Array;

  constructor(map: CrushMap, options: CrushtoolOptions, io: CommandIo, out: TextSink) {
    this.#map = map;
    this.#options = options;
    this.#out = out;
    // Both ends have to be given and not below 0, or neither counts.
    const hasRange = options.minX >= 0 && options.maxX >= 0;
    this.#firstX = hasRange ? options.minX : 0;
    this.#lastX = hasRange ? options.maxX : 1023;
    this.#seed =
      options.poolId === -1n
        ? { mode: 'plain' }
        : { mode: 'hashed', pool: Number(BigInt.asUintN(32, options.poolId)) };
    this.#chooseArgs = chooseArgsOf(map);
    this.#tries = options.showChooseTries ? triesHistogram(map) : undefined;
    this.#statistics = options.showStatistics || options.showUtilization || options.showUtilizationAll;
    this.weights = deviceWeights(map, options.weights);
    const { threads, showMappings, showBadMappings } = options;
    const printsAsItMaps = showMappings || showBadMappings;
    this.#job = crushJob(map, { io, threads, total: this.#countInputs(), printsAsItMaps });
  }

  /** Ends what the tests have started. */
  async end(): Promise<void> {
    await this.#job.end();
  }

  /** The rules to test, in order; missing ones are reported in their turn, as in Ceph. */
  async *selectRules(): AsyncGenerator<CrushRule> {
    const { minRule, maxRule, ruleset } = this.#options;
    const rules = this.#map.rules;
    const hasRange = minRule >= 0 && maxRule >= 0;
    const last = hasRange ? Math.min(maxRule, rules.length - 1) : rules.length - 1;
    for (let id = hasRange ? minRule : 0; id <= last; id++) {
      const rule = rules[id];
      if (rule === undefined) {
        if (this.#statistics) this.#out.add(`rule ${id} dne\n`);
        await this.#out.relieve();
      } else if (ruleset < 0 || rule.ruleset === ruleset) {
        yield rule;
      }
    }
  }

  /** How many inputs there are to map, of all rules and numbers of replicas. */
  #countInputs(): number {
    const { minRule, maxRule, ruleset } = this.#options;
    const hasRange = minRule >= 0 && maxRule >= 0;
    let runs = 0;
    for (const rule of this.#map.rules) {
      if (rule === undefined || (hasRange && (rule.id < minRule || rule.id > maxRule))) continue;
      if (ruleset >= 0 && rule.ruleset !== ruleset) continue;
      const { minRep, maxRep } = this.#replicasOf(rule);
      runs += Math.max(0, maxRep - minRep + 1);
    }
    return runs * (this.#lastX - this.#firstX + 1);
  }

  #replicasOf(rule: CrushRule): { minRep: number; maxRep: number } {
    const { minRep, maxRep, release } = this.#options;
    if (release > PACIFIC || (minRep >= 0 && maxRep >= 0)) return { minRep, maxRep };
    return { minRep: rule.minSize, maxRep: rule.maxSize };
  }

  /** Tests one rule with every number of replicas asked for. */
  async testRule(rule: CrushRule): Promise<void> {
    const { minRep, maxRep } = this.#replicasOf(rule);
    if (this.#statistics) {
      this.#out.add(
        `rule ${rule.id} (${this.#nameOf(rule)}), x = ${this.#firstX}..${this.#lastX}` +
          `, numrep = ${minRep}..${maxRep}\n`,
      );
    }
    const total = this.weights.reduce((sum, weight) => (sum + weight) | 0, 0);
    if (total === 0) return;
    for (let replicas = minRep; replicas <= maxRep; replicas++) {
      await this.#testReplicas(rule, replicas, total);
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

  async #testReplicas(rule: CrushRule, replicas: number, totalWeight: number): Promise<void> {
    if (replicas > MAX_SIZE) {
      throw new CommandExit(
        1,
        `crushtool: --num-rep ${replicas} is too large; at most ${MAX_SIZE} is supported\n`,
      );
    }
    const counts = new Uint32Array(this.#map.maxDevices);
    const sizes = new Map<number, number>();
    const inputs = this.#lastX - this.#firstX + 1;
    // In no batches nothing is mapped; in any other number of them it is the same.
    const mapped = this.#options.batches < 1 ? 0 : inputs;
    // A negative number of replicas maps to nothing.
    const size = Math.max(replicas, 0);
    const request = {
      rule: rule.id,
      size,
      reweights: this.weights,
      chooseArgs: this.#chooseArgs,
      seed: this.#seed,
      tries: this.#tries,
    };
    for await (const { range, columns } of this.#job.map(
      request,
      { first: this.#firstX, count: mapped },
      size,
    )) {
      countItems(columns, size, range.count, counts, sizes);
      if (this.#options.showMappings || this.#options.showBadMappings) {
        this.#printMappings(rule, replicas, size, range.first, range.count, columns);
      }
      await this.#out.relieve();
    }
    if (this.#statistics) this.#printStatistics(rule, replicas, inputs, totalWeight, counts, sizes);
  }

  #printMappings(
    rule: CrushRule,
    replicas: number,
    size: number,
    first: number,
    count: number,
    { items, lengths }: MapColumns,
  ): void {
    const { showMappings, showBadMappings } = this.#options;
    for (let i = 0; i < count; i++) {
      const length = lengths[i] ?? 0;
      const isBad =
        showBadMappings &&
        (length !== replicas || items.subarray(i * size, i * size + length).includes(ITEM_NONE));
      if (!showMappings && !isBad) continue;
      const result = formatRow(items, i, size, length);
      const x = first + i;
      if (showMappings) this.#out.add(`CRUSH rule ${rule.id} x ${x} ${result}\n`);
      if (isBad) this.#out.add(`bad mapping rule ${rule.id} x ${x} num_rep ${replicas} result ${result}\n`);
    }
  }

  #printStatistics(
    rule: CrushRule,
    replicas: number,
    inputs: number,
    totalWeight: number,
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
    // Ceph computes this in 32-bit integers and floats.
    const most = Math.min(replicas, mostItemsOf(this.#map, rule));
    const expectedItems = Math.fround(Math.imul(most, inputs));
    for (const [device, count] of counts.entries()) {
      const share = Math.fround(Math.fround(this.weights[device] ?? 0) / Math.fround(totalWeight));
      const expected = Math.fround(share * expectedItems);
      if (showUtilization && !(expected > 0 && count > 0)) continue;
      this.#out.add(`  device ${device}:\t\t stored : ${count}\t expected : ${formatFloat(expected)}\n`);
    }
  }

  #nameOf(rule: CrushRule): string {
    return this.#map.ruleNames.get(rule.id) ?? '';
  }
}

function countItems(
  { items, lengths }: MapColumns,
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

/** 16.16 reweights: as given, else 1.0 for devices that are in a bucket and 0 for the others. */
export function deviceWeights(map: CrushMap, given: ReadonlyMap<number, number> = new Map()): Uint32Array {
  const weights = new Uint32Array(map.maxDevices);
  for (const bucket of map.buckets) {
    for (const item of bucket?.items ?? []) {
      if (item >= 0 && item < weights.length) weights[item] = 0x10000;
    }
  }
  for (const [device, weight] of given) {
    if (device >= 0 && device < weights.length) weights[device] = weight;
  }
  return weights;
}

/**
 * Ceph's estimate of how many items a rule can give: the fewest of any type that its steps name, or as many as a
 * step asks for (`CrushTester::get_maximum_affected_by_rule`). Steps that only set a number count as naming
 * type 0, and devices are not counted; the estimate is printed, so its oddities are kept.
 */
function mostItemsOf(map: CrushMap, rule: CrushRule): number {
  const asked = new Map<number, number>();
  for (const { op, arg1, arg2 } of rule.steps) {
    if (op >= 2 && op !== 4) asked.set(arg2, arg1);
  }
  let most = Math.max(map.buckets.length, map.maxDevices);
  for (const [type, wanted] of asked) {
    let available = 0;
    for (const id of map.itemNames.keys()) {
      if (id < 0 && map.buckets[-1 - id]?.type === type) available++;
    }
    // A type that two steps name is counted twice.
    available *= rule.steps.filter(({ op, arg2 }) => op >= 2 && op !== 4 && arg2 === type).length;
    if (wanted > 0 && wanted < available) available = wanted;
    if (available > 0 && available < most) most = available;
  }
  return most;
}
