/** The hierarchy with the way of a PG drawn on it. */
import { useCallback, useMemo } from 'preact/hooks';
import type { PgTrace } from '../../../../src/analysis/explain.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useWorkerData } from '../../parts/use-worker-data.ts';
import { HierarchyPicture } from '../../picture/hierarchy-picture.tsx';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';
import { pictureSteps, type PictureStep, type StepKind } from './picture-steps.ts';

/** See the top of the file. */
export function ExplainPicture({ trace }: { readonly trace: PgTrace }) {
  const rows = useWorkerData(() => worker.hierarchy());
  if (rows.error) return <ErrorNote error={rows.error} />;
  if (rows.data === undefined || rows.data.count === 0) return null;
  return <Picture rows={rows.data} trace={trace} />;
}

/** Items that the list under the picture names. */
const LISTED = 40;

const COLOURS: Readonly<Record<StepKind, string>> = {
  up: 'var(--picture-up)',
  acting: 'var(--picture-up)',
  again: 'var(--picture-again)',
  rejected: 'var(--picture-rejected)',
  dropped: 'var(--picture-rejected)',
};

function Picture({ rows, trace }: { readonly rows: HierarchyRows; readonly trace: PgTrace }) {
  const steps = useMemo(() => pictureSteps(trace, rows), [trace, rows]);
  const kinds = useMemo(() => new Map(steps.map(({ row, kind }) => [row, kind])), [steps]);
  const colour = useCallback(
    (row: number) => {
      const kind = kinds.get(row);
      return kind === undefined ? 'var(--even)' : COLOURS[kind];
    },
    [kinds],
  );
  const facts = useCallback(
    (row: number) =>
      steps.flatMap((step): (readonly [string, string])[] => (step.row === row ? [['here', step.text]] : [])),
    [steps],
  );
  return (
    <>
      <HierarchyPicture
        rows={rows}
        label="Where the PG is in the hierarchy: places of the up set by number, a cross for what was not taken"
        colour={colour}
        facts={facts}
        path={steps}
      />
      <StepList steps={steps} />
    </>
  );
}

function StepList({ steps }: { readonly steps: readonly PictureStep[] }) {
  return (
    <ul class="picture-steps">
      {steps.slice(0, LISTED).map(({ row, label, kind, name, text }) => (
        <li key={row} class={kind}>
          <span class="badge" aria-hidden="true">
            {label}
          </span>{' '}
          <b>{name}</b> {text}
        </li>
      ))}
      {steps.length > LISTED && <li class="quiet">and {steps.length - LISTED} more</li>}
    </ul>
  );
}
