/** How is reckoned: the balancer's options by Ceph's names, and what the reports do not tell. */
import { useEffect, useState } from 'preact/hooks';
import { CrushError } from '../../../../src/errors.ts';
import { DEFAULT_MDS_OPTIONS, readMdsOptions, type MdsOptions } from '../../../../src/mds/options.ts';
import { useSettled } from '../../parts/use-settled.ts';
import type { MdsSettings } from '../../worker/topics/mds/settings.ts';
import { mdsFiles, mdsSettings } from './mds-state.ts';

/** Options that decide, and what they are. */
const OPTIONS: readonly (readonly [keyof MdsOptions, string])[] = [
  ['mds_bal_min_rebalance', 'part of the target above which a rank is overloaded'],
  ['mds_bal_overload_epochs', 'beats for which it must have been'],
  ['mds_bal_min_start', 'part of an amount below which the rest is not looked for'],
  ['mds_bal_need_min', 'a directory from this part of what is needed …'],
  ['mds_bal_need_max', '… to this one is taken alone'],
  ['mds_bal_midchunk', 'smaller ones are taken after bigger ones were looked into'],
  ['mds_bal_minchunk', 'smaller ones are never taken'],
  ['mds_bal_idle_threshold', 'imports below this load go back; 0: none'],
  ['mds_bal_interval', 'seconds between beats, for the comparison of plans'],
];

/** The form. Changes count once they rest, and only where they fit. */
export function OptionsForm() {
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  const settled = useSettled(given, 250);
  const settings = mdsSettings.value;
  const set = (change: Partial<MdsSettings>) => {
    mdsSettings.value = { ...mdsSettings.value, ...change };
  };
  useEffect(() => {
    const options = Object.entries(settled)
      .filter(([name, value]) => value !== '' && problemOf(name, value) === undefined)
      .map(([name, value]) => `${name}=${value}`);
    if (options.join() !== mdsSettings.value.options.join()) set({ options });
  }, [settled]);
  const systems = mdsFiles.value?.fileSystems ?? [];
  const count = settings.options.length + Number(settings.overloadedFor !== undefined);
  return (
    <div class="toolbar mds-options">
      {systems.length > 1 && (
        <label>
          File system{' '}
          <select
            value={settings.fileSystem ?? systems[0]}
            onChange={(event) => set({ fileSystem: event.currentTarget.value })}
          >
            {systems.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        <code>mds_bal_mode</code>{' '}
        <select
          value={given.mds_bal_mode ?? '0'}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setGiven((last) => ({ ...last, mds_bal_mode: value === '0' ? '' : value }));
          }}
        >
          <option value="0">0: popularity and requests</option>
          <option value="1">1: requests</option>
          <option value="2">2: CPU time</option>
        </select>
      </label>
      <label>
        Beat{' '}
        <select
          value={settings.beat}
          onChange={(event) => set({ beat: event.currentTarget.value === 'odd' ? 'odd' : 'even' })}
        >
          <option value="even">even</option>
          <option value="odd">odd</option>
        </select>
      </label>
      <label>
        Counters{' '}
        <select
          value={settings.scaleToBeat ? 'scaled' : 'as-is'}
          onChange={(event) => set({ scaleToBeat: event.currentTarget.value === 'scaled' })}
        >
          <option value="scaled">scaled to the last beat</option>
          <option value="as-is">as reported</option>
        </select>
      </label>
      <details>
        <summary>Thresholds{count > 0 && ` (${count} changed)`}</summary>
        <div class="mds-thresholds">
          {OPTIONS.map(([name, about]) => (
            <OptionField
              key={name}
              name={name}
              about={about}
              value={given[name] ?? ''}
              onValue={(value) => setGiven((last) => ({ ...last, [name]: value }))}
            />
          ))}
          <OverloadedField onBeats={(overloadedFor) => set({ overloadedFor })} />
        </div>
      </details>
    </div>
  );
}

function OptionField({
  name,
  about,
  value,
  onValue,
}: {
  readonly name: keyof MdsOptions;
  readonly about: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const problem = value === '' ? undefined : problemOf(name, value);
  return (
    <label>
      <code>{name}</code>
      <input
        type="text"
        inputMode="decimal"
        value={value}
        placeholder={String(DEFAULT_MDS_OPTIONS[name])}
        aria-invalid={problem !== undefined}
        onInput={(event) => onValue(event.currentTarget.value.trim())}
      />
      {problem === undefined ? (
        <span class="quiet">{about}</span>
      ) : (
        <span class="mds-odd" role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}

function OverloadedField({ onBeats }: { readonly onBeats: (beats: number | undefined) => void }) {
  const [text, setText] = useState(() => String(mdsSettings.peek().overloadedFor ?? ''));
  const isWrong = text !== '' && !/^\d{1,6}$/.test(text);
  return (
    <label>
      overloaded for
      <input
        type="text"
        inputMode="numeric"
        value={text}
        placeholder="long enough"
        aria-invalid={isWrong}
        onInput={(event) => {
          const value = event.currentTarget.value.trim();
          setText(value);
          if (value === '') onBeats(undefined);
          else if (/^\d{1,6}$/.test(value)) onBeats(Number(value));
        }}
      />
      {isWrong ? (
        <span class="mds-odd" role="alert">
          a number of beats
        </span>
      ) : (
        <span class="quiet">beats so far, which no report tells</span>
      )}
    </label>
  );
}

/** Why a value does not fit, if so. */
function problemOf(name: string, value: string): string | undefined {
  try {
    readMdsOptions([`${name}=${value}`]);
    return undefined;
  } catch (error) {
    return error instanceof CrushError ? error.message.replace(`${name} `, '') : String(error);
  }
}
