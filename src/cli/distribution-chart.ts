/** The chart of `crush-wasm test`: plain SVG that stands on light and on dark pages, with its content as text too. */
import type { ShareLevel } from '../analysis/distribution.ts';
import { percent, share } from '../analysis/findings.ts';
import type { CrushMap } from '../crush/model.ts';
import {
  deviation,
  deviationText,
  levelTitle,
  number,
  rowName,
  runTitle,
  type TestReport,
  type TestResult,
} from './test-report.ts';
import { svgNumber, svgText } from './svg.ts';

const WIDTH = 960;
const LEFT = 70;
const RIGHT = 20;
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT = 120;
const TITLE_HEIGHT = 26;
const GAP = 24;
/** Bars with names of their own; more rows become a line. */
const MOST_BARS = 200;
/** Points of such a line. */
const MOST_POINTS = 800;
/** What is off by more is drawn as off by so much. */
const MOST_OFF = 1;
/** Rungs of the retry histogram. */
const MOST_RETRIES = 50;

/** Colours of middle brightness, read on white and on black alike; forced colours and dark pages adjust them. */
const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #6b6b6b }
.run { font-weight: 600; font-size: 15px }
.over { fill: #c2571a } .under { fill: #2f7fb8 } .retry { fill: #7a7a9a }
.line { fill: none; stroke: #2f7fb8; stroke-width: 1.5 }
.zero { stroke: #808080; stroke-width: 1 }
.chance { fill: #808080; fill-opacity: 0.25 }
@media (prefers-color-scheme: dark) { text { fill: #a8a8a8 } }`;

/** Draws, for each run, how far OSDs and the buckets of each type are from their share, and the retries. */
export function distributionChart({ title, map, results }: TestReport): string {
  const parts: string[] = [];
  let top = 40;
  for (const result of results) {
    parts.push(text(LEFT, top, runTitle(map, result), 'run'));
    top += TITLE_HEIGHT;
    for (const level of result.distribution.levels) {
      if (level.rows.length < 2) continue;
      parts.push(levelPanel(map, level, top));
      top += TITLE_HEIGHT + PLOT_HEIGHT + GAP;
    }
    parts.push(retryPanel(result, top));
    top += TITLE_HEIGHT + PLOT_HEIGHT + 2 * GAP;
  }
  const description = results.map((result) => describe(map, result)).join(' ');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" ` +
    `role="img" aria-labelledby="title description">\n` +
    `<title id="title">${svgText(`Distribution of ${title}`)}</title>\n` +
    `<desc id="description">${svgText(description || 'There is no rule to test.')}</desc>\n` +
    `<style>${STYLE}</style>\n${parts.join('\n')}\n</svg>\n`
  );
}

function describe(map: CrushMap, result: TestResult): string {
  const { levels, bad, mappings } = result.distribution;
  const spreads = levels
    .filter(({ rows }) => rows.length > 1)
    .map((level) => {
      const { spread, chance } = level.statistics;
      return `${level.rows.length} of type ${levelTitle(map, level)} off by ${percent(spread)}, chance alone ${percent(chance)}`;
    });
  return `${[runTitle(map, result), ...spreads, `bad mappings ${share(bad.mappings, mappings)}`].join('; ')}.`;
}

/** Rows in order of how far they are off, over the band that chance covers. */
function levelPanel(map: CrushMap, level: ShareLevel, top: number): string {
  const { spread, chance } = level.statistics;
  const rows = [...level.rows].sort((a, b) => deviation(b) - deviation(a) || a.id - b.id);
  const offs = rows.map((row) => Math.max(-MOST_OFF, Math.min(MOST_OFF, deviation(row))));
  const scale = Math.max(0.01, 2 * chance, ...[offs[0] ?? 0, -(offs.at(-1) ?? 0)].map(Math.abs));
  const start = top + TITLE_HEIGHT - 8;
  const middle = start + PLOT_HEIGHT / 2;
  const y = (off: number): number => middle - (off / Math.min(MOST_OFF, scale)) * (PLOT_HEIGHT / 2);
  const band = Math.min(MOST_OFF, 2 * chance);
  const parts = [
    text(
      LEFT,
      top + 6,
      `${number(rows.length)} of type ${levelTitle(map, level)}: off by ${percent(spread)}; chance alone ` +
        `${percent(chance)} (the band is twice that)`,
    ),
    `<rect class="chance" x="${LEFT}" y="${svgNumber(y(band))}" width="${PLOT_WIDTH}" height="${svgNumber(y(-band) - y(band))}"/>`,
    `<line class="zero" x1="${LEFT}" y1="${svgNumber(middle)}" x2="${WIDTH - RIGHT}" y2="${svgNumber(middle)}"/>`,
    axisText(start + 10, `+${percent(Math.min(MOST_OFF, scale))}`),
    axisText(middle + 4, '0 %'),
    axisText(start + PLOT_HEIGHT, `-${percent(Math.min(MOST_OFF, scale))}`),
  ];
  if (rows.length <= MOST_BARS) {
    const step = PLOT_WIDTH / rows.length;
    rows.forEach((row, i) => {
      const off = offs[i] ?? 0;
      const height = Math.max(0.5, Math.abs(y(off) - middle));
      const tip = `${rowName(map, level, row)}: ${number(row.count)} of ${row.expected.toFixed(1)}, ${deviationText(row)}`;
      parts.push(
        `<rect class="${off >= 0 ? 'over' : 'under'}" x="${svgNumber(LEFT + i * step)}" ` +
          `y="${svgNumber(off >= 0 ? middle - height : middle)}" width="${svgNumber(step * 0.85)}" height="${svgNumber(height)}">` +
          `<title>${svgText(tip)}</title></rect>`,
      );
    });
  } else {
    const points = Math.min(MOST_POINTS, rows.length);
    const at = Array.from({ length: points }, (_, i) => Math.round((i * (rows.length - 1)) / (points - 1)));
    const line = at.map((row) => {
      const x = LEFT + (row / (rows.length - 1)) * PLOT_WIDTH;
      return `${svgNumber(x)},${svgNumber(y(offs[row] ?? 0))}`;
    });
    parts.push(`<polyline class="line" points="${line.join(' ')}"/>`);
  }
  return parts.join('\n');
}

/** Choices by retries; heights are logarithms, since each retry is many times rarer than the one before. */
function retryPanel({ distribution }: TestResult, top: number): string {
  const { tries, bad, mappings } = distribution;
  const shown = tries.subarray(0, MOST_RETRIES);
  const most = shown.reduce((a, b) => Math.max(a, b), 0);
  const start = top + TITLE_HEIGHT - 8;
  const base = start + PLOT_HEIGHT;
  const step = PLOT_WIDTH / Math.max(12, shown.length);
  const parts = [
    text(
      LEFT,
      top + 6,
      `choices by retries (heights are logarithms); bad mappings ${share(bad.mappings, mappings)}`,
    ),
    `<line class="zero" x1="${LEFT}" y1="${base}" x2="${WIDTH - RIGHT}" y2="${base}"/>`,
  ];
  shown.forEach((count, retries) => {
    const x = LEFT + retries * step;
    parts.push(`<text x="${svgNumber(x)}" y="${base + 14}">${retries}</text>`);
    if (count === 0) return;
    const height = ((Math.log(count) + 1) / (Math.log(most) + 1)) * PLOT_HEIGHT;
    parts.push(
      `<rect class="retry" x="${svgNumber(x)}" y="${svgNumber(base - height)}" width="${svgNumber(step * 0.85)}" ` +
        `height="${svgNumber(height)}"><title>${retries} retries: ${number(count)}</title></rect>`,
    );
  });
  return parts.join('\n');
}

function text(x: number, y: number, content: string, className?: string): string {
  const style = className === undefined ? '' : ` class="${className}"`;
  return `<text${style} x="${x}" y="${y}">${svgText(content)}</text>`;
}

function axisText(y: number, content: string): string {
  return `<text x="${LEFT - 8}" y="${svgNumber(y)}" text-anchor="end">${svgText(content)}</text>`;
}
