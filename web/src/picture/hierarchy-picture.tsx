/**
 * The hierarchy as a picture: an icicle or a treemap on a canvas, areas in proportion to CRUSH weight. A click or
 * Enter goes into a bucket, the line above leads back. Every view brings its own colours and values.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { route } from '../app/route.ts';
import { counted } from '../parts/format.ts';
import { colourKey } from '../parts/token-colours.ts';
import type { HierarchyRows } from '../worker/topics/hierarchy.ts';
import { Breadcrumb } from './breadcrumb.tsx';
import { ColourBox } from './colours.ts';
import { PictureTip, tipText } from './picture-tip.tsx';
import { layoutPicture, rowAt, type PictureLayout, type PictureShape, type PictureSize } from './layout.ts';
import { boxOf, paintBoxes, paintHighlights, type PathStep, type PictureMark } from './paint.ts';
import { keyTarget } from './picture-keys.ts';
import { factsOf, isOsd, isWithin, pathTo, rowOfItem } from './rows.ts';
import './picture.css';

export type { PathStep, PictureMark } from './paint.ts';

/** What a {@link HierarchyPicture} shows. */
export interface HierarchyPictureProps {
  readonly rows: HierarchyRows;
  /** What the picture is, for screen readers. */
  readonly label: string;
  /** A row's CSS colour; tokens of the page, as `var(--even)`, are fine. */
  readonly colour: (row: number) => string;
  /** A short second line in boxes that have room for it. */
  readonly value?: (row: number) => string | undefined;
  /** What is told of a row; default: what the CRUSH map and the OSDMap say of it. */
  readonly basics?: (row: number) => readonly (readonly [string, string])[];
  /** Further lines of what is told of a row, such as its shards. */
  readonly facts?: (row: number) => readonly (readonly [string, string])[];
  /** Marks of rows. Default: OSDs that are down or do not exist are crossed out, those that are out are hatched. */
  readonly marks?: (row: number) => PictureMark | undefined;
  /** The selected row, or -1. The picture goes where it can be seen. */
  readonly selected?: number;
  /** Rows that are pointed out, each with its label; the way to them is outlined. */
  readonly path?: readonly PathStep[];
  /** A row was clicked, or Enter or Space pressed on it. */
  readonly onSelect?: (row: number) => void;
  /** What a row is called that holds others. Default: bucket. */
  readonly noun?: string;
  /** What areas are in proportion to, in words. Default: CRUSH weight. */
  readonly measure?: string;
  /** CSS height. */
  readonly height?: string;
}

const NONE: readonly PathStep[] = [];
/** Rows from which on a treemap is the usual picture: in an icicle OSDs would be thinner than a pixel. */
const MANY_ROWS = 600;

/** See the top of the file. */
export function HierarchyPicture(props: HierarchyPictureProps) {
  const { rows, selected = -1, path = NONE, colour, value, noun = 'bucket' } = props;
  const mark = props.marks ?? ((row: number) => usualMark(rows, row));
  const wanted = route.display('picture');
  const shape: PictureShape =
    wanted === 'treemap' || wanted === 'icicle' ? wanted : rows.count > MANY_ROWS ? 'treemap' : 'icicle';
  const stage = useRef<HTMLDivElement>(null);
  const boxCanvas = useRef<HTMLCanvasElement>(null);
  const lineCanvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(stage);
  const isMeasured = size.width > 0;
  const themeKey = colourKey();
  const [zoom, setZoom] = useState<{ readonly item: number; readonly row: number }>();
  const [active, setActive] = useState(-1);
  const [hover, setHover] = useState<{ readonly row: number; readonly x: number; readonly y: number }>();
  const [hasFocus, setFocus] = useState(false);

  const top =
    zoom === undefined ? -1 : rows.ids[zoom.row] === zoom.item ? zoom.row : rowOfItem(rows, zoom.item);
  const layout = useMemo(() => layoutPicture(rows, top, shape, size), [rows, top, shape, size]);
  const wayThere = useMemo(
    () => new Set(path.flatMap(({ row }) => pathTo(rows, row).slice(0, -1))),
    [rows, path],
  );

  useLayoutEffect(() => {
    const canvas = boxCanvas.current;
    if (canvas === null || size.width === 0) return;
    draw(canvas, size, (context, colours) =>
      paintBoxes(
        context,
        layout,
        {
          colour,
          value,
          mark,
          name: (row) => rows.names[row] ?? '',
          isLeaf: (row) => rows.ends[row] === row + 1,
        },
        colours,
        size.scale,
      ),
    );
  }, [layout, size, themeKey, colour, value, props.marks]);
  useLayoutEffect(() => {
    const canvas = lineCanvas.current;
    if (canvas === null || size.width === 0) return;
    const shown = { selected, active: hasFocus ? active : -1, hovered: hover?.row ?? -1, path, wayThere };
    draw(canvas, size, (context, colours) => paintHighlights(context, layout, shown, colours));
  }, [layout, size, themeKey, selected, active, hasFocus, hover?.row, path, wayThere]);

  useEffect(() => {
    if (selected < 0) return;
    setActive(selected);
    if (!isMeasured || boxOf(layout, selected) !== undefined) return;
    if (!isWithin(rows, selected, top)) goTo(commonTop(rows, selected, top));
    else if (layout.hiddenLevels > 0) goTo(rows.parents[selected] ?? -1);
  }, [selected, rows, isMeasured]);

  const at = active >= 0 && active < rows.count && isWithin(rows, active, top) ? active : top;
  const told = hover ?? (hasFocus ? activeTip() : undefined);
  return (
    <div class="picture">
      <div class="picture-bar">
        <Breadcrumb rows={rows} top={top} onGo={goTo} />
        <ShapeChoice shape={shape} />
      </div>
      <div
        class="picture-stage"
        ref={stage}
        style={{ height: props.height ?? 'clamp(18rem, 45vh, 60rem)' }}
        role="application"
        aria-roledescription="picture of the hierarchy"
        aria-label={`${props.label}. Arrow keys move, Enter goes into a ${noun}, Escape out of it.`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const [x, y] = [event.clientX - box.left, event.clientY - box.top];
          const row = rowAt(layout, x, y);
          setHover(row < 0 ? undefined : { row, x, y });
        }}
        onPointerLeave={() => setHover(undefined)}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const row = rowAt(layout, event.clientX - box.left, event.clientY - box.top);
          if (row >= 0) choose(row);
        }}
      >
        <canvas ref={boxCanvas} aria-hidden="true" />
        <canvas ref={lineCanvas} aria-hidden="true" />
        {told !== undefined && <PictureTip rows={rows} {...told} stage={size} facts={factsAt(told.row)} />}
      </div>
      <p class="visually-hidden" aria-live="polite">
        {hasFocus && at >= 0 ? tipText(rows, at, factsAt(at)) : ''}
      </p>
      <Remarks layout={layout} isCut={rows.isCut} noun={noun} measure={props.measure ?? 'CRUSH weight'} />
    </div>
  );

  function factsAt(row: number): (readonly [string, string])[] {
    return [...(props.basics?.(row) ?? factsOf(rows, row)), ...(props.facts?.(row) ?? [])];
  }

  function choose(row: number): void {
    setActive(row);
    props.onSelect?.(row);
    if (!isOsd(rows, row) && row !== top && (rows.ends[row] ?? 0) > row + 1) goTo(row);
  }

  function goTo(row: number): void {
    setHover(undefined);
    setZoom(row < 0 ? undefined : { row, item: rows.ids[row] ?? 0 });
    if (row >= 0) setActive((last) => (isWithin(rows, last, row) ? last : row));
  }

  function activeTip() {
    const box = boxOf(layout, at);
    return box && { row: at, x: box[0] + box[2] / 2, y: box[1] + box[3] / 2 };
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      if (hover !== undefined) setHover(undefined);
      if (top < 0) return;
      setActive(top);
      goTo(rows.parents[top] ?? -1);
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (at >= 0 && event.key === 'Enter') choose(at);
      else if (at >= 0) props.onSelect?.(at);
    } else {
      const to = keyTarget(rows, at, top, event.key);
      if (to === undefined) return;
      setHover(undefined);
      setActive(to);
    }
    event.preventDefault();
  }
}

