/** What an explanation tells on the way to its result: draws, collisions, rejections, tries, exceptions. */
import { describe, expect, test } from 'vitest';
import {
  explainObject,
  explainPg,
  explainRule,
  type Attempt,
  type BucketDraw,
  type ChooseTrace,
  type PlaceTrace,
  type RuleTrace,
} from '../src/analysis/explain.ts';
import { BUCKET_ALGORITHM, ITEM_NONE, RULE_OP, type CrushMap } from '../src/crush/model.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { POOL_FLAG, type OsdMap, type PgTable } from '../src/osdmap/model.ts';
import { PgMapper } from '../src/osdmap/pg-mapper.ts';
import { fixture } from './fixtures.ts';
import { randomMap } from './random-map.ts';
import { drawItem } from './reference/buckets.ts';
import { hash32 } from './reference/hash.ts';
import { crushLn } from './reference/ln.ts';
import { chooseRule, clusterMap, hostMap } from './small-maps.ts';

function chooseSteps(trace: RuleTrace): ChooseTrace[] {
  return trace.steps.filter((step) => step.kind === 'choose');
}

function placesOf(trace: RuleTrace): PlaceTrace[] {
  return chooseSteps(trace).flatMap(({ choices }) => choices.flatMap(({ places }) => places));
}

function attemptsOf(trace: RuleTrace): Attempt[] {
  return placesOf(trace).flatMap(({ attempts }) => attempts);
}

/** The first input whose trace has what is looked for. */
function firstWith<T>(trace: (x: number) => RuleTrace, find: (trace: RuleTrace) => T | undefined): T {
  for (let x = 0; x < 2000; x++) {
    const found = find(trace(x));
    if (found !== undefined) return found;
  }
  throw new Error('no input has it');
}

describe('draws', () => {
  test('of straw2: hash, logarithm, quotient; the greatest wins', () => {
    const map = hostMap(BUCKET_ALGORITHM.straw2, [0x10000, 0, 0x30000, 0x18000]);
    const [draw] = attemptsOf(explainRule(map, { rule: 0, x: 77, size: 1 }, { draws: 'all' }))[0]!.draws;
    if (draw?.method !== 'straw2') throw new Error('not a straw2 draw');
    expect(draw.all).toHaveLength(4);
    for (const { id, u, ln, weight, draw: value } of draw.all!) {
      expect(u).toBe(hash32(77, id, draw.r) & 0xffff);
      expect(BigInt(ln)).toBe(crushLn(u) - (1n << 48n));
      expect(value).toBe(weight === 0 ? null : Number(BigInt(ln) / BigInt(weight)));
    }
    const best = [...draw.all!].sort((a, b) => (b.draw ?? -Infinity) - (a.draw ?? -Infinity));
    expect([draw.winner, draw.runnerUp]).toEqual(best.slice(0, 2));
    expect(draw.item).toEqual({ id: best[0]!.id, name: `osd.${best[0]!.id}` });
  });

  test.each(Object.entries(BUCKET_ALGORITHM))(
    'of %s buckets give what the reference draws',
    (_, algorithm) => {
      const weights = [0x10000, 0x20000, 0x18000, 0x10000, 0x40000];
      const map = hostMap(algorithm, weights);
      const methods = new Set<string>();
      for (let x = 0; x < 60; x++) {
        for (const draws of ['best', 'all'] as const) {
          for (const draw of attemptsOf(explainRule(map, { rule: 1, x, size: 3 }, { draws })).flatMap(
            (a) => a.draws,
          )) {
            methods.add(draw.method);
            expect(draw.item.id).toBe(drawItem(map.buckets[0]!, x, draw.r, undefined, 0));
            expectDecided(draw);
          }
        }
      }
      const name = Object.keys(BUCKET_ALGORITHM)[algorithm - 1]!;
      expect([...methods]).toEqual([name === 'uniform' ? 'permutation' : name]);
    },
  );

  test('by choose_args name the ids that are hashed and the weight set', () => {
    const plain = hostMap(BUCKET_ALGORITHM.straw2, [0x10000, 0x10000, 0x10000]);
    const weightSet = [Uint32Array.from([0x10000, 0, 0]), Uint32Array.from([0, 0x20000, 0])];
    const args = new Map([[-1, { weightSet, ids: Int32Array.from([100, 101, 102]) }]]);
    const map: CrushMap = { ...plain, chooseArgs: new Map([[7, args]]) };
    const trace = explainRule(map, { rule: 0, x: 3, size: 3, chooseArgs: 7 });
    expect(trace.chooseArgs).toBe(7);
    const [first, second] = placesOf(trace).map(({ attempts }) => attempts.at(-1)!.draws[0]!);
    expect(first).toMatchObject({ weightSet: 0, winner: { id: 0, hashedId: 100, weight: 0x10000 } });
    expect(second).toMatchObject({ weightSet: 1, winner: { id: 1, hashedId: 101, weight: 0x20000 } });
    expect(explainRule(map, { rule: 0, x: 3, size: 3, chooseArgs: 8 }).chooseArgs).toBeUndefined();
  });
});

