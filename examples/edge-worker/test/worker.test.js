// The worker in workerd, against what osdmaptool and a monitor of 16.2.15 say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { readOsdMapBinary, writeOsdMapBinary } from 'crush-wasm';
import { bundle, start } from '../scripts/local.js';
import { tableOf } from '../scripts/table.js';

const ROOT = new URL('../../../', import.meta.url);
const CLUSTER = new URL('examples/cluster-8osd/', ROOT);
const OSDMAP = readFileSync(new URL('osdmap', CLUSTER));

before(async () => {
  const warnings = await bundle();
  assert.deepEqual(warnings, []);
});

describe('the bundled map', () => {
  const worker = useWorker();

  test('objects live where osdmaptool says', async () => {
    const pgs = goldenPgs();
    const objects = [
      ...readFileSync(new URL('objects.txt', CLUSTER), 'utf8').matchAll(
        /^ object '(.*)' -> ((\d+)\.[0-9a-f]+) -> (\[.*\])$/gm,
      ),
    ];
    assert.equal(objects.length, 72);
    for (const [, object, pgid, pool, acting] of objects) {
      const answer = await worker.json(`/locate?${new URLSearchParams({ pool, object })}`);
      const { epoch, objname } = answer;
      assert.deepEqual({ epoch, objname, pgid: answer.pgid }, { epoch: 97, objname: object, pgid });
      assert.deepEqual(answer.acting, JSON.parse(acting), `${pool} ${object}`);
      assert.equal(setsOf(answer), pgs.get(pgid), `${pool} ${object}`);
    }
  });

  test('an answer has what `ceph osd map -f json` prints', async () => {
    assert.deepEqual(await worker.json('/locate?pool=rep&object=foo'), {
      epoch: 97,
      pool: 'rep',
      pool_id: 3,
      objname: 'foo',
      raw_pgid: '3.7fc1f406',
      pgid: '3.6',
      up: [3, 5, 6],
      up_primary: 3,
      acting: [3, 5, 6],
      acting_primary: 3,
    });
  });

  test('namespace and key count, and names may be any bytes', async () => {
    const raw = async (query) => {
      const { raw_pgid, objname, key } = await worker.json(`/locate?pool=3&${query}`);
      return [raw_pgid, objname, key];
    };
    // What a monitor answered to `ceph osd map POOL OBJECT NAMESPACE`.
    assert.deepEqual(await raw('object=foo&namespace=ns'), ['3.ac17f0b6', 'ns/foo', undefined]);
    assert.deepEqual(await raw('object=objet-%C3%A9&namespace=ns'), ['3.36c5d399', 'ns/objet-é', undefined]);
    assert.deepEqual(await raw('object=objet-é'), ['3.2d25b095', 'objet-é', undefined]);
    assert.deepEqual(await raw('object=a+b'), ['3.e17a7758', 'a b', undefined]);
    assert.deepEqual(await raw('object=other&key=foo'), ['3.7fc1f406', 'other', 'foo']);
    assert.deepEqual(await raw('object=foo&namespace=&key='), ['3.7fc1f406', 'foo', undefined]);
    // osdmaptool --test-map-object $'f\xff' --pool 3
    const { pgid, acting } = await worker.json('/locate?pool=3&object=f%ff');
    assert.deepEqual([pgid, acting], ['3.31', [1, 3, 6]]);
  });

  for (const [path, status, message] of [
    ['/', 404, /^there are \/locate\?pool=POOL&object=OBJECT and \/healthz$/],
    ['/locate', 400, /^the parameter pool is missing/],
    ['/locate?pool=3', 400, /^the parameter object is missing/],
    ['/locate?pool=3&object=', 400, /^the parameter object is missing/],
    ['/locate?pool=3&object=a&object=b', 400, /^the parameter object is there more than once$/],
    ['/locate?pool=3&object=a&nspace=b', 400, /^there is no parameter 'nspace', only pool, object,/],
    ['/locate?pool=3&object=100%', 400, /^'%' is no percent-encoded byte; a % itself is %25$/],
    ['/locate?pool=%ff&object=a', 400, /^the name of the pool is not UTF-8$/],
    ['/locate?pool=99&object=a', 404, /^there is no pool 99; the map has 1 'fsmeta', 2 /],
    ['/locate?pool=nope&object=a', 404, /^there is no pool 'nope'; the map has 1 'fsmeta', 2 /],
    ['/locate?pool=-1&object=a', 404, /^there is no pool '-1'; /],
    ['/locate?pool=99999999999999999999&object=a', 404, /^there is no pool '99999999999999999999'; /],
  ]) {
    test(`${path} is refused with ${status}`, async () => {
      const response = await worker.fetch(path);
      const { error } = await response.json();
      assert.equal(response.status, status);
      assert.equal(error.status, status);
      assert.match(error.message, message);
      assert.equal(response.headers.get('Cache-Control'), 'no-store');
      assert.equal(response.headers.get('Content-Type'), 'application/json');
    });
  }

  test('HEAD has the head of GET', async () => {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) => worker.fetch('/locate?pool=3&object=foo', { method })),
    );
    assert.deepEqual([head.status, await head.text()], [200, '']);
    for (const name of ['ETag', 'Cache-Control', 'Content-Type']) {
      assert.equal(head.headers.get(name), get.headers.get(name), name);
    }
    assert.equal((await worker.fetch('/locate?pool=99&object=a', { method: 'HEAD' })).status, 404);
  });

  test('OPTIONS says which methods there are, and others are refused with them', async () => {
    const options = await worker.fetch('/locate', { method: 'OPTIONS' });
    assert.deepEqual([options.status, options.headers.get('Allow')], [204, 'GET, HEAD, OPTIONS']);
    assert.equal(options.headers.get('Access-Control-Allow-Origin'), null);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const response = await worker.fetch('/locate?pool=3&object=foo', { method });
      assert.deepEqual([response.status, response.headers.get('Allow')], [405, 'GET, HEAD, OPTIONS']);
      assert.match((await response.json()).error.message, new RegExp(`^${method} is not answered`));
    }
  });

  test('answers may be kept for a while, and are not sent again to those who have them', async () => {
    const response = await worker.fetch('/locate?pool=3&object=foo');
    assert.equal(response.headers.get('Cache-Control'), 'public, max-age=10');
    const tag = response.headers.get('ETag');
    assert.match(tag, /^"97-[0-9a-f]{24}"$/);
    for (const tags of [tag, `"other", W/${tag}`, '*']) {
      const again = await worker.fetch('/locate?pool=3&object=foo', { headers: { 'If-None-Match': tags } });
      assert.deepEqual([again.status, await again.text(), again.headers.get('ETag')], [304, '', tag], tags);
    }
    const other = await worker.fetch('/locate?pool=3&object=foo', { headers: { 'If-None-Match': '"97-0"' } });
    assert.equal(other.status, 200);
  });
});

