/**
 * The benchmarks run and write what they are meant to; what they measure is not judged here.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

describe.skipIf(!existsSync(join(ROOT, 'dist/cli.js')))('the benchmarks, over dist', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'crush-wasm-bench-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function bench(...names: string[]): { status: number | null; stdout: string; stderr: string } {
    const env: NodeJS.ProcessEnv = { ...process.env };
    delete env.CRUSH_CORPUS;
    return spawnSync(process.execPath, [join(ROOT, 'bench/run.mjs'), ...names], {
      encoding: 'utf8',
      env: { ...env, CRUSH_BENCH_QUICK: '1', CRUSH_BENCH_SEED: '7', CRUSH_BENCH_OUT: folder },
    });
  }

  test('kernels: every map, rule and kernel, with the machine and the seed', () => {
    const { status, stdout, stderr } = bench('kernels');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('12 hosts x 12 OSDs');

    const result = JSON.parse(readFileSync(join(folder, 'kernels-seed7.json'), 'utf8')) as KernelsResult;
    expect(result).toMatchObject({ benchmark: 'kernels', seed: 7, quick: true });
    expect(result.machine.node).toBe(process.version);
    expect(new Set(result.rows.map(({ map }) => map))).toEqual(
      new Set('s m l flat mixed mixed_cs different huge oldtun msr_s msr_mixed'.split(' ')),
    );
    for (const row of result.rows) {
      const { median, best, cold } = row.mappingsPerSecond;
      for (const figure of [median, best, cold, row.nanosecondsPerHash.median, row.overScalar]) {
        expect(figure).toBeGreaterThan(0);
      }
      expect(row.hashesPerMapping).toBeGreaterThan(row.size);
    }
    const kernels = (map: string, rule: number): string[] =>
      result.rows.filter((row) => row.map === map && row.rule === rule).map(({ kernel }) => kernel);
    expect(kernels('s', 0)).toEqual(['scalar', 'item-lanes', 'task-lanes']);
    expect(kernels('mixed_cs', 1)).toEqual(kernels('s', 0));
    expect(result.geometricMeans.map(({ group }) => group)).toContain('straw2, rules 0 and 1');
  });

  test('a name that is no benchmark lists those that are', () => {
    const { status, stderr } = bench('kernel');
    expect(status).toBe(2);
    expect(stderr).toMatch(/no benchmark 'kernel'[^]*kernels .*\n[^]*growth .*\n/);
  });
});

interface KernelsResult {
  readonly machine: { readonly node: string };
  readonly rows: readonly {
    readonly map: string;
    readonly rule: number;
    readonly size: number;
    readonly kernel: string;
    readonly hashesPerMapping: number;
    readonly mappingsPerSecond: { readonly median: number; readonly best: number; readonly cold: number };
    readonly nanosecondsPerHash: { readonly median: number };
    readonly overScalar: number;
  }[];
  readonly geometricMeans: readonly { readonly group: string }[];
}
