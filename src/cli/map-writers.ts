/** How `crush-wasm map` writes rows of PGs: a table for people, JSON, NDJSON or CSV for programs. */
import type { OsdMap } from '../osdmap/model.ts';
import type { PgColumns, PgSets } from '../osdmap/pg-mapper.ts';
import { formatPgId, primaryJson, setJson, setText } from '../osdmap/pg-text.ts';
import type { TextSink } from './io.ts';
import { CsvWriter, JsonWriter, NdjsonWriter } from './map-row-bytes.ts';

/** Formats of rows. */
export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** Writes rows one run of PGs after the other. */
export interface PgWriter {
  begin(sink: TextSink): void;
  add(columns: PgColumns, sink: TextSink): void;
  end(sink: TextSink): void;
}

/** The writer of a format, for rows of some pools of a map. */
export function pgWriter(format: Format, map: OsdMap, poolIds: readonly number[]): PgWriter {
  switch (format) {
    case 'table':
      return new TableWriter(map, poolIds);
    case 'csv':
      return new CsvWriter();
    case 'ndjson':
      return new NdjsonWriter();
    case 'json':
      return new JsonWriter(map);
  }
}

/** One set, in one run of PGs. */
const KINDS = ['raw', 'up', 'acting'] as const;
type Kind = (typeof KINDS)[number];

function rowOf(sets: PgSets, width: number, row: number): Int32Array {
  return sets.osds.subarray(row * width, row * width + (sets.lengths[row] ?? 0));
}

/** What JSON says of one PG. */
export function pgJson(columns: PgColumns, row: number): Record<string, unknown> {
  const ps = columns.first + row;
  const json: Record<string, unknown> = { pgid: formatPgId(columns.pool, ps), pool: columns.pool, ps };
  for (const kind of KINDS) {
    const sets = columns[kind];
    json[kind] = setJson(rowOf(sets, columns.width, row));
    json[`${kind}_primary`] = primaryJson(sets.primaries[row] ?? -1);
  }
  return json;
}

/** Longest line of a table, as wide as the widest pool needs it, that still has all three sets. */
const MAX_LINE = 120;

/** What the columns of a table mean, for `--help`. */
export const TABLE_HELP = `
Columns of the table: RAW is what the CRUSH rule gives, UP what upmaps and OSDs that are down make of it, ACTING
who serves the PG now; RAW_P, UP_P and ACT_P are their primaries. - is a place without an OSD, or no primary.
Where lines would be longer than ${MAX_LINE} characters RAW is left out, and = says that ACTING is the same as UP;
json, ndjson and csv always have everything.`;

class TableWriter implements PgWriter {
  readonly #idWidth: number;
  readonly #setWidth: number;
  readonly #primaryWidth: number;
  readonly #isWide: boolean;

  constructor(map: OsdMap, poolIds: readonly number[]) {
    const pools = poolIds.map((id) => map.pools.get(id)).filter((pool) => pool !== undefined);
    const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));
    this.#idWidth = widest(['PG', ...pools.map(({ id, pgNum }) => formatPgId(id, Math.max(0, pgNum - 1)))]);
    const osdWidth = String(Math.max(0, map.maxOsd - 1)).length;
    const size = Math.max(0, ...pools.map((pool) => pool.size));
    this.#setWidth = Math.max('ACTING'.length, size * (osdWidth + 1) - 1);
    this.#primaryWidth = Math.max('RAW_P'.length, osdWidth);
    const line = this.#idWidth + KINDS.length * (this.#setWidth + this.#primaryWidth + 4);
    this.#isWide = line > MAX_LINE;
  }

  begin(sink: TextSink): void {
    const titles = { raw: 'RAW', up: 'UP', acting: 'ACTING', rawP: 'RAW_P', upP: 'UP_P', actingP: 'ACT_P' };
    sink.add(this.#line('PG', titles));
  }

  add(columns: PgColumns, sink: TextSink): void {
    const setOf = (kind: Kind, row: number): string =>
      setText(rowOf(columns[kind], columns.width, row), ',') || 'none';
    const primaryOf = (kind: Kind, row: number): string => {
      const primary = columns[kind].primaries[row] ?? -1;
      return primary < 0 ? '-' : String(primary);
    };
    for (let row = 0; row < columns.count; row++) {
      const up = setOf('up', row);
      const acting = setOf('acting', row);
      const cells = {
        raw: this.#isWide ? '' : setOf('raw', row),
        up,
        acting: this.#isWide && acting === up ? '=' : acting,
        rawP: primaryOf('raw', row),
        upP: primaryOf('up', row),
        actingP: primaryOf('acting', row),
      };
      sink.add(this.#line(formatPgId(columns.pool, columns.first + row), cells));
    }
  }

  end(): void {
    // A table needs no closing.
  }

  #line(pgid: string, { raw, up, acting, rawP, upP, actingP }: TableCells): string {
    const set = (text: string): string => text.padEnd(this.#setWidth);
    const primary = (text: string): string => text.padEnd(this.#primaryWidth);
    const cells = this.#isWide
      ? [primary(upP), primary(actingP), set(up), acting]
      : [set(raw), primary(rawP), set(up), primary(upP), set(acting), actingP];
    return `${[pgid.padEnd(this.#idWidth), ...cells].join('  ').trimEnd()}\n`;
  }
}

/** One line of a table, but for the PG. */
type TableCells = Readonly<Record<Kind | `${Kind}P`, string>>;
