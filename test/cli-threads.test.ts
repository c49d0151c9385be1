/** Commands give the same bytes with any number of threads. They run from dist/, where the workers are. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { run } from './run-cli.ts';

const MAIN = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const OSDMAP = 'test/fixtures/cluster-10osd/d.osdmap';
const CRUSHMAP = 'test/fixtures/crushmaps/s.crushmap';

function runBuilt(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

const COMMANDS = [
  `map ${OSDMAP} --pg-num 5000 --format csv`,
  `map ${OSDMAP} --pg-num 5000 --format ndjson`,
  `map ${OSDMAP} --format json`,
  `map ${OSDMAP}`,
  `map ${CRUSHMAP} --rule 0 --num-rep 3 --max-x 20000 --format csv`,
  `osdmaptool ${OSDMAP} --test-map-pgs --pg_num 40000`,
  `osdmaptool ${OSDMAP} --test-map-pgs-dump-all --mark-out 3`,
  `crushtool -i ${CRUSHMAP} --test --num-rep 3 --max-x 40000 --min-x 3 --show-utilization --show-choose-tries`,
  `crushtool -i ${CRUSHMAP} --test --num-rep 3 --max-x 3000 --min-x 0 --show-mappings --show-statistics`,
];

describe.skipIf(!existsSync(MAIN))('threads of commands (need dist, which npm ci builds)', () => {
  it.each(COMMANDS)('%s', async (command) => {
    const args = command.split(' ');
    const { status, stdout, stderr } = await run([...args, '--threads', '1']);
    const wanted = { status, stdout, stderr };
    expect(wanted.status).toBe(0);
    expect(stdout.length).toBeGreaterThan(500);
    expect(await run(args)).toEqual(wanted);
    for (const threads of ['2', '3']) expect(runBuilt([...args, '--threads', threads])).toEqual(wanted);
  });

  it('end with the reader of their output', () => {
    const command = `'${process.execPath}' '${MAIN}' map ${OSDMAP} --pg-num 300000 --format csv --threads 2 | head -2`;
    const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8', timeout: 30_000 });
    expect(stdout).toContain('pgid,raw');
    expect(stderr).toBe('');
  });
});

describe('--threads', () => {
  it.each(['0', '-1', 'x', '1.5', '257', ''])('is not %j', async (threads) => {
    for (const args of [
      ['map', OSDMAP],
      ['osdmaptool', OSDMAP, '--test-map-pgs'],
      ['crushtool', '-i', CRUSHMAP, '--test', '--num-rep', '3'],
    ]) {
      const { status, stderr } = await run([...args, `--threads=${threads}`]);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: `crush-wasm: --threads takes a whole number from 1 to 256, not '${threads}'\n`,
      });
    }
  });
});

describe('--pg-num', () => {
  it('maps the PGs that a pool would have, all of them split', async () => {
    const rows = async (...args: string[]) => {
      const { stdout } = await run(['map', OSDMAP, '--format', 'csv', ...args]);
      return stdout.trimEnd().split('\n');
    };
    const all = await rows('--pool', '1', '--pg-num', '100');
    expect(all).toHaveLength(101);
    expect(all.at(-1)).toMatch(/^1\.63,/);
    expect(await rows('--pool', '1', '--pg-num', '100', '--pg', '1.63')).toEqual([all[0], all[100]]);
    const sets = all.slice(1).map((row) => row.split(',').slice(1).join(','));
    expect(new Set(sets).size).toBeGreaterThan(40);
  });

  it('is a number of PGs', async () => {
    const { status, stderr } = await run(['map', OSDMAP, '--pg-num', '0']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `crush-wasm: --pg-num takes a whole number from 1 to 268435456, not '0'\n`,
    });
    const crush = await run(['map', CRUSHMAP, '--rule', '0', '--num-rep', '3', '--pg-num', '8']);
    expect(crush.stderr).toContain('there is no --pg-num');
  });
});
