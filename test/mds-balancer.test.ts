/** The balancer's decisions on plain numbers: public cases, and each threshold from both sides. */
import { describe, expect, test } from 'vitest';
import { exportState, findExports, type ExportFragment } from '../src/mds/find-exports.ts';
import {
  beatState,
  hasAllHeartbeats,
  importMapOf,
  isBeatDue,
  receiveHeartbeat,
  sendHeartbeat,
} from '../src/mds/heartbeat.ts';
import { mdsLoad, metaLoad, NO_LOAD, type MdsLoad } from '../src/mds/load.ts';
import { DEFAULT_MDS_OPTIONS, readMdsOptions } from '../src/mds/options.ts';
import { prepRebalance, type BeatView } from '../src/mds/prep-rebalance.ts';
import { readRankMask } from '../src/mds/rank-mask.ts';
import { tryRebalance, type OwnSubtree } from '../src/mds/try-rebalance.ts';

const OPTIONS = DEFAULT_MDS_OPTIONS;

/** A rank whose popularity and load are given numbers. */
function rankLoad(auth: number, total = auth): MdsLoad {
  return {
    auth: [auth, 0, 0, 0, 0],
    all: [auth, 0, 0, 0, 0],
    requestRate: total - auth,
    cacheHitRate: 1,
    queueLength: 0,
    cpuLoad: 0,
  };
}

function view(loads: readonly MdsLoad[], more: Partial<BeatView> = {}): BeatView {
  return {
    whoami: 0,
    beat: 3,
    loads,
    importMaps: new Map(),
    lastUnder: new Map(),
    mask: readRankMask('', loads.length),
    ...more,
  };
}

/** A directory of one fragment. */
function directory(name: string, load: number, within: readonly ExportFragment[] = []): ExportFragment {
  const directories = within.map((fragment) => ({ fragments: [fragment] }));
  return { name, load, isReplicated: false, isFrozen: false, directories };
}

function subtree(root: ExportFragment, more: Partial<OwnSubtree> = {}): OwnSubtree {
  return { root, kind: 'root', from: 0, isPinned: false, ...more };
}

const names = (fragments: readonly ExportFragment[]): string[] => fragments.map(({ name }) => name);

describe('loads', () => {
  test('weigh the kinds of hits, and modes', () => {
    expect(metaLoad([1, 10, 100, 1000, 10000])).toBe(1 + 20 + 100 + 2000 + 40000);
    const load: MdsLoad = {
      auth: [100, 0, 0, 0, 0],
      all: [0, 100, 0, 0, 0],
      requestRate: 7,
      cacheHitRate: 0.5,
      queueLength: 3,
      cpuLoad: 42,
    };
    expect(mdsLoad(load, 0)).toBeCloseTo(80 + 40 + 7 + 30, 9);
    expect(mdsLoad(load, 1)).toBe(37);
    expect(mdsLoad(load, 2)).toBe(42);
  });
});

