/** Whole processes, measured from outside: Ceph's tools and the commands of this package. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './settings.mjs';

const OUTPUT_LIMIT = 1 << 29;
/** The commands of this package as they are installed. */
const COMMANDS = join(ROOT, 'dist/cli.js');
/** A map for a trial run of a command. */
const EXAMPLE = join(ROOT, 'examples/cluster-8osd/osdmap');

/** The argv of one of this package's commands, such as `crushWasm('osdmaptool', file)`. */
export function crushWasm(...args) {
  return [process.execPath, COMMANDS, ...args];
}

/** Why one of Ceph's tools cannot be measured, or undefined when it can. */
export function whyNot(tool) {
  if (!isInstalled(tool)) return `${tool} is not installed`;
  return isInstalled('bash') ? undefined : 'bash, which takes the time, is not installed';
}

/** Whether a program can be run. */
export function isInstalled(program) {
  return spawnSync(program, ['--help']).error === undefined;
}

/** The release of the tools that are installed, as Ceph's major number; crushtool itself does not say it. */
export function cephRelease() {
  for (const tool of ['osdmaptool', 'ceph']) {
    const release = /version (\d+)\./.exec(
      spawnSync(tool, ['--version'], { encoding: 'utf8' }).stdout ?? '',
    )?.[1];
    if (release !== undefined) return release;
  }
  return undefined;
}

/** Whether the commands take `--threads N`. */
export function hasThreads() {
  const argv = crushWasm('osdmaptool', EXAMPLE, '--test-map-pg', '1.0');
  const [plain, threaded] = [argv, [...argv, '--threads', '1']].map(([program, ...args]) =>
    spawnSync(program, args, { encoding: 'utf8' }),
  );
  return threaded.status === 0 && threaded.stdout === plain.stdout;
}

/**
 * Runs a program to its end, under bash's `time`.
 *
 * @returns milliseconds of `user` and `system` CPU time and of `wall` time, and what it printed
 * @throws Error when it fails
 */
export function runTimed([program, ...args]) {
  // The program's standard error goes to descriptor 3, so that only the times come on descriptor 4.
  const script = 'TIMEFORMAT="%U %S %R"; { time "$@" 2>&3; } 2>&4';
  const { status, error, output } = spawnSync('bash', ['-c', script, 'bash', program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe'],
    maxBuffer: OUTPUT_LIMIT,
    env: { ...process.env, LC_ALL: 'C' },
  });
  if (error !== undefined) throw error;
  const [, stdout, , stderr, times] = output;
  if (status !== 0) {
    throw new Error(`${[program, ...args].join(' ')}: exit ${status}\n${String(stderr).slice(0, 1000)}`);
  }
  const [user, system, wall] = String(times)
    .trim()
    .split(' ')
    .map((seconds) => Number(seconds) * 1000);
  return { user, system, wall, stdout, stderr };
}

/** Writes to `file` when the process ends: peak resident memory in KiB. */
const PEAK_HOOK = `
  import { isMainThread } from 'node:worker_threads';
  import { writeFileSync } from 'node:fs';
  if (isMainThread) process.on('exit', () => writeFileSync(process.env.CRUSH_BENCH_PEAK, String(process.resourceUsage().maxRSS)));
`;

/**
 * Runs Node to its end, its output thrown away.
 *
 * @returns its peak resident memory in MiB
 */
export function peakMemory([program, ...args]) {
  return inTemporaryFolder((folder) => {
    const file = join(folder, 'peak');
    const hook = `data:text/javascript,${encodeURIComponent(PEAK_HOOK)}`;
    const { status, stderr } = spawnSync(program, ['--import', hook, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      env: { ...process.env, CRUSH_BENCH_PEAK: file },
    });
    if (status !== 0) throw new Error(`${args.join(' ')}: exit ${status}\n${stderr.slice(0, 1000)}`);
    return Number(readFileSync(file, 'utf8')) / 1024;
  });
}

/** Gives `work` a folder that is gone afterwards. */
export function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'crush-bench-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a file of a folder and gives back its path. */
export function writeInto(folder, name, bytes) {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  return file;
}

/** An OSDMap with `osds` OSDs and pool 1 of three replicas, over a CRUSH map's file; made by osdmaptool. */
export function makeOsdMap(folder, osds, crushFile) {
  const file = join(folder, 'osdmap');
  runTimed(['osdmaptool', '--createsimple', String(osds), '--with-default-pool', '--clobber', file]);
  runTimed(['osdmaptool', file, '--import-crush', crushFile]);
  return file;
}
