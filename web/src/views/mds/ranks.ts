/** Which rank has each row of the tree: now, after the decision, and with a plan. */
import type { MdsDecision } from '../../worker/topics/mds/decision.ts';
import type { MdsPlan } from '../../worker/topics/mds/plan.ts';
import { SEVERAL_RANKS, UNKNOWN_RANK } from '../../worker/topics/mds/rank-codes.ts';
import type { MdsTree } from '../../worker/topics/mds/tree.ts';

/** The rows of directories by their paths. */
export function rowsByPath(tree: MdsTree): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  tree.paths.forEach((path, row) => {
    if (tree.isOwn[row] === 0) rows.set(path, row);
  });
  return rows;
}

/** Ranks when all that was chosen has gone. Of a directory of which single fragments go, several ranks have a part. */
export function decidedRanks(
  tree: MdsTree,
  rows: ReadonlyMap<string, number>,
  decision: MdsDecision | undefined,
): Int16Array {
  const ranks = tree.ranks.slice();
  for (const { rank: from, shipments, idleReturns } of decision?.ranks ?? []) {
    const sent = shipments.flatMap(({ to, exports }) =>
      exports.filter(({ refusedForPin }) => refusedForPin === undefined).map((each) => ({ ...each, to })),
    );
    for (const { name, path, to } of [...idleReturns, ...sent]) {
      const row = rows.get(path);
      if (row === undefined) continue;
      const isWhole = name === path || (name === '/' && path === '');
      if (isWhole) move(tree, ranks, row, from, to);
      else ranks[row] = SEVERAL_RANKS;
    }
  }
  return ranks;
}

/** Ranks when the plan has been carried out: the nearest pin above decides, one that is there already stays. */
export function plannedRanks(tree: MdsTree, plan: MdsPlan | undefined): Int16Array {
  const pins = new Map(plan?.pins.map(({ path, rank }) => [path, rank]));
  const ranks = tree.ranks.slice();
  const bound = new Int16Array(tree.count).fill(UNKNOWN_RANK);
  for (let row = 0; row < tree.count; row++) {
    const parent = tree.parents[row] ?? -1;
    const isOwn = tree.isOwn[row] === 1;
    const own = isOwn ? undefined : pins.get(tree.paths[row] ?? '');
    const inherited = parent < 0 || (!isOwn && tree.pins[row] !== '') ? undefined : bound[parent];
    const rank = own ?? inherited ?? UNKNOWN_RANK;
    bound[row] = rank;
    if (rank >= 0) ranks[row] = rank;
  }
  return ranks;
}

/** A subtree goes with all in it that its rank has, up to where other subtrees begin. */
function move(tree: MdsTree, ranks: Int16Array, row: number, from: number, to: number): void {
  const end = tree.ends[row] ?? 0;
  for (let each = row; each < end;) {
    const isOtherSubtree = each !== row && tree.bounds[each] === 1;
    if (!isOtherSubtree && tree.ranks[each] === from) ranks[each] = to;
    each = isOtherSubtree ? Math.max(each + 1, tree.ends[each] ?? 0) : each + 1;
  }
}
