/**
 * `crush-wasm map`: what it says, in every format, and what it refuses.
 */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { pgWriter } from '../src/cli/map-writers.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import type { PgColumns, PgSets } from '../src/osdmap/pg-mapper.ts';
import { FIXTURES, fixture, fixtureText } from './fixtures.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const OSDMAP = join(FIXTURES, 'cluster-8osd/osdmap');
const CRUSHMAP = join(FIXTURES, 'crushmaps/cluster-8osd.crushmap');
const file = useTempFolder();

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
    expect(pg.stdout.split('\n')[1]).toBe('8.2   6,3,4,0,-,5  6      6,3,4,0,-,5  6      6,3,4,0,5,5  6');
    const json = await run(['map', OSDMAP, '--pg', '8.2', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ pgid: '8.2', raw: [6, 3, 4, 0, null, 5] });
  });

  test('several pools, in the order given', async () => {
    const parts = [];
    for (const pool of ['two', 'ec'])
      parts.push(await run(['map', OSDMAP, '--pool', pool, '--format', 'ndjson']));
    const both = await run([
      'map',
      OSDMAP,
      '--pool',
      'two',
      '--pool',
      '7',
      '--pool',
      '6',
      '--format',
      'ndjson',
    ]);
    expect(both.stdout).toBe(parts.map(({ stdout }) => stdout).join(''));
  });

  test('a PG as operators paste it', async () => {
    for (const [pasted, pg] of [
      ['7.1F', '7.1f'],
      ['7.1fs0', '7.1f'],
      ['7.1Fs3', '7.1f'],
    ] as const) {
      expect(await run(['map', OSDMAP, '--pg', pasted])).toEqual(await run(['map', OSDMAP, '--pg', pg]));
    }
    const inPool = await run(['map', OSDMAP, '--pool', 'ec', '--pg', '7.1']);
    expect(inPool).toEqual(await run(['map', OSDMAP, '--pg', '7.1']));
  });

  test('the columns have names, which the help explains', async () => {
    const { stdout } = await run(['map', OSDMAP, '--pg', '3.6']);
    expect(stdout).toBe(
      'PG    RAW     RAW_P  UP      UP_P   ACTING  ACT_P\n3.6   3,5,6   3      3,5,6   3      3,5,6   3\n',
    );
    const help = (await run(['map', '--help'])).stdout;
    for (const word of ['RAW_P', 'ACT_P', '- is a place without an OSD', '= says'])
      expect(help).toContain(word);
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
    expect(none.status).toBe(2);
    expect(none.stderr).toMatch(/this is a CRUSH map without pools: give --rule R --num-rep N .*1 'hdd'/);
    const rule = ['--rule', 'ec', '--num-rep', '6', '--max-x', '1'];
    expect((await run(['map', CRUSHMAP, ...rule])).stdout).toBe('X  ITEMS\n0  7,3,1,5,-,-\n1  7,2,-,5,1,-\n');
    expect(JSON.parse((await run(['map', CRUSHMAP, ...rule, '--format', 'json'])).stdout)).toEqual({
      rule: 4,
      num_rep: 6,
      mappings: [
        { x: 0, items: [7, 3, 1, 5, null, null] },
        { x: 1, items: [7, 2, null, 5, 1, null] },
      ],
    });
  });

  test.each(['--pool', '--pg', '--object'])('a CRUSH map has no %s', async (option) => {
    const needed = option === '--object' ? ['--pool', 'rep'] : [];
    const outcome = await run(['map', CRUSHMAP, option, '3.1', ...needed, '--rule', '0', '--num-rep', '3']);
    expect(outcome).toMatchObject({ status: 2, stdout: '' });
    expect(outcome.stderr).toMatch(
      /^crush-wasm: [^\n]* without pools, so there is no --(pool|pg|object): [^\n]*\n$/,
    );
  });

  test('a CRUSH map without that rule says which there are', async () => {
    expect(await run(['map', CRUSHMAP, '--rule', 'nope', '--num-rep', '3'])).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `crush-wasm: ${CRUSHMAP}: there is no rule 'nope'; the map has 0 'replicated_rule', 1 'hdd', 2 'ssd', ` +
        "3 'racks', 4 'ec', 5 'ecosd'\n",
    });
  });

  test('standard input has a name in errors', async () => {
    const { stderr } = await run(['map', '-', '--pool', 'x'], { stdin: fixture('cluster-8osd/osdmap') });
    expect(stderr).toMatch(/^crush-wasm: standard input: there is no pool 'x'/);
  });

  test('the inputs of a CRUSH map are as wide as the last', async () => {
    const range = ['--min-x', '999', '--max-x', '1000'];
    const { stdout } = await run(['map', CRUSHMAP, '--rule', '0', '--num-rep', '2', ...range]);
    expect(stdout).toMatch(/^X {5}ITEMS\n999 {3}\d,\d\n1000 {2}\d,\d\n$/);
  });

  test.each([
    [['--pool', 'nope'], 1, "there is no pool 'nope'; the map has 1 'fsmeta', 2 'fsdata'"],
    [['--pg', '8.ff'], 1, 'there is no PG 8.ff: pool 8 has 24, up to 8.17'],
    [['--pg', '99.0'], 1, "there is no pool 99; the map has 1 'fsmeta', 2 'fsdata'"],
    [['--pg', 'zz'], 2, "'zz' is not a PG"],
    [
      ['--pg', '3.0x1f'],
      2,
      "'3.0x1f' is not a PG; one looks like 4.1f: pool 4, seed 1f in hexadecimal without 0x",
    ],
    [['--pg', '7.1s'], 2, "'7.1s' is not a PG"],
    [['--pg', '7.1', '--pool', 'rep'], 2, "PG 7.1 is of pool 7 'ec', not of --pool 3 'rep'"],
    [['--pg', '7.1', '--pool', 'ec', '--pool', 'rep'], 2, '--pg goes with one --pool only'],
    [['--pg', '7.1', '--pg', '7.2'], 2, '--pg is given twice'],
    [['--format', 'xml'], 2, "--format is one of table, json, ndjson, csv, not 'xml'"],
    [['--object', 'foo'], 2, '--object needs --pool'],
    [['--object', 'foo', '--pool', 'rep', '--pool', 'ec'], 2, '--object goes with one --pool only'],
    [['--pool', 'rep', '--namespace', 'ns'], 2, '--namespace needs --object'],
    [['--key', 'k'], 2, '--key needs --object'],
    [['--object', 'foo', '--pool', '1', '--pg', '1.0'], 2, '--object and --pg exclude each other'],
    [['--rule', '0', '--num-rep', '3'], 2, '--rule is for CRUSH maps; this is an OSDMap'],
    [['--num-rep', '3'], 2, '--num-rep is for CRUSH maps'],
    [['--min-x', '3'], 2, '--min-x is for CRUSH maps'],
    [['--pool', 'rep', '--max-x', '3'], 2, '--max-x is for CRUSH maps'],
    [['--pg', 'a\nb'], 2, "'a\\x0ab' is not a PG"],
    [['--bogus'], 2, "unknown option '--bogus'"],
  ])('%j', async (args, status, message) => {
    const outcome = await run(['map', OSDMAP, ...args]);
    expect(outcome).toMatchObject({ status, stdout: '' });
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr).toMatch(/^crush-wasm: [^\n]*\n$/);
  });
});

