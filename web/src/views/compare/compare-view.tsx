/** What differs between two maps, what moves from the one to the other, why, and what of it had to. */
import { useEffect, useState } from 'preact/hooks';
import { documentKey } from '../../app/document.ts';
import { route } from '../../app/route.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count } from '../../parts/format.ts';
import type { CompareAnswer } from '../../worker/topics/compare.ts';
import { ChangedPgs } from './changed-pgs.tsx';
import {
  cancelComparison,
  comparison,
  type ComparisonState,
  makeComparison,
  otherFile,
  readingOther,
  wanted,
} from './compare-state.ts';
import { Differences } from './differences.tsx';
import { Flows } from './flows.tsx';
import { OsdLoadTable } from './osd-load-table.tsx';
import { Overview } from './overview.tsx';
import { SideChoice } from './side-choice.tsx';
import './compare.css';

/** The parts of an answer, of which one is shown. */
const PARTS = [
  { id: 'moves', title: 'What moves' },
  { id: 'flows', title: 'Flows' },
  { id: 'osds', title: 'OSD load' },
  { id: 'pgs', title: 'Changed PGs' },
  { id: 'differences', title: 'Differences' },
] as const;
type PartId = (typeof PARTS)[number]['id'];

/** The view. */
export function CompareView() {
  const request = wanted.value;
  const key = [documentKey.value, JSON.stringify(request), otherFile.value?.name, readingOther.value].join(
    ' ',
  );
  useEffect(() => makeComparison(), [key]);
  const state = comparison.value;
  return (
    <>
      <SideChoice />
      {request === undefined && readingOther.value === undefined && (
        <p class="quiet">
          Nothing to compare yet: choose another file above, or change the open map under What-if or Text and
          come back to see it against the map as it was read.
        </p>
      )}
      {request !== undefined && state !== undefined && <State state={state} />}
    </>
  );
}

function State({ state }: { readonly state: ComparisonState }) {
  if (state.error !== undefined) {
    return (
      <>
        <ErrorNote error={state.error} title="The maps could not be compared" />
        <button type="button" onClick={() => makeComparison(true)}>
          Try again
        </button>
      </>
    );
  }
  if (state.isCancelled) {
    return (
      <p class="toolbar" role="status">
        Cancelled.{' '}
        <button type="button" onClick={() => makeComparison(true)}>
          Compare
        </button>
      </p>
    );
  }
  if (state.since !== undefined) return <Running since={state.since} />;
  return state.answer === undefined ? null : <Answer answer={state.answer} />;
}

function Running({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="toolbar">
      <span role="status">Comparing …</span>
      <span class="quiet" aria-hidden="true">
        {(Math.max(0, now - since) / 1000).toFixed(1)} s
      </span>
      <progress aria-label="Comparing" />
      <button type="button" onClick={cancelComparison}>
        Cancel
      </button>
    </p>
  );
}

function Answer({ answer }: { readonly answer: CompareAnswer }) {
  const { moves, failure, notes, differences } = answer;
  const [first = ''] = moves?.summary ?? [];
  const asked = route.display('compare-part');
  const parts = PARTS.filter(({ id }) => moves !== undefined || id === 'differences');
  const shown = parts.find(({ id }) => id === asked)?.id ?? parts[0]?.id;
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {failure !== undefined && <ErrorNote error={failure} title="What moves cannot be computed" />}
      {moves !== undefined && (
        <p class="compare-headline" role="status">
          {first}
        </p>
      )}
      <div class="compare-parts" role="tablist" aria-label="Parts of the comparison" onKeyDown={onTabKey}>
        {parts.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`part-${id}`}
            aria-selected={id === shown}
            aria-controls="compare-part"
            tabIndex={id === shown ? 0 : -1}
            onClick={() => route.set('display', 'compare-part', id)}
          >
            {title} <span class="quiet">{countOf(id, answer)}</span>
          </button>
        ))}
      </div>
      <div id="compare-part" role="tabpanel" aria-labelledby={`part-${shown ?? ''}`} class="compare-part">
        {shown === 'moves' && moves !== undefined && <Overview id={answer.id} moves={moves} />}
        {shown === 'flows' && moves !== undefined && <Flows id={answer.id} moves={moves} />}
        {shown === 'osds' && moves !== undefined && <OsdLoadTable osds={moves.osds} />}
        {shown === 'pgs' && moves !== undefined && <ChangedPgs id={answer.id} moves={moves} />}
        {shown === 'differences' && <Differences differences={differences} />}
      </div>
    </>
  );
}

function countOf(part: PartId, { moves, differences }: CompareAnswer): string {
  if (part === 'pgs') return count(moves?.total.changedPgs ?? 0);
  if (part === 'differences') return count(differences.length);
  return '';
}

/** Arrow keys go from tab to tab. */
function onTabKey(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')];
  const at = tabs.findIndex((tab) => tab === document.activeElement);
  const next = tabs[(at + step + tabs.length) % tabs.length];
  next?.focus();
  next?.click();
  event.preventDefault();
}
