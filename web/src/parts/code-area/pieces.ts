/** A line as pieces that look alike. */

/** A part of a line with its look; parts may overlap. */
export interface LineMark {
  readonly from: number;
  readonly to: number;
  /** CSS class. */
  readonly look: string;
}

/** What colours a line: its words, numbers and comments. */
export type Tokens = (line: string) => readonly LineMark[];

/** Characters of a line that are coloured; what follows is shown plainly. */
export const MOST_COLOURED = 2000;

/** A piece of a line, with the classes of all marks that it lies in. */
export interface LinePiece {
  readonly text: string;
  readonly look: string;
}

/** Cuts a line at the ends of its marks. */
export function piecesOf(line: string, marks: readonly LineMark[]): LinePiece[] {
  if (marks.length === 0) return [{ text: line, look: '' }];
  const cuts = new Set([0, line.length]);
  for (const { from, to } of marks) {
    cuts.add(Math.min(from, line.length));
    cuts.add(Math.min(to, line.length));
  }
  const ends = [...cuts].sort((a, b) => a - b);
  return ends.slice(1).map((end, i) => {
    const start = ends[i] ?? 0;
    const over = marks.filter(({ from, to }) => from <= start && to >= end);
    return { text: line.slice(start, end), look: over.map(({ look }) => look).join(' ') };
  });
}
