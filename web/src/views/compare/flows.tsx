/** Between which OSDs, hosts, racks shards move. */
import { route } from '../../app/route.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, counted } from '../../parts/format.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import type { CompareFlows, CompareMoves } from '../../worker/topics/compare.ts';
import { useMore } from './use-more.ts';

const COLUMNS = [
  { key: 'source', title: 'from', track: 'minmax(12ch, 1fr)' },
  { key: 'target', title: 'to', track: 'minmax(12ch, 1fr)' },
  { key: 'shards', title: 'shards', track: '10ch', isNumber: true },
  { key: 'bar', title: 'of the greatest', track: 'minmax(6rem, 2fr)' },
] as const;

/** Flows by a level that can be chosen: the lowest type of bucket above OSDs at first. */
export function Flows({ id, moves }: { readonly id: number; readonly moves: CompareMoves }) {
  const { levels } = moves;
  const asked = route.display('compare-level');
  const level = levels.find(({ name }) => name === asked) ?? levels[1] ?? levels[0];
  const type = level?.type ?? 0;
  const { data, error } = useMore((api) => api.compareFlows(id, type), [id, type]);
  return (
    <>
      <div class="toolbar">
        <label>
          Between{' '}
          <select
            value={level?.name}
            onChange={(event) => route.set('display', 'compare-level', event.currentTarget.value)}
          >
            {levels.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {data !== undefined && (
          <span class="quiet" role="status">
            {counted(data.shards.length, 'flow')}, {counted(sum(data.shards), 'shard')}
            {withinText(data, level?.name ?? '')}
          </span>
        )}
      </div>
      {error && <ErrorNote error={error} />}
      {data !== undefined && (
        <VirtualTable
          label="Flows of shards"
          columns={COLUMNS}
          rowCount={data.shards.length}
          cells={(row) => flowCells(data, row)}
          empty="No shard moves."
          {...(type === 0 && { onChoose: (row: number) => showPgsOf(data, row) })}
        />
      )}
    </>
  );
}

function flowCells(flows: CompareFlows, row: number) {
  const { shards } = flows;
  const source = nameAt(flows, flows.sources[row]);
  const target = nameAt(flows, flows.targets[row]);
  const part = (shards[row] ?? 0) / (shards[0] ?? 1);
  return [
    source ?? <span class="quiet">none (new)</span>,
    target ?? <span class="quiet">none (dropped)</span>,
    count(shards[row] ?? 0),
    <div key="bar" class="flow-bar" style={{ width: `${(part * 100).toFixed(1)}%` }} />,
  ];
}

/** How many shards stay in their bucket, such as from one OSD of a host to another. */
function withinText({ sources, targets, shards }: CompareFlows, level: string): string {
  let within = 0;
  for (const [i, source] of sources.entries()) {
    if (source >= 0 && source === targets[i]) within += shards[i] ?? 0;
  }
  return within === 0 ? '' : `; ${count(within)} of them stay in their ${level}`;
}

function showPgsOf(flows: CompareFlows, row: number): void {
  const words = [nameAt(flows, flows.sources[row]), nameAt(flows, flows.targets[row])].filter(Boolean);
  route.set('subject', 'moved', words.join(' '));
  route.set('subject', 'pool', '');
  route.set('display', 'compare-cause', '');
  route.set('display', 'compare-part', 'pgs');
}

function nameAt({ names }: CompareFlows, index: number | undefined): string | undefined {
  return index === undefined || index < 0 ? undefined : names[index];
}

function sum(values: Uint32Array): number {
  return values.reduce((total, value) => total + value, 0);
}
