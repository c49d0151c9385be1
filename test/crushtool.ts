/**
 * Ceph's crushtool as the judge: runs it where it is installed, and says what it would print.
 */
import { spawnSync } from 'node:child_process';
import type { CrushMap } from '../src/crush/model.ts';
import { HAS_PACIFIC_OSDMAPTOOL } from './osdmaptool.ts';

/** Whether crushtool is installed. */
export const HAS_CRUSHTOOL = spawnSync('crushtool', ['--help']).error === undefined;

/** Whether it is of 16.2, see {@link HAS_PACIFIC_OSDMAPTOOL}. */
export const HAS_PACIFIC_CRUSHTOOL = HAS_CRUSHTOOL && HAS_PACIFIC_OSDMAPTOOL;

/** What crushtool printed on stdout; it must succeed. */
export function crushtool(...args: string[]): string {
  const { status, signal, stdout, stderr } = spawnSync('crushtool', args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 60_000,
  });
  if (status !== 0) {
    throw new Error(
      `crushtool ${args.join(' ')}: ${signal ?? `exit ${status}`}\n${`${stdout}${stderr}`.slice(0, 1000)}`,
    );
  }
  return stdout;
}

/** One line of `crushtool --test --show-mappings`. */
export function mappingLine(rule: number, x: number, items: ArrayLike<number>): string {
  return `CRUSH rule ${rule} x ${x} [${Array.from(items).join(',')}]`;
}

/**
 * The reweights `crushtool --test` maps with: what `--weight` gave, else 1.0 for a device in some bucket and 0
 * for one in none.
 */
export function testerReweights(map: CrushMap, given: ReadonlyMap<number, number> = new Map()): Uint32Array {
  const reweights = new Uint32Array(map.maxDevices);
  for (const bucket of map.buckets) {
    for (const item of bucket?.items ?? []) if (item >= 0 && item < map.maxDevices) reweights[item] = 0x10000;
  }
  for (const [device, weight] of given) {
    if (device < map.maxDevices) {
      reweights[device] = Math.min(0x10000, Math.max(0, Math.trunc(Math.fround(weight) * 0x10000)));
    }
  }
  return reweights;
}

/** The set of choose_args that crushtool maps with: 0, else -1, else none. */
export function testerChooseArgs(map: CrushMap): number | undefined {
  return [0, -1].find((index) => map.chooseArgs.has(index));
}
