/** Painting a hierarchy's boxes on a canvas. */
import type { ColourBox } from './colours.ts';
import type { PictureLayout } from './layout.ts';

/** How an OSD is marked that takes no part: hatched, or crossed out. */
export type PictureMark = 'hatched' | 'crossed';

/** What boxes look like. */
export interface BoxLook {
  /** A CSS colour; tokens of the page, as `var(--even)`, are resolved. */
  readonly colour: (row: number) => string;
  readonly name: (row: number) => string;
  /** A second line, where there is room. */
  readonly value?: ((row: number) => string | undefined) | undefined;
  readonly mark?: ((row: number) => PictureMark | undefined) | undefined;
  readonly isLeaf: (row: number) => boolean;
}

/** A row that is pointed out with a word or number. */
export interface PathStep {
  readonly row: number;
  readonly label: string;
}

/** What is drawn over the boxes. */
export interface Highlights {
  readonly selected: number;
  readonly active: number;
  readonly hovered: number;
  readonly path: readonly PathStep[];
  /** Rows that lead to the path's. */
  readonly wayThere: ReadonlySet<number>;
}

/** Height of a line against its font. */
const LINE = 1.2;
/** Smallest box that gets a frame, in pixels of the screen. */
const FRAME = 3;
/** Smallest box that gets lines on all its sides. */
const ALL_SIDES = 24;
/** Smallest box that gets a name, against the font. */
const NAME = { width: 2.1, height: 1.05 };
/** Radius of a path's label, against the font. */
const BADGE = 0.9;

/** Draws all boxes. The canvas is scaled to CSS pixels. */
export function paintBoxes(
  context: CanvasRenderingContext2D,
  layout: PictureLayout,
  look: BoxLook,
  colours: ColourBox,
  scale: number,
): void {
  const { shown, boxes, heads } = layout;
  const ground = colours.get('var(--ground)').css;
  const ink = colours.get('var(--ink)').css;
  const hatches = hatchesFor(context, scale);
  const { family, size } = fontOf(context);
  const line = LINE * size;
  const pixel = 1 / scale;
  const frame = (left: number, top: number, width: number, height: number): void => {
    context.fillStyle = ground;
    context.fillRect(left + width - pixel, top, pixel, height);
    context.fillRect(left, top + height - pixel, width, pixel);
    // Small boxes have no pixel to spare for the other sides.
    if (Math.min(width, height) < ALL_SIDES) return;
    context.fillRect(left, top, pixel, height);
    context.fillRect(left, top, width, pixel);
  };
  context.textBaseline = 'middle';
  for (const row of shown) {
    const at = 4 * row;
    const left = snap(boxes[at] ?? 0, scale);
    const top = snap(boxes[at + 1] ?? 0, scale);
    const right = snap(boxes[at + 2] ?? 0, scale);
    const bottom = snap(boxes[at + 3] ?? 0, scale);
    const fill = colours.get(look.colour(row));
    context.fillStyle = fill.css;
    const width = right - left;
    const height = bottom - top;
    if (width * scale < FRAME || height * scale < FRAME) {
      // Too small to be told apart: edges are smoothed, so that a stripe of many shows their mean.
      const [x, y] = [boxes[at] ?? 0, boxes[at + 1] ?? 0];
      context.fillRect(x, y, (boxes[at + 2] ?? 0) - x, (boxes[at + 3] ?? 0) - y);
      continue;
    }
    context.fillRect(left, top, width, height);
    const mark = look.mark?.(row);
    if (mark !== undefined) {
      context.fillStyle =
        hatches[fill.isDark ? 'light' : 'dark'][Math.min(width, height) < 16 ? 'fine' : 'wide'];
      if (mark === 'hatched') context.fillRect(left, top, width, height);
      else cross(context, left, top, width, height, ink);
    }
    frame(left, top, width, height);
    if (width < NAME.width * size || height < NAME.height * size) continue;
    const isFrame = layout.shape === 'treemap' && !look.isLeaf(row);
    const room = isFrame ? (heads[row] ?? 0) : height;
    if (room < NAME.height * size) continue;
    const textInk = fill.isDark ? '#ffffff' : '#10161b';
    const value = room >= 2 * line + 2 && !isFrame ? look.value?.(row) : undefined;
    const hasValue = value !== undefined && value !== '';
    const middle = top + room / 2;
    const text = (words: string, y: number, weight: number): void => {
      context.font = `${weight} ${size}px ${family}`;
      const fitting = fit(context, words, width - 8);
      if (fitting === '') return;
      if (mark !== undefined) {
        context.fillStyle = fill.css;
        context.fillRect(
          left + 2,
          y - line / 2,
          Math.min(width - 4, context.measureText(fitting).width + 5),
          line,
        );
      }
      context.fillStyle = textInk;
      context.fillText(fitting, left + 4, y);
    };
    text(look.name(row), hasValue ? middle - line / 2 : middle, look.isLeaf(row) ? 400 : 600);
    if (hasValue) text(value, middle + line / 2, 400);
  }
}

