/** Popularity that is kept in step with hits, flows, authority and fragments, against sums made anew. */
import { describe, expect, test } from 'vitest';
import { decayCounter, hitCounter, readCounter } from '../src/mds/decay-counter.ts';
import { metaLoad } from '../src/mds/load.ts';
import { directoryFragment, hitFragment } from '../src/mds/popularity.ts';
import { readCounters } from '../src/mds/load.ts';
import { DecayClock } from '../src/mds/simulate/decay-clock.ts';
import { MAX_FRAGMENT_BITS, MetadataState } from '../src/mds/simulate/metadata-state.ts';
import { NO_NODE, type WorkloadTree } from '../src/mds/simulate/workload.ts';
import { stringHashRjenkins } from '../src/osdmap/object-hash.ts';
import { Random } from './random.ts';

const HALFLIFE = 5;
const SEED = Number(process.env.CRUSH_MDS_SEED ?? 1);
const ROUNDS = Number(process.env.CRUSH_MDS_ROUNDS ?? 30);
/** What is left after a second, and what `meta_load` multiplies each counter with. */
const SECOND = 2 ** (-1 / HALFLIFE);
const WEIGHTS = [1, 2, 1, 2, 4];
const hashName = (name: string): number => stringHashRjenkins(new TextEncoder().encode(name));

function randomTree(random: Random, count: number): WorkloadTree {
  const parents = Int32Array.from({ length: count }, (_, index) => (index === 0 ? -1 : random.below(index)));
  return {
    names: Array.from({ length: count }, (_, index) => (index === 0 ? '' : `d${index}`)),
    parents,
    entries: Float64Array.from({ length: count }, () => random.below(100)),
  };
}

function newState(tree: WorkloadTree, ranks = 4): MetadataState {
  return new MetadataState({ tree, ranks, halflife: HALFLIFE, hashName });
}

function liveFragments({ tree }: MetadataState): number[] {
  return Array.from({ length: tree.size }, (_, index) => index).filter(
    (at) => tree.directory[at] !== NO_NODE,
  );
}

/** The chain /d1/d2. */
const CHAIN: WorkloadTree = {
  names: ['', 'd1', 'd2'],
  parents: Int32Array.of(-1, 0, 1),
  entries: Float64Array.of(1, 1, 10),
};

describe('counters of a simulation', () => {
  test('decay by one factor as Ceph lets each decay', () => {
    const random = new Random(SEED);
    const state = newState(CHAIN);
    const counter = decayCounter(0);
    let now = 0;
    for (let hit = 0; hit < 400; hit++) {
      now += random.below(3000) / 1000;
      state.clock.advance(now);
      const amount = 1 + random.below(50);
      state.hit(2, 1, amount);
      hitCounter(counter, now, HALFLIFE, amount);
    }
    state.clock.advance(now + 7);
    expect(state.popularity.value('own', 2, 1)).toBeCloseTo(readCounter(counter, now + 7, HALFLIFE), 9);
    expect(state.popularity.value('region', 0, 1)).toBeCloseTo(counter.value, 9);
    state.clock.advance(now + 100);
    expect(state.popularity.value('own', 2, 1)).toBe(0);
  });

  test('outlast any time by moving the base', () => {
    const clock = new DecayClock(HALFLIFE);
    const state = newState(CHAIN);
    for (let second = 0; second <= 20_000; second += 10) {
      state.clock.advance(second);
      state.hit(2, 0, 3);
      state.popularity.rebase();
      clock.advance(second);
    }
    // Hits of 3 every two half-lives.
    expect(state.popularity.value('own', 2, 0)).toBeCloseTo(3 / (1 - 0.25), 9);
    expect([state.clock.isStale, clock.isStale]).toEqual([false, true]);
  });

  test('settle under a flow where many small hits hold them, from nothing or at once', () => {
    const flow = { requests: 50, hits: [100, 0, 0, 0, 0] as const, growth: 0 };
    const slow = newState(CHAIN);
    const settled = newState(CHAIN);
    slow.flow(2, 0, flow, 1);
    settled.flow(2, 0, flow, 1, true);
    const [expected] = [(100 * HALFLIFE) / Math.LN2];
    expect(settled.popularity.value('own', 2, 0)).toBeCloseTo(expected, 9);
    expect(slow.popularity.value('own', 2, 0)).toBe(0);
    slow.clock.advance(5);
    expect(slow.popularity.value('region', 0, 0)).toBeCloseTo(expected / 2, 9);
    slow.flow(2, 0, flow, -1);
    slow.clock.advance(10);
    expect(slow.popularity.value('region', 0, 0)).toBeCloseTo(expected / 4, 9);
    expect([slow.meter.served(0), slow.meter.rate(0)]).toEqual([250, 0]);
  });

  test('are those of the model of one rank, hit by hit', () => {
    const root = directoryFragment({ ino: 1n }, 0);
    const middle = directoryFragment({ ino: 2n, parent: root }, 0);
    const leaf = directoryFragment({ ino: 3n, parent: middle }, 0);
    const state = newState(CHAIN);
    [leaf, middle, leaf, root].forEach((fragment, second) => {
      state.clock.advance(second);
      state.hit([root, middle, leaf].indexOf(fragment), 1, 2);
      hitFragment(fragment, 'IWR', second, HALFLIFE, 2);
    });
    [root, middle, leaf].forEach((fragment, index) => {
      const { popMe, popAuthSubtree } = fragment;
      expect(state.popularity.value('own', index, 1)).toBeCloseTo(readCounters(popMe, 3, HALFLIFE)[1], 12);
      expect(state.popularity.load(index)).toBeCloseTo(
        metaLoad(readCounters(popAuthSubtree, 3, HALFLIFE)),
        12,
      );
    });
  });
});

