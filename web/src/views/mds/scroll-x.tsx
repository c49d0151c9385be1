/** What may be wider than the page. */
import type { ComponentChildren } from 'preact';

/** Its children, to be scrolled to the sides by pointer and keyboard. */
export function ScrollX({
  label,
  more = '',
  children,
}: {
  /** What it is, for screen readers. */
  readonly label: string;
  /** A further class. */
  readonly more?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`scroll-x ${more}`} role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
