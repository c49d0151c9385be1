/** Changes of pools, rules and tunables. */
import { useState } from 'preact/hooks';
import { POOL_CHANGE_FIELDS, type PoolChangeField } from '../../../../src/analysis/what-if/changes.ts';
import type { TunablesProfile } from '../../../../src/crush/tunables.ts';
import type { PoolChoiceRow, WhatIfChoices } from '../../worker/topics/what-if-choices.ts';
import { make } from './what-if-client.ts';

const TITLES: Readonly<Record<PoolChangeField, string>> = {
  rule: 'rule',
  size: 'size',
  min_size: 'min_size',
  pg_num: 'pg_num',
  pgp_num: 'pgp_num',
};

/** One pool's fields. */
export function PoolEditor({ choices }: { readonly choices: WhatIfChoices }) {
  const [chosen, choose] = useState('');
  const pool = choices.pools.find(({ id }) => String(id) === chosen) ?? choices.pools[0];
  if (pool === undefined) return <p>This map has no pools.</p>;
  return (
    <>
      <label>
        Pool{' '}
        <select value={String(pool.id)} onChange={(event) => choose(event.currentTarget.value)}>
          {choices.pools.map(({ id, name }) => (
            <option key={id} value={String(id)}>
              {id} {name}
            </option>
          ))}
        </select>
      </label>
      <div class="pool-fields">
        {POOL_CHANGE_FIELDS.map((field) =>
          field === 'rule' ? (
            <RuleField key={field} pool={pool} choices={choices} />
          ) : (
            <NumberField key={`${pool.id} ${field}`} pool={pool} field={field} />
          ),
        )}
      </div>
      {pool.isErasure && <p class="quiet">The size of an erasure pool cannot be changed.</p>}
    </>
  );
}

function RuleField({ pool, choices }: { readonly pool: PoolChoiceRow; readonly choices: WhatIfChoices }) {
  return (
    <label>
      <span>rule</span>
      <select value={pool.rule} onChange={(event) => change(pool, 'rule', event.currentTarget.value)}>
        {choices.rules
          .filter(({ isErasure, name }) => isErasure === pool.isErasure || name === pool.rule)
          .map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        {!choices.rules.some(({ name }) => name === pool.rule) && <option>{pool.rule}</option>}
      </select>
    </label>
  );
}

function NumberField({
  pool,
  field,
}: {
  readonly pool: PoolChoiceRow;
  readonly field: Exclude<PoolChangeField, 'rule'>;
}) {
  const now = { size: pool.size, min_size: pool.minSize, pg_num: pool.pgNum, pgp_num: pool.pgpNum }[field];
  const [draft, setDraft] = useState<string>();
  const text = draft ?? String(now);
  const isOther = text !== String(now);
  const isPgs = field === 'pg_num' || field === 'pgp_num';
  const set = (value: string) => {
    setDraft(undefined);
    change(pool, field, value);
  };
  return (
    <form
      class="number-field"
      onSubmit={(event) => {
        event.preventDefault();
        if (isOther) set(text);
      }}
    >
      <label>
        <span>{TITLES[field]}</span>
        <input
          type="number"
          min={1}
          step={1}
          value={text}
          disabled={field === 'size' && pool.isErasure}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={!isOther} aria-label={`Set ${field}`}>
        Set
      </button>
      {isPgs && (
        <>
          <button
            type="button"
            aria-label={`${field} ÷ 2`}
            onClick={() => set(String(Math.max(1, now >> 1)))}
          >
            ÷ 2
          </button>
          <button type="button" aria-label={`${field} × 2`} onClick={() => set(String(now * 2))}>
            × 2
          </button>
        </>
      )}
    </form>
  );
}

function change(pool: PoolChoiceRow, field: PoolChangeField, value: string): void {
  make({ kind: 'pool', pool: pool.name === '' ? String(pool.id) : pool.name, field, value });
}

/** Failure domains of rules, and the profile of tunables. */
export function RuleEditor({ choices }: { readonly choices: WhatIfChoices }) {
  return (
    <>
      <div class="pool-fields">
        {choices.rules.map(({ name, failureDomain }) => (
          <label key={name}>
            <span>{name}: failure domain</span>
            <select
              value={failureDomain ?? ''}
              disabled={failureDomain === undefined}
              onChange={(event) =>
                make({ kind: 'failure-domain', rule: name, type: event.currentTarget.value })
              }
            >
              {failureDomain === undefined && <option value="">several steps</option>}
              {choices.types.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </select>
          </label>
        ))}
        <label>
          <span>tunables</span>
          <select
            value={choices.profile ?? ''}
            onChange={(event) =>
              make({ kind: 'tunables', profile: event.currentTarget.value as TunablesProfile })
            }
          >
            {choices.profile === undefined && <option value="">no profile</option>}
            {choices.profiles.map((profile) => (
              <option key={profile}>{profile}</option>
            ))}
          </select>
        </label>
      </div>
      <p class="quiet">A rule that chooses in several steps has no single failure domain: edit it as text.</p>
    </>
  );
}
