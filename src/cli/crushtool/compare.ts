/**
 * `crushtool --compare`: how many inputs two maps send to different places. Follows `CrushTester::compare` (Ceph's
 * src/crush/CrushTester.cc).
 */
import type { CrushMap, CrushRule } from '../../crush/model.ts';
import { MAX_SIZE } from '../../kernel/check-request.ts';
import type { MapColumns } from '../../kernel/crush-mapper.ts';
import { CommandExit, type CommandIo, type TextSink } from '../io.ts';
import { formatDouble } from '../iostream-format.ts';
import { crushJob, type CrushJob } from '../map-jobs.ts';
import { chooseArgsOf, deviceWeights, markDown } from './device-weights.ts';
import type { Lrand48 } from './lrand48.ts';
import type { CrushtoolOptions } from './options.ts';
import { inputRange, replicasOf, selectedRules } from './test-ranges.ts';

/** One of the two maps. */
interface Side {
  readonly map: CrushMap;
  readonly job: CrushJob;
  /** 16.16 reweights: those of the first map for both. */
  readonly reweights: Uint32Array;
}

/**
 * Compares a map with another.
 *
 * @throws CommandExit of status 1 where they differ
 */
export async function compareMaps(
  map: CrushMap,
  other: CrushMap,
  options: CrushtoolOptions,
  random: Lrand48,
  io: CommandIo,
  out: TextSink,
): Promise<void> {
  const weights = deviceWeights(map, options.weights);
  markDown(map, weights, options, random);
  const { firstX, lastX } = inputRange(options);
  const total = lastX - firstX + 1;
  const sides = [map, other].map((each): Side => {
    const reweights = new Uint32Array(each.maxDevices);
    reweights.set(weights.subarray(0, each.maxDevices));
    const job = crushJob(each, { io, threads: options.threads, total, printsAsItMaps: false });
    return { map: each, job, reweights };
  });
  const [left, right] = sides as [Side, Side];
  let areEqual = true;
  try {
    for (const [id, rule] of selectedRules(map, options)) {
      if (rule === undefined) {
        if (options.showStatistics) out.add(`rule ${id} dne\n`);
        continue;
      }
      const { minRep, maxRep } = replicasOf(rule, options);
      let mismatches = 0;
      for (let replicas = minRep; replicas <= maxRep; replicas++) {
        mismatches += await countMismatches(left, right, rule, replicas, { first: firstX, count: total });
      }
      if (mismatches > 0) areEqual = false;
      const inputs = Math.imul(maxRep - minRep + 1, total);
      out.add(
        `rule ${id} had ${mismatches}/${inputs} mismatched mappings (${formatDouble(mismatches / inputs)})\n`,
      );
      await out.relieve();
    }
  } finally {
    for (const { job } of sides) await job.end();
  }
  if (!areEqual) throw new CommandExit(1, 'warning: maps are NOT equivalent\n');
  out.add('maps appear equivalent\n');
}

async function countMismatches(
  left: Side,
  right: Side,
  rule: CrushRule,
  replicas: number,
  range: { first: number; count: number },
): Promise<number> {
  if (replicas > MAX_SIZE) {
    throw new CommandExit(
      1,
      `crushtool: --num-rep ${replicas} is too large; at most ${MAX_SIZE} is supported\n`,
    );
  }
  // A negative number of replicas maps to nothing.
  const size = Math.max(replicas, 0);
  const [ours, theirs] = [left, right].map((side) => lengthsAndItems(side, rule.id, size, range));
  let mismatches = 0;
  for (;;) {
    // Both go through the inputs in the same steps.
    const [a, b] = [await ours?.next(), await theirs?.next()];
    if (a === undefined || a.done === true || b === undefined || b.done === true) return mismatches;
    for (let i = 0; i < a.value.lengths.length; i++) {
      if (!isSame(a.value, b.value, size, i)) mismatches++;
    }
  }
}

type Columns = Pick<MapColumns, 'items' | 'lengths'>;

const NOTHING: Columns = { items: new Int32Array(0), lengths: new Int32Array(0) };

/** What a rule maps to, range by range; a map without the rule maps to nothing. */
async function* lengthsAndItems(
  { map, job, reweights }: Side,
  rule: number,
  size: number,
  range: { first: number; count: number },
): AsyncGenerator<Columns, void, undefined> {
  if (map.rules[rule] === undefined) for (;;) yield NOTHING;
  const request = { rule, size, reweights, chooseArgs: chooseArgsOf(map), seed: { mode: 'plain' } as const };
  for await (const { columns } of job.map(request, range, size)) yield columns;
}

function isSame(a: Columns, b: Columns, size: number, row: number): boolean {
  const length = a.lengths[row] ?? 0;
  if (length !== (b.lengths[row] ?? 0)) return false;
  for (let i = row * size; i < row * size + length; i++) if (a.items[i] !== b.items[i]) return false;
  return true;
}
