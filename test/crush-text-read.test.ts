/** CRUSH maps in text, compiled as `crushtool -c` does. */
import { describe, expect, it, test } from 'vitest';
import { CrushError } from '../src/errors.ts';
import type { CrushMap } from '../src/crush/model.ts';
import { intOf, weightOf } from '../src/formats/crush-text-numbers.ts';
import { writeCrushBinary } from '../src/formats/crushmap-encode.ts';
import { compileCrushText, readCrushText } from '../src/formats/crushmap-text.ts';
import { fixture, fixtureText } from './fixtures.ts';

const HEAD = 'device 0 osd.0\ndevice 1 osd.1\ntype 0 osd\ntype 1 host\ntype 2 root\n';
const HOST = 'host a { id -2 alg straw2 hash 0 item osd.0 weight 1.0 item osd.1 weight 2.0 }\n';

function refusal(text: string, release?: number): { words: string; error: CrushError } {
  let words = '';
  const add = (text: string): void => {
    words += text;
  };
  const listener = {
    verbose: 0,
    say: add,
    refuse: add,
    formatWeight: (weight: number) => String(weight / 0x10000),
  };
  try {
    compileCrushText(text, { fileName: 'map.txt', listener, ...(release !== undefined && { release }) });
  } catch (error) {
    if (error instanceof CrushError) return { words, error };
    throw error;
  }
  throw new Error('was compiled without an error');
}

/** A text in which » stands before what is wrong, and where that is. */
function unmarked(marked: string): { text: string; place: { line: number; column: number } } {
  const before = marked.slice(0, marked.indexOf('»')).split('\n');
  return { text: marked.replace('»', ''), place: { line: before.length, column: before.at(-1)!.length + 1 } };
}

function rule(steps: string, rest = 'type replicated'): string {
  return `rule r { id 0 ${rest} ${steps} }\n`;
}

describe('crushtool made the same bytes of', () => {
  test.each(['classes', 'algorithms-v0', 'algorithms-v1'])('%s', (name) => {
    const map = readCrushText(fixtureText(`crushmaps/${name}.txt`), { release: 16 });
    expect(Buffer.from(writeCrushBinary(map, { release: 16 }))).toEqual(
      Buffer.from(fixture(`crushmaps/${name}.crushmap`)),
    );
  });

  test.each(['uniform', 'list', 'tree', 'straw0', 'straw1', 'straw2', 'choose-args'])('golden %s', (name) => {
    const map = readCrushText(fixtureText(`../goldens/${name}.txt`), { release: 16 });
    expect(Buffer.from(writeCrushBinary(map, { release: 16 }))).toEqual(
      Buffer.from(fixture(`../goldens/${name}.map`)),
    );
  });
});

