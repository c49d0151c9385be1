import { describe, expect, it } from 'vitest';
import { readMapFile } from '../../src/formats/map-file.ts';
import { createMapper } from '../../src/osdmap/pg-mapper.ts';
import { readExample } from '../src/worker/examples.ts';
import { OpenDocument } from '../src/worker/open-document.ts';
import { fixture, fixtureText } from '../../test/fixtures.ts';
import { explain, explainDraw, explainText } from '../src/worker/topics/explain.ts';

const open = (id: string) => new OpenDocument({ ...readExample(id), notes: [] });

describe('explanations in the page', () => {
  it.each(['cluster-8osd', 'large'])('come to the mapper’s sets: %s', (id) => {
    const document = open(id);
    const mapper = createMapper(document.original);
    for (const pool of document.original.pools.values()) {
      const ps = pool.pgNum - 1;
      const { up, acting, actingPrimary } = explain(document, { pool: pool.id, ps, side: 'current' });
      const expected = mapper.mapPg(pool.id, ps);
      expect([up, acting, actingPrimary]).toEqual([expected.up, expected.acting, expected.actingPrimary]);
    }
  });

  it('have all items of a draw on demand', () => {
    const document = open('large');
    const subject = { pool: 1, ps: 17, side: 'current' } as const;
    const trace = explain(document, subject);
    const choose = trace.crush.steps.find((step) => step.kind === 'choose')!;
    const [draw] = choose.choices[0]!.places[0]!.attempts[0]!.draws;
    const { bucket, r, method } = draw!;
    const table = explainDraw(document, subject, { bucket: bucket.id, r, method, weightSet: undefined })!;
    expect(table.titles).toEqual(['ID', 'ITEM', '', 'U', 'LN', 'WEIGHT', 'DRAW', '']);
    expect(table.rows).toHaveLength(28);
    expect(table.rows.filter((row) => row.at(-1) === 'taken').map((row) => row[1])).toEqual([
      draw!.item.name,
    ]);
    expect(
      explainDraw(document, subject, { bucket: -99_999, r: 0, method, weightSet: undefined }),
    ).toBeUndefined();
  });

  it('are of the map as it was read, or as it is', () => {
    const document = open('cluster-8osd');
    const pool = document.original.pools.keys().next().value!;
    const { up } = explain(document, { pool, ps: 0, side: 'current' });
    const osdState = document.original.osdState.slice();
    osdState[up[0]!] = 1;
    document.change({ ...document.original, osdState });
    expect(explain(document, { pool, ps: 0, side: 'original' }).up).toEqual(up);
    expect(explain(document, { pool, ps: 0, side: 'current' }).up).not.toContain(up[0]);
  });

  it('are of objects too', () => {
    const document = open('cluster-8osd');
    const pool = document.original.pools.keys().next().value!;
    const object = { name: 'foo', namespace: 'ns', key: '', hasEscapes: false };
    const trace = explain(document, { pool, ps: 0, object, side: 'current' });
    const found = createMapper(document.original).mapObject(pool, { name: 'foo', namespace: 'ns' });
    expect(trace.object).toMatchObject({ name: 'foo', namespace: 'ns', hash: found.hash });
    expect(trace.up).toEqual(found.up);
  });

  it('are the text that the command prints', async () => {
    const file = await readMapFile(fixture('cluster-10osd/d.osdmap'));
    const document = new OpenDocument({ name: 'd.osdmap', file, notes: [] });
    const text = (pool: number, ps: number) => explainText(document, { pool, ps, side: 'current' });
    expect(text(6, 0x11)).toBe(fixtureText('explain/erasure.txt'));
    expect(text(1, 7)).toBe(fixtureText('explain/upmap.txt'));
    expect(text(2, 0xff)).toBe(fixtureText('explain/beyond-pg-num.txt'));
  });
});
