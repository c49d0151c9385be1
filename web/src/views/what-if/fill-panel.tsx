/** How full OSDs or buckets are before and after. */
import { useMemo } from 'preact/hooks';
import { count, signed } from '../../parts/format.ts';
import type { WhatIfAnswer } from '../../worker/topics/what-if.ts';
import { FILL_STEP, type FillRow, fillOf, type FillSpread } from '../../worker/what-if/fill.ts';
import { plural } from './effect-panel.tsx';

/** Spread, histogram and the fullest. */
export function FillPanel({ answer }: { readonly answer: WhatIfAnswer }) {
  const { fill, levels } = answer.effect;
  const level = levels.find(({ type }) => type === answer.type)?.name ?? '';
  return (
    <section class="panel" aria-labelledby="fill-title">
      <h3 id="fill-title">New fill of {plural(level)}</h3>
      <p class="quiet">PG shards against what the weights ask for; 1.00 is just so.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">When</span>
            </th>
            <th scope="col" class="number">
              Emptiest
            </th>
            <th scope="col" class="number">
              Fullest
            </th>
            <th scope="col" class="number">
              Deviation
            </th>
          </tr>
        </thead>
        <tbody>
          {(
            [
              ['before', fill.before],
              ['after', fill.after],
            ] as const
          ).map(([title, spread]) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              <td class="number">{ratio(spread.least)}</td>
              <td class="number">{ratio(spread.most)}</td>
              <td class="number">{spread.deviation.toFixed(3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Histogram before={fill.before} after={fill.after} level={level} />
      <FillTable title="Fullest after" rows={fill.fullestAfter} />
      {fill.gaining.length > 0 && <FillTable title="Most shards more" rows={fill.gaining} />}
    </section>
  );
}

function FillTable({ title, rows }: { readonly title: string; readonly rows: readonly FillRow[] }) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col" class="number">
              Shards
            </th>
            <th scope="col" class="number">
              After
            </th>
            <th scope="col" class="number">
              Change
            </th>
            <th scope="col" class="number">
              Fill
            </th>
            <th scope="col" class="number">
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">{row.name}</th>
              <td class="number">{count(row.shardsBefore)}</td>
              <td class="number">{count(row.shardsAfter)}</td>
              <td class="number">{signed(row.shardsAfter - row.shardsBefore)}</td>
              <td class="number">{ratio(fillOf(row.shardsBefore, row.expectedBefore))}</td>
              <td class="number">{ratio(fillOf(row.shardsAfter, row.expectedAfter))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const WIDTH = 400;
const HEIGHT = 96;

/** Two outlines over the same steps: before as a filled area, after as a line. */
function Histogram({
  before,
  after,
  level,
}: {
  readonly before: FillSpread;
  readonly after: FillSpread;
  readonly level: string;
}) {
  const steps = before.histogram.length;
  const most = Math.max(1, ...before.histogram, ...after.histogram);
  const paths = useMemo(
    () => [outline(before.histogram, most, true), outline(after.histogram, most, false)] as const,
    [before, after, most],
  );
  const x = (fill: number) => (fill / FILL_STEP / steps) * WIDTH;
  return (
    <figure class="fill-histogram">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT + 18}`}
        role="img"
        aria-label={`${plural(level)} by fill, before and after; the table above has the ends`}
      >
        <path d={paths[0]} class="histogram-before" />
        <path d={paths[1]} class="histogram-after" />
        <line x1={x(1)} x2={x(1)} y1={0} y2={HEIGHT} class="histogram-even" />
        {[0, 0.5, 1, 1.5, 2].map((fill) => (
          <text
            key={fill}
            x={x(fill)}
            y={HEIGHT + 14}
            text-anchor={fill === 0 ? 'start' : fill === 2 ? 'end' : 'middle'}
          >
            {fill === 2 ? '2 and more' : fill}
          </text>
        ))}
      </svg>
      <figcaption class="quiet">
        <span class="key-before" aria-hidden="true" /> before <span class="key-after" aria-hidden="true" />{' '}
        after
      </figcaption>
    </figure>
  );
}

function outline(histogram: readonly number[], most: number, isClosed: boolean): string {
  const wide = WIDTH / histogram.length;
  const points = histogram.map((items, i) => {
    const y = (HEIGHT * (1 - items / most)).toFixed(1);
    return `${i === 0 ? 'M' : 'L'}${(i * wide).toFixed(1)} ${y}H${((i + 1) * wide).toFixed(1)}`;
  });
  return points.join('') + (isClosed ? `V${HEIGHT}H0Z` : '');
}

function ratio(fill: number | undefined): string {
  if (fill === undefined) return '–';
  return Number.isFinite(fill) ? fill.toFixed(2) : 'no share';
}
