/** One PG: its sets, where their OSDs are, what names it. */
import { route } from '../../app/route.ts';
import { counted, pgName } from '../../parts/format.ts';
import { OsdButton } from '../../parts/osd-set.tsx';
import { SetLine } from '../../parts/set-line.tsx';
import { OSD_IN } from '../../../../src/osdmap/model.ts';
import type { PgDetail, PgOsd } from '../../worker/topics/pgs.ts';
import { flagWords } from '../../worker/topics/pgs/flags.ts';

/** See the top of the file. */
export function PgPanel({ pg }: { readonly pg: PgDetail }) {
  const name = pgName(pg.pool, pg.ps);
  const notes = flagWords(pg.flags);
  const isActingUp = pg.acting.join() === pg.up.join() && pg.actingPrimary === pg.upPrimary;
  return (
    <section class="panel pg-panel" aria-labelledby="pg-title">
      <h3 id="pg-title">PG {name}</h3>
      <p class="quiet">
        pool {pg.pool} <b>{pg.poolName}</b>, {pg.isErasure ? 'erasure' : 'replicated'}, size {pg.size},
        min_size {pg.minSize}
        {notes.length > 0 && <>; {notes.join(', ')}</>}
      </p>
      <dl class="set-lines">
        <SetLine title="up" osds={pg.up} primary={pg.upPrimary} />
        {isActingUp ? (
          <div>
            <dt>acting</dt>
            <dd class="quiet">as up</dd>
          </div>
        ) : (
          <SetLine title="acting" osds={pg.acting} primary={pg.actingPrimary} />
        )}
        {pg.raw.join() !== pg.up.join() && <SetLine title="raw" osds={pg.raw} />}
        {pg.upBefore && <SetLine title="up before the changes" osds={pg.upBefore} />}
        {pg.actingBefore && <SetLine title="acting before the changes" osds={pg.actingBefore} />}
        {pg.upmap && <SetLine title="pg_upmap" osds={pg.upmap} />}
        {pg.upmapItems && (
          <div>
            <dt>pg_upmap_items</dt>
            <dd>
              {pg.upmapItems.map(([from, to], i) => (
                <span key={i} class="upmap-pair">
                  <OsdButton osd={from} /> → <OsdButton osd={to} />
                </span>
              ))}
            </dd>
          </div>
        )}
        {pg.upmapPrimary !== undefined && <SetLine title="pg_upmap_primary" osds={[pg.upmapPrimary]} />}
        {pg.pgTemp && <SetLine title="pg_temp" osds={pg.pgTemp} />}
        {pg.primaryTemp !== undefined && <SetLine title="primary_temp" osds={[pg.primaryTemp]} />}
      </dl>
      <p>
        <button type="button" class="main" onClick={() => route.go('explain', { pg: name, object: '' })}>
          Explain this PG
        </button>
      </p>
      {pg.osds.length > 0 && <Places osds={pg.osds} />}
    </section>
  );
}

function Places({ osds }: { readonly osds: readonly PgOsd[] }) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={`${counted(osds.length, 'OSD')} of this PG`}>
      <table class="pg-places">
        <thead>
          <tr>
            <th>OSD</th>
            <th>where</th>
            <th>state</th>
          </tr>
        </thead>
        <tbody>
          {osds.map(({ osd, path, ...state }) => (
            <tr key={osd}>
              <td>
                <OsdButton osd={osd} />
              </td>
              <td>{path.map(({ name }) => name).join(' › ') || 'in no bucket'}</td>
              <td>{osd < 0 ? '' : stateWords(state)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function stateWords({ exists, isUp, reweight }: Pick<PgOsd, 'exists' | 'isUp' | 'reweight'>): string {
  if (!exists) return 'does not exist';
  const isIn =
    reweight === 0 ? 'out' : reweight === OSD_IN ? 'in' : `reweight ${(reweight / OSD_IN).toFixed(3)}`;
  return `${isUp ? 'up' : 'down'}, ${isIn}`;
}
