/** The open document as all views see it. */
import { batch, computed, signal } from '@preact/signals';
import type { DocumentState } from '../worker/topics/state.ts';
import type { PageError } from '../worker/page-error.ts';
import { toPageError } from '../worker/page-error.ts';
import { route } from './route.ts';
import { worker } from './worker-client.ts';

/** The document, or undefined while none is open. */
export const documentOpen = signal<DocumentState | undefined>(undefined);
/** What is being opened, while it is. */
export const opening = signal<string | undefined>(undefined);
/** Why the last attempt to open failed. */
export const openError = signal<PageError | undefined>(undefined);
/** Counts documents: what was asked of one is nothing to show beside the name of the next. */
export const documentNumber = signal(0);
/** Counts documents and their changes: views ask the worker again when it is another. */
export const documentKey = computed(() => `${documentNumber.value}:${documentOpen.value?.version ?? 0}`);

let attempt = 0;
let lastGiven: readonly File[] = [];

/** Opens one file, or an OSDMap's JSON and its CRUSH map together. */
export async function openGivenFiles(files: readonly File[], ignoreCrc = false): Promise<void> {
  if (files.length === 0) return;
  if (files.length > 2) {
    const text = `${files.length} files were given: open one, or the JSON of 'ceph osd dump' and its CRUSH map`;
    openError.value = { isPageError: true, code: 'bad-argument', text, message: text, place: {} };
    return;
  }
  lastGiven = files;
  await open(files.map((file) => file.name).join(' and '), undefined, async (mine) => {
    const given = await Promise.all(
      files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    );
    return worker.openFiles(given, ignoreCrc, mine);
  });
}

/** Opens the files of the last attempt, though the checksum is wrong. */
export async function openDespiteCrc(): Promise<void> {
  await openGivenFiles(lastGiven, true);
}

/** Opens one of the page's own maps. */
export async function openExample(id: string): Promise<void> {
  await open('the example', id, (mine) => worker.openExample(id, mine));
}

/** Closes the document. */
export async function close(): Promise<void> {
  const mine = ++attempt;
  documentOpen.value = undefined;
  opening.value = undefined;
  openError.value = undefined;
  route.closed();
  await worker.closeDocument(mine);
}

/** To be called after the worker has changed the document. */
export function noteChange(state: DocumentState): void {
  // A change that was under way when the document was closed brings nothing back.
  if (documentOpen.peek() !== undefined) documentOpen.value = state;
}

async function open(
  what: string,
  example: string | undefined,
  ask: (mine: number) => Promise<DocumentState>,
): Promise<void> {
  const mine = ++attempt;
  opening.value = what;
  openError.value = undefined;
  try {
    const state = await ask(mine);
    if (mine !== attempt) return;
    batch(() => {
      documentNumber.value++;
      documentOpen.value = state;
      route.openedExample(example);
    });
  } catch (error) {
    if (mine !== attempt) return;
    openError.value = toPageError(error);
    route.stayed();
  } finally {
    if (mine === attempt) opening.value = undefined;
  }
}
