/** What PGs are asked for: pool, words, a choice; the way to one PG; and what is found as a file. */
import { useId, useState } from 'preact/hooks';
import { route } from '../../app/route.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { PgField } from '../../parts/pg-field.tsx';
import { PoolChoice } from '../../parts/pool-choice.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { toPageError, type PageError } from '../../worker/page-error.ts';
import type { PgQuery } from '../../worker/topics/pgs.ts';
import { PG_CHOICES, type PgChoice } from '../../worker/topics/pgs/flags.ts';

/** See the top of the file. */
export function PgToolbar({
  query,
  isChanged,
  hasFound,
  onGo,
}: {
  readonly query: PgQuery;
  readonly isChanged: boolean;
  readonly hasFound: boolean;
  readonly onGo: (pool: number, ps: number) => void;
}) {
  return (
    <>
      <div class="toolbar">
        <PoolChoice />
        <Search />
        <label class="pg-only">
          Only{' '}
          <select
            value={query.only ?? ''}
            onChange={(event) => route.set('display', 'pgs-only', event.currentTarget.value)}
          >
            <option value="">all PGs</option>
            {PG_CHOICES.map(({ id, title, needsChange }: PgChoice) => (
              <option key={id} value={id} disabled={needsChange === true && !isChanged}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <PgField label="Go to PG" button="Go" onPg={onGo} />
        <SaveButton query={query} isUsable={hasFound} />
      </div>
      <SearchHelp />
    </>
  );
}

function Search() {
  const help = useId();
  return (
    <label class="pg-search">
      <span>Search</span>
      <input
        type="search"
        value={route.subject('pgs') ?? ''}
        placeholder="osd.3 host1 primary:osd.5 4.1f"
        aria-describedby={help}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        onInput={(event) => route.set('subject', 'pgs', event.currentTarget.value)}
      />
      <span id={help} class="visually-hidden">
        OSDs, buckets, or beginnings of PG ids; all words must hold. The words are explained below.
      </span>
    </label>
  );
}

function SearchHelp() {
  return (
    <details class="search-help">
      <summary>What a search may say</summary>
      <dl>
        <Word word="osd.3 osd.5">PGs that have both OSDs, up or acting</Word>
        <Word word="osd.3,osd.5">one of them</Word>
        <Word word="host1">
          an OSD below the bucket; the beginning of a name takes all buckets that begin so
        </Word>
        <Word word="class:ssd">an OSD of the device class</Word>
        <Word word="primary:osd.3">
          the acting primary; up-primary:, up: and acting: likewise, also with buckets
        </Word>
        <Word word="4.1f">PGs whose ids begin so</Word>
        <Word word="is:remapped">{PG_CHOICES.map(({ id }) => id).join(', ')}</Word>
      </dl>
      <p>All words must hold. Names with blanks or commas are put in double quotes.</p>
    </details>
  );
}

function Word({ word, children }: { readonly word: string; readonly children: string }) {
  return (
    <div>
      <dt>
        <code>{word}</code>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function SaveButton({ query, isUsable }: { readonly query: PgQuery; readonly isUsable: boolean }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<PageError>();
  return (
    <>
      <button
        type="button"
        disabled={!isUsable || isBusy}
        onClick={() => {
          setBusy(true);
          setError(undefined);
          worker
            .pgCsv(query)
            .then((file) => saveFile(file, 'pgs.csv'))
            .catch((reason: unknown) => setError(toPageError(reason)))
            .finally(() => setBusy(false));
        }}
      >
        {isBusy ? 'Writing …' : 'Save as CSV'}
      </button>
      {error && <ErrorNote error={error} />}
    </>
  );
}
