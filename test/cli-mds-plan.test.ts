/** `crush-wasm mds plan`, on captures of real clusters and on trees with odd names. */
import { spawnSync } from 'node:child_process';
import { brotliDecompressSync } from 'node:zlib';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture, FIXTURES } from './fixtures.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const write = useTempFolder();

/** A capture as `test/fixtures/mds/planned.json.br` has it. */
interface Capture {
  readonly before: Readonly<Record<string, { readonly loads: string; readonly subtrees: string }>>;
}
const captures = JSON.parse(
  brotliDecompressSync(fixture('mds/planned.json.br')).toString(),
) as readonly Capture[];

/** Files of a capture. */
function filesOf(index: number): string[] {
  return Object.entries(captures[index]?.before ?? {}).flatMap(([rank, { loads, subtrees }]) => [
    write(`${index}.mds.${rank}.loads.json`, loads),
    write(`${index}.mds.${rank}.subtrees.json`, subtrees),
  ]);
}

const counters = (reads: number): object => ({
  'Decay Counters': [reads, 0, 0, 0, 0].map((value) => ({ value, halflife: 5 })),
});
/** `dump loads` of a single rank whose directories in the root have these loads. */
function dumpLoads(directories: Readonly<Record<string, number>>): string {
  const total = Object.values(directories).reduce((sum, load) => sum + load, 0);
  const fragment = (path: string, ino: number, own: number, nested: number): object => ({
    path,
    dirfrag: `0x${ino.toString(16)}`,
    pop_me: counters(own),
    pop_nested: counters(nested),
    pop_auth_subtree: counters(nested),
    pop_auth_subtree_nested: counters(nested),
  });
  return JSON.stringify({
    dirfrags: [
      fragment('', 1, 0, total),
      ...Object.entries(directories).map(([path, load], index) =>
        fragment(path, 0x10000000000 + index, load, load),
      ),
    ],
    mds_load: {
      'mds.0': {
        request_rate: 0,
        cache_hit_rate: 1,
        queue_length: 0,
        cpu_load: 0,
        auth_dirfrags: counters(total),
        all_dirfrags: counters(total),
      },
    },
    mds_meta_load: { 'mds.0': total },
    mds_import_map: { 'mds.0': [] },
  });
}