describe('prepRebalance', () => {
  test('has rank 0 send 40 of its 80 to an idle rank 1', () => {
    const decision = prepRebalance(view([rankLoad(80), rankLoad(0)]), OPTIONS);
    expect(decision).toMatchObject({ verdict: 'exporting', totalLoad: 80, targetLoad: 40, loadFactor: 1 });
    expect(decision.importers).toEqual([1]);
    expect(decision.exporters).toEqual([0]);
    expect([...decision.targets]).toEqual([[1, 40]]);
  });

  test('rescales loads by the own ratio, so that ranks may disagree', () => {
    const loads = [rankLoad(8733.45, 21595.9), rankLoad(7000, 16327), rankLoad(8000, 20636.8)];
    const first = prepRebalance(view(loads), OPTIONS);
    expect(first.loads.map(Math.floor)).toEqual([8733, 6602, 8345]);
    expect(first.targetLoad).toBeCloseTo(7893.91, 2);
    const second = prepRebalance(view(loads, { whoami: 1 }), OPTIONS);
    expect(second.loadFactor).toBeCloseTo(7000 / 16327, 12);
    expect(second.targetLoad).toBeCloseTo((58559.7 / 3) * (7000 / 16327), 6);
  });

  test('does nothing below the target or close above it, and remembers the beat', () => {
    const decision = prepRebalance(view([rankLoad(109), rankLoad(91)], { beat: 7 }), OPTIONS);
    expect(decision.verdict).toBe('underloaded');
    expect([...decision.lastUnder]).toEqual([
      [0, 7],
      [1, 7],
    ]);
    expect(prepRebalance(view([rankLoad(111), rankLoad(89)]), OPTIONS).verdict).toBe('exporting');
  });

  test('waits until a rank has been overloaded for two beats, or as many as are configured', () => {
    const at = (beat: number, epochs: number): string =>
      prepRebalance(
        view([rankLoad(80), rankLoad(0)], { beat, lastUnder: new Map([[0, 7]]) }),
        readMdsOptions([`mds_bal_overload_epochs=${epochs}`]),
      ).verdict;
    expect([8, 9].map((beat) => at(beat, 2))).toEqual(['overloaded-not-long-enough', 'exporting']);
    expect([9, 10, 11, 12].map((beat) => at(beat, 5)).at(-1)).toBe('exporting');
    expect(at(11, 5)).toBe('overloaded-not-long-enough');
  });

  test('goes on with no load at all, as Ceph does, and sends nothing', () => {
    const decision = prepRebalance(view([rankLoad(0), rankLoad(0)]), OPTIONS);
    expect(decision).toMatchObject({ verdict: 'exporting', targetLoad: 0, matches: [] });
  });

  test('matches big exporters first in odd beats, small ones first in even beats', () => {
    const loads = [rankLoad(130), rankLoad(160), rankLoad(10), rankLoad(100)];
    const matches = (beat: number): unknown =>
      prepRebalance(view(loads, { beat, whoami: 1 }), OPTIONS).matches.map(({ from, to, amount }) => [
        from,
        to,
        amount,
      ]);
    expect(matches(3)).toEqual([
      [1, 2, 60],
      [0, 2, 30],
    ]);
    expect(matches(4)).toEqual([
      [0, 2, 30],
      [1, 2, 60],
    ]);
    const wide = [rankLoad(200), rankLoad(150), rankLoad(0), rankLoad(50)];
    const split = prepRebalance(view(wide, { beat: 4, whoami: 0 }), OPTIONS);
    expect(split.matches.map(({ from, to, amount }) => [from, to, amount])).toEqual([
      [1, 2, 50],
      [0, 2, 50],
      [0, 3, 50],
    ]);
    expect([...split.targets]).toEqual([
      [2, 50],
      [3, 50],
    ]);
  });

  test('gives back to where load came from before it looks further', () => {
    const loads = [rankLoad(200), rankLoad(10), rankLoad(60)];
    const decision = prepRebalance(view(loads, { importMaps: new Map([[0, new Map([[2, 55]])]]) }), OPTIONS);
    expect(decision.matches).toEqual([
      { from: 0, to: 2, amount: 30, isReturn: true },
      { from: 0, to: 1, amount: 80, isReturn: false },
    ]);
  });

  test('shares by the ranks of a mask, and empties the others', () => {
    const loads = [rankLoad(60), rankLoad(0), rankLoad(30)];
    const mask = readRankMask('0x3', 3);
    const first = prepRebalance(view(loads, { mask }), OPTIONS);
    expect(first).toMatchObject({ targetLoad: 45, verdict: 'exporting', importers: [1] });
    const outside = prepRebalance(view(loads, { mask, whoami: 2 }), OPTIONS);
    expect([...outside.targets]).toEqual([[1, 30]]);
    expect(prepRebalance(view(loads, { mask: readRankMask('0', 3) }), OPTIONS).verdict).toBe('balancer-off');
  });

  test('refuses a missing load of its own', () => {
    expect(() => prepRebalance(view([], { whoami: 1 }), OPTIONS)).toThrow('there is no load of rank 1');
  });
});

