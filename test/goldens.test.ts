/**
 * The goldens: what the real crushtool mapped (see goldens/generate.sh), by the reference and by the kernel.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { CrushMap, CrushTunables } from '../src/crush/model.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { testerChooseArgs, testerReweights } from './crushtool.ts';
import { hash32 } from './reference/hash.ts';
import { referenceMap } from './reference/mapper.ts';

const FOLDER = new URL('./goldens/', import.meta.url);

/** One command of a golden file, and the lines it printed. */
interface Golden {
  readonly command: string;
  readonly map: CrushMap;
  readonly size: number;
  readonly first: number;
  readonly count: number;
  readonly pool: number | undefined;
  readonly reweights: Uint32Array;
  /** `RULE X ITEMS`, rule by rule. */
  readonly lines: readonly string[];
}

const TUNABLE_OPTIONS: Readonly<Record<string, keyof CrushTunables>> = {
  '--set-choose-local-tries': 'chooseLocalTries',
  '--set-choose-local-fallback-tries': 'chooseLocalFallbackTries',
  '--set-choose-total-tries': 'chooseTotalTries',
  '--set-chooseleaf-descend-once': 'chooseleafDescendOnce',
  '--set-chooseleaf-vary-r': 'chooseleafVaryR',
  '--set-chooseleaf-stable': 'chooseleafStable',
};

const names = readdirSync(fileURLToPath(FOLDER)).filter((name) => name.endsWith('.golden'));

describe.each(names)('%s', (name) => {
  const goldens = readGoldens(name);

  test('there are goldens', () => {
    expect(goldens.length).toBeGreaterThan(10);
    for (const { lines } of goldens) expect(lines.length).toBeGreaterThan(100);
  });

  test('the reference maps as crushtool did', () => {
    for (const golden of goldens) expect(byReference(golden), golden.command).toEqual(golden.lines);
  });

  test('the kernel maps as crushtool did', () => {
    for (const golden of goldens) expect(byKernel(golden), golden.command).toEqual(golden.lines);
  });
});

function byReference({ map, size, first, count, pool, reweights }: Golden): string[] {
  const chooseArgs = testerChooseArgs(map);
  return linesOf(map, first, count, (rule, number) =>
    referenceMap(map, {
      rule,
      x: pool === undefined ? number : hash32(number, pool),
      size,
      reweights,
      chooseArgs,
    }),
  );
}

function byKernel({ map, size, first, count, pool, reweights }: Golden): string[] {
  const mapper = new CrushMapper(map);
  const chooseArgs = testerChooseArgs(map);
  const seed = pool === undefined ? ({ mode: 'plain' } as const) : ({ mode: 'hashed', pool } as const);
  const ranges = map.rules.map((_, rule) =>
    mapper.mapRange({ rule, size, first, count, reweights, chooseArgs, seed }),
  );
  return linesOf(map, first, count, (rule, number) => {
    const { items, lengths } = ranges[rule]!;
    const start = (number - first) * size;
    return [...items.subarray(start, start + lengths[number - first]!)];
  });
}

function linesOf(
  map: CrushMap,
  first: number,
  count: number,
  itemsOf: (rule: number, number: number) => readonly number[],
): string[] {
  return map.rules.flatMap((rule, id) =>
    rule === undefined
      ? []
      : Array.from({ length: count }, (_, i) => `${id} ${first + i} ${itemsOf(id, first + i).join(',')}`),
  );
}

function readGoldens(name: string): Golden[] {
  const [, ...sections] = readFileSync(new URL(name, FOLDER), 'utf8').split('$ ');
  return sections.map((section) => {
    const [command, ...lines] = section.trimEnd().split('\n') as [string, ...string[]];
    return { command, lines, ...readCommand(command.split(' ')) };
  });
}

function readCommand(words: readonly string[]): Omit<Golden, 'command' | 'lines'> {
  const tunables: Partial<Record<keyof CrushTunables, number>> = {};
  const weights = new Map<number, number>();
  const numbers = new Map<string, number>();
  words.forEach((word, i) => {
    const value = Number(words[i + 1]);
    const tunable = TUNABLE_OPTIONS[word];
    if (tunable !== undefined) tunables[tunable] = value;
    else if (word === '--weight') weights.set(value, Number(words[i + 2]));
    else numbers.set(word, value);
  });
  const stored = readCrushBinary(readFileSync(new URL(words[words.indexOf('-i') + 1]!, FOLDER)));
  const map = { ...stored, tunables: { ...stored.tunables, ...tunables } };
  const first = numbers.get('--min-x')!;
  return {
    map,
    size: numbers.get('--num-rep')!,
    first,
    count: numbers.get('--max-x')! - first + 1,
    pool: numbers.get('--pool-id'),
    reweights: testerReweights(map, weights),
  };
}
