/**
 * What the osdmaptool drop-in makes, changes, shows and writes: files byte for byte and output character for character
 * as the original's where that is installed.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { writeOsdMapBinary } from '../src/formats/osdmap-encode.ts';
import { OSD_STATE, type OsdMap, type PoolDetails } from '../src/osdmap/model.ts';
import { CORPUS, corpus, fixture, FIXTURES } from './fixtures.ts';
import { HAS_PACIFIC_OSDMAPTOOL } from './osdmaptool.ts';
import { Random } from './random.ts';
import { expectSame, run, runTool } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();
const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.CRUSH_FUZZ_UPMAPS ?? 10);

const CLUSTER = join(FIXTURES, 'cluster-8osd/osdmap');
const SIMPLE = join(FIXTURES, 'simple3.osdmap');
const SHRUNK = join(FIXTURES, 'cluster-10osd/d.osdmap');
const MAPS = [CLUSTER, SIMPLE, SHRUNK];

/** Where created and modified stand in a map. */
const TIMES = { from: 32, to: 48 };

const readMap = (path: string): OsdMap => readOsdMapBinary(new Uint8Array(readFileSync(path)));

/** Text and files after a command, times of the moment left out. */
function withoutTimes(text: string): string {
  return text
    .replace(/^(created|modified) 20.*$/gm, '$1')
    .replace(/"(created|modified)":( ?)"20[^"]*"/g, '"$1":$2""');
}

/**
 * Runs a command as the original does and as we do, each in a folder of its own that `@` stands for, and expects the
 * same outcome and the same files.
 */
async function expectSameFiles(
  args: readonly string[],
  files: readonly string[],
  start?: string,
): Promise<void> {
  const outcomes: unknown[] = [];
  for (const side of ['real', 'ours']) {
    const folder = join(dirname(file('x', '')), side);
    mkdirSync(folder, { recursive: true });
    if (start !== undefined) copyFileSync(start, join(folder, 'map'));
    const ownArgs = args.map((arg) => arg.replace('@', `${folder}/`));
    const outcome =
      side === 'real'
        ? runTool('osdmaptool', ownArgs)
        : await run(['osdmaptool', ...ownArgs, '--as-release', '16']);
    const plain = (text: string): string => withoutTimes(text).replaceAll(folder, 'FOLDER');
    outcomes.push({
      args,
      status: outcome.status,
      stdout: plain(outcome.stdout),
      stderr: plain(outcome.stderr),
      files: files.map((name) => contentOf(join(folder, name))),
    });
  }
  expect(outcomes[1]).toEqual(outcomes[0]);
}

/** A file without the times of a map, and the checksum over them. */
function contentOf(path: string): Uint8Array | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = new Uint8Array(readFileSync(path));
  const isNewMap = bytes[0] === 8 && bytes[1] === 7;
  if (!isNewMap) return bytes;
  bytes.fill(0, TIMES.from, TIMES.to);
  bytes.fill(0, bytes.length - 4);
  return bytes;
}

