/** Errors as they cross from the worker to the page. */
import { CrushError, type ErrorPlace } from '../../../src/errors.ts';

/** An error as plain data: what a `CrushError` says, or that something unforeseen happened. */
export interface PageError {
  readonly isPageError: true;
  /** A `CrushErrorCode`, or `unexpected`. */
  readonly code: string;
  /** One line for people, with the place. */
  readonly text: string;
  /** The bare message and place, for editors that show errors at their line. */
  readonly message: string;
  readonly place: ErrorPlace;
}

/** Whether something thrown is a {@link PageError}. */
export function isPageError(error: unknown): error is PageError {
  return typeof error === 'object' && error !== null && 'isPageError' in error;
}

/** Makes plain data of what was thrown. */
export function toPageError(error: unknown): PageError {
  if (isPageError(error)) return error;
  if (error instanceof CrushError) {
    const { code, message, place } = error;
    return { isPageError: true, code, text: error.describe(), message, place };
  }
  const message = error instanceof Error ? error.message : String(error);
  const isMemory = error instanceof RangeError && /alloc|memory|length/i.test(message);
  const text = isMemory ? `there is not enough memory for this in the browser (${message})` : message;
  return { isPageError: true, code: 'unexpected', text, message: text, place: {} };
}
