/**
 * Walks over the hierarchy of a CRUSH map as Ceph's displays do: from each root down, what a bucket holds in the
 * order of classes and names. Follows `CrushTreeDumper` (Ceph's src/crush/CrushTreeDumper.h) and the displays of
 * CrushWrapper.
 */
import { DEFAULT_CHOOSE_ARGS, type CrushMap } from '../../crush/model.ts';
import {
  bucketItemWeight,
  findBucket,
  findItem,
  findRoots,
  isShadow,
  itemClassName,
  itemName,
  parentOf,
  typeName,
} from '../../crush/names.ts';
import { CrushError } from '../../errors.ts';
import { formatWeightFixed } from '../iostream-format.ts';
import { textTableLines, type TextColumn } from '../text-table.ts';

/** Rows beyond these are refused: a bucket that many hold is shown in each of them. */
const MAX_ROWS = 1 << 22;

/** An item at one place of the hierarchy. */
export interface TreeItem {
  readonly id: number;
  /** Id of the bucket that holds it here, 0 for a root. */
  readonly parent: number;
  /** How many buckets are above. */
  readonly depth: number;
  /** 16.16 weight here, signed. */
  readonly weight: number;
}

/**
 * Each item of the hierarchy, buckets before what they hold. Items of a bucket that have one name are one.
 *
 * @throws CrushError `invalid-map` for a bucket that holds itself, `unsupported` for too much to show
 */
export function* walkTree(map: CrushMap, roots: readonly number[]): Generator<TreeItem> {
  const waiting: TreeItem[] = roots.toReversed().map((id) => {
    const weight = findBucket(map, id)?.weight ?? 0;
    return { id, parent: 0, depth: 0, weight };
  });
  for (let count = 0, item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    if (++count > MAX_ROWS) {
      throw new CrushError('unsupported', `the hierarchy has more than ${MAX_ROWS} places, too many to show`);
    }
    if (item.depth > map.buckets.length) throw loopAt(item.id);
    yield item;
    waiting.push(...childrenOf(map, item).toReversed());
  }
}

/** Lines of `crushtool --tree`: shadow trees and all (`CrushWrapper::dump_tree`). */
export function treeLines(map: CrushMap): Iterable<string> {
  const sets = [...map.chooseArgs].sort(([a], [b]) => a - b);
  const columns: TextColumn[] = [
    { heading: 'ID', align: 'right' },
    { heading: 'CLASS', align: 'right' },
    { heading: 'WEIGHT', align: 'right' },
    ...sets.map(([index]) => ({
      heading: index === DEFAULT_CHOOSE_ARGS ? '(compat)' : String(index),
      align: 'right' as const,
    })),
    { heading: 'TYPE NAME', align: 'left' },
  ];
  const rows: string[][] = [];
  for (const item of walkTree(map, findRoots(map))) {
    const { id, parent, depth, weight } = item;
    const weights = sets.map(([, args]) => {
      const first = args.get(parent)?.weightSet?.[0];
      const bucket = findBucket(map, parent);
      if (first === undefined || bucket === undefined) return '';
      return formatWeightFixed(first[bucket.items.indexOf(id)] ?? 0);
    });
    rows.push([
      String(id),
      itemClassName(map, id) ?? '',
      formatWeightFixed(weight),
      ...weights,
      `${'    '.repeat(depth)}${itemTitle(map, id)}`,
    ]);
  }
  return textTableLines(columns, rows);
}

/** Type and name of each bucket above a device, sorted by type (`CrushWrapper::get_full_location`). */
export function fullLocation(map: CrushMap, id: number): ReadonlyMap<string, string> {
  const location = new Map<string, string>();
  if (!map.itemNames.has(id)) return location;
  const seen = new Set([id]);
  for (let parent = parentOf(map, id); parent !== undefined; parent = parentOf(map, parent)) {
    if (seen.has(parent)) throw loopAt(parent);
    seen.add(parent);
    const type = typeName(map, findBucket(map, parent)?.type ?? 0);
    const name = itemName(map, parent);
    if (type === undefined || name === undefined) {
      const what = name === undefined ? 'name' : 'type with a name';
      throw new CrushError('invalid-map', `bucket ${parent}, above item ${id}, has no ${what}; give it one`);
    }
    // Of two buckets of one type the lower counts.
    if (!location.has(type)) location.set(type, name);
  }
  return new Map([...location].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Ids of the devices below an item, ascending; none where a bucket is missing (`CrushWrapper::get_leaves`). */
export function leavesOf(map: CrushMap, name: string): number[] {
  const start = findItem(map, name);
  if (start === undefined) return [];
  const seen = new Set([start]);
  for (const id of seen) {
    if (id >= 0) continue;
    const bucket = findBucket(map, id);
    if (bucket === undefined) return [];
    for (const item of bucket.items) seen.add(item);
  }
  return [...seen].filter((id) => id >= 0).sort((a, b) => a - b);
}

/** Ids of the roots that are no shadows, ascending (`CrushWrapper::find_nonshadow_roots`). */
export function findPlainRoots(map: CrushMap): number[] {
  return findRoots(map).filter((id) => !isShadow(map, id));
}

function childrenOf(map: CrushMap, { id, depth }: TreeItem): TreeItem[] {
  const bucket = findBucket(map, id);
  if (bucket === undefined) return [];
  const children = new Map<string, TreeItem>();
  // Of items with the same name the first stays.
  for (let position = bucket.items.length - 1; position >= 0; position--) {
    const item = bucket.items[position] ?? 0;
    const weight = bucketItemWeight(bucket, position) | 0;
    children.set(sortKey(map, item), { id: item, parent: id, depth: depth + 1, weight });
  }
  return [...children].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, child]) => child);
}

function sortKey(map: CrushMap, id: number): string {
  if (id < 0) return `_${itemName(map, id) ?? ''}`;
  return `${itemClassName(map, id) ?? ''}_osd.${String(id).padStart(8, '0')}`;
}

/** How a tree shows an item; where a name is missing, the rest is missing too. */
function itemTitle(map: CrushMap, id: number): string {
  if (id >= 0) return `osd.${id}`;
  const bucket = findBucket(map, id);
  const type = bucket === undefined ? undefined : typeName(map, bucket.type);
  return type === undefined ? '' : `${type} ${itemName(map, id) ?? ''}`;
}

function loopAt(id: number): CrushError {
  return new CrushError(
    'invalid-map',
    `bucket ${id} is below itself; take it out of the bucket that closes the loop`,
  );
}
