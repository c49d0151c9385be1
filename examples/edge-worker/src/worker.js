// Says where objects of a Ceph cluster live:
//
//   GET /locate?pool=POOL&object=OBJECT[&namespace=NAMESPACE][&key=KEY]    as `ceph osd map -f json`
//   GET /healthz                                                           which map, and what is wrong with the next
import { checkSeconds, currentMap, mapState } from './current-map.js';
import { locate } from './locate.js';
import { asProblem, Problem } from './problem.js';

const METHODS = 'GET, HEAD, OPTIONS';

export default {
  async fetch(request, environment, context) {
    const response = await respond(request, environment, context).catch((error) => refuse(asProblem(error)));
    response.headers.set('X-Content-Type-Options', 'nosniff');
    // Without it browsers show answers to pages of this origin alone.
    if (environment.ALLOW_ORIGIN)
      response.headers.set('Access-Control-Allow-Origin', environment.ALLOW_ORIGIN);
    return request.method === 'HEAD' ? new Response(null, response) : response;
  },
};

async function respond(request, environment, context) {
  const { pathname, search } = new URL(request.url);
  if (pathname !== '/locate' && pathname !== '/healthz') {
    throw new Problem(404, 'not-found', 'there are /locate?pool=POOL&object=OBJECT and /healthz');
  }
  if (request.method === 'OPTIONS') {
    return new Response(null, {
      status: 204,
      headers: { Allow: METHODS, 'Access-Control-Allow-Methods': METHODS, 'Access-Control-Max-Age': '86400' },
    });
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new Problem(405, 'bad-method', `${request.method} is not answered, only ${METHODS}`, {
      Allow: METHODS,
    });
  }
  const { mapper, digest } = await currentMap(environment, context);
  if (pathname === '/healthz') {
    return Response.json(mapState(environment), { headers: { 'Cache-Control': 'no-store' } });
  }
  const answer = locate(mapper, search);
  const headers = {
    'Cache-Control': `public, max-age=${checkSeconds(environment)}`,
    ETag: `"${mapper.map.epoch}-${digest}"`,
  };
  if (isMatch(request.headers.get('If-None-Match'), headers.ETag)) {
    return new Response(null, { status: 304, headers });
  }
  return Response.json(answer, { headers });
}

function refuse({ status, code, message, headers }) {
  return Response.json(
    { error: { status, code, message } },
    {
      status,
      headers: { 'Cache-Control': 'no-store', ...headers },
    },
  );
}

/** Whether a client has the answer already: an answer is its URL's and the map's. */
function isMatch(tags, tag) {
  return (tags ?? '').split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')));
}
