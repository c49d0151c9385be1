/** The buckets above each device, level by level. */
import type { MapIndex } from '../crush/validate/index-of-map.ts';

/** One type of bucket, and which bucket of it each device is in. */
export interface Level {
  readonly type: number;
  /** Ids of the buckets of the type that have devices below. */
  readonly buckets: readonly number[];
  /** Index in `buckets` of the one above each device, or -1. */
  readonly above: Int32Array;
}

/**
 * Levels from the lowest type up. Shadow buckets do not count: their devices stand in the originals as well. A device
 * in several buckets counts for the first.
 */
export function levelsOf(index: MapIndex): Level[] {
  const { maxDevices } = index.map;
  const levels = new Map<number, { buckets: number[]; above: Int32Array; places: Map<number, number> }>();
  for (const [device, holders] of index.held) {
    if (device < 0 || device >= maxDevices) continue;
    let holder = holders.find((id) => !index.isShadow(id));
    const seen = new Set<number>();
    while (holder !== undefined && !seen.has(holder)) {
      seen.add(holder);
      const type = index.bucket(holder)?.type ?? 0;
      let level = levels.get(type);
      if (level === undefined) {
        level = { buckets: [], above: new Int32Array(maxDevices).fill(-1), places: new Map() };
        levels.set(type, level);
      }
      let place = level.places.get(holder);
      if (place === undefined) {
        place = level.buckets.push(holder) - 1;
        level.places.set(holder, place);
      }
      if (level.above[device] === -1) level.above[device] = place;
      holder = index.holders(holder).find((id) => !index.isShadow(id));
    }
  }
  return [...levels]
    .sort(([a], [b]) => a - b)
    .map(([type, { buckets, above }]) => ({ type, buckets, above }));
}
