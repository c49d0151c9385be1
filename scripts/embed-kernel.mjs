// Writes the compiled kernels into a TypeScript module, so that they load the same way in every runtime and bundler,
// with no file to find at run time; and puts a copy beside the compiled TypeScript for those who bring the bytes or
// the WebAssembly.Module themselves. Each has a section that says which it is, and of which build of the package:
// kernel and library share the layout of memory, so those of two versions do not go together.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const write = (file, content) => writeFileSync(new URL(file, root), content);
const kernels = { scalar: 'crush.wasm', simd: 'crush-simd.wasm' };
const compiled = Object.entries(kernels).map(([build, file]) => ({
  build,
  file,
  bytes: readFileSync(new URL(`build/${file}`, root)),
}));
const hash = createHash('sha256');
for (const { bytes } of compiled) hash.update(bytes);
hash.update(readFileSync(new URL('assembly/layout.ts', root)));
const id = hash.digest('hex').slice(0, 16);

/** A custom section: 0, its size, its name's size, its name, and the content. All sizes here take one byte. */
function customSection(name, content) {
  const body = Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from(content)]);
  return Buffer.concat([Buffer.from([0, body.length]), body]);
}

mkdirSync(new URL('dist/', root), { recursive: true });
const texts = {};
for (const { build, file, bytes } of compiled) {
  const stamped = Buffer.concat([bytes, customSection('crush-wasm', `${build} ${id}`)]);
  write(`dist/${file}`, stamped);
  texts[build] = stamped.toString('base64');
}
write(
  'src/kernel/kernel-id.ts',
  `// Written by scripts/embed-kernel.mjs.

/** Which build of the kernels this library goes with. */
export const KERNEL_BUILD_ID: string = '${id}';
`,
);
write(
  'src/kernel/kernel-bytes.ts',
  `// Written by scripts/embed-kernel.mjs from assembly/: the compiled kernels in base64.

/** For every engine. */
export const SCALAR_KERNEL_BASE64: string =
  '${texts.scalar}';

/** For engines with 128-bit SIMD. */
export const SIMD_KERNEL_BASE64: string =
  '${texts.simd}';
`,
);
