/** Pins that even out the load: what they bring, the commands, and the balancer beside them. */
import type { PageError } from '../../worker/page-error.ts';
import type { MdsPlan } from '../../worker/topics/mds/plan.ts';
import { amountText, percentText } from '../../../../src/analysis/mds-decision.ts';
import { noun } from '../../../../src/analysis/noun.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { showDirectory } from './directory-panel.tsx';
import { Notes } from './notes.tsx';
import { PlanBars } from './plan-bars.tsx';
import { PlanCommands } from './plan-commands.tsx';
import { PlanComparisonTable } from './plan-comparison.tsx';
import { PlanForm } from './plan-form.tsx';
import { RankLabel } from './ranks-table.tsx';
import { shareText } from './share-text.ts';
import { ScrollX } from './scroll-x.tsx';

/** See the top of the file. */
export function PlanPanel({
  plan,
  error,
  isWaiting,
  said,
}: {
  readonly plan: MdsPlan | undefined;
  /** Notes that stand above already. */
  readonly said: readonly string[];
  readonly error: PageError | undefined;
  readonly isWaiting: boolean;
}) {
  return (
    <section class="panel" aria-labelledby="plan-title">
      <h3 id="plan-title">A plan: static pins</h3>
      <PlanForm ranks={plan?.ranks} />
      {error && <ErrorNote error={error} />}
      {isWaiting && (
        <p class="quiet" role="status">
          Planning …
        </p>
      )}
      {plan && <Plan plan={plan} said={said} />}
    </section>
  );
}

function Plan({ plan, said }: { readonly plan: MdsPlan; readonly said: readonly string[] }) {
  return (
    <>
      <p class="mds-plan-summary">{summaryOf(plan)}</p>
      <PlanBars plan={plan} />
      {plan.pins.length > 0 && <Pins plan={plan} />}
      <Kept plan={plan} />
      {plan.indivisible.map(({ path, load, distributed }) => (
        <div key={path} class="note">
          <p>
            {path === '' ? '/' : path} has {amountText(load)} by its own entries alone,{' '}
            {shareText(load, plan.share)} of a share: static pins do not part these.
            {distributed === undefined
              ? ' Only its entries can go elsewhere: into directories of their own.'
              : ' A distributed ephemeral pin fragments it, and gives each rank a part of its entries:'}
          </p>
          {distributed !== undefined && (
            <p>
              {distributed.map((part, rank) => `mds.${rank} ${percentText(part)}`).join(', ')}
              <br />
              <code>{plan.distributeCommands[path]}</code>
            </p>
          )}
        </div>
      ))}
      <Notes notes={plan.notes.filter((note) => !said.includes(note))} />
      {plan.share > 0 && <PlanComparisonTable plan={plan} />}
      {plan.pins.length > 0 && <PlanCommands plan={plan} />}
    </>
  );
}

function Pins({ plan }: { readonly plan: MdsPlan }) {
  return (
    <ScrollX label="Pins" more="mds-pins">
      <table>
        <caption class="visually-hidden">Pins to set</caption>
        <thead>
          <tr>
            <th scope="col">Directory</th>
            <th scope="col">Pin to</th>
            <th scope="col" class="number">
              Load
            </th>
            <th scope="col">Now with</th>
            <th scope="col">Pin now</th>
          </tr>
        </thead>
        <tbody>
          {plan.pins.map(({ path, rank, load, from, before }) => (
            <tr key={path}>
              <th scope="row">
                <button
                  type="button"
                  class="link"
                  title="Show in the picture"
                  onClick={() => showDirectory(path)}
                >
                  {path}
                </button>
              </th>
              <td>
                <RankLabel rank={rank} />
              </td>
              <td class="number">{amountText(load)}</td>
              <td>
                {from.length === 0
                  ? `mds.${rank}: it stays there`
                  : from.map((each) => `mds.${each.rank} (${amountText(each.load)})`).join(', ')}
              </td>
              <td>{before < 0 ? 'none' : `mds.${before}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

/** Pins that are there, of which many are folded away. */
function Kept({ plan: { kept } }: { readonly plan: MdsPlan }) {
  if (kept.length === 0) return null;
  return (
    <details open={kept.length <= 5}>
      <summary>
        {kept.length} {noun(kept.length, 'pin')} that {kept.length === 1 ? 'is' : 'are'} there and{' '}
        {kept.length === 1 ? 'stays' : 'stay'}
      </summary>
      <ul>
        {kept.slice(0, 200).map(({ path, kind, rank, load }) => (
          <li key={path} class="mds-path">
            {path}, {kind}, {rank === undefined ? 'several ranks' : `mds.${rank}`}: {amountText(load)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function summaryOf(plan: MdsPlan): string {
  const { pins, ranks, ranksBefore, perRank, share, tolerance, isEven, indivisible } = plan;
  const peak = (when: 'unplanned' | 'after'): number =>
    Math.max(0, ...perRank.filter(({ isShared }) => isShared).map((rank) => rank[when]));
  const change = ranks === ranksBefore ? '' : ` (${ranksBefore} now)`;
  const start = `${ranks} ${noun(ranks, 'rank')}${change}, a share of ${amountText(share)} for each`;
  if (share === 0) return `${start}: there is no load to plan with.`;
  if (pins.length === 0) {
    return isEven
      ? `${start}. All are within ${percentText(tolerance)}: nothing to pin.`
      : `${start}. No pin makes it better.`;
  }
  const [before, after] = [peak('unplanned'), peak('after')];
  const even = isEven
    ? ''
    : ` That is not within ${percentText(tolerance)} of the share, but ${indivisible.length > 0 ? 'as low as pins get it' : 'the lowest that was found'}.`;
  return (
    `${start}. ${pins.length} ${noun(pins.length, 'pin')}: the highest load goes from ${amountText(before)} ` +
    `(${shareText(before, share)}) to ${amountText(after)} (${shareText(after, share)}).${even}`
  );
}