describe('rank masks', () => {
  test('are read as Ceph reads them', () => {
    const ranks = (mask: string, max = 8): number[] =>
      Array.from({ length: max }, (_, rank) => rank).filter((rank) => readRankMask(mask, max).has(rank));
    expect(ranks('')).toHaveLength(8);
    expect(ranks('-1')).toHaveLength(8);
    expect(ranks('all')).toHaveLength(8);
    expect(ranks('0')).toEqual([]);
    expect(ranks('0x0')).toEqual([]);
    expect(ranks('0xF0')).toEqual([4, 5, 6, 7]);
    expect(ranks('5')).toEqual([0, 2]);
    expect(ranks('xyz')).toHaveLength(8);
    expect(readRankMask('00', 8).count).toBe(8);
    expect(readRankMask('1'.repeat(65), 8).count).toBe(8);
    // Seventeen digits are sixteen, then one that fills 64 bits by itself.
    expect(readRankMask('0x00000000000000011', 256).has(64)).toBe(true);
  });
});

describe('findExports', () => {
  const find = (root: ExportFragment, amount: number, options = OPTIONS): string[] =>
    names(findExports(root, amount, 0, exportState(), options).exports);

  test('chooses /test/test1 and /test/test4, whose 45 pass 0.8 of 40', () => {
    const test_ = directory('/test', 80, [
      directory('/test/test1', 25),
      directory('/test/test2', 10),
      directory('/test/test3', 15),
      directory('/test/test4', 20),
      directory('/test/test5', 10),
    ]);
    const found = findExports(directory('/', 80, [test_]), 40, 0, exportState(), OPTIONS);
    expect(names(found.exports)).toEqual(['/test/test1', '/test/test4']);
    expect(found.have).toBe(45);
  });

  test('takes one directory alone that is close to what is needed', () => {
    const root = directory('/', 200, [directory('/a', 20), directory('/b', 119), directory('/c', 30)]);
    expect(find(root, 100)).toEqual(['/b']);
    expect(find(directory('/', 200, [directory('/b', 120), directory('/c', 80)]), 100)).toEqual(['/c']);
    // Exactly 0.8 of it is not close enough, but big enough; what is missing is a fifth and is not looked for.
    expect(find(directory('/', 200, [directory('/c', 80)]), 100)).toEqual(['/c']);
  });

  test('descends into bigger ones before it takes small ones', () => {
    const big = directory('/big', 150, [directory('/big/x', 65), directory('/big/y', 60)]);
    const root = directory('/', 200, [directory('/small', 29), directory('/mid', 31), big]);
    expect(find(root, 100)).toEqual(['/mid', '/big/x']);
    const flat = directory('/', 60, [directory('/s1', 29), directory('/s2', 28), directory('/tiny', 0.09)]);
    expect(find(flat, 100)).toEqual(['/s1', '/s2']);
  });

  test('descends into replicated ones last', () => {
    const big = { ...directory('/big', 150, [directory('/big/x', 90)]), isReplicated: true };
    const root = directory('/', 200, [big, directory('/small', 29), directory('/s2', 28)]);
    expect(find(root, 100)).toEqual(['/small', '/s2']);
    const state = exportState();
    expect(names(findExports(directory('/', 150, [big]), 100, 0, state, OPTIONS).exports)).toEqual([
      '/big/x',
    ]);
    expect(state.searches[0]?.candidates[0]?.outcome).toBe('descended-replicated');
  });

  test('passes over what is frozen, chosen or too small, and says so', () => {
    const frozen = { ...directory('/frozen', 90), isFrozen: true };
    const taken = directory('/taken', 95);
    const root = directory('/', 300, [frozen, taken, directory('/tiny', 0.05), directory('/c', 40)]);
    const state = exportState();
    state.alreadyExporting.add(taken);
    expect(names(findExports(root, 100, 0, state, OPTIONS).exports)).toEqual(['/c']);
    expect(state.searches[0]?.candidates.map(({ outcome }) => outcome)).toEqual([
      'frozen',
      'already-exporting',
      'too-small',
      'taken',
    ]);
    expect([...state.forgotten]).toEqual([root.directories[2]]);
  });

  test('does not start for less than a fifth', () => {
    const root = directory('/', 100, [directory('/a', 15)]);
    expect(findExports(root, 100, 81, exportState(), OPTIONS)).toEqual({ have: 81, exports: [] });
    expect(findExports(root, 100, 80, exportState(), OPTIONS).have).toBe(95);
  });
});