describe('without the original', () => {
  test('--createsimple', async () => {
    const path = join(dirname(file('x', '')), 'new');
    const args = ['osdmaptool', '--createsimple', '4', path, '--with-default-pool', '--pg-bits', '3'];
    expect(await run(args)).toEqual({
      status: 0,
      stdout: `osdmaptool: writing epoch 1 to ${path}\n`,
      stderr: `osdmaptool: osdmap file '${path}'\n`,
    });
    const map = readMap(path);
    expect([map.epoch, map.maxOsd, [...map.osdState]]).toEqual([1, 4, [0, 0, 0, 0]]);
    expect(map.pools.get(1)).toMatchObject({ name: 'rbd', size: 3, minSize: 2, pgNum: 32, pgpNum: 32 });
    expect([...map.crush.itemNames.values()].sort()).toEqual(
      ['default', 'localhost', 'localrack', 'osd.0', 'osd.1', 'osd.2', 'osd.3'].sort(),
    );
    expect(await run(args)).toMatchObject({
      status: 255,
      stderr: `osdmaptool: osdmap file '${path}'\nosdmaptool: ${path} exists, --clobber to overwrite\n`,
    });
    expect(await run([...args, '--clobber'])).toMatchObject({ status: 0 });
  });

  test('--create-from-conf', async () => {
    const conf = file(
      'ceph.conf',
      '[global]\nosd pool default size = 2 ; two\n[osd]\n# all in one room\nroom = attic\n' +
        '[osd.3]\nhost = "a"\nrack=r\n[osd.1]\n  host = b \\\n\n[osd.x]\nhost = c\n',
    );
    const path = join(dirname(conf), 'of-conf');
    const { status } = await run([
      'osdmaptool',
      '--create-from-conf',
      path,
      '-c',
      conf,
      '--with-default-pool',
    ]);
    expect(status).toBe(0);
    const map = readMap(path);
    expect([map.maxOsd, map.pools.get(1)?.size, map.pools.get(1)?.pgNum]).toEqual([4, 2, 256]);
    expect([...map.crush.itemNames.values()].sort()).toEqual(
      ['a', 'attic', 'b', 'default', 'osd.1', 'osd.3', 'r', 'unknownrack'].sort(),
    );
    expect(
      await run(['osdmaptool', '--create-from-conf', path, '--clobber', '-c', '/nonexistent']),
    ).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("osdmaptool: can't open /nonexistent: (2)") as string,
    });
  });

  test('--export-crush, --import-crush, --adjust-crush-weight --save', async () => {
    const path = file('map', fixture('cluster-8osd/osdmap'));
    const crushFile = `${path}.crush`;
    const before = readMap(path);
    expect((await run(['osdmaptool', path, '--export-crush', crushFile])).status).toBe(0);
    const exported = readCrushBinary(new Uint8Array(readFileSync(crushFile)));
    expect(exported.buckets).toEqual(before.crush.buckets);
    expect(exported.chooseArgs).toEqual(before.crush.chooseArgs);
    const { stdout } = await run(['osdmaptool', path, '--adjust-crush-weight', '0:5,1:0.25', '--save']);
    expect(stdout).toBe(
      'Adjusted osd.0 CRUSH weight to 5\nAdjusted osd.1 CRUSH weight to 0.25\n' +
        `osdmaptool: writing epoch ${before.epoch + 3} to ${path}\n`,
    );
    expect(readMap(path).crush).not.toEqual(before.crush);
    expect((await run(['osdmaptool', path, '--import-crush', crushFile])).status).toBe(0);
    const after = readMap(path);
    expect(after.crush.buckets).toEqual(before.crush.buckets);
    expect([after.epoch, after.crushVersion]).toEqual([before.epoch + 5, before.crushVersion + 1]);
  });

  test('--osd-crush-chooseleaf-type that is no type', async () => {
    const path = join(dirname(file('x', '')), 'typed');
    for (const type of ['12', '-1']) {
      const args = ['--createsimple', '3', path, `--osd-crush-chooseleaf-type=${type}`];
      expect(await run(['osdmaptool', ...args])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(
          `osd_crush_chooseleaf_type ${type} is no type; give one of 0 to 11`,
        ) as string,
      });
    }
  });

  test('what is no OSD, no weight, or not in the CRUSH map', async () => {
    for (const [value, complaint] of [
      ['x:1', "osdmaptool: 'x:1' is not the number of an OSD and a weight\n"],
      ['1:', "osdmaptool: '1:' is not the number of an OSD and a weight\n"],
      ['77:1', 'osdmaptool: osd.77 is not in the crush map\n'],
      ['1:40000', 'crush-wasm: '],
      ['1:-1', 'crush-wasm: '],
    ] as const) {
      const { status, stderr } = await run(['osdmaptool', CLUSTER, '--adjust-crush-weight', value]);
      expect([value, status]).toEqual([value, 1]);
      expect(stderr).toContain(complaint);
    }
  });

  test('--clean-temps takes away what is of no use, and what follows sees it', async () => {
    const map = readMap(CLUSTER);
    const pool = [...map.pools.values()].find(({ name }) => name === 'rep')!;
    const pgTemp = new Map([
      [
        pool.id,
        new Map<number, number[]>([
          [1, [0, 4, 7, 5]],
          [2, [1, 5, 3]],
          [pool.pgNum, [1, 2, 3]],
        ]),
      ],
      [99, new Map([[0, [1]]])],
    ]);
    const primaryTemp = new Map([[99, new Map([[0, 1]])]]);
    const osdState = map.osdState.map((state) => state | OSD_STATE.exists | OSD_STATE.up);
    const path = file('temps', writeOsdMapBinary({ ...map, osdState, pgTemp, primaryTemp }));
    const { stdout } = await run(['osdmaptool', path, '--clean-temps', '--print', '--as-release', '16']);
    expect(stdout).toMatch(/^cleaning pg temps\n/);
    expect(stdout.match(/^(pg|primary)_temp .*$/gm)).toEqual([`pg_temp ${pool.id}.2 [1,5,3]`]);
  });

  test('--range-first and --range-last do to each map what is asked', async () => {
    const folder = dirname(file('1', fixture('simple3.osdmap')));
    file('2', fixture('cluster-8osd/osdmap'));
    const range = ['--range-first', '1', '--range-last', '2'];
    const sizes = [SIMPLE, CLUSTER].map((path) => readFileSync(path).length);
    const loaded = [1, 2].map((epoch, i) => `${folder}/${epoch} got ${sizes[i]} bytes\n`);
    expect(await run(['osdmaptool', folder, ...range])).toEqual({
      status: 0,
      stdout: loaded.join(''),
      stderr: '',
    });
    const { stdout } = await run(['osdmaptool', folder, ...range, '--test-map-pg', '1.0']);
    expect(stdout.split('\n').filter((line) => line.includes(' got '))).toHaveLength(2);
    expect(stdout.match(/ parsed '1\.0' -> 1\.0/g)).toHaveLength(2);
    expect(await run(['osdmaptool', folder, '--range-first', '2', '--range-last', '3'])).toMatchObject({
      status: 1,
      stderr: `unable to read ${folder}/3: (2) No such file or directory\n`,
    });
  });

  test('--test-random counts as many as are wanted', async () => {
    const { stdout } = await run(['osdmaptool', CLUSTER, '--test-map-pgs', '--test-random', '--pool', '3']);
    const counts = [...stdout.matchAll(/^osd\.\d+\t(\d+)/gm)].map(([, count]) => Number(count));
    const { pgNum, size } = readMap(CLUSTER).pools.get(3)!;
    expect(stdout).toContain(`size ${size}\t${pgNum}\n`);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(pgNum * size);
  });

  test('blocked endpoints are in the order of a C++ hash table', async () => {
    const path = epochs().at(-1)!;
    const { stdout } = await run(['osdmaptool', path, '--print', '--as-release', '16']);
    expect(stdout.match(/^blocklist \S+/gm)).toEqual(['blocklist [fe80::1]:0/79', 'blocklist 10.1.2.4:0/78']);
  });

  test('OSDs that all have a release which is not required', async () => {
    const map = readMap(CLUSTER);
    const write = (requireOsdRelease: number): string =>
      file('required', writeOsdMapBinary({ ...map, details: { ...map.details, requireOsdRelease } }));
    const text = 'all OSDs are running pacific or later but require_osd_release < pacific';
    for (const release of ['16', '20']) {
      const args = ['--health', '--as-release', release];
      expect((await run(['osdmaptool', write(16), ...args])).stdout).not.toContain('OSD_UPGRADE_FINISHED');
      expect((await run(['osdmaptool', write(15), ...args])).stdout).toContain(text);
    }
  });

  test('newer releases show what they know', async () => {
    const { stdout } = await run(['osdmaptool', CLUSTER, '--dump', 'json']);
    const dump = JSON.parse(stdout) as { pools: { pool_name: string; read_balance?: unknown }[] };
    expect(dump).toMatchObject({ allow_crimson: false, pg_upmap_primaries: [] });
    const rep = dump.pools.find(({ pool_name: name }) => name === 'rep');
    expect(rep).toMatchObject({ is_stretch_pool: false, nonprimary_shards: '{}' });
    const balance = rep?.read_balance as Record<string, number>;
    expect(Object.keys(balance)).toEqual([
      'score_acting',
      'score_stable',
      'optimal_score',
      'raw_score_acting',
      'raw_score_stable',
      'primary_affinity_weighted',
      'average_primary_affinity',
      'average_primary_affinity_weighted',
    ]);
    // As 32-bit floats are printed: all their digits.
    expect(balance.score_stable).toBe(Math.fround(balance.score_stable!));
    const printed = await run(['osdmaptool', CLUSTER, '--print']);
    expect(printed.stdout).toContain(` read_balance_score ${balance.score_acting!.toFixed(2)}\n`);
    const help = await run(['osdmaptool', '--help']);
    expect(help.status).toBe(1);
    expect(help.stdout).toContain('   --vstart ');
    expect((await run(['osdmaptool', '--help', '--as-release', '16'])).stdout).not.toContain('--vstart');
  });
});

