/** Colours of the picture: fill after the changes, fill before them, and what the changes make of it. */
import { counted, signed } from '../../parts/format.ts';
import {
  deviation,
  deviationText,
  FILL_STEPS,
  fillColour,
  fillStep,
  NO_SHARE,
} from '../../picture/fill-scale.ts';
import type { PictureMark } from '../../picture/paint.ts';
import { type LegendEntry, USUAL_MARKS } from '../../picture/legend.tsx';
import { isOsd } from '../../picture/rows.ts';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';
import type { OsdFills } from '../../worker/what-if/fill.ts';

/** What the picture's colours tell, by its name in links. */
export type ColourBy = 'changed' | 'original' | 'difference';

/** The ways, with their titles. */
export const COLOURS_BY: readonly (readonly [ColourBy, string])[] = [
  ['changed', 'changed: fill against weight'],
  ['original', 'original: fill against weight'],
  ['difference', 'difference: more or fewer shards'],
];

/** Loads by row; a bucket has the sum of its OSDs. */
export interface RowLoads {
  readonly shardsBefore: Float64Array;
  readonly shardsAfter: Float64Array;
  readonly expectedBefore: Float64Array;
  readonly expectedAfter: Float64Array;
}

/** Colours, the second line of boxes, and what the colours mean. */
export interface ChangeColours {
  readonly colour: (row: number) => string;
  readonly value: (row: number) => string | undefined;
  readonly legend: readonly LegendEntry[];
}

/** Steps of the difference in shards, by part of what there was. */
const STEPS: readonly (readonly [below: number, token: string, words: string])[] = [
  [-0.1, '--under-2', 'more than 10 % fewer shards'],
  [-0.01, '--under-1', '1 to 10 % fewer'],
  [0.01, '--even', 'within 1 % of before'],
  [0.1, '--over-1', '1 to 10 % more'],
  [Number.POSITIVE_INFINITY, '--over-2', 'more than 10 % more'],
];

/** Sums up loads by row. */
export function rowLoads(rows: HierarchyRows, fills: OsdFills): RowLoads {
  const sum = (values: ArrayLike<number>): Float64Array => {
    const sums = new Float64Array(rows.count);
    for (let row = rows.count - 1; row >= 0; row--) {
      const id = rows.ids[row] ?? -1;
      if (id >= 0) sums[row] = values[id] ?? 0;
      const parent = rows.parents[row] ?? -1;
      if (parent >= 0) sums[parent] = (sums[parent] ?? 0) + (sums[row] ?? 0);
    }
    return sums;
  };
  return {
    shardsBefore: sum(fills.shardsBefore),
    shardsAfter: sum(fills.shardsAfter),
    expectedBefore: sum(fills.expectedBefore),
    expectedAfter: sum(fills.expectedAfter),
  };
}

/** The colours of a way. */
export function changeColours(by: ColourBy, rows: HierarchyRows, loads: RowLoads): ChangeColours {
  if (by === 'difference') return differenceColours(rows, loads);
  const [shards, expected] =
    by === 'changed' ? [loads.shardsAfter, loads.expectedAfter] : [loads.shardsBefore, loads.expectedBefore];
  const at = (row: number) => deviation(shards[row] ?? 0, expected[row] ?? 0);
  const counts = countOsds(rows, FILL_STEPS.length, (row) => fillStep(at(row)));
  return {
    colour: (row) => fillColour(at(row)),
    value: (row) => deviationText(at(row)),
    legend: [
      ...FILL_STEPS.map(({ token, words }, i) => entry(token, words, counts[i] ?? 0)),
      entry(NO_SHARE.token, NO_SHARE.words, counts[FILL_STEPS.length] ?? 0),
      ...USUAL_MARKS,
    ],
  };
}

/** How OSDs are marked that take no part, in the map after the changes. */
export function changeMark(rows: HierarchyRows, fills: OsdFills, row: number): PictureMark | undefined {
  if (!isOsd(rows, row)) return undefined;
  const id = rows.ids[row] ?? 0;
  // Bits 1 and 2: exists and up.
  if (((fills.states[id] ?? 0) & 3) !== 3) return 'crossed';
  return (fills.reweights[id] ?? 0) === 0 ? 'hatched' : undefined;
}

function differenceColours(rows: HierarchyRows, { shardsBefore, shardsAfter }: RowLoads): ChangeColours {
  const difference = (row: number) => (shardsAfter[row] ?? 0) - (shardsBefore[row] ?? 0);
  const part = (row: number) => {
    const own = difference(row);
    return own === 0 ? 0 : own / Math.max(1, shardsBefore[row] ?? 0);
  };
  const step = (row: number) => {
    const own = part(row);
    return STEPS.findIndex(([below]) => own < below);
  };
  const counts = countOsds(rows, STEPS.length, step);
  return {
    colour: (row) => `var(${STEPS[step(row)]?.[1] ?? '--even'})`,
    value: (row) => signed(difference(row)),
    legend: [...STEPS.map(([, token, words], i) => entry(token, words, counts[i] ?? 0)), ...USUAL_MARKS],
  };
}

/** OSDs by step; those of no step come last. */
function countOsds(rows: HierarchyRows, steps: number, stepOf: (row: number) => number): number[] {
  const counts = new Array<number>(steps + 1).fill(0);
  for (let row = 0; row < rows.count; row++) {
    if (!isOsd(rows, row)) continue;
    const step = stepOf(row);
    const slot = step < 0 ? steps : step;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  return counts;
}

function entry(token: string, words: string, osds: number): LegendEntry {
  return { colour: `var(${token})`, words, count: `(${counted(osds, 'OSD')})` };
}
