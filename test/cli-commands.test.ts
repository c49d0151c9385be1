/**
 * `crush-wasm info`, and how every command fails.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { snakeCaseJson } from '../src/analysis/snake-case.ts';
import { listLines } from '../src/cli/table.ts';
import { FIXTURES, fixture, fixtureText } from './fixtures.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const OSDMAP = join(FIXTURES, 'cluster-8osd/osdmap');

const file = useTempFolder();

describe('info', () => {
  test('of an OSDMap', async () => {
    const { stdout, stderr, status } = await run(['info', OSDMAP]);
    expect([status, stderr]).toEqual([0, '']);
    for (const line of [
      `${OSDMAP}: OSDMap, binary, client section 9, osd section 9`,
      'epoch     97',
      'checksum  fits',
      'release   pacific OSDs, clients from luminous on',
      'OSDs      8 (ids below 8): 8 up, 7 in, 2 reweighted, 2 with primary affinity',
      '   8  ecosd   erasure        6    5   24    24  ecosd            hashpspool',
      "rule 1 'hdd' (replicated)",
      '  take default class hdd',
      '  chooseleaf firstn 0 type host',
    ]) {
      expect(stdout.split('\n')).toContain(line);
    }
    expect(stdout).toMatch(/^tunables {2}profile jewel\n {10}choose_local_tries +0\n/m);
    expect(stdout).toMatch(
      /^features {2}straw2 buckets only\n {10}device classes\n(?:.*\n)* {10}pg_temp of 19 PGs/m,
    );
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  test('of standard input', async () => {
    const { stdout } = await run(['info', '-'], { stdin: fixture('cluster-8osd/osdmap') });
    expect(stdout).toMatch(/^standard input: OSDMap, binary/);
  });

  test('as JSON', async () => {
    const { stdout } = await run(['info', OSDMAP, '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'osdmap',
      osdmap: {
        epoch: 97,
        crc: 'ok',
        min_compat_client: 'luminous',
        osds: { exist: 8, up: 8, in: 7, with_primary_affinity: 2 },
        pools: { length: 8, 7: { name: 'ecosd', min_size: 5, pg_num: 24, pgp_num: 24, rule_name: 'ecosd' } },
      },
      crush: {
        devices: 8,
        shadow_buckets: 14,
        by_type: { root: 1, rack: 2, host: 4 },
        tunables: { choose_total_tries: 50, chooseleaf_vary_r: 1 },
        profile: 'jewel',
        rules: { length: 6 },
      },
    });
    expect(stdout).not.toMatch(/"[a-z_]*[A-Z]\w*":/);
  });

  test('as JSON, in which names of the map stay as they are', () => {
    const facts = { pgNum: 1, byType: new Map([['myHost', { minSize: 2 }]]), list: [{ aB: null }] };
    expect(snakeCaseJson(facts)).toEqual({
      pg_num: 1,
      by_type: { myHost: { min_size: 2 } },
      list: [{ a_b: null }],
    });
  });

  test.each(['algorithms-v0', 'algorithms-v1', 'classes', 's', 'msr_s'])(
    'of the CRUSH map %s',
    async (name) => {
      const { status, stdout } = await run(['info', join(FIXTURES, `crushmaps/${name}.crushmap`)]);
      expect(status).toBe(0);
      expect(stdout).toContain(': CRUSH map, binary\n');
    },
  );

  test('of a damaged map', async () => {
    const bytes = fixture('cluster-8osd/osdmap');
    bytes[3000]! ^= 4;
    const damaged = file('damaged', bytes);
    const refused = await run(['info', damaged]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('--ignore-crc');
    const read = await run(['info', damaged, '--ignore-crc']);
    expect(read.stdout).toContain('checksum  DOES NOT FIT the content');
    const piped = await run(['info', '-', '--ignore-crc'], { stdin: bytes });
    expect(piped.stdout).toContain('checksum  DOES NOT FIT the content');
  });
});

test('long lists are broken between their items', () => {
  const list = 'one two, three; four, five';
  expect(listLines('title  ', list, 22)).toEqual(['title  one two, three;', '       four, five']);
  expect(listLines('title  ', list, 5)).toHaveLength(4);
  expect(listLines('title  ', 'none', 80)).toEqual(['title  none']);
});

describe('failures', () => {
  const bytes = fixture('cluster-8osd/osdmap');
  test.each([
    ['empty', new Uint8Array(0)],
    ['cut', bytes.subarray(0, 5000)],
    ['one byte', bytes.subarray(0, 1)],
    ['crush cut', fixture('crushmaps/s.crushmap').subarray(0, 300)],
    ['text', '# begin crush map\nnonsense\n'],
    ['other text', 'hello\n'],
    ['json', '{"a":1}'],
    ['json cut', '{"a":'],
    ['gzip of nothing', gzipSync('')],
    ['gzip cut', gzipSync(bytes).subarray(0, 2000)],
  ])('%s is one line and status 1', async (name, content) => {
    const path = file(name, content);
    for (const command of ['map', 'info', 'start']) {
      const { status, stdout, stderr } = await run([command, path]);
      expect([command, status, stdout]).toEqual([command, 1, '']);
      expect(stderr).toMatch(/^crush-wasm: [^\n]+\n$/);
      expect(stderr).toContain(path);
    }
  });

  test('a file that is not there', async () => {
    const outcome = await run(['info', '/nonexistent/map']);
    expect(outcome).toEqual({
      status: 1,
      stdout: '',
      stderr: 'crush-wasm: /nonexistent/map: cannot be read: No such file or directory\n',
    });
  });

  test('misuse', async () => {
    expect(await run(['nope'])).toMatchObject({ status: 2, stderr: "crush-wasm: unknown command 'nope'\n" });
    expect(await run(['map'])).toMatchObject({
      status: 2,
      stderr: "crush-wasm: missing required argument 'file'\n",
    });
    expect(await run([])).toMatchObject({ status: 2, stdout: '' });
    const release = await run(['osdmaptool', OSDMAP, '--print', '--as-release', '3']);
    expect(release).toMatchObject({ status: 2, stdout: '' });
    expect(await run(['map', '-'])).toMatchObject({
      status: 1,
      stderr: 'crush-wasm: standard input is a terminal; pipe a map into it\n',
    });
  });

  test('misuse is one line, with what may have been meant', async () => {
    const { status, stdout, stderr } = await run(['map', OSDMAP, '--foo']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe("crush-wasm: unknown option '--foo' (Did you mean --pool?)\n");
  });

  test('help and version succeed', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await run(['--help'])).toMatchObject({ status: 0, stderr: '' });
    expect((await run(['map', '--help'])).stdout).toContain('--namespace');
    for (const args of [
      ['crushtool', '--help'],
      ['help', 'crushtool'],
    ]) {
      const { status, stdout } = await run(args);
      expect(status).toBe(0);
      for (const option of ['--show-mappings', '--batches', '--infn', '--set-choose-total-tries']) {
        expect(stdout).toContain(option);
      }
    }
  });
});

const BUILT = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));

/** Whether there is a build, and none of the sources is newer. */
function isBuilt(): boolean {
  if (!existsSync(BUILT)) return false;
  const built = statSync(BUILT).mtimeMs;
  const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  return sources.every((name) => !name.endsWith('.ts') || statSync(join(SOURCES, name)).mtimeMs <= built);
}

