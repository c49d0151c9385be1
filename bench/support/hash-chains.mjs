/**
 * The lanes' hash alone, compiled from the kernel's own source as the kernel is: what a draw would cost if it were a
 * hash and nothing else. One to four vectors of ids a call, which are one to four interleaved chains.
 */
import { main as compile } from 'assemblyscript/asc';
import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './settings.mjs';

const ENTRY = 'hash-chains.ts';
const CHAINS = [1, 2, 3, 4];
/** Hashes the vectors at `ids` for one input after the other; the sum keeps any from being left out. */
const SOURCE = `
  import { hash3Lanes1, hash3Lanes2, hash3Lanes3, hash3Lanes4 } from './assembly/lanes/hash';
  ${CHAINS.map(
    (chains) => `
  export function chains${chains}(calls: i32, ids: usize, out: usize): i32 {
    const r = i32x4.splat(1);
    let sum = i32x4.splat(0);
    for (let i = 0; i < calls; i++) {
      hash3Lanes${chains}(i32x4.splat(i), r, ids, out);
      sum = i32x4.add(sum, v128.load(out));
    }
    return i32x4.extract_lane(sum, 0);
  }`,
  ).join('')}
  export function heapStart(): usize { return __heap_base; }
`;

/**
 * The compiled functions: for each number of chains, a function that makes `calls` calls and says how many hashes
 * that were.
 *
 * @returns by chains, or undefined where the engine has no SIMD
 */
export async function hashChains() {
  let binary;
  const { error, stderr } = await compile(
    [ENTRY, '--config', 'asconfig.json', '--target', 'simd', '--initialMemory', '1', '--outFile', 'out.wasm'],
    {
      readFile: (name, folder) => {
        if (name === ENTRY) return SOURCE;
        const file = join(ROOT, folder ?? '', name);
        return existsSync(file) ? readFileSync(file, 'utf8') : null;
      },
      writeFile: (name, contents) => {
        if (name === 'out.wasm') binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error !== null) throw new Error(`the hash does not compile: ${stderr}`);
  const { WebAssembly } = globalThis;
  if (!WebAssembly.validate(binary)) return undefined;
  const { exports } = await WebAssembly.instantiate(await WebAssembly.compile(binary));
  const ids = (exports.heapStart() + 15) & ~15;
  new Int32Array(exports.memory.buffer, ids, 16).forEach((_, i, words) => (words[i] = i));
  return CHAINS.map((chains) => ({
    chains,
    run(calls) {
      exports[`chains${chains}`](calls, ids, ids + 64);
      return calls * chains * 4;
    },
  }));
}
