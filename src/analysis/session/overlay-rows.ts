/** The PGs that a change of what an OSDMap lays over the rule's choice can concern. */
import type { TracedMapper } from '../../kernel/traced-mapper.ts';
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_STATE,
  type OsdMap,
  type PgTable,
  type Pool,
} from '../../osdmap/model.ts';

const PLACING_STATES = OSD_STATE.exists | OSD_STATE.up;

/**
 * Rows whose exceptions are to be laid anew, ascending, besides those that were mapped again; undefined for all.
 *
 * @param traced - what the rule chooses in the new map
 */
export function overlayRows(
  before: OsdMap,
  pool: Pool,
  after: OsdMap,
  poolAfter: Pool,
  traced: TracedMapper,
): Int32Array | undefined {
  if (
    pool.type !== poolAfter.type ||
    pool.flags !== poolAfter.flags ||
    pool.details.nonprimaryShards !== poolAfter.details.nonprimaryShards
  ) {
    return undefined;
  }
  const rows = new Set<number>();
  const all = new Set<number>();
  const tables = (map: OsdMap): readonly PgTable<unknown>[] => [
    map.pgUpmap,
    map.pgUpmapItems,
    map.pgUpmapPrimaries,
    map.pgTemp,
    map.primaryTemp,
  ];
  const old = tables(before);
  tables(after).forEach((table, i) => {
    const now = table.get(pool.id);
    const was = old[i]?.get(pool.id);
    for (const ps of [...(now?.keys() ?? []), ...(was?.keys() ?? [])]) {
      all.add(ps);
      if (now !== was && !same(now?.get(ps), was?.get(ps))) rows.add(ps);
    }
  });

  const changed = changedOsds(before, after);
  if (changed.size > 0) {
    // An exception may name OSDs that the rule has not chosen.
    for (const ps of all) rows.add(ps);
    for (const osd of changed) {
      traced.forEachHolding(osd, (row) => {
        rows.add(row);
      });
    }
  } else if (all.size > 0 && outDiffers(before, after)) {
    // Whether an upmap is followed depends on whether its targets are out.
    for (const ps of all) rows.add(ps);
  }
  return Int32Array.from([...rows].filter((ps) => ps < poolAfter.pgNum)).sort();
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** OSDs that exist, are up, or have an affinity otherwise than before. */
function changedOsds(before: OsdMap, after: OsdMap): ReadonlySet<number> {
  const changed = new Set<number>();
  const state = (map: OsdMap, osd: number): number =>
    osd < map.maxOsd ? (map.osdState[osd] ?? 0) & PLACING_STATES : 0;
  const affinity = (map: OsdMap, osd: number): number =>
    map.osdPrimaryAffinity?.[osd] ?? DEFAULT_PRIMARY_AFFINITY;
  if (
    before.osdState === after.osdState &&
    before.maxOsd === after.maxOsd &&
    before.osdPrimaryAffinity === after.osdPrimaryAffinity
  ) {
    return changed;
  }
  for (let osd = 0; osd < Math.max(before.maxOsd, after.maxOsd); osd++) {
    if (state(before, osd) !== state(after, osd) || affinity(before, osd) !== affinity(after, osd)) {
      changed.add(osd);
    }
  }
  return changed;
}

/** Whether an OSD is out (weight 0) in one of the maps only. */
function outDiffers(before: OsdMap, after: OsdMap): boolean {
  if (before.osdWeight === after.osdWeight) return false;
  for (let osd = 0; osd < Math.max(before.maxOsd, after.maxOsd); osd++) {
    if ((before.osdWeight[osd] === 0) !== (after.osdWeight[osd] === 0)) return true;
  }
  return false;
}
