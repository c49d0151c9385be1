/** `crush-wasm mds simulate`, and the workloads that it reads, makes and writes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { CrushError } from '../src/errors.ts';
import { isWorkloadJson, readWorkloadJson, writeWorkloadJson } from '../src/formats/mds-workload-json.ts';
import { buildWorkload } from '../src/mds/simulate/build-workload.ts';
import { describeWorkload, WORKLOAD_KINDS } from '../src/mds/simulate/generate.ts';
import { TreeBuilder } from '../src/mds/simulate/tree-builder.ts';
import { run } from './run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'crush-mds-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const simulate = (...args: string[]) => run(['mds', 'simulate', ...args]);

const WORKLOAD = {
  name: 'two users',
  directories: ['/home/a/x', { path: '/home/b/{x,y}', files: 5 }, { path: '/home/c{1..3}', files: 100 }],
  loads: [
    { in: '/home/a/x', op: 'stat', rate: 100 },
    { in: '/home/c*', op: 'create', rate: 20, from: 5, to: 50 },
    { in: '/home/c*', hits: { IWR: 1 }, total_rate: 90, spots: 1, moves_every: 20 },
  ],
  pins: [{ path: '/home/a', rank: 1 }],
};

describe('a tree of paths', () => {
  test('has all numbers of a range, and what lies above', () => {
    const tree = new TreeBuilder();
    tree.add('/p{1..2}/d{08..11}', 3);
    tree.add('/p1/d09', 7);
    expect(tree.size).toBe(1 + 2 + 8);
    expect(tree.match('/p1/*').map((each) => tree.path(each))).toEqual([
      '/p1/d08',
      '/p1/d09',
      '/p1/d10',
      '/p1/d11',
    ]);
    expect(tree.match('/p{1..2}/d09').map((each) => tree.entries(each))).toEqual([7, 3]);
    expect(tree.match('/**').length).toBe(tree.size);
    expect(tree.match('/**/d1*').map((each) => tree.path(each))).toEqual([
      '/p1/d10',
      '/p1/d11',
      '/p2/d10',
      '/p2/d11',
    ]);
    expect(tree.match('/').map((each) => tree.path(each))).toEqual(['']);
    expect(tree.match('/p3')).toEqual([]);
    expect(tree.entries(0)).toBe(2);
  });

  test('refuses what is no path, and what is too large', () => {
    const adding = (path: string) => (): void => new TreeBuilder().add(path, 0);
    expect(adding('home')).toThrow("a path begins with '/', not 'home'");
    expect(adding('/a/../b')).toThrow("a path has no '.' and no '..' in it");
    expect(adding('/d{5..2}')).toThrow('a range goes up, not from 5 to 2');
    expect(adding('/d{0..999999999}')).toThrow('more than 2000000 directories');
    expect(adding('/d{0..99999}/d{0..99999}/d{0..99999}')).toThrow('more than 2000000 directories');
    expect(adding(`/${'d/'.repeat(300)}`)).toThrow('no more than 200 names');
  });
});

