/** PGs and their sets as text and as JSON. */
import { ITEM_NONE } from '../crush/model.ts';

/** A PG id as Ceph prints it: pool in decimal, placement seed in hexadecimal. */
export function formatPgId(pool: number, ps: number): string {
  return `${pool}.${(ps >>> 0).toString(16)}`;
}

/** A set as text, a hole as `-`. */
export function setText(items: Iterable<number>, separator: string): string {
  return Array.from(items, (item) => (item === ITEM_NONE ? '-' : String(item))).join(separator);
}

/** A set for JSON, a hole as null. */
export function setJson(items: Iterable<number>): (number | null)[] {
  return Array.from(items, (item) => (item === ITEM_NONE ? null : item));
}

/** A primary for JSON, none as null. */
export function primaryJson(primary: number): number | null {
  return primary < 0 ? null : primary;
}
