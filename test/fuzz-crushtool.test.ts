/**
 * Differential fuzz: random maps, mapped by the real crushtool and by this library, compared line by line.
 *
 * CRUSH_FUZZ_MAPS sets how many maps (default 200), CRUSH_FUZZ_SEED the first seed, which is printed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { CrushMap } from '../src/crush/model.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { crushBytes } from './crush-encode.ts';
import { crushText } from './crush-text.ts';
import { HAS_CRUSHTOOL, crushtool, mappingLine, testerChooseArgs, testerReweights } from './crushtool.ts';
import { randomMap } from './random-map.ts';
import { Random } from './random.ts';
import { hash32 } from './reference/hash.ts';
import { referenceMap } from './reference/mapper.ts';

const MAPS = Number(process.env.CRUSH_FUZZ_MAPS ?? 200);
const FIRST_SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000_000);
/** Of this many mappings one is made by the reference too. */
const REFERENCE_SHARE = 16;

/** One run of crushtool over a map. */
interface Run {
  readonly size: number;
  readonly first: number;
  readonly count: number;
  readonly pool: number | undefined;
  readonly weights: ReadonlyMap<number, number>;
}

describe.skipIf(!HAS_CRUSHTOOL)('fuzz against crushtool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crush-fuzz-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test(
    `${MAPS} random maps`,
    () => {
      console.log(`fuzz against crushtool: CRUSH_FUZZ_SEED=${FIRST_SEED} CRUSH_FUZZ_MAPS=${MAPS}`);
      let lines = 0;
      for (let seed = FIRST_SEED; seed < FIRST_SEED + MAPS; seed++) lines += compareMap(folder, seed);
      console.log(`fuzz against crushtool: ${lines} lines compared`);
      expect(lines).toBeGreaterThan(MAPS);
    },
    60_000 + MAPS * 5000,
  );
});

/** Compares one map over a few runs; gives back how many lines agreed. */
function compareMap(folder: string, seed: number): number {
  // Not the numbers that the map itself is made of.
  const random = new Random(~seed);
  const file = join(folder, 'map');
  if (random.chance(0.5)) {
    writeFileSync(`${file}.txt`, crushText(randomMap(seed, { limits: 'text' })));
    crushtool('-c', `${file}.txt`, '-o', file);
  } else {
    writeFileSync(file, crushBytes(randomMap(seed, { limits: 'binary' })));
  }
  const map = readCrushBinary(readFileSync(file));
  const mapper = new CrushMapper(map);
  let lines = 0;
  for (const run of randomRuns(random, map)) {
    const expected = crushtool('-i', file, ...testArguments(run)).split('\n');
    expected.pop();
    const label = `seed ${seed}, crushtool ${testArguments(run).join(' ')}`;
    const ours = mappings(map, mapper, run);
    const wrong = expected.findIndex((line, i) => line !== ours[i]);
    if (wrong >= 0) expect(ours[wrong], label).toBe(expected[wrong]);
    expect(ours, label).toHaveLength(expected.length);
    for (const line of expected) {
      if (random.below(REFERENCE_SHARE) === 0) expect(referenceLine(map, run, line), label).toBe(line);
    }
    lines += ours.length;
  }
  return lines;
}

/** Inputs at the start, near the end of crushtool's signed range, and hashed into all 32 bits. */
function randomRuns(random: Random, map: CrushMap): Run[] {
  const size = (): number => random.pick([1, 2, 3, 3, 4, 6, 8, 11]);
  const near = 0x7fffffff - 40;
  return [
    { size: size(), first: 0, count: 60, pool: undefined, weights: new Map() },
    { size: size(), first: near, count: 40, pool: undefined, weights: randomWeights(random, map) },
    {
      size: size(),
      first: random.below(near),
      count: 60,
      pool: random.below(50),
      weights: randomWeights(random, map),
    },
  ];
}

function randomWeights(random: Random, map: CrushMap): Map<number, number> {
  const weights = new Map<number, number>();
  for (let device = 1; device < map.maxDevices; device++) {
    if (random.chance(0.3))
      weights.set(device, random.pick([0, 0.5, 1, 0.25, 0.999, 0.00001, random.below(100) / 100]));
  }
  return weights;
}

function testArguments({ size, first, count, pool, weights }: Run): string[] {
  const args = ['--test', '--show-mappings', '--num-rep', `${size}`];
  args.push('--min-x', `${first}`, '--max-x', `${first + count - 1}`);
  if (pool !== undefined) args.push('--pool-id', `${pool}`);
  for (const [device, weight] of weights) args.push('--weight', `${device}`, `${weight}`);
  return args;
}

/** What crushtool should print for a run over all rules, by the kernel. */
function mappings(map: CrushMap, mapper: CrushMapper, run: Run): string[] {
  const { size, first, count, pool } = run;
  const reweights = testerReweights(map, run.weights);
  // crushtool has nothing to say where no device is in.
  if (reweights.every((weight) => weight === 0)) return [];
  const chooseArgs = testerChooseArgs(map);
  const seed = pool === undefined ? ({ mode: 'plain' } as const) : ({ mode: 'hashed', pool } as const);
  const lines: string[] = [];
  map.rules.forEach((rule, id) => {
    if (rule === undefined) return;
    const { items, lengths } = mapper.mapRange({ rule: id, size, first, count, reweights, chooseArgs, seed });
    for (let i = 0; i < count; i++) {
      lines.push(mappingLine(id, first + i, items.subarray(i * size, i * size + lengths[i]!)));
    }
  });
  return lines;
}

/** The line that the reference would print for the rule and input of `line`. */
function referenceLine(map: CrushMap, run: Run, line: string): string {
  const [rule, number] = line.match(/\d+/g)!.map(Number) as [number, number];
  const chooseArgs = testerChooseArgs(map);
  const items = referenceMap(map, {
    rule,
    x: run.pool === undefined ? number : hash32(number, run.pool),
    size: run.size,
    reweights: testerReweights(map, run.weights),
    chooseArgs,
  });
  return mappingLine(rule, number, items);
}