describe('grammar', () => {
  const parts = (map: CrushMap): unknown => [map.itemNames, map.buckets.filter(Boolean), map.rules];

  it('knows words apart by what they begin with, as crushtool does', () => {
    const text = `${HEAD}${HOST}${rule('step take a step emit')}`;
    const dense = text
      .replace('device 0 osd.0', 'device0osd.0')
      .replace('id -2 alg', 'id-2alg')
      .replaceAll(' }', '}');
    expect(parts(readCrushText(dense))).toEqual(parts(readCrushText(text)));
  });

  it('lets white space and comments stand anywhere', () => {
    const text = `${HEAD}${HOST}${rule('step take a step emit')}`;
    const airy = text.replaceAll(' ', ' \t\r\n# note { } item\n\v\f ');
    expect(parts(readCrushText(airy))).toEqual(parts(readCrushText(text)));
  });

  it('reads the rules of all releases', () => {
    const steps = 'step take a step choose firstn 0 type osd step emit';
    const read = (text: string, release?: number): unknown =>
      readCrushText(`${HEAD}${HOST}${text}`, release === undefined ? {} : { release }).rules[0];
    const newest = read(rule(steps));
    expect(newest).toMatchObject({ id: 0, type: 1, minSize: 1, maxSize: 100 });
    expect(read(rule(steps, 'type replicated min_size 2 max_size 5'))).toEqual(newest);
    expect(read(rule(steps, 'type replicated min_size 2 max_size 5').replace('id 0', 'ruleset 0'))).toEqual(
      newest,
    );
    expect(read(rule(steps, 'type erasure min_size 2 max_size 260'), 16)).toMatchObject({
      type: 3,
      minSize: 2,
      maxSize: 4,
    });
    expect(
      read(rule('step set_msr_descents 4 step take a step choosemsr 2 type osd step emit', 'type msr_indep')),
    ).toMatchObject({
      type: 5,
      steps: [{ op: 14, arg1: 4 }, { op: 1, arg1: -2 }, { op: 16, arg1: 2, arg2: 0 }, { op: 4 }],
    });
  });

  it('needs sizes before Quincy and knows no MSR before Squid', () => {
    expect(refusal(`${HEAD}${HOST}${rule('step emit')}`, 16).error.message).toContain("expected 'min_size'");
    expect(refusal(`${HEAD}${HOST}${rule('step emit', 'type msr_firstn')}`, 18).error.message).toBe(
      "expected 'replicated' or 'erasure', found 'msr_firstn'",
    );
    expect(refusal(`tunable msr_descents 3\n${HEAD}`, 18).words).toBe(
      'tunable msr_descents not recognized\n',
    );
    expect(readCrushText(`tunable msr_descents 3\n${HEAD}`).tunables.msrDescents).toBe(3);
  });

  it('takes one construct or none, on which crushtool aborts', () => {
    expect(readCrushText('').buckets).toEqual([]);
    expect(readCrushText('device 3 osd.3').maxDevices).toBe(4);
  });

  it('gives ids to buckets without one, beside all that are used', () => {
    const map = readCrushText(
      `${HEAD}host a { alg straw2 item osd.0 }\nhost b { id -1 id -2 class x alg list }\n`,
    );
    expect(map.itemNames.get(-3)).toBe('a');
    expect(map.buckets).toHaveLength(8);
  });

  it('builds a bucket before the one above it that contains it', () => {
    const map = readCrushText(`${HEAD}root r { id -1 alg straw2 item a }\n${HOST}`);
    expect(map.buckets[0]).toMatchObject({ items: Int32Array.of(-2), weight: 0x30000 });
  });

  it('fills the positions that items leave', () => {
    const items = 'item osd.0 weight 1 pos 1 item osd.1 weight 1';
    const map = readCrushText(`${HEAD}host a { id -1 alg uniform ${items} }\n`);
    expect(map.buckets[0]?.items).toEqual(Int32Array.of(1, 0));
  });

  it('makes shadow trees before the first rule', () => {
    const text = `device 0 osd.0 class ssd\ndevice 1 osd.1 class hdd\ntype 0 osd\ntype 1 host\n${HOST}`;
    expect(readCrushText(text).classBuckets.size).toBe(0);
    const map = readCrushText(text + rule('step take a class ssd step emit'));
    const shadow = map.rules[0]!.steps[0]!.arg1;
    expect(map.itemNames.get(shadow)).toBe('a~ssd');
    expect(map.buckets[-1 - shadow]?.items).toEqual(Int32Array.of(0));
  });

  it('lets later choose_args of a bucket add to earlier ones', () => {
    const args = '{ bucket_id -2 weight_set [ [ 1.0 0.5 ] [ .25 3.] ] } { bucket_id -2 ids [ 7 -8 ] }';
    const map = readCrushText(`${HEAD}${HOST}choose_args 4 { ${args} }\n`);
    expect(map.chooseArgs.get(4)?.get(-2)).toEqual({
      weightSet: [Uint32Array.of(0x10000, 0x8000), Uint32Array.of(0x4000, 0x30000)],
      ids: Int32Array.of(7, -8),
    });
  });

  it('keeps of tunables what Ceph keeps', () => {
    const tunables = ['chooseleaf_vary_r 257', 'chooseleaf_descend_once 9', 'choose_total_tries 4294967295'];
    const map = readCrushText(`${tunables.map((each) => `tunable ${each}\n`).join('')}${HEAD}`);
    expect(map.tunables).toMatchObject({
      chooseleafVaryR: 1,
      chooseleafDescendOnce: 1,
      chooseTotalTries: 0xffffffff,
    });
  });
});