describe.skipIf(!isBuilt())('the built command', () => {
  test('runs as a process of its own', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [BUILT, 'osdmaptool', OSDMAP, '--test-map-pgs-dump-all'],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, `osdmaptool: osdmap file '${OSDMAP}'\n`]);
    expect(stdout).toBe(fixtureText('cluster-8osd/test-map-pgs-dump-all.txt'));
  });

  test('ends quietly when its reader has had enough', () => {
    const args = '--test --show-mappings --rule 0 --num-rep 3 --min-x 0 --max-x 99999999';
    const s = join(FIXTURES, 'crushmaps/s.crushmap');
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" "${BUILT}" crushtool -i "${s}" ${args} | head -1`],
      { encoding: 'utf8', timeout: 60_000 },
    );
    expect([stdout, stderr]).toEqual(['CRUSH rule 0 x 0 [45,28,109]\n', '']);
  });
});

test.each([
  ['test', ['EXPECTED', 'OFF BY', 'SIGMAS', 'choose_args default']],
  ['compare', ['FLOOR', 'RATIO', 'LED ANEW', 'SHORT', 'BELOW MIN', 'CAUSE']],
  ['whatif', ['LED ANEW', 'DEGRADED', 'LOST', 'REBUILT SHARDS', 'STAY SHORT', 'FULLEST THEN', 'OF FAIR']],
])('the help of %s explains its columns', async (command, columns) => {
  const { status, stdout } = await run([command, '--help']);
  expect(status).toBe(0);
  for (const column of columns) expect(stdout).toContain(column);
});

describe('the CRUSH map of a JSON dump', () => {
  const [dump = '', crush = ''] = ['osd-dump.json', 'crush-dump.json'].map((name) =>
    join(FIXTURES, 'cluster-8osd', name),
  );

  test.each([['map'], ['info'], ['test', '--samples', '100'], ['start']])(
    'may be an argument or an option: %s %s %s',
    async (...command) => {
      const asArgument = await run([...command.slice(0, 1), dump, crush, ...command.slice(1)]);
      const asOption = await run([...command, dump, '--crush-file', crush]);
      const stable = (text: string): string => text.replaceAll(/mapped in .*/g, '');
      expect(asOption.status).toBe(asArgument.status);
      expect(stable(asOption.stdout)).toBe(stable(asArgument.stdout));
      const both = await run([...command.slice(0, 1), dump, crush, '--crush-file', crush]);
      expect([both.status, both.stderr]).toEqual([2, expect.stringContaining('is given twice')]);
    },
  );

  test('of explain', async () => {
    const outcomes = await Promise.all(
      ['--crush', '--crush-file'].map((option) => run(['explain', dump, '4.1', option, crush])),
    );
    expect(outcomes[0]?.status).toBe(0);
    expect(outcomes[1]).toEqual(outcomes[0]);
    const both = await run(['explain', dump, '4.1', '--crush', crush, '--crush-file', crush]);
    expect([both.status, both.stderr]).toEqual([2, expect.stringContaining('exclude each other')]);
    expect((await run(['explain', '--help'])).stdout).not.toContain('--crush <file>');
  });

  test('needs a file of start', async () => {
    expect((await run(['start', '--crush-file', crush])).status).toBe(2);
  });
});
