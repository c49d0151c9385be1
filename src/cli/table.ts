/** Small tables and lists for people. */

export { tableLines } from '../analysis/table-lines.ts';

/** Lines of a title and a list behind it, broken after commas and semicolons where it is wider than `width`. */
export function listLines(title: string, list: string, width: number): string[] {
  const lines: string[] = [];
  for (const item of list.split(/(?<=[,;]) /)) {
    const last = lines.at(-1);
    if (last === undefined || title.length + last.length + 1 + item.length > width) lines.push(item);
    else lines[lines.length - 1] = `${last} ${item}`;
  }
  return titledLines(title, lines);
}

/** Lines of a title and prose behind it, broken between words where it is wider than `width`. */
export function proseLines(title: string, prose: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of prose.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || title.length + last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return titledLines(title, lines);
}

/** Lines with a title before the first. */
export function titledLines(title: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => (index === 0 ? title : ' '.repeat(title.length)) + line);
}
