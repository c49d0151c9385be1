/** Types of buckets, and which bucket of a type each OSD is in. */
import type { CrushMap } from '../../../../src/crush/model.ts';
import { isShadow, itemName, parentOf, typeName } from '../../../../src/crush/names.ts';

/** A type of items: OSDs, hosts, racks... */
export interface LevelName {
  readonly type: number;
  readonly name: string;
  /** Items of the type; of OSDs, devices that are in a bucket. */
  readonly count: number;
}

/** No bucket of the type above an OSD. */
export const NO_BUCKET = 0;

const levelLists = new WeakMap<CrushMap, readonly LevelName[]>();
const aboveLists = new WeakMap<CrushMap, Map<number, Int32Array>>();

/** The types that the map has items of, from the OSDs up. Shadow buckets do not count. */
export function levelNames(map: CrushMap): readonly LevelName[] {
  let levels = levelLists.get(map);
  if (levels === undefined) {
    const counts = new Map<number, number>([[0, 0]]);
    const devices = new Set<number>();
    for (const bucket of map.buckets) {
      if (bucket === undefined || isShadow(map, bucket.id)) continue;
      counts.set(bucket.type, (counts.get(bucket.type) ?? 0) + 1);
      for (const item of bucket.items) if (item >= 0) devices.add(item);
    }
    counts.set(0, devices.size);
    levels = [...counts]
      .sort(([a], [b]) => a - b)
      .map(([type, count]) => ({ type, name: nameOfType(map, type), count }));
    levelLists.set(map, levels);
  }
  return levels;
}

/**
 * For each OSD id below `length`, the id of the bucket of the type that it is in, or {@link NO_BUCKET}: no OSD's bucket
 * has the id 0. For type 0 it is undefined: each OSD stands for itself.
 */
export function bucketsAbove(map: CrushMap, type: number, length: number): Int32Array | undefined {
  if (type === 0) return undefined;
  let byType = aboveLists.get(map);
  if (byType === undefined) aboveLists.set(map, (byType = new Map<number, Int32Array>()));
  let above = byType.get(type);
  if (above === undefined || above.length < length) {
    above = new Int32Array(length);
    const known = new Map<number, number>();
    for (let osd = 0; osd < length; osd++) {
      const holder = parentOf(map, osd);
      if (holder !== undefined) above[osd] = findAbove(map, type, holder, known);
    }
    byType.set(type, above);
  }
  return above;
}

/** The name of an item as people know it. */
export function nameOfItem(map: CrushMap, id: number): string {
  return itemName(map, id) ?? (id >= 0 ? `osd.${id}` : `bucket ${id}`);
}

function findAbove(map: CrushMap, type: number, holder: number, known: Map<number, number>): number {
  const cached = known.get(holder);
  if (cached !== undefined) return cached;
  let found = NO_BUCKET;
  const seen = new Set<number>();
  for (let id: number | undefined = holder; id !== undefined && !seen.has(id); id = parentOf(map, id)) {
    seen.add(id);
    if (map.buckets[-1 - id]?.type !== type) continue;
    found = id;
    break;
  }
  known.set(holder, found);
  return found;
}

function nameOfType(map: CrushMap, type: number): string {
  return typeName(map, type) ?? (type === 0 ? 'osd' : `type ${type}`);
}
