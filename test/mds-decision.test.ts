/** What is said of a decision: which other directories would have done, and which pins hold what was chosen. */
import { describe, expect, test } from 'vitest';
import { chosenBy, rivalsIn } from '../src/analysis/mds-decision.ts';
import type { ReportedSubtree } from '../src/mds/export-tree.ts';
import type { ExportFragment } from '../src/mds/find-exports.ts';
import { DEFAULT_MDS_OPTIONS } from '../src/mds/options.ts';
import { tryRebalance } from '../src/mds/try-rebalance.ts';

const directory = (name: string, load: number, inner: readonly ExportFragment[] = []): ExportFragment => ({
  name,
  load,
  isReplicated: false,
  isFrozen: false,
  directories: inner.map((fragment) => ({ fragments: [fragment] })),
});

const subtree = (root: ExportFragment, inheritedPin?: number): ReportedSubtree => ({
  root,
  kind: 'root',
  from: 0,
  isPinned: false,
  inheritedPin,
});

describe('what would have done as well', () => {
  test('is nothing that had been chosen for another rank', () => {
    const inner = ['/a', '/b', '/c'].map((name) => directory(name, 130));
    const root = directory('/', 400, [...inner, directory('/d', 10)]);
    const targets = new Map([1, 2, 3].map((rank) => [rank, 130]));
    const rebalance = tryRebalance(0, targets, 100, [subtree(root)], DEFAULT_MDS_OPTIONS);
    const rivals = rebalance.shipments.map(({ exports, searches }) => [
      exports.map(({ name }) => name),
      searches.flatMap((search) => rivalsIn(search, rebalance).map(({ name }) => name)),
    ]);
    expect(rivals).toEqual([
      [['/a'], ['/b', '/c']],
      [['/b'], ['/c']],
      [['/c'], []],
    ]);
  });
});

describe('what was chosen', () => {
  test('is told with the pin that holds it', () => {
    const held = directory('/held', 40, [directory('/held/x', 40)]);
    const free = directory('/free', 40);
    const shipment = {
      to: 1,
      amount: 80,
      skip: undefined,
      have: 80,
      imports: [],
      exports: [...(held.directories[0]?.fragments ?? []), free],
      searches: [],
    };
    expect(chosenBy({ subtrees: [subtree(held, 2), subtree(free)] }, shipment)).toMatchObject([
      { fragment: { name: '/held/x' }, pin: 2 },
      { fragment: { name: '/free' }, pin: undefined },
    ]);
  });

  test('is told in a moment, however much it is', () => {
    const inner = Array.from({ length: 30_000 }, (_, index) => directory(`/${index}`, 1));
    const root = directory('/', 30_000, inner);
    const exports = inner.slice(10_000);
    const shipment = {
      to: 1,
      amount: 20_000,
      skip: undefined,
      have: 20_000,
      imports: [],
      exports,
      searches: [],
    };
    const begin = performance.now();
    const chosen = chosenBy({ subtrees: [subtree(root, 3)] }, shipment);
    expect(performance.now() - begin).toBeLessThan(1500);
    expect(chosen.filter(({ pin }) => pin === 3)).toHaveLength(20_000);
  });
});
