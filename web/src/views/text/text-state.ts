/**
 * The text that is edited, kept while other views are shown: its state, what it began from, and what the worker
 * says of it. The worker is one of its own; typing waits for nothing.
 */
import { batch, computed, signal } from '@preact/signals';
import { documentKey, documentOpen, noteChange } from '../../app/document.ts';
import { SideWorker } from '../../app/side-worker.ts';
import { worker } from '../../app/worker-client.ts';
import { CodeState } from '../../parts/code-area/code-state.ts';
import { toPageError, type PageError } from '../../worker/page-error.ts';
import type { TextCheck, TextMoves, TextStart } from '../../worker/topics/text.ts';
import { itemAt } from './parts.ts';

/** Milliseconds without a key after which the text is checked. */
const PAUSE = 300;
/** Milliseconds without a move after which the cursor is followed. */
const CURSOR_PAUSE = 200;

/** What is edited. */
export interface Draft {
  /** The document and version whose text this began as. */
  readonly key: string;
  readonly start: TextStart;
  readonly code: CodeState;
  /** The text that the document has. */
  readonly base: string;
}

/** What the worker said last of the text, and of which text. */
export interface Checked {
  readonly text: string;
  readonly result: TextCheck;
}

/** What is edited; undefined until the worker has written the text. */
export const draft = signal<Draft | undefined>(undefined);
/** Why there is no text. */
export const startError = signal<PageError | undefined>(undefined);
export const checked = signal<Checked | undefined>(undefined);
/** The last check of a text without errors: what the picture shows. */
export const lastGood = signal<Checked | undefined>(undefined);
export const isChecking = signal(false);
/** Whether the text is another than the document's. */
export const isDirty = signal(false);
/** What applying would move: of the text checked last. */
export const moves = signal<{ readonly text: string; readonly result: TextMoves | PageError } | undefined>(
  undefined,
);
export const applyError = signal<PageError | undefined>(undefined);
export const isApplying = signal(false);
/** Where the cursor rests. */
const cursor = signal(0);
/** The item whose line the cursor is in. */
export const cursorItem = computed<number | undefined>(() => {
  const parts = lastGood.value?.result.parts;
  return parts && itemAt(parts, cursor.value);
});
/** Whether the document's CRUSH map was changed elsewhere while there is unsaved text. */
export const isBehind = computed(
  () => draft.value !== undefined && draft.value.key !== documentKey.value && isDirty.value,
);

let timer: ReturnType<typeof setTimeout> | undefined;
let cursorTimer: ReturnType<typeof setTimeout> | undefined;
let isBusy = false;
let starting = '';
const side = new SideWorker('text');

/** Has the text of the document as it is now, unless there is unsaved text of the same document. */
export async function startText(isForced = false): Promise<void> {
  const key = documentKey.peek();
  const last = draft.peek();
  if (!isForced) {
    if (last?.key === key || starting === key) return;
    if (last !== undefined && isSameDocument(last.key, key) && isDirty.peek()) return;
  }
  starting = key;
  try {
    const start = await (await side.ready()).textStart();
    if (documentKey.peek() !== key) return;
    startError.value = undefined;
    const code = new CodeState(start.text, { onText: noteText, onCursor: noteCursor });
    isDirty.value = false;
    checked.value = undefined;
    lastGood.value = undefined;
    moves.value = undefined;
    applyError.value = undefined;
    draft.value = { key, start, code, base: code.text };
    void check();
  } catch (error) {
    if (documentKey.peek() === key) startError.value = toPageError(error);
  } finally {
    if (starting === key) starting = '';
  }
}

/** Makes the text the document's CRUSH map. */
export async function applyText(): Promise<void> {
  const last = draft.peek();
  if (last === undefined || isApplying.peek()) return;
  const { text } = last.code;
  isApplying.value = true;
  applyError.value = undefined;
  try {
    const state = await worker.textApply(text);
    noteChange(state);
    // The user's text stays as it is, with comments and order; it says what the document has.
    draft.value = { ...last, key: documentKey.peek(), base: text };
    isDirty.value = last.code.text !== text;
    moves.value = undefined;
  } catch (error) {
    applyError.value = toPageError(error);
  } finally {
    isApplying.value = false;
  }
}

/** The text as it stands. */
export function currentText(): string {
  return draft.peek()?.code.text ?? '';
}

/** The text as the file that `ceph osd setcrushmap -i` takes. */
export async function binaryOfText(): Promise<Blob> {
  return (await side.ready()).textBinary(currentText());
}

function noteText(): void {
  isDirty.value = true;
  isChecking.value = true;
  moves.value = undefined;
  clearTimeout(timer);
  timer = setTimeout(() => void check(), PAUSE);
}

/** The picture follows the cursor when it rests, not at each key. */
function noteCursor(offset: number): void {
  clearTimeout(cursorTimer);
  cursorTimer = setTimeout(() => (cursor.value = offset), CURSOR_PAUSE);
}

/** Checks the newest text, and then what it would move; texts that were typed over in the meantime are passed by. */
async function check(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  try {
    for (;;) {
      const edited = draft.peek();
      if (edited === undefined) return;
      const { code, key } = edited;
      const { text } = code;
      const dirty = edited.base !== text;
      const api = await side.ready();
      const result = await api.textCheck(text);
      const isNewest = (): boolean =>
        draft.peek()?.code === code && code.text === text && draft.peek()?.key === key;
      if (!isNewest()) continue;
      batch(() => {
        isDirty.value = dirty;
        isChecking.value = false;
        checked.value = { text, result };
        if (result.error === undefined) lastGood.value = { text, result };
      });
      if (result.error !== undefined) return;
      if (!dirty) return;
      const found = await api.textMoves(text).catch(toPageError);
      if (!isNewest()) continue;
      moves.value = { text, result: found };
      return;
    }
  } catch (error) {
    startError.value = toPageError(error);
    isChecking.value = false;
  } finally {
    isBusy = false;
  }
}

function isSameDocument(a: string, b: string): boolean {
  return a.split(':')[0] === b.split(':')[0];
}

// Whoever closes the page with unsaved text is asked.
addEventListener('beforeunload', (event) => {
  if (isDirty.peek() && documentOpen.peek() !== undefined) event.preventDefault();
});
