/** What `crush-wasm mds decide` prints, for people and for programs. */
import type { ClusterDecision, RankDecision } from '../mds/decide.ts';
import type { ExportSearch } from '../mds/find-exports.ts';
import type { MdsOptions } from '../mds/options.ts';
import { isExportable } from '../mds/pins.ts';
import type { BeatDecision } from '../mds/prep-rebalance.ts';
import type { Rebalance, Shipment } from '../mds/try-rebalance.ts';
import {
  amountSkipText,
  amountText,
  candidateText,
  chosenBy,
  describeFragment,
  importText,
  partText,
  rivalsIn,
  SKIP_WORDS,
  verdictText,
} from '../analysis/mds-decision.ts';
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
    exports: chosenBy(rank, shipment).map(({ fragment, pin }) => ({
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
      asGood: rivalsIn(search, rank.rebalance).map(({ name }) => name),
    })),
  };
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
  yield `  load ${amountText(own)}, target ${amountText(targetLoad)} (${partText(own, targetLoad)})`;
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

function* matchLines({ matches }: BeatDecision, indent: string): Generator<string> {
  for (const { from, to, amount, isReturn } of matches) {
    yield `${indent}mds.${from} sends ${amountText(amount)} to mds.${to}${isReturn ? ', where it had load from' : ''}`;
  }
}

function* rebalanceLines(rank: RankDecision, rebalance: Rebalance, options: MdsOptions): Generator<string> {
  for (const { root, why } of rebalance.skipped) {
    if (why !== 'mdsdir') yield `  passes over ${describeFragment(root)}: ${SKIP_WORDS[why]}`;
  }
  for (const { root, to } of rebalance.idleReturns)
    yield `  gives back ${describeFragment(root)} to mds.${to}: it is idle`;
  for (const shipment of rebalance.shipments) yield* shipmentLines(rank, shipment, options);
}

function* shipmentLines(rank: RankDecision, shipment: Shipment, options: MdsOptions): Generator<string> {
  const { to, amount, skip, have } = shipment;
  yield `  to mds.${to}:`;
  if (skip !== undefined) {
    yield `    ${amountSkipText(amount, skip)}`;
    return;
  }
  for (const choice of shipment.imports) yield `    ${importText(choice, to)}`;
  for (const search of shipment.searches) yield* searchLines(search, rank.rebalance, options);
  for (const { fragment, pin } of chosenBy(rank, shipment)) {
    if (!isExportable(pin, to))
      yield `    but Ceph will not move ${fragment.name}: it is pinned to mds.${pin ?? -1} further up`;
  }
  yield `    in all ${amountText(have)} of ${amountText(amount)}`;
}

function* searchLines(
  search: ExportSearch,
  rebalance: Rebalance | undefined,
  options: MdsOptions,
): Generator<string> {
  const { within, need, needMin, needMax, minChunk } = search;
  yield `    in ${describeFragment(within)}: needs ${amountText(need)} (${amountText(needMin)} to ${amountText(needMax)})`;
  for (const { fragment, outcome } of search.candidates) {
    if (outcome !== 'too-small') yield `      ${candidateText(fragment, outcome, search, options)}`;
  }
  const small = search.candidates.filter(({ outcome }) => outcome === 'too-small').length;
  if (small > 0) yield `      passes over ${small} below ${amountText(minChunk)}`;
  const others = rivalsIn(search, rebalance);
  if (others.length > 0) {
    yield `      as good, if hit later: ${others.map((each) => describeFragment(each)).join(', ')}`;
  }
}

function listLoads(loads: readonly number[]): string {
  return loads.map((load, rank) => `mds.${rank} ${amountText(load)}`).join(', ');
}

function listRanks(ranks: readonly number[]): string {
  return ranks.length === 0 ? 'none' : ranks.map((rank) => `mds.${rank}`).join(', ');
}
