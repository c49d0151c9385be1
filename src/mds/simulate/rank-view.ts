/** The subtrees of a rank as its search for exports sees them ({@link tryRebalance}), made as far as it looks. */
import type { ExportDirectory, ExportFragment } from '../find-exports.ts';
import type { MdsOptions } from '../options.ts';
import { fragmentTitle } from '../reports.ts';
import { MIN_OFFLOAD, type OwnSubtree } from '../try-rebalance.ts';
import type { MetadataState } from './metadata-state.ts';
import type { PinBook } from './pin-book.ts';
import { STRIDE } from './popularity-table.ts';
import { NO_NODE } from './workload.ts';

/**
 * Which directory was hit last: drawn by chance, each by its hits, or always the busiest, which is what is taken where
 * nothing else is known ({@link decideCluster}).
 */
export type HitOrder = 'drawn' | 'busiest';

/** What all views of one decision share. */
export interface ViewSettings {
  readonly state: MetadataState;
  readonly pins: PinBook;
  readonly options: MdsOptions;
  readonly hitOrder: HitOrder;
  /** Numbers from 0 to 1. */
  readonly draw: () => number;
  /** Directories of less load are left out: they are too small for any search. */
  readonly leastLoad: number;
}

/** A fragment of the simulation, in the eyes of the search. */
export class FragmentView implements ExportFragment {
  /** Its number. */
  readonly fragment: number;
  readonly load: number;
  readonly isFrozen: boolean;
  readonly #settings: ViewSettings;
  #directories: readonly ExportDirectory[] | undefined;

  constructor(fragment: number, load: number, settings: ViewSettings, isFrozen = false) {
    this.fragment = fragment;
    this.load = load;
    this.isFrozen = isFrozen;
    this.#settings = settings;
  }

  get name(): string {
    return titleOf(this.#settings.state, this.fragment);
  }

  /**
   * Whether its reads have made Ceph replicate it on all ranks. Follows `MDBalancer::hit_dir`, but goes by the counters of
   * now instead of a sample's, and lets them be, which Ceph lowers once.
   */
  get isReplicated(): boolean {
    const { popularity, tree } = this.#settings.state;
    if (tree.directory[this.fragment] === 0) return false;
    const threshold = this.#settings.options.mds_bal_replicate_threshold;
    return [0, 2].some((kind) => {
      const isRead = (popularity.own[this.fragment * STRIDE + kind] ?? 0) > 0;
      const own = popularity.value('own', this.fragment, kind);
      return isRead && popularity.value('region', this.fragment, kind) + own * 10 >= threshold;
    });
  }

  get directories(): readonly ExportDirectory[] {
    this.#directories ??= directoriesIn(this.fragment, this.#settings);
    return this.#directories;
  }
}

/** The subtrees that a rank may choose from, in the order in which they came to be. */
export function ownSubtrees(rank: number, settings: ViewSettings): OwnSubtree[] {
  const { state, pins } = settings;
  const own: OwnSubtree[] = [];
  for (const subtree of state.subtrees.ofRank(rank)) {
    if (subtree.isMoving) continue;
    const directory = state.tree.directory[subtree.fragment] ?? 0;
    own.push({
      root: new FragmentView(subtree.fragment, state.popularity.load(subtree.fragment), settings),
      kind: directory === 0 ? 'root' : 'directory',
      from: state.subtrees.above(subtree)?.rank ?? rank,
      isPinned: pins.isPinned(directory),
    });
  }
  return own;
}

/** The least load that any search for these amounts could take. */
export function leastLoad(amounts: Iterable<number>, options: MdsOptions): number {
  const least = Math.min(...[...amounts].filter((amount) => amount >= MIN_OFFLOAD));
  const part = Math.max(0, options.mds_bal_min_start) * Math.max(0, options.mds_bal_minchunk);
  return Number.isFinite(least) ? least * part : 0;
}

/** What people call a fragment. */
export function titleOf({ tree }: MetadataState, fragment: number): string {
  return fragmentTitle(tree.path(tree.directory[fragment] ?? 0), tree.code[fragment] ?? 0);
}

function directoriesIn(fragment: number, settings: ViewSettings): ExportDirectory[] {
  const { state, hitOrder, draw } = settings;
  const { tree, popularity } = state;
  const found: { readonly fragments: FragmentView[]; readonly load: number; readonly since: number }[] = [];
  let directory = tree.firstDirectory[fragment] ?? NO_NODE;
  for (; directory !== NO_NODE; directory = tree.nextInHolder[directory] ?? NO_NODE) {
    let most = 0;
    let hits = 0;
    for (let child = tree.firstFragment[directory] ?? NO_NODE; child !== NO_NODE;) {
      if (tree.subtreeRank[child] === NO_NODE) {
        most = Math.max(most, popularity.load(child));
        hits += popularity.hitRate(child);
      }
      child = tree.nextFragment[child] ?? NO_NODE;
    }
    if (most === 0 || most < settings.leastLoad) continue;
    // Times between hits that come by chance are distributed exponentially.
    const since = hitOrder === 'drawn' && hits > 0 ? -Math.log(1 - draw()) / hits : Infinity;
    found.push({ fragments: viewsOf(directory, settings), load: most, since });
  }
  return found.sort((a, b) => (a.since === b.since ? b.load - a.load : a.since - b.since));
}

/** The fragments of a directory that are no subtree's root. */
function viewsOf(directory: number, settings: ViewSettings): FragmentView[] {
  const { tree, popularity } = settings.state;
  return [...tree.fragmentsOf(directory)]
    .filter((child) => tree.subtreeRank[child] === NO_NODE)
    .map((child) => new FragmentView(child, popularity.load(child), settings));
}
