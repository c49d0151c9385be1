/** What the page tells of metadata servers, against what the command prints of the same files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../test/run-cli.ts';
import { decidedRanks, plannedRanks, rowsByPath } from '../src/views/mds/ranks.ts';
import {
  mdsAdd,
  mdsClear,
  mdsComparison,
  mdsDecision,
  mdsDirectory,
  mdsExample,
  mdsGiven,
  mdsPlan,
  mdsRemove,
  mdsSetRank,
  mdsTree,
} from '../src/worker/topics/mds.ts';
import type { MdsGivenFile } from '../src/worker/topics/mds/desk.ts';
import type { MdsSettings } from '../src/worker/topics/mds/settings.ts';
import type { MdsTree } from '../src/worker/topics/mds/tree.ts';

const FOLDER = 'test/fixtures/mds/cluster-8osd';
const NAMES = ['mds.0.dump-loads', 'mds.0.subtrees', 'mds.1.dump-loads', 'mds.1.subtrees'];
const PATHS = NAMES.map((name) => `${FOLDER}/${name}.json.gz`);
const USUAL: MdsSettings = {
  options: [],
  beat: 'even',
  overloadedFor: undefined,
  scaleToBeat: true,
  fileSystem: undefined,
};
const PLAN = { ranks: undefined, tolerance: 0.1, maxPins: 64, repin: false, mount: '/mnt/cephfs' };

const file = (name: string, text: string): MdsGivenFile => ({ name, bytes: new TextEncoder().encode(text) });
const fixtureFile = (name: string): MdsGivenFile => ({
  name: `${name}.json.gz`,
  bytes: readFileSync(join(import.meta.dirname, '../..', FOLDER, `${name}.json.gz`)),
});

/** What `crush-wasm mds` prints as JSON. */
async function printed<T>(command: string, ...options: string[]): Promise<T> {
  const { status, stdout, stderr } = await run(['mds', command, ...PATHS, '--format', 'json', ...options]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

const rowOf = (tree: MdsTree, path: string): number =>
  tree.paths.findIndex((each, row) => each === path && tree.isOwn[row] === 0);

beforeEach(async () => {
  await mdsExample();
});

describe('files of metadata servers', () => {
  it('are known by what is in them, with the rank that each is of', async () => {
    const { files, refused, hasLoads } = await mdsExample();
    expect(files.map(({ kind, rank, unused }) => [kind, rank, unused])).toEqual([
      ['loads', 0, undefined],
      ['subtrees', 0, undefined],
      ['loads', 1, undefined],
      ['subtrees', 1, undefined],
    ]);
    expect(refused).toEqual([]);
    expect(hasLoads).toBe(true);
    expect((await mdsGiven()).map(({ name, rank }) => [name, rank])).toEqual(
      files.map(({ name, rank }) => [name, rank]),
    );
  });

  it('are refused one by one, and the others are taken', async () => {
    await mdsClear();
    const { files, refused } = await mdsAdd([
      file('broken.json', '{"dirfrags": [ '),
      file('map.json', '{"epoch": 3}'),
      fixtureFile('mds.0.dump-loads'),
    ]);
    expect(files.map(({ name }) => name)).toEqual(['mds.0.dump-loads.json.gz']);
    expect(refused.map(({ code, place }) => [code, place.file])).toEqual([
      ['malformed', 'broken.json'],
      ['unknown-kind', 'map.json'],
    ]);
  });

  it('ask for a rank where nothing tells it, and of two of a rank the later one counts', async () => {
    await mdsClear();
    const none = JSON.stringify({ dirfrags: [], mds_load: {}, mds_meta_load: {}, mds_import_map: {} });
    const asked = await mdsAdd([file('loads.json', none), fixtureFile('mds.1.dump-loads')]);
    expect(asked.files[0]?.rank).toBeUndefined();
    expect(asked.files[0]?.unused).toContain('choose');
    const answered = await mdsSetRank(0, 1);
    expect(answered.files.map(({ rank, unused }) => [rank, unused])).toEqual([
      [1, 'mds.1.dump-loads.json.gz was given later, and tells the same'],
      [1, undefined],
    ]);
    expect((await mdsRemove(1)).files).toEqual([
      { name: 'loads.json', kind: 'loads', rank: 1, unused: undefined },
    ]);
    await expect(mdsSetRank(0, 300)).rejects.toThrow('a rank is 0 to 255');
    await expect(mdsDecision(USUAL)).rejects.toThrow('there are no heartbeats');
    await expect(mdsTree(USUAL)).rejects.toThrow('no directories');
  });

  it('name the file systems to choose from', async () => {
    const systems = ['a', 'b'].map((fs_name, id) => ({
      id,
      mdsmap: { fs_name, max_mds: id + 1, in: [0], up: {}, info: {}, balancer: '' },
    }));
    const { fileSystems } = await mdsAdd([
      file('fs.json', `dumped fsmap epoch 9\n${JSON.stringify({ filesystems: systems })}`),
    ]);
    expect(fileSystems).toEqual(['a', 'b']);
    expect((await mdsDecision(USUAL)).maxMds).toBe(1);
    expect((await mdsDecision({ ...USUAL, fileSystem: 'b' })).maxMds).toBe(2);
    await expect(mdsDecision({ ...USUAL, fileSystem: 'c' })).rejects.toThrow('no file system c');
  });
});

/** What of the command's JSON is compared. */
interface PrintedDecision {
  readonly mds_loads: readonly number[];
  readonly notes: readonly string[];
  readonly ranks: readonly {
    readonly verdict: string;
    readonly target_load: number;
    readonly loads: readonly number[];
    readonly matches: readonly { readonly from: number; readonly to: number; readonly amount: number }[];
    readonly shipments: readonly {
      readonly to: number;
      readonly have: number;
      readonly exports: readonly { readonly path: string; readonly load: number }[];
      readonly searches: readonly {
        readonly within: string;
        readonly as_good: readonly string[];
        readonly candidates: readonly { readonly path: string; readonly outcome: string }[];
      }[];
    }[];
  }[];
}

describe('the decision', () => {
  it.each([
    ['as usual', USUAL, []],
    ['by requests', { ...USUAL, options: ['mds_bal_mode=1'] }, ['--option', 'mds_bal_mode=1']],
    [
      'in odd beats, by counters as they are',
      { ...USUAL, beat: 'odd', scaleToBeat: false },
      ['--beat', 'odd', '--counters', 'as-is'],
    ],
    ['after one beat', { ...USUAL, overloadedFor: 1 }, ['--overloaded-for', '1']],
  ] as const)('is what the command prints: %s', async (_, settings, options) => {
    const ours = await mdsDecision(settings);
    const theirs = await printed<PrintedDecision>('decide', ...options);
    expect(ours.mdsLoads).toEqual(theirs.mds_loads);
    expect(ours.notes).toEqual(theirs.notes);
    expect(ours.ranks.map(({ verdict, targetLoad, loads }) => [verdict, targetLoad, loads])).toEqual(
      theirs.ranks.map(({ verdict, target_load, loads }) => [verdict, target_load, loads]),
    );
    const sent = ours.ranks.map(({ matches, shipments }) => ({
      matches: matches.map(({ from, to, amount }) => [from, to, amount]),
      shipments: shipments.map(({ to, have, exports, searches }) => ({
        to,
        have,
        exports: exports.map(({ name, load }) => [name, load]),
        searches: searches.map(({ within, asGood, candidates }) => ({
          within: within.name,
          asGood: asGood.map(({ name }) => name),
          candidates: candidates.map(({ name, outcome }) => [name, outcome]),
        })),
      })),
    }));
    expect(sent).toEqual(
      theirs.ranks.map(({ matches, shipments }) => ({
        matches: matches.map(({ from, to, amount }) => [from, to, amount]),
        shipments: shipments.map(({ to, have, exports, searches }) => ({
          to,
          have,
          exports: exports.map(({ path, load }) => [path, load]),
          searches: searches.map(({ within, as_good, candidates }) => ({
            within,
            asGood: as_good,
            candidates: candidates
              .filter(({ outcome }) => outcome !== 'too-small')
              .map(({ path, outcome }) => [path, outcome]),
          })),
        })),
      })),
    );
  });

  it('tells the loads of each rank in the three modes', async () => {
    const { ranks, mdsLoads } = await mdsDecision(USUAL);
    expect(ranks.map(({ beat }) => beat?.byMode[0])).toEqual(mdsLoads);
    const byRequests = await mdsDecision({ ...USUAL, options: ['mds_bal_mode=1'] });
    expect(ranks.map(({ beat }) => beat?.byMode[1])).toEqual(byRequests.mdsLoads);
    const byCpu = await mdsDecision({ ...USUAL, options: ['mds_bal_mode=2'] });
    expect(ranks.map(({ beat }) => beat?.byMode[2])).toEqual(byCpu.mdsLoads);
  });

  it('says which ranks are missing', async () => {
    await mdsRemove(2);
    await mdsRemove(2);
    const { ranks, notes } = await mdsDecision(USUAL);
    expect(ranks.map(({ hasCounters }) => hasCounters)).toEqual([true, false]);
    expect(notes.join('\n')).toContain("there is no 'dump loads' of mds.1");
  });

  it('refuses options that Ceph does not have', async () => {
    await expect(mdsDecision({ ...USUAL, options: ['mds_bal_modus=1'] })).rejects.toThrow(
      'mds_bal_modus is no option',
    );
  });
});

describe('the tree of directories', () => {
  it('has the load of each rank, directory by directory', async () => {
    const tree = await mdsTree(USUAL);
    const { perRank } = await mdsPlan(USUAL, PLAN);
    const all = perRank.reduce((sum, { metaUnplanned }) => sum + metaUnplanned, 0);
    expect(all).toBeGreaterThan(15_000);
    expect(tree.loads[0]).toBeCloseTo(all, 4);
    for (let row = 0; row < tree.count; row++) {
      let below = 0;
      for (let each = row + 1; each < tree.ends[row]!; each++) {
        if (tree.parents[each] === row) below += tree.loads[each]!;
      }
      if (tree.ends[row]! > row + 1) expect(below).toBeCloseTo(tree.loads[row]!, 4);
    }
    for (let row = 0; row < tree.count; row++) {
      if (tree.isOwn[row] === 1) continue;
      const [reads, writes, readdirs, fetches, stores] = tree.counters.within.subarray(5 * row, 5 * row + 5);
      const counted = reads! + 2 * writes! + readdirs! + 2 * fetches! + 4 * stores!;
      expect(counted).toBeCloseTo(tree.loads[row]!, 4);
    }
    // The heaviest directory comes first.
    const top = [...tree.parents.keys()].filter((row) => tree.parents[row] === 0 && tree.isOwn[row] === 0);
    expect(top.map((row) => tree.names[row]).slice(0, 2)).toEqual(['dir3', 'dir5']);
    expect(tree.ranks[rowOf(tree, '/dir3')]).toBe(0);
    expect(tree.ranks[rowOf(tree, '/dir5')]).toBe(1);
    expect(tree.rankCount).toBe(2);
  });

  it('knows whose each directory is', async () => {
    const tree = await mdsTree(USUAL);
    const decision = await printed<PrintedDecision>('decide');
    const looked = decision.ranks[0]!.shipments[0]!.searches.flatMap(({ candidates }) => candidates);
    expect(looked.length).toBeGreaterThan(5);
    for (const { path } of looked) expect([path, tree.ranks[rowOf(tree, path)]]).toEqual([path, 0]);
    expect(new Set(tree.ranks)).toEqual(new Set([0, 1]));
  });

  it('tells whose each directory would be by the decision, and by a plan', async () => {
    const tree = await mdsTree(USUAL);
    const rows = rowsByPath(tree);
    const changes = (ranks: Int16Array) =>
      [...rows].filter(([, row]) => ranks[row] !== tree.ranks[row]).map(([path, row]) => [path, ranks[row]]);
    expect(changes(decidedRanks(tree, rows, await mdsDecision(USUAL)))).toEqual([['/dir2/sub2', 1]]);
    const plan = await mdsPlan(USUAL, { ...PLAN, ranks: 3, maxPins: 2 });
    expect(plan.pins.length).toBeGreaterThan(0);
    const pinned = [...rows.keys()]
      .map((path) => ({ path, pin: plan.pins.findLast((pin) => `${path}/`.startsWith(`${pin.path}/`)) }))
      .filter(({ path, pin }) => pin !== undefined && pin.rank !== tree.ranks[rows.get(path)!])
      .map(({ path, pin }) => [path, pin!.rank]);
    expect(changes(plannedRanks(tree, plan))).toEqual(pinned);
    expect(changes(plannedRanks(tree, undefined))).toEqual([]);
  });

  it('lists what each rank counts of a directory', async () => {
    const { fragments, more } = await mdsDirectory(USUAL, '/dir3');
    expect(more).toBe(0);
    expect(fragments.map(({ rank }) => rank)).toContain(0);
    const own = fragments.find(({ rank }) => rank === 0)!;
    const [reads, writes, readdirs, fetches, stores] = own.popAuthSubtree;
    expect(own.metaLoads[2]).toBeCloseTo(reads + 2 * writes + readdirs + 2 * fetches + 4 * stores, 9);
  });
});

interface PrintedPlan {
  readonly share: number;
  readonly is_even: boolean;
  readonly commands: readonly string[];
  readonly pins: readonly { readonly path: string; readonly rank: number }[];
  readonly per_rank: readonly { readonly before: number; readonly after: number }[];
  readonly comparison: {
    readonly balancer: { readonly peaks: readonly number[] };
    readonly pinned: { readonly peaks: readonly number[]; readonly migrations: number };
  };
}

describe('the plan', () => {
  it.each([
    ['for the ranks that there are', PLAN, []],
    ['for three ranks', { ...PLAN, ranks: 3 }, ['--ranks', '3']],
    [
      'of few pins',
      { ...PLAN, ranks: 3, maxPins: 2, tolerance: 0.05 },
      ['--ranks', '3', '--max-pins', '2', '--tolerance', '5%'],
    ],
  ] as const)('is what the command prints: %s', async (_, wanted, options) => {
    const plan = await mdsPlan(USUAL, wanted);
    const theirs = await printed<PrintedPlan>('plan', ...options);
    expect(plan.pins.map(({ path, rank }) => [path, rank])).toEqual(
      theirs.pins.map(({ path, rank }) => [path, rank]),
    );
    expect(plan.perRank.map(({ before, after }) => [before, after])).toEqual(
      theirs.per_rank.map(({ before, after }) => [before, after]),
    );
    expect([plan.share, plan.isEven]).toEqual([theirs.share, theirs.is_even]);
    expect(plan.script.split('\n').filter((line) => !line.startsWith('#'))).toEqual(theirs.commands);
    expect(Object.values(plan.pinCommands)).toEqual(theirs.commands);
    const comparison = (await mdsComparison(USUAL, wanted))!;
    expect(comparison.balancer.peaks).toEqual(theirs.comparison.balancer.peaks);
    expect(comparison.pinned).toMatchObject(theirs.comparison.pinned);
  });

  it('refuses numbers that cannot be', async () => {
    await expect(mdsPlan(USUAL, { ...PLAN, ranks: 0 })).rejects.toThrow('the number of ranks is 1 to 256');
    await expect(mdsPlan(USUAL, { ...PLAN, mount: 'mnt' })).rejects.toThrow('absolute path');
  });
});
