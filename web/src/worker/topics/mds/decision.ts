/** What the balancer of each rank would do, as plain data with the words that go with it. */
import {
  amountSkipText,
  candidateText,
  chosenBy,
  importText,
  partText,
  rivalsIn,
  SKIP_WORDS,
  verdictText,
} from '../../../../../src/analysis/mds-decision.ts';
import { decideCluster, type RankDecision } from '../../../../../src/mds/decide.ts';
import type { CandidateOutcome, ExportFragment, ExportSearch } from '../../../../../src/mds/find-exports.ts';
import { mdsLoad, metaLoad, type MdsLoad } from '../../../../../src/mds/load.ts';
import type { MdsOptions } from '../../../../../src/mds/options.ts';
import { isExportable } from '../../../../../src/mds/pins.ts';
import type { BeatVerdict, LoadMatch } from '../../../../../src/mds/prep-rebalance.ts';
import { fragmentTitle } from '../../../../../src/mds/reports.ts';
import type { Rebalance, Shipment } from '../../../../../src/mds/try-rebalance.ts';
import { reportsOf, type MdsReports } from './desk.ts';
import { optionsOf, type MdsSettings } from './settings.ts';

/** A directory fragment that a decision speaks of. */
export interface MdsPlace {
  /** Path, with the fragment behind it where the directory has several. */
  readonly name: string;
  /** Path of its directory; empty for the root of the file system. */
  readonly path: string;
  /** `meta_load`, in the deciding rank's units. */
  readonly load: number;
}

/** A place, and what is said of it. */
export interface MdsRemark extends MdsPlace {
  readonly text: string;
}

/** The search within one fragment. */
export interface MdsSearch {
  readonly within: MdsPlace;
  readonly need: number;
  readonly needMin: number;
  readonly needMax: number;
  readonly midChunk: number;
  readonly minChunk: number;
  readonly candidates: readonly (MdsRemark & { readonly outcome: CandidateOutcome })[];
  /** Candidates below `minChunk`, and others beyond {@link MAX_CANDIDATES}, which are not listed. */
  readonly tooSmall: number;
  readonly more: number;
  /** Others that would have been taken, had they been hit later. */
  readonly asGood: readonly MdsPlace[];
}

/** What a rank sends to another. */
export interface MdsShipment {
  readonly to: number;
  readonly amount: number;
  readonly have: number;
  /** Why nothing is sent, if so. */
  readonly skip: string | undefined;
  readonly imports: readonly MdsRemark[];
  readonly searches: readonly MdsSearch[];
  /** All that goes, with the rank of a pin that forbids it. */
  readonly exports: readonly (MdsPlace & { readonly refusedForPin: number | undefined })[];
}

/** A rank: its loads, and what it would do. */
export interface MdsRankFacts {
  readonly rank: number;
  /** The daemon that holds it, if `ceph fs dump` tells. */
  readonly daemon: string | undefined;
  /** What its last heartbeat says; undefined where there is none. */
  readonly beat: MdsBeatFacts | undefined;
  /** Whether its counters are known. */
  readonly hasCounters: boolean;
  readonly subtrees: number;
  readonly verdict: BeatVerdict;
  readonly verdictText: string;
  /** Loads as it sees them, by rank, and the factor that makes them of what was told. */
  readonly loads: readonly number[];
  readonly loadFactor: number;
  readonly targetLoad: number;
  /** Its load against its target, in words. */
  readonly against: string;
  readonly importers: readonly number[];
  readonly exporters: readonly number[];
  readonly matches: readonly LoadMatch[];
  /** Matches in a beat of the other kind, where they differ. */
  readonly otherMatches: readonly LoadMatch[] | undefined;
  /** What its counters were multiplied with. */
  readonly scale: number | undefined;
  readonly skipped: readonly MdsRemark[];
  readonly idleReturns: readonly (MdsPlace & { readonly to: number })[];
  readonly shipments: readonly MdsShipment[];
}

/** What a heartbeat says. */
export interface MdsBeatFacts {
  /** `mds_load` in the modes 0, 1 and 2. */
  readonly byMode: readonly [number, number, number];
  readonly metaAuth: number;
  readonly metaAll: number;
  readonly requestRate: number;
  readonly queueLength: number;
  readonly cpuLoad: number;
}

/** What all ranks would do. */
export interface MdsDecision {
  readonly mode: number;
  readonly maxMds: number;
  /** `mds_load` by rank. */
  readonly mdsLoads: readonly number[];
  readonly ranks: readonly MdsRankFacts[];
  /** What is missing or does not fit, as sentences. */
  readonly notes: readonly string[];
}

/** Most candidates of a search that are listed. */
const MAX_CANDIDATES = 100;

/**
 * Decides for each rank, as `crush-wasm mds decide` does.
 *
 * @throws CrushError `not-found` when there are no heartbeats
 */
