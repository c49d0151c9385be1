/**
 * The osdmaptool drop-in against what the original printed, and, where it is installed, against the original.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CORPUS, corpus, FIXTURES, fixtureText } from './fixtures.ts';
import { HAS_PACIFIC_OSDMAPTOOL } from './osdmaptool.ts';
import { expectSame, run, runTogether, runToolTogether } from './run-cli.ts';

const CLUSTER = join(FIXTURES, 'cluster-8osd/osdmap');
const OTHERS = [
  join(FIXTURES, 'simple3.osdmap'),
  ...['a', 'b', 'c', 'd'].map((name) => join(FIXTURES, `cluster-10osd/${name}.osdmap`)),
];

describe('goldens of osdmaptool 16.2.15', () => {
  test.each([
    ['cluster-8osd/test-map-pgs-dump-all.txt', CLUSTER, ['--test-map-pgs-dump-all']],
    ['cli/test-map-pgs.txt', CLUSTER, ['--test-map-pgs']],
    ['cli/dump-pool8.txt', CLUSTER, ['--test-map-pgs-dump', '--pool', '8', '--clear-temp', '--mark-up-in']],
    [
      'cli/pg-num-13.txt',
      CLUSTER,
      ['--test-map-pgs-dump-all', '--pool', '3', '--pg_num', '13', '--mark-out', '3'],
    ],
    ['cli/cluster-10osd-d.txt', join(FIXTURES, 'cluster-10osd/d.osdmap'), ['--test-map-pgs']],
    ['cli/simple3.txt', join(FIXTURES, 'simple3.osdmap'), ['--test-map-pgs']],
  ])('%s', async (golden, file, args) => {
    const { status, stdout, stderr } = await run(['osdmaptool', file, ...args]);
    expect(stdout).toBe(fixtureText(golden));
    expect(stderr).toBe(`osdmaptool: osdmap file '${file}'\n`);
    expect(status).toBe(0);
  });

  test('--print', async () => {
    const { stdout } = await run(['osdmaptool', '--print', CLUSTER, '--as-release', '16']);
    // Times are printed in the zone of the process.
    const withoutTimes = (text: string): string => text.replace(/^(created|modified) .*$/gm, '$1');
    expect(withoutTimes(stdout)).toBe(withoutTimes(fixtureText('cli/print.txt')));
  });
});

describe('what Ceph does not get right', () => {
  test('--mark-in marks its own OSD, not the one of --mark-up', async () => {
    const args = ['osdmaptool', CLUSTER, '--test-map-pgs', '--mark-in', '7'];
    const { stdout } = await run(args);
    expect(stdout).toMatch(/^marking OSD@7 as in\n/);
    expect(stdout).toMatch(/^osd\.7\t/m);
  });

  test('--mark-out of what is not a number is an error', async () => {
    const { status, stderr } = await run(['osdmaptool', CLUSTER, '--mark-out', 'x']);
    expect([status, stderr]).toEqual([1, "osdmaptool: --mark-out needs the number of an OSD, not 'x'\n"]);
  });

  test('a pool with more sets of 30 OSDs than the original has room for', async () => {
    const { status, stdout } = await run(['osdmaptool', CLUSTER, '--test-map-pgs', '--pg_num', '70000']);
    expect(status).toBe(0);
    expect(stdout).toContain('pool 8 pg_num 70000\n');
  });
});

test('options of the original that are not there are named', async () => {
  for (const args of [['--upmap', 'out'], ['--read=x'], ['--test-crush'], ['--show_config']]) {
    const { status, stdout, stderr } = await run(['osdmaptool', CLUSTER, ...args]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^osdmaptool: --[a-z-_]+ is not supported by this version of crush-wasm\n$/);
  }
});

test('the status does not depend on who listens', async () => {
  for (const [args, status] of [
    [['/nonexistent/map', '--print'], 255],
    [[CLUSTER, '--test-map-pgs', '--pool', '77'], 1],
    [[CLUSTER, '--test-map-pg', '1.0'], 0],
  ] as const) {
    expect(await run(['osdmaptool', ...args], { failingStderr: true })).toMatchObject({ status, stderr: '' });
  }
  expect(await run(['osdmaptool', CLUSTER], { closeAfter: 0 })).toMatchObject({ status: 1 });
  expect(await run(['osdmaptool', '--version'], { closeAfter: 0 })).toMatchObject({ status: 0 });
});

test('the version is ours', async () => {
  for (const args of [['-v'], ['--version'], [CLUSTER, '--pool', '-v']]) {
    const { status, stdout, stderr } = await run(['osdmaptool', ...args]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^crush-wasm version \d+\.\d+\.\d+\n$/);
  }
});

describe("options of all of Ceph's programs", () => {
  const TEST = ['--test-map-pg', '1.0'];
  const FINE: readonly (readonly string[])[] = [
    ['-d'],
    ['-f'],
    ['--foreground'],
    ['-k', 'X'],
    ['-m', '10.0.0.1'],
    ['-K=X'],
    ['--mon_host=10.0.0.1'],
    ['--cluster', 'x'],
    ['--id', 'x'],
    ['-n', 'client.x'],
    ['--name=osd.'],
    ['--no-mon-config'],
    ['--debug-osd', '0'],
  ];
  const WRONG: readonly (readonly string[])[] = [
    ['-n', 'x'],
    ['--name', 'pool.x'],
    ['--conf'],
    ['-c'],
    ['--cluster'],
    ['--id'],
    ['-n'],
    ['-k'],
    ['--keyring'],
    ['--mon_host'],
  ];

  test('end at --', async () => {
    const { status, stderr } = await run(['osdmaptool', CLUSTER, ...TEST, '--', '-v']);
    expect([status, stderr]).toEqual([1, 'osdmaptool: too many arguments\n']);
  });

  test('have no effect', async () => {
    const { stdout } = await run(['osdmaptool', CLUSTER, ...TEST]);
    for (const args of FINE) {
      expect(await run(['osdmaptool', ...args, CLUSTER, ...TEST])).toMatchObject({ status: 0, stdout });
    }
    expect(await run(['osdmaptool', CLUSTER, ...TEST, '--log-file', 'x'])).toMatchObject({
      status: 0,
      stdout,
    });
  });

  test.each([
    [['-n', 'x'], "error parsing 'x': expected string of the form TYPE.ID, valid types are: "],
    [['--conf'], 'Option --conf requires an argument.\n'],
    [['--cluster'], 'Option --cluster requires an argument.\n'],
    [['--log-file'], "parse error setting 'log_file' to '' (Option --log-file requires an argument.\n)\n\n"],
  ])('%j without a value that fits', async (args, complaint) => {
    const { status, stderr } = await run(['osdmaptool', CLUSTER, ...args]);
    expect(status).toBe(1);
    expect(stderr.startsWith(complaint)).toBe(true);
  });

  test
    .skipIf(!HAS_PACIFIC_OSDMAPTOOL)
    .each([
      ...FINE.map((args) => [[...args, CLUSTER, ...TEST]]),
      ...WRONG.map((args) => [[CLUSTER, ...TEST, ...args]]),
      [[CLUSTER, ...TEST, '--log-file']],
      [[CLUSTER, ...TEST, '--debug_osd']],
    ])('as osdmaptool 16.2: %j', async (args) => {
    await expectSame('osdmaptool', args);
  });
});

describe('what goes to one file stands in order', () => {
  const USAGE = /^ ?usage:[^]*/m;

  test('a complaint after what was done before it, and before the usage', async () => {
    const args = [CLUSTER, '--mark-up-in', '--test-map-pg', 'zz'];
    const text = await runTogether(['osdmaptool', ...args]);
    expect(text.replace(USAGE, 'usage')).toBe(
      `osdmaptool: osdmap file '${CLUSTER}'\nmarking all OSDs up and in\n` +
        "osdmaptool: failed to parse pg 'zz\nusage",
    );
  });

  test
    .skipIf(!HAS_PACIFIC_OSDMAPTOOL)
    .each([
      [[CLUSTER]],
      [[CLUSTER, CLUSTER]],
      [[CLUSTER, '--mark-up-in', '--test-map-pg', 'zz']],
      [[CLUSTER, '--mark-up-in', '--test-map-object', 'foo', '--pool', '77']],
      [[CLUSTER, '--mark-out', '1', '--test-map-pgs', '--pool', '77']],
      [[CLUSTER, '--test-map-pgs-dump']],
    ])('as 16.2: %j', async (args) => {
    const ours = await runTogether(['osdmaptool', ...args, '--as-release', '16']);
    const real = runToolTogether('osdmaptool', args);
    expect(ours.replace(USAGE, 'usage')).toBe(real.replace(USAGE, 'usage'));
  });
});

