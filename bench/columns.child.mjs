// Started by memory.mjs: maps so many PGs of a pool of three replicas, `columns` all at once or `ranges` one range after
// the other.
import { readFileSync } from 'node:fs';
import { createMapper, readMap } from '../dist/index.js';
import { osdMapOver } from './support/osd-maps.mjs';

const RANGE = 1 << 16;
const [how, crushFile, pgs] = process.argv.slice(2);
const pgNum = Number(pgs);
const mapper = createMapper(osdMapOver(readMap(readFileSync(crushFile)).map, pgNum));
const step = how === 'columns' ? pgNum : RANGE;
let sum = 0;
for (let first = 0; first < pgNum; first += step) {
  const { acting } = mapper.mapPool(1, { first, count: Math.min(step, pgNum - first) });
  sum ^= acting.osds[0];
}
console.log(sum);
