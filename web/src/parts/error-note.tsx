/** How an error is shown. */
import type { PageError } from '../worker/page-error.ts';

/** An error in a box that screen readers announce. */
export function ErrorNote({ error, title }: { readonly error: PageError; readonly title?: string }) {
  return (
    <div class="error" role="alert">
      {title !== undefined && <strong>{title}: </strong>}
      {error.text}
    </div>
  );
}
