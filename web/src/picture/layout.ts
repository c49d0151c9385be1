/** Where the rows of a hierarchy lie in a picture: areas in proportion to CRUSH weight. */
import { hierarchy, partition, treemap, type HierarchyRectangularNode } from 'd3-hierarchy';
import type { HierarchyRows } from '../worker/topics/hierarchy.ts';
import { childrenOf, isOsd } from './rows.ts';

/** Levels as columns side by side, or buckets as frames in frames. */
export type PictureShape = 'icicle' | 'treemap';

/** Boxes of rows in a picture, in CSS pixels. */
export interface PictureLayout {
  readonly shape: PictureShape;
  /** The row that fills the picture; -1: all. */
  readonly top: number;
  /** Rows that have a box, buckets before what they hold. */
  readonly shown: Int32Array;
  /** Left, top, right and bottom of each row; NaN where a row has no box. */
  readonly boxes: Float32Array;
  /** Height that a treemap keeps free at a bucket's top for its name; 0 where it does not fit. */
  readonly heads: Float32Array;
  /** Levels that are left out since they would be too narrow. */
  readonly hiddenLevels: number;
  /** Whether nothing weighs anything, so that all areas are the same. */
  readonly isWeightless: boolean;
  /** OSDs of CRUSH weight 0, which have no area, among others that have one. */
  readonly weightlessOsds: number;
}

/** How large a picture is, in CSS pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
  /** The page's font. */
  readonly font: number;
}

/** Narrowest column of an icicle, against the page's font. */
const LEVEL_WIDTH = 4;
/** Height of a bucket's name in a treemap, and the smallest box that has one, against the page's font. */
const HEAD = 1.12;
const HEAD_BOX = { width: 2.75, height: 2.5 };

/**
 * Lays out what is below a row, or everything.
 *
 * @param top - a row; -1: everything
 * @param font - size of the page's font in pixels, for the heads of a treemap
 */
export function layoutPicture(
  rows: HierarchyRows,
  top: number,
  shape: PictureShape,
  { width, height, font }: PictureSize,
): PictureLayout {
  const { isWeightless, weightlessOsds } = countWeightless(rows, top);
  const root = hierarchy(top, (row) => {
    const children = childrenOf(rows, row);
    return children.length === 0 ? undefined : children;
  }).sum((row) => {
    if (row < 0 || (rows.ends[row] ?? 0) > row + 1) return 0;
    return isWeightless ? 1 : (rows.weights[row] ?? 0);
  });
  const boxes = new Float32Array(4 * rows.count).fill(Number.NaN);
  const heads = new Float32Array(rows.count);
  const shown: number[] = [];
  const place = (row: number, box: readonly [number, number, number, number]): void => {
    if (row < 0 || !(box[2] > box[0] && box[3] > box[1])) return;
    boxes.set(box, 4 * row);
    shown.push(row);
  };
  let hiddenLevels = 0;
  if (shape === 'icicle') {
    // The level of -1, which is no item, is not drawn.
    const first = top < 0 ? 1 : 0;
    const all = root.height + 1 - first;
    const levels = Math.max(1, Math.min(all, Math.floor(width / (LEVEL_WIDTH * font))));
    hiddenLevels = Math.max(0, all - levels);
    const placed = partition<number>().size([height, 1])(root);
    placed.each(({ data, depth, x0, x1 }) => {
      const level = depth - first;
      if (level >= levels) return;
      place(data, [(level * width) / levels, x0, ((level + 1) * width) / levels, x1]);
    });
  } else {
    const placed = treemap<number>()
      .size([width, height])
      .paddingTop((node) => headOf(node, font))
      .paddingLeft(paddingOf)
      .paddingRight(paddingOf)
      .paddingBottom(paddingOf)(root);
    placed.eachBefore((node) => {
      place(node.data, [node.x0, node.y0, node.x1, node.y1]);
      const head = headOf(node, font);
      if (node.data >= 0 && node.children !== undefined && head >= HEAD * font) heads[node.data] = head;
    });
  }
  return {
    shape,
    top,
    shown: Int32Array.from(shown).sort(),
    boxes,
    heads,
    hiddenLevels,
    isWeightless,
    weightlessOsds,
  };
}

/** The row at a point, the innermost; -1 where there is none. */
export function rowAt(layout: PictureLayout, x: number, y: number): number {
  const { shown, boxes } = layout;
  // What is inside comes after what holds it.
  for (let i = shown.length - 1; i >= 0; i--) {
    const at = 4 * (shown[i] ?? 0);
    const isIn = x >= (boxes[at] ?? 0) && x < (boxes[at + 2] ?? 0);
    if (isIn && y >= (boxes[at + 1] ?? 0) && y < (boxes[at + 3] ?? 0)) return shown[i] ?? -1;
  }
  return -1;
}

function countWeightless(
  rows: HierarchyRows,
  top: number,
): Pick<PictureLayout, 'isWeightless' | 'weightlessOsds'> {
  const end = top < 0 ? rows.count : (rows.ends[top] ?? 0);
  let isWeightless = true;
  let osds = 0;
  for (let row = Math.max(0, top); row < end; row++) {
    if (rows.ends[row] !== row + 1) continue;
    if ((rows.weights[row] ?? 0) > 0) isWeightless = false;
    else if (isOsd(rows, row)) osds++;
  }
  return { isWeightless, weightlessOsds: isWeightless ? 0 : osds };
}

function headOf(node: HierarchyRectangularNode<number>, font: number): number {
  if (node.data < 0) return 0;
  const isRoomy = node.x1 - node.x0 >= HEAD_BOX.width * font && node.y1 - node.y0 >= HEAD_BOX.height * font;
  return isRoomy ? HEAD * font : paddingOf(node);
}

/** A bucket's frame: thinner where there is little room. */
function paddingOf({ data, x0, x1, y0, y1 }: HierarchyRectangularNode<number>): number {
  if (data < 0) return 0;
  const side = Math.min(x1 - x0, y1 - y0);
  return side > 60 ? 3 : side > 24 ? 1.5 : side > 8 ? 0.75 : 0;
}
