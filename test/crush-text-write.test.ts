/** CRUSH maps as text: what `crushtool -d` prints. */
import { describe, expect, it, test } from 'vitest';
import { CrushError } from '../src/errors.ts';
import { RULE_OP, type CrushMap } from '../src/crush/model.ts';
import { decompileCrush, writeCrushText } from '../src/formats/crush-text-write.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readCrushText } from '../src/formats/crushmap-text.ts';
import { fixture, fixtureText } from './fixtures.ts';

const msr = readCrushBinary(fixture('crushmaps/msr_s.crushmap'));

/** Lines of the text of a map that has one device of a weight, in a straw2 bucket. */
function linesWithWeight(weight: number, release?: number): string[] {
  const map = readCrushText('device 0 osd.0\ntype 0 osd\ntype 1 root\nroot r { alg straw2 item osd.0 }\n');
  const bucket = { ...map.buckets[0]!, weight, itemWeights: Uint32Array.of(weight) };
  const text = writeCrushText({ ...map, buckets: [bucket] }, release === undefined ? {} : { release });
  return text.split('\n').filter((line) => line.includes('weight '));
}

function failure(map: CrushMap): CrushError {
  try {
    writeCrushText(map);
  } catch (error) {
    if (error instanceof CrushError) return error;
    throw error;
  }
  throw new Error('was written without an error');
}

describe('text of release 16', () => {
  test.each(['classes', 'algorithms-v0', 'cluster-8osd'])('%s is as crushtool has it', (name) => {
    const map = readCrushBinary(fixture(`crushmaps/${name}.crushmap`));
    expect(writeCrushText(map, { release: 16 })).toBe(fixtureText(`crushmaps/${name}.decompiled.txt`));
  });

  it('warns of a ruleset that is not the id', () => {
    const map = readCrushBinary(fixture('crushmaps/s.crushmap'));
    const rules = map.rules.map((rule) => rule && { ...rule, ruleset: 7 });
    const warning = '\tid 0\n\t# WARNING: ruleset 7 != id 0; this will not recompile to the same map\n\ttype';
    expect(writeCrushText({ ...map, rules }, { release: 16 })).toContain(warning);
    expect(writeCrushText({ ...map, rules })).not.toContain('WARNING');
  });

  it('leaves steps out that came later, and gives types as numbers', () => {
    const rule = writeCrushText(msr, { release: 16 }).split('rule msr_firstn_host')[1]?.split('}')[0];
    expect(rule).toBe(
      ' {\n\tid 4\n\ttype 4\n\tmin_size 1\n\tmax_size 64\n\tstep take default\n\tstep emit\n',
    );
  });
});

describe('text of the newest release', () => {
  it('has rules without sizes, and MSR rules and tunables by name', () => {
    const tunables = { ...msr.tunables, msrDescents: 30, msrCollisionTries: 7 };
    const text = writeCrushText({ ...msr, tunables });
    expect(text).toContain('\ntunable msr_descents 30\ntunable msr_collision_tries 7\n\n# devices\n');
    expect(text.split('rule msr_indep_tuned')[1]?.split('}')[0]).toBe(
      ' {\n\tid 6\n\ttype msr_indep\n\tstep set_msr_descents 20\n\tstep set_msr_collision_tries 10\n' +
        '\tstep take default\n\tstep choosemsr 0 type host\n\tstep choosemsr 1 type osd\n\tstep emit\n',
    );
    expect(text).not.toMatch(/min_size|max_size/);
  });

  it('gives the map again, but for weights beyond five decimals', () => {
    const again = readCrushText(writeCrushText(msr));
    expect(again.rules).toEqual(msr.rules.map((rule) => rule && { ...rule, minSize: 1, maxSize: 100 }));
    expect(again.tunables).toEqual(msr.tunables);
    expect(again.itemNames).toEqual(new Map([...msr.itemNames].sort(([a], [b]) => b - a && 0)));
  });
});

