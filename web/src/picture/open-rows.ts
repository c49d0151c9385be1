/** Which rows of a tree table are open: at first, by keys and clicks, and so that the selected one is in sight. */
import { useEffect, useState } from 'preact/hooks';
import type { HierarchyRows } from '../worker/topics/hierarchy.ts';
import { openedTo, openTo, readableDepth } from './tree-rows.ts';

/** What {@link useOpenRows} goes by. */
export interface OpenRowsOptions {
  /** The selected row, or -1. */
  readonly selected: number;
  /** Rows that the tree opens with at most. */
  readonly most: number;
  /** Only what fits a search is shown, with all that leads to it open. */
  readonly isFiltered: boolean;
}

/** What a tree table needs to know of its rows, and how they are opened and closed. */
export interface OpenRows {
  /** Items whose rows are open. */
  readonly open: ReadonlySet<number>;
  readonly setOpen: (change: (last: ReadonlySet<number>) => ReadonlySet<number>) => void;
  readonly hasBelow: (row: number) => boolean;
  readonly isOpen: (row: number) => boolean;
  /** Opens or closes a row; by default, makes it the other. */
  readonly toggle: (row: number, wanted?: boolean) => void;
  /** A row's place in the tree, as a virtual table takes it. */
  readonly branchOf: (row: number) => { readonly level: number; readonly isOpen: boolean | undefined };
  /** Right opens a row or goes in, Left closes it or goes out; what a virtual table's `onKey` returns. */
  readonly onArrow: (key: string, row: number, visible: Int32Array) => boolean | number;
}

/** See the top of the file. */
export function useOpenRows(rows: HierarchyRows, { selected, most, isFiltered }: OpenRowsOptions): OpenRows {
  const [open, setOpen] = useState<ReadonlySet<number>>(() => openedTo(rows, readableDepth(rows, most)));
  useEffect(() => {
    if (selected < 0) return;
    const above = openTo(rows, selected);
    setOpen((last) => (above.every((item) => last.has(item)) ? last : new Set([...last, ...above])));
  }, [rows, selected]);

  const hasBelow = (row: number) => (rows.ends[row] ?? 0) > row + 1;
  const isOpen = (row: number) => isFiltered || open.has(rows.ids[row] ?? 0);
  const toggle = (row: number, wanted = !isOpen(row)) => {
    const item = rows.ids[row] ?? 0;
    setOpen((last) => {
      const next = new Set(last);
      if (wanted) next.add(item);
      else next.delete(item);
      return next;
    });
  };
  return {
    open,
    setOpen,
    hasBelow,
    isOpen,
    toggle,
    branchOf: (row) => ({
      level: (rows.depths[row] ?? 0) + 1,
      isOpen: hasBelow(row) ? isOpen(row) : undefined,
    }),
    onArrow: (key, row, visible) => {
      if (key === 'ArrowRight' && hasBelow(row)) {
        if (isOpen(row)) return visible.indexOf(row) + 1;
        toggle(row, true);
        return true;
      }
      if (key === 'ArrowLeft') {
        if (hasBelow(row) && isOpen(row) && !isFiltered) toggle(row, false);
        else if ((rows.parents[row] ?? -1) >= 0) return visible.indexOf(rows.parents[row] ?? 0);
        return true;
      }
      return false;
    },
  };
}
