/** What the crushtool drop-in shows of maps: goldens of the original of 16.2, and the original itself. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUCKET_ALGORITHM, RULE_OP } from '../src/crush/model.ts';
import { createFormatter } from '../src/cli/formatter/formatter.ts';
import { crushBytes } from './crush-encode.ts';
import { HAS_PACIFIC_CRUSHTOOL } from './crushtool.ts';
import { CORPUS, corpus, FIXTURES, fixtureText } from './fixtures.ts';
import { expectSame, run, runTool } from './run-cli.ts';
import { chooseRule, clusterMap } from './small-maps.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();

const map = (name: string): string => join(FIXTURES, 'crushmaps', `${name}.crushmap`);
const S = map('s');
const SMALL = join(FIXTURES, 'display/small.crushmap');

const FORMATS = ['json', 'json-pretty', 'xml', 'xml-pretty', 'table', 'table-kv', 'html', 'html-pretty'];

describe('goldens of crushtool 16.2.15', () => {
  test.each([
    ...FORMATS.map((format) => [`dump.${format}`, ['--dump', '--format', format]] as const),
    ['tree', ['--tree']] as const,
    [
      'simulate',
      ['--test', '--simulate', '--show-mappings', '--num-rep', '2', '--min-x', '0', '--max-x', '19'],
    ] as const,
  ])('%s', async (golden, args) => {
    const { status, stdout } = await run(['crushtool', '-i', SMALL, ...args, '--as-release', '16']);
    expect(stdout).toBe(fixtureText(`display/${golden}`));
    expect(status).toBe(0);
  });
});

describe('formatters', () => {
  const textOf = (format: string): string => {
    const formatter = createFormatter(format, 'json');
    formatter.openObject('a b');
    formatter.dumpString('text', '<"\\\u0001\t&\'\u007f>');
    formatter.dumpBool('yes', true);
    formatter.dumpInt('large', 0xffffffffffffffffn);
    formatter.dumpFloat('half', 0.1);
    formatter.openArray('none');
    formatter.close();
    formatter.close();
    return formatter.text();
  };

  test('JSON', () => {
    const text = textOf('json');
    expect(text).toBe(
      String.raw`{"text":"<\"\\\u0001\t&'\u007f>","yes":true,"large":18446744073709551615,"half":0.10000000000000001,"none":[]}`,
    );
    expect(textOf('json-pretty')).toBe(
      '{\n    "text": "<\\"\\\\\\u0001\\t&\'\\u007f>",\n    "yes": true,\n    "large": 18446744073709551615,\n' +
        '    "half": 0.10000000000000001,\n    "none": []\n}\n',
    );
  });

  test('XML and HTML', () => {
    const value = '&lt;&quot;\\&#x01;\t&amp;&apos;&#x7f;&gt;';
    expect(textOf('xml')).toBe(
      `<a_b><text>${value}</text><yes>true</yes><large>18446744073709551615</large>` +
        '<half>0.10000000000000001</half><none></none></a_b>',
    );
    expect(textOf('html')).toBe(
      `<a_b><li>text: ${value}</li><li>yes: true</li><li>large: 18446744073709551615</li>` +
        '<li>half: 0.1</li><none></none></a_b>',
    );
  });

  test('tables', () => {
    const formatter = createFormatter('table', 'json');
    for (const [id, name] of [
      [1, 'a'],
      [22, 'longer'],
    ] as const) {
      formatter.dumpInt('id', id);
      formatter.dumpString('name', name);
    }
    expect(formatter.text()).toBe(
      '+-----+---------+\n| id  | name    |\n+-----+---------+\n' +
        '| 1   | a       |\n| 22  | longer  |\n+-----+---------+\n',
    );
  });

  test('what is not known is taken for the fallback', () => {
    expect(textOf('toString')).toBe(textOf('json'));
  });
});

describe('what the newest release does otherwise', () => {
  test('rules have no mask, and MSR has names', async () => {
    const { stdout } = await run(['crushtool', '-i', map('msr_s'), '--dump', '-f', 'json']);
    const dump = JSON.parse(stdout) as {
      rules: Record<string, unknown>[];
      tunables: Record<string, unknown>;
    };
    expect(Object.keys(dump.rules[0] ?? {})).toEqual(['rule_id', 'rule_name', 'type', 'steps']);
    expect(stdout).toContain('"op":"choosemsr","num":');
    expect(dump.tunables).toMatchObject({
      msr_descents: 100,
      msr_collision_tries: 100,
      has_msr_rules: 1,
      minimum_required_version: 'squid',
    });
  });

  test('overlapping rules are no matter', async () => {
    const base = clusterMap(2, 2);
    const rules = [0, 1].map((id) => ({
      ...chooseRule(id, -1, RULE_OP.chooseleafFirstn, 1),
      ruleset: 0,
      minSize: 1 + id,
      maxSize: 4,
    }));
    const path = file('overlap.crushmap', crushBytes({ ...base, rules }));
    expect(await run(['crushtool', '-i', path, '--check'])).toEqual({ status: 0, stdout: '', stderr: '' });
    const pacific = await run(['crushtool', '-i', path, '--check', '--as-release', '16']);
    expect(pacific.stdout).toBe('overlapped rules in ruleset 0: rule0, rule1\n');
    if (HAS_PACIFIC_CRUSHTOOL) await expectSame('crushtool', ['-i', path, '--check']);
  });

  test('a comparison without numbers of replicas compares nothing', async () => {
    const compare = ['crushtool', '-i', SMALL, '--compare', S];
    const { status, stdout, stderr } = await run(compare);
    expect([status, stderr]).toEqual([
      0,
      'crushtool: nothing is compared without --num-rep, or both --min-rep and --max-rep\n',
    ]);
    expect(stdout).toMatch(/^rule 0 had 0\/1024 mismatched mappings \(0\)$[^]*^maps appear equivalent\n$/m);
    for (const more of [
      ['--num-rep', '3'],
      ['--as-release', '16'],
    ]) {
      expect((await run([...compare, ...more])).stderr).toBe('warning: maps are NOT equivalent\n');
    }
  });

  test('help', async () => {
    const newest = await run(['crushtool', '--help']);
    expect(newest.stdout).toContain('[--min-rep n] [--max-rep n] [--num-rep n]');
    const pacific = await run(['crushtool', '-h', '--as-release', '16']);
    expect(pacific.stdout).toContain('[--min-rule r] [--max-rule r] [--rule r] [--ruleset rs]');
    if (HAS_PACIFIC_CRUSHTOOL) expect(pacific.stdout).toBe(runTool('crushtool', ['--help']).stdout);
  });
});

describe('options of our own', () => {
  test("are in the help for people, which is the original's otherwise", async () => {
    const [help, usage] = [await run(['help', 'crushtool']), await run(['crushtool', '--help'])];
    expect(help.status).toBe(0);
    expect(help.stdout.startsWith(usage.stdout)).toBe(true);
    expect(help.stdout.slice(usage.stdout.length)).toContain('--as-release N');
    expect(usage.stdout).not.toContain('--as-release');
  });

  test('tunables of MSR rules', async () => {
    const args = ['crushtool', '-i', map('msr_s'), '--set-msr-descents', '7', '--set_msr_collision_tries=9'];
    const { status, stdout } = await run([...args, '--dump', '-f', 'json']);
    expect([status, stdout.includes('"msr_descents":7,"msr_collision_tries":9')]).toEqual([0, true]);
    const pacific = await run([...args, '--as-release', '16']);
    expect(pacific.stderr).toBe('no action specified; -h for help\n');
  });
});

describe('maps that cannot be shown', () => {
  /** A map whose bucket -2 holds itself. */
  const looped = (): string => {
    const base = clusterMap(2, 2);
    const buckets = base.buckets.map((bucket) =>
      bucket?.id === -2 && bucket.alg === BUCKET_ALGORITHM.straw2
        ? { ...bucket, items: Int32Array.of(0, -2), itemWeights: Uint32Array.of(1, 1) }
        : bucket,
    );
    const itemNames = new Map(buckets.map((_, index) => [-1 - index, `b${index + 1}`]));
    const typeNames = new Map(Array.from({ length: 12 }, (_, type) => [type, `type${type}`]));
    return file('loop.crushmap', crushBytes({ ...base, buckets, itemNames, typeNames }));
  };

  test.each([[['--tree']], [['--check', '0']]])('a loop: %j', async (args) => {
    const { status, stdout, stderr } = await run(['crushtool', '-i', looped(), ...args]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^crush-wasm: .*: bucket -\d+ is below itself; take it out of the bucket/);
  });

  test('a loop has leaves all the same', async () => {
    const { stdout } = await run(['crushtool', '-i', looped(), '--bucket-tree', '-b', 'b2']);
    expect(stdout).toBe('osd.0\n');
  });

  test('CSV files that cannot be written', async () => {
    const args = ['--test', '--output-csv', '--num-rep', '1', '--x', '1', '--output-name', '/none/there'];
    const { status, stderr } = await run(['crushtool', '-i', SMALL, ...args, '--rule', '0']);
    expect([status, stderr]).toEqual([
      1,
      "crushtool: error writing '/none/there-one-placement_information.csv': (2) No such file or directory\n",
    ]);
  });

  test('CSV files of a rule whose name leads elsewhere', async () => {
    const base = clusterMap(2, 2);
    const rules = [chooseRule(0, -1, RULE_OP.chooseleafFirstn, 1)];
    const path = file('name.crushmap', crushBytes({ ...base, rules, ruleNames: new Map([[0, '../x']]) }));
    const args = ['--test', '--output-csv', '--num-rep', '1', '--x', '1'];
    const { status, stderr } = await run(['crushtool', '-i', path, ...args]);
    expect([status, stderr]).toEqual([
      1,
      "crushtool: the name of rule '../x' cannot be part of a file's name; rename the rule\n",
    ]);
  });
});

