import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readExample } from '../src/worker/examples.ts';
import { OpenDocument } from '../src/worker/open-document.ts';
import { lendMaps, takeMaps } from '../src/worker/side-desk.ts';
import { compareFile, compareFlows, compareRows, compareRun } from '../src/worker/topics/compare.ts';
import { compareRead } from '../src/worker/topics/compare/sides.ts';
import { compareMaps } from '../../src/analysis/compare.ts';
import { readCrushText } from '../../src/formats/crushmap-text.ts';
import { writeCrushBinary } from '../../src/formats/crushmap-encode.ts';
import { writeCrushText } from '../../src/formats/crush-text-write.ts';
import { writeOsdMapBinary } from '../../src/formats/osdmap-encode.ts';
import type { OsdMap } from '../../src/osdmap/model.ts';

const open = (id: string) => new OpenDocument({ ...readExample(id), notes: [] });
const REQUEST = { before: 'original', after: 'current', set: 'up', orderFree: false } as const;

/** Gives the document's maps to this side, as the page has them sent between workers. */
async function lend(document: OpenDocument): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const taken = takeMaps(port2);
  lendMaps(document, port1);
  await taken;
}

function without(map: OsdMap, osd: number): OsdMap {
  const osdWeight = map.osdWeight.slice();
  osdWeight[osd] = 0;
  return { ...map, osdWeight };
}

