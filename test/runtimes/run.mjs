// Packs the package, installs the tarball as a user would, and runs the same scenario in every runtime: what each maps
// must be what osdmaptool says. Prints the table of the README.
//
//   node test/runtimes/run.mjs [NAME ...]    all, or those whose name begins with one of these
//
// Needs `npm ci` in this folder, dist/ built, and for the pages Chromium (CHROMIUM, or /usr/bin/chromium).
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PAGES } from './pages.mjs';
import { makeProject } from './project.mjs';
import { EDGES, PROCESSES } from './servers.mjs';

const FIXTURE = new URL('../fixtures/cluster-8osd/', import.meta.url);
const golden = readFileSync(new URL('test-map-pgs-dump-all.txt', FIXTURE), 'utf8')
  .split('\n')
  .filter((line) => /^\d+\.[0-9a-f]+ raw/.test(line))
  .join('\n');

const wanted = process.argv.slice(2);
const runtimes = [...PROCESSES, ...EDGES, ...PAGES].filter(
  ({ name }) =>
    wanted.length === 0 || wanted.some((each) => name.toLowerCase().startsWith(each.toLowerCase())),
);

const project = await makeProject(
  fileURLToPath(new URL('../../examples/cluster-8osd/osdmap', import.meta.url)),
);
const rows = [];
const failures = [];
try {
  for (const { name, threads: expectedThreads, run } of runtimes) {
    const started = performance.now();
    try {
      const { version, mapped, threads, violations = [] } = await run(project);
      if (mapped !== golden) throw new Error(`it mapped otherwise: ${mapped.slice(0, 400)}`);
      if (threads !== expectedThreads) throw new Error(`threads: ${threads}, not ${expectedThreads}`);
      if (violations.length > 0) throw new Error(`against the policy: ${violations.join(', ')}`);
      rows.push([name, version, 'maps as osdmaptool', threads === 'yes' ? 'yes' : 'no']);
    } catch (error) {
      failures.push(`${name}: ${error.stack ?? error}`);
      rows.push([name, '', 'FAILED', '']);
    }
    console.error(`${name}: ${rows.at(-1)[2]} (${Math.round(performance.now() - started)} ms)`);
  }
} finally {
  await rm(project.folder, { recursive: true, force: true });
}
console.log(tableOf([['runtime', 'version', 'result', 'threads'], ...rows]));
for (const failure of failures) console.error(failure);
console.log(`${rows.length - failures.length} passed, ${failures.length} failed`);
process.exit(failures.length === 0 && rows.length > 0 ? 0 : 1);

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
