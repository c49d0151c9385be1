/** In what two maps differ, one thing after the other. */
import { useMemo } from 'preact/hooks';
import { route } from '../../app/route.ts';
import { count, counted } from '../../parts/format.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { DIFFERENCE_KINDS, type MapDifference } from '../../../../src/analysis/differences.ts';

const COLUMNS = [
  { key: 'kind', title: 'of', track: '13ch' },
  { key: 'subject', title: 'what', track: 'minmax(22ch, 1fr)' },
  { key: 'property', title: 'property', track: '18ch' },
  { key: 'before', title: 'before', track: 'minmax(20ch, 1.5fr)' },
  { key: 'after', title: 'after', track: 'minmax(20ch, 1.5fr)' },
] as const;

/** The table, with a choice of kinds. */
export function Differences({ differences }: { readonly differences: readonly MapDifference[] }) {
  const kinds = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { kind } of differences) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return DIFFERENCE_KINDS.flatMap((kind) => {
      const found = counts.get(kind);
      return found === undefined ? [] : [{ kind, found }];
    });
  }, [differences]);
  const kind = kinds.find((each) => each.kind === route.display('compare-kind'))?.kind;
  const rows = useMemo(
    () => (kind === undefined ? differences : differences.filter((each) => each.kind === kind)),
    [differences, kind],
  );
  if (differences.length === 0) {
    return <p role="status">Nothing that places data or that people set differs between the two maps.</p>;
  }
  return (
    <>
      <div class="toolbar">
        <label>
          Show{' '}
          <select
            value={kind ?? ''}
            onChange={(event) => route.set('display', 'compare-kind', event.currentTarget.value)}
          >
            <option value="">all ({count(differences.length)})</option>
            {kinds.map((each) => (
              <option key={each.kind} value={each.kind}>
                {each.kind} ({count(each.found)})
              </option>
            ))}
          </select>
        </label>
        <span class="quiet" role="status">
          {counted(rows.length, 'difference')}
        </span>
      </div>
      <VirtualTable
        label="Differences"
        columns={COLUMNS}
        rowCount={rows.length}
        cells={(row) => {
          const difference = rows[row];
          return difference && differenceCells(difference);
        }}
        onChoose={(row) => {
          const item = rows[row]?.item;
          if (item !== undefined) route.go('hierarchy', { item: String(item) });
        }}
      />
      <p class="quiet">
        Choose an OSD or bucket to see it in the hierarchy. Addresses, times and snapshots are not compared.
      </p>
    </>
  );
}

function differenceCells({ kind, subject, property, before, after }: MapDifference) {
  return [kind, subject, property, <Value key="before" text={before} />, <Value key="after" text={after} />];
}

function Value({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return <span class="quiet">not there</span>;
  return <span title={text}>{text === '' ? '(empty)' : text}</span>;
}
