/** Which OSDs a change is about. */
import type { CrushMap } from '../../crush/model.ts';
import { findBucket, findItem } from '../../crush/names.ts';
import { CrushError } from '../../errors.ts';
import { OSD_STATE, type OsdMap } from '../../osdmap/model.ts';

/**
 * The OSDs that targets name, each once, ascending: `osd.3`, `3`, `osd.3-7`, and names of buckets for what is below.
 *
 * @throws CrushError `not-found` for what is not in the map
 */
export function targetOsds(map: OsdMap, targets: readonly string[]): number[] {
  const found = new Set<number>();
  for (const target of targets) {
    const run = /^(?:osd\.)?(\d+)(?:-(?:osd\.)?(\d+))?$/.exec(target);
    const named = run === null ? findItem(map.crush, target) : undefined;
    if (named !== undefined) {
      for (const osd of osdsBelow(map.crush, named)) found.add(osd);
      continue;
    }
    if (run === null) {
      throw new CrushError(
        'not-found',
        `there is no OSD or bucket '${target}' in the map; OSDs are osd.0, osd.1 ...`,
      );
    }
    const first = Number(run[1]);
    const last = Number(run[2] ?? run[1]);
    if (last < first) throw new CrushError('bad-argument', `'${target}' ends before it starts`);
    if (last >= map.maxOsd) throw noSuchOsd(map, last);
    for (let osd = first; osd <= last; osd++) {
      if (((map.osdState[osd] ?? 0) & OSD_STATE.exists) === 0) throw noSuchOsd(map, osd);
      found.add(osd);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** OSDs below an item of the hierarchy; the item itself if it is one. */
export function osdsBelow(map: CrushMap, item: number): number[] {
  const found: number[] = [];
  const seen = new Set<number>();
  const queue = [item];
  for (const id of queue) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (id >= 0) found.push(id);
    else queue.push(...(findBucket(map, id)?.items ?? []));
  }
  return found;
}

function noSuchOsd(map: OsdMap, osd: number): CrushError {
  return new CrushError('not-found', `there is no osd.${osd}; the map has ids below ${map.maxOsd}`);
}
