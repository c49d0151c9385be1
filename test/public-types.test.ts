/**
 * The declarations that a consumer compiles against: they stand without the types of Node and of browsers.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crush-wasm-types-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  compile('-p', join(ROOT, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', join(folder, 'dist'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function compile(...args: string[]): void {
  const { status, stdout } = spawnSync(process.execPath, [TSC, ...args], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
}

test('they need neither DOM nor @types/node', () => {
  writeFileSync(
    join(folder, 'consumer.ts'),
    `import { createMapper, CrushMapper, hash32, readMap, readMapFile } from './dist/src/index.js';
     import { decideCluster, DEFAULT_MDS_OPTIONS, readMdsJson } from './dist/src/mds.js';
     export async function primaries(bytes: Uint8Array | ArrayBuffer): Promise<Int32Array> {
       const file = await readMapFile(bytes);
       if (file.kind === 'crushmap') return new CrushMapper(file.map).mapRange({ rule: 0, size: 3, first: 0, count: 9 }).items;
       return createMapper(file.map).mapPool('rbd').acting.primaries;
     }
     export const busiest = (text: string): number | undefined => {
       const document = readMdsJson(text);
       if (document.kind !== 'loads') return undefined;
       const settings = { options: DEFAULT_MDS_OPTIONS, beat: 2, scaleToBeat: true };
       return decideCluster(new Map([[0, { loads: document.loads }]]), undefined, settings).ranks[0]?.decision.exporters[0];
     };
     export const kind: 'osdmap' | 'crushmap' = readMap(new ArrayBuffer(0), { second: new Uint8Array(0) }).kind;
     export const hash: number = hash32(1, 2);
    `,
  );
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: 'es2022',
    lib: ['es2022'],
    types: [],
    module: 'nodenext',
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  compile('-p', folder);
});

test("they do not carry the kernel's bytes", () => {
  expect(readFileSync(join(folder, 'dist/src/kernel/kernel-bytes.d.ts'), 'utf8').length).toBeLessThan(200);
});
