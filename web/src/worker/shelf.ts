/** The worker's one open document, and how topics come to it. */
import { CrushError } from '../../../src/errors.ts';
import type { OpenDocument } from './open-document.ts';
import { toPageError } from './page-error.ts';

let open: OpenDocument | undefined;

/** Puts a document in the place of the last one, or closes it. */
export function shelve(document: OpenDocument | undefined): void {
  open = document;
}

/**
 * The open document.
 *
 * @throws CrushError `not-found` when none is open
 */
export function openDocument(): OpenDocument {
  if (open === undefined) throw new CrushError('not-found', 'no map is open');
  return open;
}

/** A function of the open document as the page calls it: errors cross as plain data. */
export function onDocument<Args extends unknown[], Result>(
  topic: (document: OpenDocument, ...args: Args) => Result | Promise<Result>,
): (...args: Args) => Promise<Result> {
  return guarded((...args: Args) => topic(openDocument(), ...args));
}

/** A function whose errors cross to the page as plain data. */
export function guarded<Args extends unknown[], Result>(
  action: (...args: Args) => Result | Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    try {
      return await action(...args);
    } catch (error) {
      // Plain data, which is all that crosses from a worker.
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      throw toPageError(error);
    }
  };
}