describe('settings', () => {
  test('pages of another origin are let in where it is named', async () => {
    const miniflare = start({ bindings: { ALLOW_ORIGIN: 'https://ops.example', MAP_CHECK_SECONDS: '60' } });
    try {
      for (const path of ['/locate?pool=3&object=foo', '/locate']) {
        const response = await miniflare.dispatchFetch(`http://localhost${path}`);
        assert.equal(response.headers.get('Access-Control-Allow-Origin'), 'https://ops.example');
        await response.text();
      }
    } finally {
      await miniflare.dispose();
    }
  });

  test('what is no number of seconds is said', async () => {
    const miniflare = start({ bindings: { MAP_CHECK_SECONDS: '1.5 min' } });
    try {
      const response = await miniflare.dispatchFetch('http://localhost/locate?pool=3&object=foo');
      assert.equal(response.status, 503);
      assert.equal((await response.json()).error.message, "MAP_CHECK_SECONDS is '1.5 min', not 0 to 86400");
    } finally {
      await miniflare.dispose();
    }
  });
});

for (const { name, options, put } of [
  {
    name: "R2 object 'osdmap'",
    options: { r2Buckets: ['MAP_BUCKET'] },
    put: async (miniflare, bytes) =>
      (await miniflare.getR2Bucket('MAP_BUCKET')).put('osdmap', new Uint8Array(bytes)),
  },
  {
    name: "KV value 'osdmap'",
    options: { kvNamespaces: ['MAP_KV'] },
    put: async (miniflare, bytes) =>
      (await miniflare.getKVNamespace('MAP_KV')).put('osdmap', new Uint8Array(bytes)),
  },
]) {
  describe(`a map that is a ${name}`, () => {
    const worker = useWorker({ ...options, bindings: { MAP_CHECK_SECONDS: '0' } });
    const locate = () => worker.fetch('/locate?pool=3&object=foo');

    test('is missed while there is none', async () => {
      const response = await locate();
      assert.equal(response.status, 503);
      assert.equal(response.headers.get('Retry-After'), '0');
      assert.deepEqual((await response.json()).error, {
        status: 503,
        code: 'no-map',
        message: `there is no ${name}; put the file of 'ceph osd getmap' there`,
      });
    });

    test('is refused where it is damaged or of another kind', async () => {
      const damaged = new Uint8Array(OSDMAP);
      damaged[5000] ^= 1;
      await put(worker.miniflare, damaged);
      let response = await locate();
      assert.deepEqual([response.status, (await response.json()).error.code], [503, 'bad-crc']);
      await put(worker.miniflare, readFileSync(new URL('test/fixtures/crushmaps/s.crushmap', ROOT)));
      response = await locate();
      assert.equal(response.status, 503);
      assert.match((await response.json()).error.message, /is a CRUSH map, which has no pools/);
    });

    test('is followed from epoch to epoch, and stays where the next one is broken', async () => {
      await put(worker.miniflare, OSDMAP);
      assert.equal((await (await locate()).json()).epoch, 97);
      const first = (await locate()).headers.get('ETag');

      const map = readOsdMapBinary(OSDMAP);
      const next = { ...map, epoch: 98, osdWeight: map.osdWeight.with(3, 0) };
      await put(worker.miniflare, writeOsdMapBinary(next));
      const answer = await until(
        async () => (await locate()).json(),
        ({ epoch }) => epoch === 98,
      );
      assert.equal(answer.acting.includes(3), false);
      assert.notEqual((await locate()).headers.get('ETag'), first);

      await put(worker.miniflare, OSDMAP.subarray(0, 4000));
      const state = await until(
        () => worker.json('/healthz'),
        ({ problem }) => problem !== null,
      );
      assert.deepEqual([state.epoch, state.source], [98, name]);
      assert.match(state.problem, new RegExp(`^${name}: `));
      assert.equal((await (await locate()).json()).epoch, 98);

      await put(worker.miniflare, OSDMAP);
      const back = await until(
        () => worker.json('/healthz'),
        ({ epoch }) => epoch === 97,
      );
      assert.equal(back.problem, null);
      assert.equal((await locate()).headers.get('ETag'), first);
    });
  });
}

