/** A weight by a slider and a number, whose steps are one change as long as the user stays in the field. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { newGesture } from './what-if-client.ts';

/** A slider and a number for the same value. */
export function WeightField({
  label,
  value,
  max,
  step,
  decimals,
  onValue,
}: {
  readonly label: string;
  /** Undefined: several values at once. */
  readonly value: number | undefined;
  readonly max: number;
  readonly step: number;
  readonly decimals: number;
  readonly onValue: (value: number, gesture: number) => void;
}) {
  const gesture = useRef(0);
  const [draft, setDraft] = useState<string>();
  // While the user is at it, the field shows what the user gave, not what the worker has come to so far.
  const [isHeld, hold] = useState(false);
  const shown = value === undefined ? '' : value.toFixed(decimals);
  useEffect(() => {
    if (!isHeld) setDraft(undefined);
  }, [value, isHeld]);
  const text = draft ?? shown;
  const begin = () => {
    gesture.current = newGesture();
    hold(true);
  };
  const end = () => hold(false);
  const give = (next: string) => {
    setDraft(next);
    const number = Number(next);
    if (next.trim() !== '' && Number.isFinite(number) && number >= 0) onValue(number, gesture.current);
  };
  return (
    <div class="weight-field" role="group" aria-label={label}>
      <span class="weight-label">{label}</span>
      <input
        type="range"
        aria-label={`${label}, slider`}
        min={0}
        max={max}
        step={step}
        value={text === '' ? 0 : text}
        aria-valuetext={text === '' ? 'several values' : text}
        onPointerDown={begin}
        onFocus={begin}
        onPointerUp={end}
        onBlur={end}
        onInput={(event) => give(event.currentTarget.value)}
      />
      <input
        type="number"
        aria-label={label}
        min={0}
        step={step}
        placeholder={value === undefined ? 'several' : ''}
        value={text}
        onFocus={begin}
        onBlur={end}
        onInput={(event) => give(event.currentTarget.value)}
      />
    </div>
  );
}
