import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMapper, readOsdMapBinary } from 'crush-wasm';
import { startService } from '../src/service.js';
import { Command, Files } from '../src/sources.js';
import { FULLS, INCREMENTALS, LAST, OSDMAP, ROOT } from './maps.js';

const CLUSTER = new URL('examples/cluster-8osd/', ROOT);

describe('the example cluster', () => {
  let service;
  before(async () => {
    service = await started(new Files(fileURLToPath(new URL('osdmap', CLUSTER))));
  });
  after(() => service.close());
  const get = (path, method) => ask(service.address, path, method);

  test('objects live where osdmaptool says', async () => {
    const lines = readFileSync(new URL('objects.txt', CLUSTER), 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 72);
    for (const line of lines) {
      const [, object, pgid, pool, acting] = /^ object '(.*)' -> ((\d+)\..*) -> (\[.*\])$/.exec(line);
      const { body } = await get(`/locate?${new URLSearchParams({ pool, object })}`);
      assert.deepEqual([body.objname, body.pgid, body.acting], [object, pgid, JSON.parse(acting)], line);
    }
  });

  test('PGs lie where osdmaptool says', async () => {
    const golden = readFileSync(
      new URL('test/fixtures/cluster-8osd/test-map-pgs-dump-all.txt', ROOT),
      'utf8',
    );
    const lines = golden.split('\n').filter((line) => line.includes(' raw ('));
    assert.equal(lines.length, 321);
    for (const line of lines) {
      const [, pgid, sets] = /^(\S+) raw \(.*?\) (.*)$/.exec(line);
      const { body } = await get(`/pg/${pgid}`);
      const { up, up_primary, acting, acting_primary } = body;
      assert.deepEqual(
        [
          body.pgid,
          `up ([${up.join(',')}], p${up_primary}) acting ([${acting.join(',')}], p${acting_primary})`,
        ],
        [pgid, sets],
      );
    }
  });

  test('answers are what `ceph osd map` and `ceph pg map` print', async () => {
    const sets = { up: [3, 5, 6], up_primary: 3, acting: [3, 5, 6], acting_primary: 3 };
    const object = { pool: 'rep', pool_id: 3, objname: 'foo', raw_pgid: '3.7fc1f406', pgid: '3.6' };
    assert.deepEqual((await get('/locate?pool=rep&object=foo')).body, { epoch: 97, ...object, ...sets });
    const pg = { raw_pgid: '3.7fc1f406', pgid: '3.6' };
    assert.deepEqual((await get('/pg/3.7FC1F406')).body, { epoch: 97, ...pg, ...sets });
    const { shard, osd, acting } = (await get('/pg/7.1s3')).body;
    assert.deepEqual([shard, osd], [3, acting[3]]);
  });

  test('namespace and key count, and names may be any bytes', async () => {
    const raw = async (query) => {
      const { raw_pgid, objname } = (await get(`/locate?pool=3&${query}`)).body;
      return [raw_pgid, objname];
    };
    // What a monitor answered to `ceph osd map POOL OBJECT NAMESPACE`.
    assert.deepEqual(await raw('object=foo&namespace=ns'), ['3.ac17f0b6', 'ns/foo']);
    assert.deepEqual(await raw('object=objet-%C3%A9&namespace=ns'), ['3.36c5d399', 'ns/objet-é']);
    assert.deepEqual(await raw('object=a+b'), ['3.e17a7758', 'a b']);
    assert.deepEqual(await raw('object=other&key=foo'), ['3.7fc1f406', 'other']);
    // osdmaptool --test-map-object $'f\xff' --pool 3
    assert.deepEqual((await get('/locate?pool=3&object=f%ff')).body.acting, [1, 3, 6]);
    assert.equal((await get('/locate?pool=3&object=f%ff')).body.pgid, '3.31');
  });

  for (const [path, status, message] of [
    ['/', 404, /^there are \/locate/],
    ['/locate', 400, /^pool is missing: GET \/locate\?pool=POOL/],
    ['/locate?pool=3&object=', 400, /^object is missing/],
    ['/locate?pool=3&object=a&object=b', 400, /^object is there more than once/],
    ['/locate?pool=3&object=a&nspace=b', 400, /^there is no parameter "nspace"/],
    ['/locate?pool=99&object=a', 404, /^there is no pool 99; the map has 1 'fsmeta', /],
    ['/locate?pool=nope&object=a', 404, /^there is no pool 'nope'; /],
    ['/locate?pool=3&object=100%', 400, /^a % is not followed by two digits; a % itself is %25$/],
    ['/pg/3', 400, /^"3" is no PG; one is like 3.1f/],
    ['/pg/3.1g', 400, /is no PG/],
    ['/pg/3.100000000', 400, /is no PG/],
    ['/pg/99.1', 404, /^there is no pool 99/],
    ['/pg/3.1s0', 404, /^there is no shard 0 in pool 3, which has replicas, not shards$/],
    ['/pg/7.1s4', 404, /^there is no shard 4 in pool 7, which has shards 0 to 3$/],
  ]) {
    test(`${path} is refused with ${status}`, async () => {
      const response = await get(path);
      assert.equal(response.status, status);
      assert.equal(response.body.error.status, status);
      assert.match(response.body.error.message, message);
    });
  }

  test('HEAD has the head of GET; other methods are refused', async () => {
    const [head, whole] = [await get('/epoch', 'HEAD'), await get('/epoch')];
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers['content-length'], whole.headers['content-length']);
    const post = await get('/epoch', 'POST');
    assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD']);
  });

  test('/epoch says which map it is', async () => {
    const { epoch, fsid, from, moved } = (await get('/epoch')).body;
    assert.deepEqual([epoch, fsid, from, moved], [97, 'abe2279a-b9d1-448f-a67d-24b8cc9f2a87', 'osdmap', []]);
    assert.deepEqual((await get('/healthz')).body, { status: 'ok', epoch: 97, problems: [] });
  });
});

