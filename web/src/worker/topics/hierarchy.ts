/** The hierarchy of the current map as rows of a tree, for pictures and tables. */
import { itemClassName, itemName, typeName } from '../../../../src/crush/names.ts';
import { MapIndex, weightAt } from '../../../../src/crush/validate/index-of-map.ts';
import { OSD_STATE } from '../../../../src/osdmap/model.ts';
import type { OpenDocument } from '../open-document.ts';

/**
 * The hierarchy, a row for each place of an item in it: parents come before their children, siblings in the map's
 * order. An item that several buckets hold has as many rows. Shadow buckets have none.
 */
export interface HierarchyRows {
  readonly count: number;
  /** CRUSH item ids: OSDs from 0, buckets below. */
  readonly ids: Int32Array;
  /** Row of the bucket that holds the item, or -1 at the top. */
  readonly parents: Int32Array;
  /** 0 at the top. */
  readonly depths: Uint32Array;
  /** First row that is not below the row: what lies below are the rows between. */
  readonly ends: Int32Array;
  /** CRUSH type numbers; 0 for OSDs. */
  readonly types: Int32Array;
  readonly typeNames: ReadonlyMap<number, string>;
  readonly names: readonly string[];
  /** 16.16 CRUSH weight, as the holder has it; at the top, the bucket's own. */
  readonly weights: Uint32Array;
  /** Device classes; empty where there is none, and for buckets. */
  readonly classes: readonly string[];
  /** `OSD_STATE` bits; 0 for buckets, and for OSDs that the OSDMap does not have. */
  readonly states: Uint32Array;
  /** 16.16 reweight of OSDs; 0 is out. 0 for buckets. */
  readonly reweights: Uint32Array;
  /** Whether the map has more places than rows: buckets that hold each other over and over. */
  readonly isCut: boolean;
}

/** Rows at most, ten times those of the largest clusters: damaged maps can have more places than any memory. */
const MAX_ROWS = 150_000;

/** The current hierarchy. OSDs of the OSDMap that no bucket holds stand at the end of the top, as in `ceph osd tree`. */
export function hierarchy(document: OpenDocument): HierarchyRows {
  const map = document.current;
  const index = new MapIndex(map.crush, undefined);
  const places = walk(index);
  const placed = new Set(places.ids);
  for (let osd = 0; osd < map.maxOsd && places.ids.length < MAX_ROWS; osd++) {
    if (((map.osdState[osd] ?? 0) & OSD_STATE.exists) !== 0 && !placed.has(osd)) add(places, osd, -1, 0);
  }
  const count = places.ids.length;
  const ids = Int32Array.from(places.ids);
  const parents = Int32Array.from(places.parents);
  const types = ids.map((id) => (id < 0 ? (index.bucket(id)?.type ?? -1) : 0));
  const isOsd = (id: number): boolean => id >= 0;
  return {
    count,
    ids,
    parents,
    depths: Uint32Array.from(places.depths),
    ends: endsOf(parents),
    types,
    typeNames: new Map([...new Set(types)].map((type) => [type, wordOfType(document, type)])),
    names: places.ids.map((id) => itemName(map.crush, id) ?? (isOsd(id) ? `osd.${id}` : `bucket ${id}`)),
    weights: Uint32Array.from(places.weights),
    classes: places.ids.map((id) => (isOsd(id) ? (itemClassName(map.crush, id) ?? '') : '')),
    states: Uint32Array.from(ids, (id) => (isOsd(id) ? (map.osdState[id] ?? 0) : 0)),
    reweights: Uint32Array.from(ids, (id) => (isOsd(id) ? (map.osdWeight[id] ?? 0) : 0)),
    isCut: count >= MAX_ROWS,
  };
}

interface Places {
  readonly ids: number[];
  readonly parents: number[];
  readonly depths: number[];
  readonly weights: number[];
}

/** Depth first from every root, without recursion since chains may be long. */
function walk(index: MapIndex): Places {
  const places: Places = { ids: [], parents: [], depths: [], weights: [] };
  for (const root of rootsOf(index)) {
    if (places.ids.length >= MAX_ROWS) break;
    const path = [{ bucket: root, row: add(places, root.id, -1, root.weight), next: 0 }];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      if (top.next >= top.bucket.items.length || places.ids.length >= MAX_ROWS) {
        path.pop();
        continue;
      }
      const at = top.next++;
      const row = add(places, top.bucket.items[at] ?? 0, top.row, weightAt(top.bucket, at));
      const child = index.child(top.bucket, at);
      if (child !== undefined) path.push({ bucket: child, row, next: 0 });
    }
  }
  return places;
}

/** Buckets that none holds, from the lowest id as `ceph osd tree` has them; of a ring, the bucket it is cut at. */
function rootsOf(index: MapIndex): MapIndex['buckets'] {
  const shown = index.buckets.filter(({ id }) => !index.isShadow(id));
  const held = new Set<number>();
  for (const bucket of shown) {
    for (let i = 0; i < bucket.items.length; i++) {
      const child = index.child(bucket, i);
      if (child !== undefined) held.add(child.id);
    }
  }
  return shown.filter(({ id }) => !held.has(id)).reverse();
}

function add(places: Places, id: number, parent: number, weight: number): number {
  places.ids.push(id);
  places.parents.push(parent);
  places.depths.push(parent < 0 ? 0 : (places.depths[parent] ?? 0) + 1);
  return places.weights.push(weight) - 1;
}

function endsOf(parents: Int32Array): Int32Array {
  const ends = Int32Array.from(parents, (_, row) => row + 1);
  for (let row = parents.length - 1; row >= 0; row--) {
    const parent = parents[row] ?? -1;
    if (parent >= 0) ends[parent] = Math.max(ends[parent] ?? 0, ends[row] ?? 0);
  }
  return ends;
}

function wordOfType(document: OpenDocument, type: number): string {
  if (type < 0) return 'missing';
  return typeName(document.current.crush, type) ?? (type === 0 ? 'osd' : `type ${type}`);
}