describe.skipIf(!HAS_PACIFIC_OSDMAPTOOL)('as osdmaptool 16.2, files and all', () => {
  test.each([
    [['--createsimple', '3', '@a'], ['a']],
    [['--createsimple', '12', '@b', '--clobber', '--with-default-pool', '--print'], ['b']],
    [
      [
        '--createsimple=12',
        '@c',
        '--with-default-pool',
        '--pg-bits',
        '3',
        '--pgp_bits',
        '5',
        '--dump',
        'json',
      ],
      ['c'],
    ],
    [['--createsimple', '9', '@d', '--osd_pool_default_size', '2', '--with-default-pool'], ['d']],
    [['--createsimple', '9', '@e', '--osd_pool_default_size', 'z', '--with-default-pool'], ['e']],
    [['--createsimple', '9', '@f', '--osd-pool-default-size=11', '--with-default-pool'], ['f']],
    [
      [
        '--createsimple',
        '5',
        '@g',
        '--osd-crush-chooseleaf-type',
        '0',
        '--with-default-pool',
        '--mark-up-in',
      ],
      ['g'],
    ],
    ...['+2', '3M', '', '-1', '2k', '9'.repeat(30)].map((size): [string[], string[]] => [
      ['--createsimple', '3', '@g', '--with-default-pool', `--osd_pool_default_size=${size}`],
      ['g'],
    ]),
    // After a setting that is wrong no other is taken.
    [['--createsimple', '3', '@h', '--osd_pool_default_size=x', '--osd_pool_default_size=2'], ['h']],
    [['--createsimple', '3', '@h', '--clobber', '--test-random', '--test-map-pgs'], ['h']],
    [['--createsimple', '0', '@h'], ['h']],
    [['--createsimple', 'x', '@h'], ['h']],
    [['--createsimple'], []],
    [['--createsimple', '2', '/nonexistent/x'], []],
    [['--createsimple', '2', '/tmp'], []],
    [['--createsimple', '2', '/tmp', '--clobber'], []],
    [['--clobber', '@i', '--print'], ['i']],
    [['--clobber', '@i', '--test-map-pgs', '--health', '--tree=plain'], ['i']],
    [['--create-from-conf', '@j', '--print', '--tree=json'], ['j']],
    [['--help'], []],
  ])('%j', async (args, files) => {
    await expectSameFiles(args, files);
  });

  test('--create-from-conf with racks', async () => {
    const sections = Array.from(
      { length: 40 },
      (_, i) => `[osd.${(i * 7) % 45}]\n\thost = host${i % 9}\n\track = rack-${i % 3}\n`,
    );
    const conf = file('racks.conf', `[osd]\nkeyring = x\n${sections.join('')}`);
    await expectSameFiles(['--create-from-conf', '@k', '-c', conf, '--with-default-pool', '--print'], ['k']);
  });

  test.each([
    [
      ['--export-crush', '@crush'],
      ['crush', 'map'],
    ],
    [['--import-crush', '@crush'], ['map']],
    [['--import-crush', '@crush', '--print', '--test-map-pgs-dump-all'], ['map']],
    [['--adjust-crush-weight', '0:5'], ['map']],
    [['--adjust-crush-weight', '0:5,1:0.25,2:3', '--save'], ['map']],
    [
      ['--adjust-crush-weight', '1:2.5', '--save', '--mark-out', '1', '--mark-up', '2', '--clear-temp'],
      ['map'],
    ],
    [['--adjust-crush-weight', '0:1e-3', '--save', '--mark-up-in', '--tree=plain', '--print'], ['map']],
    [['--adjust-crush-weight'], ['map']],
    [['--save'], ['map']],
    [
      ['--upmap-cleanup', '@up'],
      ['up', 'map'],
    ],
    [
      ['--upmap-cleanup', '@up', '--mark-out', '1', '--print'],
      ['up', 'map'],
    ],
    [['--upmap-cleanup', '-', '--mark-out', '3'], ['map']],
    [['--upmap-cleanup', '/nonexistent/x'], ['map']],
    [['--import-crush', '/nonexistent/x'], ['map']],
    [['--import-crush', join(FIXTURES, 'crushmaps/s.crushmap')], ['map']],
  ])('a map and %j', async (args, files) => {
    for (const map of MAPS) await expectSameFiles(['@map', ...args], files, map);
  });

  test.each([
    [['--dump', 'json']],
    [['--dump=json-pretty']],
    [['--dump', 'xml']],
    [['--dump=foo']],
    [['--dump=plain']],
    [['--dump']],
    [['--tree=json-pretty']],
    [['--tree', 'plain']],
    [['--tree=xml']],
    [['--tree']],
    [['--health']],
    [['--tree=plain', '--print', '--health', '--mark-out', '2', '--mark-up-in']],
  ])('%j', async (args) => {
    for (const map of [...MAPS, ...epochs()]) await expectSame('osdmaptool', [map, ...args]);
  });

  test('--health of maps with every complaint', async () => {
    const map = readMap(CLUSTER);
    const [first, ...others] = [...map.pools.values()];
    const flagsOf = (flags: bigint, details: Partial<PoolDetails>) => ({
      ...first!,
      flags,
      size: 1,
      details: { ...first!.details, ...details },
    });
    const changed = [
      { ...map, flags: 0x7fff | (1 << 21) },
      { ...map, osdState: map.osdState.map((state, osd) => state | [16, 32, 64, 128, 2048, 512][osd % 6]!) },
      { ...map, osdState: map.osdState.map((state, osd) => (osd < 4 ? state & ~2 : state)) },
      { ...map, osdState: map.osdState.map((state, osd) => (osd % 3 === 0 ? 0 : state & ~2)) },
      { ...map, details: { ...map.details, nearfullRatio: 0.98, backfillfullRatio: 0.95, fullRatio: 0.9 } },
      {
        ...map,
        details: {
          ...map.details,
          requireOsdRelease: 15,
          crushNodeFlags: new Map([[map.crush.buckets[0]!.id, 256]]),
          deviceClassFlags: new Map([[0, 2048]]),
          stretchModeEnabled: true,
          stretchBucketCount: 2,
          degradedStretchMode: 1,
        },
      },
      ...[2n, 2n | 1024n, 4096n, 2048n, 256n | 512n, 256n].map((flags) => ({
        ...map,
        pools: new Map([flagsOf(flags, { cacheMode: 1 }), ...others].map((pool) => [pool.id, pool])),
      })),
      {
        ...map,
        crush: {
          ...map.crush,
          tunables: { ...map.crush.tunables, chooseleafStable: 0, strawCalcVersion: 0 },
        },
      },
    ];
    for (const each of changed) {
      const path = file('unwell', writeOsdMapBinary(each));
      await expectSame('osdmaptool', [path, '--health', '--dump', 'json', '--tree=plain']);
    }
  });

  test(`blocked endpoints by chance, CRUSH_FUZZ_SEED=${SEED}`, async () => {
    const map = readMap(CLUSTER);
    for (const count of [2, 13, 14, 29, 30, 100, 700]) {
      const random = new Random(SEED + count);
      const blocklist = Array.from({ length: count }, (_, i) => {
        const family = random.pick([2, 10]);
        const address = new Uint8Array(family === 2 ? 4 : 16).map(() => random.below(256));
        const type = random.pick([1, 2, 3]);
        const addr = { type, nonce: random.word(), family, port: random.below(65536), address };
        return [addr, { sec: 1_700_000_000 + i, nsec: 0 }] as const;
      });
      const path = file('blocked', writeOsdMapBinary({ ...map, details: { ...map.details, blocklist } }));
      await expectSame('osdmaptool', [path, '--print', '--dump=plain']);
    }
  });

  test(`--upmap-cleanup of upmaps by chance, CRUSH_FUZZ_SEED=${SEED}`, async () => {
    const maps = MAPS.map(readMap);
    let commands = 0;
    for (let seed = SEED; seed < SEED + RUNS; seed++) {
      const path = file(
        'upmaps',
        writeOsdMapBinary(withRandomUpmaps(new Random(seed), maps), { release: 16 }),
      );
      const args = [path, '--upmap-cleanup', '-'];
      // On standard error the original logs, with the time.
      const { status, stdout } = runTool('osdmaptool', args);
      const ours = await run(['osdmaptool', ...args, '--as-release', '16']);
      expect([ours.status, ours.stdout], `CRUSH_FUZZ_SEED=${seed}`).toEqual([status, stdout]);
      commands += stdout.split('\n').length;
    }
    expect(commands).toBeGreaterThan(RUNS * 10);
  });
});