/** The winner is the one that the recorded numbers make win. */
function expectDecided(draw: BucketDraw): void {
  switch (draw.method) {
    case 'straw':
    case 'straw2':
      expect(draw.winner.draw ?? -Infinity).toBeGreaterThanOrEqual(draw.runnerUp?.draw ?? -Infinity);
      return;
    case 'list':
      expect(draw.winner.draw < draw.winner.weight).toBe(!draw.byDefault);
      if (draw.runnerUp !== undefined)
        expect(draw.runnerUp.draw).toBeGreaterThanOrEqual(draw.runnerUp.weight);
      return;
    case 'tree':
      for (const { point, leftWeight, turn } of draw.turns) expect(turn === 'left').toBe(point < leftWeight);
      return;
    case 'permutation':
      expect(draw.place).toBe((draw.r >>> 0) % draw.size);
      if (draw.swap !== undefined)
        expect(draw.swap.with).toBe(draw.place + (draw.swap.hash % (draw.size - draw.place)));
  }
}

describe('descents', () => {
  test('have the ids of every bucket on the way, each in the one before', () => {
    for (let seed = 0; seed < 40; seed++) {
      const map = randomMap(seed, { limits: 'binary' });
      for (const [rule, each] of map.rules.entries()) {
        if (each === undefined) continue;
        for (const attempt of attemptsOf(explainRule(map, { rule, x: seed, size: 4 }))) {
          for (const { path, draws, item } of [attempt, ...(attempt.leaf?.attempts ?? [])]) {
            for (const [i, id] of path.slice(1).entries()) {
              expect(map.buckets[-1 - path[i]!]?.items).toContain(id);
            }
            if (item !== undefined) expect(path.at(-1)).toBe(item.id);
            expect(path.slice(-1 - draws.length, -1)).toEqual(draws.map(({ bucket }) => bucket.id));
          }
        }
      }
    }
  });

  test('that collide name the place of the item, and are made again from the top', () => {
    const map = clusterMap(4, 2);
    const { trace, place } = firstWith(
      (x) => explainRule(map, { rule: 0, x, size: 3 }),
      (each) => {
        const found = placesOf(each).find(({ attempts }) => attempts[0]!.verdict.code === 'collision');
        return found && { trace: each, place: found };
      },
    );
    const [first, second] = place.attempts;
    if (first?.verdict.code !== 'collision') throw new Error('not a collision');
    expect(placesOf(trace)[first.verdict.place]!.item).toEqual(first.item);
    expect([first.kind, first.next, second!.kind, second!.failures]).toEqual([
      'first',
      'descent',
      'descent',
      1,
    ]);
    expect(second!.draws[0]!.r).toBe(first.draws[0]!.r + 1);
  });

  test('retry locally and search exhaustively under the tunables of old', () => {
    const map = clusterMap(3, 4);
    const old: CrushMap = {
      ...map,
      tunables: {
        ...map.tunables,
        chooseLocalTries: 2,
        chooseLocalFallbackTries: 5,
        chooseleafDescendOnce: 0,
      },
    };
    const reweights = new Uint32Array(12).fill(0x10000).fill(0, 0, 4);
    const kinds = new Set<string>();
    const methods = new Set<string>();
    for (let x = 0; x < 50; x++) {
      const trace = explainRule(old, { rule: 0, x, size: 3, reweights });
      for (const attempt of attemptsOf(trace).flatMap((each) => [each, ...(each.leaf?.attempts ?? [])])) {
        kinds.add(attempt.kind);
        for (const { method } of attempt.draws) methods.add(method);
      }
    }
    expect([...kinds].sort()).toEqual(['descent', 'exhaustive', 'first', 'local']);
    expect([...methods].sort()).toEqual(['permutation', 'straw2']);
  });

  test('end in tries that are used up, of the place and of the device below', () => {
    const map = clusterMap(2, 2);
    const trace = explainRule(map, { rule: 0, x: 1, size: 3 });
    const [step] = chooseSteps(trace);
    const last = placesOf(trace).at(-1)!;
    expect(step!.tries).toBe(51);
    expect([last.gaveUp, last.failures, last.item]).toEqual(['tries-used-up', 51, undefined]);
    expect(last.attempts.at(-1)!.next).toBe('tries-used-up');
    expect(trace.result).toHaveLength(2);

    const allOut = explainRule(map, { rule: 0, x: 1, size: 1, reweights: new Uint32Array(4) });
    const [attempt] = attemptsOf(allOut);
    expect(attempt!.verdict.code).toBe('no-leaf');
    expect(attempt!.leaf).toMatchObject({ tries: 1, gaveUp: 'tries-used-up' });
    expect(attempt!.leaf!.attempts[0]!.verdict).toEqual({
      code: 'out',
      reweighing: { reweight: 0, isOut: true },
    });
  });

  test('give up at once at a device where a bucket is wanted', () => {
    const map = hostMap(BUCKET_ALGORITHM.straw2, [0x10000, 0x10000]);
    const withRack: CrushMap = { ...map, rules: [chooseRule(0, -1, RULE_OP.chooseFirstn, 3)] };
    const [place] = placesOf(explainRule(withRack, { rule: 0, x: 1, size: 1 }));
    expect(place).toMatchObject({ gaveUp: 'hopeless', attempts: [{ verdict: { code: 'wrong-type' } }] });
  });

  test('start below a bucket at an r that vary_r makes from the one above', () => {
    const map = clusterMap(4, 4);
    const parentRs = (chooseleafVaryR: number): number[] => {
      const varied: CrushMap = { ...map, tunables: { ...map.tunables, chooseleafVaryR } };
      const trace = explainRule(varied, { rule: 0, x: 9, size: 3 });
      return placesOf(trace).map(({ attempts }) => attempts.at(-1)!.leaf!.parentR);
    };
    const rs = placesOf(explainRule(map, { rule: 0, x: 9, size: 3 })).map(
      ({ attempts }) => attempts.at(-1)!.draws[0]!.r,
    );
    expect(parentRs(1)).toEqual(rs);
    expect(parentRs(0)).toEqual([0, 0, 0]);
  });
});

