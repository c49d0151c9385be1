/** What the view of metadata servers shows: its files, its settings, and the directory that is looked at. */
import { signal } from '@preact/signals';
import { route } from '../../app/route.ts';
import { worker } from '../../app/worker-client.ts';
import { useWorkerData, type WorkerData } from '../../parts/use-worker-data.ts';
import type { MdsFiles } from '../../worker/topics/mds/desk.ts';
import type { MdsSettings } from '../../worker/topics/mds/settings.ts';
import { toPageError, type PageError } from '../../worker/page-error.ts';

/** The files, or undefined while there are none. */
export const mdsFiles = signal<MdsFiles | undefined>(undefined);
/** What is being read, while it is. */
export const mdsReading = signal<string | undefined>(undefined);
/** Why the last attempt failed. */
export const mdsError = signal<PageError | undefined>(undefined);
/** How is reckoned. */
export const mdsSettings = signal<MdsSettings>({
  options: [],
  beat: 'even',
  overloadedFor: undefined,
  scaleToBeat: true,
  fileSystem: undefined,
});
/** Path of the chosen directory; never part of a link. */
export const chosenPath = signal<string | undefined>(undefined);

/** The example in links: how the view's place says that it is open. */
const EXAMPLE_KEY = 'capture';

/** Adds files to those that are there; those of the example go. */
export async function giveFiles(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  const wasExample = isExample();
  await change(files.map((file) => file.name).join(', '), async () => {
    const given = await Promise.all(
      files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    );
    if (wasExample) await worker.mdsClear();
    return worker.mdsAdd(given);
  });
  route.set('display', EXAMPLE_KEY, undefined);
}

/** Opens the page's own capture. */
export async function openCapture(): Promise<void> {
  await change('the example', () => worker.mdsExample());
  route.set('display', EXAMPLE_KEY, 'example');
}

/** Whether the example is open, or a link asks for it. */
export function isExample(): boolean {
  return route.display(EXAMPLE_KEY) === 'example';
}

/** Says of which rank a file is. */
export async function giveRank(index: number, rank: number): Promise<void> {
  await change(undefined, () => worker.mdsSetRank(index, rank));
}

/** Puts a file away. */
export async function putAway(index: number): Promise<void> {
  await change(undefined, () => worker.mdsRemove(index));
}

/** Puts all files away. */
export async function putAllAway(): Promise<void> {
  await change(undefined, () => worker.mdsClear());
  chosenPath.value = undefined;
  route.set('display', EXAMPLE_KEY, undefined);
}

/** Data of the files, asked for again when they, the settings or the dependencies change. */
export function useMdsData<T>(
  ask: (settings: MdsSettings) => Promise<T>,
  dependencies: readonly (string | number | boolean | undefined)[] = [],
): WorkerData<T> {
  const files = mdsFiles.value;
  const settings = mdsSettings.value;
  return useWorkerData(files?.hasLoads === true ? () => ask(settings) : undefined, [
    files?.version,
    JSON.stringify(settings),
    ...dependencies,
  ]);
}

let attempt = 0;

async function change(what: string | undefined, ask: () => Promise<MdsFiles>): Promise<void> {
  const mine = ++attempt;
  mdsReading.value = what;
  mdsError.value = undefined;
  try {
    const files = await ask();
    if (mine !== attempt) return;
    mdsFiles.value = files.files.length === 0 && files.refused.length === 0 ? undefined : files;
    const { fileSystem } = mdsSettings.value;
    if (fileSystem !== undefined && !files.fileSystems.includes(fileSystem)) {
      mdsSettings.value = { ...mdsSettings.value, fileSystem: undefined };
    }
  } catch (error) {
    if (mine === attempt) mdsError.value = toPageError(error);
  } finally {
    if (mine === attempt) mdsReading.value = undefined;
  }
}
