/** Selected PGs as CSV: the columns of `crush-wasm map --format csv`, and what is to be noticed. */
import { ITEM_NONE } from '../../../../../src/crush/model.ts';
import type { PgSets } from '../../../../../src/osdmap/pg-mapper.ts';
import { flagWords } from './flags.ts';
import { pgAt, type PgSelection } from './selection.ts';

/** Rows that are made into one piece of text. */
const PIECE = 10_000;

/** The selected PGs, in their order. */
export function csvOf(selection: PgSelection): Blob {
  const pieces = ['pgid,raw,raw_primary,up,up_primary,acting,acting_primary,notes\n'];
  for (let first = 0; first < selection.rows.length; first += PIECE) {
    let text = '';
    for (let row = first; row < Math.min(first + PIECE, selection.rows.length); row++) {
      text += csvRow(selection, row);
    }
    pieces.push(text);
  }
  return new Blob(pieces, { type: 'text/csv' });
}

function csvRow(selection: PgSelection, row: number): string {
  const pg = pgAt(selection, row);
  if (pg === undefined) return '';
  const { rows, ps } = pg;
  const { columns, flags, pool } = rows;
  // Most pools have one set for all three.
  const raw = csvSet(columns.raw, columns.width, ps);
  const up = columns.up === columns.raw ? raw : csvSet(columns.up, columns.width, ps);
  const acting = columns.acting === columns.up ? up : csvSet(columns.acting, columns.width, ps);
  const notes = flagWords(flags[ps] ?? 0).join(' ');
  return `${pool.id}.${ps.toString(16)},${raw},${up},${acting},${notes}\n`;
}

/** A set, its OSDs between blanks and holes as `-`, and its primary. */
function csvSet({ osds, lengths, primaries }: PgSets, width: number, ps: number): string {
  let text = '';
  const end = ps * width + (lengths[ps] ?? 0);
  for (let i = ps * width; i < end; i++) {
    text += `${text === '' ? '' : ' '}${osds[i] === ITEM_NONE ? '-' : String(osds[i])}`;
  }
  const primary = primaries[ps] ?? -1;
  return `${text},${primary < 0 ? '' : primary}`;
}
