/** CephFS's metadata servers: who carries which directory, what the balancer would do, and pins that do better. */
import { useEffect } from 'preact/hooks';
import { dropTarget } from '../../app/drop-target.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { DecisionPanel } from './decision-panel.tsx';
import { DirectoryPanel } from './directory-panel.tsx';
import { FilesPanel } from './files-panel.tsx';
import {
  giveFiles,
  isExample,
  mdsError,
  mdsFiles,
  mdsReading,
  openCapture,
  useMdsData,
} from './mds-state.ts';
import { Notes } from './notes.tsx';
import { OptionsForm } from './options-form.tsx';
import { PlanPanel } from './plan-panel.tsx';
import { RanksTable } from './ranks-table.tsx';
import { planSettings } from './plan-state.ts';
import './mds.css';

/** See the top of the file. */
export function MdsView() {
  useEffect(() => {
    dropTarget.value = (files) => void giveFiles(files);
    return () => {
      dropTarget.value = undefined;
    };
  }, []);
  const wanted = isExample();
  useEffect(() => {
    if (wanted && mdsFiles.value === undefined && mdsReading.value === undefined) void openCapture();
  }, [wanted]);
  const files = mdsFiles.value;
  return (
    <div class="mds">
      <FilesPanel />
      {mdsError.value && <ErrorNote error={mdsError.value} />}
      {files?.refused.map((error) => (
        <ErrorNote key={error.text} error={error} />
      ))}
      {mdsReading.value !== undefined && <p role="status">Reading {mdsReading.value} …</p>}
      {files?.hasLoads === false && files.files.length > 0 && (
        <p class="note">
          There is no <code>dump loads</code> among these files; without one there is nothing to reckon with.
        </p>
      )}
      {files?.hasLoads === true && <Reports />}
    </div>
  );
}

/** All that the files tell. */
function Reports() {
  const wanted = planSettings.value;
  const decision = useMdsData((settings) => worker.mdsDecision(settings));
  const tree = useMdsData((settings) => worker.mdsTree(settings));
  const plan = useMdsData((settings) => worker.mdsPlan(settings, wanted), [JSON.stringify(wanted)]);
  const failures = new Map(
    [decision.error, tree.error].flatMap((error) => (error === undefined ? [] : [[error.text, error]])),
  );
  return (
    <>
      <OptionsForm />
      {[...failures.values()].map((error) => (
        <ErrorNote key={error.text} error={error} />
      ))}
      {decision.data && <Notes notes={decision.data.notes} />}
      {decision.data && <RanksTable decision={decision.data} />}
      {tree.data && <DirectoryPanel tree={tree.data} decision={decision.data} plan={plan.data} />}
      <div class="mds-columns">
        {decision.data && <DecisionPanel decision={decision.data} />}
        <PlanPanel
          plan={plan.data}
          said={decision.data?.notes ?? []}
          error={plan.error}
          isWaiting={plan.isWaiting}
        />
      </div>
    </>
  );
}
