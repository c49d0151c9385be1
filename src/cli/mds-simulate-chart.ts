/** The chart of `crush-wasm mds simulate`: loads of ranks over time, as SVG that stands on light and on dark pages. */
import type { SimulatedVariant } from './mds-simulate-report.ts';
import { svgNumber, svgText } from './svg.ts';

const WIDTH = 960;
const LEFT = 80;
const RIGHT = 90;
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT = 220;
const TITLE_HEIGHT = 30;
const GAP = 60;
/** Points of a line. */
const MOST_POINTS = 800;
/** Exports that are marked. */
const MOST_MARKS = 2000;

/** Colours of middle brightness, told apart by most people who see colours differently (after Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b58900', '#3a9bdc', '#7f6bb0', '#7a7a7a'];

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #6b6b6b }
.variant { font-weight: 600; font-size: 15px }
.load { fill: none; stroke-width: 1.8 } .load.more { stroke-dasharray: 5 3 }
.axis { stroke: #808080; stroke-width: 1 }
.export { stroke: #808080; stroke-opacity: 0.45; stroke-width: 1 }
@media (prefers-color-scheme: dark) { text { fill: #a8a8a8 } }`;

/** Draws a panel for each variant: a line for each rank, and a tick below where something was exported. */
export function simulationChart(variants: readonly SimulatedVariant[]): string {
  const most = Math.max(1, ...variants.map(highestLoad));
  const height = 40 + variants.length * (TITLE_HEIGHT + PLOT_HEIGHT + GAP);
  const panels = variants.map((variant, index) =>
    panel(variant, 40 + index * (TITLE_HEIGHT + PLOT_HEIGHT + GAP), most),
  );
  const [first] = variants;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" ` +
    `role="img" aria-labelledby="title description">\n` +
    `<title id="title">${svgText(`Loads of metadata servers: ${first?.result.workload ?? ''}`)}</title>\n` +
    `<desc id="description">${svgText(variants.map(describe).join(' '))}</desc>\n` +
    `<style>${STYLE}</style>\n${panels.join('\n')}\n</svg>\n`
  );
}

function highestLoad({ result }: SimulatedVariant): number {
  return [...result.beats, result.end].reduce(
    (most, { ranks }) => ranks.reduce((high, { mdsLoad }) => Math.max(high, mdsLoad), most),
    0,
  );
}

function describe({ title, result }: SimulatedVariant): string {
  const loads = result.end.ranks.map(({ rank, mdsLoad }) => `mds.${rank} ${Math.round(mdsLoad)}`);
  const back = result.pingPongs.reduce((sum, { returns }) => sum + returns, 0);
  return (
    `${title}: at the end ${loads.join(', ')}; ${result.migrations.length} exports, ` +
    `of which ${back} came back within a few beats.`
  );
}

function panel({ title, result }: SimulatedVariant, top: number, most: number): string {
  const { beats, end, migrations, ranks } = result;
  const start = top + TITLE_HEIGHT - 8;
  const base = start + PLOT_HEIGHT;
  const begin = beats[0]?.time ?? 0;
  const span = Math.max(1, end.time - begin);
  const x = (time: number): number => LEFT + ((time - begin) / span) * PLOT_WIDTH;
  const y = (load: number): number => base - (load / most) * PLOT_HEIGHT;
  const points = [...beats.map(({ time, ranks: loads }) => ({ time, ranks: loads })), end];
  const step = Math.ceil(points.length / MOST_POINTS);
  const shown = points.filter((_, index) => index % step === 0 || index === points.length - 1);
  const parts = [
    text(LEFT, top + 6, `${title}: mds_load of ${ranks} ranks under ${result.workload}`, 'class="variant"'),
    `<line class="axis" x1="${LEFT}" y1="${base}" x2="${LEFT + PLOT_WIDTH}" y2="${base}"/>`,
    text(LEFT - 8, start + 10, Math.round(most).toLocaleString('en-US'), 'text-anchor="end"'),
    text(LEFT - 8, base, '0', 'text-anchor="end"'),
    text(LEFT, base + 30, `${begin} s`),
    text(LEFT + PLOT_WIDTH, base + 30, `${end.time} s`, 'text-anchor="end"'),
    text(LEFT + PLOT_WIDTH / 2, base + 30, `${migrations.length} exports (ticks)`, 'text-anchor="middle"'),
  ];
  for (const { time, path, from, to } of migrations.slice(0, MOST_MARKS)) {
    parts.push(
      `<line class="export" x1="${svgNumber(x(Math.max(time, begin)))}" y1="${base + 3}" x2="${svgNumber(x(Math.max(time, begin)))}" y2="${base + 13}">` +
        `<title>${svgText(`${path} from mds.${from} to mds.${to}`)}</title></line>`,
    );
  }
  const labels = spread(
    end.ranks.map(({ rank, mdsLoad }) => ({ rank, y: y(mdsLoad) })),
    base,
  );
  for (let rank = 0; rank < ranks; rank++) {
    const colour = COLOURS[rank % COLOURS.length] ?? '#7a7a7a';
    const line = shown.map(
      ({ time, ranks: loads }) => `${svgNumber(x(time))},${svgNumber(y(loads[rank]?.mdsLoad ?? 0))}`,
    );
    const isMore = Math.floor(rank / COLOURS.length) % 2 === 1;
    parts.push(
      `<polyline class="load${isMore ? ' more' : ''}" stroke="${colour}" points="${line.join(' ')}">` +
        `<title>mds.${rank}</title></polyline>`,
      text(LEFT + PLOT_WIDTH + 8, labels.get(rank) ?? base, `mds.${rank}`, `style="fill: ${colour}"`),
    );
  }
  return parts.join('\n');
}

/** Heights of labels beside the ends of lines, moved apart so that none lies on another. */
function spread(
  ends: readonly { readonly rank: number; readonly y: number }[],
  base: number,
): Map<number, number> {
  const height = Math.min(14, PLOT_HEIGHT / Math.max(1, ends.length));
  const heights = new Map<number, number>();
  let lowest = base + 4 + height;
  for (const { rank, y } of [...ends].sort((a, b) => b.y - a.y)) {
    lowest = Math.min(y + 4, lowest - height);
    heights.set(rank, lowest);
  }
  return heights;
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text${attributes === '' ? '' : ` ${attributes}`} x="${svgNumber(x)}" y="${svgNumber(y)}">${svgText(content)}</text>`;
}
