/** What the map is, and what is wrong with it. */
import { documentOpen } from '../../app/document.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useWorkerData } from '../../parts/use-worker-data.ts';
import { CrushPanel, FeaturesPanel, TunablesPanel } from './crush-panels.tsx';
import { ClusterPanel, FilePanel, OsdPanel, PoolPanel } from './osdmap-panels.tsx';
import { Problems } from './problems.tsx';
import './summary.css';

/** The summary. */
export function SummaryView() {
  const summary = useWorkerData(() => worker.summary());
  const problems = useWorkerData(() => worker.problems());
  const open = documentOpen.value;
  if (open === undefined) return null;
  const { data } = summary;
  const osdmap = data?.facts.osdmap;
  return (
    <>
      {open.obstacle !== undefined && (
        <ErrorNote error={open.obstacle} title="Nothing can be mapped from this map" />
      )}
      {open.notes.map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
      {summary.error && <ErrorNote error={summary.error} />}
      {data === undefined ? (
        summary.isWaiting && <p role="status">Looking through the map …</p>
      ) : (
        <div class="summary-panels">
          <FilePanel name={open.name} facts={data.facts} isChanged={open.isChanged} />
          {osdmap && <ClusterPanel osdmap={osdmap} ratios={data.ratios} />}
          {osdmap && <OsdPanel osds={osdmap.osds} />}
          {osdmap && <PoolPanel pools={osdmap.pools} />}
          <CrushPanel crush={data.facts.crush} />
          <FeaturesPanel features={data.facts.features} />
          <TunablesPanel profile={data.facts.crush.profile} tunables={data.tunables} />
        </div>
      )}
      <Problems problems={problems} />
    </>
  );
}
