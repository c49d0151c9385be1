/** `crush-wasm compare` and `crush-wasm whatif`, as people and scripts run them. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { FIXTURES, fixtureText } from './fixtures.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();
const A = join(FIXTURES, 'cluster-10osd/a.osdmap');
const C = join(FIXTURES, 'cluster-10osd/c.osdmap');
const EIGHT = join(FIXTURES, 'cluster-8osd/osdmap');
const CRUSH = join(FIXTURES, 'crushmaps/cluster-8osd.crushmap');

/** A PG dump in which every PG of a map holds as much, behind the line that `ceph` prints before it. */
function pgDump(path: string, isOld = false): string {
  const map = readOsdMapBinary(new Uint8Array(readFileSync(path)));
  const stats = {
    pg_stats: [...map.pools.values()].flatMap(({ id, pgNum }) =>
      Array.from({ length: pgNum }, (_, ps) => ({
        pgid: `${id}.${ps.toString(16)}`,
        stat_sum: { num_objects: 10, num_bytes: 1 << 20 },
      })),
    ),
    osd_stats: Array.from({ length: map.maxOsd }, (_, osd) => ({ osd, kb: 1 << 20, kb_used: 1 << 18 })),
  };
  return `dumped all\n${JSON.stringify(isOld ? stats : { pg_ready: true, pg_map: stats })}\n`;
}

describe('compare', () => {
  test('two maps of one cluster', async () => {
    const { status, stdout, stderr } = await run(['compare', A, C]);
    expect([status, stderr]).toEqual([3, '']);
    expect(stdout.replaceAll(FIXTURES, '')).toBe(fixtureText('compare/compare.txt'));
  });

  test('the same map: status 0', async () => {
    const { status, stdout } = await run(['compare', A, A]);
    expect(status).toBe(0);
    expect(stdout).toContain('nothing moves: all 305 PGs stay where they are\n');
  });

  test('a CRUSH map is laid into the other OSDMap, either way, or into one given besides', async () => {
    for (const argv of [
      [EIGHT, CRUSH],
      [CRUSH, EIGHT],
      [CRUSH, CRUSH, '--osdmap', EIGHT],
    ]) {
      const { status, stdout } = await run(['compare', ...argv]);
      expect([status, stdout]).toEqual([0, expect.stringContaining('nothing moves: all 321 PGs')]);
    }
    const other = join(FIXTURES, 'crushmaps/classes.crushmap');
    expect((await run(['compare', EIGHT, other])).status).toBe(3);
    const neither = await run(['compare', CRUSH, CRUSH]);
    expect(neither.status).toBe(2);
    expect(neither.stderr).toContain('name an OSDMap to lay them into (--osdmap FILE)');
  });

  test('dumps have their CRUSH map beside them: one for both, or one each', async () => {
    const dump = join(FIXTURES, 'cluster-8osd/osd-dump.json');
    const crush = ['--crush-file', join(FIXTURES, 'cluster-8osd/crush-dump.json')];
    for (const argv of [
      [dump, EIGHT, ...crush],
      [EIGHT, dump, ...crush],
      [dump, dump, ...crush, ...crush],
      [CRUSH, CRUSH, '--osdmap', dump, ...crush],
    ]) {
      const { status, stdout } = await run(['compare', ...argv]);
      expect([status, stdout]).toEqual([0, expect.stringContaining('nothing moves: all 321 PGs')]);
    }
    const unused = await run(['compare', EIGHT, EIGHT, ...crush]);
    expect([unused.status, unused.stderr]).toEqual([
      2,
      expect.stringContaining('none of these files is that'),
    ]);
    expect((await run(['compare', dump, EIGHT])).stderr).toContain('has no CRUSH map');
  });

  test('JSON has everything, names as Ceph has them', async () => {
    const { stdout } = await run(['compare', A, C, '--format', 'json', '--pgs', '--by', 'rack']);
    const json = JSON.parse(stdout) as Record<string, Record<string, unknown>> & { pgs: unknown[] };
    expect(json).toMatchObject({
      epoch_before: 101,
      epoch_after: 106,
      total: {
        pgs: 305,
        moved_pgs: 99,
        moved_shards: 110,
        floor: { shards: 70, by_rule: 29, by_weight: 60 },
      },
      causes: { 'osd-out': { pgs: 148, shards: 84 }, 'osd-down': { pgs: 97, shards: 0 } },
    });
    expect(json.pgs.length).toBe(json.total?.changed_pgs);
    expect(Object.keys(json.flows ?? {})).toEqual(['rack', 'osd']);
  });

  test('CSV: a row for each PG that changes', async () => {
    const { stdout } = await run(['compare', A, C, '--format', 'csv']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe('pgid,cause,moved_shards,before,before_primary,after,after_primary,objects,bytes');
    expect(lines[1]).toBe('1.0,osd-down,0,7 8 3,7,7 8,7,,');
    expect(lines.length).toBe(1 + 278);
  });

  test.each([false, true])('a PG dump, of before 2019: %s', async (isOld) => {
    const dump = file('dump.json', pgDump(A, isOld));
    const { stdout } = await run(['compare', A, C, '--pg-dump', dump]);
    // 56 whole PGs of replicated pools, 29 halves and 25 quarters of erasure pools, a MiB each.
    expect(stdout).toContain('\n1100 objects are copied, 76.8 MiB\n');
  });

  test.each([
    [['compare', A], 2, "missing required argument 'after'"],
    [['compare', A, C, '--format', 'xml'], 2, "--format is one of table, json, csv, not 'xml'"],
    [['compare', A, C, '--limit', '0'], 2, '--limit takes a whole number from 1'],
    [['compare', A, C, '--by', 'planet'], 2, "there is no type of bucket 'planet'"],
    [['compare', '-', '-'], 2, 'only one file can be standard input'],
    [['compare', A, 'nowhere'], 1, 'nowhere: cannot be read: No such file or directory'],
    [['compare', A, C, '--pg-dump', A], 1, 'there is no JSON object'],
    [['compare', A, C, '--osdmap', CRUSH], 2, '--osdmap takes an OSDMap, not a CRUSH map'],
  ])('%j', async (argv, status, message) => {
    const outcome = await run(argv);
    expect(outcome.stderr).toContain(message);
    expect(outcome.status).toBe(status);
  });

  test('a PG dump of another shape', async () => {
    const dump = file('odd.json', '{"pg_map": {"pg_stats": [{"pgid": "1.zz"}]}}');
    const { status, stderr } = await run(['compare', A, C, '--pg-dump', dump]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('dump.pg_map.pg_stats[0].stat_sum')]);
  });
});