describe('tryRebalance', () => {
  const root = directory('/', 100, [directory('/a', 40), directory('/b', 60)]);
  const send = (
    targets: readonly (readonly [number, number])[],
    subtrees: readonly OwnSubtree[],
    options = OPTIONS,
    targetLoad = 50,
  ) => tryRebalance(0, new Map(targets), targetLoad, subtrees, options);

  test('leaves small amounts', () => {
    expect(send([[1, 9.9]], [subtree(root)]).shipments[0]?.skip).toBe('too-little');
    expect(send([[1, 10]], [subtree(root)], OPTIONS, 101).shipments[0]?.skip).toBe('small-part-of-target');
    expect(send([[1, 10]], [subtree(root)], OPTIONS, 100).shipments[0]?.skip).toBeUndefined();
    // Two ranks that get some may get half as much each.
    expect(
      send(
        [
          [1, 10],
          [2, 10],
        ],
        [subtree(root)],
        OPTIONS,
        200,
      ).shipments[0]?.skip,
    ).toBeUndefined();
  });

  test('gives imports back first, sends others on, then searches', () => {
    const back = subtree(directory('/from1', 30), { kind: 'directory', from: 1 });
    const big = subtree(directory('/big1', 90), { kind: 'directory', from: 1 });
    const other = subtree(directory('/from2', 15), { kind: 'directory', from: 2 });
    const [shipment] = send([[1, 80]], [back, big, other, subtree(root)]).shipments;
    expect(shipment?.imports.map(({ root: { name }, outcome }) => [name, outcome])).toEqual([
      ['/from1', 'returned'],
      ['/big1', 'too-big'],
      ['/from2', 'sent-on'],
    ]);
    expect(names(shipment?.exports ?? [])).toEqual(['/a']);
    expect(shipment?.have).toBe(85);
  });

  test('leaves pinned and frozen subtrees and ranks own directories alone', () => {
    const pinned = subtree(directory('/pinned', 50), { kind: 'directory', isPinned: true });
    const frozen = subtree({ ...directory('/frozen', 50), isFrozen: true }, { kind: 'directory', from: 1 });
    const own = subtree(directory('~mds0', 50), { kind: 'mdsdir' });
    const result = send([[1, 50]], [pinned, frozen, own]);
    expect(result.skipped.map(({ why }) => why)).toEqual(['pinned', 'frozen', 'mdsdir']);
    expect(result.shipments[0]?.have).toBe(0);
  });

  test('gives idle imports back, if told to', () => {
    const idle = subtree(directory('/idle', 3), { kind: 'directory', from: 1 });
    expect(send([], [idle]).idleReturns).toEqual([]);
    const result = send([], [idle], readMdsOptions(['mds_bal_idle_threshold=5']));
    expect(result.idleReturns.map(({ to }) => to)).toEqual([1]);
  });

  test('does not choose a directory for two ranks', () => {
    const { shipments } = send(
      [
        [1, 40],
        [2, 60],
      ],
      [subtree(root)],
    );
    expect(shipments.map(({ exports }) => names(exports))).toEqual([['/a'], ['/b']]);
  });
});

