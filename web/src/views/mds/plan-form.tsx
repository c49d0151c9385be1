/** What is to be planned. */
import { useEffect, useState } from 'preact/hooks';
import { MAX_MDS } from '../../../../src/mds/rank-mask.ts';
import { useSettled } from '../../parts/use-settled.ts';
import { planSettings } from './plan-state.ts';

/** Most pins that may be asked for, as of the command. */
const MOST_PINS = 1000;

/**
 * The form; changes count once they rest, and only where they fit.
 *
 * @param ranks - as many as are planned for now
 */
export function PlanForm({ ranks }: { readonly ranks: number | undefined }) {
  const [text, setText] = useState(() => {
    const { ranks: wanted, tolerance, maxPins, mount } = planSettings.peek();
    return {
      ranks: String(wanted ?? ''),
      tolerance: String(tolerance * 100),
      maxPins: String(maxPins),
      mount,
    };
  });
  const settled = useSettled(text, 300);
  useEffect(() => {
    const next = {
      ...planSettings.value,
      ranks:
        settled.ranks === '' ? undefined : (whole(settled.ranks, 1, MAX_MDS) ?? planSettings.value.ranks),
      tolerance: tolerance(settled.tolerance) ?? planSettings.value.tolerance,
      maxPins: whole(settled.maxPins, 0, MOST_PINS) ?? planSettings.value.maxPins,
      mount: isMount(settled.mount) ? settled.mount : planSettings.value.mount,
    };
    if (JSON.stringify(next) !== JSON.stringify(planSettings.value)) planSettings.value = next;
  }, [settled]);
  const set = (change: Partial<typeof text>) => setText((last) => ({ ...last, ...change }));
  return (
    <form class="mds-plan-form" onSubmit={(event) => event.preventDefault()}>
      <Field
        label="Ranks"
        value={text.ranks}
        hint={String(ranks ?? '')}
        problem={text.ranks !== '' && whole(text.ranks, 1, MAX_MDS) === undefined ? `1 to ${MAX_MDS}` : ''}
        onText={(value) => set({ ranks: value })}
      />
      <Field
        label="Tolerance in %"
        value={text.tolerance}
        problem={tolerance(text.tolerance) === undefined ? '0 to 100' : ''}
        onText={(value) => set({ tolerance: value })}
      />
      <Field
        label="Most pins"
        value={text.maxPins}
        problem={whole(text.maxPins, 0, MOST_PINS) === undefined ? `0 to ${MOST_PINS}` : ''}
        onText={(value) => set({ maxPins: value })}
      />
      <Field
        label="Mounted at"
        value={text.mount}
        isWide
        problem={isMount(text.mount) ? '' : 'an absolute path'}
        onText={(value) => set({ mount: value })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={planSettings.value.repin}
          onChange={(event) => {
            planSettings.value = { ...planSettings.value, repin: event.currentTarget.checked };
          }}
        />{' '}
        may change static pins that are there
      </label>
    </form>
  );
}

function Field({
  label,
  value,
  hint,
  problem,
  isWide = false,
  onText,
}: {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  /** What would fit, where the value does not; else empty. */
  readonly problem: string;
  readonly isWide?: boolean;
  readonly onText: (text: string) => void;
}) {
  return (
    <label>
      {label}{' '}
      <input
        type="text"
        class={isWide ? 'mds-wide' : 'mds-number'}
        value={value}
        placeholder={hint}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={problem !== ''}
        onInput={(event) => onText(event.currentTarget.value.trim())}
      />
      {problem !== '' && (
        <span class="mds-odd" role="alert">
          {' '}
          {problem}
        </span>
      )}
    </label>
  );
}

function whole(text: string, least: number, most: number): number | undefined {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function tolerance(text: string): number | undefined {
  const value = /^\d{1,3}(\.\d{1,6})?$/.test(text) ? Number(text) / 100 : Number.NaN;
  return value >= 0 && value <= 1 ? value : undefined;
}

function isMount(text: string): boolean {
  return text.startsWith('/') && !/[\x00-\x1f\x7f-\x9f]/.test(text);
}
