/** Errors by number, as Ceph's tools print them and end with them. */
import type { CrushErrno } from '../../errors.ts';

const WORDS: Readonly<Record<CrushErrno, string>> = {
  ENOENT: 'No such file or directory',
  EBADF: 'Bad file descriptor',
  ECHILD: 'No child processes',
  ENOMEM: 'Cannot allocate memory',
  EBUSY: 'Device or resource busy',
  EEXIST: 'File exists',
  EINVAL: 'Invalid argument',
  ENOSPC: 'No space left on device',
  ERANGE: 'Numerical result out of range',
  ENOTEMPTY: 'Directory not empty',
  ELOOP: 'Too many levels of symbolic links',
  EOVERFLOW: 'Value too large for defined data type',
};

/** Linux's numbers; those of other systems differ, and the original's are these. */
const NUMBERS: Readonly<Record<CrushErrno, number>> = {
  ENOENT: 2,
  EBADF: 9,
  ECHILD: 10,
  ENOMEM: 12,
  EBUSY: 16,
  EEXIST: 17,
  EINVAL: 22,
  ENOSPC: 28,
  ERANGE: 34,
  ENOTEMPTY: 39,
  ELOOP: 40,
  EOVERFLOW: 75,
};

/** `(2) No such file or directory` (`cpp_strerror`). */
export function errnoText(errno: CrushErrno): string {
  return `(${NUMBERS[errno]}) ${WORDS[errno]}`;
}

/** The status of a process that returns the negative errno from `main`. */
export function exitStatus(errno: CrushErrno): number {
  return 256 - NUMBERS[errno];
}
