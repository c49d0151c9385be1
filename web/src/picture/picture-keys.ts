/** Where keys lead in a picture of the hierarchy. */
import type { HierarchyRows } from '../worker/topics/hierarchy.ts';
import { childrenOf, isWithin } from './rows.ts';

/**
 * The row that a key leads to: Up and Down (Home and End) among siblings, Right into a bucket, Left out of it.
 *
 * @param at - where it starts; -1: above all
 * @param top - the row that fills the picture, which keys do not leave; -1: all
 * @returns undefined for other keys; `at` where there is nothing further
 */
export function keyTarget(rows: HierarchyRows, at: number, top: number, key: string): number | undefined {
  const parent = at < 0 ? -1 : (rows.parents[at] ?? -1);
  const isTop = at < 0 || at === top;
  switch (key) {
    case 'ArrowRight':
      return childrenOf(rows, at)[0] ?? at;
    case 'ArrowLeft':
      return isTop || parent < 0 || !isWithin(rows, parent, top) ? at : parent;
    case 'ArrowDown':
    case 'ArrowUp':
    case 'Home':
    case 'End': {
      if (isTop) return at < 0 ? (childrenOf(rows, -1)[0] ?? at) : at;
      const siblings = childrenOf(rows, parent);
      const place = siblings.indexOf(at);
      const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: siblings.length - 1 }[key];
      return siblings[to] ?? at;
    }
    default:
      return undefined;
  }
}
