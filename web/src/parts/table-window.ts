/** Which rows of a long table are in sight. */

/** Pixels that every browser can scroll: Firefox ends somewhat above 17 million. */
const MAX_PIXELS = 12_000_000;
/** Rows beyond the edges, so that scrolling has something to show at once. */
const AROUND = 6;

/** Where the rows in sight are. */
export interface TableWindow {
  /** First row to make, and how many. */
  readonly first: number;
  readonly count: number;
  /** Height of the space that stands for all rows. */
  readonly spaceHeight: number;
  /** Where in that space the first row made has its top. */
  readonly offset: number;
  /** The row at the top edge, with its fraction. */
  readonly topRow: number;
}

/**
 * The rows in sight of a table scrolled to `scrollTop`. The head takes the height of one row.
 *
 * Where all rows are higher than browsers can scroll, the space is lower than they are, and each pixel of it stands
 * for more; rows then still lie at whole heights from each other.
 */
export function tableWindow({
  rowCount,
  rowHeight,
  scrollTop,
  height,
}: {
  readonly rowCount: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly height: number;
}): TableWindow {
  const all = rowCount * rowHeight;
  const spaceHeight = Math.min(all, MAX_PIXELS);
  const scrollable = Math.max(0, spaceHeight + rowHeight - height);
  const stretch = scrollable === 0 ? 1 : Math.max(0, all + rowHeight - height) / scrollable;
  const top = Math.min(scrollTop, scrollable) * stretch;
  const topRow = top / rowHeight;
  const first = Math.max(0, Math.floor(topRow) - AROUND);
  const count = Math.max(0, Math.min(rowCount - first, Math.ceil(height / rowHeight) + 1 + 2 * AROUND));
  const offset = Math.min(scrollTop, scrollable) - (top - first * rowHeight);
  return { first, count, spaceHeight, offset, topRow };
}
