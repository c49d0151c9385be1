/** A text with an index of its lines that is kept while the text is edited. */

/** Cells from one tab stop to the next, as in the style sheet. */
const TAB = 8;

/** Beyond these, cells of a line are not counted but estimated. */
const MOST_COUNTED = 2000;

/**
 * A text of any number of lines. A change costs what it changes, and one pass over the numbers of the lines after it;
 * the text is never split or joined as a whole.
 */
export class CodeText {
  #text: string;
  #starts: Int32Array;
  #lineCount: number;
  #cells = 0;

  /** @param text - line ends of other systems become `\n` */
  constructor(text: string) {
    this.#text = withPlainLineEnds(text);
    const breaks = lineBreaks(this.#text);
    this.#lineCount = breaks.length + 1;
    this.#starts = new Int32Array(this.#lineCount + 64);
    this.#starts.set(breaks, 1);
    this.#widen(0, this.#lineCount);
  }

  get text(): string {
    return this.#text;
  }

  get length(): number {
    return this.#text.length;
  }

  get lineCount(): number {
    return this.#lineCount;
  }

  /** Cells of the longest line that there has been; it does not shrink, so that the page does not jump. */
  get cells(): number {
    return this.#cells;
  }

  /** Offset of the first character of a line, counted from 0; lines past the end begin at the end. */
  lineStart(line: number): number {
    return line < this.#lineCount ? (this.#starts[Math.max(0, line)] ?? 0) : this.length;
  }

  /** Offset after the last character of a line, without its line break. */
  lineEnd(line: number): number {
    return line + 1 < this.#lineCount ? (this.#starts[line + 1] ?? 0) - 1 : this.length;
  }

  /** A line without its line break. */
  line(line: number): string {
    return this.#text.slice(this.lineStart(line), this.lineEnd(line));
  }

  /** The line that an offset is in, counted from 0. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#lineCount;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** Puts `insert`, whose line ends are `\n`, in the place of what stands from `from` up to `to`. */
  replace(from: number, to: number, insert: string): void {
    const first = this.lineAt(from);
    const last = this.lineAt(to);
    const breaks = lineBreaks(insert);
    const count = this.#lineCount + breaks.length - (last - first);
    if (count > this.#starts.length) {
      const grown = new Int32Array(count + (count >> 2));
      grown.set(this.#starts);
      this.#starts = grown;
    }
    const starts = this.#starts;
    starts.copyWithin(first + 1 + breaks.length, last + 1, this.#lineCount);
    const moved = insert.length - (to - from);
    for (let line = first + 1 + breaks.length; line < count; line++)
      starts[line] = (starts[line] ?? 0) + moved;
    for (let i = 0; i < breaks.length; i++) starts[first + 1 + i] = from + (breaks[i] ?? 0);
    this.#lineCount = count;
    this.#text = this.#text.slice(0, from) + insert + this.#text.slice(to);
    this.#widen(first, first + 1 + breaks.length);
  }

  #widen(first: number, end: number): void {
    for (let line = first; line < end; line++) {
      // Even a line of nothing but wide characters and tabs has no more cells than this.
      if ((this.lineEnd(line) - this.lineStart(line)) * TAB <= this.#cells) continue;
      this.#cells = Math.max(this.#cells, cellsOf(this.line(line)));
    }
  }
}

/** Cells that a line takes, where all characters of a fixed font are one, or two beyond Latin. */
export function cellsOf(line: string): number {
  let cells = 0;
  const counted = Math.min(line.length, MOST_COUNTED);
  for (let i = 0; i < counted; i++) {
    const code = line.charCodeAt(i);
    cells = code === 9 ? cells + TAB - (cells % TAB) : cells + (code < 0x300 ? 1 : 2);
  }
  return cells + (line.length - counted) * 2;
}

/** A text whose lines end with `\n`, as those of text fields do. */
export function withPlainLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** Offsets after each line break. */
function lineBreaks(text: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) found.push(at + 1);
  return found;
}
