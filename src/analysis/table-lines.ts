/** Tables of plain text. */

/** Lines of a table: columns as wide as their widest cell, numbers to the right, two spaces between. */
export function tableLines(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string[] {
  const cells = [header, ...rows.map((row) => row.map(String))];
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const isNumber = header.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  );
  return cells.map((row) =>
    row
      .map((cell, column) =>
        isNumber[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
