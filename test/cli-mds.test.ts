/** `crush-wasm mds decide`, on a capture of a cluster of 8 OSDs and two metadata servers. */
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMdsJson } from '../src/formats/mds-json.ts';
import { decayed } from '../src/mds/decay-counter.ts';
import { exportState, findExports } from '../src/mds/find-exports.ts';
import { metaLoad, NO_LOAD } from '../src/mds/load.ts';
import { DEFAULT_MDS_OPTIONS } from '../src/mds/options.ts';
import { fixture, FIXTURES, fixtureText } from './fixtures.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const FOLDER = join(FIXTURES, 'mds', 'cluster-8osd');
const file = (name: string): string => join(FOLDER, `mds.${name}.json.gz`);
const FILES = ['0.dump-loads', '1.dump-loads', '0.subtrees', '1.subtrees'].map(file);

/** What the JSON of a rank has, as far as it is looked at here. */
interface RankJson {
  readonly rank: number;
  readonly verdict: string;
  readonly loads: readonly number[];
  readonly target_load: number;
  readonly importers: readonly number[];
  readonly exporters: readonly number[];
  readonly targets: Readonly<Record<string, number>>;
  readonly counter_scale: number | null;
  readonly shipments: readonly {
    readonly exports: readonly { readonly path: string }[];
    readonly searches: readonly { readonly as_good: readonly string[] }[];
  }[];
}

