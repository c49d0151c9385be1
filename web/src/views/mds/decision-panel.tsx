/** What each rank decides, and why each directory is taken or passed over. */
import { amountText } from '../../../../src/analysis/mds-decision.ts';
import type { CandidateOutcome } from '../../../../src/mds/find-exports.ts';
import type { LoadMatch } from '../../../../src/mds/prep-rebalance.ts';
import { counted } from '../../parts/format.ts';
import type {
  MdsDecision,
  MdsPlace,
  MdsRankFacts,
  MdsSearch,
  MdsShipment,
} from '../../worker/topics/mds/decision.ts';
import { showDirectory } from './directory-panel.tsx';
import { rankName } from './rank-colours.ts';
import { RankLabel } from './ranks-table.tsx';

/** See the top of the file. */
export function DecisionPanel({ decision }: { readonly decision: MdsDecision }) {
  return (
    <section class="panel" aria-labelledby="decision-title">
      <h3 id="decision-title">What the balancer decides</h3>
      {decision.ranks.map((rank) => (
        <RankDecision key={rank.rank} rank={rank} />
      ))}
    </section>
  );
}

function RankDecision({ rank }: { readonly rank: MdsRankFacts }) {
  const { loads, targetLoad, loadFactor, verdict } = rank;
  const isExporting = verdict === 'exporting';
  return (
    <section class="mds-decision" aria-label={`Decision of mds.${rank.rank}`}>
      <h4>
        <RankLabel rank={rank.rank} /> {rank.verdictText}
      </h4>
      <p>
        Load {amountText(loads[rank.rank] ?? 0)}, target {amountText(targetLoad)}: {rank.against}. As it sees
        the ranks, all loads times {loadFactor.toPrecision(6)}:{' '}
        {loads.map((load, each) => `${rankName(each)} ${amountText(load)}`).join(', ')}.
      </p>
      {isExporting && (
        <>
          <p>
            Exporters: {rankList(rank.exporters)}; importers: {rankList(rank.importers)}.
          </p>
          <Matches matches={rank.matches} />
        </>
      )}
      {rank.otherMatches !== undefined && (
        <>
          <p>In the next beat, with the same loads:</p>
          <Matches matches={rank.otherMatches} />
        </>
      )}
      {(rank.skipped.length > 0 || rank.idleReturns.length > 0) && (
        <ul class="mds-candidates">
          {rank.skipped.map((place) => (
            <Line
              key={place.name}
              sign="–"
              place={place}
              text={`passes over ${named(place)}: ${place.text}`}
            />
          ))}
          {rank.idleReturns.map((place) => (
            <Line
              key={place.name}
              sign="✓"
              place={place}
              text={`gives back ${named(place)} to mds.${place.to}: it is idle`}
            />
          ))}
        </ul>
      )}
      {rank.shipments.map((shipment) => (
        <Shipment key={shipment.to} shipment={shipment} />
      ))}
      {isExporting && !rank.hasCounters && (
        <p class="quiet">Which directories it would send is not known without its dump loads.</p>
      )}
    </section>
  );
}

function Matches({ matches }: { readonly matches: readonly LoadMatch[] }) {
  if (matches.length === 0) return <p class="quiet">Nobody sends anything.</p>;
  return (
    <ul>
      {matches.map(({ from, to, amount, isReturn }) => (
        <li key={`${from} ${to} ${amount}`}>
          mds.{from} sends {amountText(amount)} to mds.{to}
          {isReturn && ', where it had load from'}
        </li>
      ))}
    </ul>
  );
}

function Shipment({ shipment }: { readonly shipment: MdsShipment }) {
  const { to, amount, have, skip, imports, searches, exports } = shipment;
  if (skip !== undefined) {
    return (
      <p>
        To mds.{to}: {skip}.
      </p>
    );
  }
  return (
    <div>
      <h5>
        To mds.{to}: {amountText(have)} of {amountText(amount)}
      </h5>
      {exports.length === 0 ? (
        <p>No directory is found to make it up.</p>
      ) : (
        <ul class="mds-candidates">
          {exports.map((place) => (
            <Line
              key={place.name}
              sign={place.refusedForPin === undefined ? '✓' : '✗'}
              place={place}
              text={
                place.refusedForPin === undefined
                  ? named(place)
                  : `${named(place)}, but Ceph will not move it: it is pinned to mds.${place.refusedForPin} further up`
              }
            />
          ))}
        </ul>
      )}
      <details>
        <summary>Why these: {counted(searches.length, 'search', 'searches')}</summary>
        {imports.length > 0 && (
          <ul class="mds-candidates">
            {imports.map((place) => (
              <Line key={place.name} sign="–" place={place} text={place.text} />
            ))}
          </ul>
        )}
        {searches.map((search, index) => (
          <Search key={index} search={search} />
        ))}
      </details>
    </div>
  );
}

const SIGNS: Readonly<Record<CandidateOutcome, string>> = {
  'taken-alone': '✓',
  taken: '✓',
  'taken-small': '✓',
  descended: '↳',
  'descended-replicated': '↳',
  'already-exporting': '–',
  frozen: '–',
  'too-small': '–',
  'not-needed': '–',
};

function Search({ search }: { readonly search: MdsSearch }) {
  const { within, need, needMin, needMax, minChunk, candidates, tooSmall, more, asGood } = search;
  return (
    <div class="mds-search">
      <p>
        In <Place place={within} /> it needs {amountText(need)}; one of {amountText(needMin)} to{' '}
        {amountText(needMax)} will do alone:
      </p>
      <ul class="mds-candidates">
        {candidates.map((place) => (
          <Line key={place.name} sign={SIGNS[place.outcome]} place={place} text={place.text} />
        ))}
        {candidates.length === 0 && tooSmall === 0 && <li class="quiet">there are no directories in it</li>}
        {tooSmall > 0 && (
          <li class="quiet">
            {counted(tooSmall, 'directory is', 'directories are')} below {amountText(minChunk)}: too small
          </li>
        )}
        {more > 0 && <li class="quiet">{counted(more, 'more is', 'more are')} passed over</li>}
      </ul>
      {asGood.length > 0 && (
        <p>
          As good, if hit later:{' '}
          {asGood.map((place, index) => (
            <span key={place.name}>
              {index > 0 && ', '}
              <Place place={place} />
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** A line about a directory; a click shows the directory. */
function Line({
  sign,
  place,
  text,
}: {
  readonly sign: string;
  readonly place: MdsPlace;
  readonly text: string;
}) {
  return (
    <li>
      <span class="mds-sign" aria-hidden="true">
        {sign}
      </span>
      <button
        type="button"
        class="link"
        title="Show in the picture"
        onClick={() => showDirectory(place.path)}
      >
        {text}
      </button>
    </li>
  );
}

function Place({ place }: { readonly place: MdsPlace }) {
  return (
    <button type="button" class="link" title="Show in the picture" onClick={() => showDirectory(place.path)}>
      {named(place)}
    </button>
  );
}

function named({ name, load }: MdsPlace): string {
  return `${name} (${amountText(load)})`;
}

function rankList(ranks: readonly number[]): string {
  return ranks.length === 0 ? 'none' : ranks.map(rankName).join(', ');
}
