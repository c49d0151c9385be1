/** Finding rows of the hierarchy by words. */
import { isOsd, stateOf, typeOf } from '../../picture/rows.ts';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';

/** What can stand before a colon. */
export const SEARCH_KEYS = ['name', 'id', 'type', 'class', 'state'] as const;

/**
 * The rows that fit every word, in the tree's order.
 *
 * A word is a part of a name (`node1`), an id (`-5`, `12`), or a key and a value: `class:ssd`, `type:rack`,
 * `state:down`, `id:7`, `name:osd.1`, whose names are taken as a whole.
 */
export function search(rows: HierarchyRows, query: string): number[] {
  const tests = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => testOf(rows, word));
  if (tests.length === 0) return [];
  const found: number[] = [];
  for (let row = 0; row < rows.count; row++) if (tests.every((test) => test(row))) found.push(row);
  return found;
}

function testOf(rows: HierarchyRows, word: string): (row: number) => boolean {
  const colon = word.indexOf(':');
  const value = word.slice(colon + 1);
  switch (colon < 0 ? '' : word.slice(0, colon)) {
    case 'name':
      return (row) => nameOf(rows, row) === value;
    case 'id':
      return (row) => String(rows.ids[row]) === value;
    case 'type':
      return (row) => typeOf(rows, row).toLowerCase() === value;
    case 'class':
      return (row) => isOsd(rows, row) && (rows.classes[row] ?? '').toLowerCase() === value;
    case 'state':
      return stateTest(rows, value);
    default:
      break;
  }
  // The whole name of an OSD is meant as such: osd.1 is not osd.10.
  if (/^osd\.\d+$/.test(word)) return (row) => nameOf(rows, row) === word;
  if (/^-?\d+$/.test(word))
    return (row) => String(rows.ids[row]) === word || nameOf(rows, row).includes(word);
  return (row) => nameOf(rows, row).includes(word);
}

function stateTest(rows: HierarchyRows, value: string): (row: number) => boolean {
  // `in` is not said of OSDs that are in, and `exist` would be in both ways of saying it.
  if (value === 'in') return (row) => isOsd(rows, row) && (rows.reweights[row] ?? 0) > 0;
  return (row) => stateOf(rows, row).split(', ').includes(value);
}

function nameOf(rows: HierarchyRows, row: number): string {
  return (rows.names[row] ?? '').toLowerCase();
}
