/** A text that is edited, with all that stays while its field is not shown. */
import { signal } from '@preact/signals';
import { CodeText, withPlainLineEnds } from './code-text.ts';
import { type CodeEdit, type CodeSelection, EditHistory } from './edit-history.ts';
import { occurrences, type FindQuery } from './find.ts';

/** A problem at its place in the text. */
export interface CodeProblem {
  readonly severity: 'error' | 'warning' | 'note';
  readonly message: string;
  /** Offset. Errors begin there; all else is of the whole line. */
  readonly at: number;
}

/** A change of the text as its field has to follow it. */
export interface CodeChange {
  readonly from: number;
  readonly to: number;
  readonly inserted: string;
}

/** What the text tells. */
export interface CodeEvents {
  readonly onText?: () => void;
  /** The cursor is elsewhere. */
  readonly onCursor?: (offset: number) => void;
}

/** What a field does for its text while it is shown. */
export interface CodeField {
  /** Follows a change that did not come from the field. */
  readonly follow: (change: CodeChange) => void;
  /** Shows what is selected now, in the middle if it was out of sight. */
  readonly show: () => void;
  readonly focus: () => void;
}

/** See the top of the file. */
export class CodeState {
  readonly lines: CodeText;
  /** Counts changes of text and problems. */
  readonly version = signal(0);
  readonly selection = signal<CodeSelection>({ start: 0, end: 0, isBackward: false });
  /** What is looked for; undefined while the bar is closed. */
  readonly query = signal<FindQuery | undefined>(undefined);
  /** Where the field was scrolled to. */
  scroll = { top: 0, left: 0 };
  /** The field that shows this text, if one does. */
  field: CodeField | undefined;
  readonly #history = new EditHistory();
  readonly #events: CodeEvents;
  #problems: readonly CodeProblem[] = [];

  constructor(text: string, events: CodeEvents = {}) {
    this.lines = new CodeText(text);
    this.#events = events;
  }

  get text(): string {
    return this.lines.text;
  }

  /** To be called by a component that shows the text: it is drawn anew when anything of that changes. */
  watch(): readonly [number, CodeSelection, FindQuery | undefined] {
    return [this.version.value, this.selection.value, this.query.value];
  }

  /** Offset of the cursor. */
  get cursor(): number {
    const { start, end, isBackward } = this.selection.peek();
    return isBackward ? start : end;
  }

  /** Problems in the order of the text; they move with it. */
  get problems(): readonly CodeProblem[] {
    return this.#problems;
  }

  /** Shows problems in place of the last ones; those of no place (-1) are left out. */
  setProblems(problems: readonly CodeProblem[]): void {
    this.#problems = problems
      .filter(({ at }) => at >= 0)
      .map((problem) => ({ ...problem, at: Math.min(problem.at, this.lines.length) }))
      .sort((a, b) => a.at - b.at);
    this.version.value++;
  }

  /**
   * Changes the text.
   *
   * @param isTyped - whether it came from the field, which has it already
   */
  edit({ from, to, inserted }: CodeChange, after: CodeSelection, isTyped = false): void {
    const plain = withPlainLineEnds(inserted);
    const removed = this.text.slice(from, to);
    this.#history.push({ from, removed, inserted: plain, before: this.selection.peek(), after }, isTyped);
    this.#apply({ from, to, inserted: plain }, after, isTyped);
  }

  /** Puts another text in the place of what is selected, with the cursor after it. */
  replaceSelection(inserted: string): void {
    const { start, end } = this.selection.peek();
    const at = start + inserted.length;
    this.edit({ from: start, to: end, inserted }, { start: at, end: at, isBackward: false });
    this.field?.show();
  }

  /** Puts another text in the place of all there is; that can be taken back. Only what differs is touched. */
  replaceAll(text: string): void {
    const plain = withPlainLineEnds(text);
    const change = changeBetween(this.text, plain);
    if (change === undefined) return;
    const { start } = this.selection.peek();
    const at = Math.min(start, plain.length);
    this.edit(change, { start: at, end: at, isBackward: false });
  }