describe('comparing in the page', () => {
  it('says of a change what the library says', async () => {
    const document = open('cluster-8osd');
    document.change(without(document.original, 3));
    await lend(document);
    const { moves, differences, id, notes } = compareRun(REQUEST);
    const expected = compareMaps(document.original, document.current);
    expect(moves?.total).toEqual(expected.total);
    expect(moves?.pools).toEqual(expected.pools);
    expect(moves?.causes).toEqual([{ cause: 'osd-out', ...expected.causes.get('osd-out') }]);
    expect(moves?.osds.shardsAfter).toEqual(expected.osds.shardsAfter);
    expect(moves?.osds.shardsAfter[3]).toBe(0);
    expect(moves?.osds.leaving[3]).toBe(moves?.osds.shardsBefore[3]);
    expect(differences.map(({ subject, property, after }) => [subject, property, after])).toEqual([
      ['osd.3', 'reweight', '0 (out)'],
    ]);
    expect(notes).toEqual([]);
    expect(compareRows(id, {}, 0, 1000).total).toBe(expected.total.changedPgs);
  });

  it('finds changed PGs by pool, cause, OSD and name', async () => {
    const document = open('cluster-8osd');
    document.change(without(document.original, 3));
    await lend(document);
    const { id } = compareRun(REQUEST);
    const all: string[] = [];
    compareMaps(document.original, document.current, {
      onChanged: ({ pool, ps }) => all.push(`${pool}.${ps.toString(16)}`),
    });
    const named = (filter: Parameters<typeof compareRows>[1]) =>
      compareRows(id, filter, 0, 1000).rows.map(({ pool, ps }) => `${pool}.${ps.toString(16)}`);
    expect(named({})).toEqual(all);
    expect(named({ pool: 3 })).toEqual(all.filter((name) => name.startsWith('3.')));
    expect(named({ words: '3.' })).toEqual(all.filter((name) => name.startsWith('3.')));
    expect(named({ cause: 'osd-out' })).toEqual(all);
    expect(named({ cause: 'reweight' })).toEqual([]);
    const withOsd = compareRows(id, { words: 'osd.3 osd.1' }, 0, 1000).rows;
    expect(withOsd.length).toBeGreaterThan(0);
    for (const { before, after } of withOsd) {
      expect([...before, ...after]).toEqual(expect.arrayContaining([1, 3]));
    }
    expect(compareRows(id, {}, 2, 3).rows).toEqual(compareRows(id, {}, 0, 1000).rows.slice(2, 5));
  });

  it('sums up flows, and writes files as the command does', async () => {
    const document = open('cluster-8osd');
    document.change(without(document.original, 3));
    await lend(document);
    const { id, moves } = compareRun(REQUEST);
    expect(moves?.levels[0]).toEqual({ type: 0, name: 'osd' });
    const osds = compareFlows(id, 0);
    expect(osds.shards.reduce((sum, shards) => sum + shards, 0)).toBe(
      (moves?.total.movedShards ?? 0) + (moves?.total.droppedShards ?? 0),
    );
    const first = osds.sources[0] ?? -1;
    expect(osds.names[first]).toMatch(/^osd\.\d$/);
    const csv = await compareFile(id, 'csv').text();
    expect(csv.split('\n').length - 2).toBe(moves?.total.changedPgs);
    const json = JSON.parse(await compareFile(id, 'json').text()) as { flows: object };
    expect(json).toMatchObject({ epoch_before: 97, total: { moved_shards: moves?.total.movedShards } });
    expect(Object.keys(json.flows)).toEqual(expect.arrayContaining(['host', 'rack', 'osd']));
  });

  it('takes another file of any kind, and swaps', async () => {
    const document = open('cluster-8osd');
    await lend(document);
    const next = without(document.original, 5);
    await compareRead([{ name: 'next', bytes: writeOsdMapBinary(next) }]);
    const there = compareRun({ ...REQUEST, before: 'current', after: 'other' });
    const back = compareRun({ ...REQUEST, before: 'other', after: 'current' });
    const expected = compareMaps(document.original, next);
    expect(there.moves?.total).toEqual(expected.total);
    expect(back.moves?.osds.shardsBefore).toEqual(there.moves?.osds.shardsAfter);
    expect(back.moves?.causes[0]?.cause).toBe('osd-in');
    const heavier = writeCrushText(document.original.crush).replace(
      /osd\.0 weight [\d.]+/,
      'osd.0 weight 50',
    );
    const bytes = new TextEncoder().encode(heavier);
    expect((await compareRead([{ name: 'crush.txt', bytes }])).kind).toBe('crushmap');
    const laid = compareRun({ ...REQUEST, before: 'current', after: 'other' });
    expect(laid.notes[0]).toMatch(/^crush\.txt is a CRUSH map alone/);
    expect(laid.differences).toContainEqual(
      expect.objectContaining({ subject: 'osd.0', property: 'weight', after: '50.00000' }),
    );
    const crush = readCrushText(heavier);
    expect(laid.moves?.total).toEqual(compareMaps(document.original, { ...document.original, crush }).total);
    await expect(compareRead([{ name: 'x', bytes: Uint8Array.of(1, 2, 3) }])).rejects.toThrow();
  });

  it('compares two CRUSH maps alone by pools made up for their rules', async () => {
    const { crush } = open('cluster-8osd').original;
    const document = new OpenDocument({
      name: 'crush',
      file: { kind: 'crushmap', encoding: 'binary', map: crush },
      notes: [],
    });
    await lend(document);
    await compareRead([{ name: 'same', bytes: writeCrushBinary(crush, { release: 16 }) }]);
    const { moves, differences } = compareRun({ ...REQUEST, before: 'current', after: 'other' });
    expect(differences).toEqual([]);
    expect(moves?.total.changedPgs).toBe(0);
    expect(moves?.total.pgs).toBeGreaterThan(1024);
  });

  it('tells differences where nothing can be mapped', async () => {
    const document = open('cluster-8osd');
    await lend(document);
    const { crush } = document.original;
    const buckets = crush.buckets.map((bucket) =>
      bucket?.alg === 5 && bucket.id === -1
        ? { ...bucket, items: Int32Array.of(-1, ...bucket.items.slice(1)) }
        : bucket,
    );
    await compareRead([{ name: 'ring', bytes: writeCrushBinary({ ...crush, buckets }) }]);
    const { failure, moves, differences } = compareRun({ ...REQUEST, before: 'current', after: 'other' });
    expect(failure?.code).toBe('invalid-map');
    expect(moves).toBeUndefined();
    expect(differences.length).toBeGreaterThan(0);
  });

  it('knows the example as itself', async () => {
    await lend(open('cluster-8osd'));
    await compareRead([{ name: 'osdmap', bytes: readFileSync('examples/cluster-8osd/osdmap') }]);
    const { moves, differences, failure } = compareRun({ ...REQUEST, before: 'other', after: 'current' });
    expect([differences, failure, moves?.total.changedPgs]).toEqual([[], undefined, 0]);
  });
});
