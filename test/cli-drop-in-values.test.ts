/**
 * Values that the drop-ins read as C and C++ do, and numbers at their limits: what they do, and, where the originals
 * of 16.2 are installed, that these do the same.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULE_OP } from '../src/crush/model.ts';
import { crushBytes } from './crush-encode.ts';
import { HAS_PACIFIC_CRUSHTOOL } from './crushtool.ts';
import { FIXTURES, fixtureText } from './fixtures.ts';
import { HAS_PACIFIC_OSDMAPTOOL } from './osdmaptool.ts';
import { expectSame, run } from './run-cli.ts';
import { chooseRule, clusterMap } from './small-maps.ts';
import { useTempFolder } from './temp-folder.ts';

const S = join(FIXTURES, 'crushmaps/s.crushmap');
const M = join(FIXTURES, 'cluster-10osd/d.osdmap');
const SHOW = ['-i', S, '--test', '--show-mappings', '--num-rep', '3', '--rule', '0'];

const file = useTempFolder();

/** What a drop-in prints on stdout; it must succeed. */
async function stdoutOf(...argv: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(argv);
  expect([status, stderr.replace(/^osdmaptool: osdmap file .*\n/, '')]).toEqual([0, '']);
  return stdout;
}

describe('crushtool', () => {
  test.each(['--set-chooseleaf-vary-r', '--set-chooseleaf-stable', '--set-straw-calc-version'])(
    '%s keeps 8 bits',
    async (option) => {
      const args = ['crushtool', ...SHOW, option];
      expect(await stdoutOf(...args, '256')).toBe(await stdoutOf(...args, '0'));
      expect(await stdoutOf(...args, '257')).toBe(await stdoutOf(...args, '1'));
      expect(await stdoutOf(...args, '-256')).toBe(await stdoutOf('crushtool', ...SHOW));
    },
  );

  test('weights in hexadecimal', async () => {
    const args = ['crushtool', ...SHOW, '--weight', '51'];
    expect(await stdoutOf(...args, '0x0.8p0')).toBe(await stdoutOf(...args, '0.5'));
    expect(await stdoutOf(...args, '0x1')).toBe(await stdoutOf(...args, '1'));
    expect(await stdoutOf(...args, '0x1')).not.toBe(await stdoutOf(...args, '0'));
  });

  test('a weight below 0 is 0', async () => {
    const args = ['crushtool', ...SHOW, '--weight', '51'];
    expect(await stdoutOf(...args, '-0.5')).toBe(await stdoutOf(...args, '0'));
  });

  test('missing rules are reported as they come, not gathered', async () => {
    const rules = [...new Array<undefined>(50_000), chooseRule(50_000, -1, RULE_OP.chooseleafFirstn, 1)];
    const path = file('gaps.crushmap', crushBytes({ ...clusterMap(2, 2), rules }));
    const args = ['crushtool', '-i', path, '--test', '--show-statistics', '--num-rep', '1', '--x', '1'];
    let longest = 0;
    const { stdout } = await run(args, { onWrite: (text) => (longest = Math.max(longest, text.length)) });
    expect(stdout.match(/^rule \d+ dne$/gm)).toHaveLength(50_000);
    expect(longest).toBeLessThan(100_000);
  });

  test('more replicas than a mapping can have are an error', async () => {
    const args = [
      'crushtool',
      '-i',
      S,
      '--test',
      '--show-statistics',
      '--rule',
      '0',
      '--x',
      '1',
      '--num-rep',
    ];
    expect(await stdoutOf(...args, '65536')).toContain('result size == ');
    const { status, stderr } = await run([...args, '65537']);
    expect([status, stderr]).toEqual([
      1,
      'crushtool: --num-rep 65537 is too large; at most 65536 is supported\n',
    ]);
  });

  test('no batches map nothing', async () => {
    for (const batches of ['0', '-1']) {
      expect(await stdoutOf('crushtool', ...SHOW, '--batches', batches)).toBe('');
    }
    expect(await stdoutOf('crushtool', ...SHOW, '--batches', '5')).toBe(await stdoutOf('crushtool', ...SHOW));
  });

  test('a type that two steps name is counted twice in what a rule can give', async () => {
    // Two hosts: a rule that names hosts twice seems to give up to four items.
    const map = clusterMap(2, 4);
    const twice = {
      ...chooseRule(0, -1, RULE_OP.chooseFirstn, 1),
      steps: [...['first', 'second'].flatMap(() => chooseRule(0, -1, RULE_OP.chooseleafFirstn, 1).steps)],
    };
    const itemNames = new Map([
      [-1, 'root'],
      [-2, 'host0'],
      [-3, 'host1'],
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((id): [number, string] => [id, `osd.${id}`]),
    ]);
    const names = {
      itemNames,
      typeNames: new Map([
        [0, 'osd'],
        [1, 'host'],
        [10, 'root'],
      ]),
      ruleNames: new Map([[0, 'twice']]),
    };
    const path = file('twice.crushmap', crushBytes({ ...map, ...names, rules: [twice] }));
    const args = [
      '-i',
      path,
      '--test',
      '--show-utilization-all',
      '--num-rep',
      '8',
      '--max-x',
      '9',
      '--min-x',
      '0',
    ];
    const { stdout } = await run(['crushtool', ...args]);
    // 4 items for each of 10 inputs, over 8 devices.
    expect(stdout).toMatch(/device 0:\t\t stored : \d+\t expected : 5\n/);
    if (HAS_PACIFIC_CRUSHTOOL) await expectSame('crushtool', args);
  });

  test('retries are counted in a histogram of 2^20 at most', async () => {
    const args = [
      'crushtool',
      '-i',
      S,
      '--test',
      '--show-choose-tries',
      '--num-rep',
      '1',
      '--x',
      '1',
      '--rule',
      '0',
    ];
    const most = await run([...args, '--set-choose-total-tries', String(1 << 20)]);
    expect([most.status, most.stderr]).toEqual([0, '']);
    const { status, stdout, stderr } = await run([
      ...args,
      '--set-choose-total-tries',
      String((1 << 20) + 1),
    ]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `crush-wasm: ${S}: choose_total_tries is 1048577; a histogram has room for 1048576 at most\n`,
    );
  });

  test.skipIf(!HAS_PACIFIC_CRUSHTOOL).each([
    ['--set-chooseleaf-stable', '256'],
    ['--set-chooseleaf-stable', '257'],
    ['--set-chooseleaf-vary-r', '259'],
    ['--set-straw-calc-version', '-256'],
    ['--weight', '51', '0x0.8p0'],
    ['--weight', '51', '0x.4'],
    ['--weight', '51', '-0.5'],
    ['--weight', '51', '-nan'],
    ['--weight', '51', 'infinite'],
    ['--batches', '0'],
    ['--batches', '-1', '--show-utilization-all'],
    ['--batches', '0', '--show-statistics', '--show-choose-tries'],
    ['--batches', '2000', '--show-statistics'],
  ])('as crushtool 16.2: %j', async (...args) => {
    await expectSame('crushtool', [...SHOW, ...args]);
  });
});

