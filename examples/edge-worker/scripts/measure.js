// Measures how long an answer takes: npm run measure [-- FILE]. One request after the other over one connection to
// workerd on this machine, to /locate and, for what the way there and back costs, to a path that is answered at once.
// Prints the README's table; the bundled map's figures are kept in measured.json.
import { writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { bundle, startWith } from './local.js';
import { tableOf } from './table.js';

const WARM_UP = 2_000;
const REQUESTS = 20_000;

const [file] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let miniflare;
try {
  await bundle();
  miniflare = await startWith(file === undefined ? undefined : resolve(process.env.INIT_CWD ?? '.', file));
  const origin = await miniflare.ready;
  // The runtime itself is up before the first map is read.
  await time(new URL('/', origin), 404);
  const { milliseconds } = await time(new URL('/healthz', origin));
  const measured = {
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.versions.node,
    requests: REQUESTS,
    readMap: round(milliseconds),
    rows: {
      '/locate': await measure((i) => new URL(`/locate?pool=1&object=rbd_data.1234.${i}`, origin)),
      'a 404, for comparison': await measure(() => new URL('/', origin), 404),
    },
  };
  if (file === undefined) {
    await writeFile(new URL('../measured.json', import.meta.url), `${JSON.stringify(measured, null, 2)}\n`);
  }
  console.log(`the map is read in ${measured.readMap} ms\n\n${tableOf(measured)}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  agent.destroy();
  await miniflare?.dispose();
}

/** Times of all requests but the first ones, in milliseconds. */
async function measure(urlOf, status) {
  for (let i = 0; i < WARM_UP; i++) await time(urlOf(i), status);
  const times = new Float64Array(REQUESTS);
  for (let i = 0; i < REQUESTS; i++) times[i] = (await time(urlOf(WARM_UP + i), status)).milliseconds;
  times.sort();
  const quantile = (share) => round(times[Math.ceil(share * times.length) - 1]);
  return { p50: quantile(0.5), p99: quantile(0.99), slowest: quantile(1) };
}

/** One request, to the last byte of its answer. */
function time(url, status = 200) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    get(url, { agent }, (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode !== status) reject(new Error(`${url} gave ${response.statusCode}`));
        else resolve({ milliseconds: performance.now() - started });
      });
    }).on('error', reject);
  });
}

function round(milliseconds) {
  return Number(milliseconds.toFixed(3));
}
