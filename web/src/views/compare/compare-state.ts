/**
 * The comparison that is shown, kept while other views are: which maps, the other file, and the answer. It is made in
 * a worker of its own, which is ended when its answer is no longer wanted.
 */
import { computed, signal } from '@preact/signals';
import type { Remote } from 'comlink';
import { documentKey, documentOpen } from '../../app/document.ts';
import { route } from '../../app/route.ts';
import { SideWorker } from '../../app/side-worker.ts';
import type { PageApi } from '../../worker/api.ts';
import { toPageError, type PageError } from '../../worker/page-error.ts';
import type { CompareAnswer, CompareRequest } from '../../worker/topics/compare.ts';
import type { CompareSide, OtherFile } from '../../worker/topics/compare/sides.ts';
import type { GivenFile } from '../../worker/topics/open.ts';

/** The other file, or undefined while none is chosen. */
export const otherFile = signal<OtherFile | undefined>(undefined);
/** What is being read as the other file. */
export const readingOther = signal<string | undefined>(undefined);
/** Why the last attempt to read another file failed. */
export const otherError = signal<PageError | undefined>(undefined);

/** A comparison as far as it has come. */
export interface ComparisonState {
  readonly key: string;
  readonly answer: CompareAnswer | undefined;
  readonly error: PageError | undefined;
  /** When it was begun, while it runs. */
  readonly since: number | undefined;
  readonly isCancelled: boolean;
}

/** The newest comparison that was asked for. */
export const comparison = signal<ComparisonState | undefined>(undefined);

/** What is to be compared, or undefined where there is nothing yet. */
export const wanted = computed<CompareRequest | undefined>(() => {
  const open = documentOpen.value;
  if (open === undefined) return undefined;
  const pair = chosenSides();
  if (pair === undefined) return undefined;
  return {
    ...pair,
    set: route.display('compare-set') === 'acting' ? 'acting' : 'up',
    orderFree: route.display('compare-order') === 'free',
  };
});

/** The sides that can be chosen, in order. */
export const sideChoices = computed<readonly CompareSide[]>(() => [
  ...(documentOpen.value?.isChanged === true ? (['original', 'current'] as const) : (['current'] as const)),
  ...(otherFile.value === undefined ? [] : (['other'] as const)),
]);

const side = new SideWorker('compare');
const chosen = signal<
  { readonly document: string; readonly before: CompareSide; readonly after: CompareSide } | undefined
>(undefined);
const otherCount = signal(0);
let given: readonly GivenFile[] = [];
/** The start of the worker, and the file, that it has read. */
let readBy = '';

/** Chooses what is compared with what. */
export function chooseSides(before: CompareSide, after: CompareSide): void {
  chosen.value = { document: documentNumber(), before, after };
}

/** Reads another file to compare with, or an OSDMap's JSON and its CRUSH map together. */
export async function chooseOther(files: readonly File[]): Promise<void> {
  const some = files.slice(0, 2);
  if (some.length === 0) return;
  const name = some.map((file) => file.name).join(' and ');
  readingOther.value = name;
  otherError.value = undefined;
  // What is computed now is wanted no more, and reading is not to wait for it.
  stop();
  try {
    const taken = await Promise.all(
      some.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    );
    const api = await side.ready();
    const read = await api.compareRead(taken);
    if (readingOther.value !== name) return;
    given = taken;
    otherFile.value = read;
    otherCount.value++;
    readBy = `${side.starts}:${otherCount.value}`;
    chooseSides('current', 'other');
  } catch (error) {
    if (readingOther.value === name) otherError.value = toPageError(error);
  } finally {
    if (readingOther.value === name) readingOther.value = undefined;
  }
}

/** Makes the wanted comparison, unless it is there or on its way. */
export function makeComparison(again = false): void {
  const request = wanted.peek();
  if (request === undefined || readingOther.peek() !== undefined) return;
  const key = [documentKey.peek(), otherCount.peek(), JSON.stringify(request)].join(' ');
  const last = comparison.peek();
  if (last?.key === key && !again) return;
  if (last?.since !== undefined) side.stop();
  void run(key, request);
}

/** Ends the comparison that runs. */
export function cancelComparison(): void {
  const last = comparison.peek();
  if (last?.since === undefined) return;
  side.stop();
  comparison.value = { ...last, since: undefined, isCancelled: true };
}

/** Asks for more of a comparison. */
export async function askMore<T>(ask: (api: Remote<PageApi>) => Promise<T>): Promise<T> {
  return ask(await side.ready());
}

async function run(key: string, request: CompareRequest): Promise<void> {
  const begun: ComparisonState = {
    key,
    answer: undefined,
    error: undefined,
    since: Date.now(),
    isCancelled: false,
  };
  comparison.value = begun;
  const end = (state: Partial<ComparisonState>): void => {
    // A later comparison, or none, is wanted by now.
    if (comparison.peek() === begun) comparison.value = { ...begun, since: undefined, ...state };
  };
  try {
    const api = await side.ready();
    if (request.before === 'other' || request.after === 'other') {
      const needed = `${side.starts}:${otherCount.peek()}`;
      if (readBy !== needed) {
        await api.compareRead(given);
        readBy = needed;
      }
    }
    end({ answer: await api.compareRun(request) });
  } catch (error) {
    end({ error: toPageError(error) });
  }
}

function stop(): void {
  side.stop();
  comparison.value = undefined;
}

function chosenSides(): Pick<CompareRequest, 'before' | 'after'> | undefined {
  const choices = sideChoices.value;
  const last = chosen.value;
  if (
    last?.document === documentNumber() &&
    choices.includes(last.before) &&
    choices.includes(last.after) &&
    last.before !== last.after
  ) {
    return { before: last.before, after: last.after };
  }
  const [before, after] = choices;
  return before === undefined || after === undefined ? undefined : { before, after };
}

function documentNumber(): string {
  return documentKey.value.split(':')[0] ?? '';
}
