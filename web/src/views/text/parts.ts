/** Items and their places in the text. */
import type { TextParts } from '../../worker/topics/text.ts';

/** Numbers of kinds in {@link TextParts}. */
const DEVICE = 0;
const BUCKET = 1;
const ITEM = 2;

/** The item that the part at an offset is of; undefined in parts that are of none. */
export function itemAt({ starts, ids, kinds }: TextParts, offset: number): number | undefined {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const kind = kinds[low - 1];
  return kind === DEVICE || kind === BUCKET || kind === ITEM ? ids[low - 1] : undefined;
}

/** Where an item stands: a bucket where it begins, an OSD in its bucket, else where it is declared. */
export function offsetOfItem(
  { starts, ids, kinds }: TextParts,
  item: number,
  isOsd: boolean,
): number | undefined {
  const find = (kind: number): number => ids.findIndex((id, i) => id === item && kinds[i] === kind);
  for (const kind of isOsd ? [ITEM, DEVICE] : [BUCKET]) {
    const found = find(kind);
    if (found >= 0) return starts[found];
  }
  return undefined;
}