describe('a workload file', () => {
  test('is told from what metadata servers print', () => {
    expect(isWorkloadJson(JSON.stringify(WORKLOAD))).toBe(true);
    expect(isWorkloadJson('{"dirfrags": [], "mds_load": {}, "loads": 1}')).toBe(false);
    expect(isWorkloadJson('[]')).toBe(false);
  });

  test.each(WORKLOAD_KINDS)('that is made (%s) comes back from its JSON', (kind) => {
    const description = describeWorkload(kind, { directories: 50, rate: 500, seconds: 300, seed: 2 });
    const read = readWorkloadJson(writeWorkloadJson(description));
    const settings = { seed: 2, seconds: 300 };
    expect(buildWorkload(read, settings)).toEqual(buildWorkload(description, settings));
    const { tree, loads } = buildWorkload(description, settings);
    expect(tree.names.length).toBeGreaterThan(40);
    // What is asked for is what there is, on average over its time.
    const requests = loads.reduce((sum, load) => {
      const seconds = Math.min(load.to, 300) - load.from;
      return sum + load.requests * load.directories.length * Math.max(0, seconds);
    }, 0);
    expect(requests / 300 / 500).toBeGreaterThan(kind === 'many-users' ? 0.5 : 0.85);
    expect(requests / 300 / 500).toBeLessThan(1.5);
  });

  test('keeps all that it can say', () => {
    const text = JSON.stringify({
      name: 'all',
      directories: ['/a', '/b'],
      loads: [{ in: '/*', op: 'readdir', total_rate: 4, from: 1, to: 9, spots: 1, moves_every: 2 }],
      pins: [{ path: '/a', rank: 1, distributed: true, random: 0.5 }],
      subtrees: [{ path: '/b', rank: 1 }],
      migration: { discover_seconds: 1, freeze_seconds: 2, inode_seconds: 3 },
      cpu_ticks_per_request: 0.5,
      bal_rank_mask: '0x3',
      steady: true,
    });
    const read = readWorkloadJson(text);
    expect(read).toEqual({
      name: 'all',
      directories: [{ path: '/a' }, { path: '/b' }],
      loads: [{ in: '/*', op: 'readdir', totalRate: 4, from: 1, to: 9, spots: 1, movesEvery: 2 }],
      pins: [{ path: '/a', rank: 1, isDistributed: true, random: 0.5 }],
      subtrees: [{ path: '/b', rank: 1 }],
      migration: { discover: 1, freeze: 2, inode: 3 },
      cpuTicksPerRequest: 0.5,
      rankMask: '0x3',
      isSettled: true,
    });
    expect(readWorkloadJson(writeWorkloadJson(read))).toEqual(read);
    const { loads } = buildWorkload(read, { seed: 1, seconds: 100 });
    expect(loads.map(({ from, to, requests, hits }) => [from, to, requests, hits[2]])).toEqual([
      [1, 3, 4, 4],
      [3, 5, 4, 4],
      [5, 7, 4, 4],
      [7, 9, 4, 4],
    ]);
  });

  test.each([
    ['{"directories": [', 'not valid JSON'],
    ['{"directories": ["/a"], "loads": 5}', 'workload.loads: '],
    ['{"directories": ["a"], "loads": []}', "workload.directories[0]: a path begins with '/'"],
    [
      '{"directories": ["/a"], "loads": [{"in": "/a", "op": "sing", "rate": 1}]}',
      'workload.loads[0].op: an op is one of stat',
    ],
    [
      '{"directories": ["/a"], "loads": [{"in": "/a", "op": "stat", "rate": -1}]}',
      'workload.loads[0].rate: a rate is not below 0',
    ],
    [
      '{"directories": ["/a"], "loads": [{"in": "/a", "op": "stat", "rates": 1}]}',
      'workload.loads[0].rates: ',
    ],
    [
      '{"directories": ["/a"], "loads": [{"in": "/a", "op": "stat"}]}',
      'workload.loads[0]: it takes either rate or total_rate',
    ],
    [
      '{"directories": ["/a"], "loads": [{"in": "/a", "rate": 5}]}',
      'workload.loads[0]: it takes either op or hits',
    ],
    [
      '{"directories": ["/a"], "loads": [{"in": "/b", "op": "stat", "rate": 5}]}',
      "workload.loads[0].in: no directory is like '/b'",
    ],
    [
      '{"directories": ["/a"], "loads": [{"in": "/a", "op": "stat", "rate": 5, "from": 9, "to": 9}]}',
      'workload.loads[0].to: it ends before it begins',
    ],
    [
      '{"directories": ["/a", "/c"], "loads": [{"in": "/*", "op": "stat", "rate": 5, "spots": 1, "moves_every": 1e-9}]}',
      'workload.loads[0].moves_every: ',
    ],
    [
      '{"directories": ["/a{0..99999999}"], "loads": []}',
      'workload.directories[0].path: these are more than 2000000 directories',
    ],
    [
      '{"directories": ["/a"], "loads": [], "pins": [{"path": "/b", "rank": 0}]}',
      "workload.pins[0].path: no directory is like '/b'",
    ],
    [
      '{"directories": ["/a"], "loads": [], "subtrees": [{"path": "/a", "rank": 256}]}',
      'workload.subtrees[0].rank: ',
    ],
  ])('that is damaged says where: %s', async (text, message) => {
    const path = file('damaged.json', text);
    const { status, stdout, stderr } = await simulate(path);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(`${path}: `);
    expect(stderr).toContain(message);
    expect(stderr.split('\n')).toHaveLength(2);
  });

  test('that moves too often is refused before it is built', () => {
    const loads = [{ in: '/*', op: 'stat' as const, rate: 1, spots: 1, movesEvery: 0.001 }];
    const build = (): unknown =>
      buildWorkload({ directories: [{ path: '/a' }, { path: '/b' }], loads }, { seed: 1, seconds: 1e9 });
    expect(build).toThrow(CrushError);
    expect(build).toThrow('it moves more than 1000000 times');
  });
});