describe('devices', () => {
  test('that are partly in are judged by a hash', () => {
    const map = hostMap(BUCKET_ALGORITHM.straw2, [0x10000, 0x10000, 0x10000]);
    const reweights = new Uint32Array(3).fill(0x8000);
    const codes = new Set<string>();
    for (let x = 0; x < 20; x++) {
      for (const { verdict, item } of attemptsOf(explainRule(map, { rule: 0, x, size: 3, reweights }))) {
        if (verdict.code !== 'out' && verdict.code !== 'chosen') continue;
        const hash = hash32(x, item!.id) & 0xffff;
        const isOut = hash >= 0x8000;
        expect(verdict).toEqual({
          code: isOut ? 'out' : 'chosen',
          reweighing: { reweight: 0x8000, hash, isOut },
        });
        codes.add(verdict.code);
      }
    }
    expect([...codes].sort()).toEqual(['chosen', 'out']);
  });

  test('of a class are all that a shadow bucket has', () => {
    const map = readOsdMapBinary(fixture('cluster-10osd/d.osdmap'));
    const { crush } = explainPg(map, '2.5');
    expect(crush.steps[0]).toMatchObject({
      kind: 'take',
      text: 'take default class hdd',
      item: { name: 'default~hdd' },
      shadow: { of: { id: -1, name: 'default' }, class: 'hdd', devices: 5, allDevices: 10 },
    });
  });

  test('that chooseleaf indep found out may be left at their place', () => {
    const map: CrushMap = {
      ...hostMap(BUCKET_ALGORITHM.straw2, [0x10000, 0x10000]),
      rules: [chooseRule(0, -1, RULE_OP.chooseleafIndep, 0)],
    };
    const trace = explainRule(map, { rule: 0, x: 1, size: 1, reweights: new Uint32Array(2) });
    const [place] = placesOf(trace);
    expect(place!.item).toBeUndefined();
    expect(trace.result).toEqual([place!.leftBehind!.id]);
  });
});

