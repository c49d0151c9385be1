/** What the changes do: what moves, between what, and what is left short. */
import { count, percent, signed } from '../../parts/format.ts';
import { documentOpen } from '../../app/document.ts';
import { route } from '../../app/route.ts';
import type { WhatIfAnswer } from '../../worker/topics/what-if.ts';
import type { MoveCounts } from '../../worker/what-if/tally.ts';
import { act, chosenType } from './what-if-client.ts';

/** Totals, pools and flows against the map as it was read. */
export function EffectPanel({ answer }: { readonly answer: WhatIfAnswer }) {
  const { effect, state } = answer;
  const { total, pools, failures, notes } = effect;
  return (
    <section class="panel effect" aria-labelledby="effect-title" data-version={state.version}>
      <h3 id="effect-title">Effect against the original</h3>
      <div>
        <p class="moved">
          <strong class="moved-share">{percent(share(total), 2)}</strong> of all shards move:{' '}
          <span class="moved-shards">{count(total.movedShards)}</span> of {count(total.shards)}, of{' '}
          {count(total.movedPgs)} of {count(total.pgs)} PGs
        </p>
        <Safety total={total} />
      </div>
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {failures.map(({ pool, name, reason }) => (
        <p key={pool} class="error">
          Pool {name} cannot be mapped: {reason}
        </p>
      ))}
      {documentOpen.value?.isMadeUp === true && (
        <p class="quiet">The pools are made up, one for each rule: shares tell more than counts.</p>
      )}
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Effect by pool">
        <table>
          <thead>
            <tr>
              <th scope="col">Pool</th>
              <th scope="col" class="number">
                Shards that move
              </th>
              <th scope="col" class="number">
                Share
              </th>
              <th scope="col" class="number">
                PGs
              </th>
              <th scope="col" class="number">
                Short of OSDs
              </th>
              <th scope="col" class="number">
                Below min_size
              </th>
            </tr>
          </thead>
          <tbody>
            {pools.map((pool) => (
              <tr key={pool.pool}>
                <th scope="row">{pool.name}</th>
                <td class="number">{count(pool.movedShards)}</td>
                <td class="number">{percent(share(pool), 2)}</td>
                <td class="number">{count(pool.movedPgs)}</td>
                <td class="number">{changeText(pool.before.undersized, pool.after.undersized)}</td>
                <td class="number">{changeText(pool.before.belowMinSize, pool.after.belowMinSize)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The effect in one line, which stays in sight, and the way back. */
export function EffectBar({ answer }: { readonly answer: WhatIfAnswer }) {
  const { total } = answer.effect;
  const { items, applied } = answer.history;
  const short = total.after.undersized;
  return (
    <div class="effect-bar">
      <p aria-live="polite">
        <strong>{percent(share(total), 2)}</strong> of all shards move ({count(total.movedShards)})
        {short > 0 && ` · ${count(short)} PGs short of OSDs`}
        {total.after.belowMinSize > 0 && ` · ${count(total.after.belowMinSize)} below min_size`}
        {total.lostPgs > 0 && ` · ${count(total.lostPgs)} unreadable`}
      </p>
      <button
        type="button"
        aria-label="Undo the last change"
        disabled={applied === 0}
        onClick={() => act({ kind: 'undo' })}
      >
        Undo
      </button>
      <button
        type="button"
        aria-label="Redo the next change"
        disabled={applied >= items.length}
        onClick={() => act({ kind: 'redo' })}
      >
        Redo
      </button>
    </div>
  );
}

/** Where shards come from and go to, by a level that the user chooses. */
export function FlowPanel({ answer }: { readonly answer: WhatIfAnswer }) {
  const { flows, levels } = answer.effect;
  const level = levels.find(({ type }) => type === answer.type)?.name ?? '';
  const most = Math.max(1, ...flows.top.map(({ shards }) => shards));
  return (
    <section class="panel" aria-labelledby="flows-title">
      <h3 id="flows-title">Flows between {plural(level)}</h3>
      <LevelChoice answer={answer} />
      {flows.count === 0 ? (
        <p class="quiet">Nothing moves.</p>
      ) : (
        <>
          <p>
            {count(flows.count)} {flows.count === 1 ? 'flow' : 'flows'}, {count(flows.shards)} shards
            {answer.type !== 0 && `; ${count(flows.within)} of them stay within their ${level}`}
          </p>
          <div class="scroll-x" tabIndex={0} role="region" aria-labelledby="flows-title">
            <table>
              <thead>
                <tr>
                  <th scope="col">From</th>
                  <th scope="col">To</th>
                  <th scope="col" class="number">
                    Shards
                  </th>
                  <th scope="col">
                    <span class="visually-hidden">Size</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {flows.top.map(({ source, target, shards }, i) => (
                  <tr key={i}>
                    <td>{source ?? 'nowhere (new)'}</td>
                    <td>{target ?? 'nowhere (dropped)'}</td>
                    <td class="number">{count(shards)}</td>
                    <td class="bar-cell">
                      <span class="bar" style={{ width: `${(shards / most) * 100}%` }} aria-hidden="true" />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {flows.count > flows.top.length && (
            <p class="quiet">The largest {flows.top.length}; none of the others has more.</p>
          )}
        </>
      )}
    </section>
  );
}

/** PGs that lack OSDs, in words that cannot be overlooked. */
function Safety({ total }: { readonly total: MoveCounts }) {
  const { before, after, lostPgs, rebuiltShards, movedShards } = total;
  const isSame =
    after.undersized === before.undersized && after.belowMinSize === before.belowMinSize && lostPgs === 0;
  return (
    <>
      {rebuiltShards > 0 && (
        <p>
          {count(rebuiltShards)} of {count(movedShards)} shards are rebuilt from others: the OSD that has them
          is down or gone.
        </p>
      )}
      {isSame ? (
        <p class="quiet">
          {after.undersized === 0
            ? 'Every PG has all its OSDs.'
            : `${count(after.undersized)} PGs are short of OSDs, as before.`}
        </p>
      ) : (
        <p class={after.undersized > before.undersized || lostPgs > 0 ? 'error' : 'note'}>
          PGs short of OSDs: {changeText(before.undersized, after.undersized)}; below min_size, so that they
          serve nothing: {changeText(before.belowMinSize, after.belowMinSize)}
          {lostPgs > 0 && `; ${count(lostPgs)} PGs whose data cannot be read from the OSDs that are up`}.
        </p>
      )}
    </>
  );
}

function LevelChoice({ answer }: { readonly answer: WhatIfAnswer }) {
  return (
    <label>
      Flows and fill by{' '}
      <select
        value={String(
          answer.effect.levels.some(({ type }) => type === chosenType()) ? chosenType() : answer.type,
        )}
        onChange={(event) => route.set('subject', 'level', event.currentTarget.value)}
      >
        {answer.effect.levels.map(({ type, name, count: items }) => (
          <option key={type} value={String(type)}>
            {name} ({count(items)})
          </option>
        ))}
      </select>
    </label>
  );
}

/** How a level's name is said of several. */
export function plural(level: string): string {
  return level === 'osd' ? 'OSDs' : `${level}s`;
}

function share({ movedShards, shards }: MoveCounts): number {
  return movedShards / Math.max(1, shards);
}

function changeText(before: number, after: number): string {
  return after === before ? count(after) : `${count(before)} → ${count(after)} (${signed(after - before)})`;
}
