/** The search for directories whose popularity makes up an amount. Follows `MDBalancer::find_exports` (Ceph's src/mds/MDBalancer.cc). */
import type { MdsOptions } from './options.ts';

/** A directory fragment as the search sees it. */
export interface ExportFragment {
  /** Path, with the fragment behind it where the directory has several. */
  readonly name: string;
  /** `meta_load` of the fragment's popularity in its subtree, at the time of the decision. */
  readonly load: number;
  /** Whether all ranks have a replica; such a directory is descended into last. */
  readonly isReplicated: boolean;
  /** Whether the fragment is frozen, or will be: it is on its way already. */
  readonly isFrozen: boolean;
  /** Directories in it with hits in the same subtree, the one hit last first. */
  readonly directories: readonly ExportDirectory[];
}

/** A directory: those of its fragments that are no subtree's root. */
export interface ExportDirectory {
  /** Its fragments. */
  readonly fragments: readonly ExportFragment[];
}

/** What became of a fragment that the search met. */
export type CandidateOutcome =
  /** Taken alone: it makes up what is needed, more or less. */
  | 'taken-alone'
  /** Taken as one of the big ones below what is needed. */
  | 'taken'
  /** Taken as one of the small ones, since bigger ones were not enough. */
  | 'taken-small'
  /** More than is needed; searched within. */
  | 'descended'
  /** As many replicas as ranks and more than is needed; searched within, as a last resort. */
  | 'descended-replicated'
  /** Chosen before, for this rank or another. */
  | 'already-exporting'
  /** Frozen or freezing. */
  | 'frozen'
  /** Less than the least part that is worth an export. */
  | 'too-small'
  /** Enough was found before its turn came. */
  | 'not-needed';

/** A fragment that the search met. */
export interface ExportCandidate {
  /** The fragment. */
  readonly fragment: ExportFragment;
  /** What became of it. */
  readonly outcome: CandidateOutcome;
}

/** The search within one fragment. */
export interface ExportSearch {
  /** Where it searched. */
  readonly within: ExportFragment;
  /** What was needed still. */
  readonly need: number;
  /** A single directory above this, and below {@link needMax}, is taken alone; so much found ends the search. */
  readonly needMin: number;
  /** See {@link needMin}. */
  readonly needMax: number;
  /** Directories below this are taken only after bigger ones have been descended into. */
  readonly midChunk: number;
  /** Directories below this are not taken. */
  readonly minChunk: number;
  /** How many fragments had been chosen before it began, for any rank. */
  readonly chosenBefore: number;
  /** What it met, in order. */
  readonly candidates: readonly ExportCandidate[];
}

/** What searches of one decision share. */
export interface ExportState {
  /** All fragments chosen so far. */
  readonly alreadyExporting: Set<ExportFragment>;
  /** Directories whose fragments were all too small: later searches do not see them until they are hit again. */
  readonly forgotten: Set<ExportDirectory>;
  /** What was searched, in order, for the report. */
  readonly searches: ExportSearch[];
}

/** The state before any search. */
export function exportState(): ExportState {
  return { alreadyExporting: new Set(), forgotten: new Set(), searches: [] };
}

/** What was found. */
export interface FoundExports {
  /** Load found, with what was there before. */
  readonly have: number;
  /** What is to be sent. */
  readonly exports: readonly ExportFragment[];
}

/**
 * Chooses directories within a fragment until their load comes close to an amount.
 *
 * Ceph gives up after a tenth of a second; this search does not look at the clock.
 *
 * @param amount - load to make up in all
 * @param before - load that was found before; the search starts only if what is missing is a fifth of the amount
 *   (`mds_bal_min_start`)
 */
export function findExports(
  within: ExportFragment,
  amount: number,
  before: number,
  state: ExportState,
  options: MdsOptions,
): FoundExports {
  const exports: ExportFragment[] = [];
  const have = search(within, amount, before, exports, state, options);
  return { have, exports };
}

interface Candidate {
  readonly fragment: ExportFragment;
  outcome: CandidateOutcome;
}

function search(
  within: ExportFragment,
  amount: number,
  before: number,
  exports: ExportFragment[],
  state: ExportState,
  options: MdsOptions,
): number {
  const need = amount - before;
  if (need < amount * options.mds_bal_min_start) return before;
  const needMin = need * options.mds_bal_need_min;
  const needMax = need * options.mds_bal_need_max;
  const midChunk = need * options.mds_bal_midchunk;
  const minChunk = need * options.mds_bal_minchunk;
  const candidates: Candidate[] = [];
  const chosenBefore = state.alreadyExporting.size;
  state.searches.push({ within, need, needMin, needMax, midChunk, minChunk, chosenBefore, candidates });

  let have = before;
  const take = (candidate: Candidate, outcome: CandidateOutcome): void => {
    candidate.outcome = outcome;
    exports.push(candidate.fragment);
    state.alreadyExporting.add(candidate.fragment);
    have += candidate.fragment.load;
  };

  const smaller: Candidate[] = [];
  const bigger: Candidate[] = [];
  for (const directory of within.directories) {
    if (state.forgotten.has(directory)) continue;
    let small = 0;
    for (const fragment of directory.fragments) {
      const candidate: Candidate = { fragment, outcome: 'not-needed' };
      candidates.push(candidate);
      if (state.alreadyExporting.has(fragment)) candidate.outcome = 'already-exporting';
      else if (fragment.isFrozen) candidate.outcome = 'frozen';
      else if (fragment.load < minChunk) {
        candidate.outcome = 'too-small';
        small++;
      } else if (fragment.load > needMin && fragment.load < needMax) {
        take(candidate, 'taken-alone');
        return have;
      } else (fragment.load > need ? bigger : smaller).push(candidate);
    }
    if (small === directory.fragments.length) state.forgotten.add(directory);
  }

  // Of equal ones the last comes first, as from the end of Ceph's multimap.
  smaller.reverse().sort((a, b) => b.fragment.load - a.fragment.load);
  // Ceph compares all that was found, also before this search, with what this search needed.
  const enough = (): boolean => have > needMin;
  let next = 0;
  for (; next < smaller.length; next++) {
    const candidate = smaller[next];
    if (candidate === undefined || candidate.fragment.load < midChunk) break;
    take(candidate, 'taken');
    if (enough()) return have;
  }
  const descend = (isReplicated: boolean): boolean => {
    for (const candidate of bigger) {
      if (candidate.fragment.isReplicated !== isReplicated) continue;
      candidate.outcome = isReplicated ? 'descended-replicated' : 'descended';
      have = search(candidate.fragment, amount, have, exports, state, options);
      if (enough()) return true;
    }
    return false;
  };
  if (descend(false)) return have;
  for (const candidate of smaller.slice(next)) {
    take(candidate, 'taken-small');
    if (enough()) return have;
  }
  descend(true);
  return have;
}
