/** Which ranks there are by what is known of a cluster, and whether its reports go together. */
import type { RankReport } from './decide.ts';
import { metaLoad, type MdsLoad } from './load.ts';
import type { FileSystemReport } from './reports.ts';

/** One more than the highest rank of heartbeats and `ceph fs dump`; 0 where neither tells of any. */
export function rankCount(
  reports: ReadonlyMap<number, RankReport>,
  fileSystem: FileSystemReport | undefined,
): number {
  let count = 0;
  for (const { loads } of reports.values()) {
    for (const rank of loads?.loads.keys() ?? []) count = Math.max(count, rank + 1);
  }
  for (const rank of fileSystem?.ranks ?? []) count = Math.max(count, rank + 1);
  return count;
}

/** Leaves out what is said to be of a rank that is not there. */
export function reportsOfRanks(
  reports: ReadonlyMap<number, RankReport>,
  count: number,
  notes: string[],
): ReadonlyMap<number, RankReport> {
  const known = [...reports].filter(([rank]) => rank < count);
  for (const rank of reports.keys()) {
    if (rank >= count)
      notes.push(`mds.${rank} is no rank of the file system; what is there of it is left out`);
  }
  return new Map(known);
}

/** Loads that differ by less, relatively, are the same. */
const SAME = 1e-6;

/** All ranks are told the same in a beat: tells where two reports have other heartbeats of a rank. */
export function noteBeats(reports: ReadonlyMap<number, RankReport>, notes: string[]): void {
  const told = new Map<number, { readonly by: number; readonly load: MdsLoad }>();
  for (const [by, { loads }] of reports) {
    for (const [rank, load] of loads?.loads ?? []) {
      const other = told.get(rank);
      if (other === undefined) told.set(rank, { by, load });
      else if (
        !isSame(metaLoad(other.load.auth), metaLoad(load.auth)) ||
        !isSame(other.load.requestRate, load.requestRate)
      ) {
        notes.push(
          `mds.${other.by} and mds.${by} report other heartbeats of mds.${rank}: they are of different beats; ` +
            'ask all ranks between two beats',
        );
        return;
      }
    }
  }
}

function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= SAME * Math.max(a, b);
}
