/** Where the user picks what to change: the picture, with the list beside it, see `item-list.tsx`. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import { route } from '../../app/route.ts';
import { count, signed } from '../../parts/format.ts';
import { HierarchyPicture } from '../../picture/hierarchy-picture.tsx';
import { Legend } from '../../picture/legend.tsx';
import { rowOfItem } from '../../picture/rows.ts';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';
import type { OsdFills } from '../../worker/what-if/fill.ts';
import { changeColours, changeMark, type ColourBy, COLOURS_BY, type RowLoads } from './change-colours.ts';

/** The item that is picked, by its CRUSH id; undefined: none. */
export function pickedItem(): number | undefined {
  const text = route.subject('item');
  return text !== undefined && /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** What the picture and the list show. */
export interface PickProps {
  readonly rows: HierarchyRows;
  readonly fills: OsdFills;
  readonly loads: RowLoads;
  /** The picked row, or -1. */
  readonly selected: number;
  readonly onSelect: (row: number) => void;
}

/** The picked row; where an item has several rows, the one that was chosen. */
export function usePickedRow(rows: HierarchyRows | undefined): readonly [number, (row: number) => void] {
  const item = pickedItem();
  const [chosen, choose] = useState(-1);
  const select = useCallback(
    (row: number) => {
      choose(row);
      route.set('subject', 'item', String(rows?.ids[row] ?? ''));
    },
    [rows],
  );
  if (rows === undefined || item === undefined) return [-1, select];
  return [rows.ids[chosen] === item ? chosen : rowOfItem(rows, item), select];
}

/** Picture and legend. */
export function PicturePanel({ rows, fills, loads, selected, onSelect }: PickProps) {
  const by = COLOURS_BY.find(([id]) => id === route.display('show'))?.[0] ?? 'changed';
  const colours = useMemo(() => changeColours(by, rows, loads), [by, rows, loads]);
  const facts = useCallback((row: number) => factsOf(loads, row), [loads]);
  const marks = useCallback((row: number) => changeMark(rows, fills, row), [rows, fills]);
  return (
    <section class="panel" aria-labelledby="pick-title">
      <h3 id="pick-title">Pick an OSD or bucket</h3>
      <div class="toolbar">
        <ColourByChoice by={by} />
      </div>
      <HierarchyPicture
        rows={rows}
        label="Hierarchy with the changes, areas by CRUSH weight"
        colour={colours.colour}
        value={colours.value}
        facts={facts}
        marks={marks}
        selected={selected}
        onSelect={onSelect}
        height="clamp(14rem, 36vh, 44rem)"
      />
      <Legend label="Colours and marks" entries={colours.legend} />
    </section>
  );
}

function factsOf(loads: RowLoads, row: number): (readonly [string, string])[] {
  const before = loads.shardsBefore[row] ?? 0;
  const after = loads.shardsAfter[row] ?? 0;
  return [
    ['shards', `${count(before)} → ${count(after)} (${signed(after - before)})`],
    [
      'by weight',
      `${(loads.expectedBefore[row] ?? 0).toFixed(1)} → ${(loads.expectedAfter[row] ?? 0).toFixed(1)}`,
    ],
  ];
}

function ColourByChoice({ by }: { readonly by: ColourBy }) {
  return (
    <fieldset class="colour-by">
      <legend class="visually-hidden">Colours show</legend>
      {COLOURS_BY.map(([id, title]) => (
        <label key={id}>
          <input
            type="radio"
            name="colour-by"
            checked={id === by}
            onChange={() => route.set('display', 'show', id === 'changed' ? undefined : id)}
          />{' '}
          {title}
        </label>
      ))}
    </fieldset>
  );
}
