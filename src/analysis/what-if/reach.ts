/** What was added to a cluster where no data comes: below no root, or where no pool's rule looks. */
import { RULE_OP, type CrushMap } from '../../crush/model.ts';
import { findItem, isShadow, itemName, parentOf, typeName } from '../../crush/names.ts';
import { NEWEST_RELEASE } from '../../formats/releases.ts';
import type { OsdMap } from '../../osdmap/model.ts';
import { findPoolRule } from '../../osdmap/pool-rule.ts';
import type { MapChange } from './changes.ts';
import { osdsBelow } from './targets.ts';

/**
 * A line for each bucket that changes made below no other, and for the new OSDs that no pool's rule reaches; none
 * where all is well.
 *
 * @param after - the map after the changes
 */
export function unreached(before: OsdMap, after: OsdMap, changes: readonly MapChange[]): string[] {
  if (!changes.some(({ kind }) => PLACING.has(kind))) return [];
  const { crush } = after;
  return [...looseBuckets(before.crush, crush), ...unreachedOsds(after, changes)];
}

/** Changes that put things at a location. */
const PLACING: ReadonlySet<MapChange['kind']> = new Set(['add-osds', 'add-bucket', 'move'] as const);

function looseBuckets(before: CrushMap, after: CrushMap): string[] {
  const highest = Math.max(...after.typeNames.keys());
  return after.buckets.flatMap((bucket) => {
    if (bucket === undefined || bucket.type === highest || isShadow(after, bucket.id)) return [];
    if (parentOf(after, bucket.id) !== undefined) return [];
    const name = itemName(after, bucket.id);
    if (name === undefined || findItem(before, name) !== undefined) return [];
    return [
      `${titleOf(after, bucket.id)} is new and below no root; its location is to name one, such as root=default`,
    ];
  });
}

function unreachedOsds(map: OsdMap, changes: readonly MapChange[]): string[] {
  if (!changes.some(({ kind }) => kind === 'add-osds')) return [];
  const { crush } = map;
  const reached = new Set<number>();
  for (const pool of map.pools.values()) {
    for (const { op, arg1 } of crush.rules[findPoolRule(crush, pool, NEWEST_RELEASE)]?.steps ?? []) {
      if (op === RULE_OP.take) for (const osd of osdsBelow(crush, arg1)) reached.add(osd);
    }
  }
  /** OSDs by the bucket they are in. */
  const missed = new Map<number, Set<number>>();
  for (const change of changes) {
    if (change.kind !== 'add-osds') continue;
    for (const osd of change.osds) {
      const parent = parentOf(crush, osd);
      if (parent === undefined || reached.has(osd)) continue;
      missed.set(parent, (missed.get(parent) ?? new Set()).add(osd));
    }
  }
  return [...missed].map(([parent, osds]) => {
    const names = [...osds].map((osd) => `osd.${osd}`);
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
    return `no pool's rule reaches ${names.slice(0, MOST_NAMES).join(', ')}${more} in ${titleOf(crush, parent)}`;
  });
}

/** Most OSDs of a bucket that are named. */
const MOST_NAMES = 8;

function titleOf(map: CrushMap, bucket: number): string {
  const type = map.buckets[-1 - bucket]?.type ?? 0;
  return `${typeName(map, type) ?? `type ${type}`} '${itemName(map, bucket) ?? bucket}'`;
}
