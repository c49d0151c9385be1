/**
 * The one error class of the library. Every failure that a caller can meet (a damaged file, a map that is not
 * understood, a misused call) is a {@link CrushError} with a `code` to branch on.
 */

/** What went wrong, as a stable word to branch on. */
export type CrushErrorCode =
  /** The input ends before its structure does. */
  | 'truncated'
  /** The input is not what its kind demands (bad magic, impossible count, wrong JSON shape). */
  | 'malformed'
  /** The input's checksum does not match its content. */
  | 'bad-crc'
  /** The input needs a newer reader: its compat version, or a feature that changes placement, is unknown. */
  | 'unsupported'
  /** Nothing recognises the input as an osdmap, a crushmap or their JSON. */
  | 'unknown-kind'
  /** The CRUSH map could send the mapper out of bounds or into a loop (cycles, dangling ids, false sizes). */
  | 'invalid-map'
  /** A rule that Ceph's own mapper could not run to its end. */
  | 'invalid-rule'
  /** One mapping needed more work than the limit allows. */
  | 'work-limit'
  /** A pool, rule, PG, OSD or bucket that is not in the map. */
  | 'not-found'
  /** An argument outside its range or of the wrong type. */
  | 'bad-argument'
  /** An edit that the map does not allow as it is: a name taken, a bucket in use or not empty, a loop. */
  | 'refused'
  /** A worker died or could not be started, or its pool is closed. */
  | 'worker-failed'
  /** A file that cannot be read or written. */
  | 'io';

/** The errno by which Ceph's own code, and so its tools' messages and exit status, names a refused edit. */
export type CrushErrno =
  | 'ENOENT'
  | 'EBADF'
  | 'ECHILD'
  | 'ENOMEM'
  | 'EBUSY'
  | 'EEXIST'
  | 'EINVAL'
  | 'ENOSPC'
  | 'ERANGE'
  | 'ENOTEMPTY'
  | 'ELOOP'
  | 'EOVERFLOW';

/** Where in the input the failure lies; every part is optional. */
export interface ErrorPlace {
  /** The file, as the user named it. */
  readonly file?: string;
  /** Byte offset from the start of the (unpacked) input. */
  readonly offset?: number;
  /** Path of structures being read, outermost first, such as `osdmap.pools[3].opts`. */
  readonly path?: string;
  /** Line, from 1, for text. */
  readonly line?: number;
  /** Column, from 1, for text. */
  readonly column?: number;
}

/** Characters that end a line or steer a terminal. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/**
 * An error of this library.
 *
 * @example
 * ```ts
 * try {
 *   readMap(bytes);
 * } catch (error) {
 *   if (error instanceof CrushError && error.code === 'bad-crc') console.error(error.message);
 * }
 * ```
 */
export class CrushError extends Error {
  /** `CrushError`, for those who meet it from another copy of the package. */
  override readonly name = 'CrushError';
  /** What went wrong, to branch on. */
  readonly code: CrushErrorCode;
  /** Where in the input it went wrong, as far as that is known. */
  readonly place: ErrorPlace;
  /** Of a refused edit: the errno that Ceph has for it. */
  readonly errno: CrushErrno | undefined;

  /** Of the readers and mappers themselves; callers get them thrown. */
  constructor(code: CrushErrorCode, message: string, place: ErrorPlace = {}, errno?: CrushErrno) {
    super(message);
    this.code = code;
    this.place = place;
    this.errno = errno;
  }

  /** The same error with more of its place known (an outer layer knows the file, an inner one the offset). */
  at(place: ErrorPlace): CrushError {
    const error = new CrushError(this.code, this.message, { ...place, ...this.place }, this.errno);
    if (this.stack !== undefined) error.stack = this.stack;
    return error;
  }

  /** One line for people: the place, then the message; what would break the line or the terminal is escaped. */
  describe(): string {
    const { file, path, offset, line, column } = this.place;
    const where = [
      file,
      line === undefined ? undefined : `line ${line}${column === undefined ? '' : `, column ${column}`}`,
      path,
      offset === undefined ? undefined : `byte ${offset}`,
    ].filter((part) => part !== undefined);
    const text = where.length === 0 ? this.message : `${where.join(': ')}: ${this.message}`;
    return text.replace(
      CONTROL,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  }
}
