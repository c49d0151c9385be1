/** Reading what metadata servers print, with what a shell saves beside it. */
import { describe, expect, test } from 'vitest';
import { CrushError } from '../src/errors.ts';
import { readMdsJson } from '../src/formats/mds-json.ts';
import { Random } from './random.ts';
import { encodeFragment, fragmentName, fragmentTitle, rankOfMdsdir } from '../src/mds/reports.ts';

const counter = (value: number): string => `{"value": ${value}, "halflife": 5}`;
const counters = (values: readonly number[], read = counter): string =>
  `{"Decay Counters": [${values.map(read).join(', ')}]}`;
const popularity = (values: readonly number[]): string =>
  ['pop_me', 'pop_nested', 'pop_auth_subtree', 'pop_auth_subtree_nested']
    .map((name) => `"${name}": ${counters(values)}`)
    .join(',\n');
/** As 16.2.15 prints it: heartbeats have no half-life, which comes out as -inf. */
const endless = (value: number): string => `{"value": ${value}, "halflife": -inf}`;
const heartbeat = `{"request_rate": 12.5, "cache_hit_rate": 0.9, "queue_length": 0, "cpu_load": 3,
  "mds_load": 99, "auth_dirfrags": ${counters([1, 2, 3, 4, 5], endless)}, "all_dirfrags": ${counters([5, 4, 3, 2, 1], endless)}}`;
const LOADS = `{
    "dirfrags": [
        {"path": "", "dirfrag": "0x1", ${popularity([0, 1.5, 0, 0, 0])}},
        {"path": "/-inf nan", "dirfrag": "0x10000000000.01*", ${popularity([0, 1, 0, 0, 0])}}
    ],
    "mds_load": {"mds.0": ${heartbeat}},
    "mds_meta_load": {"mds.0": 7.5, "mds.10": 3, "mds.9": nan},
    "mds_import_map": {"mds.0": [], "mds.1": [{"mds.0": 7281.5}]}
}`;
const SUBTREES = `[{"is_auth": true, "auth_first": 1, "auth_second": -2, "export_pin": 1,
  "distributed_ephemeral_pin": false, "random_ephemeral_pin": true, "export_pin_target": 1,
  "dir": {"path": "/a", "dirfrag": "0x10000000004", "is_auth": true, "is_rep": false, "is_frozen": false, "is_freezing": true}}]`;
const FS_DUMP = `{"filesystems": [{"id": 1, "mdsmap": {"fs_name": "cfs", "max_mds": 2, "in": [1, 0], "balancer": "",
  "info": {"gid_4": {"name": "m1", "rank": 0}, "gid_5": {"name": "m0", "rank": 1}}}}]}`;
const TREE = `[{"ino": 1099511627782, "export_pin": 2, "export_ephemeral_random_pin": 0.5,
  "export_ephemeral_distributed_pin": true, "dirfrags": [{"path": "/b", "dirfrag": "0x10000000006", "is_auth": true,
  "is_rep": true, "is_frozen": false, "is_freezing": false}]}]`;

function failure(text: string): string {
  try {
    readMdsJson(text);
  } catch (error) {
    if (error instanceof CrushError) return `${error.code}: ${error.describe()}`;
    throw error;
  }
  return 'read';
}

