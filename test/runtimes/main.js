// Node, Deno and Bun: reads the map that is named and prints what came out.
import { readFile } from 'node:fs/promises';
import { mapExample, mapInThreads, readText } from './scenario.js';

const bytes = await readFile(process.argv[2]);
const mapped = mapExample(bytes);
console.log(JSON.stringify({ mapped, text: await readText(), threads: await mapInThreads(bytes) }));