test('the newest release prints what 16 does not know', async () => {
  const { stdout } = await run(['osdmaptool', CLUSTER, '--print']);
  expect(stdout).toMatch(/^pool 3 'rep' replicated .* read_balance_score \d+\.\d\d$/m);
  expect(stdout).toMatch(/^pool 7 'ec' erasure .* stripe_width 8192$/m);
});

describe.skipIf(!HAS_PACIFIC_OSDMAPTOOL)('osdmaptool 16.2, byte for byte', () => {
  const COMBINATIONS: readonly (readonly string[])[] = [
    ['--test-map-pgs'],
    ['--test-map-pgs-dump'],
    ['--test-map-pgs-dump-all'],
    ['--mark-up-in', '--test-map-pgs-dump-all'],
    ['--mark-out', '0', '--test-map-pgs'],
    ['--mark-up', '2', '--clear-temp', '--test-map-pgs-dump'],
    ['--pg_num=100', '--mark_up_in', '--test_map_pgs_dump'],
    ['--pool', '1', '--test-map-pgs-dump-all', '--print'],
    ['--print'],
    ['--test-map-object', 'foo', '--test-map-pg', '1.7f'],
    ['--test-map-object', 'bär', '--pool', '3'],
  ];
  test.each(COMBINATIONS.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    for (const file of [CLUSTER, ...OTHERS]) await expectSame('osdmaptool', [file, ...args]);
  });

  test.each([
    [[]],
    [['--test-map-pgs', '--pool']],
    [['--test-map-pgs', '--pool', 'x']],
    [['--test-map-pgs', '--pool', '--print']],
    [['--test-map-pgs', '--pool=1.5']],
    [['--test-map-pgs', '--pool=']],
    [['--test-map-pgs', '--pool=99999999999']],
    [['--test-map-pgs', '--pool', '-5']],
    [[CLUSTER, '--test-map-pgs', '--pool', '-5']],
    [[CLUSTER, '--test-map-pgs', '--pg_num', 'x']],
    [[CLUSTER, '--test-map-pgs', '--pg_num']],
    [[CLUSTER, '--test-map-pgs', '--pg-num=-3', '--pool', '1']],
    [[CLUSTER, '--test-map-pg', '9.0']],
    [[CLUSTER, '--test-map-pg', ' 3.0xfff7zz']],
    [[CLUSTER, '--test-map-pg', '-3.-1']],
    [[CLUSTER, '--test-map-pg']],
    [[CLUSTER, '--mark-out']],
    [[CLUSTER, '--test-map-pgs', '--mark-out', '1.5x']],
    [[CLUSTER, '--test-map-pgs', '--mark-up', '2e0x']],
    [[CLUSTER, '--test-map-object', 'foo', '--pool', '77']],
    [[CLUSTER, '-p', '--debug-osd', '0']],
    [['/nonexistent/map', '--print']],
    [[FIXTURES, '--print']],
    [[join(FIXTURES, 'simple3.crushmap'), '--print']],
  ])('%j', async (args) => {
    // Without a map the original says how it is used, in its own words.
    if (args.length > 0 && !args.some((arg) => arg.startsWith('/'))) {
      const { status } = await run(['osdmaptool', ...args]);
      expect(status).toBe(1);
      return;
    }
    await expectSame('osdmaptool', args);
  });
});

describe.skipIf(CORPUS === undefined || !HAS_PACIFIC_OSDMAPTOOL)(
  'the corpus as osdmaptool 16.2, byte for byte',
  () => {
    const releases = CORPUS === undefined ? [] : readdirSync(corpus('osdmap-corpus'));
    // osdmaptool 16.2.15 cannot read the newest maps.
    test.each(releases.filter((release) => !release.startsWith('20')))('%s', async (release) => {
      const folder = corpus('osdmap-corpus', release);
      const files = readdirSync(folder).filter((name) => name.endsWith('.osdmap'));
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        for (const args of [
          ['--test-map-pgs-dump-all'],
          ['--mark-up-in', '--test-map-pgs-dump'],
          ['--print'],
        ]) {
          await expectSame('osdmaptool', [join(folder, file), ...args]);
        }
      }
    });
  },
);
