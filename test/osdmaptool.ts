/**
 * Ceph's osdmaptool as the judge: runs it where it is installed.
 */
import { spawnSync } from 'node:child_process';
import type { PgColumns } from '../src/osdmap/pg-mapper.ts';
import { view } from '../src/osdmap/pg-mapper.ts';

/** Whether osdmaptool is installed. */
export const HAS_OSDMAPTOOL = spawnSync('osdmaptool', ['--help']).error === undefined;

/**
 * Whether the installed tools are of 16.2, whose bytes some tests ask for; other releases print otherwise.
 * crushtool does not say its version; it comes in one package with osdmaptool.
 */
export const HAS_PACIFIC_OSDMAPTOOL =
  HAS_OSDMAPTOOL &&
  spawnSync('osdmaptool', ['--version'], { encoding: 'utf8' }).stdout.startsWith('ceph version 16.2.');

/** What osdmaptool printed on stdout; it must succeed. */
export function osdmaptool(...args: string[]): string {
  const { status, signal, stdout, stderr } = spawnSync('osdmaptool', args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 60_000,
  });
  if (status !== 0) {
    throw new Error(`osdmaptool ${args.join(' ')}: ${signal ?? `exit ${status}`}\n${stderr.slice(0, 1000)}`);
  }
  return stdout;
}

/** The lines of `osdmaptool --test-map-pgs-dump-all` for a run of PGs. */
export function dumpAllLines(columns: PgColumns): string[] {
  return Array.from({ length: columns.count }, (_, i) => {
    const pg = view(columns, i);
    const set = (osds: number[], primary: number): string => `([${osds.join()}], p${primary})`;
    const { pool, ps } = pg.pgid;
    return (
      `${pool}.${ps.toString(16)} raw ${set(pg.raw, pg.rawPrimary)} ` +
      `up ${set(pg.up, pg.upPrimary)} acting ${set(pg.acting, pg.actingPrimary)}`
    );
  });
}
