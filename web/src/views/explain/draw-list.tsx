/** Draws from buckets: what was drawn, by which numbers, and on demand what was drawn for all other items. */
import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { BucketDraw } from '../../../../src/analysis/explain.ts';
import { drawNumbers, type DrawTable } from '../../../../src/analysis/explain/draw-words.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { counted } from '../../parts/format.ts';
import { useWorkerData } from '../../parts/use-worker-data.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import type { ExplainSubject } from '../../worker/topics/explain.ts';

/** What is explained; draws need it to ask for more. */
export const Subject = createContext<ExplainSubject>({ pool: 0, ps: 0, side: 'current' });

/** Draws in their order, from the top down. */
export function DrawList({ draws }: { readonly draws: readonly BucketDraw[] }) {
  return (
    <ol class="draws">
      {draws.map((draw, i) => (
        <DrawLine key={i} draw={draw} />
      ))}
    </ol>
  );
}

function DrawLine({ draw }: { readonly draw: BucketDraw }) {
  const [isOpen, setOpen] = useState(false);
  const { bucket, size, r, item } = draw;
  const hasMore = draw.method === 'tree' || size > 1;
  return (
    <li>
      <div class="draw-what">
        <span>
          <b>{bucket.name}</b> <span aria-label="gives">›</span> <b>{item.name}</b>
        </span>
        <span class="quiet">
          {bucket.type} of {counted(size, 'item')}, {draw.method}, r {r}
        </span>
        {hasMore && (
          <button
            type="button"
            class="draw-more"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} ${moreText(draw)} of ${bucket.name}`}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'hide' : 'show'} {moreText(draw)}
          </button>
        )}
      </div>
      <div class="draw-numbers">{drawNumbers(draw)}</div>
      {isOpen && <AllItems draw={draw} />}
    </li>
  );
}

function moreText({ method, size }: BucketDraw): string {
  if (method === 'tree') return 'all turns';
  return method === 'permutation' ? 'all swaps' : `all ${size} draws`;
}

function AllItems({ draw }: { readonly draw: BucketDraw }) {
  const subject = useContext(Subject);
  const asked = {
    bucket: draw.bucket.id,
    r: draw.r,
    method: draw.method,
    weightSet: draw.method === 'straw2' ? draw.weightSet : undefined,
  };
  const { data, error, isWaiting } = useWorkerData(
    () => worker.explainDraw(subject, asked),
    [JSON.stringify(subject), JSON.stringify(asked)],
  );
  if (error) return <ErrorNote error={error} />;
  if (data === undefined || data.rows.length === 0) {
    return <p class="quiet">{isWaiting ? 'Drawing …' : 'There was nothing to choose from.'}</p>;
  }
  return <ItemTable table={data} label={`Draws from ${draw.bucket.name} with r ${draw.r}`} />;
}

/** Rows that are shown at once. */
const SHOWN = 12;
/** Pixels of a row, and of what is around the rows. */
const ROW = 28;
const AROUND = 18;

function ItemTable({ table, label }: { readonly table: DrawTable; readonly label: string }) {
  const { titles, rows } = table;
  const widths = titles.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, String(row[column] ?? '').length), title.length),
  );
  const taken = rows.findIndex((row) => row.at(-1) === 'taken');
  return (
    <div class="draw-table">
      <VirtualTable
        label={label}
        columns={titles.map((title, column) => ({
          key: String(column),
          title: title.toLowerCase(),
          track: `${(widths[column] ?? 1) + 1}ch`,
          isNumber: typeof rows[0]?.[column] === 'number',
        }))}
        rowCount={rows.length}
        cells={(row) => (rows[row] ?? []).map(String)}
        chosen={taken}
        height={`${(Math.min(rows.length, SHOWN) + 1) * ROW + AROUND}px`}
      />
    </div>
  );
}
