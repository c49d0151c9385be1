/** Why a PG or an object lies where it lies: from its name over every draw to its acting set. */
import { useState } from 'preact/hooks';
import type { PgTrace } from '../../../../src/analysis/explain.ts';
import {
  foldedText,
  NO_OVERLAY,
  objectHashText,
  objectText,
  overlayLines,
  pgTitle,
  ruleText,
  seedText,
} from '../../../../src/analysis/explain/pg-words.ts';
import { documentOpen } from '../../app/document.ts';
import { route } from '../../app/route.ts';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { pgName } from '../../parts/format.ts';
import { askedObject } from '../../parts/object-subject.ts';
import { parsePg } from '../../parts/pg-id.ts';
import { chosenPool } from '../../parts/pool-choice.tsx';
import { SetLine } from '../../parts/set-line.tsx';
import { useWorkerData } from '../../parts/use-worker-data.ts';
import type { ExplainSubject } from '../../worker/topics/explain.ts';
import { Subject } from './draw-list.tsx';
import { ExplainPicture } from './explain-picture.tsx';
import { ExplainToolbar } from './explain-toolbar.tsx';
import { type FoldWish, FoldWishes } from './fold.tsx';
import { RuleStory } from './rule-story.tsx';
import { TextButtons } from './text-buttons.tsx';
import './explain.css';

/** The view. */
export function ExplainView() {
  const subject = askedSubject();
  const key = subject && JSON.stringify(subject);
  const { data, error, isWaiting } = useWorkerData(
    subject &&
      (async () => {
        const trace = await worker.explain(subject);
        return { trace, subject, key };
      }),
    [key],
  );
  if (documentOpen.value === undefined) return null;
  if (subject === undefined) return <p>This map has no pools, so there are no PGs to explain.</p>;
  return (
    <>
      <ExplainToolbar subject={subject} ps={data?.key === key ? (data?.trace.pgid.ps ?? 0) : subject.ps} />
      {error && <ErrorNote error={error} title="This cannot be explained" />}
      {data === undefined && isWaiting && <p role="status">Explaining …</p>}
      {data && (
        <Subject.Provider value={data.subject}>
          <Story key={data.key} trace={data.trace} />
        </Subject.Provider>
      )}
    </>
  );
}

/** What the page's place asks for; else the first PG of the pool that is looked at, or of any. */
function askedSubject(): ExplainSubject | undefined {
  const open = documentOpen.value;
  const side = open?.isChanged === true && route.display('side') === 'original' ? 'original' : 'current';
  const pg = parsePg(route.subject('pg') ?? '');
  if (pg !== undefined) return { ...pg, object: askedObject(), side };
  const pools = open?.pools.filter(({ pgNum }) => pgNum > 0) ?? [];
  const pool = pools.find(({ id }) => id === chosenPool()) ?? pools[0];
  return pool && { pool: pool.id, ps: 0, side };
}

function Story({ trace }: { readonly trace: PgTrace }) {
  const [wish, setWish] = useState<FoldWish>({ isOpen: false, number: 0 });
  const wishFor = (isOpen: boolean) => setWish(({ number }) => ({ isOpen, number: number + 1 }));
  return (
    <div class="explain">
      <section class="panel explain-result" aria-labelledby="explain-title">
        <h3 id="explain-title">{pgTitle(trace)}</h3>
        <dl class="set-lines">
          {trace.object && (
            <div>
              <dt>object</dt>
              <dd>{objectText(trace.object).replace(/^object /, '')}</dd>
            </div>
          )}
          <SetLine title="up" osds={trace.up} primary={trace.upPrimary} />
          <SetLine title="acting" osds={trace.acting} primary={trace.actingPrimary} />
        </dl>
        <TextButtons pg={pgName(trace.pgid.pool, trace.pgid.ps)} />
      </section>
      <section class="explain-picture" aria-label="Where it is in the hierarchy">
        <ExplainPicture trace={trace} />
      </section>
      <div class="explain-story">
        <section class="panel" aria-labelledby="seed-title">
          <h3 id="seed-title">1. From the name to the rule’s input</h3>
          <SeedStory trace={trace} />
        </section>
        <section class="panel" aria-labelledby="rule-title">
          <div class="panel-head">
            <h3 id="rule-title">2. What the rule chooses</h3>
            <span>
              <button type="button" onClick={() => wishFor(true)}>
                Open all
              </button>{' '}
              <button type="button" onClick={() => wishFor(false)}>
                Close all
              </button>
            </span>
          </div>
          <FoldWishes.Provider value={wish}>
            <RuleStory trace={trace.crush} />
          </FoldWishes.Provider>
          <HowToRead />
        </section>
        <section class="panel" aria-labelledby="overlay-title">
          <h3 id="overlay-title">3. What the OSDMap lays over it</h3>
          <ul class="overlay">
            {trace.overlay.flatMap((step, i) =>
              overlayLines(step).map((line, j) => <li key={`${i}:${j}`}>{line}</li>),
            )}
            {trace.overlay.length === 0 && <li>{NO_OVERLAY}</li>}
          </ul>
        </section>
        <section class="panel" aria-labelledby="sets-title">
          <h3 id="sets-title">4. The result</h3>
          <dl class="set-lines">
            <SetLine title="raw" osds={trace.raw} primary={trace.rawPrimary} />
            <SetLine title="up" osds={trace.up} primary={trace.upPrimary} />
            <SetLine title="acting" osds={trace.acting} primary={trace.actingPrimary} />
          </dl>
        </section>
      </div>
    </div>
  );
}

function SeedStory({ trace }: { readonly trace: PgTrace }) {
  const folded = foldedText(trace);
  const lines: (readonly [string, string])[] = [
    ...(trace.object === undefined
      ? []
      : [
          ['object', objectText(trace.object)] as const,
          ['hash', objectHashText(trace.object, trace)] as const,
        ]),
    ...(folded === undefined ? [] : [['note', folded] as const]),
    ['seed', seedText(trace)],
    ['rule', ruleText(trace)],
  ];
  return (
    <dl class="set-lines">
      {lines.map(([title, text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function HowToRead() {
  return (
    <details class="how-to-read">
      <summary>How to read this</summary>
      <p>
        For each place the rule goes down from a bucket, draw by draw. r is what tells the draws of one PG
        from each other: the number of the replica, and the failures before it. In a straw2 bucket each item
        draws ln(u) / weight, where u is the low 16 bits of hash(x, item, r) and ln the logarithm of u in
        fixed point, 0 or below: the greatest draw wins, and so an item of twice the weight wins twice as
        often. What is drawn is taken unless it is in use already (a collision) or its reweight refuses it
        (out); then the rule tries again with another r.
      </p>
    </details>
  );
}
