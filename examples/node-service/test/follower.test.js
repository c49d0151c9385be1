import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createMapper, readOsdMapBinary, view, writeOsdMapBinary } from 'crush-wasm';
import { Follower } from '../src/follower.js';
import { FULLS, INCREMENTALS, LAST, OSDMAP, ROOT } from './maps.js';

test('a cluster is followed by its incrementals, and what each epoch moves is told', async () => {
  const follower = await having(['full.1', FULLS[1]]);
  let moved = 0;
  for (let epoch = 2; epoch <= LAST; epoch++) {
    await take(follower, [`inc.${epoch}`, INCREMENTALS[epoch]]);
    const { state } = follower;
    assert.deepEqual([state.map.epoch, state.from], [epoch, `inc.${epoch}`]);
    assert.deepEqual(state.moved, movedBetween(FULLS[epoch - 1], FULLS[epoch]), `epoch ${epoch}`);
    moved += state.moved.length;
  }
  assert.deepEqual(placesOf(follower.state.mapper), placesOf(mapperOf(FULLS[LAST])));
  assert.deepEqual(follower.problems, []);
  assert.ok(moved > 20, `${moved} pools in which PGs moved`);
});

test('files may come in any order and at once', async () => {
  const files = [];
  for (let epoch = 2; epoch <= LAST; epoch++) files.push([`inc.${epoch}`, INCREMENTALS[epoch]]);
  const follower = await having(...files.reverse(), ['full.1', FULLS[1]]);
  assert.equal(follower.state.map.epoch, LAST);
  assert.deepEqual(placesOf(follower.state.mapper), placesOf(mapperOf(FULLS[LAST])));
});

test('whole maps go before incrementals, the newest first', async () => {
  const lines = [];
  const follower = new Follower((line) => lines.push(line));
  await take(follower, ['a', FULLS[40]], ['b', FULLS[60]], ['c', FULLS[50]], ['d', INCREMENTALS[61]]);
  assert.equal(follower.state.map.epoch, 61);
  assert.deepEqual(
    lines.map((line) => line.split(':')[0]),
    ['epoch 60', 'epoch 61'],
  );
});

test('a missing incremental is told of, and waited for', async () => {
  const follower = await having(['full.50', FULLS[50]]);
  await take(
    follower,
    ['inc.52', INCREMENTALS[52]],
    ['inc.53', INCREMENTALS[53]],
    ['inc.40', INCREMENTALS[40]],
  );
  assert.equal(follower.state.map.epoch, 50);
  assert.deepEqual(follower.problems, [
    { file: 'incrementals', message: 'that of epoch 51 is missing; 2 from 52 on wait for it' },
  ]);
  await take(follower, ['inc.51', INCREMENTALS[51]]);
  assert.deepEqual([follower.state.map.epoch, follower.problems], [53, []]);
});

test('an older map changes nothing', async () => {
  const follower = await having(['full.50', FULLS[50]]);
  const { state } = follower;
  await take(follower, ['full.49', FULLS[49]], ['again', FULLS[50]], ['inc.50', INCREMENTALS[50]]);
  assert.equal(follower.state, state);
  assert.deepEqual(follower.problems, []);
});

describe('the last good map stays where the next', () => {
  const damaged = Buffer.from(FULLS[51]);
  damaged[2000] ^= 1;
  const damagedIncremental = Buffer.from(INCREMENTALS[51]);
  damagedIncremental[100] ^= 1;
  for (const [what, bytes, message] of [
    ['is damaged', damaged, /: the map is damaged/],
    ['ends early', FULLS[51].subarray(0, 1000), /./],
    ['is a damaged incremental', damagedIncremental, /is damaged/],
    ['is empty', Buffer.alloc(0), /^the input is empty/],
    ['is no map', Buffer.from('# Notes'), /^the input starts with "# Notes"/],
    [
      'has no pools',
      readFileSync(new URL('test/fixtures/crushmaps/s.crushmap', ROOT)),
      /^this is a CRUSH map/,
    ],
    ['is of another cluster', OSDMAP, /^this map is of another cluster/],
  ]) {
    test(what, async () => {
      const follower = await having(['full.50', FULLS[50]]);
      const { state } = follower;
      await take(follower, ['next', bytes]);
      assert.equal(follower.state, state);
      assert.deepEqual(
        follower.problems.map(({ file }) => file),
        ['next'],
      );
      assert.match(follower.problems[0].message, message);
      // The file is replaced by a good one.
      await take(follower, ['next', FULLS[51]]);
      assert.deepEqual([follower.state.map.epoch, follower.problems], [51, []]);
    });
  }

  test('cannot be mapped from', async () => {
    const map = readOsdMapBinary(FULLS[51]);
    const root = map.crush.buckets.find((bucket) => bucket?.items.some((item) => item < 0));
    const cyclic = {
      ...map.crush,
      buckets: map.crush.buckets.map((bucket) =>
        bucket === root ? { ...root, items: root.items.map(() => root.id) } : bucket,
      ),
    };
    const follower = await having(['full.50', FULLS[50]]);
    await take(follower, ['next', writeOsdMapBinary({ ...map, crush: cyclic })]);
    assert.equal(follower.state.map.epoch, 50);
    assert.match(follower.problems[0].message, /itself|cycle|loop/);
    await take(follower, ['inc.51', INCREMENTALS[51]]);
    assert.deepEqual(follower.state.moved, movedBetween(FULLS[50], FULLS[51]));
    assert.equal(follower.state.map.epoch, 51);
  });

  test('is not what the monitors made of it', async () => {
    const map = readOsdMapBinary(FULLS[59]);
    const other = writeOsdMapBinary({ ...map, osdWeight: map.osdWeight.map(() => 0x8000) });
    const follower = await having(['full.59', other]);
    await take(follower, ['inc.60', INCREMENTALS[60]]);
    assert.equal(follower.state.map.epoch, 59);
    assert.match(follower.problems[0].message, /is not the monitors' .*ceph osd getmap 60$/);
    await take(follower, ['full.60', FULLS[60]]);
    assert.equal(follower.state.map.epoch, 60);
  });
});

async function having(...files) {
  const follower = new Follower();
  await take(follower, ...files);
  return follower;
}

async function take(follower, ...files) {
  for (const [name, bytes] of files) await follower.read(name, bytes);
  follower.advance();
}

function mapperOf(bytes) {
  return createMapper(readOsdMapBinary(bytes));
}

/** Every PG of every pool: where it is up and acting. */
function placesOf(mapper) {
  const places = new Map();
  for (const columns of mapper.mapAll()) {
    for (let i = 0; i < columns.count; i++) {
      const { up, upPrimary, acting, actingPrimary } = view(columns, i);
      places.set(`${columns.pool}.${i}`, JSON.stringify([up, upPrimary, acting, actingPrimary]));
    }
  }
  return places;
}

/** Pools with PGs that lie elsewhere, where both maps have the pool with as many PGs of the same size. */
function movedBetween(before, after) {
  const [from, to] = [mapperOf(before), mapperOf(after)];
  const [old, now] = [placesOf(from), placesOf(to)];
  return [...to.map.pools.values()]
    .filter(({ id, pgNum, size }) => {
      const pool = from.map.pools.get(id);
      return pool?.pgNum === pgNum && pool.size === size;
    })
    .map(({ id, name, pgNum }) => {
      const pgids = Array.from({ length: pgNum }, (_, ps) => `${id}.${ps}`);
      return { pool: name, pgs: pgids.filter((pgid) => old.get(pgid) !== now.get(pgid)).length };
    })
    .filter(({ pgs }) => pgs > 0);
}