describe('popularity of random trees', () => {
  test(`stays what a new sum gives, under hits, flows, exports, splits and merges (seed ${SEED})`, () => {
    let splits = 0;
    let merges = 0;
    let moves = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(SEED * 1000 + round);
      const state = newState(randomTree(random, random.between(2, 60)));
      const { tree, popularity, subtrees } = state;
      const flows: (() => void)[] = [];
      /** `meta_load` of all hits so far, and of what comes each second. */
      let total = 0;
      let rate = 0;
      let requests = 0;
      for (let step = 0; step < 120; step++) {
        state.clock.advance(step);
        if (step > 0) total = total * SECOND + (rate * HALFLIFE * (1 - SECOND)) / Math.LN2;
        const fragment = random.pick(liveFragments(state));
        const directory = tree.directory[fragment] ?? 0;
        switch (random.below(6)) {
          case 0: {
            const amount = random.between(1, 500);
            const kind = random.below(5);
            state.hit(fragment, kind, amount);
            total += amount * (WEIGHTS[kind] ?? 0);
            break;
          }
          case 1: {
            const flow = {
              requests: random.below(9),
              hits: [0, random.below(50), 0, 0, 3] as const,
              growth: 1,
            };
            state.flow(directory, 0, flow, 1);
            requests += flow.requests;
            rate += metaLoad(flow.hits);
            flows.push(() => {
              state.flow(directory, 0, flow, -1);
              requests -= flow.requests;
              rate -= metaLoad(flow.hits);
            });
            break;
          }
          case 2:
            flows.splice(random.below(flows.length), 1).forEach((end) => end());
            break;
          case 3:
            if (directory !== 0) {
              subtrees.move(subtrees.cut(fragment), random.below(4));
              moves++;
            }
            break;
          case 4:
            if (directory !== 0 && liveFragments(state).length < 300) {
              splits += state.split(fragment, random.between(1, 3)).length > 1 ? 1 : 0;
            }
            break;
          default: {
            const code = tree.code[fragment] ?? 0;
            const bits = code >>> MAX_FRAGMENT_BITS;
            if (bits === 0) break;
            const mask = (0xffffff << (MAX_FRAGMENT_BITS - bits + 1)) & 0xffffff;
            const parts = state.partsOf(directory, ((bits - 1) << MAX_FRAGMENT_BITS) | (code & mask));
            if (parts.every(({ fragment: part }) => tree.subtreeRank[part] === NO_NODE)) {
              state.merge(directory, ((bits - 1) << MAX_FRAGMENT_BITS) | (code & mask));
              merges++;
            }
          }
        }
        popularity.rebase();
      }
      const kept = Float64Array.from(popularity.region);
      popularity.recompute();
      const off = kept.reduce((most, value, at) => {
        const now = popularity.region[at] ?? 0;
        return Math.max(most, Math.abs(value - now) / Math.max(1, Math.abs(now)));
      }, 0);
      expect({ round, isClose: off < 1e-6 }, `off by ${off}`).toEqual({ round, isClose: true });
      // Neighbours of one rank are one subtree.
      const apart = [...subtrees.all].filter((each) => subtrees.above(each)?.rank === each.rank);
      expect({ round, apart }).toEqual({ round, apart: [] });
      for (const each of subtrees.all) {
        const naive = [...subtrees.all].filter((other) => subtrees.above(other) === each);
        expect(subtrees.below(each)).toEqual(naive);
      }
      // All that ranks count is all that was hit.
      const root = [...tree.fragmentsOf(0)][0] ?? 0;
      const sum = (): number =>
        [0, 1, 2, 3].reduce((all, rank) => all + subtrees.nested(root, rank, (at) => popularity.load(at)), 0);
      expect({ round, sum: Math.abs(sum() - total) < 1 }).toEqual({ round, sum: true });
      for (const end of flows) end();
      state.clock.advance(400);
      state.hit(random.pick(liveFragments(state)), 2, 64);
      expect(sum()).toBeCloseTo(64, 6);
      state.clock.advance(405);
      expect(sum()).toBeCloseTo(32, 6);
      expect(requests).toBe(0);
      expect([0, 1, 2, 3].map((rank) => Math.abs(state.meter.rate(rank)) < 1e-9)).toEqual([
        true,
        true,
        true,
        true,
      ]);
    }
    expect([splits > 20, merges > 5, moves > 100]).toEqual([true, true, true]);
  });
});
