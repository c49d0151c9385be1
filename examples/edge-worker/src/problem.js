import { CrushError } from 'crush-wasm';

/** What the worker cannot answer, as its client is told. */
export class Problem extends Error {
  /**
   * @param {number} status - HTTP status
   * @param {string} code - a stable word to branch on
   * @param {string} message - what is wrong and how to do better
   * @param {Record<string, string>} headers - of the answer, besides the usual ones
   */
  constructor(status, code, message, headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Statuses of what the library refuses because of what was asked; the rest is the map's fault. */
const STATUSES = { 'bad-argument': 400, 'not-found': 404 };

/** Any error as a problem. What nobody foresaw is for the log alone. */
export function asProblem(error) {
  if (error instanceof Problem) return error;
  if (error instanceof CrushError) {
    return new Problem(STATUSES[error.code] ?? 503, error.code, error.describe());
  }
  console.error(error);
  return new Problem(500, 'internal', 'the worker failed; its log says why');
}
