import { createServer } from 'node:http';
import { locate, pgMap, Refusal } from './answers.js';

/**
 * Answers from what a follower has:
 *
 *   GET /locate?pool=POOL&object=OBJECT[&namespace=NAMESPACE][&key=KEY]
 *   GET /pg/PGID
 *   GET /epoch      which map, since when, and what it moved
 *   GET /healthz    200 with a map, 503 without; `status` is degraded where something is wrong
 *
 * @param {import('./follower.js').Follower} follower
 */
export function makeServer(follower, log = () => {}) {
  return createServer((request, response) => {
    const { status, body, headers } = respond(follower, request, log);
    const text = Buffer.from(`${JSON.stringify(body)}\n`);
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': text.length,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  });
}

function respond(follower, { method, url }, log) {
  try {
    if (method !== 'GET' && method !== 'HEAD') {
      const { status, body } = refuse(405, `${method} is not answered, only GET and HEAD`);
      return { status, body, headers: { Allow: 'GET, HEAD' } };
    }
    // Taken apart here: URL would put other bytes in the place of those that are no UTF-8.
    const [, path, query = ''] = /^([^?#]*)\??([^#]*)/.exec(url);
    if (path === '/healthz') return health(follower);
    return { status: 200, body: answer(demandState(follower), path, query) };
  } catch (error) {
    if (error instanceof Refusal) return refuse(error.status, error.message);
    log(error.stack);
    return refuse(500, 'the service failed; its log says why');
  }
}

function answer({ map, mapper, from, since, moved }, path, query) {
  if (path === '/locate') return locate(mapper, query);
  if (path === '/epoch') return { epoch: map.epoch, fsid: uuidOf(map.fsid), from, since, moved };
  if (path.startsWith('/pg/')) return pgMap(mapper, path.slice('/pg/'.length));
  throw new Refusal(404, 'there are /locate?pool=POOL&object=OBJECT, /pg/PGID, /epoch and /healthz');
}

function health({ state, problems }) {
  const status = state === undefined ? 'no map' : problems.length > 0 ? 'degraded' : 'ok';
  return {
    status: state === undefined ? 503 : 200,
    body: { status, epoch: state?.map.epoch ?? null, problems },
  };
}

function demandState({ state, problems }) {
  if (state !== undefined) return state;
  const [{ file, message } = { file: '', message: 'none was found' }] = problems;
  throw new Refusal(503, `there is no map yet: ${file === '' ? message : `${file}: ${message}`}`);
}

function refuse(status, message) {
  return { status, body: { error: { status, message } } };
}

function uuidOf(bytes) {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
