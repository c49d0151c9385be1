/** What a decision of the metadata balancer says to people: what a rank does, and why each directory is taken or not. */
import type { MdsOptions } from '../mds/options.ts';
import type { RankDecision } from '../mds/decide.ts';
import type { CandidateOutcome, ExportFragment, ExportSearch } from '../mds/find-exports.ts';
import {
  MIN_OFFLOAD,
  MIN_REEXPORT,
  type AmountSkip,
  type ImportChoice,
  type Rebalance,
  type Shipment,
  type SubtreeSkip,
} from '../mds/try-rebalance.ts';

/** All that a shipment takes, with the pin that would make Ceph refuse to move it. */
export function chosenBy(
  rank: Pick<RankDecision, 'subtrees'>,
  shipment: Shipment,
): { fragment: ExportFragment; pin: number | undefined }[] {
  const pins = inheritedPins(rank);
  const whole = shipment.imports.filter(({ outcome }) => outcome === 'returned' || outcome === 'sent-on');
  return [...whole.map(({ root }) => root), ...shipment.exports].map((fragment) => ({
    fragment,
    pin: pins.get(fragment),
  }));
}

/** All fragments in subtrees that a pin further up holds. */
function inheritedPins({ subtrees }: Pick<RankDecision, 'subtrees'>): ReadonlyMap<ExportFragment, number> {
  const pins = new Map<ExportFragment, number>();
  for (const { root, inheritedPin } of subtrees) {
    if (inheritedPin === undefined) continue;
    const open = [root];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      pins.set(at, inheritedPin);
      for (const { fragments } of at.directories) for (const child of fragments) open.push(child);
    }
  }
  return pins;
}

/**
 * Others that would have been taken alone, had their turn come first: which one was hit last is not reported.
 *
 * @param rebalance - what the search is part of: what it had chosen before for any rank is no choice any more
 */
export function rivalsIn(
  { within, needMin, needMax, candidates, chosenBefore }: ExportSearch,
  rebalance: Rebalance | undefined,
): ExportFragment[] {
  const taken = candidates.find(({ outcome }) => outcome === 'taken-alone')?.fragment;
  if (taken === undefined) return [];
  const chosen = (rebalance?.shipments ?? []).flatMap((shipment) => shipment.exports).slice(0, chosenBefore);
  const gone = new Set([taken, ...chosen]);
  const all = within.directories.flatMap(({ fragments }) => fragments);
  return all.filter(
    (each) => !gone.has(each) && !each.isFrozen && each.load > needMin && each.load < needMax,
  );
}

/** What a rank does in this beat, or why nothing; to be said behind its name. */
export function verdictText({ rank, decision }: RankDecision, options: MdsOptions): string {
  switch (decision.verdict) {
    case 'balancer-off':
      return 'does nothing, bal_rank_mask turns the balancer off';
    case 'underloaded':
      return `does nothing, it is not above its target by ${percentText(options.mds_bal_min_rebalance)} or more`;
    case 'overloaded-not-long-enough':
      return `waits, it has not been overloaded for ${options.mds_bal_overload_epochs} beats`;
    case 'exporting': {
      if (decision.targets.size > 0) {
        const amounts = [...decision.targets].map(([to, amount]) => `${amountText(amount)} to mds.${to}`);
        return `wants to send ${amounts.join(' and ')}`;
      }
      const isLoaded = (decision.loads[rank] ?? 0) > 0;
      return isLoaded
        ? 'is overloaded, and there is no rank to take load'
        : 'sends nothing, there is no load';
    }
  }
}

/** Why a subtree takes no part. */
export const SKIP_WORDS: Readonly<Record<SubtreeSkip, string>> = {
  mdsdir: "a rank's own directory stays",
  pinned: 'it is pinned',
  frozen: 'it is frozen, an export is on its way',
};

/** Why an amount is not sent. */
export function amountSkipText(amount: number, skip: AmountSkip): string {
  const why = skip === 'too-little' ? `below ${MIN_OFFLOAD}` : 'too small a part of the target load';
  return `nothing, ${amountText(amount)} is ${why}`;
}

/** What becomes of an imported subtree. */
export function importText({ root, outcome }: ImportChoice, to: number): string {
  switch (outcome) {
    case 'returned':
      return `gives back ${describeFragment(root)}`;
    case 'sent-on':
      return `sends on ${describeFragment(root)}`;
    case 'too-big':
      return `keeps ${describeFragment(root)} whole: it is more than mds.${to} still needs`;
    case 'too-small':
      return `keeps ${describeFragment(root)}: it is not above ${MIN_REEXPORT}`;
  }
}

/** What became of a directory that a search met. */
export function candidateText(
  fragment: ExportFragment,
  outcome: Exclude<CandidateOutcome, 'too-small'>,
  { midChunk, within }: ExportSearch,
  options: MdsOptions,
): string {
  const what = describeFragment(fragment, within);
  switch (outcome) {
    case 'taken-alone':
      return `takes ${what}: it alone is close to what is needed`;
    case 'taken':
      return `takes ${what}: it is ${percentText(options.mds_bal_midchunk)} of what is needed (${amountText(midChunk)}) or more`;
    case 'taken-small':
      return `takes ${what}: bigger ones are not enough`;
    case 'descended':
      return `looks into ${what}: it is more than is needed`;
    case 'descended-replicated':
      return `looks into ${what}, at last: it is more than is needed, and replicated`;
    case 'already-exporting':
      return `passes over ${what}: it goes to another rank`;
    case 'frozen':
      return `passes over ${what}: it is frozen`;
    case 'not-needed':
      return `passes over ${what}: enough is found`;
  }
}

/** A fragment and its load; its name only, where it is said already in what it lies. */
export function describeFragment(fragment: ExportFragment, within?: ExportFragment): string {
  const prefix = within === undefined || within.name === '/' ? '' : `${within.name}/`;
  const name =
    prefix !== '' && fragment.name.startsWith(prefix) ? fragment.name.slice(prefix.length) : fragment.name;
  return `${name} (${amountText(fragment.load)})`;
}

/** A load or an amount of it. */
export function amountText(amount: number): string {
  return amount.toFixed(1);
}

/** A part of a whole. */
export function percentText(fraction: number): string {
  return `${Number((fraction * 100).toPrecision(4))} %`;
}

/** How far a load is from its target. */
export function partText(load: number, target: number): string {
  if (target === 0) return 'no load at all';
  const difference = load / target - 1;
  return difference < 0 ? `${percentText(-difference)} below` : `${percentText(difference)} above`;
}