describe('errors of grammar', () => {
  it.each<[title: string, text: string, message: string, words: string]>([
    [
      'a missing brace',
      `${HEAD}host a\n  »id -2\n`,
      "expected '{', found 'id'",
      "map.txt:5 error: parse error at ''\n",
    ],
    [
      'a word that is none',
      `${HEAD}host a {\n\tid -1\n\t»allg straw2\n}\n`,
      "expected 'class', 'id' or 'alg', found 'allg'",
      "map.txt:5 error: parse error at ''\n",
    ],
    [
      'no weight, below comments',
      `${HEAD}\n  # hosts\n\nhost a { alg straw2 item osd.0 weight »x }\n`,
      "expected a weight, found 'x'",
      "map.txt:8 error: parse error at ''\n",
    ],
    [
      'a comment above',
      `${HEAD}# hosts\nhost\n»`,
      'expected a name, found the end of the text',
      "map.txt:6 error: parse error at '# hosts'\n",
    ],
    [
      'more in the line',
      '  type  0   osd  more # note\n»',
      '',
      "map.txt:1 error: parse error at '  osd  more # note'\n",
    ],
    ['the first word', '# a\nfoo\n»', '', "map.txt:2 error: parse error at 'foo'\n"],
    [
      'a device below the buckets',
      `${HEAD}${HOST}»device 2 osd.2\n`,
      "'device' must stand before all buckets, rules and choose_args; move it up",
      "map.txt:6 error: parse error at ''\n",
    ],
    [
      'a bucket below choose_args',
      `${HEAD}choose_args 0 { }\n»${HOST}`,
      'buckets and rules must stand before choose_args; move this up',
      "map.txt:6 error: parse error at ''\n",
    ],
    [
      'a step that is none',
      `${HEAD}${HOST}${rule('step »emti')}`,
      '',
      "map.txt:6 error: parse error at ''\n",
    ],
    [
      'an exponent without digits',
      `${HEAD}host a { alg list item osd.0 weight »1.5e }\n`,
      '',
      "map.txt:5 error: parse error at ''\n",
    ],
  ])('%s', (_, marked, message, words) => {
    const { text, place } = unmarked(marked);
    const { error, words: told } = refusal(text);
    expect(error).toMatchObject({ code: 'malformed', place });
    if (message !== '') expect(error.message).toBe(message);
    expect(told).toBe(words);
  });

  it('a NUL, at which crushtool stops reading', () => {
    expect(refusal(`${HEAD}\0`).error.place).toEqual({ line: 6, column: 1 });
  });
});

