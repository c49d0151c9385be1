/**
 * The commands for people: map, info, start, and how every command fails.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIXTURES, fixture, fixtureText } from './fixtures.ts';
import { run } from './run-cli.ts';

const OSDMAP = join(FIXTURES, 'cluster-8osd/osdmap');
const CRUSHMAP = join(FIXTURES, 'crushmaps/cluster-8osd.crushmap');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crush-wasm-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, content: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** `1.0 raw ([0,6,3], p0) up (...) acting (...)` of osdmaptool as a row of JSON. */
function expectedRows(): unknown[] {
  return [
    ...fixtureText('cluster-8osd/test-map-pgs-dump-all.txt').matchAll(
      /^(\d+)\.([0-9a-f]+) raw \(\[(.*)\], p(.*)\) up \(\[(.*)\], p(.*)\) acting \(\[(.*)\], p(.*)\)$/gm,
    ),
  ].map(([, pool, ps, ...sets]) => {
    const osds = (text = ''): (number | null)[] =>
      text === '' ? [] : text.split(',').map((osd) => (osd === '2147483647' ? null : Number(osd)));
    const primary = (text?: string): number | null => (text === '-1' ? null : Number(text));
    return {
      pgid: `${pool}.${ps}`,
      pool: Number(pool),
      ps: parseInt(ps ?? '', 16),
      raw: osds(sets[0]),
      raw_primary: primary(sets[1]),
      up: osds(sets[2]),
      up_primary: primary(sets[3]),
      acting: osds(sets[4]),
      acting_primary: primary(sets[5]),
    };
  });
}

