/** The edits of the crushtool drop-in: what is said, and how it ends. Bytes are judged in crush-edit-fuzz.test.ts. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { findItem, itemClassName, itemWeight } from '../src/crush/names.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { HAS_PACIFIC_CRUSHTOOL } from './crushtool.ts';
import { expectSame, run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();
let map = '';
beforeAll(async () => {
  map = file('map', '');
  const layers = ['host', 'straw2', '2', 'rack', 'straw2', '2', 'root', 'straw2', '0'];
  expect((await run(['crushtool', '--build', '--num-osds', '8', ...layers, '-o', map])).status).toBe(0);
});

const DONE = "crushtool successfully built or modified map.  Use '-o <file>' to write it out.\n";

/** Arguments, exit status, standard output, standard error. */
const CASES: readonly (readonly [args: string, status: number, stdout: string, stderr: string])[] = [
  ['--add-item 8 1 osd.8 --loc host host0', 0, DONE, ''],
  ['--add-item 8 1 osd.8', 234, '', 'crushtool (22) Invalid argument\n'],
  ['--add-item 8 1 osd.7 --loc host host0', 239, '', 'crushtool (17) File exists\n'],
  [
    '--add-item 8 40000 osd.8 --loc host host0',
    181,
    '',
    'crushtool (75) Value too large for defined data type\n',
  ],
  ['--update-item 0 2 osd.0 --loc host host3', 0, DONE, ''],
  ['--reweight-item osd.3 0.25', 0, `crushtool reweighting item osd.3 to 0.25\n${DONE}`, ''],
  [
    '--reweight-item osd.9 1',
    254,
    'crushtool reweighting item osd.9 to 1\n',
    ' name osd.9 dne\ncrushtool (2) No such file or directory\n',
  ],
  ['--remove-item osd.3', 0, `crushtool removing item osd.3\n${DONE}`, ''],
  ['--remove-item host1', 217, 'crushtool removing item host1\n', 'crushtool (39) Directory not empty\n'],
  ['--add-bucket host9 host --loc rack rack1', 0, DONE, ''],
  ['--add-bucket host1 host', 239, '', "crushtool bucket 'host1' already exists\n"],
  ['--add-bucket shelf1 shelf', 234, '', 'crushtool bad bucket type: shelf\n'],
  [
    '--add-bucket rack9 rack --loc host rack1',
    234,
    '',
    "crushtool error moving bucket 'rack9' to {host=rack1}\n",
  ],
  ['--move host0 --loc rack rack1', 0, DONE, ''],
  ['--move host0 --loc rack rack0', 1, '', "crushtool item 'host0' already at {rack=rack0}\n"],
  ['--move host0', 234, '', 'crushtool expecting additional --loc argument to --move\n'],
  ['--move host7 --loc rack rack0', 254, '', "crushtool item 'host7' does not exist\n"],
  ['--move root --loc host host0', 216, '', ''],
  [
    '--create-simple-rule r root host firstn',
    0,
    `--create-simple-rule: name=r root=root type=host mode=firstn\n${DONE}`,
    '',
  ],
  [
    '--create-replicated-rule r root host --device-class ssd',
    1,
    '--create-replicated-rule: name=r root=root type=host\n',
    'device class ssd does not exist\n',
  ],
  [
    '--create-simple-rule r nowhere host firstn',
    1,
    '--create-simple-rule: name=r root=nowhere type=host mode=firstn\n',
    'root item nowhere does not exist\n',
  ],
  [
    '--create-simple-rule replicated_rule root host firstn',
    1,
    '--create-simple-rule: name=replicated_rule root=root type=host mode=firstn\n',
    'rule replicated_rule already exists\n',
  ],
  ['--remove-rule replicated_rule', 0, DONE, ''],
  ['--remove-rule none', 0, '', 'rule none does not exist\n'],
  ['--reweight', 0, DONE, ''],
  ['--rebuild-class-roots', 0, DONE, ''],
  ['--reclassify --set-subtree-class host1 ssd', 0, DONE, ''],
  [
    '--reclassify --reclassify-root nowhere ssd',
    1,
    'root nowhere does not exist\n',
    'failed to reclassify map\n',
  ],
  ['--set-choose-total-tries 100', 0, DONE, ''],
];

test.each(CASES)('%s', async (args, status, stdout, stderr) => {
  expect(await run(['crushtool', '-i', map, ...args.split(' ')])).toEqual({ status, stdout, stderr });
});

describe.skipIf(!HAS_PACIFIC_CRUSHTOOL)('as crushtool says', () => {
  const { CEPH_ARGS } = process.env;
  beforeAll(() => {
    // Keeps its log out of standard error.
    process.env.CEPH_ARGS = '--log-to-stderr=false --err-to-stderr=false';
    return () => {
      if (CEPH_ARGS === undefined) delete process.env.CEPH_ARGS;
      else process.env.CEPH_ARGS = CEPH_ARGS;
    };
  });

  test.each(CASES.map(([args]) => args))('%s', async (args) => {
    await expectSame('crushtool', ['-i', map, ...args.split(' ')]);
  });
});

/**
 * Edits one after the other of the map that `crushtool --build --num-osds 12 host straw2 2 rack straw 2 row list 2
 * root straw2 0` (16.2.15) makes, and the first digits of the SHA-256 of what `crushtool -i MAP EDIT -o MAP` then
 * writes.
 */