describe('readMdsJson', () => {
  test("reads 'dump loads', whatever JSON has no numbers for", () => {
    const read = readMdsJson(LOADS);
    if (read.kind !== 'loads') throw new Error(read.kind);
    const { fragments, loads, metaLoads, importMaps, halflife } = read.loads;
    expect(fragments.map(({ path, ino, fragment }) => [path, ino, fragment])).toEqual([
      ['', 1n, 0],
      ['/-inf nan', 0x10000000000n, 0x02400000],
    ]);
    expect(fragments[0]?.popAuthSubtree).toEqual([0, 1.5, 0, 0, 0]);
    expect(loads.get(0)).toEqual({
      auth: [1, 2, 3, 4, 5],
      all: [5, 4, 3, 2, 1],
      requestRate: 12.5,
      cacheHitRate: 0.9,
      queueLength: 0,
      cpuLoad: 3,
    });
    expect([...metaLoads]).toEqual([
      [0, 7.5],
      [9, 0],
      [10, 3],
    ]);
    expect(importMaps.get(1)?.get(0)).toBe(7281.5);
    expect(halflife).toBe(5);
  });

  test("reads 'get subtrees', 'dump tree' and 'fs dump'", () => {
    expect(readMdsJson(SUBTREES)).toEqual({
      kind: 'subtrees',
      subtrees: [
        {
          path: '/a',
          ino: 0x10000000004n,
          fragment: 0,
          isAuth: true,
          isReplicated: false,
          isFrozen: true,
          authority: 1,
          isMoving: false,
          pin: 1,
          isDistributed: false,
          isRandomlyPinned: true,
          pinTarget: 1,
        },
      ],
    });
    expect(readMdsJson(FS_DUMP)).toMatchObject({
      kind: 'fs-dump',
      fileSystems: [
        { id: 1, name: 'cfs', maxMds: 2, ranks: [0, 1], rankMask: undefined, isBalanced: undefined },
      ],
    });
    expect(readMdsJson(TREE)).toMatchObject({
      kind: 'tree',
      directories: [
        {
          ino: 1099511627782n,
          pin: 2,
          isDistributed: true,
          random: 0.5,
          fragments: [{ isReplicated: true }],
        },
      ],
    });
    expect(readMdsJson('[]')).toEqual({ kind: 'tree', directories: [] });
  });

  test('finds the document among other lines', () => {
    const warning =
      '2026-11-30T05:35:55.1+0000 7f02 -1 AdminSocket: failed {13} Permission denied [a]\n[errno 2] lost\n';
    expect(readMdsJson(`${warning}\n${SUBTREES}\n`).kind).toBe('subtrees');
    expect(readMdsJson(`${FS_DUMP}\ndumped fsmap epoch 5\n`).kind).toBe('fs-dump');
    expect(readMdsJson(`\ufeff${LOADS}\ndone\n`).kind).toBe('loads');
  });

  test('says what is wrong', () => {
    expect(failure('')).toBe('malformed: there is no JSON object or array; save the output of the command');
    expect(failure('Error ENOENT: mds.7 not found\n')).toContain('there is no JSON object or array');
    expect(failure(LOADS.slice(0, 500))).toMatch(/^malformed: not valid JSON: .*; was the output cut off\?$/);
    expect(failure('{"a": 1}')).toContain(
      "unknown-kind: this JSON is of none of 'ceph tell mds.N dump loads'",
    );
    expect(failure('[1]')).toContain('unknown-kind');
    expect(failure(LOADS.replace('"value": 1.5', '"value": "x"'))).toContain(
      'malformed: dump loads.dirfrags[0].pop_me["Decay Counters"][1].value',
    );
    expect(failure(LOADS.replace('0x10000000000.01*', '0x10000000000.012*'))).toContain(
      'a fragment is an inode number',
    );
    expect(failure(LOADS.replace('"mds.10"', '"osd.10"'))).toContain("'osd.10' is no rank such as mds.0");
    expect(failure(LOADS.replace('"value": 1.5', '"value": -1.5'))).toContain('a load is never below 0');
    expect(failure(LOADS.replace('"value": 1.5', '"value": 1e999'))).toContain('a load is below 1e15');
    expect(failure(LOADS.replace('"mds.10"', '"mds.256"'))).toContain("'mds.256' is no rank such as mds.0");
    expect(failure(SUBTREES.replace('"path": "/a"', `"path": "${'/a'.repeat(1001)}"`))).toContain(
      'get subtrees[0].dir.path: a directory lies in at most 1000 others',
    );
    expect(failure(LOADS.replace('"path": "/-inf nan"', `"path": "${'/a'.repeat(1000)}"`))).toBe('read');
    expect(failure(SUBTREES.replace('"auth_first": 1,', '"auth_first": null,'))).toContain(
      'get subtrees[0].auth_first',
    );
    expect(failure(FS_DUMP.replace('"max_mds": 2', '"max_mds": 0'))).toContain(
      'fs dump.filesystems[0].mdsmap.max_mds',
    );
  });
});

describe('damaged documents', () => {
  const seed = Number(process.env.CRUSH_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 32));
  const count = Number(process.env.CRUSH_FUZZ_MDS ?? 2000);

  test(`are read or refused, never more (seed ${seed})`, () => {
    const random = new Random(seed);
    for (let round = 0; round < count; round++) {
      let text = random.pick([LOADS, SUBTREES, FS_DUMP, TREE]);
      for (let change = random.between(1, 3); change > 0; change--) {
        const at = random.below(text.length);
        const insert = random.pick([
          '',
          '0',
          '-1',
          '1e400',
          '"',
          '{',
          ']',
          'null',
          ',',
          ':',
          '-inf',
          '\n[',
          '\ud800',
        ]);
        text = text.slice(0, at) + insert + text.slice(at + random.below(4));
      }
      expect(typeof failure(text)).toBe('string');
    }
  });
});

describe('fragments', () => {
  test('have names of their leading bits', () => {
    expect(encodeFragment('*')).toBe(0);
    expect(encodeFragment('1*')).toBe(0x01800000);
    expect(encodeFragment('000*')).toBe(0x03000000);
    expect(encodeFragment('01')).toBeUndefined();
    for (const name of ['*', '0*', '1*', '0110*', `${'10'.repeat(12)}*`]) {
      expect(fragmentName(encodeFragment(name) ?? -1)).toBe(name);
    }
    expect(fragmentTitle('', 0)).toBe('/');
    expect(fragmentTitle('/a', 0x02400000)).toBe('/a.01*');
  });

  test("of ranks' own directories are known by number", () => {
    expect([0xffn, 0x100n, 0x103n, 0x1ffn, 0x200n].map(rankOfMdsdir)).toEqual([
      undefined,
      0,
      3,
      255,
      undefined,
    ]);
  });
});