describe('weights', () => {
  it.each([
    [0x10000, '1.00000', '1.000'],
    [0, '0.00000', '0.000'],
    [1, '0.00002', '0.000'],
    // Ties go to the even digit: 0.015625, 0.0625, 0.1875.
    [0x400, '0.01562', '0.016'],
    [0x1000, '0.06250', '0.062'],
    [0x3000, '0.18750', '0.188'],
    [0x640000, '100.00000', '100.000'],
    // 24 bits are left of the weight, and the highest bit is a sign.
    [0x7fffffff, '32768.00000', '32768.000'],
    [0xffffffff, '-0.00002', '-0.000'],
    [0x80000000, '-32768.00000', '-32768.000'],
  ])('%i', (weight, newest, pacific) => {
    expect(linesWithWeight(weight)).toEqual([`\t# weight ${newest}`, `\titem osd.0 weight ${newest}`]);
    expect(linesWithWeight(weight, 16)).toEqual([`\t# weight ${pacific}`, `\titem osd.0 weight ${pacific}`]);
  });
});

describe('maps without a text form', () => {
  const map = readCrushText(
    'device 0 osd.0\ntype 0 osd\ntype 1 host\nhost a { id -1 alg straw2 item osd.0 }\n' +
      'host b { id -2 alg straw2 item a }\nrule r { id 0 type replicated step take b step emit }\n',
  );

  it('have a bucket that contains itself; crushtool prints as far as it comes', () => {
    const bucket = { ...map.buckets[0]!, items: Int32Array.of(-2) };
    const cyclic = { ...map, buckets: [bucket, ...map.buckets.slice(1)] };
    expect(failure(cyclic)).toMatchObject({ code: 'invalid-map' });
    const { text, failure: told } = decompileCrush(cyclic);
    expect(text).toMatch(/# buckets\n$/);
    expect(told?.words).toContain('while trying to output bucket -2, we found out');
  });

  it('have a rule that takes what has no name', () => {
    const [rule] = map.rules;
    const rules = [{ ...rule!, steps: [{ op: RULE_OP.take, arg1: 5, arg2: 0 }] }];
    expect(failure({ ...map, rules }).message).toContain('rule 0 takes item 5, which has no name');
    expect(decompileCrush({ ...map, rules }).text).toMatch(/\tstep take $/);
  });

  it('have a rule that takes a shadow of nothing', () => {
    const itemNames = new Map([...map.itemNames, [-2, 'gone~hdd']] as const);
    expect(failure({ ...map, itemNames }).message).toContain("takes 'gone~hdd'");
  });

  it('have a class without a name', () => {
    const classBuckets = new Map([[-1, new Map([[3, -7]])]]);
    expect(failure({ ...map, classBuckets }).message).toContain('device class 3, which has no name');
  });

  it('have a type below 0', () => {
    expect(failure({ ...map, typeNames: new Map([[-1, 'odd']]) }).message).toContain('bucket type -1');
  });

  it('are written although names are missing', () => {
    const text = writeCrushText({ ...map, itemNames: new Map([[-2, 'b']]), typeNames: new Map([[2, 'x']]) });
    expect(text).toContain('# types\ntype 0 osd\ntype 2 x\n');
    expect(text).toContain('type1 bucket0 {\n');
    expect(text).toContain('\titem device0 weight 1.00000\n');
  });

  it('are not those that are deep', () => {
    const hosts = Array.from(
      { length: 20_000 },
      (_, i) => `host h${i} { alg straw2 item ${i === 0 ? 'osd.0' : `h${i - 1}`} }`,
    );
    const deep = readCrushText(`device 0 osd.0\ntype 0 osd\ntype 1 host\n${hosts.join('\n')}\n`);
    expect(writeCrushText(deep).split('\nhost ')).toHaveLength(20_001);
  });
});

it('gives negative choose_args without their sign, and reads them as Ceph does', () => {
  const map = readCrushBinary(fixture('crushmaps/classes.crushmap'));
  const [args] = map.chooseArgs.values();
  const text = writeCrushText({ ...map, chooseArgs: new Map([[-1, args!]]) });
  expect(text).toContain('\nchoose_args 18446744073709551615 {\n');
  expect([...readCrushText(text).chooseArgs.keys()]).toEqual([-1]);
});
