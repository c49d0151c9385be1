/**
 * `crush-wasm test`: tables, JSON, CSV, the chart, what it says in words, and its exit status.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CrushMap } from '../src/crush/model.ts';
import { writeCrushBinary } from '../src/formats/crushmap-encode.ts';
import { FIXTURES } from './fixtures.ts';
import { HOST, healthyMap, step, withBucket, withSteps } from './healthy-map.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const OSDMAP = join(FIXTURES, 'cluster-8osd/osdmap');
const S = join(FIXTURES, 'crushmaps/s.crushmap');
const file = useTempFolder();

/** A file of a map. */
function fileOf(name: string, map: CrushMap): string {
  return file(name, writeCrushBinary(map));
}

/** With prose on one line again. */
function unwrapped(text: string): string {
  return text.replaceAll(/\n {8,}(?=\S)/g, ' ');
}

describe('test', () => {
  test('of a rule that is well', async () => {
    const { status, stdout, stderr } = await run([
      'test',
      S,
      '--rule',
      'rep',
      '--top',
      '4',
      '--samples',
      '20000',
    ]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`${S}: CRUSH map, 1 note

rule 0 'rep' (replicated), size 3
  mappings      20,000 (x 0..19999), 60,000 OSDs placed
  bad mappings  none
  retries       0: 113,676  1: 5,319  2: 843  3: 141  4: 15  5: 4  6: 2
  osds          144, off by 5.22 % (chance alone 4.85 %); most osd.33 +12.3 %, least osd.105 -11.4 %
  hosts         12, off by 1.32 % (chance alone 1.22 %); most host3 +2.0 %, least host11 -2.1 %

  OSD      CLASS  WEIGHT  COUNT  EXPECTED  OFF BY   SIGMAS
  osd.33   -      7.277     468  416.7     +12.3 %  2.5
  osd.101  -      7.277     462  416.7     +10.9 %  2.2
  ... 140 between ...
  osd.115  -      7.277     370  416.7     -11.2 %  -2.3
  osd.105  -      7.277     369  416.7     -11.4 %  -2.4

  HOST    WEIGHT  COUNT  EXPECTED  OFF BY  SIGMAS
  host3   87.324   5100  5000.0    +2.0 %  1.6
  host6   87.324   5073  5000.0    +1.5 %  1.2
  ... 8 between ...
  host5   87.324   4906  5000.0    -1.9 %  -1.5
  host11  87.324   4893  5000.0    -2.1 %  -1.7

  fine: every mapping has 3 different OSDs
  fine: OSDs differ from their share by 5.22 %, of which sampling gives 4.85 %:
        counts follow the weights

Problems of the map
  note default-tries: rule 2 (ec_osd), step 1: it tries 51 times; there is
                      enough to choose from, but the rules that Ceph makes for
                      erasure-coded pools have more
    cure: put 'step set_choose_tries 100' before the take in the text form
`);
  });

  test('of an OSDMap, by the rules and sizes of its pools', async () => {
    const { status, stdout: wrapped } = await run(['test', OSDMAP, '--top', '0', '--samples', '5000']);
    expect(status).toBe(3);
    for (const line of wrapped.split('\n').filter((each) => /^ {2}(?:FAULT|hint|fine): |^ {8}/.test(each))) {
      expect(line.length).toBeLessThanOrEqual(80);
    }
    const stdout = unwrapped(wrapped);
    expect(stdout.match(/^rule .*$/gm)).toEqual([
      "rule 0 'replicated_rule' (replicated), size 3, pools fsmeta, fsdata, choose_args default",
      "rule 0 'replicated_rule' (replicated), size 3, pool rep, choose_args 3",
      "rule 1 'hdd' (replicated), size 3, pool odd, choose_args default",
      "rule 2 'ssd' (replicated), size 3, pool odd2, choose_args default",
      "rule 3 'racks' (replicated), size 2, pool two, choose_args default",
      "rule 4 'ec' (erasure), size 4, pool ec, choose_args default",
      "rule 5 'ecosd' (erasure), size 6, pool ecosd, choose_args default",
    ]);
    expect(stdout).toMatch(/ {2}FAULT: .* fewer OSDs than 3, since tries run out: with 204 tries/);
    expect(stdout).toMatch(
      /host1: it has 53 % of the weight, but of 3 OSDs on different hosts it can get one/,
    );

    const one = await run([
      'test',
      OSDMAP,
      '--pool',
      'two',
      '--rule',
      'racks',
      '--size',
      '1',
      '--samples',
      '100',
    ]);
    expect(one.stdout.match(/^rule .*$/gm)).toEqual([
      "rule 3 'racks' (replicated), size 1, pool two, choose_args default",
    ]);
    expect(one.status).toBe(0);
  });

  test('as CSV and JSON', async () => {
    const common = ['test', S, '--rule', '0', '--min-x', '10', '--max-x', '1009'];
    const csv = (await run([...common, '--format', 'csv'])).stdout.trimEnd().split('\n');
    expect(csv[0]).toBe('rule,size,kind,type,id,name,class,weight,count,expected,sigma');
    expect(csv).toHaveLength(1 + 144 + 12 + 1);
    const json = JSON.parse((await run([...common, '--format', 'json'])).stdout) as {
      runs: { levels: { type: string; rows: { name: string; count: number }[] }[] }[];
      problems: unknown[];
    };
    const [only] = json.runs;
    expect(only).toMatchObject({
      rule: 0,
      rule_name: 'rep',
      size: 3,
      first_x: 10,
      mappings: 1000,
      placed: 3000,
      bad: { mappings: 0 },
      sizes: { 3: 1000 },
    });
    expect(json.problems).toMatchObject([
      { code: 'default-tries', severity: 'note', place: { rule: 2, step: 1 } },
    ]);
    const counts = only!.levels[0]!.rows.map(({ name, count }) => `${name} ${count}`);
    expect(
      csv
        .slice(1, 145)
        .map((line) => line.split(','))
        .map((cells) => `${cells[5]} ${cells[8]}`),
    ).toEqual(counts);
    expect(only!.levels.map(({ type }) => type)).toEqual(['osd', 'host', 'root']);
  });

  test('--all shows every row in order', async () => {
    const { stdout } = await run(['test', S, '--rule', '0', '--samples', '1000', '--all']);
    expect([...stdout.matchAll(/^ {2}osd\.(\d+)/gm)].map(([, id]) => Number(id))).toEqual([
      ...Array(144).keys(),
    ]);
    expect(stdout).not.toContain('between');
  });

  test('threads give the same', async () => {
    const args = ['test', S, '--rule', '1', '--samples', '5000', '--format', 'csv'];
    expect((await run([...args, '--threads', '1'])).stdout).toBe((await run(args)).stdout);
  });
});

