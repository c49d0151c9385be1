// Writes the compiled kernel into a TypeScript module, so that it loads the same way in every runtime and
// bundler, with no file to find at run time; and puts a copy beside the compiled TypeScript for those who
// bring the bytes or the WebAssembly.Module themselves.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const wasm = readFileSync(new URL('build/crush.wasm', root));
const text = `// Written by scripts/embed-kernel.mjs from assembly/: the kernel's ${wasm.length} bytes, base64.
export const KERNEL_BASE64: string =
  '${wasm.toString('base64')}';
`;
writeFileSync(new URL('src/kernel/kernel-bytes.ts', root), text);
mkdirSync(new URL('dist/', root), { recursive: true });
copyFileSync(new URL('build/crush.wasm', root), new URL('dist/crush.wasm', root));