describe('mds simulate', () => {
  const path = file('workload.json.gz', gzipSync(JSON.stringify(WORKLOAD).replace('{x,y}', 'x')));

  test('tells loads, exports and what comes back, for people', async () => {
    const { status, stdout, stderr } = await simulate(path, '--beats', '6');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('two users, 9 directories, 2 ranks, 6 beats, seed 1');
    expect(lines[2]).toBe('BEAT  SECONDS  mds.0  mds.1  BUSIEST IS   EXPORTS SINCE');
    expect(
      lines.slice(3, 10).map((line) =>
        line
          .split(/\s+/)
          .slice(1, 2)
          .concat(line.trim().split(/\s+/)[1] ?? ''),
      ),
    ).toEqual(['1', '2', '3', '4', '5', '6', 'end'].map((beat, index) => [beat, String((index + 1) * 10)]));
    expect(stdout).toMatch(/^ {5}0 {7}0 {2}\/home\/a +mds\.0 {2}mds\.1 +0 +10 {2}pinned there$/m);
    expect(stdout).toContain('/home/c3: 1 time between mds.0, mds.1, in beat 4');
  });

  test('keeps each name on its line', async () => {
    const hostile = {
      name: 'w\nmds.9: all is well',
      directories: [{ path: '/a\nb', files: 9 }, '/c'],
      loads: [{ in: '/*', op: 'stat', rate: 100 }],
      pins: [{ path: '/a\nb', rank: 1 }],
    };
    const { stdout } = await simulate(file('hostile.json', JSON.stringify(hostile)), '--beats', '3');
    expect(stdout.split('\n')[0]).toBe('w mds.9: all is well, 3 directories, 2 ranks, 3 beats, seed 1');
    expect(stdout).toMatch(/^ +0 +0 {2}\/a b +mds\.0 {2}mds\.1 .* pinned there$/m);
  });

  test('gives the same as JSON and CSV', async () => {
    const json = JSON.parse((await simulate(path, '--beats', '4', '--format', 'json')).stdout) as {
      seed: number;
      variants: {
        settings: string[];
        beats: { ranks: { mds_load: number; verdict: string }[] }[];
        end: { ranks: { mds_load: number }[] };
      }[];
    };
    const [variant] = json.variants;
    const csv = (await simulate(path, '--beats', '4', '--format', 'csv')).stdout.trim().split('\n');
    expect(json.seed).toBe(1);
    expect(csv[0]).toBe(
      'variant,beat,seconds,rank,mds_load,meta_load,request_rate,subtrees,verdict,wants,exports',
    );
    expect(csv).toHaveLength(1 + 4 * 2 + 2);
    const loads = csv.slice(1).map((line) => Number(line.split(',')[4]));
    const told = [...(variant?.beats ?? []), variant?.end].flatMap((each) => each?.ranks ?? []);
    expect(loads).toEqual(told.map(({ mds_load }) => mds_load));
    expect(variant?.settings).toEqual([]);
  });

  test('sets variants side by side', async () => {
    const args = ['--generate', 'hot-directory', '--beats', '12', '--vary', 'mds_bal_need_min=0.6,0.8'];
    const { status, stdout } = await simulate(...args, '--vary', 'mds_bal_mode=0,1', '--format', 'json');
    const { variants } = JSON.parse(stdout) as { variants: { settings: string[] }[] };
    expect(status).toBe(0);
    expect(variants.map(({ settings }) => settings.join(' '))).toEqual([
      'mds_bal_need_min=0.6 mds_bal_mode=0',
      'mds_bal_need_min=0.6 mds_bal_mode=1',
      'mds_bal_need_min=0.8 mds_bal_mode=0',
      'mds_bal_need_min=0.8 mds_bal_mode=1',
    ]);
    const text = (await simulate(...args)).stdout;
    expect(text).toContain('VARIANT               BUSIEST/MEAN  WORST');
    expect(text.match(/^mds_bal_need_min=0\.[68]$/gm)).toHaveLength(2);
  });

  test('prints a workload that gives the same when it is read', async () => {
    const args = ['--beats', '8', '--seed', '4'];
    const generate = ['--generate', 'many-users', '--directories', '40'];
    const printed = await simulate(...generate, ...args, '--print-workload');
    const made = await simulate(...generate, ...args);
    const read = await simulate(file('many-users.json', printed.stdout), ...args);
    expect(read).toEqual(made);
  });

  test('goes on from what a cluster prints', async () => {
    const files = [0, 1].flatMap((rank) =>
      ['dump-loads', 'subtrees'].map((name) =>
        fileURLToPath(new URL(`fixtures/mds/cluster-8osd/mds.${rank}.${name}.json.gz`, import.meta.url)),
      ),
    );
    const { status, stdout, stderr } = await simulate(...files, '--beats', '5', '--pin', '/dir5=1');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('reports of a cluster');
    expect(stdout).toMatch(/^ {3}1 +0 /m);
    // mds.0 had just sent these to mds.1 when it was asked, and counts them still.
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'note: /dir0 and 3 more went to another rank while the reports were taken',
    );
  });

  test('writes a chart that is well-formed', async () => {
    const chart = join(folder, 'loads.svg');
    const { status } = await simulate(path, '--beats', '5', '--ranks', '12', '--chart', chart);
    expect(status).toBe(0);
    const svg = readFileSync(chart, 'utf8');
    expect(svg.match(/<polyline /g)).toHaveLength(12);
    expect(svg.match(/<text/g)?.length).toBe(svg.match(/<\/text>/g)?.length);
    expect(svg).toContain('<desc id="description">as set: at the end mds.0 ');
    const failed = await simulate(path, '--chart', join(folder, 'none', 'loads.svg'));
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain('cannot be written');
  });

  test.each([
    [[], 'give a workload file, what metadata servers print, or --generate'],
    [['--generate', 'storm'], "--generate is hot-directory, many-users, untar, mdtest, not 'storm'"],
    [['--generate', 'untar', 'x.json'], '--generate makes the workload'],
    [['--rate', '5'], '--directories and --rate go with --generate'],
    [['--generate', 'untar', '--ranks', '257'], "--ranks is a whole number of 1 to 256, not '257'"],
    [['--generate', 'untar', '--beats', '0'], "--beats is a whole number of 1 to 100000, not '0'"],
    [['--generate', 'untar', '--format', 'xml'], "--format is text, json or csv, not 'xml'"],
    [['--generate', 'untar', '--pin', '/a'], '--pin is of the form /path=rank'],
    [['--generate', 'untar', '--vary', 'mds_bal_mode'], '--vary is of the form name=value,value'],
    [
      ['--generate', 'untar', '--vary', `mds_bal_mode=${'0,'.repeat(30)}1`],
      '--vary makes more than 24 variants',
    ],
    [['--generate', 'untar', '--hit-order', 'x'], "--hit-order is drawn or busiest, not 'x'"],
  ])('refuses %j', async (args, message) => {
    const { status, stdout, stderr } = await simulate(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('refuses options that Ceph does not have, and directories that are not there', async () => {
    const option = await simulate('--generate', 'untar', '--option', 'mds_bal_luck=1');
    expect(option.status).toBe(1);
    expect(option.stderr).toContain('mds_bal_luck is no option of the balancer');
    const pin = await simulate('--generate', 'untar', '--pin', '/nowhere=1');
    expect(pin.status).toBe(1);
    expect(pin.stderr).toContain('there is no directory /nowhere to pin');
  });
});
