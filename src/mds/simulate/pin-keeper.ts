/** Sees that pinned directories are where their pins want them. Follows `MDBalancer::handle_export_pins` (Ceph's src/mds). */
import { distributedFragmentBits, hashIntoRankBucket } from '../ephemeral-pins.ts';
import type { MdsOptions } from '../options.ts';
import { effectiveRank } from '../pins.ts';
import type { Exporter } from './exporter.ts';
import type { Fragmenter } from './fragmenter.ts';
import { MAX_FRAGMENT_BITS, type MetadataState } from './metadata-state.ts';
import type { PinBook } from './pin-book.ts';

/** What {@link keepPins} works with. */
export interface PinKeeperSettings {
  readonly state: MetadataState;
  readonly pins: PinBook;
  readonly options: MdsOptions;
  readonly exporter: Exporter;
  readonly fragmenter: Fragmenter;
}

/** Fewest bits that fragments of a directory may have, because of a distributed pin on it. */
export function leastFragmentBits(
  directory: number,
  pins: PinBook,
  ranks: number,
  options: MdsOptions,
): number {
  if (pins.own(directory)?.kind !== 'distributed') return 0;
  return distributedFragmentBits(ranks, options.mds_export_ephemeral_distributed_factor);
}

/** Splits, keeps apart and exports what pins demand. */
export function keepPins(settings: PinKeeperSettings): void {
  const { state, pins, options, exporter } = settings;
  if (!options.mds_bal_export_pin) return;
  for (const directory of pins.directories) keepDirectory(directory, settings);
  for (const subtree of [...state.subtrees.all]) {
    if (subtree.isMoving || state.subtrees.at(subtree.fragment) !== subtree) continue;
    const rank = effectiveRank(pins.rankOf(subtree.fragment), state.ranks);
    if (rank !== undefined && rank !== subtree.rank) exporter.exportNow(subtree.fragment, rank, 'pinned');
  }
}

function keepDirectory(
  directory: number,
  { state, pins, options, exporter, fragmenter }: PinKeeperSettings,
): void {
  const pin = pins.own(directory);
  if (pin === undefined) return;
  const isSpread = pin.kind === 'distributed';
  const least = isSpread ? leastFragmentBits(directory, pins, state.ranks, options) : 0;
  for (const fragment of [...state.tree.fragmentsOf(directory)]) {
    const code = state.tree.code[fragment] ?? 0;
    const holder = state.subtrees.of(fragment);
    if (holder.isMoving) continue;
    if (code >>> MAX_FRAGMENT_BITS < least) {
      fragmenter.splitForPin(fragment, least);
      continue;
    }
    const wanted = isSpread ? hashIntoRankBucket(state.tree.ino(directory), state.ranks, code) : pin.rank;
    const rank = effectiveRank(wanted, state.ranks);
    if (rank === undefined) continue;
    if (rank === holder.rank) state.subtrees.cut(fragment).isKeptApart = true;
    // The importer would send an empty one back.
    else if (state.popularity.entries('own', fragment) > 0) exporter.exportNow(fragment, rank, 'pinned');
  }
}