describe('errors of meaning', () => {
  it.each<[title: string, text: string, words: string]>([
    ['an unknown tunable', 'tunable »foo 1\ntype 0 osd\n', 'tunable foo not recognized\n'],
    ['a name given twice', HEAD.replace('osd.1', '»osd.0'), 'item osd.0 defined twice\n'],
    ['an unknown type', `${HEAD}»rack a { alg list }`, "bucket type 'rack' is not defined\n"],
    [
      'a bucket twice',
      `${HEAD}${HOST}${HOST.replace('host a', 'host »a')}`,
      "bucket or device 'a' is already defined\n",
    ],
    ['an id twice', `${HEAD}${HOST}host »b { id -2 alg list }`, 'Duplicate bucket id -2\n'],
    ['an algorithm that is none', `${HEAD}host a { alg »straw3 }`, "unknown bucket alg 'straw3'\n\n"],
    ['an unknown item', `${HEAD}host a { alg list item »x }`, "item 'x' in bucket 'a' is not defined\n"],
    [
      'a heavy device',
      `${HEAD}host a { alg list item osd.0 weight »100.1 }`,
      'device weight limited to 100\n',
    ],
    [
      'a negative weight',
      `${HEAD}host a { alg list item osd.0 weight »-1 }`,
      'device weight limited to 100\n',
    ],
    [
      'a heavy bucket',
      `${HEAD}${HOST}root r { alg list item a weight »65535.5 }`,
      'bucket weight limited to 65535 to prevent overflow\n',
    ],
    [
      'too heavy a sum',
      `${HEAD}${HOST}root r { alg list item a weight 65535 item a weight »1 }`,
      'oh no! our bucket weights are overflowing all over the place, better lower the item weights\n',
    ],
    [
      'uneven weights in a uniform bucket',
      `${HEAD}host a { alg uniform item osd.0 weight 1.5 item osd.1 weight »2 }`,
      "item 'osd.1' in uniform bucket 'a' has weight 131072 but previous item(s) have weight 1.5; uniform bucket items must all have identical weights.\n",
    ],
    [
      'a position twice',
      `${HEAD}host a { alg list item osd.0 pos 1 item osd.1 pos »1 }`,
      "item 'osd.1' in bucket 'a' has explicit pos 1, which is occupied\n",
    ],
    [
      'a position beyond',
      `${HEAD}host a { alg list item osd.0 pos »2 item osd.1 }`,
      "item 'osd.0' in bucket 'a' has pos 2 >= size 2\n",
    ],
    [
      'buckets in each other',
      `${HEAD}host a { alg list item b }\nhost »b { alg list item a }`,
      "bucket  'a' and bucket 'b' are included each other\n",
    ],
    [
      'a class twice',
      `${HEAD}host a { id -1 id -5 class x id -6 class »x alg list }`,
      'duplicate device class x for bucket a\n',
    ],
    [
      'a bucket below a rule',
      `${HEAD}${rule('step emit')}»${HOST}`,
      'buckets must be defined before rules\n',
    ],
    [
      'a rule name twice',
      `${HEAD}${rule('step emit')}${rule('step emit').replace(' r ', ' »r ')}`,
      "rule name 'r' already defined\n\n",
    ],
    [
      'a rule id twice',
      `${HEAD}${rule('step emit')}${rule('step emit').replace('r { id 0', 'q { id »0')}`,
      'rule 0 already exists\n',
    ],
    [
      'a rule too many',
      `${HEAD}rule { id 255 type replicated step emit }\nrule x { id »256 type replicated step emit }`,
      "unable to add rule id 256 for rule 'x'\n",
    ],
    [
      'an unknown item to take',
      `${HEAD}${rule('step take »b step emit')}`,
      "in rule 'r' item 'b' not defined\n",
    ],
    [
      'an unknown type to choose',
      `${HEAD}${HOST}${rule('step take a step choose firstn 0 type »rack')}`,
      "in rule 'r' type 'rack' not defined\n",
    ],
    [
      'a class of what has none',
      `${HEAD.replace('osd.0', 'osd.0 class x')}${rule('step take »osd.0 class x')}`,
      "in rule 'r' step take osd.0 has no class information\n",
    ],
    ['a class that is none', `${HEAD}${HOST}${rule('step take a class »x')}`, ''],
    ['choose_args twice', `${HEAD}choose_args 0 { }\nchoose_args »0 { }`, '0 duplicated\n'],
    ['choose_args of no bucket', `${HEAD}${HOST}choose_args 0 { { bucket_id »-3 } }`, '-3 does not exist\n'],
    [
      'choose_args beyond the table',
      `${HEAD}${HOST}choose_args 0 { { bucket_id »-9 } }`,
      '-9 is out of range\n',
    ],
    [
      'too few weights',
      `${HEAD}${HOST}choose_args 0 { { bucket_id -2 weight_set [ [ »1.0 ] ] } }`,
      '-2 needs exactly 2 weights but got 1\n',
    ],
    [
      'too many ids',
      `${HEAD}${HOST}choose_args 0 { { bucket_id -2 ids [ »1 2 3 ] } }`,
      '-2 needs exactly 2 ids but got 3\n',
    ],
    ['a uniform bucket without weight', `${HEAD}host »a { alg uniform item osd.0 weight 0 }`, ''],
    ['a device id beyond the limit', 'device »16777217 a\ntype 0 osd\n', ''],
    ['a bucket id beyond the limit', `${HEAD}host »a { id -2000000 alg list }`, ''],
    ['a rule id beyond the limit', `${HEAD}${rule('step emit').replace('id 0', 'id »65536')}`, ''],
  ])('%s', (_, marked, words) => {
    const { text, place } = unmarked(marked);
    const { error, words: told } = refusal(text);
    expect(error).toMatchObject({ code: 'malformed', place });
    expect(told).toBe(words);
  });
});

