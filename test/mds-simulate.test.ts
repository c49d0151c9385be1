/** What happens in simulations: beats, exports, pins, fragments, and what goes back and forth. */
import { describe, expect, test } from 'vitest';
import { CrushError } from '../src/errors.ts';
import { DEFAULT_MDS_OPTIONS, readMdsOptions } from '../src/mds/options.ts';
import { simulate, type SimulationResult, type Workload } from '../src/mds/simulate.ts';
import { buildWorkload } from '../src/mds/simulate/build-workload.ts';
import { EventQueue } from '../src/mds/simulate/event-queue.ts';
import { describeWorkload, WORKLOAD_KINDS } from '../src/mds/simulate/generate.ts';
import { summarize } from '../src/mds/simulate/summary.ts';
import type { WorkloadDescription } from '../src/mds/simulate/workload-description.ts';
import { hashIntoRankBucket } from '../src/mds/ephemeral-pins.ts';
import { Random } from './random.ts';

const HALFLIFE = DEFAULT_MDS_OPTIONS.mds_decay_halflife;

function build(description: WorkloadDescription, seconds = 1000, seed = 1): Workload {
  return buildWorkload(description, { seed, seconds });
}

/** Rates that hold counters at these loads. */
function settled(loads: Readonly<Record<string, number>>): WorkloadDescription {
  return {
    isSettled: true,
    directories: Object.keys(loads).map((path) => ({ path, files: 10 })),
    loads: Object.entries(loads).map(([path, load]) => ({
      in: path,
      op: 'stat',
      rate: (load * Math.LN2) / HALFLIFE,
    })),
  };
}

const loadsAtEnd = ({ end }: SimulationResult): number[] =>
  end.ranks.map(({ mdsLoad }) => Math.round(mdsLoad));

describe('events', () => {
  test('happen by their time, and in order at one time', () => {
    const random = new Random(7);
    const events = new EventQueue();
    const times = Array.from({ length: 500 }, () => random.below(50));
    const happened: number[] = [];
    times.forEach((time, order) => events.add(time, () => happened.push(time * 1000 + order)));
    while (events.next < Infinity) events.take()?.();
    expect(happened).toEqual(times.map((time, order) => time * 1000 + order).sort((a, b) => a - b));
    expect(events.take()).toBeUndefined();
  });
});

