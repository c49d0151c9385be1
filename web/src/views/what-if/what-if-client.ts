/** The what-if's end of the worker: one action at a time, and of the steps of a drag only the newest. */
import { batch, effect, signal } from '@preact/signals';
import { documentKey, documentOpen, noteChange } from '../../app/document.ts';
import { route } from '../../app/route.ts';
import { worker } from '../../app/worker-client.ts';
import { type PageError, toPageError } from '../../worker/page-error.ts';
import type { WhatIfAction, WhatIfAnswer } from '../../worker/topics/what-if.ts';
import type { MapChange } from '../../../../src/analysis/what-if.ts';

/** What the changes do, as the worker told last; undefined before the first answer on a document. */
export const answer = signal<WhatIfAnswer | undefined>(undefined);
/** Why the last action could not be done. */
export const actionError = signal<PageError | undefined>(undefined);
/** What the worker is doing. */
export const working = signal<'nothing' | 'preparing' | 'answering'>('nothing');

let answered = '';
let isRunning = false;
const queue: WhatIfAction[] = [];
let gestures = 0;

/** A number for the steps of one drag. */
export function newGesture(): number {
  return ++gestures;
}

/** Makes a change. */
export function make(change: MapChange, gesture?: number): void {
  act({ kind: 'make', change, ...(gesture !== undefined && { gesture }) });
}

/** Has an action done, after those that wait. */
export function act(action: WhatIfAction): void {
  const last = queue.at(-1);
  const isSameDrag =
    action.kind === 'make' &&
    last?.kind === 'make' &&
    action.gesture !== undefined &&
    action.gesture === last.gesture;
  if (isSameDrag) queue[queue.length - 1] = action;
  else queue.push(action);
  void run();
}

/** The type of buckets that flows and fill are shown by. */
export function chosenType(): number {
  const text = route.subject('level');
  if (text !== undefined && /^\d{1,9}$/.test(text)) return Number(text);
  // What PGs are kept apart by as a rule: hosts.
  return 1;
}

/** Keeps the answer up to the document and the chosen level while the view is shown. */
export function followDocument(): () => void {
  return effect(() => {
    const wanted = `${documentKey.value} ${chosenType()}`;
    if (documentOpen.value !== undefined && wanted !== answered) void run();
  });
}

async function run(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  try {
    for (;;) {
      const action = queue.shift();
      const wanted = `${documentKey.value} ${chosenType()}`;
      if (documentOpen.value === undefined || (action === undefined && wanted === answered)) break;
      const document = openedNumber();
      const isNew = !answered.startsWith(`${document}:`);
      if (isNew) answer.value = undefined;
      working.value = isNew ? 'preparing' : 'answering';
      const scope = { type: chosenType() };
      try {
        const given = await (action === undefined ? worker.whatIfNow(scope) : worker.whatIfDo(action, scope));
        if (openedNumber() !== document) continue;
        batch(() => {
          actionError.value = undefined;
          noteChange(given.state);
          answer.value = given;
          answered = `${documentKey.value} ${scope.type}`;
        });
      } catch (error) {
        if (openedNumber() !== document) continue;
        actionError.value = toPageError(error);
        // What is no answer to this question is none to the same question again.
        if (action === undefined) answered = wanted;
      }
    }
  } finally {
    working.value = 'nothing';
    isRunning = false;
  }
}

/** Which document is open, or that none is: an answer that comes after it was closed is not for the next. */
function openedNumber(): string {
  return documentOpen.value === undefined ? '-' : (documentKey.value.split(':')[0] ?? '');
}
