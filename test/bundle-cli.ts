/** The command line as a program, for tests that need one: bundled from the sources, so that nothing is built first. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * Bundles the command line into a folder; the drop-ins named are programs there.
 *
 * @param dropIns - what each is given beside its own arguments, by name
 */
export async function bundleCli(folder: string, dropIns: Readonly<Record<string, string>>): Promise<void> {
  const bundle = await rolldown({
    input: { cli: fileURLToPath(new URL('../src/cli/main.ts', import.meta.url)) },
    platform: 'node',
    external: [/^node:/],
  });
  try {
    await bundle.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    });
  } finally {
    await bundle.close();
  }
  for (const [name, extra] of Object.entries(dropIns)) {
    const path = join(folder, name);
    writeFileSync(
      path,
      `#!/bin/sh\nexec "${process.execPath}" "${join(folder, 'cli.mjs')}" ${name} ${extra} "$@"\n`,
    );
    chmodSync(path, 0o755);
  }
}
