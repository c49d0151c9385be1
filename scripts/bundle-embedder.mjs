// Bundles what an embedder writes to map a file, with the bundler of Vite, for size-limit to weigh: build/embedder/page.js
// is what a page loads before it maps a binary map; the other file has the readers of text and JSON, loaded when one comes.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const PAGE = 'page';
const library = fileURLToPath(new URL('../dist/slim/index.js', import.meta.url));
const out = fileURLToPath(new URL('../build/embedder/', import.meta.url));
const source = `import { createMapper, init, readMapFile } from ${JSON.stringify(library)};
globalThis.osdsOf = async (url, kernel, pool) => {
  await init(kernel);
  const { map } = await readMapFile(await (await fetch(url)).arrayBuffer());
  return createMapper(map).mapPool(pool).acting.osds;
};
`;

const bundle = await rolldown({
  input: PAGE,
  platform: 'browser',
  plugins: [
    {
      name: 'embedder',
      resolveId: (id) => (id === PAGE ? id : undefined),
      load: (id) => (id === PAGE ? source : undefined),
    },
  ],
});
try {
  await bundle.write({
    dir: out,
    cleanDir: true,
    format: 'esm',
    minify: true,
    entryFileNames: `${PAGE}.js`,
    chunkFileNames: 'text-and-json.js',
  });
} finally {
  await bundle.close();
}
const files = readdirSync(out).sort().join(' ');
if (files !== 'page.js text-and-json.js') throw new Error(`the embedder's bundle is other files: ${files}`);
