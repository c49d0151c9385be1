/**
 * The text field of a code area. A text field takes time in proportion to all its lines at each key (50 ms for 23,000
 * in Chromium), so that of a long text it holds a window: the lines in sight, many around them, and all that is
 * selected while any of that is in sight. Short texts it holds whole.
 */
import { AreaLayout, type AreaElements } from './area-layout.ts';
import { changeBetween, type CodeChange, type CodeField, type CodeState } from './code-state.ts';
import type { CodeSelection } from './edit-history.ts';

/** Lines of a text that is held whole. */
const WHOLE = 3000;
/** Lines around those in sight that a new window has. */
const MARGIN = 600;
/** Lines around those in sight below which there is a new window. */
const NEAR = 150;
/** Milliseconds without scrolling after which a window that still suffices is renewed. */
const REST = 100;

/** See the top of the file. */
export class AreaWindow implements CodeField {
  readonly layout: AreaLayout;
  readonly #state: CodeState;
  readonly #elements: AreaElements;
  /** Lines of the window, the end not among them. */
  #first = 0;
  #end = 0;
  /** Offsets of the window. */
  #from = 0;
  #to = 0;
  /** Where the field's cursor stands while what is selected is out of its window. */
  #parked: number | undefined;
  #isComposing = false;
  #isDragging = false;
  /** Whether the browser's window lost the keyboard, not the field. */
  #isAway = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(state: CodeState, elements: AreaElements) {
    this.#state = state;
    this.#elements = elements;
    this.layout = new AreaLayout(state, elements);
  }

  /** Begins to show the text where it was left; the returned function ends it. */
  mount(): () => void {
    const { area, scroller } = this.#elements;
    const gone = new AbortController();
    const options = { signal: gone.signal };
    area.addEventListener('beforeinput', (event) => this.#beforeInput(event), options);
    area.addEventListener('input', () => this.#input(), options);
    area.addEventListener('compositionstart', () => (this.#isComposing = true), options);
    area.addEventListener(
      'compositionend',
      () => {
        this.#isComposing = false;
        this.#input();
      },
      options,
    );
    area.addEventListener('pointerdown', (event) => this.#pointerDown(event), options);
    area.addEventListener('focus', () => this.#focused(), options);
    area.addEventListener('blur', () => (this.#isAway = !document.hasFocus()), options);
    area.addEventListener('copy', (event) => this.#copy(event), options);
    for (const name of ['pointerup', 'pointercancel'] as const) {
      addEventListener(name, () => this.#pointerUp(), options);
    }
    document.addEventListener('selectionchange', () => this.#readSelection(), options);
    // Whatever scrolls the field within itself is to scroll the whole.
    area.addEventListener('scroll', () => this.#passScrolling(), options);
    scroller.addEventListener('scroll', () => this.#scrolled(), { ...options, passive: true });
    const observer = new ResizeObserver(() => this.#resized());
    observer.observe(scroller);
    this.#state.field = this;
    const { top, left } = this.#state.scroll;
    this.layout.measure();
    this.layout.place(this.#first, this.#end);
    scroller.scrollTop = top;
    scroller.scrollLeft = left;
    this.layout.look();
    this.#cut(0, 0);
    this.#ensure();
    return () => {
      clearTimeout(this.#timer);
      observer.disconnect();
      gone.abort();
      if (this.#state.field === this) this.#state.field = undefined;
    };
  }

  follow({ from, to, inserted }: CodeChange): void {
    const { area } = this.#elements;
    const { lines } = this.#state;
    if (from < this.#from || to > this.#to) {
      // Beside the window: its lines may be others now.
      this.#cut(0, 0);
    } else {
      area.setRangeText(inserted, from - this.#from, to - this.#from, 'preserve');
      this.#to += inserted.length - (to - from);
      this.#end = lines.lineAt(this.#to) + 1;
      this.layout.place(this.#first, this.#end);
    }
    this.keepPlace();
  }

  show(): void {
    this.layout.reveal(true);
    this.keepPlace();
  }

  focus(): void {
    this.#elements.area.focus({ preventScroll: true });
  }

  /** Moves the cursor, with what is selected up to it if that is extended. */
  moveCursor(to: number, isExtended: boolean): void {
    const { start, end, isBackward } = this.#state.selection.peek();
    const anchor = isExtended ? (isBackward ? end : start) : to;
    this.#state.select({
      start: Math.min(anchor, to),
      end: Math.max(anchor, to),
      isBackward: to < anchor,
    });
    this.layout.reveal(false);
    this.keepPlace();
  }

  /** Shows what is selected where that is in sight, without scrolling. */
  keepPlace(): void {
    this.#ensure();
    this.#putSelection();
  }

  /** Has the field hold what is selected, for a key that does something to it. */
  bringSelection(): void {
    if (this.#parked === undefined) return;
    const { lines } = this.#state;
    const { start, end } = this.#state.selection.peek();
    this.#cut(lines.lineAt(start) - MARGIN, lines.lineAt(end) + 1 + MARGIN);
  }

  #beforeInput(event: InputEvent): void {
    if (event.inputType === 'historyUndo' || event.inputType === 'historyRedo') {
      event.preventDefault();
      if (event.inputType === 'historyUndo') this.#state.undo();
      else this.#state.redo();
    } else if (this.#parked !== undefined && event.data !== null) {
      // It came by no key, from a picker or a pen.
      event.preventDefault();
      this.#state.replaceSelection(event.data);
    }
  }

  #input(): void {
    const { value, selectionEnd } = this.#elements.area;
    const held = this.#state.text.slice(this.#from, this.#to);
    const change = changeBetween(held, value, selectionEnd);
    if (change === undefined) return;
    const { from, to, inserted } = change;
    const base = this.#from;
    const before = this.#state.lines.lineCount;
    this.#to += value.length - held.length;
    this.#state.edit({ from: base + from, to: base + to, inserted }, this.#fieldSelection(), true);
    this.#end += this.#state.lines.lineCount - before;
    this.#parked = undefined;
    this.layout.place(this.#first, this.#end);
    this.layout.reveal(false);
    this.#ensure();
  }

  #readSelection(): void {
    const { area } = this.#elements;
    if (document.activeElement !== area || this.#isComposing) return;
    const { selectionStart, selectionEnd } = area;
    if (selectionStart === this.#parked && selectionEnd === this.#parked) return;
    this.#parked = undefined;
    const { lines } = this.#state;
    const isAll = selectionStart === 0 && selectionEnd > 0 && selectionEnd === this.#to - this.#from;
    if (isAll && (this.#from > 0 || this.#to < lines.length)) {
      this.#state.select({ start: 0, end: lines.length, isBackward: false });
      this.keepPlace();
      return;
    }
    this.#state.select(this.#fieldSelection());
  }

  #fieldSelection(): CodeSelection {
    const { selectionStart, selectionEnd, selectionDirection } = this.#elements.area;
    return {
      start: this.#from + selectionStart,
      end: this.#from + selectionEnd,
      isBackward: selectionDirection === 'backward' && selectionStart < selectionEnd,
    };
  }

  #putSelection(): void {
    const { area } = this.#elements;
    const { start, end, isBackward } = this.#state.selection.peek();
    if (start >= this.#from && end <= this.#to) {
      this.#parked = undefined;
      area.setSelectionRange(start - this.#from, end - this.#from, isBackward ? 'backward' : 'forward');
    } else {
      this.#parked = start < this.#from ? 0 : this.#to - this.#from;
      area.setSelectionRange(this.#parked, this.#parked);
    }
  }

  #pointerDown(event: PointerEvent): void {
    if (event.shiftKey && this.#parked !== undefined) {
      const { first, count } = this.layout.visible.peek();
      const { start, end } = this.#state.selection.peek();
      const { lines } = this.#state;
      this.#cut(
        Math.min(lines.lineAt(start), first) - NEAR,
        Math.max(lines.lineAt(end) + 1, first + count) + NEAR,
      );
    }
    // Until it ends there is another window only when what is in sight is not in this one.
    this.#isDragging = true;
  }

  #pointerUp(): void {
    if (!this.#isDragging) return;
    this.#isDragging = false;
    this.#readSelection();
    this.#ensure();
  }

  #focused(): void {
    // By the keyboard: to where the cursor is. Whoever comes back from another window finds all as it was.
    if (this.#parked !== undefined && !this.#isDragging && !this.#isAway) this.show();
    this.#isAway = false;
  }

  #copy(event: ClipboardEvent): void {
    const { start, end } = this.#state.selection.peek();
    if (this.#parked === undefined || start === end) return;
    event.clipboardData?.setData('text/plain', this.#state.text.slice(start, end));
    event.preventDefault();
  }

  #scrolled(): void {
    const { scroller } = this.#elements;
    this.#state.scroll = { top: scroller.scrollTop, left: scroller.scrollLeft };
    this.layout.look();
    clearTimeout(this.#timer);
    if (!this.#hasSight()) this.#ensure();
    else this.#timer = setTimeout(() => this.#ensure(), REST);
  }

  #passScrolling(): void {
    const { area, scroller } = this.#elements;
    const { scrollTop, scrollLeft } = area;
    if (scrollTop === 0 && scrollLeft === 0) return;
    area.scrollTop = 0;
    area.scrollLeft = 0;
    scroller.scrollTop += scrollTop;
    scroller.scrollLeft += scrollLeft;
  }

  #resized(): void {
    this.layout.measure();
    this.layout.place(this.#first, this.#end);
    this.layout.look();
    this.#ensure();
  }

  /** Whether all lines in sight are in the window. */
  #hasSight(): boolean {
    const { first, count } = this.layout.visible.peek();
    return first >= this.#first && Math.min(first + count, this.#state.lines.lineCount) <= this.#end;
  }

  /** Sees to it that the window has what it is to have. */
  #ensure(): void {
    if (this.#isComposing) return;
    this.layout.look();
    if (this.#isDragging && this.#hasSight()) return;
    const { lines } = this.#state;
    if (lines.lineCount <= WHOLE) {
      if (this.#first !== 0 || this.#end !== lines.lineCount) this.#cut(0, lines.lineCount);
      return;
    }
    const { first, count } = this.layout.visible.peek();
    const { start, end } = this.#state.selection.peek();
    let low = first - NEAR;
    let high = first + count + NEAR;
    const startLine = lines.lineAt(start);
    const endLine = lines.lineAt(end);
    if (this.#isDragging || (startLine < first + count && endLine >= first)) {
      low = Math.min(low, startLine);
      high = Math.max(high, endLine + 1);
    }
    low = Math.max(0, low);
    high = Math.min(lines.lineCount, high);
    const isEnough = this.#first <= low && this.#end >= high;
    const isMuch = this.#end - this.#first > high - low + 4 * MARGIN;
    if (!isEnough || isMuch) this.#cut(low - (MARGIN - NEAR), high + (MARGIN - NEAR));
  }

  /** Has the field hold some lines, the end not among them. */
  #cut(first: number, end: number): void {
    const { area, scroller } = this.#elements;
    const { lines } = this.#state;
    this.#first = Math.min(Math.max(0, first), lines.lineCount - 1);
    this.#end = Math.min(Math.max(end, this.#first + 1), lines.lineCount);
    this.#from = lines.lineStart(this.#first);
    this.#to = lines.lineEnd(this.#end - 1);
    const { scrollTop, scrollLeft } = scroller;
    area.value = this.#state.text.slice(this.#from, this.#to);
    this.layout.place(this.#first, this.#end);
    this.#putSelection();
    if (scroller.scrollTop !== scrollTop) scroller.scrollTop = scrollTop;
    if (scroller.scrollLeft !== scrollLeft) scroller.scrollLeft = scrollLeft;
  }
}
