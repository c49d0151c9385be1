/** Counters that decay, popularity that travels up the tree, and pins. */
import { describe, expect, test } from 'vitest';
import { decayCounter, decayed, hitCounter, readCounter } from '../src/mds/decay-counter.ts';
import { distributedFragmentBits, hashIntoRankBucket, mix64 } from '../src/mds/ephemeral-pins.ts';
import { addLoads, metaLoad, readCounters, scaleLoad, type LoadCounters } from '../src/mds/load.ts';
import { DEFAULT_MDS_OPTIONS, readMdsOptions } from '../src/mds/options.ts';
import {
  drawsRandomPin,
  effectiveRank,
  exportPin,
  fragmentPin,
  isExportable,
  randomPinProbability,
  type PinnedDirectory,
} from '../src/mds/pins.ts';
import { stringHashRjenkins } from '../src/osdmap/object-hash.ts';
import { encodeFragment, isInFragment } from '../src/mds/reports.ts';
import { fixtureText } from './fixtures.ts';
import {
  addImport,
  directoryFragment,
  finishExport,
  hitFragment,
  recentFirst,
  subtractExport,
} from '../src/mds/popularity.ts';

const OPTIONS = DEFAULT_MDS_OPTIONS;
const HALFLIFE = OPTIONS.mds_decay_halflife;

describe('decay counters', () => {
  test('halve in five seconds, and vanish below a hundredth', () => {
    expect(decayed(80, 5, HALFLIFE)).toBeCloseTo(40, 12);
    expect(decayed(80, 15, HALFLIFE)).toBeCloseTo(10, 12);
    expect(decayed(0.02, 4.9, HALFLIFE)).toBeGreaterThan(0.01);
    expect(decayed(0.02, 5.1, HALFLIFE)).toBe(0);
  });

  test('add hits to what is left', () => {
    const counter = decayCounter(100);
    expect(hitCounter(counter, 100, HALFLIFE)).toBe(1);
    expect(hitCounter(counter, 105, HALFLIFE)).toBeCloseTo(1.5, 12);
    expect(readCounter(counter, 110, HALFLIFE)).toBeCloseTo(0.75, 12);
    expect(hitCounter(counter, 110, HALFLIFE, -0.75)).toBe(0);
  });

  test('settle where a steady rate of hits holds them', () => {
    const counter = decayCounter(0);
    for (let hit = 1; hit <= 20_000; hit++) hitCounter(counter, hit / 100, HALFLIFE);
    // 100 hits a second, each worth the sum of 2^(-n/500).
    expect(counter.value).toBeCloseTo(1 / (1 - 2 ** (-1 / 500)), 6);
  });
});