describe('osdmaptool', () => {
  test('--mark-up takes hexadecimal, --mark-out decimal', async () => {
    expect(await stdoutOf('osdmaptool', M, '--mark-up', '0x3', '--test-map-pgs')).toMatch(
      /^marking OSD@3 as up\n/,
    );
    expect(await stdoutOf('osdmaptool', M, '--mark-in', '0x3', '--test-map-pgs')).toMatch(
      /^marking OSD@3 as in\n/,
    );
    expect(await stdoutOf('osdmaptool', M, '--mark-out', '0x3', '--test-map-pgs')).toMatch(
      /^marking OSD@0 as out\n/,
    );
    const tooLarge = await run(['osdmaptool', M, '--mark-out', '2147483648']);
    expect([tooLarge.status, tooLarge.stderr]).toEqual([
      1,
      "osdmaptool: --mark-out needs the number of an OSD, not '2147483648'\n",
    ]);
  });

  test('--mark-out marks up too', async () => {
    // OSD 4 of this map is down; out and up it is still no part of an up set, in and up it is.
    const args = ['osdmaptool', M, '--mark-out', '4', '--mark-in', '4', '--test-map-pgs-dump-all'];
    const both = await stdoutOf(...args);
    const up = await stdoutOf('osdmaptool', M, '--mark-up', '4', '--mark-in', '4', '--test-map-pgs-dump-all');
    expect(both.replace('marking OSD@4 as out', 'marking OSD@4 as up')).toBe(up);
    expect(both).not.toBe(await stdoutOf('osdmaptool', M, '--mark-in', '4', '--test-map-pgs-dump-all'));
  });

  test('the pool that --test-map-object assumes is the only one mapped', async () => {
    const stdout = await stdoutOf('osdmaptool', M, '--test-map-object', 'foo', '--test-map-pgs-dump');
    expect(stdout.match(/^pool .*$/gm)).toEqual(['pool 1 pg_num 64']);
    expect(stdout.startsWith('osdmaptool: assuming pool 1 (use --pool to override)\n object ')).toBe(true);
  });

  test('a name that is not UTF-8 is an error, since what Node leaves of it would be placed elsewhere', async () => {
    const drop = await run(['osdmaptool', M, '--test-map-object', 'f\ufffd', '--pool', '1']);
    expect([drop.status, drop.stdout]).toEqual([1, '']);
    expect(drop.stderr).toMatch(
      /^osdmaptool: the name after --test-map-object has bytes that are not UTF-8/m,
    );
    for (const args of [
      ['--object', '\ufffd'],
      ['--object', 'a', '--namespace', '\ufffd'],
      ['--object', 'a', '--key', '\ufffd'],
    ]) {
      const { status, stdout, stderr } = await run(['map', M, '--pool', '1', ...args]);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`the name after ${args.at(-2)} has bytes that are not UTF-8`);
    }
  });

  test('--pg_num beyond 32 bits is cut, beyond 64 bits an error', async () => {
    const args = ['osdmaptool', M, '--test-map-pgs-dump', '--pool', '1', '--pg_num'];
    expect(await stdoutOf(...args, '4294967301')).toBe(await stdoutOf(...args, '5'));
    expect(await stdoutOf(...args, '4294967296')).toMatch(/^pool 1 pg_num 0\n#osd/);
    const { status, stderr } = await run([...args, '9223372036854775808']);
    expect([status, stderr]).toEqual([
      1,
      "error parsing integer value The option value '9223372036854775808' seems to be invalid\n",
    ]);
  });

  test('a pool of more than 2^28 PGs is an error that names it', async () => {
    const args = ['osdmaptool', M, '--test-map-pgs', '--pool', '1', '--pg_num', '268435457'];
    const { status, stdout, stderr } = await run(args);
    expect([status, stdout]).toEqual([1, 'pool 1 pg_num 268435457\n']);
    expect(stderr).toBe(
      `osdmaptool: osdmap file '${M}'\n` +
        `crush-wasm: ${M}: pool 1: pg_num is 268435457, at most 268435456 are supported\n`,
    );
  });

  test
    .skipIf(!HAS_PACIFIC_OSDMAPTOOL)
    .each([
      ['--mark-up', '0x3'],
      ['--mark-up', '1e20'],
      ['--mark-up', '0x1p2z'],
      ['--mark-up=nan'],
      ['--mark-out', '0x3'],
      ['--mark-out', '1e1'],
      ['--mark-out', '4'],
      ['--mark-out', '-1'],
      ['--test-map-object', 'foo'],
      ['--test-map-object', 'foo', '--test-map-pg', '1.3'],
      ['--test-map-object', 'foo', '--pool', '2'],
      ['--pg_num', '4294967301'],
      ['--pg_num', '4294967296'],
      ['--pg_num', ' +12'],
      ['--pg_num', '9223372036854775808'],
      ['--pg_num', '-9223372036854775809'],
      ['--pg_num', '-9223372036854775808'],
    ])('as osdmaptool 16.2: %j', async (...args) => {
    await expectSame('osdmaptool', [M, '--test-map-pgs-dump-all', ...args]);
  });
});

