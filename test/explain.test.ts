/**
 * An explanation comes to the kernel's result, for every PG and every input: of random maps, of the maps carried
 * here, and of all maps of the corpus; and what it says on the way is what happens.
 *
 * CRUSH_PROPERTY_SEED repeats a run, CRUSH_PROPERTY_RUNS makes it longer.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { explainPg, explainRule, type ExplainRequest, type PgTrace } from '../src/analysis/explain.ts';
import { ITEM_NONE, type CrushMap } from '../src/crush/model.ts';
import { CrushError } from '../src/errors.ts';
import { readMap } from '../src/formats/detect.ts';
import { CrushMapper } from '../src/kernel/crush-mapper.ts';
import type { OsdMap, PgTable } from '../src/osdmap/model.ts';
import { PgMapper, type PgMapping } from '../src/osdmap/pg-mapper.ts';
import { CORPUS, corpus, fixture } from './fixtures.ts';
import { Random } from './random.ts';
import { randomMap } from './random-map.ts';
import { randomOsdMap } from './random-osdmap.ts';

const SEED = Number(process.env.CRUSH_PROPERTY_SEED ?? Date.now() % 1_000_000_000);
const RUNS = Number(process.env.CRUSH_PROPERTY_RUNS ?? 60);
console.log(`explain: CRUSH_PROPERTY_SEED=${SEED} CRUSH_PROPERTY_RUNS=${RUNS}`);

/** Inputs of a CRUSH map's rule that are compared. */
const INPUTS = 200;
/** About so many PGs of a map carried here are compared; of the corpus, all. */
const FEW_PGS = 100;
/** Fewer for maps that make each of them expensive. */
const FEW_INPUTS = 12;

/** What a mapper gives, or the code of its error. */
function outcome<T>(map: () => T): T | string {
  try {
    return map();
  } catch (error) {
    if (error instanceof CrushError) return error.code;
    throw error;
  }
}

/** Building what a failure prints takes longer than all the rest, so it is built for failures only. */
function expectSame(what: string, ours: unknown, theirs: unknown): void {
  if (JSON.stringify(ours) !== JSON.stringify(theirs)) expect({ what, ours }).toEqual({ what, ours: theirs });
}

function expectSameMapping(mapper: CrushMapper, map: CrushMap, request: ExplainRequest, what: string): void {
  const { x, ...asked } = request;
  const theirs = outcome(() => {
    const { items, lengths } = mapper.mapRange({ ...asked, first: x, count: 1 });
    return [...items.subarray(0, lengths[0])];
  });
  const { rule, size } = request;
  expectSame(
    `${what}, rule ${rule}, x ${x}, size ${size}`,
    outcome(() => explainRule(map, request).result),
    theirs,
  );
}

/** Compares one PG in so many. */
function expectSamePgs(map: OsdMap, what: string, share = 1): void {
  const mapper = new PgMapper(map);
  const sets = (mapping: PgMapping | PgTrace): object => {
    const { raw, rawPrimary, up, upPrimary, acting, actingPrimary } = mapping;
    return { raw, rawPrimary, up, upPrimary, acting, actingPrimary };
  };
  for (const { id, pgNum } of map.pools.values()) {
    for (let ps = 0; ps < pgNum; ps += share) {
      expectSame(
        `${what}, PG ${id}.${ps.toString(16)}`,
        outcome(() => sets(explainPg(map, { pool: id, ps }))),
        outcome(() => sets(mapper.mapPg(id, ps))),
      );
    }
  }
}

describe('random maps', () => {
  test.each([
    ['classic rules', false],
    ['MSR rules', true],
  ])('%s', (_, msr) => {
    for (let run = 0; run < RUNS; run++) {
      const seed = SEED + run;
      const map = randomMap(seed, { limits: 'any', msr });
      const mapper = new CrushMapper(map);
      const random = new Random(~seed);
      const reweights = randomReweights(random, map);
      const chooseArgs = random.pick([undefined, 12345, ...map.chooseArgs.keys()]);
      for (let rule = 0; rule <= map.rules.length; rule++) {
        const size = random.pick([0, 1, 3, 3, 6, random.between(7, 20)]);
        const x = random.pick([0, 0x7fff_ffff, -1, 0xffff_ffff, random.word()]);
        expectSameMapping(mapper, map, { rule, x, size, reweights, chooseArgs }, `map ${seed}`);
      }
    }
  });

  test('OSDMaps', () => {
    for (let run = 0; run < RUNS / 20; run++) {
      const seed = SEED + run;
      const random = new Random(seed);
      const crush = randomMap(seed, { limits: 'any', msr: random.chance(0.3) });
      expectSamePgs(eventful(random, crush), `map ${seed}`);
    }
  });
});

describe('maps carried here', () => {
  const osdMaps = ['a', 'b', 'c', 'd'].map((name) => `cluster-10osd/${name}.osdmap`);

  test.each([...osdMaps, 'cluster-8osd/osdmap', 'simple3.osdmap'])('%s', (name) => {
    const map = osdMapOf(fixture(name));
    const pgs = [...map.pools.values()].reduce((sum, { pgNum }) => sum + pgNum, 0);
    expectSamePgs(map, name, Math.ceil(pgs / FEW_PGS));
  });

  test.each(['msr_s', 's', 'classes', 'algorithms-v0', 'algorithms-v1', 'cluster-8osd'])('%s', (name) => {
    const map = crushMapOf(fixture(`crushmaps/${name}.crushmap`));
    expectSameInputs(map, name, FEW_INPUTS);
  });
});