const GOLDEN: readonly (readonly [edit: string, hash: string])[] = [
  ['--add-item 12 1.5 osd.12 --loc host host9 --loc rack rack1', '5687c91eb3242f50'],
  ['--rebuild-class-roots --set-subtree-class rack0 ssd', '8b69b74dbc4ab73a'],
  ['--set-subtree-class rack1 hdd --rebuild-class-roots', 'ce79c9514dd3dd79'],
  ['--rebuild-class-roots', 'c62b6a66ed8abdb1'],
  ['--create-simple-rule fast root host firstn --device-class ssd', '01e1ada5005a8827'],
  ['--create-simple-rule ec root osd indep', '7e9f7853e54e8d31'],
  ['--reweight-item osd.3 0.37', '4c2cefe4ee2ff870'],
  ['--add-bucket rack9 rack --loc row row0', 'd0da87e6fba498ce'],
  ['--move host0 --loc rack rack9', '4d74e39f2162c902'],
  ['--update-item 5 2.25 osd.five --loc host host0', '71afe7573ce06f1c'],
  ['--set-straw-calc-version 0', '51e94c9dafd6afed'],
  ['--remove-item osd.1', 'e44531b10c4d1f97'],
  ['--reweight', 'e44531b10c4d1f97'],
  ['--remove-rule ec', '637c9c556ed942b9'],
  ['--reclassify --reclassify-root row1 nvme', '1ae84235b3975777'],
  ['--set-chooseleaf-vary-r 4', '54549316ada36a05'],
];

test('a sequence of edits gives the bytes that crushtool 16.2.15 gave', async () => {
  const edited = file('golden', '');
  const layers = 'host straw2 2 rack straw 2 row list 2 root straw2 0'.split(' ');
  const pacific = ['-o', edited, '--as-release', '16'];
  expect(await run(['crushtool', '--build', '--num-osds', '12', ...layers, ...pacific])).toMatchObject({
    status: 0,
  });
  const hashes: [string, string][] = [];
  for (const [edit] of GOLDEN) {
    expect(await run(['crushtool', '-i', edited, ...edit.split(' '), ...pacific])).toMatchObject({
      status: 0,
    });
    hashes.push([edit, createHash('sha256').update(readFileSync(edited)).digest('hex').slice(0, 16)]);
  }
  expect(hashes).toEqual(GOLDEN);
});

test('several edits at once are done in a fixed order', async () => {
  const edited = file('edited', '');
  const edits =
    '--set-subtree-class rack0 ssd --rebuild-class-roots --add-item 8 3 osd.8 --loc host host9 --loc root root ' +
    '--remove-item osd.7 --reweight-item osd.0 2.5';
  const { stdout } = await run(['crushtool', '-i', map, ...edits.split(' '), '-o', edited]);
  expect(stdout).toBe('crushtool reweighting item osd.0 to 2.5\ncrushtool removing item osd.7\n');
  const result = readCrushBinary(new Uint8Array(readFileSync(edited)));
  expect(itemWeight(result, findItem(result, 'root')!)).toBe(11.5 * 0x10000);
  expect([0, 3, 4, 8].map((osd) => itemClassName(result, osd))).toEqual(['ssd', 'ssd', undefined, undefined]);
  expect(result.itemNames.has(7)).toBe(false);
  // The classes were set after the shadow trees were rebuilt.
  expect(findItem(result, 'root~ssd')).toBeUndefined();
});

test('a map that was compiled just now keeps the weight-sets of all kinds of buckets while it is edited', async () => {
  const source = file(
    'weight-sets.txt',
    'device 0 osd.0\ndevice 1 osd.1\ntype 0 osd\ntype 1 host\ntype 2 root\n' +
      'host a { id -1 alg straw2 item osd.0 weight 1 }\n' +
      'host b { id -2 alg list item osd.1 weight 2 }\n' +
      'root default { id -3 alg straw2 item a item b }\n' +
      'choose_args 0 { { bucket_id -2 weight_set [ [ 5 ] [ 6 ] ] } }\n',
  );
  const edited = file('weight-sets.map', '');
  const edit = ['--reweight-item', 'osd.0', '3', '-o', edited];
  const weightSets = (): unknown => {
    const args = readCrushBinary(new Uint8Array(readFileSync(edited))).chooseArgs.get(0) ?? [];
    return [...args].map(([id, { weightSet = [] }]) => [id, weightSet.map((weights) => [...weights])]);
  };
  expect(await run(['crushtool', '-c', source, ...edit])).toMatchObject({ status: 0, stderr: '' });
  // As crushtool 16.2.15 has it: a list bucket's own is written, but dropped by who reads it.
  expect(weightSets()).toEqual([
    [-1, [[0x30000], [0x30000]]],
    [
      -3,
      [
        [0x30000, 0x50000],
        [0x30000, 0x60000],
      ],
    ],
  ]);
  expect(await run(['crushtool', '-c', source, '-o', edited])).toMatchObject({ status: 0 });
  expect(await run(['crushtool', '-i', edited, ...edit])).toMatchObject({ status: 0 });
  expect(weightSets()).toEqual([]);
});

test.skipIf(!existsSync('/dev/full'))('a full disk is no missing one', async () => {
  // As crushtool 16.2.15 says it.
  expect(await run(['crushtool', '-i', map, '--reweight', '-o', '/dev/full'])).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'bufferlist::write_fd(/dev/full): write_fd error: (28) No space left on device\n' +
      "crushtool: error writing '/dev/full': (28) No space left on device\n",
  });
});