describe('a folder', () => {
  test('is followed, and broken files change nothing', async (context) => {
    const folder = useFolder(context);
    const service = await started(new Files(folder), { seconds: 1 });
    context.after(() => service.close());
    const health = async () => (await ask(service.address, '/healthz')).body;
    const put = (name, bytes) => {
      writeFileSync(join(folder, '.new'), bytes);
      renameSync(join(folder, '.new'), join(folder, name));
    };

    const none = await ask(service.address, '/pg/1.0');
    assert.deepEqual([none.status, none.body.error.message], [503, 'there is no map yet: none was found']);
    assert.equal((await ask(service.address, '/healthz')).status, 503);

    put('osdmap.50', FULLS[50].subarray(0, 2000));
    await until(health, ({ problems }) => problems.length === 1);
    assert.match(
      (await ask(service.address, '/epoch')).body.error.message,
      /^there is no map yet: osdmap.50: /,
    );

    put('osdmap.50', FULLS[50]);
    await until(health, ({ status, epoch }) => status === 'ok' && epoch === 50);

    put('inc.51', INCREMENTALS[51].subarray(0, 90));
    const degraded = await until(health, ({ status }) => status === 'degraded');
    assert.deepEqual([degraded.epoch, degraded.problems[0].file], [50, 'inc.51']);
    assert.equal((await ask(service.address, '/epoch')).body.epoch, 50);

    put('inc.52', INCREMENTALS[52]);
    await until(health, ({ problems }) => problems.some(({ file }) => file === 'incrementals'));
    rmSync(join(folder, 'inc.51'));
    await until(health, ({ problems }) => problems.length === 1);
    put('inc.51', INCREMENTALS[51]);
    await until(health, ({ status, epoch }) => status === 'ok' && epoch === 52);

    rmSync(folder, { recursive: true });
    const gone = await until(health, ({ status }) => status === 'degraded');
    assert.deepEqual(gone, {
      status: 'degraded',
      epoch: 52,
      problems: [{ file: folder, message: 'the folder cannot be read (ENOENT)' }],
    });
  });

  test('gives answers of one epoch each while epochs come', async (context) => {
    const folder = useFolder(context);
    writeFileSync(join(folder, 'osdmap.49'), FULLS[49]);
    const service = await started(new Files(folder), { seconds: 1 });
    context.after(() => service.close());
    const mappers = new Map();
    const mapperOf = (epoch) => {
      if (!mappers.has(epoch)) mappers.set(epoch, createMapper(readOsdMapBinary(FULLS[epoch])));
      return mappers.get(epoch);
    };
    const [pool] = mapperOf(49).map.pools.keys();
    const seen = new Set();
    let written = 49;
    const end = Date.now() + 30_000;
    while (!seen.has(LAST)) {
      if (written < LAST) {
        written++;
        writeFileSync(join(folder, `inc.${written}`), INCREMENTALS[written]);
      }
      const object = `object-${seen.size}`;
      const { status, body } = await ask(service.address, `/locate?pool=${pool}&object=${object}`);
      assert.equal(status, 200);
      const { up, acting, actingPrimary } = mapperOf(body.epoch).mapObject(pool, object);
      assert.deepEqual([body.up, body.acting, body.acting_primary], [up, acting, actingPrimary]);
      seen.add(body.epoch);
      assert.ok(Date.now() < end, `epoch ${body.epoch} still`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.ok(seen.size > 3, `${seen.size} epochs`);
  });
});

describe('a command', () => {
  test('is run again and again', async (context) => {
    const file = join(useFolder(context), 'map');
    const cat = `process.stdout.write(require('node:fs').readFileSync(${JSON.stringify(file)}))`;
    const service = await started(new Command([process.execPath, '-e', cat]), { seconds: 0.1 });
    context.after(() => service.close());
    const health = async () => (await ask(service.address, '/healthz')).body;
    const { status, problems } = await health();
    assert.equal(status, 'no map');
    assert.match(problems[0].message, /^the command failed: status 1, /);
    writeFileSync(file, OSDMAP);
    await until(health, (each) => each.status === 'ok' && each.epoch === 97);
    writeFileSync(file, OSDMAP.subarray(0, 5000));
    const degraded = await until(health, (each) => each.status === 'degraded');
    assert.equal(degraded.epoch, 97);
    assert.match(degraded.problems[0].file, /^output of /);
    writeFileSync(file, OSDMAP);
    await until(health, (each) => each.status === 'ok');
  });

  test('that does not end holds up neither answers nor the end', async () => {
    const service = await startService(new Command([process.execPath, '-e', 'setTimeout(() => {}, 50_000)']));
    assert.equal((await ask(service.address, '/healthz')).body.status, 'no map');
    const began = Date.now();
    await service.close();
    assert.ok(Date.now() - began < 20_000);
  });

  test('that is not there is told of', async (context) => {
    const service = await started(new Command(['no-such-program', 'osd']));
    context.after(() => service.close());
    assert.deepEqual((await ask(service.address, '/healthz')).body.problems, [
      { file: 'no-such-program osd', message: 'the command failed: ENOENT' },
    ]);
  });
});

describe('npm start', () => {
  const run = (args) =>
    spawn(process.execPath, [fileURLToPath(new URL('../src/main.js', import.meta.url)), ...args]);
  const textOf = async (stream) => {
    let text = '';
    for await (const piece of stream) text += piece;
    return text;
  };

  test('serves the example, and ends when told to', async () => {
    const service = run(['--port', '0']);
    const log = textOf(service.stderr);
    const address = await new Promise((resolve) =>
      service.stdout.once('data', (data) => resolve(String(data).trim())),
    );
    const { pathname, search, origin } = new URL(address);
    assert.equal((await ask(origin, pathname + search)).body.pgid, '1.6');
    service.kill('SIGTERM');
    assert.equal(await new Promise((resolve) => service.once('exit', resolve)), 0);
    assert.match(await log, /^\S+ epoch 97: 8 pools \([\d.]+ ms\)\n$/);
  });

  for (const [args, message] of [
    [['--port', '99999'], /^--port 99999 is not 0 to 65535\n$/],
    [['--every', '0'], /^--every 0 is not 1 to 86400\n$/],
    [['--prot', '1'], /^Unknown option '--prot'.*\nusage: npm start -- /s],
    [['a', 'b'], /^usage: npm start -- /],
    [['--run'], /^usage: npm start -- /],
  ]) {
    test(`${args.join(' ')} is refused`, async () => {
      const service = run(args);
      const [text, status] = await Promise.all([
        textOf(service.stderr),
        new Promise((resolve) => service.once('exit', resolve)),
      ]);
      assert.match(text, message);
      assert.equal(status, 1);
    });
  }
});

/** A service that has asked its source. */
async function started(source, options) {
  const service = await startService(source, options);
  await service.ready;
  return service;
}

function useFolder(context) {
  const folder = mkdtempSync(join(tmpdir(), 'crush-wasm-service-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One request; its path goes over the wire as it is. */
function ask(origin, path, method = 'GET') {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        const body = text === '' ? undefined : JSON.parse(text);
        resolve({ status: response.statusCode, headers: response.headers, text, body });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function until(ask, isWanted) {
  const end = Date.now() + 30_000;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    assert.ok(Date.now() < end, `still ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
