/**
 * MSR rules, which crushtool 16 cannot run, against mappings of Ceph's own newer mapper: some carried here, more
 * in the corpus.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { CrushMap } from '../src/crush/model.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import { CORPUS, corpus, fixture, fixtureText } from './fixtures.ts';
import { referenceMap } from './reference/mapper.ts';

/** Mappings to expect. */
interface Section {
  readonly rule: number;
  readonly size: number;
  readonly reweighted: boolean;
  readonly mappings: readonly { readonly x: number; readonly items: number[] }[];
}

/** Of the corpus the reference maps one line in this many. */
const REFERENCE_SHARE = 10;

describe('MSR mappings carried here', () => {
  const map = readCrushBinary(fixture('crushmaps/msr_s.crushmap'));
  const sections = readSections(fixtureText('crushmaps/msr_s.expected.txt'));

  test.each(['reference', 'kernel'] as const)('%s', (mapper) => {
    expect(sections).toHaveLength(16);
    for (const section of sections) check(map, section, mapper);
  });
});

describe.skipIf(CORPUS === undefined)('MSR mappings of the corpus', () => {
  const names = CORPUS === undefined ? [] : readdirSync(corpus('bench-maps'));
  const files = names.filter((name) => /^msr_.*\.txt$/.test(name));

  test.each(files)('%s', (name) => {
    const [, mapName, rule, size, out] = /^(\w+)\.rule(\d+)\.rep(\d+)(\.out)?\.txt$/.exec(name)!;
    const map = readCrushBinary(readFileSync(corpus('bench-maps', `${mapName}.crushmap`)));
    const lines = readFileSync(corpus('bench-maps', name), 'utf8').trimEnd().split('\n');
    const section = {
      rule: Number(rule),
      size: Number(size),
      reweighted: out !== undefined,
      mappings: lines.map((line) => readMapping(line.replace(/^CRUSH rule \d+ x (\d+) \[(.*)\]$/, '$1 $2'))),
    };
    expect(section.mappings.length).toBeGreaterThanOrEqual(200);
    check(map, section, 'kernel');
    const some = section.mappings.filter((_, i) => i % REFERENCE_SHARE === 0);
    check(map, { ...section, mappings: some }, 'reference');
  });
});

function check(map: CrushMap, section: Section, by: 'reference' | 'kernel'): void {
  const { rule, size, mappings } = section;
  const reweights = new Uint32Array(map.maxDevices).fill(0x10000);
  if (section.reweighted) {
    reweights[0] = 0;
    reweights[13] = 0;
    reweights[14] = 0x4000;
    reweights[5] = 0x8000;
  }
  const mapper = new CrushMapper(map);
  for (const { x, items } of mappings) {
    let mapped: number[];
    if (by === 'reference') {
      mapped = referenceMap(map, { rule, x, size, reweights });
    } else {
      const columns = mapper.mapRange({ rule, size, reweights, first: x, count: 1 });
      mapped = [...columns.items.subarray(0, columns.lengths[0])];
    }
    expect(mapped, `${by}, rule ${rule}, size ${size}, x ${x}`).toEqual(items);
  }
}

/** Sections of the carried file: `rule R size S all-in|reweighted`, then lines of x and items. */
function readSections(text: string): Section[] {
  const [, ...sections] = text.split(/^rule /m);
  return sections.map((section) => {
    const [head, ...lines] = section.trimEnd().split('\n') as [string, ...string[]];
    const [rule, , size, weights] = head.split(' ');
    return {
      rule: Number(rule),
      size: Number(size),
      reweighted: weights === 'reweighted',
      mappings: lines.map(readMapping),
    };
  });
}

function readMapping(line: string): { x: number; items: number[] } {
  const [x, items] = line.split(' ') as [string, string];
  return { x: Number(x), items: items.split(',').map(Number) };
}
