/** How `crush-wasm map` writes rows of PGs: a table for people, JSON, NDJSON or CSV for programs. */
import { ITEM_NONE } from '../crush/model.ts';
import type { OsdMap } from '../osdmap/model.ts';
import type { PgColumns, PgSets } from '../osdmap/pg-mapper.ts';
import { formatUuid } from './ceph-format.ts';
import { formatPgId } from './iostream-format.ts';
import type { TextSink } from './io.ts';

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

class TableWriter implements PgWriter {
  readonly #idWidth: number;
  readonly #setWidth: number;
  readonly #osdWidth: number;

  constructor(map: OsdMap, poolIds: readonly number[]) {
    const pools = poolIds.map((id) => map.pools.get(id)).filter((pool) => pool !== undefined);
    const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));
    this.#idWidth = widest(['PG', ...pools.map(({ id, pgNum }) => formatPgId(id, Math.max(0, pgNum - 1)))]);
    this.#osdWidth = String(Math.max(0, map.maxOsd - 1)).length;
    const size = Math.max(0, ...pools.map((pool) => pool.size));
    this.#setWidth = Math.max('ACTING'.length, size * (this.#osdWidth + 1) - 1);
  }

  begin(sink: TextSink): void {
    const cells = KINDS.flatMap((kind) => [kind.toUpperCase().padEnd(this.#setWidth), this.#pad('P')]);
    sink.add(`${['PG'.padEnd(this.#idWidth), ...cells].join('  ').trimEnd()}\n`);
  }

  add(columns: PgColumns, sink: TextSink): void {
    for (let row = 0; row < columns.count; row++) {
      let line = formatPgId(columns.pool, columns.first + row).padEnd(this.#idWidth);
      for (const kind of KINDS) {
        const sets = columns[kind];
        const primary = sets.primaries[row] ?? -1;
        const set = setText(rowOf(sets, columns.width, row), ',');
        line += `  ${(set === '' ? 'none' : set).padEnd(this.#setWidth)}`;
        line += `  ${this.#pad(primary < 0 ? '-' : String(primary))}`;
      }
      sink.add(`${line.trimEnd()}\n`);
    }
  }

  end(): void {
    // A table needs no closing.
  }

  #pad(primary: string): string {
    return primary.padEnd(this.#osdWidth);
  }
}

class CsvWriter implements PgWriter {
  begin(sink: TextSink): void {
    sink.add('pgid,raw,raw_primary,up,up_primary,acting,acting_primary\n');
  }

  add(columns: PgColumns, sink: TextSink): void {
    for (let row = 0; row < columns.count; row++) {
      const cells = [formatPgId(columns.pool, columns.first + row)];
      for (const kind of KINDS) {
        const sets = columns[kind];
        const primary = sets.primaries[row] ?? -1;
        cells.push(setText(rowOf(sets, columns.width, row), ' '), primary < 0 ? '' : String(primary));
      }
      sink.add(`${cells.join(',')}\n`);
    }
  }

  end(): void {
    // Nor does CSV.
  }
}

class NdjsonWriter implements PgWriter {
  begin(): void {
    // Every line stands for itself.
  }

  add(columns: PgColumns, sink: TextSink): void {
    for (let row = 0; row < columns.count; row++) sink.add(`${JSON.stringify(pgJson(columns, row))}\n`);
  }

  end(): void {
    // Every line stands for itself.
  }
}

class JsonWriter implements PgWriter {
  readonly #map: OsdMap;
  #isFirst = true;

  constructor(map: OsdMap) {
    this.#map = map;
  }

  begin(sink: TextSink): void {
    const { fsid, epoch } = this.#map;
    sink.add(`{"fsid":${JSON.stringify(formatUuid(fsid))},"epoch":${epoch},"pgs":[`);
  }

  add(columns: PgColumns, sink: TextSink): void {
    for (let row = 0; row < columns.count; row++) {
      sink.add(`${this.#isFirst ? '' : ','}\n${JSON.stringify(pgJson(columns, row))}`);
      this.#isFirst = false;
    }
  }

  end(sink: TextSink): void {
    sink.add('\n]}\n');
  }
}
