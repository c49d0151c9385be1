// Writes the compiled kernel into a TypeScript module, so that it loads the same way in every runtime and
// bundler, with no file to find at run time; and puts a copy beside the compiled TypeScript for those who
// bring the bytes or the WebAssembly.Module themselves.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const embed = (file) => readFileSync(new URL(`build/${file}`, root)).toString('base64');
const text = `// Written by scripts/embed-kernel.mjs from assembly/: the compiled kernels in base64.

/** For every engine. */
export const SCALAR_KERNEL_BASE64: string =
  '${embed('crush.wasm')}';

/** For engines with 128-bit SIMD. */
export const SIMD_KERNEL_BASE64: string =
  '${embed('crush-simd.wasm')}';
`;
writeFileSync(new URL('src/kernel/kernel-bytes.ts', root), text);
mkdirSync(new URL('dist/', root), { recursive: true });
for (const file of ['crush.wasm', 'crush-simd.wasm']) {
  copyFileSync(new URL(`build/${file}`, root), new URL(`dist/${file}`, root));
}
