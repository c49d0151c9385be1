/**
 * Tables as Ceph prints them: a column a value, named by the value, its sections from the inside out, and how many
 * of that name there were; or the same as a list of keys and values. Follows `TableFormatter` (Ceph's
 * src/common/Formatter.cc).
 */
import { formatPrecise } from '../iostream-format.ts';
import type { Formatter } from './formatter.ts';

interface Cell {
  readonly key: string;
  readonly value: string;
}

/** See {@link Formatter}. */
export class TableFormatter implements Formatter {
  readonly #isList: boolean;
  readonly #rows: Cell[][] = [];
  readonly #sections: string[] = [];
  readonly #counts = new Map<string, number>();

  constructor(isList: boolean) {
    this.#isList = isList;
  }

  openObject(name: string): void {
    this.#sections.push(name);
  }

  openArray(name: string): void {
    this.#sections.push(name);
  }

  close(): void {
    const name = this.#sections.pop();
    if (name === undefined) throw new Error('no section is open');
    this.#counts.set(name, 0);
  }

  dumpInt(name: string, value: number | bigint): void {
    this.#add(name, String(value));
  }

  dumpFloat(name: string, value: number): void {
    this.#add(name, formatPrecise(value));
  }

  dumpString(name: string, value: string): void {
    this.#add(name, value);
  }

  dumpBool(name: string, value: boolean): void {
    this.#add(name, String(value));
  }

  text(): string {
    if (this.#isList) {
      const lines = this.#rows.map((row) => row.map(({ key, value }) => `key::${key}="${value}" `).join(''));
      return lines.map((line) => `${line}\n`).join('');
    }
    const [first] = this.#rows;
    if (first === undefined) return '';
    const widths = first.map(({ key }, column) =>
      Math.max(key.length, ...this.#rows.map((row) => row[column]?.value.length ?? 0)),
    );
    const rule = `+${widths.map((width) => `${'-'.repeat(width + 3)}+`).join('')}\n`;
    const line = (texts: readonly string[]): string =>
      `|${texts.map((text, column) => ` ${text.padEnd((widths[column] ?? 0) + 2)}|`).join('')}\n`;
    const header = line(first.map(({ key }) => key));
    const body = this.#rows.map((row) => line(row.map(({ value }) => value))).join('');
    return `${rule}${header}${rule}${body}${rule}`;
  }

  #add(name: string, value: string): void {
    const row = this.#rows.at(-1);
    const cell = { key: this.#keyOf(name), value };
    // A row ends where its first key comes again, which only happens outside of sections.
    if (row === undefined || row[0]?.key === name) this.#rows.push([cell]);
    else row.push(cell);
  }

  #keyOf(name: string): string {
    if (this.#sections.length === 0) return name;
    const path = [...this.#sections.toReversed(), name].join(':');
    const count = this.#counts.get(path) ?? 0;
    this.#counts.set(path, count + 1);
    return `${path}[${count}]`;
  }
}
