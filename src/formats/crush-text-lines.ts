/**
 * Lines of the text of a CRUSH map: where an offset is for people, and where crushtool says it is. crushtool joins
 * the lines, without comments and with one space for each run of white space, before it parses, and counts back.
 */

/** Line and column, both from 1, of an offset in a text. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}

/** A text as crushtool joins it. */
export interface JoinedText {
  readonly lines: readonly JoinedLine[];
  readonly whole: string;
}

/** One line of a {@link JoinedText}. */
export interface JoinedLine {
  /** The line as it is in the file. */
  readonly raw: string;
  /** Without the comment. */
  readonly bare: string;
  /** Without superfluous white space either. */
  readonly squeezed: string;
  /** Offset in the joined text. */
  readonly start: number;
}

/** Joins the lines of a text as `CrushCompiler::compile` does. */
export function joinLines(text: string): JoinedText {
  const raws = text.split('\n');
  if (raws.at(-1) === '') raws.pop();
  let length = 0;
  const parts: string[] = [];
  const lines = raws.map((raw): JoinedLine => {
    const comment = raw.indexOf('#');
    const bare = comment === -1 ? raw : raw.slice(0, comment);
    const squeezed = squeeze(bare);
    if (squeezed !== '' && length > 0) {
      parts.push(' ');
      length++;
    }
    parts.push(squeezed);
    const start = length;
    length += squeezed.length;
    return { raw, bare, squeezed, start };
  });
  return { lines, whole: parts.join('') };
}

/**
 * Where crushtool says that a text stops being understood.
 *
 * @param stop - Offset in the text one past the last whole construct.
 * @returns The line, from 1, and what of it crushtool shows.
 */
export function reportedPlace(text: string, stop: number): { line: number; rest: string } {
  const { lines } = joinLines(text);
  const place = lineAndColumn(text, stop);
  const own = lines[place.line - 1];
  if (own === undefined) return { line: 1, rest: '' };
  const joined = own.start + squeeze(own.raw.slice(0, place.column - 1)).length;
  // Lines without content start where the line before them ends, and the last that starts there is shown.
  let line = place.line;
  while ((lines[line]?.start ?? Infinity) <= joined) line++;
  const shown = lines[line - 1] ?? own;
  return { line, rest: shown.raw.slice(joined - shown.start) };
}

function squeeze(line: string): string {
  return line.replace(/[ \t\v\f\r]+/g, ' ').replace(/^ | $/g, '');
}
