import { describe, expect, it } from 'vitest';
import { readExample } from '../src/worker/examples.ts';
import { OpenDocument } from '../src/worker/open-document.ts';
import { lendMaps, takeMaps } from '../src/worker/side-desk.ts';
import { textApply, textBinary, textCheck, textMoves, textStart } from '../src/worker/topics/text.ts';
import { compareMaps } from '../../src/analysis/compare.ts';
import type { CrushMap } from '../../src/crush/model.ts';
import { CrushTextPlaces } from '../../src/formats/crush-text-places.ts';
import { readCrushText } from '../../src/formats/crushmap-text.ts';
import { readMap } from '../../src/formats/detect.ts';

async function start(document: OpenDocument) {
  const { port1, port2 } = new MessageChannel();
  const taken = takeMaps(port2);
  lendMaps(document, port1);
  await taken;
  return textStart();
}

const open = (id: string) => new OpenDocument({ ...readExample(id), notes: [] });

/** The map's buckets, of which the root holds itself. */
function withRing({ buckets }: CrushMap): CrushMap['buckets'] {
  return buckets.map((bucket) =>
    bucket?.id === -1 ? { ...bucket, items: Int32Array.of(-1, ...bucket.items.slice(1)) } : bucket,
  );
}

/** The line of a text at an offset. */
const lineAt = (text: string, at: number) => text.slice(at, text.indexOf('\n', at)).trim();

describe('the CRUSH map as text', () => {
  it('gives the text, and says that it rounds weights', async () => {
    const document = open('cluster-8osd');
    const { text, notes, rows } = await start(document);
    expect(text).toContain('rule replicated_rule {');
    expect(notes).toEqual([expect.stringMatching(/^Text has weights in five decimals/)]);
    expect(rows.names).toContain('osd.7');
    expect(textCheck(text).error).toBeUndefined();
  });

  it('places errors and problems at their lines', async () => {
    const { text } = await start(open('cluster-8osd'));
    const broken = text.replace('alg straw2', 'alg straw3');
    const { error, rows } = textCheck(broken);
    expect(error?.code).toBe('malformed');
    expect(lineAt(broken, error?.at ?? 0)).toContain('straw3');
    expect(rows).toBeUndefined();
    const light = text.replace(/item osd\.3 weight [\d.]+/, 'item osd.3 weight 0.00000');
    const found = textCheck(light).problems.filter(({ message }) => /osd\.3\b/.test(message));
    expect(found.map(({ at }) => lineAt(light, at))).toContain('item osd.3 weight 0.00000');
    const tries = text.replace('choose_total_tries 50', 'choose_total_tries 19');
    const older = textCheck(tries).problems.find(({ message }) => message.includes('choose_total_tries'));
    expect(lineAt(tries, older?.at ?? 0)).toBe('tunable choose_total_tries 19');
  });

  it('knows where every part of a text stands', () => {
    const text = [
      '# begin',
      'tunable choose_total_tries 50',
      'device 0 osd.0 class ssd',
      'device 1 osd.1',
      'type 0 osd',
      'type 1 host',
      'host a { id -1 alg straw2 hash 0',
      ' item osd.0 weight 1.0',
      ' item osd.1 weight 1.0 }',
      'rule r {',
      ' id 4',
      ' type replicated',
      ' step take a',
      ' step choose firstn 0 type osd',
      ' step emit',
      '}',
      '',
    ].join('\n');
    const places = new CrushTextPlaces(text, readCrushText(text));
    const line = (at: number | undefined) => (at === undefined ? undefined : lineAt(text, at));
    expect(line(places.bucket(-1))).toMatch(/^host a/);
    expect(line(places.device(1))).toBe('device 1 osd.1');
    expect(line(places.item(1, -1))).toBe('item osd.1 weight 1.0 }');
    expect(line(places.item(0))).toBe('item osd.0 weight 1.0');
    expect(line(places.rule(4))).toBe('rule r {');
    expect([0, 1, 2].map((step) => line(places.rule(4, step)))).toEqual([
      'step take a',
      'step choose firstn 0 type osd',
      'step emit',
    ]);
    expect(line(places.tunable('choose_total_tries'))).toBe('tunable choose_total_tries 50');
    expect(line(places.type(1))).toBe('type 1 host');
    expect([places.bucket(-9), places.item(5), places.rule(0)]).toEqual([undefined, undefined, undefined]);
    expect(places.parts.map(({ kind }) => kind)).toEqual([
      ...['other', 'device', 'device', 'other', 'other', 'bucket', 'item', 'item', 'other'],
    ]);
  });

  it('says what applying would move, and applies', async () => {
    const document = open('cluster-8osd');
    const { text } = await start(document);
    const edited = text.replace('step chooseleaf firstn 0 type host', 'step chooseleaf firstn 0 type osd');
    expect(edited).not.toBe(text);
    const moves = textMoves(edited);
    const state = textApply(document, edited);
    expect(state.isChanged).toBe(true);
    const { total } = compareMaps(document.original, {
      ...document.original,
      crush: document.current.crush,
    });
    expect(total.movedShards).toBeGreaterThan(0);
    expect(moves).toMatchObject({ movedShards: total.movedShards, shards: total.shards, differences: 1 });
    // Sizes of rules are not in the text, and stay.
    expect(document.current.crush.rules.map((rule) => rule?.maxSize)).toEqual(
      document.original.crush.rules.map((rule) => rule?.maxSize),
    );
    expect(() => textApply(document, 'host {')).toThrow();
    expect(document.version).toBe(1);
  });

  it('writes the binary', async () => {
    const { text } = await start(open('cluster-8osd'));
    const bytes = new Uint8Array(await textBinary(text).arrayBuffer());
    const file = readMap(bytes);
    expect(file.kind).toBe('crushmap');
  });

  it('repairs a map from which nothing can be mapped', async () => {
    const { original } = open('cluster-8osd');
    const { crush } = original;
    const map = { ...original, crush: { ...crush, buckets: withRing(crush) } };
    const document = new OpenDocument({
      name: 'broken',
      file: { kind: 'osdmap', encoding: 'binary', map },
      notes: [],
    });
    expect(document.obstacle?.code).toBe('invalid-map');
    const { notes, text } = await start(document);
    expect(notes[0]).toMatch(/no complete text form/);
    const whole = (await start(open('cluster-8osd'))).text;
    expect(whole.length).toBeGreaterThan(text.length);
    await start(document);
    expect(textCheck(whole).error).toBeUndefined();
    expect(textApply(document, whole).obstacle).toBeUndefined();
    expect(document.columns(1).count).toBeGreaterThan(0);
  });

  it('makes up pools for the rules of a CRUSH map alone', async () => {
    const { crush } = open('cluster-8osd').original;
    const document = new OpenDocument({
      name: 'crush',
      file: { kind: 'crushmap', encoding: 'binary', map: crush },
      notes: [],
    });
    const { text } = await start(document);
    expect(textMoves(text)).toMatchObject({ differences: 0, isRounded: true, movedShards: 0 });
    const moves = textMoves(text.replace('firstn 0 type host', 'firstn 0 type osd'));
    expect(moves.movedShards).toBeGreaterThan(0);
    const rule =
      'rule another {\n id 40\n type replicated\n step take default\n step choose firstn 0 type osd\n step emit\n}\n';
    const { pools } = textApply(document, text.replace('# choose_args', `${rule}# choose_args`));
    expect(pools.map(({ name }) => name)).toContain('another');
    expect(document.columns(pools.find(({ name }) => name === 'another')?.id ?? 0).up.lengths[0]).toBe(3);
  });
});
