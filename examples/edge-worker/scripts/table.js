/** What was measured, as a table in Markdown. */
export function tableOf({ rows }) {
  const lines = [
    ['answer', 'p50, ms', 'p99, ms'],
    ...Object.entries(rows).map(([name, times]) => [
      name,
      ...[times.p50, times.p99].map((milliseconds) => milliseconds.toFixed(2)),
    ]),
  ];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = (line) =>
    `| ${line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [head, ...body] = lines.map(text);
  return [head, `| ${rule.join(' | ')} |`, ...body].join('\n');
}