describe('popularity', () => {
  test('of a hit goes to the directory, its subtree, and all above', () => {
    const root = directoryFragment({ ino: 1n }, 0);
    const subtree = directoryFragment({ ino: 0x1001n, parent: root, isSubtreeRoot: true }, 0);
    const leaf = directoryFragment({ ino: 0x1002n, parent: subtree }, 0);
    expect(hitFragment(leaf, 'IWR', 0, HALFLIFE)).toBe(1);
    const loads = (counters: LoadCounters): number => metaLoad(readCounters(counters, 0, HALFLIFE));
    expect([leaf, subtree, root].map(({ popMe }) => loads(popMe))).toEqual([2, 0, 0]);
    expect([leaf, subtree, root].map(({ popNested }) => loads(popNested))).toEqual([2, 2, 2]);
    expect([leaf, subtree, root].map(({ popAuthSubtree }) => loads(popAuthSubtree))).toEqual([2, 2, 0]);
    expect([leaf, subtree, root].map((at) => loads(at.popAuthSubtreeNested))).toEqual([2, 2, 2]);
    expect(recentFirst(subtree)).toEqual([0x1002n]);
    expect(recentFirst(root)).toEqual([]);
  });

  test("of another rank's directory is nested only", () => {
    const root = directoryFragment({ ino: 1n }, 0);
    const foreign = directoryFragment({ ino: 0x1001n, parent: root, isAuth: false, isSubtreeRoot: true }, 0);
    hitFragment(foreign, 'IRD', 0, HALFLIFE, 3);
    expect(readCounters(root.popNested, 0, HALFLIFE)[0]).toBe(3);
    expect(readCounters(root.popAuthSubtreeNested, 0, HALFLIFE)[0]).toBe(0);
    expect(readCounters(foreign.popAuthSubtree, 0, HALFLIFE)[0]).toBe(0);
  });

  test('of unlinked files is not counted', () => {
    const stray = directoryFragment({ ino: 0x600n, isStray: true }, 0);
    expect(hitFragment(stray, 'IRD', 0, HALFLIFE)).toBe(0);
    expect(readCounters(stray.popMe, 0, HALFLIFE)).toEqual([0, 0, 0, 0, 0]);
  });

  test('keeps directories in the order of their last hits', () => {
    const root = directoryFragment({ ino: 1n }, 0);
    const [a, b] = [0x1001n, 0x1002n].map((ino) => directoryFragment({ ino, parent: root }, 0));
    for (const at of [a, b, a]) if (at !== undefined) hitFragment(at, 'READDIR', 0, HALFLIFE);
    expect(recentFirst(root)).toEqual([0x1001n, 0x1002n]);
  });

  test('moves with an exported subtree', () => {
    const root = directoryFragment({ ino: 1n }, 0);
    const child = directoryFragment({ ino: 0x1001n, parent: root }, 0);
    hitFragment(child, 'FETCH', 0, HALFLIFE, 8);
    hitFragment(root, 'FETCH', 0, HALFLIFE, 4);
    child.isSubtreeRoot = true;
    subtractExport(child, 5, HALFLIFE);
    expect(readCounters(root.popNested, 5, HALFLIFE)[3]).toBeCloseTo(2, 12);
    addImport(child, 5, HALFLIFE);
    expect(readCounters(root.popAuthSubtreeNested, 5, HALFLIFE)[3]).toBeCloseTo(6, 12);
    finishExport(child, 5, HALFLIFE);
    expect(readCounters(child.popNested, 5, HALFLIFE)).toEqual([0, 0, 0, 0, 0]);
    expect(readCounters(child.popAuthSubtree, 5, HALFLIFE)).toEqual([0, 0, 0, 0, 0]);
  });

  test('is a vector that adds and scales', () => {
    expect(addLoads([1, 2, 3, 4, 5], [1, 1, 1, 1, 1])).toEqual([2, 3, 4, 5, 6]);
    expect(scaleLoad([1, 2, 3, 4, 5], 2)).toEqual([2, 4, 6, 8, 10]);
  });
});

