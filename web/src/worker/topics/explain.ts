/** Why a PG or an object lies where it lies, step by step. */
import { explainObject, explainPg, type BucketDraw, type PgTrace } from '../../../../src/analysis/explain.ts';
import { drawTable, type DrawTable } from '../../../../src/analysis/explain/draw-words.ts';
import { writePg } from '../../../../src/analysis/explain/pg-text.ts';
import { ExplainText } from '../../../../src/analysis/explain/rule-text.ts';
import type { OpenDocument } from '../open-document.ts';
import { nameOf, type ObjectAsked } from './pgs.ts';

/** What is explained. */
export interface ExplainSubject {
  readonly pool: number;
  /** Placement seed; of no use where an object is given. */
  readonly ps: number;
  readonly object?: ObjectAsked | undefined;
  /** In the map as it was read, or with all changes. */
  readonly side: 'current' | 'original';
}

/** Which draw of an explanation is looked at: all that it depends on besides the input. */
export interface DrawAsked {
  readonly bucket: number;
  readonly r: number;
  readonly method: BucketDraw['method'];
  /** Set of choose_args' weights, where one is used. */
  readonly weightSet: number | undefined;
}

/** Attempts that the page is given; MSR rules that cannot be fulfilled make ten thousands. */
const ATTEMPTS = 400;

/**
 * Explains a PG or an object.
 *
 * @throws CrushError as the library's `explainPg`
 */
export function explain(document: OpenDocument, subject: ExplainSubject): PgTrace {
  return traceOf(document, subject, 'best', ATTEMPTS);
}

/**
 * An explanation as text: what `crush-wasm explain` prints.
 *
 * @throws CrushError as the library's `explainPg`
 */
export function explainText(document: OpenDocument, subject: ExplainSubject): string {
  const text = new ExplainText(false);
  writePg(text, traceOf(document, subject, 'best'));
  return `${text.lines.join('\n')}\n`;
}

/** Everything that was drawn for in one draw of an explanation; undefined where there is nothing more to it. */
export function explainDraw(
  document: OpenDocument,
  subject: ExplainSubject,
  asked: DrawAsked,
): DrawTable | undefined {
  const draw = findDraw(traceOf(document, subject, 'all', ATTEMPTS), asked);
  return draw && drawTable(draw);
}

function traceOf(
  document: OpenDocument,
  { pool, ps, object, side }: ExplainSubject,
  draws: 'best' | 'all',
  attemptLimit?: number,
): PgTrace {
  const map = side === 'current' ? document.current : document.original;
  const options = { draws, ...(attemptLimit === undefined ? {} : { attemptLimit }) };
  if (object !== undefined) return explainObject(map, pool, nameOf(object), options);
  return explainPg(map, { pool, ps }, options);
}

/** The first draw of that kind: all others of the kind are the same. */
function findDraw(value: unknown, asked: DrawAsked): BucketDraw | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isDraw(value)) return isAsked(value, asked) ? value : undefined;
  for (const each of Object.values(value)) {
    const found = findDraw(each, asked);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isDraw(value: object): value is BucketDraw {
  return 'method' in value && 'bucket' in value;
}

function isAsked(draw: BucketDraw, { bucket, r, method, weightSet }: DrawAsked): boolean {
  const set = draw.method === 'straw2' ? draw.weightSet : undefined;
  return draw.bucket.id === bucket && draw.r === r && draw.method === method && set === weightSet;
}