describe('MSR rules', () => {
  const map = readCrushBinary(fixture('crushmaps/msr_s.crushmap'));

  test('fill strides of places, and try again for those whose device is out', () => {
    const reweights = new Uint32Array(map.maxDevices).fill(0x10000);
    const first = explainRule(map, { rule: 5, x: 5, size: 11, reweights }).result;
    reweights[first[4]!] = 0;
    const trace = explainRule(map, { rule: 5, x: 5, size: 11, reweights });
    const [block] = trace.steps;
    if (block?.kind !== 'msr-block') throw new Error('not a block');
    expect(block).toMatchObject({ width: 12, from: 0, to: 11, tries: 100, made: 2 });
    const strides = block.descents[0]!.strides[1]!.below!;
    expect(strides.map(({ outcome }) => outcome)).toEqual(['chosen', 'out', 'chosen']);
    expect(block.descents.map(({ filled }) => filled)).toEqual([10, 1]);
    expect(block.descents[1]!.strides).toHaveLength(1);
    expect(trace.result.filter((item, i) => item !== first[i])).toHaveLength(1);
  });

  test('of another form map to nothing, and it is said why', () => {
    const [take, , osd, emit] = map.rules[5]!.steps;
    const odd = { ...map.rules[5]!, steps: [take!, { ...osd!, op: RULE_OP.chooseFirstn }, emit!] };
    const trace = explainRule({ ...map, rules: [odd] }, { rule: 0, x: 1, size: 3 });
    expect([trace.result, trace.malformed]).toEqual([[], 'step 1 should be a choosemsr']);
  });
});