  /** Puts another text in the place of all occurrences of what is looked for, as one change; returns how many. */
  replaceFound(query: FindQuery, by: string): number {
    const found = occurrences(this.text, query, Infinity);
    const first = found[0];
    const last = found.at(-1);
    if (first === undefined || last === undefined) return 0;
    const to = last + query.text.length;
    let inserted = '';
    let at = first;
    for (const next of found) {
      inserted += this.text.slice(at, next) + by;
      at = next + query.text.length;
    }
    this.edit({ from: first, to, inserted }, { start: first, end: first, isBackward: false });
    return found.length;
  }

  /** Takes the last change back; says whether there was one. */
  undo(): boolean {
    return this.#goBack(this.#history.undo(), true);
  }

  /** Does again what was taken back; says whether there was something. */
  redo(): boolean {
    return this.#goBack(this.#history.redo(), false);
  }

  /** Notes what is selected. */
  select(selection: CodeSelection): void {
    const last = this.selection.peek();
    const isSame =
      last.start === selection.start &&
      last.end === selection.end &&
      last.isBackward === selection.isBackward;
    if (isSame) return;
    this.#history.close();
    this.#moved(selection);
  }

  /** Selects, and brings that into sight. */
  goTo(start: number, end = start): void {
    const last = this.lines.length;
    this.select({ start: Math.min(start, last), end: Math.min(end, last), isBackward: false });
    this.field?.show();
  }

  /** Goes to the next problem after the cursor, or the last one before it, beginning again past the ends. */
  goToProblem(step: 1 | -1): CodeProblem | undefined {
    const { start } = this.selection.peek();
    const found =
      step > 0
        ? (this.#problems.find(({ at }) => at > start) ?? this.#problems[0])
        : (this.#problems.findLast(({ at }) => at < start) ?? this.#problems.at(-1));
    if (found !== undefined) this.goTo(found.at);
    return found;
  }

  /** Problems of a line, counted from 0. */
  problemsOf(line: number): readonly CodeProblem[] {
    const start = this.lines.lineStart(line);
    const end = this.lines.lineEnd(line);
    let low = 0;
    let high = this.#problems.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#problems[middle]?.at ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    let past = low;
    while ((this.#problems[past]?.at ?? Infinity) <= end) past++;
    return this.#problems.slice(low, past);
  }

  #goBack(edit: CodeEdit | undefined, isBack: boolean): boolean {
    if (edit === undefined) return false;
    const { from, removed, inserted, before, after } = edit;
    if (isBack) this.#apply({ from, to: from + inserted.length, inserted: removed }, before, false);
    else this.#apply({ from, to: from + removed.length, inserted }, after, false);
    this.field?.show();
    return true;
  }

  #apply(change: CodeChange, after: CodeSelection, isTyped: boolean): void {
    const { from, to, inserted } = change;
    this.lines.replace(from, to, inserted);
    const moved = inserted.length - (to - from);
    if (this.#problems.length > 0) {
      this.#problems = this.#problems.map((problem) =>
        problem.at <= from ? problem : { ...problem, at: problem.at < to ? from : problem.at + moved },
      );
    }
    this.#moved(after);
    if (!isTyped) this.field?.follow(change);
    this.version.value++;
    this.#events.onText?.();
  }

  #moved(selection: CodeSelection): void {
    this.selection.value = selection;
    this.#events.onCursor?.(this.cursor);
  }
}

/**
 * What to change in a text to have another; undefined where they are the same.
 *
 * @param cursor - where the cursor stands after the change: of several places that come to the same, such as where one
 *   of two like letters was typed, the one before it is taken
 */
export function changeBetween(before: string, after: string, cursor = 0): CodeChange | undefined {
  if (before === after) return undefined;
  const least = Math.min(before.length, after.length);
  const mostEnd = Math.min(least, after.length - cursor);
  let end = 0;
  while (
    end < mostEnd &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++;
  let from = 0;
  const mostStart = least - end;
  while (from < mostStart && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  return { from, to: before.length - end, inserted: after.slice(from, after.length - end) };
}
