/** Where the lines of a code area are, in pixels, and which of them are in sight. */
import { signal } from '@preact/signals';
import type { CodeState } from './code-state.ts';
import { cellsOf } from './code-text.ts';

/** Lines, and characters in each, of the element by which fonts are measured. */
export const PROBE_LINES = 100;
/** Cells beside the longest line: the space before it, and room for the cursor. */
const PADDING = 3;
/** Lines beyond the edge up to which a jump scrolls no further than it has to. */
const NEXT_LINES = 3;

/** The elements of a code area. */
export interface AreaElements {
  readonly area: HTMLTextAreaElement;
  /** What scrolls. */
  readonly scroller: HTMLElement;
  /** As large as the whole text. */
  readonly space: HTMLElement;
  /** {@link PROBE_LINES} lines of as many characters. */
  readonly probe: HTMLElement;
  readonly gutter: HTMLElement;
}

/** Lines in sight. */
export interface VisibleLines {
  readonly first: number;
  readonly count: number;
}

/** See the top of the file. All lines have one height, and all characters of a font one width. */
export class AreaLayout {
  readonly visible = signal<VisibleLines>({ first: 0, count: 1 });
  /** Pixels; no whole number at most sizes of fonts. */
  readonly lineHeight = signal(20);
  readonly #state: CodeState;
  readonly #elements: AreaElements;
  #characterWidth = 8;

  constructor(state: CodeState, elements: AreaElements) {
    this.#state = state;
    this.#elements = elements;
  }

  /** Lines that fit in. */
  get page(): number {
    return Math.max(1, Math.floor(this.#elements.scroller.clientHeight / this.lineHeight.peek()) - 1);
  }

  /** The line, counted from 0, at a height of the browser's window. */
  lineAtHeight(clientY: number): number {
    const { top } = this.#elements.space.getBoundingClientRect();
    return Math.floor((clientY - top) / this.lineHeight.peek());
  }

  /** Measures the font anew. */
  measure(): void {
    const { width, height } = this.#elements.probe.getBoundingClientRect();
    if (height === 0) return;
    this.lineHeight.value = height / PROBE_LINES;
    this.#characterWidth = width / PROBE_LINES;
  }

  /** Notes which lines are in sight. */
  look(): void {
    const { scrollTop, clientHeight } = this.#elements.scroller;
    const height = this.lineHeight.peek();
    const first = Math.max(0, Math.floor(scrollTop / height));
    const count = Math.ceil(clientHeight / height) + 1;
    const last = this.visible.peek();
    if (last.first !== first || last.count !== count) this.visible.value = { first, count };
  }

  /** Puts the field where its lines are, the end not among them, and makes room for the whole text. */
  place(firstLine: number, endLine: number): void {
    const { area, scroller, space, gutter } = this.#elements;
    const { lines } = this.#state;
    const height = this.lineHeight.peek();
    const left = gutter.getBoundingClientRect().width;
    const width = Math.max((lines.cells + PADDING) * this.#characterWidth, scroller.clientWidth - left);
    const top = firstLine * height;
    const least = endLine >= lines.lineCount ? scroller.clientHeight - top : 0;
    setStyle(space, 'height', `${Math.max(lines.lineCount * height, scroller.clientHeight)}px`);
    setStyle(space, 'width', `${left + width}px`);
    setStyle(area, 'top', `${top}px`);
    setStyle(area, 'width', `${width}px`);
    setStyle(area, 'height', `${Math.max((endLine - firstLine) * height, least)}px`);
  }

  /** Scrolls to the cursor, if it is out of sight: as little as needed, or so that it stands in the middle. */
  reveal(isCentred: boolean): void {
    const { scroller, gutter } = this.#elements;
    const { lines, cursor } = this.#state;
    const height = this.lineHeight.peek();
    const line = lines.lineAt(cursor);
    const top = line * height;
    const { scrollTop, scrollLeft, clientHeight, clientWidth } = scroller;
    const isAbove = top < scrollTop;
    if (isAbove || top + height > scrollTop + clientHeight) {
      const beyond = Math.abs(top - scrollTop - (isAbove ? 0 : clientHeight));
      if (isCentred && beyond > NEXT_LINES * height) scroller.scrollTop = top - (clientHeight - height) / 2;
      else scroller.scrollTop = isAbove ? top : top + height - clientHeight;
    }
    const room = clientWidth - gutter.offsetWidth;
    const left = cellsOf(lines.text.slice(lines.lineStart(line), cursor)) * this.#characterWidth;
    if (left < scrollLeft) scroller.scrollLeft = Math.max(0, left - room / 4);
    else if (left + PADDING * this.#characterWidth > scrollLeft + room) {
      scroller.scrollLeft = left - room * 0.75;
    }
    this.look();
  }
}

function setStyle(element: HTMLElement, name: 'height' | 'width' | 'top', value: string): void {
  if (element.style[name] !== value) element.style[name] = value;
}