describe('notes on what a JSON dump leaves open', () => {
  test('are said by crushtool', async () => {
    const path = join(FIXTURES, 'crushmaps/algorithms-v1.dump.json');
    const args = ['--test', '--show-mappings', '--num-rep', '1', '--x', '1'];
    const { status, stdout, stderr } = await run(['crushtool', '-i', path, ...args]);
    const binary = join(FIXTURES, 'crushmaps/algorithms-v1.crushmap');
    expect([status, stdout]).toEqual([0, await stdoutOf('crushtool', '-i', binary, ...args)]);
    expect(stderr).toContain(`crush-wasm: ${path}: note: tree bucket `);
  });

  test('are said by osdmaptool', async () => {
    const path = file('report.json', reportWithTree());
    const { status, stderr } = await run(['osdmaptool', path, '--print']);
    expect(status).toBe(0);
    expect(stderr).toContain(`crush-wasm: ${path}: note: tree bucket `);
  });
});

/** The report among the fixtures, with one bucket a tree. */
function reportWithTree(): string {
  const report = JSON.parse(fixtureText('cluster-10osd/report.json')) as {
    crushmap: { buckets: { alg: string }[]; choose_args: object };
  };
  report.crushmap.choose_args = {}; // They are for straw2 buckets only.
  report.crushmap.buckets[0]!.alg = 'tree';
  return JSON.stringify(report);
}
