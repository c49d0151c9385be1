// Started by scaling.mjs: maps a pool of so many PGs over a CRUSH map's file through the API, again and again with one
// thread (`mapPool`) and with several (`ParallelPgMapper`), in turn. Prints milliseconds of wall time.
//
// The main thread is not idle: a timer that does a millisecond's work twenty times a second stands for a page, or for a
// server, that has something else to do.
import { readFileSync } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';
import { createMapper, ParallelPgMapper, readMap } from '../dist/index.js';
import { osdMapOver } from './support/osd-maps.mjs';

const [crushFile, pgs, threads, rounds] = process.argv.slice(2);
const map = osdMapOver(readMap(readFileSync(crushFile)).map, Number(pgs));

const timer = setInterval(() => {
  const until = performance.now() + 1;
  while (performance.now() < until);
}, 50);

const one = createMapper(map);
const several = new ParallelPgMapper(map, { threads: Number(threads) });
await several.start();
const figures = { one: [], several: [], started: [], same: true };
for (let round = 0; round < Number(rounds); round++) {
  const single = await timed('one', () => one.mapPool(1));
  const shared = await timed('several', () => several.mapPool(1));
  figures.same &&= single.acting.osds.every((osd, i) => osd === shared.acting.osds[i]);
  const fresh = await timed('started', async () => {
    const mapper = new ParallelPgMapper(map, { threads: Number(threads) });
    await mapper.mapPool(1);
    return mapper;
  });
  await fresh.close();
}
await several.close();
clearInterval(timer);
console.log(JSON.stringify(figures));

async function timed(name, work) {
  const started = performance.now();
  const result = await work();
  figures[name].push(performance.now() - started);
  return result;
}
