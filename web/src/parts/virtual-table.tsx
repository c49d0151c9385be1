/**
 * A table of any number of rows, of which only those in sight exist. Rows all have one height; beyond what browsers
 * can scroll, the scroll bar stands for more than its pixels.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { tableWindow } from './table-window.ts';
import './virtual-table.css';

/** A column. */
export interface TableColumn {
  readonly key: string;
  readonly title: string;
  /** CSS grid track, such as `8ch` or `minmax(10ch, 2fr)`. */
  readonly track: string;
  readonly isNumber?: boolean;
  /** Makes the head a button that orders by this column. */
  readonly onSort?: () => void;
  readonly sorted?: 'ascending' | 'descending' | undefined;
}

/** What a {@link VirtualTable} shows. */
export interface VirtualTableProps {
  /** What the table is, for screen readers. */
  readonly label: string;
  readonly columns: readonly TableColumn[];
  readonly rowCount: number;
  /** The cells of a row, one a column; undefined while the row's data is on its way. */
  readonly cells: (row: number) => readonly ComponentChildren[] | undefined;
  /** Called with the rows in sight (and some around them) whenever they are others. */
  readonly onWindow?: (first: number, count: number) => void;
  /** The chosen row, or -1. */
  readonly chosen?: number;
  /** Another number brings the chosen row into sight again. */
  readonly reveal?: number;
  /** What the chosen row is, where rows come and go before it: only another one is scrolled to. Default: its number. */
  readonly chosenKey?: string | number;
  /** A row was chosen by click, or by Enter or Space on the active row. */
  readonly onChoose?: (row: number) => void;
  /**
   * Keys that the table does not use itself go here, with the active row. Return whether the key was used, or the row
   * to go to.
   */
  readonly onKey?: (key: string, row: number) => boolean | number;
  /** CSS height; default: what is left of the window. */
  readonly height?: string;
  /** Shown when there are no rows. */
  readonly empty?: string;
  /** More about a row, for its class. */
  readonly rowClass?: (row: number) => string | undefined;
  /** Depth in a tree, from 1, with whether it is open: makes the table a treegrid. */
  readonly tree?: (row: number) => { readonly level: number; readonly isOpen: boolean | undefined };
}

const ROW_HEIGHT = 28;