describe('numbers', () => {
  it('of weights are those of 32-bit floats', () => {
    const weights = [
      '1',
      '0.5',
      '.25',
      '3.',
      '1e2',
      '+1.5',
      '0.99999997',
      '0.99999998',
      '16.99999999999',
      '-1',
    ];
    expect(weights.map(weightOf)).toEqual([
      ...[0x10000, 0x8000, 0x4000, 0x30000, 0x640000, 0x18000, 0xffff, 0x10000, 0x110000, 0xffff0000],
    ]);
    // Beyond 32 bits the lower ones are left, beyond 64 none.
    expect(['65536', '65537.5', '4294967296.5', '1e20', '1e40', '1e-50'].map(weightOf)).toEqual([
      ...[0, 0x18000, 0, 0, 0, 0],
    ]);
  });

  it('of weights are rounded once', () => {
    // Halfway between 1 - 2^-24 and 1, whose shortest decimal, 0.9999999701976776, is a little less.
    const halfway = 1 - 2 ** -25;
    expect(weightOf(halfway.toFixed(30))).toBe(0x10000);
    expect(weightOf(String(halfway))).toBe(0xffff);
    expect(weightOf('0.99999997019767761230468749999999999999')).toBe(0xffff);
    expect(weightOf('0.99999997019767761230468750000000000001')).toBe(0x10000);
  });

  it('of ids are the lower 32 bits of 64', () => {
    const ids = ['0', '7', '-7', '2147483648', '4294967297', '-4294967297', '18446744073709551615'];
    expect(ids.map(intOf)).toEqual([0, 7, -7, -2147483648, 1, -1, -1]);
    expect(
      ['-0', '0000000000000000000007', '-9223372036854775807', '-9223372036854775809'].map(intOf),
    ).toEqual([0, 7, 1, 0]);
  });

  it('of any length are read soon, and not repeated in full', () => {
    const start = performance.now();
    const digits = '9'.repeat(5_000_000);
    expect(() => readCrushText(`device ${digits} osd.0`)).toThrow(
      /^device id 9{100}\.\.\. is above the limit of /,
    );
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

it('reads 600 KB soon, whatever it is made of', () => {
  const devices = Array.from(
    { length: 12_000 },
    (_, i) => `device ${i} osd.${i} class ${i % 2 ? 'hdd' : 'ssd'}\n`,
  );
  const hosts = Array.from({ length: 3_000 }, (_, h) => {
    const items = Array.from(
      { length: 4 },
      (_, i) => `\titem osd.${4 * h + i} weight ${(1 + (i % 7) * 0.37).toFixed(5)}\n`,
    );
    return `host h${h} {\n\talg straw2\n${items.join('')}}\n`;
  });
  const roots = `root r {\n\talg straw2\n${hosts.map((_, h) => `\titem h${h}\n`).join('')}}\n`;
  const head = 'type 0 osd\ntype 1 host\ntype 2 root\n';
  const text = `${devices.join('')}${head}${roots}${hosts.join('')}${rule('step take r class ssd step emit')}`;
  expect(text.length).toBeGreaterThan(600_000);
  for (const each of [
    text,
    text.replaceAll('\n', '\n\n# nothing\n'),
    `${text}{`,
    '{'.repeat(600_000),
    ' '.repeat(600_000),
  ]) {
    const start = performance.now();
    try {
      readCrushText(each);
    } catch (error) {
      if (!(error instanceof CrushError)) throw error;
    }
    expect(performance.now() - start).toBeLessThan(5_000);
  }
});
