/** `crush-wasm map` for a CRUSH map, which has rules but no pools. */
import type { CrushMap } from '../crush/model.ts';
import { findRule, ruleList } from '../crush/names.ts';
import { chooseArgsOf, deviceWeights } from './crushtool/device-weights.ts';
import { misuse, type CommandIo, type TextSink } from './io.ts';
import { crushJob } from './map-jobs.ts';
import { setJson, setText, type Format } from './map-writers.ts';

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
  const write = ROW_WRITERS[format];
  const xWidth = String(lastX).length;
  if (format === 'table') out.add(`${'X'.padEnd(xWidth)}  ITEMS\n`);
  if (format === 'csv') out.add('rule,x,items\n');
  if (format === 'json') out.add(`{"rule":${rule.id},"num_rep":${size},"mappings":[`);
  try {
    for await (const { range, columns } of job.map(request, { first: firstX, count: total }, size)) {
      const { items, lengths } = columns;
      for (let i = 0; i < range.count; i++) {
        const row = items.subarray(i * size, i * size + (lengths[i] ?? 0));
        const x = range.first + i;
        if (format === 'json' && x > firstX) out.add(',');
        out.add(write(rule.id, x, row, xWidth));
      }
      await out.relieve();
    }
  } finally {
    await job.end();
  }
  if (format === 'json') out.add('\n]}\n');
}

type RowWriter = (rule: number, x: number, row: Int32Array, xWidth: number) => string;

const ROW_WRITERS: Readonly<Record<Format, RowWriter>> = {
  table: (_, x, row, xWidth) => `${String(x).padEnd(xWidth)}  ${setText(row, ',') || 'none'}\n`,
  csv: (rule, x, row) => `${rule},${x},${setText(row, ' ')}\n`,
  ndjson: (rule, x, row) => `${JSON.stringify({ rule, x, items: setJson(row) })}\n`,
  json: (_, x, row) => `\n${JSON.stringify({ x, items: setJson(row) })}`,
};

/** Reads an option that is a whole number. */
export function integerOption(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value >= least && value <= most) return value;
  throw misuse(`${name} takes a whole number from ${least} to ${most}, not '${text}'`);
}
