/** The ranks: their loads by each mode, against the target, and what each does. */
import { decimal } from '../../parts/format.ts';
import type { MdsDecision, MdsRankFacts } from '../../worker/topics/mds/decision.ts';
import { rankColour, rankMark, rankName } from './rank-colours.ts';
import { ScrollX } from './scroll-x.tsx';

const MODES = ['popularity and requests', 'requests', 'CPU time'] as const;

/** The table. */
export function RanksTable({ decision }: { readonly decision: MdsDecision }) {
  const { ranks, mode, maxMds } = decision;
  const most = Math.max(1e-9, ...decision.mdsLoads, ...ranks.map(targetOf));
  return (
    <section class="panel" aria-labelledby="ranks-title">
      <h3 id="ranks-title">Ranks at the last beat</h3>
      <ScrollX label="Loads of ranks">
        <table class="mds-ranks">
          <thead>
            <tr>
              <th scope="col">Rank</th>
              <th scope="col">Load and target</th>
              {MODES.map((about, each) => (
                <th key={about} scope="col" class="number" title={`mds_load by ${about}`}>
                  {each === mode ? <strong>mode {each}</strong> : <>mode {each}</>}
                </th>
              ))}
              <th scope="col" class="number">
                Target
              </th>
              <th scope="col">Against it</th>
              <th scope="col" class="number" title="meta_load of what it has authority over">
                meta_load
              </th>
              <th scope="col" class="number">
                Requests/s
              </th>
              <th scope="col" class="number">
                Queue
              </th>
              <th scope="col" class="number">
                Subtrees
              </th>
              <th scope="col">What it does</th>
            </tr>
          </thead>
          <tbody>
            {ranks.map((rank) => (
              <tr key={rank.rank}>
                <th scope="row">
                  <RankLabel rank={rank.rank} />
                  {rank.daemon !== undefined && <span class="quiet"> {rank.daemon}</span>}
                </th>
                <td>
                  <LoadBar
                    rank={rank.rank}
                    load={decision.mdsLoads[rank.rank] ?? 0}
                    target={targetOf(rank)}
                    most={most}
                  />
                </td>
                {MODES.map((about, each) => (
                  <td key={about} class="number">
                    {number(rank.beat?.byMode[each])}
                  </td>
                ))}
                <td class="number">{number(targetOf(rank))}</td>
                <td>{rank.against}</td>
                <td class="number">{number(rank.beat?.metaAuth)}</td>
                <td class="number">{number(rank.beat?.requestRate)}</td>
                <td class="number">{number(rank.beat?.queueLength)}</td>
                <td class="number">{rank.hasCounters ? rank.subtrees : '–'}</td>
                <td>{rank.verdictText}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <p class="quiet">
        Loads in mds_load; mds_bal_mode {mode} decides, by {MODES[mode]}. max_mds is {maxMds}.
      </p>
    </section>
  );
}

/** A rank's name with its colour. */
export function RankLabel({ rank }: { readonly rank: number }) {
  const mark = rankMark(rank);
  return (
    <span class="mds-rank">
      <span
        class={mark === undefined ? 'legend-box' : `legend-box ${mark}`}
        style={{ backgroundColor: rankColour(rank) }}
        aria-hidden="true"
      />
      {rankName(rank)}
    </span>
  );
}

/** A load as a bar, with the target as a line across it; numbers stand beside it. */
export function LoadBar({
  rank,
  load,
  target,
  most,
}: {
  readonly rank: number;
  readonly load: number;
  readonly target: number;
  readonly most: number;
}) {
  return (
    <span class="mds-bar" aria-hidden="true">
      <span
        class="mds-bar-load"
        style={{ width: `${(100 * load) / most}%`, backgroundColor: rankColour(rank) }}
      />
      <span class="mds-bar-target" style={{ left: `${Math.min(100, (100 * target) / most)}%` }} />
    </span>
  );
}

/** The target in the terms of `mds_load`: each rank reckons in its own. */
function targetOf({ targetLoad, loadFactor }: MdsRankFacts): number {
  return loadFactor > 0 ? targetLoad / loadFactor : 0;
}

function number(value: number | undefined): string {
  return value === undefined ? '–' : decimal(value);
}
