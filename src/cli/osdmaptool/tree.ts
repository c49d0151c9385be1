/** `osdmaptool --tree`: the hierarchy with the state of its OSDs. Follows `OSDMap::print_tree` (Ceph's src/osd/OSDMap.cc). */
import { DEFAULT_CHOOSE_ARGS } from '../../crush/model.ts';
import { findBucket, itemClassName, itemName, typeName } from '../../crush/names.ts';
import { DEFAULT_PRIMARY_AFFINITY, OSD_STATE, type OsdMap } from '../../osdmap/model.ts';
import { findPlainRoots, walkTree, type TreeItem } from '../crushtool/tree.ts';
import { createFormatter, type Formatter } from '../formatter/formatter.ts';
import { formatWeightFixed } from '../iostream-format.ts';
import { textTableLines, type TextColumn } from '../text-table.ts';

const COLUMNS: readonly TextColumn[] = [
  { heading: 'ID', align: 'right' },
  { heading: 'CLASS', align: 'right' },
  { heading: 'WEIGHT', align: 'right' },
  { heading: 'TYPE NAME', align: 'left' },
  { heading: 'STATUS', align: 'right' },
  { heading: 'REWEIGHT', align: 'right' },
  { heading: 'PRI-AFF', align: 'right' },
];

/** The tree in a format, '' for a table. */
export function treeText(map: OsdMap, format: string): string {
  const items = [...walkTree(map.crush, findPlainRoots(map.crush))];
  const seen = new Set(items.map(({ id }) => id));
  const strays: TreeItem[] = [];
  for (let id = 0; id < map.maxOsd; id++) {
    if (hasState(map, id, OSD_STATE.exists) && !seen.has(id)) {
      strays.push({ id, parent: 0, depth: 0, weight: 0 });
    }
  }
  if (format === '') {
    const rows = [...items, ...strays].map((item) => tableRow(map, item));
    return [...textTableLines(COLUMNS, rows)].map((line) => `${line}\n`).join('');
  }
  const formatter = createFormatter(format, 'json');
  formatter.openObject('tree');
  formatter.openArray('nodes');
  for (const item of items) dumpItem(map, item, items, formatter);
  formatter.close();
  formatter.openArray('stray');
  for (const item of strays) dumpItem(map, item, items, formatter);
  formatter.close();
  formatter.close();
  return `${formatter.text()}\n`;
}

function tableRow(map: OsdMap, { id, depth, weight }: TreeItem): string[] {
  const indent = '    '.repeat(depth);
  const bucket = findBucket(map.crush, id);
  const title =
    id >= 0
      ? `osd.${id}`
      : `${typeName(map.crush, bucket?.type ?? 0) ?? ''} ${itemName(map.crush, id) ?? ''}`;
  const row = [
    String(id),
    itemClassName(map.crush, id) ?? '',
    formatWeightFixed(weight),
    `${indent}${title}`,
  ];
  if (id < 0) return [...row, '', '', ''];
  if (!hasState(map, id, OSD_STATE.exists)) return [...row, 'DNE', '0', ''];
  return [
    ...row,
    statusOf(map, id),
    formatWeightFixed(map.osdWeight[id] ?? 0),
    formatWeightFixed(affinityOf(map, id)),
  ];
}

function dumpItem(map: OsdMap, item: TreeItem, items: readonly TreeItem[], formatter: Formatter): void {
  const { crush } = map;
  const { id, parent, depth, weight } = item;
  const bucket = findBucket(crush, id);
  formatter.openObject('item');
  formatter.dumpInt('id', id);
  const deviceClass = itemClassName(crush, id);
  if (deviceClass !== undefined) formatter.dumpString('device_class', deviceClass);
  if (id < 0) {
    const type = bucket?.type ?? 0;
    formatter.dumpString('name', itemName(crush, id) ?? '');
    formatter.dumpString('type', typeName(crush, type) ?? '');
    formatter.dumpInt('type_id', type);
  } else {
    formatter.dumpString('name', `osd.${id}`);
    formatter.dumpString('type', typeName(crush, 0) ?? '');
    formatter.dumpInt('type_id', 0);
    formatter.dumpFloat('crush_weight', units(weight));
    formatter.dumpInt('depth', depth);
  }
  if (parent < 0) dumpWeightSets(map, item, formatter);
  if (id < 0) {
    formatter.openArray('children');
    for (const child of childrenOf(item, items).toReversed()) formatter.dumpInt('child', child);
    formatter.close();
  } else {
    formatter.dumpInt('exists', hasState(map, id, OSD_STATE.exists) ? 1 : 0);
    formatter.dumpString('status', statusOf(map, id));
    formatter.dumpFloat('reweight', units(map.osdWeight[id] ?? 0));
    formatter.dumpFloat('primary_affinity', units(affinityOf(map, id)));
  }
  formatter.close();
}

/** What an item weighs in weight-sets, by the name of the pool that each is for. */
function dumpWeightSets({ crush, pools }: OsdMap, { id, parent }: TreeItem, formatter: Formatter): void {
  const position = findBucket(crush, parent)?.items.indexOf(id) ?? -1;
  formatter.openObject('pool_weights');
  for (const [index, args] of [...crush.chooseArgs].sort(([a], [b]) => a - b)) {
    const weightSet = args.get(parent)?.weightSet;
    if (weightSet === undefined || weightSet.length === 0) continue;
    const name = index === DEFAULT_CHOOSE_ARGS ? '(compat)' : (pools.get(index)?.name ?? String(index));
    formatter.openArray(name);
    for (const weights of weightSet) formatter.dumpFloat('weight', units(weights[position] ?? 0));
    formatter.close();
  }
  formatter.close();
}

/** What stands right below an item, in the order of the tree. */
function childrenOf(item: TreeItem, items: readonly TreeItem[]): number[] {
  const children: number[] = [];
  for (let at = items.indexOf(item) + 1; at < items.length; at++) {
    const next = items[at];
    if (next === undefined || next.depth <= item.depth) break;
    if (next.depth === item.depth + 1) children.push(next.id);
  }
  return children;
}

function statusOf(map: OsdMap, osd: number): string {
  if (hasState(map, osd, OSD_STATE.exists | OSD_STATE.up)) return 'up';
  return hasState(map, osd, OSD_STATE.exists | OSD_STATE.destroyed) ? 'destroyed' : 'down';
}

function hasState(map: OsdMap, osd: number, bits: number): boolean {
  return ((map.osdState[osd] ?? 0) & bits) === bits;
}

function affinityOf(map: OsdMap, osd: number): number {
  return map.osdPrimaryAffinity?.[osd] ?? DEFAULT_PRIMARY_AFFINITY;
}

/** 16.16 in units, as a 32-bit float. */
function units(fixed: number): number {
  return Math.fround(fixed) / 0x10000;
}