describe('pins', () => {
  const root: PinnedDirectory = { ino: 1n, parent: undefined, pin: 3 };
  const inside = (parent: PinnedDirectory, more: Partial<PinnedDirectory> = {}): PinnedDirectory => ({
    ino: 0x10000000000n,
    parent,
    ...more,
  });
  const rankOf = (directory: PinnedDirectory, maxMds = 4): number | undefined =>
    exportPin(directory, maxMds, OPTIONS)?.rank;

  test('are inherited until another is set, and -1 sets none', () => {
    const home = inside(root, { pin: 2 });
    expect(rankOf(inside(inside(home)))).toBe(2);
    expect(rankOf(inside(inside(home, { pin: 1 })))).toBe(1);
    expect(rankOf(inside(home, { pin: -1 }))).toBe(2);
    expect(rankOf(inside(root, { pin: -1 }))).toBeUndefined();
    expect(exportPin(inside(home), 4, OPTIONS, false)).toBeUndefined();
  });

  test('do not count on the root, on removed directories, or when turned off', () => {
    expect(rankOf(root)).toBeUndefined();
    expect(rankOf(inside(root, { pin: 1, isUnlinked: true }))).toBeUndefined();
    const off = readMdsOptions(['mds_bal_export_pin=false']);
    expect(exportPin(inside(root, { pin: 1 }), 4, off)).toBeUndefined();
  });

  test('to ranks that do not exist wait, and hold the directory where it is', () => {
    const pinned = rankOf(inside(root, { pin: 7 }));
    expect(pinned).toBe(7);
    expect(effectiveRank(pinned, 4)).toBeUndefined();
    expect(effectiveRank(pinned, 8)).toBe(7);
    expect(isExportable(pinned, 1)).toBe(false);
    expect(isExportable(pinned, 7)).toBe(true);
    expect(isExportable(undefined, 1)).toBe(true);
  });

  test('that are distributed follow the fragment of the pinned directory', () => {
    const spread = inside(root, { isDistributed: true });
    expect(exportPin(spread, 4, OPTIONS)).toEqual({ kind: 'distributed', rank: undefined, setOn: spread });
    const fragment = 0x03400000;
    const rank = hashIntoRankBucket(spread.ino, 4, fragment);
    expect(fragmentPin(spread, fragment, 4, OPTIONS)).toBe(rank);
    expect(rankOf(inside(spread, { ino: 0x10000000001n, fragment }))).toBe(rank);
    expect(rankOf(inside(spread, { pin: 0 }))).toBe(0);
  });

  test('that are random bind a directory by its own number while the policy stands above it', () => {
    const policy = inside(root, { random: 0.5 });
    const chosen = inside(policy, { ino: 0x10000000009n, isRandomlyPinned: true });
    expect(exportPin(chosen, 4, OPTIONS)).toMatchObject({
      kind: 'random',
      rank: hashIntoRankBucket(chosen.ino, 4),
    });
    expect(rankOf(inside(chosen))).toBe(hashIntoRankBucket(chosen.ino, 4));
    // A static pin between the policy and the chosen directory overrides chance.
    const overridden = inside(inside(policy, { pin: 3 }), { isRandomlyPinned: true });
    expect(rankOf(overridden)).toBe(3);
    expect(rankOf(inside(root, { isRandomlyPinned: true }))).toBeUndefined();
  });

  test('are drawn with the probability that is nearest, up to the most', () => {
    const policy = inside(root, { random: 0.5 });
    expect(randomPinProbability(inside(policy), OPTIONS)).toBe(0.01);
    const all = readMdsOptions(['mds_export_ephemeral_random_max=1']);
    expect(randomPinProbability(inside(policy), all)).toBe(0.5);
    expect(randomPinProbability(inside(inside(policy, { pin: 1 })), all)).toBe(0);
    expect([0.5, 0.51].map((draw) => drawsRandomPin(inside(policy), all, () => draw))).toEqual([true, false]);
    const off = readMdsOptions(['mds_export_ephemeral_random=false']);
    expect(drawsRandomPin(inside(policy), off, () => 0)).toBe(false);
    expect(drawsRandomPin(inside(root), all, () => 0)).toBe(false);
  });

  test('split a directory into fragments for all ranks', () => {
    expect([1, 2, 3, 4, 5].map((maxMds) => distributedFragmentBits(maxMds, 2))).toEqual([0, 2, 3, 3, 4]);
  });
});

describe('the hash of ephemeral pins', () => {
  interface PinFixture {
    readonly max_mds: number;
    readonly pins: readonly (readonly [path: string, dirfrag: string, target: number])[];
    readonly fragments: Readonly<Record<string, readonly string[]>>;
  }
  const { max_mds, pins, fragments } = JSON.parse(fixtureText('mds/pins.json')) as PinFixture;

  test('gives the targets of a real cluster', () => {
    const targets = pins.map(([, dirfrag]) => {
      const [ino = '', name = '*'] = dirfrag.split('.');
      return hashIntoRankBucket(BigInt(ino), max_mds, encodeFragment(name));
    });
    expect(targets).toEqual(pins.map(([, , target]) => target));
    expect(pins).toHaveLength(68);
    expect(new Set(targets)).toEqual(new Set([0, 1, 2]));
    expect(Object.keys(fragments)).toHaveLength(2 ** distributedFragmentBits(max_mds, 2));
  });

  test('of a name says in which fragment it is', () => {
    const utf8 = new TextEncoder();
    for (const [dirfrag, names] of Object.entries(fragments)) {
      const fragment = encodeFragment(dirfrag.split('.')[1] ?? '') ?? 0;
      for (const name of names)
        expect(isInFragment(stringHashRjenkins(utf8.encode(name)), fragment)).toBe(true);
    }
    expect(Object.values(fragments).flat()).toHaveLength(60);
  });

  test('moves few when ranks are added, and those to the new rank only', () => {
    for (let ino = 0x10000000000n; ino < 0x10000000400n; ino++) {
      const [before, after] = [7, 8].map((maxMds) => hashIntoRankBucket(ino, maxMds));
      expect(after === before || after === 7).toBe(true);
    }
    expect(hashIntoRankBucket(5n, 1)).toBe(0);
    expect(mix64(0n)).not.toBe(0n);
    expect(() => hashIntoRankBucket(5n, 0)).toThrow('max_mds is a whole number of 1 or more, not 0');
  });
});
