/**
 * The crushtool drop-in against what the original printed, and, where it is installed, against the original.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULE_OP, type CrushRuleStep } from '../src/crush/model.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { crushBytes } from './crush-encode.ts';
import { HAS_PACIFIC_CRUSHTOOL } from './crushtool.ts';
import { CORPUS, corpus, FIXTURES, fixture, fixtureText } from './fixtures.ts';
import { expectSame, run, runTogether, runToolTogether } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();

const map = (name: string): string => join(FIXTURES, 'crushmaps', `${name}.crushmap`);
describe('goldens of crushtool 16.2.15', () => {
  test.each([
    [
      'cli/utilization.txt',
      's',
      ['--num-rep', '3', '--show-utilization', '--max-x', '9999', '--min-x', '0', '--rule', '0'],
    ],
    [
      'cli/mappings.txt',
      'algorithms-v1',
      [
        ...['--num-rep', '4', '--show-mappings', '--show-bad-mappings', '--show-statistics'],
        ...['--max-x', '49', '--min-x', '0', '--weight', '0', '0', '--weight', '1', '0.5'],
      ],
    ],
    [
      'cli/tries.txt',
      'classes',
      ['--show-statistics', '--show-choose-tries', '--num-rep', '3', '--pool-id', '5'],
    ],
    ['cli/utilization-all.txt', 'classes', ['--show-utilization-all', '--num-rep', '2', '--rule', '0']],
  ])('%s', async (golden, name, args) => {
    const { status, stdout } = await run(['crushtool', '-i', map(name), '--test', ...args]);
    expect(stdout).toBe(fixtureText(golden));
    expect(status).toBe(0);
  });
});

describe('what the newest release does otherwise', () => {
  test('it wants to know the number of replicas', async () => {
    const args = ['crushtool', '-i', map('s'), '--test', '--show-mappings', '--x', '1', '--rule', '0'];
    const newest = await run(args);
    expect(newest).toEqual({
      status: 1,
      stdout: '',
      stderr: 'must specify --num-rep or both --min-rep and --max-rep\n',
    });
    const pacific = await run([...args, '--as-release', '16']);
    expect(pacific.status).toBe(0);
    expect(pacific.stdout.split('\n')).toHaveLength(65); // sizes 1 to 64 of the rule, and the end
  });

  test('it takes a range of them', async () => {
    const args = ['crushtool', '-i', map('s'), '--test', '--show-mappings', '--x', '1', '--rule', '0'];
    const { stdout } = await run([...args, '--min-rep', '2', '--max-rep', '3']);
    expect(stdout).toBe('CRUSH rule 0 x 1 [51,132]\nCRUSH rule 0 x 1 [51,132,4]\n');
    const pacific = await run([...args, '--min-rep', '2', '--as-release=16']);
    expect([pacific.status, pacific.stderr]).toEqual([1, 'unrecognized arguments: [--min-rep,2]\n']);
  });
});

test('reads standard input', async () => {
  const args = [
    'crushtool',
    '-i',
    '-',
    '--test',
    '--show-mappings',
    '--x',
    '1',
    '--rule',
    '0',
    '--num-rep',
    '3',
  ];
  const { stdout } = await run(args, { stdin: fixture('crushmaps/s.crushmap') });
  expect(stdout).toBe('CRUSH rule 0 x 1 [51,132,4]\n');
});

test('stops quietly when nobody reads on', async () => {
  const args = ['crushtool', '-i', map('s'), '--test', '--show-mappings', '--rule', '0', '--num-rep', '3'];
  const { status, stdout, stderr } = await run([...args, '--min-x', '0', '--max-x', '9999999'], {
    closeAfter: 1,
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.length).toBeLessThan(2_000_000); // gathered in pieces, not all at once
});

test('a rule that Ceph aborts on is an error that names it, and the file', async () => {
  const msr = readCrushBinary(fixture('crushmaps/msr_s.crushmap'));
  const rules = msr.rules.map((rule) => rule && { ...rule, steps: rule.steps.filter(isNoChoice) });
  const path = file('msr.crushmap', crushBytes({ ...msr, rules }));
  const args = ['--test', '--show-mappings', '--num-rep', '3', '--rule', '4'];
  const { status, stdout, stderr } = await run(['crushtool', '-i', path, ...args]);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    `crush-wasm: ${path}: rule 4: this MSR rule has no choosemsr step between take and emit; ` +
      "Ceph's own mapper aborts on it, at input 0\n",
  );
});

/** Whether a step is not one that chooses. */
function isNoChoice({ op }: CrushRuleStep): boolean {
  return op !== RULE_OP.chooseMsr;
}

const TESTS: readonly (readonly string[])[] = [
  ['--num-rep', '3', '--show-mappings'],
  ['--num-rep', '3', '--show-statistics'],
  ['--num-rep', '4', '--show-utilization', '--batches', '3'],
  ['--num-rep', '3', '--show-utilization-all', '--x', '7'],
  ['--num-rep', '12', '--show-bad-mappings', '--show-statistics'],
  [
    ...['--show-mappings', '--show-bad-mappings', '--num-rep', '5', '--pool-id', '3', '--min-x', '100'],
    ...['--max-x', '300', '--weight', '0', '0', '--weight', '3', '0.5', '--weight', '4', '0.3x'],
  ],
  ['--num-rep', '2', '--show-choose-tries'],
  [
    ...[
      '--num-rep',
      '3',
      '--show-mappings',
      '--set-chooseleaf-vary-r',
      '0',
      '--set-choose-total-tries',
      '10',
    ],
    ...['--set-chooseleaf-stable', '0', '--x', '99'],
  ],
  ['--rule', '1', '--num-rep', '6', '--show-mappings', '--min-x', '2147483000', '--max-x', '2147483400'],
  ['--min-rule', '0', '--max-rule', '9', '--num-rep', '0', '--show-statistics'],
  ['--ruleset', '1', '--num-rep', '2', '--show-utilization', '--show-mappings', '--max-x', '9'],
  ['--show-choose-tries', '--show-statistics', '--num-rep', '4', '--pool-id=-7'],
];

