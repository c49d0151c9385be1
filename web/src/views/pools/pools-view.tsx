/** Pools with how their PGs are, and rules with what they do. */
import { useEffect } from 'preact/hooks';
import { route } from '../../app/route.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, counted, weight } from '../../parts/format.ts';
import { useWorkerData } from '../../parts/use-worker-data.ts';
import type { PoolRow, RuleRow } from '../../worker/topics/pools.ts';
import './pools.css';

/** The view. */
export function PoolsView() {
  const { data, error, isWaiting } = useWorkerData(() => worker.pools());
  const askedRule = route.subject('rule');
  useEffect(() => {
    if (data === undefined || askedRule === undefined) return;
    goToRule(Number(askedRule));
    // Once: coming back to the view shows it from its top.
    route.set('subject', 'rule', undefined);
  }, [data, askedRule]);
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return isWaiting ? <p role="status">Counting …</p> : null;
  return (
    <>
      <section class="panel" aria-labelledby="pools-title">
        <h3 id="pools-title">{counted(data.pools.length, 'pool')}</h3>
        {data.pools.length > 0 && (
          // Scrolls by keyboard too.
          <div class="scroll-x" tabIndex={0} role="region" aria-labelledby="pools-title">
            <PoolTable pools={data.pools} />
          </div>
        )}
      </section>
      <section aria-labelledby="rules-title" class="rules">
        <h3 id="rules-title">{counted(data.rules.length, 'rule')}</h3>
        <div class="panels">
          {data.rules.map((rule) => (
            <RulePanel key={rule.id} rule={rule} pools={data.pools} />
          ))}
        </div>
      </section>
    </>
  );
}

function PoolTable({ pools }: { readonly pools: readonly PoolRow[] }) {
  return (
    <table class="pool-table">
      <thead>
        <tr>
          <th class="number">id</th>
          <th>pool</th>
          <th>type</th>
          <th class="number">size / min</th>
          <th class="number">PGs</th>
          <th>rule</th>
          <th>used for</th>
          <th class="number">undersized</th>
          <th class="number">inactive</th>
          <th class="number">remapped</th>
          <th class="number">upmapped</th>
        </tr>
      </thead>
      <tbody>
        {pools.map((pool) => (
          <tr key={pool.id} aria-current={route.subject('pool') === String(pool.id) ? 'true' : undefined}>
            <td class="number">{pool.id}</td>
            <th scope="row">
              <button
                type="button"
                class="link"
                aria-label={`PGs of pool ${pool.name}`}
                onClick={() => route.go('pgs', { pool: String(pool.id) })}
              >
                {pool.name}
              </button>
            </th>
            <td>
              {pool.type}
              {pool.profile !== '' && <span class="quiet"> {pool.profile}</span>}
            </td>
            <td class="number">
              {pool.size} / {pool.minSize}
            </td>
            <td class="number">
              {count(pool.pgNum)}
              {pool.pgNumTarget !== undefined && <span class="quiet"> → {count(pool.pgNumTarget)}</span>}
              {pool.pgpNum !== pool.pgNum && <span class="quiet"> (placed as {count(pool.pgpNum)})</span>}
            </td>
            <td>
              {pool.rule < 0 ? (
                <span class="bad">none</span>
              ) : (
                <a href={`#rule-${pool.rule}`} onClick={(event) => showRule(event, pool.rule)}>
                  {pool.ruleName}
                </a>
              )}
            </td>
            <td>{pool.applications.join(', ')}</td>
            {typeof pool.pgs === 'string' ? (
              <td colSpan={4} class="bad">
                cannot be mapped: {pool.pgs}
              </td>
            ) : (
              <>
                <Bad value={pool.pgs.undersized} />
                <Bad value={pool.pgs.inactive} />
                <td class="number">{count(pool.pgs.remapped)}</td>
                <td class="number">{count(pool.pgs.upmapped)}</td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bad({ value }: { readonly value: number }) {
  return <td class={value > 0 ? 'number bad' : 'number'}>{count(value)}</td>;
}

function RulePanel({ rule, pools }: { readonly rule: RuleRow; readonly pools: readonly PoolRow[] }) {
  const names = rule.pools.map((id) => pools.find((pool) => pool.id === id)?.name ?? String(id));
  return (
    <article class="panel" id={`rule-${rule.id}`} tabIndex={-1} aria-labelledby={`rule-title-${rule.id}`}>
      <h3 id={`rule-title-${rule.id}`}>
        {rule.name}{' '}
        <span class="quiet">
          rule {rule.id}, {rule.type}
        </span>
      </h3>
      <p>
        {rule.osds === 0
          ? 'It reaches no OSD that is in.'
          : `It reaches ${counted(rule.osds, 'OSD')} of weight ${weight(rule.weight)}`}
        {rule.osds > 0 &&
          rule.failureDomains.length > 0 &&
          `, choosing by ${rule.failureDomains.join(', then ')}.`}
      </p>
      <pre class="steps" tabIndex={0} aria-label={`Steps of rule ${rule.name}`}>
        {rule.steps.join('\n')}
      </pre>
      <p class="quiet">{names.length === 0 ? 'No pool uses it.' : `Used by ${names.join(', ')}.`}</p>
    </article>
  );
}

/** Goes to a rule without leaving a word about it in the address. */
function showRule(event: MouseEvent, rule: number): void {
  event.preventDefault();
  goToRule(rule);
}

function goToRule(rule: number): void {
  const panel = document.getElementById(`rule-${rule}`);
  panel?.scrollIntoView({ block: 'center' });
  panel?.focus();
}
