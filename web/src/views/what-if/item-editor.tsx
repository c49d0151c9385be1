/** What can be done with the selected OSD or bucket. */
import { useState } from 'preact/hooks';
import { WEIGHT_ONE } from '../../../../src/crush/model.ts';
import { route } from '../../app/route.ts';
import { counted, weight as weightText } from '../../parts/format.ts';
import type { ItemChoice, WhatIfChoices } from '../../worker/topics/what-if-choices.ts';
import { WeightField } from './weight-field.tsx';
import { make } from './what-if-client.ts';

/** Marks, weights, place and removal of an item. */
export function ItemEditor({
  item,
  choices,
}: {
  readonly item: ItemChoice;
  readonly choices: WhatIfChoices | undefined;
}) {
  const { name, osds } = item;
  const isOsd = item.id >= 0;
  // An OSD by its number: its name in the CRUSH map may be another.
  const target = isOsd ? `osd.${item.id}` : name;
  const mark = (kind: 'out' | 'in' | 'down' | 'up') => () => make({ kind, targets: [target] });
  return (
    <div class="item-editor">
      <p class="item-title">
        <strong>{name}</strong> <span class="quiet">{factsText(item)}</span>
      </p>
      <div class="toolbar">
        <button type="button" disabled={item.in === 0} onClick={mark('out')}>
          Mark out
        </button>
        <button type="button" disabled={item.in === osds} onClick={mark('in')}>
          Mark in
        </button>
        <button type="button" disabled={item.up === 0} onClick={mark('down')}>
          Mark down
        </button>
        <button type="button" disabled={item.up === osds} onClick={mark('up')}>
          Mark up
        </button>
        <button
          type="button"
          onClick={() => {
            make({ kind: 'remove', targets: [target] });
            route.set('subject', 'item', undefined);
          }}
        >
          Remove
        </button>
      </div>
      {osds > 0 && (
        <WeightField
          label={isOsd ? 'Reweight' : 'Reweight of all its OSDs'}
          value={item.reweight === undefined ? undefined : item.reweight / WEIGHT_ONE}
          max={1}
          step={0.01}
          decimals={3}
          onValue={(value, gesture) =>
            make({ kind: 'reweight', targets: [target], weight: Math.min(1, value) }, gesture)
          }
        />
      )}
      {item.weight !== undefined && (
        <WeightField
          label={isOsd ? 'CRUSH weight' : 'CRUSH weight in all'}
          value={item.weight / WEIGHT_ONE}
          max={sliderEnd(item)}
          step={sliderEnd(item) / 200}
          decimals={3}
          onValue={(value, gesture) => make({ kind: 'crush-weight', name: target, weight: value }, gesture)}
        />
      )}
      {choices !== undefined && <MoveForm item={item} target={target} buckets={choices.buckets} />}
    </div>
  );
}

function MoveForm({
  item,
  target,
  buckets,
}: {
  readonly item: ItemChoice;
  readonly target: string;
  readonly buckets: WhatIfChoices['buckets'];
}) {
  const [to, setTo] = useState('');
  const bucket = buckets.find(({ name }) => name === to.trim());
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        if (bucket === undefined) return;
        make({ kind: 'move', names: [target], location: { [bucket.type]: bucket.name } });
        setTo('');
      }}
    >
      <label>
        Move into{' '}
        <input
          list="what-if-buckets"
          value={to}
          placeholder="a bucket"
          autocomplete="off"
          onInput={(event) => setTo(event.currentTarget.value)}
        />
      </label>
      <datalist id="what-if-buckets">
        {buckets.map(({ name, type }) => (
          <option key={name} value={name}>
            {type}
          </option>
        ))}
      </datalist>
      <button type="submit" disabled={bucket === undefined || bucket.name === item.place[0]?.name}>
        Move
      </button>
      {to.trim() !== '' && bucket === undefined && (
        <span class="quiet">no bucket of that name; add one below</span>
      )}
    </form>
  );
}

/** Where the slider of the CRUSH weight ends: well above what it was. */
function sliderEnd({ weight = 0, originalWeight = 0 }: ItemChoice): number {
  const most = Math.max(weight, originalWeight, WEIGHT_ONE / 2) / WEIGHT_ONE;
  return Math.min(32767, Math.ceil(most * 20) / 10);
}

function factsText(item: ItemChoice): string {
  const { id, typeName, place, weight, deviceClass, osds, up } = item;
  const isOsd = id >= 0;
  const state = osds === 0 ? 'not in the OSDMap' : `${up > 0 ? 'up' : 'down'}, ${item.in > 0 ? 'in' : 'out'}`;
  return [
    typeName,
    ...(deviceClass === '' ? [] : [`class ${deviceClass}`]),
    ...(isOsd ? [state] : [`${counted(osds, 'OSD')}: ${up} up, ${item.in} in`]),
    ...(weight === undefined ? ['in no bucket'] : [`weight ${weightText(weight)}`]),
    ...(place.length === 0 ? [] : [`in ${place.map(({ type, name }) => `${type} ${name}`).join(', ')}`]),
  ].join(' · ');
}
