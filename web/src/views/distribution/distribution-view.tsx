/** How evenly data lies: plots against what chance allows, statistics, and every row. */
import { useMemo } from 'preact/hooks';
import UPlot from 'uplot';
import { route } from '../../app/route.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, counted, percent, signed, weight } from '../../parts/format.ts';
import { chosenPool, PoolChoice } from '../../parts/pool-choice.tsx';
import { useWorkerData } from '../../parts/use-worker-data.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import type { DistributionData, DistributionLevel } from '../../worker/topics/distribution.ts';
import {
  deviationOf,
  deviationPlot,
  orderedRows,
  type PlotOrder,
  scoreHistogram,
  scoreOf,
} from './plot-data.ts';
import { Plot, plotAxis } from './plot.tsx';
import './distribution.css';

const ORDERS: Readonly<Record<PlotOrder, string>> = {
  id: 'number',
  deviation: 'deviation',
  weight: 'weight',
};

/** The view. */
export function DistributionView() {
  const pool = chosenPool();
  const { data, error, isWaiting } = useWorkerData(() => worker.distribution(pool), [pool]);
  const wanted = route.display('level');
  const level = data?.levels.find(({ title }) => title === wanted) ?? data?.levels[0];
  const order = (Object.keys(ORDERS) as PlotOrder[]).find((each) => each === route.display('order')) ?? 'id';
  return (
    <>
      <div class="toolbar">
        <PoolChoice />
        <label>
          By{' '}
          <select
            value={level?.title ?? ''}
            onChange={(event) => route.set('display', 'level', event.currentTarget.value)}
          >
            {data?.levels.map(({ title, ids }) => (
              <option key={title} value={title}>
                {title} ({count(ids.length)})
              </option>
            ))}
          </select>
        </label>
        <label>
          In order of{' '}
          <select
            value={order}
            onChange={(event) => route.set('display', 'order', event.currentTarget.value)}
          >
            {Object.entries(ORDERS).map(([key, title]) => (
              <option key={key} value={key}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {isWaiting && <span role="status">Counting …</span>}
      </div>
      {error && <ErrorNote error={error} />}
      {data?.failures.map(({ pool: name, reason }) => (
        <p key={name} class="note">
          Pool {name} is left out: {reason}
        </p>
      ))}
      {data !== undefined && level === undefined && <p>No pool places anything.</p>}
      {data !== undefined && level !== undefined && <LevelPanels data={data} level={level} order={order} />}
    </>
  );
}

interface LevelProps {
  readonly data: DistributionData;
  readonly level: DistributionLevel;
  readonly order: PlotOrder;
}

function LevelPanels({ data, level, order }: LevelProps) {
  const rows = useMemo(() => orderedRows(level, order), [level, order]);
  const plotted = useMemo(() => deviationPlot(level, rows), [level, rows]);
  const histogram = useMemo(() => scoreHistogram(level), [level]);
  const name = (position: number): string => level.names[rows[Math.round(position)] ?? -1] ?? '';
  const { statistics } = level;
  const beyond = level.sigmas.reduce(
    (sum, _, row) => sum + (Math.abs(scoreOf(level, row)) > 1.96 ? 1 : 0),
    0,
  );
  return (
    <div class="distribution-panels">
      <section class="panel wide" aria-labelledby="deviation-title">
        <h3 id="deviation-title">
          {level.title === 'class' ? 'Device classes' : `Each ${level.title}`}: shards against weight
        </h3>
        <Plot
          label={`Deviation of each ${level.title} from its share by weight, in percent; ${describeSpread(level)}`}
          data={plotted}
          height={300}
          optionsKey={`${level.title} ${rows.length} ${order}`}
          options={(colours) => ({
            scales: { x: { time: false, range: [-0.5, rows.length - 0.5] } },
            axes: [
              {
                ...plotAxis(colours, `${level.title}, in order of ${ORDERS[order]}`, name),
                // Names stand at rows, and need room.
                incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000],
                space: 110,
              },
              plotAxis(colours, 'deviation, %'),
            ],
            series: [
              { label: level.title, value: (_, at: number | null) => (at === null ? '–' : name(at)) },
              {
                label: 'chance, 95 of 100: to',
                stroke: colours.accent,
                width: 1,
                points: { show: false },
                value: fixed,
              },
              { label: 'from', stroke: colours.accent, width: 1, points: { show: false }, value: fixed },
              {
                label: 'deviation, %',
                paths: () => null,
                points: {
                  show: true,
                  size: rows.length > 2000 ? 3 : 6,
                  stroke: colours.over,
                  fill: colours.over,
                },
                stroke: colours.over,
                // uPlot has no value where the pointer is beside the plot.
                value: (_, value: number | null) => (value === null ? '–' : signed(value, 1)),
              },
            ],
            bands: [{ series: [1, 2], fill: colours.band }],
          })}
        />
        <p class="quiet">
          Points are what up sets hold; within the band is what 95 of 100 would have by chance alone, if the
          rule draws by weight. {count(beyond)} of {count(level.ids.length)} are outside it.
        </p>
      </section>
      <section class="panel" aria-labelledby="statistics-title">
        <h3 id="statistics-title">Spread</h3>
        <dl class="facts">
          <dt>Pools</dt>
          <dd>{data.pools.length === 1 ? data.pools[0] : counted(data.pools.length, 'pool')}</dd>
          <dt>Shards placed</dt>
          <dd>
            {count(data.placed)} of {counted(data.pgs, 'PG')}
          </dd>
          <dt>PGs short of OSDs</dt>
          <dd>{count(data.undersized)}</dd>
          <dt>Spread</dt>
          <dd>{percent(statistics.spread)} (root mean square)</dd>
          <dt>By chance alone</dt>
          <dd>{percent(statistics.chance)}</dd>
          <dt>Beyond chance</dt>
          <dd>{percent(statistics.beyondChance)}</dd>
          <dt>Fullest</dt>
          <dd>{extreme(level, statistics.fullest)}</dd>
          <dt>Emptiest</dt>
          <dd>{extreme(level, statistics.emptiest)}</dd>
          {level.kind === 'bucket' && (
            <>
              <dt>PGs with two OSDs in one {level.title}</dt>
              <dd>{count(level.crowded)}</dd>
            </>
          )}
        </dl>
      </section>
      <section class="panel" aria-labelledby="histogram-title">
        <h3 id="histogram-title">How far off</h3>
        <Plot
          label={`How many are off by how many standard deviations; ${count(beyond)} of ${count(level.ids.length)} by more than 1.96`}
          data={histogram}
          height={220}
          optionsKey={level.title}
          options={(colours) => ({
            scales: { x: { time: false } },
            axes: [plotAxis(colours, 'standard deviations'), plotAxis(colours, `${level.title}s`)],
            series: [
              { label: 'σ' },
              {
                label: 'found',
                fill: colours.band,
                stroke: colours.accent,
                width: 1,
                ...barPaths(),
                points: { show: false },
              },
              { label: 'by chance', stroke: colours.over, width: 2, points: { show: false }, value: fixed },
            ],
          })}
        />
      </section>
      <section class="panel wide" aria-labelledby="rows-title">
        <h3 id="rows-title">All of them</h3>
        <VirtualTable
          label={`Shards of each ${level.title}`}
          height="24rem"
          rowCount={rows.length}
          columns={[
            { key: 'name', title: level.title, track: 'minmax(12ch, 1fr)' },
            { key: 'weight', title: 'CRUSH weight', track: '13ch', isNumber: true },
            { key: 'count', title: 'shards', track: '10ch', isNumber: true },
            { key: 'expected', title: 'by weight', track: '10ch', isNumber: true },
            { key: 'deviation', title: 'deviation', track: '10ch', isNumber: true },
            { key: 'sigma', title: 'σ off', track: '8ch', isNumber: true },
          ]}
          cells={(position) => rowCells(level, rows[position] ?? 0)}
          {...(level.kind === 'class'
            ? {}
            : {
                onChoose: (position) =>
                  route.go('hierarchy', { item: String(level.ids[rows[position] ?? 0]) }),
              })}
        />
        {level.kind !== 'class' && <p class="quiet">Choosing a row shows it in the hierarchy.</p>}
      </section>
    </div>
  );
}

function rowCells(level: DistributionLevel, row: number): string[] {
  const off = deviationOf(level, row);
  return [
    level.names[row] ?? '',
    weight(level.weights[row] ?? 0),
    count(level.counts[row] ?? 0),
    (level.expected[row] ?? 0).toFixed(1),
    Number.isFinite(off) ? `${signed(off * 100, 1)} %` : 'unexpected',
    signed(scoreOf(level, row), 2),
  ];
}

function extreme(level: DistributionLevel, row: number): string {
  if (row < 0) return '–';
  return `${level.names[row] ?? ''}, ${signed(deviationOf(level, row) * 100, 1)} % (${count(level.counts[row] ?? 0)} shards)`;
}

function describeSpread({ statistics }: DistributionLevel): string {
  return `spread ${percent(statistics.spread)}, of which chance explains ${percent(statistics.chance)}`;
}

function fixed(_: UPlot, value: number | null): string {
  return value === null ? '–' : value.toFixed(1);
}

function barPaths(): Pick<UPlot.Series, 'paths'> {
  const bars = UPlot.paths.bars?.({ size: [0.9, 60] });
  return bars === undefined ? {} : { paths: bars };
}
