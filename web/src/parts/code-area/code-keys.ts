/** Keys of a code area beyond those that every text field has. */
import type { AreaWindow } from './area-window.ts';
import type { CodeState } from './code-state.ts';

/** What keys open and go to. */
export interface KeyActions {
  /** Opens the bar at one of its fields. */
  readonly onFind: (field: 'search' | 'line') => void;
  readonly onFindNext: (step: 1 | -1) => void;
  /** Closes the bar; says whether it was open. */
  readonly onClose: () => boolean;
}

/** Keys that do nothing to what is selected. */
const ASIDE = /^(Control|Shift|Alt|AltGraph|Meta|CapsLock|Tab|Escape|F\d+|ContextMenu)$/;

/** Does what a key is for; says whether it was used. */
export function handleKey(
  event: KeyboardEvent,
  state: CodeState,
  view: AreaWindow | undefined,
  actions: KeyActions,
): boolean {
  if (event.isComposing) return false;
  const { key, shiftKey, altKey } = event;
  const isCommand = (event.ctrlKey || event.metaKey) && !altKey;
  if (isCommand) return handleCommand(key.toLowerCase(), shiftKey, state, view, actions);
  if (key === 'F8') return state.goToProblem(shiftKey ? -1 : 1) !== undefined;
  if (key === 'F3') {
    actions.onFindNext(shiftKey ? -1 : 1);
    return true;
  }
  if (key === 'Escape') return actions.onClose();
  if (view === undefined) return false;
  if (altKey) {
    // Some keyboards have braces there.
    view.bringSelection();
    return false;
  }
  if (key === 'PageDown' || key === 'PageUp') {
    view.moveCursor(offsetBelow(state, key === 'PageDown' ? view.layout.page : -view.layout.page), shiftKey);
    return true;
  }
  if (key === 'Enter' && !shiftKey) {
    state.replaceSelection(`\n${indentation(state)}`);
    return true;
  }
  if (!ASIDE.test(key)) view.bringSelection();
  return false;
}

function handleCommand(
  key: string,
  isShifted: boolean,
  state: CodeState,
  view: AreaWindow | undefined,
  actions: KeyActions,
): boolean {
  if (key === 'f' || key === 'g') {
    actions.onFind(key === 'f' ? 'search' : 'line');
    return true;
  }
  // In the bar, these are of its own fields.
  if (view === undefined) return false;
  if (key === 'z' || (key === 'y' && !isShifted)) {
    if (key === 'y' || isShifted) state.redo();
    else state.undo();
    return true;
  }
  if (key === 'a') {
    state.select({ start: 0, end: state.lines.length, isBackward: false });
    view.keepPlace();
    return true;
  }
  const isMac = navigator.platform.startsWith('Mac');
  if (key === 'home' || (isMac && key === 'arrowup')) view.moveCursor(0, isShifted);
  else if (key === 'end' || (isMac && key === 'arrowdown')) view.moveCursor(state.lines.length, isShifted);
  else {
    if (key.length === 1) view.bringSelection();
    return false;
  }
  return true;
}

/** Offset of the same column some lines below the cursor, or above it. */
function offsetBelow({ lines, cursor }: CodeState, by: number): number {
  const line = lines.lineAt(cursor);
  const to = Math.max(0, Math.min(lines.lineCount - 1, line + by));
  if (to === line) return by > 0 ? lines.length : 0;
  return Math.min(lines.lineStart(to) + cursor - lines.lineStart(line), lines.lineEnd(to));
}

/** White space at the start of the line that is selected first, up to the selection. */
function indentation({ lines, selection }: CodeState): string {
  const { start } = selection.peek();
  const from = lines.lineStart(lines.lineAt(start));
  return /^[\t ]*/.exec(lines.text.slice(from, start))?.[0] ?? '';
}