test('a value of KV with a version is read again only with another', async () => {
  const miniflare = start({ kvNamespaces: ['MAP_KV'], bindings: { MAP_CHECK_SECONDS: '0' } });
  try {
    const store = await miniflare.getKVNamespace('MAP_KV');
    const state = async () => (await miniflare.dispatchFetch('http://localhost/healthz')).json();
    const map = readOsdMapBinary(OSDMAP);
    await store.put('osdmap', new Uint8Array(OSDMAP), { metadata: { version: 97 } });
    assert.equal((await state()).epoch, 97);
    await store.put('osdmap', writeOsdMapBinary({ ...map, epoch: 98 }), { metadata: { version: 97 } });
    for (let i = 0; i < 5; i++) assert.equal((await state()).epoch, 97);
    await store.put('osdmap', writeOsdMapBinary({ ...map, epoch: 99 }), { metadata: { version: 99 } });
    await until(state, ({ epoch }) => epoch === 99);
  } finally {
    await miniflare.dispose();
  }
});

test('the README has the table that was measured last', () => {
  const measured = JSON.parse(readFileSync(new URL('../measured.json', import.meta.url), 'utf8'));
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  assert.ok(readme.includes(tableOf(measured)), tableOf(measured));
  assert.match(readme, new RegExp(`: ${Math.round(measured.readMap)} ms there for the example`));
});

/** A worker for the tests of a group. */
function useWorker(options = {}) {
  const worker = {
    miniflare: undefined,
    fetch: (path, init) => worker.miniflare.dispatchFetch(`http://localhost${path}`, init),
    async json(path) {
      const response = await worker.fetch(path);
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return JSON.parse(text);
    },
  };
  before(() => {
    worker.miniflare = start(options);
  });
  after(() => worker.miniflare.dispose());
  return worker;
}

/** What `osdmaptool --test-map-pgs-dump-all` says of each PG, without raw. */
function goldenPgs() {
  const text = readFileSync(new URL('test/fixtures/cluster-8osd/test-map-pgs-dump-all.txt', ROOT), 'utf8');
  return new Map(
    [...text.matchAll(/^(\d+\.[0-9a-f]+) raw \(.*?\) (up .*)$/gm)].map(([, pgid, sets]) => [pgid, sets]),
  );
}

function setsOf({ up, up_primary, acting, acting_primary }) {
  return `up ([${up.join(',')}], p${up_primary}) acting ([${acting.join(',')}], p${acting_primary})`;
}

/** Asks until the answer is as wanted: a new map is read in the background. */
async function until(ask, isWanted) {
  const end = Date.now() + 30_000;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    assert.ok(Date.now() < end, `still ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
