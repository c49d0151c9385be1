/** Telling maps apart by content. */
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CrushError } from '../src/errors.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { readCrushDump } from '../src/formats/crushmap-json.ts';
import { readCrushText } from '../src/formats/crushmap-text.ts';
import type { Bytes } from '../src/formats/bytes.ts';
import { readMap, type ReadMapOptions } from '../src/formats/detect.ts';
import { readMapFile } from '../src/formats/map-file.ts';
import { isGzip } from '../src/formats/gzip.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { readOsdMapJson, readReportJson } from '../src/formats/osdmap-json.ts';
import { fixture } from './fixtures.ts';

const crush = fixture('crushmaps/cluster-8osd.crushmap');
const crushDump = fixture('cluster-8osd/crush-dump.json');
const crushText = fixture('crushmaps/classes.txt');
const osdmap = fixture('cluster-8osd/osdmap');
const osdDump = fixture('cluster-8osd/osd-dump.json');
const report = fixture('cluster-10osd/report.json');

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function failure(bytes: Bytes, options?: ReadMapOptions): CrushError {
  try {
    readMap(bytes, options);
  } catch (error) {
    if (error instanceof CrushError) return error;
    throw error;
  }
  throw new Error('was read without an error');
}

async function asyncFailure(bytes: Bytes, options?: ReadMapOptions): Promise<CrushError> {
  return readMapFile(bytes, options).then(
    () => {
      throw new Error('was read without an error');
    },
    (error: unknown) => {
      if (error instanceof CrushError) return error;
      throw error;
    },
  );
}

describe('kinds', () => {
  it('are told by content', () => {
    expect(readMap(crush)).toMatchObject({ kind: 'crushmap', encoding: 'binary', map: { maxDevices: 8 } });
    expect(readMap(crushDump)).toMatchObject({ kind: 'crushmap', encoding: 'json', map: { maxDevices: 8 } });
    expect(readMap(crushText)).toMatchObject({ kind: 'crushmap', encoding: 'text', map: { maxDevices: 14 } });
    expect(readMap(osdmap)).toMatchObject({ kind: 'osdmap', encoding: 'binary', map: { maxOsd: 8 } });
    expect(readMap(report)).toMatchObject({ kind: 'osdmap', encoding: 'report', map: { maxOsd: 10 } });
  });

  it('are told in a view into larger memory', () => {
    const memory = new Uint8Array(crush.length + 7);
    memory.set(crush, 3);
    expect(readMap(memory.subarray(3, 3 + crush.length)).kind).toBe('crushmap');
  });

  it('are told behind stray lines', () => {
    const text = new TextDecoder().decode(crushDump);
    const behind = utf8(`\n2026-11-30 \u001b[1mWARNING\u001b[0m: {not this}\n\n  ${text}`);
    expect(readMap(behind).kind).toBe('crushmap');
    expect(readMap(utf8(`\ufeff${text}`)).kind).toBe('crushmap');
  });
});

describe('an osd dump', () => {
  it('asks for its CRUSH map', () => {
    const error = failure(osdDump);
    expect(error.code).toBe('bad-argument');
    expect(error.message).toMatch(/no CRUSH map.*ceph osd crush dump/);
  });

  it('takes it as JSON or binary, in either order', () => {
    for (const second of [crush, crushDump]) {
      const file = readMap(osdDump, { second });
      expect(file).toMatchObject({ kind: 'osdmap', encoding: 'json', map: { maxOsd: 8 } });
      expect(readMap(second, { second: osdDump })).toEqual(file);
    }
  });

  it('goes with nothing else', () => {
    expect(failure(osdDump, { second: osdDump }).code).toBe('bad-argument');
    expect(failure(osdmap, { second: crush }).message).toContain('a binary OSDMap and a binary CRUSH map');
    expect(failure(osdDump, { second: utf8('what') }).place.path).toBe('second input');
  });
});

describe('text', () => {
  it.each([
    ['with its title', '# begin crush map\n'],
    ['without its title', '\n# mine\n\ndevice 0 osd.0\n'],
    [
      'with braces',
      'type 0 osd\ntype 1 root\nroot r {\n  alg straw2\n}\nchoose_args 0 { { bucket_id -1 } }\n',
    ],
  ])('is known %s', (_, text) => {
    expect(readMap(utf8(text))).toMatchObject({ kind: 'crushmap', encoding: 'text' });
  });

  it('goes with the JSON of an OSDMap', () => {
    const file = readMap(osdDump, { second: crushText });
    expect(file.kind === 'osdmap' && file.map.crush).toEqual(
      readCrushText(new TextDecoder().decode(crushText)),
    );
  });

  it('that is wrong gives the place', () => {
    expect(failure(utf8('type 0 osd\ntype one host\n'))).toMatchObject({
      code: 'malformed',
      place: { line: 2, column: 6 },
      message: "expected a number, found 'one'",
    });
  });
});

