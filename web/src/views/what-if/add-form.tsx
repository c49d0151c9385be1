/** New OSDs, a new host with OSDs, a new bucket. */
import { useState } from 'preact/hooks';
import { type MapChange, parseChanges } from '../../../../src/analysis/what-if.ts';
import { CrushError } from '../../../../src/errors.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { type PageError, toPageError } from '../../worker/page-error.ts';
import type { WhatIfChoices } from '../../worker/topics/what-if-choices.ts';
import { make } from './what-if-client.ts';

/** Most OSDs that the form adds at once. */
const MOST = 1000;

/** A form for OSDs in a host that is there or made, and one for a bucket. */
export function AddForm({ choices }: { readonly choices: WhatIfChoices }) {
  const [fields, setFields] = useState({ host: '', below: '', count: '1', weight: '1', deviceClass: '' });
  const set = (key: keyof typeof fields) => (event: { readonly currentTarget: HTMLInputElement }) =>
    setFields({ ...fields, [key]: event.currentTarget.value });
  const known = choices.buckets.find(({ name }) => name === fields.host);
  const parent = choices.buckets.find(({ name }) => name === fields.below);
  const count = Number(fields.count);
  const isRight =
    fields.host !== '' &&
    (known !== undefined || parent !== undefined) &&
    Number.isInteger(count) &&
    count >= 1 &&
    count <= MOST &&
    Number(fields.weight) >= 0;
  return (
    <form
      class="pool-fields"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isRight) return;
        const above = parent !== undefined && known === undefined ? { [parent.type]: parent.name } : {};
        make({
          kind: 'add-osds',
          osds: Array.from({ length: count }, (_, i) => choices.freeOsd + i),
          weight: Number(fields.weight),
          ...(fields.deviceClass !== '' && { deviceClass: fields.deviceClass }),
          location: { [known?.type ?? hostType(choices)]: fields.host, ...above },
        });
      }}
    >
      <label>
        <span>{hostType(choices)}</span>
        <input
          list="what-if-hosts"
          value={fields.host}
          placeholder="there already, or new"
          autocomplete="off"
          onInput={set('host')}
        />
      </label>
      <datalist id="what-if-hosts">
        {choices.buckets
          .filter(({ type }) => type === hostType(choices))
          .map(({ name }) => (
            <option key={name} value={name} />
          ))}
      </datalist>
      {known === undefined && (
        <label>
          <span>in</span>
          <input
            list="what-if-parents"
            value={fields.below}
            placeholder="a rack or root"
            autocomplete="off"
            onInput={set('below')}
          />
        </label>
      )}
      <datalist id="what-if-parents">
        {choices.buckets
          .filter(({ type }) => type !== hostType(choices))
          .map(({ name, type }) => (
            <option key={name} value={name}>
              {type}
            </option>
          ))}
      </datalist>
      <label>
        <span>new OSDs</span>
        <input type="number" min={1} max={MOST} value={fields.count} onInput={set('count')} />
      </label>
      <label>
        <span>weight of each</span>
        <input type="number" min={0} step="any" value={fields.weight} onInput={set('weight')} />
      </label>
      <label>
        <span>device class</span>
        <input
          list="what-if-classes"
          value={fields.deviceClass}
          placeholder="none"
          autocomplete="off"
          onInput={set('deviceClass')}
        />
      </label>
      <datalist id="what-if-classes">
        {choices.classes.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="submit" disabled={!isRight}>
        Add from osd.{choices.freeOsd} on
      </button>
    </form>
  );
}

/** Changes as words, for those that have no field. */
export function WordsForm() {
  const [text, setText] = useState('');
  const [error, setError] = useState<PageError>();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        try {
          const changes = parseChanges(text).map(demandChange);
          setError(undefined);
          for (const change of changes) make(change);
          setText('');
        } catch (thrown) {
          setError(toPageError(thrown));
        }
      }}
    >
      <div class="toolbar">
        <input
          class="words"
          aria-label="Changes in words"
          placeholder="out osd.3; add-bucket r9 type=rack root=default; class osd.1 ssd"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" disabled={text.trim() === ''}>
          Make
        </button>
      </div>
      <p class="quiet">
        As <code>crush-wasm whatif</code> takes them; several with <code>;</code> between.
      </p>
      {error !== undefined && <ErrorNote error={error} />}
    </form>
  );
}

function demandChange(change: ReturnType<typeof parseChanges>[number]): MapChange {
  if (change.kind !== 'crushmap-file') return change;
  throw new CrushError('bad-argument', 'files cannot be read here; open the CRUSH map, or edit it as text');
}

/** The type that OSDs stand in: the lowest above them. */
function hostType({ types }: WhatIfChoices): string {
  return types.includes('host') ? 'host' : (types[1] ?? 'host');
}
