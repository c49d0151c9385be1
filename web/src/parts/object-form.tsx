/** Where an object is: by pool, name, namespace and locator key. */
import { useState } from 'preact/hooks';
import { documentOpen } from '../app/document.ts';
import { route } from '../app/route.ts';
import { worker } from '../app/worker-client.ts';
import { ErrorNote } from './error-note.tsx';
import { pgName } from './format.ts';
import { chosenPool } from './pool-choice.tsx';
import { useSettled } from './use-settled.ts';
import { useWorkerData } from './use-worker-data.ts';
import { objectSubject } from './object-subject.ts';
import { SetLine } from './set-line.tsx';
import './object-form.css';

/** See the top of the file. */
export function ObjectForm({ onFound }: { readonly onFound: (pool: number, ps: number) => void }) {
  const pools = documentOpen.value?.pools ?? [];
  const [ownPool, setPool] = useState<number>();
  const [name, setName] = useState('');
  const [namespace, setNamespace] = useState('');
  const [key, setKey] = useState('');
  const [hasEscapes, setEscapes] = useState(false);
  const pool = pools.find(({ id }) => id === (ownPool ?? chosenPool()))?.id ?? pools[0]?.id;
  const asked = useSettled(JSON.stringify({ name, namespace, key, hasEscapes }), 150);
  const object = JSON.parse(asked) as Parameters<typeof worker.locateObject>[1];
  const isAsked = object.name !== '' && pool !== undefined;
  const found = useWorkerData(isAsked ? () => worker.locateObject(pool, object) : undefined, [pool, asked]);
  return (
    <section class="panel" aria-labelledby="object-title">
      <h3 id="object-title">Find an object</h3>
      <form class="object-form" onSubmit={(event) => event.preventDefault()}>
        <label>
          Pool
          <select value={String(pool ?? '')} onChange={(event) => setPool(Number(event.currentTarget.value))}>
            {pools.map((each) => (
              <option key={each.id} value={String(each.id)}>
                {each.id} {each.name}
              </option>
            ))}
          </select>
        </label>
        <TextField label="Object name" value={name} onText={setName} />
        <TextField label="Namespace" value={namespace} onText={setNamespace} hint="none" />
        <TextField label="Locator key" value={key} onText={setKey} hint="none" />
        <label class="check">
          <input
            type="checkbox"
            checked={hasEscapes}
            onChange={(event) => setEscapes(event.currentTarget.checked)}
          />
          <span>
            <code>\xNN</code> stands for a byte, <code>\\</code> for a backslash
          </span>
        </label>
      </form>
      {isAsked && found.error && <ErrorNote error={found.error} />}
      {isAsked && found.data && (
        <div role="status">
          <dl class="set-lines">
            <div>
              <dt>hash</dt>
              <dd class="mono">0x{found.data.hash.toString(16).padStart(8, '0')}</dd>
            </div>
            <div>
              <dt>PG</dt>
              <dd>
                <button
                  type="button"
                  onClick={() => onFound(found.data?.pg.pool ?? 0, found.data?.pg.ps ?? 0)}
                >
                  {pgName(found.data.pg.pool, found.data.pg.ps)}
                </button>
              </dd>
            </div>
            <SetLine title="up" osds={found.data.pg.up} primary={found.data.pg.upPrimary} />
            <SetLine title="acting" osds={found.data.pg.acting} primary={found.data.pg.actingPrimary} />
          </dl>
          <button
            type="button"
            onClick={() =>
              found.data &&
              route.go('explain', {
                pg: pgName(found.data.pg.pool, found.data.pg.ps),
                ...objectSubject(object),
              })
            }
          >
            Explain this object
          </button>
        </div>
      )}
    </section>
  );
}

function TextField({
  label,
  value,
  hint,
  onText,
}: {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly onText: (text: string) => void;
}) {
  return (
    <label>
      {label}
      <input
        type="text"
        value={value}
        placeholder={hint}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </label>
  );
}
