/** How often each OSD is chosen, and a picture of it. */
import { ITEM_NONE } from '../crush/model.ts';
import { tableLines } from './table.ts';

/** Most OSDs that are shown one by one. */
const SHOWN_OSDS = 32;
/** Widest picture on wide terminals. */
const MAX_COLUMNS = 100;
/** What the columns before the bar take, about. */
const COLUMNS_BEFORE_BAR = 40;

/** Counts how often each OSD is chosen, and how often as primary. */
export class OsdLoad {
  readonly items: Uint32Array;
  readonly primaries: Uint32Array;

  constructor(osds: number) {
    this.items = new Uint32Array(osds);
    this.primaries = new Uint32Array(osds);
  }

  /** Counts mappings in columns. */
  add(items: Int32Array, primaries: Int32Array | undefined): void {
    for (const osd of items) if (osd >= 0 && osd < ITEM_NONE) countUp(this.items, osd);
    for (const osd of primaries ?? []) if (osd >= 0) countUp(this.primaries, osd);
  }
}

function countUp(counts: Uint32Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

/** What a picture of OSDs is made from. */
export interface LoadPicture {
  readonly load: OsdLoad;
  /** Title of the column of counts. */
  readonly counted: string;
  readonly isShown: (osd: number) => boolean;
  /** Weight that an OSD's share is expected by; 0 for one that should get nothing. */
  readonly weightOf: (osd: number) => number;
  /** Width of the terminal. */
  readonly columns: number;
}

/**
 * A line an OSD: its count, that count relative to its share by weight of all that was counted, and a bar; of many
 * OSDs, those with the most and the least for their weight.
 */
export function loadLines({ load, counted, isShown, weightOf, columns }: LoadPicture): string[] {
  const osds = [...load.items.keys()];
  const total = load.items.reduce((sum, count) => sum + count, 0);
  const totalWeight = osds.reduce((sum, osd) => sum + weightOf(osd), 0);
  const countOf = (osd: number): number => load.items[osd] ?? 0;
  const ofExpected = (osd: number): number => countOf(osd) / ((total * weightOf(osd)) / totalWeight);

  let shown = osds.filter(isShown);
  const hidden = shown.length - SHOWN_OSDS;
  if (hidden > 0) {
    // What should get nothing comes first if it got something, and last if it did not.
    const rank = (osd: number): number => ofExpected(osd) || 0;
    const sorted = shown.sort((a, b) => (rank(a) === rank(b) ? a - b : rank(b) - rank(a)));
    shown = [...sorted.slice(0, SHOWN_OSDS / 2), ...sorted.slice(-SHOWN_OSDS / 2)];
  }
  const hasPrimaries = load.primaries.some((count) => count > 0);
  const most = Math.max(1, ...shown.map(countOf));
  const barWidth = Math.max(10, Math.min(columns, MAX_COLUMNS) - COLUMNS_BEFORE_BAR);
  const rows = shown.map((osd) => {
    const ratio = ofExpected(osd);
    return [
      `osd.${osd}`,
      countOf(osd),
      Number.isFinite(ratio) ? `x${ratio.toFixed(2)}` : '-',
      ...(hasPrimaries ? [load.primaries[osd] ?? 0] : []),
      '#'.repeat(Math.round((countOf(osd) / most) * barWidth)),
    ];
  });
  const titles = ['OSD', counted, 'OF EXPECTED', ...(hasPrimaries ? ['LEADS'] : []), ''];
  const lines = tableLines(titles, rows);
  if (hidden > 0) lines.splice(1 + SHOWN_OSDS / 2, 0, `... ${hidden} between ...`);
  return lines;
}
