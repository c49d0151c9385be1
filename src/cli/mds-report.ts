/** What `crush-wasm mds decide` prints, for people and for programs. */
import type { ClusterDecision, RankDecision } from '../mds/decide.ts';
import type { CandidateOutcome, ExportFragment, ExportSearch } from '../mds/find-exports.ts';
import type { MdsOptions } from '../mds/options.ts';
import { isExportable } from '../mds/pins.ts';
import type { BeatDecision } from '../mds/prep-rebalance.ts';
import {
  MIN_OFFLOAD,
  MIN_REEXPORT,
  type ImportChoice,
  type Rebalance,
  type Shipment,
  type SubtreeSkip,
} from '../mds/try-rebalance.ts';
import { snakeCaseJson } from '../analysis/snake-case.ts';

/** The decision as JSON. */
export function decisionJson(decision: ClusterDecision): string {
  const { maxMds, mdsLoads, notes, ranks } = decision;
  return `${JSON.stringify(snakeCaseJson({ maxMds, mdsLoads, notes, ranks: ranks.map(rankFacts) }), null, 2)}\n`;
}

function rankFacts(rank: RankDecision): object {
  const { decision, rebalance, otherBeat } = rank;
  return {
    rank: rank.rank,
    verdict: decision.verdict,
    loadFactor: decision.loadFactor,
    loads: decision.loads,
    totalLoad: decision.totalLoad,
    targetLoad: decision.targetLoad,
    importers: decision.importers,
    exporters: decision.exporters,
    matches: decision.matches,
    targets: decision.targets,
    otherBeatTargets: otherBeat?.targets ?? null,
    counterScale: rank.scale ?? null,
    skippedSubtrees:
      rebalance?.skipped.map(({ root, why }) => ({ path: root.name, load: root.load, why })) ?? [],
    idleReturns:
      rebalance?.idleReturns.map(({ root, to }) => ({ path: root.name, load: root.load, to })) ?? [],
    shipments: rebalance?.shipments.map((shipment) => shipmentFacts(rank, shipment)) ?? [],
  };
}

function shipmentFacts(rank: RankDecision, shipment: Shipment): object {
  const { to, amount, have, skip } = shipment;
  return {
    to,
    amount,
    have,
    skip: skip ?? null,
    imports: shipment.imports.map(({ root, outcome }) => ({ path: root.name, load: root.load, outcome })),
    exports: chosen(rank, shipment).map(({ fragment, pin }) => ({
      path: fragment.name,
      load: fragment.load,
      refusedForPin: isExportable(pin, to) ? null : (pin ?? null),
    })),
    searches: shipment.searches.map((search) => ({
      within: search.within.name,
      load: search.within.load,
      need: search.need,
      needMin: search.needMin,
      needMax: search.needMax,
      midChunk: search.midChunk,
      minChunk: search.minChunk,
      candidates: search.candidates.map(({ fragment, outcome }) => ({
        path: fragment.name,
        load: fragment.load,
        outcome,
      })),
      asGood: rivals(search).map(({ name }) => name),
    })),
  };
}

/** All that a shipment takes, with the pin that would make Ceph refuse to move it. */
function chosen(
  rank: RankDecision,
  shipment: Shipment,
): { fragment: ExportFragment; pin: number | undefined }[] {
  const pinOf = (fragment: ExportFragment): number | undefined =>
    rank.subtrees.find(({ root }) => holds(root, fragment))?.inheritedPin;
  const whole = shipment.imports.filter(({ outcome }) => outcome === 'returned' || outcome === 'sent-on');
  return [...whole.map(({ root }) => root), ...shipment.exports].map((fragment) => ({
    fragment,
    pin: pinOf(fragment),
  }));
}

function holds(root: ExportFragment, fragment: ExportFragment): boolean {
  if (root === fragment) return true;
  return root.directories.some(({ fragments }) => fragments.some((child) => holds(child, fragment)));
}

/** Others that would have been taken alone, had their turn come first: which one was hit last is not reported. */
function rivals({ within, needMin, needMax, candidates }: ExportSearch): ExportFragment[] {
  const taken = candidates.find(({ outcome }) => outcome === 'taken-alone')?.fragment;
  if (taken === undefined) return [];
  const all = within.directories.flatMap(({ fragments }) => fragments);
  return all.filter((each) => each !== taken && !each.isFrozen && each.load > needMin && each.load < needMax);
}

/** The decision for people, a line at a time. */
export function* decisionLines(decision: ClusterDecision, options: MdsOptions): Generator<string> {
  const { mdsLoads } = decision;
  yield `loads at the last beat (mds_bal_mode ${options.mds_bal_mode}): ${listLoads(mdsLoads)}`;
  for (const rank of decision.ranks) {
    yield '';
    yield* rankLines(rank, options);
  }
  if (decision.notes.length > 0) yield '';
  for (const note of decision.notes) yield `note: ${note}`;
}

function* rankLines(rank: RankDecision, options: MdsOptions): Generator<string> {
  const { decision, rebalance } = rank;
  const { loads, targetLoad, loadFactor } = decision;
  const own = loads[rank.rank] ?? 0;
  yield `mds.${rank.rank}: ${verdictText(rank, options)}`;
  yield `  load ${amountText(own)}, target ${amountText(targetLoad)} (${part(own, targetLoad)})`;
  yield `  as it sees the ranks: ${listLoads(loads)} (all loads x ${loadFactor.toPrecision(6)})`;
  if (decision.verdict !== 'exporting') return;
  yield `  over: ${listRanks(decision.exporters)}; under: ${listRanks(decision.importers)}`;
  yield* matchLines(decision, '  ');
  if (rank.otherBeat !== undefined) {
    yield '  in the next beat, with the same loads:';
    yield* matchLines(rank.otherBeat, '    ');
  }
  if (rebalance !== undefined) yield* rebalanceLines(rank, rebalance, options);
}

