/**
 * Structured output in the formats that all of Ceph's tools share. What is dumped is the same for each; how it looks
 * is the format's. Follows `ceph::Formatter` (Ceph's src/common/Formatter.h).
 */
import { JsonFormatter } from './json.ts';
import { TableFormatter } from './table.ts';
import { HtmlFormatter, XmlFormatter } from './xml.ts';

/** Takes sections and values one after the other. Names of what is in an array are not seen in JSON. */
export interface Formatter {
  openObject(name: string): void;
  openArray(name: string): void;
  /** Closes the section that was opened last. */
  close(): void;
  dumpInt(name: string, value: number | bigint): void;
  dumpFloat(name: string, value: number): void;
  dumpString(name: string, value: string): void;
  dumpBool(name: string, value: boolean): void;
  /** All text, for when every section is closed. */
  text(): string;
}

const FORMATTERS = {
  json: () => new JsonFormatter(false),
  'json-pretty': () => new JsonFormatter(true),
  xml: () => new XmlFormatter(false),
  'xml-pretty': () => new XmlFormatter(true),
  table: () => new TableFormatter(false),
  'table-kv': () => new TableFormatter(true),
  html: () => new HtmlFormatter(false),
  'html-pretty': () => new HtmlFormatter(true),
} as const satisfies Record<string, () => Formatter>;

type FormatName = keyof typeof FORMATTERS;

/** A formatter for a format by name; one that Ceph does not know is taken for `fallback`. */
export function createFormatter(format: string, fallback: FormatName): Formatter {
  const name = Object.hasOwn(FORMATTERS, format) ? (format as FormatName) : fallback;
  return FORMATTERS[name]();
}
