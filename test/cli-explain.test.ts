/** `crush-wasm explain`: its text, its JSON, and what it refuses. */
import { describe, expect, test } from 'vitest';
import { explainPg } from '../src/analysis/explain.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { FIXTURES, fixture, fixtureText } from './fixtures.ts';
import { run } from './run-cli.ts';

const D = 'cluster-10osd/d.osdmap';

/** Golden texts and the arguments that give them, the map first. */
const GOLDENS: readonly (readonly [golden: string, map: string, args: readonly string[]])[] = [
  ['object', D, ['--pool', 'odd', '--object', 'foo', '--namespace', 'ns']],
  ['erasure', D, ['6.11']],
  ['upmap', D, ['1.7']],
  ['temp', D, ['1.3', '--verbose']],
  ['beyond-pg-num', D, ['2.ff']],
  ['all-out', 'simple3.osdmap', ['1.3']],
  [
    'old-algorithms',
    'crushmaps/algorithms-v0.crushmap',
    ['--rule', 'replicated', '--x', '5', '--num-rep', '4'],
  ],
  [
    'every-step',
    'crushmaps/algorithms-v0.crushmap',
    ['--rule', '3', '--x', '5', '--num-rep', '3', '--verbose'],
  ],
  ['msr', 'crushmaps/msr_s.crushmap', ['--rule', '5', '--x', '5', '--num-rep', '11']],
];

test.each(GOLDENS)('the text of %s', async (golden, map, args) => {
  const { status, stdout, stderr } = await run(['explain', FIXTURES + map, ...args]);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toBe(fixtureText(`explain/${golden}.txt`));
});

describe('JSON', () => {
  test('of a PG is its trace, with null for holes', async () => {
    const { status, stdout } = await run(['explain', FIXTURES + D, '6.11', '--format', 'json']);
    expect(status).toBe(0);
    const json = JSON.parse(stdout) as Record<string, never>;
    expect(json).toMatchObject({
      pgid: '6.11',
      pool: { id: 6, name: 'ecosd', type: 'erasure', size: 6, crush_rule: 5 },
      seed: { asked: 17, ps: 17, pg_num: 24, pgp_num: 24, folded: 17, hashpspool: true },
      rule_by: 'number',
    });
    const trace = explainPg(readOsdMapBinary(fixture(D)), '6.11');
    const nulls = (set: readonly number[]): (number | null)[] =>
      set.map((osd) => (osd === 0x7fffffff ? null : osd));
    expect(json).toMatchObject({
      raw: nulls(trace.raw),
      up: nulls(trace.up),
      acting: nulls(trace.acting),
      acting_primary: trace.actingPrimary,
    });
    expect(json.up).toContain(null);
  });

  test('has the ids of the buckets of each descent', async () => {
    const { stdout } = await run(['explain', FIXTURES + D, '1.0', '--format', 'json']);
    const json = JSON.parse(stdout) as {
      crush: { steps: { kind: string; choices?: { places: { attempts: { path: number[] }[] }[] }[] }[] };
    };
    const choose = json.crush.steps.find(({ kind }) => kind === 'choose')!;
    for (const { attempts } of choose.choices![0]!.places) {
      for (const { path } of attempts) {
        expect(path[0]).toBe(-1);
        expect(path.length).toBeGreaterThan(2);
      }
    }
  });

  test('of a CRUSH map is the trace of the rule; --verbose gives all draws', async () => {
    const map = `${FIXTURES}crushmaps/s.crushmap`;
    const args = ['explain', map, '--rule', 'rep', '--x', '7', '--num-rep', '2', '--format', 'json'];
    const json = JSON.parse((await run(args)).stdout) as object;
    expect(json).toMatchObject({ rule: { id: 0, name: 'rep', type: 'replicated' }, x: 7, size: 2 });
    expect(json).not.toHaveProperty('crush');
    const verbose = (await run([...args, '--verbose'])).stdout;
    expect(verbose).toContain('"all"');
    expect(JSON.stringify(json)).not.toContain('"all"');
  });
});

test.each<[string, string[], number, RegExp]>([
  ['no PG at all', [D], 2, /d\.osdmap: name a PG, such as 1\.0, or --pool P --object NAME/],
  ['text that is no PG', [D, '1.zz'], 2, /'1\.zz' is not a PG; one looks like 4\.1f/],
  ['a pool that is not there', [D, '9.1'], 1, /d\.osdmap: there is no pool 9; the map has 1 'rep'/],
  ['an object without its pool', [D, '--object', 'foo'], 2, /--object needs --pool/],
  ['a PG and an object', [D, '1.1', '--pool', 'rep', '--object', 'foo'], 2, /exclude each other/],
  ['a rule of an OSDMap', [D, '1.1', '--rule', '0'], 2, /--rule is for CRUSH maps/],
  ['a namespace without an object', [D, '1.1', '--namespace', 'ns'], 2, /--namespace needs --object/],
  ['another format', [D, '1.1', '--format', 'csv'], 2, /--format is text or json, not 'csv'/],
  [
    'a PG of a CRUSH map',
    ['crushmaps/s.crushmap', '1.1'],
    2,
    /give --rule R --x X --num-rep N \(its rules: 0 'rep'/,
  ],
  [
    'a rule that is not there',
    ['crushmaps/s.crushmap', '--rule', 'x', '--x', '1', '--num-rep', '3'],
    1,
    /s\.crushmap: there is no rule 'x'/,
  ],
  ['a file that is not there', ['none', '1.1'], 1, /none: cannot be read: No such file/],
])('refuses %s', async (_, [map, ...args], status, message) => {
  const outcome = await run(['explain', FIXTURES + map!, ...args]);
  expect([outcome.status, outcome.stdout]).toEqual([status, '']);
  expect(outcome.stderr).toMatch(message);
  expect(outcome.stderr.split('\n')).toHaveLength(2);
});