describe('what it says', () => {
  const words = async (
    name: string,
    map: CrushMap,
    ...args: string[]
  ): Promise<{ status: unknown; text: string }> => {
    const { status, stdout } = await run([
      'test',
      fileOf(name, map),
      '--samples',
      '2000',
      '--top',
      '0',
      ...args,
    ]);
    return { status, text: unwrapped(stdout) };
  };

  test('of too few hosts', async () => {
    const { status, text } = await words('few', healthyMap(2, 3), '--size', '3', '--rule', '0');
    expect(status).toBe(3);
    expect(text).toContain('  bad mappings  2,000 (100 %): 2,000 too short\n');
  });

  test('of blocks that choose the same OSDs', async () => {
    const { take, leafFirstn, emit } = step;
    const steps = [take(-1), leafFirstn(1, HOST), emit, take(-1), leafFirstn(-1, HOST), emit];
    const { status, text } = await words(
      'twice',
      withSteps(healthyMap(), 0, steps),
      '--rule',
      '0',
      '--size',
      '3',
    );
    expect(status).toBe(3);
    expect(text).toMatch(/FAULT: [\d.]+ % of mappings have an OSD twice/);
    expect(text).toContain('error blocks-share-osds');
  });

  test('of tries that run out', async () => {
    const map = healthyMap(4, 1);
    const few = { ...map, tunables: { ...map.tunables, chooseTotalTries: 2 } };
    const { text } = await words('tries', few, '--rule', '0', '--size', '4');
    expect(text).toMatch(
      /fewer OSDs than 4, since tries run out: with 200 tries none would; put 'step set_choose_tries 200'/,
    );
  });

  test('of a map that cannot be mapped from', async () => {
    const { status, text } = await words(
      'ring',
      withBucket(healthyMap(), -3, { items: Int32Array.of(3, 4, -1) }),
    );
    expect(status).toBe(3);
    expect(text).toMatch(/This map cannot be mapped from: .*contains itself/);
    expect(text).toContain('error cycle: bucket -1 (default), item host1');
  });

  test('of weights out of step', async () => {
    const map = withBucket(healthyMap(), -1, {
      itemWeights: Uint32Array.of(9, 3, 3, 3, 3, 3).map((w) => w << 16),
    });
    const { status, text } = await words('weights', map, '--rule', '0', '--size', '1');
    expect(status).toBe(0);
    expect(text).toMatch(/hint: OSDs differ .* it weighs 9\.000 here, but 3\.000 itself/);
  });
});