describe.skipIf(CORPUS === undefined || !HAS_PACIFIC_OSDMAPTOOL)('the corpus as osdmaptool 16.2', () => {
  const releases = CORPUS === undefined ? [] : readdirSync(corpus('osdmap-corpus'));
  test.each(releases.filter((release) => !release.startsWith('20')))('%s', async (release) => {
    const folder = corpus('osdmap-corpus', release);
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.osdmap'))) {
      for (const args of [['--dump', 'json-pretty'], ['--tree=json-pretty', '--tree=plain'], ['--health']]) {
        await expectSame('osdmaptool', [join(folder, name), ...args]);
      }
      const edits = ['--mark-up-in', '--mark-out', '0', '--adjust-crush-weight', '0:2.5', '--save'];
      const hasOsds = readMap(join(folder, name)).crush.itemNames.has(0);
      if (hasOsds) await expectSameFiles(['@map', ...edits], ['map'], join(folder, name));
      await expectSameFiles(['@map', '--export-crush', '@crush'], ['map', 'crush'], join(folder, name));
    }
  });
});

/** Files of some epochs of a cluster. */
function epochs(): string[] {
  const bytes = gunzipSync(fixture('incrementals/full-maps.bin.gz'));
  const wanted = [13, 47, 54, 61, 97, 113];
  const paths: string[] = [];
  for (let at = 0, epoch = 1; at < bytes.length; epoch++) {
    const end = at + 4 + bytes.readUInt32LE(at);
    if (wanted.includes(epoch)) paths.push(file(`epoch${epoch}`, bytes.subarray(at + 4, end)));
    at = end;
  }
  return paths;
}