async function decide(...args: string[]): Promise<{ ranks: RankJson[]; notes: string[] }> {
  const { status, stdout, stderr } = await run(['mds', 'decide', ...args, '--format', 'json']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as { ranks: RankJson[]; notes: string[] };
}

/** Numbers that the balancer's own log has in the last beat of this capture. */
function logged(rank: number, pattern: RegExp): number[] {
  const lines = fixtureText(`mds/cluster-8osd/mds.${rank}.balancer.log`).split('\n');
  const match = lines
    .filter((line) => line.includes('05:35:52'))
    .map((line) => pattern.exec(line))
    .find(Boolean);
  return (match ?? []).slice(1).map(Number);
}

const write = useTempFolder();

describe('mds decide', () => {
  test("names the balancer's own amounts, exporters and importers", async () => {
    const { ranks } = await decide(...FILES);
    const LOADS = /my load (\S+) +target (\S+) +total (\S+)/;
    // The log has six digits.
    for (const { rank, loads, target_load } of ranks) {
      const [load = 0, target = 0] = logged(rank, LOADS);
      expect(Math.abs((loads[rank] ?? 0) / load - 1)).toBeLessThan(5e-6);
      expect(Math.abs(target_load / target - 1)).toBeLessThan(5e-6);
    }
    const [first, second] = ranks;
    const [from, amount = 0, to] = logged(0, /mds\.(\d+) exports (\S+) to mds\.(\d+)/);
    expect(first).toMatchObject({ verdict: 'exporting', exporters: [from], importers: [to] });
    expect(Math.abs((first?.targets[String(to)] ?? 0) / amount - 1)).toBeLessThan(5e-6);
    expect(second).toMatchObject({ verdict: 'underloaded', targets: {} });
  });

  test('explains each candidate to people', async () => {
    const { status, stdout } = await run(['mds', 'decide', ...FILES]);
    expect(status).toBe(0);
    expect(stdout).toContain('loads at the last beat (mds_bal_mode 0): mds.0 9707.4, mds.1 7483.2\n');
    expect(stdout).toContain(
      'mds.0: wants to send 1058.5 to mds.1\n  load 9239.3, target 8180.8 (12.94 % above)\n',
    );
    expect(stdout).toContain('      looks into /dir3 (4116.9): it is more than is needed\n');
    expect(stdout).toContain('      takes sub2 (1026.2): it alone is close to what is needed\n');
    expect(stdout).toContain('      as good, if hit later: /dir2/sub0 (1024.6), /dir2/sub1 (1024.3)\n');
    expect(stdout).toContain('mds.1: does nothing, it is not above its target by 10 % or more\n');
  });

  test('says what is missing and goes on', async () => {
    const one = await decide(file('0.dump-loads'), file('0.subtrees'));
    expect(one.notes.join('\n')).toContain("there is no 'dump loads' of mds.1");
    expect(one.ranks.map(({ verdict }) => verdict)).toEqual(['exporting', 'underloaded']);
    const bare = await decide(file('0.dump-loads'));
    expect(bare.notes.join('\n')).toContain("there is no 'get subtrees' of any rank");
    expect(bare.ranks[0]?.shipments[0]?.exports).toHaveLength(1);
    const others = await decide(file('0.dump-loads'), file('1.subtrees'));
    expect(others.notes.join('\n')).toContain(
      "there is no 'get subtrees' of mds.0: its subtrees are those that other",
    );
    expect(others.ranks[0]?.shipments[0]?.exports.map(({ path }) => path)).toEqual(['/dir2/sub2']);
  });

  test('takes other options, and says where the rank had others', async () => {
    const { ranks, notes } = await decide(...FILES, '--option', 'mds_bal_mode=1');
    expect(ranks[0]?.loads.map(Math.round)).toEqual([9239, 3985]);
    expect(notes.join('\n')).toContain('mds.0 itself reckoned mds.1 at 7122.4, not 3984.7');
    const strict = await decide(...FILES, '--option', 'mds_bal_min_rebalance=0.13');
    expect(strict.ranks[0]?.verdict).toBe('underloaded');
    const waiting = await decide(...FILES, '--overloaded-for', '1');
    expect(waiting.ranks[0]?.verdict).toBe('overloaded-not-long-enough');
    expect((await decide(...FILES, '--overloaded-for', '2')).ranks[0]?.verdict).toBe('exporting');
    const raw = await decide(...FILES, '--counters', 'as-is');
    expect(raw.ranks[0]?.counter_scale).toBe(1);
    expect((await decide(...FILES)).ranks[0]?.counter_scale).toBeCloseTo(9239.2833 / 7188.191, 5);
  });

  test('finds the rank of a file by what is in it, whatever its name', async () => {
    const copy = (name: string, source: string): string =>
      write(name, gunzipSync(fixture(`mds/cluster-8osd/mds.${source}.json.gz`)));
    const swapped = await decide(copy('mds.1.json', '0.dump-loads'), copy('mds.0.json', '1.dump-loads'));
    expect(swapped.ranks.map(({ verdict }) => verdict)).toEqual(['exporting', 'underloaded']);
    const twice = await run(['mds', 'decide', FILES[0] ?? '', copy('again.json', '0.dump-loads')]);
    expect(twice.stderr).toContain("again.json: it is a second 'dump loads' of mds.0; write RANK=FILE");
  });

  test("goes by 'ceph fs dump'", async () => {
    const dump = (more: string): string =>
      write(
        'fs.json',
        `{"filesystems": [{"id": 1, "mdsmap": {"fs_name": "cfs", "max_mds": 2, "in": [0, 1], "info": {
        "gid_1": {"name": "m0", "rank": 0}, "gid_2": {"name": "m1", "rank": 1}}${more}}}]}\ndumped fsmap epoch 5\n`,
      );
    const off = await decide(
      ...FILES,
      dump(', "bal_rank_mask": "0x0", "flags_state": {"balance_automate": false}'),
    );
    expect(off.ranks.map(({ verdict }) => verdict)).toEqual(['balancer-off', 'balancer-off']);
    expect(off.notes).toContain(
      'balance_automate of cfs is off: Ceph only does what pins say, not what follows',
    );
    const only = await decide(...FILES, dump(', "bal_rank_mask": "0x1", "balancer": "lua"'), '--fs', 'cfs');
    expect(only.ranks[0]?.verdict).toBe('underloaded');
    expect(only.notes.join()).toContain("cfs has the Mantle balancer 'lua'");
    // The rank outside the mask gives all it has.
    expect(only.ranks[1]?.targets['0']).toBeCloseTo(7281.418, 2);
    const none = await run(['mds', 'decide', ...FILES, dump(''), '--fs', 'other']);
    expect(none.stderr).toContain('there is no file system other in it, but: cfs');
  });

  test('chose the logged directory, whose counters decayed while its export was under way', () => {
    // /dir0 had 924.8 when it was chosen, and took no hits from then on; its report came 3.59 seconds later.
    const document = readMdsJson(gunzipSync(fixture('mds/cluster-8osd/mds.0.dump-loads.json.gz')).toString());
    if (document.kind !== 'loads') throw new Error(document.kind);
    const load = (path: string): number =>
      metaLoad(document.loads.fragments.find((fragment) => fragment.path === path)?.popNested ?? NO_LOAD);
    expect(decayed(924.8, 3.59, 5)).toBeCloseTo(load('/dir0'), 0);
    const candidates = ['/dir3', '/dir2', '/dir1', '/dir0'].map((name) => ({
      fragments: [
        {
          name,
          load: name === '/dir0' ? 924.8 : load(name),
          isReplicated: false,
          isFrozen: false,
          directories: [],
        },
      ],
    }));
    const root = { name: '/', load: 9234.16, isReplicated: false, isFrozen: false, directories: candidates };
    const [amount = 0] = logged(0, /want to send (\S+) to/);
    const found = findExports(root, amount, 0, exportState(), DEFAULT_MDS_OPTIONS);
    expect(found.exports.map(({ name }) => name)).toEqual(['/dir0']);
    const [, needMin, needMax] = logged(0, /need (\S+) \((\S+) - (\S+)\)/);
    expect([amount * 0.8, amount * 1.2].map((need) => need.toFixed(2))).toEqual(
      [needMin, needMax].map((n) => n?.toFixed(2)),
    );
  });

  test('says when reports are of different beats', async () => {
    const other = gunzipSync(fixture('mds/cluster-8osd/mds.1.dump-loads.json.gz'))
      .toString()
      .replace(/("request_rate": ?)\d+/, '$199999');
    const { notes } = await decide(
      ...FILES.filter((name) => name !== FILES[1]),
      `1=${write('1.json', other)}`,
    );
    expect(notes.join('\n')).toContain('mds.0 and mds.1 report other heartbeats of mds.0');
    expect((await decide(...FILES)).notes.join('\n')).not.toContain('heartbeats');
  });

  test('leaves reports of ranks out that the file system has not', async () => {
    const { notes } = await decide(...FILES, `7=${FILES[2] ?? ''}`);
    expect(notes).toContain('mds.7 is no rank of the file system; what is there of it is left out');
  });

  test('shares by the ranks that are in where releases have no mask, by max_mds where they have', async () => {
    const dump = (maxMds: number, more: string): string =>
      write(
        'fs.json',
        `{"filesystems": [{"id": 1, "mdsmap": {"fs_name": "cfs", "max_mds": ${maxMds}, "in": [0, 1], "info": {}${more}}}]}`,
      );
    const shares = async (file: string): Promise<number[]> =>
      (await decide(...FILES, file)).ranks.map(({ loads, target_load }) =>
        Math.round(loads.reduce((sum, load) => sum + load, 0) / target_load),
      );
    expect(await shares(dump(3, ''))).toEqual([2, 2]);
    expect(await shares(dump(1, ''))).toEqual([2, 2]);
    expect(await shares(dump(3, ', "bal_rank_mask": "-1"'))).toEqual([3, 3]);
    const none = await run(['mds', 'decide', ...FILES, write('none.json', '{"filesystems": []}')]);
    expect([none.status, none.stderr]).toEqual([
      1,
      expect.stringMatching(/none\.json: there is no file system in it\n$/),
    ]);
  });

  test('keeps a directory on its line, whatever its name', async () => {
    const named = gunzipSync(fixture('mds/cluster-8osd/mds.0.dump-loads.json.gz'))
      .toString()
      .replaceAll('/dir2/sub2', String.raw`/dir2/sub2\nmds.7: sends all`);
    const { stdout } = await run(['mds', 'decide', write('0.json', named), ...FILES.slice(1)]);
    expect(stdout).toContain('takes sub2 mds.7: sends all (1026.2)');
    expect(stdout).not.toMatch(/^mds\.7/m);
  });

  test('refuses what it cannot use', async () => {
    const failure = async (...args: string[]): Promise<[number | null, string]> => {
      const { status, stderr } = await run(['mds', 'decide', ...args]);
      return [status, stderr];
    };
    const loads = gunzipSync(fixture('mds/cluster-8osd/mds.0.dump-loads.json.gz')).toString();
    expect(await failure(write('cut.json', loads.slice(0, 9000)))).toEqual([
      1,
      expect.stringMatching(/^crush-wasm: .*cut\.json: not valid JSON: .*was the output cut off\?\n$/),
    ]);
    expect(await failure(write('other.json', '{"epoch": 3}'))).toEqual([
      1,
      expect.stringContaining("'ceph fs dump'"),
    ]);
    expect(await failure(join(FOLDER, 'none.json'))).toEqual([
      1,
      expect.stringContaining('No such file or directory'),
    ]);
    expect(await failure(file('0.subtrees'))).toEqual([
      1,
      expect.stringContaining('there are no heartbeats'),
    ]);
    expect(await failure(`256=${FILES[0] ?? ''}`)).toEqual([
      2,
      expect.stringMatching(/dump-loads\.json\.gz: a rank is 0 to 255, not 256\n$/),
    ]);
    expect(await failure(...FILES, '--overloaded-for', '0')).toEqual([
      2,
      expect.stringContaining('--overloaded-for is a number of beats from 1 on'),
    ]);
    expect(await failure(...FILES, '--beat', '3')).toEqual([
      2,
      expect.stringContaining('--beat is even or odd'),
    ]);
    expect(await failure(...FILES, '--format', 'csv')).toEqual([
      2,
      expect.stringContaining('--format is text or json'),
    ]);
    expect(await failure(...FILES, '--counters', 'x')).toEqual([2, expect.stringContaining('--counters is')]);
    expect(await failure(...FILES, '--overloaded-for', 'x')).toEqual([
      2,
      expect.stringContaining('a number of beats'),
    ]);
    expect(await failure(...FILES, '--option', 'mds_x=1')).toEqual([
      1,
      expect.stringContaining('is no option of the'),
    ]);
    expect(await failure(...FILES, '--fs', 'a')).toEqual([
      2,
      expect.stringContaining("needs the file of 'ceph fs dump'"),
    ]);
    expect((await failure())[0]).toBe(2);
  });
});
