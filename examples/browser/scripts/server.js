import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };
const HERE = new URL('../', import.meta.url);
const OWN_FILES = new Map([
  ['/', 'index.html'],
  ['/index.html', 'index.html'],
  ['/main.js', 'main.js'],
  ['/style.css', 'style.css'],
  ['/osdmap', '../cluster-8osd/osdmap'],
]);
const LIBRARY = /^\/node_modules\/crush-wasm\/dist\/([\w-]+\.js)$/;

/**
 * Serves the page, the library's modules and the example map, and nothing else, under a policy that allows neither eval
 * nor any other address. The page's import map stands in the page, so the policy names it by its hash.
 *
 * @param {number} port - 0 for any
 */
export async function startServer(port) {
  const page = await readFile(new URL('index.html', HERE), 'utf8');
  const [, importMap] = /<script type="importmap">(.*?)<\/script>/s.exec(page);
  const hash = createHash('sha256').update(importMap).digest('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'`,
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const server = createServer((request, response) => {
    void answer(request).then(({ status, type, body = '' }) => {
      response.writeHead(status, {
        'Content-Type': type,
        'Content-Length': Buffer.byteLength(body),
        'Content-Security-Policy': policy,
        'X-Content-Type-Options': 'nosniff',
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    policy,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer({ method, url }) {
  if (method !== 'GET' && method !== 'HEAD') return refuse(405);
  const path = /^[^?#]*/.exec(url)[0];
  const file = fileOf(path);
  if (file === undefined) return refuse(404);
  try {
    const type = TYPES[extname(file.pathname)];
    return {
      status: 200,
      type: type === undefined ? 'application/octet-stream' : `${type}; charset=utf-8`,
      body: await readFile(file),
    };
  } catch {
    return refuse(404);
  }
}

function fileOf(path) {
  const [, module] = LIBRARY.exec(path) ?? [];
  if (module !== undefined) return new URL(module, import.meta.resolve('crush-wasm'));
  const own = OWN_FILES.get(path);
  return own === undefined ? undefined : new URL(own, HERE);
}

function refuse(status) {
  return {
    status,
    type: 'text/plain; charset=utf-8',
    body: status === 405 ? 'only GET and HEAD\n' : 'not found\n',
  };
}
