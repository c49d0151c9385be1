/** Rows of PGs for programs: CSV, NDJSON and JSON, written as bytes. See byte-text.ts for why. */
import { ITEM_NONE } from '../crush/model.ts';
import type { OsdMap } from '../osdmap/model.ts';
import type { PgColumns, PgSets } from '../osdmap/pg-mapper.ts';
import { asciiBytes, ByteText } from './byte-text.ts';
import { formatUuid } from '../osdmap/ceph-format.ts';
import type { TextSink } from './io.ts';
import type { PgWriter } from './map-writers.ts';

/** The texts between the numbers of a row. */
interface RowForm {
  /** Before the PG's seed, which is in hexadecimal. */
  readonly id: (pool: number) => string;
  /** Before the seed in decimal, for rows that have it. */
  readonly seed: ((pool: number) => string) | undefined;
  /** Before each set. */
  readonly sets: readonly [raw: string, up: string, acting: string];
  /** Before the primary that follows each set. */
  readonly primaries: readonly [raw: string, up: string, acting: string];
  readonly end: string;
  /** Between the OSDs of a set. */
  readonly separator: string;
  /** What stands for a place without an OSD. */
  readonly hole: string;
  /** What stands for no primary. */
  readonly none: string;
}

const CSV: RowForm = {
  id: (pool) => `${pool}.`,
  seed: undefined,
  sets: [',', ',', ','],
  primaries: [',', ',', ','],
  end: '\n',
  separator: ' ',
  hole: '-',
  none: '',
};

const JSON_OBJECT: RowForm = {
  id: (pool) => `{"pgid":"${pool}.`,
  seed: (pool) => `","pool":${pool},"ps":`,
  sets: [',"raw":[', ',"up":[', ',"acting":['],
  primaries: ['],"raw_primary":', '],"up_primary":', '],"acting_primary":'],
  end: '}',
  separator: ',',
  hole: 'null',
  none: 'null',
};

/** As CSV, with a line of titles. */
export class CsvWriter implements PgWriter {
  readonly #rows = new RowBytes(CSV);

  begin(sink: TextSink): void {
    sink.add('pgid,raw,raw_primary,up,up_primary,acting,acting_primary\n');
  }

  add(columns: PgColumns, sink: TextSink): void {
    sink.addBytes(this.#rows.write(columns));
  }

  end(): void {
    // CSV needs no closing.
  }
}

/** As one JSON object a line. */
export class NdjsonWriter implements PgWriter {
  readonly #rows = new RowBytes({ ...JSON_OBJECT, end: '}\n' });

  begin(): void {
    // Every line stands for itself.
  }

  add(columns: PgColumns, sink: TextSink): void {
    sink.addBytes(this.#rows.write(columns));
  }

  end(): void {
    // Every line stands for itself.
  }
}

/** As one JSON object that says which map it is of. */
export class JsonWriter implements PgWriter {
  readonly #map: OsdMap;
  readonly #rows = new RowBytes(JSON_OBJECT);
  #isFirst = true;

  constructor(map: OsdMap) {
    this.#map = map;
  }

  begin(sink: TextSink): void {
    const { fsid, epoch } = this.#map;
    sink.add(`{"fsid":${JSON.stringify(formatUuid(fsid))},"epoch":${epoch},"pgs":[`);
  }

  add(columns: PgColumns, sink: TextSink): void {
    if (columns.count === 0) return;
    sink.add(this.#isFirst ? '\n' : ',\n');
    sink.addBytes(this.#rows.write(columns, ',\n'));
    this.#isFirst = false;
  }

  end(sink: TextSink): void {
    sink.add('\n]}\n');
  }
}

/** Writes rows of one form, again and again to the same memory. */
class RowBytes {
  readonly #form: RowForm;
  readonly #text = new ByteText();
  readonly #constants: Constants;
  /** Bytes of a row that are no numbers. */
  #constantBytes = 0;
  #pool = Number.NaN;
  #id = asciiBytes('');
  #seed = asciiBytes('');

  constructor(form: RowForm) {
    this.#form = form;
    const { sets, primaries, end, separator, hole, none } = form;
    this.#constants = {
      sets: sets.map(asciiBytes),
      primaries: primaries.map(asciiBytes),
      end: asciiBytes(end),
      separator: asciiBytes(separator),
      hole: asciiBytes(hole),
      none: asciiBytes(none),
    };
  }

  /** The rows of columns, valid until the next call. */
  write(columns: PgColumns, between = ''): Uint8Array {
    const text = this.#text;
    const { pool, first, count, width } = columns;
    this.#preparePool(pool);
    const betweenRows = asciiBytes(between);
    const { sets, primaries, end } = this.#constants;
    const kinds = [columns.raw, columns.up, columns.acting] as const;
    const same = columns.up === columns.raw && columns.acting === columns.raw;
    text.clear();
    for (let row = 0; row < count; row++) {
      text.reserve(this.#constantBytes + betweenRows.length, 3 * (2 * width + 1) + 2);
      if (row > 0) text.add(betweenRows);
      text.add(this.#id);
      text.hexadecimal(first + row);
      if (this.#form.seed !== undefined) {
        text.add(this.#seed);
        text.decimal(first + row);
      }
      let setAt = 0;
      let setEnd = 0;
      let primaryAt = 0;
      let primaryEnd = 0;
      for (let kind = 0; kind < kinds.length; kind++) {
        const ofKind = kinds[kind] ?? columns.raw;
        text.add(sets[kind] ?? this.#id);
        if (same && kind > 0) {
          text.repeat(setAt, setEnd);
          text.add(primaries[kind] ?? this.#id);
          text.repeat(primaryAt, primaryEnd);
          continue;
        }
        setAt = text.length;
        this.#set(ofKind, width, row);
        setEnd = text.length;
        text.add(primaries[kind] ?? this.#id);
        primaryAt = text.length;
        this.#primary(ofKind.primaries[row] ?? -1);
        primaryEnd = text.length;
      }
      text.add(end);
    }
    return text.bytes;
  }

  #preparePool(pool: number): void {
    if (pool === this.#pool) return;
    this.#pool = pool;
    this.#id = asciiBytes(this.#form.id(pool));
    this.#seed = asciiBytes(this.#form.seed?.(pool) ?? '');
    const { sets, primaries, end } = this.#constants;
    this.#constantBytes = [this.#id, this.#seed, end, ...sets, ...primaries].reduce(
      (sum, { length }) => sum + length,
      0,
    );
  }

  #set({ osds, lengths }: PgSets, width: number, row: number): void {
    const text = this.#text;
    const { separator, hole } = this.#constants;
    const from = row * width;
    const end = from + (lengths[row] ?? 0);
    for (let at = from; at < end; at++) {
      if (at > from) text.add(separator);
      const osd = osds[at] ?? ITEM_NONE;
      if (osd === ITEM_NONE) text.add(hole);
      else text.decimal(osd);
    }
  }

  #primary(primary: number): void {
    if (primary < 0) this.#text.add(this.#constants.none);
    else this.#text.decimal(primary);
  }
}

/** The texts of a form that are the same in all rows, as bytes. */
interface Constants {
  readonly sets: readonly Uint8Array[];
  readonly primaries: readonly Uint8Array[];
  readonly end: Uint8Array;
  readonly separator: Uint8Array;
  readonly hole: Uint8Array;
  readonly none: Uint8Array;
}