async function plan(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(['mds', 'plan', ...args]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

/** A dump of file systems with one of two ranks. */
function fsDump(more = ''): string {
  return write(
    'fs.json',
    `{"filesystems": [{"id": 1, "mdsmap": {"fs_name": "c fs", "max_mds": 2, "in": [0, 1], "info": {}${more}}}]}`,
  );
}

describe('mds plan', () => {
  test('tells people what to pin and why, what it changes, and what the balancer would do', async () => {
    const text = await plan(...filesOf(0));
    expect(text).toContain(
      '2 ranks, a share of 3151.0 for each; 2 pins: the highest load goes from 6302.0 (2.00x) to 3186.4 (1.01x)\n',
    );
    expect(text).toContain('RANK   MDS_LOAD NOW  PLANNED  OF SHARE  META_LOAD NOW  PLANNED\n');
    expect(text).toMatch(/^mds\.1 +0\.0 +3186\.4 +1\.01x +0\.0 +3068\.7$/m);
    expect(text).toMatch(
      /^ {2}\/dir5 to mds\.1: 1716\.5, off mds\.0 \(2\.00x of the share\), since mds\.1 has only 0\.00x$/m,
    );
    expect(text).toMatch(/^highest load by number of pins: 0: 2\.00x, 1: 1\.46x, 2: 1\.01x \(planned\)/m);
    expect(text).toMatch(/^ {2}the balancer alone: 2\.00x, .*; \d+ migrations/m);
    expect(text).toMatch(/^ {2}with these pins: 2\.00x, .*; \d+ migrations/m);
    expect(text).toMatch(/^ {2}with these pins while the balancer goes on: /m);
    expect(text).toContain('  setfattr -n ceph.dir.pin -v 1 /mnt/cephfs/dir4\n');
    expect(text).toContain('  ceph config set mds mds_bal_interval 0\n');
    expect(text).toContain(
      "  ceph config rm mds mds_bal_interval   # when 'get subtrees' shows all where it belongs; or",
    );
    expect(text).toMatch(/^the way back .*\n {2}setfattr -n ceph\.dir\.pin -v -1 \/mnt\/cephfs\/dir5\n/m);
  });

  test('gives advice where no pin helps', async () => {
    const text = await plan(...filesOf(2));
    expect(text).toContain('that is not within 10 % of the share, but as low as pins get it\n');
    expect(text).toMatch(
      /^\/users8\/d2\/s0 has 3081\.\d by its own entries alone, 2\.16x of the share: static/m,
    );
    // Its fragments did go so: 010 and 101 to mds.0, 001 to mds.2, five to mds.1.
    expect(text).toContain('give of its entries mds.0 25 %, mds.1 62.5 %, mds.2 12.5 %:\n');
    expect(text).toContain('  setfattr -n ceph.dir.pin.distributed -v 1 /mnt/cephfs/users8/d2/s0\n');
    expect(text).not.toContain('NaN');
  });

  test('says what keeps it from being even, and what a mask takes load off', async () => {
    const files = filesOf(0);
    expect(await plan(...files, '--max-pins', '0')).toContain('for each; --max-pins 0 allows no pin\n');
    expect(await plan(...files, '--max-pins', '1')).toContain(
      'that is not within 10 % of the share, and --max-pins 1 allows no more\n',
    );
    expect(await plan(...files, '--tolerance', '0')).toContain(
      'of the share, but the lowest that was found\n',
    );
    expect(await plan(...files, '--rank-mask', '0x2')).toMatch(
      /; \d+ pins? take 5951\.3 off ranks that are not in the mask: the highest load of the others goes from 0\.0 \(0\.00x\)/,
    );
  });

  test('names the planned number of pins among the others, however many they are', async () => {
    const many = Array.from({ length: 60 }, (_, index) => [`/u${index}`, 100 + index] as const);
    const loads = write('mds.0.json', dumpLoads(Object.fromEntries(many)));
    const text = await plan(loads, '--ranks', '3', '--tolerance', '1%', '--compare', '0');
    const [, pins = ''] = /for each; (\d+) pins:/.exec(text) ?? [];
    expect(Number(pins)).toBeGreaterThan(20);
    expect(text).toMatch(new RegExp(`, 12: \\d\\.\\d\\dx, \\.\\.\\., ${pins}: \\d\\.\\d\\dx \\(planned\\)`));
  });

  test('stands without a comparison where what follows cannot be simulated', async () => {
    const loads = write('mds.0.json', dumpLoads({ '/a': 4e14, '/b': 4e14 }));
    const text = await plan(loads, '--ranks', '2');
    expect(text).toContain(
      '1 pin: the highest load goes from 800000000000000.0 (2.00x) to 400000000000000.0 (1.00x)',
    );
    expect(text).not.toContain('the balancer alone');
    expect(text).toMatch(/^note: what follows cannot be simulated: \/[ab]\.[01]+\* is split into ever more/m);
  });

  test('prints JSON that a later plan keeps to', async () => {
    const json = await plan(...filesOf(1), '--format', 'json');
    const read = JSON.parse(json) as {
      pins: { path: string; rank: number }[];
      per_rank: { rank: number; before: number; after: number; meta_after: number }[];
      peaks: number[];
      commands: string[];
      commands_back: string[];
      comparison: { balancer: { peaks: number[] }; pinned: { end: number[] } };
    };
    expect(read.pins.map(({ path, rank }) => `${path} ${rank}`)).toEqual([
      '/users5/d1 1',
      '/users5/d2 2',
      '/users5/d3 1',
      '/users5/d6 2',
    ]);
    expect(read.per_rank.map(({ before, after }) => [before, after].map(Math.round))).toEqual([
      [5279, 1920],
      [0, 1769],
      [0, 1590],
    ]);
    expect(read.commands).toHaveLength(4);
    expect(read.commands_back[3]).toBe('setfattr -n ceph.dir.pin -v -1 /mnt/cephfs/users5/d1');
    expect(read.comparison.balancer.peaks).toHaveLength(6);
    expect(read.comparison.pinned.end).toHaveLength(3);

    const other = json.replace('"path": "/users5/d6"', '"path": "/users5/d7"');
    const kept = JSON.parse(
      await plan(
        ...filesOf(1),
        '--former',
        write('plan.json', other),
        '--tolerance',
        '40%',
        '--format',
        'json',
      ),
    ) as typeof read;
    expect(kept.pins.map(({ path }) => path)).toContain('/users5/d7');
  });

  test('prints commands that a shell takes as they are meant, inner directories first', async () => {
    const names = { '/it\'s "$HOME" `x` \\n': 500, '/-v 1 *': 400, '/plain': 500, '/ü; rm': 450 };
    const file = write('odd.json', dumpLoads(names));
    const commands = await plan(
      file,
      '--ranks',
      '4',
      '--tolerance',
      '30%',
      '--mount',
      '/mnt/my fs/',
      '--format',
      'commands',
    );
    const script = `setfattr() { printf '%s|' "$@"; echo; }\n${commands}`;
    const shell = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(shell.stderr).toBe('');
    const lines = shell.stdout.trim().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const [, name, , rank, path, rest] = line.split('|');
      expect([name, rest]).toEqual(['ceph.dir.pin', '']);
      expect(Number(rank)).toBeGreaterThan(0);
      expect(Object.keys(names)).toContain(path?.slice('/mnt/my fs'.length));
    }
    expect(commands.split('\n').filter((line) => line !== '' && !/^(#|setfattr) ?/.test(line))).toEqual([]);
    expect(commands).toMatch(/^# 3 static pins for 4 ranks\n/);
    expect(commands).toContain('# before: ceph fs set FS_NAME max_mds 4 ');
  });

  test("goes by 'ceph fs dump'", async () => {
    const off = await plan(...filesOf(0), fsDump(', "flags_state": {"balance_automate": false}'));
    expect(off).not.toContain('mds_bal_interval');
    expect(off).toContain('  the balancer alone, if balance_automate were on: ');
    const on = await plan(
      ...filesOf(0),
      fsDump(', "flags_state": {"balance_automate": true}'),
      '--ranks',
      '3',
    );
    expect(on).toContain("  ceph fs set 'c fs' balance_automate false\n  ceph fs set 'c fs' max_mds 3\n");
    expect(on).toMatch(/^mds\.2 .* new$/m);
    const masked = await plan(...filesOf(0), fsDump(', "bal_rank_mask": "0x1"'));
    expect(masked).toContain('nothing to pin');
    const both = await plan(...filesOf(0), fsDump(', "bal_rank_mask": "0x1"'), '--rank-mask', 'all');
    expect(both).toContain('2 pins');
    const fewer = await plan(...filesOf(0), fsDump(), '--ranks', '1', '--format', 'commands');
    expect(fewer).toContain("# then: ceph fs set 'c fs' max_mds 1\n");
  });

  test('goes on without what is missing', async () => {
    const [loads = ''] = filesOf(0);
    const alone = await plan(loads, '--compare', '0');
    expect(alone).toContain("note: there is no 'dump loads' of mds.1: it is taken to be idle\n");
    expect(alone).not.toContain('simulated');
    const silent = dumpLoads({ '/a': 100, '/b': 100 }).replace(
      /"mds_load":\{.*\},"mds_meta/,
      '"mds_load":{},"mds_meta',
    );
    const counted = await plan(`0=${write('silent.json', silent)}`, '--ranks', '2');
    expect(counted).toContain('note: there are no heartbeats');
    expect(counted).toContain('  /a to mds.1: 100.0');
    const idle = await plan(`0=${write('idle.json', dumpLoads({ '/a': 0 }))}`, '--ranks', '2');
    expect(idle).toContain('there is no load to plan with');
    expect(idle).not.toContain('NaN');
  });

  test('refuses what it cannot use', async () => {
    const files = filesOf(0);
    const failure = async (...args: string[]): Promise<[number | null, string]> => {
      const { status, stderr } = await run(['mds', 'plan', ...args]);
      return [status, stderr];
    };
    const misuses: [string, string, string][] = [
      ['--ranks', '0', '--ranks is a whole number of 1 to 256'],
      ['--ranks', '1e2', "not '1e2'"],
      ['--tolerance', '-5%', '--tolerance is 0% to 100%'],
      ['--tolerance', '200%', '--tolerance is 0% to 100%'],
      ['--max-pins', 'x', '--max-pins is a whole number of 0 to 1000'],
      ['--compare', '1001', '--compare is a whole number of 0 to 1000'],
      ['--rank-mask', '0xg', '--rank-mask is all or hexadecimal'],
      ['--mount', 'mnt', '--mount is the absolute path'],
      ['--mount', '/a\nrm', '--mount is the absolute path'],
      ['--counters', 'x', '--counters is scaled or as-is'],
      ['--format', 'csv', '--format is text, json or commands'],
      ['--fs', 'a', "needs the file of 'ceph fs dump'"],
    ];
    for (const [option, value, message] of misuses) {
      expect(await failure(...files, option, value)).toEqual([2, expect.stringContaining(message)]);
    }
    expect(await failure(...files, '--option', 'mds_x=1')).toEqual([
      1,
      expect.stringContaining('is no option'),
    ]);
    expect(await failure(...files, '--rank-mask', '0x4')).toEqual([
      1,
      expect.stringContaining('none to pin to'),
    ]);
    expect(await failure(files[1] ?? '')).toEqual([1, expect.stringContaining('nothing to plan with')]);
    expect(await failure(write('cut.json', captures[0]?.before['0']?.loads.slice(0, 900) ?? ''))).toEqual([
      1,
      expect.stringMatching(/cut\.json: not valid JSON: .*was the output cut off\?\n$/),
    ]);
    const former = async (text: string): Promise<[number | null, string]> =>
      failure(...files, '--former', write('former.json', text));
    expect(await former('{}')).toEqual([1, expect.stringContaining('former.json: plan.pins: ')]);
    expect(await former('no')).toEqual([1, expect.stringContaining('former.json: there is no JSON object')]);
    expect(await former('{"pins": [{"path": "/a", "rank": -1}]}')).toEqual([
      1,
      expect.stringContaining('plan.pins[0].rank'),
    ]);
    expect(await failure(...files, '--former', join(FIXTURES, 'none.json'))).toEqual([
      1,
      expect.stringContaining('No such file'),
    ]);
    expect((await failure())[0]).toBe(2);
  });
});
