/** A rule's steps, and how each place is filled. */
import type { ChooseTrace, PlaceTrace, RuleTrace } from '../../../../src/analysis/explain.ts';
import {
  malformedText,
  placeTitle,
  ruleTitle,
  stepText,
} from '../../../../src/analysis/explain/rule-words.ts';
import { setText } from '../../../../src/analysis/explain/words.ts';
import { Attempts, chosenWay } from './attempt-story.tsx';
import { Fold } from './fold.tsx';
import { MsrStory } from './msr-story.tsx';

/** See the top of the file. */
export function RuleStory({ trace }: { readonly trace: RuleTrace }) {
  if (trace.rule.type === undefined) return <p>Without a rule, nothing is chosen.</p>;
  return (
    <>
      <p>{ruleTitle(trace)}</p>
      <ol class="steps">
        {trace.steps.map((step) => {
          if (step.kind === 'msr-block') return <MsrStory key={step.step} block={step} />;
          const text = stepText(step);
          return (
            <li key={step.step} class="step">
              <p class="step-title">
                step {step.step} <code>{step.text}</code>
              </p>
              {text !== undefined && <p class="step-text">{text}</p>}
              {step.kind === 'choose' && <Choices step={step} />}
            </li>
          );
        })}
      </ol>
      {trace.malformed !== undefined && <p>{malformedText(trace.malformed)}</p>}
      <p>
        The rule gives <span class="mono">{setText(trace.result)}</span>.
      </p>
    </>
  );
}

function Choices({ step }: { readonly step: ChooseTrace }) {
  const isSplit = step.choices.length > 1;
  return (
    <>
      {step.passedOver.map(({ id, name }) => (
        <p key={id} class="step-text">
          nothing below {name}
        </p>
      ))}
      {step.choices.map(({ bucket, places }, i) => (
        <div key={`${i}:${bucket.id}`} class={isSplit ? 'choice' : ''}>
          {isSplit && <p class="step-text">below {bucket.name}</p>}
          {places.map((place, at) => (
            <PlaceStory key={at} place={place} step={step} isFirst={i === 0 && at === 0} />
          ))}
        </div>
      ))}
    </>
  );
}

function PlaceStory({
  place,
  step,
  isFirst,
}: {
  readonly place: PlaceTrace;
  readonly step: ChooseTrace;
  readonly isFirst: boolean;
}) {
  const way = chosenWay(place);
  const title = (
    <>
      <b>{placeTitle(place, step)}</b>
      {way.length > 0 && <span class="way">{way.join(' › ')}</span>}
    </>
  );
  return (
    <Fold
      title={title}
      kind="place"
      isOpenAtFirst={isFirst || place.failures > 0 || place.item === undefined}
    >
      {() => <Attempts place={place} type={step.type} tries={step.tries} />}
    </Fold>
  );
}
