/** What a rank exports to make up the amounts it is to send. Follows `MDBalancer::try_rebalance` (Ceph's src/mds/MDBalancer.cc). */
import {
  exportState,
  findExports,
  type ExportDirectory,
  type ExportFragment,
  type ExportSearch,
} from './find-exports.ts';
import type { MdsOptions } from './options.ts';

/** Amounts below this are not sent, and a gap below it is not filled; Ceph's `MIN_OFFLOAD`. */
export const MIN_OFFLOAD = 10;
/** Imports up to this load are not sent to a rank that they did not come from; Ceph's `MIN_REEXPORT`. */
export const MIN_REEXPORT = 5;

/** A subtree that the deciding rank has authority over. */
export interface OwnSubtree {
  /** Its root. */
  readonly root: ExportFragment;
  /** The root of the file system, a rank's own directory (`~mdsN`), or any other directory. */
  readonly kind: 'root' | 'mdsdir' | 'directory';
  /** The rank with authority over the directory that holds it: where it came from. */
  readonly from: number;
  /** Whether a pin of any kind is set on it (not further up). */
  readonly isPinned: boolean;
}

/** Why a subtree's root takes no part. */
export type SubtreeSkip = 'mdsdir' | 'pinned' | 'frozen';

/** Why an amount is not sent. */
export type AmountSkip =
  /** It is below {@link MIN_OFFLOAD}. */
  | 'too-little'
  /** It is below a tenth of the target load, shared by the number of ranks that get some. */
  | 'small-part-of-target';

/** What becomes of an imported subtree. */
export interface ImportChoice {
  /** Root of the subtree. */
  readonly root: ExportFragment;
  /** `returned` to where it came from, `sent-on` to another rank, or passed over for its load. */
  readonly outcome: 'returned' | 'sent-on' | 'too-big' | 'too-small';
}

/** What a rank sends to another. */
export interface Shipment {
  /** The rank that gets it. */
  readonly to: number;
  /** How much it is to get. */
  readonly amount: number;
  /** Why nothing is sent, if nothing is. */
  readonly skip: AmountSkip | undefined;
  /** Load of all that is chosen. */
  readonly have: number;
  /** Imported subtrees that were looked at. */
  readonly imports: readonly ImportChoice[];
  /** Directories that are chosen out of own subtrees. */
  readonly exports: readonly ExportFragment[];
  /** How these were searched for. */
  readonly searches: readonly ExportSearch[];
}

/** What a rank exports. */
export interface Rebalance {
  /** Idle imports that go back, whatever the amounts. */
  readonly idleReturns: readonly { readonly root: ExportFragment; readonly to: number }[];
  /** Subtrees that take no part. */
  readonly skipped: readonly { readonly root: ExportFragment; readonly why: SubtreeSkip }[];
  /** By the rank that gets it, lowest first. */
  readonly shipments: readonly Shipment[];
  /** Directories to drop from the lists of those hit in their parents, as Ceph does. */
  readonly forgotten: ReadonlySet<ExportDirectory>;
}

/**
 * Chooses what to export.
 *
 * @param whoami - the rank that decides
 * @param targets - amounts, by the rank that gets them
 * @param targetLoad - what each rank should have
 * @param subtrees - those that the rank has full authority over; imports go back in this order, which in Ceph is that of
 *   addresses in memory
 */