function verdictText({ rank, decision }: RankDecision, options: MdsOptions): string {
  switch (decision.verdict) {
    case 'balancer-off':
      return 'does nothing, bal_rank_mask turns the balancer off';
    case 'underloaded':
      return `does nothing, it is not above its target by ${percent(options.mds_bal_min_rebalance)} or more`;
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

function* matchLines({ matches }: BeatDecision, indent: string): Generator<string> {
  for (const { from, to, amount, isReturn } of matches) {
    yield `${indent}mds.${from} sends ${amountText(amount)} to mds.${to}${isReturn ? ', where it had load from' : ''}`;
  }
}

const SKIPS: Readonly<Record<SubtreeSkip, string>> = {
  mdsdir: "a rank's own directory stays",
  pinned: 'it is pinned',
  frozen: 'it is frozen, an export is on its way',
};

function* rebalanceLines(rank: RankDecision, rebalance: Rebalance, options: MdsOptions): Generator<string> {
  for (const { root, why } of rebalance.skipped) {
    if (why !== 'mdsdir') yield `  passes over ${describe(root)}: ${SKIPS[why]}`;
  }
  for (const { root, to } of rebalance.idleReturns)
    yield `  gives back ${describe(root)} to mds.${to}: it is idle`;
  for (const shipment of rebalance.shipments) yield* shipmentLines(rank, shipment, options);
}

function* shipmentLines(rank: RankDecision, shipment: Shipment, options: MdsOptions): Generator<string> {
  const { to, amount, skip, have } = shipment;
  yield `  to mds.${to}:`;
  if (skip !== undefined) {
    const why = skip === 'too-little' ? `below ${MIN_OFFLOAD}` : 'too small a part of the target load';
    yield `    nothing, ${amountText(amount)} is ${why}`;
    return;
  }
  for (const choice of shipment.imports) yield `    ${importText(choice, to)}`;
  for (const search of shipment.searches) yield* searchLines(search, options);
  for (const { fragment, pin } of chosen(rank, shipment)) {
    if (!isExportable(pin, to))
      yield `    but Ceph will not move ${fragment.name}: it is pinned to mds.${pin ?? -1} further up`;
  }
  yield `    in all ${amountText(have)} of ${amountText(amount)}`;
}

function importText({ root, outcome }: ImportChoice, to: number): string {
  switch (outcome) {
    case 'returned':
      return `gives back ${describe(root)}`;
    case 'sent-on':
      return `sends on ${describe(root)}`;
    case 'too-big':
      return `keeps ${describe(root)} whole: it is more than mds.${to} still needs`;
    case 'too-small':
      return `keeps ${describe(root)}: it is not above ${MIN_REEXPORT}`;
  }
}

function* searchLines(search: ExportSearch, options: MdsOptions): Generator<string> {
  const { within, need, needMin, needMax, minChunk } = search;
  yield `    in ${describe(within)}: needs ${amountText(need)} (${amountText(needMin)} to ${amountText(needMax)})`;
  for (const { fragment, outcome } of search.candidates) {
    if (outcome !== 'too-small') yield `      ${candidateText(fragment, outcome, search, options)}`;
  }
  const small = search.candidates.filter(({ outcome }) => outcome === 'too-small').length;
  if (small > 0) yield `      passes over ${small} below ${amountText(minChunk)}`;
  const others = rivals(search);
  if (others.length > 0) {
    yield `      as good, if hit later: ${others.map((each) => describe(each)).join(', ')}`;
  }
}

function candidateText(
  fragment: ExportFragment,
  outcome: Exclude<CandidateOutcome, 'too-small'>,
  { midChunk, within }: ExportSearch,
  options: MdsOptions,
): string {
  const what = describe(fragment, within);
  switch (outcome) {
    case 'taken-alone':
      return `takes ${what}: it alone is close to what is needed`;
    case 'taken':
      return `takes ${what}: it is ${percent(options.mds_bal_midchunk)} of what is needed (${amountText(midChunk)}) or more`;
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
function describe(fragment: ExportFragment, within?: ExportFragment): string {
  const prefix = within === undefined || within.name === '/' ? '' : `${within.name}/`;
  const name =
    prefix !== '' && fragment.name.startsWith(prefix) ? fragment.name.slice(prefix.length) : fragment.name;
  return `${name} (${amountText(fragment.load)})`;
}

function listLoads(loads: readonly number[]): string {
  return loads.map((load, rank) => `mds.${rank} ${amountText(load)}`).join(', ');
}

function listRanks(ranks: readonly number[]): string {
  return ranks.length === 0 ? 'none' : ranks.map((rank) => `mds.${rank}`).join(', ');
}

function amountText(amount: number): string {
  return amount.toFixed(1);
}

function percent(fraction: number): string {
  return `${Number((fraction * 100).toPrecision(4))} %`;
}

function part(load: number, target: number): string {
  if (target === 0) return 'no load at all';
  const difference = load / target - 1;
  return difference < 0 ? `${percent(-difference)} below` : `${percent(difference)} above`;
}
