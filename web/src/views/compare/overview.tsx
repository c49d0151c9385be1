/** What moves in all, by cause and by pool. */
import { useState } from 'preact/hooks';
import { route } from '../../app/route.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, percent } from '../../parts/format.ts';
import { saveFile } from '../../parts/save-file.ts';
import { toPageError, type PageError } from '../../worker/page-error.ts';
import type { CompareMoves } from '../../worker/topics/compare.ts';
import { CAUSE_WORDS } from './causes.ts';
import { askMore } from './compare-state.ts';

/** The overview. */
export function Overview({ id, moves }: { readonly id: number; readonly moves: CompareMoves }) {
  const { total, causes, poolsAdded, poolsRemoved } = moves;
  // The first sentence is the headline.
  const sentences = moves.summary.slice(1);
  return (
    <>
      <div class="panels">
        <section class="panel" aria-labelledby="sum-title">
          <h3 id="sum-title">In all</h3>
          {total.shards > 0 && total.movedShards > 0 && <MovedBar moves={moves} />}
          <ul class="sentences">
            {sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
            {poolsAdded.length > 0 && (
              <li>pools only in the map after, not counted: {poolsAdded.join(', ')}</li>
            )}
            {poolsRemoved.length > 0 && (
              <li>pools only in the map before, not counted: {poolsRemoved.join(', ')}</li>
            )}
          </ul>
          <Downloads id={id} />
        </section>
        {causes.length > 0 && (
          <section class="panel" aria-labelledby="causes-title">
            <h3 id="causes-title">Why</h3>
            <table>
              <thead>
                <tr>
                  <th>cause</th>
                  <th class="number">PGs</th>
                  <th class="number">shards</th>
                </tr>
              </thead>
              <tbody>
                {causes.map(({ cause, pgs, shards }) => (
                  <tr key={cause}>
                    <th scope="row">
                      <button type="button" class="link" onClick={() => showPgs({ cause })}>
                        {cause}
                      </button>
                      <span class="quiet cause-words"> {CAUSE_WORDS[cause]}</span>
                    </th>
                    <td class="number">{count(pgs)}</td>
                    <td class="number">{count(shards)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
      </div>
      <section class="panel" aria-labelledby="pools-title">
        <h3 id="pools-title">By pool</h3>
        <div class="scroll-x" tabIndex={0} role="region" aria-labelledby="pools-title">
          <PoolTable moves={moves} />
        </div>
      </section>
    </>
  );
}

/** The part of all shards that moves, and of that what had to. */
function MovedBar({ moves }: { readonly moves: CompareMoves }) {
  const { shards, movedShards, floor } = moves.total;
  const part = (value: number): string => `${(100 * Math.min(1, value / shards)).toFixed(2)}%`;
  return (
    <div
      class="moved-bar"
      role="img"
      aria-label={`${percent(movedShards / shards)} of all shards move, at least ${percent(floor.shards / shards)} had to`}
    >
      <div class="moved-part" style={{ width: part(movedShards) }} />
      <div class="floor-mark" style={{ left: part(floor.shards) }} />
      <span class="moved-legend">
        {percent(movedShards / shards)} moves · the line is the floor, {percent(floor.shards / shards)}
      </span>
    </div>
  );
}

function Downloads({ id }: { readonly id: number }) {
  const [error, setError] = useState<PageError>();
  const [isBusy, setBusy] = useState(false);
  const save = async (format: 'csv' | 'json', name: string): Promise<void> => {
    setError(undefined);
    setBusy(true);
    try {
      saveFile(await askMore((api) => api.compareFile(id, format)), name);
    } catch (failure) {
      setError(toPageError(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="toolbar">
      <button type="button" disabled={isBusy} onClick={() => void save('csv', 'changed-pgs.csv')}>
        Save changed PGs (CSV)
      </button>
      <button type="button" disabled={isBusy} onClick={() => void save('json', 'comparison.json')}>
        Save all (JSON)
      </button>
      {isBusy && <span role="status">Writing …</span>}
      {error && <ErrorNote error={error} />}
    </div>
  );
}

function PoolTable({ moves }: { readonly moves: CompareMoves }) {
  const { pools, total } = moves;
  const rows = [
    ...pools.map((pool) => ({ key: String(pool.pool), ...pool })),
    { key: '', name: 'all', ...total },
  ];
  return (
    <table>
      <thead>
        <tr>
          <th class="number">id</th>
          <th>pool</th>
          <th class="number">PGs</th>
          <th class="number">PGs move</th>
          <th class="number">shards</th>
          <th class="number">move</th>
          <th class="number">%</th>
          <th class="number">floor</th>
          <th class="number">ratio</th>
          <th class="number">primaries</th>
          <th class="number">short</th>
          <th class="number">below min_size</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((pool) => (
          <tr key={pool.key} class={pool.key === '' ? 'all' : ''}>
            <td class="number">{pool.key}</td>
            <th scope="row">
              {pool.key === '' || pool.changedPgs === 0 ? (
                pool.name
              ) : (
                <button type="button" class="link" onClick={() => showPgs({ pool: pool.key })}>
                  {pool.name}
                </button>
              )}
            </th>
            <td class="number">{count(pool.pgs)}</td>
            <td class="number">{count(pool.movedPgs)}</td>
            <td class="number">{count(pool.shards)}</td>
            <td class="number">{count(pool.movedShards)}</td>
            <td class="number">{percent(pool.shards === 0 ? 0 : pool.movedShards / pool.shards)}</td>
            <td class="number">{count(pool.floor.shards)}</td>
            <td class="number">
              {pool.floor.shards === 0 ? '–' : `×${(pool.movedShards / pool.floor.shards).toFixed(2)}`}
            </td>
            <td class="number">{count(pool.changedPrimaries)}</td>
            <td class="number">
              {count(pool.before.degraded)} → {count(pool.after.degraded)}
            </td>
            <td class="number">
              {count(pool.before.belowMinSize)} → {count(pool.after.belowMinSize)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function showPgs({ pool = '', cause = '' }: { readonly pool?: string; readonly cause?: string }): void {
  route.set('subject', 'moved', '');
  route.set('subject', 'pool', pool);
  route.set('display', 'compare-cause', cause);
  route.set('display', 'compare-part', 'pgs');
}