function withRandomUpmaps(random: Random, maps: readonly OsdMap[]): OsdMap {
  const map = random.pick(maps);
  const osd = () => (random.chance(0.03) ? 0x7fffffff : random.below(map.maxOsd));
  const wholes = new Map<number, Map<number, number[]>>();
  const items = new Map<number, Map<number, [number, number][]>>();
  for (const { id, pgNum, size } of map.pools.values()) {
    const ownWholes = new Map<number, number[]>();
    const ownItems = new Map<number, [number, number][]>();
    for (let ps = 0; ps < pgNum + 2; ps++) {
      const length = random.chance(0.9) ? size : random.between(1, 5);
      if (random.chance(0.15)) ownWholes.set(ps, Array.from({ length }, osd));
      if (random.chance(0.4)) {
        ownItems.set(
          ps,
          Array.from({ length: random.between(1, 3) }, (): [number, number] => [osd(), osd()]),
        );
      }
    }
    if (ownWholes.size > 0) wholes.set(id, ownWholes);
    if (ownItems.size > 0) items.set(id, ownItems);
  }
  const osdWeight = map.osdWeight.map((weight) => (random.chance(0.15) ? 0 : weight));
  return { ...map, osdWeight, pgUpmap: wholes, pgUpmapItems: items };
}