describe('the chart', () => {
  test('is SVG with a title, a description and every row', async () => {
    const path = file('chart.svg', '');
    const { status } = await run(['test', S, '--rule', 'rep', '--samples', '5000', '--chart', path]);
    expect(status).toBe(0);
    const svg = readFileSync(path, 'utf8');
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 960 \d+" .*role="img" aria-labelledby=/,
    );
    expect(svg).toContain('<title id="title">Distribution of ');
    expect(svg).toMatch(
      /<desc id="description">rule 0 &?.*'rep' \(replicated\), size 3; 144 of type osd off by /,
    );
    expect(svg.match(/<rect class="(?:over|under)"/g)).toHaveLength(144 + 12);
    expect(svg).toMatch(/<rect class="retry".*<title>0 retries: [\d,]+<\/title>/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    for (const [, open] of svg.matchAll(/<(text|rect|svg|desc|style)[ >]/g))
      expect(svg).toMatch(`</${open}>`.replace('</rect>', '/>'));
  });

  test('escapes names, and draws a line for many OSDs', async () => {
    const map = healthyMap(90, 3);
    const named = { ...map, ruleNames: new Map([[0, 'a<b>&"c"']]) };
    const path = file('many.svg', '');
    await run(['test', fileOf('many', named), '--rule', '0', '--samples', '1000', '--chart', path]);
    const svg = readFileSync(path, 'utf8');
    expect(svg).toContain("rule 0 'a&lt;b&gt;&amp;&quot;c&quot;'");
    expect(svg).toContain('<polyline class="line" points="70,');
  });

  test('that cannot be written is an error', async () => {
    const { status, stderr } = await run([
      'test',
      S,
      '--rule',
      '0',
      '--samples',
      '10',
      '--chart',
      '/nonexistent/c.svg',
    ]);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^crush-wasm: \/nonexistent\/c\.svg: cannot be written: .*No such file or directory\n$/,
    );
  });
});

describe('misuse', () => {
  test.each([
    [['--format', 'xml'], /--format is one of table, json, csv/],
    [['--all', '--top', '3'], /--all and --top exclude each other/],
    [['--size', '0'], /--size takes a whole number from 1 to 1000/],
    [['--samples', '5', '--max-x', '9'], /--samples and --max-x exclude each other/],
    [['--min-x', '9', '--max-x', '5'], /--max-x takes a whole number from 9/],
    [['--pool', 'rbd'], /this is a CRUSH map, which has no pools: take --rule/],
    [['--threads', '0'], /--threads takes a whole number/],
  ])('%j', async (args, message) => {
    const { status, stdout, stderr } = await run(['test', S, ...args]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  test('rules and files that are not there', async () => {
    expect(await run(['test', S, '--rule', 'nope'])).toMatchObject({ status: 1, stdout: '' });
    expect(await run(['test', '/nonexistent'])).toMatchObject({ status: 1, stdout: '' });
  });
});

describe('info', () => {
  test('counts the problems', async () => {
    expect((await run(['info', S])).stdout).toContain("\nproblems  1 note ('crush-wasm test' lists them)\n");
    const json = JSON.parse((await run(['info', OSDMAP, '--format', 'json'])).stdout) as unknown;
    expect(json).toMatchObject({ problems: { errors: 0, warnings: 8, notes: 3 } });
  });
});
