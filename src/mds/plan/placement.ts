/** On which ranks the load of directories comes to lie, with a number of ranks and pins. Follows `MDBalancer::handle_export_pins` and `MDCache::shutdown_pass` (Ceph's src/mds). */
import { distributedFragmentBits, hashIntoRankBucket } from '../ephemeral-pins.ts';
import type { MdsOptions } from '../options.ts';
import { isInFragment } from '../reports.ts';
import type { LoadPiece, MeasuredDirectory } from './measured-tree.ts';

/** A pin that holds for a directory. */
export interface Holder {
  readonly kind: 'planned' | 'static' | 'distributed' | 'random';
  /** The directory that it is set on. */
  readonly setOn: MeasuredDirectory;
  /** The rank; undefined for the entries of a directory with a distributed pin, which go to several. */
  readonly rank: number | undefined;
}

/** Where the own load of a directory lies. */
export interface PlacedDirectory {
  readonly directory: MeasuredDirectory;
  /** Undefined where no pin holds, and load stays where it is. */
  readonly holder: Holder | undefined;
  readonly pieces: readonly LoadPiece[];
}

/** What placing goes by. */
export interface PlacementSettings {
  /** Number of ranks; `max_mds`. */
  readonly ranks: number;
  readonly options: MdsOptions;
  /** Hash of an entry's name, which says in which fragment of its directory it is. */
  readonly hashName: (name: string) => number;
}

/**
 * Places the load of directories.
 *
 * Pins hold for all that lies in their directory, but for what has a nearer one; those to ranks that are not there do
 * not count. Where none holds, load stays on its rank, and that of a rank that goes away falls to the rank that has
 * the directory above.
 *
 * @param order - directories, those above first
 * @param planned - ranks of new pins
 */
export function placeDirectories(
  order: readonly MeasuredDirectory[],
  settings: PlacementSettings,
  planned: ReadonlyMap<MeasuredDirectory, number>,
): PlacedDirectory[] {
  const holders = new Map<MeasuredDirectory, Holder>();
  const homes = new Map<MeasuredDirectory, number>();
  return order.map((directory) => {
    const holder = holderOf(directory, settings, planned, holders);
    if (holder !== undefined) holders.set(directory, holder);
    const { parent } = directory;
    const homeAbove = parent === undefined ? 0 : (homes.get(parent) ?? 0);
    const pieces = placePieces(directory, holder, homeAbove, settings);
    homes.set(directory, holder?.rank ?? homeOf(pieces) ?? homeAbove);
    return { directory, holder, pieces };
  });
}

/** Parts of a directory's entries that each rank would get of a distributed pin, if there are many of them. */
export function distributedParts(ino: bigint, settings: PlacementSettings): Float64Array {
  const { ranks, options } = settings;
  const bits = distributedFragmentBits(ranks, options.mds_export_ephemeral_distributed_factor);
  const parts = new Float64Array(ranks);
  for (let index = 0; index < 2 ** bits; index++) {
    const rank = hashIntoRankBucket(ino, ranks, fragmentAt(index, bits));
    parts[rank] = (parts[rank] ?? 0) + 2 ** -bits;
  }
  return parts;
}

function holderOf(
  directory: MeasuredDirectory,
  settings: PlacementSettings,
  planned: ReadonlyMap<MeasuredDirectory, number>,
  holders: ReadonlyMap<MeasuredDirectory, Holder>,
): Holder | undefined {
  const { parent, ino } = directory;
  if (parent === undefined) return undefined;
  const { ranks, options } = settings;
  const rank = planned.get(directory);
  if (rank !== undefined) return { kind: 'planned', setOn: directory, rank };
  if (options.mds_bal_export_pin) {
    if (directory.pin >= 0 && directory.pin < ranks) {
      return { kind: 'static', setOn: directory, rank: directory.pin };
    }
    if (directory.isDistributed && options.mds_export_ephemeral_distributed && ino !== undefined) {
      return { kind: 'distributed', setOn: directory, rank: undefined };
    }
    if (directory.isRandomlyPinned && options.mds_export_ephemeral_random && ino !== undefined) {
      return { kind: 'random', setOn: directory, rank: hashIntoRankBucket(ino, ranks) };
    }
  }
  const above = holders.get(parent);
  if (above?.kind !== 'distributed' || above.rank !== undefined) return above;
  const fragment = fragmentOf(directory, parent, settings);
  return { ...above, rank: hashIntoRankBucket(parent.ino ?? 0n, ranks, fragment) };
}

/** The fragment of a directory with a distributed pin that a directory in it is in. */
function fragmentOf(
  directory: MeasuredDirectory,
  parent: MeasuredDirectory,
  { ranks, options, hashName }: PlacementSettings,
): number {
  const hash = hashName(directory.path.slice(directory.path.lastIndexOf('/') + 1));
  const bits = distributedFragmentBits(ranks, options.mds_export_ephemeral_distributed_factor);
  const known = [...parent.fragments].find((fragment) => isInFragment(hash, fragment));
  // Fragments that are too big are split before they go anywhere.
  if (known !== undefined && known >>> FRAGMENT_BITS >= bits) return known;
  return fragmentAt((hash & 0xffffff) >>> (FRAGMENT_BITS - bits), bits);
}

/** Bits of the longest fragment. */
const FRAGMENT_BITS = 24;

/** The fragment of so many bits with this number, as Ceph encodes it. */
function fragmentAt(index: number, bits: number): number {
  return bits * 0x1000000 + index * 2 ** (FRAGMENT_BITS - bits);
}

function placePieces(
  { pieces, ino }: MeasuredDirectory,
  holder: Holder | undefined,
  homeAbove: number,
  settings: PlacementSettings,
): LoadPiece[] {
  const { ranks } = settings;
  if (holder?.kind === 'distributed' && holder.rank === undefined) {
    const parts = distributedParts(ino ?? 0n, settings);
    return pieces.flatMap(({ load, metaLoad }) =>
      [...parts].flatMap((part, rank) =>
        part > 0 ? [{ rank, load: load * part, metaLoad: metaLoad * part }] : [],
      ),
    );
  }
  return pieces.map((piece) => {
    const rank = holder?.rank ?? (piece.rank < ranks ? piece.rank : homeAbove);
    return { ...piece, rank };
  });
}

/** The rank that has most of it. */
function homeOf(pieces: readonly LoadPiece[]): number | undefined {
  return pieces.reduce<LoadPiece | undefined>(
    (most, piece) => (most === undefined || piece.load > most.load ? piece : most),
    undefined,
  )?.rank;
}
