/**
 * From an object's name to its PG, against what a monitor answers.
 */
import { describe, expect, it } from 'vitest';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import type { Pool } from '../src/osdmap/model.ts';
import { objectHash, stableMod, stringHashLinux } from '../src/osdmap/object-hash.ts';
import { createMapper } from '../src/osdmap/pg-mapper.ts';
import { fixture } from './fixtures.ts';

const map = readOsdMapBinary(fixture('cluster-10osd/a.osdmap'));
const mapper = createMapper(map);

/**
 * What Ceph 16.2.15 answered to `ceph osd map p OBJECT [NAMESPACE]` for a pool with pg_num 100:
 * namespace, object, raw hash, placement seed.
 */
const ANSWERS: readonly (readonly [string, string, string, string])[] = [
  ['', 'a', '29eec818', '18'],
  ['', 'foo', '7fc1f406', '6'],
  ['', 'rbd_header.1234', 'ad4ccb1f', '1f'],
  ['', '100000003e8.00000000', '89af4cd3', '53'],
  ['', 'x'.repeat(11), 'fbe650d0', '50'],
  ['', 'x'.repeat(12), '665d9c6e', '2e'],
  ['', 'x'.repeat(13), 'e0f3b364', '24'],
  ['', 'x'.repeat(23), '4c2f1631', '31'],
  ['', 'x'.repeat(24), '63a8542a', '2a'],
  ['', 'x'.repeat(25), 'd187348d', 'd'],
  ['', '.dir.4b1c', 'bf17a80a', 'a'],
  ['', 'objet-é', '2d25b095', '15'],
  ['', '对象', '9e36fbc1', '41'],
  ['', 'a b', 'e17a7758', '58'],
  ['', 'ÿ\u0080', '284d8e68', '28'],
  ['ns', 'a', '217c94ca', '4a'],
  ['ns', 'foo', 'ac17f0b6', '36'],
  ['ns', 'x'.repeat(23), '65e1c25', '25'],
  ['ns', 'objet-é', '36c5d399', '19'],
  ['名', 'a', '18c84b70', '30'],
  ['名', '对象', 'd8971371', '31'],
  ['名', 'x'.repeat(12), '7155e1a8', '28'],
  ['n'.repeat(12), 'rbd_header.1234', '38dbd410', '10'],
  ['n'.repeat(12), 'ÿ\u0080', '28e654f', '4f'],
];

describe('objects', () => {
  const pool: Pool = { ...mapper.pool('odd'), pgNum: 100, pgpNum: 100 };

  it.each(ANSWERS)('namespace "%s" object "%s" hashes to %s, PG %s', (namespace, name, hash, ps) => {
    expect(objectHash(pool, { name, namespace }).toString(16)).toBe(hash);
    if (namespace === '') expect(objectHash(pool, name).toString(16)).toBe(hash);
    expect(stableMod(Number.parseInt(hash, 16), 100).toString(16)).toBe(ps);
  });

  it('may be named by bytes, which need not be text', () => {
    const utf8 = new TextEncoder();
    for (const [namespace, name, hash] of ANSWERS) {
      const bytes = { name: utf8.encode(name), namespace: utf8.encode(namespace) };
      expect(objectHash(pool, bytes).toString(16)).toBe(hash);
    }
    expect(objectHash(pool, utf8.encode('foo'))).toBe(objectHash(pool, 'foo'));
    expect(objectHash(pool, { name: 'a', key: utf8.encode('foo') })).toBe(objectHash(pool, 'foo'));
    // A byte that is no UTF-8, as osdmaptool 16.2.15 places it: d.osdmap --test-map-object $'f\\xff' --pool 1.
    const other = createMapper(readOsdMapBinary(fixture('cluster-10osd/d.osdmap')));
    const { pgid, acting } = other.mapObject(1, Uint8Array.of(0x66, 0xff));
    expect([pgid.ps, acting]).toEqual([0x31, [5, 8]]);
    expect(other.mapObject(1, 'f\ufffd').pgid.ps).not.toBe(0x31);
  });

  it('of any length hash the same as text and as bytes', () => {
    for (let length = 1; length <= 300; length++) {
      const name = Array.from({ length }, (_, i) => String.fromCharCode(1 + ((i * 37 + length) % 127))).join(
        '',
      );
      expect(objectHash(pool, name)).toBe(objectHash(pool, new TextEncoder().encode(name)));
    }
  });

  it('whose text is half a character are refused', () => {
    expect(() => objectHash(pool, 'a\ud800')).toThrow('this name is no Unicode text; give its bytes');
    expect(objectHash(pool, '😀')).toBe(objectHash(pool, new TextEncoder().encode('😀')));
  });

  it('are placed by their locator key where they have one', () => {
    const byKey = objectHash(pool, { name: 'anything', key: 'foo', namespace: 'ns' });
    expect(byKey).toBe(0xac17f0b6);
    expect(objectHash(pool, { name: 'foo', key: '' })).toBe(0x7fc1f406);
  });

  it('are hashed the linux way in pools that say so', () => {
    const bytes = new TextEncoder().encode('ab');
    // By hand: (0 + 0x61 * 16 + 0x61 / 16) * 11 = 17138, then (17138 + 0x62 * 16 + 0x62 / 16) * 11.
    expect(stringHashLinux(bytes)).toBe((17138 + 1568 + 6) * 11);
    expect(objectHash({ ...pool, objectHash: 1 }, { name: 'ab' })).toBe(205832);
    expect(() => objectHash({ ...pool, objectHash: 3 }, { name: 'ab' })).toThrow('object hash 3 is unknown');
  });

  it('map to the sets of their PG', () => {
    const object = mapper.mapObject(mapper.pool('odd').id, 'foo');
    expect(object.hash).toBe(0x7fc1f406);
    expect(object.pgid.ps).toBe(6);
    const { hash, ...sets } = object;
    expect(hash).toBeGreaterThan(0);
    expect(sets).toEqual(mapper.mapPg(object.pgid.pool, 6));
  });
});

describe('stableMod', () => {
  it('keeps every number in range and moves few when n grows', () => {
    for (const n of [1, 2, 3, 5, 12, 100, 128, 37]) {
      for (let value = 0; value < 1000; value++) {
        const place = stableMod(value, n);
        expect(place).toBeLessThan(n);
        const grown = stableMod(value, n + 1);
        expect(grown === place || grown === n).toBe(true);
      }
    }
  });
});