describe('whatif', () => {
  test('changes as words', async () => {
    const { status, stdout } = await run(['whatif', A, 'out', 'osd.3', 'crush-weight', 'host2', '14.5']);
    expect(status).toBe(3);
    expect(stdout.replaceAll(FIXTURES, '')).toBe(fixtureText('compare/whatif.txt'));
  });

  test('the example of the README is what is printed', async () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [, words = '', text] = /^\$ npm run -s crush -- (whatif .*)\n([^]*?)^```$/m.exec(readme) ?? [];
    expect((await run(words.split(' '))).stdout).toBe(text);
  });

  test('changes from a file come after those given as words; the map after them is saved', async () => {
    const changes = file('changes', '# drain\nout osd.3\nreweight 5 0.5; pool rep pg_num 128\n');
    const saved = file('saved', '');
    const first = await run(['whatif', A, 'in', 'osd.9', '--changes', changes, '--save', saved]);
    expect([first.status, first.stderr]).toEqual([
      3,
      `crush-wasm: note: wrote the OSDMap after the changes, of epoch 102, to ${saved}\n`,
    ]);
    const map = readOsdMapBinary(new Uint8Array(readFileSync(saved)));
    expect([map.epoch, map.osdWeight[3], map.osdWeight[5], map.osdWeight[9]]).toEqual([
      102, 0, 0x8000, 0x10000,
    ]);
    const second = await run(['compare', A, saved]);
    const body = (text: string): string => text.slice(text.indexOf('\n\n'));
    expect(body(first.stdout)).toContain(body(second.stdout).trimEnd());
  });

  test('what was added where no data comes is noted', async () => {
    const { status, stderr } = await run(['whatif', A, 'add-host h9 osds=10 weight=1 rack=r9']);
    expect(status).toBe(0);
    expect(stderr).toBe(
      "crush-wasm: note: rack 'r9' is new and below no root; its location is to name one, such as root=default\n" +
        "crush-wasm: note: no pool's rule reaches osd.10 in host 'h9'\n",
    );
  });

  test('a CRUSH map is imported', async () => {
    const { status } = await run(['whatif', EIGHT, 'crushmap', CRUSH]);
    expect(status).toBe(0);
  });

  test('how full OSDs get, where a PG dump tells', async () => {
    const dump = file('dump.json', pgDump(A));
    const { stdout } = await run(['whatif', A, 'out', 'osd.3', '--pg-dump', dump, '--limit', '1']);
    expect(stdout).toMatch(
      /OSD +SHARDS +AFTER +CHANGE +BYTES +AFTER +USED +AFTER\nosd\.3 +\d+ +0 +-\d+ .*25\.0 %/,
    );
  });

  test('every host fails', async () => {
    const { status, stdout } = await run(['whatif', A, '--fail-each', 'host']);
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[2]).toMatch(/^FAILS +OSDS +DEGRADED +BELOW MIN +LOST/);
    expect(
      lines
        .slice(3)
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual(['host0', 'host1', 'host2', 'host3', 'host4']);
    const json = await run(['whatif', A, '--fail-each', 'osd', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toContainEqual(expect.objectContaining({ name: 'osd.3', osds: 1 }));
  });

  test('a plan is a script that sets and takes away its upmaps', async () => {
    const plan = file('plan', '');
    const argv = ['whatif', A, 'rule', 'replicated_rule', 'failure-domain', 'rack', '--plan', plan];
    const { stdout, status } = await run([...argv, '--stage', '--shards-per-osd', '4']);
    expect(status).toBe(3);
    expect(stdout).toMatch(/staging: 1 PG held by upmaps; with the change itself 22 shards move/);
    const ceph = file('ceph', '#!/bin/sh\necho "ceph $*"\n');
    chmodSync(ceph, 0o755);
    const sh = (...args: string[]): { status: number | null; stdout: string } =>
      spawnSync('sh', [plan, ...args], {
        encoding: 'utf8',
        env: { PATH: `${dirname(ceph)}:${process.env.PATH ?? ''}` },
      });
    const commands = stdout.split('\n').filter((line) => line.startsWith('ceph '));
    const hold = sh('hold').stdout.trimEnd().split('\n');
    const batches = stdout.split('\n').filter((line) => line.startsWith('# batch ')).length;
    const released = Array.from({ length: batches }, (_, i) =>
      sh('release', String(i + 1))
        .stdout.trimEnd()
        .split('\n'),
    );
    expect([...hold, ...released.flat()]).toEqual(commands);
    expect(sh('release', String(batches + 1)).status).toBe(2);

    const { stdout: summary, stderr } = await run(argv);
    expect(summary).toMatch(/staging: 1 PG held by upmaps; .*\n$/);
    expect(stderr).toMatch(/note: wrote the plan, a shell script that holds 1 PG .* in 1 batch, to /);
  });

  test('a plan that holds nothing is not written', async () => {
    const plan = join(dirname(file('x', '')), 'no-plan');
    const { status, stdout, stderr } = await run(['whatif', A, 'primary-affinity', '3', '0', '--plan', plan]);
    expect(status).toBe(3);
    expect(stdout).toMatch(/\nat least 0 shards have to move \(0 by the rules, 0 by the weights\)\n/);
    expect(stdout).toMatch(/\nstaging: no upmap would make less move, so nothing is held\n$/);
    expect(stderr).toContain(
      `note: no upmap would make less move, so nothing is held, and no plan is written to ${plan}`,
    );
    expect(existsSync(plan)).toBe(false);
  });

  test('one of a thing is one', async () => {
    const { stdout } = await run([
      'whatif',
      A,
      'pool rep pg_num 1; pool ec pg_num 1; out osd.3; upmap-items 1.0 1:2',
    ]);
    expect(stdout).not.toMatch(/\b1 (?:PGs|shards|pools|changes)\b/);
  });

  test.each([
    [['whatif', A], 2, "no change is given, such as 'out osd.3'"],
    [['whatif', A, 'frob'], 2, "'frob' is no change"],
    [['whatif', A, 'out'], 2, 'out: it ends too early; write: out|in|up|down TARGETS'],
    [['whatif', A, 'out', 'osd.99'], 1, 'there is no osd.99'],
    [['whatif', A, 'reweight', 'osd.3', '7'], 2, 'a reweight is from 0 to 1, not 7'],
    [['whatif', A, 'reweight osd.3 -1'], 2, "'-1' is no number such as 0.85"],
    [['whatif', A, 'pool', 'rep', 'size', '0'], 2, 'size is from 1 to 10 here, not 0'],
    [['whatif', A, 'out 3', 'pool rep pg_num x'], 2, "change 2 (pool): pg_num is a whole number, not 'x'"],
    [['whatif', A, 'crush-weight', 'osd.3', '40000'], 2, 'a weight of 40000 is out of range'],
    [['whatif', A, 'crush-weight', 'osd.3', '-2'], 2, "'-2' is no number such as 0.85"],
    [['whatif', CRUSH, 'out', 'osd.3'], 2, 'this is a CRUSH map; changes are made to an OSDMap'],
    [['whatif', A, 'out', 'osd.3', '--save', '-'], 2, '--save writes a binary file'],
    [['whatif', A, 'out', 'osd.3', '--save', '/nowhere/map'], 1, '/nowhere/map: cannot be written'],
    [['whatif', A, '--fail-each', 'planet'], 1, "there is no type of bucket 'planet'"],
    [['whatif', A, '--fail-each', 'host', '--stage'], 2, 'nobody stages a failure'],
    [['whatif', A, '--fail-each', 'host', '--format', 'csv'], 2, '--fail-each has no csv'],
    [['whatif', A, 'out', 'osd.3', '--shards-per-osd', '2'], 2, '--shards-per-osd needs --stage or --plan'],
    [['whatif', A, 'crushmap', 'nowhere'], 1, 'nowhere: cannot be read'],
  ])('%j', async (argv, status, message) => {
    const outcome = await run(argv);
    expect(outcome.stderr).toContain(message);
    expect(outcome.status).toBe(status);
  });

  test('an error in a file of changes has its line', async () => {
    const changes = file('changes', 'out osd.3\n\nmove host1\n');
    const { status, stderr } = await run(['whatif', A, '--changes', changes]);
    expect(status).toBe(1);
    expect(stderr).toContain('changes: line 3: move: TYPE=BUCKET says where to');
  });
});
