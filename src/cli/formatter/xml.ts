/**
 * XML as Ceph prints it, and HTML, which is the same with list items for values. Neither has a header where a tool
 * asks for none. Follows `XMLFormatter` and `HTMLFormatter` (Ceph's src/common/Formatter.cc and HTMLFormatter.cc).
 */
import { formatDouble, formatPrecise } from '../iostream-format.ts';
import type { Formatter } from './formatter.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '&': '&amp;',
  '>': '&gt;',
  "'": '&apos;',
  '"': '&quot;',
};

/** See {@link Formatter}. */
export class XmlFormatter implements Formatter {
  readonly #isPretty: boolean;
  readonly #parts: string[] = [];
  readonly #sections: string[] = [];

  constructor(isPretty: boolean) {
    this.#isPretty = isPretty;
  }

  openObject(name: string): void {
    this.#line(`<${elementName(name)}>`);
    this.#sections.push(elementName(name));
  }

  openArray(name: string): void {
    this.openObject(name);
  }

  close(): void {
    const name = this.#sections.pop();
    if (name === undefined) throw new Error('no section is open');
    this.#line(`</${name}>`);
  }

  dumpInt(name: string, value: number | bigint): void {
    this.#line(this.valueText(name, String(value)));
  }

  dumpFloat(name: string, value: number): void {
    this.#line(this.valueText(name, this.floatText(value)));
  }

  dumpString(name: string, value: string): void {
    this.#line(this.valueText(name, escaped(value)));
  }

  dumpBool(name: string, value: boolean): void {
    this.#line(this.valueText(name, String(value)));
  }

  text(): string {
    if (this.#parts.length === 0) return '';
    return this.#parts.join('') + (this.#isPretty ? '\n' : '');
  }

  /** An element with a value that is escaped where it has to be. */
  protected valueText(name: string, value: string): string {
    const element = elementName(name);
    return `<${element}>${value}</${element}>`;
  }

  protected floatText(value: number): string {
    return formatPrecise(value);
  }

  #line(text: string): void {
    if (this.#isPretty) this.#parts.push(' '.repeat(this.#sections.length), text, '\n');
    else this.#parts.push(text);
  }
}

/** See {@link Formatter}. */
export class HtmlFormatter extends XmlFormatter {
  protected override valueText(name: string, value: string): string {
    return `<li>${name}: ${value}</li>`;
  }

  protected override floatText(value: number): string {
    return formatDouble(value);
  }
}

function elementName(name: string): string {
  return name.replaceAll(' ', '_');
}

/** Text with entities for what XML reserves, and for control characters (`xml_stream_escaper`). */
function escaped(text: string): string {
  return text.replace(
    /[<&>'"\u0000-\u0008\u000b-\u001f\u007f]/g,
    (character) => ENTITIES[character] ?? `&#x${character.charCodeAt(0).toString(16).padStart(2, '0')};`,
  );
}
