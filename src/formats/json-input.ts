/**
 * JSON as Ceph's commands print it: found behind stray lines, and checked against a shape before use.
 */
import * as v from 'valibot';
import { CrushError } from '../errors.ts';
import { isBytes } from './bytes.ts';

/** A whole number that Ceph holds in a signed 32-bit integer. */
export const int32 = v.pipe(v.number(), v.integer(), v.minValue(-0x80000000), v.maxValue(0x7fffffff));

/** An unsigned 32-bit value; Ceph prints some through a signed integer, so it may come as a negative number. */
export const word = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(-0x80000000),
  v.maxValue(0xffffffff),
  v.transform((value) => value >>> 0),
);

/** A whole number of 8 bits. */
export const byte = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xff));

/**
 * Checks that a JSON value has a shape.
 *
 * @param what - What errors call the value; the path inside it is added.
 * @throws CrushError `malformed`, with the path of the first part that does not fit.
 */
export function checkShape<Schema extends v.GenericSchema>(
  schema: Schema,
  json: unknown,
  what: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, json, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const keys = (issue.path ?? []).map((item) => item.key);
  throw new CrushError('malformed', issue.message, { path: jsonPath(what, ...keys) });
}

/** Writes a path the way JavaScript would: `jsonPath('dump', 'buckets', 3, 'id')` is `dump.buckets[3].id`. */
export function jsonPath(what: string, ...keys: readonly unknown[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'string' && /^[A-Za-z_]\w*$/.test(key)) return `${path}.${key}`;
    return `${path}[${typeof key === 'number' ? key : JSON.stringify(key)}]`;
  }, what);
}

/**
 * Parses a JSON object that may stand behind other lines: shells often save a command's warnings with its
 * output.
 *
 * @throws CrushError `malformed` when there is no object or it does not parse.
 */
export function parseJsonObject(text: string): unknown {
  const start = findJsonObject(text);
  if (start === undefined) throw new CrushError('malformed', 'there is no JSON object');
  try {
    return JSON.parse(text.slice(start)) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CrushError('malformed', `not valid JSON: ${reason}`);
  }
}

/**
 * Refuses JSON that was not parsed yet.
 *
 * @param caller - The function that it was given to, for the error.
 * @throws CrushError `bad-argument`
 */
export function demandParsed(json: unknown, caller: string): void {
  if (typeof json !== 'string' && !isBytes(json)) return;
  const given = typeof json === 'string' ? 'text: JSON.parse it first' : 'bytes: JSON.parse their text first';
  throw new CrushError(
    'bad-argument',
    `${caller} takes parsed JSON, not ${given}, or let readMap read the bytes of any map`,
  );
}

/** Where the first line that begins with `{` starts, or undefined. */
export function findJsonObject(text: string): number | undefined {
  const match = /(^|\n)[ \t\r\ufeff]*\{/.exec(text);
  return match === null ? undefined : match.index + match[0].length - 1;
}
