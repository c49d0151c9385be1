/** What the balancer would make of the same load in some beats, beside the plan: simulated in the background. */
import { useEffect } from 'preact/hooks';
import type { SimulatedCourse } from '../../../../src/mds/plan/comparison.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { counted } from '../../parts/format.ts';
import type { MdsPlan } from '../../worker/topics/mds/plan.ts';
import { useMdsData } from './mds-state.ts';
import { planSettings, simulatePlan, stopSimulation } from './plan-state.ts';
import { shareText } from './share-text.ts';
import { ScrollX } from './scroll-x.tsx';

/** See the top of the file. */
export function PlanComparisonTable({ plan }: { readonly plan: MdsPlan }) {
  const wanted = planSettings.value;
  const { data, error, isWaiting } = useMdsData(
    async (settings) => ({ comparison: await simulatePlan(settings, wanted) }),
    [JSON.stringify({ ...wanted, mount: '' })],
  );
  useEffect(() => stopSimulation, []);
  const comparison = data?.comparison;
  return (
    <section aria-labelledby="comparison-title">
      <h4 id="comparison-title">Against the balancer</h4>
      {isWaiting && (
        <p class="quiet" role="status">
          Simulating the next beats: computing …
        </p>
      )}
      {error && <ErrorNote error={error} />}
      {data !== undefined && comparison === undefined && (
        <p class="quiet">There are no heartbeats to begin a simulation with.</p>
      )}
      {comparison !== undefined && (
        <>
          <ScrollX label="Highest loads">
            <table>
              <caption class="visually-hidden">
                Highest load of a rank in each beat, against its share
              </caption>
              <thead>
                <tr>
                  <th scope="col">Highest load</th>
                  {comparison.balancer.peaks.map((_, beat) => (
                    <th key={beat} scope="col" class="number">
                      {beat === comparison.beats ? 'end' : `beat ${beat + 1}`}
                    </th>
                  ))}
                  <th scope="col" class="number">
                    Exports
                  </th>
                </tr>
              </thead>
              <tbody>
                <Course title="the balancer alone" course={comparison.balancer} share={plan.share} />
                {plan.pins.length > 0 && (
                  <>
                    <Course title="these pins, balancer held" course={comparison.pinned} share={plan.share} />
                    <Course title="these pins and the balancer" course={comparison.both} share={plan.share} />
                  </>
                )}
              </tbody>
            </table>
          </ScrollX>
          <p class="quiet">
            In shares of {counted(plan.ranks, 'rank')}, simulated with the load as it is; 1.00× is even.
          </p>
        </>
      )}
    </section>
  );
}

function Course({
  title,
  course,
  share,
}: {
  readonly title: string;
  readonly course: SimulatedCourse;
  readonly share: number;
}) {
  const { peaks, migrations, returns } = course;
  return (
    <tr>
      <th scope="row">{title}</th>
      {peaks.map((peak, beat) => (
        <td key={beat} class="number">
          {shareText(peak, share)}
        </td>
      ))}
      <td class="number">
        {migrations}
        {returns > 0 && `, ${returns} came back`}
      </td>
    </tr>
  );
}
