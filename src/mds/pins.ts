/** To which rank pins bind a directory. Follows `CInode::get_export_pin`, `get_ephemeral_rand` and `CDir::is_exportable` (Ceph's src/mds). */
import { hashIntoRankBucket } from './ephemeral-pins.ts';
import type { MdsOptions } from './options.ts';

/** A directory and the pins that are set on it. */
export interface PinnedDirectory {
  /** Number of its inode. */
  readonly ino: bigint;
  /** The directory that it lies in; none for the root of the file system and for ranks' own directories. */
  readonly parent: PinnedDirectory | undefined;
  /** The fragment of the parent that holds it, as Ceph encodes it; 0 where the parent has only one. */
  readonly fragment?: number;
  /** `ceph.dir.pin`: a rank, or -1 for none. */
  readonly pin?: number;
  /** `ceph.dir.pin.distributed` */
  readonly isDistributed?: boolean;
  /** `ceph.dir.pin.random`: probability that a directory in it is pinned when it is loaded. */
  readonly random?: number;
  /** Whether that chance has fallen on this directory. */
  readonly isRandomlyPinned?: boolean;
  /** Whether the directory has been removed, so that its pins do not count. */
  readonly isUnlinked?: boolean;
}

/** Where a pin comes from. */
export type PinKind = 'static' | 'distributed' | 'random';

/** What binds a directory. */
export interface ExportPin {
  /** What kind of pin it is. */
  readonly kind: PinKind;
  /**
   * The rank; of a directory whose own pin is distributed none, since each of its fragments has another
   * ({@link fragmentPin}).
   */
  readonly rank: number | undefined;
  /** The directory that the pin is set on, or that chance has chosen. */
  readonly setOn: PinnedDirectory;
}

/** First inode number that is not Ceph's own; `MDS_INO_SYSTEM_BASE`. */
const FIRST_USER_INO = 0x1000n;

/**
 * The pin that holds for a directory: the nearest of those set on it and on those above it. Follows
 * `CInode::get_export_pin`.
 *
 * @param inherit - whether those above count
 * @returns undefined where nothing binds it. A rank may be one that does not exist ({@link effectiveRank}).
 */
export function exportPin(
  directory: PinnedDirectory,
  maxMds: number,
  options: MdsOptions,
  inherit = true,
): ExportPin | undefined {
  if (!options.mds_bal_export_pin) return undefined;
  let random: ExportPin | undefined;
  let below: PinnedDirectory | undefined;
  for (let at = directory; at.ino >= FIRST_USER_INO && at.parent !== undefined && at.isUnlinked !== true;) {
    if (at.pin !== undefined && at.pin >= 0) return { kind: 'static', rank: at.pin, setOn: at };
    if (at.isDistributed === true && options.mds_export_ephemeral_distributed) {
      const rank = below === undefined ? undefined : hashIntoRankBucket(at.ino, maxMds, below.fragment);
      return { kind: 'distributed', rank, setOn: at };
    }
    if (random !== undefined && (at.random ?? 0) > 0) return random;
    if (random === undefined && at.isRandomlyPinned === true && options.mds_export_ephemeral_random) {
      random = { kind: 'random', rank: hashIntoRankBucket(at.ino, maxMds), setOn: at };
      if (!inherit) return random;
    }
    if (!inherit) break;
    below = at;
    at = at.parent;
  }
  return undefined;
}

/** The rank that a fragment of a directory is bound to, or undefined. Follows `CDir::get_export_pin`. */
export function fragmentPin(
  directory: PinnedDirectory,
  fragment: number,
  maxMds: number,
  options: MdsOptions,
  inherit = true,
): number | undefined {
  const pin = exportPin(directory, maxMds, options, inherit);
  if (pin?.kind === 'distributed' && pin.rank === undefined) {
    return hashIntoRankBucket(directory.ino, maxMds, fragment);
  }
  return pin?.rank;
}

/**
 * The rank that a pin moves a directory to. Follows `MDBalancer::handle_export_pins`: a pin to a rank from
 * `max_mds` on waits until there is one, and still keeps the balancer away.
 */
export function effectiveRank(pinRank: number | undefined, maxMds: number): number | undefined {
  return pinRank !== undefined && pinRank < maxMds ? pinRank : undefined;
}

/** Whether pins let a fragment go to a rank. Follows `CDir::is_exportable`. */
export function isExportable(pinRank: number | undefined, to: number): boolean {
  return pinRank === undefined || pinRank === to;
}

/**
 * The probability that a directory is pinned when it is loaded. Follows `CInode::get_ephemeral_rand`: the nearest
 * `ceph.dir.pin.random` counts, unless a pin of another kind is nearer.
 */
export function randomPinProbability(directory: PinnedDirectory, options: MdsOptions): number {
  for (
    let at: PinnedDirectory | undefined = directory;
    at.ino >= FIRST_USER_INO && at.parent !== undefined && at.isUnlinked !== true;
    at = at.parent
  ) {
    if ((at.random ?? 0) > 0) return Math.min(at.random ?? 0, options.mds_export_ephemeral_random_max);
    if ((at.pin ?? -1) >= 0 || at.isDistributed === true) return 0;
  }
  return 0;
}

/**
 * Whether chance pins a directory that is loaded. Follows `CInode::maybe_ephemeral_rand`.
 *
 * @param draw - gives a number from 0 to 1; called only if there is a chance
 */
export function drawsRandomPin(directory: PinnedDirectory, options: MdsOptions, draw: () => number): boolean {
  if (!options.mds_export_ephemeral_random) return false;
  const probability = randomPinProbability(directory, options);
  return probability > 0 && draw() <= probability;
}
