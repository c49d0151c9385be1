/** What the map is, and what is wrong with it. */
import { documentOpen } from '../../app/document.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { counted } from '../../parts/format.ts';
import { useWorkerData } from '../../parts/use-worker-data.ts';

/** The summary. */
export function SummaryView() {
  const problems = useWorkerData(() => worker.problems());
  const open = documentOpen.value;
  if (open === undefined) return null;
  return (
    <section class="panel" aria-labelledby="problems-title">
      <h3 id="problems-title">
        {open.name}: {counted(open.osds, 'OSD')}, {counted(open.buckets, 'bucket')}
      </h3>
      {problems.error && <ErrorNote error={problems.error} />}
      <ul>
        {problems.data?.map((problem, i) => (
          <li key={i}>
            {problem.severity}: {problem.where}: {problem.message}
          </li>
        ))}
      </ul>
    </section>
  );
}
