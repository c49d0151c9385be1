// Packs the package, installs the tarball as a user would, and runs the same scenario in every runtime: what each maps
// must be what osdmaptool says. What must fail is run too. Prints the table of the README.
//
//   node test/runtimes/run.mjs [NAME ...]    all, or those whose name begins with one of these
//
// Needs `npm ci` in this folder, dist/ built, and for the pages Chromium (CHROMIUM, or /usr/bin/chromium).
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { demandRight } from './outcome.mjs';
import { CONTROLS } from './controls.mjs';
import { PAGES } from './pages.mjs';
import { makeProject } from './project.mjs';
import { EDGES, PROCESSES } from './servers.mjs';

const wanted = process.argv.slice(2);
const isWanted = ({ name }) =>
  wanted.length === 0 || wanted.some((each) => name.toLowerCase().startsWith(each.toLowerCase()));
const runtimes = [...PROCESSES, ...EDGES, ...PAGES].filter(isWanted);
const controls = CONTROLS.filter(isWanted);

const project = await makeProject(
  fileURLToPath(new URL('../../examples/cluster-8osd/osdmap', import.meta.url)),
);
/** What the table says of threads. */
const THREADS = { shared: 'yes', 'worker-failed': 'no' };
const rows = [];
const failures = [];
try {
  for (const { name, threads: expectedThreads, run } of runtimes) {
    const started = performance.now();
    try {
      const { version, ...outcome } = await run(project);
      demandRight(outcome, expectedThreads);
      rows.push([name, version, 'maps as osdmaptool', THREADS[expectedThreads]]);
    } catch (error) {
      failures.push(`${name}: ${error.stack ?? error}`);
      rows.push([name, '', 'FAILED', '']);
    }
    console.error(`${name}: ${rows.at(-1)[2]} (${Math.round(performance.now() - started)} ms)`);
  }
  for (const { name, run } of controls) {
    try {
      console.error(`${name}: fails as it should, ${(await run(project)).split('\n')[0].slice(0, 200)}`);
    } catch (error) {
      failures.push(`${name}: ${error.stack ?? error}`);
    }
  }
} finally {
  await rm(project.folder, { recursive: true, force: true });
}
console.log(tableOf([['runtime', 'version', 'result', 'threads'], ...rows]));
for (const failure of failures) console.error(failure);
const count = rows.length + controls.length;
console.log(`${count - failures.length} passed, ${failures.length} failed`);
process.exit(failures.length === 0 && count > 0 ? 0 : 1);

/** A table in Markdown. */
function tableOf(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = (line, fill) => `| ${line.map((cell, i) => cell.padEnd(widths[i], fill)).join(' | ')} |`;
  const [head, ...body] = lines.map((line) => text(line, ' '));
  return [
    head,
    text(
      widths.map(() => ''),
      '-',
    ),
    ...body,
  ].join('\n');
}
