/** `crush-wasm map` for a CRUSH map, which has rules but no pools. */
import { type CrushMap, ITEM_NONE } from '../crush/model.ts';
import { findRule, ruleList } from '../crush/names.ts';
import type { MapColumns } from '../kernel/crush-mapper.ts';
import { asciiBytes, ByteText } from './byte-text.ts';
import { chooseArgsOf, deviceWeights } from './crushtool/device-weights.ts';
import { misuse, type CommandIo, type TextSink } from './io.ts';
import type { Range } from './long-job.ts';
import { crushJob } from './map-jobs.ts';
import { setText } from '../osdmap/pg-text.ts';
import type { Format } from './map-writers.ts';

/** Last input when none is named, as in crushtool. */
const DEFAULT_MAX_X = 1023;

/** Options that a rule needs. */
export interface RuleOptions {
  readonly rule?: string;
  readonly numRep?: string;
  readonly minX?: string;
  readonly maxX?: string;
}

/** Maps a range of inputs through a rule and writes the results. */
export async function mapRule(
  map: CrushMap,
  title: string,
  options: RuleOptions,
  misplaced: string | undefined,
  format: Format,
  threads: number | undefined,
  io: CommandIo,
  out: TextSink,
): Promise<void> {
  if (misplaced !== undefined || options.rule === undefined || options.numRep === undefined) {
    throw misuse(
      `this is a CRUSH map without pools${misplaced === undefined ? '' : `, so there is no ${misplaced}`}: ` +
        `give --rule R --num-rep N [--min-x A --max-x B] (its rules: ${ruleList(map)}), ` +
        `or use 'crush-wasm crushtool -i FILE --test'`,
      title,
    );
  }
  const rule = findRule(map, options.rule);
  const size = integerOption('--num-rep', options.numRep, 1, 1000);
  const firstX = integerOption('--min-x', options.minX ?? '0', 0, 0x7fffffff);
  const lastX = integerOption(
    '--max-x',
    options.maxX ?? String(Math.max(firstX, DEFAULT_MAX_X)),
    firstX,
    0x7fffffff,
  );

  const total = lastX - firstX + 1;
  const job = crushJob(map, { io, threads, total, printsAsItMaps: true });
  const request = { rule: rule.id, size, reweights: deviceWeights(map), chooseArgs: chooseArgsOf(map) };
  const writer = format === 'table' ? new RuleTable(lastX) : new RuleRows(format, rule.id, size);
  out.add(writer.head);
  try {
    for await (const { range, columns } of job.map(request, { first: firstX, count: total }, size)) {
      writer.add(range, columns, size, out);
      await out.relieve();
    }
  } finally {
    await job.end();
  }
  out.add(writer.foot);
}

/** Writes mappings, one run of inputs after the other. */
interface RuleWriter {
  readonly head: string;
  readonly foot: string;
  add(range: Range, columns: MapColumns, size: number, sink: TextSink): void;
}

class RuleTable implements RuleWriter {
  readonly head: string;
  readonly foot = '';
  readonly #xWidth: number;

  constructor(lastX: number) {
    this.#xWidth = String(lastX).length;
    this.head = `${'X'.padEnd(this.#xWidth)}  ITEMS\n`;
  }

  add({ first, count }: Range, { items, lengths }: MapColumns, size: number, sink: TextSink): void {
    for (let i = 0; i < count; i++) {
      const row = items.subarray(i * size, i * size + (lengths[i] ?? 0));
      sink.add(`${String(first + i).padEnd(this.#xWidth)}  ${setText(row, ',') || 'none'}\n`);
    }
  }
}

/** Rows for programs, as bytes. */
class RuleRows implements RuleWriter {
  readonly head: string;
  readonly foot: string;
  readonly #text = new ByteText();
  readonly #between: Uint8Array;
  readonly #beforeX: Uint8Array;
  readonly #beforeItems: Uint8Array;
  readonly #separator: Uint8Array;
  readonly #hole: Uint8Array;
  readonly #end: Uint8Array;
  #isFirst = true;

  constructor(format: 'csv' | 'ndjson' | 'json', rule: number, size: number) {
    const isCsv = format === 'csv';
    const isJson = format === 'json';
    this.head = isCsv ? 'rule,x,items\n' : isJson ? `{"rule":${rule},"num_rep":${size},"mappings":[\n` : '';
    this.foot = isJson ? '\n]}\n' : '';
    this.#between = asciiBytes(isJson ? ',\n' : '');
    this.#beforeX = asciiBytes(isCsv ? `${rule},` : isJson ? '{"x":' : `{"rule":${rule},"x":`);
    this.#beforeItems = asciiBytes(isCsv ? ',' : ',"items":[');
    this.#separator = asciiBytes(isCsv ? ' ' : ',');
    this.#hole = asciiBytes(isCsv ? '-' : 'null');
    this.#end = asciiBytes(isCsv ? '\n' : isJson ? ']}' : ']}\n');
  }

  add({ first, count }: Range, { items, lengths }: MapColumns, size: number, sink: TextSink): void {
    const text = this.#text;
    text.clear();
    for (let i = 0; i < count; i++) {
      text.reserve(64, size * 2 + 1);
      if (!this.#isFirst) text.add(this.#between);
      this.#isFirst = false;
      text.add(this.#beforeX);
      text.decimal(first + i);
      text.add(this.#beforeItems);
      const from = i * size;
      const end = from + (lengths[i] ?? 0);
      for (let at = from; at < end; at++) {
        if (at > from) text.add(this.#separator);
        const item = items[at] ?? ITEM_NONE;
        if (item === ITEM_NONE) text.add(this.#hole);
        else text.decimal(item);
      }
      text.add(this.#end);
    }
    sink.addBytes(text.bytes);
  }
}

/** Reads an option that is a whole number. */
export function integerOption(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value >= least && value <= most) return value;
  throw misuse(`${name} takes a whole number from ${least} to ${most}, not '${text}'`);
}