describe('map', () => {
  test('every format says what osdmaptool says', async () => {
    const rows = expectedRows() as Record<string, (number | null)[] | number | string | null>[];
    expect(rows).toHaveLength(321);
    const json = await run(['map', OSDMAP, '--format', 'json']);
    expect(JSON.parse(json.stdout)).toEqual({
      fsid: 'abe2279a-b9d1-448f-a67d-24b8cc9f2a87',
      epoch: 97,
      pgs: rows,
    });
    const ndjson = await run(['map', OSDMAP, '--format', 'ndjson']);
    expect(
      ndjson.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(rows);

    const set = (value: unknown, separator: string): string =>
      (value as (number | null)[]).map((osd) => osd ?? '-').join(separator);
    const csv = await run(['map', OSDMAP, '--format', 'csv']);
    expect(csv.stdout.trimEnd().split('\n').slice(1)).toEqual(
      rows.map((row) =>
        [
          row.pgid,
          ...(['raw', 'up', 'acting'] as const).flatMap((kind) => [
            set(row[kind], ' '),
            row[`${kind}_primary`] ?? '',
          ]),
        ].join(','),
      ),
    );
    const table = await run(['map', OSDMAP]);
    expect(
      table.stdout
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(/ +/)),
    ).toEqual(
      rows.map((row) => [
        row.pgid,
        ...(['raw', 'up', 'acting'] as const).flatMap((kind) => [
          set(row[kind], ',') || 'none',
          String(row[`${kind}_primary`] ?? '-'),
        ]),
      ]),
    );
    for (const { status, stderr } of [json, ndjson, csv, table]) expect([status, stderr]).toEqual([0, '']);
  });

  test('a pool by name or id, a PG', async () => {
    const byName = await run(['map', OSDMAP, '--pool', 'two', '--format', 'csv']);
    const byId = await run(['map', OSDMAP, '--pool', '6', '--format', 'csv']);
    expect(byName.stdout).toBe(byId.stdout);
    expect(byName.stdout.split('\n')).toHaveLength(34);
    const pg = await run(['map', OSDMAP, '--pg', '8.2']);
    expect(pg.stdout.split('\n')[1]).toBe('8.2   6,3,4,0,-,5  6  6,3,4,0,-,5  6  6,3,4,0,5,5  6');
    const json = await run(['map', OSDMAP, '--pg', '8.2', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ pgid: '8.2', raw: [6, 3, 4, 0, null, 5] });
  });

  test('an object', async () => {
    const { stdout } = await run(['map', OSDMAP, '--object', 'foo', '--pool', 'rep']);
    expect(stdout).toBe(
      [
        "object  'foo' of pool 3 'rep'",
        'hash    0x7fc1f406',
        'pg      3.6',
        'raw     3,5,6, primary 3',
        'up      3,5,6, primary 3',
        'acting  3,5,6, primary 3',
        '',
      ].join('\n'),
    );
    const args = ['map', OSDMAP, '--object', 'a,"b"', '--pool', '3', '--namespace', 'ns', '--key', 'k'];
    const json = await run([...args, '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      object: 'a,"b"',
      namespace: 'ns',
      key: 'k',
      pgid: '3.25',
    });
    const csv = await run([...args, '--format', 'csv']);
    expect(csv.stdout.split('\n')[1]).toMatch(/^"a,""b""",3\.25,/);
  });

  test('gzip, standard input, two JSON files', async () => {
    const plain = await run(['map', OSDMAP, '--pool', '8']);
    const packed = file('osdmap.gz', gzipSync(fixture('cluster-8osd/osdmap')));
    expect(await run(['map', packed, '--pool', '8'])).toEqual(plain);
    expect(await run(['map', '-', '--pool', '8'], { stdin: fixture('cluster-8osd/osdmap') })).toEqual(plain);
    const dumps = ['osd-dump.json', 'crush-dump.json'].map((name) => join(FIXTURES, 'cluster-8osd', name));
    const fromJson = await run(['map', ...dumps, '--pool', '8']);
    expect([fromJson.status, fromJson.stdout]).toEqual([0, plain.stdout]);
  });

  test('a CRUSH map needs a rule', async () => {
    const none = await run(['map', CRUSHMAP]);
    expect(none.status).toBe(1);
    expect(none.stderr).toMatch(/this is a CRUSH map without pools: give --rule R --num-rep N .*1 'hdd'/);
    const rule = ['--rule', 'ec', '--num-rep', '6', '--max-x', '1'];
    expect((await run(['map', CRUSHMAP, ...rule])).stdout).toBe(
      'X           ITEMS\n0           7,3,1,5,-,-\n1           7,2,-,5,1,-\n',
    );
    expect(JSON.parse((await run(['map', CRUSHMAP, ...rule, '--format', 'json'])).stdout)).toEqual({
      rule: 4,
      num_rep: 6,
      mappings: [
        { x: 0, items: [7, 3, 1, 5, null, null] },
        { x: 1, items: [7, 2, null, 5, 1, null] },
      ],
    });
  });

  test.each([
    [['--pool', 'nope'], 1, "there is no pool 'nope'; the map has 1 'fsmeta', 2 'fsdata'"],
    [['--pg', '8.ff'], 1, 'there is no PG 8.ff: pool 8 has 24, up to 8.17'],
    [['--pg', '99.0'], 1, "there is no pool '99'"],
    [['--pg', 'zz'], 2, "'zz' is not a PG"],
    [['--format', 'xml'], 2, "--format is one of table, json, ndjson, csv, not 'xml'"],
    [['--object', 'foo'], 2, '--object needs --pool'],
    [['--object', 'foo', '--pool', '1', '--pg', '1.0'], 2, '--object and --pg exclude each other'],
    [['--rule', '0'], 1, '--rule is for CRUSH maps'],
    [['--bogus'], 2, "unknown option '--bogus'"],
  ])('%j', async (args, status, message) => {
    const outcome = await run(['map', OSDMAP, ...args]);
    expect(outcome).toMatchObject({ status, stdout: '' });
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr).toMatch(/^crush-wasm: [^\n]*\n$/);
  });
});

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
      '   8  ecosd   erasure        6    5   24    24  5     hashpspool',
      "rule 1 'hdd' (replicated)",
      '  take default class hdd',
      '  chooseleaf firstn 0 type host',
    ]) {
      expect(stdout.split('\n')).toContain(line);
    }
    expect(stdout).toMatch(/^tunables {2}profile jewel: choose_total_tries 50/m);
    expect(stdout).toMatch(
      /^features {2}straw2 buckets only, device classes, choose_args for .*pg_temp of 19 PGs/m,
    );
  });

  test('as JSON', async () => {
    const { stdout } = await run(['info', OSDMAP, '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'osdmap',
      osdmap: { epoch: 97, crc: 'ok', osds: { exist: 8, up: 8, in: 7 }, pools: { length: 8 } },
      crush: { devices: 8, profile: 'jewel', rules: { length: 6 } },
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

describe('start', () => {
  test('maps the example', async () => {
    const { status, stdout, stderr } = await run(['start']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^321 PGs of 8 pools mapped in [0-9.]+ ms; [0-9,]+ mappings a second/m);
    expect(stdout).toMatch(/^osd\.3 {2}#+ 198, leads 130$/m);
    expect(stdout).toMatch(/Next, try:\n {2}.* map examples\/cluster-8osd\/osdmap --pool fsmeta\n/);
  });

  test('maps a CRUSH map, and only shows the ends of many devices', async () => {
    const { status, stdout } = await run(['start', join(FIXTURES, 'crushmaps/s.crushmap')]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^\.\.\. 112 between \.\.\.$/m);
    expect(stdout.split('\n').filter((line) => line.startsWith('osd.'))).toHaveLength(32);
  });
});

describe('failures', () => {
  const bytes = fixture('cluster-8osd/osdmap');
  test.each([
    ['empty', new Uint8Array(0)],
    ['cut', bytes.subarray(0, 5000)],
    ['one byte', bytes.subarray(0, 1)],
    ['crush cut', fixture('crushmaps/s.crushmap').subarray(0, 300)],
    ['text', '# begin crush map\n'],
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

  test('help and version succeed', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await run(['--help'])).toMatchObject({ status: 0, stderr: '' });
    expect((await run(['map', '--help'])).stdout).toContain('--namespace');
    expect((await run(['crushtool', '--help'])).stdout).toContain('--show-mappings');
  });
});

const BUILT = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));
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