describe('a simulation', () => {
  test('of 80 on one rank and nothing on the other sends 40 less a fifth: 45 in two directories', () => {
    // Requests count as well, so that mds_load is more than popularity; amounts are scaled back to it.
    const workload = build(
      settled({
        '/test/test1': 24,
        '/test/test2': 5,
        '/test/test3': 12,
        '/test/test4': 21,
        '/test/test5': 18,
      }),
    );
    const result = simulate({ workload, ranks: 2, beats: 1, hitOrder: 'busiest' });
    const [first] = result.beats[0]?.ranks ?? [];
    expect(first?.metaLoad).toBeCloseTo(80, 9);
    expect(first?.wants).toEqual([{ to: 1, amount: expect.closeTo(40, 9) as number }]);
    expect(first?.chosen).toEqual([
      { path: '/test/test1', load: expect.closeTo(24, 9) as number, to: 1, cause: 'exported' },
      { path: '/test/test4', load: expect.closeTo(21, 9) as number, to: 1, cause: 'exported' },
    ]);
    expect(result.end.ranks.map(({ metaLoad }) => metaLoad)).toEqual([
      expect.closeTo(35, 6) as number,
      expect.closeTo(45, 6) as number,
    ]);
  });

  test('waits for the beat, and takes as long as exports take', () => {
    const workload = build({
      directories: [{ path: '/d{1..10}', files: 1000 }],
      loads: [{ in: '/*', op: 'stat', rate: 10 }],
      migration: { discover: 1, freeze: 2, inode: 0.001 },
    });
    const { migrations, beats, requests, blockedRequests } = simulate({ workload, ranks: 2, beats: 3 });
    expect(beats.map(({ time }) => time)).toEqual([10, 20, 30]);
    const [first] = migrations;
    expect(first).toMatchObject({ from: 0, to: 1, beat: 1, time: 10, entries: 1000, cause: 'exported' });
    // Discovered in one second, frozen for two, and one for 1000 inodes; ten requests a second wait.
    expect(first?.seconds).toBeCloseTo(4, 9);
    expect(first?.blockedRequests).toBeCloseTo(30, 9);
    expect(requests).toBeCloseTo(100 * 40, 6);
    expect(blockedRequests).toBeCloseTo(30 * migrations.length, 6);
    expect(migrations).toHaveLength(5);
  });

  test('exports no more at once than mds_max_export_size allows, and forgets the rest at the next beat', () => {
    const workload = build({
      directories: [{ path: '/d{1..10}', files: 1000 }],
      loads: [{ in: '/*', op: 'stat', rate: 10 }],
      migration: { discover: 1, freeze: 9 },
    });
    const options = readMdsOptions(['mds_max_export_size=1000000']);
    const { migrations, dropped } = simulate({ workload, ranks: 2, beats: 2, options });
    // 1,000,800 bytes each, two megabytes at most, and only one that is not frozen yet.
    expect(migrations.filter(({ beat }) => beat === 1).map(({ time }) => time)).toEqual([10]);
    expect(dropped.filter(({ why }) => why === 'next-beat')).toHaveLength(4);
  });

  test('is the same for the same seed, and another for another', () => {
    for (const kind of WORKLOAD_KINDS) {
      const run = (seed: number): string => {
        const settings = { directories: 60, rate: 3000, seconds: 210, seed };
        const workload = build(describeWorkload(kind, settings), 210, seed);
        return JSON.stringify(simulate({ workload, ranks: 3, beats: 20, seed }));
      };
      expect(run(5)).toBe(run(5));
      expect(run(5)).not.toBe(run(6));
    }
  });

  test('counts all that is done on some rank, whoever it goes to', () => {
    for (const kind of WORKLOAD_KINDS) {
      const settings = { directories: 60, rate: 3000, seconds: 510, seed: 3 };
      const workload = build(describeWorkload(kind, settings), 510, 3);
      const alone = simulate({ workload, ranks: 1, beats: 50 });
      const shared = simulate({ workload, ranks: 4, beats: 50 });
      expect(alone.migrations).toEqual([]);
      expect(shared.migrations.length).toBeGreaterThan(0);
      shared.beats.forEach(({ ranks }, index) => {
        const sum = ranks.reduce((all, { metaLoad }) => all + metaLoad, 0);
        const all = alone.beats[index]?.ranks[0]?.metaLoad ?? 0;
        // What is below a hundredth counts as nothing, on each rank for itself.
        expect(Math.abs(sum - all)).toBeLessThan(1e-9 * all + 1);
      });
      expect(shared.requests).toBeCloseTo(alone.requests, 3);
    }
  });

  test('evens out what can be shared, and cannot share one directory', () => {
    const even = simulate({
      workload: build(settled({ '/a': 500, '/b': 500, '/c': 500, '/d': 500 })),
      ranks: 2,
      beats: 5,
    });
    expect(loadsAtEnd(even)[0]).toBe(loadsAtEnd(even)[1]);
    const hot = simulate({ workload: build(settled({ '/hot': 2000, '/b': 5 })), ranks: 2, beats: 5 });
    expect(loadsAtEnd(hot)[1]).toBeLessThan(10);
    expect(summarize(hot).endImbalance).toBeGreaterThan(1.9);
  });

  test('names what goes back and forth', () => {
    // The load is where the beat moves it away from: whoever gets /a or /b gets no load.
    const turns = Array.from({ length: 12 }, (_, turn) => turn);
    const workload = build({
      directories: [
        { path: '/a', files: 5 },
        { path: '/b', files: 5 },
        { path: '/c', files: 5 },
      ],
      loads: [
        { in: '/c', op: 'stat', rate: 100 },
        ...turns.map((turn) => ({
          in: turn % 2 === 0 ? '/a' : '/b',
          op: 'stat' as const,
          rate: 400,
          from: turn * 30,
          to: turn * 30 + 30,
        })),
      ],
    });
    const { pingPongs, migrations } = simulate({ workload, ranks: 2, beats: 36 });
    expect(pingPongs.length).toBeGreaterThan(0);
    for (const { path, ranks, returns, beats } of pingPongs) {
      expect(ranks).toEqual([0, 1]);
      expect(beats).toHaveLength(returns);
      expect(migrations.filter((each) => each.path === path).length).toBeGreaterThan(returns);
    }
    const steady = simulate({
      workload: build(settled({ '/a': 400, '/b': 400, '/c': 100 })),
      ranks: 2,
      beats: 36,
    });
    expect(steady.pingPongs).toEqual([]);
  });

  test('keeps to bal_rank_mask, to an interval of 0, and to a balancer that is off', () => {
    const description = settled({ '/a': 500, '/b': 500, '/c': 500, '/d': 500 });
    const masked = simulate({ workload: { ...build(description), rankMask: '0x5' }, ranks: 3, beats: 5 });
    expect(loadsAtEnd(masked)[1]).toBe(0);
    expect(loadsAtEnd(masked)[2]).toBe(loadsAtEnd(masked)[0]);
    const workload = build(description);
    const silent = simulate({
      workload,
      ranks: 2,
      beats: 3,
      options: readMdsOptions(['mds_bal_interval=0']),
    });
    const off = simulate({ workload, ranks: 2, beats: 3, isBalanced: false });
    for (const result of [silent, off]) {
      expect(result.migrations).toEqual([]);
      expect(result.beats.flatMap(({ ranks }) => ranks.map(({ verdict }) => verdict))).toEqual(
        Array(6).fill(undefined),
      );
    }
    const few = simulate({ workload, ranks: 2, beats: 4, options: readMdsOptions(['mds_bal_max=2']) });
    expect(few.beats.map(({ ranks }) => ranks[0]?.verdict !== undefined)).toEqual([true, true, false, false]);
  });

  test('refuses what is out of range, and what is not there', () => {
    const workload = build(settled({ '/a': 5 }));
    const failing = (input: Partial<Parameters<typeof simulate>[0]>): string => {
      try {
        simulate({ workload, ranks: 2, beats: 1, ...input });
      } catch (error) {
        return error instanceof CrushError ? `${error.code}: ${error.message}` : String(error);
      }
      return 'nothing';
    };
    expect(failing({ ranks: 0 })).toBe('bad-argument: ranks is a whole number of 1 to 256, not 0');
    expect(failing({ beats: 1.5 })).toBe('bad-argument: beats is a whole number of 1 to 1000000, not 1.5');
    expect(failing({ beats: 100_000, ranks: 100 })).toContain('more than the 2000000 loads');
    expect(failing({ pins: [{ path: '/b', rank: 1 }] })).toBe('not-found: there is no directory /b to pin');
    expect(failing({ workload: { ...workload, subtrees: [{ path: '/x', fragment: 0, rank: 1 }] } })).toBe(
      'not-found: there is no directory /x for a subtree',
    );
    expect(failing({ options: readMdsOptions(['mds_bal_interval=1000000000']), beats: 1000 })).toContain(
      'more than',
    );
  });

  test('stays finite with counters that forget at once, or never', () => {
    for (const halflife of ['1e-9', '1e-300', '1e300']) {
      const options = readMdsOptions([`mds_decay_halflife=${halflife}`, 'mds_bal_fragment_dirs=false']);
      const { beats, end } = simulate({
        workload: build(settled({ '/a': 50, '/b/c': 80 })),
        ranks: 2,
        beats: 9,
        options,
      });
      for (const { ranks } of [...beats, end]) {
        for (const { mdsLoad, metaLoad } of ranks)
          expect([mdsLoad, metaLoad].every((load) => load >= 0)).toBe(true);
      }
    }
  });
});