/** See the top of the file. Arrow keys, Page Up and Down, Home and End move the active row. */
export function VirtualTable(props: VirtualTableProps) {
  const { columns, rowCount, chosen = -1, onWindow, onChoose, tree } = props;
  const body = useRef<HTMLDivElement>(null);
  const table = useId();
  const [scroll, setScroll] = useState({ top: 0, height: 400 });
  const [active, setActive] = useState(Math.max(0, chosen));
  const at = Math.min(active, Math.max(0, rowCount - 1));
  // Keys can come faster than the table is drawn: each goes on from where the last one led.
  const latest = useRef(at);
  latest.current = at;
  const view = tableWindow({ rowCount, rowHeight: ROW_HEIGHT, scrollTop: scroll.top, height: scroll.height });

  useLayoutEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    const measure = () => setScroll({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => onWindow?.(view.first, view.count), [view.first, view.count, rowCount, onWindow]);
  // Before the row is seen as chosen, so that the next key goes on from it.
  useLayoutEffect(() => {
    if (chosen < 0) return;
    latest.current = chosen;
    setActive(chosen);
    show(chosen);
  }, [props.chosenKey ?? chosen, props.reveal, chosen >= 0, rowCount > 0]);

  const idOf = (row: number) => `${table}-${row}`;
  // Head and rows are grids of their own: with the same least width their columns stand below each other.
  const grid = {
    gridTemplateColumns: columns.map(({ track }) => track).join(' '),
    minWidth: `calc(${columns.map(({ track }) => leastOf(track)).join(' + ')} + ${columns.length - 1} * var(--column-gap) + 1.2rem)`,
  };
  return (
    <div class="virtual-table">
      <div
        class="virtual-scroll"
        ref={body}
        style={{ height: props.height ?? 'calc(100vh - 16rem)' }}
        tabIndex={0}
        role={tree === undefined ? 'grid' : 'treegrid'}
        aria-label={props.label}
        aria-rowcount={rowCount + 1}
        aria-colcount={columns.length}
        aria-activedescendant={rowCount === 0 ? undefined : idOf(at)}
        onScroll={(event) =>
          setScroll({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })
        }
        onKeyDown={onKeyDown}
      >
        <div class="virtual-row virtual-head" role="row" aria-rowindex={1} style={grid}>
          {columns.map((column) => (
            <div
              key={column.key}
              role="columnheader"
              class={column.isNumber === true ? 'number' : ''}
              aria-sort={column.onSort === undefined ? undefined : (column.sorted ?? 'none')}
            >
              {column.onSort === undefined ? (
                column.title
              ) : (
                <button type="button" class="sort" onClick={column.onSort}>
                  {column.title}
                  <span aria-hidden="true">
                    {column.sorted === undefined ? '' : column.sorted === 'ascending' ? ' ▲' : ' ▼'}
                  </span>
                </button>
              )}
            </div>
          ))}
        </div>
        <div
          class="virtual-space"
          style={{ height: `${view.spaceHeight}px`, minWidth: grid.minWidth }}
          role="presentation"
        >
          <div class="virtual-rows" style={{ transform: `translateY(${view.offset}px)` }} role="presentation">
            {Array.from({ length: view.count }, (_, i) => renderRow(view.first + i))}
          </div>
        </div>
        {rowCount === 0 && <p class="quiet virtual-empty">{props.empty ?? 'Nothing to show.'}</p>}
      </div>
    </div>
  );

  function renderRow(row: number) {
    const cells = props.cells(row);
    const branch = tree?.(row);
    const more = props.rowClass?.(row);
    return (
      <div
        key={row}
        id={idOf(row)}
        role="row"
        aria-rowindex={row + 2}
        aria-selected={row === chosen}
        aria-level={branch?.level}
        aria-expanded={branch?.isOpen}
        class={`virtual-row${row === at ? ' active' : ''}${row === chosen ? ' chosen' : ''}${more === undefined ? '' : ` ${more}`}`}
        style={grid}
        onClick={() => {
          setActive(row);
          onChoose?.(row);
        }}
      >
        {columns.map((column, i) => (
          <div key={column.key} role="gridcell" class={column.isNumber === true ? 'number' : ''}>
            {cells === undefined ? '…' : cells[i]}
          </div>
        ))}
      </div>
    );
  }

  function onKeyDown(event: KeyboardEvent): void {
    // Buttons and fields inside rows have keys of their own.
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(scroll.height / ROW_HEIGHT) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: latest.current + 1,
      ArrowUp: latest.current - 1,
      PageDown: latest.current + page,
      PageUp: latest.current - page,
      Home: 0,
      End: rowCount - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) move(to);
    else if (event.key === 'Enter' || event.key === ' ') onChoose?.(latest.current);
    else {
      const used = props.onKey?.(event.key, latest.current) ?? false;
      if (used === false) return;
      if (used !== true) move(used);
    }
    event.preventDefault();
  }

  function move(to: number): void {
    const row = Math.max(0, Math.min(rowCount - 1, to));
    latest.current = row;
    setActive(row);
    show(row);
  }

  /** Scrolls as little as brings a row into sight. */
  function show(row: number): void {
    const element = body.current;
    if (element === null) return;
    const fits = Math.max(1, Math.floor(element.clientHeight / ROW_HEIGHT) - 1);
    const top = tableWindow({
      rowCount,
      rowHeight: ROW_HEIGHT,
      scrollTop: element.scrollTop,
      height: element.clientHeight,
    }).topRow;
    if (row >= Math.ceil(top) && row < Math.floor(top) + fits) return;
    const target = row < top ? row : row - fits + 1;
    const scrollable = Math.max(1, view.spaceHeight + ROW_HEIGHT - element.clientHeight);
    const rows = Math.max(1, rowCount + 1 - element.clientHeight / ROW_HEIGHT);
    element.scrollTop = (target / rows) * scrollable;
  }
}

/** The least width of a grid track: the first part of a `minmax`, else the track itself. */
function leastOf(track: string): string {
  return /^minmax\(([^,]+),/.exec(track)?.[1] ?? track;
}
