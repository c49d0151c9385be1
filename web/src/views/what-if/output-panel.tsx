/** What to take away: the comparison in full, the commands, the map. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { documentKey, documentOpen } from '../../app/document.ts';
import { worker } from '../../app/worker-client.ts';
import { copyText } from '../../parts/copy-text.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, percent } from '../../parts/format.ts';
import { saveFile } from '../../parts/save-file.ts';
import { useWorkerData } from '../../parts/use-worker-data.ts';
import { type PageError, toPageError } from '../../worker/page-error.ts';
import type { FullComparison, SavedForm } from '../../worker/topics/what-if-output.ts';

/** The comparison with floor and causes, on demand. */
export function ComparisonPanel() {
  const [wanted, want] = useState<string>();
  const key = documentKey.value;
  const { data, error } = useWorkerData(wanted === key ? () => worker.whatIfComparison() : undefined, [
    wanted,
  ]);
  const isAsked = wanted === key;
  return (
    <section class="panel" aria-labelledby="comparison-title">
      <h3 id="comparison-title">What could not be avoided, and why it moves</h3>
      {!isAsked && (
        <button type="button" onClick={() => want(key)}>
          Full comparison
        </button>
      )}
      {isAsked && error && <ErrorNote error={error} />}
      {isAsked && !error && data === undefined && <p role="status">Comparing …</p>}
      {isAsked && data !== undefined && <Comparison result={data} />}
    </section>
  );
}

function Comparison({ result }: { readonly result: FullComparison }) {
  const { total, pools, causes } = result;
  return (
    <>
      <p>
        {count(total.movedShards)} shards move; any placement that is as even would have to move{' '}
        {count(total.floor.shards)} ({percent(total.floor.shards / Math.max(1, total.shards), 2)} of all).
      </p>
      <div class="scroll-x" tabIndex={0} role="region" aria-labelledby="comparison-title">
        <table>
          <thead>
            <tr>
              <th scope="col">Pool</th>
              <th scope="col" class="number">
                Moves
              </th>
              <th scope="col" class="number">
                Has to
              </th>
              <th scope="col" class="number">
                PGs that keep no OSD
              </th>
            </tr>
          </thead>
          <tbody>
            {pools.map((pool) => (
              <tr key={pool.name}>
                <th scope="row">{pool.name}</th>
                <td class="number">{count(pool.movedShards)}</td>
                <td class="number">{count(pool.floor.shards)}</td>
                <td class="number">{count(pool.replacedPgs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {causes.length > 0 && (
          <table>
            <thead>
              <tr>
                <th scope="col">Cause</th>
                <th scope="col" class="number">
                  PGs
                </th>
                <th scope="col" class="number">
                  Shards
                </th>
              </tr>
            </thead>
            <tbody>
              {causes.map(({ cause, pgs, shards }) => (
                <tr key={cause}>
                  <th scope="row">{cause}</th>
                  <td class="number">{count(pgs)}</td>
                  <td class="number">{count(shards)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </>
  );
}

/** The commands that make the changes, to copy. */
export function CommandPanel() {
  const { data, error } = useWorkerData(() => worker.whatIfCommands());
  const area = useRef<HTMLTextAreaElement>(null);
  const [copied, setCopied] = useState<string>();
  const text = data?.text ?? '';
  useEffect(() => setCopied(undefined), [text]);
  const isMadeUp = documentOpen.value?.isMadeUp === true;
  return (
    <section class="panel" aria-labelledby="commands-title">
      <h3 id="commands-title">Commands for the cluster</h3>
      {error && <ErrorNote error={error} />}
      {text === '' ? (
        <p class="quiet">No change yet.</p>
      ) : (
        <>
          {isMadeUp && <p class="quiet">Pools are made up: their commands are for no pool of yours.</p>}
          <textarea
            ref={area}
            class="commands mono"
            readOnly
            rows={Math.min(12, text.split('\n').length)}
            value={text}
            aria-label="Commands"
            wrap="off"
          />
          <div class="toolbar">
            <button type="button" onClick={() => void copyText(text, area.current).then(setCopied)}>
              Copy
            </button>
            <span role="status">{copied}</span>
          </div>
          {data?.needsCrushFile === true && (
            <p class="note">The commands take the CRUSH map from a file: save it below.</p>
          )}
          <p class="quiet">
            Read them before you run them. Buckets that the cluster makes may get other ids than here, so that
            other PGs move; how much moves is about the same.
          </p>
        </>
      )}
    </section>
  );
}

const FORMS: readonly (readonly [SavedForm, string, string])[] = [
  ['osdmap', 'OSDMap', 'osdmap.changed'],
  ['crushmap', 'CRUSH map', 'crushmap.changed'],
  ['crushmap-text', 'CRUSH map as text', 'crushmap.changed.txt'],
];

/** Buttons that save the map with the changes. */
export function SavePanel() {
  const [error, setError] = useState<PageError>();
  const isMadeUp = documentOpen.value?.isMadeUp === true;
  return (
    <section class="panel" aria-labelledby="save-title">
      <h3 id="save-title">Save the map with the changes</h3>
      <div class="toolbar">
        {FORMS.filter(([form]) => form !== 'osdmap' || !isMadeUp).map(([form, title, name]) => (
          <button
            key={form}
            type="button"
            onClick={() => {
              worker.savedMap(form).then(
                (bytes) => {
                  setError(undefined);
                  saveFile(new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
                },
                (thrown: unknown) => setError(toPageError(thrown)),
              );
            }}
          >
            {title}
          </button>
        ))}
      </div>
      {error && <ErrorNote error={error} />}
    </section>
  );
}
