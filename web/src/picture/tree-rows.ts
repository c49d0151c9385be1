/** Which rows of the hierarchy a tree table shows, and in what order. */
import { isOsd, pathTo } from './rows.ts';
import type { HierarchyRows } from '../worker/topics/hierarchy.ts';

/** What is shown. */
export interface TreeChoice {
  /** Items whose rows are open. */
  readonly open: ReadonlySet<number>;
  /** Order of siblings; undefined: the map's. */
  readonly compare?: ((a: number, b: number) => number) | undefined;
  /** Only these rows and what leads to them, all open; undefined: every row. */
  readonly only?: ReadonlySet<number> | undefined;
}

/** The rows in sight, from above. */
export function visibleRows(rows: HierarchyRows, { open, compare, only }: TreeChoice): Int32Array {
  const kept = only && new Set([...only].flatMap((row) => pathTo(rows, row)));
  const found: number[] = [];
  // The rows still to come, the next one last.
  const coming = [...children(-1)].reverse();
  for (let row = coming.pop(); row !== undefined; row = coming.pop()) {
    found.push(row);
    if (kept !== undefined || open.has(rows.ids[row] ?? 0)) coming.push(...children(row).reverse());
  }
  return Int32Array.from(found);

  function children(row: number): number[] {
    const end = row < 0 ? rows.count : (rows.ends[row] ?? 0);
    const below: number[] = [];
    for (let each = row + 1; each < end; each = Math.max(each + 1, rows.ends[each] ?? 0)) {
      if (kept === undefined || kept.has(each)) below.push(each);
    }
    return compare === undefined ? below : below.sort((a, b) => compare(a, b) || a - b);
  }
}

/** Buckets that are open when the tree is open down to a depth: rows of that depth are seen. */
export function openedTo(rows: HierarchyRows, depth: number): Set<number> {
  const open = new Set<number>();
  for (let row = 0; row < rows.count; row++) {
    if (!isOsd(rows, row) && (rows.depths[row] ?? 0) < depth) open.add(rows.ids[row] ?? 0);
  }
  return open;
}

/** The deepest depth of which all rows above make a table that can be overlooked. */
export function readableDepth(rows: HierarchyRows, most: number): number {
  const counts = countsByDepth(rows);
  let sum = 0;
  for (const [depth, count] of counts.entries()) {
    sum += count;
    if (sum > most) return Math.max(0, depth - 1);
  }
  return Math.max(0, counts.length - 1);
}

/** The types at each depth in words, such as `rack`, or `host, rack`. */
export function typesByDepth(rows: HierarchyRows): string[] {
  const types: Set<string>[] = [];
  for (let row = 0; row < rows.count; row++) {
    const depth = rows.depths[row] ?? 0;
    (types[depth] ??= new Set()).add(rows.typeNames.get(rows.types[row] ?? 0) ?? '');
  }
  return types.map((each) => [...each].join(', '));
}

/** The items above a row, which must be open for it to be seen. */
export function openTo(rows: HierarchyRows, row: number): number[] {
  return pathTo(rows, row)
    .slice(0, -1)
    .map((each) => rows.ids[each] ?? 0);
}

function countsByDepth(rows: HierarchyRows): number[] {
  const counts: number[] = [];
  for (const depth of rows.depths) counts[depth] = (counts[depth] ?? 0) + 1;
  return counts;
}
