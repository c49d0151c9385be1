/**
 * Maps built by the drop-in and by crushtool: the same bytes, words and exit status.
 *
 * CRUSH_BUILD_SHAPES sets how many random shapes (default 25), CRUSH_BUILD_SEED the first seed, which is printed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findItem } from '../src/crush/names.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { HAS_PACIFIC_CRUSHTOOL } from './crushtool.ts';
import { Random } from './random.ts';
import { run, runTool } from './run-cli.ts';

const SHAPES = Number(process.env.CRUSH_BUILD_SHAPES ?? 25);
const FIRST_SEED = Number(process.env.CRUSH_BUILD_SEED ?? 1);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crush-wasm-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const build = (layers: string, file: string): string[] => [
  '--build',
  '--num-osds',
  ...layers.split(' '),
  '-o',
  file,
];

test('a map of hosts below a root', async () => {
  const file = join(folder, 'small');
  const outcome = await run(['crushtool', ...build('5 host straw2 2 root straw2 0', file)]);
  expect(outcome).toEqual({ status: 0, stdout: '', stderr: '' });
  const map = readCrushBinary(new Uint8Array(readFileSync(file)));
  expect(map.buckets[-1 - findItem(map, 'host1')!]).toMatchObject({
    id: -2,
    alg: 5,
    type: 1,
    weight: 0x20000,
    items: Int32Array.of(2, 3),
  });
  expect(map.buckets[-1 - findItem(map, 'root')!]?.weight).toBe(0x50000);
  expect(map.ruleNames.get(0)).toBe('replicated_rule');
  expect(map.buckets).toHaveLength(8);
});

test.each([
  ['no layer', '4', 1, 'crushtool: must specify at least one layer\n'],
  ['an unknown algorithm', '4 host oak 0', 1, "unknown bucket type 'oak'\n"],
  ['no devices', '0 host straw2 0', 1, 'root item host does not exist'],
  [
    'buckets of less than nothing',
    '4 host straw2 -1',
    1,
    'crushtool: layer host cannot have buckets of -1 items\n',
  ],
  ['a full tree', '65 host tree 0', 244, " Couldn't add bucket: (12) Cannot allocate memory\n"],
])('%s', async (_, layers, status, stderr) => {
  expect(await run(['crushtool', ...build(layers, join(folder, 'none'))])).toEqual({
    status,
    stdout: '',
    stderr,
  });
});

test('roots that the rule does not take are told of', async () => {
  const { stderr } = await run([
    'crushtool',
    ...build('8 host straw2 2 rack straw2 2', join(folder, 'racks')),
  ]);
  expect(stderr).toBe(
    'The crush rules will use the root rack0\nand ignore the others.\nThere are 2 roots, they can be\n' +
      'grouped into a single root by appending something like:\n  root straw 0\n\n',
  );
});

describe.skipIf(!HAS_PACIFIC_CRUSHTOOL)('as crushtool builds', () => {
  test.each([
    '12 averyverylongnameforalayer straw2 3 root uniform 0',
    '12 seventeen-letters straw2 3 root straw 0',
    '12 sixteen-letters- straw2 1 r straw 0',
    '4 x~y straw2 0',
    '4 host oak 0',
    '3 osd.0 straw2 2 root straw2 0',
    '4',
  ])('%s', async (layers) => {
    await expectSameBuild(layers);
  });

  test(
    `${SHAPES} random shapes from seed ${FIRST_SEED}`,
    async () => {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SHAPES; seed++)
        await expectSameBuild(randomShape(seed));
    },
    Math.max(20_000, SHAPES * 1000),
  );
});

function randomShape(seed: number): string {
  const random = new Random(seed);
  const names = ['host', 'chassis', 'rack', 'row', 'root'];
  const layers = Array.from({ length: random.between(1, 5) }, (_, level) => {
    const algorithm = random.pick(['uniform', 'list', 'tree', 'straw', 'straw2']);
    return `${names[level]} ${algorithm} ${random.chance(0.2) ? 0 : random.between(1, 9)}`;
  });
  return [random.between(1, 64), ...layers].join(' ');
}

async function expectSameBuild(layers: string): Promise<void> {
  const [theirs, ours] = [join(folder, 'theirs'), join(folder, 'ours')];
  rmSync(theirs, { force: true });
  rmSync(ours, { force: true });
  const real = runTool('crushtool', build(layers, theirs));
  const mine = await run(['crushtool', ...build(layers, ours), '--as-release', '16']);
  const { status, stdout, stderr } = real;
  expect({ layers, ...mine }).toEqual({ layers, status, stdout, stderr });
  expect({ layers, written: existsSync(ours) }).toEqual({ layers, written: existsSync(theirs) });
  if (!existsSync(ours)) return;
  expect({ layers, same: readFileSync(ours).equals(readFileSync(theirs)) }).toEqual({ layers, same: true });
}
