/** Subtrees out of reports: fragments, subtrees of others within, pins further up, and many of them. */
import { describe, expect, test } from 'vitest';
import { exportSubtrees } from '../src/mds/export-tree.ts';
import { NO_LOAD, type LoadVector } from '../src/mds/load.ts';
import { DEFAULT_MDS_OPTIONS, readMdsOptions } from '../src/mds/options.ts';
import { encodeFragment, type FragmentReport, type SubtreeReport } from '../src/mds/reports.ts';

function fragment(path: string, ino: bigint, reads: number, name = '*'): FragmentReport {
  const load: LoadVector = [reads, 0, 0, 0, 0];
  const fragment = encodeFragment(name) ?? 0;
  return {
    path,
    ino,
    fragment,
    popMe: NO_LOAD,
    popNested: load,
    popAuthSubtree: load,
    popAuthSubtreeNested: load,
  };
}

function subtree(
  path: string,
  ino: bigint,
  authority: number,
  more: Partial<SubtreeReport> = {},
): SubtreeReport {
  return {
    path,
    ino,
    fragment: 0,
    isAuth: authority === 0,
    isReplicated: false,
    isFrozen: false,
    authority,
    isMoving: false,
    pin: -1,
    isDistributed: false,
    isRandomlyPinned: false,
    pinTarget: -1,
    ...more,
  };
}

const settings = {
  rank: 0,
  directories: [],
  scale: 1,
  hashName: (name: string) => Number(name.slice(1)) << 23,
  options: DEFAULT_MDS_OPTIONS,
};

describe('exportSubtrees', () => {
  test('leaves what lies in other subtrees out, and knows where its own came from', () => {
    const fragments = [
      fragment('', 1n, 90),
      fragment('/a', 0x1000n, 50),
      fragment('/b', 0x1001n, 40),
      fragment('/a/c', 0x1002n, 30),
    ];
    const subtrees = [
      subtree('', 1n, 0),
      subtree('~mds0', 0x100n, 0),
      subtree('/b', 0x1001n, 1),
      subtree('/b/d', 0x1003n, 0),
      subtree('/e', 0x1004n, 0, { isMoving: true }),
    ];
    const [root, mdsdir, nested, ...more] = exportSubtrees({ ...settings, fragments, subtrees, scale: 2 });
    expect(more).toEqual([]);
    expect(root).toMatchObject({ kind: 'root', from: 0, root: { name: '/', load: 180 } });
    expect(root?.root.directories.map(({ fragments: [child] }) => [child?.name, child?.load])).toEqual([
      ['/a', 100],
    ]);
    expect(mdsdir?.kind).toBe('mdsdir');
    expect(nested).toMatchObject({ kind: 'directory', from: 1, root: { name: '/b/d', load: 0 } });
  });

  test('finds the fragment that holds a directory, and pins further up', () => {
    const fragments = [
      fragment('/p', 0x1000n, 10, '0*'),
      fragment('/p', 0x1000n, 20, '1*'),
      fragment('/p/x0', 0x1001n, 7),
      fragment('/p/x1', 0x1002n, 9),
    ];
    const half = (name: string, pinTarget: number): SubtreeReport =>
      subtree('/p', 0x1000n, 0, { fragment: encodeFragment(name) ?? 0, isDistributed: true, pinTarget });
    const subtrees = [half('0*', 2), half('1*', 0), subtree('/p/x1/y', 0x1003n, 0)];
    const [zero, one, inner] = exportSubtrees({ ...settings, fragments, subtrees });
    expect(zero?.root.directories.map(({ fragments: [child] }) => child?.name)).toEqual(['/p/x0']);
    expect(one?.root.directories.map(({ fragments: [child] }) => child?.name)).toEqual(['/p/x1']);
    expect([zero?.isPinned, inner?.isPinned, inner?.inheritedPin]).toEqual([true, false, 0]);
  });

  test('heeds the pins that options let count', () => {
    const subtrees = [
      subtree('', 1n, 0),
      subtree('/s', 0x1000n, 0, { pin: 0, pinTarget: 0 }),
      subtree('/d', 0x1001n, 0, { isDistributed: true }),
      subtree('/r', 0x1002n, 0, { isRandomlyPinned: true }),
      subtree('/s/x', 0x1003n, 0),
    ];
    const pinned = (...set: string[]): string[] =>
      exportSubtrees({ ...settings, fragments: [], subtrees, options: readMdsOptions(set) }).flatMap(
        ({ isPinned, inheritedPin, root }) => (isPinned || inheritedPin !== undefined ? [root.name] : []),
      );
    expect(pinned()).toEqual(['/s', '/d', '/r', '/s/x']);
    expect(pinned('mds_export_ephemeral_distributed=false')).toEqual(['/s', '/r', '/s/x']);
    expect(pinned('mds_export_ephemeral_random=false')).toEqual(['/s', '/d', '/s/x']);
    expect(pinned('mds_bal_export_pin=false')).toEqual([]);
  });

  test('takes what a tree says of replicas and frozen directories', () => {
    const state = { path: '/a', ino: 0x1000n, fragment: 0, isAuth: true, isReplicated: true, isFrozen: true };
    const directories = [{ ino: 0x1000n, pin: -1, isDistributed: false, random: 0, fragments: [state] }];
    const fragments = [fragment('', 1n, 9), fragment('/a', 0x1000n, 5)];
    const [root] = exportSubtrees({ ...settings, fragments, subtrees: [subtree('', 1n, 0)], directories });
    expect(root?.root.directories[0]?.fragments[0]).toMatchObject({ isReplicated: true, isFrozen: true });
  });

  test('builds 20,000 subtrees in a moment', () => {
    const count = 20_000;
    const inos = Array.from({ length: count }, (_, index) => 0x10000n + BigInt(index));
    const fragments = inos.map((ino, index) => fragment(`/d${index}`, ino, 1));
    const subtrees = [subtree('', 1n, 1), ...inos.map((ino, index) => subtree(`/d${index}`, ino, 0))];
    const start = performance.now();
    expect(exportSubtrees({ ...settings, fragments, subtrees })).toHaveLength(count);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});
