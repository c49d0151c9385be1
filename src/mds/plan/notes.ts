/** What the reader of a plan should know beside it. */
import type { MdsOptions } from '../options.ts';
import type { MeasuredDirectory, MeasuredTree } from './measured-tree.ts';
import { isNameable, type PlanModel } from './model.ts';

/** Part of a share above which load that no reported directory has is worth a word. */
const HIDDEN = 0.05;
/** Most notes of one kind. */
const MAX_NOTES = 5;

/** What there is to say of directories and ranks, as sentences. */
export function planNotes(tree: MeasuredTree, model: PlanModel, options: MdsOptions): string[] {
  const directories = model.placed.map(({ directory }) => directory);
  return [
    ...(options.mds_bal_export_pin ? [] : ['mds_bal_export_pin is false: Ceph does not heed any pins']),
    ...waitingPins(directories, model.ranks),
    ...hiddenLoads(directories, model.share),
    ...unnamed(directories),
    ...lostLoad(tree, model.ranks),
  ];
}

function waitingPins(directories: readonly MeasuredDirectory[], ranks: number): string[] {
  return directories
    .filter(({ pin }) => pin >= ranks)
    .slice(0, MAX_NOTES)
    .map(
      ({ path, pin }) => `${path} is pinned to mds.${pin}, which is none of ${ranks} ranks: the pin waits`,
    );
}

function hiddenLoads(directories: readonly MeasuredDirectory[], share: number): string[] {
  return directories
    .filter(({ hidden }) => hidden > HIDDEN * share)
    .slice(0, MAX_NOTES)
    .map(
      ({ path, hidden }) =>
        `${hidden.toFixed(1)} of the load in ${path === '' ? '/' : path} is in directories that the reports do not ` +
        "reach: ask 'dump loads' for more depth",
    );
}

function unnamed(directories: readonly MeasuredDirectory[]): string[] {
  const odd = directories.filter((directory) => !isNameable(directory) && directory.pieces.length > 0);
  const [first] = odd;
  if (first === undefined) return [];
  return [
    `${odd.length} directories with load have names that are no UTF-8 or have control characters (the first is in ` +
      `${first.parent?.path ?? ''}/): these are not pinned`,
  ];
}

function lostLoad({ ranks: loads }: MeasuredTree, ranks: number): string[] {
  const lost = loads.slice(ranks).reduce((sum, { unplaced }) => sum + unplaced, 0);
  return lost > 0
    ? [`where the ${lost.toFixed(1)} of ranks that go away falls is not known: mds.0 is taken`]
    : [];
}
