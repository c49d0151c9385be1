/** Where a text has what is looked for. */

/** What is looked for. */
export interface FindQuery {
  readonly text: string;
  readonly isCaseSensitive: boolean;
}

/** Offsets of what is looked for, from the start of a text; none overlap. Stops after `most`. */
export function occurrences(text: string, query: FindQuery, most: number): number[] {
  const found: number[] = [];
  if (query.text === '') return found;
  for (const match of text.matchAll(patternOf(query))) {
    if (found.length >= most) break;
    found.push(match.index);
  }
  return found;
}

/** The next occurrence from an offset on, beginning again past the end; -1 if there is none. */
export function nextOccurrence(text: string, query: FindQuery, from: number): number {
  if (query.text === '') return -1;
  const pattern = patternOf(query);
  pattern.lastIndex = from;
  const found = pattern.exec(text) ?? pattern.exec(text);
  return found?.index ?? -1;
}

/** The last occurrence that begins before an offset, beginning again from the end; -1 if there is none. */
export function lastOccurrence(text: string, query: FindQuery, before: number): number {
  const found = occurrences(text, query, Infinity);
  return found.findLast((at) => at < before) ?? found.at(-1) ?? -1;
}

/** Whether a part of the text is an occurrence. */
export function isOccurrence(text: string, query: FindQuery, start: number, end: number): boolean {
  return end - start === query.text.length && nextOccurrence(text.slice(start, end), query, 0) === 0;
}

// Without the flag `u`, what matches is as long as what is looked for.
function patternOf({ text, isCaseSensitive }: FindQuery): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), isCaseSensitive ? 'g' : 'gi');
}