describe('the table of wide sets', () => {
  const ids = Array.from({ length: 11 }, (_, i) => 1000 + i);
  const sets = (...rows: number[][]): PgSets => ({
    osds: Int32Array.from(rows.flat()),
    lengths: Int32Array.from(rows, (row) => row.length),
    primaries: Int32Array.from(rows, (row) => row[0]!),
  });
  const moved = [...ids.slice(0, 10), 1234];

  function table(kinds: Pick<PgColumns, 'raw' | 'up' | 'acting'>): string {
    const example = readOsdMapBinary(fixture('cluster-8osd/osdmap'));
    const pool = { ...example.pools.get(7)!, size: 11, pgNum: 300 };
    const map = { ...example, maxOsd: 2000, pools: new Map([[7, pool]]) };
    let text = '';
    const sink = {
      add: (part: string) => void (text += part),
      addBytes: (part: Uint8Array) => void (text += new TextDecoder().decode(part)),
      relieve: () => Promise.resolve(),
    };
    const writer = pgWriter('table', map, [7]);
    writer.begin(sink);
    writer.add({ pool: 7, first: 254, count: 2, width: 11, ...kinds }, sink);
    writer.end(sink);
    return text;
  }

  test('leaves RAW out and says ACTING only where it differs', () => {
    const text = table({ raw: sets(ids, ids), up: sets(ids, moved), acting: sets(ids, ids) });
    const list = ids.join(',');
    expect(text.split('\n')).toEqual([
      `PG     UP_P   ACT_P  ${'UP'.padEnd(list.length)}  ACTING`,
      `7.fe   1000   1000   ${list}  =`,
      `7.ff   1000   1000   ${moved.join(',')}  ${list}`,
      '',
    ]);
  });
});