/** Displays that every map has to show as the original does. */
const DISPLAYS: readonly (readonly string[])[] = [
  ...[...FORMATS, '?', ''].map((format) => ['--dump', '-f', format]),
  ['--tree'],
  ['--bucket-tree', '-b', 'default'],
  ['--show-location', '0', '--tree'],
  ['--show-location', '3', '--dump', '--format=xml'],
  ['--check'],
  ['--check', '0'],
  ['--check', '7'],
  ['--compare', S, '--num-rep', '3', '--max-x', '99', '--min-x', '0'],
  [
    ...['--test', '--simulate', '--show-mappings', '--show-statistics', '--show-utilization'],
    ...['--num-rep', '3', '--max-x', '9', '--min-x', '0'],
  ],
];

/** The project's own maps that Ceph 16 can read. */
const OWN = [...['algorithms-v0', 'classes', 'cluster-8osd'].map(map), SMALL];

describe.skipIf(!HAS_PACIFIC_CRUSHTOOL)('crushtool 16.2, byte for byte', () => {
  test.each(DISPLAYS.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    for (const path of OWN) await expectSame('crushtool', ['-i', path, ...args]);
  });

  test.each([
    [['--tree']],
    [['--dump']],
    [['--check', '1']],
    [['--bucket-tree']],
    [['--bucket-tree', '--bucket-name', 'x']],
    [['--help-output']],
    [['-i', SMALL, '--bucket-tree', '-b', 'osd.3', '--bucket-tree']],
    [['-i', SMALL, '--bucket-tree', '-b', 'default~ssd']],
    [['-i', SMALL, '--show-location', '99']],
    [['-i', SMALL, '--show-location', '-1']],
    [['-i', SMALL, '--show-location', 'x']],
    [['-i', SMALL, '--show-location']],
    [['-i', SMALL, '--check', 'x']],
    [['-i', SMALL, '--check', '3']],
    [['-i', SMALL, '--check', '4', '--test', '--num-rep', '1']],
    [['-i', SMALL, '--compare', SMALL]],
    [['-i', SMALL, '--compare', SMALL, '--num-rep', '2', '--rule', '1', '--x', '5']],
    [['-i', SMALL, '--compare', S, '--min-rule', '0', '--max-rule', '5', '--show-statistics']],
    [['-i', S, '--compare', SMALL, '--num-rep', '3']],
    [['-i', SMALL, '--compare', '/nonexistent']],
    [['-i', SMALL, '--compare', FIXTURES]],
    [['-i', SMALL, '--compare', join(FIXTURES, 'display/small.txt')]],
    [['-i', join(FIXTURES, 'display/small.txt'), '--tree']],
    [['-d', '/dev/null']],
    [['-d', '/nonexistent', '-o', '/dev/null']],
    [['-c', '/nonexistent']],
    [['-d', SMALL, '-o', '/nonexistent/text']],
    [['-d', SMALL, '--reweight', '--set-choose-total-tries', '7', '--tree', '-o', '/dev/null', '-v']],
    [['-c', join(FIXTURES, 'display/small.txt'), '--tree', '--dump', '--check', '2', '-o', '/dev/null']],
    [['-i', SMALL, '-d', S, '--add-bucket', 'c', 'host', '--loc', 'root', 'default', '--tree']],
    [['--build', '--num_osds', '5', 'host', 'straw', '2', '--dump', '--tree', '--reweight']],
    [['--build', '--num_osds', '5', 'host', 'strange', '2', '--tree']],
    [['--build', '--num_osds', '5']],
    [['-i', SMALL, '--compare']],
    [
      [
        '-i',
        SMALL,
        '--test',
        '--compare',
        SMALL,
        '--num-rep',
        '2',
        '--show-statistics',
        '--weight',
        '0',
        '0',
      ],
    ],
    [['-i', SMALL, '--output-name', 'x']],
    [['-i', SMALL, '--mark-down-ratio', 'x']],
    [['-i', SMALL, '--mark-down-ratio', '1e5']],
    [['-i', SMALL, '--mark-down-ratio', '.']],
    [['-i', SMALL, '--mark-down-ratio', `1${'0'.repeat(39)}`]],
    [['-i', SMALL, '--mark-down-ratio']],
    [['-i', SMALL, '-d', SMALL, '-c', SMALL]],
    [['-i', SMALL, '--build', '--num-osds', '3', 'a', 'straw']],
    [['-i', SMALL, '--add-item', 'x']],
    [['-i', SMALL, '--add-item', '1']],
    [['-i', SMALL, '--update-item', '1', '1.0']],
    [['-i', SMALL, '--reweight-item', 'osd.0']],
    [['-i', SMALL, '--loc', 'host']],
    [['-i', SMALL, '--create-simple-rule', 'a', 'b', 'c']],
    [['-i', SMALL, '--create-replicated-rule', 'a', 'b']],
    [['-i', SMALL, '--create-simple-rule']],
    [['-i', SMALL, '--set-choose-total-tries', 'x', '-o']],
    [['-i', SMALL, '--set-choose-total-tries', 'x', '--create-replicated-rule', 'r', 'nope', 'host']],
    [['-i', SMALL, '--set-choose-total-tries', 'x', '--create-replicated-rule', 'one', 'nope', 'host']],
    [['-i', SMALL, '--reclassify-bucket', 'a']],
    [['-i', SMALL, '--reclassify-bucket', 'a', 'b']],
    [['-i', SMALL, '--reclassify-root', 'a']],
    [['-i', SMALL, '--set-subtree-class', 'a']],
    [['-i', SMALL, '--loc', 'host', 'a', '--device-class', 'ssd']],
    [['-i', SMALL, '--reweight', '-o', '/nonexistent/map']],
    [['-i', SMALL, '--reweight', '-o', FIXTURES]],
    [['-i', SMALL, '--reweight', '-v', '-o', '/dev/null', '--tree']],
  ])('%j', async (args) => {
    await expectSame('crushtool', args);
  });

  test.each([['0.5'], ['0.3', '--mark-down-bucket-ratio', '0.5'], ['1'], ['-1']])(
    'devices marked down: %s %s %s',
    async (...ratios) => {
      const args = ['--test', '--num-rep', '3', '--x', '5', '--mark-down-ratio', ...ratios];
      const shows = ['--show-mappings', '--show-utilization', '--simulate'];
      await expectSame('crushtool', ['-i', S, ...args, ...shows]);
      await expectSame('crushtool', ['-i', S, ...args, '--show-mappings', '--compare', S]);
    },
  );

  test.each([
    [['--num-rep', '3', '--min-x', '0', '--max-x', '99']],
    [['--num-rep', '2', '--batches', '4', '--max-x', '9', '--min-x', '0']],
    [['--num-rep', '2', '--batches', '40', '--max-x', '9', '--min-x', '0', '--weight', '1', '0.3']],
    [
      [
        '--rule',
        '0',
        '--batches',
        '3',
        '--max-x',
        '20',
        '--min-x',
        '1',
        '--output-name',
        'with',
        '--show-statistics',
      ],
    ],
    [['--simulate', '--num-rep', '2', '--batches', '2', '--max-x', '30', '--min-x', '0']],
  ])('CSV files: %j', async (args) => {
    for (const path of [map('classes'), SMALL]) {
      const folder = mkdtempSync(join(tmpdir(), 'crush-wasm-'));
      try {
        const [ours, theirs] = ['ours', 'theirs'].map((name) => join(folder, name)) as [string, string];
        for (const each of [ours, theirs]) mkdirSync(each);
        const all = ['-i', path, '--test', '--output-csv', ...args];
        // Something has to follow the name.
        const output = (where: string): string[] => ['--output-name', join(where, 'out'), '--test'];
        const real = runTool('crushtool', [...all, ...output(theirs)]);
        const mine = await run(['crushtool', ...all, ...output(ours), '--as-release', '16']);
        expect([mine.status, mine.stdout]).toEqual([real.status, real.stdout]);
        const contents = (where: string): Record<string, string> =>
          Object.fromEntries(
            readdirSync(where).map((name) => [name, readFileSync(join(where, name), 'utf8')]),
          );
        expect(contents(ours)).toEqual(contents(theirs));
        expect(readdirSync(ours).length).toBeGreaterThan(5);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
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
                // Debian's crushtool cannot read MSR rules.
                .filter((name) => name.endsWith('.crushmap') && !name.startsWith('msr'))
                .map((name) => corpus(folder, name)),
            ),
          ];
    test.each(files)('%s', async (path) => {
      for (const args of DISPLAYS) await expectSame('crushtool', ['-i', path, ...args]);
    });
  },
);
