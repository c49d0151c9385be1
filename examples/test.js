// Tries every example as its readers do: its tests in the checkout, the root's command for it, and its tests in a copy
// elsewhere that has the packed tarball in the place of the checkout. Prints 'N passed, N failed'.
//
//   npm run test:examples
//
// Needs dist/ built; the page's test needs Chromium (CHROMIUM, or /usr/bin/chromium).
import { execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const EXAMPLES = [
  { folder: 'edge-worker', command: 'example:edge', args: [], answer: /"epoch":97/ },
  { folder: 'node-service', command: 'example:node', args: ['--', '--port', '0'], answer: /"pgid":"1.6"/ },
  { folder: 'browser', command: 'example:browser', args: [], answer: /<title>Where an object lives/ },
];
/** npm gives its children's words where they fail. */
const LIMITS = { timeout: 300_000, maxBuffer: 2 ** 26 };
const COMMAND_MILLISECONDS = 120_000;

const npm = (args, cwd = ROOT) => promisify(execFile)('npm', args, { cwd, ...LIMITS });
const INSTALL = ['--no-audit', '--no-fund', '--prefer-offline'];

let passed = 0;
let failed = 0;
const elsewhere = await mkdtemp(join(tmpdir(), 'crush-wasm-examples-'));
try {
  await step('packed', () => copyExamples());
  for (const { folder, command, args, answer } of EXAMPLES) {
    await step(`npm run ${command}`, () => serve(command, args, answer));
    await step(`${folder}, in the checkout`, () => npm(['test', '--prefix', join(ROOT, 'examples', folder)]));
    await step(`${folder}, with the packed tarball`, () => testCopy(folder));
  }
} finally {
  await rm(elsewhere, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function step(name, work) {
  const started = performance.now();
  try {
    await work();
    passed++;
    console.log(`${name}: passed (${seconds(started)} s)`);
  } catch (error) {
    failed++;
    console.log(
      `${name}: FAILED (${seconds(started)} s)\n${error.stdout ?? ''}${error.stderr || error.stack}`,
    );
  }
}

function seconds(started) {
  return ((performance.now() - started) / 1000).toFixed(1);
}

/** The examples, with what their tests compare with beside them as in the checkout. */
async function copyExamples() {
  await npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', elsewhere]);
  const isSource = (path) => !['node_modules', 'dist', 'package-lock.json'].includes(basename(path));
  await cp(join(ROOT, 'examples'), join(elsewhere, 'examples'), { recursive: true, filter: isSource });
  await symlink(join(ROOT, 'test'), join(elsewhere, 'test'));
}

async function testCopy(folder) {
  const copy = join(elsewhere, 'examples', folder);
  const manifest = join(copy, 'package.json');
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replace('"file:../.."', `"file:../../crush-wasm-${version}.tgz"`));
  await npm(['install', ...INSTALL], copy);
  await npm(['test'], copy);
}

/** Runs a root command until it has answered at the address that it prints. */
async function serve(command, args, answer) {
  const child = spawn('npm', ['run', '-s', command, ...args], {
    cwd: ROOT,
    // A group of its own, which ends as a whole: npm does not hand every signal on.
    detached: true,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => child.kill(), COMMAND_MILLISECONDS);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('http://')) continue;
      const response = await fetch(line);
      const text = await response.text();
      if (!answer.test(text)) throw new Error(`${line} gave ${response.status} ${text}`);
      return;
    }
    throw new Error('it printed no address');
  } finally {
    clearTimeout(timer);
    if (child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await exited;
  }
}
