/** Loads of ranks now and with the plan, as bars with their numbers. */
import { amountText } from '../../../../src/analysis/mds-decision.ts';
import type { PlannedRank } from '../../../../src/mds/plan.ts';
import type { MdsPlan } from '../../worker/topics/mds/plan.ts';
import { shareText } from './share-text.ts';
import { LoadBar, RankLabel } from './ranks-table.tsx';
import { ScrollX } from './scroll-x.tsx';

/** A table with a bar for each rank before and after; the line across is the share. */
export function PlanBars({ plan }: { readonly plan: MdsPlan }) {
  const { perRank, share } = plan;
  const most = Math.max(
    1e-9,
    share,
    ...perRank.flatMap(({ before, unplanned, after }) => [before, unplanned, after]),
  );
  const isSame = perRank.every(({ before, unplanned }) => Math.abs(before - unplanned) <= 0.001 * share);
  const rows = (rank: PlannedRank) => [
    ['now', rank.before] as const,
    ...(isSame ? [] : [['without plan', rank.unplanned] as const]),
    ['planned', rank.after] as const,
  ];
  return (
    <ScrollX label="Loads now and planned">
      <table class="mds-plan-bars">
        <caption class="visually-hidden">mds_load of each rank, now and planned</caption>
        <thead>
          <tr>
            <th scope="col">Rank</th>
            <th scope="col">When</th>
            <th scope="col">Load (line: share)</th>
            <th scope="col" class="number">
              mds_load
            </th>
            <th scope="col" class="number">
              Of share
            </th>
          </tr>
        </thead>
        <tbody>
          {perRank.flatMap((rank) =>
            rows(rank).map(([when, load], index) => (
              <tr key={`${rank.rank} ${when}`} class={index === 0 ? 'mds-first' : ''}>
                <th scope="row">
                  {index === 0 ? (
                    <>
                      <RankLabel rank={rank.rank} />
                      <span class="quiet">{remarkOn(rank, plan)}</span>
                    </>
                  ) : (
                    <span class="visually-hidden">mds.{rank.rank}</span>
                  )}
                </th>
                <td>{when}</td>
                <td class="mds-bar-cell">
                  <LoadBar rank={rank.rank} load={load} target={share} most={most} />
                </td>
                <td class="number">{amountText(load)}</td>
                <td class="number">{shareText(load, share)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </ScrollX>
  );
}

function remarkOn({ rank, isShared }: PlannedRank, { ranks, ranksBefore }: MdsPlan): string {
  if (rank >= ranks) return ' goes away';
  if (rank >= ranksBefore) return ' new';
  return isShared ? '' : ' not in the mask';
}
