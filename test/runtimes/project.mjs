// A project as a user has it: the packed tarball, installed, and the scenario beside it.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The user's own scripts. */
const SCRIPTS = ['scenario.js', 'main.js', 'worker.js', 'page.js', 'slim-page.js', 'leaking-page.js'];
export const HERE = fileURLToPath(new URL('./', import.meta.url));

export async function makeProject(osdmap) {
  const folder = await mkdtemp(join(tmpdir(), 'crush-wasm-runtimes-'));
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: ROOT });
  const { version } = (await import('../../package.json', { with: { type: 'json' } })).default;
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const tarball = join(folder, `crush-wasm-${version}.tgz`);
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  for (const file of SCRIPTS) {
    await copyFile(join(HERE, file), join(folder, file));
  }
  await copyFile(osdmap, join(folder, 'osdmap'));
  return { folder, osdmap: join(folder, 'osdmap') };
}