describe('pins of a simulation', () => {
  const description = settled({ '/a/x': 900, '/a/y': 100, '/b': 500 });

  test('move subtrees at once and hold them', () => {
    const workload = build(description);
    const result = simulate({
      workload,
      ranks: 2,
      beats: 6,
      pins: [
        { path: '/a', rank: 1 },
        { path: '/b', rank: 0 },
      ],
    });
    expect(result.migrations.map(({ path, to, cause, time }) => [path, to, cause, time])).toEqual([
      ['/a', 1, 'pinned', 0],
    ]);
    expect(result.end.ranks.map(({ metaLoad }) => Math.round(metaLoad))).toEqual([500, 1000]);
    // Rank 1 is overloaded, and may not send anything of /a.
    expect(result.dropped.every(({ why }) => why === 'pinned')).toBe(true);
  });

  test('below others win, and those of ranks that are not there wait', () => {
    const pins = [
      { path: '/a', rank: 1 },
      { path: '/a/y', rank: 0 },
      { path: '/b', rank: 7 },
    ];
    const result = simulate({ workload: build(description), ranks: 2, beats: 3, pins, isBalanced: false });
    expect(result.end.ranks.map(({ metaLoad }) => Math.round(metaLoad))).toEqual([600, 900]);
    expect(result.notes).toEqual([
      '/b is pinned to mds.7, which is not there: the pin waits, and the balancer leaves it alone',
    ]);
    const waiting = Array.from({ length: 8 }, (_, index) => ({ path: `/${index}`, rank: 2 }));
    const many = build(settled(Object.fromEntries(waiting.map(({ path }) => [path, 1]))));
    const told = simulate({ workload: many, ranks: 2, beats: 1, pins: [{ path: '/', rank: 1 }, ...waiting] });
    expect(told.notes).toHaveLength(7);
    expect(told.notes[0]).toBe('the pin of / does nothing: Ceph has none on it');
    expect(told.notes[6]).toBe('so it is with 3 more');
    const empty = buildWorkload({ directories: [{ path: '/e' }], loads: [] }, { seconds: 1, seed: 1 });
    expect(simulate({ workload: empty, ranks: 2, beats: 1, pins: [{ path: '/e', rank: 1 }] }).notes).toEqual([
      '/e is empty: its pin waits until there is something in it, as with Ceph',
    ]);
  });

  test('that are distributed split the directory and spread what is in it by the hash', () => {
    const workload = build({
      isSettled: true,
      directories: [{ path: '/spread/d{1..40}', files: 5 }],
      loads: [{ in: '/spread/d*', op: 'stat', rate: 10 }],
    });
    const result = simulate({
      workload,
      ranks: 3,
      beats: 3,
      pins: [{ path: '/spread', isDistributed: true }],
      isBalanced: false,
    });
    expect(result.fragmentations).toEqual([
      { kind: 'split', path: '/spread', time: 0, fragments: 8, cause: 'pinned' },
    ]);
    const ino = 0x10000000000n + 1n;
    const ranks = Array.from({ length: 8 }, (_, part) =>
      hashIntoRankBucket(ino, 3, 0x03000000 | (part << 21)),
    );
    // Fragments that are rank 0's are kept apart; others are exported.
    expect(result.migrations.map(({ to }) => to).sort()).toEqual(ranks.filter((rank) => rank !== 0).sort());
    expect(result.end.ranks.map(({ subtrees }) => subtrees)).toEqual(
      [0, 1, 2].map((rank) => ranks.filter((each) => each === rank).length + (rank === 0 ? 1 : 0)),
    );
  });

  test('that are random are drawn by the seed', () => {
    const workload = build({
      isSettled: true,
      directories: [{ path: '/home/u{1..200}', files: 5 }],
      loads: [{ in: '/home/u*', op: 'stat', rate: 1 }],
    });
    const options = readMdsOptions(['mds_export_ephemeral_random_max=1']);
    const run = (seed: number): number =>
      simulate({
        workload,
        ranks: 4,
        beats: 1,
        seed,
        options,
        isBalanced: false,
        pins: [{ path: '/home', random: 0.5 }],
      }).migrations.length;
    // Half of them are pinned, and three quarters of these to another rank.
    expect(run(1)).toBe(run(1));
    expect(run(1)).toBeGreaterThan(50);
    expect(run(1)).toBeLessThan(100);
    expect(run(1)).not.toBe(run(2));
  });
});

