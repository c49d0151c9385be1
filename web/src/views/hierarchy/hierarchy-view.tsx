/** The hierarchy as a picture and as a tree table, with what each part carries against what its weight asks. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import { documentKey, documentOpen } from '../../app/document.ts';
import { route } from '../../app/route.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, decimal } from '../../parts/format.ts';
import { chosenPool, PoolChoice } from '../../parts/pool-choice.tsx';
import { searchWord } from '../../parts/search-word.ts';
import { useWorkerData } from '../../parts/use-worker-data.ts';
import { deviation, deviationText } from '../../picture/fill-scale.ts';
import { HierarchyPicture } from '../../picture/hierarchy-picture.tsx';
import { Legend } from '../../picture/legend.tsx';
import { rowOfItem } from '../../picture/rows.ts';
import type { HierarchyLoads } from '../../worker/topics/hierarchy-loads.ts';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';
import { type ColouringId, COLOURINGS, colouringOf } from './colouring.ts';
import { LoadFailures } from './load-failures.tsx';
import { TreeTable } from './tree-table.tsx';
import './hierarchy.css';

/** The hierarchy. */
export function HierarchyView() {
  const pool = chosenPool();
  // Answers are of the document as it was when they were asked for.
  const key = documentKey.value;
  const rows = useWorkerData(async () => ({ key, rows: await worker.hierarchy() }));
  const loads = useWorkerData(async () => ({ key, loads: await worker.hierarchyLoads(pool) }), [pool]);
  if (rows.error) return <ErrorNote error={rows.error} />;
  if (rows.data === undefined) return <p role="status">Reading the hierarchy …</p>;
  if (rows.data.rows.count === 0) return <p>This map has no buckets and no OSDs.</p>;
  const fitting = loads.data?.key === rows.data.key ? loads.data.loads : undefined;
  return (
    <>
      {documentOpen.value?.isMadeUp === true && (
        <p class="note">
          This file is a CRUSH map alone: all OSDs are taken as up and in, and the shards are those of pools
          that are made up, one for each rule.
        </p>
      )}
      {loads.error && <ErrorNote error={loads.error} title="The PGs cannot be counted" />}
      {fitting !== undefined && <LoadFailures failures={fitting.failures} />}
      <Hierarchy rows={rows.data.rows} loads={fitting} isWaiting={loads.isWaiting} />
    </>
  );
}

function Hierarchy({
  rows,
  loads,
  isWaiting,
}: {
  readonly rows: HierarchyRows;
  readonly loads: HierarchyLoads | undefined;
  readonly isWaiting: boolean;
}) {
  const [selected, select] = useSelectedRow(rows);
  const id = COLOURINGS.find(([each]) => each === route.display('colour'))?.[0] ?? 'fill';
  const colouring = useMemo(() => colouringOf(id, rows, loads), [id, rows, loads]);
  const facts = useCallback((row: number) => loadFacts(loads, row), [loads]);
  return (
    <>
      <div class="toolbar">
        <PoolChoice />
        <ColourChoice id={id} />
        {selected >= 0 && <PgsButton name={rows.names[selected] ?? ''} />}
        {isWaiting && (
          <span class="quiet" role="status">
            Counting PGs …
          </span>
        )}
      </div>
      <HierarchyPicture
        rows={rows}
        label="Hierarchy, areas by CRUSH weight"
        colour={colouring.colour}
        value={colouring.value}
        facts={facts}
        selected={selected}
        onSelect={select}
      />
      <Legend label="Colours and marks" entries={colouring.legend} />
      <TreeTable rows={rows} loads={loads} selected={selected} onSelect={select} />
    </>
  );
}

function PgsButton({ name }: { readonly name: string }) {
  return (
    <button type="button" onClick={() => route.go('pgs', { pgs: searchWord(name) })}>
      PGs of {name}
    </button>
  );
}

/** The row of the item that the page looks at; where an item has several rows, the one that was chosen. */
function useSelectedRow(rows: HierarchyRows): readonly [number, (row: number) => void] {
  const [chosen, choose] = useState(-1);
  const text = route.subject('item');
  const item = text === undefined || !/^-?\d+$/.test(text) ? undefined : Number(text);
  const selected = item !== undefined && rows.ids[chosen] === item ? chosen : rowOfItem(rows, item);
  const select = useCallback(
    (row: number) => {
      choose(row);
      route.set('subject', 'item', String(rows.ids[row] ?? ''));
    },
    [rows],
  );
  return [selected, select];
}

function loadFacts(loads: HierarchyLoads | undefined, row: number): (readonly [string, string])[] {
  if (loads === undefined) return [];
  const shards = loads.shards[row] ?? 0;
  const expected = loads.expected[row] ?? 0;
  return [
    ['shards', count(shards)],
    ['expected', decimal(expected)],
    ['deviation', deviationText(deviation(shards, expected))],
    ['primary of', `${count(loads.primaries[row] ?? 0)} PGs`],
  ];
}

function ColourChoice({ id }: { readonly id: ColouringId }) {
  return (
    <label>
      Colour{' '}
      <select
        value={id}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          route.set('display', 'colour', chosen === 'fill' ? undefined : chosen);
        }}
      >
        {COLOURINGS.map(([each, title]) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
