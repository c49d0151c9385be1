/** The hierarchy that the text describes, with what is new or weighs otherwise than in the open map. */
import { useCallback, useMemo } from 'preact/hooks';
import { signed } from '../../parts/format.ts';
import { HierarchyPicture } from '../../picture/hierarchy-picture.tsx';
import { Legend } from '../../picture/legend.tsx';
import { isOsd, rowOfItem } from '../../picture/rows.ts';
import { WEIGHT_ONE } from '../../../../src/crush/model.ts';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';
import { checked, cursorItem, draft, lastGood } from './text-state.ts';

const LEGEND = [
  { colour: 'var(--over-1)', words: 'weighs more' },
  { colour: 'var(--under-1)', words: 'weighs less' },
  { colour: 'var(--accent-ground)', words: 'new here' },
  { colour: 'var(--even)', words: 'as in the open map' },
] as const;

/** Weights nearer than this are the same: text has five decimals. */
const SAME = 4;

/** The picture. It follows the cursor, and a choice in it leads to the line. */
export function TextPicture({ onShow }: { readonly onShow: (item: number, isOsd: boolean) => void }) {
  const good = lastGood.value;
  const rows = good?.result.rows ?? draft.value?.start.rows;
  const base = draft.value?.start.rows;
  const changes = useMemo(() => (rows && base ? changesOf(rows, base) : undefined), [rows, base]);
  const colour = useCallback((row: number) => colourOf(changes?.[row] ?? 0), [changes]);
  const value = useCallback((row: number) => wordsOf(changes?.[row] ?? 0), [changes]);
  const select = useCallback(
    (row: number) => rows && onShow(rows.ids[row] ?? 0, isOsd(rows, row)),
    [rows, onShow],
  );
  const item = cursorItem.value;
  if (rows === undefined || changes === undefined) return null;
  const isOld = checked.value?.result.error !== undefined;
  return (
    <div class="text-picture">
      <HierarchyPicture
        rows={rows}
        label="Hierarchy of the text, areas by CRUSH weight"
        colour={colour}
        value={value}
        selected={item === undefined ? -1 : rowOfItem(rows, item)}
        onSelect={select}
      />
      <Legend label="Colours" entries={LEGEND} />
      {isOld && (
        <p class="quiet">
          {good === undefined
            ? 'The picture shows the open map: the text has an error.'
            : 'The picture shows the text before the error came in.'}
        </p>
      )}
    </div>
  );
}

/** Difference of each row's weight, 16.16; `NaN` where it did not stand in that bucket. */
function changesOf(rows: HierarchyRows, base: HierarchyRows): Float64Array {
  const keyOf = (of: HierarchyRows, row: number): string => {
    const parent = of.parents[row] ?? -1;
    return `${of.names[row] ?? ''}\n${parent < 0 ? '' : (of.names[parent] ?? '')}`;
  };
  const former = new Map<string, number>();
  for (let row = 0; row < base.count; row++) former.set(keyOf(base, row), base.weights[row] ?? 0);
  return Float64Array.from({ length: rows.count }, (_, row) => {
    const old = former.get(keyOf(rows, row));
    if (old === undefined) return NaN;
    const change = (rows.weights[row] ?? 0) - old;
    // A bucket's weight is a sum of rounded ones.
    const slack = SAME * Math.max(1, (rows.ends[row] ?? row + 1) - row);
    return Math.abs(change) <= slack ? 0 : change;
  });
}

function colourOf(change: number): string {
  if (Number.isNaN(change)) return 'var(--accent-ground)';
  return change === 0 ? 'var(--even)' : change > 0 ? 'var(--over-1)' : 'var(--under-1)';
}

function wordsOf(change: number): string | undefined {
  if (Number.isNaN(change)) return 'new here';
  return change === 0 ? undefined : signed(change / WEIGHT_ONE, 3);
}