describe('unknown', () => {
  it.each([
    ['nothing', '', 'empty'],
    ['text', 'hello there', '"hello there"'],
    ['an XML', '<?xml version="1.0"?>', '<?xml'],
    ['a JSON list', '[1, 2]', '[1, 2]'],
    ['other JSON', '{"nodes": [], "stray": []}', 'nodes, stray'],
    ['empty JSON', '{}', 'empty'],
    ['bzip2', 'BZh91AY', 'bzip2'],
  ])('is %s, and the error says so', (_, text, shown) => {
    const error = failure(utf8(text));
    expect(error.code).toBe('unknown-kind');
    expect(error.message).toContain(shown);
    expect(error.message).toContain('Accepted are');
  });

  it.each([
    ['an ELF', [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0], '7f 45 4c 46'],
    ['zeros', [0, 0, 0, 0, 0, 0, 0, 0], '00 00 00'],
    ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], 'xz'],
    ['zstd', [0x28, 0xb5, 0x2f, 0xfd], 'zstd'],
  ])('is %s', (_, bytes, shown) => {
    const error = failure(Uint8Array.from(bytes));
    expect(error.code).toBe('unknown-kind');
    expect(error.message).toContain(shown);
  });

  it('stays quick on long lines of one character', () => {
    for (const character of ['#', ' ', '\n', '{', '# ']) {
      const start = performance.now();
      expect(() => readMap(utf8(character.repeat(500_000)))).toThrow(CrushError);
      expect(performance.now() - start).toBeLessThan(2_000);
    }
  });

  it('is not what is damaged JSON', () => {
    expect(failure(crushDump.subarray(0, 5_000))).toMatchObject({ code: 'malformed' });
    expect(failure(utf8('{"buckets": [], "rules": [], "tunables": 3}')).place.path).toBe(
      'crush dump.devices',
    );
  });
});

describe('what is given as bytes', () => {
  const buffer = Uint8Array.from(crush).buffer;

  it('may be an ArrayBuffer', async () => {
    expect(readMap(buffer)).toEqual(readMap(crush));
    expect(await readMapFile(buffer)).toEqual(readMap(crush));
    expect(await readMapFile(Uint8Array.from(gzipSync(crush)).buffer)).toEqual(readMap(crush));
    expect(readMap(Uint8Array.from(osdDump).buffer, { second: buffer })).toEqual(
      readMap(osdDump, { second: crush }),
    );
    expect(readCrushBinary(buffer)).toEqual(readCrushBinary(crush));
    expect(readOsdMapBinary(Uint8Array.from(osdmap).buffer)).toEqual(readOsdMapBinary(osdmap));
  });

  it('may come from another realm', () => {
    expect(readMap(runInNewContext('new Uint8Array(bytes)', { bytes: crush }) as Uint8Array)).toEqual(
      readMap(crush),
    );
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['osdmap', 'a string: read the file first'],
    [Promise.resolve(crush), 'a Promise: await it first'],
    [new Response(''), 'a Response: await its arrayBuffer() first'],
    [new Int32Array(2), 'an Int32Array'],
    [[1, 2], 'an Array'],
    [7, 'a number'],
    [{}, 'an Object'],
  ])('is refused: %s', async (value, named) => {
    const bytes = value as unknown as Bytes;
    for (const error of [failure(bytes), await asyncFailure(bytes)]) {
      expect(error.code).toBe('bad-argument');
      expect(error.message).toContain(`takes bytes, a Uint8Array or ArrayBuffer, not ${named}`);
    }
    expect(() => readCrushBinary(bytes)).toThrow(CrushError);
    expect(() => readOsdMapBinary(bytes)).toThrow(CrushError);
    if (value !== undefined) expect(failure(osdDump, { second: bytes }).message).toContain('option second');
  });

  it('is not for the readers of parsed JSON', () => {
    const map = readCrushBinary(crush);
    for (const json of [osdDump, osdDump.buffer, '{}']) {
      for (const read of [readCrushDump, readReportJson, (dump: unknown) => readOsdMapJson(dump, map)]) {
        expect(() => read(json)).toThrow(/takes parsed JSON, not .*JSON\.parse/);
      }
    }
    const dump: unknown = JSON.parse(new TextDecoder().decode(osdDump));
    const readWithout = readOsdMapJson as (dump: unknown) => unknown;
    expect(() => readWithout(dump)).toThrow(/takes the CRUSH map as its second argument/);
  });
});

