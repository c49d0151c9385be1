import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { readExample } from '../src/worker/examples.ts';
import { OpenDocument } from '../src/worker/open-document.ts';
import { openDocument } from '../src/worker/shelf.ts';
import { closeDocument, openFiles } from '../src/worker/topics/open.ts';
import { documentState } from '../src/worker/topics/state.ts';
import { createMapper } from '../../src/osdmap/pg-mapper.ts';

const open = (id: string) => new OpenDocument({ ...readExample(id), notes: [] });

describe('open documents', () => {
  it('maps the example as the library does, before and after the session takes over', () => {
    const document = open('cluster-8osd');
    const mapper = createMapper(document.original);
    for (const pool of document.original.pools.keys()) {
      expect(document.columns(pool).up.osds).toEqual(mapper.mapPool(pool).up.osds);
    }
    const osdWeight = document.original.osdWeight.slice();
    osdWeight[3] = 0;
    const changed = { ...document.original, osdWeight };
    document.change(changed);
    expect(document.version).toBe(1);
    const after = createMapper(changed);
    for (const pool of changed.pools.keys()) {
      expect(document.columns(pool).up.osds).toEqual(after.mapPool(pool).up.osds);
      expect(document.originalColumns(pool).up.osds).toEqual(mapper.mapPool(pool).up.osds);
    }
  });

  it('takes changes of maps with more pools than a session has memory for', () => {
    const { file } = readExample('cluster-8osd');
    if (file.kind !== 'osdmap') throw new Error('the example is an OSDMap');
    const [like] = file.map.pools.values();
    if (like === undefined) throw new Error('the example has pools');
    const many = new Map(
      Array.from({ length: 300 }, (_, i) => [i + 1, { ...like, id: i + 1, name: `pool${i + 1}` }] as const),
    );
    const document = new OpenDocument({
      name: 'many',
      file: { ...file, map: { ...file.map, pools: many } },
      notes: [],
    });
    let instances = 0;
    const construct: ProxyHandler<typeof WebAssembly.Instance>['construct'] = (target, given) => {
      instances++;
      return Reflect.construct(target, given) as WebAssembly.Instance;
    };
    const spy = new Proxy(WebAssembly.Instance, { construct });
    vi.stubGlobal('WebAssembly', Object.create(WebAssembly, { Instance: { value: spy } }));
    document.prepareChanges();
    const osdWeight = document.original.osdWeight.slice();
    osdWeight[3] = 0;
    const changed = { ...document.original, osdWeight };
    document.change(changed);
    const after = createMapper(changed);
    for (const pool of [1, 77, 300]) {
      expect(document.columns(pool).up.osds).toEqual(after.mapPool(pool).up.osds);
    }
    document.change(document.original);
    expect(document.columns(300)).toEqual(document.originalColumns(300));
    // Browsers set aside 10 GiB of addresses for each, and have no more than 1 TiB.
    expect(instances).toBeGreaterThan(1);
    expect(instances).toBeLessThan(10);
    vi.unstubAllGlobals();
  });

  it('goes on when changes make more PGs than a session has memory for', () => {
    const document = open('cluster-8osd');
    const [like] = document.original.pools.values();
    if (like === undefined) throw new Error('the example has pools');
    const pools = new Map(document.original.pools);
    for (let id = 1000; id < 1100; id++)
      pools.set(id, { ...like, id, name: `new${id}`, pgNum: 4, pgpNum: 4 });
    document.change(document.original);
    document.change({ ...document.original, pools });
    expect(document.columns(1099).up.osds).toEqual(createMapper(document.current).mapPool(1099).up.osds);
    expect(document.originalColumns(3)).toEqual(createMapper(document.original).mapPool(3));
    document.change(document.original);
    expect(document.columns(3)).toEqual(document.originalColumns(3));
  });

  it('finds out but once that a pool cannot be mapped', () => {
    const { file } = readExample('cluster-8osd');
    if (file.kind !== 'osdmap') throw new Error('the example is an OSDMap');
    const [pool] = file.map.pools.values();
    if (pool === undefined) throw new Error('the example has pools');
    const map = { ...file.map, pools: new Map([[pool.id, { ...pool, type: 2 }]]) };
    const document = new OpenDocument({ name: 'broken', file: { ...file, map }, notes: [] });
    const failure = (): unknown => {
      try {
        return document.columns(pool.id);
      } catch (error) {
        return error;
      }
    };
    const first = failure();
    expect(first).toMatchObject({ code: 'unsupported' });
    expect(failure()).toBe(first);
    // A change that leaves it so.
    document.change({ ...map, epoch: map.epoch + 1 });
    const changed = failure();
    expect(changed).toMatchObject({ code: 'unsupported' });
    expect(failure()).toBe(changed);
  });

  it('makes the large example of the size that it claims', () => {
    const document = open('large');
    const state = documentState(document);
    expect(state.osds).toBe(10_080);
    expect(state.pools.reduce((sum, { pgNum }) => sum + pgNum, 0)).toBe(100_352);
    expect(state.obstacle).toBeUndefined();
    expect(document.columns(2).width).toBe(11);
  });

  it('takes the last file that was given, whichever is read first', async () => {
    const plain = new Uint8Array(readFileSync('examples/cluster-8osd/osdmap'));
    // Unpacking takes longer than reading.
    const packed = { name: 'packed', bytes: new Uint8Array(gzipSync(plain)) };
    const first = openFiles([packed], false, 101);
    const second = openFiles([{ name: 'plain', bytes: plain }], false, 102);
    await expect(first).rejects.toMatchObject({ code: 'refused' });
    expect((await second).name).toBe('plain');
    expect(openDocument().source.name).toBe('plain');

    const late = openFiles([packed], false, 103);
    const broken = openFiles([{ name: 'broken', bytes: plain.subarray(0, 50) }], false, 104);
    await expect(broken).rejects.toMatchObject({ place: { file: 'broken' } });
    await expect(late).rejects.toMatchObject({ code: 'refused' });
    expect(openDocument().source.name).toBe('plain');

    const closed = openFiles([packed], false, 105);
    closeDocument(106);
    await expect(closed).rejects.toMatchObject({ code: 'refused' });
    expect(openDocument).toThrow('no map is open');
  });
});