describe.skipIf(!HAS_PACIFIC_CRUSHTOOL)('crushtool 16.2, byte for byte', () => {
  const names = ['algorithms-v0', 'algorithms-v1', 'classes', 's', 'cluster-8osd'];
  test.each(TESTS.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    for (const name of names) await expectSame('crushtool', ['-i', map(name), '--test', ...args]);
  });

  test.each([
    ['--show-utilization-all', '--show-mappings', '--num-rep', '3', '--min-x', '0', '--max-x', '20000'],
    ['--x', '1'],
  ])('in one file: %s %s', async (...args) => {
    const all = ['-i', map('s'), '--test', ...args];
    const ours = await runTogether(['crushtool', ...all, '--as-release', '16']);
    expect(ours).toBe(runToolTogether('crushtool', all));
  });

  const S = map('s');
  test.each([
    [[]],
    [['--test']],
    [['-i', '/nonexistent/map', '--test']],
    [['-i', FIXTURES, '--test', '--show-mappings']],
    [['-i', join(FIXTURES, 'simple3.osdmap'), '--test', '--show-mappings']],
    [['-i', S]],
    [['-i', S, '--test', '--x', '1']],
    [['-i', S, '--test', 'foo', 'bar']],
    [['-i', S, '--test', '--num-rep', 'x']],
    [['-i', S, '--test', '--num-rep']],
    [['-i', S, '--test', '--num-rep', '--x']],
    [['-i', S, '--test', '--num-rep', '1', '--weight', '3']],
    [['-i', S, '--test', '--num-rep', '1', '--weight']],
    [['-i']],
    [['--test', '--x', '1.5']],
    [['-i', S, '--test', '--rule', '99999999999']],
    [['-i', S, '--test', '--show_mappings', '--num_rep=2', '--x=3']],
    [['-i', S, '--test', '--', '--show-mappings']],
    [['-i', S, '--test', '--x', '3', '--num-rep', '1', '--set-choose-total-tries']],
    [['-i', S, '--set-choose-total-tries', '5']],
    [['-i', S, '-t', '-v', '--show-mappings', '--x', '1', '--num-rep', '1']],
    [['-i', S, '--test', '--show-mappings', '--x', '-3', '--num-rep', '1', '--rule', '0']],
    [['-i', S, '--test', '--show-mappings', '--rule', '999', '--num-rep', '1']],
    [
      [
        '-i',
        S,
        '--test',
        '--show-statistics',
        '--rule',
        '0',
        '--num-rep',
        '3',
        '--min-x',
        '5',
        '--max-x',
        '4',
      ],
    ],
  ])('%j', async (args) => {
    await expectSame('crushtool', args);
  });
});

describe.skipIf(CORPUS === undefined || !HAS_PACIFIC_CRUSHTOOL)(
  'the corpus as crushtool 16.2, byte for byte',
  () => {
    const files =
      CORPUS === undefined
        ? []
        : [
            ...readdirSync(corpus('crushmap-corpus')).map((name) => corpus('crushmap-corpus', name)),
            ...['crushtool-tests', 'bench-maps'].flatMap((folder) =>
              readdirSync(corpus(folder))
                // Debian's crushtool cannot run MSR rules.
                .filter((name) => name.endsWith('.crushmap') && !name.startsWith('msr'))
                .map((name) => corpus(folder, name)),
            ),
          ];
    test.each(files)('%s', async (file) => {
      for (const args of TESTS) await expectSame('crushtool', ['-i', file, '--test', ...args]);
    });
  },
);

describe.skipIf(CORPUS === undefined)("Ceph's own command-line tests, of a newer release", () => {
  /** Commands of a cram file: `  $ COMMAND` and the lines it prints below it. */
  function commandsOf(name: string): { args: string[]; expected: string }[] {
    const lines = readFileSync(corpus('crushtool-tests', name), 'utf8').split('\n');
    const commands: { args: string[]; output: string[] }[] = [];
    for (const line of lines) {
      if (line.startsWith('  $ ')) {
        const words = line.slice(4).replaceAll('"', '').split(' ');
        const args = words.map((word) => word.replace('$TESTDIR', corpus('crushtool-tests')));
        commands.push({ args, output: [] });
      } else if (line.startsWith('  ')) {
        const text = line.slice(2);
        // Lines with characters that cannot be printed are escaped, and say so.
        const isEscaped = text.endsWith(' (esc)');
        commands.at(-1)?.output.push(isEscaped ? text.slice(0, -6).replaceAll('\\t', '\t') : text);
      }
    }
    return commands
      .filter(({ args }) => args[0] === 'crushtool' && args[1] === '-i' && args.includes('--test'))
      .map(({ args, output }) => ({ args, expected: output.map((line) => `${line}\n`).join('') }));
  }

  const files =
    CORPUS === undefined
      ? []
      : readdirSync(corpus('crushtool-tests')).filter((name) => /^test-map-.*\.t$/.test(name));
  test.each(files)('%s', async (name) => {
    const commands = commandsOf(name);
    expect(commands.length).toBeGreaterThan(0);
    for (const { args, expected } of commands) {
      const { status, stdout } = await run(args);
      expect(status).toBe(0);
      expect(stdout).toBe(expected);
    }
  });
});