describe('heartbeats', () => {
  const load = rankLoad(5);

  test('begin at rank 0, are answered, and make ranks decide', () => {
    const first = sendHeartbeat(beatState(0), load, []);
    expect(first.heartbeat).toMatchObject({ from: 0, beat: 1 });
    const heard = receiveHeartbeat(beatState(1), first.heartbeat);
    expect(heard).toMatchObject({ answers: true, ignored: false });
    const answer = sendHeartbeat(heard.state, load, [
      { from: 0, load: [1, 2, 0, 0, 0] },
      { from: 1, load: NO_LOAD },
    ]);
    expect(answer.heartbeat.beat).toBe(1);
    expect([...answer.heartbeat.importMap]).toEqual([[0, 5]]);
    expect(hasAllHeartbeats(answer.state, 2)).toBe(true);
    const back = receiveHeartbeat(first.state, answer.heartbeat);
    expect(back.answers).toBe(false);
    expect(hasAllHeartbeats(back.state, 2)).toBe(true);
    expect(receiveHeartbeat(back.state, { ...answer.heartbeat, beat: 9 }).ignored).toBe(true);
  });

  test('of the next beat make a rank forget the loads of the last, not the imports', () => {
    const { state } = receiveHeartbeat(beatState(1), {
      from: 0,
      beat: 1,
      load,
      importMap: new Map([[1, 2]]),
    });
    const next = receiveHeartbeat(state, { from: 2, beat: 2, load, importMap: new Map() });
    expect([...next.state.loads.keys()]).toEqual([2]);
    expect(next.state.importMaps.get(0)?.get(1)).toBe(2);
    expect(next.state.beat).toBe(2);
  });

  test('come each interval, as long as they may', () => {
    expect(isBeatDue(9.99, 0, 0, OPTIONS)).toBe(false);
    expect(isBeatDue(10, 1e6, 0, OPTIONS)).toBe(true);
    const three = readMdsOptions(['mds_bal_max=3']);
    expect([0, 1, 2, 3].map((beats) => isBeatDue(10, beats, 0, three))).toEqual([true, true, true, false]);
    const until = readMdsOptions(['mds_bal_max=3', 'mds_bal_max_until=100']);
    expect(isBeatDue(10, 3, 101, until)).toBe(true);
    expect(isBeatDue(10, 0, 0, readMdsOptions(['mds_bal_interval=0']))).toBe(false);
  });

  test('sum imports in single precision', () => {
    const loads = [
      { from: 2, load: [0.1, 0, 0, 0, 0] as const },
      { from: 2, load: [0.2, 0, 0, 0, 0] as const },
    ];
    expect(importMapOf(0, loads).get(2)).toBe(Math.fround(Math.fround(0.1) + 0.2));
  });
});

describe('options', () => {
  test('have the names and defaults of Ceph, and are read from text', () => {
    expect(Object.keys(OPTIONS)).toHaveLength(32);
    expect(readMdsOptions([])).toEqual(OPTIONS);
    expect(readMdsOptions(['mds_bal_mode=2', 'mds_bal_export_pin=false'])).toMatchObject({
      mds_bal_mode: 2,
      mds_bal_export_pin: false,
    });
    expect(() => readMdsOptions(['mds_bal_mode=3'])).toThrow('mds_bal_mode is 0 to 2, not 3');
    expect(() => readMdsOptions(['mds_bal_mode'])).toThrow('not of the form name=value');
    expect(() => readMdsOptions(['mds_bal_interval=1.5'])).toThrow('is a whole number');
    expect(() => readMdsOptions(['mds_bal_midchunk='])).toThrow('is a number');
    expect(() => readMdsOptions(['mds_decay_halflife=0'])).toThrow('is above 0');
    expect(() => readMdsOptions(['mds_bal_export_pin=maybe'])).toThrow('is true or false');
    expect(() => readMdsOptions(['mds_bal_unknown=1'])).toThrow('is no option of the balancer');
  });
});
