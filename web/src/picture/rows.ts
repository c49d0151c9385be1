/** Questions about rows of the hierarchy that pictures and tables ask. */
import { OSD_IN, OSD_STATE } from '../../../src/osdmap/model.ts';
import { weight } from '../parts/format.ts';
import type { HierarchyRows } from '../worker/topics/hierarchy.ts';

/** Whether a row is an OSD. */
export function isOsd(rows: HierarchyRows, row: number): boolean {
  return (rows.ids[row] ?? -1) >= 0;
}

/** The first row of an item, or -1. */
export function rowOfItem(rows: HierarchyRows, id: number | undefined): number {
  return id === undefined ? -1 : rows.ids.indexOf(id);
}

/** The rows that a bucket's row holds, in order; of -1, the rows at the top. */
export function childrenOf(rows: HierarchyRows, row: number): number[] {
  const found: number[] = [];
  const end = row < 0 ? rows.count : (rows.ends[row] ?? 0);
  for (let each = row + 1; each < end; each = Math.max(each + 1, rows.ends[each] ?? 0)) found.push(each);
  return found;
}

/** Rows from the top down to a row, which is the last. */
export function pathTo(rows: HierarchyRows, row: number): number[] {
  const path: number[] = [];
  for (let each = row; each >= 0; each = rows.parents[each] ?? -1) path.push(each);
  return path.reverse();
}

/** Whether a row is another, or lies below it; everything lies below -1. */
export function isWithin(rows: HierarchyRows, row: number, top: number): boolean {
  return top < 0 || (row >= top && row < (rows.ends[top] ?? 0));
}

/** A row's type in words. */
export function typeOf(rows: HierarchyRows, row: number): string {
  return rows.typeNames.get(rows.types[row] ?? 0) ?? '';
}

/** An OSD's state in words, as `up`, `down`, `up, out`, `does not exist`; of a bucket nothing. */
export function stateOf(rows: HierarchyRows, row: number): string {
  if (!isOsd(rows, row)) return '';
  const state = rows.states[row] ?? 0;
  if ((state & OSD_STATE.exists) === 0) return 'does not exist';
  const words = [(state & OSD_STATE.up) === 0 ? 'down' : 'up'];
  if ((rows.reweights[row] ?? 0) === 0) words.push('out');
  for (const [word, bit] of Object.entries(OSD_STATE)) {
    if (TOLD.has(word) && (state & bit) !== 0) words.push(word);
  }
  return words.join(', ');
}

/** An OSD's reweight as people set it, 0 to 1; of a bucket nothing. */
export function reweightOf(rows: HierarchyRows, row: number): string {
  return isOsd(rows, row) ? ((rows.reweights[row] ?? 0) / OSD_IN).toFixed(3) : '';
}

/** What a row is, a line each. */
export function factsOf(rows: HierarchyRows, row: number): (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [['type', typeOf(rows, row)]];
  const deviceClass = rows.classes[row] ?? '';
  if (deviceClass !== '') facts.push(['class', deviceClass]);
  facts.push(['weight', weight(rows.weights[row] ?? 0)]);
  if (isOsd(rows, row)) {
    facts.push(['reweight', reweightOf(rows, row)], ['state', stateOf(rows, row)]);
  } else {
    const osds = countOsds(rows, row);
    if (osds > 0) facts.push(['OSDs', String(osds)]);
  }
  return facts;
}

/** OSDs below a row, each place counted. */
export function countOsds(rows: HierarchyRows, row: number): number {
  let count = 0;
  for (let each = row; each < (rows.ends[row] ?? 0); each++) if (isOsd(rows, each)) count++;
  return count;
}

/** States that are told beside up, down and out. */
const TOLD = new Set([
  'full',
  'nearfull',
  'backfillfull',
  'destroyed',
  'noup',
  'nodown',
  'noin',
  'noout',
  'new',
]);
