/** One directory closely: what each rank counts of its fragments. */
import { HIT_KINDS } from '../../../../src/mds/load.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { counted, decimal, percent } from '../../parts/format.ts';
import type { MdsTree } from '../../worker/topics/mds/tree.ts';
import { useMdsData } from './mds-state.ts';
import { RankLabel } from './ranks-table.tsx';
import { ScrollX } from './scroll-x.tsx';

const VECTORS = ['pop_me', 'pop_nested', 'pop_auth_subtree', 'pop_auth_subtree_nested'] as const;

/** See the top of the file. */
export function DirectoryDetail({ tree, row }: { readonly tree: MdsTree; readonly row: number }) {
  const path = tree.paths[row] ?? '';
  const { data, error } = useMdsData((settings) => worker.mdsDirectory(settings, path), [path]);
  const all = tree.loads[0] ?? 0;
  const load = tree.loads[row] ?? 0;
  return (
    <div class="mds-detail" role="region" aria-label="Chosen directory">
      <h4 class="mds-path">{path === '' ? '/' : path}</h4>
      <p>
        <RankLabel rank={tree.ranks[row] ?? -1} /> has authority
        {tree.bounds[row] === 1 && ', and a subtree begins here'}; meta_load {decimal(load)} at the last beat,{' '}
        {percent(all > 0 ? load / all : 0)} of all
        {tree.pins[row] === '' ? '' : `; pinned: ${tree.pins[row] ?? ''}`}.
      </p>
      {error && <ErrorNote error={error} />}
      {data?.fragments.length === 0 && <p class="quiet">No rank reports counters of it itself.</p>}
      {data !== undefined && data.fragments.length > 0 && (
        <ScrollX label="Counters by rank">
          <table>
            <caption class="visually-hidden">
              What each rank counts, as reported: hits on its own entries by kind, and meta_load of the four
              vectors
            </caption>
            <thead>
              <tr>
                <th scope="col">Counted by</th>
                <th scope="col">Fragment</th>
                {HIT_KINDS.map((kind) => (
                  <th key={kind} scope="col" class="number">
                    {kind}
                  </th>
                ))}
                {VECTORS.map((vector) => (
                  <th key={vector} scope="col" class="number" title={`meta_load of ${vector}`}>
                    <code>{vector}</code>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.fragments.map(({ rank, fragment, popMe, metaLoads }) => (
                <tr key={`${rank} ${fragment}`}>
                  <th scope="row">
                    <RankLabel rank={rank} />
                  </th>
                  <td class="mono">{fragment}</td>
                  {popMe.map((value, kind) => (
                    <td key={kind} class="number">
                      {decimal(value)}
                    </td>
                  ))}
                  {metaLoads.map((value, vector) => (
                    <td key={vector} class="number">
                      {decimal(value)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
      {data !== undefined && data.more > 0 && <p class="quiet">And {counted(data.more, 'fragment')} more.</p>}
    </div>
  );
}
