// Started by latency.mjs: maps one PG of the OSDMap file it is given and says how long each part took, in milliseconds.
import { readFileSync } from 'node:fs';

const marks = [performance.now()];
const { createMapper, readMap } = await import('../dist/index.js');
marks.push(performance.now());
const { map } = readMap(readFileSync(process.argv[2]));
marks.push(performance.now());
const mapper = createMapper(map);
marks.push(performance.now());
const { acting } = mapper.mapPg(map.pools.keys().next().value, 0);
marks.push(performance.now());

const parts = ['import', 'readMap', 'createMapper', 'mapPg'];
const milliseconds = Object.fromEntries(parts.map((part, i) => [part, marks[i + 1] - marks[i]]));
console.log(JSON.stringify({ sinceStart: marks.at(-1), milliseconds, acting }));
