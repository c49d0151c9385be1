/** The way from the whole hierarchy to what a picture shows of it. */
import type { HierarchyRows } from '../worker/topics/hierarchy.ts';
import { pathTo } from './rows.ts';

/** A button for each bucket above, the last one where one is. */
export function Breadcrumb({
  rows,
  top,
  onGo,
}: {
  readonly rows: HierarchyRows;
  readonly top: number;
  readonly onGo: (row: number) => void;
}) {
  const path = pathTo(rows, top);
  return (
    <nav aria-label="Shown part of the hierarchy">
      <ol class="breadcrumb">
        {[-1, ...path].map((row) => (
          <li key={row}>
            {row === top ? (
              <span aria-current="location">{nameOf(row)}</span>
            ) : (
              <button type="button" onClick={() => onGo(row)}>
                {nameOf(row)}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );

  function nameOf(row: number): string {
    return row < 0 ? 'everything' : (rows.names[row] ?? '');
  }
}
