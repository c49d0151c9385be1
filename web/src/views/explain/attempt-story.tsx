/** How a place is filled: attempt by attempt, each a way down the hierarchy with its verdict. */
import type { Attempt, LeafTrace, PlaceTrace } from '../../../../src/analysis/explain.ts';
import { foldedText, nextText, verdictText } from '../../../../src/analysis/explain/rule-words.ts';
import { plural } from '../../../../src/analysis/explain/words.ts';
import { DrawList } from './draw-list.tsx';
import { Fold } from './fold.tsx';

/** Attempts of a place that are shown at once: the first ones, and the last. */
const SHOWN_FIRST = 3;

/** All attempts of a place, those in the middle folded where they are many. */
export function Attempts({
  place,
  type,
  tries,
}: {
  readonly place: PlaceTrace;
  /** What is looked for. */
  readonly type: string;
  readonly tries: number;
}) {
  const { attempts, omitted } = place;
  const hasFold = attempts.length > SHOWN_FIRST + 2 || omitted > 0;
  const first = hasFold ? attempts.slice(0, Math.min(SHOWN_FIRST, attempts.length - 1)) : attempts;
  const folded = hasFold ? attempts.slice(first.length, -1) : [];
  const last = hasFold ? attempts.slice(-1) : [];
  return (
    <ol class="attempts">
      {first.map((attempt, i) => (
        <AttemptStory key={i} attempt={attempt} type={type} tries={tries} />
      ))}
      {hasFold && folded.length + omitted > 0 && (
        <li>
          <Fold title={foldedText(folded, omitted)}>
            {() => (
              <ol class="attempts">
                {folded.map((attempt, i) => (
                  <AttemptStory key={i} attempt={attempt} type={type} tries={tries} />
                ))}
              </ol>
            )}
          </Fold>
        </li>
      )}
      {last.map((attempt) => (
        <AttemptStory key="last" attempt={attempt} type={type} tries={tries} />
      ))}
    </ol>
  );
}

function AttemptStory({
  attempt,
  type,
  tries,
}: {
  readonly attempt: Attempt;
  readonly type: string;
  readonly tries: number;
}) {
  const isChosen = attempt.verdict.code === 'chosen';
  const verdict = verdictText(attempt, type) ?? `taken: ${attempt.item?.name ?? ''}`;
  return (
    <li class={isChosen ? 'attempt chosen' : 'attempt failed'}>
      <DrawList draws={attempt.draws} />
      {attempt.leaf && <LeafStory leaf={attempt.leaf} />}
      <p class="verdict">
        <span aria-hidden="true">{isChosen ? '✓' : '✕'}</span> {verdict}
        {nextText(attempt, tries)}
      </p>
    </li>
  );
}

function LeafStory({ leaf }: { readonly leaf: LeafTrace }) {
  return (
    <div class="leaf">
      <p class="quiet">
        a device below {leaf.bucket.name}: r {leaf.replica} + {leaf.parentR},{' '}
        {plural(leaf.tries, 'try', 'tries')}
      </p>
      <Attempts place={leaf} type="device" tries={leaf.tries} />
    </div>
  );
}

/** The way to what was chosen for a place, over all its levels. */
export function chosenWay(place: PlaceTrace): readonly string[] {
  const attempt = place.attempts.at(-1);
  if (attempt?.verdict.code !== 'chosen') return [];
  const draws = [...attempt.draws, ...(attempt.leaf?.attempts.at(-1)?.draws ?? [])];
  return [draws[0]?.bucket.name ?? '', ...draws.map(({ item }) => item.name)];
}