describe('gzip', () => {
  it('is unpacked, of both files', async () => {
    expect(await readMapFile(gzipSync(crush))).toEqual(readMap(crush));
    expect(await readMapFile(crush)).toEqual(readMap(crush));
    const file = await readMapFile(gzipSync(osdDump), { second: gzipSync(crushDump) });
    expect(file).toEqual(readMap(osdDump, { second: crushDump }));
  });

  it('is not for the synchronous form', () => {
    expect(failure(gzipSync(crush)).message).toContain('readMapFile');
    expect(isGzip(crush)).toBe(false);
  });

  it('within gzip is to be unpacked once before', async () => {
    const error = await asyncFailure(gzipSync(gzipSync(crush)));
    expect([error.code, error.message]).toEqual([
      'unknown-kind',
      'the bytes are packed with gzip more than once: unpack them once',
    ]);
  });

  it('that is damaged or ends early is an error', async () => {
    const packed = gzipSync(crush);
    for (let end = 2; end < packed.length; end += 97) {
      expect((await asyncFailure(packed.subarray(0, end))).code).toBe('malformed');
    }
    const damaged = Uint8Array.from(packed);
    damaged[200]! ^= 0xff;
    expect((await asyncFailure(damaged)).message).toContain('gzip');
  });

  it('that would unpack to too much is an error', async () => {
    for (const start of ['{', '\x08\x07xxxx']) {
      const content = new Uint8Array(8 << 20).fill(start === '{' ? 32 : 0);
      content.set(utf8(start));
      const error = await asyncFailure(gzipSync(content), { maxUnpackedBytes: 1 << 20 });
      expect(error.code).toBe('malformed');
      expect(error.message).toContain('more than 1048576 bytes');
    }
  });

  it('of no known kind is given up at its start', async () => {
    const bomb = gzipSync(new Uint8Array(8 << 20));
    expect((await asyncFailure(bomb, { maxUnpackedBytes: 1 << 20 })).code).toBe('unknown-kind');
  });

  it('is unpacked beyond what is kept in pieces', async () => {
    // Text that follows a map's JSON is an error, but white space may be as long as it likes.
    const padded = new Uint8Array(20 << 20).fill(32);
    padded.set(crushDump);
    expect(await readMapFile(gzipSync(padded))).toEqual(readMap(crushDump));
  });
});

describe('JSON that would take too much memory', () => {
  const repeated = (text: string, count: number): Uint8Array => utf8(`{"a":[${text.repeat(count)}0]}`);

  it.each([
    ['values', '1,', 2 ** 23 + 1],
    ['objects and arrays', '{},', 2 ** 22],
    ['objects and arrays', '[', 2 ** 24],
  ])('more %s than the limit: %s', (what, text, count) => {
    const error = failure(repeated(text, count));
    expect(error.code).toBe('unsupported');
    expect(error.message).toMatch(
      new RegExp(`^this JSON has more than \\d+ ${what}, the most that is read$`),
    );
  });

  it('members of one object', () => {
    const members = Array.from({ length: 2 ** 16 + 1 }, (_, i) => `"${i}":"${'x'.repeat(200)}"`);
    expect(failure(utf8(`{${members.join()}}`)).message).toContain('more than 65536 members of one object');
  });

  it('text beyond 128 MiB', () => {
    const text = new Uint8Array((128 << 20) + 1).fill(32);
    text.set(utf8('{'));
    const error = failure(text);
    expect(error.code).toBe('unsupported');
    expect(error.message).toContain('JSON is read up to 134217728 (128 MiB)');
  });

  it('is not seen in what strings say', () => {
    const text = JSON.stringify({ note: '{[,:\\"'.repeat(2 ** 22), epoch: 1 });
    expect(failure(utf8(text)).message).toContain('JSON of another kind');
  });
});

describe('notes', () => {
  it('reach the caller', () => {
    const notes: string[] = [];
    readMap(fixture('crushmaps/algorithms-v1.dump.json'), { onNote: (note) => notes.push(note) });
    expect(notes).toContainEqual(expect.stringContaining('straw bucket'));
  });
});
