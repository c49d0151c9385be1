// Measures how long an answer takes: npm run measure [-- FILE]. One request after the other over one connection to
// workerd on this machine, to /locate and, for what the way there and back costs, to a path that is answered at once.
// Prints the README's table, medians of some rounds; the bundled map's figures are kept in measured.json.
import { writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { bundle, startWith } from './local.js';
import { tableOf } from './table.js';

const WARM_UP = 2_000;
const ROUNDS = 9;
const REQUESTS = 2_500;

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
  const paths = {
    '/locate': [(i) => new URL(`/locate?pool=1&object=rbd_data.1234.${i}`, origin), 200],
    'a 404, for comparison': [() => new URL('/', origin), 404],
  };
  for (const path of Object.values(paths)) await measure(WARM_UP, ...path);
  const rounds = [];
  for (let i = 0; i < ROUNDS; i++) {
    const round = {};
    for (const [name, path] of Object.entries(paths)) round[name] = await measure(REQUESTS, ...path);
    rounds.push(round);
  }
  const medianOf = (name, quantile) => median(rounds.map((round) => round[name][quantile]));
  const measured = {
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.versions.node,
    rounds: ROUNDS,
    requests: REQUESTS,
    readMap: rounded(milliseconds),
    rows: Object.fromEntries(
      Object.keys(paths).map((name) => [name, { p50: medianOf(name, 'p50'), p99: medianOf(name, 'p99') }]),
    ),
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

/** Quantiles of what some requests took, in milliseconds. */
async function measure(requests, urlOf, status) {
  const times = new Float64Array(requests);
  for (let i = 0; i < requests; i++) times[i] = (await time(urlOf(i), status)).milliseconds;
  times.sort();
  const quantile = (share) => rounded(times[Math.ceil(share * requests) - 1]);
  return { p50: quantile(0.5), p99: quantile(0.99) };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
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

function rounded(milliseconds) {
  return Number(milliseconds.toFixed(3));
}