describe('a PG', () => {
  const map = readOsdMapBinary(fixture('cluster-10osd/a.osdmap'));
  const calm: OsdMap = {
    ...map,
    osdState: new Uint32Array(map.maxOsd).fill(3),
    osdWeight: new Uint32Array(map.maxOsd).fill(0x10000),
    osdPrimaryAffinity: undefined,
    pgTemp: new Map(),
    primaryTemp: new Map(),
    pgUpmap: new Map(),
    pgUpmapItems: new Map(),
  };
  const pool = new PgMapper(calm).pool('rep').id;
  const pg = { pool, ps: 3 };
  const [a, b, c] = explainPg(calm, pg).raw as [number, number, number];
  const [p, q] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter((osd) => ![a, b, c].includes(osd)) as [number, number];

  function table<T>(value: T): PgTable<T> {
    return new Map([[pool, new Map([[3, value]])]]);
  }

  function withOsd(osd: number, state: number, weight: number): Pick<OsdMap, 'osdState' | 'osdWeight'> {
    return { osdState: calm.osdState.with(osd, state), osdWeight: calm.osdWeight.with(osd, weight) };
  }

  test('that nothing is laid over has no overlay', () => {
    expect(explainPg(calm, pg).overlay).toEqual([]);
  });

  test('tells which upmaps were applied, and why others were not', () => {
    const items = table([
      [a, b],
      [b, q],
      [p, p],
      [q, p],
      [c, p],
    ] as const);
    const [step] = explainPg({ ...calm, ...withOsd(q, 3, 0), pgUpmapItems: items }, pg).overlay;
    if (step?.kind !== 'upmap-items') throw new Error('no upmap items');
    expect(step.pairs.map(({ result }) => result)).toEqual([
      'target-in-set',
      'target-out',
      'source-not-in-set',
      'source-not-in-set',
      'applied',
    ]);
    expect(step.set).toEqual([a, b, p]);

    const whole = {
      ...calm,
      ...withOsd(q, 3, 0),
      pgUpmap: table([p, q, a]),
      pgUpmapItems: table([[a, p]] as const),
    };
    expect(explainPg(whole, pg).overlay).toEqual([
      { kind: 'upmap', osds: [p, q, a], applied: false, out: [q], set: [a, b, c] },
      { kind: 'upmap-items', pairs: [{ from: a, to: p, result: 'upmap-ignored' }], set: [a, b, c] },
    ]);
    expect(explainPg({ ...calm, pgUpmap: table([p, q, a]) }, pg).overlay).toEqual([
      { kind: 'upmap', osds: [p, q, a], applied: true, out: [], set: [p, q, a] },
    ]);
  });

  test.each([
    ['applied', c, [c, b, a]],
    ['first-already', a, [a, b, c]],
    ['not-in-set', p, [a, b, c]],
    ['no-such-osd', 4711, [a, b, c]],
  ])('tells of an upmap primary: %s', (result, osd, set) => {
    const [step] = explainPg({ ...calm, pgUpmapPrimaries: table(osd) }, pg).overlay;
    expect(step).toEqual({ kind: 'upmap-primary', osd, result, set });
  });

  test('tells of OSDs that are down or gone', () => {
    expect(explainPg({ ...calm, ...withOsd(b, 1, 0x10000) }, pg).overlay).toEqual([
      { kind: 'down', removed: [b], set: [a, c] },
    ]);
    expect(explainPg({ ...calm, ...withOsd(b, 0, 0x10000) }, pg).overlay).toEqual([
      { kind: 'exists', removed: [b], set: [a, c] },
    ]);
  });

  test('tells which OSDs primary affinity passed over', () => {
    const osdPrimaryAffinity = new Uint32Array(map.maxOsd).fill(0x10000).with(a, 0);
    const { overlay, seed } = explainPg({ ...calm, osdPrimaryAffinity }, pg);
    expect(overlay).toEqual([
      {
        kind: 'affinity',
        asked: [
          { osd: a, affinity: 0, hash: hash32(seed.x, a) >>> 16, accepts: false },
          { osd: b, affinity: 0x10000, accepts: true },
        ],
        byDefault: false,
        primary: b,
        set: [b, a, c],
      },
    ]);
  });

  test('tells of temps', () => {
    const gone = { ...calm, ...withOsd(q, 1, 0x10000), pgTemp: table([p, q]), primaryTemp: table(c) };
    expect(explainPg(gone, pg).overlay).toEqual([
      { kind: 'pg-temp', osds: [p, q], removed: [q], applied: true, reordered: false, set: [p] },
      { kind: 'primary-temp', osd: c, applied: true },
    ]);
    expect(explainPg(gone, pg)).toMatchObject({ acting: [p], actingPrimary: c });
  });

  test('beyond pg_num is that which its seed folds to', () => {
    const { pgid, seed, up } = explainPg(calm, `${pool}.c3`);
    expect(pgid).toEqual(pg);
    expect(seed).toMatchObject({ asked: 0xc3, ps: 3, folded: 3, pgNum: 64, hashpspool: true });
    expect(up).toEqual([a, b, c]);
  });

  test('of a pool without hashpspool has the sum as its input', () => {
    const old = { ...calm.pools.get(pool)!, flags: calm.pools.get(pool)!.flags & ~POOL_FLAG.hashpspool };
    const { seed } = explainPg({ ...calm, pools: new Map([[pool, old]]) }, pg);
    expect(seed).toMatchObject({ hashpspool: false, x: 3 + pool });
  });

  test('of an object comes from its hash', () => {
    const mapped = new PgMapper(calm).mapObject('rep', { name: 'foo', namespace: 'ns', key: 'k' });
    const { object, pgid } = explainObject(calm, 'rep', { name: 'foo', namespace: 'ns', key: 'k' });
    expect(pgid).toEqual(mapped.pgid);
    expect(object).toEqual({
      name: 'foo',
      namespace: 'ns',
      key: 'k',
      algorithm: 'rjenkins',
      hash: mapped.hash,
      ps: mapped.pgid.ps,
    });
    expect(explainObject(calm, pool, new TextEncoder().encode('foo')).object?.name).toBe('foo');
  });

  test('of a pool without a rule maps to nothing', () => {
    const trace = explainPg({ ...calm, crush: { ...calm.crush, rules: [] } }, pg);
    expect([trace.crush.rule.type, trace.crush.steps, trace.acting]).toEqual([undefined, [], []]);
  });

  test.each([
    ['1', /'1' is not a PG; one looks like 4\.1f/],
    ['1.0x3', /not a PG/],
    ['99.1', /there is no pool 99; the map has 1 'rep'/],
  ])('that is none is refused: %s', (pgid, message) => {
    expect(() => explainPg(calm, pgid)).toThrow(message);
  });
});

