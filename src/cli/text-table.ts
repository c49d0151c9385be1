/** Tables as Ceph's tools print them for people. Follows `TextTable` (Ceph's src/common/TextTable.cc). */

/** A column: its heading stands to the left, its cells to either side. */
export interface TextColumn {
  readonly heading: string;
  readonly align: 'left' | 'right';
}

/** Lines of a table: columns as wide as what is in them, two spaces between, and no end of the line is trimmed. */
export function* textTableLines(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
): Generator<string> {
  const widths = columns.map(({ heading }) => heading.length);
  for (const row of rows) {
    row.forEach((cell, column) => {
      if (cell.length > (widths[column] ?? 0)) widths[column] = cell.length;
    });
  }
  const line = (cells: readonly string[], isHeading: boolean): string =>
    cells
      .map((cell, column) =>
        isHeading || columns[column]?.align === 'left'
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  yield line(
    columns.map(({ heading }) => heading),
    true,
  );
  for (const row of rows) yield line(row, false);
}