export function mdsDecision(settings: MdsSettings): MdsDecision {
  const options = optionsOf(settings);
  const gathered = reportsOf(settings.fileSystem);
  const { reports, fileSystem } = gathered;
  const decision = decideCluster(reports, fileSystem, {
    options,
    beat: settings.beat === 'even' ? 2 : 3,
    ...(settings.overloadedFor === undefined ? {} : { overloadedFor: settings.overloadedFor }),
    scaleToBeat: settings.scaleToBeat,
  });
  const beats = [...reports.values()]
    .flatMap(({ loads }) => (loads === undefined ? [] : [loads.loads]))
    .sort((a, b) => b.size - a.size)[0];
  const place = placing(gathered);
  return {
    mode: options.mds_bal_mode,
    maxMds: decision.maxMds,
    mdsLoads: decision.mdsLoads,
    notes: decision.notes,
    ranks: decision.ranks.map((rank) => ({
      ...rankFacts(rank, options, place),
      daemon: fileSystem?.names.get(rank.rank),
      beat: beatFacts(beats?.get(rank.rank)),
      hasCounters: reports.get(rank.rank)?.loads !== undefined,
    })),
  };
}

type Placing = (fragment: ExportFragment) => MdsPlace;

/** Names of fragments do not tell their paths: a directory may be called like a fragment. */
function placing({ reports }: MdsReports): Placing {
  const paths = new Map<string, string>();
  for (const { loads, subtrees } of reports.values()) {
    for (const { path, fragment } of [...(subtrees ?? []), ...(loads?.fragments ?? [])]) {
      paths.set(fragmentTitle(path, fragment), path);
    }
  }
  return ({ name, load }) => ({ name, load, path: paths.get(name) ?? name });
}

function beatFacts(load: MdsLoad | undefined): MdsBeatFacts | undefined {
  if (load === undefined) return undefined;
  const { requestRate, queueLength, cpuLoad } = load;
  return {
    byMode: [mdsLoad(load, 0), mdsLoad(load, 1), mdsLoad(load, 2)],
    metaAuth: metaLoad(load.auth),
    metaAll: metaLoad(load.all),
    requestRate,
    queueLength,
    cpuLoad,
  };
}

function rankFacts(
  rank: RankDecision,
  options: MdsOptions,
  place: Placing,
): Omit<MdsRankFacts, 'daemon' | 'beat' | 'hasCounters'> {
  const { decision, rebalance, otherBeat } = rank;
  const { verdict, loads, loadFactor, targetLoad, importers, exporters, matches } = decision;
  return {
    rank: rank.rank,
    subtrees: rank.subtrees.filter(({ kind }) => kind !== 'mdsdir').length,
    verdict,
    verdictText: verdictText(rank, options),
    loads,
    loadFactor,
    targetLoad,
    against: partText(loads[rank.rank] ?? 0, targetLoad),
    importers,
    exporters,
    matches,
    otherMatches: otherBeat?.matches,
    scale: rank.scale,
    skipped: (rebalance?.skipped ?? [])
      .filter(({ why }) => why !== 'mdsdir')
      .map(({ root, why }) => ({ ...place(root), text: SKIP_WORDS[why] })),
    idleReturns: (rebalance?.idleReturns ?? []).map(({ root, to }) => ({ ...place(root), to })),
    shipments: (rebalance?.shipments ?? []).map((shipment) => shipmentFacts(rank, shipment, options, place)),
  };
}

function shipmentFacts(
  rank: RankDecision,
  shipment: Shipment,
  options: MdsOptions,
  place: Placing,
): MdsShipment {
  const { to, amount, have, skip } = shipment;
  return {
    to,
    amount,
    have,
    skip: skip === undefined ? undefined : amountSkipText(amount, skip),
    imports: shipment.imports.map((choice) => ({ ...place(choice.root), text: importText(choice, to) })),
    searches: shipment.searches.map((search) => searchFacts(search, rank.rebalance, options, place)),
    exports: chosenBy(rank, shipment).map(({ fragment, pin }) => ({
      ...place(fragment),
      refusedForPin: isExportable(pin, to) ? undefined : pin,
    })),
  };
}

function searchFacts(
  search: ExportSearch,
  rebalance: Rebalance | undefined,
  options: MdsOptions,
  place: Placing,
): MdsSearch {
  const { need, needMin, needMax, midChunk, minChunk, candidates } = search;
  const told = candidates.flatMap(({ fragment, outcome }) =>
    outcome === 'too-small'
      ? []
      : [{ ...place(fragment), outcome, text: candidateText(fragment, outcome, search, options) }],
  );
  // What was taken is told however many were passed over before.
  const listed = [
    ...told.filter(({ outcome }) => !PASSED.has(outcome)),
    ...told.filter(({ outcome }) => PASSED.has(outcome)),
  ];
  const shown = new Set(listed.slice(0, MAX_CANDIDATES));
  return {
    within: place(search.within),
    need,
    needMin,
    needMax,
    midChunk,
    minChunk,
    candidates: told.filter((each) => shown.has(each)),
    tooSmall: candidates.length - told.length,
    more: told.length - shown.size,
    asGood: rivalsIn(search, rebalance).slice(0, MAX_CANDIDATES).map(place),
  };
}

const PASSED: ReadonlySet<CandidateOutcome> = new Set(['already-exporting', 'frozen', 'not-needed']);