export function tryRebalance(
  whoami: number,
  targets: ReadonlyMap<number, number>,
  targetLoad: number,
  subtrees: readonly OwnSubtree[],
  options: MdsOptions,
): Rebalance {
  const { idleReturns, skipped, usable } = sortSubtrees(whoami, subtrees, options);
  const shipments: MutableShipment[] = [...targets]
    .sort(([a], [b]) => a - b)
    .map(([to, amount]) => ({
      to,
      amount,
      skip: skipOf(amount, targets.size, targetLoad),
      have: 0,
      imports: [],
      exports: [],
      searches: [],
    }));
  const sending = shipments.filter(({ skip }) => skip === undefined);
  const gone = new Set<OwnSubtree>();
  for (const shipment of sending) returnImports(shipment, usable, gone);
  const byLoad = usable.toSorted((a, b) => a.root.load - b.root.load);
  for (const shipment of sending) sendImportsOn(shipment, byLoad, gone);

  const state = exportState();
  const roots = byLoad.filter((subtree) => !gone.has(subtree)).reverse();
  for (const shipment of sending) {
    if (isFilled(shipment)) continue;
    const first = state.searches.length;
    for (const { root } of roots) {
      const found = findExports(root, shipment.amount, shipment.have, state, options);
      shipment.have = found.have;
      shipment.exports.push(...found.exports);
      if (isFilled(shipment)) break;
    }
    shipment.searches = state.searches.slice(first);
  }
  return { idleReturns, skipped, shipments, forgotten: state.forgotten };
}

interface MutableShipment extends Shipment {
  have: number;
  readonly imports: ImportChoice[];
  readonly exports: ExportFragment[];
  searches: readonly ExportSearch[];
}

function isFilled({ amount, have }: Shipment): boolean {
  return amount - have < MIN_OFFLOAD;
}

function skipOf(amount: number, ranks: number, targetLoad: number): AmountSkip | undefined {
  if (amount < MIN_OFFLOAD) return 'too-little';
  return amount * 10 * ranks < targetLoad ? 'small-part-of-target' : undefined;
}

/** Parts subtrees into those that go back at once, that take no part, and others. */
function sortSubtrees(
  whoami: number,
  subtrees: readonly OwnSubtree[],
  options: MdsOptions,
): Pick<Rebalance, 'idleReturns' | 'skipped'> & { usable: OwnSubtree[] } {
  const idleReturns: { root: ExportFragment; to: number }[] = [];
  const skipped: { root: ExportFragment; why: SubtreeSkip }[] = [];
  const usable: OwnSubtree[] = [];
  for (const subtree of subtrees) {
    const { root, kind, from, isPinned } = subtree;
    const isIdle = options.mds_bal_idle_threshold > 0 && root.load < options.mds_bal_idle_threshold;
    if (kind === 'mdsdir') skipped.push({ root, why: 'mdsdir' });
    else if (isPinned) skipped.push({ root, why: 'pinned' });
    else if (root.isFrozen) skipped.push({ root, why: 'frozen' });
    else if (isIdle && kind !== 'root' && from !== whoami) idleReturns.push({ root, to: from });
    else usable.push(subtree);
  }
  return { idleReturns, skipped, usable };
}

/** Gives back what came from the rank that is to get load, as far as it fits. */
function returnImports(
  shipment: MutableShipment,
  usable: readonly OwnSubtree[],
  gone: Set<OwnSubtree>,
): void {
  for (const subtree of usable) {
    const { root, kind, from } = subtree;
    if (from !== shipment.to || kind !== 'directory') continue;
    if (root.load <= shipment.amount - shipment.have) {
      shipment.imports.push({ root, outcome: 'returned' });
      shipment.have += root.load;
      gone.add(subtree);
    } else shipment.imports.push({ root, outcome: 'too-big' });
    if (isFilled(shipment)) return;
  }
}

/** Sends whole subtrees, wherever they came from, as far as they fit: least first. */
function sendImportsOn(
  shipment: MutableShipment,
  byLoad: readonly OwnSubtree[],
  gone: Set<OwnSubtree>,
): void {
  if (isFilled(shipment)) return;
  for (const subtree of byLoad) {
    const { root, kind, from } = subtree;
    if (kind !== 'directory' || gone.has(subtree)) continue;
    if (root.load <= shipment.amount - shipment.have && root.load > MIN_REEXPORT) {
      shipment.imports.push({ root, outcome: 'sent-on' });
      shipment.have += root.load;
      gone.add(subtree);
    } else if (from !== shipment.to) {
      shipment.imports.push({ root, outcome: root.load > MIN_REEXPORT ? 'too-big' : 'too-small' });
    }
    if (isFilled(shipment)) return;
  }
}
