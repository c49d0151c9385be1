/** Facts as a list of terms and what they are. */
import type { ComponentChildren } from 'preact';
import { route } from '../../app/route.ts';
import type { ViewId } from '../../app/views.ts';

/** A term and its value; nothing is shown of a fact without one. */
export type Fact = readonly [term: string, value: ComponentChildren];

/** A titled panel of facts. */
export function FactPanel({
  id,
  title,
  facts,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly children?: ComponentChildren;
}) {
  return (
    <section class="panel" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{title}</h3>
      {facts.length > 0 && (
        <dl class="summary-facts">
          {facts.map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {children}
    </section>
  );
}

/** A way to another view, with what to look at there. */
export function GoTo({
  view,
  subjects,
  children,
}: {
  readonly view: ViewId;
  readonly subjects: Readonly<Record<string, string>>;
  readonly children: ComponentChildren;
}) {
  return (
    <button type="button" class="link" onClick={() => route.go(view, subjects)}>
      {children}
    </button>
  );
}
