/** `crush-wasm crushtool -c` and `-d`. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { writeCrushText } from '../src/formats/crush-text-write.ts';
import { readCrushText } from '../src/formats/crushmap-text.ts';
import { crushBytes } from './crush-encode.ts';
import { HAS_PACIFIC_CRUSHTOOL } from './crushtool.ts';
import { FIXTURES, fixture } from './fixtures.ts';
import { expectSame, run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const MAP = join(FIXTURES, 'crushmaps/classes.crushmap');
const TEXT = join(FIXTURES, 'crushmaps/classes.txt');
const file = useTempFolder();

describe('-d', () => {
  it('prints the text of the newest release', async () => {
    const { status, stdout, stderr } = await run(['crushtool', '-d', MAP]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(writeCrushText(readCrushBinary(fixture('crushmaps/classes.crushmap'))));
    expect(stdout).not.toContain('min_size');
  });

  it('prints as far as it comes of a map that has no text form, and succeeds, as the original does', async () => {
    const map = readCrushText(
      'device 0 osd.0\ntype 0 osd\ntype 1 host\nhost a { id -1 alg straw2 item osd.0 }\n',
    );
    const cyclic = { ...map, buckets: [{ ...map.buckets[0]!, items: Int32Array.of(-1) }] };
    const path = file('cyclic.map', crushBytes(cyclic));
    const { status, stdout, stderr } = await run(['crushtool', '-d', path]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/# buckets\n$/);
    expect(stderr).toContain('The buckets must form a directed acyclic graph.\n');
    const nameless = {
      ...map,
      itemNames: new Map(),
      rules: [{ ...RULE, steps: [{ op: 1, arg1: -1, arg2: 0 }] }],
    };
    const silent = await run(['crushtool', '-d', file('nameless.map', crushBytes(nameless))]);
    expect([silent.status, silent.stdout.slice(-11)]).toEqual([0, '\tstep take ']);
    expect(silent.stderr).toContain('rule 0 takes item -1, which has no name');
  });
});

describe('-c', () => {
  it('says what became of the map', async () => {
    const sizes =
      'WARNING: min_size is no longer supported, ignoring\nWARNING: max_size is no longer supported, ignoring\n';
    const without = await run(['crushtool', '-c', TEXT]);
    expect(without.stdout).toBe(
      "crushtool successfully built or modified map.  Use '-o <file>' to write it out.\n",
    );
    expect(without.stderr).toBe(sizes.repeat(readCrushText(readFileSync(TEXT, 'utf8')).rules.length));
    const output = join(dirname(file('x', '')), 'compiled');
    const written = await run(['crushtool', '-c', TEXT, '-o', output, '-v', '--as-release', '16']);
    expect([written.status, written.stdout]).toEqual([0, `wrote crush map to ${output}\n`]);
    expect(readFileSync(output)).toEqual(Buffer.from(fixture('crushmaps/classes.crushmap')));
  });

  it('refuses in the words of the original, and in its own where the original has none', async () => {
    const bad = file(
      'bad.txt',
      'type 0 osd\ntype 1 root\nroot r { alg straw2 }\nrule x { id 0 type replicated step take y }\n',
    );
    expect(await run(['crushtool', '-c', bad])).toEqual({
      status: 1,
      stdout: '',
      stderr: "in rule 'x' item 'y' not defined\n",
    });
    const wrong = file('wrong.txt', 'type 0 osd\n# here\nfoo bar\n');
    expect((await run(['crushtool', '-c', wrong])).stderr).toBe(
      `${wrong}:2 error: parse error at '# here'\n`,
    );
    const classless = file('classless.txt', readFileSync(bad, 'utf8').replace('take y', 'take r class hdd'));
    const { status, stderr } = await run(['crushtool', '-c', classless]);
    expect([status, stderr]).toEqual([
      1,
      `crushtool: ${classless}: line 4, column 49: no device has the class 'hdd'; give it to a device, or take 'r' without class\n`,
    ]);
    const gone = join(dirname(bad), 'gone.txt');
    expect(await run(['crushtool', '-c', gone])).toEqual({
      status: 254,
      stdout: '',
      stderr: `input file ${gone} not found\n`,
    });
  });
});

describe.skipIf(!HAS_PACIFIC_CRUSHTOOL)('as release 16 both do as the original does', () => {
  it.each([
    ['-d', MAP],
    ['-c', TEXT, '-v'],
    ['-c', TEXT, '-vv', '-v', '-v'],
    ['-c', TEXT, '-o', '/nonexistent/map'],
    ['-d', MAP, '-o', '/nonexistent/map'],
    ['-c', TEXT, '-d', MAP],
    ['-c', TEXT, '--enable-unsafe-tunables'],
    ['-c', FIXTURES],
    ['-c', TEXT, '--tree'],
  ])('%s %s %s %s', async (...args) => {
    await expectSame('crushtool', args);
  });
});

const RULE = { id: 0, type: 1, ruleset: 0, minSize: 1, maxSize: 10 };