/** Draws what is pointed out, over the boxes. */
export function paintHighlights(
  context: CanvasRenderingContext2D,
  layout: PictureLayout,
  { selected, active, hovered, path, wayThere }: Highlights,
  colours: ColourBox,
): void {
  const ink = colours.get('var(--ink)').css;
  const ground = colours.get('var(--ground)').css;
  const accent = colours.get('var(--accent)').css;
  const outline = (row: number, colour: string, width: number, dash: readonly number[] = []): void => {
    const box = boxOf(layout, row);
    if (box === undefined) return;
    const [x, y, w, h] = widened(box, 4 * width);
    const inset = width / 2;
    for (const [style, extra] of [
      [ground, 2],
      [colour, 0],
    ] as const) {
      context.setLineDash(extra === 0 ? [...dash] : []);
      context.strokeStyle = style;
      context.lineWidth = width + extra;
      context.strokeRect(x + inset, y + inset, Math.max(0, w - width), Math.max(0, h - width));
    }
    context.setLineDash([]);
  };
  for (const row of wayThere) outline(row, ink, 1.5);
  if (hovered >= 0) outline(hovered, ink, 1.5);
  if (selected >= 0) outline(selected, accent, 3);
  if (active >= 0 && active !== selected) outline(active, ink, 2.5, [5, 3]);
  for (const { row } of path) outline(row, ink, 2.5);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const { family, size } = fontOf(context);
  const badge = BADGE * size;
  context.font = `700 ${size}px ${family}`;
  for (const { row, label } of path) {
    const box = boxOf(layout, row);
    if (box === undefined) continue;
    const [x, y, w, h] = box;
    const half = Math.max(badge, context.measureText(label).width / 2 + 5);
    // At the right, where names seldom reach, but within the picture.
    const centre = w > 4 * half ? x + w - half - 4 : x + w / 2;
    const middle = Math.min(Math.max(y + h / 2, badge + 1), context.canvas.clientHeight - badge - 1);
    context.beginPath();
    context.roundRect(centre - half, middle - badge, 2 * half, 2 * badge, badge);
    context.fillStyle = ink;
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = ground;
    context.stroke();
    context.fillStyle = ground;
    context.fillText(label, centre, middle + 0.5);
  }
  context.textAlign = 'start';
}

/** A row's box as left, top, width and height; undefined where it has none. */
export function boxOf(layout: PictureLayout, row: number): [number, number, number, number] | undefined {
  const [left = Number.NaN, top = 0, right = 0, bottom = 0] = layout.boxes.subarray(4 * row, 4 * row + 4);
  return row < 0 || Number.isNaN(left) ? undefined : [left, top, right - left, bottom - top];
}

/** Makes a box at least so wide and high, about its middle. */
function widened(
  [x, y, w, h]: readonly [number, number, number, number],
  least: number,
): [number, number, number, number] {
  const width = Math.max(w, least);
  const height = Math.max(h, least);
  return [Math.max(0, x - (width - w) / 2), Math.max(0, y - (height - h) / 2), width, height];
}

/** The canvas's font, as its style sheet has it: it grows with the page's. */
function fontOf({ canvas }: CanvasRenderingContext2D): { readonly family: string; readonly size: number } {
  const { fontFamily, fontSize } = getComputedStyle(canvas);
  return { family: fontFamily, size: Number.parseFloat(fontSize) };
}

/** The nearest whole pixel of the screen. */
function snap(value: number, scale: number): number {
  return Math.round(value * scale) / scale;
}

/** The text, cut to a width; empty where not even its first letters fit. */
function fit(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let fits = 0;
  let tooLong = text.length;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) fits = middle;
    else tooLong = middle;
  }
  return fits < 2 ? '' : `${text.slice(0, fits)}…`;
}

function cross(
  context: CanvasRenderingContext2D,
  left: number,
  top: number,
  width: number,
  height: number,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = Math.min(width, height) > 12 ? 2 : 1;
  context.beginPath();
  context.moveTo(left, top);
  context.lineTo(left + width, top + height);
  context.moveTo(left + width, top);
  context.lineTo(left, top + height);
  context.stroke();
}

/** Stripes for dark and light boxes; small ones have finer stripes, so that more than one crosses them. */
function hatchesFor(context: CanvasRenderingContext2D, scale: number) {
  const both = (colour: string) => ({
    fine: hatchPattern(context, colour, 3, scale),
    wide: hatchPattern(context, colour, 8, scale),
  });
  return { light: both('#ffffff'), dark: both('#10161b') };
}

/** Diagonal stripes, so many CSS pixels apart. */
function hatchPattern(
  context: CanvasRenderingContext2D,
  colour: string,
  distance: number,
  scale: number,
): CanvasPattern | string {
  const side = Math.round(distance * scale);
  const tile = document.createElement('canvas');
  tile.width = side;
  tile.height = side;
  const inTile = tile.getContext('2d');
  if (inTile === null) return colour;
  inTile.strokeStyle = colour;
  inTile.lineWidth = 0.2 * side;
  for (const shift of [-side, 0, side]) {
    inTile.beginPath();
    inTile.moveTo(shift, side);
    inTile.lineTo(shift + side, 0);
    inTile.stroke();
  }
  const pattern = context.createPattern(tile, 'repeat');
  // Patterns lie in the canvas's own space, which is scaled.
  pattern?.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern ?? colour;
}
