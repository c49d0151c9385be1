/** A draw from a bucket as one line, and as a table of all its items. */
import type { BucketDraw } from './trace.ts';
import { drawNumbers, drawTable } from './draw-words.ts';
import { tableLines } from '../table-lines.ts';

/** A draw as one line: what was drawn, by which numbers, and what came next. */
export function drawLine(draw: BucketDraw, width: number): string {
  const what = `${draw.bucket.name} > ${draw.item.name}`.padEnd(width);
  return `${what}  r ${draw.r}  ${drawNumbers(draw)}`;
}

/** Lines of a {@link drawTable}; none where its rows were not recorded, or there are none. */
export function drawTableLines(draw: BucketDraw): string[] {
  const table = drawTable(draw);
  const isEmpty = (draw.method === 'tree' || draw.method === 'permutation') && table?.rows.length === 0;
  return table === undefined || isEmpty ? [] : tableLines(table.titles, table.rows);
}
