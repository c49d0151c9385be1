/** Parts of a story that can be opened and closed, one by one or all at once. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

/** A wish to open or close everything; each wish has another number. */
export interface FoldWish {
  readonly isOpen: boolean;
  readonly number: number;
}

/** The newest wish. */
export const FoldWishes = createContext<FoldWish>({ isOpen: false, number: 0 });

/** A part with a title. What is in it is only made while it is open. */
export function Fold({
  title,
  isOpenAtFirst = false,
  kind = '',
  children,
}: {
  readonly title: ComponentChildren;
  readonly isOpenAtFirst?: boolean;
  readonly kind?: string;
  readonly children: () => ComponentChildren;
}) {
  const wish = useContext(FoldWishes);
  const [isOpen, setOpen] = useState(wish.number === 0 ? isOpenAtFirst : wish.isOpen);
  useEffect(() => {
    if (wish.number > 0) setOpen(wish.isOpen);
  }, [wish.number]);
  return (
    <details class={`fold ${kind}`} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <div class="fold-body">{children()}</div>}
    </details>
  );
}
