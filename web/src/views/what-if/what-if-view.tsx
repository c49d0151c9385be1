/** What if by hand: change the map, and see at once what would move. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useWorkerData } from '../../parts/use-worker-data.ts';
import { type PageError, toPageError } from '../../worker/page-error.ts';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';
import type { WhatIfAnswer } from '../../worker/topics/what-if.ts';
import { AddForm, WordsForm } from './add-form.tsx';
import { rowLoads } from './change-colours.ts';
import { ChangeList } from './change-list.tsx';
import { EffectBar, EffectPanel, FlowPanel } from './effect-panel.tsx';
import { FillPanel } from './fill-panel.tsx';
import { ItemEditor } from './item-editor.tsx';
import { ItemList } from './item-list.tsx';
import { CommandPanel, ComparisonPanel, SavePanel } from './output-panel.tsx';
import { PicturePanel, pickedItem, usePickedRow } from './picture-panel.tsx';
import { PoolEditor, RuleEditor } from './pool-editor.tsx';
import { actionError, answer, followDocument, working } from './what-if-client.ts';
import './what-if.css';

/** The view. */
export function WhatIfView() {
  useEffect(followDocument, []);
  const now = answer.value;
  const error = actionError.value;
  return (
    <>
      <p class="what-if-state" role="status">
        {STATES[working.value]}
      </p>
      {error && <ErrorNote error={error} title="This cannot be done" />}
      {now !== undefined && <WhatIf answer={now} />}
    </>
  );
}

const STATES = {
  nothing: '',
  preparing: 'Making ready for changes: mapping every PG, with what its mapping depends on …',
  answering: 'Computing …',
} as const;

function WhatIf({ answer: now }: { readonly answer: WhatIfAnswer }) {
  const rows = useRows(now);
  const item = pickedItem();
  const [selected, select] = usePickedRow(rows.data);
  const osds = useLater(now.effect.osds);
  const loads = useMemo(() => rows.data && rowLoads(rows.data, osds), [rows.data, osds]);
  const pick =
    rows.data === undefined || loads === undefined
      ? undefined
      : { rows: rows.data, fills: osds, loads, selected, onSelect: select };
  const choices = useWorkerData(() => worker.whatIfChoices());
  const picked = useWorkerData(item === undefined ? undefined : () => worker.whatIfItem(item), [item]);
  return (
    <div class="what-if">
      <div class="what-if-make">
        {rows.error && <ErrorNote error={rows.error} />}
        {pick !== undefined && <PicturePanel {...pick} />}
        <section class="panel" aria-labelledby="change-title">
          <h3 id="change-title">Change it</h3>
          {item === undefined && <p class="quiet">Nothing is picked yet.</p>}
          {item !== undefined && picked.data?.id === item && (
            <ItemEditor key={item} item={picked.data} choices={choices.data} />
          )}
          {picked.error && <ErrorNote error={picked.error} />}
        </section>
        {pick !== undefined && <ItemList {...pick} />}
        {choices.error && <ErrorNote error={choices.error} />}
        {choices.data !== undefined && (
          <section class="panel editors" aria-label="Pools, rules and additions">
            <details open>
              <summary>Pools</summary>
              <PoolEditor choices={choices.data} />
            </details>
            <details>
              <summary>Rules and tunables</summary>
              <RuleEditor choices={choices.data} />
            </details>
            <details>
              <summary>Add OSDs or a host</summary>
              <AddForm choices={choices.data} />
            </details>
            <details>
              <summary>Changes in words</summary>
              <WordsForm />
            </details>
          </section>
        )}
      </div>
      <div class="what-if-see">
        <ChangeList history={now.history} />
        <EffectPanel answer={now} />
        <FlowPanel answer={now} />
        <FillPanel answer={now} />
        <ComparisonPanel />
        <CommandPanel />
        <SavePanel />
      </div>
      <EffectBar answer={now} />
    </div>
  );
}

/** A value one task later: numbers are to be seen before ten thousand boxes are painted. */
function useLater<T>(value: T): T {
  const [shown, show] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => show(value));
    return () => clearTimeout(timer);
  }, [value]);
  return shown;
}

/** The hierarchy, asked for when it is another and the worker has nothing more urgent. */
function useRows(now: WhatIfAnswer): {
  readonly data: HierarchyRows | undefined;
  readonly error: PageError | undefined;
} {
  const [state, setState] = useState<{
    readonly key: number;
    readonly data: HierarchyRows | undefined;
    readonly error: PageError | undefined;
  }>({ key: 0, data: undefined, error: undefined });
  const isIdle = working.value === 'nothing';
  const { crushKey } = now;
  useEffect(() => {
    if (!isIdle || state.key === crushKey) return undefined;
    let isStale = false;
    worker.hierarchy().then(
      (data) => {
        if (!isStale) setState({ key: crushKey, data, error: undefined });
      },
      (error: unknown) => {
        if (!isStale) setState({ key: crushKey, data: undefined, error: toPageError(error) });
      },
    );
    return () => {
      isStale = true;
    };
  }, [isIdle, crushKey]);
  return state;
}
