/** The health checks of OSDs that are down and of those that are not there. Follows `OSDMap::check_health`. */
import { findBucket, itemName, parentOf, typeName } from '../../crush/names.ts';
import { OSD_STATE, type OsdMap } from '../../osdmap/model.ts';
import type { AddCheck } from './health.ts';

/** Adds OSD_DOWN, OSD_HOST_DOWN and their like for other types, and OSD_ORPHAN. */
export function checkOsds(map: OsdMap, add: AddCheck): void {
  const { crush } = map;
  const orphans: number[] = [];
  const down: number[] = [];
  for (let osd = 0; osd < map.maxOsd; osd++) {
    if (!hasState(map, osd, OSD_STATE.exists)) {
      if (crush.itemNames.has(osd)) orphans.push(osd);
    } else if (map.osdWeight[osd] !== 0 && !hasState(map, osd, OSD_STATE.new) && !isUp(map, osd)) {
      down.push(osd);
    }
  }
  const trees = new DownTrees(map);
  for (const osd of down) trees.follow(osd);
  const downOsds = trees.osds;
  const highestType = Math.max(0, ...crush.typeNames.keys());
  if (downOsds.length > 0) {
    for (let type = highestType; type > 0; type--) addDownTrees(map, trees, type, highestType, add);
    const detail = downOsds.map((osd) => `osd.${osd} (${location(map, osd)}) is down`);
    add('OSD_DOWN', `${downOsds.length} osds down`, downOsds.length, detail);
  }
  if (orphans.length > 0) {
    const detail = orphans.map((osd) => `osd.${osd} exists in crush map but not in osdmap`);
    add(
      'OSD_ORPHAN',
      `${orphans.length} osds exist in the crush map but not in the osdmap`,
      orphans.length,
      detail,
    );
  }
}

function addDownTrees(map: OsdMap, trees: DownTrees, type: number, highestType: number, add: AddCheck): void {
  const name = typeName(map.crush, type);
  const buckets = trees.ofType(type);
  if (name === undefined || buckets.length === 0) return;
  const sum = buckets.reduce((osds, id) => osds + trees.osdsBelow(id), 0);
  const detail = buckets.toReversed().map((id) => {
    const where = type === highestType ? '' : ` (${location(map, id)})`;
    return `${name} ${itemName(map.crush, id) ?? ''}${where} (${trees.osdsBelow(id)} osds) is down`;
  });
  add(
    `OSD_${name.toUpperCase()}_DOWN`,
    `${buckets.length} ${name}${buckets.length > 1 ? 's' : ''} (${sum} osds) down`,
    buckets.length,
    detail,
  );
}

/** Buckets below which no OSD is up, as far as OSDs that are down lead to them. */
class DownTrees {
  readonly #map: OsdMap;
  readonly #downBuckets = new Map<number, boolean>();
  readonly #osds = new Set<number>();

  constructor(map: OsdMap) {
    this.#map = map;
  }

  /** OSDs that are down and in, ascending. */
  get osds(): number[] {
    return [...this.#osds].sort((a, b) => a - b);
  }

  /** Goes up from an OSD that is down as long as everything is. */
  follow(osd: number): void {
    this.#osds.add(osd);
    const seen = new Set<number>();
    for (let id = parentOf(this.#map.crush, osd); id !== undefined; id = parentOf(this.#map.crush, id)) {
      if (seen.has(id) || !this.#isDown(id)) return;
      seen.add(id);
    }
  }

  /** Down buckets of a type, ascending. */
  ofType(type: number): number[] {
    const { crush } = this.#map;
    return [...this.#downBuckets]
      .filter(([id, isDown]) => isDown && findBucket(crush, id)?.type === type)
      .map(([id]) => id)
      .sort((a, b) => a - b);
  }

  /** How many OSDs are below a down bucket. */
  osdsBelow(id: number): number {
    let osds = 0;
    for (const item of findBucket(this.#map.crush, id)?.items ?? []) {
      osds += item >= 0 ? 1 : this.osdsBelow(item);
    }
    return osds;
  }

  #isDown(id: number): boolean {
    if (id >= 0) {
      if (isUp(this.#map, id)) return false;
      const isIn = hasState(this.#map, id, OSD_STATE.exists) && this.#map.osdWeight[id] !== 0;
      if (isIn) this.#osds.add(id);
      return true;
    }
    const known = this.#downBuckets.get(id);
    if (known !== undefined) return known;
    // A bucket that holds itself is not asked again.
    this.#downBuckets.set(id, true);
    const isDown = (findBucket(this.#map.crush, id)?.items ?? []).every((item) => this.#isDown(item));
    this.#downBuckets.set(id, isDown);
    return isDown;
  }
}

/** Where an item is, from the root down: `root=default,host=a`. */
function location({ crush }: OsdMap, item: number): string {
  const parts: string[] = [];
  const seen = new Set<number>();
  for (let id = parentOf(crush, item); id !== undefined && !seen.has(id); id = parentOf(crush, id)) {
    seen.add(id);
    parts.push(`${typeName(crush, findBucket(crush, id)?.type ?? 0) ?? ''}=${itemName(crush, id) ?? ''}`);
  }
  return parts.reverse().join(',');
}

function isUp(map: OsdMap, osd: number): boolean {
  return hasState(map, osd, OSD_STATE.exists | OSD_STATE.up);
}

function hasState(map: OsdMap, osd: number, bits: number): boolean {
  return ((map.osdState[osd] ?? 0) & bits) === bits;
}
