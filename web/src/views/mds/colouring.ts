/** What colours in the picture of directories mean. */
import { HIT_KINDS } from '../../../../src/mds/load.ts';
import { decimal, percent } from '../../parts/format.ts';
import type { LegendEntry } from '../../picture/legend.tsx';
import type { PictureMark } from '../../picture/paint.ts';
import type { MdsTree } from '../../worker/topics/mds/tree.ts';
import { rankColour, rankMark, rankName } from './rank-colours.ts';

/** What can be shown. */
export const COLOURINGS = [
  ['rank', 'rank that has it'],
  ['decision', 'rank after the decision'],
  ['plan', 'rank with the plan'],
  ['heat', 'heat: meta_load'],
  ...HIT_KINDS.map((kind) => [kind, `heat: ${kind}`] as const),
] as const;

/** A colouring by its name in links. */
export type ColouringId = (typeof COLOURINGS)[number][0];

/** Colours, marks and words of rows. */
export interface Colouring {
  readonly colour: (row: number) => string;
  readonly mark: (row: number) => PictureMark | undefined;
  readonly value: (row: number) => string;
  readonly legend: readonly LegendEntry[];
}

/** Parts of all heat from which on a step is reached; below the first is the coolest. */
const STEPS = [0.01, 0.03, 0.1, 0.3] as const;
/** Where the rank is another than now; ranks of one colour are told apart by words alone then. */
const MOVING: LegendEntry = { colour: 'var(--ground)', mark: 'hatched', words: 'goes to another rank' };
/** Ranks that a legend lists. */
const MOST_RANKS = 32;

/** Colours by ranks: `ranks` are those to show, which may differ from those that have the directories now. */
export function rankColouring(tree: MdsTree, ranks: Int16Array): Colouring {
  const isMoving = (row: number): boolean => ranks[row] !== tree.ranks[row];
  let isAnyMoving = false;
  const sums = new Map<number, number>();
  for (let row = 0; row < tree.count; row++) {
    isAnyMoving ||= isMoving(row);
    // Leaves of the picture are what areas are made of.
    if (tree.ends[row] !== row + 1) continue;
    const rank = ranks[row] ?? -1;
    sums.set(rank, (sums.get(rank) ?? 0) + (tree.loads[row] ?? 0));
  }
  const all = tree.loads[0] ?? 0;
  return {
    colour: (row) => rankColour(ranks[row] ?? -1),
    mark: (row) => (isAnyMoving ? (isMoving(row) ? 'hatched' : undefined) : rankMark(ranks[row] ?? -1)),
    value: (row) => {
      const [now = -1, then = -1] = [tree.ranks[row], ranks[row]];
      const words = now === then ? rankName(then) : `${rankName(now)} → ${rankName(then)}`;
      return `${decimal(tree.loads[row] ?? 0)} · ${words}`;
    },
    legend: [...sums]
      .sort(([a], [b]) => a - b)
      .slice(0, MOST_RANKS)
      .map(([rank, load]): LegendEntry => {
        const mark = isAnyMoving ? undefined : rankMark(rank);
        return {
          colour: rankColour(rank),
          ...(mark === undefined ? {} : { mark }),
          words: rankName(rank),
          count: percent(all > 0 ? load / all : 0),
        };
      })
      .concat(isAnyMoving ? [MOVING] : []),
  };
}

/** Colours by how much of all popularity, or of one kind of hits, is in a directory. */
export function heatColouring(tree: MdsTree, id: ColouringId): Colouring {
  const kind = HIT_KINDS.findIndex((each) => each === id);
  const heat = (row: number): number =>
    kind < 0 ? (tree.loads[row] ?? 0) : (tree.counters.within[HIT_KINDS.length * row + kind] ?? 0);
  const all = heat(0);
  const part = (row: number): number => (all > 0 ? heat(row) / all : 0);
  const step = (row: number): number => STEPS.filter((least) => part(row) >= least).length;
  return {
    colour: (row) => `var(--heat-${step(row)})`,
    mark: () => undefined,
    value: (row) => `${decimal(heat(row))} · ${percent(part(row))}`,
    legend: [0, ...STEPS].map((least, each) => ({
      colour: `var(--heat-${each})`,
      words: each === 0 ? `below ${percent(STEPS[0], 0)} of all` : `from ${percent(least, 0)}`,
    })),
  };
}