/** How OSDs are marked that take no part. */
export function usualMark(rows: HierarchyRows, row: number): PictureMark | undefined {
  if (!isOsd(rows, row)) return undefined;
  // Bits 1 and 2: exists and up.
  if (((rows.states[row] ?? 0) & 3) !== 3) return 'crossed';
  return rows.reweights[row] === 0 ? 'hatched' : undefined;
}

/** What the picture does not show, or shows otherwise than it should. */
function Remarks({
  layout,
  isCut,
  noun,
  measure,
}: {
  readonly layout: PictureLayout;
  readonly isCut: boolean;
  readonly noun: string;
  readonly measure: string;
}) {
  const { hiddenLevels, isWeightless, weightlessOsds } = layout;
  const remarks = [
    hiddenLevels > 0 && `Levels that do not fit are left out: go into a ${noun} to see them.`,
    isWeightless && `Nothing here has ${measure}: all areas are the same.`,
    weightlessOsds > 0 && `${counted(weightlessOsds, 'OSD')} of CRUSH weight 0: without area here.`,
    isCut && 'Buckets hold each other in more ways than can be shown.',
  ].filter((remark) => remark !== false);
  return remarks.length === 0 ? null : <p class="quiet picture-remark">{remarks.join(' ')}</p>;
}

function ShapeChoice({ shape }: { readonly shape: PictureShape }) {
  return (
    <label class="picture-shape">
      <span class="quiet">Picture</span>{' '}
      <select
        value={shape}
        onChange={(event) => {
          route.set('display', 'picture', event.currentTarget.value);
        }}
      >
        <option value="icicle">icicle: levels side by side</option>
        <option value="treemap">treemap: boxes in boxes</option>
      </select>
    </label>
  );
}

interface StageSize extends PictureSize {
  /** Pixels of the screen for one of CSS. */
  readonly scale: number;
}

function useSize(stage: { readonly current: HTMLDivElement | null }): StageSize {
  const [size, setSize] = useState<StageSize>({ width: 0, height: 0, font: 16, scale: 1 });
  useLayoutEffect(() => {
    const element = stage.current;
    if (element === null) return undefined;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      const font = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const scale = window.devicePixelRatio;
      setSize((last) =>
        last.width === width && last.height === height && last.font === font && last.scale === scale
          ? last
          : { width, height, font, scale },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // Zooming the page changes its pixels, and with them its width as a rule, but not always.
    addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      removeEventListener('resize', measure);
    };
  }, []);
  return size;
}

function draw(
  canvas: HTMLCanvasElement,
  { width, height, scale }: StageSize,
  paint: (context: CanvasRenderingContext2D, colours: ColourBox) => void,
): void {
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (context === null || canvas.parentElement === null) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  const colours = new ColourBox(canvas.parentElement);
  try {
    paint(context, colours);
  } finally {
    colours.remove();
  }
}

/** The lowest row that holds both. */
function commonTop(rows: HierarchyRows, row: number, other: number): number {
  for (let each = rows.parents[row] ?? -1; each >= 0; each = rows.parents[each] ?? -1) {
    if (isWithin(rows, other, each)) return each;
  }
  return -1;
}
