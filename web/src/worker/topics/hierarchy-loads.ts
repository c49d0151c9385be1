/** What the rows of the hierarchy carry. */
import type { OpenDocument } from '../open-document.ts';
import { osdLoads, type OsdLoads } from '../osd-loads.ts';
import { hierarchy, type HierarchyRows } from './hierarchy.ts';

/** Loads by row of `hierarchy`: of an OSD its own, of a bucket those of the OSDs below, each once. */
export interface HierarchyLoads {
  /** PG shards in up sets. */
  readonly shards: Float64Array;
  /** PGs whose up primary it is, or is below. */
  readonly primaries: Float64Array;
  /** Shards by CRUSH weight and reweight. */
  readonly expected: Float64Array;
  readonly failures: OsdLoads['failures'];
}

/**
 * Loads of the current map.
 *
 * @param pool - a pool's id; undefined: all
 */
export function hierarchyLoads(document: OpenDocument, pool?: number): HierarchyLoads {
  const rows = hierarchy(document);
  const { shards, primaries, expected, failures } = osdLoads(document, 'current', pool);
  const loads = {
    shards: new Float64Array(rows.count),
    primaries: new Float64Array(rows.count),
    expected: new Float64Array(rows.count),
  };
  // The OSD that was last added to a row: one that hangs below it twice counts once.
  const last = new Int32Array(rows.count).fill(-1);
  for (const { osd, row } of placesByOsd(rows)) {
    for (let each = row; each >= 0; each = rows.parents[each] ?? -1) {
      // What holds this row has the OSD as well.
      if (last[each] === osd) break;
      last[each] = osd;
      loads.shards[each] = (loads.shards[each] ?? 0) + (shards[osd] ?? 0);
      loads.primaries[each] = (loads.primaries[each] ?? 0) + (primaries[osd] ?? 0);
      loads.expected[each] = (loads.expected[each] ?? 0) + (expected[osd] ?? 0);
    }
  }
  return { ...loads, failures };
}

function placesByOsd({ ids }: HierarchyRows): { readonly osd: number; readonly row: number }[] {
  const places: { osd: number; row: number }[] = [];
  ids.forEach((osd, row) => {
    if (osd >= 0) places.push({ osd, row });
  });
  return places.sort((a, b) => a.osd - b.osd || a.row - b.row);
}
