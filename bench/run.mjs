// `npm run bench`: how fast the mapper is, map by map and rule by rule. Prints a table and writes the same figures
// to bench/results/. The maps are the small one the project carries and, where CRUSH_CORPUS names the wider corpus,
// its bench-maps.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Bench } from 'tinybench';
import { CrushMapper, readMap } from '../dist/src/index.js';

const here = fileURLToPath(new URL('.', import.meta.url));
/** Inputs a run maps; they start at a number drawn from the seed, so that runs can be repeated. */
const INPUTS = 2000;
const SEED = Number(process.env.CRUSH_BENCH_SEED ?? 1);
const SHAPES = [
  { rule: 0, size: 3 },
  { rule: 1, size: 11 },
];

function benchMaps() {
  const carried = join(here, '../test/fixtures/crushmaps/s.crushmap');
  const corpus = process.env.CRUSH_CORPUS;
  if (corpus === undefined) return [{ name: 's', file: carried }];
  const folder = join(corpus, 'bench-maps');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.crushmap') && !file.startsWith('msr'))
    .map((file) => ({ name: file.replace('.crushmap', ''), file: join(folder, file) }));
}

const first = Math.imul(SEED, 0x9e3779b1) >>> 1;
const rows = [];
for (const { name, file } of benchMaps()) {
  const { map: crush } = readMap(new Uint8Array(readFileSync(file)));
  const chooseArgs = [0, -1].find((index) => crush.chooseArgs.has(index));
  for (const { rule, size } of SHAPES) {
    const request = { rule, size, first, count: INPUTS, chooseArgs };
    const started = performance.now();
    const mapper = new CrushMapper(crush);
    mapper.mapRange(request);
    const cold = performance.now() - started;

    const bench = new Bench({ time: 500, iterations: 9, warmupIterations: 3 });
    bench.add(name, () => mapper.mapRange(request));
    await bench.run();
    const { latency } = bench.tasks[0].result;
    const perSecond = (milliseconds) => Math.round(INPUTS / (milliseconds / 1000));
    rows.push({
      map: name,
      rule,
      size,
      kernel: 'scalar',
      'maps/s median': perSecond(latency.p50),
      'maps/s best': perSecond(latency.min),
      'maps/s cold': perSecond(cold),
    });
  }
}

console.table(rows);
const result = { node: process.version, cpu: cpus()[0]?.model, seed: SEED, inputs: INPUTS, rows };
mkdirSync(join(here, 'results'), { recursive: true });
const out = join(here, 'results', `kernel-seed${SEED}.json`);
writeFileSync(out, `${JSON.stringify(result, undefined, 2)}\n`);
console.log(`written to ${out}`);
