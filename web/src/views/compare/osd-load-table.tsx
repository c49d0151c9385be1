/** What each OSD has before and after. */
import { useMemo } from 'preact/hooks';
import { route } from '../../app/route.ts';
import { count, signed } from '../../parts/format.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import type { CompareOsds } from '../../worker/topics/compare.ts';

/** What can be ordered by; `osd` is ascending at first, the others descending. */
const FIELDS = [
  { key: 'osd', title: 'OSD' },
  { key: 'before', title: 'shards before' },
  { key: 'after', title: 'shards after' },
  { key: 'change', title: 'change' },
  { key: 'coming', title: 'coming' },
  { key: 'leaving', title: 'leaving' },
  { key: 'primariesBefore', title: 'primaries before' },
  { key: 'primariesAfter', title: 'primaries after' },
] as const;
type Field = (typeof FIELDS)[number]['key'];

/** The table. Choosing an OSD shows its changed PGs. */
export function OsdLoadTable({ osds }: { readonly osds: CompareOsds }) {
  const asked = route.display('compare-osds') ?? '-change';
  const isDescending = asked.startsWith('-');
  const field = FIELDS.find(({ key }) => key === asked.replace('-', ''))?.key ?? 'change';
  const order = useMemo(() => ordered(osds, field, isDescending), [osds, field, isDescending]);
  const columns = FIELDS.map(({ key, title }) => ({
    key,
    title,
    track: key === 'osd' ? 'minmax(9ch, 1fr)' : 'minmax(12ch, 1fr)',
    isNumber: key !== 'osd',
    sorted: key === field ? (isDescending ? ('descending' as const) : ('ascending' as const)) : undefined,
    onSort: () => {
      const turned = key === field ? !isDescending : key !== 'osd';
      route.set('display', 'compare-osds', `${turned ? '-' : ''}${key}`);
    },
  }));
  return (
    <>
      <p class="quiet">
        OSDs with shards on either side. By change, those that gain most come first. Choose an OSD to see its
        changed PGs.
      </p>
      <VirtualTable
        label="OSD load before and after"
        columns={columns}
        rowCount={order.length}
        cells={(row) => {
          const osd = order[row] ?? 0;
          return FIELDS.map(({ key }) => {
            const value = valueOf(osds, osd, key);
            return key === 'osd' ? `osd.${osd}` : key === 'change' ? signed(value) : count(value);
          });
        }}
        onChoose={(row) => {
          route.set('subject', 'moved', `osd.${order[row] ?? 0}`);
          route.set('subject', 'pool', '');
          route.set('display', 'compare-cause', '');
          route.set('display', 'compare-part', 'pgs');
        }}
        empty="No OSD has a shard."
      />
    </>
  );
}

function ordered(osds: CompareOsds, field: Field, isDescending: boolean): Int32Array {
  const some: number[] = [];
  for (let osd = 0; osd < osds.shardsBefore.length; osd++) {
    if ((osds.shardsBefore[osd] ?? 0) + (osds.shardsAfter[osd] ?? 0) > 0) some.push(osd);
  }
  const sign = isDescending ? -1 : 1;
  return Int32Array.from(some).sort(
    (a, b) => sign * (valueOf(osds, a, field) - valueOf(osds, b, field)) || a - b,
  );
}

function valueOf(osds: CompareOsds, osd: number, field: Field): number {
  switch (field) {
    case 'osd':
      return osd;
    case 'before':
      return osds.shardsBefore[osd] ?? 0;
    case 'after':
      return osds.shardsAfter[osd] ?? 0;
    case 'change':
      return (osds.shardsAfter[osd] ?? 0) - (osds.shardsBefore[osd] ?? 0);
    default:
      return osds[field][osd] ?? 0;
  }
}
