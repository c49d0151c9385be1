/** JSON as Ceph prints it, in one line or indented. Follows `JSONFormatter` (Ceph's src/common/Formatter.cc). */
import { formatPrecise } from '../iostream-format.ts';
import type { Formatter } from './formatter.ts';

interface Section {
  readonly isArray: boolean;
  isEmpty: boolean;
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\t': '\\t', '\n': '\\n' };

/** See {@link Formatter}. */
export class JsonFormatter implements Formatter {
  readonly #isPretty: boolean;
  readonly #parts: string[] = [];
  readonly #sections: Section[] = [];

  constructor(isPretty: boolean) {
    this.#isPretty = isPretty;
  }

  openObject(name: string): void {
    this.#open(name, false);
  }

  openArray(name: string): void {
    this.#open(name, true);
  }

  close(): void {
    const section = this.#sections.pop();
    if (section === undefined) throw new Error('no section is open');
    if (!section.isEmpty) this.#breakLine();
    this.#parts.push(section.isArray ? ']' : '}');
    if (this.#isPretty && this.#sections.length === 0) this.#parts.push('\n');
  }

  dumpInt(name: string, value: number | bigint): void {
    this.#add(name, String(value));
  }

  dumpFloat(name: string, value: number): void {
    this.#add(name, formatPrecise(value));
  }

  dumpString(name: string, value: string): void {
    this.#add(name, quoted(value));
  }

  dumpBool(name: string, value: boolean): void {
    this.#add(name, String(value));
  }

  text(): string {
    return this.#parts.join('');
  }

  #open(name: string, isArray: boolean): void {
    this.#add(name, isArray ? '[' : '{');
    this.#sections.push({ isArray, isEmpty: true });
  }

  #add(name: string, text: string): void {
    const section = this.#sections.at(-1);
    if (section !== undefined) {
      if (!section.isEmpty) this.#parts.push(',');
      section.isEmpty = false;
      this.#breakLine();
      // Names are not escaped.
      if (!section.isArray) this.#parts.push(`"${name}":`, this.#isPretty ? ' ' : '');
    }
    this.#parts.push(text);
  }

  #breakLine(): void {
    if (this.#isPretty) this.#parts.push('\n', '    '.repeat(this.#sections.length));
  }
}

/** Text in quotes; control characters and a few others are escaped (`json_stream_escaper`). */
function quoted(text: string): string {
  const escaped = text.replace(
    /[\u0000-\u001f"\\\u007f]/g,
    (character) => ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}
