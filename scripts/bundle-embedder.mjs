// Bundles what an embedder writes to map a file, with the bundler of Vite, for size-limit to weigh. page.js is what a page
// loads before it maps a binary map; the other file has the readers of text and JSON, loaded when one comes.
//
//   build/embedder/slim       with the entry that carries no kernel
//   build/embedder/default    with the default entry, which carries both
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const PAGE = 'page';
const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const pages = {
  slim: `import { createMapper, init, readMapFile } from ${JSON.stringify(path('dist/slim/index.js'))};
globalThis.osdsOf = async (url, kernel, pool) => {
  await init(kernel);
  const { map } = await readMapFile(await (await fetch(url)).arrayBuffer());
  return createMapper(map).mapPool(pool).acting.osds;
};
`,
  default: `import { createMapper, readMapFile } from ${JSON.stringify(path('dist/index.js'))};
globalThis.osdsOf = async (url, pool) => {
  const { map } = await readMapFile(await (await fetch(url)).arrayBuffer());
  return createMapper(map).mapPool(pool).acting.osds;
};
`,
};

for (const [name, source] of Object.entries(pages)) {
  const out = path(`build/embedder/${name}/`);
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
  if (files !== 'page.js text-and-json.js')
    throw new Error(`the ${name} page's bundle is other files: ${files}`);
}
