/** Options that `compare` and `whatif` share, and what they read besides maps. */
import type { ChangedPg, CompareOptions } from '../analysis/compare.ts';
import { CrushError } from '../errors.ts';
import { gunzip } from '../formats/gzip.ts';
import { parseJsonObject } from '../formats/json-input.ts';
import { demandParsable, MAX_JSON_BYTES } from '../formats/json-limits.ts';
import { readPgDump } from '../formats/pg-dump.ts';
import type { PgDump } from '../osdmap/pg-usage.ts';
import { type CommandIo, misuse } from './io.ts';
import { naming, readBytes } from './load.ts';
import { integerOption } from './map-rule.ts';

/** Options of a comparison, as commander gives them. */
export interface CompareCommandOptions {
  readonly format: string;
  readonly pgDump?: string;
  readonly pgs?: boolean;
  readonly acting?: boolean;
  readonly orderFree?: boolean;
  readonly by?: readonly string[];
  readonly limit?: string;
  readonly ignoreCrc?: boolean;
}

/** Rows of each table of flows. */
const DEFAULT_LIMIT = 10;

/** What `compareMaps` is asked for. */
export function comparisonOptions(
  options: CompareCommandOptions,
  pgDump: PgDump | undefined,
  onChanged: (pg: ChangedPg) => void,
): CompareOptions {
  return {
    set: options.acting === true ? 'acting' : 'up',
    orderFree: options.orderFree === true,
    ...(pgDump !== undefined && { pgDump }),
    onChanged,
  };
}

export function limitOption({ limit }: CompareCommandOptions): number {
  return limit === undefined ? DEFAULT_LIMIT : integerOption('--limit', limit, 1, 1_000_000);
}

/** Reads what `--pg-dump` names; `taken` are the files that may be standard input as well. */
export async function loadPgDump(
  file: string | undefined,
  taken: readonly (string | undefined)[],
  io: CommandIo,
): Promise<PgDump | undefined> {
  if (file === undefined) return undefined;
  if (file === '-' && taken.includes('-')) throw misuse('only one file can be standard input');
  const bytes = await readBytes(file, io);
  return naming(async () => {
    const text = new TextDecoder().decode(await gunzip(bytes, () => MAX_JSON_BYTES));
    if (text.length > MAX_JSON_BYTES) throw tooLong(text.length);
    demandParsable(text);
    return readPgDump(parseJsonObject(text));
  }, file);
}

function tooLong(length: number): CrushError {
  return new CrushError(
    'unsupported',
    `this JSON has ${length} characters, at most ${MAX_JSON_BYTES} are read`,
  );
}