describe.skipIf(CORPUS === undefined)('maps of the corpus', () => {
  const osdMaps = CORPUS === undefined ? [] : filesOf('osdmap-corpus', /\.osdmap$/);
  const crushMaps = CORPUS === undefined ? [] : filesOf('crushmap-corpus', /^[0-9a-f]{32}$/);
  const benchMaps = CORPUS === undefined ? [] : filesOf('bench-maps', /\.crushmap$/);

  test('there are some', () => {
    expect(osdMaps.length).toBeGreaterThan(50);
    expect(benchMaps.length).toBeGreaterThan(5);
  });

  test.each(osdMaps)('every PG of %s', (name) => {
    expectSamePgs(osdMapOf(new Uint8Array(readFileSync(corpus(name)))), name);
  });

  test('a PG of 10,080 OSDs is explained in less than 10 ms', () => {
    const map = crushMapOf(new Uint8Array(readFileSync(corpus('bench-maps/l.crushmap'))));
    expect(map.maxDevices).toBe(10_080);
    explainRule(map, { rule: 0, x: 0, size: 3 });
    const times = Array.from({ length: 99 }, (_, x) => {
      const start = performance.now();
      explainRule(map, { rule: 0, x, size: 3 });
      return performance.now() - start;
    });
    expect(times.sort((a, b) => a - b)[49]).toBeLessThan(10);
  });

  test.each([...crushMaps, ...benchMaps])('rules of %s', (name) => {
    expectSameInputs(crushMapOf(new Uint8Array(readFileSync(corpus(name)))), name, INPUTS);
  });
});

function filesOf(folder: string, name: RegExp): string[] {
  return readdirSync(corpus(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();
}

/** All rules, for some inputs and sizes, with all devices in and with some out. */
function expectSameInputs(map: CrushMap, what: string, inputs: number): void {
  const mapper = new CrushMapper(map);
  const random = new Random(1);
  const someOut = Uint32Array.from({ length: map.maxDevices }, () =>
    random.chance(0.8) ? 0x10000 : random.pick([0, 0x8000]),
  );
  const chooseArgs = [...map.chooseArgs.keys()][0];
  map.rules.forEach((rule, id) => {
    if (rule === undefined) return;
    for (let x = 0; x < inputs; x++) {
      const size = [3, 3, 6, 11][x % 4]!;
      const reweights = x % 2 === 0 ? undefined : someOut;
      expectSameMapping(mapper, map, { rule: id, x, size, reweights, chooseArgs }, what);
    }
  });
}

function osdMapOf(bytes: Uint8Array): OsdMap {
  const file = readMap(bytes);
  if (file.kind !== 'osdmap') throw new Error('not an OSDMap');
  return file.map;
}

function crushMapOf(bytes: Uint8Array): CrushMap {
  const file = readMap(bytes);
  if (file.kind !== 'crushmap') throw new Error('not a CRUSH map');
  return file.map;
}

/** Devices in, half in, hardly in and out; at times fewer or more reweights than devices, or none given. */
function randomReweights(random: Random, map: CrushMap): Uint32Array | undefined {
  if (random.chance(0.3)) return undefined;
  const length = random.chance(0.2) ? random.below(map.maxDevices + 3) : map.maxDevices;
  const share = random.pick([0.1, 0.5, 1]);
  return Uint32Array.from({ length }, () => {
    if (!random.chance(share)) return 0x10000;
    return random.pick([0, 0, 1, 0x8000, 0xffff, 0x10001, random.word(), random.below(0x10000)]);
  });
}

/** A random OSDMap whose OSDs are those of the CRUSH map, most of them up, with an exception for every third PG. */
function eventful(random: Random, crush: CrushMap): OsdMap {
  const map = randomOsdMap(random, crush);
  const maxOsd = Math.max(1, crush.maxDevices + random.pick([0, 0, -2, 3]));
  const osd = (): number => random.below(maxOsd + (random.chance(0.05) ? 3 : 0));
  const osds = (): number[] =>
    Array.from({ length: random.between(1, 5) }, () => (random.chance(0.05) ? ITEM_NONE : osd()));
  const table = <T>(make: () => T): PgTable<T> =>
    new Map(
      [...map.pools.values()].map(({ id, pgNum }) => {
        const seeds = Array.from({ length: pgNum }, (_, ps) => ps).filter(() => random.chance(0.3));
        return [id, new Map(seeds.map((ps) => [ps, make()]))];
      }),
    );
  const hasAffinity = random.chance(0.5);
  return {
    ...map,
    maxOsd,
    osdState: Uint32Array.from({ length: maxOsd }, () => random.pick([0, 1, 3, 3, 3, 3, 3, 3])),
    osdWeight: Uint32Array.from({ length: maxOsd }, () =>
      random.pick([0, 0x8000, 0x10000, 0x10000, 0x10000]),
    ),
    osdPrimaryAffinity: hasAffinity
      ? Uint32Array.from({ length: maxOsd }, () => random.pick([0, 0x4000, 0xc000, 0x10000, 0x10000]))
      : undefined,
    pgUpmap: random.chance(0.5) ? table(osds) : new Map(),
    pgUpmapItems: table(() => Array.from({ length: random.between(1, 3) }, () => [osd(), osd()] as const)),
    pgUpmapPrimaries: table(osd),
    pgTemp: random.chance(0.5) ? table(osds) : new Map(),
    primaryTemp: table(() => (random.chance(0.1) ? -1 : osd())),
  };
}
