/** What was edited, to be taken back and done again. */

/** What is selected; both ends are the same where there is but a cursor. */
export interface CodeSelection {
  readonly start: number;
  readonly end: number;
  /** Whether the cursor is at the start. */
  readonly isBackward: boolean;
}

/** One change, with what was selected before and after it. */
export interface CodeEdit {
  readonly from: number;
  readonly removed: string;
  readonly inserted: string;
  readonly before: CodeSelection;
  readonly after: CodeSelection;
}

/** Characters that are kept in all; beyond them the oldest edits can no longer be taken back. */
const MOST_CHARACTERS = 20_000_000;

/** Edits in both directions. What is typed in one go is taken back in one go. */
export class EditHistory {
  readonly #done: CodeEdit[] = [];
  #undone: CodeEdit[] = [];
  #characters = 0;
  #isOpen = false;

  /** Keeps an edit. Those that were taken back cannot be done again after it. */
  push(edit: CodeEdit, isTyped: boolean): void {
    for (const { removed, inserted } of this.#undone) this.#characters -= removed.length + inserted.length;
    this.#undone = [];
    const last = this.#done.at(-1);
    const joined = isTyped && this.#isOpen && last !== undefined ? join(last, edit) : undefined;
    if (joined !== undefined) this.#done[this.#done.length - 1] = joined;
    else this.#done.push(edit);
    this.#characters += edit.removed.length + edit.inserted.length;
    while (this.#characters > MOST_CHARACTERS && this.#done.length > 1) {
      const oldest = this.#done.shift();
      if (oldest !== undefined) this.#characters -= oldest.removed.length + oldest.inserted.length;
    }
    this.#isOpen = isTyped;
  }

  /** What is typed from now on is an edit of its own. */
  close(): void {
    this.#isOpen = false;
  }

  /** The edit to take back, if there is one. */
  undo(): CodeEdit | undefined {
    return this.#move(this.#done, this.#undone);
  }

  /** The edit to do again, if there is one. */
  redo(): CodeEdit | undefined {
    return this.#move(this.#undone, this.#done);
  }

  #move(from: CodeEdit[], to: CodeEdit[]): CodeEdit | undefined {
    this.close();
    const edit = from.pop();
    if (edit !== undefined) to.push(edit);
    return edit;
  }
}

/** Two edits as one, where the second goes on at the place of the first; undefined where it does not. */
function join(first: CodeEdit, second: CodeEdit): CodeEdit | undefined {
  const ends = { before: first.before, after: second.after };
  const isNewLine = second.inserted.includes('\n') || second.removed.includes('\n');
  if (isNewLine) return undefined;
  const { from, removed, inserted } = first;
  // Composed letters take the place of those that led to them.
  const start = second.from - from;
  const end = start + second.removed.length;
  if (second.inserted !== '' && start >= 0 && end <= inserted.length) {
    return {
      ...ends,
      from,
      removed,
      inserted: inserted.slice(0, start) + second.inserted + inserted.slice(end),
    };
  }
  if (inserted !== '' || second.inserted !== '') return undefined;
  if (second.from + second.removed.length === from) {
    return { ...ends, from: second.from, removed: second.removed + removed, inserted };
  }
  return second.from === from ? { ...ends, from, removed: removed + second.removed, inserted } : undefined;
}