describe('bounds', () => {
  const map = clusterMap(2, 2);

  test('attempts beyond the limit are counted, and the last is told', () => {
    const trace = explainRule(map, { rule: 0, x: 1, size: 3 }, { attemptLimit: 5 });
    const last = placesOf(trace).at(-1)!;
    expect([last.failures, last.attempts.length + last.omitted]).toEqual([51, 51]);
    expect(last.attempts.length).toBeLessThanOrEqual(6);
    expect(last.attempts.at(-1)!.next).toBe('tries-used-up');
  });

  test('too much work is an error', () => {
    const asked = (): RuleTrace => explainRule(map, { rule: 0, x: 1, size: 3 }, { workLimit: 100 });
    expect(asked).toThrow(/drew more than 100 bucket items/);
  });

  test.each([
    [{ rule: 0, x: 0.5, size: 3 }, 'x must be an integer'],
    [{ rule: 0, x: 1, size: -1 }, 'size must be an integer'],
    [{ rule: -2, x: 1, size: 3 }, 'rule must be an integer'],
  ])('a request that is out of range is refused: %j', (request, message) => {
    expect(() => explainRule(map, request)).toThrow(message);
  });

  test('another kind of map is refused', () => {
    const osdMap = readOsdMapBinary(fixture('simple3.osdmap')) as unknown as CrushMap;
    expect(() => explainRule(osdMap, { rule: 0, x: 1, size: 3 })).toThrow('give it osdMap.crush');
    expect(() => explainPg(map as unknown as OsdMap, '1.0')).toThrow('a CRUSH map, which has no pools');
  });

  test('holes are ITEM_NONE', () => {
    expect(explainRule(map, { rule: 1, x: 1, size: 3 }).result).toContain(ITEM_NONE);
  });
});
