/** Pools whose PGs are not counted. */
import { documentOpen } from '../../app/document.ts';
import type { HierarchyLoads } from '../../worker/topics/hierarchy-loads.ts';

/** A note for each reason, with the pools it is the reason for; nothing where all pools were counted. */
export function LoadFailures({ failures }: Pick<HierarchyLoads, 'failures'>) {
  const byReason = new Map<string, number[]>();
  for (const { pool, reason } of failures) byReason.set(reason, [...(byReason.get(reason) ?? []), pool]);
  const pools = documentOpen.value?.pools ?? [];
  const nameOf = (id: number) => `'${pools.find((pool) => pool.id === id)?.name ?? id}'`;
  return (
    <>
      {[...byReason].map(([reason, ids]) => (
        <p class="note" key={reason}>
          {ids.length === pools.length && ids.length > 1
            ? 'No pool is'
            : ids.length === 1
              ? `Pool ${ids.map(nameOf).join('')} is not`
              : `Pools ${ids.map(nameOf).join(', ')} are not`}{' '}
          counted: {reason}
        </p>
      ))}
    </>
  );
}