describe('fragments of a simulation', () => {
  const growing = (rate: number, files = 0): WorkloadDescription => ({
    directories: [{ path: '/d', files }],
    loads: [{ in: '/d', op: 'create', rate }],
  });

  test('are split by size when their time has come', () => {
    const { fragmentations, fragments } = simulate({
      workload: build(growing(100, 9000)),
      ranks: 1,
      beats: 3,
    });
    // 10,000 entries after 10 seconds, and 5 seconds more; then 8 of 1312 entries.
    expect(fragmentations).toEqual([
      { kind: 'split', path: '/d', time: expect.closeTo(15, 2) as number, fragments: 8, cause: 'size' },
    ]);
    expect(fragments).toBe(9);
  });

  test('are split at once when they grow fast', () => {
    const { fragmentations } = simulate({ workload: build(growing(5000, 9000)), ranks: 1, beats: 1 });
    // 15,000 entries after 1.2 seconds.
    expect(fragmentations[0]?.time).toBeCloseTo(1.2, 2);
  });

  test('are split by load, and share it', () => {
    const workload = build({
      directories: [{ path: '/d', files: 5000 }],
      loads: [{ in: '/d', op: 'stat', rate: 8000 }],
    });
    const { fragmentations, end } = simulate({ workload, ranks: 1, beats: 4 });
    // 8000 / s settle at 57,708; 25,000 are reached after 5 * log2(57708 / 32708) seconds, and the split waits for 5.
    const settles = (8000 * HALFLIFE) / Math.LN2;
    const reached = HALFLIFE * Math.log2(settles / (settles - 25_000));
    expect(fragmentations).toHaveLength(1);
    expect(fragmentations[0]).toMatchObject({ kind: 'split', cause: 'reads', fragments: 8 });
    expect(fragmentations[0]?.time).toBeCloseTo(reached + 5, 2);
    expect(end.ranks[0]?.metaLoad).toBeCloseTo(settles * (1 - 2 ** (-50 / HALFLIFE)), 0);
  });

  test('are merged when they are small again', () => {
    const workload = build({
      directories: [{ path: '/d', files: 10_500 }],
      loads: [
        { in: '/d', op: 'stat', rate: 1 },
        { in: '/d', op: 'unlink', rate: 100, from: 20, to: 124 },
      ],
    });
    const { fragmentations, fragments } = simulate({ workload, ranks: 1, beats: 16 });
    expect(fragmentations.map(({ kind, fragments: count }) => [kind, count])).toEqual([
      ['split', 8],
      ['merge', 8],
    ]);
    // 8 fragments are below 50 entries after 20 + 101 seconds.
    expect(fragmentations[1]?.time).toBeCloseTo(20 + 101 + 5, 1);
    expect(fragments).toBe(2);
  });

  test('are left alone when Ceph is told so, and not split without end', () => {
    const options = readMdsOptions(['mds_bal_fragment_dirs=false']);
    expect(simulate({ workload: build(growing(5000)), ranks: 1, beats: 3, options }).fragmentations).toEqual(
      [],
    );
    const tiny = readMdsOptions(['mds_bal_split_size=1', 'mds_bal_split_bits=8']);
    expect(() => simulate({ workload: build(growing(1e9)), ranks: 1, beats: 3, options: tiny })).toThrow(
      'mds_bal_split_* are too low for it',
    );
  });
});
